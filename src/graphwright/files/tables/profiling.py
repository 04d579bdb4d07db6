"""What is computed over the columns of a table, once: counts, ranges, categories, examples, and what joins need."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from graphwright.files.naming import few, one_line
from graphwright.files.tables.engine import quoted

AT_ONCE = 1_000
"""Columns that one query asks for."""

_MOST_TOP = 20
_SKETCH = 256
"""Hashes of a sketch: the smallest ones of a column's values, by which the overlap of two columns is estimated."""

_MOST_TEXT, _MOST_LENGTH, _EXAMPLES = 80, 64, 3
_MOST_COUNTED = 300
"""Columns of a table whose values are counted; of a wider one only the ranges are computed."""

_FEWEST_DISTINCT = 3
_TELLING_ROWS, _MANY = 20_000, 2_000
"""A column of measurements with more different values than these in its first rows is not counted."""

_FEWEST_ROWS, _MOST_ROWS = 4, 100_000
"""A table with more rows than the first, and at most so many as the second, is looked over for a row of totals."""


def profile(
    connection: duckdb.DuckDBPyConnection, relation: str, columns: Sequence[tuple[str, str, int]], rows: int
) -> tuple[list[dict[str, Any]], list[str]]:
    """A JSON object for each column, given by name, type and numbers in it, with the fields of `Column`; notes.

    What was not computed is None. A time that is midnight always is a date.
    """
    counted, profiles, sums = len(columns) <= _MOST_COUNTED, list[dict[str, Any]](), list[float]()
    first = connection.execute(f"FROM {relation} LIMIT 50").fetchall()
    for start in range(0, len(columns), AT_ONCE):
        asked = ", ".join(_aggregates(name, kind, counted) for name, kind, _ in columns[start : start + AT_ONCE])
        profiles += connection.execute(f"SELECT {asked} FROM {relation}").fetchone() or ()
    infinite = [name for (name, _, _), column in zip(columns, profiles, strict=True) if column.pop("infinite")]
    for place, ((name, kind, numbers), column) in enumerate(zip(columns, profiles, strict=True)):
        kind = "date" if column.pop("midnight") else kind
        present = column.pop("present")
        sums.append((column["mean"] or 0.0) * present)
        examples = (_as_json(row[place], kind) for row in first if row[place] is not None and kind != "binary")
        column |= {each: _as_json(column[each], kind) for each in ("low", "high")}
        column |= {
            each: None if (value := column[each]) is None else float(f"{value:.6g}") for each in ("mean", "median")
        }
        column |= {"name": name, "type": kind, "missing": rows - present, "numbers": numbers, "distinct": None}
        column |= {"unique": False, "top": [], "sketch": None, "examples": list(dict.fromkeys(examples))[:_EXAMPLES]}
        if counted and kind != "binary" and present:
            _count_values(connection, relation, column, rows)
    notes = [f"There are infinite values in {few(infinite)}."] if infinite else []
    if counted and _FEWEST_ROWS < rows <= _MOST_ROWS:
        last = connection.execute(f"FROM {relation} LIMIT 1 OFFSET {rows - 1}").fetchall()[0]
        notes += _total_note(profiles, sums, last)
    return profiles, notes


def _aggregates(name: str, kind: str, whole: bool) -> str:
    """What one pass over a column computes, as a struct in SQL."""
    sql = finite = quoted(name)
    parts = dict.fromkeys(("low", "high", "mean", "median"), "NULL") | {"infinite": "false", "midnight": "false"}
    if kind == "number":
        finite = f"CASE WHEN isfinite({sql}) THEN {sql} END"
        parts["infinite"] = f"coalesce(bool_or(isinf({sql})), false)" if whole else "false"
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
    distinct, hashes, length, top = connection.execute(
        f"WITH counted AS MATERIALIZED ("
        f"SELECT {sql} AS v, count(*) AS n FROM {relation} WHERE {sql} IS NOT NULL GROUP BY 1)"
        f" SELECT count(*), list_sort(min(hash(v), {_SKETCH})), {'avg(length(v))' if kind == 'text' else '0'},"
        f" (SELECT list((v, n)) FROM (FROM counted ORDER BY n DESC, v::VARCHAR LIMIT {_MOST_TOP})) FROM counted"
    ).fetchall()[0]
    column |= {"distinct": distinct, "unique": distinct == rows}
    if kind in ("text", "boolean") or distinct <= _MOST_TOP:
        column["top"] = [[_as_json(value, kind), times] for value, times in top]
    if kind in ("integer", "text") and distinct >= _FEWEST_DISTINCT and length <= _MOST_LENGTH:
        column["sketch"] = hashes


def _total_note(profiles: Sequence[Mapping[str, Any]], sums: Sequence[float], last: Sequence[Any]) -> list[str]:
    """The note on a last row that is the sum of those above it; with rows of subtotals it is half their sum."""
    for multiple, above in ((2, "the rows above"), (3, "the rows above, without their subtotals")):
        names = [
            column["name"]
            for column, total, value in zip(profiles, sums, last, strict=True)
            if column["mean"] is not None
            and value
            and math.isclose(total, multiple * value, rel_tol=1e-6)
            # A few small numbers, or one and the same, add up to each other by chance.
            and value in (column["low"], column["high"])
            and (column["distinct"] or _MANY) > _FEWEST_ROWS
        ]
        if names:
            return [f"The last row looks like a total: in {few(names)} it is the sum of {above}. It was read as a row."]
    return []


def _as_json(value: Any, kind: str) -> Any:
    """A value as JSON: numbers and truth values as they are, text on one line and cut, times in ISO form."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str):
        return one_line(value, _MOST_TEXT)
    if isinstance(value, datetime.datetime):
        return value.isoformat()[: 10 if kind == "date" else 19]
    return value
