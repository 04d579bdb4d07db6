"""A table gets its final columns and types, is sampled where it is too long, and is written as Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from graphwright.files.errors import UnusableFile
from graphwright.files.limits import Limits
from graphwright.files.naming import column_names, shown
from graphwright.files.tables.engine import TableSource, call, count, literal, quoted
from graphwright.files.tables.profiling import AT_ONCE, profile
from graphwright.files.tables.text_columns import TextColumns

_ROW_GROUP_CELLS = 2_000_000
_SAMPLE = 500

_TYPES = {
    "BOOLEAN": "boolean",
    "BIGINT": "integer",
    "DOUBLE": "number",
    "VARCHAR": "text",
    "TIMESTAMP": "datetime",
    "TIMESTAMP WITH TIME ZONE": "datetime",
    "BLOB": "binary",
}
"""DuckDB's types of columns that are written, and what they are called."""

_SMALL = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")
_LARGE = ("UBIGINT", "HUGEINT", "UHUGEINT")


@dataclass
class _Column:
    """A column that is to be written: its name, the SQL of its values, DuckDB's type of these."""

    name: str
    sql: str
    kind: str
    numbers: int = 0
    """How many values of a text column are numbers, where most are."""


def write_table(
    connection: duckdb.DuckDBPyConnection, attempts: Iterable[TableSource], folder: Path, number: int, limits: Limits
) -> dict[str, Any]:
    """Write the first of the sources that can be read: `{table, columns, rows_there, rows_read, notes}`.

    Each of the columns is as `profile` describes it; the Parquet file lies in the folder under the number. Raises
    UnusableFile where none can be read.
    """
    why = ""
    for source in attempts:
        try:
            return _Writer(connection, source, folder / str(number), limits).write()
        except duckdb.OutOfMemoryException as error:
            raise MemoryError from error
        except duckdb.Error as error:
            why = shown(str(error).partition("\n")[0], 150)
    raise UnusableFile("damaged_file", f"it cannot be read as a table ({why})")


class _Writer:
    """Writes one source."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, source: TableSource, place: Path, limits: Limits) -> None:
        self._connection, self._source, self._limits = connection, source, limits
        self._raw, self._final = place.with_suffix(".raw"), place.with_suffix(".parquet")
        self._notes = list(source.notes)

    def write(self) -> dict[str, Any]:
        """What is to be known of the table that was written."""
        columns = [column for each in self._described(f"FROM {self._source.relation}") for column in self._flat(each)]
        named = self._source.names or [column.name for column in columns]
        names, naming = column_names(named)
        held = columns[: self._limits.columns]
        for column, name in zip(columns, names, strict=True):
            column.name = name
        rows_there = self._copy(held)
        kept = self._retyped(held, named)
        self._notes += [note for note in naming if len(kept) == len(held) or "no name" not in note]
        if len(held) < len(columns):
            self._notes.append(f"{len(columns):,} columns are there; the first {len(held):,} were read.")
        relation = _parquet(self._final)
        rows = count(self._connection, relation)
        shapes = [(each.name, _TYPES[each.kind], each.numbers) for each in kept]
        profiles, notes = profile(self._connection, relation, shapes, rows)
        self._notes += notes if rows else ["There is a header, and no row of data under it."]
        return {
            "table": self._source.table,
            "columns": profiles,
            "rows_there": rows_there,
            "rows_read": rows,
            "notes": self._notes,
        }

    def _described(self, query: str) -> list[_Column]:
        rows = self._connection.execute(f"DESCRIBE {query}").fetchall()
        return [_Column(row[0], quoted(row[0]), str(row[1])) for row in rows]

    def _flat(self, column: _Column) -> Iterator[_Column]:
        """The column as one of the types that a data set has; of an object each of its fields, by one level."""
        if not column.kind.startswith("STRUCT(") or column.kind.endswith("]"):
            yield self._plain(column)
            return
        for inner in self._described(f"SELECT unnest({column.sql}) FROM {self._source.relation}"):
            sql = f"struct_extract({column.sql}, {literal(inner.name)})"
            yield self._plain(_Column(f"{column.name}.{inner.name}", sql, inner.kind))

    def _plain(self, column: _Column) -> _Column:
        kind, sql, note = column.kind, column.sql, ""
        cast, plain = f"{sql}::VARCHAR", "VARCHAR"
        if kind in _TYPES:
            return column
        if kind in _SMALL or (kind in _LARGE and not self._exceeds_bigint(sql)):
            cast, plain = f"{sql}::BIGINT", "BIGINT"
        elif kind in _LARGE:
            note = "has numbers too long to be exact: it was read as text"
        elif kind == "FLOAT" or kind.startswith("DECIMAL"):
            cast, plain = f"{sql}::DOUBLE", "DOUBLE"
            note = "" if kind == "FLOAT" else "holds exact decimals: read as floating numbers"
        elif kind == "DATE":
            # A cast would be handed to the reader of the file, which asks for the form of times then.
            cast, plain = f"({sql} + INTERVAL 0 DAY)", "TIMESTAMP"
        elif kind.startswith("TIMESTAMP"):
            cast, plain = f"{sql}::TIMESTAMP", "TIMESTAMP"
        elif kind == "INTERVAL":
            cast, plain, note = f"epoch({sql})", "DOUBLE", "holds durations: they were read as seconds"
        elif kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION")):
            cast, note = f"to_json({sql})::VARCHAR", "holds lists or objects: it was read as JSON text"
        elif kind == "JSON":
            # Values of several kinds: texts without their quotes, all else as it was written.
            cast = f"({sql} ->> '$')"
        if note:
            self._notes.append(f"`{shown(column.name)}` {note}.")
        return _Column(column.name, cast, plain)

    def _exceeds_bigint(self, sql: str) -> int:
        beyond = f"TRY_CAST({sql} AS BIGINT) IS NULL AND {sql} IS NOT NULL"
        return count(self._connection, f"{self._source.relation} WHERE {beyond}")

    def _copy(self, columns: Sequence[_Column]) -> int:
        """Write the rows, or as many of them as are held, evenly spaced; how many are there."""
        source, limits = self._source, self._limits
        # Counting reads all of the file: only where it is surely too large.
        there = count(self._connection, source.relation) if source.size > limits.held_bytes else 0
        most = limits.rows_held(len(columns), source.size / there if there else 0.0)
        kept = self._write(columns, _sample(source.relation, there, most), self._raw)
        if kept > most:
            there, whole = kept, self._raw.rename(self._raw.with_suffix(".whole"))
            again = [_Column(each.name, quoted(each.name), each.kind) for each in columns]
            kept = self._write(again, _sample(_parquet(whole), there, most), self._raw)
            whole.unlink()
        if source.rejects and (left := count(self._connection, "(SELECT DISTINCT line FROM reject_errors)")):
            if left > kept:
                raise UnusableFile("not_a_table", f"{left:,} of its rows cannot be read")
            self._notes.append(f"{left:,} row{'s' * (left > 1)} could not be read and left out.")
        return max(there, kept)

    def _write(self, columns: Sequence[_Column], relation: str, into: Path) -> int:
        """Write a Parquet file; how many rows it has."""
        wanted = ", ".join(f"{column.sql} AS {quoted(column.name)}" for column in columns)
        group = min(max(_ROW_GROUP_CELLS // max(len(columns), 1), 2_048), 122_880)
        options = f"FORMAT parquet, COMPRESSION lz4_raw, ROW_GROUP_SIZE {group}"
        self._connection.execute(f"COPY (SELECT {wanted} FROM {relation}) TO {literal(into)} ({options})")
        return count(self._connection, _parquet(into))

    def _retyped(self, columns: Sequence[_Column], named: Sequence[str]) -> list[_Column]:
        """Look at what stayed text again, drop columns with neither a name nor a value, and write the final file."""
        raw, source = _parquet(self._raw), self._source
        text_columns, kept, changed = TextColumns(self._connection, raw, source.style), list[_Column](), False
        texts = [quoted(column.name) for column in columns if column.kind == "VARCHAR"]
        sample = self._connection.execute(f"SELECT {', '.join(texts) or 1} FROM {raw} LIMIT {_SAMPLE}").fetchall()
        values = dict(zip(texts, zip(*sample, strict=True), strict=False))
        for column, present, name in zip(columns, self._present(columns, raw), named, strict=False):
            if sample and not present and not name.strip() and len(columns) > 1:
                changed = True
                continue
            new = _Column(column.name, quoted(column.name), column.kind)
            kept.append(new)
            if column.kind != "VARCHAR" or not sample:
                continue
            cells = [cell for cell in values[new.sql] if cell is not None]
            if present and not cells:
                late = f"SELECT {new.sql} FROM {raw} WHERE {new.sql} IS NOT NULL LIMIT {_SAMPLE}"
                cells = [cell for (cell,) in self._connection.execute(late).fetchall()]
            if source.untyped and (typed := text_columns.typed(column.name, present, cells)):
                (new.sql, new.kind), changed = typed, True
            elif cells:
                new.numbers = text_columns.numbers_among(column.name, present, cells, left_as_text=source.untyped)
        self._notes += text_columns.notes
        if not changed or not kept:
            self._raw.rename(self._final)
            return kept or list(columns)
        self._write(kept, raw, self._final)
        self._raw.unlink()
        return kept

    def _present(self, columns: Sequence[_Column], relation: str) -> Iterator[int]:
        """How many values each column has."""
        for start in range(0, len(columns), AT_ONCE):
            counts = ", ".join(f"count({quoted(column.name)})" for column in columns[start : start + AT_ONCE])
            yield from self._connection.execute(f"SELECT {counts} FROM {relation}").fetchone() or ()


def _sample(relation: str, there: int, most: int) -> str:
    """The relation; where it has more rows than may be, so many of them, evenly spaced."""
    if there <= most:
        return relation
    numbered = f"(SELECT *, row_number() OVER () AS __row FROM {relation})"
    return f"{numbered} WHERE (__row * {most}) // {there} > ((__row - 1) * {most}) // {there}"


def _parquet(path: Path) -> str:
    return call("read_parquet", path)
