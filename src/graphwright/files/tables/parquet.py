"""Parquet files: their columns as they are, as far as code over data frames takes them; others made plain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graphwright.files.errors import NotData
from graphwright.files.limits import Limits
from graphwright.files.naming import shown
from graphwright.files.tables.found import Found, column_note
from graphwright.files.tables.selecting import Even

_ROWS_AT_ONCE = 1 << 16


def read_parquet(path: Path, limits: Limits) -> Found:
    """The table of a Parquet file. Raises NotData where it is damaged or encrypted."""
    try:
        with pq.ParquetFile(path, memory_map=False) as file:
            return _read(file, limits)
    except pa.ArrowException as error:
        protected = "encrypt" in str(error).lower()
        raise NotData(
            "protected_file" if protected else "damaged_file",
            f"the Parquet file is {'encrypted' if protected else 'damaged'} ({shown(str(error), 100)})",
            "Write it without encryption." if protected else "Get the file once more.",
        ) from None


def _read(file: Any, limits: Limits) -> Found:
    schema, there = file.schema_arrow, file.metadata.num_rows
    names = list(schema.names)
    if not names:
        raise NotData("empty_file", "the Parquet file has no columns", "Give one with data in it.")
    held_columns = min(len(names), limits.columns)
    size = sum(file.metadata.row_group(group).total_byte_size for group in range(file.metadata.num_row_groups))
    even = Even(there, limits.rows_held(held_columns, size / max(there, 1)))
    batches = []
    # Two columns may have one name, which only their places tell apart.
    for batch in file.iter_batches(_ROWS_AT_ONCE):
        taken = even.next(batch.num_rows)
        part = pa.RecordBatch.from_arrays(batch.columns[:held_columns], [str(i) for i in range(held_columns)])
        batches.append(part if taken is None else part.take(pa.array(taken)))
    plain = pa.schema([(str(i), schema.field(i).type) for i in range(held_columns)])
    table = pa.Table.from_batches(batches, plain)
    table.validate(full=True)
    notes: list[str] = []
    columns, found = [], []
    for place in range(held_columns):
        for name, column in _flat(names[place], table.column(place)):
            columns.append(_plain(name, column, notes))
            found.append(name)
    data = pa.Table.from_arrays(columns, [str(place) for place in range(len(columns))])
    beyond = len(names) - held_columns
    return Found("", found, data, there, len(found) + beyond, notes + column_note(len(found) + beyond, len(found)))


def _flat(name: str, column: Any) -> list[tuple[str, Any]]:
    """The column, or where it holds objects those of their fields."""
    if not pa.types.is_struct(column.type) or not column.type.num_fields:
        return [(name, column)]
    fields = [column.type.field(place).name for place in range(column.type.num_fields)]
    return [(f"{name}.{field}", pc.struct_field(column, [place])) for place, field in enumerate(fields)]


def _plain(name: str, column: Any, notes: list[str]) -> Any:
    """The column as one of the types that a data set has."""
    kind, types = column.type, pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return _plain(name, pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type), notes)
    if types.is_dictionary(kind):
        return _plain(name, pc.cast(column, kind.value_type), notes)
    if types.is_null(kind):
        return pc.cast(column, pa.string())
    if types.is_boolean(kind) or types.is_string(kind) or types.is_binary(kind):
        return column
    if types.is_uint64(kind):
        try:
            return pc.cast(column, pa.int64())
        except pa.ArrowInvalid:
            notes.append(f"`{shown(name)}` has numbers too large for 64 bits: it was read as text.")
            return pc.cast(column, pa.string())
    if types.is_integer(kind):
        return pc.cast(column, pa.int64())
    if types.is_floating(kind):
        return pc.cast(column, pa.float64())
    if types.is_decimal(kind):
        notes.append(f"`{shown(name)}` holds exact decimals: read as floating numbers.")
        return pc.cast(column, pa.float64())
    if types.is_large_string(kind) or types.is_string_view(kind):
        return pc.cast(column, pa.string())
    if types.is_large_binary(kind) or types.is_fixed_size_binary(kind) or types.is_binary_view(kind):
        return pc.cast(column, pa.binary())
    if types.is_date(kind):
        return pc.cast(column, pa.timestamp("us"))
    if types.is_timestamp(kind):
        # A zone that this machine does not know would stop whoever reads it: the moments are the same in UTC.
        return pc.cast(column, pa.timestamp(kind.unit, "UTC" if kind.tz else None))
    if types.is_duration(kind):
        return column
    if types.is_time(kind):
        return pc.cast(column, pa.string())
    notes.append(f"`{shown(name)}` holds {shown(str(kind))}: it was read as JSON text.")
    texts = [
        None if value is None else json.dumps(value, ensure_ascii=False, default=str) for value in column.to_pylist()
    ]
    return pa.chunked_array([pa.array(texts, pa.string())])
