"""The columns of a layered layout: where in its row everything stands, long links upright (after Brandes and Köpf)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from graphwright.flow.drawing.crossings import Neighbours

_FEW = 3

_Aligned = list[int]
"""For every place the topmost place of the upright line that it is part of."""


@dataclass(frozen=True, slots=True)
class Place:
    """Something in a row: a box, or a bend of a link. The room it takes to both sides of its middle, in pixels."""

    left: float
    right: float
    is_bend: bool = False


def columns(
    places: Sequence[Place], rows: Sequence[Sequence[int]], above: Neighbours, below: Neighbours, gap: float
) -> list[float]:
    """The x of the middle of every place, the leftmost room beginning at 0; rooms in a row are `gap` apart.

    Every place is lined up with the middle one of its neighbours, in each of four directions; of the four resulting
    pictures each place takes the mean of the two middle values. Where ways part, the longest of them goes straight on.
    """
    apart = _crossing_bends(places, rows, above) | _shorter_ways(rows, below)
    drawn: list[list[float]] = []
    for upwards in (False, True):
        for mirrored in (False, True):
            turned = [list(reversed(row)) if mirrored else list(row) for row in (reversed(rows) if upwards else rows)]
            neighbours = below if upwards else above
            roots = _aligned(len(places), turned, neighbours, apart)
            seen = [Place(p.right, p.left) for p in places] if mirrored else places
            x = _compacted(seen, turned, roots, gap)
            drawn.append([-value for value in x] if mirrored else x)
    x = _balanced(places, drawn)
    for order in (rows, rows[::-1]):
        _straighten(x, places, order, above, below, gap)
    return x


def _crossing_bends(places: Sequence[Place], rows: Sequence[Sequence[int]], above: Neighbours) -> set[tuple[int, int]]:
    """The links that cross one between two bends, which must stay upright; as (upper, lower)."""
    found: set[tuple[int, int]] = set()
    for upper, lower in pairwise(rows):
        position = {place: i for i, place in enumerate(upper)}
        left = done = 0
        for i, place in enumerate(lower):
            inner = next((n for n in above[place] if places[n].is_bend), None) if places[place].is_bend else None
            if inner is None and i < len(lower) - 1:
                continue
            right = len(upper) if inner is None else position[inner]
            for other in lower[done : i + 1]:
                for n in above[other]:
                    outside = position[n] < left or position[n] > right
                    if outside and not (places[n].is_bend and places[other].is_bend):
                        found.add((n, other))
            done, left = i + 1, right
    return found


def _shorter_ways(rows: Sequence[Sequence[int]], below: Neighbours) -> set[tuple[int, int]]:
    """Where a few ways lead down from a place, the links to all but the longest of them; as (upper, lower)."""
    length: dict[int, int] = {}
    found: set[tuple[int, int]] = set()
    for row in reversed(rows):
        for place in row:
            longest = max((length[n] for n in below[place]), default=0)
            length[place] = longest + 1
            if len(below[place]) <= _FEW:
                found |= {(place, n) for n in below[place] if length[n] < longest}
    return found


def _aligned(
    count: int, rows: Sequence[Sequence[int]], neighbours: Neighbours, apart: set[tuple[int, int]]
) -> _Aligned:
    root = list(range(count))
    below = list(range(count))
    for fixed, row in pairwise(rows):
        position = {place: i for i, place in enumerate(fixed)}
        taken = -1
        for place in row:
            near = sorted(neighbours[place], key=position.__getitem__)
            for middle in near[(len(near) - 1) // 2 : len(near) // 2 + 1]:
                free = (middle, place) not in apart and (place, middle) not in apart
                if below[place] == place and taken < position[middle] and free:
                    below[middle] = place
                    root[place] = root[middle]
                    below[place] = root[place]
                    taken = position[middle]
    return root


def _compacted(places: Sequence[Place], rows: Sequence[Sequence[int]], root: _Aligned, gap: float) -> list[float]:
    """Upright lines as far to the left as they can be, then each as far to the right as the next one lets it."""
    before: dict[int, dict[int, float]] = {}
    after: dict[int, dict[int, float]] = {}
    for row in rows:
        for left, right in pairwise(row):
            a, b = root[left], root[right]
            apart = places[left].right + gap + places[right].left
            if apart > before.setdefault(b, {}).get(a, 0.0):
                before[b][a] = apart
                after.setdefault(a, {})[b] = apart
    order = _downhill(dict.fromkeys(root), before)
    x: dict[int, float] = {}
    for line in order:
        x[line] = max((x[a] + apart for a, apart in before.get(line, {}).items()), default=0.0)
    for line in reversed(order):
        room = min((x[b] - apart for b, apart in after.get(line, {}).items()), default=None)
        if room is not None:
            x[line] = max(x[line], room)
    return [x[line] for line in root]


def _downhill(lines: dict[int, None], before: dict[int, dict[int, float]]) -> list[int]:
    """Every line after those at its left."""
    missing = {line: len(before.get(line, ())) for line in lines}
    following: dict[int, list[int]] = {}
    for line, earlier in before.items():
        for a in earlier:
            following.setdefault(a, []).append(line)
    order = [line for line in lines if not missing[line]]
    for line in order:
        for b in following.get(line, ()):
            missing[b] -= 1
            if not missing[b]:
                order.append(b)
    return order


def _straighten(
    x: list[float],
    places: Sequence[Place],
    rows: Sequence[Sequence[int]],
    above: Neighbours,
    below: Neighbours,
    gap: float,
) -> None:
    """Take bends that lie outside of what they join, to the left or the right, back as far as there is room."""
    for row in rows:
        for i, place in enumerate(row):
            if not places[place].is_bend:
                continue
            joined = [x[n] for n in (*above[place], *below[place])]
            wanted = min(max(x[place], min(joined)), max(joined))
            if i:
                wanted = max(wanted, x[row[i - 1]] + places[row[i - 1]].right + gap + places[place].left)
            if i < len(row) - 1:
                wanted = min(wanted, x[row[i + 1]] - places[row[i + 1]].left - gap - places[place].right)
            x[place] = wanted


def _balanced(places: Sequence[Place], drawn: Sequence[Sequence[float]]) -> list[float]:
    """The four pictures laid over the narrowest of them, and the middle of them taken."""
    edges = []
    for xs in drawn:
        sides = [(x - place.left, x + place.right) for x, place in zip(xs, places, strict=True)]
        edges.append((min(left for left, _ in sides), max(right for _, right in sides)))
    left, right = min(edges, key=lambda edge: edge[1] - edge[0])
    moved = []
    for i, xs in enumerate(drawn):
        # Every second picture was made from the right.
        shift = right - edges[i][1] if i % 2 else left - edges[i][0]
        moved.append([x + shift for x in xs])
    middle = [sum(sorted(values)[1:3]) / 2 for values in zip(*moved, strict=True)]
    start = min(x - p.left for x, p in zip(middle, places, strict=True))
    return [x - start for x in middle]
