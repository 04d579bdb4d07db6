"""Cycles that the flow would walk for ever: nothing on them is asked or performed, or actions and nothing else."""

from __future__ import annotations

from graphwright.flow.checks.ways import following, leaving
from graphwright.flow.compiled import Kind
from graphwright.flow.diagnostic_catalog import Code
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
        out.add(Code.ENDLESS_CYCLE, (*first.path, "id"), message, hint, related=related)
    _check_endless_turns(draft, out)


def _check_endless_turns(draft: Draft, out: Reporter) -> None:
    """Report each cycle with an action that is never left and on which nothing is asked twice."""
    nodes = [node for node in draft.nodes.values() if _goes_on(node)]
    successors = {node: list(following(draft, node, jumps=True)) for node in nodes}
    for component in components(successors):
        if not is_cyclic(component, successors) or not any(node.kind is Kind.ACTION for node in component):
            continue
        inside = {node.id for node in component}
        if all(edge.target in inside for node in component for edge in node.edges):
            first = min(component, key=nodes.index)
            cycle = cycle_through(first, set(component), successors)
            shown = " -> ".join([*(node.id for node in cycle[:6]), *(["..."] if len(cycle) > 6 else []), first.id])
            message = f"A turn that comes here never ends: {shown}."
            hint = "Put a question with `ask: always` on the cycle, or lead a way out of it."
            out.add(Code.ACTIONS_FOR_EVER, (*first.path, "id"), message, hint)


def _goes_on(node: DraftNode) -> bool:
    """Whether the flow always goes on from a node by one of its edges, sooner or later without asking anything."""
    data = node.data
    if not any(edge.opens is None for edge in node.edges):
        return False
    if node.kind is Kind.QUESTION:
        return data.get("ask") != "always" and "on_invalid" not in data
    if node.kind is Kind.ACTION:
        return "confirm" not in data and "on_error" not in data
    return node.kind is Kind.DECISION and "pick" not in data
