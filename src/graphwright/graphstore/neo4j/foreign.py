"""What other programs write into the same database and no graph of ours holds: it is read, counted, and left alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.graphstore.elements import KEY, Edge, Node
from graphwright.graphstore.errors import BadElement, Conflict
from graphwright.graphstore.names import checked_key, checked_name, checked_properties, shown


def own_node(labels: Sequence[str], properties: Mapping[str, Any]) -> Node:
    """The node that the server holds. Raises BadElement for one that no graph of ours has."""
    name = " ".join([":".join(sorted(labels)) or "a node", *([shown(properties[KEY])] if KEY in properties else [])])
    if len(labels) != 1:
        raise BadElement("bad_label", f"{name} has {len(labels)} labels", "A node has exactly one label.")
    if KEY not in properties:
        raise BadElement("bad_key", f"{name} has no key", "Give each node a text as `key`.")
    label, key = checked_name(labels[0], "label"), checked_key(properties[KEY])
    others = {each: value for each, value in properties.items() if each != KEY}
    _check(others, name)
    return Node(label, key, others)


def own_edge(
    type: str,
    properties: Mapping[str, Any],
    from_labels: Sequence[str],
    from_key: Any,
    to_labels: Sequence[str],
    to_key: Any,
) -> Edge:
    """The edge that the server holds. Raises BadElement for one that no graph of ours has."""
    ends = [own_node(labels, {KEY: key}) for labels, key in ((from_labels, from_key), (to_labels, to_key))]
    edge = Edge(ends[0].label, ends[0].key, checked_name(type, "type"), ends[1].label, ends[1].key, properties)
    _check(properties, edge.name)
    return edge


def not_ours(what: str) -> Conflict:
    """The refusal to change something that is not ours; `what` says what it is."""
    return Conflict(
        f"{what}: another program wrote that, and Graphwright does not change it", "Change it where it was made."
    )


def _check(properties: Mapping[str, Any], name: str) -> None:
    try:
        checked_properties(properties)
    except BadElement as error:
        raise BadElement(error.code, f"{name}: {error.message}", error.hint) from None
