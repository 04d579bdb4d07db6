"""One SQLite file as a database: opening it, its pragmas, its transactions, and sharing it in a process."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import StaticPool

from graphwright.store.errors import StoreError, absent, explain
from graphwright.store.sql import schema
from graphwright.store.sql.database import Database, Job, shared
from graphwright.store.sql.statements import driver
from graphwright.store.sqlite.lease import FileLeases
from graphwright.store.sqlite_files import (
    explained,
    identity,
    know_every_letter,
    private_file,
    private_folder,
    transaction,
    use_write_ahead_log,
)

# FULL, because an outcome that a power cut takes back would be performed a second time.
PRAGMAS = ("PRAGMA foreign_keys=ON", "PRAGMA synchronous=FULL")


class SqliteDatabase(Database):
    """One SQLite file. `path` is None for the empty in-memory database that replaces a file that does not exist."""

    closed_errors = (*Database.closed_errors, sqlite3.Error)
    is_local = True

    def __init__(self, place: Path, path: Path | None, busy_timeout: float) -> None:
        super().__init__(place.parent, str(place), _engine(str(path) if path is not None else ":memory:", busy_timeout))
        self.place = place
        self.path = path
        self.busy_timeout = busy_timeout
        self._identity = identity(path) if path is not None else None
        self.leases = FileLeases(place.parent / "locks")

    def require_in_place(self) -> None:
        """Raise `StoreError("moved")` where the open file has lost its name: SQLite would go on writing to it."""
        if self.path is not None and identity(self.path) != self._identity:
            raise StoreError(
                "moved",
                f"The database {self.place} was deleted, moved or replaced while it was in use.",
                "Nothing was written. Put it back, or end this program and start it again.",
            )

    def explain(self, error: BaseException) -> StoreError | None:
        told = explain(error, self.label)
        if told is not None and told.code == "read_only" and self.path is None:
            return absent(self.place)
        return told

    def require_writable(self) -> None:
        if self.path is None:
            raise absent(self.place)
        # Else a folder of locks would be made anew where the whole folder was moved away.
        self.require_in_place()

    # in the thread of the database

    def _do(self, job: Job) -> None:
        if job.reads:
            job.result = job.work(self._connected())
        else:
            self._transact([job])

    def _commit_together(self, jobs: Sequence[Job]) -> None:
        self._transact(jobs)

    def _transact(self, jobs: Sequence[Job]) -> None:
        connection = self._connected()
        raw = driver(connection)
        # What work finds before it writes must still hold when it writes.
        raw.execute("BEGIN IMMEDIATE")
        try:
            if len(jobs) == 1:
                jobs[0].result = jobs[0].work(connection)
            else:
                for job in jobs:
                    self._save(connection, job)
            raw.execute("COMMIT")
        except BaseException:
            # A full disk, for one, has ended the transaction itself.
            if raw.in_transaction:
                raw.execute("ROLLBACK")
            raise

    def _save(self, connection: Connection, job: Job) -> None:
        """One piece of work of several in a transaction: what it raises undoes what it did alone."""
        raw = driver(connection)
        raw.execute("SAVEPOINT job")
        try:
            job.result = job.work(connection)
        except BaseException as error:
            if not raw.in_transaction:
                # A full disk, for one, takes back the whole transaction.
                raise
            job.error = error
            raw.execute("ROLLBACK TO job")
        raw.execute("RELEASE job")

    def _prepare(self, connection: Connection) -> None:
        # Checked before anything is changed, the journal mode included: the file may belong to another program.
        version = schema.stamped(connection, self.label)
        use_write_ahead_log(driver(connection), self.busy_timeout)
        if version != schema.VERSION:
            self._make_tables(connection)
        if self.path is None:
            connection.exec_driver_sql("PRAGMA query_only=ON")

    def _make_tables(self, connection: Connection) -> None:
        with transaction(driver(connection)):
            # Another process may have been first.
            version = schema.stamped(connection, self.label)
            if version is None:
                schema.make_tables(connection)
            elif version != schema.VERSION:
                self._back_up(version)
                schema.migrate(connection, version)

    def _back_up(self, version: int) -> None:
        """Copy the file as it was before its tables are changed; an earlier copy stays."""
        backup = self.place.with_name(f"{self.place.name}.version{version}")
        aside = backup.with_name(f".{backup.name}.part")
        if backup.exists():
            return
        private_file(aside)
        with closing(sqlite3.connect(self.place)) as source, closing(sqlite3.connect(aside)) as copy:
            source.backup(copy)
        os.replace(aside, backup)


@asynccontextmanager
async def opened(path: Path, *, busy_timeout: float, create: bool) -> AsyncIterator[Database]:
    """Open the database file `path`, or share it with those in this process that have it open.

    With `create=False` a missing file is not created: the database is then empty and read-only. `busy_timeout` is how
    many seconds to wait for another process that writes.
    """
    found = _found(path, create)
    # By inode, so that a file put in the place of a deleted one is opened anew.
    key = (identity(path), busy_timeout) if found else (object(),)
    async with shared(key, lambda: SqliteDatabase(path, path if found else None, busy_timeout)) as database:
        yield database


def _engine(file: str, busy_timeout: float) -> Engine:
    def connect() -> sqlite3.Connection:
        # It begins no transaction on its own: that costs a look at each statement.
        connection = sqlite3.connect(file, timeout=busy_timeout, isolation_level=None, check_same_thread=False)
        try:
            for pragma in PRAGMAS:
                connection.execute(pragma)
        except BaseException:
            connection.close()
            raise
        know_every_letter(connection)
        return connection

    # One connection: SQLite has one writer anyway, and who queues in itself never finds the file busy.
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
