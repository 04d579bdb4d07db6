"""Subgraphs and the calls of them: references, unused ones, depth."""

from __future__ import annotations

from graphwright.flow.compiled import ACTIVE_PATH, ROOT
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.draft import Draft, DraftNode
from graphwright.flow.names import Names, listed
from graphwright.flow.reporter import Reporter
from graphwright.flow.source import Path
from graphwright.flow.walk import components

MAX_CALL_DEPTH = 64
"""How deep subgraphs may call each other; a running flow stops there too."""


def check_subgraphs(draft: Draft, out: Reporter) -> None:
    """Check the references to subgraphs."""
    names = Names(name for name in draft.graphs if name != ROOT)
    used: set[str] = set()
    before = len(out.report.found)
    for graph in draft.graphs.values():
        for node in graph.calls:
            used.update(draft.callees(node))
            _check_call(draft, node, names, out)
    for name, path in draft.paths.items():
        used.add(path.get("ref", ""))
        if "ref" in path:
            _check_ref(draft, path["ref"], ("paths", name, "ref"), names, out)
    all_known = len(out.report.found) == before
    for graph in draft.graphs.values():
        if all_known and graph.id != ROOT and graph.id not in used:
            hint = "Call it by a node of type subgraph, or remove it."
            out.add(Code.UNUSED_SUBGRAPH, graph.path, f"Nothing calls the subgraph `{graph.id}`.", hint, key=True)
    _check_depth(draft, out)


def _check_call(draft: Draft, node: DraftNode, names: Names, out: Reporter) -> None:
    ref = node.data.get("ref")
    path = (*node.path, "ref")
    if ref == ACTIVE_PATH and not draft.paths:
        message = f"`{node.id}` enters the chosen path, but the flow declares no `paths`."
        out.add(Code.NO_PATHS, path, message, "Add `paths: {name: {ref: a_subgraph}}`, or name a subgraph.")
    elif ref is not None and ref != ACTIVE_PATH:
        _check_ref(draft, ref, path, names, out)


def _check_ref(draft: Draft, ref: str, path: Path, names: Names, out: Reporter) -> None:
    if ref not in draft.graphs or ref == ROOT:
        known = [name for name in draft.graphs if name != ROOT]
        otherwise = f"There is {listed(known)}." if known else "Add it under `subgraphs`."
        out.add(Code.UNKNOWN_SUBGRAPH, path, f"There is no subgraph `{ref}`.", names.hint(ref, otherwise))


def _check_depth(draft: Draft, out: Reporter) -> None:
    """Report a chain of calls that is too deep even without recursion."""
    calls = {
        graph.id: list(dict.fromkeys(callee for node in graph.calls for callee in draft.callees(node)))
        for graph in draft.graphs.values()
    }
    depth: dict[str, int] = {}
    for members in components(calls):
        below = max((depth[callee] + 1 for m in members for callee in calls[m] if callee in depth), default=0)
        depth.update(dict.fromkeys(members, below))
    if depth.get(ROOT, 0) <= MAX_CALL_DEPTH:
        return
    deepest = next(node for node in draft.root.calls for c in draft.callees(node) if depth[c] >= MAX_CALL_DEPTH)
    message = f"Subgraphs call each other {depth[ROOT]} deep from `{deepest.id}`; at most {MAX_CALL_DEPTH} are allowed."
    hint = "Lead on by edges where nothing is left to do after a call."
    out.add(Code.CALLS_TOO_DEEP, (*deepest.path, "ref"), message, hint)
