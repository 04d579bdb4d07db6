"""One data file read: its kind recognised, unpacked where it is packed, and each table in it written to a folder."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, NoReturn

import duckdb

from graphwright.files.containers import unpack
from graphwright.files.encodings import as_utf8
from graphwright.files.errors import UnusableFile, reading
from graphwright.files.limits import Limits
from graphwright.files.process import serve_reader
from graphwright.files.source import Kind, kind_of
from graphwright.files.tables.delimited import read_delimited
from graphwright.files.tables.engine import TableSource, connect, restrict
from graphwright.files.tables.formats import read_database, read_json, read_parquet, read_workbook
from graphwright.files.tables.writing import write_table

_TABLE_SUFFIXES = (".csv", ".tsv", ".tab", ".psv", ".txt", ".dat", "")
"""By these names a text without separators is a table of one column."""

_HINT = "Give a CSV, Excel, JSON, Parquet or SQLite file."


def read_file(
    connection: duckdb.DuckDBPyConnection, path: Path, folder: Path, limits: Limits, threads: int
) -> dict[str, Any]:
    """Read a file into `folder`: `{notes, tables: [what write_table returns]}`.

    The Parquet file of each table lies there under its number. Raises FileError, OSError and what a parser raises.
    """
    notes, file, suffix = list[str](), path, path.suffix.lower()
    with path.open("rb") as content:
        kind = kind_of(content)
        if kind.name in ("gzip", "zip"):
            file = folder / "unpacked"
            with reading(kind.title), file.open("w+b") as out:
                suffix = PurePath(unpack(content, kind, out, path.name, limits.unpacked_bytes)).suffix.lower()
                notes.append(f"It was unpacked from {kind.title}.")
                kind = kind_of(out)
    restrict(connection, file, folder, threads, limits.memory // 3)
    with reading(kind.title):
        tables = _tables(connection, file, folder, kind, limits, one_column=suffix in _TABLE_SUFFIXES)
        first = enumerate(islice(tables, limits.tables))
        found = [write_table(connection, attempts, folder, number, limits) for number, attempts in first]
        if next(iter(tables), None) is not None:
            notes.append(f"Only the first {limits.tables} tables of the file were read.")
    if not found:
        raise UnusableFile("empty_file", "there is no table in it")
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


def _tables(
    connection: duckdb.DuckDBPyConnection, path: Path, folder: Path, kind: Kind, limits: Limits, *, one_column: bool
) -> Iterator[Iterator[TableSource]]:
    """The tables, read one by one; of each the ways to read it."""
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
    if kind.name == "empty":
        raise UnusableFile("empty_file", "the file is empty")
    if kind.name in ("gzip", "zip"):
        raise UnusableFile("several_files", "a packed file is in the packed file")
    raise UnusableFile("unknown_format", f"it is {kind.title}, which holds no table", kind.hint or _HINT)
