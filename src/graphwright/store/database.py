"""The database: opening it, its pragmas and schema stamp, transactions, prepared statements."""

from __future__ import annotations

import asyncio
import errno
import os
import sqlite3
import stat
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import ClauseElement, Connection, Engine, create_engine, insert, inspect, select
from sqlalchemy.dialects.sqlite import Insert, dialect
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from graphwright.store import schema
from graphwright.store.errors import StoreError, absent, explain
from graphwright.store.lease import Leases
from graphwright.store.sqlite_files import (
    explained,
    identity,
    know_every_letter,
    private_file,
    private_folder,
    use_write_ahead_log,
)

if TYPE_CHECKING:
    from sqlalchemy.dialects.postgresql import Insert as PostgresInsert

Write = Callable[[Connection], None]
"""What a turn is going to write, run inside its transaction."""


class Prepared:
    """A statement whose parameters are all named: the columns of an insert, and bindparams."""

    def __init__(self, statement: ClauseElement) -> None:
        self.statement = statement

    def all(self, connection: Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run it, and give its rows."""
        sql, names = self._compiled
        rows: list[tuple[Any, ...]] = _driver(connection).execute(sql, [values[n] for n in names]).fetchall()
        return rows

    def run(self, connection: Connection, values: Mapping[str, Any]) -> None:
        """Run it once."""
        sql, names = self._compiled
        _driver(connection).execute(sql, [values[n] for n in names])

    def run_many(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run it once a row."""
        sql, names = self._compiled
        _driver(connection).executemany(sql, [[row[n] for n in names] for row in rows])

    @cached_property
    def _compiled(self) -> tuple[str, tuple[str, ...]]:
        compiled: Any = self.statement.compile(dialect=dialect())
        return str(compiled), tuple(compiled.positiontup or ())


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection


Upsert = TypeVar("Upsert", Insert, "PostgresInsert")


def replacing(put: Upsert) -> Upsert:
    """Return the insert with a clause that replaces a row of the same key."""
    others = {c.name: put.excluded[c.name] for c in put.table.c if not c.primary_key}
    return put.on_conflict_do_update(index_elements=[c for c in put.table.c if c.primary_key], set_=others)


T = TypeVar("T")


async def uninterrupted(work: asyncio.Future[T]) -> T:
    """Wait for `work` to end even when the caller is cancelled; what it raises comes first, then the cancellation."""
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait((work,))
        except asyncio.CancelledError as error:
            cancelled = error
    result = work.result()
    if cancelled is not None:
        raise cancelled
    return result


# FULL, because an outcome that a power cut takes back would be performed a second time.
PRAGMAS = ("PRAGMA foreign_keys=ON", "PRAGMA synchronous=FULL")


TOGETHER = 64
"""The most pieces of work that are committed together."""


@dataclass(slots=True)
class _Job:
    """Queued database work and its future, which belongs to the event loop of the caller."""

    work: Callable[[Connection], Any]
    future: asyncio.Future[Any]
    reads: bool
    result: Any = None
    error: BaseException | None = None

    def resolve(self) -> None:
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Database:
    """One SQLite file behind one open connection in its own thread; transactions run one after the other.

    A whole transaction is one job of that thread: an async driver would hand over every statement. Jobs that wait
    are committed together, so that many sessions share the cost of one sync to the disk. Callers may run in
    different event loops. `place` names the file in messages. `path` is None for the empty in-memory database that
    replaces a file that does not exist. Call `prepare` before anything else; `opened` does.
    """

    def __init__(self, place: Path, path: Path | None, busy_timeout: float) -> None:
        self._engine = _engine(str(path) if path is not None else ":memory:", busy_timeout)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="graphwright-store")
        self._connection: Connection | None = None
        self._closed = False
        self._prepared = False
        self._waiting: deque[_Job] = deque()
        self._serving = False
        self._lock = threading.Lock()
        self.place = place
        self.path = path
        self.busy_timeout = busy_timeout
        self._identity = identity(path) if path is not None else None
        self.leases = Leases(place.parent / "locks")

    async def prepare(self) -> None:
        """Set the journal mode and create missing tables. Does nothing after the first success."""
        if not self._prepared:
            await self.read(self._prepare)
            self._prepared = True

    def run(self, work: Callable[[Connection], T]) -> Coroutine[Any, Any, T]:
        """Run `work` in one transaction and commit it. What it raises undoes what it did, and nothing else.

        The call queues it, before everything that is queued later; the coroutine returned waits for its end.

        `work` writes before it reads, so that what it read cannot change under it. Being cancelled does not
        cut a transaction in two: it is brought to its end first, so a lease is never given back with a write
        under way.
        """
        return uninterrupted(self._queued(work, reads=False))

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work`, which writes nothing: it waits for no other program that writes."""
        return await uninterrupted(self._queued(work, reads=True))

    async def close(self) -> None:
        """Close the connection; the last one out merges the write-ahead log into the file."""
        if self._closed:
            return
        self._closed = True
        try:
            await uninterrupted(asyncio.get_running_loop().run_in_executor(self._worker, self._disconnect))
        finally:
            self._worker.shutdown(wait=False)

    def _queued(self, work: Callable[[Connection], T], *, reads: bool) -> asyncio.Future[T]:
        if self._closed:
            raise StoreError("closed", f"The store {self.place} is closed.")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        with self._lock:
            self._waiting.append(_Job(work, future, reads))
            idle, self._serving = not self._serving, True
        if idle:
            self._worker.submit(self._serve)
        return future

    def require_in_place(self) -> None:
        """Raise `StoreError("moved")` where the open file has lost its name: SQLite would go on writing to it."""
        if self.path is not None and identity(self.path) != self._identity:
            raise StoreError(
                "moved",
                f"The database {self.place} was deleted, moved or replaced while it was in use.",
                "Nothing was written. Put it back, or end this program and start it again.",
            )

    def explain(self, error: BaseException) -> StoreError | None:
        """What an error means in this database; None for an error that is not the database's."""
        told = explain(error, str(self.place))
        if told is not None and told.code == "read_only" and self.path is None:
            return absent(self.place)
        return told

    # in the thread of the database

    def _serve(self) -> None:
        """Run the queued jobs until the queue is empty."""
        while True:
            with self._lock:
                jobs = [self._waiting.popleft() for _ in range(min(len(self._waiting), TOGETHER))]
                if not jobs:
                    self._serving = False
                    return
            writes = [job for job in jobs if not job.reads]
            alone = jobs if len(writes) < 2 else [job for job in jobs if job.reads]
            for job in alone:
                self._explained(self._commit, [job])
            if len(writes) > 1:
                self._explained(self._commit_together, writes)
            for loop in {job.future.get_loop() for job in jobs}:
                # No one waits any more in a loop that is closed.
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(_resolve, [job for job in jobs if job.future.get_loop() is loop])

    def _explained(self, do: Callable[[list[_Job]], None], jobs: list[_Job]) -> None:
        """Do it; what it raises is the error of each job that has none of its own."""
        try:
            do(jobs)
        except BaseException as error:
            for job in jobs:
                job.error = job.error or error
        for job in jobs:
            if isinstance(job.error, _EXPLAINED) and (told := self.explain(job.error)) is not None:
                told.__cause__ = job.error
                job.error = told

    def _commit(self, jobs: list[_Job]) -> None:
        (job,) = jobs
        with self._connected().begin() as transaction:
            if not job.reads:
                # What it finds before it writes, such as tables that are missing, must still hold then.
                transaction.connection.exec_driver_sql("BEGIN IMMEDIATE")
            job.result = job.work(transaction.connection)

    def _commit_together(self, jobs: list[_Job]) -> None:
        with self._connected().begin() as transaction:
            connection = transaction.connection
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            for job in jobs:
                self._save(connection, job)

    def _save(self, connection: Connection, job: _Job) -> None:
        """One piece of work of several in a transaction: what it raises undoes what it did alone."""
        driver = _driver(connection)
        driver.execute("SAVEPOINT job")
        try:
            job.result = job.work(connection)
        except BaseException as error:
            if not driver.in_transaction:
                # A full disk, for one, takes back the whole transaction.
                raise
            job.error = error
            driver.execute("ROLLBACK TO job")
        driver.execute("RELEASE job")

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._engine.dispose()

    def _prepare(self, connection: Connection) -> None:
        if self._prepared:
            return
        # Checked before anything is changed, the journal mode included: the file may belong to another program.
        made = self._recognise(connection)
        use_write_ahead_log(_driver(connection), self.busy_timeout)
        if not made:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            self._make_tables(connection)
        if self.path is None:
            connection.exec_driver_sql("PRAGMA query_only=ON")

    def _make_tables(self, connection: Connection) -> None:
        if not self._recognise(connection):
            schema.metadata.create_all(connection)
            connection.execute(insert(schema.meta), {"key": "schema", "value": str(schema.VERSION)})

    def _recognise(self, connection: Connection) -> bool:
        """Whether the tables are there already. Refuses a database that is not ours or too new."""
        tables = set(inspect(connection).get_table_names())
        if not tables:
            return False
        stamps = select(schema.meta.c.value).where(schema.meta.c.key == "schema")
        stamp = connection.scalar(stamps) if schema.meta.name in tables else None
        schema.require_known(self.place, stamp, tables)
        return True


_EXPLAINED = (SQLAlchemyError, sqlite3.Error, OSError, UnicodeDecodeError)


def _resolve(jobs: Sequence[_Job]) -> None:
    for job in jobs:
        job.resolve()


@dataclass(slots=True)
class _Shared:
    database: Database
    users: int = 0


_shared: dict[tuple[object, ...], _Shared] = {}
_sharing = threading.Lock()


@asynccontextmanager
async def opened(path: Path, *, busy_timeout: float, create: bool) -> AsyncIterator[Database]:
    """Open the database file `path`, or share it with those in this process that have it open; the last one closes it.

    With `create=False` a missing file is not created: the database is then empty and read-only. `busy_timeout` is how
    many seconds to wait for another process that writes.
    """
    key: tuple[object, ...] = (object(),)
    if _found(path, create):
        # By inode, so that a file put in the place of a deleted one is opened anew; by process, because a forked child
        # cannot use the connection of its parent.
        key = (os.getpid(), identity(path), busy_timeout)
    with _sharing:
        if (shared := _shared.get(key)) is None:
            found = len(key) > 1
            shared = _shared[key] = _Shared(Database(path, path if found else None, busy_timeout))
        shared.users += 1
    try:
        await shared.database.prepare()
        yield shared.database
    finally:
        with _sharing:
            shared.users -= 1
            last = not shared.users
            if last:
                del _shared[key]
        if last:
            await shared.database.close()


def _engine(file: str, busy_timeout: float) -> Engine:
    def connect() -> sqlite3.Connection:
        # A transaction that begins by reading and then writes would fail at once instead of waiting.
        connection = sqlite3.connect(file, timeout=busy_timeout, isolation_level="IMMEDIATE", check_same_thread=False)
        try:
            for pragma in PRAGMAS:
                connection.execute(pragma)
        except BaseException:
            connection.close()
            raise
        know_every_letter(connection)
        return connection

    # One connection: SQLite has one writer anyway, and who queues in itself never finds the file busy. Every
    # transaction ends with a commit or rollback of its own: another one on return is a wasted call.
    return create_engine("sqlite://", creator=connect, poolclass=StaticPool, pool_reset_on_return=None)


def _found(path: Path, create: bool) -> bool:
    """Whether there is a file to open. A new one is for its owner alone: conversations are private."""
    with explained(path):
        try:
            # What lies below a file is no mere absence: that raises.
            mode = path.stat().st_mode
        except FileNotFoundError:
            if create:
                private_folder(path.parent)
                private_file(path)
            elif not os.access(next(each for each in path.parents if each.exists()), os.W_OK):
                # It would be reported as empty until the first conversation fails.
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from None
            return create
        if not stat.S_ISREG(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        # Whatever else forbids writing SQLite names itself; this one it only calls "unable to open".
        if not os.access(path, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return True
