"""Likely joins: columns of two data sets whose values, and names, say that they belong together."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from graphwright.files.datasets import ColumnProfile, Dataset

_SKETCH = 256
_MOST_EACH = 3
"""Joins of two data sets that are told."""

_SHARED, _SHARED_WITHOUT_NAME = 0.5, 0.9
"""The share of its different values that a column must have in common with another one."""

_MANY, _USED = 50, 0.2
"""Whole numbers without a name that fits: so many have to be there, and such a share of the keys in use."""

Column = tuple[str, ColumnProfile]


@dataclass(frozen=True, slots=True)
class Join:
    """`share` of the different values of one column, 0 to 1, are in the other one; about, where there are many.

    `right_unique` says that the other one is a key: each row on the left finds at most one on the right.
    """

    left: str
    left_column: str
    right: str
    right_column: str
    share: float
    right_unique: bool


def likely_joins(datasets: Sequence[Dataset], profiles: Mapping[str, Sequence[ColumnProfile]]) -> list[Join]:
    """The likely joins, the surest first; `profiles` by the id of the data set."""
    columns = [(each.id, column) for each in datasets for column in profiles[each.id] if column.sketch is not None]
    hashes = {id(column): set(column.sketch or ()) for _, column in columns}
    found = list[Join]()
    for one, other in combinations(columns, 2):
        (left, first), (right, second) = one, other
        # Some of their smallest hashes must be the same.
        alike = left != right and first.type == second.type and len(hashes[id(first)] & hashes[id(second)]) > 1
        if alike and (join := _join(one, other) or _join(other, one)):
            found.append(join)
    found.sort(key=lambda join: (not join.right_unique, not _named_alike(join), -join.share, join.left, join.right))
    told, kept = Counter[frozenset[str]](), []
    for join in found:
        told[frozenset((join.left, join.right))] += 1
        if told[frozenset((join.left, join.right))] <= _MOST_EACH:
            kept.append(join)
    return kept


def _join(left: Column, right: Column) -> Join | None:
    """The join from the left to the right, where it is a likely one."""
    (one, from_column), (other, to_column) = left, right
    share = contained(from_column.sketch or (), to_column.sketch or ())
    back = contained(to_column.sketch or (), from_column.sketch or ())
    join = Join(one, from_column.name, other, to_column.name, share, to_column.unique)
    if _named_alike(join):
        # Neither may be a key where both are text: categories that two data sets have in common.
        categories = not from_column.unique and not to_column.unique and from_column.type == "text"
        likely = max(share, back) >= _SHARED and (to_column.unique or categories)
    elif to_column.type == "text":
        likely = to_column.unique and share >= _SHARED_WITHOUT_NAME
    else:
        # Small whole numbers are everywhere, and so are rows that are numbered.
        many = (from_column.distinct or 0) >= _MANY and not from_column.unique
        likely = to_column.unique and many and share >= _SHARED_WITHOUT_NAME and back >= _USED
    return join if likely else None


def contained(one: Sequence[int], other: Sequence[int]) -> float:
    """About how many of the different values of a column are in another one, by the smallest hashes of both."""
    if not one or not other:
        return 0.0
    # A sketch that is not full holds all values; of a full one nothing is known beyond its last hash.
    limit = min(each[-1] if len(each) >= _SKETCH else 2**64 for each in (one, other))
    known = one[: bisect_right(one, limit)]
    return len(set(known).intersection(other)) / len(known) if known else 0.0


def _named_alike(join: Join) -> bool:
    """`customer_id` and `customerId`; `customer_id` and the `id` of `customers`."""
    left, right = _plain(join.left_column), _plain(join.right_column)
    if left == right:
        return left != "id" or _plain(join.left) == _plain(join.right)
    return _of(left, right, join.right) or _of(right, left, join.left)


def _of(long: str, short: str, dataset: str) -> bool:
    """Whether the long name is that of the data set, or its end, and the short one."""
    table, begin = _plain(dataset).rstrip("s"), long.removesuffix(short)
    return bool(table) and long in (table, begin + short) and long != short and (long == table or table.endswith(begin))


def _plain(name: str) -> str:
    """A name without what people write differently: case, spaces, underscores, hyphens, points."""
    return re.sub(r"[\W_]+", "", name).casefold()
