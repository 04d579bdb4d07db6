"""SQLite files: private permissions, write-ahead log, schema version, and transactions."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from graphwright.store._errors import StoreError, explain

__all__ = ["private_folder", "transaction", "explained", "connected", "alone"]

_PAUSE = 0.02


def private_folder(folder: Path) -> None:
    """Create the folder and its missing parents, private to their owner. Raises OSError.

    Existing folders keep their permissions.
    """
    if folder.is_dir():
        return
    # `parents=True` would create parents readable by all users, and the data folder may be one of them.
    missing = [each for each in folder.parents if not each.exists()]
    for each in (*reversed(missing), folder):
        each.mkdir(mode=0o700, exist_ok=True)


def private_file(file: Path) -> bool:
    """Create an empty file private to its owner; return False if the file exists. Raises OSError."""
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return False
    return True


def know_every_letter(connection: sqlite3.Connection) -> None:
    """Make `lower` of SQL work for all letters, not only A to Z."""
    connection.create_function("lower", 1, lambda value: value.lower() if isinstance(value, str) else value)


def use_write_ahead_log(connection: sqlite3.Connection, timeout: float) -> None:
    """Allow readers and one writer at once. Waits at most `timeout` seconds for others. Raises sqlite3.Error."""
    # SQLite does not wait for others when it changes the journal mode, and two first starts may collide here.
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").fetchall()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE)


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, *, writes: bool = True) -> Iterator[None]:
    """Run a transaction, which commits everything or nothing. Requires a connection with `isolation_level=None`.

    With `writes` the write lock is taken first, so that the data read cannot change before the write.
    """
    connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has already ended the transaction if the disk failed.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


_BUSY = 10.0
"""Seconds to wait for another process that writes a batch."""

_LONGEST = 900.0
"""Seconds to wait for another process with exclusive use."""


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """Translate errors of SQLite and the file system to StoreError."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        if (told := explain(error, str(file))) is None:
            raise
        raise told from error


def connected(file: Path, schema: Sequence[str], version: int) -> sqlite3.Connection:
    """Return a connection to the file, which is created with the `schema` if missing.

    Raises StoreError (`foreign_database` for the file of another program or version).
    """
    if file.exists() and not file.is_file():
        raise StoreError("cannot_open", f"{file} is not a file.", "Move it aside.")
    with explained(file):
        private_folder(file.parent)
        private_file(file)
        connection = sqlite3.connect(file, timeout=_BUSY, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, schema, version)
            found = _version(connection)
        except BaseException:
            connection.close()
            raise
    if found != version:
        connection.close()
        raise StoreError(
            "foreign_database",
            f"{file} was made by another program, or by another version of Graphwright.",
            "Nothing was changed. Move it aside: a new one is made at the next start.",
        )
    return connection


@contextmanager
def alone(file: Path, notify: Callable[[str], None]) -> Iterator[None]:
    """Exclude other processes from the same work on the file. Raises TimeoutError, which `explained` translates."""
    from filelock import FileLock, Timeout

    private_folder(file.parent)
    lock = FileLock(f"{file}.lock", mode=0o600)
    try:
        lock.acquire(0)
    except Timeout:
        notify("Another process is at work: waiting for it")
        lock.acquire(_LONGEST)
    try:
        yield
    finally:
        lock.release()


def _prepare(connection: sqlite3.Connection, schema: Sequence[str], version: int) -> None:
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA cache_size=-65536")
    if _version(connection):
        return
    use_write_ahead_log(connection, _BUSY)
    with transaction(connection):
        # Another process may have been first, and another program may have created the file.
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables:
            for statement in (*schema, f"PRAGMA user_version={version}"):
                connection.execute(statement)


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
