"""Constraints, and the paths that the path policy chooses from."""

from __future__ import annotations

import re

from graphwright.flow import codes
from graphwright.flow.compiled import ACTIVE_PATH, ROOT
from graphwright.flow.draft import Draft
from graphwright.flow.names import Names, listed
from graphwright.flow.reporter import Reporter
from graphwright.flow.scopes import Scopes


def check_constraints(draft: Draft, scopes: Scopes, out: Reporter) -> None:
    """Check the constraints and the paths."""
    predicates = Names(draft.predicates)
    keys: Names | None = None
    for place, constraint in enumerate(draft.data.get("constraints", ())):
        if not isinstance(constraint, dict):
            continue
        path = ("constraints", place)
        if "one_of" in constraint and "require" in constraint:
            hint = "Make two constraints of it."
            out.add(codes.CONSTRAINT_FORM, path, "A constraint has `one_of` or `require`, not both.", hint)
        if "exactly" in constraint and "require" in constraint and "one_of" not in constraint:
            message = "`exactly` speaks of the groups of `one_of`, and this constraint has none."
            out.add(codes.CONSTRAINT_FORM, (*path, "exactly"), message, "Remove it.", key=True)
        name = constraint.get("require")
        if name is not None and name not in draft.predicates:
            otherwise = f"There is {listed(draft.predicates)}." if draft.predicates else "Add it under `predicates`."
            message = f"There is no predicate `{name[:80]}`."
            out.add(codes.UNKNOWN_PREDICATE, (*path, "require"), message, predicates.hint(name, otherwise))
        for group_place, group in enumerate(constraint.get("one_of", ())):
            for key_place, key in enumerate(group):
                if scopes.questions(key, draft):
                    continue
                keys = keys or Names(scopes.names(ROOT, draft))
                where = (*path, "one_of", group_place, key_place)
                message = f"No question asks for `{key}`."
                hint = keys.hint(key.removeprefix("answers."), "Name the key of a question (`email`, `led.wattage`).")
                out.add(codes.CONSTRAINT_KEY, where, message, hint)
    _check_paths(draft, out)


def _check_paths(draft: Draft, out: Reporter) -> None:
    if "path_policy" in draft.data and not draft.paths:
        message = "`path_policy` says how a path is chosen, but the flow declares no `paths`."
        out.add(codes.UNUSED_PATHS, ("path_policy",), message, "Add `paths`, or remove the policy.", key=True)
    if not draft.paths or any(node.data.get("ref") == ACTIVE_PATH for node in draft.nodes.values()):
        return
    texts = [edge.opens or "" for graph in draft.graphs.values() for edge in graph.edges]
    texts += draft.predicates.values()
    texts += [str(node.data[f]) for node in draft.nodes.values() for f in ("when", "prompt", "say") if f in node.data]
    if not any(re.search(r"\bactive_path\b", text) for text in texts):
        message = "The flow declares `paths`, but nothing depends on which one is chosen."
        hint = f"Enter it by a subgraph node with `ref: {ACTIVE_PATH}`, or read `active_path` in a guard."
        out.add(codes.UNUSED_PATHS, ("paths",), message, hint, key=True)
