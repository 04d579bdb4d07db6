"""The earlier states of a thread, folded from the trace; and branches, new threads that continue from one of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Protocol

from graphwright.engine._advance import Ask, Perform, Stuck
from graphwright.engine._changed_answers import reconsidered
from graphwright.engine._dependent_answers import Changes
from graphwright.engine._perform import ask_whether_again
from graphwright.engine._position import lookup
from graphwright.engine._questions import Candidate, every_candidate, pending
from graphwright.engine._repeated_effects import comes_again
from graphwright.engine._reply import Accepted, Rejected, validated
from graphwright.engine._walk import FlowStuck, apply_outcome, prompt, wait_for, walk
from graphwright.engine._wording import say
from graphwright.engine.events import (
    AnswerCommitted,
    Branched,
    ChannelsReset,
    ChannelsWritten,
    FlowMigrated,
    Moved,
    NodeEntered,
    Prompted,
    Said,
    TurnStarted,
    event_from_json,
)
from graphwright.engine.host_interface import Recorder, seen_values
from graphwright.engine.state import ThreadState, WaitingFor, apply, blob_key
from graphwright.errors import UsageError
from graphwright.flow._schema_validation import first_violation
from graphwright.flow.compiled import CompiledFlow
from graphwright.text.near_names import Names

__all__ = [
    "EventRow",
    "BranchStatus",
    "Moment",
    "fold",
    "event_index",
    "Branch",
    "stop_before",
    "blobs_in",
    "value_in",
    "branched",
    "as_said",
]


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

    `turn_over`: the event is the last one of its turn. `node` is the node of the conversation, empty before the first;
    `private` are the names of the private channels.
    """

    row: EventRow
    state: ThreadState
    turn_over: bool
    node: str
    private: frozenset[str]

    @property
    def status(self) -> str:
        """`new`, `waiting`, `ended`, or `running` during a turn."""
        if not self.turn_over:
            return "running"
        if self.state.waiting is not None:
            return "waiting"
        return "running" if self.state.mode == "performing" else self.state.mode


def fold(rows: Sequence[EventRow], at: int | None = None) -> Moment:
    """The thread after event `at` (its `seq`, or counted from the end where negative); by default after the last one.

    `rows` is a trace from its first event on. Raises UsageError (`no_such_event`, `unreadable_event`).
    """
    index = event_index(rows, at)
    state, node, private = ThreadState(), "", set[str]()
    messages = turn_seq = 0
    for place, row in enumerate(rows[: index + 1]):
        try:
            event = event_from_json(row.event)
            state = apply(state, event)
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
            raise UsageError(
                "unreadable_event",
                f"Event {place} of the trace ({row.event.get('type')!r}) cannot be read: it was changed by hand, or "
                "written by another version of Graphwright.",
                "The conversation can go on and be listed; only its earlier states and branches cannot be made of it.",
            ) from error
        match event:
            case TurnStarted():
                turn_seq = place
                messages += event.message is not None
            case Branched():
                messages += bool(event.answers)
            case Said() | Prompted():
                messages += bool(event.text)
            case NodeEntered():
                node = event.node
            case Moved():
                node = state.at.node
            case ChannelsReset() | ChannelsWritten():
                private.update(event.private)
    over = _is_last_of_turn(rows, index)
    state = replace(state, seq=index + 1, messages=messages, turn_seq=turn_seq)
    return Moment(rows[index], state, over, node, frozenset(private))


def _is_last_of_turn(rows: Sequence[EventRow], index: int) -> bool:
    """Whether an event is followed by a turn, a branch or the migration by an operator, or by nothing."""
    if index + 1 == len(rows):
        return True
    following = rows[index + 1].event
    return following["type"] in (TurnStarted.type, Branched.type) or bool(
        following["type"] == FlowMigrated.type and following.get("by")
    )


def event_index(rows: Sequence[EventRow], at: int | None) -> int:
    """The index of event `at` in `rows`. Raises UsageError with the valid range."""
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


@dataclass(frozen=True, slots=True)
class Branch:
    """A thread that was created as a branch of `source`: it continues after event `at`, `waiting` or `ended`."""

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
    for seq in range(index, -1, -1):
        if _is_last_of_turn(rows, seq):
            moment = fold(rows, seq)
            if moment.status in ("waiting", "ended"):
                return moment
    raise UsageError(
        "nothing_to_branch",
        f"Up to event {index} the thread had not waited for anything yet.",
        "Branch at a later event. If there is none, send the thread a message: it finishes the turn.",
    )


def blobs_in(rows: Sequence[EventRow]) -> set[str]:
    """The hashes of the large values in these events."""
    values = [v for row in rows for v in (row.event.get("values") or {}).values()]
    return {key for value in values if (key := blob_key(value))}


def value_in(flow: CompiledFlow, key: str, text: str) -> Any:
    """Parse a text as the answer `key`: as JSON, unless only the text itself fits the question.

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

    A changed answer is what a correction would be at that point. Actions are not performed. Confirmations do not carry
    over: a yes must not permit the same action a second time. Raises UsageError, and FlowStuck if no edge is open with
    the answers.
    """
    flow = log.flow
    state = moment.state
    if changes and state.mode in ("new", "ended") and not flow.keep_answers:
        raise UsageError(
            "answers_cleared",
            f"After event {moment.row.seq} the flow begins again without any answers: `restart: keep` would keep them.",
            "Branch at an event after which it waits for an answer.",
        )
    state = log.record(state, Branched(source, moment.row.seq, tuple(changes), log.facts.token))
    for key, value in changes.items():
        state = _answered(log, state, key, value)
    waits = state.mode == "waiting" and state.waits_for("question", "confirm", "choice")
    question = flow.question(state.at.node) if waits else None
    asked = pending(question, state.at).key if question else ""
    if not changes or question is None:
        return state, "ended" if moment.status == "ended" else "waiting"
    settled = asked in changes
    new, walked = walk(log, state, state.at.completed() if settled else state.at, performs=False)
    outcome = walked.outcome
    if not settled and isinstance(outcome, Ask) and outcome.node is question:
        return wait_for(log, log.record(state, walked.events[-1]), question), "waiting"
    if isinstance(outcome, Stuck):
        raise FlowStuck(outcome)
    log.emit(*walked.events)
    if isinstance(outcome, Perform) and comes_again(flow, new, outcome.node, outcome.position):
        new = log.record(new, Moved(outcome.position.to_json(), "performing", new.visit + 1))
        return ask_whether_again(log, new, outcome.node), "waiting"
    if isinstance(outcome, Perform):
        waiting = WaitingFor(outcome.node.id, "", say(new.language, "go_on"), "message")
        return prompt(log, new, waiting), "waiting"
    new, goto = apply_outcome(log, new, outcome)
    return new, "ended" if goto == "__end__" else "waiting"


def as_said(flow: CompiledFlow, state: ThreadState, changes: Mapping[str, Any]) -> str:
    """Changed answers as messages of the user at the present position, one per line."""
    waits = state.mode == "waiting" and state.waits_for("question", "confirm", "choice")
    asked = pending(flow.question(state.at.node), state.at).key if waits else ""
    return "\n".join(_answer_text(key, value, asked) for key, value in changes.items())


def _answer_text(key: str, value: Any, asked: str) -> str:
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
            f"The answer {key!r} cannot be changed. {result.reason}",
            f"See what question {result.candidate.question.id!r} of the flow takes.",
        )
    path = tuple(key.split("."))
    replaced = lookup(state.answers, path)[1]
    changed = log.record(state, AnswerCommitted(result.candidate.question.id, key, value, "", replaced))
    changed, events = reconsidered(log, changed, Changes(replaced=[f"answers.{key}"]))
    log.emit(*events)
    return changed


def _asking(flow: CompiledFlow, key: str) -> list[Candidate]:
    """The questions whose answer is `key`. Raises UsageError if there is none."""
    known = every_candidate(flow)
    found = [candidate for candidate in known if candidate.key == key]
    if not found:
        keys = list(dict.fromkeys(candidate.key for candidate in known))
        hint = Names(keys).hint(key, f"It asks for: {', '.join(keys) or 'nothing'}.")
        raise UsageError("unknown_answer", f"The flow {flow.id!r} asks for no answer {key!r}.", hint)
    return found
