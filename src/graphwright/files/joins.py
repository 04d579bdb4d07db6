"""Likely joins: columns of two data sets whose values, and names, say that they belong together."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphwright.files.dataset import Dataset
from graphwright.files.profiles import ColumnProfile

_SKETCH = 256
_MOST_SHARING = 60
"""A value that more columns have says nothing on any two of them."""

_MOST_EACH = 3
"""Joins of two data sets that are told."""

_SHARED, _SHARED_WITHOUT_NAME = 0.5, 0.9
"""The share of its different values that a column must have in common with another one."""

_MANY, _USED = 50, 0.2
"""Whole numbers without a name that fits: so many have to be there, and such a share of the keys in use."""


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
    columns = [
        (dataset.id, column) for dataset in datasets for column in profiles[dataset.id] if column.sketch is not None
    ]
    found = []
    for one, other in _sharing(columns):
        for left, right in ((one, other), (other, one)):
            if (join := _join(columns[left], columns[right])) is not None:
                found.append(join)
                break
    found.sort(key=lambda join: (not join.right_unique, not _named_alike(join), -join.share, join.left, join.right))
    told: dict[tuple[str, ...], int] = defaultdict(int)
    kept = []
    for join in found:
        pair = tuple(sorted((join.left, join.right)))
        told[pair] += 1
        if told[pair] <= _MOST_EACH:
            kept.append(join)
    return kept


def _sharing(columns: Sequence[tuple[str, ColumnProfile]]) -> list[tuple[int, int]]:
    """The pairs of columns of different data sets that share some of their smallest hashes."""
    holders: dict[int, list[int]] = defaultdict(list)
    for place, (_, column) in enumerate(columns):
        for value in column.sketch or ():
            holders[value].append(place)
    pairs: dict[tuple[int, int], int] = defaultdict(int)
    for places in holders.values():
        if 1 < len(places) <= _MOST_SHARING:
            for number, one in enumerate(places):
                for other in places[number + 1 :]:
                    if columns[one][0] != columns[other][0] and columns[one][1].type == columns[other][1].type:
                        pairs[one, other] += 1
    return sorted(pair for pair, shared in pairs.items() if shared > 1)


def _join(left: tuple[str, ColumnProfile], right: tuple[str, ColumnProfile]) -> Join | None:
    """The join from the left to the right, where it is a likely one."""
    (one, from_column), (other, to_column) = left, right
    share = contained(from_column.sketch or (), to_column.sketch or ())
    back = contained(to_column.sketch or (), from_column.sketch or ())
    join = Join(one, from_column.name, other, to_column.name, share, to_column.unique)
    if _named_alike(join):
        likely = max(share, back) >= _SHARED and (to_column.unique or _repeats(from_column, to_column))
    elif to_column.type == "text":
        likely = to_column.unique and share >= _SHARED_WITHOUT_NAME
    else:
        # Small whole numbers are everywhere, and so are rows that are numbered.
        many = (from_column.distinct or 0) >= _MANY and not from_column.unique
        likely = to_column.unique and many and share >= _SHARED_WITHOUT_NAME and back >= _USED
    return join if likely else None


def _repeats(one: ColumnProfile, other: ColumnProfile) -> bool:
    """Whether neither is a key, and both are text: categories that two data sets have in common."""
    return not one.unique and not other.unique and one.type == "text"


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
    left, right = plain(join.left_column), plain(join.right_column)
    if left == right:
        return left != "id" or plain(join.left) == plain(join.right)
    return _of(left, right, join.right) or _of(right, left, join.left)


def _of(long: str, short: str, dataset: str) -> bool:
    """Whether the long name is that of the data set and the short one."""
    table = plain(dataset).rstrip("s")
    return (
        short in ("id", "key", "code", "name", "nr", "no")
        and bool(table)
        and (
            long in (table + short, table)
            or (long.endswith(short) and table.endswith(long.removesuffix(short)) and long != short)
        )
    )


def plain(name: str) -> str:
    """A name without what people write differently: case, spaces, underscores, hyphens, points."""
    return re.sub(r"[\W_]+", "", name).casefold()
