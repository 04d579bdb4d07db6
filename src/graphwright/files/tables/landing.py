"""A table gets its final columns and types, is sampled where it is too long, and is written as Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from graphwright.files.errors import NotData
from graphwright.files.limits import Limits
from graphwright.files.naming import column_names, few, shown
from graphwright.files.tables.engine import Found, call, count, literal, quoted
from graphwright.files.tables.profiling import profile
from graphwright.files.tables.text_columns import TextColumns

_ROW_GROUP_CELLS = 2_000_000
_SAMPLE = 500
_AT_ONCE = 1_000

_PLAIN = {
    "BOOLEAN": "boolean",
    "BIGINT": "integer",
    "DOUBLE": "number",
    "VARCHAR": "text",
    "TIMESTAMP": "datetime",
    "TIMESTAMP WITH TIME ZONE": "datetime",
    "BLOB": "binary",
}
"""The types of columns that are written, and what they are called."""

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")
_LARGE = ("UBIGINT", "HUGEINT", "UHUGEINT")


@dataclass
class _Column:
    """A column on its way: its name, the SQL that gives it, and DuckDB's type of that."""

    name: str
    sql: str
    kind: str


def landed(
    connection: duckdb.DuckDBPyConnection, tries: Iterable[Found], folder: Path, place: int, limits: Limits
) -> dict[str, Any]:
    """The first of the tries that can be read, as `{table, columns, columns_there, rows_there, rows_read, notes}`.

    Its Parquet file and its profile lie in the folder under the number `place`. Raises NotData where none can be read.
    """
    why = ""
    for found in tries:
        try:
            return _Landing(connection, found, folder / str(place), limits).done()
        except duckdb.OutOfMemoryException as error:
            raise MemoryError from error
        except duckdb.Error as error:
            why = shown(str(error).partition("\n")[0], 150)
    raise NotData("damaged_file", f"it cannot be read as a table ({why})")


class _Landing:
    """One try."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, found: Found, place: Path, limits: Limits) -> None:
        self._connection, self._found, self._limits = connection, found, limits
        self._raw, self._final = place.with_suffix(".raw"), place.with_suffix(".parquet")
        self._told = place.with_suffix(".json")
        self._notes = list(found.notes)

    def done(self) -> dict[str, Any]:
        """What there is to know of the table that was written."""
        columns = [column for each in self._described(f"FROM {self._found.source}") for column in self._plain(each)]
        given = self._found.names or [column.name for column in columns]
        names, naming = column_names(given)
        there, held = len(columns), columns[: self._limits.columns]
        for column, name in zip(columns, names, strict=True):
            column.name = name
        rows_there = self._copied(held)
        kept = self._typed(held, given)
        beside = len(held) - len(kept)
        self._notes += [note for note in naming if not beside or "no name" not in note]
        if len(held) < there:
            self._notes.append(f"{there:,} columns are there; the first {len(held):,} were read.")
        rows = count(self._connection, _parquet(self._final))
        told = profile(self._connection, _parquet(self._final), [(each.name, _PLAIN[each.kind]) for each in kept], rows)
        if endless := [column["name"] for column in told if column.pop("endless")]:
            self._notes.append(f"There are infinite values in {few(endless)}.")
        if not rows:
            self._notes.append("There is a header, and no row of data under it.")
        self._told.write_text(json.dumps({"columns": told}, ensure_ascii=True), "utf-8")
        return {
            "table": self._found.table,
            "columns": [{"name": column["name"], "type": column["type"]} for column in told],
            "columns_there": there - beside,
            "rows_there": rows_there,
            "rows_read": rows,
            "notes": self._notes,
        }

    def _described(self, query: str) -> list[_Column]:
        rows = self._connection.execute(f"DESCRIBE {query}").fetchall()
        return [_Column(row[0], quoted(row[0]), str(row[1])) for row in rows]

    def _plain(self, column: _Column) -> Iterator[_Column]:
        """The column as one of the types that a data set has; of an object each of its fields, by one level."""
        if not column.kind.startswith("STRUCT(") or column.kind.endswith("]"):
            yield self._flat(column)
            return
        for inner in self._described(f"SELECT unnest({column.sql}) FROM {self._found.source}"):
            sql = f"struct_extract({column.sql}, {literal(inner.name)})"
            yield self._flat(_Column(f"{column.name}.{inner.name}", sql, inner.kind))

    def _flat(self, column: _Column) -> _Column:
        kind, sql, note = column.kind, column.sql, ""
        cast, plain = f"{sql}::VARCHAR", "VARCHAR"
        if kind in _PLAIN:
            return column
        if kind in _WHOLE or (kind in _LARGE and not self._beyond(sql)):
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

    def _beyond(self, sql: str) -> int:
        source = f"{self._found.source} WHERE TRY_CAST({sql} AS BIGINT) IS NULL AND {sql} IS NOT NULL"
        return count(self._connection, source)

    def _copied(self, columns: Sequence[_Column]) -> int:
        """Write the rows, or as many of them as are held, evenly spaced; how many are there."""
        found, there = self._found, 0
        most = self._limits.rows_held(len(columns))
        # Counting costs a look at all of it: only where there are too many, by the first rows.
        if found.size / (found.row_size or 1.0) > 1.5 * most or found.size > self._limits.held_bytes:
            there = count(self._connection, found.source)
            most = self._limits.rows_held(len(columns), found.size / max(there, 1))
        kept = self._sampled(columns, found.source, there, most)
        if kept > most:
            there, whole = kept, self._raw.rename(self._raw.with_suffix(".whole"))
            again = [_Column(each.name, quoted(each.name), each.kind) for each in columns]
            kept = self._sampled(again, _parquet(whole), there, most)
            whole.unlink()
        if found.rejects and (left := count(self._connection, "(SELECT DISTINCT line FROM reject_errors)")):
            if left > kept:
                raise NotData("not_a_table", f"{left:,} of its rows cannot be read")
            self._notes.append(f"{left:,} row{'s' * (left > 1)} could not be read and left out.")
        return max(there, kept)

    def _sampled(self, columns: Sequence[_Column], source: str, there: int, most: int) -> int:
        """Write the rows; where there are more than may be, so many of them, evenly spaced. How many were written."""
        if there > most:
            source = f"(SELECT *, row_number() OVER () AS __row FROM {source})"
            source += f" WHERE (__row * {most}) // {there} > ((__row - 1) * {most}) // {there}"
        self._write(columns, source, self._raw)
        return count(self._connection, _parquet(self._raw))

    def _write(self, columns: Sequence[_Column], source: str, into: Path) -> None:
        wanted = ", ".join(f"{column.sql} AS {quoted(column.name)}" for column in columns)
        group = min(max(_ROW_GROUP_CELLS // max(len(columns), 1), 2_048), 122_880)
        self._connection.execute(
            f"COPY (SELECT {wanted} FROM {source}) TO {literal(into)}"
            f" (FORMAT parquet, COMPRESSION lz4_raw, ROW_GROUP_SIZE {group})"
        )

    def _typed(self, columns: Sequence[_Column], given: Sequence[str]) -> list[_Column]:
        """Look at what stayed text again, drop columns with neither a name nor a value, and write the final file."""
        raw, found = _parquet(self._raw), self._found
        texts = [quoted(column.name) for column in columns if column.kind == "VARCHAR" and found.written]
        sample = self._connection.execute(f"SELECT {', '.join(texts) or 1} FROM {raw} LIMIT {_SAMPLE}").fetchall()
        some = dict(zip(texts, zip(*sample, strict=True), strict=False))
        typing, rows = TextColumns(self._connection, raw, found.style), count(self._connection, raw)
        kept, changed = list[_Column](), False
        for column, there, name in zip(columns, self._present(columns, raw), given, strict=False):
            sql, kind = quoted(column.name), column.kind
            if not there and rows and not name.strip() and len(columns) > 1:
                changed = True
                continue
            if sql in some:
                sql, kind = typing.typed(column.name, there, [cell for cell in some[sql] if cell is not None])
            changed = changed or kind != column.kind
            kept.append(_Column(column.name, sql, kind))
        self._notes += typing.notes()
        if not changed or not kept:
            self._raw.rename(self._final)
            return list(columns)
        self._write(kept, raw, self._final)
        self._raw.unlink()
        return kept

    def _present(self, columns: Sequence[_Column], raw: str) -> Iterator[int]:
        for start in range(0, len(columns), _AT_ONCE):
            asked = ", ".join(f"count({quoted(column.name)})" for column in columns[start : start + _AT_ONCE])
            yield from self._connection.execute(f"SELECT {asked} FROM {raw}").fetchone() or ()


def _parquet(path: Path) -> str:
    return call("read_parquet", path, {})
