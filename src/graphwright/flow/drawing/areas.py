"""The inside of one graph: its nodes, marks and lines laid out, with room for the subgraphs drawn inside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graphwright.flow.compiled import ACTIVE_PATH, EXIT, ROOT, Call, CompiledFlow, Graph
from graphwright.flow.drawing.boxes import Box, Layout, Point, loop_routes, with_loops
from graphwright.flow.drawing.hints import place_in
from graphwright.flow.drawing.layers import layered, spans
from graphwright.flow.drawing.lettering import text_width
from graphwright.flow.drawing.nesting import homes
from graphwright.flow.drawing.placed import placed
from graphwright.flow.drawing.shapes import CODE_SIZE, TITLE_SIZE, Shape, mark, node_shape, pill
from graphwright.flow.drawing.ways import EXITS, FROM_ANYWHERE, START, Way, longest, loops_of, trunk_way, ways_of
from graphwright.flow.drawing.wording import ANYWHERE, Jump, called, edges_of, jumps, title_of

MARGIN = 18.0
"""Pixels between a frame and what stands in it."""

HEADER = 46.0
"""The height of a frame's heading."""

_APART = 40.0
_WIDEST_HEADING = 420.0
_WIDE = 1_500.0


@dataclass(frozen=True, slots=True)
class Nest:
    """A frame to be, with its heading: around the area of one graph, or around the frames of all `graphs` of a call.

    `call` is the node that it is drawn in the place of, if it is.
    """

    box: Box
    graphs: tuple[str, ...]
    call: str
    single: bool
    title: str
    below: str
    x: float = 0.0
    y: float = 0.0


@dataclass(slots=True)
class Area:
    """The inside of a graph, from (0, 0)."""

    width: float = 0.0
    height: float = 0.0
    shapes: list[Shape] = field(default_factory=list)
    nests: list[Nest] = field(default_factory=list)
    ways: list[Way] = field(default_factory=list)

    def take(
        self, layout: Layout, things: Mapping[str, Shape | Nest], ways: Sequence[Way], *, sideways: bool = False
    ) -> None:
        """Add what a layout has placed."""
        for id, (x, y) in layout.at.items():
            thing = things[id]
            if isinstance(thing, Nest):
                self.nests.append(replace(thing, x=x, y=y))
            else:
                self.shapes.append(replace(thing, x=x, y=y))
        self.ways += [way.along(layout.routes[number]) for number, way in enumerate(ways) if way.source != way.target]
        self.ways += [trunk_way(trunk) for trunk in layout.trunks]
        for id, loops in loops_of(ways).items():
            routes = loop_routes(things[id].box, layout.at[id], [way.link for way in loops], below=sideways)
            self.ways += [way.along(route) for way, route in zip(loops, routes, strict=True)]


class Areas:
    """The areas of a flow, inner graphs first: how much room a graph needs depends on those inside it."""

    def __init__(self, flow: CompiledFlow) -> None:
        self.flow = flow
        self.homes = homes(flow)
        subgraphs = flow.document.get("subgraphs") or {}
        self.written: dict[str, Mapping[str, Any]] = {ROOT: flow.document, **subgraphs}
        """Every graph as the document has it."""
        self.fields: dict[str, Mapping[str, Any]] = {
            raw["id"]: raw for document in self.written.values() for raw in document.get("nodes") or () if "id" in raw
        }
        """Every node as the document has it."""
        self._jumps: dict[str, list[Jump]] = {}
        for jump in jumps(flow):
            # A confirmation is no way: the action says itself what it waits for.
            if jump.label != "confirms":
                self._jumps.setdefault(flow.nodes[jump.target].graph, []).append(jump)
        self._held: dict[str, list[str]] = {}
        self._loose: dict[str, list[str]] = {}
        for graph, home in self.homes.items():
            (self._held if home.call else self._loose).setdefault(home.call or home.graph, []).append(graph)
        self.of: dict[str, Area] = {}
        for graph in [*reversed(self.homes), ROOT]:
            self.of[graph] = self._area(flow.graphs[graph])

    def nest(self, graphs: tuple[str, ...], call: str = "") -> Nest:
        """A frame as large as what stands in it."""
        node = self.flow.nodes.get(call)
        single = not (isinstance(node, Call) and node.ref == ACTIVE_PATH)
        if single:
            area = self.of[graphs[0]]
            width, height = area.width + 2 * MARGIN, area.height + HEADER + MARGIN
        else:
            boxes = [self.nest((graph,)).box for graph in graphs]
            width = sum(box.width for box in boxes) + MARGIN * (len(boxes) + 1)
            height = max(box.height for box in boxes) + HEADER + MARGIN
        title, below = title_of(self.flow, graphs[0]), graphs[0]
        if isinstance(node, Call):
            title = node.label or (title if single else node.id)
            elsewhere = [title_of(self.flow, graph) for graph in called(self.flow, node) if graph not in graphs]
            below = f"{node.id} → {graphs[0] if single else 'the chosen path'}"
            below += f", also {', '.join(elsewhere)}" if elsewhere else ""
            below += f" · answers.{node.scope}" if node.scope else ""
        heading = max(text_width(title, TITLE_SIZE, bold=True), text_width(below, CODE_SIZE, mono=True))
        width = max(width, min(heading, _WIDEST_HEADING) + 2 * MARGIN)
        box = Box(call or f" graph {graphs[0]}", width, height, span=width / 2 - MARGIN)
        return Nest(box, graphs, call, single, title, below)

    def _area(self, graph: Graph) -> Area:
        ways = list(ways_of(graph, self.written[graph.id], self._jumps.get(graph.id, ())))
        area = self._by_hand(graph, ways)
        beside = [self.nest((inner,)) for inner in self._loose.get(graph.id, ())]
        if area is None:
            area = self._in_layers(graph, ways)
        else:
            # Where somebody else decided how much room there is, calls stay small and the subgraphs stand beside.
            held = [inner for node in graph.nodes for inner in self._held.get(node, ())]
            beside += [self.nest((inner,)) for inner in held]
        _add_beside(area, beside)
        return area

    def _by_hand(self, graph: Graph, ways: Sequence[Way]) -> Area | None:
        """The graph as an editor has placed it, where it has placed every node."""
        places: dict[str, Point] = {}
        for id in graph.nodes:
            at = place_in(self.fields.get(id, {}).get("ui"))
            if at is None:
                return None
            places[id] = (float(at["x"]), float(at["y"]))
        shapes = _with_loops(self._shapes(graph, nested=False), ways)
        layout = placed([shape.box for shape in shapes.values()], [way.link for way in ways], places)
        if layout is None:
            return None
        area = Area(layout.width, layout.height)
        area.take(layout, shapes, ways)
        return area

    def _in_layers(self, graph: Graph, ways: Sequence[Way]) -> Area:
        """The graph from top to bottom, or, where that would be very wide, from left to right."""
        things, ways = _without_long_ways(self._shapes(graph, nested=True), ways)
        area = _by_parts(things, ways, sideways=False)
        if area.width > _WIDE and area.width > 2 * area.height:
            turned = _by_parts(things, ways, sideways=True)
            return min(area, turned, key=lambda found: max(found.width, found.height))
        return area

    def _shapes(self, graph: Graph, *, nested: bool) -> dict[str, Shape | Nest]:
        """What stands in a graph; with `nested`, calls that hold subgraphs are frames."""
        found: dict[str, Shape | Nest] = {START: mark(START, "start")}
        for node in graph.nodes.values():
            fields = self.fields.get(node.id, {})
            if not isinstance(node, Call):
                found[node.id] = node_shape(node, fields)
            elif nested and node.id in self._held:
                found[node.id] = self.nest(tuple(self._held[node.id]), node.id)
            else:
                graphs = called(self.flow, node)
                titles = ", ".join(title_of(self.flow, inner) for inner in graphs)
                shape = node_shape(node, fields, f"see {titles}" if titles else "")
                found[node.id] = replace(shape, leads_to_graph=graphs[0] if graphs else "")
        if any(edge.target == EXIT for edge in edges_of(graph)):
            found[EXITS] = mark(EXITS, "exit")
        if any(jump.source == ANYWHERE for jump in self._jumps.get(graph.id, ())):
            found[FROM_ANYWHERE] = pill(FROM_ANYWHERE, "anywhere", "from anywhere")
        return found


def _by_parts(things: Mapping[str, Shape | Nest], ways: Sequence[Way], *, sideways: bool) -> Area:
    """Every part that hangs together laid out by itself; the one that begins at the entry is the main one."""
    things = _with_loops(things, ways, sideways=sideways)
    layouts: list[tuple[Layout, list[Way]]] = []
    for part in _parts(list(things), ways):
        inside = set(part)
        own = [way for way in ways if way.source in inside]
        boxes, links = [things[id].box for id in part], [way.link for way in own]
        layouts.append((layered(boxes, links, sideways=sideways), own))
    area = Area()
    places = _around([(layout.width, layout.height) for layout, _ in layouts])
    for (layout, own), (x, y) in zip(layouts, places, strict=True):
        area.take(layout.moved(x, y), things, own, sideways=sideways)
        area.width = max(area.width, x + layout.width)
        area.height = max(area.height, y + layout.height)
    return area


def _with_loops(
    things: Mapping[str, Shape | Nest], ways: Iterable[Way], *, sideways: bool = False
) -> dict[str, Shape | Nest]:
    """Boxes that lines leave and come back to have room for them."""
    found = dict(things)
    for id, loops in loops_of(ways).items():
        larger = with_loops(found[id].box, [way.link for way in loops], below=sideways)
        found[id] = replace(found[id], box=larger)
    return found


def _without_long_ways(
    things: dict[str, Shape | Nest], ways: Sequence[Way]
) -> tuple[dict[str, Shape | Nest], Sequence[Way]]:
    """Lines that nobody could follow, because they lead across too much, end in a box that names their target."""
    lengths = spans([thing.box for thing in things.values()], [way.link for way in ways])
    most = longest(ways, lengths)
    things, kept = dict(things), []
    for number, (way, length) in enumerate(zip(ways, lengths, strict=True)):
        if length > most:
            id = f" to {number}"
            things[id] = pill(id, "to", f"→ {way.target.strip()}", leads_to="" if way.target == EXITS else way.target)
            way = replace(way, target=id)
        kept.append(way)
    return things, kept


def _parts(ids: Sequence[str], ways: Iterable[Way]) -> list[list[str]]:
    """The boxes that hang together, in their order."""
    root = {id: id for id in ids}

    def find(id: str) -> str:
        while root[id] != id:
            root[id] = root[root[id]]
            id = root[id]
        return id

    for way in ways:
        root[find(way.target)] = find(way.source)
    parts: dict[str, list[str]] = {}
    for id in ids:
        parts.setdefault(find(id), []).append(id)
    return list(parts.values())


def _add_beside(area: Area, nests: Sequence[Nest]) -> None:
    """Frames that no call holds stand beside the rest."""
    places = _around([(area.width, area.height), *((nest.box.width, nest.box.height) for nest in nests)])
    for nest, (x, y) in zip(nests, places[1:], strict=True):
        area.nests.append(replace(nest, x=x, y=y))
        area.width = max(area.width, x + nest.box.width)
        area.height = max(area.height, y + nest.box.height)


def _around(sizes: Sequence[tuple[float, float]]) -> list[Point]:
    """Places for a main area, the first, and for others beside it: in columns at its right, or in rows below it."""
    (width, height), *others = sizes
    columns = height > width
    # Columns are found as rows would be, with x and y changing places.
    most = max(height if columns else width, 600.0)
    found: list[Point] = [(0.0, 0.0)]
    along, across, deepest = 0.0, (width if columns else height) + _APART, 0.0
    for wide, high in others:
        length, depth = (high, wide) if columns else (wide, high)
        if along and along + length > most:
            along, across, deepest = 0.0, across + deepest + _APART, 0.0
        found.append((across, along) if columns else (along, across))
        along += length + _APART
        deepest = max(deepest, depth)
    return found
