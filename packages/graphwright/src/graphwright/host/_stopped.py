"""A turn that the user stopped: it changes nothing, and trace, log and messages have it as one that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphwright.engine._walk import fail
from graphwright.engine.events import FileGiven, NodeEntered, TraceEvent, TurnStarted
from graphwright.engine.host_interface import Inbox, Recorder
from graphwright.engine.state import CHANGING, ThreadState
from graphwright.errors import GraphwrightError
from graphwright.host._run import StepRecord, facts_of, preload
from graphwright.host._serve_turn import begun, is_unfinished
from graphwright.host._turn import TurnError
from graphwright.host._versions import declared_code

if TYPE_CHECKING:
    from graphwright.host._run import TurnRun


async def store_stop(run: TurnRun, cut: TurnRun, inbox: Inbox) -> ThreadState | None:
    """Store the turn `cut` of a message as stopped, in the unit of work of `run`. Returns the state after it.

    The thread waits as before the message. None if a part of the turn is stored already, such as an action with
    effects, or if the flow was changed before it: then the next message finishes it.
    """
    state = ThreadState.from_json(run.work.state.get("thread") or {})
    found = [each for record in cut.records for each in zip(record.events, record.times, strict=True)]
    if not found or cut.records[0].first_event != state.seq or is_unfinished(state):
        return None
    started = found[0][0]
    if not isinstance(started, TurnStarted) or started.message != inbox.message:
        return None
    if state.flow_hash not in ("", run.agent.flow.hash):
        return None
    kept = [each for each in found if not isinstance(each[0], CHANGING) or isinstance(each[0], TurnStarted | FileGiven)]
    await preload(run, state)
    run.work.note_flow(run.agent.flow.canonical_text, declared_code(run.agent))
    if run.work.row is None or run.work.row.status == "new":
        run.work.note_thread(begun(run, inbox))
    record = StepRecord(run, state.seq, state.messages)
    log = Recorder(facts_of(run))
    state = log.record(state, *(event for event, _ in kept))
    error = GraphwrightError("stopped", "The turn was stopped.", "Send a message to go on.")
    state, _ = fail(log, state, _node(run, state, log.events), error)
    run.error = TurnError(error.code, error.message, error.hint)
    record.events = list(log.events)
    record.times = [*(time for _, time in kept), *[run.work.time()] * (len(log.events) - len(kept))]
    # A failed action is still to be tried again.
    was_failed = run.work.row is not None and run.work.row.status == "failed"
    state = record.finish(state, status="failed" if was_failed else "waiting")
    run.usage = cut.usage
    await run.work.flush()
    return state


def _node(run: TurnRun, state: ThreadState, events: list[TraceEvent]) -> str:
    """The node that the turn had reached."""
    entered = [each.node for each in events if isinstance(each, NodeEntered)]
    if entered:
        return entered[-1]
    return state.at.node if state.position else run.agent.flow.root.entry
