"""Messages: what was said in a thread, append-only, read through a window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from graphwright.store import schema
from graphwright.store.database import Database
from graphwright.store.jsontext import storable
from graphwright.store.prepared import Prepared
from graphwright.store.rows import Message, Role

_table = schema.messages
_columns = (_table.c.seq, _table.c.role, _table.c.text, _table.c.time)
_insert = insert(_table)
_add = Prepared(_insert)
_cut = delete(_table).where(_table.c.thread == bindparam("id"), _table.c.seq >= bindparam("first"))
_of_thread = select(*_columns).where(_table.c.thread == bindparam("id"))
_window = _of_thread.order_by(_table.c.seq.desc()).limit(bindparam("limit"))
_read = _of_thread.where(_table.c.seq >= bindparam("since")).order_by(_table.c.seq)
_count = select(func.count()).select_from(_table).where(_table.c.thread == bindparam("id"))


def encode_messages(
    thread: str, first_seq: int, messages: Sequence[tuple[Role, str]], time: str
) -> list[dict[str, Any]]:
    """The rows of a step's messages."""
    return [
        {"thread": thread, "seq": first_seq + index, "role": role, "text": storable(text), "time": time}
        for index, (role, text) in enumerate(messages)
    ]


def add_messages(connection: Connection, rows: list[dict[str, Any]]) -> None:
    """Write rows that follow those which are there."""
    _add.run_many(connection, rows)


def write_messages(connection: Connection, thread: str, first_seq: int, rows: list[dict[str, Any]]) -> None:
    """Replace the tail of the messages that begins at `first_seq` with the rows."""
    connection.execute(_cut, {"id": thread, "first": first_seq})
    if rows:
        connection.execute(_insert, rows)


class Messages:
    """The messages of all threads."""

    def __init__(self, database: Database, clock: Callable[[], str]) -> None:
        self._database = database
        self._clock = clock

    async def append(self, thread: str, first_seq: int, messages: Sequence[tuple[Role, str]]) -> None:
        """Write `(role, text)` pairs from `first_seq` on, in place of what stood there.

        Raises `StoreError("no_such_thread")`.
        """
        rows = encode_messages(thread, first_seq, messages, self._clock())
        await self._database.run(lambda c: write_messages(c, thread, first_seq, rows))

    async def read(self, thread: str, since: int = 0) -> list[Message]:
        """The messages with `seq >= since`, in order."""
        rows = await self._database.run(lambda c: c.execute(_read, {"id": thread, "since": since}).all())
        return [Message(*row) for row in rows]

    async def window(self, thread: str, limit: int) -> list[Message]:
        """The last `limit` messages, oldest first. Costs the same however long the thread is."""
        rows = await self._database.run(lambda c: c.execute(_window, {"id": thread, "limit": limit}).all())
        return [Message(*row) for row in reversed(rows)]

    async def count(self, thread: str) -> int:
        """How many messages the thread has, which is the `first_seq` of the next one."""
        return await self._database.run(lambda c: c.execute(_count, {"id": thread}).scalar_one())
