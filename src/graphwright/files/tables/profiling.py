"""What is computed over the columns of a table, once: counts, ranges, categories, examples, and what joins need."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphwright.files.naming import one_line
from graphwright.files.tables.sketches import sketch

MOST_TOP = 20
"""Most frequent values that are kept."""

MOST_TEXT = 80
"""Characters of a value that are kept."""

_EXAMPLES = 3
_MOST_SKETCHES = 200
_FEWEST_DISTINCT = 3
_TELLING_ROWS, _MANY = 20_000, 2_000
"""A column of numbers with more different values than these in its first rows is not counted out."""


def profile(table: pa.Table, types: list[str], threads: int) -> list[dict[str, Any]]:
    """A JSON object for each column, in their order.

    All have `name, type, missing, distinct` (None where it was not counted) and `unique`; numbers and dates `low` and
    `high`; numbers also `mean` and `median`; text, truth values and what has few values `top` as [value, count]; all
    `examples`. `sketch` is there where the column may be a key.
    """
    with ThreadPoolExecutor(threads) as pool:
        columns = list(pool.map(_column, table.column_names, types, table.columns))
    sketched = 0
    for column in columns:
        if column.get("sketch") is not None:
            sketched += 1
            if sketched > _MOST_SKETCHES:
                del column["sketch"]
    return columns


def _column(name: str, kind: str, data: Any) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": name,
        "type": kind,
        "missing": data.null_count,
        "distinct": None,
        "unique": False,
    }
    counted = _counted(data, kind)
    if counted is not None:
        told["distinct"] = len(counted)
        told["unique"] = 0 < len(counted) == len(data)
    if kind in ("integer", "number"):
        told |= _numbers(data)
    elif kind in ("date", "datetime", "duration"):
        told |= _range(data, kind)
    told["examples"] = _examples(data, kind)
    if counted is None:
        return told
    values, counts = counted.field(0), counted.field(1)
    if len(values) and (kind in ("text", "boolean") or len(values) <= MOST_TOP) and kind != "binary":
        told["top"] = _top(values, counts, kind)
    if kind in ("integer", "text") and len(values) >= _FEWEST_DISTINCT and (hashes := sketch(values)) is not None:
        told["sketch"] = hashes
    return told


def _counted(data: Any, kind: str) -> Any:
    """The different values with their counts, without the missing one; None for measurements, which hardly repeat."""
    if kind in ("number", "datetime", "duration") and pc.count_distinct(data.slice(0, _TELLING_ROWS)).as_py() > _MANY:
        return None
    counted = pc.value_counts(data)
    if data.null_count:
        counted = counted.filter(pc.is_valid(counted.field(0)))
    return counted


def _numbers(data: Any) -> dict[str, Any]:
    ends = pc.min_max(data).as_py()
    if pa.types.is_floating(data.type) and math.inf in (ends["max"], -(ends["min"] or 0)):
        data = data.filter(pc.is_finite(data))
        ends = pc.min_max(data).as_py()
    if ends["min"] is None:
        return {}
    return {
        "low": ends["min"],
        "high": ends["max"],
        "mean": _rounded(pc.mean(data).as_py()),
        "median": _rounded(pc.quantile(data, 0.5)[0].as_py()),
    }


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def _range(data: Any, kind: str) -> dict[str, Any]:
    if len(data) == data.null_count:
        return {}
    ends = pc.min_max(data)
    return {"low": _written(ends["min"], kind), "high": _written(ends["max"], kind)}


def _top(values: Any, counts: Any, kind: str) -> list[list[Any]]:
    """The most frequent values, of equally frequent ones the smaller first."""
    amounts = counts.to_numpy()
    if len(amounts) > MOST_TOP:
        limit = np.partition(amounts, -MOST_TOP)[-MOST_TOP]
        # All with the last count could be nearly all values: a few are enough to choose from.
        places = np.concatenate([np.nonzero(amounts > limit)[0], np.nonzero(amounts == limit)[0][:1_000]])
    else:
        places = np.arange(len(amounts))
    chosen = [(-int(amounts[place]), _written(values[int(place)], kind)) for place in places]
    return [[value, -count] for count, value in sorted(chosen, key=lambda pair: (pair[0], str(pair[1])))[:MOST_TOP]]


def _examples(data: Any, kind: str) -> list[Any]:
    if kind == "binary":
        return []
    present = data.drop_null().slice(0, 50)
    return list(dict.fromkeys(_written(value, kind) for value in present))[:_EXAMPLES]


def _written(scalar: Any, kind: str) -> Any:
    """A value as JSON: numbers and truth values as they are, text on one line and cut, dates in ISO form."""
    if kind in ("integer", "number", "boolean"):
        value = scalar.as_py()
        return str(value) if isinstance(value, float) and not np.isfinite(value) else value
    if kind == "text":
        return one_line(scalar.as_py(), MOST_TEXT)
    # Without asking what a zone is: what knows the zones is out of reach.
    if kind == "duration":
        return str(np.timedelta64(scalar.value, scalar.type.unit).astype("timedelta64[s]").item())
    return str(np.datetime64(scalar.value, scalar.type.unit))[: 10 if kind == "date" else 19]
