"""The layered layout: boxes in rows, links downwards between the rows, so that no line ever runs through a box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from graphwright.flow.drawing.boxes import Box, Layout, Link, Point, Route, Trunk
from graphwright.flow.drawing.columns import Place, columns
from graphwright.flow.drawing.crossings import ordered
from graphwright.flow.drawing.ranks import rows, upward

GAP = 26.0
"""Pixels between what stands side by side."""

_LINE = 3.0
"""Half the width that a line without a label takes."""

_PORT_GAP = 14.0
_LOW_STEP, _HIGH_STEP = 18.0, 64.0
"""Pixels between two rows: where all lines go straight on, and where one has to go far aside."""


def spans(boxes: Sequence[Box], links: Sequence[Link]) -> list[int]:
    """How many rows each link leads across; 0 for a loop. The longer the links, the harder is the picture to read."""
    frame = _Frame.of(boxes, links)
    return [abs(frame.row[frame.number[link.target]] - frame.row[frame.number[link.source]]) for link in links]


def layered(boxes: Sequence[Box], links: Sequence[Link], *, sideways: bool = False) -> Layout:
    """Places for boxes and ways for links. The first box stands at the top; all boxes must hang together.

    Boxes do not overlap, labels neither each other nor boxes, and lines keep clear of all boxes but their ends. With
    `sideways` it runs from left to right. Links from a box to itself are left out.
    """
    if not sideways:
        return _Layers(_Frame.of(boxes, links)).layout()
    turned = [Box(b.id, b.height, b.width, span=_side_span(b), beside=b.beside) for b in boxes]
    across = [replace(link, width=link.height, height=link.width) for link in links]
    return _turned_back(_Layers(_Frame.of(turned, across)).layout(), {box.id: box for box in boxes}, links)


def _side_span(box: Box) -> float:
    """How far from their middle the sides of a box may be attached to."""
    return box.height / 5 if box.slope or box.radius else max(box.height / 2 - 8, 0.0)


def _turned_back(layout: Layout, boxes: Mapping[str, Box], links: Sequence[Link]) -> Layout:
    """A layout from top to bottom as one from left to right, its lines ending on the outlines of the boxes."""
    at = {id: (y, x) for id, (x, y) in layout.at.items()}

    def end(id: str, point: Point, other: Point) -> Point:
        return boxes[id].side(at[id], point[1], right=other[0] >= point[0]), point[1]

    def swapped(points: Sequence[Point]) -> list[Point]:
        return [(y, x) for x, y in points]

    routes = {}
    for i, route in layout.routes.items():
        points = swapped(route.points)
        points[0] = end(links[i].source, points[0], points[1])
        if route.arrow:
            points[-1] = end(links[i].target, points[-1], points[-2])
        label = None if route.label is None else (route.label[1], route.label[0])
        routes[i] = Route(tuple(points), label, route.arrow, "sideways")
    trunks = []
    for trunk in layout.trunks:
        points = swapped(trunk.points)
        points[-1] = end(trunk.target, points[-1], points[-2])
        trunks.append(Trunk(trunk.target, trunk.bundle, tuple(points), "sideways"))
    return Layout(layout.height, layout.width, at, routes, tuple(trunks))


@dataclass(frozen=True, slots=True)
class _Frame:
    """Boxes and links by number: which row each box has, and which links run upwards."""

    boxes: Sequence[Box]
    links: Sequence[Link]
    number: dict[str, int]
    row: list[int]
    back: set[int]

    @classmethod
    def of(cls, boxes: Sequence[Box], links: Sequence[Link]) -> _Frame:
        number = {box.id: i for i, box in enumerate(boxes)}
        kept = [i for i, link in enumerate(links) if link.source != link.target]
        pairs = [(number[links[i].source], number[links[i].target]) for i in kept]
        turned = upward(len(boxes), pairs, 0)
        down = [(b, a) if i in turned else (a, b) for i, (a, b) in enumerate(pairs)]
        return cls(boxes, links, number, rows(len(boxes), down, 0), {kept[i] for i in turned})


@dataclass(frozen=True, slots=True)
class _Shared:
    """The trunk of the links to a box."""

    box: str
    bundle: str
    back: bool


_Line = int | _Shared
"""What a piece of a line belongs to: a link by its number, or a trunk."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of a line between two rows. `back` says that it is drawn upwards."""

    upper: int
    lower: int
    line: _Line
    back: bool


class _Layers:
    """One layout under way. Places are boxes (by their number) and bends; a row of boxes has an even number."""

    def __init__(self, frame: _Frame) -> None:
        self.frame = frame
        self.row = [2 * row for row in frame.row]
        self.places = [Place(box.width / 2, box.width / 2 + box.beside) for box in frame.boxes]
        self.heights = [box.height for box in frame.boxes]
        self.pieces: list[_Piece] = []
        self.bends: dict[int, tuple[int, int | None]] = {}
        """By link: its own bend, and the bend of the trunk that it joins."""
        self.trunks: dict[_Shared, dict[int, int]] = {}
        """By trunk: its bends by their rows."""
        for i, link in enumerate(frame.links):
            if link.source != link.target:
                self._bend(i, link)
        for line, trunk in self.trunks.items():
            bends = [trunk[row] for row in sorted(trunk, reverse=line.back)]
            for here, there in pairwise([*bends, frame.number[line.box]]):
                self._piece(here, there, line, line.back)

    def _bend(self, i: int, link: Link) -> None:
        """The link's own bend next to its source, which carries the label, and its way from there."""
        back = i in self.frame.back
        source, target = self.frame.number[link.source], self.frame.number[link.target]
        step = -1 if back else 1
        own, *shared = range(self.row[source] + step, self.row[target], step)
        bend = self._place(own, link.width / 2, link.height)
        trunk = self.trunks.setdefault(_Shared(link.target, link.bundle, back), {}) if shared else {}
        for row in shared:
            if row not in trunk:
                trunk[row] = self._place(row, 0.0, 0.0)
        joined = trunk[shared[0]] if shared else None
        self.bends[i] = (bend, joined)
        self._piece(source, bend, i, back)
        self._piece(bend, target if joined is None else joined, i, back)

    def _place(self, row: int, half: float, height: float) -> int:
        self.places.append(Place(max(half, _LINE), max(half, _LINE), is_bend=True))
        self.row.append(row)
        self.heights.append(height)
        return len(self.places) - 1

    def _piece(self, before: int, after: int, line: _Line, back: bool) -> None:
        upper, lower = (after, before) if back else (before, after)
        self.pieces.append(_Piece(upper, lower, line, back))

    def layout(self) -> Layout:
        below: list[list[int]] = [[] for _ in self.places]
        above: list[list[int]] = [[] for _ in self.places]
        for piece in self.pieces:
            below[piece.upper].append(piece.lower)
            above[piece.lower].append(piece.upper)
        lines = ordered(self.row, above, below)
        x = columns(self.places, lines, above, below, GAP)
        ports = self._ports(x)
        top, bottom = self._heights(lines, x, ports)
        return _Drawn(self, x, ports, top, bottom).layout()

    def _ports(self, x: Sequence[float]) -> dict[tuple[int, _Line | None, bool], float]:
        """Where pieces meet the boxes: by box, line (None for all that arrive) and whether it is the upper edge."""
        count = len(self.frame.boxes)
        sides: dict[tuple[int, bool], dict[_Line | None, list[float]]] = {}
        for piece in self.pieces:
            for box, other, at_top in ((piece.lower, piece.upper, True), (piece.upper, piece.lower, False)):
                if box < count:
                    arrives = piece.back != at_top
                    side = sides.setdefault((box, at_top), {})
                    side.setdefault(None if arrives else piece.line, []).append(x[other])
        ports: dict[tuple[int, _Line | None, bool], float] = {}
        for (box, at_top), side in sides.items():
            span = self.frame.boxes[box].span
            # Those that come from further left stand left, so that they do not cross.
            lines = sorted(side, key=lambda line: sum(side[line]) / len(side[line]))
            wanted = [_near(side[line], x[box], span) for line in lines]
            for line, offset in zip(lines, _spread(wanted, span), strict=True):
                ports[box, line, at_top] = x[box] + offset
        return ports

    def _heights(
        self, lines: Sequence[Sequence[int]], x: Sequence[float], ports: dict[tuple[int, _Line | None, bool], float]
    ) -> tuple[list[float], list[float]]:
        """The upper and the lower edge of every row. The further a line has to go aside, the more room it gets."""
        count = len(self.frame.boxes)
        steps = [0.0] * len(lines)
        for piece in self.pieces:
            a = ports[piece.upper, None if piece.back else piece.line, False] if piece.upper < count else x[piece.upper]
            b = ports[piece.lower, piece.line if piece.back else None, True] if piece.lower < count else x[piece.lower]
            row = self.row[piece.upper]
            steps[row] = max(steps[row], abs(a - b))
        top, bottom, y = [], [], 0.0
        for row, line in enumerate(lines):
            top.append(y)
            bottom.append(y + max(self.heights[place] for place in line))
            y = bottom[-1] + min(_HIGH_STEP, _LOW_STEP + steps[row] / 9)
        return top, bottom


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A layout whose columns and rows are known."""

    layers: _Layers
    x: Sequence[float]
    ports: dict[tuple[int, _Line | None, bool], float]
    top: Sequence[float]
    bottom: Sequence[float]

    def layout(self) -> Layout:
        layers = self.layers
        boxes = layers.frame.boxes
        at = {box.id: (self.x[i] - box.width / 2, self._box_top(i)) for i, box in enumerate(boxes)}
        routes = {i: self._route(i, layers.frame.links[i]) for i in layers.bends}
        trunks = tuple(self._trunk(line, bends) for line, bends in layers.trunks.items())
        width = max(x + place.right for x, place in zip(self.x, layers.places, strict=True))
        return Layout(width, self.bottom[-1], at, routes, trunks)

    def _box_top(self, box: int) -> float:
        row, height = self.layers.row[box], self.layers.heights[box]
        # A little box beside a large one stands near its top: the way goes on from there.
        return self.top[row] + min((self.bottom[row] - self.top[row] - height) / 2, 24.0)

    def _route(self, i: int, link: Link) -> Route:
        layers = self.layers
        back = i in layers.frame.back
        bend, joined = layers.bends[i]
        points = self._leave(layers.frame.number[link.source], i, back) + self._through(bend, back)
        if joined is None:
            points += self._arrive(layers.frame.number[link.target], back)
        else:
            points += self._through(joined, back)[:1]
        middle = (self.x[bend], (self.top[layers.row[bend]] + self.bottom[layers.row[bend]]) / 2)
        return Route(_slim(points), middle if link.width else None, arrow=joined is None)

    def _trunk(self, line: _Shared, bends: dict[int, int]) -> Trunk:
        points: list[Point] = []
        for row in sorted(bends, reverse=line.back):
            points += self._through(bends[row], line.back)
        points += self._arrive(self.layers.frame.number[line.box], line.back)
        return Trunk(line.box, line.bundle, _slim(points))

    def _through(self, bend: int, back: bool) -> list[Point]:
        """Straight through a row: whatever stands in it stands beside."""
        row = self.layers.row[bend]
        points = [(self.x[bend], self.top[row]), (self.x[bend], self.bottom[row])]
        return points[::-1] if back else points

    def _leave(self, box: int, line: _Line, back: bool) -> list[Point]:
        return self._edge(box, self.ports[box, line, back], back)

    def _arrive(self, box: int, back: bool) -> list[Point]:
        return self._edge(box, self.ports[box, None, not back], not back)[::-1]

    def _edge(self, box: int, x: float, at_top: bool) -> list[Point]:
        """From the outline of a box to the edge of its row."""
        row = self.layers.row[box]
        shape = self.layers.frame.boxes[box]
        inwards = shape.slope * abs(x - self.x[box])
        upper = self._box_top(box)
        if at_top:
            return [(x, upper + inwards), (x, self.top[row])]
        return [(x, upper + shape.height - inwards), (x, self.bottom[row])]


def _near(xs: Sequence[float], middle: float, span: float) -> float:
    """Where on its edge a box is best left for, or reached from, these places."""
    offset = sum(xs) / len(xs) - middle
    if len(xs) > 1:
        return 0.0
    if abs(offset) <= span:
        return offset
    return 0.6 * span if offset > 0 else -0.6 * span


def _spread(wanted: Sequence[float], span: float) -> list[float]:
    """Offsets in the given order, as near to the wanted ones as a gap between them and the edge allow."""
    gap = min(_PORT_GAP, 2 * span / max(len(wanted) - 1, 1))
    # Without the gaps the offsets only have to ascend: neighbours that do not are given their mean.
    blocks: list[tuple[float, int]] = []
    for i, value in enumerate(wanted):
        blocks.append((value - i * gap, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, n), (b, m) = blocks[-2:]
            blocks[-2:] = [((a * n + b * m) / (n + m), n + m)]
    level = [value for value, size in blocks for _ in range(size)]
    last = span - gap * (len(level) - 1)
    return [min(max(value, -span), last) + i * gap for i, value in enumerate(level)]


def _slim(points: Sequence[Point]) -> tuple[Point, ...]:
    """Without the points that only repeat, or lie on the straight line between their neighbours."""
    kept: list[Point] = []
    for point in points:
        if kept and abs(kept[-1][0] - point[0]) < 0.01 and abs(kept[-1][1] - point[1]) < 0.01:
            continue
        if len(kept) > 1 and abs(kept[-1][0] - point[0]) < 0.01 and abs(kept[-2][0] - point[0]) < 0.01:
            kept.pop()
        kept.append(point)
    return tuple(kept)
