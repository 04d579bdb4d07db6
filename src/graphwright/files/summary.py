"""The data analyzer: what is in data sets, told to a model within a bound of tokens, however wide they are.

What comes from the data, names of columns and values, stands in JSON quotes, on one line and cut: it is data, and
whoever wrote it is not the user.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from graphwright.files.dataset import Dataset
from graphwright.files.joins import Join, likely_joins
from graphwright.files.naming import one_line
from graphwright.files.profiles import ColumnProfile, profiles
from graphwright.files.tokens import tokens

LEAST = 100
"""The smallest bound that leaves room to say anything."""

_FEWEST_ALIKE = 4
"""Columns from which on those with names like `gene_1`, `gene_2` may be told as one."""

_FREQUENT = 0.005
"""The share of the rows that a value of many has, to be named."""

_MOST_VALUE = 40
_MOST_NOTE = 300
_MOST_JOINS = 12
_TAIL = 60
"""Tokens that are kept free for the count of what is left out."""


def summary(datasets: Sequence[Dataset], *, bound: int = 2_000) -> str:
    """The data sets with their columns, and likely joins between them, in at most `bound` tokens (see `tokens`).

    The narrower the bound, the less is told of each column: first without means and counts, then without ranges and
    categories, then similar columns as one; what is left out is counted. The same data sets give the same text.

    Raises ValueError for a bound below `LEAST`, NotReadable where what was kept of a data set is gone.
    """
    if bound < LEAST:
        raise ValueError(f"the bound is {bound}: it must be {LEAST} or more")
    known = {dataset.id: profiles(dataset) for dataset in datasets}
    joins = _joins(likely_joins(datasets, known), bound // 5) if len(datasets) > 1 else []
    left = bound - _size(joins)
    parts: dict[str, list[str]] = {}
    # The small ones first: what they leave is for the large ones.
    waiting = sorted(datasets, key=lambda dataset: (len(dataset.columns), dataset.id))
    told_apart = {dataset.id for dataset in datasets[: max(bound // LEAST, 1)]}
    for number, dataset in enumerate(each for each in waiting if each.id in told_apart):
        share = (left - _reserve(len(datasets), len(told_apart))) // (len(told_apart) - number)
        parts[dataset.id] = _told(dataset, known[dataset.id], share)
        left -= _size(parts[dataset.id])
    lines = [line for dataset in datasets for line in parts.get(dataset.id, ())]
    if len(told_apart) < len(datasets):
        lines.append(f"... and {len(datasets) - len(told_apart)} more data sets.")
    return "\n".join([*lines, *joins])


def _reserve(all_of_them: int, told: int) -> int:
    return 12 if told < all_of_them else 0


def _told(dataset: Dataset, columns: Sequence[ColumnProfile], bound: int) -> list[str]:
    head = _head(dataset, bound)
    left = bound - _size(head)
    rows = dataset.rows
    for line in (_full, _short, _brief):
        if (lines := _within((line(column, rows) for column in columns), left)) is not None:
            return head + lines
    alike, single = _grouped(columns)
    for line in (_full, _short, _brief):
        told = [_group(name, group, rows) for name, group in alike] + [line(column, rows) for column in single]
        if (lines := _within(told, left)) is not None:
            return head + lines
    return head + _as_many(alike, single, rows, left)


def _head(dataset: Dataset, bound: int) -> list[str]:
    """What the data set is and how it was read; of its notes as many as take a third of the room."""
    rows = f"{dataset.rows:,} row{'s' * (dataset.rows != 1)}"
    there = len(dataset.columns)
    title = f"{dataset.id}: {_quoted(dataset.name, 60)}, {rows}, {there:,} column{'s' * (there != 1)}"
    lines = [title + ("" if dataset.sampled.whole else f" (a sample: {dataset.sampled})")]
    room = bound // 3 - _size(lines)
    for number, note in enumerate(dataset.notes):
        line = f"  note: {one_line(note, _MOST_NOTE)}"
        if (room := room - tokens(line) - 1) < 8:
            left = len(dataset.notes) - number
            lines.append(f"  {left} more note{'s' * (left != 1)}")
            break
        lines.append(line)
    return lines


def _full(column: ColumnProfile, rows: int) -> str:
    return _line(column, rows, top=8, counts=True, examples=2, middle=True)


def _short(column: ColumnProfile, rows: int) -> str:
    return _line(column, rows, top=4, counts=False, examples=1, middle=False)


def _brief(column: ColumnProfile, rows: int) -> str:
    return f"  {_quoted(column.name, 200)}: {column.type}" + (", key" if column.unique else "")


def _line(column: ColumnProfile, rows: int, *, top: int, counts: bool, examples: int, middle: bool) -> str:
    told: list[str] = [column.type]
    if column.missing == rows:
        return f"  {_quoted(column.name, 200)}: {column.type}, without any value"
    if column.low is not None:
        told.append(f"{_value(column.low)} to {_value(column.high)}")
        if middle and column.median is not None and column.low != column.high:
            told.append(f"mean {column.mean:g}, median {column.median:g}")
    often = _often(column, top, rows)
    if column.unique and rows > 1:
        told.append("no two alike, a likely key")
    elif column.type != "binary" and column.distinct and (often or column.low is None or column.type == "integer"):
        told.append(f"{column.distinct:,} different")
    if often:
        listed = ", ".join(f"{_value(value)} ({count:,})" if counts else _value(value) for value, count in often)
        told[-1] += f": {listed}{', ...' if (column.distinct or 0) > len(often) else ''}"
    elif column.type == "text" and column.examples:
        told.append(f"such as {', '.join(map(_value, column.examples[:examples]))}")
    if column.missing:
        share = 100 * column.missing / rows
        told.append(f"{column.missing:,} missing ({share:.2g} %)" if share < 99.5 else f"{column.missing:,} missing")
    return f"  {_quoted(column.name, 200)}: {', '.join(part for part in told if part)}"


def _often(column: ColumnProfile, most: int, rows: int) -> list[tuple[Any, int]]:
    """The most frequent values, where they say something: where they are few, or make up much of the column."""
    if column.unique or (column.low is not None and (column.distinct or 0) > most):
        return []
    frequent = [(value, count) for value, count in column.top if count > 1 and count >= rows * _FREQUENT]
    return list(column.top if (column.distinct or 0) <= len(column.top) else frequent)[:most]


def _grouped(
    columns: Sequence[ColumnProfile],
) -> tuple[list[tuple[str, list[ColumnProfile]]], list[ColumnProfile]]:
    """Columns of one type whose names differ in numbers only, and all others."""
    groups: dict[tuple[str, str], list[ColumnProfile]] = defaultdict(list)
    for column in columns:
        groups[re.sub(r"\d+", "#", column.name), column.type].append(column)
    alike = [(name, group) for (name, _), group in groups.items() if len(group) >= _FEWEST_ALIKE and "#" in name]
    among = {id(column) for _, group in alike for column in group}
    return alike, [column for column in columns if id(column) not in among]


def _group(name: str, group: Sequence[ColumnProfile], rows: int) -> str:
    ends = [column for column in group if column.low is not None]
    told: list[str] = [group[0].type]
    if ends:
        told.append(f"{_value(min(each.low for each in ends))} to {_value(max(each.high for each in ends))}")
    missing = sum(column.missing for column in group)
    if missing:
        told.append(f"{missing:,} values missing")
    first, last = _quoted(group[0].name, 60), _quoted(group[-1].name, 60)
    return f"  {len(group):,} columns like {_quoted(name, 60)}, {first} to {last}: {', '.join(told)}"


def _as_many(
    alike: Sequence[tuple[str, Sequence[ColumnProfile]]], single: Sequence[ColumnProfile], rows: int, bound: int
) -> list[str]:
    """As many columns as there is room for; the others are counted by type."""
    entries = [(_group(name, group, rows), group) for name, group in alike]
    entries += [(_brief(column, rows), [column]) for column in single]
    left = bound - _TAIL
    lines, rest = [], Counter[str]()
    for line, group in entries:
        size = tokens(line) + 1
        if size > left:
            rest[group[0].type] += len(group)
            # What is longer than what comes after it must not let shorter ones pass for ever.
            left -= 1
            continue
        left -= size
        lines.append(line)
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(rest.items()))
    more = sum(rest.values())
    tail = f"  ... and {more:,} more column{'s' * (more != 1)} ({kinds})"
    return [*lines, tail] if tokens(tail) < bound else lines


def _joins(joins: Sequence[Join], bound: int) -> list[str]:
    lines = ["Likely joins:"] if joins else []
    for join in joins[:_MOST_JOINS]:
        share = "all" if join.share > 0.995 else f"{100 * join.share:.0f} %"
        key = "a key there" if join.right_unique else "not a key there: rows multiply"
        left, right = (f"{one}[{_quoted(name, 60)}]" for one, name in _ends(join))
        line = f"  {left} = {right}, {share} of its values are found, {key}"
        if _size([*lines, line]) > bound:
            break
        lines.append(line)
    return lines if len(lines) > 1 else []


def _ends(join: Join) -> tuple[tuple[str, str], tuple[str, str]]:
    return (join.left, join.left_column), (join.right, join.right_column)


def _within(lines: Iterable[str], bound: int) -> list[str] | None:
    """The lines, where all of them fit."""
    kept = []
    for line in lines:
        if (bound := bound - tokens(line) - 1) < 0:
            return None
        kept.append(line)
    return kept


def _size(lines: Sequence[str]) -> int:
    return sum(tokens(line) + 1 for line in lines)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value) if isinstance(value, int) else _quoted(str(value), _MOST_VALUE)


def _quoted(text: str, most: int) -> str:
    return json.dumps(one_line(text, most), ensure_ascii=False)
