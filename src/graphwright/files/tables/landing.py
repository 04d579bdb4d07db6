"""A table gets its final columns and types, is sampled where it is too long, and is written as Parquet."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from graphwright.files.errors import NotData
from graphwright.files.limits import Limits
from graphwright.files.naming import column_names, few, shown
from graphwright.files.tables.engine import Found, literal, quoted
from graphwright.files.tables.profiling import profile

_ROW_GROUP_CELLS = 2_000_000
_SAMPLE = 500
_MIXED = 0.5
"""The share of numbers from which on a column of text is said to be mixed."""

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
_INTEGER = re.compile(r"[+-]?(0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}([ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")
_FORMATS = tuple(
    [f"{day}{time}"]
    for day in ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y")
    for time in (" %H:%M:%S", " %H:%M", "T%H:%M:%S", "")
)


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
            return _Landing(connection, found, folder, place, limits).done()
        except duckdb.OutOfMemoryException as error:
            raise MemoryError from error
        except duckdb.Error as error:
            why = shown(str(error).partition("\n")[0], 150)
    raise NotData("damaged_file", f"it cannot be read as a table ({why})", "Export the data once more.")


class _Landing:
    """One try."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, found: Found, folder: Path, place: int, limits: Limits
    ) -> None:
        self._connection, self._found, self._limits = connection, found, limits
        self._raw, self._final = folder / f"{place}.raw", folder / f"{place}.parquet"
        self._told = folder / f"{place}.json"
        self._notes = list(found.notes)

    def done(self) -> dict[str, Any]:
        """What there is to know of the table that was written."""
        columns = [column for each in self._described(f"FROM {self._found.source}") for column in self._plain(each)]
        names, naming = column_names(self._named(columns))
        there, held = len(columns), columns[: self._limits.columns]
        for column, name in zip(columns, names, strict=True):
            column.name = name
        rows_there = self._copied(held)
        kept = self._typed(held)
        beside = len(held) - len(kept)
        self._notes += [note for note in naming if not beside or "no name" not in note]
        if len(held) < there:
            self._notes.append(f"{there:,} columns are there; the first {len(held):,} were read.")
        rows = self._count(_parquet(self._final))
        types, told = profile(self._connection, self._final, [(each.name, _PLAIN[each.kind]) for each in kept], rows)
        self._told.write_text(json.dumps({"columns": told}, ensure_ascii=True), "utf-8")
        self._tell(told, rows)
        return {
            "table": self._found.table,
            "columns": [{"name": each.name, "type": kind} for each, kind in zip(kept, types, strict=True)],
            "columns_there": there - beside,
            "rows_there": rows_there,
            "rows_read": rows,
            "notes": self._notes,
        }

    def _described(self, query: str) -> list[_Column]:
        rows = self._connection.execute(f"DESCRIBE {query}").fetchall()
        return [_Column(row[0], quoted(row[0]), str(row[1])) for row in rows]

    def _named(self, columns: Sequence[_Column]) -> list[str]:
        return self._found.names or [column.name for column in columns]

    def _plain(self, column: _Column) -> Iterator[_Column]:
        """The column as one of the types that a data set has; of an object each of its fields, by one level."""
        kind, sql, name = column.kind, column.sql, column.name
        if kind.startswith("STRUCT(") and not kind.endswith("]"):
            for inner in self._described(f"SELECT unnest({sql}) FROM {self._found.source}"):
                deep = _Column(f"{name}.{inner.name}", f"struct_extract({sql}, {literal(inner.name)})", inner.kind)
                yield self._flat(deep)
        else:
            yield self._flat(column)

    def _flat(self, column: _Column) -> _Column:
        kind, sql = column.kind, column.sql
        name = f"`{shown(column.name)}`"
        if kind in _PLAIN:
            return column
        if kind in _WHOLE:
            return _Column(column.name, f"{sql}::BIGINT", "BIGINT")
        if kind in _LARGE:
            if not self._count(f"{self._found.source} WHERE TRY_CAST({sql} AS BIGINT) IS NULL AND {sql} IS NOT NULL"):
                return _Column(column.name, f"{sql}::BIGINT", "BIGINT")
            self._notes.append(f"{name} has numbers too long to be exact: it was read as text.")
        if kind == "FLOAT":
            return _Column(column.name, f"{sql}::DOUBLE", "DOUBLE")
        if kind.startswith("DECIMAL"):
            self._notes.append(f"{name} holds exact decimals: read as floating numbers.")
            return _Column(column.name, f"{sql}::DOUBLE", "DOUBLE")
        if kind == "DATE":
            # A cast would be handed to the reader of the file, which asks for the form of times then.
            return _Column(column.name, f"({sql} + INTERVAL 0 DAY)", "TIMESTAMP")
        if kind.startswith("TIMESTAMP") and "ZONE" not in kind:
            return _Column(column.name, f"{sql}::TIMESTAMP", "TIMESTAMP")
        if kind == "INTERVAL":
            self._notes.append(f"{name} holds durations: they were read as seconds.")
            return _Column(column.name, f"epoch({sql})", "DOUBLE")
        if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION")):
            self._notes.append(f"{name} holds lists or objects: it was read as JSON text.")
            return _Column(column.name, f"to_json({sql})::VARCHAR", "VARCHAR")
        if kind == "JSON":
            # Values of several kinds: texts without their quotes, all else as it was written.
            return _Column(column.name, f"({sql} ->> '$')", "VARCHAR")
        return _Column(column.name, f"{sql}::VARCHAR", "VARCHAR")

    def _copied(self, columns: Sequence[_Column]) -> int:
        """Write the rows, or as many of them as are held, evenly spaced; how many are there."""
        wanted = ", ".join(f"{column.sql} AS {quoted(column.name)}" for column in columns)
        source, most = self._found.source, self._limits.rows_held(len(columns))
        there = 0
        # Counting costs a look at all of it: only where there are too many, by the first rows.
        if self._found.size / (self._found.row_size or 1.0) > 1.5 * most or self._found.size > self._limits.held_bytes:
            there = self._count(source)
            most = self._limits.rows_held(len(columns), self._found.size / max(there, 1))
        self._sampled(wanted, source, there, most, len(columns))
        kept = self._count(_parquet(self._raw))
        if kept > most:
            there, whole = kept, self._raw.rename(self._raw.with_suffix(".whole"))
            self._sampled("* EXCLUDE (__row)", _parquet(whole), there, most, len(columns))
            whole.unlink()
            kept = self._count(_parquet(self._raw))
        if self._found.rejects and (left := self._count("(SELECT DISTINCT line FROM reject_errors)")):
            if left > kept:
                raise NotData("not_a_table", f"{left:,} of its rows cannot be read", "Give a table with regular rows.")
            self._notes.append(f"{left:,} row{'s' * (left > 1)} could not be read and left out.")
        return max(there, kept)

    def _sampled(self, wanted: str, source: str, there: int, most: int, columns: int) -> None:
        """Write the rows; where there are more than may be, so many of them, evenly spaced."""
        if there > most:
            source = f"(SELECT *, row_number() OVER () AS __row FROM {source})"
            source += f" WHERE (__row * {most}) // {there} > ((__row - 1) * {most}) // {there}"
        self._write(f"SELECT {wanted} FROM {source}", self._raw, columns)

    def _write(self, query: str, into: Path, columns: int) -> None:
        group = min(max(_ROW_GROUP_CELLS // max(columns, 1), 2_048), 122_880)
        self._connection.execute(
            f"COPY ({query}) TO {literal(into)} (FORMAT parquet, COMPRESSION lz4_raw, ROW_GROUP_SIZE {group})"
        )

    def _count(self, source: str) -> int:
        row = self._connection.execute(f"SELECT count(*) FROM {source}").fetchone()
        return int(row[0]) if row else 0

    def _typed(self, columns: Sequence[_Column]) -> list[_Column]:
        """Look at what stayed text again, drop columns with neither a name nor a value, and write the final file."""
        raw = _parquet(self._raw)
        present = self._present(columns, raw)
        rows = self._count(raw)
        texts = [column.name for column in columns if column.kind == "VARCHAR" and self._found.written]
        listed = ", ".join(map(quoted, texts))
        sample = self._connection.execute(f"SELECT {listed} FROM {raw} LIMIT {_SAMPLE}").fetchall() if texts else []
        some = dict(zip(texts, zip(*sample, strict=True), strict=True)) if sample else {}
        given = self._found.names or [column.name for column in columns]
        kept, changed = list[_Column](), False
        for place, (column, there, name) in enumerate(zip(columns, present, given, strict=False)):
            if not there and rows and not name.strip() and len(columns) > 1:
                changed = True
                continue
            new = _Column(column.name, quoted(column.name), column.kind)
            if column.name in some and place not in self._found.texts:
                new = self._again(new, there, [cell for cell in some[column.name] if cell is not None], raw)
            changed = changed or new.kind != column.kind
            kept.append(new)
        if changed and kept:
            listed = ", ".join(f"{column.sql} AS {quoted(column.name)}" for column in kept)
            self._write(f"SELECT {listed} FROM {raw}", self._final, len(kept))
            self._raw.unlink()
            return kept
        self._raw.rename(self._final)
        return list(columns)

    def _present(self, columns: Sequence[_Column], raw: str) -> list[int]:
        counts: list[int] = []
        for start in range(0, len(columns), 1_000):
            asked = ", ".join(f"count({quoted(column.name)})" for column in columns[start : start + 1_000])
            counts += self._connection.execute(f"SELECT {asked} FROM {raw}").fetchone() or ()
        return counts

    def _again(self, column: _Column, there: int, some: Sequence[str], raw: str) -> _Column:
        """A column of text as numbers, truth values or times, where all of it is that, and nothing of it gets lost."""
        if not there:
            return _Column(column.name, f"{column.sql}::DOUBLE", "DOUBLE")
        text = f"trim({column.sql})"
        cells = [cell.strip() for cell in some[:100]]
        tries: list[tuple[str, str]] = []
        if cells and all(map(_INTEGER.fullmatch, cells)):
            tries.append((f"CASE WHEN regexp_full_match({text}, '{_INTEGER.pattern}') THEN {text} END", "BIGINT"))
        if cells and all(map(_NUMBER.fullmatch, cells)) and not all(map(str.isdigit, cells)):
            tries.append((text, "DOUBLE"))
        if cells and {cell.lower() for cell in cells} <= {"true", "false"}:
            tries.append((text, "BOOLEAN"))
        if cells and all(map(_DATE.fullmatch, cells)):
            tries.append((f"replace({text}, '/', '-')", "TIMESTAMP"))
            tries += [(f"try_strptime({text}, {literal(form)})", "TIMESTAMP") for form in _FORMATS]
        for sql, kind in tries:
            if self._count(f"{raw} WHERE TRY_CAST({sql} AS {kind}) IS NOT NULL") == there:
                return _Column(column.name, f"TRY_CAST({sql} AS {kind})", kind)
        if len([cell for cell in cells if _NUMBER.fullmatch(cell)]) > _MIXED * len(cells):
            self._tell_mixed(column, there, raw)
        return column

    def _tell_mixed(self, column: _Column, there: int, raw: str) -> None:
        name, test = f"`{shown(column.name)}`", f"TRY_CAST({column.sql} AS DOUBLE) IS NULL"
        others = self._count(f"{raw} WHERE {column.sql} IS NOT NULL AND {test}")
        if not others:
            self._notes.append(f"{name} has numbers that would lose something, leading zeros perhaps: left as text.")
            return
        query = f"SELECT DISTINCT {column.sql} FROM {raw} WHERE {column.sql} IS NOT NULL AND {test} ORDER BY 1 LIMIT 4"
        odd = [row[0] for row in self._connection.execute(query).fetchall()]
        such = ", ".join(f"`{shown(text, 20)}`" for text in odd[:3]) + (", ..." if len(odd) > 3 else "")
        self._notes.append(
            f"{name} is mixed: {others:,} of {there:,} values are no numbers ({such}). It was read as text."
        )

    def _tell(self, told: Sequence[dict[str, Any]], rows: int) -> None:
        endless = [column["name"] for column in told if column.pop("endless", False)]
        if endless:
            self._notes.append(f"There are infinite values in {few(endless)}.")
        if not rows:
            self._notes.append("There is a header, and no row of data under it.")


def _parquet(path: Path) -> str:
    return f"read_parquet({literal(path)})"
