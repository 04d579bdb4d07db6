"""The database of the local service: opening it, its stamp, and transactions.

One connection serves the whole process, in turn: SQLite has one writer anyway. Other processes may use the same file;
they wait for one another.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, create_engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from graphwright.agents.upgrade.service import tables
from graphwright.store.errors import StoreError, explain
from graphwright.store.sqlite_files import private_file, private_folder, transaction, use_write_ahead_log

BUSY_SECONDS = 5.0
"""How long a request waits for another process that is writing."""


class Database:
    """An open database: a file, or memory where `path` is None. To be closed after use.

    Opening makes the folder (for its owner alone), the file and the tables where they are missing. Raises StoreError:
    not a database, another program's, damaged, newer than this program, not readable.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.place = str(path) if path is not None else "in memory"
        self._lock = threading.Lock()
        with self._explained():
            if path is not None:
                private_folder(path.parent)
                private_file(path)
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
        with self._lock, self._explained(), transaction(self._driver, writes=writes):
            yield self._connection

    def close(self) -> None:
        """Close the connection; the last one out merges the write-ahead log into the file."""
        self._connection.close()
        self._engine.dispose()

    def _prepare(self) -> None:
        # Looked at before anything is changed, the journal mode included: it may be somebody else's file.
        made = self._recognise()
        use_write_ahead_log(self._driver, BUSY_SECONDS)
        # A process that is killed loses nothing under NORMAL; a power cut may take the last moments of a try-out.
        for pragma in ("synchronous=NORMAL", "foreign_keys=ON"):
            self._driver.execute(f"PRAGMA {pragma}")
        if not made:
            with self.transaction(writes=True) as connection:
                if not self._recognise():
                    tables.metadata.create_all(connection)
                    self._driver.execute(f"PRAGMA application_id={tables.APPLICATION_ID}")
                    self._driver.execute(f"PRAGMA user_version={tables.VERSION}")

    def _recognise(self) -> bool:
        """Whether the tables are there already."""
        application, version = (
            self._driver.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if application == tables.APPLICATION_ID:
            if version > tables.VERSION:
                raise StoreError(
                    "newer_schema",
                    f"The database {self.place} was written by a newer Graphwright: its tables have version "
                    f"{version}, and this program knows version {tables.VERSION}.",
                    "Nothing was changed. Upgrade Graphwright, or move the file aside.",
                )
            return True
        if self._driver.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            raise StoreError(
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
            told = explain(error, self.place)
            if told is None:
                raise
            raise told from error
