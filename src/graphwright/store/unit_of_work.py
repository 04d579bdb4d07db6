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
    keeping_state,
    put_thread,
    read_state,
    read_thread,
    write_copy,
)

if TYPE_CHECKING:
    from graphwright.store.database import Database, Write


class TurnWork:
    """What a turn that holds a thread has read, and what it will write. Made by `Store.turn`.

    Steps and outcomes are only noted until `flush` commits them together with the latest state: trace, messages, the
    thread's row and its state never disagree, whenever the process ends. Flush before anything that the outside
    world notices or that takes long; what is not flushed is dropped with the turn.
    """

    def __init__(self, database: Database, clock: Callable[[], str], thread: str) -> None:
        self._database = database
        self._clock = clock
        self._thread = thread
        self._columns: dict[str, Any] = {}
        self._writes: list[Write] = []
        self._touched = ""
        self._state: dict[str, Any] | None = None
        self.row: ThreadRow | None = None
        """The thread's row as it was when the turn began; None for a thread that does not exist yet."""
        self.state: Mapping[str, Any] = {}
        """The state as it was when the turn began: `{thread, inbox}`; empty where there is none."""

    def time(self) -> str:
        """Now, as every row has it."""
        return self._clock()

    async def begin(self) -> None:
        """Read the thread."""

        def work(connection: Connection) -> tuple[ThreadRow | None, dict[str, Any]]:
            return read_thread(connection, self._thread), read_state(connection, self._thread)

        self.row, self.state = await self._database.read(work)

    def note_thread(self, changes: ThreadChanges) -> None:
        """Note the row of a thread that does not exist yet, whole."""
        self._columns |= encode_changes(changes)
        self._touched = self.time()

    def note_state(self, thread: Mapping[str, Any], inbox: Mapping[str, Any]) -> None:
        """Note the state of the thread, and what came in that no step has taken in yet."""
        self._state = {"thread": thread, "inbox": inbox}

    def note_step(
        self,
        *,
        visit: int,
        first_event: int,
        events: Sequence[Mapping[str, Any]],
        first_message: int,
        messages: Sequence[tuple[Role, str]],
        changes: ThreadChanges,
        state: Mapping[str, Any],
        event_times: Sequence[str] = (),
        message_times: Sequence[str] = (),
    ) -> None:
        """Note what a step did: its events and messages from these numbers on, the thread's row and its state.

        The times are when each event and message came about, by default now. `changes` holds the whole row; only the
        title is that of the first step. Raises `StoreError("not_json")`.
        """
        time = self.time()
        columns = encode_changes(changes)
        self._writes += [
            adding_events(self._thread, visit, first_event, events, event_times or [time] * len(events)),
            adding_messages(self._thread, first_message, messages, message_times or [time] * len(messages)),
        ]
        titled = {"title": self._columns["title"]} if self._columns.get("title") else {}
        self._columns |= {**columns, **titled}
        self._touched = time
        self.note_state(state, {})

    def note_outcome(self, visit: int, node: str, status: OutcomeStatus, attempt: int, result: Any = None) -> None:
        """Note what came of a visit of an action. Raises `StoreError("not_json")`."""
        self._writes.append(noting_outcome(self._thread, visit, node, status, attempt, result, self.time()))

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
        """Commit all that was noted in one transaction.

        Raises `StoreError`; nothing at all is written then.
        """
        if not self.pending:
            return
        columns, writes = self._columns, list(self._writes)
        if self._state is not None:
            writes.append(keeping_state(self._thread, self._state))

        def work(connection: Connection) -> None:
            if columns:
                put_thread(connection, self._thread, columns, self._touched)
            for write in writes:
                write(connection)

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
        return bool(self._columns or self._writes) or self._state is not None

    def _flushed(self) -> None:
        self._columns, self._writes, self._state = {}, [], None
