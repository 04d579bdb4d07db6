"""What is computed over the columns of a table, once: counts, ranges, categories, examples, and what joins need."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from typing import Any

import duckdb

from graphwright.files.naming import one_line
from graphwright.files.tables.engine import quoted

MOST_TOP = 20
"""Most frequent values that are kept."""

KEPT_HASHES = 256
"""Hashes of a sketch: the smallest ones of a column's values, by which the overlap of two columns is estimated."""

_MOST_TEXT = 80
_MOST_LENGTH = 64
_EXAMPLES = 3
_AT_ONCE = 1_000
_MOST_COUNTED = 300
"""Columns of a table whose values are counted out; of a wider one only the ends are told."""

_FEWEST_DISTINCT = 3
_TELLING_ROWS, _MANY = 20_000, 2_000
"""A column of measurements with more different values than these in its first rows is not counted out."""


def profile(
    connection: duckdb.DuckDBPyConnection, source: str, columns: Sequence[tuple[str, str]], rows: int
) -> list[dict[str, Any]]:
    """A JSON object for each column, given by name and type: the fields of `ColumnProfile`, and `endless`.

    What was not computed is None. A time that is midnight always is a date. `endless`: whether a number is infinite.
    """
    counted, told = len(columns) <= _MOST_COUNTED, list[dict[str, Any]]()
    first = connection.execute(f"FROM {source} LIMIT 50").fetchall()
    for start in range(0, len(columns), _AT_ONCE):
        asked = ", ".join(_ends(*column, counted) for column in columns[start : start + _AT_ONCE])
        told += connection.execute(f"SELECT {asked} FROM {source}").fetchone() or ()
    for place, ((name, kind), column) in enumerate(zip(columns, told, strict=True)):
        kind = "date" if column.pop("midnight") else kind
        column |= {each: _written(column[each], kind) for each in ("low", "high")}
        column |= {each: None if (value := column[each]) is None else _rounded(value) for each in ("mean", "median")}
        column |= {"name": name, "type": kind, "missing": rows - column.pop("present"), "distinct": None}
        examples = (_written(row[place], kind) for row in first if row[place] is not None and kind != "binary")
        column |= {"unique": False, "top": [], "sketch": None, "examples": list(dict.fromkeys(examples))[:_EXAMPLES]}
        if counted and kind != "binary" and column["missing"] < rows:
            _count_out(connection, source, column, rows)
    return told


def _ends(name: str, kind: str, whole: bool) -> str:
    """What one look at a column tells, as a struct in SQL."""
    sql = finite = quoted(name)
    parts = dict.fromkeys(("low", "high", "mean", "median"), "NULL") | {"endless": "false", "midnight": "false"}
    if kind == "number":
        finite = f"CASE WHEN isfinite({sql}) THEN {sql} END"
        parts["endless"] = f"coalesce(bool_or(isinf({sql})), false)" if whole else "false"
    if kind in ("integer", "number", "datetime"):
        parts |= {"low": f"min({finite})", "high": f"max({finite})"}
    if kind in ("integer", "number") and whole:
        parts |= {"mean": f"avg({finite})", "median": f"median({finite})"}
    if kind == "datetime":
        midnight = f"coalesce(bool_and({sql} = date_trunc('day', {sql})), false)"
        parts["midnight"] = f"{midnight} AND typeof(any_value({sql})) = 'TIMESTAMP'"
    return f"{{'present': count({sql}), {', '.join(f'{part!r}: {value}' for part, value in parts.items())}}}"


def _count_out(connection: duckdb.DuckDBPyConnection, source: str, column: dict[str, Any], rows: int) -> None:
    """Add what takes counting each different value."""
    sql, kind = quoted(column["name"]), column["type"]
    if kind in ("number", "date", "datetime"):
        some = f"SELECT count(DISTINCT {sql}) FROM (SELECT {sql} FROM {source} LIMIT {_TELLING_ROWS})"
        if (connection.execute(some).fetchone() or (0,))[0] > _MANY:
            return
    counted = connection.execute(
        f"WITH counted AS MATERIALIZED ("
        f"SELECT {sql} AS v, count(*) AS n FROM {source} WHERE {sql} IS NOT NULL GROUP BY 1)"
        f" SELECT count(*), list_sort(min(hash(v), {KEPT_HASHES})), {'avg(length(v))' if kind == 'text' else '0'},"
        f" (SELECT list((v, n)) FROM (FROM counted ORDER BY n DESC, v::VARCHAR LIMIT {MOST_TOP})) FROM counted"
    ).fetchone()
    if counted is None:
        return
    distinct, hashes, length, top = counted
    column |= {"distinct": distinct, "unique": distinct == rows}
    if kind in ("text", "boolean") or distinct <= MOST_TOP:
        column["top"] = [[_written(value, kind), times] for value, times in top]
    if kind in ("integer", "text") and distinct >= _FEWEST_DISTINCT and length <= _MOST_LENGTH:
        column["sketch"] = hashes


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def _written(value: Any, kind: str) -> Any:
    """A value as JSON: numbers and truth values as they are, text on one line and cut, times in ISO form."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str):
        return one_line(value, _MOST_TEXT)
    if isinstance(value, datetime.datetime):
        return value.isoformat()[: 10 if kind == "date" else 19]
    return value
