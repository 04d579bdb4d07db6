"""Reads one data file: recognises its kind by its content, and writes each table in it to a folder.

Workbooks and databases are first written as delimited text, which is then read like any other. Formulas and code of a
database do not run: only saved values, and stored columns of tables are read.
"""

from __future__ import annotations

import base64
import csv
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, NoReturn
from urllib.parse import quote

import duckdb

from graphwright_files._containers import cell_text, measure, sheets, unpack
from graphwright_files._notes import Note, note
from graphwright_files._process import serve_reader
from graphwright_files.errors import TooMuch, UnusableFile, quotable, reading
from graphwright_files.limits import MB, Limits
from graphwright_files.source import Kind, as_utf8, kind_of
from graphwright_files.tables._delimited import read_delimited
from graphwright_files.tables._engine import TableSource, call, connect, quoted, restrict
from graphwright_files.tables._writing import write_table

_CSV = {"delim": ",", "quote": '"', "escape": '"', "comment": ""}
_FIRST_ROWS = 30
_MOST_VALUE = 1 << 24
"""The maximum size of a value or a row of a database, in bytes."""

_PRAGMAS = ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON", "mmap_size=0", "temp_store=MEMORY")
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_PRAGMA}


_JSON_HEAD = 1 << 16
_RECORD_LINES = re.compile(r"\{.*\}[ \t\r]*\n\s*\{")
_OPTIONS = {
    "maximum_depth": 5,
    "map_inference_threshold": -1,
    "field_appearance_threshold": 0,
    "maximum_object_size": 1 << 25,
}
_MOST_BESIDE = 200
_ZONE = re.compile(rb"(?<=\0\0\0)(?:UTC|[A-Z][A-Za-z_]*(?:/[A-Za-z0-9_+-]+)+|[+-]\d\d:\d\d)(?=\0)")
_TABLE_SUFFIXES = (".csv", ".tsv", ".tab", ".psv", ".txt", ".dat", "")
"""With these suffixes a text without separators is a table of one column."""

_HINT = "Give a CSV, Excel, JSON, Parquet or SQLite file."


def read_file(
    connection: duckdb.DuckDBPyConnection, path: Path, folder: Path, limits: Limits, threads: int
) -> dict[str, Any]:
    """Read a file into `folder`. Returns `{notes, tables: [what write_table returns]}`.

    The Parquet file of each table is in the folder, named by its number. Raises FileError, OSError and errors of
    parsers.
    """
    notes, file, suffix = list[Note](), path, path.suffix.lower()
    with path.open("rb") as content:
        kind = kind_of(content)
        if kind.name in ("gzip", "zip"):
            file = folder / "unpacked"
            with file.open("w+b") as out:
                suffix = PurePath(unpack(content, kind, out, path.name, limits.unpacked_bytes)).suffix.lower()
                notes.append(note("unpacked", kind=kind.name))
                kind = kind_of(out)
    restrict(connection, file, folder, threads, limits.memory // 3)
    with reading(kind.title):
        tables = _sources(connection, file, folder, kind, limits, one_column=suffix in _TABLE_SUFFIXES)
        first = enumerate(islice(tables, limits.tables))
        found = [write_table(connection, attempts, folder, number, limits) for number, attempts in first]
        if next(iter(tables), None) is not None:
            notes.append(note("first_tables", tables=limits.tables))
    if not found:
        raise UnusableFile("empty_file", "There is no table in it.")
    connection.close()
    for scratch in ("unpacked", "text", "cells"):
        (folder / scratch).unlink(missing_ok=True)
    return {"notes": notes, "tables": found}


def main() -> NoReturn:
    """The reading process for data files."""
    connection = connect()

    def read(job: dict[str, Any], content: bytes) -> tuple[dict[str, Any], bytes]:
        path, folder = Path(job["path"]), Path(job["folder"])
        return read_file(connection, path, folder, Limits(**job["limits"]), job["threads"]), b""

    serve_reader(read)


def _sources(
    connection: duckdb.DuckDBPyConnection, path: Path, folder: Path, kind: Kind, limits: Limits, *, one_column: bool
) -> Iterator[Iterator[TableSource]]:
    """The tables, one at a time; each as the alternative ways to read it."""
    scratch = folder / "cells"
    if kind.name == "parquet":
        return iter([read_parquet(connection, path)])
    if kind.name == "sqlite":
        return read_database(connection, path, scratch)
    if kind.name in ("xlsx", "xlsb", "xls", "ods"):
        return read_workbook(connection, path, scratch, limits)
    if kind.name in ("json", "text"):
        text, notes = as_utf8(path, folder / "text")
        if kind.name == "json":
            return read_json(text, scratch, limits, notes)
        return iter([read_delimited(connection, text, one_column=one_column, notes=notes)])
    if kind.name in ("gzip", "zip"):
        raise UnusableFile("several_files", "A packed file is in the packed file.")
    raise UnusableFile("unknown_format", f"It is {kind.title}, which contains no table.", kind.hint or _HINT)


def read_workbook(
    connection: duckdb.DuckDBPyConnection, path: Path, scratch: Path, limits: Limits
) -> Iterator[Iterator[TableSource]]:
    """The tables of a workbook. Raises UnusableFile if it is protected, TooMuch if it is too large."""
    with path.open("rb") as file:
        if file.read(2) == b"PK":
            measure(file, limits.document_bytes)
    for sheet in sheets(path):
        if _written(scratch, _filled(sheet.rows)):
            notes = [note("merged_cells")] if sheet.merged else []
            notes += [note("hidden_sheet")] if sheet.hidden else []
            yield read_delimited(
                connection,
                scratch,
                table=sheet.name,
                one_column=True,
                notes=notes,
                options=_CSV,
                merged=sheet.merged,
            )


def read_database(connection: duckdb.DuckDBPyConnection, path: Path, scratch: Path) -> Iterator[Iterator[TableSource]]:
    """The tables with rows in a SQLite database. Raises sqlite3.Error if it is damaged."""
    # Immutable: SQLite looks for neither a journal nor a lock, and writes nothing next to the file.
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
        notes = [note("views_left_out", n=left)] if left else []
        options = {**_CSV, "skip": 0, "header": False}
        for table in (name for name, stored in listed if stored):
            # Column 6 of these is 1 for hidden columns, 2 and 3 for computed ones: these are left out.
            facts = base.execute(f"PRAGMA table_xinfo({quoted(table)})").fetchall()
            names = [fact[1] for fact in facts if fact[6] == 0]
            query = f"SELECT {', '.join(map(quoted, names))} FROM {quoted(table)}"
            if names and _written(scratch, base.execute(query)):
                yield read_delimited(
                    connection, scratch, table=table, one_column=True, notes=notes, options=options, names=names
                )


def read_parquet(connection: duckdb.DuckDBPyConnection, path: Path) -> Iterator[TableSource]:
    """The table in a Parquet file. Raises UnusableFile if it is encrypted."""
    metadata = call("parquet_metadata", path)
    try:
        (size,) = connection.execute(f"SELECT coalesce(sum(total_uncompressed_size), 0) FROM {metadata}").fetchall()[0]
    except duckdb.Error as error:
        if "encrypt" not in str(error).lower():
            raise
        raise UnusableFile("protected_file", "The Parquet file is encrypted.", "Write it without encryption.") from None
    yield TableSource("", call("read_parquet", path), int(size), zones=_zones_in_parquet(connection, path))


def _zones_in_parquet(connection: duckdb.DuckDBPyConnection, path: Path) -> dict[str, str]:
    """The names of the time zones in the Arrow schema of a Parquet file, by column; DuckDB does not report them."""
    query = f"SELECT value FROM {call('parquet_kv_metadata', path)} WHERE key = 'ARROW:schema'"
    found = connection.execute(query).fetchone()
    schema = (
        f"SELECT name, coalesce(logical_type LIKE '%isAdjustedToUTC=1%' , false) FROM {call('parquet_schema', path)}"
    )
    names = connection.execute(schema).fetchall()
    try:
        arrow = base64.b64decode(found[0] if found else b"", validate=True)
    except ValueError:
        return {}
    # In the schema, the length precedes a text, and a column may have the name of a zone.
    texts = [each for each in _ZONE.finditer(arrow) if arrow[each.start() - 4] == len(each[0])]
    zones = dict.fromkeys(each[0].decode() for each in texts)
    listed = ", ".join(zone for zone in zones if zone not in dict(names))
    return {name: listed for name, zoned in names if zoned}


def _written(scratch: Path, rows: Iterable[Sequence[Any]]) -> bool:
    """Write the rows as CSV. Returns whether there are any."""
    some = False
    with scratch.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        for row in rows:
            some = True
            writer.writerow(map(cell_text, row))
    return some


def _filled(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """The rows with content, and empty ones among the first, which separate a title from its table."""
    begun = False
    for place, row in enumerate(rows):
        filled = any(cell != "" for cell in row)
        begun = begun or filled
        if filled or (begun and place < _FIRST_ROWS):
            yield row


def _authorized(action: int, first: str | None, second: str | None, database: str | None, inner: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def read_json(path: Path, scratch: Path, limits: Limits, notes: Sequence[Note]) -> Iterator[Iterator[TableSource]]:
    """The tables in a UTF-8 JSON text. A document that does not consist of records is rewritten to `scratch`.

    Raises UnusableFile if it has no table, ValueError and RecursionError if it is not JSON, TooMuch if it must be read
    as a whole and is too large.
    """
    with path.open(encoding="utf-8", errors="replace") as file:
        head = file.read(_JSON_HEAD).lstrip("\ufeff \t\r\n")
    if head.startswith("[") and head[1:].lstrip()[:1] in ("{", ""):
        yield _attempts(path, "array", "", notes)
    elif _RECORD_LINES.match(head):
        yield _attempts(path, "newline_delimited", "", notes)
    elif path.stat().st_size > limits.document_bytes:
        why = f"Only a list of records is read in parts; other JSON can have {limits.document_bytes // MB} MB."
        raise TooMuch("too_large", why, "Write one record a line (JSON lines), or CSV.")
    else:
        for table, records, more in _json_tables(json.loads(path.read_text("utf-8-sig", errors="replace"))):
            with scratch.open("w", encoding="utf-8") as out:
                for record in records:
                    flat = record if isinstance(record, dict) else {"value": record}
                    out.write(json.dumps(flat, ensure_ascii=True) + "\n")
            yield _attempts(scratch, "newline_delimited", table, [*notes, *more])


def _attempts(path: Path, form: str, table: str, notes: Sequence[Note]) -> Iterator[TableSource]:
    """The records, typed by the first ones, and typed by all of them."""
    for more in ({}, {"sample_size": -1}):
        relation = call("read_json", path, **_OPTIONS, format=form, **more)
        yield TableSource(table, relation, path.stat().st_size, notes=list(notes))


def _json_tables(value: Any) -> Iterator[tuple[str, Iterable[Any], list[Note]]]:
    """The name, the records and notes of each table in a document."""
    if value in ([], {}):
        raise UnusableFile("empty_file", "The JSON in it is empty.", "Give a list of records.")
    if not isinstance(value, list | dict):
        raise UnusableFile("not_a_table", "The JSON in it is a single value.", "Give a list of records.")
    if isinstance(value, list):
        yield "", _by_row(value) if all(isinstance(row, list) for row in value) else value, []
        return
    fields = list(value.values())
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        yield "", (dict(zip(map(str, value["columns"]), row, strict=False)) for row in value["data"]), []
    elif lists := list(_lists(value)):
        for name, records in lists:
            rest = {key: each for key, each in value.items() if key != name.partition(".")[0]}
            beside = quotable(json.dumps(rest, ensure_ascii=False), _MOST_BESIDE)
            alone, only = len(lists) == 1, note("one_list", list=quotable(name), beside=beside)
            yield "" if alone else name, records, [only] if alone and rest else []
    elif all(isinstance(each, list) and len(each) == len(fields[0]) > 0 for each in fields):
        yield "", (dict(zip(value, row, strict=True)) for row in zip(*fields, strict=True)), []
    elif len(fields) > 1 and all(
        isinstance(each, dict) and each and each.keys() == fields[0].keys() for each in fields
    ):
        if all(str(name).isdigit() for name in fields[0]):
            yield "", ({name: value[name][row] for name in value} for row in fields[0]), []
        else:
            yield "", ({"key": name, **each} for name, each in value.items()), []
    else:
        yield "", [value], []


def _by_row(rows: Sequence[Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Lists as records: with the names in the first list, if it contains names; otherwise with their places."""
    head, names = rows[0], [f"column_{place}" for place in range(1, max(map(len, rows)) + 1)]
    named = len(rows) > 1 and bool(head) and all(isinstance(cell, str) for cell in head) and len(set(head)) == len(head)
    if named:
        names[: len(head)] = head
    for row in rows[named:]:
        yield dict(zip(names, row, strict=False))


def _lists(value: Mapping[str, Any], depth: int = 2) -> Iterator[tuple[str, list[Any]]]:
    """The lists of records in an object, by name, and in the objects in it."""
    for name, each in value.items():
        if isinstance(each, list) and each and all(isinstance(record, dict) for record in each[:50]):
            yield name, each
        elif isinstance(each, dict) and depth > 1:
            yield from ((f"{name}.{inner}", records) for inner, records in _lists(each, depth - 1))
