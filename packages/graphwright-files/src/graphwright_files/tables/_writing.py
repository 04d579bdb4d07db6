"""Gives a table its final columns and types, samples it if it is too long, and writes it as Parquet."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb

from graphwright.text.sentences import one_line
from graphwright_files._notes import note, note_on_columns
from graphwright_files.errors import UnusableFile, quotable
from graphwright_files.limits import Limits
from graphwright_files.tables._delimited import TextColumns, missing_words
from graphwright_files.tables._engine import TableSource, call, count, literal, quoted
from graphwright_files.tables._profiling import TYPES, WrittenColumn, profiles

_MOST_NAME = 200
_ROW_GROUP_CELLS = 2_000_000
_SAMPLE = 500

_CASTS = (
    (r".*\]|(STRUCT|MAP|UNION).*", "to_json({0})::VARCHAR", "VARCHAR"),
    (r"U?(TINYINT|SMALLINT|INTEGER)", "{0}::BIGINT", "BIGINT"),
    (r"FLOAT|DECIMAL.*", "{0}::DOUBLE", "DOUBLE"),
    # A cast would be passed to the reader of the file, which then requires the format of times.
    (r"DATE", "({0} + INTERVAL 0 DAY)", "TIMESTAMP"),
    (r"TIMESTAMP.*", "{0}::TIMESTAMP", "TIMESTAMP"),
    (r"INTERVAL", "epoch({0})", "DOUBLE"),
    # Values of several kinds: texts without their quotes, all others as written.
    (r"JSON", "({0} ->> '$')", "VARCHAR"),
    (r".*", "{0}::VARCHAR", "VARCHAR"),
)
"""The conversion of other types: the first pattern that matches DuckDB's type, the SQL, and the new type."""

_LARGE = ("UBIGINT", "HUGEINT", "UHUGEINT")
_DEEPEST = 4
"""The maximum level of an object whose fields become columns; deeper values are JSON text."""


def write_table(
    connection: duckdb.DuckDBPyConnection, attempts: Iterable[TableSource], folder: Path, number: int, limits: Limits
) -> dict[str, Any]:
    """Write the first of the sources that can be read.

    Returns `{table, columns, rows_there, rows, frame_bytes, notes, separator, decimal}`.

    Each column is as `profiles` describes it; the Parquet file is in the folder, named by the number. Raises
    UnusableFile if no source can be read.
    """
    why = ""
    for source in attempts:
        try:
            return _Writer(connection, source, folder / str(number), limits).write()
        except duckdb.OutOfMemoryException as error:
            raise MemoryError from error
        except duckdb.Error as error:
            why = quotable(str(error).partition("\n")[0], 150)
    raise UnusableFile("damaged_file", f"It cannot be read as a table ({why}).")


class _Writer:
    """Writes one source."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, source: TableSource, place: Path, limits: Limits) -> None:
        self._connection, self._source, self._limits = connection, source, limits
        self._raw, self._final = place.with_suffix(".raw"), place.with_suffix(".parquet")
        self._notes = list(source.notes)

    def write(self) -> dict[str, Any]:
        """Write the table and return its description."""
        columns = [column for each, kind in self._described() for column in self._flat(each, kind)]
        named = self._source.names or [column.name for column in columns]
        for column, name in zip(columns, _column_names(named), strict=True):
            column.name = name
        held = columns[: self._limits.columns]
        rows_there = self._copy(held)
        kept = self._retyped(held, named)
        given = {one_line(name, _MOST_NAME) for name in named}
        if renamed := [column.name for column in kept if column.name not in given]:
            self._notes.append(note_on_columns("renamed_columns", renamed))
        if len(held) < len(columns):
            self._notes.append(note("columns_left_out", there=len(columns), read=len(held)))
        self._note_long_rows(kept, named)
        self._note_zones(kept)
        relation = _parquet(self._final)
        rows = count(self._connection, relation)
        profiled, frame_bytes, notes = profiles(self._connection, relation, kept, rows, self._source.style)
        self._notes += notes if rows else [note("no_rows")]
        incomplete = {column["name"] for column in profiled if column["missing"]}
        places = {place: each.name for place, each in enumerate(held) if each.name in incomplete}
        if self._source.texts and (words := missing_words(self._connection, self._source.texts, places)):
            self._notes.append(note("null_words", missing=words))
        facts = {"rows_there": rows_there, "rows": rows, "frame_bytes": frame_bytes, "notes": self._notes}
        fractions = any(column["type"] == "number" and column["missing"] < rows for column in profiled)
        decimal = "," if self._source.style == "," else "." if fractions else ""
        written = {"separator": self._source.separator, "decimal": decimal if self._source.separator else ""}
        return {"table": self._source.table, "columns": profiled, **facts, **written}

    def _note_long_rows(self, columns: Sequence[WrittenColumn], named: Sequence[str]) -> None:
        """Note rows with more cells than names: an additional separator, or a separator inside a value."""
        places = [place for place, name in enumerate(named) if name.strip()]
        there = {column.name for column in columns}
        beyond = [name for name in _column_names(named)[places[-1] + 1 :] if name in there] if places else []
        if not beyond or not self._source.untyped:
            return
        relation = f"{_parquet(self._final)} WHERE {' OR '.join(f'{quoted(name)} IS NOT NULL' for name in beyond)}"
        rows = count(self._connection, relation)
        first = self._connection.execute(f"FROM {relation} LIMIT 1").fetchone() or ()
        example = quotable(
            json.dumps([each for each in first if each is not None], default=str, ensure_ascii=False), 120
        )
        self._notes.append(note_on_columns("long_rows", beyond, count=rows, example=example))

    def _note_zones(self, columns: Sequence[WrittenColumn]) -> None:
        """Note the time zones of the times in the file."""
        zoned = [column.name for column in columns if column.kind == "TIMESTAMP WITH TIME ZONE"]
        by_zone: dict[str, list[str]] = {}
        for name in zoned:
            by_zone.setdefault(self._source.zones.get(name, ""), []).append(name)
        for zone, names in by_zone.items():
            code = "time_zone" if zone and zone not in ("Z", "UTC") else "utc"
            self._notes.append(note_on_columns(code, names, zone=quotable(zone, 80)))

    def _described(self) -> list[tuple[WrittenColumn, Any]]:
        """The columns of the source with DuckDB's types."""
        found = self._connection.sql(f"FROM {self._source.relation}")
        typed = zip(found.columns, found.types, strict=True)
        return [(WrittenColumn(name, quoted(name), str(kind)), kind) for name, kind in typed]

    def _flat(self, column: WrittenColumn, kind: Any, depth: int = 1) -> Iterator[WrittenColumn]:
        """The column with a type of data sets; for an object each of its fields, up to four levels."""
        if kind.id != "struct" or depth >= _DEEPEST:
            yield self._plain(column)
            return
        for name, inner in kind.children:
            sql = f"struct_extract({column.sql}, {literal(name)})"
            yield from self._flat(WrittenColumn(f"{column.name}.{name}", sql, str(inner)), inner, depth + 1)

    def _plain(self, column: WrittenColumn) -> WrittenColumn:
        if column.kind in TYPES:
            return column
        if column.kind in _LARGE and not self._exceeds_bigint(column.sql):
            return WrittenColumn(column.name, f"{column.sql}::BIGINT", "BIGINT")
        cast, plain = next((cast, plain) for pattern, cast, plain in _CASTS if re.fullmatch(pattern, column.kind))
        return WrittenColumn(column.name, cast.format(column.sql), plain)

    def _exceeds_bigint(self, sql: str) -> int:
        beyond = f"TRY_CAST({sql} AS BIGINT) IS NULL AND {sql} IS NOT NULL"
        return count(self._connection, f"{self._source.relation} WHERE {beyond}")

    def _copy(self, columns: Sequence[WrittenColumn]) -> int:
        """Write the rows, or an evenly spaced sample within the limit. Returns the number of rows in the source."""
        source, limits = self._source, self._limits
        # Counting reads the whole file, so only if it is certainly too large.
        there = count(self._connection, source.relation) if source.size > limits.held_bytes else 0
        most = limits.rows_held(source.size / there if there else 0.0)
        kept = self._write(columns, _sample(source.relation, there, most), self._raw)
        if kept > most:
            there, whole = kept, self._raw.rename(self._raw.with_suffix(".whole"))
            again = [WrittenColumn(each.name, quoted(each.name), each.kind) for each in columns]
            kept = self._write(again, _sample(_parquet(whole), there, most), self._raw)
            whole.unlink()
        return max(there, kept)

    def _write(self, columns: Sequence[WrittenColumn], relation: str, into: Path) -> int:
        """Write a Parquet file. Returns its number of rows."""
        wanted = ", ".join(f"{column.sql} AS {quoted(column.name)}" for column in columns)
        group = min(max(_ROW_GROUP_CELLS // max(len(columns), 1), 2_048), 122_880)
        options = f"FORMAT parquet, COMPRESSION lz4_raw, ROW_GROUP_SIZE {group}"
        self._connection.execute(f"COPY (SELECT {wanted} FROM {relation}) TO {literal(into)} ({options})")
        return count(self._connection, _parquet(into))

    def _retyped(self, columns: Sequence[WrittenColumn], named: Sequence[str]) -> list[WrittenColumn]:
        """Type the remaining text columns, drop columns with neither a name nor a value, and write the final file."""
        raw, source, kept = _parquet(self._raw), self._source, list[WrittenColumn]()
        text_columns = TextColumns(self._connection, raw, source.style)
        for column, name in zip(columns, named, strict=False):
            new = WrittenColumn(column.name, quoted(column.name), column.kind)
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
    """Names that are one line, not empty and different from each other.

    A second `x` becomes `x.1`, one without a name `column_3` by its place, counted from 1.
    """
    # DuckDB treats names that differ only in case as equal.
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
    """The relation, or an evenly spaced sample of `most` rows if it has more."""
    if there <= most:
        return relation
    numbered = f"(SELECT *, row_number() OVER () AS __row FROM {relation})"
    return f"{numbered} WHERE (__row * {most}) // {there} > ((__row - 1) * {most}) // {there}"


def _parquet(path: Path) -> str:
    return call("read_parquet", path)
