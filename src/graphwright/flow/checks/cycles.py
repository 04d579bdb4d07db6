"""Cycles in which nothing is asked or performed: the flow would walk them for ever."""

from __future__ import annotations

from graphwright.flow import codes
from graphwright.flow.checks.ways import following, leaving
from graphwright.flow.compiled import Kind
from graphwright.flow.draft import Draft, DraftNode
from graphwright.flow.reporter import Reporter
from graphwright.flow.walk import components, cycle_through, is_cyclic

_PURE = (Kind.DECISION, Kind.SUBGRAPH)


def check_cycles(draft: Draft, out: Reporter) -> None:
    """Report each cycle of decisions and subgraph calls, recursion that asks nothing included."""
    left = leaving(draft, lambda node: node.kind in _PURE, jumps=False)
    successors: dict[DraftNode, list[DraftNode]] = {}
    for node in draft.nodes.values():
        if node.kind not in _PURE:
            continue
        targets = list(following(draft, node, jumps=False)) if left.passes(draft, node) else []
        if node.kind is Kind.SUBGRAPH:
            called = (draft.graphs[callee] for callee in draft.callees(node))
            targets += [graph.nodes[graph.entry] for graph in called if graph.entry in graph.nodes]
        successors[node] = [target for target in targets if target.kind in _PURE]
    order = {node: place for place, node in enumerate(successors)}
    for component in components(successors):
        if not is_cyclic(component, successors):
            continue
        first = min(component, key=order.__getitem__)
        cycle = cycle_through(first, set(component), successors)
        names = [node.id for node in cycle]
        shown = [*names[:6], *(["..."] if len(names) > 6 else []), names[0]]
        message = f"Nothing is asked or done on the way round: {' -> '.join(shown)}."
        hint = "Put a question or an action on the cycle, or lead it elsewhere."
        related = [(f"by way of `{node.id}`", node.path) for node in cycle[1:6]]
        out.add(codes.ENDLESS_CYCLE, (*first.path, "id"), message, hint, related=related)
