"""A flow as shapes, frames and lines with places: what a renderer needs to draw it, and nothing about how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from graphwright.flow.compiled import ROOT, CompiledFlow
from graphwright.flow.drawing.areas import HEADER, MARGIN, Areas, Nest
from graphwright.flow.drawing.boxes import Rect, moved
from graphwright.flow.drawing.hints import colour_in
from graphwright.flow.drawing.shapes import Shape, about
from graphwright.flow.drawing.ways import Way

_AROUND_GROUP = 7.0


@dataclass(frozen=True, slots=True)
class Frame:
    """The box around a subgraph, or around a call that may enter several of them.

    `graph` is the subgraph and `node` the call that it is drawn in; one of them may be empty. `inside` is the number
    of the frame around it, -1 for the picture itself. `rect` is in pixels.
    """

    graph: str
    node: str
    inside: int
    title: str
    below: str
    about: str
    colour: str
    rect: Rect


@dataclass(frozen=True, slots=True)
class Region:
    """The outline around the nodes of a group that an editor has made."""

    name: str
    rect: Rect


@dataclass(slots=True)
class Picture:
    """Everything in places relative to the upper left corner, in pixels; outer frames before inner ones.

    `within` tells for every shape the number of its frame, -1 for none.
    """

    width: float
    height: float
    frames: list[Frame] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    within: list[int] = field(default_factory=list)
    ways: list[Way] = field(default_factory=list)


def picture(flow: CompiledFlow) -> Picture:
    """Lay out a flow: every node once, subgraphs as frames where `homes` says, nothing on top of anything else."""
    return _Painter(Areas(flow)).picture()


class _Painter:
    """Puts the areas of a flow into one another, from the outside."""

    def __init__(self, areas: Areas) -> None:
        self.areas = areas
        root = areas.of[ROOT]
        self.drawn = Picture(root.width, root.height)
        self.pending: list[tuple[str, float, float, int]] = [(ROOT, 0.0, 0.0, -1)]

    def picture(self) -> Picture:
        while self.pending:
            self._area(*self.pending.pop())
        return self.drawn

    def _area(self, graph: str, x: float, y: float, frame: int) -> None:
        area, drawn = self.areas.of[graph], self.drawn
        shapes = [replace(shape, x=shape.x + x, y=shape.y + y) for shape in area.shapes]
        drawn.shapes += shapes
        drawn.within += [frame] * len(shapes)
        drawn.ways += [_moved(way, x, y) for way in area.ways]
        nests = [replace(nest, x=nest.x + x, y=nest.y + y) for nest in area.nests]
        drawn.regions += _regions(shapes, [(n.x, n.y, n.box.width, n.box.height) for n in nests])
        for nest in nests:
            self._frame(nest, frame)

    def _frame(self, nest: Nest, inside: int) -> None:
        areas = self.areas
        graph = nest.graphs[0] if nest.single else ""
        node = areas.flow.nodes.get(nest.call)
        hints = (areas.fields.get(nest.call, {}), areas.written[graph] if graph else {})
        rect = (nest.x, nest.y, nest.box.width, nest.box.height)
        frame = Frame(
            graph=graph,
            node=nest.call,
            inside=inside,
            title=nest.title,
            below=nest.below,
            about=about(node) if node else f"subgraph {graph}",
            colour=next(filter(None, (colour_in(hint.get("ui")) for hint in hints)), ""),
            rect=rect,
        )
        self.drawn.frames.append(frame)
        number = len(self.drawn.frames) - 1
        if graph:
            left = nest.x + (nest.box.width - areas.of[graph].width) / 2
            self.pending.append((graph, left, nest.y + HEADER, number))
            return
        held_all = [areas.nest((inner,)) for inner in nest.graphs]
        taken = sum(held.box.width for held in held_all) + MARGIN * (len(held_all) - 1)
        left = nest.x + (nest.box.width - taken) / 2
        for held in held_all:
            self._frame(replace(held, x=left, y=nest.y + HEADER), number)
            left += held.box.width + MARGIN


def _moved(way: Way, dx: float, dy: float) -> Way:
    label = None if way.label is None else (way.label[0] + dx, way.label[1] + dy)
    return replace(way, points=moved(way.points, dx, dy), label=label)


def _regions(shapes: Sequence[Shape], others: Sequence[Rect]) -> list[Region]:
    """Outlines around the members of each group: one where nobody else stands between them, else one each."""
    groups: dict[str, list[Shape]] = {}
    for shape in shapes:
        if shape.group:
            groups.setdefault(shape.group, []).append(shape)
    found: list[Region] = []
    for name, members in groups.items():
        whole = _outline(name, members)
        strangers = [*others, *(shape.rect for shape in shapes if shape.group != name)]
        alone = not any(_overlap(whole.rect, rect) for rect in strangers)
        found += [whole] if alone else [_outline(name, [member]) for member in members]
    return found


def _outline(name: str, members: Sequence[Shape]) -> Region:
    left = min(shape.x for shape in members) - _AROUND_GROUP
    top = min(shape.y for shape in members) - _AROUND_GROUP
    right = max(shape.x + shape.box.width for shape in members) + _AROUND_GROUP
    bottom = max(shape.y + shape.box.height for shape in members) + _AROUND_GROUP
    return Region(name, (left, top, right - left, bottom - top))


def _overlap(a: Rect, b: Rect) -> bool:
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]
