"""The paths that the path policy chooses from: whether there are any, whether the choice matters, shared answers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphwright.flow.compiled import ACTIVE_PATH
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.draft import Draft, DraftNode
from graphwright.flow.expressions import Expressions
from graphwright.flow.guards.names import ACTIVE_PATH as VARIABLE
from graphwright.flow.reporter import Reporter
from graphwright.flow.scopes import Scopes


def check_paths(draft: Draft, scopes: Scopes, expressions: Expressions, out: Reporter) -> None:
    """Check that what is chosen is used, and that what is used can be chosen. References are checked elsewhere."""
    if draft.paths:
        _check_use(draft, out)
        _check_shared_keys(draft, scopes, out)
        return
    if "path_policy" in draft.data:
        message = "`path_policy` says how a path is chosen, but the flow declares no `paths`."
        out.add(Code.UNUSED_PATHS, ("path_policy",), message, "Add `paths`, or remove the policy.", key=True)
    reads = {path: guard.reads for path, guard in expressions.guards.items()}
    reads |= {path: template.reads for path, template in expressions.templates.items()}
    for path, names in reads.items():
        if VARIABLE in names:
            message = f"`{VARIABLE}` is always '' here: the flow declares no `paths`."
            out.add(Code.NO_PATH_TO_READ, path, message, "Add `paths: {name: {ref: a_subgraph}}`, or do without it.")


def _check_use(draft: Draft, out: Reporter) -> None:
    if any(node.data.get("ref") == ACTIVE_PATH for node in draft.nodes.values()):
        return
    # By their texts: an expression with an error of its own has been compiled to nothing.
    texts = [edge.opens or "" for graph in draft.graphs.values() for edge in graph.edges]
    texts += draft.predicates.values()
    texts += [str(node.data[f]) for node in draft.nodes.values() for f in ("when", "prompt", "say") if f in node.data]
    texts += [node.data["confirm"].get("when", "") for node in draft.nodes.values() if "confirm" in node.data]
    if not any(re.search(rf"\b{VARIABLE}\b", text) for text in texts):
        message = "The flow declares `paths`, but nothing depends on which one is chosen."
        hint = f"Enter it by a subgraph node with `ref: {ACTIVE_PATH}`, or read `{VARIABLE}` in a guard."
        out.add(Code.UNUSED_PATHS, ("paths",), message, hint, key=True)


def _check_shared_keys(draft: Draft, scopes: Scopes, out: Reporter) -> None:
    """Report keys that paths ask with different schemas. Without `as` these are clashes, checked elsewhere."""
    told: set[tuple[str, str]] = set()
    for node in draft.nodes.values():
        if node.data.get("ref") != ACTIVE_PATH or "as" not in node.data:
            continue
        for name, first, second in _differing(draft, scopes, draft.callees(node), node.data["as"], set()):
            if (first.id, second.id) not in told:
                told.add((first.id, second.id))
                message = (
                    f"`{first.id}` and `{second.id}` ask for `{name}` on different paths, with different schemas: "
                    "after a correction of the path the answer to one of them stands for the other."
                )
                hint = "Give both the same schema, or one of them another key."
                related = [("the other one", first.path)]
                out.add(Code.PATHS_SHARE_KEY, (*second.path, "key"), message, hint, related=related)


def _differing(
    draft: Draft, scopes: Scopes, graphs: list[str], name: str, seen: set[tuple[str, ...]]
) -> Iterator[tuple[str, DraftNode, DraftNode]]:
    """The keys, dotted, that graphs with one scope `name` ask with different schemas, and the two questions."""
    if len(graphs) < 2 or tuple(graphs) in seen:
        return
    seen.add(tuple(graphs))
    keys: dict[str, DraftNode] = {}
    inner: dict[str, dict[str, None]] = {}
    for graph in graphs:
        for key, asked in scopes.own[graph].keys.items():
            if keys.setdefault(key, asked).schema != asked.schema:
                yield f"{name}.{key}", keys[key], asked
        for scope, call in scopes.own[graph].names.items():
            inner.setdefault(scope, {}).update(dict.fromkeys(draft.callees(call)))
    for scope, callees in inner.items():
        yield from _differing(draft, scopes, list(callees), f"{name}.{scope}", seen)
