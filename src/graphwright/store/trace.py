"""The trace: the ordered events of a thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from graphwright.store import schema
from graphwright.store.database import Database
from graphwright.store.jsontext import dump, load
from graphwright.store.prepared import Prepared
from graphwright.store.rows import EventRow

Events = Sequence[Mapping[str, Any]]

_table = schema.events
_insert = insert(_table)
_add = Prepared(_insert)
_cut = delete(_table).where(_table.c.thread == bindparam("id"), _table.c.seq >= bindparam("first"))
_read = (
    select(_table.c.seq, _table.c.visit, _table.c.time, _table.c.event)
    .where(_table.c.thread == bindparam("id"), _table.c.seq >= bindparam("since"))
    .order_by(_table.c.seq)
)
_count = select(func.count()).select_from(_table).where(_table.c.thread == bindparam("id"))


def encode_events(thread: str, visit: int, first_seq: int, events: Events, time: str) -> list[dict[str, Any]]:
    """The rows of a step's events. Raises `StoreError("not_json")`."""
    return [
        {
            "thread": thread,
            "seq": first_seq + index,
            "visit": visit,
            "time": time,
            "event": dump(event, f"event {first_seq + index} of thread `{thread}`"),
        }
        for index, event in enumerate(events)
    ]


def add_events(connection: Connection, rows: list[dict[str, Any]]) -> None:
    """Write rows that follow those which are there."""
    _add.run_many(connection, rows)


def write_events(connection: Connection, thread: str, first_seq: int, rows: list[dict[str, Any]]) -> None:
    """Replace the tail of the trace that begins at `first_seq` with the rows."""
    connection.execute(_cut, {"id": thread, "first": first_seq})
    if rows:
        connection.execute(_insert, rows)


class Trace:
    """The events of all threads."""

    def __init__(self, database: Database, clock: Callable[[], str]) -> None:
        self._database = database
        self._clock = clock

    async def append(self, thread: str, visit: int, first_seq: int, events: Events) -> None:
        """Write the events of a step as `first_seq`, `first_seq + 1`, and so on.

        Whatever the thread had from `first_seq` on goes first, in the same transaction: a step that is run
        again after a crash replaces what it had begun to write, and writing the same step twice changes
        nothing. Raises `StoreError`: `no_such_thread`, `not_json`.
        """
        rows = encode_events(thread, visit, first_seq, events, self._clock())
        await self._database.run(lambda c: write_events(c, thread, first_seq, rows))

    async def read(self, thread: str, since: int = 0) -> list[EventRow]:
        """The events with `seq >= since`, in order; empty for a thread that does not exist."""
        rows = await self._database.run(lambda c: c.execute(_read, {"id": thread, "since": since}).all())
        return [EventRow(seq, visit, time, load(event)) for seq, visit, time, event in rows]

    async def count(self, thread: str) -> int:
        """How many events the thread has, which is the `first_seq` of its next step."""
        return await self._database.run(lambda c: c.execute(_count, {"id": thread}).scalar_one())
