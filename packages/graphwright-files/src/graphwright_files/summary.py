"""A description of data sets for a model, within a limit of tokens, for any number of columns.

Content of the data (names of columns, values) is in JSON quotes, on one line and cut: it is untrusted data, and its
author is not the user.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from graphwright.text.sentences import in_quotes, many, one_line
from graphwright_files.datasets import Column, Dataset

__all__ = ["LEAST", "summary", "tokens"]

LEAST = 100
"""The smallest useful bound."""

_FREQUENT = 0.005
"""The minimum proportion of rows with a value for it to be named, if there are many values."""

_MOST_FREQUENT = 8

_MOST_VALUE, _MOST_NAME, _MOST_NOTE = 40, 60, 300
_TAIL = 12
"""Tokens that are reserved for the count of the omitted columns."""


def summary(datasets: Sequence[Dataset], *, bound: int = 2_000) -> str:
    """The data sets with their columns, in at most `bound` tokens (see `tokens`).

    If the bound is low, columns have only their types, and omitted ones are counted. The same data sets give the same
    text.

    Raises ValueError for a bound below `LEAST`.
    """
    if bound < LEAST:
        raise ValueError(f"the bound is {bound}: it must be {LEAST} or more")
    described = datasets[: max(bound // LEAST, 1)]
    more = [f"... and {len(datasets) - len(described)} more data sets."] if len(described) < len(datasets) else []
    left = bound - _size(more)
    parts: dict[str, list[str]] = {}
    # The small ones first, so that large ones can use their unused tokens.
    for number, dataset in enumerate(sorted(described, key=lambda each: (len(each.columns), each.id))):
        parts[dataset.id] = _described(dataset, left // (len(described) - number))
        left -= _size(parts[dataset.id])
    return "\n".join([*(line for dataset in described for line in parts[dataset.id]), *more])


def _described(dataset: Dataset, bound: int) -> list[str]:
    lines, columns, rows = _head(dataset, bound), dataset.columns, dataset.rows
    left = bound - _size(lines)
    for brief in (False, True):
        entries = [_line(column, rows, brief=brief) for column in columns]
        if _size(entries) <= left:
            return lines + entries
    entries = _fitting(entries, left - _TAIL)
    tail = f"  ... and {many(len(columns) - len(entries), 'more column')}"
    return [*lines, *entries, tail] if left > _TAIL else lines


def _head(dataset: Dataset, bound: int) -> list[str]:
    """The name of the data set and how it was read; its notes take at most a third of the tokens."""
    title = f"{dataset.id}: {_quoted(dataset.name, _MOST_NAME)}, {many(dataset.rows, 'row')}"
    title += f", {many(len(dataset.columns), 'column')}"
    if dataset.rows < dataset.rows_there:
        title += f" (a sample: {dataset.rows:,} of {dataset.rows_there:,} rows were read, evenly spaced over the table)"
    notes = _fitting(
        [f"  note: {one_line(note.text, _MOST_NOTE)}" for note in dataset.notes], bound // 3 - tokens(title)
    )
    left = len(dataset.notes) - len(notes)
    return [title, *notes, *([f"  {many(left, 'more note')}"] if left else [])]


def _line(column: Column, rows: int, *, brief: bool) -> str:
    """A column with its type; unless `brief`, with ranges, frequent values and missing values."""
    parts: list[str] = [f"{column.type} in {column.zone}" if column.zone else column.type]
    if column.missing == rows:
        parts.append("without any value")
    elif not brief:
        parts += _values(column, rows)
    elif column.unique:
        parts.append("key")
    return f"  {_quoted(column.name, 200)}: {', '.join(parts)}"


def _values(column: Column, rows: int) -> list[str]:
    parts, frequent = [], _frequent(column, rows)
    if column.numbers:
        parts.append(f"{column.numbers:,} of {rows - column.missing:,} values are numbers")
    if column.low is not None:
        parts.append(f"{_value(column.low)} to {_value(column.high)}")
        if column.median is not None and column.low != column.high:
            parts.append(f"mean {column.mean:g}, median {column.median:g}")
    if column.unique and rows > 1:
        parts.append("no two alike, a likely key")
    elif column.type != "binary" and column.distinct and (frequent or column.low is None or column.type == "integer"):
        parts.append(f"{column.distinct:,} different")
    if frequent:
        listed = ", ".join(f"{_value(value)} ({count:,})" for value, count in frequent)
        parts[-1] += f": {listed}{', ...' if (column.distinct or 0) > len(frequent) else ''}"
    elif column.type == "text" and column.top:
        parts.append(f"such as {', '.join(_value(value) for value, _ in column.top[:2])}")
    if column.missing:
        share = 100 * column.missing / rows
        parts.append(f"{column.missing:,} missing" + (f" ({share:.2g} %)" if share < 99.5 else ""))
    return parts


def _frequent(column: Column, rows: int) -> list[tuple[Any, int]]:
    """The most frequent values, if they are informative: if they are few, or a large part of the column."""
    if column.unique or (column.low is not None and (column.distinct or 0) > _MOST_FREQUENT):
        return []
    frequent = [(value, count) for value, count in column.top if count > 1 and count >= rows * _FREQUENT]
    return list(column.top if (column.distinct or 0) <= len(column.top) else frequent)[:_MOST_FREQUENT]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value) if isinstance(value, int) else in_quotes(str(value), _MOST_VALUE)


def _quoted(text: str, most: int) -> str:
    return json.dumps(one_line(text, most), ensure_ascii=False)


def _fitting(lines: list[str], bound: int) -> list[str]:
    """The first lines that fit into `bound` tokens."""
    return lines[: bisect_right(list(accumulate(tokens(line) + 1 for line in lines)), bound)]


def _size(lines: Sequence[str]) -> int:
    return sum(tokens(line) + 1 for line in lines)


# Words take about one token for every four letters; digits, signs and other scripts take one each in the vocabularies
# of small models, which use the most tokens.
_TOKENS = re.compile(r"[A-Za-z]{1,4}|[^A-Za-z\s]|\n")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f\s]")


def tokens(text: str) -> int:
    """The estimated number of tokens of a text, rather too high than too low, without a model."""
    return len(_TOKENS.findall(text)) + len(_BEYOND_ASCII.findall(text))
