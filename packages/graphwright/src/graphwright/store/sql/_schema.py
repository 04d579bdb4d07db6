"""The tables. Their names have a prefix, because a shared database may contain other tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlalchemy import (
    DDL,
    BigInteger,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    event,
    inspect,
    select,
    text,
    update,
)

from graphwright.store._errors import StoreError

VERSION = 6
"""The version of the tables below, stored in every database."""

OLDEST = 2
"""The oldest version that `migrate` supports."""

metadata = MetaData()

# Names and times are compared byte by byte in every database; texts of people use the collation of the database.
_name = Text().with_variant(Text(collation="C"), "postgresql")


def _key(name: str) -> Column[str]:
    return Column(name, _name, primary_key=True)


def _of(name: str, target: str, *, key: bool = True) -> Column[str]:
    """Return a column that refers to another table; its rows are deleted with the referenced row."""
    return Column(name, _name, ForeignKey(target, ondelete="CASCADE"), primary_key=key, nullable=False)


def _thread_key() -> Column[str]:
    return _of("thread", "gw_threads.thread")


def _names(*names: str) -> Iterator[Column[str]]:
    return (Column(name, _name, nullable=False) for name in names)


def _texts(*names: str) -> Iterator[Column[str]]:
    return (Column(name, Text, nullable=False) for name in names)


def _number(name: str, *, key: bool = False) -> Column[int]:
    return Column(name, BigInteger, primary_key=key, nullable=False, autoincrement=False)


meta = Table("gw_meta", metadata, _key("key"), *_texts("value"))

threads = Table(
    "gw_threads",
    metadata,
    _key("thread"),
    *_names("agent", "flow_id", "flow_hash", "status"),
    *_texts("waiting_for", "position", "title"),
    _number("turns"),
    *_names("created", "updated"),
    # How its owner sorts it, and the model that the owner chose.
    Column("pinned", BigInteger, nullable=False, server_default="0"),
    Column("folder", _name, nullable=False, server_default=""),
    Column("model", _name, nullable=False, server_default=""),
    # Branches have the family of their source, and the number of their first own turn.
    Column("family", _name, nullable=False, server_default=""),
    Column("source", _name, nullable=False, server_default=""),
    Column("source_turn", BigInteger, nullable=False, server_default="0"),
)
Index("gw_threads_updated", threads.c.updated)
Index("gw_threads_family", threads.c.family, threads.c.updated)

# The state of each thread, with which its next turn begins.
states = Table("gw_states", metadata, _thread_key(), *_texts("state"), _number("checksum"))

# The primary key of these tables begins with the thread; without a rowid, a thread is stored contiguously.
events = Table(
    "gw_events",
    metadata,
    _thread_key(),
    _number("seq", key=True),
    _number("visit"),
    *_names("time"),
    *_texts("event"),
    sqlite_with_rowid=False,
)

messages = Table(
    "gw_messages",
    metadata,
    _thread_key(),
    _number("seq", key=True),
    *_names("role"),
    *_texts("text"),
    *_names("time"),
    sqlite_with_rowid=False,
)

# What users think of the answers, by turn.
feedback = Table(
    "gw_feedback",
    metadata,
    _thread_key(),
    _number("turn", key=True),
    *_names("rating"),
    *_texts("comment"),
    *_names("user", "time"),
)

outcomes = Table(
    "gw_outcomes",
    metadata,
    _thread_key(),
    _number("visit", key=True),
    *_names("node", "status"),
    _number("attempt"),
    *_texts("error"),
    *_names("time"),
)

blobs = Table("gw_blobs", metadata, _key("hash"), *_texts("value"))

blob_threads = Table(
    "gw_blob_threads",
    metadata,
    _thread_key(),
    # No cascade: a transaction that deletes a blob fails if another one refers to it meanwhile.
    Column("hash", _name, ForeignKey("gw_blobs.hash", deferrable=True, initially="DEFERRED"), primary_key=True),
    sqlite_with_rowid=False,
)
Index("gw_blob_threads_hash", blob_threads.c.hash)

records = Table(
    "gw_records",
    metadata,
    _key("collection"),
    _key("key"),
    *_texts("value"),
    *_names("agent", "thread", "created"),
)
Index("gw_records_created", records.c.collection, records.c.created, records.c.key)

# Data of the service: runs and their events, idempotency keys, and uploads.

runs = Table(
    "gw_runs",
    metadata,
    _key("id"),
    _of("thread", "gw_threads.thread", key=False),
    *_names("owner", "worker", "status"),
    *_texts("last"),
    *_names("created", "updated"),
)
at_work = runs.c.status == "running"
Index("gw_runs_running", runs.c.thread, unique=True, sqlite_where=at_work, postgresql_where=at_work)
Index("gw_runs_thread", runs.c.thread, runs.c.created)

run_events = Table(
    "gw_run_events",
    metadata,
    _of("run", "gw_runs.id"),
    _number("first", key=True),
    *_texts("events"),
    sqlite_with_rowid=False,
)

# The accepted message of a run, until the run has ended, and how many workers died during it.
accepted = Table(
    "gw_run_accepted",
    metadata,
    _of("run", "gw_runs.id"),
    *_texts("message"),
    _number("turn"),
    _number("interrupted"),
    Column("left", BigInteger, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)

idempotency = Table(
    "gw_idempotency",
    metadata,
    _key("owner"),
    _key("key"),
    *_names("request"),
    _of("run", "gw_runs.id", key=False),
    *_names("created"),
    sqlite_with_rowid=False,
)

cancellations = Table("gw_run_cancellations", metadata, _of("run", "gw_runs.id"), sqlite_with_rowid=False)

uploads = Table(
    "gw_uploads",
    metadata,
    _key("id"),
    *_names("owner", "name", "sha256", "kind", "created"),
    _number("bytes"),
)
Index("gw_uploads_owner", uploads.c.owner, uploads.c.created)

# Access control

owners = Table("gw_owners", metadata, _key("kind"), _key("id"), *_names("owner", "created"))
Index("gw_owners_owner", owners.c.owner, owners.c.kind)

api_keys = Table(
    "gw_api_keys",
    metadata,
    _key("id"),
    *_names("hash", "user", "role", "name", "created", "expires", "last_used", "revoked"),
)

audit = Table(
    "gw_audit",
    metadata,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    *_names("time", "user", "key", "door", "event", "agent", "thread", "run", "node", "action", "content"),
    sqlite_autoincrement=True,
)
counters = Table(
    "gw_counters",
    metadata,
    _key("name"),
    _number("window", key=True),
    _number("count"),
)


# Flow documents, by the hash that threads and versions refer to.

flow_documents = Table("gw_flow_documents", metadata, _key("hash"), *_texts("document"), *_names("created"))

# The declarations of the code when a document was last served as the present version of its flow.
flow_code = Table("gw_flow_code", metadata, _of("hash", "gw_flow_documents.hash"), *_texts("code"), *_names("updated"))

flow_drafts = Table(
    "gw_flow_drafts",
    metadata,
    _key("flow"),
    *_texts("text"),
    _number("revision"),
    *_names("author", "updated"),
)

flow_versions = Table(
    "gw_flow_versions",
    metadata,
    _key("flow"),
    _number("number", key=True),
    Column("hash", _name, ForeignKey("gw_flow_documents.hash"), nullable=False),
    *_names("author"),
    *_texts("note"),
    *_names("created"),
    Column("text", Text, nullable=False, server_default=""),
)


def _append_only(table: Table, what: str) -> None:
    """Make the database itself refuse to change or delete a row, for every program."""
    name, refusal = table.name, f"{what} append-only"
    function = f"{name}_refuse"
    guards = {
        "sqlite": [
            f"CREATE TRIGGER {name}_no_{verb.lower()} BEFORE {verb} ON {name} "
            f"BEGIN SELECT RAISE(ABORT, '{refusal}'); END"
            for verb in ("UPDATE", "DELETE")
        ],
        "postgresql": [
            f"CREATE OR REPLACE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{refusal}'; END $$",
            f"CREATE TRIGGER {name}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {name} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {function}()",
        ],
    }
    for dialect, statements in guards.items():
        for statement in statements:
            event.listen(table, "after_create", DDL(statement).execute_if(dialect=dialect))  # type: ignore[no-untyped-call]


_append_only(audit, "the audit is")
_append_only(flow_versions, "published versions are")


def stamped(connection: Connection, place: str) -> int | None:
    """Return the version of the tables in a database, or None if it has no tables yet.

    Raises `StoreError` for the database of another program, a damaged one, and one of an unknown version.
    """
    tables = set(inspect(connection).get_table_names())
    if connection.dialect.name == "postgresql":
        # A database may contain tables of other programs; a file must not.
        tables &= metadata.tables.keys()
    if not tables:
        return None
    stamp = connection.scalar(select(meta.c.value).where(meta.c.key == "schema")) if meta.name in tables else None
    return known_version(place, stamp, tables)


def known_version(place: str, stamp: str | None, tables: Collection[str]) -> int:
    """Return the version in a `stamp`. Raises the errors of `stamped`."""
    if meta.name not in tables:
        raise StoreError(
            "foreign_database",
            f"{place} is the database of another program: it contains the table `{min(tables)}`.",
            "Nothing was changed. Move it aside, or choose another place for the data.",
        )
    if stamp is None or not stamp.isdecimal():
        raise StoreError(
            "corrupted",
            f"The database {place} does not say which version its tables have.",
            "Nothing was changed. Restore a backup, or move the database aside.",
        )
    version = int(stamp)
    if version > VERSION:
        raise StoreError(
            "newer_schema",
            f"The database {place} was written by a newer Graphwright: its tables have version {stamp}, and this "
            f"program knows version {VERSION}.",
            "Nothing was changed. Upgrade Graphwright, or choose another place for the data.",
        )
    if version < OLDEST:
        raise StoreError(
            "older_schema",
            f"The database {place} was written by an early Graphwright: its tables have version {stamp}, and this "
            f"program reads version {OLDEST} and later ones.",
            "Nothing was changed. Move the database aside, or choose another place for the data.",
        )
    return version


def make_tables(connection: Connection) -> None:
    """Create the tables in an empty database."""
    metadata.create_all(connection)
    connection.execute(meta.insert(), {"key": "schema", "value": str(VERSION)})


def migrate(connection: Connection, version: int) -> None:
    """Migrate the tables of an older version to this one.

    Version 2 had no tables for the service until one was started, and did not count the workers that a run lost.
    Version 3 had no tables for flows; version 4 did not store what the code declared with a flow, and not the text of a
    published version. Version 5 had no feedback, and threads had no marks of their owner and no family.
    """
    if version < 3 and inspect(connection).has_table(accepted.name):
        connection.execute(text(f'ALTER TABLE {accepted.name} ADD COLUMN "left" BIGINT NOT NULL DEFAULT 0'))
    if version == 4:
        connection.execute(text(f"ALTER TABLE {flow_versions.name} ADD COLUMN text TEXT NOT NULL DEFAULT ''"))
    if version < 6:
        # Names are compared byte by byte in every database, as above.
        kind = 'TEXT COLLATE "C"' if connection.dialect.name == "postgresql" else "TEXT"
        for name in ("pinned", "folder", "model", "family", "source", "source_turn"):
            column = "BIGINT NOT NULL DEFAULT 0" if name in ("pinned", "source_turn") else f"{kind} NOT NULL DEFAULT ''"
            connection.execute(text(f"ALTER TABLE {threads.name} ADD COLUMN {name} {column}"))
        connection.execute(text(f"UPDATE {threads.name} SET family = thread"))
    metadata.create_all(connection)
    # Indexes of a table that existed before.
    for index in threads.indexes:
        index.create(connection, checkfirst=True)
    connection.execute(update(meta).where(meta.c.key == "schema").values(value=str(VERSION)))
