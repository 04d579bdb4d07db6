"""Threads: one row a conversation, where it stands and what it waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Unpack

from sqlalchemy import Connection, bindparam, delete, exists, func, insert, literal_column, select, update
from sqlalchemy.dialects.postgresql import insert as pg_insert

from graphwright.store import schema
from graphwright.store.database import Database
from graphwright.store.errors import StoreError
from graphwright.store.folders import remove_folder
from graphwright.store.jsontext import dump, load, storable
from graphwright.store.prepared import Prepared
from graphwright.store.rows import ThreadChanges, ThreadRow, ThreadStatus

_table = schema.threads
_DEFAULTS: dict[str, Any] = {
    "status": "running",
    "waiting_for": "null",
    "position": "null",
    "title": "",
    "turns": 0,
}
_REQUIRED = ("agent", "flow_id", "flow_hash")
_JSON = ("waiting_for", "position")

_insert = insert(_table)
_update = update(_table).where(_table.c.thread == bindparam("id"))
_get = Prepared(select(_table).where(_table.c.thread == bindparam("id")))
_new = pg_insert(_table)
# The title is that of the first message and stays.
_put = Prepared(
    _new.on_conflict_do_update(
        index_elements=[_table.c.thread],
        set_={
            **{c.name: _new.excluded[c.name] for c in _table.c if c.name not in ("thread", "created", "title")},
            "title": func.coalesce(func.nullif(_table.c.title, literal_column("''")), _new.excluded.title),
        },
    )
)
_delete = delete(_table).where(_table.c.thread == bindparam("id"))
_refs, _others = schema.blob_threads, schema.blob_threads.alias()
_delete_blobs = delete(schema.blobs).where(
    schema.blobs.c.hash.in_(select(_refs.c.hash).where(_refs.c.thread == bindparam("id"))),
    ~exists().where(_others.c.hash == schema.blobs.c.hash, _others.c.thread != bindparam("id")),
)


def encode_changes(changes: ThreadChanges) -> dict[str, Any]:
    """The columns of a change, JSON as text. Raises `StoreError("not_json")`."""
    columns: dict[str, Any] = dict(changes)
    for name in _JSON:
        if name in columns:
            columns[name] = dump(columns[name], f"`{name}` of a thread")
    if "title" in columns:
        columns["title"] = storable(columns["title"])
    return columns


def write_thread(connection: Connection, thread: str, columns: dict[str, Any], time: str) -> None:
    """Change the row of a thread, or make it. Raises `StoreError("incomplete_thread")`."""
    if connection.execute(_update, {"id": thread, "updated": time, **columns}).rowcount:
        return
    missing = [name for name in _REQUIRED if name not in columns]
    if missing:
        raise StoreError(
            "incomplete_thread",
            f"The thread `{thread}` does not exist yet, and its first row lacks {', '.join(missing)}.",
            "Write the agent and the flow of a thread when it begins.",
        )
    connection.execute(_insert, {**_DEFAULTS, **columns, "thread": thread, "created": time, "updated": time})


def put_thread(connection: Connection, thread: str, columns: dict[str, Any], time: str) -> None:
    """Write the whole row of a thread, but for the title and the time of its making, which stay."""
    _put.run(connection, {**_DEFAULTS, **columns, "thread": thread, "created": time, "updated": time})


def read_thread(connection: Connection, thread: str) -> ThreadRow | None:
    """The row of a thread; None when there is none."""
    row = _get.first(connection, {"id": thread})
    return None if row is None else _row(dict(zip(_table.c.keys(), row, strict=True)))


class Threads:
    """The conversations of a store."""

    def __init__(self, database: Database, clock: Callable[[], str]) -> None:
        self._database = database
        self._clock = clock

    async def upsert(self, thread: str, **changes: Unpack[ThreadChanges]) -> None:
        """Change what is given and keep the rest. A new thread needs `agent`, `flow_id` and `flow_hash`.

        Raises `StoreError`: `incomplete_thread`, `not_json`.
        """
        columns, time = encode_changes(changes), self._clock()
        await self._database.run(lambda c: write_thread(c, thread, columns, time))

    async def get(self, thread: str) -> ThreadRow | None:
        """The row of a thread; None when there is none."""
        return await self._database.run(lambda c: read_thread(c, thread))

    async def list(
        self,
        *,
        agent: str | None = None,
        status: ThreadStatus | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[ThreadRow]:
        """Threads, the one last touched first."""
        statement = select(_table).order_by(_table.c.updated.desc(), _table.c.thread)
        if agent is not None:
            statement = statement.where(_table.c.agent == agent)
        if status is not None:
            statement = statement.where(_table.c.status == status)
        statement = statement.limit(limit).offset(offset)
        rows = await self._database.run(lambda c: c.execute(statement).mappings().all())
        return [_row(dict(row)) for row in rows]

    async def delete(self, thread: str) -> bool:
        """Delete a thread with its events, messages, outcomes, checkpoints, blobs of its own, and its folder.

        What agents keep as records stays. Hold the thread's lease, or a turn under way fails. False: no such
        thread.
        """

        from graphwright.store.checkpoints import delete_checkpoints

        def work(connection: Connection) -> bool:
            connection.execute(_delete_blobs, {"id": thread})
            delete_checkpoints(connection, thread)
            return connection.execute(_delete, {"id": thread}).rowcount > 0

        deleted = await self._database.run(work)
        if deleted:
            await asyncio.to_thread(remove_folder, self._database.place.parent, thread)
        return deleted


def _row(row: Mapping[str, Any]) -> ThreadRow:
    return ThreadRow(**{**row, **{name: load(row[name]) for name in _JSON}})
