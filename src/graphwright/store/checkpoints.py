"""Checkpoints: LangGraph's saver on the store's own database file, and the pruning of what it piles up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from graphwright.store.database import PRAGMAS, Database, connection_options

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

# The saver's ids sort by age (UUID 6), so the greatest is the latest.
_PRUNE_WRITES = text(
    "DELETE FROM writes WHERE thread_id = :thread AND checkpoint_id < (SELECT MAX(c.checkpoint_id) "
    "FROM checkpoints c WHERE c.thread_id = writes.thread_id AND c.checkpoint_ns = writes.checkpoint_ns)"
)
_PRUNE_CHECKPOINTS = text(
    "DELETE FROM checkpoints WHERE thread_id = :thread AND checkpoint_id < (SELECT MAX(c.checkpoint_id) FROM "
    "checkpoints c WHERE c.thread_id = checkpoints.thread_id AND c.checkpoint_ns = checkpoints.checkpoint_ns)"
)
_DELETE = (
    text("DELETE FROM writes WHERE thread_id = :thread"),
    text("DELETE FROM checkpoints WHERE thread_id = :thread"),
)


async def open_saver(database: Database) -> AsyncSqliteSaver:
    """A saver on its own connection to the database file. The caller closes `saver.conn`."""
    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    connection = await aiosqlite.connect(database.place, **connection_options(database.busy_timeout))
    try:
        for pragma in PRAGMAS:
            await connection.execute(pragma)
        saver = AsyncSqliteSaver(connection)
        await saver.setup()
    except BaseException:
        await connection.close()
        raise
    return saver


def prune(connection: Connection, thread: str) -> None:
    """Remove all checkpoints of a thread but the latest of each namespace, with the writes of the others."""
    if _kept(connection):
        connection.execute(_PRUNE_WRITES, {"thread": thread})
        connection.execute(_PRUNE_CHECKPOINTS, {"thread": thread})


def delete(connection: Connection, thread: str) -> None:
    """Remove all checkpoints of a thread."""
    if _kept(connection):
        for statement in _DELETE:
            connection.execute(statement, {"thread": thread})


def _kept(connection: Connection) -> bool:
    # A database whose runs never asked for a saver has none of its tables.
    return inspect(connection).has_table("writes")
