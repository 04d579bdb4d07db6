"""Records: what agents keep beyond a conversation, in named collections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, RowMapping, bindparam, select
from sqlalchemy.dialects.postgresql import insert

from graphwright.store import schema
from graphwright.store.database import Database
from graphwright.store.jsontext import dump, load
from graphwright.store.rows import Record

_table = schema.records
# Postgres' conflict clauses are the ones that SQLite understands too; it is not so the other way round.
_put = insert(_table).on_conflict_do_nothing()
_get = select(_table).where(_table.c.collection == bindparam("name"), _table.c.key == bindparam("id"))
_list = (
    select(_table)
    .where(_table.c.collection == bindparam("name"))
    .order_by(_table.c.created, _table.c.key)
    .limit(bindparam("limit"))
    .offset(bindparam("offset"))
)


class Records:
    """What agents keep. Records outlive the thread that made them."""

    def __init__(self, database: Database, clock: Callable[[], str]) -> None:
        self._database = database
        self._clock = clock

    async def put_once(
        self, collection: str, key: str, value: Any, *, agent: str = "", thread: str = ""
    ) -> tuple[Any, bool]:
        """Keep a JSON value unless the key has one: `(value in the store, was it created now)`.

        Raises `StoreError("not_json")`.
        """
        row = {
            "collection": collection,
            "key": key,
            "value": dump(value, f"the record `{key}` of `{collection}`"),
            "agent": agent,
            "thread": thread,
            "created": self._clock(),
        }

        def work(connection: Connection) -> tuple[str, bool]:
            created = connection.execute(_put, row).rowcount > 0
            stored = connection.execute(_get, {"name": collection, "id": key}).mappings().one()
            return stored["value"], created

        text, created = await self._database.run(work)
        return load(text), created

    async def get(self, collection: str, key: str) -> Record | None:
        """The record under a key; None when there is none."""
        values = {"name": collection, "id": key}
        row = await self._database.run(lambda c: c.execute(_get, values).mappings().first())
        return None if row is None else _record(row)

    async def list(self, collection: str, limit: int = 100, offset: int = 0) -> list[Record]:
        """The records of a collection, oldest first."""
        values = {"name": collection, "limit": limit, "offset": offset}
        rows = await self._database.run(lambda c: c.execute(_list, values).mappings().all())
        return [_record(row) for row in rows]


def _record(row: RowMapping) -> Record:
    return Record(**{**row, "value": load(row["value"])})
