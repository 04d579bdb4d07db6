"""What is computed over the columns of a table, once: counts, ranges, categories, examples, and what joins need."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from graphwright.files.naming import one_line
from graphwright.files.tables.engine import literal, quoted

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
    connection: duckdb.DuckDBPyConnection, parquet: Path, columns: Sequence[tuple[str, str]], rows: int
) -> tuple[list[str], list[dict[str, Any]]]:
    """The final types of the columns, given as names and types, and a JSON object for each.

    All have `name, type, missing, distinct` (None where it was not counted), `unique` and `examples`; numbers and times
    `low` and `high`; numbers also `mean` and `median`; what has few values or text `top` as [value, count]; `sketch` is
    there where the column may be a key, `endless` where a number is infinite. A time that is midnight always is a date.
    """
    source = f"read_parquet({literal(parquet)})"
    told: list[dict[str, Any]] = []
    for start in range(0, len(columns), _AT_ONCE):
        whole = len(columns) <= _MOST_COUNTED
        told += _ends(connection, source, columns[start : start + _AT_ONCE], rows, whole=whole)
    first = connection.execute(f"FROM {source} LIMIT 50").fetchall()
    for place, column in enumerate(told):
        examples = (_written(row[place], column["type"]) for row in first if row[place] is not None)
        column["examples"] = [] if column["type"] == "binary" else list(dict.fromkeys(examples))[:_EXAMPLES]
        if len(told) <= _MOST_COUNTED and column["type"] != "binary" and column["missing"] < rows:
            _count_out(connection, source, column, rows)
    return [column["type"] for column in told], told


def _ends(
    connection: duckdb.DuckDBPyConnection, source: str, columns: Sequence[tuple[str, str]], rows: int, *, whole: bool
) -> list[dict[str, Any]]:
    asked: list[str] = []
    for name, kind in columns:
        sql = quoted(name)
        asked.append(f"count({sql})")
        if kind in ("integer", "number"):
            finite = f"CASE WHEN isfinite({sql}) THEN {sql} END" if kind == "number" else sql
            asked += [f"min({finite})", f"max({finite})"]
            asked += [f"avg({finite})", f"median({finite})"] if whole else ["NULL", "NULL"]
            asked.append(f"coalesce(bool_or(isinf({sql})), false)" if kind == "number" and whole else "false")
        elif kind == "datetime":
            midnight = f"coalesce(bool_and({sql} = date_trunc('day', {sql})), false)"
            asked += [f"min({sql})", f"max({sql})", f"{midnight} AND typeof(any_value({sql})) = 'TIMESTAMP'"]
    values = iter(connection.execute(f"SELECT {', '.join(asked)} FROM {source}").fetchone() or ())
    told = []
    for name, kind in columns:
        column: dict[str, Any] = {"name": name, "type": kind, "missing": rows - next(values)}
        column |= {"distinct": None, "unique": False}
        if kind in ("integer", "number"):
            ends = {"low": next(values), "high": next(values), "mean": next(values), "median": next(values)}
            column["endless"] = next(values)
            if ends["low"] is not None:
                column |= {
                    name: _rounded(value) if name in ("mean", "median") else value for name, value in ends.items()
                }
        elif kind == "datetime":
            low, high, midnight = next(values), next(values), next(values)
            column["type"] = "date" if midnight else kind
            if low is not None:
                column |= {"low": _written(low, column["type"]), "high": _written(high, column["type"])}
        told.append(column)
    return told


def _count_out(connection: duckdb.DuckDBPyConnection, source: str, column: dict[str, Any], rows: int) -> None:
    """Add what takes counting each different value."""
    sql, kind = quoted(column["name"]), column["type"]
    if kind in ("number", "datetime"):
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
    column["distinct"] = distinct
    column["unique"] = distinct == rows
    if kind in ("text", "boolean") or distinct <= MOST_TOP:
        column["top"] = [[_written(value, kind), count] for value, count in top]
    if kind in ("integer", "text") and distinct >= _FEWEST_DISTINCT and length <= _MOST_LENGTH:
        column["sketch"] = hashes


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")


def _written(value: Any, kind: str) -> Any:
    """A value as JSON: numbers and truth values as they are, text on one line and cut, times in ISO form."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str):
        return one_line(value, _MOST_TEXT)
    if isinstance(value, datetime.datetime):
        return value.isoformat()[: 10 if kind == "date" else 19]
    return value
