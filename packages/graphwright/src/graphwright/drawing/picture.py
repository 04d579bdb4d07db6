"""The parts of a picture: lines of text, boxes, edges, and pictures inside of boxes; all measures are pixels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

from graphwright.drawing._text_metrics import text_width, wrapped

__all__ = ["Text", "texts", "Box", "Edge", "Picture"]

Point = tuple[float, float]
"""x to the right, y downwards."""

Rect = tuple[float, float, float, float]
"""x and y of the upper left corner, width, height."""

TextStyle = Literal["title", "text", "code"]
FONT_SIZES: dict[TextStyle, float] = {"title": 13.0, "text": 11.0, "code": 10.5}
_LINE_HEIGHTS: dict[TextStyle, float] = {"title": 17.0, "text": 14.5, "code": 14.0}

Shape = Literal["box", "double", "round", "slanted", "diamond", "pill", "dot", "ring", "frame", "group", "none"]
"""The outline of a box: a rectangle (with double sides, with round corners), a parallelogram, a diamond, a rectangle
with half-circles as sides, a disc, a circle around a disc, a border around an inner picture or other boxes, or none."""

Course = Literal["upright", "sideways", "loop"]
"""How the curves of an edge begin and end: vertically, horizontally, or as a loop at a box."""

SLANT = 12.0
"""The horizontal offset of the slanted sides of a parallelogram."""

HEADER = 46.0
MARGIN = 18.0
"""The height of a frame's heading, and the space between a frame and its content."""

_LABEL_PAD = 4.0
_LOOP, _LOOP_REACH = 36.0, 20.0


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text."""

    text: str
    style: TextStyle

    @property
    def height(self) -> float:
        return _LINE_HEIGHTS[self.style]

    @property
    def width(self) -> float:
        return text_width(self.text, FONT_SIZES[self.style], bold=self.style == "title", mono=self.style == "code")


def texts(text: str, style: TextStyle, width: float, count: int = 1) -> tuple[Text, ...]:
    """The text in at most `count` lines that are at most `width` pixels wide."""
    lines = wrapped(text, FONT_SIZES[style], width, count, bold=style == "title", mono=style == "code")
    return tuple(Text(line, style) for line in lines)


@dataclass(frozen=True, slots=True)
class Box:
    """A node of a picture; `x` and `y` are its upper left corner.

    `kind` names its colours, `about` is shown on hover. `attributes` are written into the SVG; a click leads to the
    element with the id `href`. `inner` is drawn inside a frame. The space `beside` is reserved for the loops of the
    box: on its right or, in a layout from left to right, below it.
    """

    id: str
    kind: str
    shape: Shape
    width: float
    height: float
    lines: tuple[Text, ...] = ()
    about: str = ""
    colour: str = ""
    group: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    href: str = ""
    inner: Picture | None = None
    beside: float = 0.0
    x: float = 0.0
    y: float = 0.0

    @property
    def rect(self) -> Rect:
        return self.x, self.y, self.width, self.height

    @property
    def middle(self) -> Point:
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def inner_at(self) -> Point:
        """The upper left corner of the inner picture."""
        width = self.inner.width if self.inner else 0.0
        return self.x + (self.width - width) / 2, self.y + HEADER

    def reach(self, *, sideways: bool) -> float:
        """The distance from their middle within which edges can meet its upper and lower (or left and right) sides."""
        along = self.height if sideways else self.width
        if self.shape in ("dot", "ring"):
            return 0.0
        if self.shape == "diamond" or (self.shape == "pill" and sideways):
            return along / 5
        corner = {"slanted": 2 * SLANT, "pill": self.height / 2, "frame": MARGIN}.get(self.shape, SLANT)
        return max(along / 2 - (8.0 if sideways else corner), 0.0)

    def on_outline(self, point: Point, *, sideways: bool) -> Point:
        """The point moved onto the nearer side of the outline: left or right if `sideways`, otherwise top or bottom."""
        x, y = point
        middle_x, middle_y = self.middle
        off_x, off_y = abs(x - middle_x), abs(y - middle_y)
        if not sideways:
            inwards = off_x * self.height / self.width if self.shape == "diamond" else 0.0
            return x, self.y + inwards if y < middle_y else self.y + self.height - inwards
        inwards = off_y * self.width / self.height if self.shape == "diamond" else 0.0
        if self.shape == "pill":
            inwards = self.height / 2 - sqrt(max(self.height**2 / 4 - off_y**2, 0.0))
        if self.shape == "slanted":
            risen = (self.y + self.height - y) / self.height
            inwards = SLANT * (1 - risen if x > middle_x else risen)
        return self.x + self.width - inwards if x > middle_x else self.x + inwards, y


def text_box(lines: tuple[Text, ...], x: float, y: float) -> Box:
    """Lines of text without a box; `x` and `y` are their upper left corner."""
    width, height = max(line.width for line in lines), sum(line.height for line in lines)
    return Box("", "note", "none", width, height, lines, "", x=x, y=y)


def pill(id: str, kind: str, text: str, href: str = "") -> Box:
    """A small box with one line, for a place outside of the picture or elsewhere in it."""
    lines = texts(text, "text", 150.0)
    return Box(id, kind, "pill", lines[0].width + 20, lines[0].height + 6, lines, text, href=href)


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of a picture with its label; `source` and `target` are ids of boxes.

    `style` is the name of its style. `points` begin at the source. Between two of them the line is straight if one is
    above the other (if `course` is sideways: next to the other), otherwise a curve. `label` is the middle of the label.
    An edge without `arrow` ends on the trunk that its target's edges share; a trunk is an edge without a source.
    """

    source: str
    target: str
    style: str = "plain"
    lines: tuple[Text, ...] = ()
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
    def label_rect(self) -> Rect:
        """The rectangle of the label, if it has a place."""
        (x, y), (width, height) = self.label or (0.0, 0.0), self.label_size
        return x - width / 2, y - height / 2, width, height


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes and edges with their places, relative to (0, 0)."""

    width: float
    height: float
    boxes: tuple[Box, ...] = ()
    edges: tuple[Edge, ...] = ()

    def moved(self, dx: float, dy: float) -> Picture:
        """The picture at another place; its size counts from (0, 0)."""

        def at(point: Point) -> Point:
            return point[0] + dx, point[1] + dy

        return Picture(
            self.width + dx,
            self.height + dy,
            tuple(replace(box, x=box.x + dx, y=box.y + dy) for box in self.boxes),
            tuple(
                replace(edge, points=tuple(map(at, edge.points)), label=None if edge.label is None else at(edge.label))
                for edge in self.edges
            ),
        )

    def joined(self, other: Picture) -> Picture:
        """Both pictures on one page."""
        width, height = max(self.width, other.width), max(self.height, other.height)
        return Picture(width, height, self.boxes + other.boxes, self.edges + other.edges)


def overlap(a: Rect, b: Rect) -> bool:
    """Whether two rectangles share more than a side."""
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def loops_by_box(edges: Iterable[Edge]) -> dict[str, list[Edge]]:
    """The edges that leave a box and return to it, by the id of the box."""
    found: dict[str, list[Edge]] = {}
    for edge in edges:
        if edge.source == edge.target:
            found.setdefault(edge.source, []).append(edge)
    return found


def with_room_for_loops(box: Box, loops: Sequence[Edge], *, sideways: bool = False) -> Box:
    """The box with space for its loops."""
    if not loops:
        return box
    along = sum(_loop_room(edge, sideways) for edge in loops)
    across = _LOOP_REACH + 8 + max(edge.label_size[sideways] for edge in loops)
    if sideways:
        return replace(box, width=max(box.width, along), beside=across)
    return replace(box, height=max(box.height, along), beside=across)


def routed_loops(box: Box, loops: Iterable[Edge], *, sideways: bool = False) -> list[Edge]:
    """The loops of a placed box one after the other, their labels beyond them."""
    found = []
    done = 0.0
    for edge in loops:
        middle = done + _loop_room(edge, sideways) / 2
        done += _loop_room(edge, sideways)
        ends = (middle - _LOOP_REACH / 2, middle + _LOOP_REACH / 2)
        width, height = edge.label_size
        if sideways:
            points = tuple(box.on_outline((box.x + end, box.y + box.height), sideways=False) for end in ends)
            label = box.x + middle, box.y + box.height + _LOOP_REACH + 4 + height / 2
        else:
            points = tuple(box.on_outline((box.x + box.width, box.y + end), sideways=True) for end in ends)
            label = box.x + box.width + _LOOP_REACH + 4 + width / 2, box.y + middle
        found.append(replace(edge, points=points, label=label if edge.lines else None, course="loop"))
    return found


def _loop_room(edge: Edge, sideways: bool) -> float:
    return max(_LOOP, edge.label_size[0 if sideways else 1] + 6)
