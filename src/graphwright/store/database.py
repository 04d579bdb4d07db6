"""The database: opening it, its pragmas and schema stamp, transactions, prepared statements."""

from __future__ import annotations

import asyncio
import errno
import os
import sqlite3
import stat
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import ClauseElement, Connection, Engine, create_engine, insert, inspect, select
from sqlalchemy.dialects.postgresql import Insert
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from graphwright.store import schema
from graphwright.store.errors import StoreError, absent, explain
from graphwright.store.sqlite_files import (
    explained,
    identity,
    know_every_letter,
    private_file,
    private_folder,
    use_write_ahead_log,
)

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


def replacing(put: Insert) -> Insert:
    """An insert that writes a row in the place of one that has its key."""
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
class _Errand:
    """Work for the thread of a database, and what came of it: told once it is on the disk."""

    work: Callable[[Connection], Any]
    told: asyncio.Future[Any]
    reads: bool
    result: Any = None
    error: BaseException | None = None

    def tell(self) -> None:
        if self.told.done():
            return
        if self.error is not None:
            self.told.set_exception(self.error)
        else:
            self.told.set_result(self.result)


class Database:
    """One SQLite file behind one open connection in a thread of its own; transactions follow one another.

    Work is handed to that thread whole: an async driver would make an errand of every statement. What waits for it
    meanwhile is committed together, so that many sessions share the cost of waiting for the disk.
    `place` names the file in messages. `path` is None for the empty one that stands for a file not made yet.
    """

    def __init__(self, engine: Engine, place: Path, path: Path | None, busy_timeout: float) -> None:
        self._engine = engine
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="graphwright-store")
        self._connection: Connection | None = None
        self._closed = False
        self._waiting: deque[_Errand] = deque()
        self._serving = False
        self._lock = threading.Lock()
        self.place = place
        self.path = path
        self.busy_timeout = busy_timeout
        self._identity: tuple[int, int] | None = None

    @classmethod
    async def open(cls, path: Path, *, busy_timeout: float, create: bool) -> Database:
        """Open the database file, making folder, file and tables where they are missing.

        With `create=False` a missing file is not made: the database is then empty, and writing to it is an
        error. `busy_timeout` is in seconds: how long to wait for another process that is writing.
        """
        if _found(path, create):
            database = cls(_engine(str(path), busy_timeout), path, path, busy_timeout)
        else:
            database = cls(_engine(":memory:", busy_timeout), path, None, busy_timeout)
        try:
            await database._prepare()
            database._identity = identity(database.path) if database.path is not None else None
        except BaseException:
            await database.close()
            raise
        return database

    def run(self, work: Callable[[Connection], T]) -> Coroutine[Any, Any, T]:
        """Run `work` in one transaction and commit it. What it raises undoes what it did, and nothing else.

        It stands in the queue from the call on, before all that is asked for later; what is given waits for its end.

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
        loop = asyncio.get_running_loop()
        told: asyncio.Future[T] = loop.create_future()
        with self._lock:
            self._waiting.append(_Errand(work, told, reads))
            idle, self._serving = not self._serving, True
        if idle:
            self._worker.submit(self._serve, loop)
        return told

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

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        """Do what waits, until nothing does."""
        while True:
            with self._lock:
                errands = [self._waiting.popleft() for _ in range(min(len(self._waiting), TOGETHER))]
                if not errands:
                    self._serving = False
                    return
            writes = [errand for errand in errands if not errand.reads]
            alone = errands if len(writes) < 2 else [errand for errand in errands if errand.reads]
            for errand in alone:
                self._explained(self._commit, [errand])
            if len(writes) > 1:
                self._explained(self._commit_together, writes)
            # Where the loop is closed nobody waits any more.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_tell, errands)

    def _explained(self, do: Callable[[list[_Errand]], None], errands: list[_Errand]) -> None:
        """Do it; what it raises is the error of each errand that has none of its own."""
        try:
            do(errands)
        except BaseException as error:
            for errand in errands:
                errand.error = errand.error or error
        for errand in errands:
            if isinstance(errand.error, _EXPLAINED) and (told := self.explain(errand.error)) is not None:
                told.__cause__ = errand.error
                errand.error = told

    def _commit(self, errands: list[_Errand]) -> None:
        (errand,) = errands
        with self._connected().begin() as transaction:
            if not errand.reads:
                # What it finds before it writes, such as tables that are missing, must still hold then.
                transaction.connection.exec_driver_sql("BEGIN IMMEDIATE")
            errand.result = errand.work(transaction.connection)

    def _commit_together(self, errands: list[_Errand]) -> None:
        with self._connected().begin() as transaction:
            connection = transaction.connection
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            for errand in errands:
                self._save(connection, errand)

    def _save(self, connection: Connection, errand: _Errand) -> None:
        """One piece of work of several in a transaction: what it raises undoes what it did alone."""
        driver = _driver(connection)
        driver.execute("SAVEPOINT errand")
        try:
            errand.result = errand.work(connection)
        except BaseException as error:
            if not driver.in_transaction:
                # A full disk, for one, takes back the whole transaction.
                raise
            errand.error = error
            driver.execute("ROLLBACK TO errand")
        driver.execute("RELEASE errand")

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._engine.dispose()

    async def _prepare(self) -> None:
        # Looked at before anything is changed, the journal mode included: it may be somebody else's file.
        made = await self.read(self._recognise)
        await self.read(lambda c: use_write_ahead_log(_driver(c), self.busy_timeout))
        if not made:
            await self.run(self._make_tables)
        if self.path is None:
            await self.read(lambda c: c.exec_driver_sql("PRAGMA query_only=ON"))

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


def _tell(errands: Sequence[_Errand]) -> None:
    for errand in errands:
        errand.tell()


def _engine(file: str, busy_timeout: float) -> Engine:
    def connect() -> sqlite3.Connection:
        # A transaction that begins by reading and then writes would fail at once instead of waiting.
        connection = sqlite3.connect(file, timeout=busy_timeout, isolation_level="IMMEDIATE", check_same_thread=False)
        for pragma in PRAGMAS:
            connection.execute(pragma)
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
            return create
        if not stat.S_ISREG(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        # Whatever else forbids writing SQLite names itself; this one it only calls "unable to open".
        if not os.access(path, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return True
