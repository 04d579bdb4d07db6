"""One file read: its kind told, unpacked where it is packed, and each table in it landed in a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, NoReturn

import duckdb

from graphwright.files.containers import unpack
from graphwright.files.encodings import as_utf8
from graphwright.files.errors import NotData, NotReadable, reading
from graphwright.files.kinds import BY_NAME, HEAD_BYTES, Kind, kind_of
from graphwright.files.limits import Limits
from graphwright.files.process import serve_reader
from graphwright.files.tables.cells import read_database, read_sheets
from graphwright.files.tables.delimited import read_delimited
from graphwright.files.tables.engine import Found, call, settled, started
from graphwright.files.tables.json_tables import read_json
from graphwright.files.tables.landing import landed

_TEXT_SUFFIXES = (*BY_NAME["text"].suffixes, "")
_BOOKS = ("xlsx", "xlsb", "xls", "ods")
_SCRAPS = ("unpacked", "text", "cells")


def read_file(
    connection: duckdb.DuckDBPyConnection, path: Path, folder: Path, limits: Limits, threads: int
) -> dict[str, Any]:
    """Read a file into `folder`: `{format, kind, notes, tables: [{table, columns, columns_there, rows_there, rows_read,
    notes}]}`; the Parquet file and the profile of each table lie there under its number. Raises FileError and OSError,
    and what a parser raises that stumbles.
    """
    kind, notes = _kind(path), list[str]()
    outer, source, named = kind, path, path.suffix.lower()
    if kind.name in ("gzip", "zip"):
        source = folder / "unpacked"
        with reading(kind.title), source.open("wb") as out:
            named = PurePath(unpack(path, kind, out, path.name, limits.unpacked_bytes, limits.ratio)).suffix.lower()
        notes.append(f"It was unpacked from {kind.title}.")
        kind = _kind(source)
    settled(connection, folder, threads, limits.memory // 3, [source])
    with reading(kind.title):
        name, tables = _tables(connection, source, folder, kind, limits, table_by_name=named in _TEXT_SUFFIXES)
        read = enumerate(islice(tables, limits.tables))
        found = [landed(connection, tries, folder, place, limits) for place, tries in read]
        if next(iter(tables), None) is not None:
            notes.append(f"Only the first {limits.tables} tables of the file were read.")
    if not found:
        raise NotData("empty_file", "there is no table in it")
    connection.close()
    for scrap in _SCRAPS:
        (folder / scrap).unlink(missing_ok=True)
    return {"format": name, "kind": outer.name, "notes": notes, "tables": found}


def main() -> NoReturn:
    """The reading process for data files."""
    connection = started()

    def read(job: dict[str, Any], content: bytes) -> tuple[dict[str, Any], bytes]:
        path = Path(job["path"])
        _same(path, job["stat"])
        found = read_file(connection, path, Path(job["folder"]), Limits(**job["limits"]), job["threads"])
        _same(path, job["stat"])
        return found, b""

    serve_reader(read)


def _same(path: Path, stat: list[int]) -> None:
    now = path.stat()
    if [now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns] != stat:
        raise NotReadable("changed_file", "it changed while it was read", "Try again when nothing writes to it.")


def _kind(path: Path) -> Kind:
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return kind_of(path, head)


def _tables(
    connection: duckdb.DuckDBPyConnection, path: Path, folder: Path, kind: Kind, limits: Limits, *, table_by_name: bool
) -> tuple[str, Iterator[Iterable[Found]]]:
    """The format as a data set tells it, and the tables, which are read one by one, each in one of several ways."""
    if kind.name == "parquet":
        return "parquet", iter([[_parquet(connection, path)]])
    if kind.name == "sqlite":
        return "sqlite", read_database(connection, path, folder / "cells")
    if kind.name in _BOOKS:
        return kind.name, read_sheets(connection, path, folder / "cells", kind, limits)
    if kind.name in ("json", "text"):
        text, told = as_utf8(path, folder / "text")
        if kind.name == "json":
            return read_json(text, folder / "cells", limits, told)
        return "csv", iter([read_delimited(connection, text, table_by_name=table_by_name, notes=told)])
    if kind.name == "empty":
        raise NotData("empty_file", "the file is empty")
    if kind.name in ("gzip", "zip"):
        raise NotData("several_files", "a packed file is in the packed file")
    raise NotData("unknown_format", f"it is {kind.title}, which holds no table", kind.data_hint)


def _parquet(connection: duckdb.DuckDBPyConnection, path: Path) -> Found:
    source = call("read_parquet", path, {})
    try:
        size = connection.execute(
            f"SELECT sum(total_uncompressed_size) FROM {call('parquet_metadata', path, {})}"
        ).fetchone()
    except duckdb.Error as error:
        if "encrypt" not in str(error).lower():
            raise
        raise NotData("protected_file", "the Parquet file is encrypted", "Write it without encryption.") from None
    return Found("", source, int(size[0] or 0) if size else 0)
