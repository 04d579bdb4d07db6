"""One file read: its kind told, unpacked where it is packed, and each table in it landed in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

from graphwright.files.errors import NotData
from graphwright.files.kinds import (
    EMPTY,
    GZIP,
    HEAD_BYTES,
    JSON,
    ODS,
    PARQUET,
    SQLITE,
    TEXT,
    XLS,
    XLSB,
    XLSX,
    ZIP,
    Kind,
    kind_of,
)
from graphwright.files.limits import Limits
from graphwright.files.tables.delimited import read_delimited
from graphwright.files.tables.encodings import as_utf8
from graphwright.files.tables.found import Found
from graphwright.files.tables.json_tables import read_json
from graphwright.files.tables.landing import landed, write
from graphwright.files.tables.parquet import read_parquet
from graphwright.files.tables.profiling import profile
from graphwright.files.tables.sheets import read_sheets
from graphwright.files.tables.sqlite import read_sqlite
from graphwright.files.tables.unpacking import gunzip, unzip

_TEXT_SUFFIXES = (*TEXT.suffixes, "")


def read_file(path: Path, folder: Path, limits: Limits, threads: int) -> dict[str, Any]:
    """Read a file into `folder`: `{format, kind, notes, tables: [{table, columns, columns_there, rows_there, rows_read,
    notes}]}`; the Parquet file and the profile of each table lie there under its number. Raises FileError and OSError,
    and what a parser raises that stumbles.
    """
    kind, notes = _kind(path), []
    outer, source, named = kind, path, path.suffix.lower()
    if kind in (GZIP, ZIP):
        source = folder / "unpacked"
        if kind is GZIP:
            gunzip(path, source, limits)
            named = path.with_suffix("").suffix.lower()
        else:
            named = Path(unzip(path, source, limits)).suffix.lower()
        notes.append(f"It was unpacked from {kind.title}.")
        kind = _kind(source)
    name, tables = _tables(source, folder / "text", kind, limits, table_by_name=named in _TEXT_SUFFIXES)
    found = [_landed(table, folder, place, threads) for place, table in enumerate(islice(tables, limits.tables))]
    if next(iter(tables), None) is not None:
        notes.append(f"Only the first {limits.tables} tables of the file were read.")
    if not found:
        raise NotData("empty_file", "there is no table in it", "Give a file with data in it.")
    for scrap in ("unpacked", "text"):
        (folder / scrap).unlink(missing_ok=True)
    return {"format": name, "kind": outer.name, "notes": notes, "tables": found}


def _kind(path: Path) -> Kind:
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return kind_of(path, head)


def _tables(
    path: Path, scratch: Path, kind: Kind, limits: Limits, *, table_by_name: bool
) -> tuple[str, Iterator[Found]]:
    """The format as a data set tells it, and the tables, which are read one by one."""
    if kind is PARQUET:
        return "parquet", iter([read_parquet(path, limits)])
    if kind is SQLITE:
        return "sqlite", read_sqlite(path, limits)
    if kind in (XLSX, XLSB, XLS, ODS):
        return kind.name, read_sheets(path, kind, limits)
    if kind is JSON:
        text = as_utf8(path, scratch)
        name, found = read_json(text, limits)
        for each in found:
            each.notes[:0] = text.notes
        return name, iter(found)
    if kind is TEXT:
        text = as_utf8(path, scratch)
        table = read_delimited(text, limits, table_by_name=table_by_name)
        table.notes[:0] = text.notes
        return "csv", iter([table])
    if kind is EMPTY:
        raise NotData("empty_file", "the file is empty", "Give a file with data in it.")
    if kind in (GZIP, ZIP):
        raise NotData("several_files", "a packed file is in the packed file", "Unpack it, and give what is in it.")
    raise NotData("unknown_format", f"it is {kind.title}, which holds no table", kind.hint)


def _landed(found: Found, folder: Path, place: int, threads: int) -> dict[str, Any]:
    """The table written as Parquet, its profile as JSON, and what is to be known of it."""
    table, types, notes = landed(found, threads)
    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(write, table, folder / f"{place}.parquet")
        columns = profile(table, types, threads)
        written.result()
    (folder / f"{place}.json").write_text(json.dumps({"columns": columns}, ensure_ascii=True), "utf-8")
    return {
        "table": found.table,
        "columns": [{"name": name, "type": kind} for name, kind in zip(table.column_names, types, strict=True)],
        "columns_there": found.columns_there,
        "rows_there": found.there,
        "rows_read": table.num_rows,
        "notes": notes,
    }
