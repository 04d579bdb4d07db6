"""Calls about edges: the type and the direction that are meant, and edges that models take for properties."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphwright.agents.graph_editor.evidence import (
    Evidence,
    canonical_property,
    canonical_type,
)
from graphwright.agents.graph_editor.mentions import names_type
from graphwright.agents.graph_editor.naming import end, existing
from graphwright.agents.graph_editor.pairs import as_worded, require_fitting, sure_pair
from graphwright.agents.graph_editor.problems import Option, Problem
from graphwright.agents.graph_editor.sound import Grounded
from graphwright.agents.graph_editor.stated import said_properties
from graphwright.agents.graph_editor.words import QUOTED, plain, tokens
from graphwright.graphstore import Ambiguous, Edge, Node


def add_edge(given: dict[str, Any], evidence: Evidence) -> Grounded:
    named = str(given["type"])
    source = end(str(given["from_key"]), given.get("from_label"), evidence, kind=named)
    target = end(str(given["to_key"]), given.get("to_label"), evidence, kind=named)
    kind = _edge_type(str(given["type"]), source, target, evidence)
    told = _as_told(source, target, evidence)
    source, target = told or as_worded(kind, *directed(kind, source, target, evidence), evidence)
    if told is None:
        require_fitting(kind, source, target, evidence)
    properties, dropped = said_properties(
        given.get("properties") or {}, evidence, (kind, source.key, target.key), types=(kind,)
    )
    arguments = {**_ends(source, kind, target), "properties": properties}
    sure = evidence.surely(source.key) and evidence.surely(target.key)
    sure = sure and (told is not None or sure_pair(kind, source, target, evidence))
    return Grounded("add_edge", arguments, certain=sure and _speaks_of(kind, evidence), dropped=dropped)


def _as_told(source: Node, target: Node, evidence: Evidence) -> tuple[Node, Node] | None:
    """The ends as the request puts them, where it says "from ann to T-1"; None where it does not."""
    for first, second in ((source, target), (target, source)):
        names = ["|".join(re.escape(name) for name in _names(node)) for node in (first, second)]
        one, other = (rf"(?:\w+\s+)?['\"]?(?:{name})(?![\w-])['\"]?" for name in names)
        told = rf"(?<!\w)(?:from|von)\s+{one}\s+(?:to|zu|nach)\s+{other}"
        if re.search(told, evidence.text, re.IGNORECASE):
            return first, second
    return None


def _names(node: Node) -> list[str]:
    return [node.key, *(str(node.properties[name]) for name in ("name", "title") if node.properties.get(name))]


def _speaks_of(kind: str, evidence: Evidence) -> bool:
    return bool(evidence.asked) or names_type(kind, set(tokens(evidence.text)))


def _edge_type(kind: str, source: Node, target: Node, evidence: Evidence) -> str:
    """The type of a new edge: one that the user named, else one that joins such nodes already."""
    known = canonical_type(kind, evidence.schema)
    named = evidence.mentions.types
    if known is not None and (known in named or evidence.says(known)):
        return known
    if known is None and (evidence.says(kind) or names_type(kind, set(tokens(evidence.text)))):
        found = re.search(re.escape(kind), evidence.text, re.IGNORECASE)
        return found.group() if found and found.group().isupper() else re.sub(r"\W+", "_", kind).upper()
    other = _other_type(evidence)
    if other:
        raise Problem("unsaid_type", f"The request names {other}, not {kind}.", about=kind)
    ends = {(source.label, target.label), (target.label, source.label)}
    fitting = [one.type for one in evidence.schema.types if ends & set(one.joins)]
    meant = [each for each in fitting if each in named] or fitting
    if known in meant:
        return known
    if len(meant) == 1:
        return meant[0]
    raise Problem(
        "unsaid_type",
        f"The user did not name the edge type {kind}.",
        options=tuple(Option(each, {"type": each}) for each in meant[:4]),
        about=kind,
    )


def _other_type(evidence: Evidence) -> str:
    """A word of the request that is written like an edge type and is no other name of the graph."""
    keys = {plain(key) for key in evidence.mentions.keys} | {plain(node.key) for node in evidence.mentions.nodes}
    known = {plain(one.label) for one in evidence.schema.labels}
    for word in re.findall(r"(?<![\w-])[A-Z][A-Z_]{3,}(?![\w-])", QUOTED.sub(" ", evidence.text)):
        if plain(word) not in keys | known and canonical_type(word, evidence.schema) is None:
            return str(word)
    return ""


def directed(kind: str, source: Node, target: Node, evidence: Evidence) -> tuple[Node, Node]:
    """The ends in the direction that edges of this type have between these labels."""
    joins = next((set(one.joins) for one in evidence.schema.types if one.type == kind), set())
    if (source.label, target.label) not in joins and (target.label, source.label) in joins:
        return target, source
    return source, target


def _ends(source: Node, kind: str, target: Node) -> dict[str, Any]:
    return {
        "from_key": source.key,
        "type": kind,
        "to_key": target.key,
        "from_label": source.label,
        "to_label": target.label,
    }


def existing_edge(given: Mapping[str, Any], evidence: Evidence) -> dict[str, Any]:
    """The ends and type of an edge that is there.

    The model may have turned it round, or missed the type where the request names none and there is only one edge.
    """
    source = end(str(given["from_key"]), given.get("from_label"), evidence)
    target = end(str(given["to_key"]), given.get("to_label"), evidence)
    between = [
        edge
        for edge in evidence.store.edges(source.key, source.label)
        if {(edge.from_label, edge.from_key), (edge.to_label, edge.to_key)}
        == {(source.label, source.key), (target.label, target.key)}
    ]
    kind = canonical_type(str(given["type"]), evidence.schema) or str(given["type"])
    of_kind = [edge for edge in between if edge.type == kind]
    named = set(evidence.mentions.types)
    only = between if len(between) == 1 and (not named or between[0].type in named) else []
    chosen = of_kind or ([] if _other_type(evidence) else only)
    straight = [edge for edge in chosen if edge.from_key == source.key and edge.from_label == source.label] or chosen
    if not straight:
        there = ", ".join(edge.type for edge in between)
        raise Problem(
            "not_found",
            f"There is no {kind} edge between {source.name} and {target.name}"
            + (f"; there is {there}." if there else "."),
            options=tuple(Option(edge.type, {"type": edge.type}) for edge in between),
            about=kind,
        )
    return _identity(straight[0])


def _identity(edge: Edge) -> dict[str, Any]:
    return {
        "from_key": edge.from_key,
        "type": edge.type,
        "to_key": edge.to_key,
        "from_label": edge.from_label,
        "to_label": edge.to_label,
    }


def as_edge(given: Mapping[str, Any], evidence: Evidence) -> dict[str, Any] | None:
    """The edge that is meant where a node is given what belongs to an edge.

    That is a property named like an edge type (`{BLOCKS: "T-2"}`), or one that only the edges have which join the two
    nodes of the request.
    """
    properties = dict(given.get("properties") or {})
    if "from_key" in given or not properties:
        return None
    typed = {name: canonical_type(name, evidence.schema) for name in properties}
    kind = next((kind for kind in typed.values() if kind is not None), None)
    if kind is not None and canonical_property(kind, evidence.property_names()) is None:
        name = next(name for name in properties if typed[name] is not None)
        other = properties.pop(name)
        if other is None or other is False:
            # Nothing is added by taking something away.
            found = _edge_instead(given, kind, "", properties, evidence)
            del found["properties"]
            return found
        return _edge_instead(given, kind, other if isinstance(other, str) else "", properties, evidence)
    for one in evidence.schema.types:
        node = _mentioned(str(given["key"]), evidence)
        if node is None or not all(canonical_property(name, one.properties) for name in properties):
            continue
        own = evidence.property_names((node.label,))
        if not any(canonical_property(name, own) for name in properties):
            return _edge_instead(given, one.type, "", properties, evidence)
    return None


def _mentioned(key: str, evidence: Evidence) -> Node | None:
    try:
        return existing(key, None, evidence) if len(evidence.mentions.nodes) == 2 else None
    except Ambiguous:
        # Two nodes of one key are no two ends.
        return None


def _edge_instead(
    given: Mapping[str, Any], kind: str, other: str, properties: dict[str, Any], evidence: Evidence
) -> dict[str, Any]:
    source = end(str(given["key"]), given.get("label"), evidence)
    target = existing(other, None, evidence) if other else None
    if target is None:
        others = [node for node in evidence.mentions.nodes if node != source]
        target = others[0] if len(others) == 1 else None
    if target is None:
        raise Problem("bad_arguments", f"{kind} is a type of edge, not a property: use add_edge with both keys.")
    first, second = directed(kind, source, target, evidence)
    return {**_ends(first, kind, second), "properties": properties}


def delete_edge(given: dict[str, Any], evidence: Evidence) -> Grounded:
    if not evidence.asked & {"delete", "update", "connect"}:
        raise Problem("not_asked", "The request does not ask for anything to be deleted.")
    _require_named_edge(given, evidence)
    return Grounded("delete_edge", existing_edge(given, evidence), certain=False)


def meant_edge(node: Node, evidence: Evidence) -> dict[str, Any] | None:
    """The edge that is to go where a request names both its ends and its type: not the node that it hangs on.

    "Nadia Farouk does not take insulin any more, please remove that" deletes no patient.
    """
    found = evidence.mentions
    named = {(each.label, each.key) for each in (*found.nodes, *found.partly)} - {(node.label, node.key)}
    edges = [
        edge
        for edge in evidence.store.edges(node.key, node.label)
        if edge.type in found.types and {(edge.from_label, edge.from_key), (edge.to_label, edge.to_key)} & named
    ]
    if len(edges) != 1 or len(named) != 1:
        return None
    return _identity(edges[0])


def _require_named_edge(given: Mapping[str, Any], evidence: Evidence) -> None:
    """An edge is deleted where the request names its type or both its ends: not because it hangs on a named node."""
    keys = {plain(node.key) for node in evidence.mentions.nodes}
    both = {plain(str(given["from_key"])), plain(str(given["to_key"]))} <= keys
    if both or canonical_type(str(given["type"]), evidence.schema) in evidence.mentions.types:
        return
    way = "delete_node deletes a node"
    if evidence.mentions.properties:
        way = f"update_props with {{{evidence.mentions.properties[0]}: null}} removes a property"
    raise Problem(
        "unsaid_key",
        f"The request does not name this edge. It names: {evidence.names()}. Note: {way}.",
        about=str(given["type"]),
    )
