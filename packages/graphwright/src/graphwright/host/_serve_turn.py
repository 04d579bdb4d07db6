"""Serve a turn of a thread: run the steps of the engine and execute their commands until the flow waits or ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.engine._asked_anew import lacking_answers, shows_other_content
from graphwright.engine._perform import Approval, approval, in_doubt, shown_by
from graphwright.engine.events import TurnResumed, events_from_json
from graphwright.engine.host_interface import (
    Command,
    Continue,
    End,
    Extract,
    Facts,
    Fail,
    Inbox,
    KnownOutcome,
    Perform,
    Recorder,
    Result,
    Wait,
)
from graphwright.engine.state import ThreadState, blob_key, with_files
from graphwright.engine.step import step
from graphwright.errors import UsageError
from graphwright.flow._dependencies import signature_of
from graphwright.flow._schema_validation import first_violation
from graphwright.flow.compiled import Action
from graphwright.host._execution import execute
from graphwright.host._run import StepRecord, TurnRun, facts_of, fetched, preload, run_validator
from graphwright.host._turn import TurnError
from graphwright.host._versions import VersionUnusable, choose, declared_code, in_earlier_version
from graphwright.host.discovery import short
from graphwright.host.thread_files import taken_in
from graphwright.host.transcript import request_title
from graphwright.text.yes_no import read_yes_no

if TYPE_CHECKING:
    from graphwright.host._definition import AgentDefinition
    from graphwright.store import Store, ThreadChanges, ThreadRow, ThreadStatus

_STATUS: dict[type[Command], ThreadStatus] = {Wait: "waiting", Continue: "running", End: "ended", Fail: "failed"}


async def serve(run: TurnRun, inbox: Inbox, files: Sequence[Path]) -> ThreadState:
    """Serve a turn: receive the inbox and run steps until the flow waits, ends or fails. Returns the new state.

    An interrupted turn is finished first; then the new message is `unread`. The steps are recorded in the unit of work
    of the turn, which is flushed before side effects.
    """
    work = run.work
    thread = ThreadState.from_json(work.state.get("thread") or {})
    run.known_visit = thread.visit
    # The inbox of an interrupted turn that was not received yet, or its action that was not completed.
    unread = Inbox.from_json(work.state["inbox"]) if work.state.get("inbox") else None
    unfinished = is_unfinished(thread)
    if work.row is not None:
        check_agent(run.agent, work.row)
    present = run.agent
    waits_in = await _choose_version(run, thread)
    _check_inbox(run, waits_in, thread, inbox, interrupted=unread is not None or unfinished)
    await _check_approval(run, waits_in, thread, inbox)
    # The declarations of the code are stored with the present version only.
    work.note_flow(run.agent.flow.canonical_text, declared_code(present) if run.agent is present else "")
    if files:
        taken = await asyncio.to_thread(taken_in, run.store.home, run.thread, files, thread.files)
        with_files(thread.files, taken)
        inbox = replace(inbox, files=tuple(taken))
    if work.row is None or work.row.status == "new":
        work.note_thread(begun(run, inbox))
    if unread is not None and _refuses(thread, inbox):
        # The interrupted reply was not read yet, so a no replaces it.
        return await _steps(run, thread, inbox)
    if unread is None and not unfinished:
        return await _steps(run, thread, inbox)
    said = unread.text if unread is not None else None
    left = await _finished(run, thread, unread)
    if inbox.text is not None and inbox.text not in (left.message, said):
        # The user has not seen how that turn ended, so this message cannot answer it.
        run.unread = inbox.text
    return left


def check_agent(agent: AgentDefinition, row: ThreadRow) -> None:
    """Refuse a thread of another flow. Raises UsageError (`other_agent`)."""
    if row.flow_id != agent.flow.id:
        raise UsageError(
            "other_agent",
            f"Thread {row.thread!r} belongs to {short(row.agent)!r} (flow {row.flow_id!r}), not to {agent.name!r}.",
            f"Use that agent ({row.agent}), or another thread.",
        )


async def approval_of(store: Store, agent: AgentDefinition, thread: ThreadState) -> Approval | None:
    """The pending approval, or None if no action waits for a yes."""
    large = await fetched(store, thread, shown_by(agent.flow, thread))
    return approval(agent.flow, thread, large)


async def is_outdated(store: Store, agent: AgentDefinition, id: str, thread: ThreadState, now: datetime) -> bool:
    """Whether the flow was changed so that a reply to the question that a thread waits at would not be used."""
    if thread.waiting is None or not in_earlier_version(agent, thread):
        return False
    found = await fetched(store, thread, thread.channels)
    contents = {blob_key(thread.channels[name]): value for name, value in found.items()}
    facts = Facts(
        flow=agent.flow,
        thread=id,
        now=now.astimezone(),
        token="",
        check=partial(run_validator, agent),
        contents=contents,
        without_model=True,
    )
    try:
        plan = (await choose(store, agent, id, thread, lambda: facts)).plan
    except VersionUnusable:
        return False
    if plan is None:
        return False
    after = plan.state
    if plan.asks_again or after.waiting is None or after.waiting.node != thread.waiting.node:
        return True
    if not after.waits_for("confirm"):
        return False
    return shows_other_content(agent.flow, after) or lacking_answers(Recorder(facts), after) is not None


def is_unfinished(thread: ThreadState) -> bool:
    """Return whether the last turn was interrupted before an action of it was completed."""
    return thread.mode == "performing" and thread.waiting is None


def begun(run: TurnRun, inbox: Inbox) -> ThreadChanges:
    """The row of a new thread, stored before its first step so that an interrupted turn can be found."""
    return {
        "agent": run.address,
        "flow_id": run.agent.flow.id,
        "flow_hash": run.agent.flow.hash,
        "status": "running",
        "waiting_for": None,
        "position": None,
        "title": request_title(inbox.text or ""),
        "turns": 0,
    }


# inside


async def _steps(run: TurnRun, thread: ThreadState, inbox: Inbox | None) -> ThreadState:
    """Receive the inbox, and perform the actions that follow. Without an inbox it was received before."""
    command: Command = Continue()
    if inbox is not None:
        # Stored with the first write, so that an interrupted turn can be finished.
        run.work.note_state(run.work.state.get("thread") or {}, inbox.to_json())
        thread, command = await _step(run, thread, inbox)
    while isinstance(command, Continue):
        run.steps += 1
        thread, command = await _step(run, thread, None)
    return thread


async def _step(run: TurnRun, thread: ThreadState, inbox: Inbox | None) -> tuple[ThreadState, Command]:
    """Run a step. If it needs the result of a command, execute the command and run the step again."""
    await preload(run, thread)
    known = await _stored_outcome(run, thread) if thread.mode == "performing" else None
    record, facts = StepRecord(run, thread.seq, thread.messages), facts_of(run, known)
    run.records.append(record)
    results: list[Result] = []
    while True:
        done = step(facts, thread, inbox, results)
        record.update(done.events)
        if not isinstance(done.command, Extract | Perform):
            break
        results.append(await execute(record, thread, done.command))
    run.memory = done.memory
    if isinstance(done.command, Fail):
        error = done.command.error
        run.error, run.exception = TurnError(error.code, error.message, error.hint), done.command.cause
    return record.finish(done.state, status=_STATUS[type(done.command)]), done.command


async def _stored_outcome(run: TurnRun, thread: ThreadState) -> KnownOutcome | None:
    """The stored outcome of the next visit: done, broken or unknown. None if the visit was not begun.

    An action without effects that broke its contract is performed again: its code may be another one now.
    """
    node = run.agent.flow.nodes[thread.at.node]
    if not isinstance(node, Action) or (visit := thread.visit_of(node.id)) > run.known_visit:
        return None
    found = await run.store.outcomes.get(run.thread, visit)
    is_broken = found is not None and found.status == "broken"
    if found is None or found.status == "raised" or (is_broken and not signature_of(run.agent.flow, node).effects):
        return None
    return KnownOutcome(is_broken, found.attempt, found.error or {})


async def _finished(run: TurnRun, thread: ThreadState, unread: Inbox | None) -> ThreadState:
    """Finish an interrupted turn. If it had received its inbox, its earlier events belong to it."""
    if unread is None:
        earlier = await run.store.events.read(run.thread, thread.turn_seq)
        run.events += events_from_json(row.event for row in earlier if row.seq < thread.seq)
        run.began = earlier[0].time if earlier else ""
    if run.on_event is not None:
        run.on_event(TurnResumed(thread.turn))
    return await _steps(run, thread, unread)


async def _choose_version(run: TurnRun, thread: ThreadState) -> AgentDefinition:
    """Choose the version of the flow that serves the turn. Returns the one in which the thread waits.

    Raises VersionUnusable.
    """
    if not in_earlier_version(run.agent, thread):
        return run.agent
    await preload(run, thread)
    chosen = await choose(run.store, run.agent, run.thread, thread, lambda: facts_of(run))
    run.agent, run.plan = chosen.agent, chosen.plan
    return chosen.waits_in


def _check_inbox(
    run: TurnRun, waits_in: AgentDefinition, thread: ThreadState, inbox: Inbox, *, interrupted: bool
) -> None:
    """Raise UsageError for an inbox that cannot be served. Interrupted turns can always be finished."""
    if interrupted:
        return
    if inbox.has_value and not thread.waits_for("question", "confirm", "choice"):
        raise UsageError(
            "nothing_waits",
            f"Thread {run.thread!r} does not wait for an answer.",
            f"Look at it with: graphwright threads show {run.thread}",
        )
    if thread.waiting is not None and _confirms_what_is_no_confirmation(waits_in, thread, inbox):
        raise UsageError(
            "not_a_confirmation",
            f"Thread {run.thread!r} does not wait for a yes or no.",
            f"Answer in words, or with a value, what it asks: {thread.waiting.prompt}",
        )
    if inbox.message is None and thread.mode in ("waiting", "performing"):
        raise UsageError(
            "already_waiting", f"Thread {run.thread!r} already waits for an answer.", "Send a message instead."
        )


def _confirms_what_is_no_confirmation(waits_in: AgentDefinition, thread: ThreadState, inbox: Inbox) -> bool:
    """Whether this is a yes or no, or an approval, for a question that takes neither."""
    if thread.waits_for("question", "choice") and inbox.approves:
        return True
    if not isinstance(inbox.value, bool) or thread.waits_for("confirm"):
        return False
    schema: Any = {} if in_doubt(thread) else waits_in.flow.question(thread.at.node).schema
    return not schema or bool(first_violation(schema, inbox.value))


async def _check_approval(run: TurnRun, waits_in: AgentDefinition, thread: ThreadState, inbox: Inbox) -> None:
    """Raise UsageError for a yes to anything but the pending approval."""
    if not inbox.approves:
        return
    found = await approval_of(run.store, waits_in, thread)
    if found is None or found.hash != inbox.approves:
        raise UsageError(
            "approval_changed",
            f"Thread {run.thread!r} waits for the approval of other content.",
            "Read the content that it shows now, and approve that content.",
        )


def _refuses(thread: ThreadState, inbox: Inbox) -> bool:
    """Whether the thread waits for a yes or no, and this is a plain no."""
    if thread.mode != "waiting" or not thread.waits_for("confirm"):
        return False
    return (inbox.value if inbox.has_value else read_yes_no(inbox.text or "")) is False
