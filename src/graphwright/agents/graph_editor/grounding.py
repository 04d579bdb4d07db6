"""The gate before a tool: a call is brought into the graph's own words, and refused where nobody asked for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from graphwright.agents.graph_editor.claims import stated_edges
from graphwright.agents.graph_editor.edges import add_edge, as_edge, delete_edge, existing_edge, meant_edge
from graphwright.agents.graph_editor.evidence import (
    Evidence,
    canonical_property,
    like,
)
from graphwright.agents.graph_editor.mentions import apart, clauses, unfamiliar
from graphwright.agents.graph_editor.naming import end, existing, new_key, new_label
from graphwright.agents.graph_editor.newcomer_values import stated_values
from graphwright.agents.graph_editor.newcomers import require_name, sure_newcomer
from graphwright.agents.graph_editor.ordered import ordered_writes
from graphwright.agents.graph_editor.plainly import plain_cut, plain_update
from graphwright.agents.graph_editor.problems import Problem
from graphwright.agents.graph_editor.removals import removed_edge
from graphwright.agents.graph_editor.several import of_all
from graphwright.agents.graph_editor.sound import Grounded
from graphwright.agents.graph_editor.stated import guessed, said_properties
from graphwright.agents.graph_editor.words import asks_somewhere, denies, is_question, plain, squeezed, supposes, tokens
from graphwright.graphstore import Node

_KEEPING = re.compile(r"(?<!\w)(?:keep|leave|touch\w*|chang\w*|alter\w*|affect\w*|lass\w*|behalt\w*)(?!\w)")
_REMOVING = {"remove", "removes", "delete", "clear", "unset", "drop", "erase", "entferne", "lösche", "削除"}


def grounded(tool_name: str, arguments: Mapping[str, Any], evidence: Evidence) -> Grounded:
    """The call as it may be made. Raises Problem, which says what is wrong and what the user could choose."""
    together = of_all(tool_name, arguments, evidence)
    if together is not None:
        return together
    cut = plain_cut(evidence) or removed_edge(evidence)
    if cut is not None:
        return cut
    ordered = ordered_writes(evidence)
    if ordered and tool_name == "query_graph" and not asks_somewhere(evidence.text):
        return ordered[0]
    if tool_name in ("query_graph", "cypher_query"):
        from graphwright.agents.graph_editor.asking import grounded_query

        return grounded_query(tool_name, arguments, evidence)
    if evidence.only_asks:
        from graphwright.agents.graph_editor.asking import own_query

        asked = own_query(evidence)
        if asked is not None:
            return asked
        raise Problem("only_asked", "The request only asks; nothing may be written for it. Answer it by a query.")
    try:
        sound = _written(tool_name, dict(arguments), evidence)
        _require_kind(sound, evidence)
    except Problem:
        own = ordered[0] if ordered else plain_update(evidence)
        if own is None:
            raise
        return own
    instead = _instead(sound, ordered)
    if instead is not None:
        return instead
    _require_amounts(sound, evidence)
    certain = sound.certain and not _doubtful(sound, evidence)
    if ordered and not certain and tool_name in ("add_node", "add_edge", "update_props"):
        # What the words say plainly comes before what they leave open.
        return ordered[0]
    return replace(sound, certain=certain)


def stands_in(evidence: Evidence) -> Grounded | None:
    """What code reads in the request by itself, for a call that is none, or that cannot be looked at."""
    together = of_all("", {}, evidence)
    if together is not None:
        return together
    if evidence.only_asks:
        from graphwright.agents.graph_editor.asking import own_query

        return own_query(evidence)
    cut = plain_cut(evidence)
    if cut is not None:
        return cut
    ordered = ordered_writes(evidence)
    return ordered[0] if ordered else plain_update(evidence)


def _require_amounts(sound: Grounded, evidence: Evidence) -> None:
    """Raises Problem for an edge with other values than the words state for it: "400 mg 3x a day" is no dose of 3."""
    given = sound.arguments.get("properties") or {}
    for claim in stated_edges(evidence) if "from_key" in sound.arguments and given else ():
        stated = claim.arguments()
        if any(sound.arguments.get(name) != stated[name] for name in stated if name != "properties"):
            continue
        wrong = [name for name, value in claim.properties.items() if name in given and given[name] != value]
        if wrong:
            said = ", ".join(f"{name} {value}" for name, value in claim.properties.items())
            raise Problem("unsaid_value", f"The request states {said} for this edge.", about=wrong[0])


def _instead(sound: Grounded, ordered: list[Grounded]) -> Grounded | None:
    """What the request plainly orders for the node or edge of a call that gives it another value."""
    given = sound.arguments.get("properties") or {}
    for each in ordered:
        own = each.arguments.get("properties") or {}
        same = {**sound.arguments, "properties": None} == {**each.arguments, "properties": None}
        if each.tool_name == sound.tool_name and same and any(n in given and given[n] != v for n, v in own.items()):
            return each
    return None


_KINDS = {
    "add_node": {"create", "connect"},
    "add_edge": {"create", "connect", "update"},
    "update_props": {"update", "create", "connect"},
}


def _require_kind(sound: Grounded, evidence: Evidence) -> None:
    """Raises Problem where the request asks for another kind of writing: who says "delete" wants nothing added."""
    fitting = _KINDS.get(sound.tool_name, {"delete", "update", "connect"})
    if None in _values(sound):
        fitting = fitting | {"delete"}
    if evidence.asked and not evidence.asked & fitting:
        asked = ", ".join(sorted(evidence.asked))
        raise Problem("not_asked", f"The request asks to {asked}; {sound.tool_name} does something else.")


def _doubtful(sound: Grounded, evidence: Evidence) -> bool:
    """Whether the words of the request leave it open that just this is meant."""
    if supposes(evidence.request):
        return True
    if guessed(sound.arguments, evidence):
        return True
    values = [value for value in _values(sound) if value is not None]
    # "Never create T-5" names it, too. What takes something away is said with such words.
    if (values or sound.tool_name != "update_props") and evidence.speaks_against(sound.arguments):
        return True
    key = str(sound.arguments.get("key", ""))
    names = {*evidence.mentions.keys, *(node.key for node in evidence.mentions.nodes)}
    # "Close T-1 and assign T-10" says nothing of closing T-10.
    written = sound.tool_name == "update_props" and len(names) > 1 and key not in evidence.agreed
    return written and any(apart(evidence.text, key, str(value), sorted(names)) for value in values)


def _values(sound: Grounded) -> list[Any]:
    return list((sound.arguments.get("properties") or {}).values())


def _written(tool_name: str, given: dict[str, Any], evidence: Evidence) -> Grounded:
    match tool_name:
        case "add_node":
            return _add_node(given, evidence)
        case "add_edge":
            return add_edge(given, evidence)
        case "update_props":
            edge = as_edge(given, evidence)
            if edge is None:
                return _update(given, evidence)
            return add_edge(edge, evidence) if "properties" in edge else delete_edge(edge, evidence)
        case "delete_node":
            return _delete_node(given, evidence)
    return delete_edge(given, evidence)


def _add_node(given: dict[str, Any], evidence: Evidence) -> Grounded:
    label = new_label(str(given["label"]), evidence)
    there = existing(str(given["key"]), label, evidence, exact=True)
    if there is not None and not evidence.surely(there.key):
        raise Problem("unsaid_key", f"The user did not name {there.name}. The request names: {evidence.names()}.")
    if there is None:
        require_name(label, str(given["key"]), evidence)
    key = there.key if there is not None else new_key(label, str(given["key"]), evidence)
    sure = there is not None or sure_newcomer(label, key, evidence)
    properties, dropped = said_properties(given.get("properties") or {}, evidence, (label, key), labels=(label,))
    if there is None and sure:
        properties |= stated_values(label, key, properties, evidence)
    if there is not None and not properties and dropped:
        raise Problem(
            "unsaid_value", f"{there.name} is there already, and the user said none of: {', '.join(dropped)}."
        )
    return Grounded(
        "add_node",
        {"label": label, "key": key, "properties": properties},
        certain=sure and (bool(evidence.asked) or key in evidence.agreed) and not _overwrites(there, properties),
        dropped=dropped,
    )


def _overwrites(there: Node | None, properties: Mapping[str, Any]) -> bool:
    """Whether creating a node would change what one that is there says: perhaps it was meant to be another."""
    return there is not None and any(there.properties.get(name, value) != value for name, value in properties.items())


def _update(given: dict[str, Any], evidence: Evidence) -> Grounded:
    changes = dict(given.get("properties") or {})
    if changes and {plain(name) for name in changes} <= {"key", "label"} and "from_key" not in given:
        raise Problem("identity", "The key and the label of a node never change; its properties, such as a name, do.")
    labels: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    old: Mapping[str, Any] = {}
    if "from_key" in given:
        arguments = existing_edge(given, evidence)
        types = (arguments["type"],)
        identity: tuple[str, ...] = (arguments["type"], arguments["from_key"], arguments["to_key"])
    else:
        node = end(str(given["key"]), given.get("label"), evidence)
        arguments = {"key": node.key, "label": node.label}
        labels, identity, old = (node.label,), (node.label, node.key), node.properties
    own = evidence.property_names(labels, types)
    removed: dict[str, Any] = {}
    for name in [name for name, value in changes.items() if value is None]:
        del changes[name]
        known = canonical_property(name, own)
        if known and _removal_said(known, evidence):
            removed[known] = None
    properties, dropped = said_properties(
        _renamed(changes, labels, own, evidence), evidence, identity, labels=labels, types=types
    )
    if not properties and not removed:
        raise Problem(
            "unsaid_value",
            f"The user said none of these values: {', '.join(f'{k}={v}' for k, v in given['properties'].items())}. "
            f"Take values from the request only. It names: {evidence.names()}.",
        )
    # "T-1 is in progress now" asks for it without a verb.
    certain = bool(evidence.asked) or not is_question(evidence.text)
    certain = certain and all(
        evidence.surely(arguments[name]) for name in ("key", "from_key", "to_key") if name in arguments
    )
    certain = certain and not any(_loses(old.get(name), value) for name, value in properties.items())
    return Grounded("update_props", {**arguments, "properties": {**properties, **removed}}, certain, dropped)


def _loses(old: Any, value: Any) -> bool:
    """Whether a list would lose items: "add latex to her allergies" takes none of the others away."""
    return isinstance(old, list) and not (isinstance(value, list) and all(item in value for item in old))


def _removal_said(name: str, evidence: Evidence) -> bool:
    """Whether the request says that a property is to go: in the clause that names it, or in the one behind it."""
    parts = clauses(evidence.text)
    for place, part in enumerate(parts):
        if squeezed(name) not in squeezed(part):
            continue
        near = " ".join(parts[place : place + 2])
        if _KEEPING.search(plain(part)):
            return False
        if _REMOVING & set(tokens(near)) or denies(part):
            return True
    return False


def _renamed(changes: Mapping[str, Any], labels: tuple[str, ...], own: list[str], evidence: Evidence) -> dict[str, Any]:
    """Names that neither user nor graph know become the property that is known to have such a value."""
    renamed = {}
    for name, value in changes.items():
        short = [each for each in own if len(name) > 2 and plain(each).startswith(plain(name))]
        if canonical_property(name, own) is None and len(short) == 1:
            # "prio" is the priority, and no property of its own.
            name = short[0]
        elif canonical_property(name, own) is None and not evidence.says(name):
            fitting = [
                each
                for each in own
                for label in labels
                if any(like(stored, value) for stored, _ in evidence.store.values(label, each))
            ]
            if len(set(fitting)) == 1:
                name = fitting[0]
            elif unfamiliar(name, own, most=1):
                name = unfamiliar(name, own, most=1)[0]
        renamed[name] = value
    return renamed


def _delete_node(given: dict[str, Any], evidence: Evidence) -> Grounded:
    if "delete" not in evidence.asked:
        raise Problem("not_asked", "The request does not ask for anything to be deleted.")
    node = end(str(given["key"]), given.get("label"), evidence)
    edge = meant_edge(node, evidence)
    if edge is not None:
        return Grounded("delete_edge", edge, certain=False)
    return Grounded("delete_node", {"key": node.key, "label": node.label}, certain=False)
