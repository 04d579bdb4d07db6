"""The form of assurances, and the names in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphwright.flow._answer_scopes import Scopes
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._draft import Draft
from graphwright.flow._source import Reporter
from graphwright.flow.compiled import ROOT, Kind
from graphwright.flow.guards._vocabulary import ANSWERS
from graphwright.text.near_names import Names

_CLAIMS = ("never", "always_before", "eventually")


def check_assurances(draft: Draft, scopes: Scopes, out: Reporter) -> None:
    """Check the form of every assurance and the names in it; conditions are compiled elsewhere."""
    for place, data in enumerate(draft.data.get("assurances", ())):
        if not isinstance(data, dict):
            continue
        path = ("assurances", place)
        claims = [name for name in _CLAIMS if name in data]
        if len(claims) > 1:
            message = f"An assurance makes one claim, and this one has `{claims[0]}` and `{claims[1]}`."
            out.add(Code.ASSURANCE_FORM, (*path, claims[1]), message, "Make two assurances of it.", key=True)
        for field, claim in (("unless", "never"), ("comes", "always_before")):
            if claims and field in data and claim not in data:
                message = f"`{field}` belongs to `{claim}`, which this assurance does not have."
                out.add(Code.ASSURANCE_FORM, (*path, field), message, "Remove it.", key=True)
        if "always_before" in data and "comes" not in data:
            message = f"Nothing says what comes before `{data['always_before']}`."
            hint = "Add `comes: NAME`, the node, action or answer that comes first."
            out.add(Code.ASSURANCE_FORM, (*path, "always_before"), message, hint, key=True)
        for field in (*claims, *(["comes"] if "comes" in data else [])):
            _check_name(draft, scopes, data, field, (*path, field), out)


def _check_name(
    draft: Draft, scopes: Scopes, data: Mapping[str, Any], field: str, path: tuple[Any, ...], out: Reporter
) -> None:
    name = data[field]
    if draft.named(name):
        return
    if name.startswith(f"{ANSWERS}."):
        if scopes.questions(name.removeprefix(f"{ANSWERS}."), draft):
            return
        names = Names(f"{ANSWERS}.{key}" for key in scopes.names(ROOT, draft))
    else:
        names = Names([*draft.nodes, *(n.data.get("run", "") for n in draft.nodes.values() if n.kind is Kind.ACTION)])
    message = f"`{name[:80]}` is neither a node nor an action nor an answer of this flow."
    hint = names.hint(name, "Write the id of a node, the name of an action, or `answers.KEY`.")
    out.add(Code.ASSURANCE_NAME, path, message, hint)
