"""The health of a SQLite database. Nothing is changed, and no file is created next to it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from graphwright.store.errors import StoreError
from graphwright.store.home import FILE
from graphwright.store.sql import schema
from graphwright.store.sqlite.database import is_held
from graphwright.store.sqlite_files import explained

Found = tuple[str, int, int, dict[str, int], tuple[str, ...], tuple[str, ...], tuple[str, ...]]

_PATIENCE = 2.0
_MOST_DAMAGE = 5


def examined(home: Path) -> Found | None:
    """Return label, size, version, threads by status, served, cut short and damage, the fields of `Health`; or None."""
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
    # If no other process has it open, the log is missing, and SQLite would create one to read it as a shared database.
    alone = "" if os.path.exists(f"{path}-wal") else "&immutable=1"
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro{alone}", uri=True, timeout=_PATIENCE)


def _examined(connection: sqlite3.Connection, home: Path, path: Path, size: int) -> Found:
    damage = tuple(row[0] for row in connection.execute(f"PRAGMA quick_check({_MOST_DAMAGE})") if row[0] != "ok")
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        # The first start was interrupted: the next one creates the tables.
        return str(path), size, schema.VERSION, {}, (), (), damage
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
    return (
        str(path),
        size,
        int(stamp or 0),
        found,
        tuple(row[0] for row in running if row in held),
        tuple(row[0] for row in running if row not in held and row in unchanged),
        damage,
    )
