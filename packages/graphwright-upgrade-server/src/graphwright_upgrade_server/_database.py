"""The database of the service: opening, application id, transactions, statements, and the meaning of SQLite's errors.

One connection serves the whole process, one transaction at a time, because SQLite has one writer. Other processes may
use the same file; they wait for each other.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphwright_upgrade_server import _tables as tables
from graphwright_upgrade_server.failures import ServiceError

BUSY_SECONDS = 5.0
"""The time limit for waiting for another process that is writing, in seconds."""

_PAUSE = 0.02


SOME = "IN (SELECT value FROM json_each(:ids))"
"""In a statement: any number of ids, passed as one JSON text."""


class Connection(sqlite3.Connection):
    """A connection to the database. `info` caches data that was read through it, by module."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.info: dict[str, Any] = {}


class Prepared:
    """A statement with named parameters. It uses the values of these names, and ignores others."""

    def __init__(self, sql: str) -> None:
        self.sql = sql

    def all(self, connection: Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run it, and return its rows."""
        return connection.execute(self.sql, values).fetchall()

    def first(self, connection: Connection, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """Run it, and return its first row, or None."""
        row: tuple[Any, ...] | None = connection.execute(self.sql, values).fetchone()
        return row

    def run(self, connection: Connection, values: Mapping[str, Any]) -> None:
        """Run it once."""
        connection.execute(self.sql, values)

    def run_many(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run it once for each row."""
        connection.executemany(self.sql, rows)


def insert_into(table: str) -> Prepared:
    """The statement that adds a row: its parameters are the columns, except the row number."""
    names = tables.COLUMNS[table]
    columns, values = (", ".join(form.format(name) for name in names) for form in ('"{}"', ":{}"))
    return Prepared(f"INSERT INTO {table} ({columns}) VALUES ({values})")


def update_of(table: str, *fixed: str) -> Prepared:
    """The statement that updates the row `:key`, except its id, its creation time, and the columns `fixed`."""
    names = (name for name in tables.COLUMNS[table] if name not in ("id", "created_at", *fixed))
    changes = ", ".join(f'"{name}" = :{name}' for name in names)
    return Prepared(f"UPDATE {table} SET {changes} WHERE id = :key")


class Database:
    """An open database: a file, or memory if `path` is None. Close it after use.

    Opening creates the folder (readable only by the owner), the file and the tables if they are missing. Raises
    ServiceError if the file is not a database, belongs to another program, is damaged, newer than this program, or
    unreadable.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.place = str(path) if path is not None else "in memory"
        self._lock = threading.Lock()
        with self._explained():
            if path is not None:
                _make_private(path)
            self._connection = sqlite3.connect(
                str(path) if path is not None else ":memory:",
                timeout=BUSY_SECONDS,
                # The driver does not begin transactions itself: only `transaction` does.
                isolation_level=None,
                check_same_thread=False,
                factory=Connection,
                cached_statements=256,
            )
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    @contextlib.contextmanager
    def transaction(self, *, writes: bool) -> Iterator[Connection]:
        """The connection, inside a transaction that is committed at the end, or rolled back after any exception.

        With `writes` the write lock is taken first, so that the read data cannot change before it is written.
        """
        with self._lock, self._explained():
            self._connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # SQLite has already ended the transaction if the disk failed.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the connection; the last connection merges the write-ahead log into the file."""
        self._connection.close()

    def _prepare(self) -> None:
        # Checked before any change, including the journal mode, because the file may belong to another program.
        made = self._recognise()
        self._use_write_ahead_log()
        # A killed process loses nothing under NORMAL; a power cut may lose the last moments of a trial.
        for pragma in ("synchronous=NORMAL", "foreign_keys=ON"):
            self._connection.execute(f"PRAGMA {pragma}")
        if not made:
            with self.transaction(writes=True) as connection:
                if not self._recognise():
                    for statement in tables.STATEMENTS:
                        connection.execute(statement)
                    self._connection.execute(f"PRAGMA application_id={tables.APPLICATION_ID}")
                    self._connection.execute(f"PRAGMA user_version={tables.VERSION}")

    def _use_write_ahead_log(self) -> None:
        # SQLite does not wait for others when it changes the journal mode: two first starts may collide here.
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL").fetchall()
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            time.sleep(_PAUSE)

    def _recognise(self) -> bool:
        """Whether the tables already exist."""
        # Tables are checked before the application id: another first start may create both between two statements.
        filled = self._connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        application, version = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if application == tables.APPLICATION_ID:
            if version > tables.VERSION:
                raise ServiceError(
                    "newer_schema",
                    f"The database {self.place} was written by a newer version: its tables have version {version}, "
                    f"and this program knows version {tables.VERSION}.",
                    "Nothing was changed. Upgrade Graphwright, or move the file aside.",
                )
            return True
        if filled:
            raise ServiceError(
                "foreign_database",
                f"{self.place} is a database, but not one of the local UpGrade service.",
                "Nothing was changed. Move it aside, or name another file.",
            )
        return False

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            explained = _explained(error, self.place)
            if explained is None:
                raise
            raise explained from error


def _make_private(file: Path) -> None:
    """Create the file and missing folders above it with access only for the owner; existing ones are not changed."""
    missing = [each for each in file.parents if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


_ASIDE = "Nothing was changed. Move the file aside (with its -wal and -shm, if there are any), or name another one."
_ROOM = "Free some space and try again."
_RIGHTS = "Allow reading and writing the file and its folder, or name another file."

_SQLITE = (
    ("SQLITE_NOTADB", "not_a_database", "{place} is not a SQLite database.", _ASIDE),
    ("SQLITE_CORRUPT", "corrupted", "The database {place} is damaged.", _ASIDE),
    # If the disk has no space for the index of the write-ahead log, SQLite reports only this.
    ("SQLITE_IOERR_SHMSIZE", "disk_full", "There is no room left on the disk that holds {place}.", _ROOM),
    ("SQLITE_FULL", "disk_full", "There is no room left on the disk that holds {place}.", _ROOM),
    ("SQLITE_READONLY", "read_only", "The database {place} cannot be written to.", _RIGHTS),
    ("SQLITE_CANTOPEN", "cannot_open", "The database {place} cannot be opened.", _RIGHTS),
    (
        ("SQLITE_BUSY", "SQLITE_LOCKED"),
        "locked",
        "The database {place} was locked by another program for too long.",
        "Close the program that has it open (a database browser, a backup) and try again.",
    ),
    (
        "SQLITE_IOERR",
        "disk_io",
        "The disk that holds {place} could not be read or written.",
        "Check the disk and that the folder still exists, then try again.",
    ),
)
_ERRNO = {
    errno.ENOSPC: ("disk_full", "There is no room left on the disk that holds {place}.", _ROOM),
    **dict.fromkeys(
        (errno.EROFS, errno.EACCES, errno.EPERM), ("read_only", "This user may not read and write {place}.", _RIGHTS)
    ),
    **dict.fromkeys(
        (errno.ENOTDIR, errno.EEXIST),
        ("not_a_folder", "{place} cannot be made: there is a file in place of a folder.", "Name another file."),
    ),
}


def _explained(error: BaseException, place: str) -> ServiceError | None:
    """The ServiceError for an error of SQLite or of the file system on the file `place`, or None for other errors."""
    if isinstance(error, sqlite3.Error):
        name = getattr(error, "sqlite_errorname", None) or ""
        for prefix, code, message, hint in _SQLITE:
            if name.startswith(prefix):
                return ServiceError(code, message.format(place=place), hint)
        return ServiceError("database", f"SQLite refused to work on {place}: {error}.")
    if isinstance(error, OSError) and error.errno in _ERRNO:
        code, message, hint = _ERRNO[error.errno]
        return ServiceError(code, message.format(place=place), hint)
    return None
