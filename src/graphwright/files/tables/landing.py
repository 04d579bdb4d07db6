"""A table gets its final columns: names that can be told apart, types, missing values; and is written as Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graphwright.files.naming import column_names, shown
from graphwright.files.tables.found import Found
from graphwright.files.tables.text_columns import only_dates, read_columns

_DAY = 86_400
_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def landed(found: Found, threads: int) -> tuple[pa.Table, list[str], list[str]]:
    """The table with its final columns, the type of each, and all notes on it."""
    _drop_blank(found)
    names, naming = column_names(found.names)
    columns, reading = _typed(found, names, threads)
    columns = [_without_nan(column) for column in columns]
    types = [_type(column) for column in columns]
    endless = [name for name, column in zip(names, columns, strict=True) if _endless(column)]
    notes = [*found.notes, *naming, *reading]
    if endless:
        ones = ", ".join(f"`{shown(name)}`" for name in endless[:5]) + (", ..." if len(endless) > 5 else "")
        notes.append(f"There are infinite values in {ones}.")
    if not found.there:
        notes.append("There is a header, and no row of data under it.")
    return pa.Table.from_arrays(columns, names), types, notes


def _drop_blank(found: Found) -> None:
    """Drop columns with neither a name nor a value: they stand beside tables, and behind a separator at line ends."""
    rows = found.data.num_rows
    kept = [
        place
        for place, name in enumerate(found.names)
        if name.strip() or not rows or found.data.column(place).null_count < rows
    ]
    if not 0 < len(kept) < len(found.names):
        return
    found.columns_there -= len(found.names) - len(kept)
    found.names = [found.names[place] for place in kept]
    found.data = found.data.select(kept).rename_columns([str(place) for place in range(len(kept))])


def write(table: pa.Table, path: Path) -> None:
    """Write the Parquet file. Raises OSError."""
    texts = [field.name for field in table.schema if pa.types.is_string(field.type)]
    # Dictionaries are what makes text small; numbers are quicker without.
    pq.write_table(table, path, compression="lz4", use_dictionary=texts if len(texts) < len(table.schema) else True)


def _typed(found: Found, names: list[str], threads: int) -> tuple[list[Any], list[str]]:
    if found.written:
        return read_columns(names, found.data, found.separator, threads)
    columns = found.data.columns
    return [only_dates(column) if pa.types.is_string(column.type) else column for column in columns], []


def _without_nan(column: Any) -> Any:
    if not pa.types.is_floating(column.type):
        return column
    not_one = pc.is_nan(column)
    if not pc.any(not_one).as_py():
        return column
    return pc.if_else(not_one, pa.scalar(None, column.type), column)


def _endless(column: Any) -> bool:
    return pa.types.is_floating(column.type) and bool(pc.any(pc.is_inf(column)).as_py())


def _type(column: Any) -> str:
    kind, types = column.type, pa.types
    if types.is_boolean(kind):
        return "boolean"
    if types.is_integer(kind):
        return "integer"
    if types.is_floating(kind):
        return "number"
    if types.is_timestamp(kind):
        return "date" if kind.tz is None and _all_midnight(column) else "datetime"
    if types.is_duration(kind):
        return "duration"
    return "text" if types.is_string(kind) else "binary"


def _all_midnight(column: Any) -> bool:
    ticks = pc.cast(column.drop_null(), pa.int64()).to_numpy()
    return bool(np.all(ticks % (_DAY * _TICKS[column.type.unit]) == 0))
