"""Outcomes: what is known of visits of actions that the state of their thread does not tell."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, bindparam, select
from sqlalchemy.dialects.postgresql import insert

from graphwright.store import schema
from graphwright.store.database import Database
from graphwright.store.jsontext import dump, load
from graphwright.store.rows import Outcome, OutcomeStatus

_table = schema.outcomes
# Postgres' conflict clauses are the ones that SQLite understands too; it is not so the other way round.
_insert = insert(_table)
_put = _insert.on_conflict_do_update(
    index_elements=[c for c in _table.c if c.primary_key],
    set_={c.name: _insert.excluded[c.name] for c in _table.c if not c.primary_key},
)
_get = select(_table).where(_table.c.thread == bindparam("id"), _table.c.visit == bindparam("number"))


def encode_outcome(
    thread: str, visit: int, node: str, status: OutcomeStatus, attempt: int, error: Any, time: str
) -> dict[str, Any]:
    """The row of an outcome. Raises `StoreError("not_json")`."""
    return {
        "thread": thread,
        "visit": visit,
        "node": node,
        "status": status,
        "attempt": attempt,
        "error": dump(error, f"what visit {visit} of thread `{thread}` failed with"),
        "time": time,
    }


def write_outcome(connection: Connection, row: dict[str, Any]) -> None:
    """Write the outcome of a visit over what was known of it."""
    connection.execute(_put, row)


class Outcomes:
    """The outcomes of all threads, keyed (thread, visit).

    An action that ended normally needs none: the step that it belongs to is written in one transaction. What has one
    is an action that may not be repeated, from the moment it starts, and one that may never be performed again.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, thread: str, visit: int) -> Outcome | None:
        """What is known of a visit; None when nothing was noted."""
        key = {"id": thread, "number": visit}
        row = await self._database.run(lambda c: c.execute(_get, key).mappings().first())
        return None if row is None else Outcome(**{**row, "error": load(row["error"])})
