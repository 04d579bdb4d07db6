"""The store over an open database, and the unit of work of a turn, whose writes are committed in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from graphwright.store._errors import lease_lost
from graphwright.store.protocols import Store, TurnWork
from graphwright.store.rows import AuditEntry, Beginning, OutcomeStatus, Role, ThreadChanges, ThreadRow
from graphwright.store.sql._access import SqlAccess, adding_audit
from graphwright.store.sql._database import Database, Write
from graphwright.store.sql._flows import SqlFlowDocuments, keeping_code, keeping_document
from graphwright.store.sql._records import SqlBlobs, SqlOutcomes, SqlRecords, keeping_blob, noting_outcome
from graphwright.store.sql._runs import SqlRuns, SqlUploads
from graphwright.store.sql._threads import (
    SqlFeedbacks,
    SqlMessages,
    SqlThreads,
    SqlTrace,
    adding_events,
    adding_messages,
    encode_changes,
    keeping_state,
    put_thread,
    read_both,
    read_several,
    read_state,
    write_copy,
)


class SqlTurnWork(TurnWork):
    def __init__(self, database: Database, clock: Callable[[], str], thread: str, lease: Any) -> None:
        self._database = database
        self._clock = clock
        self._thread = thread
        self._lease = lease
        self._columns: dict[str, Any] = {}
        self._writes: list[Write] = []
        self._touched = ""
        self._state: dict[str, Any] | None = None
        self._documents: set[tuple[str, str]] = set()
        self.row: ThreadRow | None = None
        """The thread's row at the beginning of the turn, or None for a new thread."""
        self.state: Mapping[str, Any] = {}
        """The state at the beginning of the turn: `{thread, inbox}`; empty if there is none."""

    def time(self) -> str:
        return self._clock()

    async def begin(self) -> None:
        self.row, self.state = await self._database.read_short(lambda c: read_both(c, self._thread))

    def note_thread(self, changes: ThreadChanges) -> None:
        self._columns |= encode_changes(changes)
        self._touched = self.time()

    def note_state(self, thread: Mapping[str, Any], inbox: Mapping[str, Any]) -> None:
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
        self._writes.append(noting_outcome(self._thread, visit, node, status, attempt, result, self.time()))

    def note_blob(self, value: Any) -> str:
        digest, write = keeping_blob(self._thread, value)
        self._writes.append(write)
        return digest

    def note_flow(self, document: str, code: str = "") -> None:
        if (document, code) in self._database.known_documents:
            return
        digest, write = keeping_document(document, self.time())
        self._writes.append(write)
        if code:
            self._writes.append(keeping_code(digest, code, self.time()))
        self._documents.add((document, code))

    def note_audit(self, entry: AuditEntry) -> None:
        self._writes.append(adding_audit(entry, self.time()))

    def note_beginning(self, beginning: Beginning, title: str) -> None:
        self._writes.append(lambda c: write_copy(c, self._thread, beginning))
        self._columns |= encode_changes({"title": title})

    async def flush(self) -> None:
        if not self.pending:
            return
        columns, writes, count = self._columns, list(self._writes), len(self._writes)
        if self._state is not None:
            writes.append(keeping_state(self._thread, self._state))

        def work(connection: Connection) -> None:
            if columns:
                put_thread(connection, self._thread, columns, self._touched)
            for write in writes:
                write(connection)

        try:
            await self._database.run(work, lease=self._lease)
        except asyncio.CancelledError:
            # The transaction was finished before the cancellation.
            self._flushed(count)
            raise
        self._database.known_documents |= self._documents
        self._flushed(count)

    def require_lease(self) -> None:
        if not self._database.holds(self._lease):
            raise lease_lost(self._database.label)

    @property
    def pending(self) -> bool:
        return bool(self._columns or self._writes) or self._state is not None

    def _flushed(self, count: int) -> None:
        # The items of a list run at once: what one noted meanwhile is still to be written.
        self._columns, self._writes, self._state = {}, self._writes[count:], None


class SqlStore(Store):
    """The store in one database."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now
        self.home = database.home
        self.label = database.label
        self.threads = SqlThreads(database, self.time)
        self.events = SqlTrace(database, self.time)
        self.messages = SqlMessages(database, self.time)
        self.feedback = SqlFeedbacks(database, self.time)
        self.outcomes = SqlOutcomes(database, self.time)
        self.blobs = SqlBlobs(database, self.time)
        self.records = SqlRecords(database, self.time)
        self.flows = SqlFlowDocuments(database, self.time)
        self.runs = SqlRuns(database, self.time)
        self.uploads = SqlUploads(database, self.time)
        self.access = SqlAccess(database, self.time)

    def time(self) -> str:
        return self._now().astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

    @asynccontextmanager
    async def turn(self, thread: str, *, timeout_seconds: float = 60.0) -> AsyncIterator[SqlTurnWork]:
        async with self.lease(thread, timeout_seconds=timeout_seconds) as lease:
            self._database.require_in_place()
            work = SqlTurnWork(self._database, self.time, thread, lease)
            await work.begin()
            yield work

    @asynccontextmanager
    async def free_turns(self, threads: Collection[str]) -> AsyncIterator[dict[str, TurnWork]]:
        self._database.require_writable()
        async with self._database.leases.hold_free(threads) as leases:
            self._database.require_in_place()
            found = await self._database.read(lambda c: read_several(c, list(leases)))
            works: dict[str, TurnWork] = {}
            for thread, (row, state) in found.items():
                work = SqlTurnWork(self._database, self.time, thread, leases[thread])
                work.row, work.state = row, state
                works[thread] = work
            yield works

    def lease(self, thread: str, *, timeout_seconds: float = 60.0) -> AbstractAsyncContextManager[Any]:
        self._database.require_writable()
        return self._database.leases.hold(thread, timeout_seconds)

    async def leased(self, threads: Collection[str]) -> set[str]:
        return await self._database.leases.leased(threads)

    async def held_elsewhere(self, thread: str) -> bool:
        return await self._database.leases.held_elsewhere(thread)

    async def current(self, rows: Sequence[ThreadRow]) -> list[ThreadRow]:
        held = await self.leased([row.thread for row in rows])
        return [await self._current(row, row.thread in held) for row in rows]

    async def _current(self, row: ThreadRow, held: bool) -> ThreadRow:
        while not held:
            if row.status != "running":
                return row
            # The turn of this row may have stored its end since the row was read.
            now = await self.threads.get(row.thread)
            if now is None or now == row:
                return replace(row, status="cut_short")
            row = now
            held = bool(await self.leased([row.thread]))
        return replace(row, status="running")

    async def state(self, thread: str) -> dict[str, Any]:
        return await self._database.read(lambda c: read_state(c, thread))

    async def require_ready(self) -> None:
        self._database.require_in_place()
        await self._database.read(lambda c: c.exec_driver_sql("SELECT 1").all())
