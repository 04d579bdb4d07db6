"""Where each subgraph stands in a picture: inside the call, or the graph, that every way to it goes through."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from graphwright.flow.compiled import ROOT, Call, CompiledFlow
from graphwright.flow.drawing.wording import called

_Place = tuple[str, bool]
"""A graph's id and False, or a call's node id and True."""


@dataclass(frozen=True, slots=True)
class Home:
    """A subgraph stands in `graph`; with `call` it is what that node, the only one that leads to it, calls."""

    graph: str
    call: str = ""


def homes(flow: CompiledFlow) -> dict[str, Home]:
    """The home of every subgraph, outer ones first.

    A subgraph that is called once stands in that call; one that is called from several places in the smallest graph
    that holds them all. What recursion calls again stands where it is called first. A subgraph that nothing calls
    stands in the root.
    """
    order, callers = _walk(flow)
    over = _dominators(order, callers)
    children: dict[str, list[str]] = {}
    found: dict[str, Home] = {}
    for graph in flow.graphs:
        if graph != ROOT:
            place, is_call = over[graph, False]
            found[graph] = Home(flow.nodes[place].graph, place) if is_call else Home(place)
            children.setdefault(found[graph].graph, []).append(graph)
    ordered: dict[str, Home] = {}
    queue = deque([ROOT])
    while queue:
        for graph in children.get(queue.popleft(), ()):
            ordered[graph] = found[graph]
            queue.append(graph)
    return ordered


def parents(flow: CompiledFlow) -> dict[str, str]:
    """The graph around every subgraph, outer ones first."""
    return {graph: home.graph for graph, home in homes(flow).items()}


def _walk(flow: CompiledFlow) -> tuple[list[_Place], dict[_Place, list[_Place]]]:
    """Graphs and calls in reverse post-order from the root, and what leads to each of them."""
    leads: dict[_Place, list[_Place]] = {}
    for graph in flow.graphs.values():
        calls = [node for node in graph.nodes.values() if isinstance(node, Call)]
        leads[graph.id, False] = [(node.id, True) for node in calls]
        for node in calls:
            leads[node.id, True] = [(ref, False) for ref in called(flow, node)]
    root: _Place = (ROOT, False)
    seen: set[_Place] = set()
    finished: list[_Place] = []

    def visit(start: _Place) -> None:
        seen.add(start)
        stack = [(start, iter(leads[start]))]
        while stack:
            place, rest = stack[-1]
            following = next((p for p in rest if p not in seen), None)
            if following is None:
                finished.append(place)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(leads[following])))

    visit(root)
    finished.pop()
    for graph_id in flow.graphs:
        if (graph_id, False) not in seen:
            # Nothing calls it, or only what nothing calls.
            leads[root].append((graph_id, False))
            visit((graph_id, False))
    finished.append(root)
    callers: dict[_Place, list[_Place]] = {place: [] for place in finished}
    for place, following in leads.items():
        for target in following:
            callers[target].append(place)
    return finished[::-1], callers


def _dominators(order: list[_Place], callers: dict[_Place, list[_Place]]) -> dict[_Place, _Place]:
    """The nearest place that every way to a place goes through (the algorithm of Cooper, Harvey and Kennedy)."""
    number = {place: i for i, place in enumerate(order)}
    over: dict[_Place, _Place] = {order[0]: order[0]}

    def common(a: _Place, b: _Place) -> _Place:
        while a != b:
            while number[a] > number[b]:
                a = over[a]
            while number[b] > number[a]:
                b = over[b]
        return a

    changed = True
    while changed:
        changed = False
        for place in order[1:]:
            known = [caller for caller in callers[place] if caller in over]
            nearest = known[0]
            for caller in known[1:]:
                nearest = common(nearest, caller)
            if over.get(place) != nearest:
                over[place] = nearest
                changed = True
    return over
