"""The one door to the store: open it, and reach everything it keeps."""

# What is heavy to import (SQLAlchemy, asyncio) is imported when a store is opened, because the
# command line imports this module before it knows whether it needs one.

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from graphwright.store.errors import absent
from graphwright.store.lease import is_held

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from graphwright.store.database import Database
    from graphwright.store.rows import ThreadRow
    from graphwright.store.unit_of_work import TurnWork

T = TypeVar("T")

FILE = "graphwright.db"


def utc_now() -> datetime:
    """The time of day, in UTC."""
    return datetime.now(UTC)


class Store:
    """Everything that outlives the process, in one database file.

    `threads`, `events`, `messages`, `outcomes`, `blobs`, `records` and `access` are the tables by concept. Every method
    that touches the database is one transaction and raises `StoreError`. Made by `open_store`.
    """

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        from graphwright.store.access import Access
        from graphwright.store.records import Blobs, Outcomes, Records
        from graphwright.store.threads import Messages, Threads, Trace

        self._database = database
        self._now = now
        self.threads = Threads(database)
        self.events = Trace(database)
        self.messages = Messages(database)
        self.outcomes = Outcomes(database)
        self.blobs = Blobs(database)
        self.records = Records(database, self.time)
        self.access = Access(database, self.time)

    @property
    def path(self) -> Path:
        """The database file. It may not exist in a store opened with `create=False`."""
        return self._database.place

    def time(self) -> str:
        """Now, as every row has it: ISO 8601 in UTC with microseconds, so that texts sort by time."""
        return self._now().astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

    @asynccontextmanager
    async def turn(self, thread: str, *, patience: float = 60.0) -> AsyncIterator[TurnWork]:
        """Hold a thread for a turn: its lease, what is known of it, and what the turn is going to write.

        `patience` is how many seconds to wait for another turn of the thread.
        Raises `LeaseTimeout`, and `StoreError` as every reader does.
        """
        from graphwright.store.unit_of_work import TurnWork

        async with self.lease(thread, timeout=patience):
            self._database.require_in_place()
            work = TurnWork(self._database, self.time, thread)
            await work.begin()
            yield work

    def lease(self, thread: str, *, timeout: float = 60.0) -> AbstractAsyncContextManager[None]:
        """Hold a thread while its turn is served: `async with store.lease(thread):`.

        One holder at a time among all processes of this machine; the system gives the lease back when its
        holder dies. Tasks of one process are served in the order they came. It is not reentrant. `timeout` is
        in seconds. Raises `LeaseTimeout` naming who holds the thread.
        """
        self._require_file()
        # Else a folder of locks would be made anew where the whole folder was moved away.
        self._database.require_in_place()
        return self._database.leases.hold(thread, timeout)

    def is_held(self, thread: str) -> bool:
        """Return whether a turn holds the thread at this moment, in this process or another one."""
        return is_held(self.path.parent / "locks", thread)

    async def current(self, row: ThreadRow) -> ThreadRow:
        """Return the row of a thread as it is now, with its live status.

        It is `running` while a turn holds the thread, and `cut_short` if the last turn was interrupted.
        """
        while True:
            if self.is_held(row.thread):
                return replace(row, status="running")
            if row.status != "running":
                return row
            # The turn that left this row may have written its end since the row was read.
            now = await self.threads.get(row.thread)
            if now is None or now == row:
                return replace(row, status="cut_short")
            row = now

    async def state(self, thread: str) -> dict[str, Any]:
        """The state of a thread as its last turn left it, `{thread, inbox}`; empty for one that does not exist."""
        from graphwright.store.threads import read_state

        return await self._database.read(lambda c: read_state(c, thread))

    async def transaction(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on tables that this module does not know, in one transaction. Raises `StoreError`."""
        return await self._database.run(work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work`, which writes nothing, on tables that this module does not know. Raises `StoreError`."""
        return await self._database.read(work)

    async def require_ready(self) -> None:
        """Raise `StoreError` where the database cannot be read, or is no longer where it was opened."""
        self._database.require_in_place()
        await self._database.read(lambda c: c.exec_driver_sql("SELECT 1").all())

    def _require_file(self) -> None:
        if self._database.path is None:
            raise absent(self.path)


@asynccontextmanager
async def open_store(
    home: Path | None = None,
    *,
    create: bool = True,
    busy_timeout: float = 10.0,
    now: Callable[[], datetime] = utc_now,
) -> AsyncIterator[Store]:
    """Open the store in the folder `home`, by default the data home.

    All stores of a process in one folder share one open database, which is closed with the last of them. With
    `create=False` nothing is created on the disk: where there is no database the store reads as empty, and writing
    raises `StoreError("absent")`. `busy_timeout` is how many seconds to wait for another process that writes. `now`
    gives the time. Raises `StoreError`: `cannot_open`, `corrupted`, `foreign_database`, `locked`, `newer_schema`,
    `not_a_database`, `not_a_folder`, `older_schema`, `read_only`.
    """
    from graphwright.store.database import opened
    from graphwright.store.home import data_home

    place = (home or data_home()).absolute() / FILE
    async with opened(place, busy_timeout=busy_timeout, create=create) as database:
        yield Store(database, now)
