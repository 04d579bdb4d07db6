"""Profiles of the columns of a written table, and notes on its rows: copies, totals, averages, units in cells."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from graphwright_files._notes import Note, note, note_on_columns
from graphwright_files.errors import quotable
from graphwright_files.tables._delimited import GROUP_SIGNS, number_pattern, with_point
from graphwright_files.tables._engine import count, literal, quoted

TYPES = {
    "BOOLEAN": "boolean",
    "BIGINT": "integer",
    "DOUBLE": "number",
    "VARCHAR": "text",
    "TIMESTAMP": "datetime",
    "TIMESTAMP WITH TIME ZONE": "datetime",
    "BLOB": "binary",
}
"""The names of DuckDB's types of written columns."""

_AT_ONCE, _CELLS_AT_ONCE = 1_000, 50_000_000
"""The columns of one query, and their cells: a median keeps the values of its column in memory."""

_MOST_TOP = 20
_MOST_TEXT = 80
_MOST_COUNTED = 300
"""The maximum number of columns whose values are counted; for a wider table only the ranges are computed."""

_TELLING_ROWS, _MANY = 20_000, 2_000
"""A column of measurements with more different values in its first rows is not counted."""

_FEWEST_ROWS = 4
"""The minimum number of rows for a note on a last row that is the sum or the mean of the others."""

_MOST_SUBTOTALED = 2_000
"""The maximum number of rows of a table in which subtotals are searched."""

_FIGURE = r"[+-]?\d[\d.,'\x{a0}\x{202f} ]*"
_WITH_UNIT = rf"^[\"'“„‘«(\x{{2212}}-]?\s*(\p{{Sc}}?)\s*{_FIGURE}\s*([^\d\s][^\d]{{0,11}})?$"
"""A number with a unit after it, or a currency sign before it, with or without quotation marks; for RE2."""

_NEGATIVE = r"\s*\(\D*\d[^()]*\)\s*|[^-]*\d\s*[-\x{2212}]\s*"
"""A number in parentheses or with a minus after it; for RE2."""

_DEVIATIONS = 2
"""Standard deviations from the expected number of equal rows within which their number is chance."""

_MOST_UNITS = 5
_MOST_VALUES, _MOSTLY = 200, 0.8
"""The number of values that are examined for units, and the proportion of them that must have one."""


@dataclass
class WrittenColumn:
    """A column to write: its name, the SQL of its values, and DuckDB's type of these."""

    name: str
    sql: str
    kind: str


def profiles(
    connection: duckdb.DuckDBPyConnection, relation: str, columns: Sequence[WrittenColumn], rows: int, style: str
) -> tuple[list[dict[str, Any]], int, list[Note]]:
    """A JSON object with the fields of `Column` for each column, the bytes of a data frame of them, and notes.

    Values that were not computed are None. A time that is always midnight is a date. Numbers in texts are in `style`.
    """
    counted, profiled = len(columns) <= _MOST_COUNTED, list[dict[str, Any]]()
    at_once = max(1, min(_AT_ONCE, _CELLS_AT_ONCE // max(rows, 1)))
    for start in range(0, len(columns), at_once):
        asked = ", ".join(_aggregates(each, whole=counted) for each in columns[start : start + at_once])
        profiled += connection.execute(f"SELECT {asked} FROM {relation}").fetchone() or ()
    frame_bytes = 0
    for written, column in zip(columns, profiled, strict=True):
        kind = "date" if column.pop("midnight") else TYPES[written.kind]
        present = column.pop("present")
        frame_bytes += 8 * rows + int(column.pop("size") or 0)
        column |= {each: _as_json(column[each], kind) for each in ("low", "high")}
        column |= {
            each: None if (value := column[each]) is None else float(f"{value:.6g}") for each in ("mean", "median")
        }
        column |= {"name": written.name, "type": kind, "missing": rows - present, "numbers": 0, "distinct": None}
        column |= {"unique": False, "top": [], "zone": "UTC" * written.kind.endswith("ZONE")}
        if counted and kind != "binary" and present:
            _count_values(connection, relation, column, rows, style)
    notes = [*_notes(connection, relation, profiled, rows, style)] if counted and rows else []
    return profiled, frame_bytes, notes


def _notes(
    connection: duckdb.DuckDBPyConnection, relation: str, profiled: Sequence[Mapping[str, Any]], rows: int, style: str
) -> Iterator[Note]:
    """Notes on copies of rows, on units, and on rows that sum up others."""
    numbers: dict[str, str] = {}
    for column in profiled:
        name = quoted(column["name"])
        if column["type"] in ("integer", "number"):
            numbers[column["name"]] = f"CASE WHEN isfinite({name}::DOUBLE) THEN {name}::DOUBLE END"
        elif column["type"] == "text":
            units = _units(connection, relation, name)
            if units or column["numbers"]:
                numbers[column["name"]] = _figure(name, style)
            if units:
                there = ", ".join(f"{quotable(unit, 20)} ({times:,})" for unit, times in units)
                yield note_on_columns("units", [column["name"]], units=there)
            if units or column["numbers"]:
                there = f"FROM {relation} WHERE regexp_full_match({name}, {literal(_NEGATIVE)})"
                count_of, example = connection.execute(f"SELECT count(*), any_value({name}) {there}").fetchone() or (
                    0,
                    "",
                )
                if count_of:
                    yield note_on_columns("negatives", [column["name"]], count=count_of, example=quotable(example))
    if len(profiled) > 1 and not any(column["unique"] for column in profiled):
        different = (
            f"SELECT count(DISTINCT hash({', '.join(quoted(each['name']) for each in profiled)})) FROM {relation}"
        )
        copies = rows - int((connection.execute(different).fetchone() or (rows,))[0])
        if copies and copies > _equal_by_chance(connection, relation, profiled, rows):
            yield note("duplicate_rows", count=copies, rows=rows)
    if rows > _FEWEST_ROWS and numbers:
        yield from _summing_rows(connection, relation, profiled, numbers, rows)


def _equal_by_chance(
    connection: duckdb.DuckDBPyConnection, relation: str, profiled: Sequence[Mapping[str, Any]], rows: int
) -> float:
    """The number of rows that may equal an earlier one by chance if the columns are independent."""
    alike = 1.0
    for column in profiled:
        counted = f"SELECT count(*)::DOUBLE AS n FROM {relation} GROUP BY {quoted(column['name'])}"
        query = f"SELECT sum(n * (n - 1)) FROM ({counted})"
        alike *= float((connection.execute(query).fetchone() or (0,))[0]) / (rows * (rows - 1))
    expected = alike * rows * (rows - 1) / 2
    return expected + _DEVIATIONS * math.sqrt(expected)


def _figure(name: str, style: str) -> str:
    """The SQL of the number in a text, or NULL."""
    figure = f"regexp_extract({name}, {literal(_FIGURE)})"
    if style:
        figure = f"replace(regexp_replace({figure}, {literal(GROUP_SIGNS[style])}, '', 'g'), ',', '.')"
    sign = f"CASE WHEN regexp_full_match({name}, {literal(_NEGATIVE)}) THEN -1 ELSE 1 END"
    return f"{sign} * TRY_CAST(trim({figure}) AS DOUBLE)"


def _units(connection: duckdb.DuckDBPyConnection, relation: str, name: str) -> list[tuple[str, int]]:
    """The units of a column of numbers with units, with their counts, the most frequent first; otherwise empty."""
    before, behind = (f"regexp_extract({name}, {literal(_WITH_UNIT)}, {group})" for group in (1, 2))
    unit = f"trim(concat({before}, {behind}), ' ()-\u2212')"
    some = f"(SELECT {name} FROM {relation} WHERE {name} IS NOT NULL LIMIT {_MOST_VALUES})"
    asked = f"SELECT count(*), count(*) FILTER ({unit} <> '') FROM {some}"
    there, having = connection.execute(asked).fetchone() or (0, 0)
    if having < 2 or having < _MOSTLY * there:
        return []
    query = f"SELECT {unit} AS u, count(*) AS n FROM {relation} WHERE {name} IS NOT NULL GROUP BY u HAVING u <> ''"
    found = connection.execute(f"{query} ORDER BY n DESC, u LIMIT {_MOST_UNITS + 1}").fetchall()
    return found if len(found) <= _MOST_UNITS else []


def _summing_rows(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    profiled: Sequence[Mapping[str, Any]],
    numbers: Mapping[str, str],
    rows: int,
) -> Iterator[Note]:
    """Notes on a last row that is the sum or the mean of those above it, and on subtotals of groups."""
    totals = f"SELECT {', '.join(f'sum({sql})' for sql in numbers.values())} FROM {relation}"
    sums = connection.execute(totals).fetchone() or ()
    last = connection.execute(f"SELECT {', '.join(numbers.values())} FROM {relation} LIMIT 1 OFFSET {rows - 1}")
    values = last.fetchone() or ()
    several = {c["name"] for c in profiled if (c["distinct"] or _MANY) > _FEWEST_ROWS}
    found = list(zip(numbers, sums, values, strict=True))
    # A few small numbers, or equal ones, add up to each other by chance.
    known = [(name, total - value, value) for name, total, value in found if value and name in several]
    summed = [name for name, above, value in known if math.isclose(above, value, rel_tol=1e-6)]
    means = [name for name, above, value in known if math.isclose(above / (rows - 1), value, rel_tol=1e-6)]
    if summed:
        yield note_on_columns("total_row", summed)
    elif means:
        yield note_on_columns("mean_row", means)
    if len(numbers) > 1 and rows <= _MOST_SUBTOTALED:
        table = connection.execute(f"SELECT {', '.join(numbers.values())} FROM {relation}").fetchall()
        if places := _subtotals(table):
            yield note("subtotal_rows", rows=places[:10], count=len(places))


def _subtotals(table: Sequence[Sequence[float | None]]) -> list[int]:
    """The places, counted from 1, of rows that are the sum of the rows since the previous one, in several columns."""
    places, since, groups = list[int](), list[Sequence[float | None]](), list[Sequence[float | None]]()
    for place, row in enumerate(table, 1):
        if _is_sum(row, since) or (not since and _is_sum(row, groups)):
            places.append(place)
            groups.append(row)
            since = []
        else:
            since.append(row)
    # A single one is the total at the end, or chance.
    return places if len(places) > 1 else []


def _is_sum(row: Sequence[float | None], above: Sequence[Sequence[float | None]]) -> bool:
    """Whether a row is the sum of at least two others in each column in which it has a number."""
    sums = [math.fsum(each for each in column if each is not None) for column in zip(*above, strict=True)]
    known = [(total, value) for total, value in zip(sums, row, strict=False) if value is not None]
    several = len(above) > 1 and len({value for _, value in known if value}) > 1
    return several and all(math.isclose(*pair, rel_tol=1e-6) for pair in known)


def _aggregates(column: WrittenColumn, *, whole: bool) -> str:
    """The aggregates of one pass over a column, as a struct in SQL."""
    sql, kind = quoted(column.name), TYPES[column.kind]
    finite = sql
    parts = dict.fromkeys(("low", "high", "mean", "median", "size"), "NULL") | {"midnight": "false"}
    if kind == "number":
        finite = f"CASE WHEN isfinite({sql}) THEN {sql} END"
    if kind in ("integer", "number", "datetime"):
        parts |= {"low": f"min({finite})", "high": f"max({finite})"}
    if kind in ("integer", "number") and whole:
        parts |= {"mean": f"avg({finite})", "median": f"median({finite})"}
    if kind in ("text", "binary"):
        parts["size"] = f"sum({'strlen' if kind == 'text' else 'octet_length'}({sql}))"
    if kind == "datetime":
        midnight = f"coalesce(bool_and({sql} = date_trunc('day', {sql})), false)"
        parts["midnight"] = f"{midnight} AND typeof(any_value({sql})) = 'TIMESTAMP'"
    return f"{{'present': count({sql}), {', '.join(f'{part!r}: {value}' for part, value in parts.items())}}}"


def _count_values(
    connection: duckdb.DuckDBPyConnection, relation: str, column: dict[str, Any], rows: int, style: str
) -> None:
    """Add the statistics that require a count of each different value."""
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
    if kind == "text" and any(map(number_pattern(style).fullmatch, (value.strip() for value, _ in top))):
        number = f"TRY_CAST({with_point(f'trim({sql})', style)} AS DOUBLE)"
        numbers, present = count(connection, f"{relation} WHERE {number} IS NOT NULL"), rows - column["missing"]
        if present / 2 < numbers < present:
            column["numbers"] = numbers
            # The values that are not numbers come first: they are the reason that the column is text.
            others = (
                f"FROM {relation} WHERE {sql} IS NOT NULL AND {number} IS NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3"
            )
            odd = [[_as_json(v, kind), n] for v, n in connection.execute(f"SELECT {sql}, count(*) {others}").fetchall()]
            column["top"] = [*odd, *(each for each in column["top"] if each not in odd)][:_MOST_TOP]


def _as_json(value: Any, kind: str) -> Any:
    """A value as JSON: numbers and truth values unchanged, text cut, times in ISO form."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str):
        return value if len(value) <= _MOST_TEXT else f"{value[: _MOST_TEXT - 1]}…"
    if isinstance(value, datetime.datetime):
        return value.isoformat()[: 10 if kind == "date" else 19]
    return value
