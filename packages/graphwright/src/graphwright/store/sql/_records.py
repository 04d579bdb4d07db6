"""Data by key: outcomes of actions, large values by their hash, and records of agents."""

from __future__ import annotations

import hashlib
from typing import Any

from sqlalchemy import Connection, RowMapping, bindparam, delete, func, select
from sqlalchemy.dialects.postgresql import insert

from graphwright.store import protocols
from graphwright.store._errors import StoreError
from graphwright.store.rows import Outcome, OutcomeStatus, Record, dump, load
from graphwright.store.sql import _schema as schema
from graphwright.store.sql._database import Prepared, SqlPart, Write, replacing

_put_outcome = Prepared(replacing(insert(schema.outcomes)))
_get_outcome = select(schema.outcomes).where(
    schema.outcomes.c.thread == bindparam("id"), schema.outcomes.c.visit == bindparam("number")
)
_put_blob = Prepared(insert(schema.blobs).on_conflict_do_nothing())
_refer = Prepared(insert(schema.blob_threads).on_conflict_do_nothing())
_get_blob = select(schema.blobs.c.value).where(schema.blobs.c.hash == bindparam("digest"))
_put_record = insert(schema.records).on_conflict_do_nothing()
_records = select(schema.records).where(schema.records.c.collection == bindparam("name"))
_get_record = _records.where(schema.records.c.key == bindparam("id"))
_list_records = (
    _records.order_by(schema.records.c.created, schema.records.c.key)
    .limit(bindparam("limit"))
    .offset(bindparam("offset"))
)
_delete_records = delete(schema.records).where(schema.records.c.thread == bindparam("id"))
_count_records = (
    select(schema.records.c.collection, func.count())
    .group_by(schema.records.c.collection)
    .order_by(schema.records.c.collection)
)


def noting_outcome(
    thread: str, visit: int, node: str, status: OutcomeStatus, attempt: int, error: Any, time: str
) -> Write:
    """Return the write that replaces the outcome of a visit. Raises `StoreError("not_json")`."""
    row = {
        "thread": thread,
        "visit": visit,
        "node": node,
        "status": status,
        "attempt": attempt,
        "error": dump(error, f"what visit {visit} of thread `{thread}` failed with"),
        "time": time,
    }
    return lambda connection: _put_outcome.run(connection, row)


def keeping_blob(thread: str, value: Any) -> tuple[str, Write]:
    """Return the SHA-256 in hex of a value's canonical text, and the write that stores the value for the thread.

    Equal values have the same hash and are stored once. Raises `StoreError("not_json")`.
    """
    text = dump(value, f"a large value of thread `{thread}`", canonical=True)
    row = {"thread": thread, "hash": hashlib.sha256(text.encode()).hexdigest(), "value": text}

    def write(connection: Connection) -> None:
        _put_blob.run(connection, row)
        _refer.run(connection, row)

    return row["hash"], write


class SqlOutcomes(SqlPart, protocols.Outcomes):
    async def get(self, thread: str, visit: int) -> Outcome | None:
        key = {"id": thread, "number": visit}
        row = await self._first(_get_outcome, key)
        return None if row is None else Outcome(**{**row, "error": load(row["error"])})


class SqlBlobs(SqlPart, protocols.Blobs):
    async def get(self, digest: str) -> Any:
        text = await self._database.read(lambda c: c.execute(_get_blob, {"digest": digest}).scalar())
        if text is None:
            raise StoreError(
                "no_such_blob",
                f"{self._database.label} has no value with the hash {digest}.",
                "The thread it belonged to was deleted, or the file was replaced: begin a new thread.",
            )
        return load(text)


class SqlRecords(SqlPart, protocols.Records):
    async def put_once(
        self, collection: str, key: str, value: Any, *, agent: str = "", thread: str = ""
    ) -> tuple[Any, bool]:
        row = {
            "collection": collection,
            "key": key,
            "value": dump(value, f"the record `{key}` of `{collection}`"),
            "agent": agent,
            "thread": thread,
            "created": self._time(),
        }

        def work(connection: Connection) -> tuple[str, bool]:
            created = connection.execute(_put_record, row).rowcount > 0
            stored = connection.execute(_get_record, {"name": collection, "id": key}).mappings().one()
            return stored["value"], created

        text, created = await self._database.run(work)
        return load(text), created

    async def get(self, collection: str, key: str) -> Record | None:
        values = {"name": collection, "id": key}
        row = await self._first(_get_record, values)
        return None if row is None else _record(row)

    async def list(self, collection: str, limit: int = 100, offset: int = 0) -> list[Record]:
        values = {"name": collection, "limit": limit, "offset": offset}
        return [_record(row) for row in await self._rows(_list_records, values)]

    async def collections(self) -> dict[str, int]:
        return dict(await self._database.read(lambda c: [(row[0], row[1]) for row in c.execute(_count_records)]))

    async def delete(self, thread: str) -> None:
        await self._database.run(lambda c: c.execute(_delete_records, {"id": thread}))


def _record(row: RowMapping) -> Record:
    return Record(**{**row, "value": load(row["value"])})
