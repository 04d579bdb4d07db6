"""Results and figures as JSON: every value becomes one of the forms of `execution.Result` or `execution.Figure`."""

from __future__ import annotations

import base64
import datetime
import decimal
import io
import json
import math
import numbers
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from graphwright_confined.zygote import tables

_MOST_COLUMNS, _MOST_CELLS, _MOST_ENTRIES = 500, 200_000, 1_000
_LONGEST_TEXT, _LONGEST_CELL, _LONGEST_KEY, _LONGEST_INTEGER = 200_000, 5_000, 500, 1_000
_DEEPEST = 6
_MOST_FIGURES = 20
_DOTS_AN_INCH, _MOST_DOTS = 110, 6_000

Json = dict[str, Any]


def encoded(value: Any, rows: int, depth: int = 0) -> Json:
    """The value as a `Result` in JSON; tables and lists are cut to `rows`."""
    if value is None:
        return {"type": "none"}
    if isinstance(value, str):
        return _text(value)
    # The missing values of Pandas are numbers, dates and objects by class.
    if value is pd.NaT or value is pd.NA or (isinstance(value, np.datetime64) and np.isnat(value)):
        return {"type": "scalar", "kind": "mixed" if value is pd.NA else "datetime", "value": None}
    if isinstance(value, (numbers.Number, np.generic, bytes, bytearray, *_TIMES)):
        kind, cell = _cell(value)
        return {"type": "scalar", "kind": kind, "value": cell}
    if isinstance(value, pd.DataFrame):
        return _table(value, rows)
    if tables.is_relation(value):
        return {**_table(tables.as_frame(value.limit(rows)), rows), "row_count": len(value)}
    if isinstance(value, pd.Series):
        return _table(value.to_frame("value" if value.name is None else value.name), rows, is_series=True)
    if isinstance(value, pd.Index):
        return _table(value.to_frame(index=False), rows) if value.nlevels > 1 else _list(value, rows, depth)
    if isinstance(value, np.ndarray):
        return _array(value, rows, depth)
    if depth >= _DEEPEST or isinstance(value, memoryview):
        return _described(value)
    if isinstance(value, Mapping):
        return _mapping(value, rows, depth)
    listed = isinstance(value, Set | Sequence | pd.api.extensions.ExtensionArray)
    return _list(value, rows, depth) if listed else _described(value)


_TIMES = (datetime.date, datetime.time, datetime.timedelta, pd.Period, pd.Interval)


def _text(value: str) -> Json:
    return {"type": "text", "text": _clean(value[:_LONGEST_TEXT]), "length": len(value)}


def _described(value: Any) -> Json:
    """The text of an object: the summary of a fitted model, otherwise its representation."""
    summary = getattr(value, "summary", None)
    if callable(summary) and not isinstance(value, type):
        try:
            return _text(str(summary()))
        except (TypeError, ValueError, AttributeError, NotImplementedError):
            pass
    # The table of a fitted model, whose representation begins with the name of its class.
    is_table = callable(getattr(value, "as_text", None)) and callable(getattr(value, "as_html", None))
    return _text(str(value) if is_table else repr(value))


def _mapping(value: Mapping[Any, Any], rows: int, depth: int) -> Json:
    entries: list[Json] = []
    for key, item in value.items():
        if len(entries) >= min(rows, _MOST_ENTRIES):
            break
        entries.append({"key": _key(key), "value": encoded(item, rows, depth + 1)})
    return {"type": "mapping", "entries": entries, "length": len(value)}


def _list(values: Collection[Any], rows: int, depth: int) -> Json:
    items = [encoded(item, rows, depth + 1) for item in islice(values, rows)]
    return {"type": "list", "items": items, "length": len(values)}


def _array(value: Any, rows: int, depth: int) -> Json:
    if value.ndim == 0:
        return encoded(value.item(), rows, depth + 1)
    if value.ndim == 1 and value.dtype.names is None:
        return _list(value, rows, depth)
    return _table(pd.DataFrame(value), rows) if value.ndim <= 2 else _described(value)


def _key(key: Any) -> str:
    if isinstance(key, tuple):
        return " / ".join(_key(part) for part in key)[:_LONGEST_KEY]
    if isinstance(key, str):
        return _clean(key[:_LONGEST_KEY])
    if isinstance(key, (datetime.date, np.generic)):
        return str(_cell(key)[1])[:_LONGEST_KEY]
    return _clean(str(key)[:_LONGEST_KEY])


def _numbers_rows(index: Any, is_series: bool) -> bool:
    """Whether an index is only a row number. That of a series may have a meaning if it is not in order."""
    if index.nlevels > 1 or index.name is not None:
        return False
    places = pd.RangeIndex(len(index))
    reordered = not is_series and pd.api.types.is_integer_dtype(index.dtype) and index.sort_values().equals(places)
    return bool(reordered or index.equals(places))


def _table(frame: Any, rows: int, *, is_series: bool = False) -> Json:
    row_count, levels = len(frame), frame.index.nlevels
    index = 0 if _numbers_rows(frame.index, is_series) else levels
    column_count = index + frame.shape[1]
    kept = min(frame.shape[1], _MOST_COLUMNS - min(index, _MOST_COLUMNS))
    rows = min(rows, row_count, max(1, _MOST_CELLS // max(1, index + kept)))
    head = frame.iloc[:rows]
    columns, series = [], []
    for level in range(index):
        name = head.index.names[level]
        columns.append("index" if name is None and index == 1 else f"level {level}" if name is None else _key(name))
        series.append(pd.Series(head.index.get_level_values(level)))
    for place in range(kept):
        columns.append(_key(head.columns[place]))
        series.append(head.iloc[:, place])
    kinds, cells = zip(*map(_column, series), strict=True) if series else ((), ())
    return {
        "type": "table",
        "columns": [{"name": name, "kind": kind} for name, kind in zip(columns, kinds, strict=True)],
        "index": index,
        "rows": [list(row) for row in zip(*cells, strict=True)] if cells else [[] for _ in range(rows)],
        "row_count": row_count,
        "column_count": column_count,
    }


def _column(series: Any) -> tuple[str, list[Any]]:
    """The kind of a column, and its cells."""
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return "category", [None if _missing_cell(value) else _cell(value)[1] for value in series.tolist()]
    pairs = [(None, None) if _missing_cell(value) else _cell(value) for value in series.tolist()]
    kinds = {kind for kind, _ in pairs if kind is not None}
    if pd.api.types.is_float_dtype(dtype) or kinds == {"integer", "number"}:
        kinds = {"number"}
    if not kinds:
        return "datetime" if pd.api.types.is_datetime64_any_dtype(dtype) else "mixed", [None] * len(pairs)
    return kinds.pop() if len(kinds) == 1 else "mixed", [cell for _, cell in pairs]


def _missing_cell(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value))


def _cell(value: Any) -> tuple[str, Any]:
    """The kind of a value, and the value as JSON."""
    if isinstance(value, np.generic) and not isinstance(value, (np.datetime64, np.timedelta64, np.str_, np.bytes_)):
        value = value.item()
    match value:
        case bool():
            return "boolean", value
        case int():
            huge = value.bit_length() >= 3 * _LONGEST_INTEGER
            return ("text", f"an integer of {value.bit_length():,} bits") if huge else ("integer", int(value))
        case float():
            return "number", _float(float(value))
        case complex():
            return "complex", str(value)
        case str():
            return "text", _clean(value[:_LONGEST_CELL])
        case np.datetime64():
            return "datetime", str(value)
        case np.timedelta64():
            return "duration", str(pd.Timedelta(value))
        case bytes() | bytearray():
            return "bytes", repr(bytes(value[:_LONGEST_CELL]))
        case datetime.datetime() | datetime.date() | datetime.time():
            kinds = {datetime.date: "date", datetime.time: "time"}
            return kinds.get(type(value), "datetime"), value.isoformat()
        case datetime.timedelta():
            return "duration", str(value)
        case decimal.Decimal():
            return "decimal", str(value)[:_LONGEST_CELL]
    return "text", _clean(str(value)[:_LONGEST_CELL])


def _float(value: float) -> float | str:
    return value if math.isfinite(value) else {"nan": "NaN", "inf": "Infinity"}.get(str(value), "-Infinity")


def _clean(text: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot encode."""
    return str(text).encode("utf-8", "replace").decode("utf-8")


_shown: list[Any] = []
"""Plotly figures whose `show()` was called."""


def catch_shown_figures() -> None:
    """Make `fig.show()` of Plotly keep the figure instead of opening a browser."""
    from plotly.basedatatypes import BaseFigure

    BaseFigure.show = lambda self, *_, **__: _shown.append(self)


def is_figure(value: Any) -> bool:
    """Whether this is a figure, axes, or a grid of seaborn."""
    return next(_figures(value), None) is not None


def figures(named: Any, result: Any) -> list[str]:
    """The figures as JSON texts: those in the name `fig`, or those that were shown, are open, or are the result."""
    found = list(_figures(named))
    if not found:
        found += _shown
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is not None:
            found += [figure for figure in map(pyplot.figure, pyplot.get_fignums()) if figure.get_axes()]
        found += _figures(result)
    distinct = list({id(figure): figure for figure in found}.values())
    return [
        _plotly(figure) if hasattr(figure, "to_plotly_json") else _png(figure) for figure in distinct[:_MOST_FIGURES]
    ]


def _figures(value: Any) -> Iterator[Any]:
    kind = type(value)
    if any(base.__module__ == "plotly.basedatatypes" and base.__name__ == "BaseFigure" for base in kind.__mro__):
        yield value
        return
    module = sys.modules.get("matplotlib.figure")
    if module is not None:
        if isinstance(value, module.FigureBase):
            yield value.get_figure(root=True)
            return
        # Axes have a reference to their figure, and so do the grids of seaborn.
        figure = getattr(value, "figure", None)
        if isinstance(figure, module.FigureBase):
            yield figure.get_figure(root=True)
            return
    if isinstance(value, dict) and "data" in value and "layout" in value:
        from plotly import graph_objects

        try:
            yield graph_objects.Figure(value)
        except ValueError:
            return
    elif isinstance(value, (list, tuple)):
        for each in value[: 2 * _MOST_FIGURES]:
            yield from _figures(each)
    elif kind.__module__ == "numpy" and value.dtype == object:
        for each in value.flat:
            yield from _figures(each)


def _plotly(figure: Any) -> str:
    text = figure.to_json()
    return f'{{"type": "plotly", "figure": {text}}}'


def _png(figure: Any) -> str:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    # A picture of unlimited size could fill the memory of its viewer.
    scale = min(1.0, _MOST_DOTS / (max(figure.get_size_inches()) * _DOTS_AN_INCH))
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=_DOTS_AN_INCH * scale, bbox_inches="tight")
    png = out.getvalue()
    width, height = (int.from_bytes(png[place : place + 4], "big") for place in (16, 20))
    return json.dumps({"type": "png", "png": base64.b64encode(png).decode(), "width": width, "height": height})
