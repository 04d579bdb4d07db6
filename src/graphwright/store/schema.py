"""The tables. Names carry a prefix, because a shared database holds those of others too."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from sqlalchemy import Column, ForeignKey, Index, Integer, MetaData, Table, Text

from graphwright.store.errors import StoreError

VERSION = 2
"""The version of the tables below, stamped into every database."""

metadata = MetaData()


def _thread_key() -> Column[str]:
    return Column("thread", Text, ForeignKey("gw_threads.thread", ondelete="CASCADE"), primary_key=True)


def _texts(*names: str) -> Iterator[Column[str]]:
    return (Column(name, Text, nullable=False) for name in names)


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
    *_texts("agent", "flow_id", "flow_hash", "status", "waiting_for", "position", "title"),
    Column("turns", Integer, nullable=False),
    *_texts("created", "updated"),
)
Index("gw_threads_updated", threads.c.updated)

# Where each conversation stands, which its next turn begins with.
states = Table(
    "gw_states",
    metadata,
    _thread_key(),
    Column("state", Text, nullable=False),
    Column("checksum", Integer, nullable=False),
)

# The key of these tables begins with the thread, so a table that *is* its key reads a thread in one stretch.
events = Table(
    "gw_events",
    metadata,
    _thread_key(),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("visit", Integer, nullable=False),
    *_texts("time", "event"),
    sqlite_with_rowid=False,
)

messages = Table(
    "gw_messages",
    metadata,
    _thread_key(),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    *_texts("role", "text", "time"),
    sqlite_with_rowid=False,
)

outcomes = Table(
    "gw_outcomes",
    metadata,
    _thread_key(),
    Column("visit", Integer, primary_key=True, autoincrement=False),
    *_texts("node", "status"),
    Column("attempt", Integer, nullable=False),
    *_texts("error", "time"),
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
    *_texts("value", "agent", "thread", "created"),
)
Index("gw_records_created", records.c.collection, records.c.created, records.c.key)


def require_known(place: Path, stamp: str | None, tables: Collection[str]) -> None:
    """Raise `StoreError` for the database of another program, one that is damaged, and one of another version.

    `stamp` is the version that it says its tables have.
    """
    if meta.name not in tables:
        raise StoreError(
            "foreign_database",
            f"{place} is the database of another program: it holds the table `{min(tables)}`.",
            "Nothing was changed. Move it aside, or point GRAPHWRIGHT_HOME to another folder.",
        )
    if stamp is None or not stamp.isdecimal():
        raise StoreError(
            "corrupted",
            f"The database {place} does not say which version its tables have.",
            "Nothing was changed. Restore a backup, or move the file aside.",
        )
    if int(stamp) > VERSION:
        raise StoreError(
            "newer_schema",
            f"The database {place} was written by a newer Graphwright: its tables have version {stamp}, and this "
            f"program knows version {VERSION}.",
            "Nothing was changed. Upgrade Graphwright, or point GRAPHWRIGHT_HOME to another folder.",
        )
    if int(stamp) < VERSION:
        raise StoreError(
            "older_schema",
            f"The database {place} was written by an earlier Graphwright: its tables have version {stamp}, and this "
            f"program reads version {VERSION} alone.",
            "Nothing was changed. Move the file aside, or point GRAPHWRIGHT_HOME to another folder.",
        )
