"""A thread as it was: its state at any point, folded from the trace; and branches, new threads that go on there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from graphwright.engine import Ask, Changes, Perform, Stuck, lookup, with_answer, without_answer
from graphwright.engine.changed_answers import reconsidered
from graphwright.engine.channels import blob_key, seen_values
from graphwright.engine.events import AnswerCommitted, Branched
from graphwright.engine.inbox import WaitingFor
from graphwright.engine.perform import ask_whether_again, was_done
from graphwright.engine.questions import Candidate, every_candidate, pending
from graphwright.engine.reply import Accepted, Rejected, validated
from graphwright.engine.sentences import say
from graphwright.engine.state import ThreadState
from graphwright.engine.validation import first_violation
from graphwright.engine.walk import FlowStuck, prompt, question_at, settle, wait_for, walk
from graphwright.errors import UsageError
from graphwright.flow.compiled import CompiledFlow
from graphwright.text.near_names import Names

if TYPE_CHECKING:
    from graphwright.engine.recorder import Recorder


class EventRow(Protocol):
    """One event of a trace: its number, from 0, the time (ISO 8601, UTC) and the event as JSON."""

    @property
    def seq(self) -> int: ...
    @property
    def time(self) -> str: ...
    @property
    def event(self) -> dict[str, Any]: ...


BranchStatus = Literal["waiting", "ended"]


@dataclass(frozen=True, slots=True)
class Moment:
    """A thread after one event of its trace.

    After the last event of a step `state` is exactly what was written there, and `saved_at` is the number of the
    `state_saved` that says so. In the midst of a step `saved_at` is None: answers, channels, message and turn are those
    after the event, everything else is as the step found it. `node` is where the conversation stood, empty before it
    came to any; `private` names the channels to be shown to nobody.
    """

    row: EventRow
    state: ThreadState
    saved_at: int | None
    node: str
    private: frozenset[str]

    @property
    def status(self) -> str:
        """`new`, `waiting`, `ended`, or `running` in the midst of a turn."""
        if self.saved_at is None:
            return "running"
        if self.state.waiting is not None:
            return "waiting"
        return "running" if self.state.mode == "performing" else self.state.mode


def fold(rows: Sequence[EventRow], at: int | None = None) -> Moment:
    """The thread after event `at` (its `seq`, or counted from the end where negative); by default after the last one.

    `rows` is a trace from its first event on. Raises UsageError: `no_such_event`.
    """
    index = event_index(rows, at)
    # What was saved at the end of a step is the state after the step's last event, too.
    end = next((i for i in (index, index + 1) if i < len(rows) and _saves(rows[i])), None)
    held = _Held()
    for row in rows[: (index if end is None else end) + 1]:
        held.take(row.event)
    return Moment(rows[index], held.state(), end, held.node, frozenset(held.private))


def _saves(row: EventRow) -> bool:
    return bool(row.event["type"] == "state_saved")


def event_index(rows: Sequence[EventRow], at: int | None) -> int:
    """Where event `at` stands in `rows`. Raises UsageError with the range there is."""
    if not rows:
        raise UsageError("no_events", "The trace has no events yet.", "Send the thread a message first.")
    index = len(rows) - 1 if at is None else at + len(rows) if at < 0 else at
    if not 0 <= index < len(rows):
        raise UsageError(
            "no_such_event",
            f"There is no event {at}: the trace has the events 0 to {len(rows) - 1}.",
            "'graphwright threads trace THREAD' shows them with their numbers; -1 is the last one.",
        )
    return index


class _Held:
    """What the events so far add up to."""

    def __init__(self) -> None:
        self.node = ""
        self.private: set[str] = set()
        self._saved: Mapping[str, Any] = {}
        self._answers: dict[str, Any] = {}
        self._channels: dict[str, Any] = {}
        self._started: dict[str, Any] = {}
        self._prompted: Mapping[str, Any] | None = None
        self._waiting: Any = None

    def take(self, event: Mapping[str, Any]) -> None:
        match event["type"]:
            case "turn_started":
                self._started = {name: event[name] for name in ("turn", "message", "flow_hash")}
                self._started["message"] = event["message"] or ""
            case "node_entered":
                self.node = event["node"]
            case "answer_committed":
                self._answers = with_answer(self._answers, _path(event["key"]), event["value"])
            case "answer_dropped" | "answer_unknown":
                self._answers = without_answer(self._answers, _path(event["key"]))
            case "answers_cleared":
                self._answers = {}
            case "state_adapted":
                for key in event["answers"]:
                    self._answers = without_answer(self._answers, _path(key))
                for name in event["channels"]:
                    self._channels.pop(name, None)
            case "channels_reset" | "channels_written":
                self._channels |= event["values"]
                self.private.update(event["private"])
            case "prompted":
                self._prompted = event
            case "state_saved":
                self._save(event["state"])

    def _save(self, saved: Mapping[str, Any]) -> None:
        self._saved = saved
        # A step that prompted for what the thread waits for now does not say it twice.
        asked = self._prompted
        self._waiting = saved.get("waiting")
        if asked and not self._waiting:
            self._waiting = {name: asked[name] for name in ("node", "key", "kind", "options")}
            self._waiting["prompt"] = asked["text"]
        self._prompted = None
        if "position" in saved:
            self.node = saved["position"]["frames"][-1][1]

    def state(self) -> ThreadState:
        held = {"answers": self._answers, "channels": self._channels, "waiting": self._waiting}
        return ThreadState.from_json({**self._saved, **self._started, **held})


def _path(key: str) -> tuple[str, ...]:
    return tuple(key.split("."))


@dataclass(frozen=True, slots=True)
class Branch:
    """A thread that was made as a branch of `source`: it goes on after event `at`, `waiting` or `ended`."""

    thread: str
    source: str
    at: int
    status: BranchStatus
    waiting_for: WaitingFor | None

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "waiting_for": self.waiting_for.to_json() if self.waiting_for else None}


def stop_before(rows: Sequence[EventRow], at: int) -> Moment:
    """The end of the last step, up to event `at`, after which the thread waited or had ended. Raises UsageError."""
    index = event_index(rows, at)
    ends = [row.seq for row in rows if row.event["type"] == "state_saved"]
    # What was saved right after an event is the state after that event.
    for seq in reversed([seq for seq in ends if seq <= index + 1]):
        moment = fold(rows, seq)
        if moment.status in ("waiting", "ended"):
            return moment
    raise UsageError(
        "nothing_to_branch",
        f"Up to event {index} the thread had not waited for anything yet.",
        "Branch at a later event; where there is none, finish the turn: send the thread a message.",
    )


def blobs_in(rows: Sequence[EventRow]) -> set[str]:
    """The hashes of the large values that these events speak of."""
    values = [v for row in rows for v in (row.event.get("values") or {}).values()]
    return {key for value in values if (key := blob_key(value))}


def value_in(flow: CompiledFlow, key: str, text: str) -> Any:
    """What a text stands for as the answer `key`: the JSON it is, unless only the text as it stands fits the question.

    Raises UsageError for a key that the flow does not ask for.
    """
    questions = [place.question for place in _asking(flow, key)]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    for question in questions:
        schema = {"type": "boolean"} if question.read == "confirm" else question.schema
        if schema and not first_violation(schema, value):
            return value
    return text if any(not q.schema or not first_violation(q.schema, text) for q in questions) else value


def branched(
    log: Recorder, moment: Moment, source: str, changes: Mapping[str, Any]
) -> tuple[ThreadState, BranchStatus]:
    """The state with which a branch begins, and its status; `log` gets what it adds to the copied trace.

    A changed answer is what a correction would be at that point: the position stays, and only if it is what the thread
    waits for the flow walks on from there. Actions are not performed. Confirmations do not carry over: what was done
    once on a yes is not done a second time on it. Raises UsageError, and FlowStuck where the answers lead nowhere.
    """
    flow = log.flow
    state = replace(moment.state, born=log.facts.token, confirmed={}, failed={})
    if changes and state.mode in ("new", "ended") and not flow.keep_answers:
        raise UsageError(
            "answers_cleared",
            f"After event {moment.row.seq} the flow begins anew, without any answers: `restart: keep` would keep them.",
            "Branch at an event after which it waits for an answer.",
        )
    log.emit(Branched(source, moment.row.seq, tuple(changes)))
    for key, value in changes.items():
        state = _answered(log, state, key, value)
    waits = state.mode == "waiting" and state.waiting is not None and state.waiting["kind"] != "message"
    question = question_at(flow, state) if waits else None
    asked = pending(question, state.at).key if question else ""
    if not changes or question is None:
        return state, "ended" if moment.status == "ended" else "waiting"
    settled = asked in changes
    new = replace(state, invalid={}, waiting=None)
    new, step = walk(log, new, state.at.completed() if settled else state.at)
    if not settled and isinstance(step.outcome, Ask) and step.outcome.node is question:
        return wait_for(log, new, question), "waiting"
    if isinstance(step.outcome, Stuck):
        raise FlowStuck(step.outcome)
    log.emit(*step.events)
    if isinstance(step.outcome, Perform) and was_done(log, new, step.outcome.node):
        new, _ = settle(log, new, step.outcome)
        return ask_whether_again(log, new, step.outcome.node), "waiting"
    if isinstance(step.outcome, Perform):
        waiting = WaitingFor(step.outcome.node.id, "", say(new.language, "go_on"), "message")
        prompt(log, new, waiting)
        return replace(new, mode="waiting", waiting=waiting.to_json()), "waiting"
    new, goto = settle(log, new, step.outcome)
    return new, "ended" if goto == "__end__" else "waiting"


def as_said(flow: CompiledFlow, state: ThreadState, changes: Mapping[str, Any]) -> str:
    """Changed answers as the user would say them where a thread stands, one a line."""
    waits = state.mode == "waiting" and state.waiting is not None and state.waiting["kind"] != "message"
    asked = pending(question_at(flow, state), state.at).key if waits else ""
    return "\n".join(_told(key, value, asked) for key, value in changes.items())


def _told(key: str, value: Any, asked: str) -> str:
    """A changed answer as the user would say it: the one that was asked for alone, another one by its name."""
    text = ("no", "yes")[value] if isinstance(value, bool) else str(value)
    return text if key == asked else f"{key.replace('_', ' ')}: {text}"


def _answered(log: Recorder, state: ThreadState, key: str, value: Any) -> ThreadState:
    """Commit one changed answer, held to schema and `validate` like any other."""
    values = seen_values(log, state)
    results = [validated(log.facts, Accepted(place, value, ""), values) for place in _asking(log.flow, key)]
    result = next((r for r in results if isinstance(r, Accepted)), results[0])
    if isinstance(result, Rejected):
        raise UsageError(
            "answer_refused",
            f"The answer {key!r} cannot be changed: {result.reason}",
            f"See what question {result.candidate.question.id!r} of the flow takes.",
        )
    path = tuple(key.split("."))
    replaced = lookup(state.answers, path)[1]
    log.emit(AnswerCommitted(result.candidate.question.id, key, value, "", replaced))
    declined = tuple(other for other in state.declined if other != key)
    changed = replace(state, answers=with_answer(state.answers, path, value), declined=declined)
    changed, events = reconsidered(log, changed, Changes(replaced=[f"answers.{key}"]))
    log.emit(*events)
    return changed


def _asking(flow: CompiledFlow, key: str) -> list[Candidate]:
    """The questions whose answer is `key`. Raises UsageError where there is none."""
    known = every_candidate(flow)
    found = [candidate for candidate in known if candidate.key == key]
    if not found:
        keys = list(dict.fromkeys(candidate.key for candidate in known))
        hint = Names(keys).hint(key, f"It asks for: {', '.join(keys) or 'nothing'}.")
        raise UsageError("unknown_answer", f"The flow {flow.id!r} asks for no answer {key!r}.", hint)
    return found
