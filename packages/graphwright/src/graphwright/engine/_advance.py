"""The walk: from a position to the next question, action or end, with the events of the way."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from graphwright.engine._constraints import first_unmet
from graphwright.engine._dependent_answers import (
    SOURCES,
    Redo,
    as_before,
    first_recheck,
    first_redo,
    is_pending,
)
from graphwright.engine._position import DECLINED, Frame, Position, Scope, Taken, escape, lookup, view, with_answer
from graphwright.engine.events import (
    PRIVATE,
    AnswerDropped,
    ConstraintUnmet,
    EdgeTaken,
    GuardChecked,
    Jumped,
    NodeEntered,
    QuestionPassed,
    SubgraphEntered,
    SubgraphLeft,
    TraceEvent,
    WalkEvent,
)
from graphwright.flow._dependencies import (
    action_reads,
    asking_reads,
    dependencies,
    is_read,
    leaving_reads,
    node_reads,
    reached,
    terminal_reads,
)
from graphwright.flow.compiled import (
    CHOSEN_PATH,
    EXIT,
    ROOT,
    Action,
    Call,
    Channel,
    CompiledFlow,
    Decision,
    Edge,
    Node,
    Question,
)
from graphwright.flow.guards import Guard, Verdict
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS


class StuckReason(StrEnum):
    """The reason why a walk cannot continue."""

    NO_OPEN_EDGE = "no_open_edge"
    AMBIGUOUS = "ambiguous"
    CYCLE = "cycle"
    TOO_DEEP = "too_deep"
    TOO_LONG = "too_long"
    CONSTRAINT = "constraint"
    NO_PATH_CHOSEN = "no_path_chosen"


@dataclass(slots=True)
class Ask:
    """Wait for the answer to `node`. `message` is what an unmet constraint has to say before the prompt."""

    node: Question
    position: Position
    message: str = ""


@dataclass(slots=True)
class Perform:
    """Perform `node`, then advance from `position.completed()`."""

    node: Action
    position: Position


@dataclass(slots=True)
class End:
    """The conversation has ended at `node`."""

    node: Node
    position: Position


@dataclass(slots=True)
class Stuck:
    """No way on from `node`. `guards` are the guards that were tried there, with what they saw."""

    node: Node
    reason: StuckReason
    message: str
    position: Position
    guards: tuple[GuardChecked, ...] = ()


Outcome = Ask | Perform | End | Stuck


@dataclass(slots=True)
class Step:
    """The outcome of a walk, the events of the way in order, and the decisions on it that a correction may change."""

    outcome: Outcome
    events: tuple[TraceEvent, ...]
    taken: tuple[Taken, ...] = ()


MAX_DEPTH = 64
"""The maximum depth of subgraph calls."""

MAX_STEPS = 100_000
"""The maximum number of nodes that one walk enters. Nested calls can have exponentially many positions."""


def advance(flow: CompiledFlow, position: Position, values: Mapping[str, Any]) -> Step:
    """Walk from `position` to the next question to ask, action to perform, or end.

    `values` are `{"answers": {...}, CHANNEL: value, ...}` and are not changed. Equal arguments give equal steps. The
    walk always ends, and no value makes it raise.
    """
    return _Walk(flow, values, escaped=position.escaped, pending=is_pending(values)).run(position)


def choice(flow: CompiledFlow, taken: Taken, values: Mapping[str, Any]) -> str:
    """The node to which a decision that was taken leads with the present values; empty if it leads nowhere."""
    return _Walk(flow, values, escaped=False).choice(taken)


def takes_text(flow: CompiledFlow, frames: tuple[Frame, ...], path: tuple[str, ...], values: Mapping[str, Any]) -> bool:
    """Whether a reply that is neither yes nor no may be the answer of a confirmation.

    It may not if the conversation would then only end as it does after a no, which the user did not say. `frames` is
    the place of the question, `path` that of its answer.
    """
    answers = values.get(ANSWERS) or {}
    taken = Taken(frames, "", ())
    no, text = (choice(flow, taken, {**values, ANSWERS: with_answer(answers, path, v)}) for v in (False, "a text"))
    if no != text or text not in flow.nodes:
        return True
    name = f"{ANSWERS}.{path[-1]}"
    return any(_goes_on(node) or is_read(name, node_reads(flow, node)) for node in reached(flow, flow.nodes[text]))


def _goes_on(node: Node) -> bool:
    """Whether a node is more than a step on the way to an end: it asks, calls a graph, or leaves its own."""
    return isinstance(node, Question | Call) or any(edge.target == EXIT for edge in node.all_edges)


def decided_by(flow: CompiledFlow, frames: tuple[Frame, ...], values: Mapping[str, Any]) -> tuple[str, ...]:
    """The names with a value, without scopes, that decide the edge of a node and that a correction may change.

    An answer that was declined has the value of none.
    """
    top = frames[-1]
    sources, declined = values.get(SOURCES) or (), values.get(DECLINED, ())
    answers = (view(flow, values, top.scopes) if top.scopes else values).get(ANSWERS) or {}
    found: list[str] = []
    for name, path, plain in dependencies(flow).deciding[top.node]:
        if path:
            known = path[0] in answers if len(path) == 1 else lookup(answers, path)[0]
            if declined and not known:
                known = ".".join(flow.resolve(top.scopes, ".".join(path))) in declined
        else:
            known = name in sources or (name == ACTIVE_PATH and bool(values.get(ACTIVE_PATH)))
        # Sorted: names that differ in their scopes follow each other.
        if known and found[-1:] != [plain]:
            found.append(plain)
    return tuple(found)


@dataclass(slots=True)
class _Walk:
    """One walk: its events, the places it has seen, and whether it has already left its normal way.

    `pending` says that some answer has to be asked again, or some channel computed again.
    """

    flow: CompiledFlow
    values: Mapping[str, Any]
    escaped: bool
    pending: bool = False
    events: list[WalkEvent] = field(default_factory=list)
    seen: set[tuple[Frame, ...]] = field(default_factory=set)
    jumped: bool = False
    taken: list[Taken] = field(default_factory=list)

    def run(self, position: Position) -> Step:
        frames: tuple[Frame, ...] = position.frames
        done = position.done
        for _ in range(MAX_STEPS):
            came, done = self._leave(frames) if done else self._enter(frames)
            if isinstance(came, tuple):
                frames = came
                continue
            if not (isinstance(came, Stuck) and self.flow.on_stuck and not self.jumped):
                return Step(came, tuple(self.events), tuple(self.taken))
            self.jumped = self.escaped = True
            self.seen.clear()  # entering `on_stuck` is a new walk: it may lead to a node that was entered before
            self.events.append(Jumped(came.node.id, self.flow.on_stuck, came.reason.value))
            frames, done = escape(self.flow.on_stuck).frames, False
        stuck = self._stuck(frames, StuckReason.TOO_LONG, f"the walk entered {MAX_STEPS:,} nodes without an end")
        return Step(stuck, tuple(self.events))

    # A step gives the new frames and whether their top is done, or the outcome.

    def _enter(self, frames: tuple[Frame, ...]) -> tuple[tuple[Frame, ...] | Outcome, bool]:
        top = frames[-1]
        node = self.flow.nodes[top.node]
        if frames in self.seen:
            text = f"the walk came back to {node.id!r} without having asked or performed anything"
            return self._stuck(frames, StuckReason.CYCLE, text), False
        self.seen.add(frames)
        self.events.append(NodeEntered(node.id, node.kind.value, node.graph, len(frames) - 1))
        # Not `match`, which asks one class after the other and looks each of them up: this runs at every node.
        kind = type(node)
        if kind is Decision:
            return frames, True
        if isinstance(node, Question):
            return self._enter_question(node, frames)
        if isinstance(node, Action):
            again = self._redo(action_reads(self.flow, node), frames) if self.pending else None
            return (again or Perform(node, self._at(frames))), False
        return self._call(node, frames) if isinstance(node, Call) else self._end(node, frames)

    def _enter_question(self, node: Question, frames: tuple[Frame, ...]) -> tuple[tuple[Frame, ...] | Outcome, bool]:
        if self.pending and node.when is not None and (again := self._redo(node.when.reads, frames)):
            return again, False
        reason = self._passed_over(node, frames[-1])
        if reason:
            key = ".".join((*(scope.name for scope in frames[-1].scopes), node.key))
            self.events.append(QuestionPassed(node.id, key, reason))
            return frames, True
        if self.pending and (again := self._redo(asking_reads(self.flow, node), frames) or self._recheck(frames)):
            return again, False
        position = self._at(frames)
        path = position.answer_path(node.key)
        if node.ask_always and lookup(self.values.get("answers") or {}, path)[0]:
            self.events.append(AnswerDropped(node.id, path))
        return Ask(node, position), False

    def _passed_over(self, node: Question, frame: Frame) -> str:
        """Why a question is not asked here: `not_applicable`, `answered`, `declined`, or nothing: it is asked."""
        if not self._applies(node, frame):
            return "not_applicable"
        return "" if node.ask_always else self._settled(node, frame)

    def _applies(self, node: Question, frame: Frame) -> bool:
        if node.when is None:
            return True
        path = (*(scope.name for scope in frame.scopes), node.key)
        values = as_before(self.values, path) if self.pending else self.values
        return self._opens(node.when, f"{node.id}.when", frame, values)

    def _settled(self, node: Question, frame: Frame) -> str:
        path = (*(scope.name for scope in frame.scopes), node.key)
        if lookup(self.values.get("answers") or {}, path)[0]:
            return "answered"
        return "declined" if ".".join(path) in self.values.get(DECLINED, ()) else ""

    def _call(self, node: Call, frames: tuple[Frame, ...]) -> tuple[tuple[Frame, ...] | Outcome, bool]:
        ref = node.ref
        if ref == CHOSEN_PATH:
            path = self.flow.paths.get(str(self.values.get("active_path") or ""))
            if path is None:
                text = f"{node.id!r} enters the chosen path, but no path has been chosen yet"
                return self._stuck(frames, StuckReason.NO_PATH_CHOSEN, text), False
            ref = path.ref
        if len(frames) > MAX_DEPTH:
            text = f"{node.id!r} calls {ref!r} at depth {MAX_DEPTH}: the calls go round without returning"
            return self._stuck(frames, StuckReason.TOO_DEEP, text), False
        self.events.append(SubgraphEntered(node.id, ref, node.scope))
        scopes = frames[-1].scopes
        if node.scope:
            scopes = (*scopes, Scope(node.scope, ref))
        return (*frames, Frame(ref, self.flow.graphs[ref].entry, scopes)), False

    def _end(self, node: Node, frames: tuple[Frame, ...]) -> tuple[tuple[Frame, ...] | Outcome, bool]:
        if self.pending and (again := self._redo(terminal_reads(self.flow, node), frames)):
            return again, False
        unmet = None
        if node.graph == ROOT and not self.escaped:
            unmet = first_unmet(self.flow, self.values, self._opens)
        if unmet is None:
            return End(node, self._at(frames)), False
        asks = ".".join((*(s.name for s in unmet.scopes), unmet.question.key)) if unmet.question else ""
        constraint = unmet.constraint
        self.events.append(ConstraintUnmet(node.id, constraint.keys, asks, constraint.message))
        if unmet.question is None:
            text = f"{node.id!r} cannot end the conversation: {unmet.text}, and there is nothing left to ask"
            return self._stuck(frames, StuckReason.CONSTRAINT, text), False
        question = unmet.question
        frame = Frame(question.graph, question.id, unmet.scopes, detour=True)
        self.events.append(NodeEntered(question.id, question.kind.value, question.graph, len(frames)))
        return Ask(question, self._at((*frames, frame)), constraint.message), False

    def _leave(self, frames: tuple[Frame, ...]) -> tuple[tuple[Frame, ...] | Outcome, bool]:
        top = frames[-1]
        node = self.flow.nodes[top.node]
        if top.detour:
            return self._back(frames)
        if isinstance(node, Call) and node.graph == ROOT and not node.all_edges:
            return self._end(node, frames)
        if self.pending and (again := self._redo(leaving_reads(self.flow, node), frames, leaving=True)):
            return again, False
        chosen = self._pick_question(node, frames) if _picks(node) else self._choose(node, frames)
        if not isinstance(chosen, Edge):
            return chosen, False
        if node.id in dependencies(self.flow).retaken and not self.escaped:
            self.taken.append(Taken(frames, chosen.target, decided_by(self.flow, frames, self.values)))
        if chosen.target != EXIT:
            return (*frames[:-1], Frame(top.graph, chosen.target, top.scopes)), False
        below = frames[-2].node
        if isinstance(self.flow.nodes[below], Call):
            self.events.append(SubgraphLeft(below, top.graph))
        return self._back(frames)

    def _back(self, frames: tuple[Frame, ...]) -> tuple[tuple[Frame, ...], bool]:
        """The frame below: a call there has been made and is left, as is what was done before a detour.

        Any other node that a detour left is entered again.
        """
        below = frames[-2]
        return (*frames[:-2], below._replace(done=False)), below.done or isinstance(self.flow.nodes[below.node], Call)

    def _redo(
        self, reads: Collection[str], frames: tuple[Frame, ...], *, leaving: bool = False
    ) -> tuple[Frame, ...] | None:
        """The frames of a detour to what must be asked or computed again before `reads` may be read, or None."""
        busy, scopes = busy_places(frames), frames[-1].scopes
        found = first_redo(self.flow, self.values, reads, scopes, busy=busy, escaped=self.escaped)
        return self._detour(found, frames, leaving=leaving)

    def _recheck(self, frames: tuple[Frame, ...]) -> tuple[Frame, ...] | None:
        """The frames of a detour to an action whose result decides whether a given answer is still valid, or None.

        Without it the user would hear of an invalid answer only turns later, when something reads it.
        """
        found = None if self.escaped else first_recheck(self.flow, self.values, busy_places(frames))
        return self._detour(found, frames)

    def _detour(
        self, found: Redo | None, frames: tuple[Frame, ...], *, leaving: bool = False
    ) -> tuple[Frame, ...] | None:
        if found is None:
            return None
        top = frames[-1]
        reason = "asked_again" if isinstance(found.node, Question) else "computed_again"
        self.events.append(Jumped(top.node, found.node.id, reason))
        frame = Frame(found.node.graph, found.node.id, found.scopes, detour=True)
        return (*frames[:-1], top._replace(done=leaving), frame)

    def _choose(self, node: Node, frames: tuple[Frame, ...]) -> Edge | Stuck:
        """The open edge with the highest priority, then the first in the document; `else` when none is open."""
        first, top = len(self.events), frames[-1]
        edges = [e for e in node.edges if e.guard is None or self._opens(e.guard, e.id, top)]
        if not edges and node.otherwise is None:
            text = f"no edge of {node.id!r} is open"
            return self._stuck(frames, StuckReason.NO_OPEN_EDGE, text, first)
        edge = edges[0] if edges else node.otherwise
        assert edge is not None
        also = tuple(e.id for e in edges[1:]) if len(edges) > 1 else ()
        if also and self.flow.deterministic:
            text = f"{node.id!r} has {len(edges)} open edges where the flow demands one: {edge.id}, {', '.join(also)}"
            return self._stuck(frames, StuckReason.AMBIGUOUS, text, first)
        self.events.append(EdgeTaken(edge.id, node.id, edge.target, edge.is_else, also))
        return edge

    def choice(self, taken: Taken) -> str:
        """The target of the edge that is open with these values where a decision was taken; empty without one."""
        node = self.flow.nodes[taken.frames[-1].node]
        chosen = (
            self._pick_question(node, taken.frames, taken.target) if _picks(node) else self._choose(node, taken.frames)
        )
        return chosen.target if isinstance(chosen, Edge) else ""

    def _pick_question(self, node: Node, frames: tuple[Frame, ...], picked: str = "") -> Edge | Stuck:
        """The edge to the applicable, unanswered question that comes first; `else` when none is left.

        One that was `picked` before counts as unanswered.
        """
        first, top = len(self.events), frames[-1]
        open_edges: list[tuple[int, str, Edge]] = []
        for edge in node.edges:
            target = self.flow.nodes.get(edge.target)
            if not isinstance(target, Question) or (target.id != picked and self._settled(target, top)):
                continue
            if edge.guard is not None and not self._opens(edge.guard, edge.id, top):
                continue
            if not self._applies(target, top):
                continue
            open_edges.append((target.priority, target.id, edge))
        chosen = min(open_edges, key=lambda item: item[:2])[2] if open_edges else node.otherwise
        if chosen is None:
            text = f"no question is left for {node.id!r} to pick, and it has no else edge"
            return self._stuck(frames, StuckReason.NO_OPEN_EDGE, text, first)
        self.events.append(EdgeTaken(chosen.id, node.id, chosen.target, chosen.is_else))
        return chosen

    def _opens(self, guard: Any, of: str, frame: Frame, values: Mapping[str, Any] | None = None) -> bool:
        seen = self.values if values is None else values
        if frame.scopes:
            seen = view(self.flow, seen, frame.scopes)
        verdict, event = evaluated(of, guard, seen, self.flow.channels)
        self.events.append(event)
        return verdict.opens

    def _at(self, frames: tuple[Frame, ...]) -> Position:
        return Position(frames, False, self.escaped)

    def _stuck(
        self,
        frames: tuple[Frame, ...],
        reason: StuckReason,
        text: str,
        first: int | None = None,
    ) -> Stuck:
        """`first` is the number of the first event of the guards that were tried here."""
        tried = () if first is None else (e for e in self.events[first:] if isinstance(e, GuardChecked))
        return Stuck(self.flow.nodes[frames[-1].node], reason, text, self._at(frames), tuple(tried))


def busy_places(frames: tuple[Frame, ...]) -> set[tuple[str, tuple[Scope, ...]]]:
    """Return the places that are being asked or computed."""
    return {(frame.node, frame.scopes) for frame in frames if frame.detour or frame is frames[-1]}


def _picks(node: Node) -> bool:
    return isinstance(node, Decision) and node.pick_question


def _trace_value(value: Any, channel: Channel | None) -> Any:
    if channel is None:
        return value
    if channel.private:
        return PRIVATE
    return _size(value) if channel.large else value


def _size(value: Any) -> Any:
    match value:
        case str():
            return f"<{len(value):,} characters>"
        case Mapping() | list() | tuple():
            return f"<{len(value):,} entries>"
    return value


def evaluated(
    of: str, guard: Guard, values: Mapping[str, Any], channels: Mapping[str, Channel]
) -> tuple[Verdict, GuardChecked]:
    """Evaluate a guard. An error message that may quote a private value is replaced."""
    verdict = guard.evaluate(values)
    if verdict.error and not verdict.missing:
        heads = (name.partition(".")[0] for name in guard.reads)
        private = sorted({h for h in heads if (channel := channels.get(h)) is not None and channel.private})
        if private:
            verdict = Verdict(None, f"cannot be evaluated (it reads the private {' and '.join(private)})")
    saw = _read_values(guard, values, channels)
    return verdict, GuardChecked(of, guard.text, verdict.opens, saw, verdict.missing, verdict.error)


def _read_values(guard: Guard, values: Mapping[str, Any], channels: Mapping[str, Channel]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, head, rest in guard.read_paths:
        if head not in values:
            continue
        level: Any = values[head]
        for part in rest:
            if not isinstance(level, Mapping) or part not in level:
                break
            level = level[part]
        else:
            found[name] = _trace_value(level, channels.get(head))
    return found
