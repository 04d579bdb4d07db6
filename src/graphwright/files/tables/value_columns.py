"""Columns of Python values, as workbooks, JSON and databases give them, into typed columns."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphwright.files.naming import shown
from graphwright.files.tables.selecting import Even

_WORDS = {
    "boolean": "truth values",
    "integer": "whole numbers",
    "number": "numbers",
    "text": "texts",
    "date": "dates",
    "datetime": "times",
    "duration": "durations",
    "binary": "binary values",
}
_ARROW: dict[str, Any] = {
    "boolean": pa.bool_(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "text": pa.string(),
    "date": pa.timestamp("us"),
    "datetime": pa.timestamp("us"),
    "duration": pa.duration("us"),
    "binary": pa.binary(),
}
_EXACT = 2**53


class ValueColumn:
    """One column, filled in batches. Where kinds of values are mixed it becomes text, and a note says so."""

    def __init__(self) -> None:
        self._chunks: list[tuple[str, Any]] = []
        self._kinds: Counter[str] = Counter()

    def add_missing(self, rows: int) -> None:
        """Rows that came by before the column did."""
        self._chunks.append(("", pa.nulls(rows)))

    def thin(self) -> None:
        """Keep every other row, the first one included."""
        passed, chunks = 0, []
        for kind, chunk in self._chunks:
            places = np.arange(passed % 2, len(chunk), 2, dtype=np.int64)
            passed += len(chunk)
            chunks.append((kind, chunk.take(pa.array(places))))
        self._chunks = chunks

    def add(self, values: Sequence[Any]) -> None:
        """The values of a batch. A missing one is None."""
        if (quick := _uniform(values)) is not None:
            kind, chunk = quick
            self._kinds[kind] += len(chunk) - chunk.null_count
            self._chunks.append(quick)
            return
        kinds = Counter(map(_kind, values))
        present = {kind for kind in kinds if kind}
        for kind in present:
            self._kinds[kind] += kinds[kind]
        kind = _common(present)
        self._chunks.append((kind, _array(values, kind)))

    def finished(self, name: str, notes: list[str], *, whole: bool) -> Any:
        """The column. With `whole`, numbers that all are whole become integers: a workbook has no others."""
        present = {kind for kind, _ in self._chunks if kind}
        kind = _common(present)
        if not kind:
            return pa.chunked_array([_nulls(chunk, pa.string()) for _, chunk in self._chunks], pa.string())
        if kind == "text" and set(self._kinds) != {"text"}:
            told = ", ".join(f"{count:,} {_WORDS[each]}" for each, count in self._kinds.most_common())
            notes.append(f"`{shown(name)}` is mixed ({told}): it was read as text.")
        data = pa.chunked_array([_as(chunk, was, kind) for was, chunk in self._chunks], _ARROW[kind])
        if whole and kind == "number":
            return _whole(data)
        return data


class ValueRows:
    """Rows of values, of which as many as may be are kept, evenly spaced over the table."""

    def __init__(self, names: Sequence[str], even: Even) -> None:
        self.names = list(names)
        self._columns = [ValueColumn() for _ in self.names]
        self._even = even
        self._kept = 0

    def add(self, rows: Sequence[Sequence[Any]]) -> None:
        """A batch of rows; one that is too short is filled, what is beyond the columns is left out."""
        taken = self._even.next(len(rows))
        if taken is not None:
            rows = [rows[place] for place in taken]
        if not rows:
            return
        width = len(self._columns)
        even = [row if len(row) == width else [*row[:width], *[None] * (width - len(row))] for row in rows]
        for column, values in zip(self._columns, zip(*even, strict=True), strict=True):
            column.add(values)
        self._kept += len(rows)

    @property
    def seen(self) -> int:
        return self._even.seen

    def table(self, notes: list[str], *, whole: bool = False) -> pa.Table:
        """All of it, its columns under their places."""
        columns = [
            column.finished(name, notes, whole=whole) for column, name in zip(self._columns, self.names, strict=True)
        ]
        names = [str(place) for place in range(len(columns))]
        if not columns:
            return pa.table({})
        return pa.Table.from_arrays(columns, names)


def _uniform(values: Sequence[Any]) -> tuple[str, Any] | None:
    """The kind and the array of values that all are of one type, as nearly always; None where they are not."""
    found = set(map(type, values)) - {type(None)}
    kind = _QUICK.get(found.pop(), "") if len(found) == 1 else ""
    if not kind:
        return None
    try:
        array = pa.array(values, _ARROW[kind])
    except (pa.ArrowException, OverflowError, UnicodeError):
        return None
    if array.null_count == len(array) or (kind == "text" and pc.any(pc.equal(array, "")).as_py()):
        return None
    return kind, array


_QUICK = {bool: "boolean", int: "integer", float: "number", str: "text", datetime: "datetime"}


def _kind(value: Any) -> str:
    if (known := _KINDS.get(type(value))) is not None:
        return known(value)
    return "text"


def _of_number(value: float) -> str:
    return "" if math.isnan(value) else "number"


def _of_integer(value: int) -> str:
    # What 64 bits do not hold stays exact as text.
    return "integer" if -(2**63) <= value < 2**63 else "text"


_KINDS: dict[type, Callable[[Any], str]] = {
    type(None): lambda value: "",
    bool: lambda value: "boolean",
    int: _of_integer,
    float: _of_number,
    str: lambda value: "text" if value else "",
    datetime: lambda value: "datetime",
    date: lambda value: "date",
    timedelta: lambda value: "duration",
    time: lambda value: "text",
    bytes: lambda value: "binary",
}


def _common(kinds: set[str]) -> str:
    """The kind that holds all of these."""
    if len(kinds) <= 1:
        return next(iter(kinds), "")
    if kinds == {"integer", "number"}:
        return "number"
    if kinds == {"date", "datetime"}:
        return "datetime"
    return "text"


def _array(values: Sequence[Any], kind: str) -> Any:
    if not kind:
        return pa.nulls(len(values))
    if kind == "text":
        return pa.array([_written(value) for value in values], pa.string())
    if kind == "number":
        return pa.array(
            [None if value is None or value == "" or value != value else float(value) for value in values], pa.float64()
        )
    if kind in ("date", "datetime"):
        values = [datetime(value.year, value.month, value.day) if type(value) is date else value for value in values]
    try:
        return pa.array([None if _kind(value) == "" else value for value in values], _ARROW[kind])
    except (pa.ArrowInvalid, OverflowError):
        return pa.array([_written(value) for value in values], pa.string())


def _written(value: Any) -> str | None:
    if not _kind(value):
        return None
    if isinstance(value, str):
        # Half a character of UTF-16, which JSON can write, is nothing that UTF-8 could hold.
        return value.encode("utf-8", errors="replace").decode("utf-8")
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return str(value)


def _as(chunk: Any, was: str, kind: str) -> Any:
    if not was:
        return _nulls(chunk, _ARROW[kind])
    if was == kind and chunk.type == _ARROW[kind]:
        return chunk
    if kind == "text":
        return pa.array([_written(value) for value in chunk.to_pylist()], pa.string())
    return pc.cast(chunk, _ARROW[kind])


def _nulls(chunk: Any, kind: Any) -> Any:
    return pa.nulls(len(chunk), kind)


def _whole(data: Any) -> Any:
    exact = pc.and_(pc.equal(data, pc.floor(data)), pc.less(pc.abs(data), float(_EXACT)))
    if pc.all(exact).as_py() is False:
        return data
    return pc.cast(data, pa.int64())
