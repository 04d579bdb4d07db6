"""The lines of a picture: edges and jumps with their labels, and which of them are too long to be drawn out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from graphwright.flow.compiled import EXIT, Edge, Graph
from graphwright.flow.drawing.boxes import Course, Link, Point, Route, Trunk
from graphwright.flow.drawing.hints import colour_in
from graphwright.flow.drawing.lettering import wrapped
from graphwright.flow.drawing.shapes import CODE_SIZE, TEXT_SIZE, Line
from graphwright.flow.drawing.wording import ANYWHERE, Jump, edges_of, guard_text, short

Style = Literal["plain", "else", "jump"]
"""An edge, an `else` edge, or a way that no edge describes."""

START, EXITS, FROM_ANYWHERE = " start", " exit", " anywhere"
"""The boxes of a graph that are no nodes: the id of a node does not begin with a space."""

_LABEL_WIDTH = 170.0
_LABEL_PAD = 4.0
_FAR = 30
_MOST_BENDS = 4_000


@dataclass(frozen=True, slots=True)
class Way:
    """A line from `source` to `target` with its label; without a source it is the end that several share.

    `points` and `course` are those of a `Route`, empty as long as it is not laid out. `about` is the whole text.
    """

    style: Style
    source: str
    target: str
    lines: tuple[Line, ...] = ()
    about: str = ""
    colour: str = ""
    points: tuple[Point, ...] = ()
    label: Point | None = None
    arrow: bool = True
    course: Course = "upright"

    @property
    def label_size(self) -> tuple[float, float]:
        """Width and height, (0, 0) without a label."""
        if not self.lines:
            return 0.0, 0.0
        return max(line.width for line in self.lines) + 2 * _LABEL_PAD, sum(line.height for line in self.lines) + 2

    @property
    def link(self) -> Link:
        return Link(self.source, self.target, *self.label_size, bundle=f"{self.style} {self.colour}")

    def along(self, route: Route) -> Way:
        """The way as it was laid out."""
        return replace(self, points=route.points, label=route.label, arrow=route.arrow, course=route.course)


def trunk_way(trunk: Trunk) -> Way:
    """The line that bundled ways end on."""
    style, _, colour = trunk.bundle.partition(" ")
    found: Style = "else" if style == "else" else "jump" if style == "jump" else "plain"
    return Way(found, "", trunk.target, colour=colour, points=trunk.points, course=trunk.course)


def ways_of(graph: Graph, written: Mapping[str, Any], jumps: Sequence[Jump]) -> Iterator[Way]:
    """Every line of a graph; `written` is the graph as the document has it."""
    yield Way("plain", START, graph.entry)
    raw = written.get("edges") or ()
    for edge in edges_of(graph):
        yield Way(
            "else" if edge.is_else else "plain",
            edge.source,
            EXITS if edge.target == EXIT else edge.target,
            _edge_lines(edge),
            _edge_about(edge),
            colour_in(raw[edge.index].get("ui")),
        )
    for jump in jumps:
        source = FROM_ANYWHERE if jump.source == ANYWHERE else jump.source
        yield Way("jump", source, jump.target, (Line(jump.label, "text"),), jump.label)


def longest(ways: Sequence[Way], lengths: Sequence[int]) -> int:
    """Across how many rows a line may lead so that it can be followed, and there are not too many bends in all.

    `lengths` are those of the ways, in rows.
    """

    def bends(most: int) -> int:
        trunks: dict[tuple[str, str, str], int] = {}
        for way, length in zip(ways, lengths, strict=True):
            if length <= most:
                trunk = (way.target, way.style, way.colour)
                trunks[trunk] = max(trunks.get(trunk, 0), length)
        return sum(2 * length for length in trunks.values())

    low, high = 1, _FAR
    while low < high:
        middle = (low + high + 1) // 2
        if bends(middle) <= _MOST_BENDS:
            low = middle
        else:
            high = middle - 1
    return low


def loops_of(ways: Iterable[Way]) -> dict[str, list[Way]]:
    """By box, the ways that leave it and come back."""
    found: dict[str, list[Way]] = {}
    for way in ways:
        if way.source == way.target:
            found.setdefault(way.source, []).append(way)
    return found


def _edge_lines(edge: Edge) -> tuple[Line, ...]:
    lines = [Line(text, "text") for text in wrapped(edge.label, TEXT_SIZE, _LABEL_WIDTH, 1)]
    guard = short(guard_text(edge))
    if edge.is_else:
        return (*lines, Line(guard, "text"))
    return (*lines, *(Line(text, "code") for text in wrapped(guard, CODE_SIZE, _LABEL_WIDTH, 2, mono=True)))


def _edge_about(edge: Edge) -> str:
    target = "exit" if edge.target == EXIT else edge.target
    priority = f"priority {edge.priority}" if edge.priority else ""
    return "\n".join(text for text in (f"{edge.source} → {target}", edge.label, guard_text(edge), priority) if text)
