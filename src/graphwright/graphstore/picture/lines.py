"""The lines of a picture: curves between boxes that end on their outlines, loops, and free places for their labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graphwright.flow.drawing.lettering import text_width, wrapped
from graphwright.graphstore.elements import Edge
from graphwright.graphstore.picture.layout import Point, Size
from graphwright.graphstore.wording import element_text

LABEL_SIZE, LABEL_HEIGHT = 10.5, 14.0
TIP = 8.0
"""The length of an arrow's head."""

_BOW = 36.0
_SPOTS = (0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73, 0.2, 0.8)

Rect = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True, slots=True)
class Line:
    """An edge as it is drawn: a Bezier curve of three or four points, its arrow's corners, its label and its middle."""

    edge: Edge
    curve: tuple[Point, ...]
    arrow: tuple[Point, Point, Point]
    label: str
    label_at: Point
    about: str

    @property
    def label_rect(self) -> Rect:
        width = label_width(self.label)
        x, y = self.label_at
        return x - width / 2, y - LABEL_HEIGHT / 2, x + width / 2, y + LABEL_HEIGHT / 2


def lines_of(edges: Sequence[tuple[int, int, Edge]], at: Sequence[Point], sizes: Sequence[Size]) -> list[Line]:
    """A line for each edge, given with the numbers of its boxes; several between two boxes bow apart."""
    boxes = [_rect(point, size) for point, size in zip(at, sizes, strict=True)]
    between: dict[tuple[int, int], int] = {}
    for source, target, _ in edges:
        pair = (min(source, target), max(source, target))
        between[pair] = between.get(pair, 0) + 1
    drawn: dict[tuple[int, int], int] = {}
    taken = list(boxes)
    found = []
    for source, target, edge in edges:
        pair = (min(source, target), max(source, target))
        number = drawn[pair] = drawn.get(pair, -1) + 1
        if source == target:
            line = _loop(edge, boxes[source], number, between[pair])
        else:
            # Measured from one box to the other, whatever the direction of the edge, so that no two lie on each other.
            bow = (number - (between[pair] - 1) / 2) * _BOW * (1 if source < target else -1)
            line = _curve(edge, at[source], at[target], boxes[source], boxes[target], bow, taken)
        taken.append(line.label_rect)
        found.append(line)
    return found


def _curve(edge: Edge, a: Point, b: Point, begin: Rect, end: Rect, bow: float, taken: Sequence[Rect]) -> Line:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.hypot(dx, dy) or 1.0
    middle = ((a[0] + b[0]) / 2 - 2 * bow * dy / length, (a[1] + b[1]) / 2 + 2 * bow * dx / length)
    whole = (a, middle, b)
    first, last = _leaving(whole, begin), 1 - _leaving(whole[::-1], end)
    if last - first < 0.05:
        first, last = 0.45, 0.55
    curve = _piece(whole, first, last)
    label, about = label_of(edge), element_text(edge)
    drawn, arrow = _shortened(curve), _arrow(curve[1], curve[2])
    lines = (Line(edge, drawn, arrow, label, _at(curve, part), about) for part in _SPOTS)
    # The first place that is free, else the one where least is hidden.
    return min(lines, key=lambda line: sum(_overlap(line.label_rect, other) for other in taken))


def _loop(edge: Edge, box: Rect, number: int, count: int) -> Line:
    """A line from the right side of a box up and around to its top, one of `count` that lie around each other."""
    curve = _around(box, number)
    label, about = label_of(edge), element_text(edge)
    # Beside the outermost loop, where they hide none, one above the other.
    outermost = _around(box, count - 1)
    edge_of_all = max(_at(outermost, step / 20)[0] for step in range(21))
    at = (edge_of_all + 3.0 + label_width(label) / 2, box[1] - 7.0 - LABEL_HEIGHT * number)
    return Line(edge, curve, _arrow(curve[2], curve[3]), label, at, about)


def _around(box: Rect, number: int) -> tuple[Point, Point, Point, Point]:
    """The curve of a loop; the first one is the innermost."""
    reach = 30.0 + 17.0 * number
    right, top = box[2], box[1]
    return (right, top + 9.0), (right + reach, top + 4.0 - reach * 0.3), (right - 8.0, top - reach), (right - 14.0, top)


def label_of(edge: Edge) -> str:
    """The text on the line of an edge."""
    return "".join(wrapped(edge.type, LABEL_SIZE, 150.0, 1))


def label_width(label: str) -> float:
    """The pixels that such a text takes, with a little room around it."""
    return text_width(label, LABEL_SIZE) + 6


def _arrow(before: Point, tip: Point) -> tuple[Point, Point, Point]:
    dx, dy = tip[0] - before[0], tip[1] - before[1]
    length = math.hypot(dx, dy) or 1.0
    dx, dy = dx / length, dy / length
    x, y = tip[0] - TIP * dx, tip[1] - TIP * dy
    half = TIP * 0.42
    return tip, (x - half * dy, y + half * dx), (x + half * dy, y - half * dx)


def _shortened(curve: tuple[Point, Point, Point]) -> tuple[Point, Point, Point]:
    """The curve without its last pixels: a line that goes on under its arrow makes the tip blunt."""
    (bx, by), (x, y) = curve[1], curve[2]
    length = math.hypot(x - bx, y - by) or 1.0
    part = min((TIP - 2) / length, 0.9)
    return curve[0], curve[1], (x - part * (x - bx), y - part * (y - by))


def _leaving(curve: tuple[Point, ...], box: Rect) -> float:
    """The part of a curve at which it leaves the box that it begins in."""
    low, high = 0.0, 1.0
    if _inside(curve[-1], box):
        return 0.5
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if _inside(_at(curve, middle), box) else (low, middle)
    return high


def _piece(curve: tuple[Point, Point, Point], first: float, last: float) -> tuple[Point, Point, Point]:
    """The curve from one part to another."""

    def blossom(s: float, t: float) -> Point:
        (ax, ay), (bx, by), (cx, cy) = curve
        a, b, c = (1 - s) * (1 - t), s * (1 - t) + t * (1 - s), s * t
        return a * ax + b * bx + c * cx, a * ay + b * by + c * cy

    return blossom(first, first), blossom(first, last), blossom(last, last)


def _at(curve: Sequence[Point], part: float) -> Point:
    points = list(curve)
    while len(points) > 1:
        points = list(_between(points, part))
    return points[0]


def _between(points: Sequence[Point], part: float) -> Iterator[Point]:
    for (ax, ay), (bx, by) in pairwise(points):
        yield ax + (bx - ax) * part, ay + (by - ay) * part


def _rect(middle: Point, size: Size) -> Rect:
    (x, y), (width, height) = middle, size
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _inside(point: Point, rect: Rect) -> bool:
    return rect[0] <= point[0] <= rect[2] and rect[1] <= point[1] <= rect[3]


def _overlap(a: Rect, b: Rect) -> float:
    """The square pixels that two rectangles share."""
    return max(min(a[2], b[2]) - max(a[0], b[0]), 0.0) * max(min(a[3], b[3]) - max(a[1], b[1]), 0.0)
