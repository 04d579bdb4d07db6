"""A Cypher statement that writes: run, and compared with what was there before.

Neo4j counts what a statement did but does not say what. So the graph is read before and after it, inside the
transaction; for that it may have a limited size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from graphwright.errors import said
from graphwright.graphstore.elements import KEY, Change, Edge, Element, Node
from graphwright.graphstore.errors import BadElement, QueryFailed, QueryRefused
from graphwright.graphstore.names import shown
from graphwright.graphstore.neo4j import reading
from graphwright.graphstore.neo4j.foreign import own_edge, own_node
from graphwright.graphstore.neo4j.hiding import NOT_OURS

if TYPE_CHECKING:
    import neo4j

MOST_ELEMENTS = 20_000
"""Nodes and edges of a graph in which statements may write."""

RawNode: TypeAlias = tuple[tuple[str, ...], dict[str, Any]]
RawEdge: TypeAlias = tuple[str, str, str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Image:
    """The whole graph at one moment, by the server's ids: nodes as (labels, properties), edges as (the id of the node
    that it comes from, type, the id of the node that it goes to, properties).
    """

    nodes: Mapping[str, RawNode]
    edges: Mapping[str, RawEdge]


def run(tx: neo4j.Transaction, query: str, parameters: Mapping[str, Any]) -> Sequence[Change]:
    """Run a statement; gives every element that it changed.

    Raises BadElement when what it leaves behind is not well-formed, QueryFailed when a node is deleted whose edges
    stay, and QueryRefused in a graph that is too large.
    """
    from neo4j.exceptions import ConstraintError

    before = _image(tx)
    try:
        deleted = tx.run(query, dict(parameters)).consume().counters.relationships_deleted
    except ConstraintError as error:
        raise BadElement(
            "bad_key", f"Neo4j does not allow this: {said(error)}", "Choose another key, or MERGE it."
        ) from None
    after = _image(tx)
    if not _ends(after) <= after.nodes.keys():
        raise _dangling()
    changes = _changes(before, after)
    if len(before.edges.keys() - after.edges.keys()) > deleted:
        raise _dangling()
    return changes


def _dangling() -> QueryFailed:
    """The server itself says so only when it commits."""
    return QueryFailed(
        "query_failed", "a node that still has edges cannot be deleted", "Write DETACH DELETE to delete both."
    )


def _ends(image: Image) -> set[str]:
    return {end for source, _, target, _ in image.edges.values() for end in (source, target)}


def _image(tx: neo4j.Transaction) -> Image:
    size = reading.size(tx)
    if size > MOST_ELEMENTS:
        raise QueryRefused(
            f"a statement would have to be compared with all {size:,} nodes and edges of the graph,"
            f" and on Neo4j that is done for at most {MOST_ELEMENTS:,}",
            "Write with add_node, add_edge, update_props, delete_node or delete_edge: they work at any size.",
        )
    return Image(
        {
            id: (tuple(labels), properties)
            for id, labels, properties in tx.run(f"MATCH (n{NOT_OURS}) RETURN elementId(n), labels(n), properties(n)")
        },
        {
            id: (source, type, target, properties)
            for id, source, type, target, properties in tx.run(
                "MATCH (a)-[r]->(b) RETURN elementId(r), elementId(a), type(r), elementId(b), properties(r)"
            )
        },
    )


def _changes(before: Image, after: Image) -> list[Change]:
    """What differs, by identity: deleting an element and making it anew is a change of it. Raises BadElement."""
    sides: dict[tuple[str, ...], list[Element | None]] = {}
    for id in _differing(before.nodes, after.nodes):
        old, new = (own_node(*image.nodes[id]) if id in image.nodes else None for image in (before, after))
        if old and new and old.identity != new.identity:
            raise BadElement(
                "bad_key",
                f"{old.name} would become {new.name}",
                "Label and key of a node stay what they are: delete it and create another.",
            )
        _put(sides, old, new)
    for id in _differing(before.edges, after.edges):
        _put(sides, *(_edge(image, id) if id in image.edges else None for image in (before, after)))
    _check_single(after, sides)
    found = [Change(old, new) for old, new in sides.values()]
    return [change for change in found if _print(change.before) != _print(change.after)]


def _check_single(after: Image, changed: Container[tuple[str, ...]]) -> None:
    """Raises BadElement where something that changed is there twice; what other programs made twice may stay."""
    names = Counter(("node", *labels, values.get(KEY)) for labels, values in after.nodes.values())
    for name, count in names.items():
        if count > 1 and name in changed:
            raise BadElement("bad_key", f"there would be two nodes {name[1]} {shown(name[2])}", "MERGE it instead.")
    edges = Counter((source, type, target) for source, type, target, _ in after.edges.values())
    for id, (source, type, target, _) in after.edges.items():
        if edges[source, type, target] > 1:
            edge = _edge(after, id)
            if edge.identity in changed:
                raise BadElement("bad_edge", f"there would be two edges {edge.name}", "MERGE it instead.")


def _edge(image: Image, id: str) -> Edge:
    source, type, target, properties = image.edges[id]
    (from_labels, from_values), (to_labels, to_values) = image.nodes[source], image.nodes[target]
    return own_edge(type, properties, from_labels, from_values.get(KEY), to_labels, to_values.get(KEY))


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return [id for id in {**before, **after} if _print(before.get(id)) != _print(after.get(id))]


def _print(value: Any) -> str:
    """A text that is the same for what is the same to the letter: 1, 1.0 and true are not."""
    if isinstance(value, Node | Edge):
        value = value.to_json()
    if isinstance(value, Mapping):
        return repr(sorted((name, _print(item)) for name, item in value.items()))
    return repr([_print(item) for item in value]) if isinstance(value, tuple) else repr(value)


def _put(sides: dict[tuple[str, ...], list[Element | None]], old: Element | None, new: Element | None) -> None:
    if old:
        sides.setdefault(old.identity, [None, None])[0] = old
    if new:
        sides.setdefault(new.identity, [None, None])[1] = new
