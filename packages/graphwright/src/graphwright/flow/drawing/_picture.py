"""A flow as an SVG: its graphs laid out, subgraphs in frames, and a description of the picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphwright.drawing.layout import arranged, with_beside
from graphwright.drawing.picture import HEADER, MARGIN, Box, Picture, Text, overlap, texts
from graphwright.drawing.svg import BLUE, GREEN, GREY, PURPLE, YELLOW, Heading, LegendItem, picture_svg
from graphwright.flow.compiled import CHOSEN_PATH, ROOT, Call, CompiledFlow, Graph, Kind, Terminal
from graphwright.flow.drawing._elements import SHAPES, Elements, about_node, colour_in
from graphwright.text.sentences import bounded, one_line

_LOOKS = {"question": BLUE, "decision": YELLOW, "action": GREEN, "subgraph": PURPLE, "terminal": GREY}
_EDGE_STYLES = {
    "plain": "when its guard is true",
    "else": "else",
    "jump": "on an error, an invalid answer, a dead end, an escalation",
}

_WIDEST_HEADING = 420.0
_AROUND_GROUP = 7.0
_TITLE_LENGTH = 120


def svg(flow: CompiledFlow) -> str:
    """The flow as an SVG document, ending in a newline; the same flow always gives the same text.

    Every node is drawn once. A subgraph is a frame in place of the call that leads to it. A subgraph with several calls
    is drawn separately, and the calls are links to it. Full texts appear on hover. `colour` in `ui` colours nodes,
    edges and subgraphs; nodes with the same `group` in `ui` share an outline.
    """
    nested = Nested(flow)
    title = one_line(flow.title or flow.id, _TITLE_LENGTH)
    below = Text(one_line(flow.id, _TITLE_LENGTH) if flow.title else "", "code")
    kinds = {node.kind for node in flow.nodes.values()}
    styles = {edge.style for graph in flow.graphs.values() for edge in nested.edges(graph)}
    legend = [LegendItem(kind.value, kind.value, SHAPES[kind.value]) for kind in Kind if kind in kinds]
    legend += [LegendItem(style, meaning) for style, meaning in _EDGE_STYLES.items() if style in styles]
    heading = Heading(title, below, _description(flow), f"gw-{flow.hash[:8]}")
    return picture_svg(nested.of[ROOT], heading, _LOOKS, legend)


def picture(flow: CompiledFlow) -> Picture:
    """Lay out a flow: every node once, subgraphs as frames according to `homes`, without overlaps."""
    return Nested(flow).of[ROOT]


def _description(flow: CompiledFlow) -> str:
    """The picture in words, for screen readers."""
    counts = Counter(node.kind for node in flow.nodes.values())
    kinds = [f"{counts[kind]} {kind}{'s' if counts[kind] > 1 else ''}" for kind in Kind if counts[kind]]
    ends = [node.id for node in flow.nodes.values() if isinstance(node, Terminal)]
    inner = [graph for graph in flow.graphs if graph]
    parts = [f"A flow chart of {', '.join(kinds)}.", f"It begins at {flow.root.entry}."]
    parts += [f"It ends at {bounded(ends)}."] if ends else []
    parts += [f"Subgraphs: {bounded(inner)}."] if inner else []
    return " ".join(parts)


class Nested(Elements):
    """The picture of each graph, inner graphs first: the size of a graph depends on those inside it."""

    def __init__(self, flow: CompiledFlow) -> None:
        super().__init__(flow)
        self._held: dict[str, list[str]] = {}
        """The subgraphs at a call or in a graph, by the id of the call or graph."""
        for graph, home in self.homes.items():
            self._held.setdefault(f"call {home.call}" if home.call else f"graph {home.graph}", []).append(graph)
        self.of: dict[str, Picture] = {}
        for graph in [*reversed(self.homes), ROOT]:
            self.of[graph] = self._picture(flow.graphs[graph])

    def _picture(self, graph: Graph) -> Picture:
        boxes, edges = self.boxes(graph), self.edges(graph)
        beside = [self._frame((inner,)) for inner in self._held.get(f"graph {graph.id}", ())]
        frames = {id: self._frame(tuple(held), id) for id in graph.nodes if (held := self._held.get(f"call {id}"))}
        found = arranged([frames.get(box.id, box) for box in boxes], edges)
        found = replace(found, boxes=(*found.boxes, *_groups(found.boxes)))
        return with_beside(found, beside)

    def _frame(self, graphs: tuple[str, ...], call: str = "") -> Box:
        """A frame around the picture of one graph, or around the frames of all the paths that a call may enter."""
        node = self.flow.nodes.get(call)
        paths = isinstance(node, Call) and node.ref == CHOSEN_PATH
        inner = arranged([self._frame((graph,)) for graph in graphs], []) if paths else self.of[graphs[0]]
        title, below = self.title(graphs[0]), graphs[0]
        attributes = [("id", self.node_ids[call] if paths else self.graph_ids[graphs[0]])]
        attributes += [] if paths else [("data-graph", graphs[0])]
        hints: list[Mapping[str, Any]] = [] if paths else [self.documents[graphs[0]]]
        if isinstance(node, Call):
            title = node.label or (node.id if paths else title)
            elsewhere = [self.title(graph) for graph in self.flow.callees(node) if graph not in graphs]
            below = f"{node.id} → {'the chosen path' if paths else graphs[0]}"
            below += f", also {', '.join(elsewhere)}" if elsewhere else ""
            below += f" · answers.{node.scope}" if node.scope else ""
            attributes.append(("data-node", call))
            hints.insert(0, self.fields.get(call, {}))
        width = inner.width + 2 * MARGIN
        lines = texts(title, "title", max(width, _WIDEST_HEADING)) + texts(below, "code", max(width, _WIDEST_HEADING))
        return Box(
            call or f" graph {graphs[0]}",
            "subgraph",
            "frame",
            max(width, *(line.width + 2 * MARGIN for line in lines)),
            inner.height + HEADER + MARGIN,
            lines,
            about=about_node(node) if node else f"subgraph {graphs[0]}",
            colour=next(filter(None, (colour_in(hint.get("ui")) for hint in hints)), ""),
            attributes=tuple(attributes),
            inner=inner,
        )


def _groups(boxes: Sequence[Box]) -> list[Box]:
    """Outlines around the members of each group: one if no other node is between them, otherwise one for each."""
    groups: dict[str, list[Box]] = {}
    for box in boxes:
        if box.group:
            groups.setdefault(box.group, []).append(box)
    found: list[Box] = []
    for name, members in groups.items():
        whole = _group(name, members)
        alone = not any(overlap(whole.rect, box.rect) for box in boxes if box.group != name)
        found += [whole] if alone else [_group(name, [member]) for member in members]
    return found


def _group(name: str, members: Sequence[Box]) -> Box:
    left = min(box.x for box in members) - _AROUND_GROUP
    top = min(box.y for box in members) - _AROUND_GROUP
    width = max(box.x + box.width for box in members) + _AROUND_GROUP - left
    height = max(box.y + box.height for box in members) + _AROUND_GROUP - top
    return Box("", "group", "group", width, height, texts(name, "text", width), f"group {name}", x=left, y=top)
