"""Find the turn of a message that was accepted before its process died."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from graphwright.engine.events import ModelCalled, TurnFailed, TurnStarted, events_from_json
from graphwright.engine.host_interface import Inbox
from graphwright.engine.replay import fold
from graphwright.engine.state import ThreadState
from graphwright.host._serve_turn import is_unfinished
from graphwright.host._turn import TurnError, TurnUsage

if TYPE_CHECKING:
    from graphwright.host._run import TurnRun
    from graphwright.store import EventRow

Fate = Literal["taken", "unfinished", "unread"]
"""The state of a message whose turn did not end. `taken`: another process serves it. `unfinished`: the next turn
finishes it. `unread`: it must be sent again, because its turn had to finish an earlier one first."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An accepted message.

    `turn` is the number of the turn that it starts, or of the unfinished turn if the thread was `interrupted`.
    """

    inbox: Inbox
    turn: int
    interrupted: bool

    def began(self, event: Mapping[str, Any]) -> bool:
        """Return whether the `turn_started` event belongs to a turn that received this message."""
        if event["turn"] < self.turn:
            return False
        if self.inbox.message is None and self.interrupted:
            return True
        if self.inbox.has_value:
            return bool(event.get("resumed")) and bool(event.get("value") == self.inbox.value)
        return bool(event.get("message") == self.inbox.message)


async def received(run: TurnRun, accepted: Accepted) -> ThreadState | Inbox | None:
    """Find the turn of an accepted message. The caller holds the thread.

    Returns the state after its turn if that has ended, with the turn's events in `run`. If its turn must be finished,
    returns an empty inbox; if no turn has received it, its own inbox. None if no turn may receive it any more.
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
            return Inbox()
        return _ended(run, rows[:after], own)
    if pending is not None and pending.message == accepted.inbox.message:
        return Inbox()
    moved_on = thread.turn >= accepted.turn or pending is not None or is_unfinished(thread)
    return None if accepted.interrupted or moved_on else accepted.inbox


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
