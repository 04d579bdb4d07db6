"""Branching: a new thread goes on from where another one once waited or had ended, with answers changed or not."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from graphwright.errors import UsageError
from graphwright.flow.compiled import CompiledFlow
from graphwright.kernel import Ask, Perform, Stuck, lookup, with_answer
from graphwright.runtime.channels import blob_key
from graphwright.runtime.events import AnswerCommitted, Branched
from graphwright.runtime.questions import Candidate, every_candidate, pending
from graphwright.runtime.replay import Moment, event_index, fold
from graphwright.runtime.reply import Accepted, Rejected, validated
from graphwright.runtime.sentences import say
from graphwright.runtime.turn import WaitingFor
from graphwright.runtime.validation import first_violation
from graphwright.runtime.walk import FlowStuck, prompt, question_at, seen_values, settle, wait_for, walk

if TYPE_CHECKING:
    from graphwright.runtime.run import StepLog
    from graphwright.runtime.state import ThreadState
    from graphwright.store import EventRow, ThreadStatus


@dataclass(frozen=True, slots=True)
class Branch:
    """A thread that was made as a branch of `source`: it goes on after event `at`, a `status` of `waiting` or `ended`.

    `asked_at` tells, for each changed answer that the branch was not waiting for, after which event it had been asked
    for last: to walk the flow another way because of it, branch there.
    """

    thread: str
    source: str
    at: int
    status: ThreadStatus
    waiting_for: WaitingFor | None
    asked_at: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        return {
            "thread": self.thread,
            "source": self.source,
            "at": self.at,
            "status": self.status,
            "waiting_for": self.waiting_for.to_json() if self.waiting_for else None,
            "asked_at": dict(self.asked_at),
        }


def stop_before(rows: Sequence[EventRow], at: int) -> Moment:
    """The end of the last step, up to event `at`, after which the thread waited or had ended. Raises UsageError."""
    index = event_index(rows, at)
    ends = [row.seq for row in rows if row.event["type"] == "state_saved"]
    # What was saved right after an event is the state after that event.
    for seq in reversed([seq for seq in ends if seq <= index + 1]):
        moment = fold(rows, seq)
        if moment.status in ("waiting", "ended"):
            return moment
    first = next((seq for seq in ends if seq > index and fold(rows, seq).status != "running"), None)
    raise UsageError(
        "nothing_to_branch",
        f"Up to event {index} the thread had not waited for anything yet.",
        f"It first did after event {first}." if first is not None else "Finish its turn first: send it a message.",
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
        if question.read == "confirm":
            if isinstance(value, bool):
                return value
        elif question.schema and not first_violation(question.schema, value):
            return value
    return text if any(not q.schema or not first_violation(q.schema, text) for q in questions) else value


async def branched(
    log: StepLog, moment: Moment, source: str, changes: Mapping[str, Any]
) -> tuple[ThreadState, ThreadStatus]:
    """The state with which a branch begins, and its status; `log` gets what it adds to the copied trace.

    A changed answer is what a correction would be at that point: the position stays, and only if it is what the thread
    waits for the flow walks on from there. Actions are not performed. Confirmations do not carry over: what was done
    once on a yes is not done a second time on it. Raises UsageError, and FlowStuck where the answers lead nowhere.
    """
    flow = log.run.agent.flow
    state = replace(moment.state, born=secrets.token_hex(3), confirmed={}, failed={})
    if changes and state.mode in ("new", "ended") and not flow.keep_answers:
        raise UsageError(
            "answers_cleared",
            f"After event {moment.row.seq} the flow begins anew, without any answers: `restart: keep` would keep them.",
            "Branch at an event after which it waits for an answer.",
        )
    log.emit(Branched(source, moment.row.seq, tuple(changes)))
    for key, value in changes.items():
        state = await _answered(log, state, key, value)
    waits = state.mode == "waiting" and state.waiting is not None and state.waiting["kind"] != "message"
    if not changes or not waits:
        return state, "ended" if moment.status == "ended" else "waiting"
    question = question_at(flow, state)
    settled = pending(question, state.at).key in changes
    new = replace(state, invalid={}, waiting=None)
    new, step = await walk(log, new, state.at.completed() if settled else state.at)
    if not settled and isinstance(step.outcome, Ask) and step.outcome.node is question:
        return await wait_for(log, new, question), "waiting"
    if isinstance(step.outcome, Stuck):
        raise FlowStuck(step.outcome)
    log.emit(*step.events)
    if isinstance(step.outcome, Perform):
        waiting = WaitingFor(step.outcome.node.id, "", say(new.language, "go_on"), "message")
        prompt(log, waiting)
        return replace(new, mode="waiting", waiting=waiting.to_json()), "waiting"
    new, goto = await settle(log, new, step.outcome)
    return new, "ended" if goto == "__end__" else "waiting"


def asked_at(flow: CompiledFlow, rows: Sequence[EventRow], moment: Moment, keys: Sequence[str]) -> dict[str, int]:
    """For each of the answers `keys` that was not waited for at `moment`: after which event it was, the last time."""
    found: dict[str, int] = {}
    for key in keys:
        nodes = {c.question.id for c in _asking(flow, key)}
        asked = ""
        for row in rows[: moment.row.seq + 1]:
            if row.event["type"] == "prompted":
                asked = row.event["node"]
            elif row.event["type"] == "state_saved" and asked in nodes:
                found[key] = row.seq
                asked = ""
    return {key: seq for key, seq in found.items() if seq != moment.row.seq}


async def _answered(log: StepLog, state: ThreadState, key: str, value: Any) -> ThreadState:
    """Commit one changed answer, held to schema and `validate` like any other."""
    agent = log.run.agent
    values = await seen_values(log, state)
    results = [validated(agent, Accepted(place, value, ""), values) for place in _asking(agent.flow, key)]
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
    return replace(state, answers=with_answer(state.answers, path, value), declined=declined)


def _asking(flow: CompiledFlow, key: str) -> list[Candidate]:
    """The questions whose answer is `key`. Raises UsageError where there is none."""
    known = every_candidate(flow)
    found = [candidate for candidate in known if candidate.key == key]
    if not found:
        keys = list(dict.fromkeys(candidate.key for candidate in known))
        near = get_close_matches(key, keys, 1)
        guess = f"Did you mean {near[0]!r}? " if near else ""
        raise UsageError(
            "unknown_answer",
            f"The flow {flow.id!r} asks for no answer {key!r}.",
            f"{guess}It asks for: {', '.join(keys) or 'nothing'}.",
        )
    return found
