"""The store over an open database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from graphwright.store.protocols import Store
from graphwright.store.rows import ThreadRow
from graphwright.store.sql.access import SqlAccess
from graphwright.store.sql.database import Database
from graphwright.store.sql.flows import SqlFlowDocuments
from graphwright.store.sql.records import SqlBlobs, SqlOutcomes, SqlRecords
from graphwright.store.sql.runs import SqlRuns, SqlUploads
from graphwright.store.sql.threads import SqlMessages, SqlThreads, SqlTrace, read_state
from graphwright.store.sql.unit_of_work import SqlTurnWork


class SqlStore(Store):
    """The store in one database."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now
        self.home = database.home
        self.label = database.label
        self.threads = SqlThreads(database)
        self.events = SqlTrace(database)
        self.messages = SqlMessages(database)
        self.outcomes = SqlOutcomes(database)
        self.blobs = SqlBlobs(database)
        self.records = SqlRecords(database, self.time)
        self.flows = SqlFlowDocuments(database, self.time)
        self.runs = SqlRuns(database, self.time)
        self.uploads = SqlUploads(database)
        self.access = SqlAccess(database, self.time)

    def time(self) -> str:
        return self._now().astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

    @asynccontextmanager
    async def turn(self, thread: str, *, patience: float = 60.0) -> AsyncIterator[SqlTurnWork]:
        async with self.lease(thread, timeout=patience) as lease:
            self._database.require_in_place()
            work = SqlTurnWork(self._database, self.time, thread, lease)
            await work.begin()
            yield work

    def lease(self, thread: str, *, timeout: float = 60.0) -> AbstractAsyncContextManager[Any]:
        self._database.require_writable()
        return self._database.leases.hold(thread, timeout)

    async def held(self, threads: Collection[str]) -> set[str]:
        return await self._database.leases.held(threads)

    async def held_elsewhere(self, thread: str) -> bool:
        return await self._database.leases.held_elsewhere(thread)

    async def current(self, rows: Sequence[ThreadRow]) -> list[ThreadRow]:
        held = await self.held([row.thread for row in rows])
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
            held = bool(await self.held([row.thread]))
        return replace(row, status="running")

    async def state(self, thread: str) -> dict[str, Any]:
        return await self._database.read(lambda c: read_state(c, thread))

    async def require_ready(self) -> None:
        self._database.require_in_place()
        await self._database.read(lambda c: c.exec_driver_sql("SELECT 1").all())
