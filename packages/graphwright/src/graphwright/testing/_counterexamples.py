"""Counterexamples of assurances: shortest conversations that violate them, found by running the engine."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import product
from typing import Any

from graphwright.engine._paths import Selection
from graphwright.engine._position import lookup, view
from graphwright.engine.events import (
    ActionFailed,
    ActionFinished,
    ActionStarted,
    AnswerCommitted,
    EdgeTaken,
    NodeEntered,
    Prompted,
    SubgraphLeft,
    TraceEvent,
)
from graphwright.engine.host_interface import (
    ActionError,
    Continue,
    End,
    Extract,
    Facts,
    Fail,
    Inbox,
    Perform,
    Performed,
    Proposal,
    Proposals,
    Result,
    TurnMemory,
    Wait,
)
from graphwright.engine.state import ThreadState
from graphwright.engine.step import StepResult, step
from graphwright.flow._dependencies import mapped_nodes, own_signature
from graphwright.flow._graph_algorithms import reachable
from graphwright.flow._schema_validation import first_violation
from graphwright.flow.compiled import EXIT, ROOT, Action, Assurance, Call, Channel, CompiledFlow, Question
from graphwright.flow.guards import Guard
from graphwright.flow.guards._syntax_tree import Expr
from graphwright.flow.guards._value_partitions import literals_in, partition
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS, NOW, VALUE
from graphwright.testing._item_runs import items_runs

SECONDS = 1.5
"""The time after which the search for a counterexample of one assurance stops."""

_MOST_STATES = 5_000
_MOST_ACTIONS = 40
"""The maximum number of actions in one turn that are followed."""

_MOST_VALUES = 8
"""The maximum number of values that are tried for one answer or one channel."""

_MOST_RESULTS = 24
"""The maximum number of results that are tried for one action."""

_NOW = datetime(2026, 1, 31, 9, 0, tzinfo=UTC)
_DAYS = (0, 1, 7, 30, 365, -1, -30, -7_300)
"""Days from now to the dates that are tried where a condition compares a date with the present time."""
_ELSE = "Something else."
"""A reply to a confirmation that is neither yes nor no."""


@dataclass(frozen=True, slots=True)
class Move:
    """The beginning of a turn: nothing, a text, or a value for the waiting question; and how a model reads the text."""

    kind: str
    value: Any = None
    model: Mapping[str, Any] | None = None
    proposals: Proposals = field(default_factory=Proposals)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a counterexample: the move, the results of its actions by name, and the state after it."""

    node: str
    move: Move
    results: tuple[tuple[str, Mapping[str, Any] | None], ...]
    state: ThreadState
    ended: bool
    error: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A conversation that violates an assurance."""

    assurance: Assurance
    turns: tuple[Turn, ...]
    reached: frozenset[str]
    """The nodes that the assurance is about."""
    now: str = ""
    """The time at which it was found, if the flow reads the time."""

    @property
    def text(self) -> str:
        """The way in one line: the answers, the results of actions, and the node that it reaches."""
        parts: list[str] = []
        for turn in self.turns:
            if turn.move.kind == "value":
                parts.append(f"{turn.node} = {_json(turn.move.value)}")
            elif turn.move.model is not None:
                parts.append(f"{turn.node}: {turn.move.value}")
            for run, writes in turn.results:
                said = "fails" if writes is None else ", ".join(f"{n} = {_json(v)}" for n, v in writes.items())
                parts.append(f"{run}: {said}" if said else run)
        last = self.turns[-1]
        reached = [name for name in last.path if name in self.reached] or last.path[-1:] or (last.node,)
        return " -> ".join(parts if parts and parts[-1].partition(":")[0] == reached[0] else [*parts, reached[0]])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _Node:
    """A state of the search; `steps` counts the actions performed in the turn so far."""

    state: ThreadState
    seen: bool
    turns: tuple[Turn, ...]
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class _Run:
    """A turn that is being run."""

    state: ThreadState
    seen: bool
    memory: TurnMemory
    events: tuple[TraceEvent, ...] = ()
    results: tuple[tuple[str, Mapping[str, Any] | None], ...] = ()
    path: tuple[str, ...] = ()
    violated: bool = False
    command: Any = None


_Results = tuple[tuple[str, Mapping[str, Any] | None], ...]
_Events = tuple[TraceEvent, ...]
_Choice = tuple[StepResult, _Results, _Events]
"""A step with chosen results, these results by the names of actions, and the events of the items of an action."""


def find_counterexample(flow: CompiledFlow, assurance: Assurance, *, seconds: float = SECONDS) -> Counterexample | None:
    """A shortest conversation with representative values that violates an assurance, or None if none is found."""
    return _Search(flow, assurance, time.monotonic() + seconds).run()


class _Search:
    def __init__(self, flow: CompiledFlow, assurance: Assurance, until: float) -> None:
        self.flow = flow
        self.assurance = assurance
        self.until = until
        self.targets = self._nodes_named(assurance.of)
        self.answer = assurance.of.removeprefix(f"{ANSWERS}.") if assurance.of.startswith(f"{ANSWERS}.") else ""
        marks = {name for other in assurance.before for name in self._nodes_named(other)}
        never = assurance.claim == "never"
        self.questions = [flow.question(n) for n in sorted(marks) if never and isinstance(flow.nodes[n], Question)]
        self.marks = marks - {question.id for question in self.questions}

    def _nodes_named(self, name: str) -> set[str]:
        if name in self.flow.nodes:
            return {name}
        return {node.id for node in self.flow.nodes.values() if isinstance(node, Action) and node.run == name}

    def run(self) -> Counterexample | None:
        """Search breadth first over turns: first with plain answers alone, then with one correction."""
        for corrections in (False, True):
            todo = deque([_Node(ThreadState(), False, ())])
            known: set[str] = set()
            while todo and len(known) < _MOST_STATES and time.monotonic() < self.until:
                node = todo.popleft()
                for move in self._moves(node, corrections):
                    for ran in self._turn(node, move):
                        turn = self._ended(node, move, ran)
                        turns = (*node.turns, turn)
                        if ran.violated:
                            return Counterexample(self.assurance, turns, frozenset(self.targets), self._now)
                        key = self._key(ran.state, ran.seen)
                        if isinstance(ran.command, Wait) and key not in known:
                            known.add(key)
                            todo.append(_Node(ran.state, ran.seen, turns, node.corrected or move.model is not None))
        return None

    def _ended(self, node: _Node, move: Move, ran: _Run) -> Turn:
        asked = node.state.waiting.node if node.state.waiting else ""
        error = ran.command.error.code if isinstance(ran.command, Fail) else ""
        return Turn(asked, move, ran.results, ran.state, isinstance(ran.command, End), error, ran.path)

    def _key(self, state: ThreadState, seen: bool) -> str:
        content = state.to_json()
        for name in ("born", "visit", "turn", "seq", "messages", "turn_seq", "message", "now", "failed"):
            content.pop(name, None)
        return json.dumps([content, seen], sort_keys=True, default=str)

    # moves of the user

    def _moves(self, node: _Node, corrections: bool) -> Iterator[Move]:
        state = node.state
        if state.mode == "new":
            yield Move("start")
            return
        if state.waiting is None or state.mode == "performing":
            return
        if state.waits_for("message"):
            yield Move("text", "Go on.")
            return
        question = self.flow.question(state.at.node)
        yield from (Move("value", value) for value in self._values(question, state))
        if question.read in ("extract", "choice") and not question.required:
            words = "I do not know."
            unknown = {"UnknownAnswer": {"key": state.waiting.key, "reason": words, "correction": False}}
            dotted = ".".join(state.at.answer_path(question.key))
            unknown["UnknownAnswer"]["key"] = dotted
            yield Move("text", words, unknown, Proposals(unknown={dotted: words}))
        if question.on_invalid and (wrong := self._invalid(question)) is not None:
            yield Move("value", wrong)
        if question.read != "verbatim":
            yield from self._wishes(state)
        if corrections and not node.corrected and question.read in ("extract", "confirm"):
            yield from self._corrections(node)

    def _wishes(self, state: ThreadState) -> Iterator[Move]:
        """Texts that ask for a person, give the request up or choose a path, where this may lead to a violation."""
        if self._escapes_matter(self.flow.on_escalate):
            words = "I want to talk to a person."
            yield Move("text", words, {"EscalateToHuman": {"reason": words}}, Proposals(escalate=words))
        if self._escapes_matter(self.flow.on_abandon):
            words = "I do not need it any more."
            yield Move("text", words, {"AbandonRequest": {"reason": words}}, Proposals(abandon=words))
        for path in self.flow.paths if not state.values().get(ACTIVE_PATH) else ():
            words = f"I mean {path}."
            chosen = Selection(path, rationale=words)
            yield Move("text", words, {"SelectPath": {"path": path, "rationale": words}}, Proposals(selected=(chosen,)))

    def _escapes_matter(self, start: str) -> bool:
        """Whether a user who leaves the normal course at a node may come to what the assurance is about."""
        if not start or self.assurance.claim == "eventually":
            return False
        if start not in self._led_to:
            self._led_to[start] = reachable([start], self._following)
        return bool(self.answer) or not self.targets.isdisjoint(self._led_to[start])

    def _following(self, name: str) -> Iterator[str]:
        """The nodes that a node may lead to."""
        node = self.flow.nodes[name]
        yield from (edge.target for edge in node.all_edges if edge.target != EXIT)
        if isinstance(node, Call):
            yield from (self.flow.graphs[graph].entry for graph in self.flow.callees(node))
        elif isinstance(node, Action | Question):
            yield from (each for each in (node.on_error if isinstance(node, Action) else node.on_invalid,) if each)

    @cached_property
    def _led_to(self) -> dict[str, set[str]]:
        return {}

    def _values(self, question: Question, state: ThreadState) -> list[Any]:
        if question.read == "confirm":
            texts = [_ELSE] if not first_violation(question.schema, _ELSE) else []
            return [True, False, *texts]
        if state.waiting is not None and state.waiting.options:
            return [option["value"] for option in state.waiting.options[:_MOST_VALUES]]
        return self._representatives(question)

    def _representatives(self, question: Question) -> list[Any]:
        if question.validator:
            return []  # only the agent's code knows which values it takes
        if question.id not in self._answers:
            reading = [g for g in self._conditions if any(r.rpartition(".")[2] == question.key for r in g.reads)]
            reading += [judge] if (judge := question.validate) is not None and judge not in reading else []
            values = _valid_values(question.schema, reading)
            if question.schema.get("format") in _MOMENTS and any(NOW in guard.reads for guard in reading):
                values = _moments(question)
                # Without another condition all dates that the question accepts are alike.
                values = values[:1] if reading == [question.validate] else values
            self._answers[question.id] = values
        return self._answers[question.id]

    @cached_property
    def _answers(self) -> dict[str, list[Any]]:
        return {}

    @cached_property
    def _now(self) -> str:
        return _NOW.strftime("%Y-%m-%dT%H:%M") if any(NOW in guard.reads for guard in self._conditions) else ""

    @cached_property
    def _conditions(self) -> list[Guard]:
        found = [edge.guard for node in self.flow.nodes.values() for edge in node.edges if edge.guard is not None]
        for node in self.flow.nodes.values():
            if isinstance(node, Question):
                found += [guard for guard in (node.when, node.validate) if guard is not None]
            elif isinstance(node, Action) and node.confirm is not None and node.confirm.when is not None:
                found.append(node.confirm.when)
        found += [each.require for each in self.flow.constraints if each.require is not None]
        return [*found, *self.assurance.unless]

    def _invalid(self, question: Question) -> Any:
        return next((value for value in ("", -1, {"no": "value"}) if first_violation(question.schema, value)), None)

    # a turn

    def _turn(self, node: _Node, move: Move) -> Iterator[_Run]:
        """Every run of a turn: one for each combination of results of its actions, and of readings of its text."""
        inbox = {
            "start": lambda: Inbox(),
            "value": lambda: Inbox.of_value(move.value),
            "text": lambda: Inbox.of_text(str(move.value)),
        }
        start = _Run(node.state, node.seen, TurnMemory())
        yield from self._steps(start, inbox[move.kind](), move, 0)

    def _corrections(self, node: _Node) -> Iterator[Move]:
        """Texts that give an answer another value than it has, or give one that was not asked for yet."""
        offered = self._offered(node)
        for candidate in offered:
            given, old = lookup(node.state.answers, candidate.path)
            if candidate.key == (node.state.waiting.key if node.state.waiting else ""):
                continue
            values = [option.value for option in candidate.options] or self._representatives(candidate.question)
            for value in values[:_MOST_VALUES]:
                if given and value == old:
                    continue
                text = f"Take {_json(value)} for {candidate.key}."
                read = {"key": candidate.key, "value": value, "quote": text, "correction": given}
                proposal = Proposal(candidate, value, text, given)
                yield Move("text", text, {"UpdateAnswers": {"answers": [read]}}, Proposals((proposal,)))

    def _offered(self, node: _Node) -> Sequence[Any]:
        """The answers that a model may read in a text now."""
        facts = self._facts(TurnMemory(), 0, ())
        done = step(facts, node.state, Inbox.of_text("Change."), [])
        return done.command.asked.offered if isinstance(done.command, Extract) else ()

    def _facts(self, memory: TurnMemory, performed: int, earlier: Sequence[TraceEvent]) -> Facts:
        return Facts(
            flow=self.flow,
            thread="t",
            now=_NOW,
            token="t",
            check=lambda question, value: False,
            memory=memory,
            performed=performed,
            earlier=earlier,
        )

    def _steps(self, run: _Run, inbox: Inbox | None, move: Move, performed: int) -> Iterator[_Run]:
        facts = self._facts(run.memory, performed, run.events)
        for done, results, inner in self._choices(facts, run.state, inbox, move, []):
            events = _with_items(done.events, inner)
            after = replace(
                run,
                state=done.state,
                memory=done.memory,
                events=(*run.events, *done.events),
                results=(*run.results, *results),
                path=(*run.path, *(event.node for event in events if isinstance(event, NodeEntered))),
                command=done.command,
            )
            after = self._watched(after, run.state, done, events)
            if not isinstance(done.command, Continue) or (after.violated and performed >= _MOST_ACTIONS):
                yield after
            elif performed < _MOST_ACTIONS and time.monotonic() < self.until:
                yield from self._steps(after, None, move, performed + 1)

    def _choices(
        self, facts: Facts, state: ThreadState, inbox: Inbox | None, move: Move, given: list[Result]
    ) -> Iterator[_Choice]:
        done = step(facts, state, inbox, given)
        if isinstance(done.command, Extract):
            yield from self._choices(facts, state, inbox, move, [*given, Result((), move.proposals)])
        elif isinstance(done.command, Perform):
            for result, own, inner in self._performed(done.command, state):
                for after, others, later in self._choices(facts, state, inbox, move, [*given, result]):
                    yield after, (*own, *others), (*inner, *later)
        else:
            yield done, (), ()

    def _performed(self, command: Perform, state: ThreadState) -> Iterator[tuple[Result, _Results, _Events]]:
        """The results of an action or, with `map`, of its items, and those of the single actions with their events."""
        if command.node.map is not None:
            runs = items_runs(self.flow, command, state, self._results)
            yield from ((run.result, run.results, run.events) for run in runs)
            return
        for writes in self._results(command.node):
            yield _performed(command, writes, self.flow, state), ((command.node.function, writes),), ()

    def _results(self, node: Action) -> list[Mapping[str, Any] | None]:
        """The possible results of an action: combinations of values that conditions distinguish; None for a failure."""
        if node.function not in self._written:
            names, lists = [], []
            for name in own_signature(self.flow, node).writes:
                channel = self.flow.channels.get(name)
                values = self._channel_values(channel) if channel is not None and not channel.large else []
                if values:
                    names.append(name)
                    lists.append(values)
            combinations = product(*lists)
            chosen = (dict(zip(names, values, strict=True)) for values in _first(combinations, _MOST_RESULTS))
            self._written[node.function] = [*chosen] or [{}]
        return [*self._written[node.function], *([None] if node.on_error else [])]

    @cached_property
    def _written(self) -> dict[str, list[Mapping[str, Any]]]:
        return {}

    def _channel_values(self, channel: Channel) -> list[Any]:
        """Values of a channel that conditions or options read; empty if nothing depends on it."""
        reading = [g for g in self._conditions if any(r.partition(".")[0] == channel.name for r in g.reads)]
        if any(question.options == channel.name for question in self.flow.questions):
            return [[{"value": "a", "title": "A"}], []] if not channel.append else []
        return _valid_values(channel.schema, reading) if reading else []

    # what the assurance asks of the events

    def _watched(self, run: _Run, before: ThreadState, done: StepResult, events: _Events) -> _Run:
        """The run after its last step, in which what was seen and violated is noted, in the order of the events."""
        seen, violated = run.seen, run.violated
        for event in events:
            taken_back = isinstance(done.command, Fail) and not isinstance(event, ActionStarted | ActionFinished)
            if taken_back and self.assurance.claim != "eventually":
                continue
            if self._reaches(event):
                if self.assurance.claim == "eventually":
                    seen = True
                else:
                    # An action begins with the values before it.
                    state = before if isinstance(event, ActionStarted) else done.state
                    violated = violated or not (seen or self._allowed(event, state))
            seen = seen or self._passes(event, done.state)
        if self.assurance.claim == "eventually" and not seen and not done.state.at.escaped:
            stuck = isinstance(done.command, Fail) and done.command.error.code.startswith("stuck_")
            violated = isinstance(done.command, End) or stuck
        return replace(run, seen=seen, violated=violated)

    def _reaches(self, event: TraceEvent) -> bool:
        """Whether an event reaches what the assurance is about."""
        match event:
            case AnswerCommitted():
                return event.key == self.answer
            case Prompted():
                return event.node in self.targets and isinstance(self.flow.nodes[event.node], Question)
            case ActionStarted():
                return event.node in self.targets
            case NodeEntered():
                return event.node in self.targets and not isinstance(self.flow.nodes[event.node], Question | Action)
        return False

    def _passes(self, event: TraceEvent, state: ThreadState) -> bool:
        """Whether an event is what the assurance demands before."""
        match event:
            case AnswerCommitted():
                return self.assurance.claim == "always_before" and f"{ANSWERS}.{event.key}" in self.assurance.before
            case ActionFinished():
                return event.node in self.marks
            case SubgraphLeft():
                return event.node in self.marks
            case EdgeTaken() if event.source in self.marks:
                node = self.flow.nodes[event.source]
                if isinstance(node, Question):
                    values = _values_of(state.answers, node.key)
                    return True in values if node.read == "confirm" else bool(values)
                return not isinstance(node, Action)
        return False

    def _allowed(self, event: TraceEvent, state: ThreadState) -> bool:
        """Whether the assurance allows to reach what it is about now."""
        placed = isinstance(event, ActionStarted | Prompted)
        if not placed and not self.answer and any(isinstance(n, Call) and n.scope for n in self.flow.nodes.values()):
            inside = any(self.flow.nodes[name].graph != ROOT for name in self.targets)
            if inside and (self.questions or self.assurance.unless):
                return True  # the answer scopes in which a walk passed the node are not known
        own = self._of_items(getattr(event, "node", "")) if self.assurance.unless else set()
        if any(not guard.reads.isdisjoint(own) for guard in self.assurance.unless):
            return True  # the values that an item has there are not known
        values = view(self.flow, state.values(), state.at.top.scopes if placed else ())
        answers = values[ANSWERS]
        for question in self.questions:
            given = answers.get(question.key) if isinstance(answers, Mapping) else None
            if given is True or (given is not None and question.read != "confirm"):
                return True
            if isinstance(event, ActionStarted) and self._confirmed(self.flow.action(event.node), question, values):
                return True
        for name in self.assurance.before:
            if name.startswith(f"{ANSWERS}.") and lookup(state.answers, tuple(name.split(".")[1:]))[0]:
                return True
        return any(guard.evaluate(values).opens for guard in self.assurance.unless)

    def _of_items(self, name: str) -> set[str]:
        """The channels that have values of their own for an item while it is at a node."""
        found: set[str] = set()
        for node in self.flow.nodes.values():
            if isinstance(node, Action) and node.map is not None and node.map.graph:
                inside = [*mapped_nodes(self.flow, node.map.graph)]
                if any(each.id == name for each in inside):
                    actions = (each for each in inside if isinstance(each, Action))
                    found.update((node.map.item,), *(own_signature(self.flow, each).writes for each in actions))
        return found

    def _confirmed(self, node: Action, question: Question, values: Mapping[str, Any]) -> bool:
        """Whether an action that is performed had to be confirmed by a question."""
        confirm = node.confirm
        if confirm is None or confirm.by != question.id:
            return False
        return confirm.when is None or not confirm.when.evaluate(values).closes


def _values_of(answers: Mapping[str, Any], key: str) -> list[Any]:
    """The values of the answers of a key in all scopes."""
    found = [answers[key]] if key in answers else []
    return found + [v for each in answers.values() if isinstance(each, Mapping) for v in _values_of(each, key)]


def _with_items(events: Sequence[TraceEvent], inner: _Events) -> _Events:
    """The events of a step, with those of the items of its action where it begins."""
    place = next((n for n, event in enumerate(events, 1) if isinstance(event, ActionStarted)), 0)
    return (*events[:place], *inner, *events[place:]) if inner else tuple(events)


def _first(values: Iterator[Any], most: int) -> Iterator[Any]:
    return (value for value, _ in zip(values, range(most), strict=False))


def _performed(command: Perform, writes: Mapping[str, Any] | None, flow: CompiledFlow, state: ThreadState) -> Result:
    node, visit, known = command.node, command.visit, (command.content, command.confirmed)
    started = ActionStarted(node.id, node.run, visit, 1)
    if writes is None:
        failed = ActionFailed(node.id, node.run, visit, 1, "It fails.", True)
        return Result((started, failed), error=ActionError("action_failed", "It fails."))
    values = {
        name: [*(state.channels.get(name) or []), *value] if flow.channels[name].append else value
        for name, value in writes.items()
    }
    return Result((started, ActionFinished(node.id, node.run, visit, 1, 0.0, *known)), Performed(values))


def _valid_values(schema: Mapping[str, Any], reading: Sequence[Guard]) -> list[Any]:
    """Values of a schema: one for each range that the conditions distinguish; of an object one for each property."""
    trees: list[Expr] = [tree for guard in reading for tree in guard.trees]
    found = partition(schema, literals_in(trees))
    if found is not None:
        values = list(found.values)
    else:
        properties = schema.get("properties")
        parts = [(n, _valid_values(s, reading)) for n, s in (properties or {}).items() if isinstance(s, Mapping)]
        read = {r.split(".")[1] for guard in reading for r in _paths(guard) if "." in r}
        parts = [(name, values if name in read else values[:1]) for name, values in parts if values]
        names = [name for name, _ in parts]
        combinations = _first(product(*(values for _, values in parts)), _MOST_RESULTS)
        values = [dict(zip(names, each, strict=True)) for each in combinations]
        values += [schema[key] for key in ("default",) if key in schema] + [None, []]
    valid = [value for value in values if not first_violation(schema, value)]
    return valid[:_MOST_VALUES] if found is not None else valid


_MOMENTS = {"date": "%Y-%m-%d", "date-time": "%Y-%m-%dT%H:%M:%SZ"}


def _moments(question: Question) -> list[str]:
    """Dates or times around the present that a question accepts, as far as its `validate` decides without answers."""
    written = _MOMENTS[question.schema["format"]]
    values = [(_NOW + timedelta(days=days)).strftime(written) for days in _DAYS]
    judge = question.validate
    if judge is not None and judge.reads <= {VALUE, NOW}:
        values = [value for value in values if judge.evaluate({VALUE: value, NOW: _NOW.isoformat()}).opens]
    return [value for value in values if not first_violation(question.schema, value)]


def _paths(guard: Guard) -> Iterator[str]:
    from graphwright.flow.guards._syntax_tree import path_of, walk

    for tree in guard.trees:
        for part in walk(tree):
            if (path := path_of(part)) is not None and len(path) > 1:
                yield ".".join(path)


def conversation_text(example: Counterexample, agent: str) -> str:
    """The counterexample as a conversation file. `agent` is the agent's folder, relative to that of the file."""
    lines = [
        f"# `{example.assurance.text}` does not hold:",
        f"# {example.text}",
        f"agent: {_json(agent)}",
    ]
    if example.now:
        lines.append(f"now: {_json(example.now)}")
    stubs = _stubs(example)
    if stubs:
        lines += ["stubs:", "  actions:"]
        for run, calls in stubs.items():
            lines.append(f"    {run}:")
            lines += [f"      - {_json(call)}" for call in calls]
    lines.append("turns:")
    for turn in example.turns:
        key, value = {"start": ("start", True), "value": ("resume", turn.move.value)}.get(
            turn.move.kind, ("user", turn.move.value)
        )
        lines.append(f"  - {key}: {_json(value)}")
        model = [{"call": turn.move.model}] if turn.move.model is not None else []
        lines.append(f"    model: {_json(model)}")
        expect: dict[str, Any] = {"status": "ended" if turn.ended else "failed" if turn.error else "waiting"}
        if turn.error:
            expect["error"] = turn.error
        elif turn.state.waiting is not None and not turn.ended:
            expect["node"] = turn.state.waiting.node
        if turn is example.turns[-1] and not turn.error:
            expect["path"] = list(turn.path)
        lines.append(f"    expect: {_json(expect)}")
    return "\n".join(lines) + "\n"


def _stubs(example: Counterexample) -> dict[str, list[dict[str, Any]]]:
    """The results of each action in their order; a run of equal ones is one stub."""
    found: dict[str, list[dict[str, Any]]] = {}
    for turn in example.turns:
        for run, writes in turn.results:
            call: dict[str, Any] = {"fails": "It fails."} if writes is None else {"writes": dict(writes)}
            calls = found.setdefault(run, [])
            if calls and {k: v for k, v in calls[-1].items() if k != "times"} == call:
                calls[-1]["times"] += 1
            else:
                calls.append({**call, "times": 1})
    return found
