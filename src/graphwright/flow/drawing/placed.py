"""The layout of a graph whose boxes an editor has placed: room is made where they overlap, and lines are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from graphwright.flow.drawing.boxes import Box, Layout, Link, Point, Rect, Route

_GAP = 24.0
_MOST_STRETCH = 4.0
_STEP = 120.0
_SAMPLES = 12


def placed(boxes: Sequence[Box], links: Sequence[Link], places: Mapping[str, Point]) -> Layout | None:
    """The boxes at their places (upper left corners), all of them stretched apart until no two overlap.

    Boxes without a place stand around: what begins above what it leads to, what ends below everything. None where
    stretching does not help, as when two boxes have the same place. Links from a box to itself are left out.
    """
    stretch = _stretch(boxes, places)
    if stretch > _MOST_STRETCH:
        return None
    at = {id: (x * stretch, y * stretch) for id, (x, y) in places.items()}
    taken = _Taken()
    for box in boxes:
        if box.id in at:
            taken.add(_rect(box, at[box.id]))
    for box in boxes:
        if box.id not in at:
            at[box.id] = _beside(box, boxes, links, at, taken)
            taken.add(_rect(box, at[box.id]))
    by_id = {box.id: box for box in boxes}
    routes = {
        number: _route(by_id[link.source], by_id[link.target], at, link, taken)
        for number, link in enumerate(links)
        if link.source != link.target
    }
    return _from_corner(by_id, at, links, routes)


def _stretch(boxes: Sequence[Box], places: Mapping[str, Point]) -> float:
    """By how much all distances must grow until the boxes are apart."""
    found = 1.0
    ordered = sorted((box for box in boxes if box.id in places), key=lambda box: places[box.id])
    for i, a in enumerate(ordered):
        ax, ay = places[a.id]
        for b in ordered[i + 1 :]:
            bx, by = places[b.id]
            if bx - ax >= a.width + a.beside + _GAP:
                break
            upper = a if ay <= by else b
            needs = ((a.width + a.beside + _GAP, bx - ax), (upper.height + _GAP, abs(by - ay)))
            found = max(found, min((need / has if has > 0 else float("inf")) for need, has in needs))
    return found


def _beside(box: Box, boxes: Sequence[Box], links: Sequence[Link], at: Mapping[str, Point], taken: _Taken) -> Point:
    """A free place for a mark: above what it leads to, or below everything where nothing leaves it."""
    by_id = {other.id: other for other in boxes}
    target = next((by_id[link.target] for link in links if link.source == box.id and link.target in at), None)
    if target is None:
        sources = [at[link.source][0] + by_id[link.source].width / 2 for link in links if link.target == box.id]
        x = sum(sources) / len(sources) if sources else 0.0
        return x - box.width / 2, max(at[id][1] + by_id[id].height for id in at) + 2 * _GAP
    x, y = at[target.id]
    place = (x + target.width / 2 - box.width / 2, y - box.height - 1.5 * _GAP)
    while taken.hits(_rect(box, place)):
        place = (place[0], place[1] - _GAP)
    return place


def _route(source: Box, target: Box, at: Mapping[str, Point], link: Link, taken: _Taken) -> Route:
    """The way that runs through the fewest boxes; among equal ones the plainest."""
    own = (_rect(source, at[source.id]), _rect(target, at[target.id]))
    ways = list(_ways(*own, source, target))
    best = min(ways, key=lambda way: sum(taken.hits((x, y, 0.0, 0.0), own) for x, y in _samples(*way)))
    points, sideways = best
    label: Point | None = None
    if link.width:
        spots = [_at(*best, part) for part in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)]
        rects = [(x - link.width / 2, y - link.height / 2, link.width, link.height) for x, y in spots]
        free = next((i for i, rect in enumerate(rects) if not taken.hits(rect)), 0)
        label = spots[free]
        taken.add(rects[free])
    return Route(points, label, course="sideways" if sideways else "upright")


_Curve = tuple[tuple[Point, Point], bool]
"""A curve between two points, and whether it begins and ends sideways."""


def _ways(a: Rect, b: Rect, source: Box, target: Box) -> Iterator[_Curve]:
    ax, bx = a[0] + a[2] / 2, b[0] + b[2] / 2
    down, up = b[1] - (a[1] + a[3]) >= _GAP / 2, a[1] - (b[1] + b[3]) >= _GAP / 2
    # A line upwards stands a little aside, so that it does not lie on the one downwards between the same boxes.
    for part in (0.0, 0.7, -0.7) if down else (0.4, -0.4, 0.8, -0.8) if up else ():
        start, end = ax + part * source.span, bx + part * target.span
        dips = source.slope * abs(start - ax), target.slope * abs(end - bx)
        if down:
            yield ((start, a[1] + a[3] - dips[0]), (end, b[1] + dips[1])), False
        else:
            yield ((start, a[1] + dips[0]), (end, b[1] + b[3] - dips[1])), False
    ay, by = a[1] + a[3] / 2, b[1] + b[3] / 2
    rightwards = b[0] >= a[0] + a[2]
    if rightwards or a[0] >= b[0] + b[2]:
        ends = source.side(a[:2], ay, right=rightwards), target.side(b[:2], by, right=not rightwards)
        yield ((ends[0], ay), (ends[1], by)), True


def _at(points: tuple[Point, Point], sideways: bool, part: float) -> Point:
    """A point of the curve; `part` is 0 at its beginning and 1 at its end."""
    (ax, ay), (bx, by) = points
    ease = part * part * (3 - 2 * part)
    straight = 3 * part * (1 - part) ** 2 * 0.5 + 3 * part * part * (1 - part) * 0.5 + part**3
    along, across = (straight, ease) if sideways else (ease, straight)
    return ax + (bx - ax) * along, ay + (by - ay) * across


def _samples(points: tuple[Point, Point], sideways: bool) -> Iterator[Point]:
    for i in range(1, _SAMPLES):
        yield _at(points, sideways, i / _SAMPLES)


def _rect(box: Box, at: Point) -> Rect:
    return at[0], at[1], box.width + box.beside, box.height


class _Taken:
    """Rectangles in use, found by where they are."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], list[Rect]] = {}

    def _cells_of(self, rect: Rect) -> Iterator[tuple[int, int]]:
        x, y, width, height = rect
        for column in range(int(x // _STEP), int((x + width) // _STEP) + 1):
            for row in range(int(y // _STEP), int((y + height) // _STEP) + 1):
                yield column, row

    def add(self, rect: Rect) -> None:
        for cell in self._cells_of(rect):
            self._cells.setdefault(cell, []).append(rect)

    def hits(self, rect: Rect, besides: tuple[Rect, ...] = ()) -> bool:
        """Whether it touches one of them, the ones named `besides` left out."""
        return any(
            other not in besides and _overlap(rect, other)
            for cell in self._cells_of(rect)
            for other in self._cells.get(cell, ())
        )


def _overlap(a: Rect, b: Rect) -> bool:
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def _from_corner(
    boxes: Mapping[str, Box], at: Mapping[str, Point], links: Sequence[Link], routes: Mapping[int, Route]
) -> Layout:
    """The layout moved so that it begins at (0, 0)."""
    rects = [_rect(boxes[id], place) for id, place in at.items()]
    for number, route in routes.items():
        if route.label:
            width, height = links[number].width, links[number].height
            rects.append((route.label[0] - width / 2, route.label[1] - height / 2, width, height))
    left, top = min(r[0] for r in rects), min(r[1] for r in rects)
    width, height = max(r[0] + r[2] for r in rects) - left, max(r[1] + r[3] for r in rects) - top
    return Layout(width, height, dict(at), dict(routes)).moved(-left, -top)
