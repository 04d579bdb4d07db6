"""Compare two versions of a flow: renamed nodes, present paths of answers, and the nodes that are still reachable."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from graphwright.engine._constraints import find_questions
from graphwright.engine._position import Frame, Position, Scope
from graphwright.engine._questions import every_candidate
from graphwright.flow._changes import Changes, compare
from graphwright.flow._dependencies import (
    answer_reads,
    confirmation_terms,
    dependencies,
    leaving_reads,
    mapped_nodes,
    node_reads,
    signature_of,
    unscoped,
)
from graphwright.flow.compiled import (
    CHOSEN_PATH,
    EXIT,
    ROOT,
    Action,
    ActionSignature,
    Call,
    Channel,
    CompiledFlow,
    Node,
    Question,
)
from graphwright.flow.guards._vocabulary import ANSWERS, RESERVED_CHANNELS

_MOST_CALLS = 1000
"""The maximum number of calls that are followed to find those that lead to a node."""


@dataclass(frozen=True, eq=False)
class FlowVersions:
    """An earlier version of a flow and the present one.

    `nodes` maps the ids of earlier nodes to the present ids of those that are still there, as nodes of the same kind.
    `checked` are the present questions whose answers have to be checked again; `reworded` the confirmations whose
    text, actions or confirmed content changed; `steady` is whether every answer keeps its key, `same_channels` whether
    the channels have the same names, schemas and defaults. `rerouted` are the present nodes that may be left to
    another node than in the earlier version. `declared` are the actions as the code of the earlier version declared
    them, as far as the store has them: the flows have the present code.
    """

    old: CompiledFlow
    new: CompiledFlow
    changes: Changes
    nodes: Mapping[str, str]
    checked: frozenset[str]
    reworded: frozenset[str]
    steady: bool
    same_channels: bool
    rerouted: frozenset[str] = frozenset()
    declared: Mapping[str, ActionSignature] = field(default_factory=dict)

    @cached_property
    def only_text(self) -> bool:
        """Whether the versions differ at most in what only people read."""
        return self.changes.only_text

    @cached_property
    def were_rerouted(self) -> frozenset[str]:
        """The earlier ids of the nodes in `rerouted`."""
        return frozenset(was for was, now in self.nodes.items() if now in self.rerouted)

    @cached_property
    def reshaped(self) -> bool:
        """Whether a conversation may come by other nodes than in the earlier version; false for schemas and texts."""
        contents = {"text", "schema"}
        nodes = all(contents.issuperset(node.kinds) for node in self.changes.nodes)
        parts = (part for part in self.changes.parts if not part.name.startswith("state."))
        return not nodes or any(part.kinds != ("text",) for part in parts)

    def node(self, earlier: str) -> Node | None:
        """The present node of an earlier one, which may be of a version before `old`; None if it is gone."""
        if earlier in self.old.nodes:
            return self._present.get(earlier)
        return self.new.nodes.get(earlier if earlier in self.new.nodes else self.new.renamed.get(earlier, ""))

    @cached_property
    def _present(self) -> Mapping[str, Node]:
        """The present nodes by the ids of the nodes of `old`, in their order."""
        return {was: self.new.nodes[self.nodes[was]] for was in self.old.nodes if was in self.nodes}

    @cached_property
    def same_places(self) -> bool:
        """Whether every earlier node is still there, with its id, in its graph, and called by the same nodes."""
        return len(self._present) == len(self.old.nodes) and all(
            _place(self.old, self.old.nodes[was]) == _place(self.new, now) for was, now in self._present.items()
        )

    def place(self, position: Position) -> Position | None:
        """The same place in the present version, or None if a node of its call stack is gone or called elsewhere."""
        frames = self.frames(position.frames)
        return position._replace(frames=frames) if frames is not None else None

    def frames(self, earlier: tuple[Frame, ...]) -> tuple[Frame, ...] | None:
        """As `place`, for a call stack."""
        return earlier if self.same_places else _frames(self, earlier)

    def unscoped(self, names: Iterable[str]) -> tuple[str, ...]:
        """The present names, without scopes, of answers and channels."""
        return tuple(self._names.get(name, name) for name in map(unscoped, names))

    @cached_property
    def _names(self) -> Mapping[str, str]:
        """The present names of answers and channels by the earlier ones, without scopes."""
        questions = ((question, self.node(question.id)) for question in reversed(self.old.questions))
        keys = {f"{ANSWERS}.{was.key}": f"{ANSWERS}.{now.key}" for was, now in questions if isinstance(now, Question)}
        return {**keys, **self.renamed_channels}

    @cached_property
    def renamed_channels(self) -> Mapping[str, str]:
        """The present names of channels by the earlier ones, for those that have another name now."""
        old, new = self.old.channels, self.new.channels
        renamed = ((was, now.name) for now in new.values() for was in now.was if now.name not in old)
        return {was: now for was, now in renamed if was in old and was not in new}

    @cached_property
    def freed(self) -> tuple[str, ...]:
        """The present ids of the actions with effects that needed a yes, and need none now or only under a new rule."""
        found = []
        for was, now in self._present.items():
            before = self.old.nodes[was]
            if isinstance(before, Action) and isinstance(now, Action) and signature_of(self.new, now).effects:
                terms = [
                    each.confirm and (each.confirm.when and each.confirm.when.text, True) for each in (before, now)
                ]
                found += [now.id] if terms[0] and terms[0] != terms[1] else []
        return tuple(found)

    @cached_property
    def reads_more(self) -> frozenset[str]:
        """The earlier ids of the nodes whose edges depend on a name that they did not depend on before."""
        found = set()
        for was, now in self._present.items():
            before = self.unscoped(leaving_reads(self.old, self.old.nodes[was]))
            if not set(map(unscoped, leaving_reads(self.new, now))).issubset(before):
                found.add(was)
        return frozenset(found)

    @cached_property
    def same_ways(self) -> bool:
        """Whether the decisions of a way are the same in the present version, apart from where they lead."""
        kept = dependencies(self.old).retaken.keys() <= dependencies(self.new).retaken.keys()
        same_names = all(was == now for was, now in self._names.items())
        return kept and same_names and self.same_places and not self.reads_more

    @cached_property
    def checked_keys(self) -> frozenset[str]:
        """The keys of the questions in `checked`."""
        return frozenset(self.new.question(name).key for name in self.checked)

    def earlier_signature(self, action: str) -> ActionSignature:
        """What an action of the earlier version read and wrote."""
        return signature_of(self._with_earlier_code, self.old.action(action))

    @cached_property
    def _with_earlier_code(self) -> CompiledFlow:
        return replace(self.old, signatures={**self.old.signatures, **self.declared})

    def every_place(self, node: Node, active_path: str) -> list[Position]:
        """The places at which the present flow calls the graph of a node."""
        return _places(self.new, node, active_path)

    def free_places(self, node: Node, earlier: Position, active_path: str) -> list[Position]:
        """The places at which the present flow calls the graph of a node, without those that it had before.

        The place of an earlier call that is still there belongs to that call, and not to `earlier`.
        """
        was = [name for name in self.old.nodes if self.node(name) is node]
        old = (place for name in was for place in _places(self.old, self.old.nodes[name], active_path))
        others = (self.place(place) for place in old if _stack(place) != _stack(earlier))
        taken = {_stack(place) for place in others if place is not None}
        return [place for place in _places(self.new, node, active_path) if _stack(place) not in taken]

    def path(self, earlier: tuple[str, ...]) -> tuple[str, ...] | None:
        """Return the present path of the answer at an earlier path; None if no question asks for it."""
        return self.new_path(earlier)[0]

    def new_path(self, earlier: tuple[str, ...]) -> tuple[tuple[str, ...] | None, bool]:
        """Return the present path of the answer at an earlier path, and whether the same question asks for it.

        Otherwise another question with the same key asks for it. Returns None if there is no such question.
        """
        if self.steady:
            return earlier, True
        for question, scopes in find_questions(self.old, earlier):
            node = self.node(question.id)
            if isinstance(node, Question) and (path := self._path_at(node, scopes)) is not None:
                return path, True
        return (earlier if any(find_questions(self.new, earlier)) else None), False

    def _path_at(self, node: Question, scopes: tuple[Scope, ...]) -> tuple[str, ...] | None:
        if (path := self._same_path(node, scopes)) is not None:
            return path
        # The question is called elsewhere: at a place that no earlier call of it still has.
        paths = {each.path for each in every_candidate(self.new) if each.question is node} - self._kept_paths
        return paths.pop() if len(paths) == 1 else None

    def _same_path(self, node: Question, scopes: tuple[Scope, ...]) -> tuple[str, ...] | None:
        now = self.scopes(scopes)
        path = None if now is None else (*(scope.name for scope in now), node.key)
        return path if path is not None and any(each is node for each, _ in find_questions(self.new, path)) else None

    @cached_property
    def _kept_paths(self) -> frozenset[tuple[str, ...]]:
        """The present paths of the answers whose question and calls are still there."""
        nodes = ((self.node(each.question.id), each.scopes) for each in every_candidate(self.old))
        paths = (self._same_path(node, scopes) for node, scopes in nodes if isinstance(node, Question))
        return frozenset(path for path in paths if path is not None)

    def scopes(self, earlier: Iterable[Scope]) -> tuple[Scope, ...] | None:
        """The present answer scopes of earlier ones; a call without `as` opens none. None if a call is gone."""
        if self.same_places:
            return tuple(earlier)
        found: list[Scope] = []
        for scope in earlier:
            call = self._calls.get(scope)
            if call is None:
                return None
            graphs = self.new.callees(call)
            if call.scope:
                found.append(Scope(call.scope, scope.graph if scope.graph in graphs else graphs[0]))
        return tuple(found)

    @cached_property
    def _calls(self) -> Mapping[Scope, Call]:
        """The present calls by the answer scopes of the earlier ones."""
        found: dict[Scope, Call] = {}
        for was, now in self._present.items():
            call = self.old.nodes[was]
            if isinstance(call, Call) and isinstance(now, Call):
                for graph in self.old.callees(call):
                    found.setdefault(Scope(call.scope, graph), now)
        return found

    def _scopes(self, below: list[Frame], frame: Frame, node: Node) -> tuple[Scope, ...] | None:
        """The answer scopes of a frame over the frames below it, or None if the node cannot be entered from there."""
        if not below:
            return () if node.graph == ROOT else None
        call = self.new.nodes[below[-1].node]
        if frame.detour or not isinstance(call, Call):
            scopes = self.scopes(frame.scopes)
            return scopes if scopes is not None and (node.graph, scopes) in _called(self.new) else None
        if node.graph not in self.new.callees(call):
            return None
        scopes = below[-1].scopes
        return (*scopes, Scope(call.scope, node.graph)) if call.scope else scopes

    def effects_ahead(self, after: Position) -> frozenset[str]:
        """Return the actions with effects that the present flow may reach from a position."""
        return _effects_ahead(self.new, places(after))

    def replaced(self, performed: Iterable[str], after: Position) -> tuple[list[str], list[str]]:
        """Return the performed actions with effects that are gone, and the new ones with effects ahead of a position,
        which may do the same once more."""
        gone = [name for name in performed if self.node(name) is None and _had_effects(self.old, name)]
        return sorted(gone), sorted(self.effects_ahead(after) - set(self.nodes.values()))

    def reads_ahead(self, after: Position) -> frozenset[str]:
        """Return the answers and channels that the present flow may read from a position on."""
        return reads_ahead(self.new, places(after))

    def repeated(self, before: Position, after: Position) -> frozenset[str]:
        """Return the actions with effects that the present flow may reach from `after`, but the earlier flow could not
        reach from `before`: it would repeat those that were already performed."""
        return _repeated(self, places(before), places(after))

    def passed(self, after: Position) -> tuple[tuple[str, ...], Mapping[str, tuple[Action, ...]]]:
        """Return the questions and actions that were added to the part of the flow before the position `after`.

        Returns the dotted keys of the questions, and the actions by the channels that they write and later nodes read.
        """
        return _passed(self, places(after))


@lru_cache(maxsize=64)
def versions(old: CompiledFlow, new: CompiledFlow) -> FlowVersions:
    """Compare two versions of a flow; computed once."""
    # Fields that do not belong to the version, such as layout, must not count as a change.
    changes = compare(json.loads(old.canonical_text), json.loads(new.canonical_text))
    pairs = ((each.was, each.id) for each in changes.nodes if each.was and each.id)
    nodes = {was: id for was, id in pairs if old.nodes[was].kind is new.nodes[id].kind}
    nodes |= _same_effects(old, new, nodes)
    shared = any(part.name.startswith("predicates.") for part in changes.parts)
    fields = {each.id: set(each.fields) for each in changes.nodes if each.was and each.id}
    questions = [node for node in new.questions if node.id in nodes.values()]
    guarded = {node.id for node in questions if node.when is not None or node.validate is not None}
    other_defaults = {
        n for n, each in new.channels.items() if n in old.channels and each.default != old.channels[n].default
    }
    now = _keys(old, new, nodes)
    same = all(now.get(key) == path for key, path in _every_key(old))
    return FlowVersions(
        old,
        new,
        changes,
        nodes,
        frozenset(
            node.id
            for node in questions
            if fields[node.id] & {"schema", "validate", "when", "options", "key", "read"}
            or (shared and node.id in guarded)
            or not (same and other_defaults.isdisjoint(answer_reads(node)))
        ),
        frozenset(node.id for node in questions if node.read == "confirm" and _is_reworded(old, new, nodes, node)),
        same,
        {name: (each.schema, each.default) for name, each in old.channels.items()}
        == {name: (each.schema, each.default) for name, each in new.channels.items()},
        frozenset(_rerouted(new, changes, shared=shared)) & frozenset(nodes.values()),
    )


def _rerouted(new: CompiledFlow, changes: Changes, *, shared: bool) -> Iterator[str]:
    """The nodes whose edges changed, also in the predicates that their guards may read (`shared`)."""
    yield from (each.id for each in changes.nodes if not {"edges", "order"}.isdisjoint(each.kinds))
    for node in new.nodes.values() if shared else ():
        if any(edge.guard is not None for edge in node.edges):
            yield node.id


def _same_effects(old: CompiledFlow, new: CompiledFlow, nodes: Mapping[str, str]) -> Mapping[str, str]:
    """Pair removed and added actions that have the same effect, as if `was` named the earlier one.

    Otherwise a thread in which it was performed would perform it again.
    """
    gone = _effects(old, old.nodes.keys() - nodes.keys())
    added = _effects(new, new.nodes.keys() - set(nodes.values()))
    return {names[0]: added[what][0] for what, names in gone.items() if len(names) == 1 == len(added.get(what, ()))}


def _effects(flow: CompiledFlow, names: Iterable[str]) -> Mapping[str, list[str]]:
    """The actions with effects among nodes, by all that they run."""
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        node = flow.nodes[name]
        if isinstance(node, Action) and signature_of(flow, node).effects:
            given = node.parameters.to_json() if node.parameters is not None else None
            found.setdefault(repr((node.run, given, node.map)), []).append(name)
    return found


def _every_key(flow: CompiledFlow) -> Iterator[tuple[tuple[str, tuple[Scope, ...]], tuple[str, ...]]]:
    for each in every_candidate(flow):
        yield (each.question.id, each.scopes), each.path


def _keys(
    old: CompiledFlow, new: CompiledFlow, nodes: Mapping[str, str]
) -> Mapping[tuple[str, tuple[Scope, ...]], tuple[str, ...]]:
    """The present path of the answer to each earlier question, for those whose scopes have kept their names."""
    later = {(each.question.id, tuple(scope.name for scope in each.scopes)): each.path for each in every_candidate(new)}
    found = {}
    for (question, scopes), _ in _every_key(old):
        path = later.get((nodes.get(question, ""), tuple(scope.name for scope in scopes)))
        if path is not None:
            found[question, scopes] = path
    return found


def _is_reworded(old: CompiledFlow, new: CompiledFlow, nodes: Mapping[str, str], question: Question) -> bool:
    """Whether a confirmation shows or allows something other than in the earlier version."""
    before = next(old.question(was) for was, id in nodes.items() if id == question.id)
    return _shown(old, before, nodes) != _shown(new, question, {})


def _shown(flow: CompiledFlow, question: Question, nodes: Mapping[str, str]) -> tuple[object, ...]:
    actions = sorted(nodes.get(action.id, action.id) for action in flow.confirmed_by(question.id))
    return question.read, actions, confirmation_terms(flow, question)


def _places(flow: CompiledFlow, node: Node, active_path: str) -> list[Position]:
    """Every place at which a flow calls the graph of a node; recursion is not followed."""
    found: list[Position] = []
    todo: list[tuple[str, tuple[Scope, ...], tuple[Frame, ...]]] = [(ROOT, (), ())]
    for graph, scopes, calls in todo:
        if graph == node.graph:
            found.append(Position((*calls, Frame(graph, node.id, scopes))))
        for call in flow.graphs[graph].nodes.values() if len(todo) < _MOST_CALLS else ():
            if isinstance(call, Call) and all(frame.node != call.id for frame in calls):
                for ref in _callees(flow, call, active_path):
                    inner = (*scopes, Scope(call.scope, ref)) if call.scope else scopes
                    todo.append((ref, inner, (*calls, Frame(graph, call.id, scopes))))
    return found


def _stack(position: Position) -> tuple[tuple[str, tuple[Scope, ...]], ...]:
    """The nodes of a call stack with their answer scopes."""
    return tuple((frame.node, frame.scopes) for frame in position.frames)


def _callees(flow: CompiledFlow, call: Call, active_path: str) -> list[str]:
    if call.ref != CHOSEN_PATH:
        return [call.ref]
    return [flow.paths[active_path].ref] if active_path in flow.paths else []


@lru_cache(maxsize=64)
def _called(flow: CompiledFlow) -> frozenset[tuple[str, tuple[Scope, ...]]]:
    """The graphs of a flow with the answer scopes in which they are called; recursion is followed one level deep."""
    found: set[tuple[str, tuple[Scope, ...]]] = set()
    todo: list[tuple[str, tuple[Scope, ...]]] = [(ROOT, ())]
    while todo:
        graph, scopes = todo.pop()
        if (graph, scopes) in found:
            continue
        found.add((graph, scopes))
        for call in flow.graphs[graph].nodes.values():
            for ref in flow.callees(call) if isinstance(call, Call) else ():
                inner = (*scopes, Scope(call.scope, ref)) if isinstance(call, Call) and call.scope else scopes
                if sum(scope.graph == ref for scope in inner) <= 2:
                    todo.append((ref, inner))
    return frozenset(found)


def _place(flow: CompiledFlow, node: Node) -> tuple[object, ...]:
    """What decides at which places a conversation can be at a node."""
    return node.id, node.graph, *((node.scope, node.ref, flow.callees(node)) if isinstance(node, Call) else ())


@lru_cache(maxsize=4096)
def _frames(pair: FlowVersions, earlier: tuple[Frame, ...]) -> tuple[Frame, ...] | None:
    frames: list[Frame] = []
    for frame in earlier:
        node = pair.node(frame.node)
        scopes = None if node is None else pair._scopes(frames, frame, node)
        if node is None or scopes is None:
            return None
        frames.append(Frame(node.graph, node.id, scopes, frame.detour, frame.done))
    return tuple(frames)


Places = tuple[tuple[str, bool], ...]
"""The nodes of a call stack, and whether each is left, outermost first."""


def places(position: Position) -> Places:
    """The nodes from which a conversation at a position continues."""
    return (*((frame.node, frame.done) for frame in position.frames[:-1]), (position.node, position.done))


@lru_cache(maxsize=1024)
def reachable(flow: CompiledFlow, stack: Places) -> frozenset[str]:
    """Return the nodes that a conversation may reach from the nodes of its call stack, whatever its answers are."""
    found: set[str] = set()
    todo: list[str] = []
    for number, (name, left) in enumerate(stack, 1):
        if (node := flow.nodes.get(name)) is not None:
            # A call below the top is made already, and left when it returns.
            returns = number < len(stack) and isinstance(node, Call)
            todo += _following(node) if left or returns else [name]
    todo += [name for name in (flow.on_stuck, flow.on_escalate, flow.on_abandon) if name]
    while todo:
        name = todo.pop()
        if name in found or name == EXIT:
            continue
        found.add(name)
        node = flow.nodes[name]
        todo += _following(node)
        if isinstance(node, Call):
            todo += [flow.graphs[ref].entry for ref in flow.callees(node)]
    return frozenset(found)


@lru_cache(maxsize=1024)
def _effects_ahead(flow: CompiledFlow, stack: Places) -> frozenset[str]:
    return frozenset(node for node in reachable(flow, stack) if _has_effects(flow, node))


_MOST_VISITS = 20_000

Visit = tuple[tuple[str, ...], str]
"""A node, and the calls that lead to it, outermost first."""


@lru_cache(maxsize=1024)
def _visits(flow: CompiledFlow, stack: Places) -> frozenset[Visit] | None:
    """As `reachable`, with the calls of each node: two calls of a subgraph are two visits. None if there are too many.

    Recursion is not followed.
    """
    found: set[Visit] = set()
    todo: list[Visit] = [((), name) for name in (flow.on_stuck, flow.on_escalate, flow.on_abandon) if name]
    for number, (name, left) in enumerate(stack):
        if (node := flow.nodes.get(name)) is not None:
            calls = tuple(below for below, _ in stack[:number])
            returns = number + 1 < len(stack) and isinstance(node, Call)
            todo += [(calls, each) for each in (_following(node) if left or returns else [name])]
    while todo and len(found) < _MOST_VISITS:
        calls, name = todo.pop()
        if (calls, name) in found or name == EXIT:
            continue
        found.add((calls, name))
        node = flow.nodes[name]
        todo += [(calls, each) for each in _following(node)]
        if isinstance(node, Call) and name not in calls:
            todo += [((*calls, name), flow.graphs[ref].entry) for ref in flow.callees(node)]
    return None if todo else frozenset(found)


@lru_cache(maxsize=1024)
def _repeated(pair: FlowVersions, before: Places, after: Places) -> frozenset[str]:
    here = _effects_ahead(pair.new, after)
    if not here:
        return here
    kept = frozenset(pair.nodes.values())
    old, new = _visits(pair.old, before), _visits(pair.new, after)
    if old is None or new is None:
        return here & kept
    known = {(tuple(pair.nodes.get(name, "") for name in calls), pair.nodes.get(name)) for calls, name in old}
    return frozenset(name for calls, name in new if name in here and (calls, name) not in known) & kept


def _following(node: Node) -> list[str]:
    found = [edge.target for edge in node.all_edges]
    found += [target for name in ("on_invalid", "on_error") if (target := getattr(node, name, ""))]
    return [*found, node.confirm.by] if isinstance(node, Action) and node.confirm is not None else found


def _had_effects(flow: CompiledFlow, name: str) -> bool:
    """As `_has_effects`; an action of a version before that of `flow` counts as one."""
    return name not in flow.nodes or _has_effects(flow, name)


def _has_effects(flow: CompiledFlow, name: str) -> bool:
    node = flow.nodes[name]
    return isinstance(node, Action) and signature_of(flow, node).effects


@lru_cache(maxsize=1024)
def _passed(pair: FlowVersions, stack: Places) -> tuple[tuple[str, ...], Mapping[str, tuple[Action, ...]]]:
    flow, kept = pair.new, set(pair.nodes.values())
    added = [node for node in flow.nodes.values() if node.id not in kept]
    if not any(isinstance(node, Question | Action) for node in added):
        return (), {}
    ahead = reachable(flow, stack)
    behind = {node.id for node in added if node.id not in ahead}
    keys = tuple(
        each.key for each in every_candidate(flow) if each.question.id in behind and not each.question.ask_always
    )
    return keys, _writers(flow, [node for node in added if node.id in behind], reads_ahead(flow, stack))


def _writers(flow: CompiledFlow, nodes: Iterable[Node], reads: frozenset[str]) -> Mapping[str, tuple[Action, ...]]:
    """The actions among nodes that write what is read, directly or by another of them, by their channels."""
    actions = [node for node in nodes if isinstance(node, Action)]
    found: dict[str, tuple[Action, ...]] = {}
    todo = sorted(reads)
    for name in todo:
        writing = tuple(each for each in actions if name in signature_of(flow, each).writes)
        if writing and name not in found:
            found[name] = writing
            todo += (read for each in writing for read in signature_of(flow, each).reads)
    return found


@lru_cache(maxsize=1024)
def reads_ahead(flow: CompiledFlow, stack: Places) -> frozenset[str]:
    """The answers and channels that a conversation may read from the nodes of its call stack on."""
    return frozenset().union(*(node_reads(flow, flow.nodes[name]) for name in reachable(flow, stack)))


def lacking(pair: FlowVersions, flow: CompiledFlow, position: Position) -> list[str]:
    """Return the reasons why the present code cannot perform actions that a conversation in a stored version may reach.

    `flow` is that version. The result is empty if the code can perform all of them.
    """
    found: dict[str, None] = {}
    for name in sorted(reachable(flow, places(position)) | {position.node}):
        node = flow.nodes.get(name)
        if isinstance(node, Action) and (why := _incompatible(pair, flow, node)):
            found[f"action {node.run!r} of node {node.id!r} {why}"] = None
    return [*found]


def _incompatible(pair: FlowVersions, flow: CompiledFlow, node: Action, graph: str = "") -> str:
    """`graph` is the graph that maps over that of the node, if one does: the action reads its answers."""
    graph = graph or node.graph
    if node.map is not None and node.map.graph:
        inside = (each for each in mapped_nodes(flow, node.map.graph) if isinstance(each, Action))
        return next(filter(None, (_incompatible(pair, flow, each, graph) for each in inside)), "")
    if node.parameters is not None:
        return ""
    signature = pair.new.signatures.get(node.run)
    if signature is None:
        return "is gone"
    unknown = [name for name in signature.reads if not _has(flow, name, graph)]
    if unknown:
        return f"reads {', '.join(unknown)}, which that version does not have"
    foreign = [name for name in signature.writes if name not in flow.channels]
    if foreign:
        return f"writes {', '.join(foreign)}, which that version does not have"
    present = pair.new.channels
    other = [name for name in signature.writes if name in present and _are_apart(flow.channels[name], present[name])]
    if other:
        return f"writes {', '.join(other)}, which has another type in that version"
    before = pair.declared.get(node.run)
    lost = [name for name in before.writes if name not in signature.writes] if before is not None else []
    return f"no longer writes {', '.join(lost)}" if lost else ""


def _are_apart(before: Channel, now: Channel) -> bool:
    """Whether no value fits the types of both channels, apart from null."""
    given = [_types(each.schema.get("type")) for each in (before, now)]
    return all(given) and given[0].isdisjoint(given[1])


def _types(given: Any) -> set[str]:
    """The JSON types of a schema without null; empty if it does not name them."""
    names = {given} if isinstance(given, str) else set(given or ())
    return (names | ({"integer"} if "number" in names else set())) - {"null"}


def _has(flow: CompiledFlow, name: str, graph: str) -> bool:
    """Whether a flow has the channel, the answer or the scope of answers that an action of a graph reads by a name."""
    first, _, answer = name.partition(".")
    if first != ANSWERS:
        return name in flow.channels or name in RESERVED_CHANNELS
    parts = tuple(answer.split(".")) if answer else ()
    calls = (tuple(scope.name for scope in scopes) for called, scopes in _called(flow) if called == graph)
    return not parts or any((*outer[:depth], *parts) in _answers(flow) for outer in calls for depth in _depths(outer))


def _depths(scopes: tuple[str, ...]) -> range:
    return range(len(scopes) + 1)


@lru_cache(maxsize=64)
def _answers(flow: CompiledFlow) -> frozenset[tuple[str, ...]]:
    """The paths of all answers and of their scopes."""
    paths = [each.path for each in every_candidate(flow)]
    return frozenset(path[:length] for path in paths for length in _depths(path))
