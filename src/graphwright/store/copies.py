"""Copies: the beginning of one thread as the beginning of another."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, Table, insert, literal, select

from graphwright.store import schema
from graphwright.store.errors import StoreError


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first `events` events and `messages` messages of a thread, and the `blobs` (hashes) that they speak of."""

    thread: str
    events: int
    messages: int
    blobs: Collection[str]


def write_copy(connection: Connection, thread: str, beginning: Beginning) -> None:
    """Copy a beginning, with its times, into a thread that has nothing but its row yet.

    Raises `StoreError("no_such_thread")` when the other thread has been deleted meanwhile.
    """
    copied = _copy(connection, schema.events, thread, beginning.thread, beginning.events)
    _copy(connection, schema.messages, thread, beginning.thread, beginning.messages)
    if copied != beginning.events:
        raise StoreError(
            "no_such_thread",
            f"The thread `{beginning.thread}` was deleted while it was being copied.",
            "Nothing was written.",
        )
    if beginning.blobs:
        # A blob lives as long as a thread that refers to it.
        rows = [{"thread": thread, "hash": digest} for digest in sorted(beginning.blobs)]
        connection.execute(insert(schema.blob_threads), rows)


def _copy(connection: Connection, table: Table, thread: str, source: str, count: int) -> int:
    others = [column for column in table.c if column.name != "thread"]
    chosen = select(literal(thread), *others).where(table.c.thread == source, table.c.seq < count)
    return connection.execute(insert(table).from_select(["thread", *(c.name for c in others)], chosen)).rowcount
