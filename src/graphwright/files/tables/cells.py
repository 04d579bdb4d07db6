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

from graphwright.files.containers import sheets, unpacked_parts
from graphwright.files.limits import Limits
from graphwright.files.tables.delimited import read_delimited
from graphwright.files.tables.engine import TableSource, quoted

_CSV = {"delim": ",", "quote": '"', "escape": '"', "comment": ""}
_FIRST_ROWS = 30
_EXACT = 2**53
_MOST_VALUE = 1 << 24
"""Bytes of a value or a row of a database."""

_PRAGMAS = ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON", "mmap_size=0", "temp_store=MEMORY")
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_PRAGMA}


def read_workbook(
    connection: duckdb.DuckDBPyConnection, path: Path, scratch: Path, limits: Limits
) -> Iterator[Iterator[TableSource]]:
    """The tables of a workbook. Raises UnusableFile where it is protected, TooMuch where it is too large."""
    formulas = 0
    with path.open("rb") as file:
        zipped = file.read(2) == b"PK"
    for name, chunk in unpacked_parts(path, limits.document_bytes, limits.ratio) if zipped else ():
        formulas += (chunk.count(b"<f>") + chunk.count(b"<f ")) if "sheet" in name else 0
    for sheet in sheets(path):
        if _written(scratch, _filled(sheet.rows)):
            notes = ["Formulas were not run: the values that they had when it was saved were read."] if formulas else []
            notes += ["The sheet is hidden."] if sheet.hidden else []
            if sheet.merged:
                many = "1 range" if sheet.merged == 1 else f"{sheet.merged:,} ranges"
                notes.append(f"{many} of cells merged: a value stands in the first cell, the others are missing.")
            yield read_delimited(connection, scratch, table=sheet.name, one_column=True, notes=notes, options=_CSV)


def read_database(connection: duckdb.DuckDBPyConnection, path: Path, scratch: Path) -> Iterator[Iterator[TableSource]]:
    """The tables with rows in a SQLite database. Raises sqlite3.Error where it is damaged."""
    # Immutable: neither a journal nor a lock is looked for, and nothing is written beside the file.
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)) as base:
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE)
        base.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        for pragma in _PRAGMAS:
            base.execute(f"PRAGMA {pragma}")
        base.text_factory = lambda raw: raw.decode("utf-8", errors="replace")
        listed = base.execute(
            "SELECT name, type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' FROM sqlite_schema"
            " WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid"
        ).fetchall()
        base.set_authorizer(_authorized)
        left = sum(not stored for _, stored in listed)
        notes = [f"{left} views and virtual tables of the database were left out."] if left else []
        for table in (name for name, stored in listed if stored):
            # Of these, column 6 is 1 for hidden ones, 2 and 3 for those that an expression makes.
            facts = base.execute(f"PRAGMA table_xinfo({quoted(table)})").fetchall()
            names = [fact[1] for fact in facts if fact[6] == 0]
            computed = len(facts) - len(names)
            more = [f"{computed} columns that are computed by expressions were left out."] if computed else []
            query = f"SELECT {', '.join(map(quoted, names))} FROM {quoted(table)}"
            if names and _written(scratch, base.execute(query)):
                yield read_delimited(
                    connection,
                    scratch,
                    table=table,
                    one_column=True,
                    notes=[*notes, *more],
                    options={**_CSV, "skip": 0, "header": False},
                    names=names,
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
    """The rows with something in them, and empty ones among the first, which separate a title from its table."""
    begun = False
    for place, row in enumerate(rows):
        filled = any(cell != "" for cell in row)
        begun = begun or filled
        if filled or (begun and place < _FIRST_ROWS):
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
    return value.hex() if isinstance(value, bytes) else str(value)


def _authorized(action: int, first: str | None, second: str | None, database: str | None, inner: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
