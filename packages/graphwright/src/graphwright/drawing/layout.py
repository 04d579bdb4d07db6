"""The layered layout of a picture, in which no edge runs through a box."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import sqrt

from graphwright.drawing._sugiyama import Vertex, assign_coordinates, assign_layers, back_edges, reduce_crossings
from graphwright.drawing.picture import (
    Box,
    Edge,
    Picture,
    Point,
    loops_by_box,
    pill,
    routed_loops,
    with_room_for_loops,
)

__all__ = ["arranged"]

_GAP, _CLOSE_GAP = 26.0, 14.0
"""Pixels between neighbours, and between the rows of a layout around a box."""

_LINE = 3.0
"""Half the width of an edge without a label, in pixels."""

_PORT_GAP = 14.0
_LOW_STEP, _HIGH_STEP = 18.0, 64.0
"""Pixels between two layers: if all edges are straight, and if one has to go far sideways."""

_APART = 40.0
"""Pixels between parts of a picture that are not connected by an edge."""

_WIDE = 1_500.0
"""The width in pixels from which a much wider than high picture is also laid out from left to right."""

_MOST_LAYERS = 30
_MOST_BENDS = 4_000
"""The maximum number of layers that an edge crosses, and the maximum number of bends in one picture."""


def arranged(boxes: Sequence[Box], edges: Sequence[Edge], *, around: bool = False) -> Picture:
    """Lay out boxes and edges, from top to bottom or, if that is very wide, from left to right.

    The first box is at the top. Boxes do not overlap; labels overlap neither each other nor boxes; edges keep clear of
    all boxes except their ends. Unconnected parts are laid out separately. An edge that crosses too many layers to be
    followed ends in a small box that names its target.

    With `around` all edges run upwards, without a cycle, and layers with many boxes that no edge leads to are split.
    """
    boxes, edges = _without_long_edges(boxes, edges, around)
    found = _by_components(boxes, edges, around, sideways=False)
    if around or (found.width > _WIDE and found.width > 2 * found.height):
        turned = _by_components(boxes, edges, around, sideways=True)
        return min(found, turned, key=lambda each: max(each.width, each.height))
    return found


def with_beside(picture: Picture, boxes: Sequence[Box]) -> Picture:
    """The picture with more boxes, which have no edges, to its right or below it."""
    return _packed([picture, *(Picture(box.width, box.height, (box,)) for box in boxes)])


def _by_components(boxes: Sequence[Box], edges: Sequence[Edge], around: bool, *, sideways: bool) -> Picture:
    most = int((2 if sideways else 1) * sqrt(len(boxes))) + 4 if around else None
    return _packed([_Layers(part, own, sideways, most).picture() for part, own in _components(boxes, edges)])


def _components(boxes: Sequence[Box], edges: Sequence[Edge]) -> Iterable[tuple[list[Box], list[Edge]]]:
    """The connected components, each with boxes and edges; the component of the first box comes first."""
    part = {box.id: [box.id] for box in boxes}
    for edge in edges:
        small, large = sorted((part[edge.source], part[edge.target]), key=len)
        if small is not large:
            large += small
            part.update(dict.fromkeys(small, large))
    found: dict[int, tuple[list[Box], list[Edge]]] = {}
    for box in boxes:
        found.setdefault(id(part[box.id]), ([], []))[0].append(box)
    for edge in edges:
        found[id(part[edge.source])][1].append(edge)
    return found.values()


def _packed(pictures: Sequence[Picture]) -> Picture:
    """The first picture with the others next to it: in columns to its right, or in rows below it."""
    found = pictures[0]
    columns = found.height > found.width
    most = max(found.width, found.height, 600.0)
    along, across, deepest = 0.0, min(found.width, found.height) + _APART, 0.0
    for other in pictures[1:]:
        length, depth = (other.height, other.width) if columns else (other.width, other.height)
        if along and along + length > most:
            along, across, deepest = 0.0, across + deepest + _APART, 0.0
        found = found.joined(other.moved(across, along) if columns else other.moved(along, across))
        along += length + _APART
        deepest = max(deepest, depth)
    return found


def _layers(boxes: Sequence[Box], edges: Sequence[Edge], most: int | None) -> tuple[list[int], set[int]]:
    """The layer of each box, and the indexes of the edges that are drawn upwards: all, if a layer has a limit."""
    number = {box.id: i for i, box in enumerate(boxes)}
    kept = [i for i, edge in enumerate(edges) if edge.source != edge.target]
    arcs = [(number[edges[i].source], number[edges[i].target]) for i in kept]
    back = back_edges(len(boxes), arcs) if most is None else set(range(len(arcs)))
    down = [(b, a) if i in back else (a, b) for i, (a, b) in enumerate(arcs)]
    return assign_layers(len(boxes), down, most), {kept[i] for i in back}


def _without_long_edges(
    boxes: Sequence[Box], edges: Sequence[Edge], around: bool
) -> tuple[Sequence[Box], Sequence[Edge]]:
    """End edges that cross too many layers in a separate box, as many as needed to limit the bends."""
    layers, _ = _layers(boxes, edges, len(boxes) if around else None)
    layer = {box.id: found for box, found in zip(boxes, layers, strict=True)}
    length = [abs(layer[edge.target] - layer[edge.source]) for edge in edges]
    # Edges with one trunk share their bends.
    trunks = [(edge.target, edge.style, edge.colour) for edge in edges]

    def bends(most: int) -> int:
        shared = {trunk: far for far, trunk in sorted(zip(length, trunks, strict=True)) if far <= most}
        return 2 * sum(shared.values())

    most = next((most for most in range(_MOST_LAYERS, 1, -1) if bends(most) <= _MOST_BENDS), 1)
    by_id = {box.id: box for box in boxes}
    ends = {i: by_id[edge.target] for i, edge in enumerate(edges) if length[i] > most}
    named = [
        pill(f" to {i}", "to", f"→ {box.id.strip()}", dict(box.attributes).get("id", "")) for i, box in ends.items()
    ]
    return [*boxes, *named], [replace(edge, target=f" to {i}") if i in ends else edge for i, edge in enumerate(edges)]


_Trunk = tuple[str, str, str, bool]
"""The common end of several edges: their target, style and colour, and whether they are drawn upwards."""

_Line = int | _Trunk
"""The owner of a segment: an edge by its index, or a trunk."""

_Segment = tuple[int, int, _Line, bool]
"""A piece of a line between two layers: its upper and its lower vertex, and whether it is drawn upwards."""

_Port = tuple[int, _Line | str, bool]
"""The place at which a line meets a box: the box, the line (a text for several arriving ones), whether at the top.
"""


class _Layers:
    """One layout in progress, as one from top to bottom; a `sideways` layout is turned at the beginning and the end.

    Vertices are the boxes, by their index, and the bends of edges. Boxes are in layers with even numbers. Next to its
    source every edge has its first bend, in an odd layer, which carries its label.
    """

    def __init__(self, boxes: Sequence[Box], edges: Sequence[Edge], sideways: bool, most: int | None) -> None:
        self.loops = loops_by_box(edges)
        self.boxes = [with_room_for_loops(box, self.loops.get(box.id, ()), sideways=sideways) for box in boxes]
        self.edges, self.sideways, self.around = edges, sideways, most is not None
        self.number = {box.id: i for i, box in enumerate(boxes)}
        layers, self.back = _layers(boxes, edges, most)
        self.vertices: list[Vertex] = []
        for box, layer in zip(self.boxes, layers, strict=True):
            across, along = self._turned((box.width, box.height))
            self.vertices.append(Vertex(2 * layer, across / 2, across / 2 + box.beside, along))
        self.segments: list[_Segment] = []
        self.bends: dict[int, tuple[int, int | None]] = {}
        """By edge: its first bend, and the bend of the trunk that it joins."""
        self.trunks: dict[_Trunk, dict[int, int]] = {}
        """By trunk: its bends by their layers, from its beginning."""
        for i, edge in enumerate(edges):
            if edge.source != edge.target:
                self._add_edge(i, edge)
        for line, trunk in self.trunks.items():
            layers_of = sorted(trunk, reverse=line[3])
            self.trunks[line] = {layer: trunk[layer] for layer in layers_of}
            for here, there in pairwise([*self.trunks[line].values(), self.number[line[0]]]):
                self._add_segment(here, there, line, line[3])

    def _turned(self, point: Point) -> Point:
        return point[::-1] if self.sideways else point

    def _add_edge(self, i: int, edge: Edge) -> None:
        back = i in self.back
        source, target = self.number[edge.source], self.number[edge.target]
        step = -1 if back else 1
        own, *shared = range(self.vertices[source].layer + step, self.vertices[target].layer, step)
        bend = self._add_bend(own, *self._turned(edge.label_size))
        trunk = self.trunks.setdefault((edge.target, edge.style, edge.colour, back), {}) if shared else {}
        for layer in shared:
            if layer not in trunk:
                trunk[layer] = self._add_bend(layer, 0.0, 0.0)
        joined = trunk[shared[0]] if shared else None
        self.bends[i] = (bend, joined)
        self._add_segment(source, bend, i, back)
        self._add_segment(bend, target if joined is None else joined, i, back)

    def _add_bend(self, layer: int, across: float, along: float) -> int:
        half = max(across / 2, _LINE)
        self.vertices.append(Vertex(layer, half, half, along, is_bend=True))
        return len(self.vertices) - 1

    def _add_segment(self, before: int, after: int, line: _Line, back: bool) -> None:
        self.segments.append((after, before, line, back) if back else (before, after, line, back))

    def picture(self) -> Picture:
        below: list[list[int]] = [[] for _ in self.vertices]
        above: list[list[int]] = [[] for _ in self.vertices]
        for upper, lower, *_ in self.segments:
            below[upper].append(lower)
            above[lower].append(upper)
        if self.around:
            # Longer ways are placed in the middle, so that their continuations spread to both sides.
            further = {bend for trunk in self.trunks.values() for bend in trunk.values()}
            for children in below:
                ends = [vertex for vertex in children if vertex not in further]
                half = len(ends) // 2
                children[:] = [*ends[:half], *(vertex for vertex in children if vertex in further), *ends[half:]]
        layers = reduce_crossings(self.vertices, above, below)
        gap = _CLOSE_GAP if self.around and self.sideways else _GAP
        self.x = assign_coordinates(self.vertices, layers, above, below, gap)
        self.ports = self._assign_ports()
        self._assign_heights(layers)
        width = max(x + vertex.right for x, vertex in zip(self.x, self.vertices, strict=True))
        size = self._turned((width, self.bottom[-1]))
        boxes = tuple(self._placed(i, box) for i, box in enumerate(self.boxes))
        edges = [self._routed(i, boxes) for i in self.bends]
        edges += [self._routed_trunk(line, boxes) for line in self.trunks]
        for id, loops in self.loops.items():
            edges += routed_loops(boxes[self.number[id]], loops, sideways=self.sideways)
        return Picture(*size, boxes, tuple(edges))

    def _assign_ports(self) -> dict[_Port, float]:
        """The x of each port, at which segments meet the boxes."""
        sides: dict[tuple[int, bool], dict[_Line | str, list[float]]] = {}
        for upper, lower, line, back in self.segments:
            for box, other, at_top in ((lower, upper, True), (upper, lower, False)):
                if box < len(self.boxes):
                    side = sides.setdefault((box, at_top), {})
                    side.setdefault(line if back == at_top else self._arrival(line), []).append(self.x[other])
        ports: dict[_Port, float] = {}
        for (box, at_top), side in sides.items():
            reach = self.boxes[box].reach(sideways=self.sideways)
            # Edges that come from further left arrive further left, so that they do not cross.
            arrivals = sorted(side.items(), key=lambda item: sum(item[1]) / len(item[1]))
            wanted = [_nearest(xs, self.x[box], reach) for _, xs in arrivals]
            for (found, _), offset in zip(arrivals, _spread(wanted, reach), strict=True):
                ports[box, found, at_top] = self.x[box] + offset
        return ports

    def _arrival(self, line: _Line) -> str:
        """The name of a port for arriving edges: all share one or, in a layout around a box, those of one style."""
        style = self.edges[line].style if isinstance(line, int) else line[1]
        return style if self.around else ""

    def _assign_heights(self, layers: Sequence[Sequence[int]]) -> None:
        """Set the upper and the lower side of each layer: edges that go far sideways need more space."""
        steps = [0.0] * len(layers)
        for upper, lower, line, back in self.segments:
            a = self.ports.get((upper, self._arrival(line) if back else line, False), self.x[upper])
            b = self.ports.get((lower, line if back else self._arrival(line), True), self.x[lower])
            layer = self.vertices[upper].layer
            steps[layer] = max(steps[layer], abs(a - b))
        self.top: list[float] = []
        self.bottom: list[float] = []
        y = 0.0
        for step, members in zip(steps, layers, strict=True):
            self.top.append(y)
            self.bottom.append(y + max(self.vertices[i].height for i in members))
            y = self.bottom[-1] + min(_HIGH_STEP, _LOW_STEP + step / 9)

    def _box_top(self, box: int) -> float:
        layer = self.vertices[box].layer
        room = self.bottom[layer] - self.top[layer] - self.vertices[box].height
        # A small box next to a large one is placed near its top, because the way continues there.
        return self.top[layer] + min(room / 2, 24.0)

    def _placed(self, i: int, box: Box) -> Box:
        x, y = self._turned((self.x[i] - self.vertices[i].left, self._box_top(i)))
        return replace(box, x=x, y=y)

    def _routed(self, i: int, boxes: Sequence[Box]) -> Edge:
        edge, back = self.edges[i], i in self.back
        bend, joined = self.bends[i]
        (x, y), (_, end) = self._through(bend, back)
        middle = (y + end) / 2
        before = [*self._to_side((self.number[edge.source], i, back)), (x, y)]
        after = [(x, end)]
        if joined is None:
            after += self._to_side((self.number[edge.target], self._arrival(i), not back))[::-1]
        else:
            after += self._through(joined, back)[:1]
        edge = replace(edge, arrow=joined is None)
        if not edge.lines:
            return self._ended(edge, _slim(before + after), boxes)
        half = self._turned(edge.label_size)[1] / (-2 if back else 2)
        points = _slim([*before, (x, middle - half)]) + _slim([(x, middle + half), *after])
        return self._ended(replace(edge, label=self._turned((x, middle))), points, boxes)

    def _routed_trunk(self, line: _Trunk, boxes: Sequence[Box]) -> Edge:
        target, style, colour, back = line
        points = [point for bend in self.trunks[line].values() for point in self._through(bend, back)]
        points += self._to_side((self.number[target], self._arrival(line), not back))[::-1]
        return self._ended(Edge("", target, style, colour=colour), _slim(points), boxes)

    def _ended(self, edge: Edge, points: Sequence[Point], boxes: Sequence[Box]) -> Edge:
        """The edge with these points. The first and the last point are moved to the outlines of its boxes."""
        found = [self._turned(point) for point in points]
        if edge.source:
            found[0] = boxes[self.number[edge.source]].on_outline(found[0], sideways=self.sideways)
        if edge.arrow:
            found[-1] = boxes[self.number[edge.target]].on_outline(found[-1], sideways=self.sideways)
        return replace(edge, points=tuple(found), course="sideways" if self.sideways else "upright")

    def _through(self, bend: int, back: bool) -> list[Point]:
        """A straight line through a layer, next to its boxes."""
        layer = self.vertices[bend].layer
        points = [(self.x[bend], self.top[layer]), (self.x[bend], self.bottom[layer])]
        return points[::-1] if back else points

    def _to_side(self, port: _Port) -> list[Point]:
        """The line from a box to the side of its layer."""
        (box, _, at_top), x = port, self.ports[port]
        layer, top = self.vertices[box].layer, self._box_top(box)
        if at_top:
            return [(x, top), (x, self.top[layer])]
        return [(x, top + self.vertices[box].height), (x, self.bottom[layer])]


def _nearest(xs: Sequence[float], middle: float, reach: float) -> float:
    """The best place on the side of a box for lines to these places, as an offset from its middle."""
    offset = xs[0] - middle
    if len(xs) > 1:
        return 0.0
    if abs(offset) <= reach:
        return offset
    return 0.6 * reach if offset > 0 else -0.6 * reach


def _spread(wanted: Sequence[float], reach: float) -> list[float]:
    """Offsets in the given order, as near to the wanted ones as the gap between them and the side allow."""
    gap = min(_PORT_GAP, 2 * reach / max(len(wanted) - 1, 1))
    # Without the gaps the offsets only have to ascend: neighbours that do not get their mean.
    blocks: list[tuple[float, int]] = []
    for i, value in enumerate(wanted):
        blocks.append((value - i * gap, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, n), (b, m) = blocks[-2:]
            blocks[-2:] = [((a * n + b * m) / (n + m), n + m)]
    level = [value for value, size in blocks for _ in range(size)]
    last = reach - gap * (len(level) - 1)
    return [min(max(value, -reach), last) + i * gap for i, value in enumerate(level)]


def _slim(points: Iterable[Point]) -> list[Point]:
    """Remove repeated points, and points on the vertical line between their neighbours."""
    kept: list[Point] = []
    for point in points:
        if kept and abs(kept[-1][0] - point[0]) < 0.01 and abs(kept[-1][1] - point[1]) < 0.01:
            continue
        if len(kept) > 1 and abs(kept[-1][0] - point[0]) < 0.01 and abs(kept[-2][0] - point[0]) < 0.01:
            kept.pop()
        kept.append(point)
    return kept
