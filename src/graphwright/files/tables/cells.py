"""Workbooks and SQLite databases: their cells are written as text with separators, which is then read as any other.

No formula and nothing of a database runs: saved values, and stored columns of tables.
"""

from __future__ import annotations

import csv
import datetime
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb

from graphwright.files.containers import sheets, weighed
from graphwright.files.kinds import Kind
from graphwright.files.limits import Limits
from graphwright.files.tables.delimited import read_delimited
from graphwright.files.tables.engine import Found, quoted

_CSV = {"delim": ",", "quote": '"', "escape": '"', "comment": ""}
_FIRST_ROWS = 30
_EXACT = 2**53
_MOST_VALUE = 1 << 24
"""Bytes of a value or a row of a database."""

_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_PRAGMA}


def read_sheets(
    connection: duckdb.DuckDBPyConnection, path: Path, scratch: Path, kind: Kind, limits: Limits
) -> Iterator[Iterable[Found]]:
    """The tables of a workbook. Raises NotData where it is protected, TooMuch where it is too large."""
    formulas = 0
    if kind.name != "xls":
        for name, chunk in weighed(path, limits.document_bytes, limits.ratio):
            if "sheet" in name:
                formulas += chunk.count(b"<f>") + chunk.count(b"<f ")
    for _, name, hidden, rows in sheets(path):
        if _written(scratch, _filled(rows)):
            notes = []
            if formulas:
                notes.append("Formulas were not run: the values that they had when it was saved were read.")
            if hidden:
                notes.append("The sheet is hidden.")
            yield read_delimited(connection, scratch, table=name, table_by_name=True, notes=notes, given=_CSV)


def read_database(connection: duckdb.DuckDBPyConnection, path: Path, scratch: Path) -> Iterator[Iterable[Found]]:
    """The tables with rows in a SQLite database. Raises sqlite3.Error where it is damaged."""
    # Immutable: neither a journal nor a lock is looked for, and nothing is written beside the file.
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)) as base:
        yield from _tables(connection, base, scratch)


def _tables(
    connection: duckdb.DuckDBPyConnection, base: sqlite3.Connection, scratch: Path
) -> Iterator[Iterable[Found]]:
    base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE)
    base.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for pragma in ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON", "mmap_size=0", "temp_store=MEMORY"):
        base.execute(f"PRAGMA {pragma}")
    base.text_factory = lambda raw: raw.decode("utf-8", errors="replace")
    listed = base.execute(
        "SELECT name, sql, type FROM sqlite_schema"
        " WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid"
    ).fetchall()
    base.set_authorizer(_allowed)
    tables = [name for name, sql, kind in listed if kind == "table" and not _is_virtual(sql)]
    left = len(listed) - len(tables)
    notes = [f"{left} views and virtual tables of the database were left out."] if left else []
    for name in tables:
        # Of these, column 6 is 1 for hidden ones, 2 and 3 for those that an expression makes.
        facts = base.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
        stored = [fact[1] for fact in facts if fact[6] == 0]
        if not stored:
            continue
        if not _written(scratch, base.execute(f"SELECT {', '.join(map(quoted, stored))} FROM {quoted(name)}")):
            continue
        computed = len(facts) - len(stored)
        more = [f"{computed} columns that are computed by expressions were left out."] if computed else []
        given = {**_CSV, "skip": 0, "header": False}
        told = [*notes, *more]
        yield read_delimited(
            connection, scratch, table=name, table_by_name=True, notes=told, given=given, titles=stored
        )


def _written(scratch: Path, rows: Iterable[Sequence[Any]]) -> bool:
    """Write the rows as CSV; whether there are any."""
    some = False
    with scratch.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        for row in rows:
            some = True
            writer.writerow([_text(cell) for cell in row])
    return some


def _filled(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """The rows with something in them, and empty ones among the first, which part a title from its table."""
    begun = False
    for place, row in enumerate(rows):
        if any(cell != "" for cell in row):
            begun = True
            yield row
        elif begun and place < _FIRST_ROWS:
            yield row


def _text(value: Any) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, str):
        return value.encode("utf-8", errors="replace").decode("utf-8").replace("\0", "")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    if isinstance(value, datetime.timedelta):
        return str(value.total_seconds())
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def _allowed(action: int, first: str | None, second: str | None, database: str | None, inner: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _is_virtual(sql: str | None) -> bool:
    return " ".join((sql or "").split()).upper().startswith("CREATE VIRTUAL")
