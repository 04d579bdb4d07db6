"""What is in data sets and how they join, described for a model within a bound of tokens, however wide they are.

What comes from the data, names of columns and values, stands in JSON quotes, on one line and cut: it is data, and
whoever wrote it is not the user.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, permutations
from typing import Any

from graphwright.files.datasets import Column, Dataset
from graphwright.text.sentences import many, one_line

LEAST = 100
"""The smallest bound that leaves room to say anything."""

_FREQUENT = 0.005
"""The share of the rows that a value of many has, to be named."""

_MOST_FREQUENT = 8

_MOST_VALUE, _MOST_NAME, _MOST_NOTE, _MOST_JOINS = 40, 60, 300, 12
_TAIL = 12
"""Tokens that are kept free for the count of the columns that are left out."""

_SKETCH = 256
_SHARED, _NEARLY_ALL = 0.5, 0.9
"""The share of its different values that a column must have in the key of another one: with and without its name."""

_MANY, _USED = 50, 0.2
"""Whole numbers without a name that fits: so many have to be there, and such a share of the keys in use."""


def summary(datasets: Sequence[Dataset], *, bound: int = 2_000) -> str:
    """The data sets with their columns, and likely joins between them, in at most `bound` tokens (see `tokens`).

    Where the bound is narrow, columns stand with their types alone, and what is left out is counted. The same data sets
    give the same text.

    Raises ValueError for a bound below `LEAST`.
    """
    if bound < LEAST:
        raise ValueError(f"the bound is {bound}: it must be {LEAST} or more")
    joins = _joins(likely_joins(datasets), bound // 5)
    described = datasets[: max(bound // LEAST, 1)]
    more = [f"... and {len(datasets) - len(described)} more data sets."] if len(described) < len(datasets) else []
    left = bound - _size(joins) - _size(more)
    parts: dict[str, list[str]] = {}
    # The small ones first: what they leave is for the large ones.
    for number, dataset in enumerate(sorted(described, key=lambda each: (len(each.columns), each.id))):
        parts[dataset.id] = _described(dataset, left // (len(described) - number))
        left -= _size(parts[dataset.id])
    return "\n".join([*(line for dataset in described for line in parts[dataset.id]), *more, *joins])


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
    """What the data set is and how it was read; of its notes as many as take a third of the room."""
    title = f"{dataset.id}: {_quoted(dataset.name, _MOST_NAME)}, {many(dataset.rows, 'row')}"
    title += f", {many(len(dataset.columns), 'column')}"
    if dataset.rows < dataset.rows_there:
        title += f" (a sample: {dataset.rows:,} of {dataset.rows_there:,} rows were read, evenly spaced over the table)"
    notes = _fitting([f"  note: {one_line(note, _MOST_NOTE)}" for note in dataset.notes], bound // 3 - tokens(title))
    left = len(dataset.notes) - len(notes)
    return [title, *notes, *([f"  {many(left, 'more note')}"] if left else [])]


def _line(column: Column, rows: int, *, brief: bool) -> str:
    """A column with its type; unless it is to be brief, with ranges, frequent values and what is missing."""
    parts: list[str] = [column.type]
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
    """The most frequent values, where they say something: where they are few, or make up much of the column."""
    if column.unique or (column.low is not None and (column.distinct or 0) > _MOST_FREQUENT):
        return []
    frequent = [(value, count) for value, count in column.top if count > 1 and count >= rows * _FREQUENT]
    return list(column.top if (column.distinct or 0) <= len(column.top) else frequent)[:_MOST_FREQUENT]


def _joins(joins: Sequence[Join], bound: int) -> list[str]:
    lines = ["Likely joins:"]
    for join in joins[:_MOST_JOINS]:
        share = "all" if join.share > 0.995 else f"{100 * join.share:.0f} %"
        left, right = _quoted(join.left_column, _MOST_NAME), _quoted(join.right_column, _MOST_NAME)
        lines.append(f"  {join.left}[{left}] = {join.right}[{right}], {share} of its values are found, a key there")
    lines = _fitting(lines, bound)
    return lines if len(lines) > 1 else []


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value) if isinstance(value, int) else _quoted(str(value), _MOST_VALUE)


def _quoted(text: str, most: int) -> str:
    return json.dumps(one_line(text, most), ensure_ascii=False)


def _fitting(lines: list[str], bound: int) -> list[str]:
    """The first lines, as many as fit into so many tokens."""
    return lines[: bisect_right(list(accumulate(tokens(line) + 1 for line in lines)), bound)]


def _size(lines: Sequence[str]) -> int:
    return sum(tokens(line) + 1 for line in lines)


# Words go into about one token for every four letters; digits, signs and other scripts take one each in the
# vocabularies of small models, which cut finest.
_TOKENS = re.compile(r"[A-Za-z]{1,4}|[^A-Za-z\s]|\n")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f\s]")


def tokens(text: str) -> int:
    """About how many tokens a text takes, rather too high than too low, estimated without a model."""
    return len(_TOKENS.findall(text)) + len(_BEYOND_ASCII.findall(text))


@dataclass(frozen=True, slots=True)
class Join:
    """The share of the different values of one column, 0 to 1, that are in a key of another data set; about."""

    left: str
    left_column: str
    right: str
    right_column: str
    share: float

    @property
    def same_name(self) -> bool:
        """`customer_id` and `customerId`; `customer_id` and the `id` of `customers`."""
        left, right = _plain(self.left_column), _plain(self.right_column)
        if left == right:
            return left != "id" or _plain(self.left) == _plain(self.right)
        table, begin = _plain(self.right).rstrip("s"), left.removesuffix(right)
        return bool(table) and (left == table or (left != begin and table.endswith(begin)))


def likely_joins(datasets: Sequence[Dataset]) -> list[Join]:
    """The likely joins to a key, the surest first."""
    keys = [(each.id, column, set(column.sketch)) for each in datasets for column in each.columns if column.sketch]
    found = list[Join]()
    for (one, left, hashes), (other, right, others) in permutations(keys, 2):
        # Some of their smallest hashes must be the same.
        if one != other and right.unique and left.type == right.type and len(hashes & others) > 1:
            join = Join(one, left.name, other, right.name, _overlap(left, right))
            found += [join] if _is_likely(join, left, right) else []
    found.sort(key=lambda join: (not join.same_name, -join.share, join.left, join.right))
    by_ends = {frozenset(((j.left, j.left_column), (j.right, j.right_column))): j for j in reversed(found)}
    return list(reversed(by_ends.values()))


def _is_likely(join: Join, left: Column, right: Column) -> bool:
    if join.same_name:
        # All of a key may be used by few.
        return max(join.share, _overlap(right, left)) >= _SHARED
    # Small whole numbers are everywhere, and so are rows that are numbered.
    many = (left.distinct or 0) >= _MANY and not left.unique and _overlap(right, left) >= _USED
    return join.share >= _NEARLY_ALL and (left.type == "text" or many)


def _overlap(left: Column, right: Column) -> float:
    """About what share of the different values of a column are in another one, by the smallest hashes of both."""
    one, other = left.sketch or (), right.sketch or ()
    # A sketch that is not full holds all values; of a full one nothing is known beyond its last hash.
    limit = min(each[-1] if len(each) >= _SKETCH else 2**64 for each in (one, other))
    known = one[: bisect_right(one, limit)]
    return len(set(known).intersection(other)) / len(known) if known else 0.0


def _plain(name: str) -> str:
    """A name without what people write differently: case, spaces, underscores, hyphens, points."""
    return re.sub(r"[\W_]+", "", name).casefold()
