"""Likely joins: columns of two data sets whose values, and names, say that they belong together."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from graphwright.files.datasets import Column, Dataset

_SKETCH = 256
_MOST_JOINS = 3
"""Joins of two data sets that are kept."""

_SHARED, _NEARLY_ALL = 0.5, 0.9
"""The share of its different values that a column must have in common with another one: with and without its name."""

_MANY, _USED = 50, 0.2
"""Whole numbers without a name that fits: so many have to be there, and such a share of the keys in use."""

_Key = tuple[str, Column]


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
        if pairs[pair] < _MOST_JOINS and (join.right_unique or pair not in by_key):
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
