"""What the graph holds, by plain SQL: counts, values, nodes by name, similar keys, neighbourhoods, everything."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from graphwright.graphstore.elements import Element, Node, Subgraph
from graphwright.graphstore.embedded import rows
from graphwright.graphstore.embedded.connection import Connection
from graphwright.graphstore.embedded.counts import Counts
from graphwright.graphstore.embedded.rows import BATCH, KINDS
from graphwright.graphstore.nearest import nearest, pairs

NAMES = ("name", "title")
"""Properties by which people call a node."""

_TYPES = {"text": "text", "int": "number", "real": "number", "bool": "boolean", "json": "list"}

_CANDIDATES = 60

_EDGES_A_NODE = 10
"""Edges that a part of a graph may have, for each of the nodes it may have."""


def counts(connection: Connection) -> Counts:
    """How many there are of what."""
    names = dict(connection.all("SELECT id, key FROM property_keys"))
    found = Counts()
    found.labels.update(dict(connection.all("SELECT label, count(*) FROM node_labels GROUP BY label")))
    sql = (
        "SELECT e.type, f.label, t.label, count(*) FROM edges e JOIN node_labels f ON f.node_id = e.source_id "
        "JOIN node_labels t ON t.node_id = e.target_id GROUP BY 1, 2, 3"
    )
    for type, source, target, count in connection.all(sql):
        found.types[type] += count
        found.joins[type, source, target] = count
    for kind in KINDS:
        sql = (
            f"SELECT l.label, p.key_id, count(*) FROM node_props_{kind} p JOIN node_labels l ON l.node_id = p.node_id "
            "WHERE p.key_id != ? GROUP BY 1, 2"
        )
        for label, key, count in connection.all(sql, (connection.key_id,)):
            found.of_labels[label, names[key], _TYPES[kind]] += count
        sql = (
            f"SELECT e.type, p.key_id, count(*) FROM edge_props_{kind} p JOIN edges e ON e.id = p.edge_id GROUP BY 1, 2"
        )
        for type, key, count in connection.all(sql):
            found.of_types[type, names[key], _TYPES[kind]] += count
    return found


def values(connection: Connection, label: str, name: str, most: int) -> tuple[tuple[Any, int], ...]:
    """The values of a property on the nodes of a label with their counts, most frequent first."""
    counted = [(kind, *each) for kind in KINDS for each in frequent(connection, label, name, kind, most)]
    return ranked(counted, most)


def frequent(connection: Connection, label: str, name: str, kind: str, most: int) -> list[tuple[Any, int]]:
    """The values of one kind, as its table holds them, with their counts: most frequent first, then the smaller."""
    sql = f"SELECT p.value, count(*) {_of(kind)} GROUP BY p.value ORDER BY 2 DESC, 1 LIMIT ?"
    return connection.all(sql, (name, label, most))


def frequency(connection: Connection, label: str, name: str, kind: str, value: Any) -> int:
    """How many nodes of a label have this value of one kind, given as its table holds it."""
    found: int = connection.first(f"SELECT count(*) {_of(kind)} AND p.value = ?", (name, label, value))[0]
    return found


def _of(kind: str) -> str:
    return (
        f"FROM node_props_{kind} p JOIN node_labels l ON l.node_id = p.node_id "
        "WHERE p.key_id = (SELECT id FROM property_keys WHERE key = ?) AND l.label = ?"
    )


def ranked(counted: Iterable[tuple[str, Any, int]], most: int) -> tuple[tuple[Any, int], ...]:
    """Of values by their kind, as the tables hold them, with their counts: the first ones, read."""
    found: list[tuple[int, str, Any]] = []
    for kind, value, count in counted:
        read = json.loads(value) if kind == "json" else bool(value) if kind == "bool" else value
        found.append((-count, json.dumps(read, ensure_ascii=False), read))
    return tuple((value, -count) for count, _, value in sorted(found, key=lambda each: each[:2])[:most])


def find(connection: Connection, texts: Sequence[str], most: int) -> tuple[Node, ...]:
    """Nodes that are called by one of the texts, whatever the case; sorted by key, then label."""
    wanted = {text.casefold() for text in texts}
    # SQLite folds A to Z only; the other writings of each text are looked up beside it.
    folded = {_folded(way) for text in texts for way in (text, text.lower(), text.upper(), text.title())}
    # The texts come first, so that each is looked up in the index: one statement, however many there are.
    sql = (
        "SELECT p.node_id, p.value FROM json_each(?1) j CROSS JOIN node_props_text p INDEXED BY graphwright_folded "
        "WHERE lower(p.value) = j.value AND length(p.value) < 200 "
        "AND p.key_id IN (SELECT id FROM property_keys WHERE key IN (?2, ?3, ?4))"
    )
    found: dict[int, None] = {}
    for id, value in connection.all(sql, (json.dumps(sorted(folded)), "key", *NAMES)):
        if value.casefold() in wanted:
            found[id] = None
    nodes = sorted(rows.nodes_by_id(connection, list(found)), key=lambda node: (node.key, node.label))
    return tuple(nodes[:most])


def _folded(text: str) -> str:
    return "".join(character.lower() if character.isascii() else character for character in text)


def keys_near(connection: Connection, key: str, label: str | None = None) -> list[str]:
    """Up to three keys that resemble one that does not exist, the nearest first."""
    parts = pairs(key)
    score = " + ".join(f"(instr(low, ?{index}) > 0)" for index in range(4, 4 + len(parts)))
    of_label = "AND EXISTS (SELECT 1 FROM node_labels l WHERE l.node_id = p.node_id AND l.label = ?3)"
    sql = (
        "WITH keys AS MATERIALIZED (SELECT p.value, lower(p.value) AS low FROM node_props_text p "
        f"WHERE p.key_id = ?1 {of_label if label is not None else 'AND ?3 IS NULL'}), "
        f"scored AS (SELECT value, {score} AS score FROM keys) SELECT value FROM scored WHERE score > 0 "
        f"ORDER BY score DESC, abs(length(value) - ?2), value LIMIT {_CANDIDATES}"
    )
    found = connection.all(sql, (connection.key_id, len(key), label, *parts))
    return nearest(key, [candidate for (candidate,) in found])


def subgraph(connection: Connection, start: int, depth: int, most: int) -> Subgraph:
    """The nodes within `depth` edges of one, whatever their direction, and the edges between them."""
    reached, layer, truncated = {start: None}, [start], False
    for _ in range(depth):
        layer, more = _beyond(connection, layer, reached, most)
        truncated = truncated or more
        if not layer or more:
            break
    ids = json.dumps(list(reached))
    inside = (
        "(SELECT * FROM edges WHERE source_id IN (SELECT value FROM json_each(?1)) "
        "AND target_id IN (SELECT value FROM json_each(?1)))"
    )
    limit = most * _EDGES_A_NODE
    sql = f"{rows.edge_identities(connection, inside)}{rows.SORTED} LIMIT ?2"
    edges = rows.stored_edges(connection, connection.all(sql, (ids, limit + 1)))
    nodes = sorted(rows.nodes_by_id(connection, list(reached)), key=lambda node: node.identity)
    return Subgraph(tuple(nodes), tuple(e.element for e in edges[:limit]), truncated or len(edges) > limit)


def _beyond(
    connection: Connection, layer: Sequence[int], reached: dict[int, None], most: int
) -> tuple[list[int], bool]:
    """The nodes one edge further, added to those reached; and whether there were more than may be."""
    found: list[int] = []
    sql = "SELECT target_id FROM edges WHERE source_id = ?1 UNION SELECT source_id FROM edges WHERE target_id = ?1"
    for id in layer:
        for (other,) in connection.each(sql, (id,)):
            if other in reached:
                continue
            if len(reached) >= most:
                return found, True
            reached[other] = None
            found.append(other)
    return found, False


def everything(connection: Connection) -> Iterator[Element]:
    """All nodes, then all edges, sorted by identity."""
    sql = (
        "SELECT l.node_id FROM node_labels l JOIN node_props_text p ON p.node_id = l.node_id AND p.key_id = ? "
        "ORDER BY l.label, p.value"
    )
    for batch in _batches(connection.each(sql, (connection.key_id,))):
        yield from rows.nodes_by_id(connection, [id for (id,) in batch])
    for batch in _batches(connection.each(rows.edge_identities(connection) + rows.SORTED)):
        yield from (each.element for each in rows.stored_edges(connection, batch))


def _batches(found: Iterator[Any]) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for row in found:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch
