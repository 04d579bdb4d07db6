"""Recover a message that was accepted before its process died: find its turn, or keep it for the next turn."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from graphwright.engine.events import ModelCalled, TurnFailed, TurnStarted, events_from_json
from graphwright.engine.host_interface import Inbox
from graphwright.engine.replay import fold
from graphwright.engine.state import ThreadState
from graphwright.host._serve_turn import begun, check_approval, check_inbox, is_unfinished
from graphwright.host._turn import TurnError, TurnUsage
from graphwright.host.thread_files import readable, taken_in

if TYPE_CHECKING:
    from graphwright.host._run import TurnRun
    from graphwright.store import EventRow

Fate = Literal["unfinished", "unread"]
"""The state of a message whose turn did not end. `unfinished`: the next turn finishes it. `unread`: it must be sent
again, because its turn had to finish an earlier one first."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An accepted message.

    `turn` is the number of the turn that it starts, or of the unfinished turn if the thread was `interrupted`.
    """

    inbox: Inbox
    files: tuple[Path, ...]
    turn: int
    interrupted: bool

    def began(self, event: Mapping[str, Any]) -> bool:
        """Return whether the `turn_started` event belongs to a turn that received this message."""
        if event["turn"] < self.turn:
            return False
        if self.inbox.message is None and self.interrupted:
            return True
        return bool(event.get("message") == self.inbox.message)


async def recover(run: TurnRun, accepted: Accepted) -> ThreadState | Fate:
    """Find the turn of an accepted message. A message that no turn received is stored for the next turn.

    Returns the state after its turn if that has ended, with the turn's events in `run`. Raises what refuses the message
    as the turn would have done. The caller holds the thread.
    """
    work = run.work
    thread = ThreadState.from_json(work.state.get("thread") or {})
    pending = Inbox.from_json(work.state["inbox"]) if work.state.get("inbox") else None
    rows = await run.store.events.read(run.thread)
    starts = [i for i, row in enumerate(rows) if row.event["type"] == TurnStarted.type]
    own = next((i for i in starts if accepted.began(rows[i].event)), None)
    if own is not None:
        after = next((i for i in starts if i > own), None)
        if after is None and (pending is not None or is_unfinished(thread)):
            return "unfinished"
        return _ended(run, rows[:after], own)
    if pending is not None and pending.message == accepted.inbox.message:
        return "unfinished"
    moved_on = thread.turn >= accepted.turn or pending is not None or is_unfinished(thread)
    if accepted.inbox.message is None or accepted.interrupted or moved_on:
        return "unread"
    await check_inbox(run, thread, accepted.inbox, interrupted=False)
    await check_approval(run, thread, accepted.inbox)
    await _note(run, thread, accepted)
    return "unfinished"


async def _note(run: TurnRun, thread: ThreadState, accepted: Accepted) -> None:
    """Store the message as the inbox, so that the next turn receives it first."""
    work, inbox = run.work, accepted.inbox
    if files := readable(run.agent, accepted.files):
        folder = run.store.home
        taken = await asyncio.to_thread(taken_in, folder, run.thread, files, thread.files)
        inbox = replace(inbox, files=tuple(taken))
    if work.row is not None and work.row.status == "new":
        work.note_thread(begun(run, inbox))
    work.note_state(thread.to_json(), inbox.to_json())


def _ended(run: TurnRun, rows: Sequence[EventRow], first: int) -> ThreadState:
    """Read the events of a turn into `run`; returns the state after it."""
    run.events = events_from_json(row.event for row in rows[first:])
    failed = next((each for each in reversed(run.events) if isinstance(each, TurnFailed)), None)
    if failed is not None:
        run.error = TurnError(failed.code, failed.message, failed.hint)
    calls = [each for each in run.events if isinstance(each, ModelCalled)]
    run.usage = TurnUsage(len(calls), sum(each.input_tokens for each in calls), sum(e.output_tokens for e in calls))
    run.began, run.ended = rows[first].time, rows[-1].time
    return fold(rows).state
