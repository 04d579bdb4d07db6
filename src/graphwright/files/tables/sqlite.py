"""SQLite databases: each table is one of ours. Nothing of the database runs: no view, trigger or function."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from graphwright.files.errors import NotData
from graphwright.files.limits import Limits
from graphwright.files.naming import shown
from graphwright.files.tables.found import Found, column_note
from graphwright.files.tables.selecting import Even
from graphwright.files.tables.value_columns import ValueRows

_ROWS_AT_ONCE = 5_000
_MOST_VALUE = 1 << 24
"""Bytes of a value or a row."""

_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_PRAGMA}


def read_sqlite(path: Path, limits: Limits) -> Iterator[Found]:
    """The tables with columns in a database. Raises NotData where it is damaged or has none."""
    try:
        # Immutable: neither a journal nor a lock is looked for, and nothing is written beside the file.
        connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)
        try:
            yield from _tables(connection, limits)
        finally:
            connection.close()
    except (sqlite3.Error, OverflowError) as error:
        raise NotData(
            "damaged_file",
            f"the SQLite database cannot be read ({shown(str(error), 100)})",
            "Get the file once more, or export the table as CSV.",
        ) from None


def _tables(connection: sqlite3.Connection, limits: Limits) -> Iterator[Found]:
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for pragma in ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON", "mmap_size=0", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}")
    connection.text_factory = lambda raw: raw.decode("utf-8", errors="replace")
    named = connection.execute(
        "SELECT name, sql, type FROM sqlite_schema"
        " WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid"
    ).fetchall()
    connection.set_authorizer(_allowed)
    tables = [name for name, sql, kind in named if kind == "table" and not _is_virtual(sql)]
    left = len(named) - len(tables)
    found_any = False
    for name in tables:
        if (found := _read(connection, name, limits)) is not None:
            if left:
                found.notes.append(f"{left} views and virtual tables of the database were left out.")
            found_any = True
            yield found
    if not found_any:
        raise NotData("empty_file", "the database has no table with rows", "Give one with data in it.")


def _allowed(action: int, first: str | None, second: str | None, database: str | None, inner: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION:
        return sqlite3.SQLITE_OK if second == "count" else sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _is_virtual(sql: str | None) -> bool:
    return " ".join((sql or "").split()).upper().startswith("CREATE VIRTUAL")


def _read(connection: sqlite3.Connection, name: str, limits: Limits) -> Found | None:
    table = '"' + name.replace('"', '""') + '"'
    # Of these, column 6 is 1 for hidden ones, 2 and 3 for those that an expression makes.
    facts = connection.execute(f"PRAGMA table_xinfo({table})").fetchall()
    stored = [fact[1] for fact in facts if fact[6] == 0]
    if not stored:
        return None
    there = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    if not there:
        return None
    held = stored[: limits.columns]
    wanted = ", ".join('"' + column.replace('"', '""') + '"' for column in held)
    query = f"SELECT {wanted} FROM {table}"
    rows = ValueRows(held, Even(there, limits.rows_held(len(held), _row_bytes(connection, query))))
    cursor = connection.execute(query)
    while batch := list(islice(cursor, _ROWS_AT_ONCE)):
        rows.add(batch)
    notes: list[str] = []
    if len(stored) < len(facts):
        notes.append(f"{len(facts) - len(stored)} columns that are computed by expressions were left out.")
    data = rows.table(notes)
    return Found(name, held, data, rows.seen, len(stored), notes + column_note(len(stored), len(held)))


def _row_bytes(connection: sqlite3.Connection, query: str) -> float:
    """Bytes of text a row, by the first ones."""
    sample: list[Any] = connection.execute(f"{query} LIMIT 200").fetchall()
    return sum(len(value) for row in sample for value in row if isinstance(value, str | bytes)) / max(len(sample), 1)
