"""Ways through a draft: where a node leads, and which subgraphs can be left again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from graphwright.flow.checks.references import JUMPS
from graphwright.flow.compiled import EXIT, ROOT, Kind
from graphwright.flow.draft import Draft, DraftNode


def following(draft: Draft, node: DraftNode, *, jumps: bool) -> tuple[DraftNode, ...]:
    """The nodes of the same graph that a node may lead to; with `jumps` also by `on_invalid`, `on_error`
    and to the question that confirms."""
    known = draft.onward[jumps]
    found = known.get(node)
    if found is None:
        nodes = draft.graphs[node.graph].nodes
        targets = [edge.target for edge in node.edges]
        if jumps:
            targets += [node.data[name] for name in JUMPS if name in node.data]
            targets += [node.data["confirm"]["by"]] if "by" in node.data.get("confirm", {}) else []
        found = known[node] = tuple([nodes[target] for target in dict.fromkeys(targets) if target in nodes])
    return found


def exits(node: DraftNode) -> bool:
    """Does the node itself lead out of its subgraph?"""
    return node.graph != ROOT and any(edge.target == EXIT for edge in node.edges)


@dataclass(slots=True)
class Leaving:
    """Which `graphs` can be left through `__exit__`, and from which `nodes`."""

    graphs: set[str] = field(default_factory=set)
    nodes: set[DraftNode] = field(default_factory=set)

    def passes(self, draft: Draft, node: DraftNode) -> bool:
        """Does the way go on behind this node? Behind a call it does when what it calls can be left."""
        if node.kind is not Kind.SUBGRAPH:
            return True
        callees = draft.callees(node)
        return not callees or any(callee in self.graphs for callee in callees)


def leaving(draft: Draft, counts: Callable[[DraftNode], bool], *, jumps: bool) -> Leaving:
    """Follow the edges backwards from every `__exit__`, over nodes that count. Linear: each edge is met once."""
    before: dict[DraftNode, list[DraftNode]] = {}
    for node in draft.nodes.values():
        for target in following(draft, node, jumps=jumps):
            before.setdefault(target, []).append(node)
    found = Leaving()
    waiting: dict[str, list[DraftNode]] = {}
    todo: list[DraftNode] = []

    def mark(node: DraftNode) -> None:
        if node in found.nodes or not counts(node):
            return
        if not found.passes(draft, node):
            for callee in draft.callees(node):
                waiting.setdefault(callee, []).append(node)
            return
        found.nodes.add(node)
        todo.append(node)

    for node in draft.nodes.values():
        if exits(node):
            mark(node)
    while todo:
        node = todo.pop()
        graph = draft.graphs[node.graph]
        if graph.entry == node.id and graph.id not in found.graphs:
            found.graphs.add(graph.id)
            for call in waiting.pop(graph.id, ()):
                mark(call)
        for earlier in before.get(node, ()):
            mark(earlier)
    return found
