"""Nodes that no way leads to."""

from __future__ import annotations

from graphwright.flow.checks.ways import following
from graphwright.flow.compiled import ROOT
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.draft import Draft, DraftNode
from graphwright.flow.expressions import Expressions
from graphwright.flow.names import listed
from graphwright.flow.reporter import Reporter
from graphwright.flow.scopes import Scopes
from graphwright.flow.walk import reachable


def check_reach(draft: Draft, scopes: Scopes, expressions: Expressions, broken: set[str], out: Reporter) -> None:
    """Report nodes that cannot be reached from the entry of their graph.

    Where the flow itself jumps counts as reached: `on_stuck`, `on_escalate`, and questions that constraints ask.
    """
    starts = [graph.nodes[graph.entry] for graph in draft.graphs.values() if graph.entry in graph.nodes]
    for name in ("on_stuck", "on_escalate"):
        target = draft.data.get(name, "")
        if target in draft.root.nodes:
            starts.append(draft.root.nodes[target])
    starts += _asked_by_constraints(draft, scopes, expressions)
    reached = reachable(starts, lambda node: following(draft, node, jumps=True))
    for node in draft.nodes.values():
        if node in reached or node.graph in broken:
            continue
        entry = draft.graphs[node.graph].entry
        where = f"`{entry}`, where the flow begins" if node.graph == ROOT else f"`{entry}`, the entry of its subgraph"
        message = f"No way leads to `{node.id}` from {where}."
        out.add(Code.UNREACHABLE, (*node.path, "id"), message, _hint(draft, node))


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


def _hint(draft: Draft, node: DraftNode) -> str:
    leads = [following.target for following in node.edges if following.target in draft.nodes]
    towards = f" It leads to {listed(dict.fromkeys(leads), 3)}." if leads else ""
    return f"Add an edge to it, or remove it.{towards}"
