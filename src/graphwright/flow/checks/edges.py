"""The edges that leave one node: else, edges that open together, edges of terminals and of `pick`."""

from __future__ import annotations

from graphwright.flow.compiled import Kind
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.draft import Draft, DraftEdge, DraftNode
from graphwright.flow.reporter import Reporter


def check_edges(draft: Draft, out: Reporter) -> None:
    """Check the edges of every node against each other."""
    for node in draft.nodes.values():
        if not node.edges:
            continue
        if node.kind is Kind.TERMINAL:
            for edge in node.edges:
                message = f"An edge leaves the terminal `{node.id}`, where the conversation ends."
                hint = "Remove the edge, or make the node another kind."
                out.add(Code.EDGE_FROM_TERMINAL, (*edge.path, "from"), message, hint)
            continue
        _check_else(node, out)
        if node.data.get("pick") == "question":
            _check_pick(draft, node, out)
        if len(node.edges) > 1:
            _check_together(node, out)


def _check_else(node: DraftNode, out: Reporter) -> None:
    otherwise = [edge for edge in node.edges if edge.is_else]
    for edge in otherwise[1:]:
        message = f"`{node.id}` has more than one `else` edge."
        hint = "Keep one; an edge without a guard is always open, an edge with one when its guard is true."
        related = [("the first one", otherwise[0].path)]
        out.add(Code.ELSE_TWICE, (*edge.path, "guard"), message, hint, related=related)


def _check_pick(draft: Draft, node: DraftNode, out: Reporter) -> None:
    for edge in node.edges:
        target = draft.nodes.get(edge.target)
        if edge.is_else or target is None or target.kind in (Kind.QUESTION, None):
            continue
        message = f"`{node.id}` picks among questions, but `{target.id}` is {_article(target.kind)}."
        hint = "Only the `else` edge of such a decision may lead elsewhere."
        out.add(Code.PICK_NOT_QUESTION, (*edge.path, "to"), message, hint)


def _check_together(node: DraftNode, out: Reporter) -> None:
    """Edges with one and the same guard: only the first of them is ever taken."""
    picks = node.data.get("pick") == "question"
    first: dict[str | None, DraftEdge] = {}
    targets: dict[tuple[str | None, str], DraftEdge] = {}
    for edge in node.edges:
        if edge.is_else:
            continue
        same = targets.setdefault((edge.opens, edge.target), edge)
        before = first.setdefault(edge.opens, edge)
        if same is not edge:
            message = f"The same edge from `{edge.source}` to `{edge.target}` stands here for the second time."
            related = [("first here", same.path)]
            out.add(Code.SAME_EDGE_TWICE, edge.path, message, "Remove one of the two.", related=related)
        elif before is not edge and not picks:
            how = "without a guard" if edge.opens is None else "with this guard"
            message = f"`{node.id}` has more than one edge {how}: they always open together, and one never wins."
            hint = "Give them different guards, or make one the `else` edge."
            out.add(Code.OPEN_TOGETHER, edge.path, message, hint, related=[("the first one", before.path)])


def _article(kind: Kind) -> str:
    return f"{'an' if kind is Kind.ACTION else 'a'} {kind.value}"
