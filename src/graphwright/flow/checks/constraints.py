"""Constraints: the keys and predicates that they speak of."""

from __future__ import annotations

from graphwright.flow.compiled import ROOT
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.draft import Draft
from graphwright.flow.names import Names, listed
from graphwright.flow.reporter import Reporter
from graphwright.flow.scopes import Scopes


def check_constraints(draft: Draft, scopes: Scopes, out: Reporter) -> None:
    """Check the constraints."""
    predicates = Names(draft.predicates)
    keys: Names | None = None
    for place, constraint in enumerate(draft.data.get("constraints", ())):
        if not isinstance(constraint, dict):
            continue
        path = ("constraints", place)
        if "one_of" in constraint and "require" in constraint:
            hint = "Make two constraints of it."
            out.add(Code.CONSTRAINT_FORM, path, "A constraint has `one_of` or `require`, not both.", hint)
        if "exactly" in constraint and "require" in constraint and "one_of" not in constraint:
            message = "`exactly` speaks of the groups of `one_of`, and this constraint has none."
            out.add(Code.CONSTRAINT_FORM, (*path, "exactly"), message, "Remove it.", key=True)
        name = constraint.get("require")
        if name is not None and name not in draft.predicates:
            otherwise = f"There is {listed(draft.predicates)}." if draft.predicates else "Add it under `predicates`."
            message = f"There is no predicate `{name[:80]}`."
            out.add(Code.UNKNOWN_PREDICATE, (*path, "require"), message, predicates.hint(name, otherwise))
        for group_place, group in enumerate(constraint.get("one_of", ())):
            for key_place, key in enumerate(group):
                if scopes.questions(key, draft):
                    continue
                keys = keys or Names(scopes.names(ROOT, draft))
                where = (*path, "one_of", group_place, key_place)
                message = f"No question asks for `{key}`."
                hint = keys.hint(key.removeprefix("answers."), "Name the key of a question (`email`, `led.wattage`).")
                out.add(Code.CONSTRAINT_KEY, where, message, hint)
