"""Statements that are compiled once, and run on the driver of a connection without SQLAlchemy around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import ClauseElement, Connection
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.dialects.sqlite import dialect

__all__ = ["Prepared", "Write", "driver", "insert", "replacing"]

Write = Callable[[Connection], None]
"""What a turn is going to write, run inside its transaction."""


class Prepared:
    """A statement whose parameters are all named: the columns of an insert, and bindparams."""

    def __init__(self, statement: ClauseElement) -> None:
        self.statement = statement

    def all(self, connection: Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run it, and give its rows."""
        sql, names = self._compiled
        rows: list[tuple[Any, ...]] = driver(connection).execute(sql, [values[n] for n in names]).fetchall()
        return rows

    def run(self, connection: Connection, values: Mapping[str, Any]) -> None:
        """Run it once."""
        sql, names = self._compiled
        driver(connection).execute(sql, [values[n] for n in names])

    def run_many(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run it once a row."""
        sql, names = self._compiled
        driver(connection).executemany(sql, [[row[n] for n in names] for row in rows])

    @cached_property
    def _compiled(self) -> tuple[str, tuple[str, ...]]:
        compiled: Any = self.statement.compile(dialect=dialect())
        return str(compiled), tuple(compiled.positiontup or ())


def driver(connection: Connection) -> Any:
    """The connection of the database's driver."""
    return connection.connection.driver_connection


def replacing(put: Insert) -> Insert:
    """Return the insert with a clause that replaces a row of the same key."""
    others = {c.name: put.excluded[c.name] for c in put.table.c if not c.primary_key}
    return put.on_conflict_do_update(index_elements=[c for c in put.table.c if c.primary_key], set_=others)
