"""Connectivity: unreachable nodes, dead ends, regions without an end, and cycles that nothing leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from graphwright.flow._answer_scopes import Scopes
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._draft import Draft, DraftNode
from graphwright.flow._expressions import Expressions
from graphwright.flow._graph_algorithms import reachable
from graphwright.flow._source import Reporter, pointer
from graphwright.flow.checks._references import ESCAPES, JUMPS
from graphwright.flow.compiled import EXIT, ROOT, Kind


def following(draft: Draft, node: DraftNode, *, jumps: bool) -> tuple[DraftNode, ...]:
    """The nodes of the same graph that a node may lead to.

    With `jumps`, also the targets of `on_invalid` and `on_error`, and the question that confirms.
    """
    nodes = draft.graphs[node.graph].nodes
    targets = [edge.target for edge in node.edges]
    if jumps:
        targets += [node.data[name] for name in JUMPS if name in node.data]
        targets += [node.data["confirm"]["by"]] if "by" in node.data.get("confirm", {}) else []
    return tuple([nodes[target] for target in dict.fromkeys(targets) if target in nodes])


def exits(node: DraftNode) -> bool:
    """Whether the node has an edge that leads out of its subgraph."""
    return node.graph != ROOT and any(edge.target == EXIT for edge in node.edges)


@dataclass(slots=True)
class Leaving:
    """Which `graphs` can be left through `__exit__`, and from which `nodes`."""

    graphs: set[str] = field(default_factory=set)
    nodes: set[DraftNode] = field(default_factory=set)

    def passes(self, draft: Draft, node: DraftNode) -> bool:
        """Whether the nodes after this node can be reached through it. A called graph must have an exit."""
        if node.kind is not Kind.SUBGRAPH:
            return True
        callees = draft.callees(node)
        return not callees or any(callee in self.graphs for callee in callees)


def leaving(draft: Draft, counts: Callable[[DraftNode], bool], *, jumps: bool) -> Leaving:
    """Follow the edges backwards from every `__exit__`, over nodes that count. Takes linear time."""
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


def check_reach(draft: Draft, scopes: Scopes, expressions: Expressions, broken: set[str], out: Reporter) -> None:
    """Report nodes that cannot be reached from the entry of their graph.

    The targets of `on_stuck`, `on_escalate` and `on_abandon`, and the questions that constraints ask, count as reached.
    """
    starts = [graph.nodes[graph.entry] for graph in draft.graphs.values() if graph.entry in graph.nodes]
    for name in ESCAPES:
        target = draft.data.get(name, "")
        if target in draft.root.nodes:
            starts.append(draft.root.nodes[target])
    starts += _asked_by_constraints(draft, scopes, expressions)
    reached = reachable(starts, lambda node: following(draft, node, jumps=True))
    for node in draft.nodes.values():
        if node in reached or node.graph in broken:
            continue
        message = f"No way leads to `{node.id}` from `{draft.graphs[node.graph].entry}`, the entry of its graph."
        out.add(Code.UNREACHABLE, (*node.path, "id"), message, "Add an edge to it, or remove it.")


def _asked_by_constraints(draft: Draft, scopes: Scopes, expressions: Expressions) -> list[DraftNode]:
    found: list[DraftNode] = []
    for constraint in draft.data.get("constraints", ()):
        if not isinstance(constraint, dict):
            continue
        keys = {key for group in constraint.get("one_of", ()) for key in group}
        predicate = expressions.predicates.get(constraint.get("require", ""))
        if predicate is not None:
            keys |= {name.removeprefix("answers.") for name in predicate.reads if name.startswith("answers.")}
        for key in sorted(keys):
            found += scopes.questions(key, draft)
    return found


def check_ends(draft: Draft, broken: set[str], out: Reporter) -> None:
    """Report dead ends (errors), and the start of each region that cannot be left (warnings)."""
    left = leaving(draft, lambda node: True, jumps=True)
    dead = {node for node in draft.nodes.values() if _is_dead_end(draft, node, left)}
    for node in dead:
        hint = "Add an edge to what comes next, such as " + ("a terminal." if node.graph == ROOT else "`__exit__`.")
        out.add(Code.DEAD_END, (*node.path, "id"), f"No edge leaves `{node.id}`.", hint)
    _check_no_end(draft, broken, left, dead, out)


def _is_dead_end(draft: Draft, node: DraftNode, left: Leaving) -> bool:
    if node.edges or node.kind in (Kind.TERMINAL, None):
        return False
    if node.kind is not Kind.SUBGRAPH:
        return True
    return node.graph != ROOT and left.passes(draft, node)


def _check_no_end(draft: Draft, broken: set[str], left: Leaving, dead: set[DraftNode], out: Reporter) -> None:
    ended = _ending(draft, left, dead)
    lost = (node for node in draft.nodes.values() if node not in ended and node not in left.nodes)
    stuck = {node for node in lost if node.graph not in broken}
    if not stuck:
        return
    entered = {graph.nodes[graph.entry] for graph in draft.graphs.values() if graph.entry in graph.nodes}
    for node in draft.nodes.values():
        if node not in stuck:
            entered.update(following(draft, node, jumps=True))
    reported = out.pointers(Code.ENDLESS_CYCLE, Code.ACTIONS_FOR_EVER)
    for node in draft.nodes.values():
        if node in stuck and node in entered and pointer((*node.path, "id")) not in reported:
            message = f"From `{node.id}` no end can be reached: the conversation goes on for ever."
            hint = "Add a way to a terminal" + (" or to `__exit__`." if node.graph != ROOT else ".")
            out.add(Code.NO_END, (*node.path, "id"), message, hint)


def _ending(draft: Draft, left: Leaving, dead: set[DraftNode]) -> set[DraftNode]:
    """The nodes from which the conversation can end. Nodes that are reported elsewhere count as an end."""
    before: dict[DraftNode, list[DraftNode]] = {}
    callers: dict[str, list[DraftNode]] = {}
    ended: set[DraftNode] = set(dead)
    escalates = not {"on_escalate", "on_abandon"}.isdisjoint(draft.data)
    for node in draft.nodes.values():
        nodes = draft.graphs[node.graph].nodes
        for target in following(draft, node, jumps=True):
            before.setdefault(target, []).append(node)
        if node.kind is Kind.SUBGRAPH:
            for callee in draft.callees(node):
                callers.setdefault(callee, []).append(node)
        lost = any(edge.target not in nodes and edge.target != EXIT for edge in node.edges)
        returns = node.kind is Kind.SUBGRAPH and not node.edges and left.passes(draft, node)
        asks = escalates and node.kind is Kind.QUESTION
        if node.kind in (Kind.TERMINAL, None) or lost or returns or asks or (exits(node) and not node.graph):
            ended.add(node)
    todo = list(ended)
    while todo:
        node = todo.pop()
        earlier = [n for n in before.get(node, ()) if left.passes(draft, n)]
        if draft.graphs[node.graph].entry == node.id:
            earlier += callers.get(node.graph, ())
        for n in earlier:
            if n not in ended:
                ended.add(n)
                todo.append(n)
    return ended
