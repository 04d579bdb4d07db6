"""Looking a database over: is it whole, and what is in it. Nothing is changed, not even a file beside it made anew."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from graphwright.store.errors import StoreError
from graphwright.store.home import FILE
from graphwright.store.sql import schema
from graphwright.store.sqlite.lease import is_held
from graphwright.store.sqlite_files import explained

_PATIENCE = 2.0
_MOST_DAMAGE = 5


@dataclass(frozen=True, slots=True)
class Health:
    """What was found. `size` is in bytes, `threads` how many there are by their status.

    `served` and `cut_short` are the threads in the middle of a turn: a process is at it, or none is any more. `damage`
    is what SQLite complains about, empty for a sound database.
    """

    path: Path
    size: int
    version: int
    threads: Mapping[str, int]
    served: tuple[str, ...]
    cut_short: tuple[str, ...]
    damage: tuple[str, ...]


def examine(home: Path) -> Health | None:
    """Look over the database in a data folder; None where there is none yet.

    Reads all of it, which takes a second for some hundred megabytes. Raises `StoreError` for what cannot be opened or
    is none of ours: `cannot_open`, `corrupted`, `foreign_database`, `locked`, `newer_schema`, `not_a_database`,
    `older_schema`, `read_only`.
    """
    path = home / FILE
    with explained(path):
        if not path.exists():
            return None
        if not os.access(path, os.R_OK) or not path.is_file():
            raise StoreError("cannot_open", f"{path} cannot be read.", "It must be a file that this user may read.")
        size = sum(file.stat().st_size for file in (path, Path(f"{path}-wal")) if file.exists())
        with closing(_open(path)) as connection:
            return _examined(connection, home, path, size)


def _open(path: Path) -> sqlite3.Connection:
    # Where nobody has it open there is no log, and SQLite would have to make one to read it as a shared database.
    alone = "" if os.path.exists(f"{path}-wal") else "&immutable=1"
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro{alone}", uri=True, timeout=_PATIENCE)


def _examined(connection: sqlite3.Connection, home: Path, path: Path, size: int) -> Health:
    damage = tuple(row[0] for row in connection.execute(f"PRAGMA quick_check({_MOST_DAMAGE})") if row[0] != "ok")
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        # The first start was cut short: the next one makes the tables.
        return Health(path, size, schema.VERSION, {}, (), (), damage)
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
    # Read again: a turn may have ended between reading its row and checking its lock.
    unchanged = set(connection.execute(at_work))
    return Health(
        path=path,
        size=size,
        version=int(stamp or 0),
        threads=found,
        served=tuple(row[0] for row in running if row in held),
        cut_short=tuple(row[0] for row in running if row not in held and row in unchanged),
        damage=damage,
    )
