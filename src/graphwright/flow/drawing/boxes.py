"""What a layout takes and gives: boxes and links with their sizes, their places and ways, all in pixels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

Point = tuple[float, float]
"""x to the right, y downwards."""

Rect = tuple[float, float, float, float]
"""x and y of the upper left corner, width, height."""

Course = Literal["upright", "sideways", "loop"]
"""How the curves of a line begin and end: vertically, horizontally, or as one that leaves a box and comes back."""


@dataclass(frozen=True, slots=True)
class Box:
    """Something that stands in a picture.

    Links attach at its top and bottom, at most `span` pixels from the middle; there the outline lies `slope` pixels
    further in for each of them. Its sides lean to the right by `lean` pixels from bottom to top, or are round with
    that radius. `beside` is room that is kept free for its own loops, at its right or, in a layout from left to right,
    below it.
    """

    id: str
    width: float
    height: float
    span: float
    slope: float = 0.0
    lean: float = 0.0
    radius: float = 0.0
    beside: float = 0.0

    def side(self, at: Point, y: float, *, right: bool) -> float:
        """The x of its outline at a height, where its upper left corner is `at`."""
        x, top = at
        off = abs(y - top - self.height / 2)
        inwards = off / self.slope if self.slope else 0.0
        if self.radius:
            inwards = self.radius - sqrt(max(self.radius**2 - off**2, 0.0))
        risen = (top + self.height - y) / self.height
        return x + self.width - inwards - self.lean * (1 - risen) if right else x + inwards + self.lean * risen


@dataclass(frozen=True, slots=True)
class Link:
    """A line from one box to another, with a label of `width` by `height`; 0 means that it has none.

    Long links to the same box that have the same `bundle` run in one line as soon as they can.
    """

    source: str
    target: str
    width: float = 0.0
    height: float = 0.0
    bundle: str = ""


@dataclass(frozen=True, slots=True)
class Route:
    """The way of a link, from its source on.

    Between two points it is straight where they lie above (with a sideways course, beside) each other, else a curve.
    With `arrow` it ends at its target, else on a trunk. `label` is the middle of the label.
    """

    points: tuple[Point, ...]
    label: Point | None = None
    arrow: bool = True
    course: Course = "upright"


@dataclass(frozen=True, slots=True)
class Trunk:
    """The line in which several links of a `bundle` reach their target; like a route, it ends there."""

    target: str
    bundle: str
    points: tuple[Point, ...]
    course: Course = "upright"


@dataclass(frozen=True, slots=True)
class Layout:
    """The upper left corners of boxes by id, the routes of links by their number, and the whole size."""

    width: float
    height: float
    at: Mapping[str, Point]
    routes: Mapping[int, Route]
    trunks: tuple[Trunk, ...] = ()

    def moved(self, dx: float, dy: float) -> Layout:
        """The same elsewhere."""
        return replace(
            self,
            at={id: (x + dx, y + dy) for id, (x, y) in self.at.items()},
            routes={number: self._moved(route, dx, dy) for number, route in self.routes.items()},
            trunks=tuple(replace(trunk, points=moved(trunk.points, dx, dy)) for trunk in self.trunks),
        )

    @staticmethod
    def _moved(route: Route, dx: float, dy: float) -> Route:
        label = None if route.label is None else (route.label[0] + dx, route.label[1] + dy)
        return replace(route, points=moved(route.points, dx, dy), label=label)


def moved(points: Iterable[Point], dx: float, dy: float) -> tuple[Point, ...]:
    """The points elsewhere."""
    return tuple((x + dx, y + dy) for x, y in points)


_LOOP, _REACH = 36.0, 20.0


def with_loops(box: Box, links: Sequence[Link], *, below: bool = False) -> Box:
    """The box with room for lines that leave it and come back, at its right or `below` it."""
    along = sum(_room(link, below) for link in links)
    across = _REACH + 8 + max(link.height if below else link.width for link in links)
    if below:
        return replace(box, width=max(box.width, along), beside=across)
    return replace(box, height=max(box.height, along), beside=across)


def loop_routes(box: Box, at: Point, links: Sequence[Link], *, below: bool = False) -> list[Route]:
    """Those lines one after the other, their labels beyond them."""
    found = []
    x, y = at
    done = 0.0
    for link in links:
        middle = done + _room(link, below) / 2
        done += _room(link, below)
        ends = (middle - _REACH / 2, middle + _REACH / 2)
        label: Point
        if below:
            points = [(x + end, y + box.height) for end in ends]
            label = (x + middle, y + box.height + _REACH + 4 + link.height / 2)
        else:
            points = [(box.side(at, y + end, right=True), y + end) for end in ends]
            label = (x + box.width + _REACH + 4 + link.width / 2, y + middle)
        found.append(Route(tuple(points), label if link.width else None, course="loop"))
    return found


def _room(link: Link, below: bool) -> float:
    return max(_LOOP, (link.width if below else link.height) + 6)
