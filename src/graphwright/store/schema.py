"""The tables. Names carry a prefix, because a shared database holds those of others too."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, LargeBinary, MetaData, Table, Text

VERSION = 1
"""The version of the tables below, stamped into every database."""

metadata = MetaData()


def _thread_key() -> Column[str]:
    return Column("thread", Text, ForeignKey("gw_threads.thread", ondelete="CASCADE"), primary_key=True)


meta = Table(
    "gw_meta",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

threads = Table(
    "gw_threads",
    metadata,
    Column("thread", Text, primary_key=True),
    Column("agent", Text, nullable=False),
    Column("flow_id", Text, nullable=False),
    Column("flow_hash", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("waiting_for", Text, nullable=False),
    Column("position", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("created", Text, nullable=False),
    Column("updated", Text, nullable=False),
)
Index("gw_threads_updated", threads.c.updated)

# The key of these tables begins with the thread, so a table that *is* its key reads a thread in one stretch.
events = Table(
    "gw_events",
    metadata,
    _thread_key(),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("visit", Integer, nullable=False),
    Column("time", Text, nullable=False),
    Column("event", Text, nullable=False),
    sqlite_with_rowid=False,
)

messages = Table(
    "gw_messages",
    metadata,
    _thread_key(),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("role", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("time", Text, nullable=False),
    sqlite_with_rowid=False,
)

outcomes = Table(
    "gw_outcomes",
    metadata,
    _thread_key(),
    Column("visit", Integer, primary_key=True, autoincrement=False),
    Column("node", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("error", Text, nullable=False),
    Column("time", Text, nullable=False),
)

# LangGraph's checkpoints and the writes that wait on them. They belong to no row of `threads`: a graph that is not
# a flow may keep its own here.
checkpoints = Table(
    "gw_checkpoints",
    metadata,
    Column("thread", Text, primary_key=True),
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("parent", Text),
    Column("type", Text, nullable=False),
    Column("checkpoint", LargeBinary, nullable=False),
    Column("metadata", Text, nullable=False),
)

checkpoint_writes = Table(
    "gw_checkpoint_writes",
    metadata,
    Column("thread", Text, primary_key=True),
    Column("namespace", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("task", Text, primary_key=True),
    Column("index", Integer, primary_key=True, autoincrement=False),
    Column("path", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("value", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

blobs = Table(
    "gw_blobs",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

blob_threads = Table(
    "gw_blob_threads",
    metadata,
    _thread_key(),
    Column("hash", Text, ForeignKey("gw_blobs.hash", ondelete="CASCADE"), primary_key=True),
    sqlite_with_rowid=False,
)
Index("gw_blob_threads_hash", blob_threads.c.hash)

records = Table(
    "gw_records",
    metadata,
    Column("collection", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("created", Text, nullable=False),
)
Index("gw_records_created", records.c.collection, records.c.created, records.c.key)
