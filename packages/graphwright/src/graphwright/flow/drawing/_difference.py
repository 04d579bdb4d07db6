"""Two flows as one SVG: what was added, removed and changed is marked by a sign, by its line and by its colour."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from graphwright.drawing.picture import Box, Edge, Text, texts
from graphwright.drawing.svg import BLUE, GREY, RED, YELLOW, Heading, LegendItem, Look, picture_svg
from graphwright.flow import compiled
from graphwright.flow.compiled import EXIT, ROOT, Action, Call, CompiledFlow, Graph, Node, Question
from graphwright.flow.difference import Difference, Entry, summary
from graphwright.flow.drawing._picture import Nested
from graphwright.text.sentences import bounded, one_line

_SIGNS = {"added": "+", "removed": "−", "changed": "~"}
_STYLES: Mapping[str, tuple[str, Look, str]] = {
    "added": ("+ added", BLUE, "stroke-width:2.8"),
    "removed": ("− removed", RED, "stroke-dasharray:6 4"),
    "changed": ("~ changed, moved or renamed", YELLOW, "stroke-width:2.2"),
    "same": ("the same", GREY, ""),
}
_WIDTH = 190.0
_LENGTH = 60


def difference_svg(found: Difference) -> str:
    """Both flows in one SVG document, ending in a newline: the later one, and the removed parts of the earlier one."""
    merged = _Merging(found).flow()
    picture = _Marked(merged, found).of[ROOT]
    title = one_line(found.after.title or found.after.id, 2 * _LENGTH)
    below = Text(f"{found.before.hash[:12]} → {found.after.hash[:12]}", "code")
    words = f"The difference of two flows. {summary(found)}"
    heading = Heading(title, below, words, f"gw-{found.before.hash[:8]}-{found.after.hash[:8]}")
    legend = [LegendItem(name, text, "box") for name, (text, _, _) in _STYLES.items()]
    looks = {name: look for name, (_, look, _) in _STYLES.items()}
    return picture_svg(picture, heading, looks, legend, _sheet())


def _sheet() -> str:
    """The lines of boxes and edges: they differ without their colours, too."""
    marked = {name: (look, line) for name, (_, look, line) in _STYLES.items() if line}
    lines = [f".gw .gw-{n} .gw-shape,.gw .gw-{n} .gw-line{{{line}}}" for n, (_, line) in marked.items()]
    light = [_colours(name, look.stroke) for name, (look, _) in marked.items()]
    dark = [_colours(name, look.dark_stroke) for name, (look, _) in marked.items()]
    return "".join([*lines, *light, "@media (prefers-color-scheme:dark){", *dark, "}"])


def _colours(name: str, colour: str) -> str:
    """The colours of a marked edge and of its label."""
    tips = f".gw .gw-{name} .gw-tip,.gw .gw-{name}.gw-label text"
    return f".gw .gw-{name} .gw-line{{stroke:{colour}}}{tips}{{fill:{colour}}}"


class _MergedFlow(CompiledFlow):
    """A flow with nodes of two versions. A removed call may name a graph that is not drawn."""

    def callees(self, node: Call) -> list[str]:
        return [graph for graph in super().callees(node) if graph in self.graphs]


@dataclass
class _Merging:
    """Adds to the later flow the nodes, edges and subgraphs that it no longer has."""

    found: Difference
    nodes: dict[str, dict[str, Node]] = field(default_factory=dict)

    def flow(self) -> CompiledFlow:
        before, after = self.found.before, self.found.after
        self.nodes = {id: dict(graph.nodes) for id, graph in after.graphs.items()}
        for entry in self.found.of("node", "removed"):
            node = before.nodes[entry.name]
            self.nodes.setdefault(node.graph, {})[node.id] = replace(node, edges=(), otherwise=None)
        for graph, own in self.nodes.items():
            self.nodes[graph] = {id: _without_lost_jumps(node, own) for id, node in own.items()}
        for graph, edge in self._lost_edges():
            own = self.nodes.get(graph, {})
            # An edge of a node that is in another graph now has no place.
            if edge.source in own and (edge.target in own or edge.target == EXIT):
                own[edge.source] = replace(own[edge.source], edges=(*own[edge.source].edges, edge))
        graphs = {id: self._graph(id, own) for id, own in self.nodes.items()}
        values: dict[str, Any] = {name: getattr(after, name) for name in CompiledFlow.__dataclass_fields__}
        values["graphs"] = graphs
        values["nodes"] = {node.id: node for graph in graphs.values() for node in graph.nodes.values()}
        values["document"] = self._document(graphs)
        return _MergedFlow(**values)

    def _lost_edges(self) -> Iterable[tuple[str, compiled.Edge]]:
        """The edges of the earlier flow that lead elsewhere now or are gone, each with its graph."""
        now = {node.was: node.id for node in self.found.changes.nodes if node.was and node.id}
        gone = {entry.keys[0] for entry in self.found.of("edge") if entry.change == "removed" or _redirected(entry)}
        for node in self.found.before.nodes.values():
            for edge in node.all_edges:
                if edge.id in gone:
                    source, target = now.get(edge.source, edge.source), now.get(edge.target, edge.target)
                    yield node.graph, replace(edge, id=f" {edge.id}", source=source, target=target)

    def _graph(self, id: str, own: dict[str, Node]) -> Graph:
        known = self.found.after.graphs.get(id) or self.found.before.graphs[id]
        entry = known.entry if known.entry in own else next(iter(own))
        count = iter(range(1_000_000))
        nodes = {
            name: replace(
                node,
                edges=tuple(replace(edge, index=next(count)) for edge in node.edges),
                otherwise=None if node.otherwise is None else replace(node.otherwise, index=next(count)),
            )
            for name, node in own.items()
        }
        return replace(known, entry=entry, nodes=nodes)

    def _document(self, graphs: Mapping[str, Graph]) -> dict[str, Any]:
        """Return the titles of the graphs. Styles from an editor are left out: their colours would hide the marks."""
        documents = {
            id: {
                **_titles(self.found.before, id),
                **_titles(self.found.after, id),
                "nodes": [],
                "edges": [{}] * _edges(graph),
            }
            for id, graph in graphs.items()
        }
        return {**documents.pop(ROOT), "subgraphs": documents}


def _titles(flow: CompiledFlow, graph: str) -> dict[str, Any]:
    written = flow.document if graph == ROOT else flow.document.get("subgraphs", {}).get(graph, {})
    return {name: written[name] for name in ("title", "label") if name in written}


def _edges(graph: Graph) -> int:
    return sum(len(node.all_edges) for node in graph.nodes.values())


def _redirected(entry: Entry) -> bool:
    return any(detail.field == "to" for detail in entry.details)


def _without_lost_jumps(node: Node, own: Mapping[str, Node]) -> Node:
    if isinstance(node, Question) and node.on_invalid and node.on_invalid not in own:
        return replace(node, on_invalid="")
    if isinstance(node, Action) and node.on_error and node.on_error not in own:
        return replace(node, on_error="")
    return node


class _Marked(Nested):
    """The picture of a merged flow, with marks."""

    def __init__(self, flow: CompiledFlow, found: Difference) -> None:
        self._marks = {entry.name: entry for entry in found.of("node") if not entry.layout_only}
        self._edge_marks = {entry.keys[1]: entry for entry in found.of("edge") if entry.keys[1]}
        super().__init__(flow)

    def boxes(self, graph: Graph) -> list[Box]:
        return [self._box(box) if box.id in self.flow.nodes else box for box in super().boxes(graph)]

    def _box(self, box: Box) -> Box:
        entry = self._marks.get(box.id)
        if entry is None:
            return replace(box, kind="same")
        lines = (replace(box.lines[0], text=f"{_sign(entry)} {box.lines[0].text}"), *box.lines[1:])
        lines += texts(_note(entry), "text", _WIDTH, 2) if _note(entry) else ()
        room = max(line.width for line in lines) - max(line.width for line in box.lines)
        taller = sum(line.height for line in lines) - sum(line.height for line in box.lines)
        grown = (2.1 if box.shape == "diamond" else 1.0) * taller
        about = "\n".join(filter(None, (_note(entry), box.about)))
        width, height = (
            box.width + max(room, 0.0) + (2.1 * grown if box.shape == "diamond" else 0.0),
            box.height + grown,
        )
        return replace(box, kind=_state(entry), lines=lines, width=width, height=height, about=about)

    def edges(self, graph: Graph) -> list[Edge]:
        """The edges with their marks: first the entry, then the edges in document order, then jumps."""
        known = sorted((edge for node in graph.nodes.values() for edge in node.all_edges), key=lambda edge: edge.index)
        start, *rest = super().edges(graph)
        marked = [self._edge(drawn, edge) for drawn, edge in zip(rest, known, strict=False)]
        return [start, *marked, *rest[len(known) :]]

    def _edge(self, drawn: Edge, edge: compiled.Edge) -> Edge:
        entry = self._edge_marks.get(edge.id)
        state = "removed" if edge.id.startswith(" ") else _state(entry) if entry is not None else ""
        if not state:
            return drawn
        first, *rest = drawn.lines or (Text("", "text"),)
        lines = [replace(first, text=f"{_SIGNS[state]} {first.text}".rstrip()), *rest]
        guards = [detail for detail in entry.details if detail.field == "guard"] if entry is not None else []
        for detail in guards:
            before = "always open" if detail.before is None else one_line(detail.before, _LENGTH)
            lines += texts(f"was {before}", "text", _WIDTH)
            lines += texts(detail.relation, "text", _WIDTH) if detail.relation != "unknown" else ()
        return replace(drawn, style=state, lines=tuple(lines))

    def _frame(self, graphs: tuple[str, ...], call: str = "") -> Box:
        box = super()._frame(graphs, call)
        entry = self._marks.get(call)
        if entry is None:
            return box
        title = replace(box.lines[0], text=f"{_sign(entry)} {box.lines[0].text}")
        return replace(box, lines=(title, *box.lines[1:]))


def _state(entry: Entry) -> str:
    return entry.change if entry.change in ("added", "removed") else "changed"


def _sign(entry: Entry) -> str:
    return _SIGNS[_state(entry)]


def _note(entry: Entry) -> str:
    """Return a short text with the changes of a node."""
    parts = [f"was {entry.was}"] if entry.was else []
    parts += [f"from {entry.was_graph or 'the root'}"] if entry.was_graph is not None else []
    parts += [bounded(list(dict.fromkeys(detail.field for detail in entry.details)), 4)] if entry.details else []
    return one_line(", ".join(parts), 2 * _LENGTH)
