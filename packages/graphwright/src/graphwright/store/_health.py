"""The health of the store: whether it is damaged, and its contents."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, Connection, func, select

from graphwright.config import chosen_store
from graphwright.store._errors import StoreError
from graphwright.store.opening import POSTGRES, SQLITE, open_store, scheme_of, sqlite_file
from graphwright.store.sql import _schema as schema
from graphwright.store.sqlite.database import is_held
from graphwright.store.sqlite_files import explained

_TIMEOUT_SECONDS, _SERVER_TIMEOUT_SECONDS = 2.0, 5.0
"""Seconds to wait for a database."""

_MOST_DAMAGE = 5


@dataclass(frozen=True, slots=True)
class Health:
    """The health of a store. `label` names the database, `size` is in bytes, `threads` counts threads by status.

    `size` is None for a store of another package, of which only this is known: it can be opened and read.
    `served` and `cut_short` are the threads in the middle of a turn: with a process that runs it, or without one.
    `damage` lists what the database reports, empty for a sound one.
    """

    label: str
    size: int | None
    version: int
    threads: Mapping[str, int]
    served: tuple[str, ...]
    cut_short: tuple[str, ...]
    damage: tuple[str, ...]


def examine(home: Path) -> Health | None:
    """Check the store of a data folder; None if it does not exist yet. A SQLite file is not changed.

    A SQLite file is read completely, which takes a second for several hundred megabytes. Raises `StoreError` if the
    store cannot be opened or belongs to another program.
    """
    url = chosen_store()
    if not url or scheme_of(url) == SQLITE:
        return _of_sqlite(sqlite_file(url, home))
    if scheme_of(url) in POSTGRES:
        from graphwright.store.postgres._address import parsed

        return asyncio.run(_of_postgres(parsed(url), home))
    return asyncio.run(_of_other(home))


async def _of_other(home: Path) -> Health:
    async with open_store(home, create=False, busy_timeout=_SERVER_TIMEOUT_SECONDS) as store:
        await store.require_ready()
        return Health(store.label, None, 0, {}, (), (), ())


def _of_sqlite(path: Path) -> Health | None:
    """Nothing is changed, and no file is created next to the database."""
    with explained(path):
        if not path.exists():
            return None
        if not os.access(path, os.R_OK) or not path.is_file():
            raise StoreError("cannot_open", f"{path} cannot be read.", "It must be a file that this user may read.")
        size = sum(file.stat().st_size for file in (path, Path(f"{path}-wal")) if file.exists())
        with closing(_open(path)) as connection:
            return _of_file(connection, path.parent, path, size)


def _open(path: Path) -> sqlite3.Connection:
    # If no other process has it open, the log is missing, and SQLite would create one to read it as a shared database.
    alone = "" if os.path.exists(f"{path}-wal") else "&immutable=1"
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro{alone}", uri=True, timeout=_TIMEOUT_SECONDS)


def _of_file(connection: sqlite3.Connection, home: Path, path: Path, size: int) -> Health:
    damage = tuple(row[0] for row in connection.execute(f"PRAGMA quick_check({_MOST_DAMAGE})") if row[0] != "ok")
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        # The first start was interrupted: the next one creates the tables.
        return Health(str(path), size, schema.VERSION, {}, (), (), damage)
    ours = schema.meta.name in tables
    stamps = f"SELECT value FROM {schema.meta.name} WHERE key = 'schema'"
    stamp = next((str(row[0]) for row in connection.execute(stamps)), None) if ours else None
    schema.known_version(str(path), stamp, tables)
    threads = schema.threads.name
    counted = connection.execute(f"SELECT status, count(*) FROM {threads} GROUP BY status ORDER BY status")
    found = {str(status): int(count) for status, count in counted}
    at_work = f"SELECT thread, updated FROM {threads} WHERE status = 'running' ORDER BY thread"
    running = connection.execute(at_work).fetchall()
    held = {row for row in running if is_held(home / "locks", row[0])}
    # Read again: a turn may have ended between the reads of its row and its lock.
    unchanged = set(connection.execute(at_work))
    return Health(
        str(path),
        size,
        int(stamp or 0),
        found,
        tuple(row[0] for row in running if row in held),
        tuple(row[0] for row in running if row not in held and row in unchanged),
        damage,
    )


async def _of_postgres(url: URL, home: Path) -> Health:
    from graphwright.store.postgres._database import open_database

    threads = schema.threads
    counts = select(threads.c.status, func.count()).group_by(threads.c.status).order_by(threads.c.status)
    at_work = (
        select(threads.c.thread, threads.c.updated).where(threads.c.status == "running").order_by(threads.c.thread)
    )

    def look(connection: Connection) -> tuple[int, dict[str, int]]:
        size = connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar()
        return int(size or 0), dict(tuple(each) for each in connection.execute(counts))

    def running(connection: Connection) -> list[tuple[str, str]]:
        return [(each.thread, each.updated) for each in connection.execute(at_work)]

    async with open_database(url, home, busy_timeout=_SERVER_TIMEOUT_SECONDS) as database:
        size, found = await database.read(look)
        rows = await database.read(running)
        held = await database.leases.leased([thread for thread, _ in rows])
        # Read again: a turn may have ended between the reads of its row and its lock.
        unchanged = set(await database.read(running))
    served = tuple(thread for thread, _ in rows if thread in held)
    cut_short = tuple(each[0] for each in rows if each[0] not in held and each in unchanged)
    return Health(database.label, size, schema.VERSION, found, served, cut_short, ())
