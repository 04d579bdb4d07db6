"""Blobs: large JSON values kept once, under the hash of their content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, select
from sqlalchemy.dialects.postgresql import insert

from graphwright.store import schema
from graphwright.store.database import Database
from graphwright.store.errors import StoreError
from graphwright.store.jsontext import canonical, load
from graphwright.store.prepared import Prepared

# Postgres' conflict clauses are the ones that SQLite understands too; it is not so the other way round.
_put = Prepared(insert(schema.blobs).on_conflict_do_nothing())
_refer = Prepared(insert(schema.blob_threads).on_conflict_do_nothing())
_get = select(schema.blobs.c.value).where(schema.blobs.c.hash == bindparam("digest"))


def encode_blob(thread: str, value: Any) -> dict[str, str]:
    """The row of a value of a thread, with its hash. Raises `StoreError("not_json")`."""
    text = canonical(value, f"a large value of thread `{thread}`")
    return {"thread": thread, "hash": hashlib.sha256(text.encode()).hexdigest(), "value": text}


def add_blobs(connection: Connection, rows: Sequence[Mapping[str, str]]) -> None:
    """Keep values for the threads that put them, each once."""
    _put.run_many(connection, rows)
    _refer.run_many(connection, rows)


class Blobs:
    """Content-addressed values. A blob lives as long as a thread that put it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, value: Any, *, thread: str) -> str:
        """Keep a JSON value for a thread; the hash is the SHA-256 of its canonical text, in hex.

        Equal values have one hash and are kept once. Raises `StoreError`: `no_such_thread`, `not_json`.
        """
        row = encode_blob(thread, value)
        await self._database.run(lambda c: add_blobs(c, [row]))
        return row["hash"]

    async def get(self, digest: str) -> Any:
        """The value with this hash. Raises `StoreError("no_such_blob")`."""
        text = await self._database.run(lambda c: c.execute(_get, {"digest": digest}).scalar())
        if text is None:
            raise StoreError(
                "no_such_blob",
                f"{self._database.place} has no value with the hash {digest}.",
                "The thread it belonged to was deleted, or the file was replaced: begin a new thread.",
            )
        return load(text)
