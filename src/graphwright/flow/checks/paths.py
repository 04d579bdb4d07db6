"""The paths that the path policy chooses from: whether there are any, and whether the choice matters."""

from __future__ import annotations

import re

from graphwright.flow import codes
from graphwright.flow.compiled import ACTIVE_PATH
from graphwright.flow.draft import Draft
from graphwright.flow.expressions import Expressions
from graphwright.flow.guards.names import ACTIVE_PATH as VARIABLE
from graphwright.flow.reporter import Reporter


def check_paths(draft: Draft, expressions: Expressions, out: Reporter) -> None:
    """Check that what is chosen is used, and that what is used can be chosen. References are checked elsewhere."""
    if draft.paths:
        _check_use(draft, out)
        return
    if "path_policy" in draft.data:
        message = "`path_policy` says how a path is chosen, but the flow declares no `paths`."
        out.add(codes.UNUSED_PATHS, ("path_policy",), message, "Add `paths`, or remove the policy.", key=True)
    reads = {path: guard.reads for path, guard in expressions.guards.items()}
    reads |= {path: template.reads for path, template in expressions.templates.items()}
    for path, names in reads.items():
        if VARIABLE in names:
            message = f"`{VARIABLE}` is always '' here: the flow declares no `paths`."
            out.add(codes.NO_PATH_TO_READ, path, message, "Add `paths: {name: {ref: a_subgraph}}`, or do without it.")


def _check_use(draft: Draft, out: Reporter) -> None:
    if any(node.data.get("ref") == ACTIVE_PATH for node in draft.nodes.values()):
        return
    # By their texts: an expression with an error of its own has been compiled to nothing.
    texts = [edge.opens or "" for graph in draft.graphs.values() for edge in graph.edges]
    texts += draft.predicates.values()
    texts += [str(node.data[f]) for node in draft.nodes.values() for f in ("when", "prompt", "say") if f in node.data]
    if not any(re.search(rf"\b{VARIABLE}\b", text) for text in texts):
        message = "The flow declares `paths`, but nothing depends on which one is chosen."
        hint = f"Enter it by a subgraph node with `ref: {ACTIVE_PATH}`, or read `{VARIABLE}` in a guard."
        out.add(codes.UNUSED_PATHS, ("paths",), message, hint, key=True)
