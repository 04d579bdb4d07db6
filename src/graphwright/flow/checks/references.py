"""Ids and what refers to them: nodes, edges, entries and jumps."""

from __future__ import annotations

from graphwright.flow.compiled import EXIT, ROOT
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.draft import Draft, DraftGraph, DraftNode
from graphwright.flow.names import Names
from graphwright.flow.reporter import Reporter
from graphwright.flow.source import Path

JUMPS = ("on_invalid", "on_error")
"""The fields of nodes that name a node to go to."""


def check_references(draft: Draft, out: Reporter) -> set[str]:
    """Check that ids are unique and that every reference leads somewhere; returns the graphs where one does not."""
    return _References(draft, out).check()


class _References:
    def __init__(self, draft: Draft, out: Reporter) -> None:
        self.draft = draft
        self.out = out
        self.all_names = Names(draft.nodes)
        self.broken: set[str] = set()

    def check(self) -> set[str]:
        for node in self.draft.repeated:
            self._repeated(node)
        edge_ids: dict[str, Path] = {}
        for graph in self.draft.graphs.values():
            self._graph(graph, edge_ids)
        for name in ("on_stuck", "on_escalate"):
            if name in self.draft.data:
                self._refer(self.draft.data[name], self.draft.root, (name,), f"`{name}` names")
        return self.broken

    def _repeated(self, node: DraftNode) -> None:
        first = self.draft.nodes[node.id]
        message = f"The id `{node.id}` is taken: ids of nodes are unique in the whole document."
        related = [("first here", (*first.path, "id"))]
        hint = "Rename one of the two, and the edges that mean it."
        self.out.add(Code.DUPLICATE_NODE, (*node.path, "id"), message, hint, related=related)
        self.broken.update((node.graph, first.graph))

    def _graph(self, graph: DraftGraph, edge_ids: dict[str, Path]) -> None:
        what = "The flow" if graph.id == ROOT else f"The subgraph `{graph.id}`"
        nodes = graph.data.get("nodes")
        if nodes == []:
            hint = "Add at least one node, such as a question and a terminal."
            self.out.add(Code.NO_NODES, (*graph.path, "nodes"), f"{what} has no nodes.", hint)
            self.broken.add(graph.id)
        elif nodes is None or len(nodes) != len(graph.nodes):
            self.broken.add(graph.id)
        names = Names(graph.nodes)
        if "entry" in graph.data:
            self._refer(graph.entry, graph, (*graph.path, "entry"), "`entry` names", names)
        for node in graph.nodes.values():
            if node.id == EXIT:
                message = f"`{EXIT}` stands for the way back to the caller and cannot be a node."
                self.out.add(Code.RESERVED_NAME, (*node.path, "id"), message, "Choose another id.")
            for field in JUMPS:
                if field in node.data:
                    self._refer(node.data[field], graph, (*node.path, field), f"`{field}` names", names)
        for edge in graph.edges:
            self._refer(edge.source, graph, (*edge.path, "from"), "An edge leaves", names)
            if edge.target != EXIT:
                self._refer(edge.target, graph, (*edge.path, "to"), "An edge leads to", names)
            elif graph.id == ROOT:
                message = f"`{EXIT}` returns from a subgraph; this edge stands in the root graph."
                self.out.add(Code.EXIT_OUTSIDE, (*edge.path, "to"), message, "Lead to a terminal instead.")
                self.broken.add(graph.id)
            name = edge.data.get("id")
            if name is None:
                continue
            if name in edge_ids:
                related = [("first here", edge_ids[name])]
                message = f"The edge id `{name}` is taken."
                hint = "Edge ids are unique in the document; without an id an edge gets one."
                self.out.add(Code.DUPLICATE_EDGE, (*edge.path, "id"), message, hint, related=related)
            edge_ids.setdefault(name, (*edge.path, "id"))

    def _refer(self, name: str, graph: DraftGraph, path: Path, what: str, names: Names | None = None) -> None:
        if name in graph.nodes:
            return
        self.broken.add(graph.id)
        here = "the root graph" if graph.id == ROOT else f"the subgraph `{graph.id}`"
        other = self.draft.nodes.get(name)
        if other is not None:
            there = "the root graph" if other.graph == ROOT else f"the subgraph `{other.graph}`"
            message = f"{what} `{name}`, which is in {there}, not in {here}."
            hint = "Enter another graph by a subgraph node; leave a subgraph by an edge to `__exit__`."
            related = [(f"`{name}` is here", other.path)]
            self.out.add(Code.OTHER_GRAPH, path, message, hint, related=related)
            return
        near = (names or Names(graph.nodes)).hint(name) or self.all_names.hint(name, "Add a node with this id.")
        self.out.add(Code.UNKNOWN_NODE, path, f"{what} `{name[:80]}`, but there is no such node.", near)
