"""The interaction log in a SQLite file."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, create_engine, func
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.pool import NullPool

from graphwright.store.errors import StoreError, explain
from graphwright.store.interactions import schema
from graphwright.store.interactions.interaction import Interaction
from graphwright.store.interactions.sink import InteractionLogError, Query, SessionSummary, no_folder
from graphwright.store.interactions.sql import SqlSink, replacing
from graphwright.store.sqlite_files import private_file

_PATIENCE = 5.0
"""Seconds to wait for another process that writes."""


class SqliteSink(SqlSink):
    """The interaction log in one SQLite file, readable by its owner alone. Its folder must be there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # The file is opened for each batch: one that was moved or deleted meanwhile is begun anew.
        super().__init__(create_engine("sqlite://", creator=self._connect, poolclass=NullPool), str(path))

    def write(self, batch: Sequence[Interaction]) -> None:
        try:
            if private_file(self._path):
                self._made = False
        except OSError as error:
            raise self._explained(error) from error
        super().write(batch)

    def find(self, query: Query) -> list[Interaction]:
        return super().find(query) if self._path.exists() else []

    def sessions(self) -> list[SessionSummary]:
        return super().sessions() if self._path.exists() else []

    def count(self, before: str = "") -> int | None:
        return super().count(before) if self._path.exists() else None

    def purge(self, before: str) -> int:
        if not self._path.exists():
            return 0
        gone = super().purge(before)
        if gone:
            self._shrink()
        return gone

    def _shrink(self) -> None:
        # It takes room of its own and nobody else at work; without it the file keeps its size, and nothing else.
        with contextlib.suppress(sqlite3.Error), contextlib.closing(self._connect()) as connection:
            connection.execute("VACUUM")

    def _connect(self) -> sqlite3.Connection:
        # Never made here, so that looking at a log makes none.
        connection = sqlite3.connect(
            f"file:{quote(str(self._path))}?mode=rw",
            uri=True,
            timeout=_PATIENCE,
            isolation_level="IMMEDIATE",
            check_same_thread=False,
        )
        # SQLite's own knows no letters but A to Z.
        connection.create_function("lower", 1, _lower, deterministic=True)
        return connection

    def _begin(self, connection: Connection) -> None:
        connection.exec_driver_sql("PRAGMA secure_delete=ON")

    def _make_table(self, connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        schema.metadata.create_all(connection)

    def _upsert(self) -> Any:
        return _upsert()

    def _holds(self, text: Any, word: str) -> Any:
        return func.instr(func.lower(text), word) > 0

    def _explained(self, error: Exception) -> StoreError:
        told = explain(error, str(self._path))
        if told is not None:
            return told
        if isinstance(error, FileNotFoundError):
            return no_folder(self._path)
        return InteractionLogError("log_refused", f"The interaction log {self._path} was refused: {error}.")


@cache
def _upsert() -> Any:
    return replacing(insert)


def _lower(text: Any) -> Any:
    return text.lower() if isinstance(text, str) else text
