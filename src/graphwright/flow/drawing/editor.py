"""A flow as the node and edge lists of a visual editor."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from graphwright.flow.compiled import EXIT, ROOT, CompiledFlow, Edge, Graph, Node
from graphwright.flow.drawing.hints import place_in
from graphwright.flow.drawing.nesting import parents
from graphwright.flow.drawing.wording import edge_label, edges_of, guard_text, title_of

COLUMN = 260
ROW = 120
PADDING = 40
HEADER = 40
"""The layout's grid, in pixels: the pitch of nodes, and the room around and above the nodes of a group."""


def editor(flow: CompiledFlow) -> dict[str, Any]:
    """The flow for a visual editor: `{version, id, title, nodes, edges}` in the shape that React Flow reads.

    A node is `{id, type, data, position: {x, y}}` in pixels; `type` is its kind, `group` for a subgraph (which also
    has `width` and `height`) or `exit` for the place where a subgraph returns; `parentId` names the group around it,
    to which its position is relative. `data` holds the fields of the document, `ui` among them. A position in `ui`
    (`{x, y}`, alone or under `position`) is kept; everything else is laid out in layers below the entry.
    """
    return _Editor(flow).drawn()


class _Editor:
    """Collects the nodes and edges of one flow, and lays out what has no position."""

    def __init__(self, flow: CompiledFlow) -> None:
        self.flow = flow
        self.parents = parents(flow)
        subgraphs = flow.document.get("subgraphs") or {}
        self.written: dict[str, Mapping[str, Any]] = {ROOT: flow.document, **subgraphs}
        self.fields = {
            raw["id"]: raw for document in self.written.values() for raw in document.get("nodes") or () if "id" in raw
        }
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
        raw = self.fields.get(node.id, {})
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
        graph = self.flow.graphs[graph_id]
        top = 0 if graph_id == ROOT else HEADER
        right: float = 0
        bottom: float = 0
        for layer, ids in enumerate(self._layers(graph)):
            for column, id in enumerate(ids):
                computed: dict[str, float | int] = {"x": PADDING + column * COLUMN, "y": top + PADDING + layer * ROW}
                at = place_in(self.fields.get(id, {}).get("ui")) or computed
                self.at[id] = at
                right, bottom = max(right, at["x"] + COLUMN), max(bottom, at["y"] + ROW)
        # Groups that have no position of their own stand in a row to the right of the nodes.
        edge: float = right
        for child in (inner for inner, parent in self.parents.items() if parent == graph_id):
            width, height = self.sizes[child]
            at = place_in(self.written.get(child, {}).get("ui")) or {"x": edge, "y": top + PADDING}
            self.at[self._group_id(child)] = at
            edge = max(edge, at["x"] + width + PADDING)
            right, bottom = max(right, edge), max(bottom, at["y"] + height + PADDING)
        self.sizes[graph_id] = (right, bottom)

    def _layers(self, graph: Graph) -> list[list[str]]:
        """Node ids by their distance from the entry; what cannot be reached by edges comes last, the exit below all."""
        level = {graph.entry: 0}
        queue = deque([graph.entry])
        while queue:
            id = queue.popleft()
            for edge in graph.nodes[id].all_edges:
                if edge.target in graph.nodes and edge.target not in level:
                    level[edge.target] = level[id] + 1
                    queue.append(edge.target)
        last = max(level.values()) + 1
        layers: list[list[str]] = [[] for _ in range(last)]
        for id in graph.nodes:
            if id in level:
                layers[level[id]].append(id)
        rest = [id for id in graph.nodes if id not in level]
        if rest:
            layers.append(rest)
        if self._exits(graph):
            layers.append([self._exit(graph.id)])
        return layers
