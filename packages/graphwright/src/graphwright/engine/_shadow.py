"""Walk a flow in the shadow of another one, with the values and results of the answering flow, and compare them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from graphwright.engine._flow_versions import FlowVersions
from graphwright.engine._paths import Selection
from graphwright.engine._questions import every_candidate
from graphwright.engine.events import (
    ActionFailed,
    ActionFinished,
    ActionStarted,
    AnswerCommitted,
    AnswerRefused,
    AnswerUnknown,
    Branched,
    ChannelsWritten,
    FlowMigrated,
    Jumped,
    LanguageRead,
    ModelCalled,
    NotUnderstood,
    OutcomeUnknown,
    PathCorrected,
    PathVoted,
    ShadowCompared,
    TraceEvent,
    TurnFailed,
    TurnStarted,
)
from graphwright.engine.host_interface import (
    ActionError,
    Command,
    Continue,
    Extract,
    Facts,
    Fail,
    Inbox,
    Perform,
    Performed,
    Proposals,
    Result,
    Shared,
    TurnMemory,
)
from graphwright.engine.state import ThreadState, apply
from graphwright.engine.step import step
from graphwright.flow._dependencies import signature_of
from graphwright.flow._ready_made import TEMPLATED
from graphwright.flow.compiled import Action, CompiledFlow, Question
from graphwright.flow.guards import Template
from graphwright.flow.guards._templates import Parameters

Verdict = Literal["same", "different", "unknown"]

NOT_KNOWN, FAILED = "the outcome is not known", "it failed"


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision of a flow after a turn: the question it waits at, or that it ended or failed.

    `performed` are the actions with effects that the turn performed, by name, in order.
    """

    status: str
    node: str = ""
    key: str = ""
    performed: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"status": self.status, "node": self.node, "key": self.key, "performed": list(self.performed)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Decision:
        """The decision that `to_json` gave."""
        return cls(data["status"], data["node"], data["key"], tuple(data["performed"]))

    @property
    def words(self) -> str:
        """The decision in words: `asks for email, performs send_offer`."""
        texts = [f"performs {run}" for run in self.performed]
        if self.status == "waiting":
            texts.append(f"asks for {self.key}" if self.key else f"waits at {self.node}")
        elif self.status != "performing":
            texts.append({"ended": "ends", "failed": "fails"}.get(self.status, "is") + f" at {self.node}")
        return ", ".join(texts)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The decisions of both flows after a turn. `shadow` is None if it is not known, and `reason` says why."""

    verdict: Verdict
    answering: Decision
    shadow: Decision | None
    reason: str = ""

    def event(self, flow: CompiledFlow) -> ShadowCompared:
        """The event that records it; `flow` is the one in the shadow."""
        shadow = {} if self.shadow is None else self.shadow.to_json()
        return ShadowCompared(flow.id, flow.hash, self.verdict, self.answering.to_json(), shadow, self.reason)


@dataclass(frozen=True, slots=True)
class Done:
    """An execution of an action by the answering flow: its name and node, the state it read, its values or error."""

    name: str
    node: str
    before: ThreadState
    values: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True, slots=True)
class Shadow:
    """The flow in the shadow after some turns.

    `lost` says why its further course is not known; a new conversation of the thread begins again. `asked` is the key
    that the answering flow asks for. `results` are the last executions of each action, by its name.
    """

    state: ThreadState = field(default_factory=ThreadState)
    lost: str = ""
    failed: bool = False
    asked: str = ""
    results: Mapping[str, Done] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The flow that walks in the shadow, and what belongs to it.

    `check` runs its validators. `pair` is the flow that answers the user; None for a recorded thread whose flow is not
    known. With `any_end` all terminals are the same end, because the answering flow has only one.
    """

    flow: CompiledFlow
    check: Callable[[Question, Any], bool]
    pair: FlowVersions | None = None
    any_end: bool = False

    @property
    def answering(self) -> CompiledFlow | None:
        """The flow that answers."""
        return None if self.pair is None else self.pair.old

    def key(self, earlier: str) -> str:
        """The key of an answer of the answering flow: the same, or that of the question that was renamed."""
        if self.pair is None or any(each.key == earlier for each in every_candidate(self.flow)):
            return earlier
        path = self.pair.path(tuple(earlier.split(".")))
        return earlier if path is None else ".".join(path)

    def node(self, earlier: str) -> str:
        """The id of a node of the answering flow: the same, or that to which it was renamed."""
        node = None if self.pair is None else self.pair.node(earlier)
        return earlier if node is None else node.id

    def action(self, node: str, run: str) -> str:
        """The name of an action of the answering flow; that of a ready-made action is its node's."""
        known = None if self.answering is None else self.answering.nodes.get(node)
        ready_made = run in TEMPLATED if known is None else getattr(known, "parameters", None) is not None
        return self.node(node) if ready_made else run


class _Lost(Exception):
    """The further course of the flow is unknown. `decision` is the known difference, if there is one."""

    def __init__(self, reason: str, decision: Decision | None = None) -> None:
        super().__init__(reason)
        self.decision = decision


def follow(
    beside: Beside, shadow: Shadow, before: ThreadState, events: Sequence[TraceEvent], contents: Mapping[str, Any]
) -> tuple[Shadow, Comparison]:
    """Walk the flow in the shadow through one turn of the answering flow, and compare the decisions of both.

    `before` is the state of the thread before the turn, `events` are those of the turn. Answers are shared by key, and
    results of actions by the name of the action; no model is called and nothing is performed. `contents` are the large
    values, by hash, that the shadow may read.
    """
    turn = _Turn(beside, before, events, shadow.asked)
    asks = beside.key(turn.after.waiting.key) if turn.after.waiting is not None and turn.after.waiting.key else ""
    answering = turn.decision()
    if answering.status not in ("waiting", "ended", "failed"):
        return shadow, Comparison("unknown", answering, None, "the turn is not finished")
    if shadow.lost and not turn.afresh:
        lost = replace(shadow, asked=asks, results=turn.results(shadow))
        return lost, Comparison("unknown", answering, None, shadow.lost)
    unread = turn.failed and not turn.done and not turn.shared.values
    if unread:
        reason = "the answering flow failed before it read the message"
        return replace(shadow, asked=asks), Comparison("unknown", answering, None, reason)
    try:
        state = _beginning(beside, shadow, turn)
        expected = state.waiting.key if state.waiting is not None else ""
        walk = _Walk(beside, turn, shadow, contents)
        state, found = walk.run(state)
    except _Lost as error:
        after = Shadow(shadow.state, str(error), asked=asks, results=turn.results(shadow))
        verdict: Verdict = "unknown" if error.decision is None else "different"
        return after, Comparison(verdict, answering, error.decision, str(error))
    after = Shadow(state, failed=found.status == "failed", asked=asks, results=turn.results(shadow))
    return after, _compared(beside, turn, answering, found, expected)


def _compared(beside: Beside, turn: _Turn, answering: Decision, found: Decision, expected: str) -> Comparison:
    key, node = beside.key(answering.key) if answering.key else "", beside.node(answering.node)
    same_place = found.key == key if found.key or key else found.node == node
    if found.status == "ended" and beside.any_end:
        same_place = True
    if found.status == answering.status and found.performed == answering.performed and same_place:
        return Comparison("same", answering, found)
    unasked = expected and expected == found.key and expected != turn.asked and expected not in turn.shared.values
    if unasked and not turn.afresh:
        reason = f"it waits for `{expected}`, which the user was not asked"
        return Comparison("unknown", answering, None, reason)
    return Comparison("different", answering, found)


def _beginning(beside: Beside, shadow: Shadow, turn: _Turn) -> ThreadState:
    """Return the state in which the shadow begins a turn. Raises _Lost."""
    state = shadow.state
    if turn.afresh and shadow.lost:
        flow, live = beside.flow, turn.before
        channels = {name: value for name, value in live.channels.items() if name in flow.channels}
        mode: Literal["new", "ended"] = "ended" if live.turn else "new"
        # Another hash: values that do not fit this flow are dropped.
        hash_ = live.flow_hash if live.flow_hash != flow.hash else ""
        return ThreadState(mode=mode, answers=live.answers, channels=channels, turn=live.turn, flow_hash=hash_)
    if turn.afresh:
        return state if state.mode in ("new", "ended") else replace(state, mode="ended", waiting=None)
    if state.mode in ("new", "ended"):
        raise _Lost("it had ended before" if state.mode == "ended" else "the beginning of the conversation is missing")
    return state


def _end(event: TraceEvent, begun: Done | None) -> str | None:
    """Return how an event ends an execution of an action: the error, empty for success; None if it does not end it."""
    node = None if begun is None else begun.node
    match event:
        case ActionFinished(node=at) if at == node:
            return ""
        case ActionFailed(node=at, final=True) if at == node:
            return event.error or FAILED
        case OutcomeUnknown(node=at) if at == node:
            return NOT_KNOWN
        case Jumped(source=at, reason="action_failed") | TurnFailed(node=at) if at == node:
            # Some of the items of a list failed.
            return FAILED
    return None


class _Turn:
    """One turn of the answering flow."""

    def __init__(self, beside: Beside, before: ThreadState, events: Sequence[TraceEvent], asked: str) -> None:
        self.beside = beside
        self.before = before
        self.events = events
        self.started = next((event for event in events if isinstance(event, TurnStarted)), None)
        self.afresh = self.started is not None and self.started.afresh
        self.asked = asked
        self.failure = next((event for event in reversed(events) if isinstance(event, TurnFailed)), None)
        self.after, self.done = self._executed()
        self.shared = _shared(beside, self.started.message or "" if self.started else "", events)

    @property
    def failed(self) -> bool:
        return self.failure is not None

    def _executed(self) -> tuple[ThreadState, list[Done]]:
        """The state after the turn, and the executions of actions.

        Events of the nodes inside a subgraph that runs over a list belong to the node that the thread performs.
        """
        state, done = self.before, list[Done]()
        begun: Done | None = None
        for event in self.events:
            here = state.at.node if state.position is not None else ""
            match event:
                case ActionStarted() if event.node == here and begun is None:
                    begun = Done(self.beside.action(event.node, event.run), event.node, state)
                case ChannelsWritten() if begun is not None and event.node == begun.node:
                    begun = replace(begun, values=event.values)
                case ChannelsWritten() if done and event.node == done[-1].node:
                    done[-1] = replace(done[-1], values=event.values)
                case ActionFinished() | ActionFailed() | OutcomeUnknown() | Jumped() | TurnFailed():
                    error = _end(event, begun)
                    if begun is not None and error is not None:
                        done.append(replace(begun, error=error))
                        begun = None
            state = apply(state, event)
        return state, done

    def decision(self) -> Decision:
        """The decision of the answering flow."""
        performed = tuple(each.name for each in self.done if not each.error and self._has_effects(each))
        return _decision(self.after, self.failure, performed)

    def _has_effects(self, done: Done) -> bool:
        old, new = self.beside.answering, self.beside.flow
        nodes = ((new, new.nodes.get(self.beside.node(done.node))), (old, old.nodes.get(done.node) if old else None))
        for flow, node in nodes:
            if flow is not None and isinstance(node, Action) and (signature := signature_of(flow, node)).name:
                return signature.effects
        return True

    def results(self, shadow: Shadow) -> Mapping[str, Done]:
        """The last execution of each action after the turn."""
        kept = {} if self.afresh else shadow.results
        return {**kept, **{each.name: each for each in self.done if not each.error}}


def _decision(state: ThreadState, failure: TurnFailed | None, performed: tuple[str, ...]) -> Decision:
    if failure is not None:
        return Decision("failed", failure.node, failure.code, performed)
    if state.waiting is not None:
        return Decision("waiting", state.waiting.node, state.waiting.key, performed)
    return Decision(state.mode, state.at.node if state.position else "", "", performed)


def _shared(beside: Beside, message: str, events: Sequence[TraceEvent]) -> Shared:
    """The values and requests that the answering flow took from the message."""
    values: dict[str, tuple[Any, str]] = {}
    unknown: dict[str, str] = {}
    withdrawn: dict[str, str] = {}
    selected: list[Selection] = []
    escalate = abandon = None
    language = ""
    for event in events:
        match event:
            case AnswerCommitted():
                values[beside.key(event.key)] = event.value, event.quote or message
            case AnswerRefused() if event.stage not in ("quotation", "consent", "approval", "superseded"):
                values.setdefault(beside.key(event.key), (event.value, event.quote))
            case AnswerUnknown():
                key = beside.key(event.key)
                if event.replaced is None:
                    unknown[key] = event.reason
                if event.replaced is not None or event.declined:
                    withdrawn[key] = event.reason
            case ModelCalled() if "EscalateToHuman" in (event.answer.get("call") or {}):
                escalate = message
            case Jumped(reason="abandoned"):
                abandon = message
            case PathVoted():
                selected.append(Selection(event.path, event.confidence, event.rationale))
            case PathCorrected():
                selected = [replace(each, correction=each.path == event.path) for each in selected]
            case LanguageRead():
                language = event.language
    owed = any(isinstance(event, NotUnderstood) for event in events)
    return Shared(values, unknown, withdrawn, escalate, abandon, tuple(selected), language, owed)


class _Walk:
    """The steps of the shadow in one turn."""

    def __init__(self, beside: Beside, turn: _Turn, shadow: Shadow, contents: Mapping[str, Any]) -> None:
        self.beside = beside
        self.turn = turn
        self.shadow = shadow
        self.contents = contents
        self.left = list(turn.done)
        self.performed: list[str] = []
        self.events: list[TraceEvent] = []

    def run(self, state: ThreadState) -> tuple[ThreadState, Decision]:
        """The state after the turn, and the decision. Raises _Lost."""
        started = self.turn.started
        now = datetime.fromisoformat(started.now) if started is not None and started.now else datetime.min
        asked = "" if state.waiting is None else state.waiting.key
        shared = self.turn.shared
        if asked != self.turn.asked and not self.turn.afresh:
            # The message replies to another question, so it is not a reply that gives no answer to this one.
            shared = replace(shared, owed=False, unknown={})
        facts = Facts(
            flow=self.beside.flow,
            thread="shadow",
            now=now,
            token="shadow",
            check=self.beside.check,
            contents=self.contents,
            tries_again=self.shadow.failed,
            shared=shared,
        )
        has_message = started is None or started.message is not None
        inbox: Inbox | None = Inbox(text=(started.message if started else "") or " ") if has_message else Inbox()
        memory, steps = TurnMemory(), 0
        while True:
            turn_facts = replace(facts, memory=memory, performed=steps, earlier=tuple(self.events))
            state, command, memory = self._step(turn_facts, state, inbox)
            if not isinstance(command, Continue):
                break
            inbox, steps = None, steps + 1
        failure = next((event for event in reversed(self.events) if isinstance(event, TurnFailed)), None)
        failed = failure if isinstance(command, Fail) else None
        return state, _decision(state, failed, tuple(self.performed))

    def _step(self, facts: Facts, state: ThreadState, inbox: Inbox | None) -> tuple[ThreadState, Command, TurnMemory]:
        results: list[Result] = []
        while True:
            done = step(facts, state, inbox, results)
            match done.command:
                case Extract():
                    # A kept value that is read again is among the shared values, if the answering flow took it.
                    results.append(Result((), Proposals()))
                case Perform():
                    results.append(self._result(state, done.command))
                case _:
                    self.events += done.events
                    return done.state, done.command, done.memory

    def _result(self, state: ThreadState, command: Perform) -> Result:
        """The result of the action of the same name in the answering flow. Raises _Lost if it cannot be known."""
        node, visit = command.node, command.visit
        found = self._execution(node)
        _check_inputs(self.beside, node, state, found)
        if found.error:
            failed = (ActionFailed(node.id, node.run, visit, 1, found.error, True),)
            error = ActionError("action_failed", f"Action {node.run!r} failed.")
            partly = Performed(dict(found.values), failed=error)
            return Result(failed, partly) if found.values else Result(failed, error=error)
        if signature_of(self.beside.flow, node).effects:
            self.performed.append(node.function)
        known = command.content, command.confirmed
        observed = (
            ActionStarted(node.id, node.run, visit, 1),
            ActionFinished(node.id, node.run, visit, 1, 0.0, *known),
        )
        return Result(observed, Performed(dict(found.values)))

    def _execution(self, node: Action) -> Done:
        found = next((each for each in self.left if each.name == node.function), None)
        if found is not None:
            self.left.remove(found)
            if found.error == NOT_KNOWN:
                raise _Lost(f"the outcome of the action `{node.function}` is not known")
            return found
        earlier = self.shadow.results.get(node.function)
        effects = signature_of(self.beside.flow, node).effects
        if earlier is not None and not effects:
            return earlier
        known = effects and signature_of(self.beside.flow, node).name
        decision = Decision("performing", node.id, "", (*self.performed, node.function)) if known else None
        raise _Lost(f"it performs `{node.function}`, which the answering flow did not perform", decision)


def _check_inputs(beside: Beside, node: Action, state: ThreadState, found: Done) -> None:
    """Raise _Lost if the action reads other values here, or writes channels that the answering flow's does not."""
    signature, action = signature_of(beside.flow, node), node.function
    answering = beside.answering
    before = None if answering is None else answering.nodes.get(found.node)
    if answering is not None and isinstance(before, Action) and _work(answering, before) != _work(beside.flow, node):
        raise _Lost(f"`{action}` is another action than in the answering flow")
    for name in signature.reads:
        if _value(state, name) != _value(found.before, name):
            raise _Lost(f"`{action}` would read another value of `{name}` than in the answering flow")
    known = signature_of(answering, before) if answering is not None and isinstance(before, Action) else None
    if known is not None and known.name and not set(signature.writes) <= set(known.writes):
        missing = sorted(set(signature.writes) - set(known.writes))[0]
        raise _Lost(f"`{action}` writes `{missing}`, which it does not write in the answering flow")


def _work(flow: CompiledFlow, node: Action) -> Any:
    """Return what defines an action besides its code: its parameters, its list and the subgraph that it runs."""
    graph = flow.document.get("subgraphs", {}).get(node.map.graph) if node.map is not None else None
    return _plain(node.parameters), node.map, graph


def _plain(value: Any) -> Any:
    """Parameters of a ready-made action, with the texts of their templates."""
    if isinstance(value, Parameters):
        return _plain(value.values)
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return value.text if isinstance(value, Template) else value


def _value(state: ThreadState, name: str) -> Any:
    value: Any = state.values()
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def difference(answering: Mapping[str, Any], shadow: Mapping[str, Any], reason: str) -> str:
    """The decisions of both flows, as `ShadowCompared` has them, in words; or the reason why one is not known."""
    before = Decision.from_json(answering).words
    return f"{before}; the new flow: {Decision.from_json(shadow).words if shadow else f'not known, because {reason}'}"


def turns_of(events: Sequence[TraceEvent]) -> Iterator[tuple[int, int]]:
    """The first and the last event of each turn, as a range; a branch counts as a turn."""
    starts = [place for place, event in enumerate(events) if isinstance(event, TurnStarted | Branched)]
    yield from zip(starts, [*starts[1:], *([len(events)] if starts else [])], strict=True)


def follow_all(
    beside: Beside,
    events: Sequence[TraceEvent],
    contents: Mapping[str, Any],
    pairs: Mapping[str, FlowVersions] | None = None,
) -> tuple[Shadow, ThreadState, list[tuple[int, Comparison]]]:
    """Walk the flow in the shadow through a recorded thread.

    `pairs` maps the hashes of the answering flows to the pair with the one in the shadow.
    Returns the shadow and the state of the thread at the end, and the comparison of each turn, with its number.
    """
    shadow, state = Shadow(), ThreadState()
    found: list[tuple[int, Comparison]] = []
    for start, end in turns_of(events):
        turn = events[start:end]
        # A migration by an operator after the turn is not part of its decision.
        over = next((i for i, event in enumerate(turn) if isinstance(event, FlowMigrated) and event.by), len(turn))
        started = next((event for event in turn if isinstance(event, TurnStarted)), None)
        pair = (pairs or {}).get(started.flow_hash if started is not None else state.flow_hash, beside.pair)
        shadow, comparison = follow(replace(beside, pair=pair), shadow, state, turn[:over], contents)
        for event in turn:
            state = apply(state, event)
        found.append((state.turn, comparison))
    return shadow, state, found
