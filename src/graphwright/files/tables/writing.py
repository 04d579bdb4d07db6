"""A table gets its final columns and types, is sampled where it is too long, written as Parquet, and profiled."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from graphwright.files.errors import UnusableFile, shown
from graphwright.files.limits import Limits
from graphwright.files.notes import Note, note, note_on_columns
from graphwright.files.tables.delimited import TextColumns
from graphwright.files.tables.engine import TableSource, call, count, literal, quoted
from graphwright.text.sentences import one_line

_MOST_NAME = 200
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

_CASTS = (
    (r".*\]|(STRUCT|MAP|UNION).*", "to_json({0})::VARCHAR", "VARCHAR"),
    (r"U?(TINYINT|SMALLINT|INTEGER)", "{0}::BIGINT", "BIGINT"),
    (r"FLOAT|DECIMAL.*", "{0}::DOUBLE", "DOUBLE"),
    # A cast would be handed to the reader of the file, which asks for the form of times then.
    (r"DATE", "({0} + INTERVAL 0 DAY)", "TIMESTAMP"),
    (r"TIMESTAMP.*", "{0}::TIMESTAMP", "TIMESTAMP"),
    (r"INTERVAL", "epoch({0})", "DOUBLE"),
    # Values of several kinds: texts without their quotes, all else as it was written.
    (r"JSON", "({0} ->> '$')", "VARCHAR"),
    (r".*", "{0}::VARCHAR", "VARCHAR"),
)
"""What values of other types are written as: the first pattern that fits DuckDB's type, the SQL, and the new type."""

_LARGE = ("UBIGINT", "HUGEINT", "UHUGEINT")

_AT_ONCE = 1_000
"""Columns that one query asks for."""

_MOST_TOP = 20
_MOST_TEXT = 80
_MOST_COUNTED = 300
"""Columns of a table whose values are counted; of a wider one only the ranges are computed."""

_TELLING_ROWS, _MANY = 20_000, 2_000
"""A column of measurements with more different values than these in its first rows is not counted."""

_NUMBER = re.compile(r"\s*[+-]?\d+(\.\d+)?\s*")
_FEWEST_ROWS = 4
"""From so many rows on a last one that is the sum of the others is a total."""


@dataclass
class _Column:
    """A column that is to be written: its name, the SQL of its values, DuckDB's type of these."""

    name: str
    sql: str
    kind: str


def write_table(
    connection: duckdb.DuckDBPyConnection, attempts: Iterable[TableSource], folder: Path, number: int, limits: Limits
) -> dict[str, Any]:
    """Write the first of the sources that can be read: `{table, columns, rows_there, rows, notes}`.

    Each of the columns is as `_profiles` describes it; the Parquet file lies in the folder under the number. Raises
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
        for column, name in zip(columns, _column_names(named), strict=True):
            column.name = name
        held = columns[: self._limits.columns]
        rows_there = self._copy(held)
        kept = self._retyped(held, named)
        given = {one_line(name, _MOST_NAME) for name in named}
        if renamed := [column.name for column in kept if column.name not in given]:
            text = "Columns without a name, or with one that another has, are called {}."
            self._notes.append(note_on_columns("renamed_columns", text, renamed))
        if len(held) < len(columns):
            text = f"{len(columns):,} columns are there; the first {len(held):,} were read."
            self._notes.append(note("columns_left_out", text, there=len(columns), read=len(held)))
        relation = _parquet(self._final)
        rows = count(self._connection, relation)
        profiles, notes = _profiles(self._connection, relation, kept, rows)
        self._notes += notes if rows else [note("no_rows", "There is a header, and no row of data under it.")]
        facts = {"rows_there": rows_there, "rows": rows, "notes": self._notes}
        return {"table": self._source.table, "columns": profiles, **facts}

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
        if column.kind in _TYPES:
            return column
        if column.kind in _LARGE and not self._exceeds_bigint(column.sql):
            return _Column(column.name, f"{column.sql}::BIGINT", "BIGINT")
        cast, plain = next((cast, plain) for pattern, cast, plain in _CASTS if re.fullmatch(pattern, column.kind))
        return _Column(column.name, cast.format(column.sql), plain)

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
        raw, source, kept = _parquet(self._raw), self._source, list[_Column]()
        text_columns = TextColumns(self._connection, raw, source.style)
        for column, name in zip(columns, named, strict=False):
            new = _Column(column.name, quoted(column.name), column.kind)
            kept.append(new)
            if column.kind != "VARCHAR":
                continue
            there = f"{raw} WHERE {new.sql} IS NOT NULL"
            cells = [
                cell
                for (cell,) in self._connection.execute(f"SELECT {new.sql} FROM {there} LIMIT {_SAMPLE}").fetchall()
            ]
            present = count(self._connection, there) if cells else 0
            if not cells and not name.strip() and len(columns) > 1 and source.untyped:
                kept.pop()
            elif not cells and source.untyped:
                new.sql, new.kind = f"{new.sql}::DOUBLE", "DOUBLE"
            elif source.untyped and (typed := text_columns.typed(column.name, present, cells)):
                new.sql, new.kind = typed
        self._notes += text_columns.notes
        kept = kept or list(columns)
        if [each.kind for each in kept] == [each.kind for each in columns]:
            self._raw.rename(self._final)
        else:
            self._write(kept, raw, self._final)
            self._raw.unlink()
        return kept


def _column_names(found: Sequence[str]) -> list[str]:
    """Names that are one-line, not empty and different from each other.

    A second `x` is called `x.1`, one without a name `column_3` by its place, counted from 1.
    """
    # DuckDB takes names for the same that differ in case only.
    seen, names = set[str](), list[str]()
    for place, name in enumerate(found, 1):
        new = base = one_line(name, _MOST_NAME) or f"column_{place}"
        number = 0
        while new.casefold() in seen:
            number += 1
            new = f"{base}.{number}"
        seen.add(new.casefold())
        names.append(new)
    return names


def _sample(relation: str, there: int, most: int) -> str:
    """The relation; where it has more rows than may be, so many of them, evenly spaced."""
    if there <= most:
        return relation
    numbered = f"(SELECT *, row_number() OVER () AS __row FROM {relation})"
    return f"{numbered} WHERE (__row * {most}) // {there} > ((__row - 1) * {most}) // {there}"


def _parquet(path: Path) -> str:
    return call("read_parquet", path)


def _profiles(
    connection: duckdb.DuckDBPyConnection, relation: str, columns: Sequence[_Column], rows: int
) -> tuple[list[dict[str, Any]], list[Note]]:
    """A JSON object with the fields of `Column` for each column; notes.

    What was not computed is None. A time that is midnight always is a date.
    """
    counted, profiles, sums = len(columns) <= _MOST_COUNTED, list[dict[str, Any]](), list[float]()
    for start in range(0, len(columns), _AT_ONCE):
        asked = ", ".join(_aggregates(each, whole=counted) for each in columns[start : start + _AT_ONCE])
        profiles += connection.execute(f"SELECT {asked} FROM {relation}").fetchone() or ()
    for written, column in zip(columns, profiles, strict=True):
        kind = "date" if column.pop("midnight") else _TYPES[written.kind]
        present = column.pop("present")
        sums.append((column["mean"] or 0.0) * present)
        column |= {each: _as_json(column[each], kind) for each in ("low", "high")}
        column |= {
            each: None if (value := column[each]) is None else float(f"{value:.6g}") for each in ("mean", "median")
        }
        column |= {"name": written.name, "type": kind, "missing": rows - present, "numbers": 0, "distinct": None}
        column |= {"unique": False, "top": []}
        if counted and kind != "binary" and present:
            _count_values(connection, relation, column, rows)
    notes = list[Note]()
    if counted and rows > _FEWEST_ROWS:
        last = connection.execute(f"FROM {relation} LIMIT 1 OFFSET {rows - 1}").fetchall()[0]
        notes = _total_note(profiles, sums, last)
    return profiles, notes


def _aggregates(column: _Column, *, whole: bool) -> str:
    """What one pass over a column computes, as a struct in SQL."""
    sql, kind = quoted(column.name), _TYPES[column.kind]
    finite = sql
    parts = dict.fromkeys(("low", "high", "mean", "median"), "NULL") | {"midnight": "false"}
    if kind == "number":
        finite = f"CASE WHEN isfinite({sql}) THEN {sql} END"
    if kind in ("integer", "number", "datetime"):
        parts |= {"low": f"min({finite})", "high": f"max({finite})"}
    if kind in ("integer", "number") and whole:
        parts |= {"mean": f"avg({finite})", "median": f"median({finite})"}
    if kind == "datetime":
        midnight = f"coalesce(bool_and({sql} = date_trunc('day', {sql})), false)"
        parts["midnight"] = f"{midnight} AND typeof(any_value({sql})) = 'TIMESTAMP'"
    return f"{{'present': count({sql}), {', '.join(f'{part!r}: {value}' for part, value in parts.items())}}}"


def _count_values(connection: duckdb.DuckDBPyConnection, relation: str, column: dict[str, Any], rows: int) -> None:
    """Add what takes counting each different value."""
    sql, kind = quoted(column["name"]), column["type"]
    if kind in ("number", "date", "datetime"):
        some = f"SELECT count(DISTINCT {sql}) FROM (SELECT {sql} FROM {relation} LIMIT {_TELLING_ROWS})"
        if (connection.execute(some).fetchone() or (0,))[0] > _MANY:
            return
    distinct, top = connection.execute(
        f"WITH counted AS MATERIALIZED (SELECT {sql} AS v, count(*) AS n FROM {relation} WHERE {sql} IS NOT NULL"
        f" GROUP BY 1) SELECT count(*),"
        f" (SELECT list((v, n)) FROM (FROM counted ORDER BY n DESC, v::VARCHAR LIMIT {_MOST_TOP})) FROM counted"
    ).fetchall()[0]
    column |= {"distinct": distinct, "unique": distinct == rows}
    if kind in ("text", "boolean") or distinct <= _MOST_TOP:
        column["top"] = [[_as_json(value, kind), times] for value, times in top]
    if kind == "text" and any(_NUMBER.fullmatch(value) for value, _ in top):
        numbers = count(connection, f"{relation} WHERE TRY_CAST({sql} AS DOUBLE) IS NOT NULL")
        column["numbers"] = numbers if (rows - column["missing"]) / 2 < numbers < rows - column["missing"] else 0


def _total_note(profiles: Sequence[Mapping[str, Any]], sums: Sequence[float], last: Sequence[Any]) -> list[Note]:
    """The note on a last row that is the sum of those above it."""
    names = [
        column["name"]
        for column, total, value in zip(profiles, sums, last, strict=True)
        # A few small numbers, or one and the same, add up to each other by chance.
        if column["mean"] is not None
        and value
        and math.isclose(total, 2 * value, rel_tol=1e-6)
        and value in (column["low"], column["high"])
        and (column["distinct"] or _MANY) > _FEWEST_ROWS
    ]
    if not names:
        return []
    text = "The last row looks like a total: in {} it is the sum of the rows above. It was read as a row."
    return [note_on_columns("total_row", text, names)]


def _as_json(value: Any, kind: str) -> Any:
    """A value as JSON: numbers and truth values as they are, text on one line and cut, times in ISO form."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str):
        return one_line(value[: 4 * _MOST_TEXT], _MOST_TEXT)
    if isinstance(value, datetime.datetime):
        return value.isoformat()[: 10 if kind == "date" else 19]
    return value
