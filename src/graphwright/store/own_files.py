"""SQLite files of one schema: made, opened and told from those of others, and written by one process at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from graphwright.store.errors import StoreError, explain
from graphwright.store.sqlite_files import private_file, private_folder, transaction, use_write_ahead_log

_PATIENCE = 10.0
"""Seconds to wait for another process that writes a batch."""

_LONGEST = 900.0
"""Seconds to wait for another process that has it alone."""


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """Inside, what SQLite or the system say of the file becomes a StoreError."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        if (told := explain(error, str(file))) is None:
            raise
        raise told from error


def connected(file: Path, schema: Sequence[str], version: int) -> sqlite3.Connection:
    """A connection to the file, which is made with the `schema` where there is none.

    Raises StoreError (`foreign_database` for the file of another program or version).
    """
    if file.exists() and not file.is_file():
        raise StoreError("cannot_open", f"{file} is no file.", "Move it aside.")
    with explained(file):
        private_folder(file.parent)
        private_file(file)
        connection = sqlite3.connect(file, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
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
def alone(file: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Inside, no other process does the same with the file. Raises StoreError (`locked`)."""
    from filelock import FileLock, Timeout

    private_folder(file.parent)
    lock = FileLock(f"{file}.lock", mode=0o600)
    try:
        lock.acquire(0)
    except Timeout:
        tell("Another process is at work: waiting for it")
        try:
            lock.acquire(_LONGEST)
        except Timeout:
            told = f"Another process has been at work on {file} for {_LONGEST / 60:.0f} minutes."
            raise StoreError("locked", told, "Wait for it, or end it: what it has done stays.") from None
    try:
        yield
    finally:
        lock.release()


def _prepare(connection: sqlite3.Connection, schema: Sequence[str], version: int) -> None:
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA cache_size=-65536")
    if _version(connection):
        return
    use_write_ahead_log(connection, _PATIENCE)
    with transaction(connection):
        # Another process may have been first, and another program may have made the file.
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables:
            for statement in (*schema, f"PRAGMA user_version={version}"):
                connection.execute(statement)


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
