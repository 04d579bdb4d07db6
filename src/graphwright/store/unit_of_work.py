"""The unit of work of a turn: what it has to write, gathered step by step and committed in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from graphwright.store.records import keeping_blob, noting_outcome
from graphwright.store.rows import OutcomeStatus, Role, ThreadChanges, ThreadRow
from graphwright.store.threads import (
    Beginning,
    adding_events,
    adding_messages,
    encode_changes,
    put_thread,
    read_thread,
    write_copy,
)

if TYPE_CHECKING:
    from graphwright.store.checkpoints import StagedCheckpoint, ThreadSaver
    from graphwright.store.database import Database, Write

INTERRUPT = "__interrupt__"
"""The channel in which LangGraph notes that a graph waits."""


class TurnWork:
    """What a turn that holds a thread has read, and what it will write. Made by `Store.turn`.

    Steps and outcomes are only noted until `flush` commits them together with the latest checkpoint: trace, messages,
    the thread's row and its state never disagree, whenever the process ends. Flush before anything that the outside
    world notices or that takes long; what is not flushed is dropped with the turn.
    """

    def __init__(self, database: Database, clock: Callable[[], str], saver: ThreadSaver, thread: str) -> None:
        self._database = database
        self._clock = clock
        self._saver = saver
        self._thread = thread
        self._staged: StagedCheckpoint
        self._columns: dict[str, Any] = {}
        self._writes: list[Write] = []
        self._touched = ""
        self.row: ThreadRow | None = None
        """The thread's row as it was when the turn began; None for a thread that does not exist yet."""

    async def begin(self) -> None:
        """Read the thread, and hold its checkpoints from now on."""

        def work(connection: Connection) -> tuple[ThreadRow | None, StagedCheckpoint]:
            return read_thread(connection, self._thread), self._saver.read(connection, self._thread)

        self.row, self._staged = await self._database.read(work)
        self._saver.hold(self._staged)

    def end(self) -> None:
        """Let go of the thread's checkpoints."""
        self._saver.release(self._thread)

    @property
    def state(self) -> Mapping[str, Any]:
        """The channels of the latest checkpoint; empty where there is none."""
        checkpoint = self._staged.checkpoint
        return checkpoint["channel_values"] if checkpoint is not None else {}

    @property
    def interrupted(self) -> bool:
        """Whether the graph waits at an interrupt, so that a value resumes it."""
        return any(channel == INTERRUPT for _, channel, _ in self._staged.writes.values())

    def note_thread(self, changes: ThreadChanges) -> None:
        """Note the row of a thread that does not exist yet, whole."""
        self._columns |= encode_changes(changes)
        self._touched = self._clock()

    def note_state(self, values: Mapping[str, Any]) -> None:
        """Note other values for channels of the latest checkpoint, inside the step that it is about to run.

        After a crash that step is run again, with these.
        """
        self._staged.put_values(values)

    def note_step(
        self,
        *,
        visit: int,
        first_event: int,
        events: Sequence[Mapping[str, Any]],
        first_message: int,
        messages: Sequence[tuple[Role, str]],
        changes: ThreadChanges,
    ) -> None:
        """Note what a step did: its events and messages from these numbers on, and the thread's row.

        `changes` holds the whole row; only the title is that of the first step. Raises `StoreError("not_json")`.
        """
        time = self._clock()
        columns = encode_changes(changes)
        self._writes += [
            adding_events(self._thread, visit, first_event, events, time),
            adding_messages(self._thread, first_message, messages, time),
        ]
        self._columns |= columns
        self._touched = time

    def note_outcome(self, visit: int, node: str, status: OutcomeStatus, attempt: int, result: Any = None) -> None:
        """Note what came of a visit of an action. Raises `StoreError("not_json")`."""
        self._writes.append(noting_outcome(self._thread, visit, node, status, attempt, result, self._clock()))

    def note_blob(self, value: Any) -> str:
        """Note a large JSON value, and give its hash; `Blobs.get` has it after `flush`.

        Raises `StoreError("not_json")`.
        """
        digest, write = keeping_blob(self._thread, value)
        self._writes.append(write)
        return digest

    def note_beginning(self, beginning: Beginning, title: str) -> None:
        """Note that this thread, which must be new, begins as another one did. Its own events and messages follow."""
        self._writes.append(lambda c: write_copy(c, self._thread, beginning))
        self._columns |= encode_changes({"title": title})

    async def flush(self) -> None:
        """Commit all that was noted, and the latest checkpoint, in one transaction.

        Raises `StoreError`; nothing at all is written then.
        """
        if not self.pending:
            return
        columns, writes = self._columns, self._writes
        save = self._saver.writing(self._staged) if self._staged.changed else None

        def work(connection: Connection) -> None:
            if columns:
                put_thread(connection, self._thread, columns, self._touched)
            for write in writes:
                write(connection)
            if save is not None:
                save(connection)

        try:
            await self._database.run(work)
        except asyncio.CancelledError:
            # Cancelled it may be, but it was brought to its end before.
            self._flushed()
            raise
        self._flushed()

    @property
    def pending(self) -> bool:
        """Whether something noted is not written yet."""
        return bool(self._columns or self._writes) or self._staged.changed

    def _flushed(self) -> None:
        self._columns, self._writes = {}, []
        self._staged.changed = False
