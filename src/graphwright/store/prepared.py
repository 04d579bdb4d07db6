"""Prepared statements: those of every turn, compiled once and run on the driver's own connection.

SQLAlchemy's way of executing a statement costs several times what SQLite needs for it, and a turn has a dozen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import ClauseElement, Connection
from sqlalchemy.dialects.sqlite import dialect


class Prepared:
    """A statement whose parameters are all named: the columns of an insert, and bindparams."""

    def __init__(self, statement: ClauseElement) -> None:
        self.statement = statement

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


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection
