"""Statements that are compiled once, and run directly on the driver of a connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import ClauseElement, Connection
from sqlalchemy.dialects.postgresql import Insert, insert

__all__ = ["Prepared", "Write", "driver", "insert", "replacing"]

Write = Callable[[Connection], None]
"""A write of a turn, which runs inside its transaction."""


_STYLES = {"sqlite": "qmark", "postgresql": "format"}
_TOGETHER = 100


class Prepared:
    """A statement with named parameters only: the columns of an insert, and bindparams."""

    def __init__(self, statement: ClauseElement) -> None:
        self.statement = statement
        self._compiled: dict[str, tuple[str, tuple[str, ...]]] = {}

    def all(self, connection: Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run the statement and return its rows."""
        sql, names = self._compiled.get(connection.dialect.name) or self._compile(connection)
        rows: list[tuple[Any, ...]] = driver(connection).execute(sql, [values[n] for n in names]).fetchall()
        return rows

    def run(self, connection: Connection, values: Mapping[str, Any]) -> None:
        """Run the statement once."""
        sql, names = self._compiled.get(connection.dialect.name) or self._compile(connection)
        driver(connection).execute(sql, [values[n] for n in names])

    def run_many(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run the statement, a plain insert, once per row."""
        sql, names = self._compiled.get(connection.dialect.name) or self._compile(connection)
        cursor = driver(connection).cursor()
        if connection.dialect.name == "sqlite":
            cursor.executemany(sql, [[row[n] for n in names] for row in rows])
            return
        # A statement costs the server more than its rows do, so several rows share one.
        begins, _, one = sql.partition(" VALUES ")
        for start in range(0, len(rows), _TOGETHER):
            some = rows[start : start + _TOGETHER]
            cursor.execute(f"{begins} VALUES {', '.join([one] * len(some))}", [row[n] for row in some for n in names])

    def _compile(self, connection: Connection) -> tuple[str, tuple[str, ...]]:
        dialect: Any = type(connection.dialect)
        compiled: Any = self.statement.compile(dialect=dialect(paramstyle=_STYLES[connection.dialect.name]))
        found = self._compiled[connection.dialect.name] = str(compiled), tuple(compiled.positiontup or ())
        return found


def driver(connection: Connection) -> Any:
    """Return the driver's own connection."""
    return connection.connection.driver_connection


def replacing(put: Insert) -> Insert:
    """Return the insert with a clause that replaces a row of the same key."""
    others = {c.name: put.excluded[c.name] for c in put.table.c if not c.primary_key}
    return put.on_conflict_do_update(index_elements=[c for c in put.table.c if c.primary_key], set_=others)
