"""Dead ends, and nodes from which no end of the conversation can be reached."""

from __future__ import annotations

from graphwright.flow.checks.ways import Leaving, exits, following, leaving
from graphwright.flow.compiled import EXIT, ROOT, Kind
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.draft import Draft, DraftNode
from graphwright.flow.reporter import Reporter
from graphwright.flow.source import pointer


def check_ends(draft: Draft, broken: set[str], out: Reporter) -> None:
    """Report dead ends (errors), and where a region begins that cannot be left (warnings)."""
    left = leaving(draft, lambda node: True, jumps=True)
    dead = {node for node in draft.nodes.values() if _is_dead_end(draft, node, left)}
    for node in dead:
        what = "a subgraph" if node.kind is Kind.SUBGRAPH else f"the {node.kind}" if node.kind else "the node"
        hint = "Add an edge to what comes next" + (
            ", or to `__exit__` to return to the caller." if node.graph != ROOT else ", such as a terminal."
        )
        out.add(
            Code.DEAD_END,
            (*node.path, "id"),
            f"No edge leaves {what} node `{node.id}`.".replace("the the", "the"),
            hint,
        )
    _check_no_end(draft, broken, left, dead, out)


def _is_dead_end(draft: Draft, node: DraftNode, left: Leaving) -> bool:
    if node.edges or node.kind in (Kind.TERMINAL, None):
        return False
    if node.kind is not Kind.SUBGRAPH:
        return True
    return node.graph != ROOT and left.passes(draft, node)


def _check_no_end(draft: Draft, broken: set[str], left: Leaving, dead: set[DraftNode], out: Reporter) -> None:
    ended = _ending(draft, left, dead)
    stuck = {
        node
        for node in draft.nodes.values()
        if node not in ended and node not in left.nodes and node.graph not in broken
    }
    if not stuck:
        return
    entered = {graph.nodes[graph.entry] for graph in draft.graphs.values() if graph.entry in graph.nodes}
    for node in draft.nodes.values():
        if node not in stuck:
            entered.update(following(draft, node, jumps=True))
    told = out.report.pointers(Code.ENDLESS_CYCLE, Code.ACTIONS_FOR_EVER)
    for node in draft.nodes.values():
        if node in stuck and node in entered and pointer((*node.path, "id")) not in told:
            message = f"From `{node.id}` no end can be reached: the conversation goes on for ever."
            hint = "Add a way to a terminal" + (" or to `__exit__`." if node.graph != ROOT else ".")
            out.add(Code.NO_END, (*node.path, "id"), message, hint)


def _ending(draft: Draft, left: Leaving, dead: set[DraftNode]) -> set[DraftNode]:
    """The nodes from which the conversation can end. What is reported otherwise counts as an end."""
    before: dict[DraftNode, list[DraftNode]] = {}
    callers: dict[str, list[DraftNode]] = {}
    ended: set[DraftNode] = set(dead)
    escalates = "on_escalate" in draft.data
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
