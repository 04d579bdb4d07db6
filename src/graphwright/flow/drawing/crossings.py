"""The order of what stands in a row, so that few links cross."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise

MOST_SWEEPS = 24
"""How often the rows are put in order at most."""

_WORK = 400_000
"""How many links all the sweeps together may look at, so that a large picture takes seconds."""

_FEW = 1_500
"""Up to so many places, neighbours are also swapped where that helps."""

Neighbours = Sequence[Sequence[int]]
"""For every place the places in the next row that it is linked to."""


def ordered(row: Sequence[int], above: Neighbours, below: Neighbours) -> list[list[int]]:
    """The places of each row from left to right. `row` gives the row of every place.

    It begins with the order in which a walk down the links meets the places, which is that of the document, and then
    sorts every row by the middle of its neighbours in the row before, downwards and upwards, as long as that helps.
    """
    rows = _first_order(row, below)
    links = sum(map(len, below))
    sweeps = max(2, min(MOST_SWEEPS, _WORK // max(links, 1)))
    best, fewest = [list(places) for places in rows], _crossings(rows, below)
    since = 0
    for sweep in range(sweeps):
        if not fewest or since == 4:
            break
        downwards = sweep % 2 == 0
        _sweep(rows, above if downwards else below, downwards)
        found = _crossings(rows, below)
        since += 1
        if found < fewest:
            best, fewest, since = [list(places) for places in rows], found, 0
    if fewest and len(row) <= _FEW:
        _swap(best, above, below)
    return best


def _first_order(row: Sequence[int], below: Neighbours) -> list[list[int]]:
    rows: list[list[int]] = [[] for _ in range(max(row) + 1)]
    seen = [False] * len(row)
    for start in sorted(range(len(row)), key=lambda place: row[place]):
        stack = [start]
        while stack:
            place = stack.pop()
            if not seen[place]:
                seen[place] = True
                rows[row[place]].append(place)
                stack.extend(reversed(below[place]))
    return rows


def _sweep(rows: list[list[int]], neighbours: Neighbours, downwards: bool) -> None:
    numbers = range(1, len(rows)) if downwards else range(len(rows) - 2, -1, -1)
    position: dict[int, int] = {}
    for number in numbers:
        fixed = rows[number - 1 if downwards else number + 1]
        position = {place: i for i, place in enumerate(fixed)}
        places = rows[number]
        middle = {
            place: sum(position[n] for n in neighbours[place]) / len(neighbours[place])
            for place in places
            if neighbours[place]
        }
        moved = iter(sorted(middle, key=middle.__getitem__))
        # Who has no neighbour there keeps the place it has.
        rows[number] = [next(moved) if place in middle else place for place in places]


def _crossings(rows: list[list[int]], below: Neighbours) -> int:
    count = 0
    for upper, lower in pairwise(rows):
        position = {place: i for i, place in enumerate(lower)}
        seen: list[int] = []
        for place in upper:
            reached = sorted(position[n] for n in below[place])
            count += sum(len(seen) - bisect_right(seen, end) for end in reached)
            for end in reached:
                insort(seen, end)
    return count


def _swap(rows: list[list[int]], above: Neighbours, below: Neighbours) -> None:
    """Swap neighbours in a row as long as that takes crossings away."""
    position = {place: i for places in rows for i, place in enumerate(places)}

    def pairs(left: int, right: int, neighbours: Neighbours) -> int:
        """How many links of the two cross, less how many would if they changed places."""
        balance = 0
        for a in neighbours[left]:
            for b in neighbours[right]:
                balance += (position[a] > position[b]) - (position[a] < position[b])
        return balance

    for _ in range(8):
        improved = False
        for places in rows:
            for i in range(len(places) - 1):
                left, right = places[i], places[i + 1]
                if pairs(left, right, above) + pairs(left, right, below) > 0:
                    places[i], places[i + 1] = right, left
                    position[left], position[right] = i + 1, i
                    improved = True
        if not improved:
            break
