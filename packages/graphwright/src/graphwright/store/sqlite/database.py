"""A SQLite file as a database: opening, pragmas, transactions, sharing it in a process, and leases by file locks."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import sqlite3
import stat
import time
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import StaticPool

from graphwright.store._errors import StoreError, absent, explain
from graphwright.store.sql import _schema as schema
from graphwright.store.sql._database import Database, Job, Leases, driver, shared
from graphwright.store.sqlite_files import (
    explained,
    know_every_letter,
    private_file,
    private_folder,
    transaction,
    use_write_ahead_log,
)

__all__ = ["identity"]

_SIGNATURE = 80
"""Bytes. All signatures have the same length, so that one replaces another completely."""


class FileLeases(Leases[int]):
    """The leases of one SQLite file, as locks on files in `folder`; a lock is the descriptor of its open file."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    async def leased(self, threads: Collection[str]) -> set[str]:
        return {thread for thread in threads if is_held(self._folder, thread)}

    async def held_elsewhere(self, thread: str) -> bool:
        # The holder signs the lock file, so the signature of a turn of this process is its own.
        return is_held(self._folder, thread) and self._signature(thread)[0] not in (None, os.getpid())

    async def attempt(self, thread: str) -> int | None:
        path = lock_file(self._folder, thread)
        try:
            descriptor = self._open_lock_file(path)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.pwrite(descriptor, _signed(os.getpid(), int(time.time())), 0)
            except BaseException as error:
                os.close(descriptor)
                if isinstance(error, BlockingIOError):
                    return None
                raise
        except OSError as error:
            raise explain(error, str(path)) or error from error
        return descriptor

    def release(self, thread: str, lock: int) -> None:
        # The file stays: creating and removing it costs more than everything else in a lease.
        os.close(lock)

    async def holder(self, thread: str) -> str:
        process, since = self._signature(thread)
        return f"process {process} has held it since {since}" if process else "another process holds it"

    def _open_lock_file(self, path: Path) -> int:
        with contextlib.suppress(FileNotFoundError):
            return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        private_folder(self._folder)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def _signature(self, thread: str) -> tuple[int | None, str]:
        """Return the process that signed a lock file last, and when."""
        try:
            holder = json.loads(lock_file(self._folder, thread).read_bytes())
            return int(holder["process"]), str(holder["since"])
        except (OSError, ValueError, KeyError, TypeError):
            return None, ""


@lru_cache(maxsize=1)
def _signed(process: int, since: int) -> bytes:
    holder = {"process": process, "since": datetime.fromtimestamp(since, UTC).isoformat()}
    return json.dumps(holder).ljust(_SIGNATURE).encode()


def lock_file(folder: Path, thread: str) -> Path:
    """Return the file whose lock is the lease of a thread, in the store's folder `locks`."""
    return folder / f"{hashlib.sha256(thread.encode('utf-8', 'surrogatepass')).hexdigest()}.lock"


def is_held(folder: Path, thread: str) -> bool:
    """Return whether the thread is held now, by this process or another one."""
    try:
        descriptor = os.open(lock_file(folder, thread), os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


# FULL, because an outcome that is lost in a power failure would be performed a second time.
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
        """Raise `StoreError("moved")` if the open file was moved or deleted: SQLite would continue to write to it."""
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
        # Otherwise a folder for locks would be created although the data folder was moved away.
        self.require_in_place()

    # Runs in the thread of the database

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
        # Take the write lock first, so that reads of the job still apply when it writes.
        raw.execute("BEGIN IMMEDIATE")
        try:
            if len(jobs) == 1:
                jobs[0].result = jobs[0].work(connection)
            else:
                for job in jobs:
                    self._save(connection, job)
            raw.execute("COMMIT")
        except BaseException:
            # SQLite itself ends the transaction on some errors, such as a full disk.
            if raw.in_transaction:
                raw.execute("ROLLBACK")
            raise

    def _save(self, connection: Connection, job: Job) -> None:
        """Run one of several jobs in a transaction. An exception rolls back only its own changes."""
        raw = driver(connection)
        raw.execute("SAVEPOINT job")
        try:
            job.result = job.work(connection)
        except BaseException as error:
            if not raw.in_transaction:
                # SQLite rolls back the whole transaction on some errors, such as a full disk.
                raise
            job.error = error
            raw.execute("ROLLBACK TO job")
        raw.execute("RELEASE job")

    def _prepare(self, connection: Connection) -> None:
        # Checked before any change, including the journal mode: the file may belong to another program.
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
        """Copy the file before its tables are changed; an earlier copy is kept."""
        backup = self.place.with_name(f"{self.place.name}.version{version}")
        aside = backup.with_name(f".{backup.name}.part")
        if backup.exists():
            return
        private_file(aside)
        with closing(sqlite3.connect(self.place)) as source, closing(sqlite3.connect(aside)) as copy:
            source.backup(copy)
        os.replace(aside, backup)


@asynccontextmanager
async def open_database(path: Path, *, busy_timeout: float, create: bool) -> AsyncIterator[Database]:
    """Open the database file `path`, or share it with other users in this process.

    With `create=False` a missing file is not created: the database is then empty and read-only. `busy_timeout` is the
    number of seconds to wait for another process that writes.
    """
    found = _exists(path, create)
    # By inode, so that a file that replaces a deleted one is opened again.
    key = (identity(path), busy_timeout) if found else (object(),)
    async with shared(key, lambda: SqliteDatabase(path, path if found else None, busy_timeout)) as database:
        yield database


def _engine(file: str, busy_timeout: float) -> Engine:
    def connect() -> sqlite3.Connection:
        # Without automatic transactions, for which sqlite3 would inspect each statement.
        connection = sqlite3.connect(file, timeout=busy_timeout, isolation_level=None, check_same_thread=False)
        try:
            for pragma in PRAGMAS:
                connection.execute(pragma)
        except BaseException:
            connection.close()
            raise
        know_every_letter(connection)
        return connection

    # One connection: SQLite has one writer anyway, and with a queue in this process the file is never busy.
    return create_engine("sqlite://", creator=connect, poolclass=StaticPool, pool_reset_on_return=None)


def _exists(path: Path, create: bool) -> bool:
    """Return whether there is a file to open. A new one is private to its owner, since it contains conversations."""
    with explained(path):
        try:
            # A path below a file is an error, not just missing: stat raises another exception for it.
            mode = path.stat().st_mode
        except FileNotFoundError:
            if create:
                private_folder(path.parent)
                private_file(path)
            elif not os.access(next(each for each in path.parents if each.exists()), os.W_OK):
                # Otherwise it would be reported as empty until the first conversation fails.
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from None
            return create
        if not stat.S_ISREG(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        # SQLite names the cause of other denied accesses itself, but reports only "unable to open" for this one.
        if not os.access(path, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return True


def identity(file: Path) -> tuple[int, int] | None:
    """Return the device and inode of a file, or None if it does not exist."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
