"""The data analyzer: what is in data sets, told to a model within a bound of tokens, however wide they are.

What comes from the data, names of columns and values, stands in JSON quotes, on one line and cut: it is data, and
whoever wrote it is not the user.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from graphwright.files.datasets import ColumnProfile, Dataset, profiles
from graphwright.files.joins import Join, likely_joins
from graphwright.files.naming import one_line

LEAST = 100
"""The smallest bound that leaves room to say anything."""

_FEWEST_ALIKE = 4
"""Columns from which on those with names like `gene_1`, `gene_2` may be told as one."""

_FREQUENT = 0.005
"""The share of the rows that a value of many has, to be named."""

_MOST_VALUE, _MOST_NOTE, _MOST_JOINS = 40, 300, 12
_TAIL = 60
"""Tokens that are kept free for the count of what is left out."""

Entry = tuple[str, Sequence[ColumnProfile]]
"""A line, and the columns that it tells of."""


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
    told = datasets[: max(bound // LEAST, 1)]
    more = [f"... and {len(datasets) - len(told)} more data sets."] if len(told) < len(datasets) else []
    left = bound - _size(joins) - _size(more)
    parts: dict[str, list[str]] = {}
    # The small ones first: what they leave is for the large ones.
    for number, dataset in enumerate(sorted(told, key=lambda each: (len(each.columns), each.id))):
        parts[dataset.id] = _told(dataset, known[dataset.id], left // (len(told) - number))
        left -= _size(parts[dataset.id])
    return "\n".join([*(line for dataset in told for line in parts[dataset.id]), *more, *joins])


def _told(dataset: Dataset, columns: Sequence[ColumnProfile], bound: int) -> list[str]:
    head = _head(dataset, bound)
    left, rows = bound - _size(head), dataset.rows
    alike, single = _grouped(columns)
    for groups, others in ([], columns), (alike, single):
        for level in (2, 1, 0):
            entries = [(_group(name, group), group) for name, group in groups]
            entries += [(_line(column, rows, level), [column]) for column in others]
            if _size([line for line, _ in entries]) <= left:
                return head + [line for line, _ in entries]
    return head + _as_many(entries, left)


def _head(dataset: Dataset, bound: int) -> list[str]:
    """What the data set is and how it was read; of its notes as many as take a third of the room."""
    there = len(dataset.columns)
    title = f"{dataset.id}: {_quoted(dataset.name, 60)}, {dataset.rows:,} row{'s' * (dataset.rows != 1)}"
    title += f", {there:,} column{'s' * (there != 1)}"
    lines = [title + ("" if dataset.sampled.whole else f" (a sample: {dataset.sampled})")]
    for number, note in enumerate(dataset.notes):
        line = f"  note: {one_line(note, _MOST_NOTE)}"
        if _size([*lines, line]) + 8 > bound // 3:
            left = len(dataset.notes) - number
            return [*lines, f"  {left} more note{'s' * (left != 1)}"]
        lines.append(line)
    return lines


def _line(column: ColumnProfile, rows: int, level: int) -> str:
    """A column: by level 2 with means, counts and examples, by 1 with ranges and categories, by 0 with its type."""
    told: list[str] = [column.type]
    if not level:
        told += ["key"] * column.unique
    elif column.missing == rows:
        told.append("without any value")
    else:
        told += _values(column, rows, level)
    return f"  {_quoted(column.name, 200)}: {', '.join(told)}"


def _values(column: ColumnProfile, rows: int, level: int) -> list[str]:
    told, often = [], _often(column, 4 * level, rows)
    if column.low is not None:
        told.append(f"{_value(column.low)} to {_value(column.high)}")
        if level > 1 and column.median is not None and column.low != column.high:
            told.append(f"mean {column.mean:g}, median {column.median:g}")
    if column.unique and rows > 1:
        told.append("no two alike, a likely key")
    elif column.type != "binary" and column.distinct and (often or column.low is None or column.type == "integer"):
        told.append(f"{column.distinct:,} different")
    if often:
        listed = ", ".join(f"{_value(value)} ({count:,})" if level > 1 else _value(value) for value, count in often)
        told[-1] += f": {listed}{', ...' if (column.distinct or 0) > len(often) else ''}"
    elif column.type == "text" and column.examples:
        told.append(f"such as {', '.join(map(_value, column.examples[:level]))}")
    if column.missing:
        share = 100 * column.missing / rows
        told.append(f"{column.missing:,} missing" + (f" ({share:.2g} %)" if share < 99.5 else ""))
    return told


def _often(column: ColumnProfile, most: int, rows: int) -> list[tuple[Any, int]]:
    """The most frequent values, where they say something: where they are few, or make up much of the column."""
    if column.unique or (column.low is not None and (column.distinct or 0) > most):
        return []
    frequent = [(value, count) for value, count in column.top if count > 1 and count >= rows * _FREQUENT]
    return list(column.top if (column.distinct or 0) <= len(column.top) else frequent)[:most]


def _grouped(columns: Sequence[ColumnProfile]) -> tuple[list[Entry], list[ColumnProfile]]:
    """Columns of one type whose names differ in numbers only, and all others."""
    groups: dict[tuple[str, str], list[ColumnProfile]] = defaultdict(list)
    for column in columns:
        groups[re.sub(r"\d+", "#", column.name), column.type].append(column)
    alike = [(name, group) for (name, _), group in groups.items() if len(group) >= _FEWEST_ALIKE and "#" in name]
    among = {id(column) for _, group in alike for column in group}
    return list(alike), [column for column in columns if id(column) not in among]


def _group(name: str, group: Sequence[ColumnProfile]) -> str:
    told: list[str] = [group[0].type]
    if ends := [column for column in group if column.low is not None]:
        told.append(f"{_value(min(each.low for each in ends))} to {_value(max(each.high for each in ends))}")
    if missing := sum(column.missing for column in group):
        told.append(f"{missing:,} values missing")
    first, last = _quoted(group[0].name, 60), _quoted(group[-1].name, 60)
    return f"  {len(group):,} columns like {_quoted(name, 60)}, {first} to {last}: {', '.join(told)}"


def _as_many(entries: Sequence[Entry], bound: int) -> list[str]:
    """As many columns as there is room for; the others are counted by type."""
    left, lines, rest = bound - _TAIL, list[str](), Counter[str]()
    for line, group in entries:
        if (size := tokens(line) + 1) > left:
            rest[group[0].type] += len(group)
            # What is longer than what comes after it must not let shorter ones pass for ever.
            left -= 1
            continue
        left -= size
        lines.append(line)
    more = sum(rest.values())
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(rest.items()))
    tail = f"  ... and {more:,} more column{'s' * (more != 1)} ({kinds})"
    return [*lines, tail] if tokens(tail) < bound else lines


def _joins(joins: Sequence[Join], bound: int) -> list[str]:
    lines = ["Likely joins:"]
    for join in joins[:_MOST_JOINS]:
        share = "all" if join.share > 0.995 else f"{100 * join.share:.0f} %"
        key = "a key there" if join.right_unique else "not a key there: rows multiply"
        left, right = _quoted(join.left_column, 60), _quoted(join.right_column, 60)
        line = f"  {join.left}[{left}] = {join.right}[{right}], {share} of its values are found, {key}"
        if _size([*lines, line]) > bound:
            break
        lines.append(line)
    return lines if len(lines) > 1 else []


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


# Words go into about one token for every four letters; digits, signs and other scripts take one each in the
# vocabularies of small models, which cut finest.
_PARTS = re.compile(r"[A-Za-z]+|\s+|.", re.DOTALL)


def tokens(text: str) -> int:
    """About how many tokens a text takes, rather too high than too low, estimated without a model."""
    total = 0
    for part in _PARTS.findall(text):
        if part[0].isascii() and part[0].isalpha():
            total += (len(part) + 3) // 4
        elif part.isspace():
            total += part.count("\n")
        else:
            total += 1 if part.isascii() else 2
    return total
