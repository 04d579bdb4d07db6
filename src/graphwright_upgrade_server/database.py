"""The database of the service: opening it, its stamp, transactions, prepared statements, and what SQLite's errors mean.

One connection serves the whole process, in turn: SQLite has one writer anyway. Other processes may use the same file;
they wait for one another.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import URL, ClauseElement, Connection, bindparam, create_engine, insert, text
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from graphwright_upgrade_server import tables
from graphwright_upgrade_server.failures import ServiceError

BUSY_SECONDS = 5.0
"""How long a request waits for another process that is writing."""

_PAUSE = 0.02


class Prepared:
    """A statement whose parameters are all named, compiled once and run on the driver's own connection.

    SQLAlchemy's way of executing one costs several times what SQLite needs for it, and a request has a dozen.
    """

    def __init__(self, statement: ClauseElement | str) -> None:
        self.statement = text(statement) if isinstance(statement, str) else statement

    def all(self, connection: Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run it, and give its rows."""
        sql, names = self._compiled
        rows: list[tuple[Any, ...]] = _driver(connection).execute(sql, [values[n] for n in names]).fetchall()
        return rows

    def first(self, connection: Connection, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """Run it, and give its first row, if it has any."""
        sql, names = self._compiled
        cursor = _driver(connection).execute(sql, [values[n] for n in names])
        row: tuple[Any, ...] | None = cursor.fetchone()
        cursor.close()
        return row

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


def insert_into(table: Any) -> Prepared:
    """The statement that adds a row: its parameters are the columns, but for the number that counts the rows."""
    return Prepared(insert(table).values({c.name: bindparam(c.name) for c in table.c if c.name != "number"}))


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection


class Database:
    """An open database: a file, or memory where `path` is None. To be closed after use.

    Opening makes the folder (for its owner alone), the file and the tables where they are missing. Raises ServiceError:
    not a database, another program's, damaged, newer than this program, not readable.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.place = str(path) if path is not None else "in memory"
        self._lock = threading.Lock()
        with self._explained():
            if path is not None:
                _make_private(path)
            self._engine = create_engine(
                URL.create("sqlite", database=str(path) if path is not None else ":memory:"),
                poolclass=StaticPool,
                pool_reset_on_return=None,
                # The driver begins nothing on its own: a transaction here is exactly what `transaction` opens.
                isolation_level="AUTOCOMMIT",
                connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
            )
            try:
                self._connection = self._engine.connect()
                self._driver: Any = self._connection.connection.driver_connection
                self._prepare()
            except BaseException:
                self._engine.dispose()
                raise

    @contextlib.contextmanager
    def transaction(self, *, writes: bool) -> Iterator[Connection]:
        """The connection, inside a transaction that is committed at the end, or rolled back by any exception.

        With `writes` the write lock is taken first, so that what is read cannot change before it is written.
        """
        with self._lock, self._explained():
            self._driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
            try:
                yield self._connection
                self._driver.execute("COMMIT")
            except BaseException:
                # SQLite has ended the transaction itself where the disk failed it.
                if self._driver.in_transaction:
                    self._driver.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the connection; the last one out merges the write-ahead log into the file."""
        self._connection.close()
        self._engine.dispose()

    def _prepare(self) -> None:
        # Looked at before anything is changed, the journal mode included: it may be somebody else's file.
        made = self._recognise()
        self._use_write_ahead_log()
        # A process that is killed loses nothing under NORMAL; a power cut may take the last moments of a try-out.
        for pragma in ("synchronous=NORMAL", "foreign_keys=ON"):
            self._driver.execute(f"PRAGMA {pragma}")
        if not made:
            with self.transaction(writes=True) as connection:
                if not self._recognise():
                    tables.metadata.create_all(connection)
                    self._driver.execute(f"PRAGMA application_id={tables.APPLICATION_ID}")
                    self._driver.execute(f"PRAGMA user_version={tables.VERSION}")

    def _use_write_ahead_log(self) -> None:
        # SQLite does not wait for others when it changes the journal mode: two first starts can meet here.
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._driver.execute("PRAGMA journal_mode=WAL").fetchall()
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            time.sleep(_PAUSE)

    def _recognise(self) -> bool:
        """Whether the tables are there already."""
        application, version = (
            self._driver.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
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
        if self._driver.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
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
        except (SQLAlchemyError, sqlite3.Error, OSError) as error:
            told = _explained(error, self.place)
            if told is None:
                raise
            raise told from error


def _make_private(file: Path) -> None:
    """Make the file, and the folders above it that are missing, for their owner alone; what is there stays as it is."""
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
    # Where there is no room for the index of the write-ahead log, SQLite says no more than this.
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
        ("not_a_folder", "{place} cannot be made: a file stands where a folder must be.", "Name another file."),
    ),
}


def _explained(error: BaseException, place: str) -> ServiceError | None:
    """What an error of SQLite, of SQLAlchemy around it, or of the file system means for the file `place`; else None."""
    cause = getattr(error, "orig", None) or error
    if isinstance(cause, sqlite3.Error):
        name = getattr(cause, "sqlite_errorname", None) or ""
        for prefix, code, message, hint in _SQLITE:
            if name.startswith(prefix):
                return ServiceError(code, message.format(place=place), hint)
        return ServiceError("database", f"SQLite refused to work on {place}: {cause}.")
    if isinstance(cause, OSError) and cause.errno in _ERRNO:
        code, message, hint = _ERRNO[cause.errno]
        return ServiceError(code, message.format(place=place), hint)
    return None
