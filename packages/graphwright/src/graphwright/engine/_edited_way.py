"""The way of a conversation in an edited flow, and the first decision behind its position that leads elsewhere now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from graphwright.engine._advance import MAX_DEPTH, choice, decided_by
from graphwright.engine._dependent_answers import SOURCES
from graphwright.engine._flow_versions import FlowVersions
from graphwright.engine._position import DECLINED, Frame, Position, Scope, Taken, entry, view
from graphwright.engine._questions import Candidate
from graphwright.engine._walked_way import EDITED
from graphwright.engine.state import ThreadState
from graphwright.flow._dependencies import dependencies, is_answer, leaving_reads, nodes_before, unscoped
from graphwright.flow.compiled import CHOSEN_PATH, EXIT, ROOT, Action, Call, CompiledFlow, Decision, Node, Question
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS

_MOST_PLACES = 5_000
"""The maximum number of places that a search enters. A longer way is not found."""

Frames = tuple[Frame, ...]
"""A place: a call stack whose top is a node that is left. A call on top has returned."""

Values = Mapping[str, Any]


class _Left(NamedTuple):
    """A place on a way, and the node to which it was left."""

    frames: Frames
    target: str


@dataclass(frozen=True, slots=True)
class EditedWay:
    """The decisions on the way to a position in the present version, and the questions to which changed ones lead.

    `elsewhere` is the place from which the flow goes on another way, empty if there is none; `stuck`: it has none.
    """

    way: tuple[Taken, ...]
    questions: tuple[Candidate, ...]
    elsewhere: Frames = ()
    stuck: bool = False


def may_concern(pair: FlowVersions, since: Position, after: Position) -> bool:
    """Whether the edit may have changed a decision on the way to a position; `since` is that of the earlier version."""
    return not (since.escaped or after.escaped) and _is_behind(pair, pair.old.nodes[since.frames[0].node])


@lru_cache(maxsize=1024)
def _is_behind(pair: FlowVersions, top: Node) -> bool:
    """Whether a changed node may lie before a node of the root; one of a called graph always may."""
    nodes = pair.old.nodes
    before = nodes_before(pair.old, top)
    return any(name in before or nodes[name].graph != ROOT for name in pair.were_rerouted)


def edited_way(
    pair: FlowVersions,
    before: ThreadState,
    since: Position,
    after: ThreadState,
    recorded: Sequence[Taken],
    values: tuple[Values, Values],
) -> EditedWay | None:
    """Decide again what the edit changed on the way to a position; None if nothing did, or the way is not known.

    `since` is the position in the earlier version; `after` is the thread with the present names, and `recorded` its
    decisions; `values` are those of both versions. A changed decision leads elsewhere if the flow does not come back
    from it to the way, or comes by actions that are not on the way. Questions alone do not matter: they are asked
    before something reads their answers.
    """
    walked = _walked(pair.old, before, values[0], _base(since))
    if walked is None or not any(pair.nodes.get(each.frames[-1].node) in pair.rerouted for each in walked):
        return None
    return _Retracing(pair, walked, before, after, recorded, values).run()


def _base(position: Position) -> Frames:
    """The place of a position without its detours."""
    stops = next((n for n, frame in enumerate(position.frames) if frame.detour), len(position.frames))
    return tuple(frame._replace(done=False) for frame in position.frames[: max(stops, 1)])


def _walked(flow: CompiledFlow, state: ThreadState, values: Values, goal: Frames) -> Sequence[_Left] | None:
    """The way from the entry to a place, over the decisions that were recorded, else those that the values explain."""
    known = tuple((each.frames, each.target) for each in state.way)
    if (recorded := _recorded_way(flow, known, str(values.get(ACTIVE_PATH) or ""), goal)) is not None:
        return recorded
    decisions = dict(known)

    def targets(node: Node, frames: Frames) -> Sequence[str]:
        if frames in decisions:
            return [decisions[frames]]
        exits = _exits(flow)[node.id]
        if len(exits) == 1 or _picks(node):
            return exits
        return [choice(flow, Taken(frames, "", ()), values), *exits]

    start = _entered(flow, entry(flow).frames, values)
    found = _search(flow, start, {goal}, values, targets)
    return None if found is None else found[0]


@lru_cache(maxsize=1024)
def _recorded_way(
    flow: CompiledFlow, known: tuple[tuple[Frames, str], ...], active_path: str, goal: Frames
) -> tuple[_Left, ...] | None:
    """The way over recorded decisions and nodes with one exit; None if it comes by others, or does not arrive.

    Threads in the same place came mostly by the same decisions, so it is computed once for all of them.
    """
    decisions, values = dict(known), {ACTIVE_PATH: active_path}
    way: dict[Frames, _Left] = {}
    frames = _entered(flow, entry(flow).frames, values)
    while frames is not None and frames != goal and frames not in way and len(way) < _MOST_PLACES:
        exits = (decisions[frames],) if frames in decisions else _exits(flow)[frames[-1].node]
        if len(exits) != 1 or not exits[0]:
            return None
        way[frames] = _Left(frames, exits[0])
        frames = _following(flow, frames, exits[0], values)
    return tuple(way.values()) if frames == goal else None


@lru_cache(maxsize=64)
def _exits(flow: CompiledFlow) -> Mapping[str, tuple[str, ...]]:
    """Where each node of a flow may lead, apart from a reply without an answer."""
    found = {}
    for node in flow.nodes.values():
        targets = [edge.target for edge in node.all_edges]
        if len(targets) != 1 or isinstance(node, Action):
            targets += [getattr(node, name, "") for name in ("on_error", "on_invalid")]
            targets += _confirming(node)
        found[node.id] = tuple(dict.fromkeys(filter(None, targets)))
    return found


def _search(
    flow: CompiledFlow,
    start: Frames | None,
    goals: Collection[Frames],
    values: Values,
    targets: Callable[[Node, Frames], Sequence[str]],
    seen: Collection[Frames] = (),
) -> tuple[list[_Left], Frames] | None:
    """The places from `start` to the first of `goals`, and that goal; depth first, in the order of the targets."""
    came: dict[Frames, _Left | None] = dict.fromkeys(seen)
    todo: list[tuple[Frames | None, _Left | None]] = [(start, None)]
    while todo and len(came) < _MOST_PLACES:
        frames, via = todo.pop()
        if frames is None or frames in came:
            continue
        came[frames] = via
        if frames in goals:
            way: list[_Left] = []
            while via is not None:
                way.append(via)
                via = came[via.frames]
            return way[::-1], frames
        for target in reversed(dict.fromkeys(targets(flow.nodes[frames[-1].node], frames))):
            if target:
                todo.append((_following(flow, frames, target, values), _Left(frames, target)))
    return None


def _following(flow: CompiledFlow, frames: Frames, target: str, values: Values) -> Frames | None:
    """The place to which an edge leads, inside a call that it enters; None if there is none."""
    if target == EXIT:
        return frames[:-1] or None
    top = frames[-1]
    return _entered(flow, (*frames[:-1], Frame(top.graph, target, top.scopes)), values)


def _entered(flow: CompiledFlow, frames: Frames, values: Values) -> Frames | None:
    while isinstance(node := flow.nodes[frames[-1].node], Call):
        ref = node.ref
        if ref == CHOSEN_PATH:
            path = flow.paths.get(str(values.get(ACTIVE_PATH) or ""))
            ref = path.ref if path is not None else ""
        if not ref or len(frames) > MAX_DEPTH:
            return None
        scopes = frames[-1].scopes
        scopes = (*scopes, Scope(node.scope, ref)) if node.scope else scopes
        frames = (*frames, Frame(ref, flow.graphs[ref].entry, scopes))
    return frames


def _picks(node: Node) -> bool:
    return isinstance(node, Decision) and node.pick_question


def _confirming(node: Node) -> list[str]:
    return [node.confirm.by] if isinstance(node, Action) and node.confirm is not None else []


@dataclass(slots=True)
class _Retracing:
    """The way `walked` in the earlier version, decided again in the present one; the fields are as in `edited_way`."""

    pair: FlowVersions
    walked: Sequence[_Left]
    before: ThreadState
    after: ThreadState
    recorded: Sequence[Taken]
    values: tuple[Values, Values]
    found: list[Taken] = field(default_factory=list)
    questions: list[Candidate] = field(default_factory=list)
    order: int = 0
    passed: set[int] = field(default_factory=set)
    """The numbers of the places of the way that are passed in the present version, too."""

    def run(self) -> EditedWay:
        decisions = dependencies(self.pair.new).retaken
        orders = {each.frames: each.order for each in self.before.way}
        effects = {(each.node, each.scopes): each.order + 1 for each in self.after.effects if each.order}
        done_nodes = {node for node, _ in effects}
        number, passed = 0, self.passed
        nodes, rerouted = self.pair.nodes, self.pair.rerouted
        while number < len(self.walked):
            left = self.walked[number]
            passed.add(number)
            number += 1
            while number in passed:
                number += 1
            now = nodes.get(left.frames[-1].node, "")
            is_done = bool(effects) and (now in done_nodes or left.frames in orders)
            if not (is_done or now in rerouted or now in decisions):
                continue
            frames = self.pair.frames(left.frames)
            if frames is None:
                continue
            done = effects.get((now, frames[-1].scopes), 0)
            self.order = max(self.order, orders.get(left.frames, 0), done)
            if now not in rerouted:
                if now in decisions:
                    self._take(frames, self._target(left, frames))
                continue
            target = self._target(left, frames)
            onward = self._onward(left, frames, target, number)
            if onward is None:
                return self._elsewhere(frames, target, self._to_pass())
            to, between, number = onward
            self._take(frames, to)
            self._ask(between)
            for each in between:
                self._take(each.frames, each.target)
        return EditedWay(tuple(self.found), tuple(self.questions))

    def _to_pass(self) -> Mapping[Frames, int]:
        """The places of the way that are not passed yet, and the position, each with its number.

        An edit may have changed their order: one that stood before a place may come after it now.
        """
        places = ((n, self.pair.frames(each.frames)) for n, each in enumerate(self.walked) if n not in self.passed)
        return {frames: n for n, frames in places if frames is not None} | {_base(self.after.at): len(self.walked)}

    def _ask(self, between: Sequence[_Left]) -> None:
        """Note the questions of a part of the way, as far as the values decide that the flow comes by them."""
        for each in between:
            node = self.pair.new.nodes[each.frames[-1].node]
            if isinstance(node, Question):
                self.questions.append(Candidate(node, each.frames[-1].scopes))
            if decided(self.pair.new, each.frames, self.values[1]) is None:
                break

    def _target(self, left: _Left, frames: Frames) -> str:
        """Where the place led, with the present name; empty if that node is gone."""
        if left.target == EXIT:
            return EXIT
        now = self.pair.node(left.target)
        return now.id if now is not None and now.graph == frames[-1].graph else ""

    def _onward(self, left: _Left, frames: Frames, target: str, number: int) -> tuple[str, list[_Left], int] | None:
        """Where a place leads now, what is between it and the next place of the way, and the number of that place.

        `number` is that of the place behind it in the earlier version. None if it leads elsewhere.
        """
        flow, node = self.pair.new, self.pair.new.nodes[frames[-1].node]
        chosen = decided(flow, frames, self.values[1])
        known = [edge.target for edge in node.all_edges] + _confirming(node)
        if chosen == target or (target in known and (chosen is None or not self._is_explained(left))):
            return target, [], number
        ahead = self._to_pass()
        for each in [chosen] if chosen is not None else known:
            start = _following(flow, frames, each, self.values[1]) if each else None
            way = _search(flow, start, ahead, self.values[1], self._targets, [frames])
            if way is not None and not (chosen is not None and _guarded(node) and self._acts(way[0])):
                return each, way[0], ahead[way[1]]
        return None

    def _is_explained(self, left: _Left) -> bool:
        """Whether the values lead the earlier version to where it was led, so that the edit makes the difference."""
        return choice(self.pair.old, Taken(left.frames, left.target, ()), self.values[0]) == left.target

    def _targets(self, node: Node, frames: Frames) -> Sequence[str]:
        chosen = decided(self.pair.new, frames, self.values[1])
        edges = [edge.target for edge in node.all_edges] if chosen is None else [chosen]
        return [*edges, *_confirming(node)]

    def _acts(self, way: Sequence[_Left]) -> bool:
        return any(isinstance(self.pair.new.nodes[each.frames[-1].node], Action) for each in way)

    def _elsewhere(self, frames: Frames, target: str, later: Collection[Frames]) -> EditedWay:
        there = Taken(frames, target, (EDITED,), self.order)
        others = (each for each in self.recorded if each.frames in later)
        found = {each.frames: each for each in (*self.found, there, *others)}
        stuck = decided(self.pair.new, frames, self.values[1]) == ""
        return EditedWay(tuple(found.values()), tuple(self.questions), frames, stuck)

    def _take(self, frames: Frames, target: str) -> None:
        flow, node = self.pair.new, frames[-1].node
        if node not in dependencies(flow).retaken:
            return
        reads = {name: None for each in self.recorded if each.frames == frames for name in each.reads}
        reads |= dict.fromkeys(decided_by(flow, frames, self.values[1]))
        if node in self.pair.rerouted and self._is_stale(frames):
            # It is compared after the channel was computed again.
            reads[EDITED] = None
        self.found.append(Taken(frames, target, tuple(reads), self.order))

    def _is_stale(self, frames: Frames) -> bool:
        sources = self.values[1].get(SOURCES) or {}
        names = leaving_reads(self.pair.new, self.pair.new.nodes[frames[-1].node])
        return any(name in sources and sources[name].changed for name in names)


def _guarded(node: Node) -> bool:
    return any(edge.guard is not None for edge in node.edges)


def decided(flow: CompiledFlow, frames: Frames, values: Values) -> str | None:
    """The node to which a place leads; empty if it leads nowhere, None if the values do not decide it.

    Only answers that last, channels computed from them and the path decide: others may have changed since.
    """
    node, scopes = flow.nodes[frames[-1].node], frames[-1].scopes
    if _picks(node):
        return None
    names = leaving_reads(flow, node)
    sources = values.get(SOURCES) or {}
    # A question is left with the latest answer to it, also if each entry asks it again.
    own = {f"{ANSWERS}.{node.key}"} if isinstance(node, Question) else set[str]()
    if not {unscoped(name) for name in names} <= dependencies(flow).retaken.get(node.id, frozenset()) | own:
        return None
    if any(
        name not in sources or sources[name].changed for name in names if not is_answer(name) and name != ACTIVE_PATH
    ):
        return None
    seen, declined = view(flow, values, scopes), values.get(DECLINED, ())
    for edge in node.edges:
        verdict = edge.guard.evaluate(seen) if edge.guard is not None else None
        if verdict is None or verdict.opens:
            return edge.target
        missing = {".".join(flow.resolve(scopes, name.removeprefix(f"{ANSWERS}."))) for name in verdict.missing}
        if not missing <= {*declined}:
            return None
    return node.otherwise.target if node.otherwise is not None else ""
