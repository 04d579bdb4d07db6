"""What the pictures of a flow have in common: where subgraphs stand, the texts, the jumps, the hints of an editor."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphwright.flow.compiled import (
    ACTIVE_PATH,
    ROOT,
    Action,
    Call,
    CompiledFlow,
    Decision,
    Edge,
    Graph,
    Node,
    Question,
    Terminal,
)

ANYWHERE = ""
"""The source of a jump that may begin at any node."""


_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})|[a-zA-Z]{3,20}")

_Place = tuple[str, bool]
"""A graph's id and False, or a call's node id and True."""


class Home(NamedTuple):
    """A subgraph stands in `graph`; with `call` it is what that node, the only one that leads to it, calls."""

    graph: str
    call: str = ""


@dataclass(frozen=True, slots=True)
class Jump:
    """A way that no edge describes: on an error, after invalid answers, from a dead end, by a confirmation.

    `where` is the condition of a confirmation that has one.
    """

    source: str
    label: str
    target: str
    where: str = ""


def jumps(flow: CompiledFlow) -> Iterator[Jump]:
    """All of them, in the order of the document; those from `ANYWHERE` last."""
    for node in flow.nodes.values():
        if isinstance(node, Question) and node.on_invalid:
            yield Jump(node.id, "on invalid", node.on_invalid)
        elif isinstance(node, Action):
            if node.on_error:
                yield Jump(node.id, "on error", node.on_error)
            if node.confirm:
                yield Jump(node.confirm.by, "confirms", node.id, node.confirm.when.text if node.confirm.when else "")
    for label, target in (("when stuck", flow.on_stuck), ("to a person", flow.on_escalate)):
        if target:
            yield Jump(ANYWHERE, label, target)


def called(flow: CompiledFlow, node: Call) -> list[str]:
    """The graphs that a call may enter: one, or with `$active_path` that of every path."""
    if node.ref == ACTIVE_PATH:
        return list(dict.fromkeys(path.ref for path in flow.paths.values()))
    return [node.ref]


def edges_of(graph: Graph) -> list[Edge]:
    """The edges of a graph in document order."""
    return sorted((edge for node in graph.nodes.values() for edge in node.all_edges), key=lambda edge: edge.index)


def title_of(flow: CompiledFlow, graph: str) -> str:
    """What a subgraph is called: its title or label, else its id."""
    written = (flow.document.get("subgraphs") or {}).get(graph) or {}
    return str(written.get("title") or written.get("label") or graph)


def guard_text(edge: Edge) -> str:
    """The guard of an edge, `else`, or nothing where it is always open."""
    return "else" if edge.is_else else edge.guard.text if edge.guard else ""


def edge_label(edge: Edge) -> str:
    """The label and the guard of an edge."""
    return ": ".join(part for part in (edge.label, guard_text(edge)) if part)


def detail(node: Node) -> str:
    """What a node does, in its own words: the prompt, the action, the subgraph, what is said at the end."""
    match node:
        case Question():
            return node.prompt.text
        case Action():
            return f"{node.run}()"
        case Call():
            return "the chosen path" if node.ref == ACTIVE_PATH else node.ref
        case Terminal():
            return node.say.text if node.say else ""
        case Decision():
            return "the next open question" if node.pick_question else ""
    return ""


def documents(flow: CompiledFlow) -> dict[str, Mapping[str, Any]]:
    """Every graph as the document has it, by its id."""
    return {ROOT: flow.document, **(flow.document.get("subgraphs") or {})}


def node_fields(flow: CompiledFlow) -> dict[str, Mapping[str, Any]]:
    """Every node as the document has it, by its id."""
    return {node["id"]: node for graph in documents(flow).values() for node in graph.get("nodes") or () if "id" in node}


def place_in(ui: object) -> dict[str, float | int] | None:
    """The position `{x, y}` in pixels, alone or under `position`; None where there is none."""
    if not isinstance(ui, Mapping):
        return None
    at = ui.get("position", ui)
    if not isinstance(at, Mapping):
        return None
    x, y = _number(at.get("x")), _number(at.get("y"))
    return None if x is None or y is None else {"x": x, "y": y}


def colour_in(ui: object) -> str:
    """The `colour` (or `color`), as a name or as `#rgb` or `#rrggbb`; empty where there is none."""
    if not isinstance(ui, Mapping):
        return ""
    written = ui.get("colour", ui.get("color"))
    # It ends up in markup: nothing that is more than a colour gets there.
    return written if isinstance(written, str) and _COLOUR.fullmatch(written) else ""


def group_in(ui: object) -> str:
    """The name of the `group` that a node belongs to; empty where there is none."""
    written = ui.get("group") if isinstance(ui, Mapping) else None
    return written.strip() if isinstance(written, str) else ""


def _number(value: object) -> float | int | None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return None
    # Far more than any screen; what lies beyond would only lose its decimals.
    return value if abs(value) <= 1_000_000 else None


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
