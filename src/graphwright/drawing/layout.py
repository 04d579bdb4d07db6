"""The layout of a picture in layers, so that no edge runs through a box."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import sqrt

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
from graphwright.drawing.sugiyama import Vertex, assign_coordinates, assign_layers, back_edges, reduce_crossings

_GAP, _CLOSE_GAP = 26.0, 14.0
"""Pixels between what stands side by side, and between the rows of a layout around a box."""

_LINE = 3.0
"""Half the width that an edge without a label takes."""

_PORT_GAP = 14.0
_LOW_STEP, _HIGH_STEP = 18.0, 64.0
"""Pixels between two layers: where all edges go straight on, and where one has to go far aside."""

_APART = 40.0
"""Pixels between parts of a picture that no edge joins."""

_WIDE = 1_500.0
"""From this width on, a picture that is much wider than high is tried from left to right."""

_MOST_LAYERS = 30
_MOST_BENDS = 4_000
"""Across how many layers an edge can be followed, and how many bends one picture has at most."""


def arranged(boxes: Sequence[Box], edges: Sequence[Edge], *, around: bool = False) -> Picture:
    """Places for boxes and routes for edges, from top to bottom or, where that is very wide, from left to right.

    The first box stands at the top. Boxes do not overlap, labels neither each other nor boxes, and edges keep clear
    of all boxes but their ends. What no edge joins is laid out by itself. An edge that nobody could follow, because
    it leads across too many layers, ends in a small box that names its target.

    With `around` all edges run upwards, without a cycle, and layers with many boxes that no edge leads to are split.
    """
    boxes, edges = _without_long_edges(boxes, edges, around)
    found = _by_components(boxes, edges, around, sideways=False)
    if around or (found.width > _WIDE and found.width > 2 * found.height):
        turned = _by_components(boxes, edges, around, sideways=True)
        return min(found, turned, key=lambda each: max(each.width, each.height))
    return found


def with_beside(picture: Picture, boxes: Sequence[Box]) -> Picture:
    """The picture with more boxes, which no edge reaches, at its right or below it."""
    return _packed([picture, *(Picture(box.width, box.height, (box,)) for box in boxes)])


def _by_components(boxes: Sequence[Box], edges: Sequence[Edge], around: bool, *, sideways: bool) -> Picture:
    most = int((2 if sideways else 1) * sqrt(len(boxes))) + 4 if around else None
    return _packed([_Layers(part, own, sideways, most).picture() for part, own in _components(boxes, edges)])


def _components(boxes: Sequence[Box], edges: Sequence[Edge]) -> Iterable[tuple[list[Box], list[Edge]]]:
    """The boxes that hang together with their edges; the component of the first box comes first."""
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
    """The first picture and the others beside it: in columns at its right, or in rows below it."""
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
    """The layer of each box, and the numbers of the edges that are drawn upwards: all, where a layer has a limit."""
    number = {box.id: i for i, box in enumerate(boxes)}
    kept = [i for i, edge in enumerate(edges) if edge.source != edge.target]
    arcs = [(number[edges[i].source], number[edges[i].target]) for i in kept]
    back = back_edges(len(boxes), arcs) if most is None else set(range(len(arcs)))
    down = [(b, a) if i in back else (a, b) for i, (a, b) in enumerate(arcs)]
    return assign_layers(len(boxes), down, most), {kept[i] for i in back}


def _without_long_edges(
    boxes: Sequence[Box], edges: Sequence[Edge], around: bool
) -> tuple[Sequence[Box], Sequence[Edge]]:
    """Edges that lead across too many layers end in a box of their own, as many as leave few enough bends."""
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
"""The end that several edges share: their target, style and colour, and whether they are drawn upwards."""

_Line = int | _Trunk
"""What a segment belongs to: an edge by its number, or a trunk."""

_Segment = tuple[int, int, _Line, bool]
"""A piece of a line between two layers: its upper and its lower vertex, and whether it is drawn upwards."""

_Port = tuple[int, _Line | str, bool]
"""Where a line meets a box: the box, the line (a text for several that arrive) and whether it is the upper side."""


class _Layers:
    """One layout under way, as one from top to bottom; what runs `sideways` is turned at the beginning and the end.

    Vertices are the boxes, by their number, and the bends of edges. Boxes stand in layers with even numbers; next to
    its source every edge has a bend of its own in an odd layer, which carries its label.
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
        """By edge: its own bend, and the bend of the trunk that it joins."""
        self.trunks: dict[_Trunk, dict[int, int]] = {}
        """By trunk: its bends by their layers, from its beginning on."""
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
            # What goes further stands in the middle, so that what it leads to spreads to both sides.
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
        """Where segments meet the boxes."""
        sides: dict[tuple[int, bool], dict[_Line | str, list[float]]] = {}
        for upper, lower, line, back in self.segments:
            for box, other, at_top in ((lower, upper, True), (upper, lower, False)):
                if box < len(self.boxes):
                    side = sides.setdefault((box, at_top), {})
                    side.setdefault(line if back == at_top else self._arrival(line), []).append(self.x[other])
        ports: dict[_Port, float] = {}
        for (box, at_top), side in sides.items():
            reach = self.boxes[box].reach(sideways=self.sideways)
            # What comes from further left arrives further left, so that it crosses nothing.
            arrivals = sorted(side.items(), key=lambda item: sum(item[1]) / len(item[1]))
            wanted = [_nearest(xs, self.x[box], reach) for _, xs in arrivals]
            for (found, _), offset in zip(arrivals, _spread(wanted, reach), strict=True):
                ports[box, found, at_top] = self.x[box] + offset
        return ports

    def _arrival(self, line: _Line) -> str:
        """What arrives at one port: everything or, in a layout around a box, the edges of one style."""
        style = self.edges[line].style if isinstance(line, int) else line[1]
        return style if self.around else ""

    def _assign_heights(self, layers: Sequence[Sequence[int]]) -> None:
        """The upper and the lower side of each layer: the further edges go aside, the more room is between two."""
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
        # A little box beside a large one stands near its top: the way goes on from there.
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
        """The edge with these points, the first and the last of which lie on the outlines of its boxes."""
        found = [self._turned(point) for point in points]
        if edge.source:
            found[0] = boxes[self.number[edge.source]].on_outline(found[0], sideways=self.sideways)
        if edge.arrow:
            found[-1] = boxes[self.number[edge.target]].on_outline(found[-1], sideways=self.sideways)
        return replace(edge, points=tuple(found), course="sideways" if self.sideways else "upright")

    def _through(self, bend: int, back: bool) -> list[Point]:
        """Straight through a layer: whatever stands in it stands beside."""
        layer = self.vertices[bend].layer
        points = [(self.x[bend], self.top[layer]), (self.x[bend], self.bottom[layer])]
        return points[::-1] if back else points

    def _to_side(self, port: _Port) -> list[Point]:
        """From a box to the side of its layer."""
        (box, _, at_top), x = port, self.ports[port]
        layer, top = self.vertices[box].layer, self._box_top(box)
        if at_top:
            return [(x, top), (x, self.top[layer])]
        return [(x, top + self.vertices[box].height), (x, self.bottom[layer])]


def _nearest(xs: Sequence[float], middle: float, reach: float) -> float:
    """Where on its side a box is best left for, or reached from, these places; as an offset from its middle."""
    offset = xs[0] - middle
    if len(xs) > 1:
        return 0.0
    if abs(offset) <= reach:
        return offset
    return 0.6 * reach if offset > 0 else -0.6 * reach


def _spread(wanted: Sequence[float], reach: float) -> list[float]:
    """Offsets in the given order, as near to the wanted ones as a gap between them and the side allow."""
    gap = min(_PORT_GAP, 2 * reach / max(len(wanted) - 1, 1))
    # Without the gaps the offsets only have to ascend: neighbours that do not are given their mean.
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
    """Without the points that only repeat, or lie on the upright line between their neighbours."""
    kept: list[Point] = []
    for point in points:
        if kept and abs(kept[-1][0] - point[0]) < 0.01 and abs(kept[-1][1] - point[1]) < 0.01:
            continue
        if len(kept) > 1 and abs(kept[-1][0] - point[0]) < 0.01 and abs(kept[-2][0] - point[0]) < 0.01:
            kept.pop()
        kept.append(point)
    return kept
