"""What the driver gives, as elements and JSON: nodes, edges, paths, and values that JSON does not have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from graphwright.graphstore.elements import KEY, Edge, Node

if TYPE_CHECKING:
    import neo4j
    from neo4j.graph import Relationship

NO_LABEL = "(none)"
"""How the label of a node is told that has none."""

Ends: TypeAlias = Mapping[str, tuple[str, str]]
"""Label and key of nodes, by the server's id."""


def label_of(labels: Iterable[str]) -> str:
    """The label of a node; several, which only other programs give to one, are joined."""
    return ":".join(sorted(labels)) or NO_LABEL


def key_of(value: Any) -> str:
    return value if isinstance(value, str) else ""


def node_of(labels: Iterable[str], properties: Mapping[str, Any]) -> Node:
    """A node from what the server holds of it. Values that no property can have are texts."""
    others = {name: plain(value) for name, value in properties.items() if name != KEY}
    return Node(label_of(labels), key_of(properties.get(KEY)), others)


def plain(value: Any) -> Any:
    """A value as JSON: dates, durations and points are texts, bytes are told by their number."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case bytes() | bytearray():
            return f"({len(value)} bytes)"
        case Mapping():
            return {name: plain(item) for name, item in value.items()}
        case list():
            return [plain(item) for item in value]
    return value.iso_format() if hasattr(value, "iso_format") else str(value)


def ends_needed(values: Iterable[Any]) -> set[str]:
    """The ids of the nodes between which edges go: an edge comes without its ends' labels and keys."""
    from neo4j.graph import Path, Relationship

    needed: set[str] = set()
    for value in values:
        match value:
            case Relationship():
                needed.update(node.element_id for node in _ends(value))
            case Path():
                continue
            case Mapping():
                needed |= ends_needed(value.values())
            case list():
                needed |= ends_needed(value)
    return needed


def cell(value: Any, ends: Ends) -> Any:
    """A value of a row as the JSON of `Result`."""
    from neo4j import graph

    match value:
        case graph.Node():
            return node_of(value.labels, value).to_json()
        case graph.Relationship():
            return edge_of(value, ends).to_json()
        case graph.Path():
            known = {node.element_id: (label_of(node.labels), key_of(node.get(KEY))) for node in value.nodes}
            return {
                "nodes": [cell(node, known) for node in value.nodes],
                "edges": [cell(edge, known) for edge in value.relationships],
            }
        case Mapping():
            return {name: cell(item, ends) for name, item in value.items()}
        case list():
            return [cell(item, ends) for item in value]
    return plain(value)


def edge_of(edge: Relationship, ends: Ends) -> Edge:
    """An edge; its ends are nameless where they have been deleted."""
    (from_label, from_key), (to_label, to_key) = (ends.get(node.element_id, ("", "")) for node in _ends(edge))
    return Edge(from_label, from_key, edge.type, to_label, to_key, {k: plain(v) for k, v in edge.items()})


def ends_of(tx: neo4j.Transaction, needed: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Label and key of the nodes with these ids."""
    found = tx.run(f"MATCH (n) WHERE elementId(n) IN $ids RETURN elementId(n), labels(n), n.{KEY}", ids=sorted(needed))
    return {id: (label_of(labels), key_of(key)) for id, labels, key in found}


def _ends(edge: Relationship) -> Sequence[neo4j.graph.Node]:
    return [node for node in edge.nodes if node is not None]
