"""A flow for other programs: a Mermaid flowchart, and the node and edge lists of a visual editor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphwright.drawing.layout import arranged, with_beside
from graphwright.drawing.picture import Box
from graphwright.drawing.text_metrics import shortened
from graphwright.flow.compiled import EXIT, ROOT, Call, CompiledFlow, Edge, Graph, Node
from graphwright.flow.drawing.elements import (
    ANYWHERE,
    called,
    detail,
    edge_label,
    edges_of,
    guard_text,
    homes,
    jumps,
    place_in,
    title_of,
)
from graphwright.flow.drawing.picture import EXITS, Elements

_LABEL_LENGTH = 80
"""How many characters of a text stand in a Mermaid chart."""

_PADDING, _HEADER = 40, 40
"""The room around, and above, the nodes of a group in an editor, in pixels."""


def mermaid(flow: CompiledFlow) -> str:
    """The flow as a Mermaid flowchart, ending in a newline.

    Questions are slanted, decisions diamonds, actions boxes, subgraph calls double-edged, terminals rounded. Guards
    stand on the edges. A subgraph is drawn inside the graph that every way to it goes through. Dotted lines are the
    ways that no edge describes: calls, confirmations, and the jumps on errors, invalid answers and dead ends.
    """
    return "\n".join(_Mermaid(flow).lines()) + "\n"


_SHAPES = {
    "question": ('[/"', '"/]'),
    "decision": ('{"', '"}'),
    "action": ('["', '"]'),
    "subgraph": ('[["', '"]]'),
    "terminal": ('(["', '"])'),
}

_ENTITIES = str.maketrans({'"': "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "`": "#96;"})


def _escaped(text: str) -> str:
    return shortened(text, _LABEL_LENGTH).translate(_ENTITIES)


class _Mermaid:
    """Writes one flow; `names` gives each node and graph a name that Mermaid takes for no keyword."""

    def __init__(self, flow: CompiledFlow) -> None:
        self.flow = flow
        self.names: dict[tuple[str, str], str] = {}
        self.taken: set[str] = set()
        self.children: dict[str, list[str]] = {}
        for graph, home in homes(flow).items():
            self.children.setdefault(home.graph, []).append(graph)

    def name(self, kind: str, id: str) -> str:
        known = self.names.get((kind, id))
        if known is None:
            plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in id)
            known, count = f"{kind}_{plain}", 1
            while known in self.taken:
                count += 1
                known = f"{kind}_{plain}_{count}"
            self.taken.add(known)
            self.names[kind, id] = known
        return known

    def lines(self) -> Iterator[str]:
        yield "flowchart TD"
        yield '    start(("start"))'
        # An explicit stack, since subgraphs may nest deeper than Python calls; None closes a block.
        stack: list[tuple[str, int] | None] = [(ROOT, 0)]
        depth = 0
        while stack:
            top = stack.pop()
            if top is None:
                yield "    " * depth + "end"
                depth -= 1
                continue
            graph, depth = top
            if graph != ROOT:
                yield "    " * depth + f'subgraph {self.name("g", graph)}["{_escaped(title_of(self.flow, graph))}"]'
                stack.append(None)
            yield from self._nodes(self.flow.graphs[graph], "    " * (depth + 1))
            stack.extend((child, depth + 1) for child in reversed(self.children.get(graph, [])))
        yield f"    start --> {self.name('n', self.flow.root.entry)}"
        for found in self.flow.graphs.values():
            yield from self._ways(found)
        yield from self._jumps()

    def _nodes(self, graph: Graph, indent: str) -> Iterator[str]:
        for node in graph.nodes.values():
            opening, closing = _SHAPES[node.kind.value]
            below = _escaped(detail(node))
            label = _escaped(node.label or node.id) + (f"<br/>{below}" if below else "")
            yield f"{indent}{self.name('n', node.id)}{opening}{label}{closing}"
        if any(edge.target == EXIT for node in graph.nodes.values() for edge in node.all_edges):
            yield f'{indent}{self.name("x", graph.id)}((("exit")))'

    def _ways(self, graph: Graph) -> Iterator[str]:
        for edge in edges_of(graph):
            target = self.name("x", graph.id) if edge.target == EXIT else self.name("n", edge.target)
            label = _escaped(edge_label(edge))
            arrow = f'-->|"{label}"|' if label else "-->"
            yield f"    {self.name('n', edge.source)} {arrow} {target}"
        for node in graph.nodes.values():
            if isinstance(node, Call):
                for ref in called(self.flow, node):
                    entry = self.name("n", self.flow.graphs[ref].entry)
                    yield f'    {self.name("n", node.id)} -.->|"calls"| {entry}'

    def _jumps(self) -> Iterator[str]:
        for jump in jumps(self.flow):
            source = 'anywhere(("anywhere"))' if jump.source == ANYWHERE else self.name("n", jump.source)
            label = f"{jump.label} where {_escaped(jump.where)}" if jump.where else jump.label
            yield f'    {source} -.->|"{label}"| {self.name("n", jump.target)}'


def editor(flow: CompiledFlow) -> dict[str, Any]:
    """The flow for a visual editor: `{version, id, title, nodes, edges}` in the shape that React Flow reads.

    A node is `{id, type, data, position: {x, y}}` in pixels; `type` is its kind, `group` for a subgraph (which also
    has `width` and `height`) or `exit` for the place where a subgraph returns; `parentId` names the group around it,
    to which its position is relative. `data` holds the fields of the document, `ui` among them. A position in `ui`
    (`{x, y}`, alone or under `position`) is kept; everything else is laid out as in the SVG, in layers below the entry.
    """
    return _Editor(flow).drawn()


class _Editor:
    """Collects the nodes and edges of one flow, and lays out what has no position."""

    def __init__(self, flow: CompiledFlow) -> None:
        self.flow = flow
        self.elements = Elements(flow)
        self.parents = {graph: home.graph for graph, home in self.elements.homes.items()}
        self.written = self.elements.documents
        self.sizes: dict[str, tuple[float, float]] = {}
        self.at: dict[str, dict[str, float | int]] = {}

    def drawn(self) -> dict[str, Any]:
        # Inner groups first: the room that a graph needs depends on the groups inside it.
        for id in [*reversed(self.parents), ROOT]:
            self._lay_out(id)
        nodes: list[dict[str, Any]] = []
        edges: list[dict[str, Any]] = []
        # React Flow wants a group before what stands inside it, and `parents` has callers first.
        for id in self.parents:
            nodes.append(self._group(id))
        for graph in self.flow.graphs.values():
            nodes += [self._node(node) for node in graph.nodes.values()]
            if self._exits(graph):
                nodes.append({**self._base(self._exit(graph.id), "exit", graph.id), "data": {"label": "exit"}})
            edges += [self._edge(edge, graph) for edge in edges_of(graph)]
        return {
            "version": self.flow.document.get("version", "v1"),
            "id": self.flow.id,
            "title": self.flow.title,
            "entry": self.flow.root.entry,
            "nodes": nodes,
            "edges": edges,
        }

    def _group_id(self, graph: str) -> str:
        return f"group:{graph}"

    def _exit(self, graph: str) -> str:
        return f"exit:{graph}"

    def _exits(self, graph: Graph) -> bool:
        return any(edge.target == EXIT for node in graph.nodes.values() for edge in node.all_edges)

    def _base(self, id: str, type: str, inside: str) -> dict[str, Any]:
        base: dict[str, Any] = {"id": id, "type": type, "position": self.at[id]}
        if inside != ROOT:
            base["parentId"] = self._group_id(inside)
        return base

    def _group(self, graph: str) -> dict[str, Any]:
        raw = self.written.get(graph, {})
        width, height = self.sizes[graph]
        kept = {key: value for key, value in raw.items() if key not in ("nodes", "edges")}
        return {
            **self._base(self._group_id(graph), "group", self.parents[graph]),
            "width": width,
            "height": height,
            "data": {**kept, "label": title_of(self.flow, graph), "graph": graph},
        }

    def _node(self, node: Node) -> dict[str, Any]:
        raw = self.elements.fields.get(node.id, {})
        data = {key: value for key, value in raw.items() if key not in ("id", "type")}
        return {**self._base(node.id, node.kind.value, node.graph), "data": {**data, "label": node.label or node.id}}

    def _edge(self, edge: Edge, graph: Graph) -> dict[str, Any]:
        guard = guard_text(edge) or None
        return {
            "id": edge.id,
            "source": edge.source,
            "target": self._exit(graph.id) if edge.target == EXIT else edge.target,
            "label": edge_label(edge),
            "data": {"guard": guard, "priority": edge.priority, "tags": list(edge.tags)},
        }

    def _lay_out(self, graph_id: str) -> None:
        """Place what has no position; groups stand beside the nodes."""
        graph = self.flow.graphs[graph_id]
        groups = [
            Box(self._group_id(child), "group", "frame", *self.sizes[child])
            for child, parent in self.parents.items()
            if parent == graph_id
        ]
        hints = {id: self.elements.fields.get(id, {}) for id in graph.nodes}
        hints |= {self._group_id(child): self.written.get(child, {}) for child in self.parents}
        top = _PADDING + (0 if graph_id == ROOT else _HEADER)
        right = bottom = 0.0
        for box in with_beside(arranged(self.elements.boxes(graph), self.elements.edges(graph)), groups).boxes:
            at = place_in(hints.get(box.id, {}).get("ui"))
            id = self._exit(graph_id) if box.id == EXITS else box.id
            self.at[id] = at or {"x": round(box.x) + _PADDING, "y": round(box.y) + top}
            right = max(right, self.at[id]["x"] + box.width + _PADDING)
            bottom = max(bottom, self.at[id]["y"] + box.height + _PADDING)
        self.sizes[graph_id] = (round(right), round(bottom))
