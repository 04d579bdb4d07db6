"""Where boxes stand: as far from each other as there are edges between them, and none on another one or on a line.

The places come from majorising stress by stochastic gradient descent (Zheng, Pawar, Goodman, 2018), with a fixed seed.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

Point = tuple[float, float]
Size = tuple[float, float]
Pair = tuple[int, int]
"""An edge between two boxes, by their numbers."""

GAP = 26.0
"""Pixels that are free between two boxes, at least."""

_HOP = 190.0
_FLAT = 0.64
_CROWD = 0.055
_ROUNDS = 30
_PUSHES = 120
_MOST_CHECKS = 40_000
_CLEAR = 9.0
_LABEL = 17.0


def places(sizes: Sequence[Size], pairs: Sequence[Pair], labels: Sequence[float], first: int) -> list[Point]:
    """The middles of boxes of these sizes, the same ones each time; `first` is the box in the centre.

    `labels` are the widths of the texts on the edges, for which there is room between two boxes.
    """
    count = len(sizes)
    beside: list[set[int]] = [set() for _ in range(count)]
    for one, other in pairs:
        if one != other:
            beside[one].add(other)
            beside[other].add(one)
    around = [sorted(each) for each in beside]
    far = [_distances(around, start) for start in range(count)]
    points = _circles(far[first], first)
    _relax(points, far, _room(sizes))
    for point in points:
        # Boxes are wider than high.
        point[1] *= _FLAT
    gaps: dict[Pair, Size] = {}
    for (one, other), width in zip(pairs, labels, strict=True):
        if one != other:
            pair = (min(one, other), max(one, other))
            wide, high = gaps.get(pair, (0.0, GAP))
            gaps[pair] = max(wide, width + 2 * GAP), high + _LABEL
    _push_apart(points, sizes, gaps)
    return [(x, y) for x, y in points]


def _distances(around: Sequence[Sequence[int]], start: int) -> list[float]:
    """How far each box is away, in usual edges; what does not hang together is a little further than all the rest.

    Edges of a box with many are longer, so that all their ends find a place around it.
    """
    far = [math.inf] * len(around)
    far[start] = 0.0
    waiting = [(0.0, start)]
    while waiting:
        done, box = heappop(waiting)
        for other in around[box] if done == far[box] else ():
            total = done + max(1.0, _CROWD * max(len(around[box]), len(around[other])))
            if total < far[other]:
                far[other] = total
                heappush(waiting, (total, other))
    most = max(each for each in far if each < math.inf)
    return [each if each < math.inf else most + 2.0 for each in far]


def _room(sizes: Sequence[Size]) -> float:
    """How much further than usual everything has to be so that all boxes fit."""
    need = sum((width + GAP) * (height + GAP) for width, height in sizes)
    return max(1.0, math.sqrt(need / (math.pi * _HOP * _HOP * _FLAT)) / 3.0)


def _circles(far: Sequence[float], first: int) -> list[list[float]]:
    """A beginning: circles around the first box."""
    points = [[0.0, 0.0] for _ in far]
    for distance in sorted(set(far)):
        circle = [box for box, each in enumerate(far) if each == distance and box != first]
        for number, box in enumerate(circle):
            angle = 2 * math.pi * number / len(circle) + 0.6 * distance
            points[box] = [distance * _HOP * math.cos(angle), distance * _HOP * math.sin(angle)]
    return points


def _relax(points: list[list[float]], far: Sequence[Sequence[float]], room: float) -> None:
    count = len(points)
    terms = [(i, j, far[i][j] * _HOP * room, 1.0 / far[i][j] ** 2) for i in range(count) for j in range(i)]
    if not terms:
        return
    begin, end = max(map(max, far)) ** 2, 0.1
    rounds = _ROUNDS if count <= 200 else 12
    chance = random.Random(7)
    for number in range(rounds):
        step = begin * (end / begin) ** (number / max(rounds - 1, 1))
        chance.shuffle(terms)
        for i, j, wanted, weight in terms:
            one, other = points[i], points[j]
            dx, dy = one[0] - other[0], one[1] - other[1]
            length = math.hypot(dx, dy) or 1.0
            part = min(weight * step, 1.0) * (length - wanted) / (2 * length)
            one[0] -= part * dx
            one[1] -= part * dy
            other[0] += part * dx
            other[1] += part * dy


def _push_apart(points: list[list[float]], sizes: Sequence[Size], gaps: Mapping[Pair, Size]) -> None:
    lines = sorted(gaps) if len(gaps) * len(points) <= _MOST_CHECKS else ()
    for number in range(_PUSHES):
        # Boxes on lines are the lesser evil: in the last rounds only boxes on boxes count.
        moved = number < _PUSHES - 40 and _off_lines(points, sizes, lines)
        if not _off_boxes(points, sizes, gaps) and not moved:
            return


def _off_boxes(points: list[list[float]], sizes: Sequence[Size], gaps: Mapping[Pair, Size]) -> bool:
    order = sorted(range(len(points)), key=lambda box: points[box][0] - sizes[box][0] / 2)
    widest = max([GAP, *(wide for wide, _ in gaps.values())])
    moved = False
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
            dx, dy = points[j][0] - points[i][0], points[j][1] - points[i][1]
            if dx - (sizes[i][0] + sizes[j][0]) / 2 > widest:
                break
            wide, high = gaps.get((min(i, j), max(i, j)), (GAP, GAP))
            over_x = (sizes[i][0] + sizes[j][0]) / 2 + wide - abs(dx)
            over_y = (sizes[i][1] + sizes[j][1]) / 2 + high - abs(dy)
            if over_x <= 0.01 or over_y <= 0.01:
                continue
            moved = True
            axis, over, way = (0, over_x, dx) if over_x < over_y else (1, over_y, dy)
            shift = math.copysign(over / 2 + 0.01, way or (j - i))
            points[i][axis] -= shift
            points[j][axis] += shift
    return moved


def _off_lines(points: list[list[float]], sizes: Sequence[Size], pairs: Sequence[Pair]) -> bool:
    """Move boxes away from lines between others that would run behind them."""
    moved = False
    for i, j in pairs:
        (ax, ay), (bx, by) = points[i], points[j]
        dx, dy = bx - ax, by - ay
        square = dx * dx + dy * dy
        if square < 1.0:
            continue
        length = math.sqrt(square)
        for box, (x, y) in enumerate(points):
            part = ((x - ax) * dx + (y - ay) * dy) / square
            if box in (i, j) or not 0.0 < part < 1.0:
                continue
            off = ((x - ax) * dy - (y - ay) * dx) / length
            reach = (sizes[box][0] * abs(dy) + sizes[box][1] * abs(dx)) / (2 * length) + _CLEAR
            if abs(off) < reach:
                shift = min(reach - abs(off), 12.0) * 0.5
                side = math.copysign(shift, off or (box - i))
                points[box][0] += side * dy / length
                points[box][1] -= side * dx / length
                moved = True
    return moved
