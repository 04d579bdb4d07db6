"""What is in data sets and how they join, described for a model within a bound of tokens, however wide they are.

What comes from the data, names of columns and values, stands in JSON quotes, on one line and cut: it is data, and
whoever wrote it is not the user.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from graphwright.files.datasets import Column, Dataset
from graphwright.files.errors import one_line

LEAST = 100
"""The smallest bound that leaves room to say anything."""

_FEWEST_ALIKE = 4
"""Columns from which on those with names like `gene_1`, `gene_2` may be described as one."""

_FREQUENT = 0.005
"""The share of the rows that a value of many has, to be named."""

_MOST_VALUE, _MOST_NAME, _MOST_NOTE, _MOST_JOINS = 40, 60, 300, 12
_TAIL = 60
"""Tokens that are kept free for the count of what is left out."""


_SKETCH = 256
_MOST_JOINS_OF_TWO = 3
"""Joins of two data sets that are kept."""

_SHARED, _NEARLY_ALL = 0.5, 0.9
"""The share of its different values that a column must have in common with another one: with and without its name."""

_MANY, _USED = 50, 0.2
"""Whole numbers without a name that fits: so many have to be there, and such a share of the keys in use."""

_Key = tuple[str, Column]


def summary(datasets: Sequence[Dataset], *, bound: int = 2_000) -> str:
    """The data sets with their columns, and likely joins between them, in at most `bound` tokens (see `tokens`).

    The narrower the bound, the less is said of each column: first without means and counts, then without ranges and
    categories, then similar columns as one; what is left out is counted. The same data sets give the same text.

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
    alike = defaultdict[tuple[str, str], list[Column]](list)
    for column in columns:
        alike[re.sub(r"\d+", "#", column.name), column.type].append(column)
    groups = [(name, group) for (name, _), group in alike.items() if len(group) >= _FEWEST_ALIKE and "#" in name]
    grouped = {id(column) for _, group in groups for column in group}
    single = [column for column in columns if id(column) not in grouped]
    for together, alone in ([], columns), (groups, single):
        for level in (2, 1, 0):
            entries = [(_group_line(name, group), group) for name, group in together]
            entries += [(_line(column, rows, level), [column]) for column in alone]
            if _size([line for line, _ in entries]) <= left:
                return lines + [line for line, _ in entries]
    left -= _TAIL
    rest = Counter[str]()
    for line, group in entries:
        if (size := tokens(line) + 1) > left:
            rest[group[0].type] += len(group)
            # What is longer than what comes after it must not let shorter ones pass for ever.
            left -= 1
        else:
            left -= size
            lines.append(line)
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(rest.items()))
    tail = f"  ... and {rest.total():,} more column{'s' * (rest.total() != 1)} ({kinds})"
    return [*lines, tail] if _size([*lines, tail]) <= bound else lines


def _head(dataset: Dataset, bound: int) -> list[str]:
    """What the data set is and how it was read; of its notes as many as take a third of the room."""
    there = len(dataset.columns)
    title = f"{dataset.id}: {_quoted(dataset.name, _MOST_NAME)}, {dataset.rows:,} row{'s' * (dataset.rows != 1)}"
    title += f", {there:,} column{'s' * (there != 1)}"
    lines = [title + ("" if dataset.sampled.whole else f" (a sample: {dataset.sampled})")]
    for number, note in enumerate(dataset.notes):
        line = f"  note: {one_line(note, _MOST_NOTE)}"
        if _size([*lines, line]) + 8 > bound // 3:
            left = len(dataset.notes) - number
            return [*lines, f"  {left} more note{'s' * (left != 1)}"]
        lines.append(line)
    return lines


def _line(column: Column, rows: int, level: int) -> str:
    """A column: by level 2 with means, counts and examples, by 1 with ranges and categories, by 0 with its type."""
    parts: list[str] = [column.type]
    if not level:
        parts += ["key"] * column.unique
    elif column.missing == rows:
        parts.append("without any value")
    else:
        parts += _values(column, rows, level)
    return f"  {_quoted(column.name, 200)}: {', '.join(parts)}"


def _values(column: Column, rows: int, level: int) -> list[str]:
    parts, frequent = [], _frequent(column, 4 * level, rows)
    if column.numbers:
        parts.append(f"{column.numbers:,} of {rows - column.missing:,} values are numbers")
    if column.low is not None:
        parts.append(f"{_value(column.low)} to {_value(column.high)}")
        if level > 1 and column.median is not None and column.low != column.high:
            parts.append(f"mean {column.mean:g}, median {column.median:g}")
    if column.unique and rows > 1:
        parts.append("no two alike, a likely key")
    elif column.type != "binary" and column.distinct and (frequent or column.low is None or column.type == "integer"):
        parts.append(f"{column.distinct:,} different")
    if frequent:
        listed = ", ".join(f"{_value(value)} ({count:,})" if level > 1 else _value(value) for value, count in frequent)
        parts[-1] += f": {listed}{', ...' if (column.distinct or 0) > len(frequent) else ''}"
    elif column.type == "text" and column.examples:
        parts.append(f"such as {', '.join(map(_value, column.examples[:level]))}")
    if column.missing:
        share = 100 * column.missing / rows
        parts.append(f"{column.missing:,} missing" + (f" ({share:.2g} %)" if share < 99.5 else ""))
    return parts


def _frequent(column: Column, most: int, rows: int) -> list[tuple[Any, int]]:
    """The most frequent values, where they say something: where they are few, or make up much of the column."""
    if column.unique or (column.low is not None and (column.distinct or 0) > most):
        return []
    frequent = [(value, count) for value, count in column.top if count > 1 and count >= rows * _FREQUENT]
    return list(column.top if (column.distinct or 0) <= len(column.top) else frequent)[:most]


def _group_line(name: str, group: Sequence[Column]) -> str:
    """Columns of one type whose names differ in numbers only."""
    parts: list[str] = [group[0].type]
    if ends := [column for column in group if column.low is not None]:
        parts.append(f"{_value(min(each.low for each in ends))} to {_value(max(each.high for each in ends))}")
    if missing := sum(column.missing for column in group):
        parts.append(f"{missing:,} values missing")
    like, first, last = (_quoted(each, _MOST_NAME) for each in (name, group[0].name, group[-1].name))
    return f"  {len(group):,} columns like {like}, {first} to {last}: {', '.join(parts)}"


def _joins(joins: Sequence[Join], bound: int) -> list[str]:
    lines = ["Likely joins:"]
    for join in joins[:_MOST_JOINS]:
        share = "all" if join.share > 0.995 else f"{100 * join.share:.0f} %"
        key = "a key there" if join.right_unique else "not a key there: rows multiply"
        left, right = _quoted(join.left_column, _MOST_NAME), _quoted(join.right_column, _MOST_NAME)
        line = f"  {join.left}[{left}] = {join.right}[{right}], {share} of its values are found, {key}"
        if _size([*lines, line]) > bound:
            break
        lines.append(line)
    return lines if len(lines) > 1 else []


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value) if isinstance(value, int) else _quoted(str(value), _MOST_VALUE)


def _quoted(text: str, most: int) -> str:
    return json.dumps(one_line(text, most), ensure_ascii=False)


def _size(lines: Sequence[str]) -> int:
    return sum(tokens(line) + 1 for line in lines)


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


@dataclass(frozen=True, slots=True)
class Join:
    """`share` of the different values of one column, 0 to 1, are in the other one; about, where there are many.

    `right_unique`: the other one is a key, so that each row on the left finds at most one on the right.
    """

    left: str
    left_column: str
    right: str
    right_column: str
    share: float
    right_unique: bool

    @property
    def same_name(self) -> bool:
        """`customer_id` and `customerId`; `customer_id` and the `id` of `customers`."""
        left, right = _plain(self.left_column), _plain(self.right_column)
        if left == right:
            return left != "id" or _plain(self.left) == _plain(self.right)
        return _is_key_of(left, right, self.right) or _is_key_of(right, left, self.left)


def likely_joins(datasets: Sequence[Dataset]) -> list[Join]:
    """The likely joins, the surest first."""
    keys = [(each.id, column) for each in datasets for column in each.columns if column.sketch is not None]
    hashes = {id(column): set(column.sketch or ()) for _, column in keys}
    found = list[Join]()
    for left, right in combinations(keys, 2):
        one, other = left[1], right[1]
        # Some of their smallest hashes must be the same.
        if left[0] != right[0] and one.type == other.type and len(hashes[id(one)] & hashes[id(other)]) > 1:
            found += [join for join in (_join(left, right), _join(right, left)) if join][:1]
    found.sort(key=lambda join: (not join.right_unique, not join.same_name, -join.share, join.left, join.right))
    by_key = {frozenset((join.left, join.right)) for join in found if join.right_unique}
    pairs, kept = Counter[frozenset[str]](), list[Join]()
    for join in found:
        pair = frozenset((join.left, join.right))
        # Where there is a key, nobody joins by what repeats in both.
        if pairs[pair] < _MOST_JOINS_OF_TWO and (join.right_unique or pair not in by_key):
            pairs[pair] += 1
            kept.append(join)
    return kept


def _join(left: _Key, right: _Key) -> Join | None:
    """The join from the left to the right, where it is a likely one."""
    (one, from_column), (other, to_column) = left, right
    share = overlap(from_column.sketch or (), to_column.sketch or ())
    back = overlap(to_column.sketch or (), from_column.sketch or ())
    join = Join(one, from_column.name, other, to_column.name, share, to_column.unique)
    if join.same_name:
        # A key that repeats, or categories: of numbers nearly all must be there, for small ones are in many columns.
        neither = not from_column.unique and not to_column.unique
        least = _SHARED if to_column.unique or from_column.type == "text" else _NEARLY_ALL
        likely = max(share, back) >= least and (to_column.unique or neither)
    elif to_column.type == "text":
        likely = to_column.unique and share >= _NEARLY_ALL
    else:
        # Small whole numbers are everywhere, and so are rows that are numbered.
        many = (from_column.distinct or 0) >= _MANY and not from_column.unique
        likely = to_column.unique and many and share >= _NEARLY_ALL and back >= _USED
    return join if likely else None


def overlap(one: Sequence[int], other: Sequence[int]) -> float:
    """About what share of the different values of a column are in another one, by the smallest hashes of both."""
    if not one or not other:
        return 0.0
    # A sketch that is not full holds all values; of a full one nothing is known beyond its last hash.
    limit = min(each[-1] if len(each) >= _SKETCH else 2**64 for each in (one, other))
    known = one[: bisect_right(one, limit)]
    return len(set(known).intersection(other)) / len(known) if known else 0.0


def _is_key_of(long: str, short: str, dataset: str) -> bool:
    """Whether the long name is that of the data set, or its end, and the short one."""
    table, begin = _plain(dataset).rstrip("s"), long.removesuffix(short)
    return bool(table) and long in (table, begin + short) and long != short and (long == table or table.endswith(begin))


def _plain(name: str) -> str:
    """A name without what people write differently: case, spaces, underscores, hyphens, points."""
    return re.sub(r"[\W_]+", "", name).casefold()
