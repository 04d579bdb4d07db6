"""Nodes and edges in graphqlite's tables, read and written exactly; no other module accesses the tables.

A node is a row of `nodes`, its labels are rows of `node_labels`; an edge is a row of `edges`. A property is a row of
`node_props_KIND` or `edge_props_KIND`, one table for each kind of value; its name is a row of `property_keys`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, TypeAlias, TypeVar

from graphwright.text.near_names import nearest
from graphwright_graph._elements import KEY, Edge, Node, Value
from graphwright_graph._text_search import bigrams, index_text
from graphwright_graph._unit_of_work import Stored
from graphwright_graph.embedded._connection import Connection

T = TypeVar("T")

What: TypeAlias = Literal["node", "edge"]

KINDS = ("text", "int", "real", "bool", "json")

BATCH = 500
"""The number of elements that are read at a time."""


@dataclass(slots=True)
class RawNode:
    """A node as in the tables, which may break our rules."""

    labels: list[str] = field(default_factory=list)
    properties: dict[str, Any] = field(default_factory=dict)

    def element(self) -> Node:
        """The node as an element, if it follows the rules."""
        properties = dict(self.properties)
        key = properties.pop(KEY)
        return Node(self.labels[0], key, properties)


# All properties of some elements, as (id, name, kind, value).
_PROPERTIES = {
    what: " UNION ALL ".join(
        f"SELECT p.{what}_id, k.key, '{kind}', p.value FROM {what}_props_{kind} p "
        f"JOIN property_keys k ON k.id = p.key_id WHERE p.{what}_id IN (SELECT value FROM json_each(?1))"
        for kind in KINDS
    )
    for what in ("node", "edge")
}

_IDENTITY = """
    SELECT e.id, fl.label, fk.value, e.type, tl.label, tk.value FROM {edges} e
    JOIN node_labels fl ON fl.node_id = e.source_id
    JOIN node_props_text fk ON fk.node_id = e.source_id AND fk.key_id = {key}
    JOIN node_labels tl ON tl.node_id = e.target_id
    JOIN node_props_text tk ON tk.node_id = e.target_id AND tk.key_id = {key}
"""

SORTED = " ORDER BY fl.label, fk.value, e.type, tl.label, tk.value"


def edge_identities(connection: Connection, edges: str = "edges") -> str:
    """A SELECT of (id, from label, from key, type, to label, to key) over `edges`, a table or a subquery."""
    return _IDENTITY.format(edges=edges, key=connection.key_id)


def properties(connection: Connection, what: What, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The properties of elements by id, including the key of a node, sorted by name."""
    found: dict[int, dict[str, Any]] = {id: {} for id in ids}
    for first in range(0, len(ids), BATCH):
        batch = json.dumps(ids[first : first + BATCH])
        for id, name, kind, value in connection.each(_PROPERTIES[what], (batch,)):
            found[id][name] = value_of(kind, value)
    return {id: dict(sorted(values.items())) for id, values in found.items()}


def value_of(kind: str, value: Any) -> Any:
    """Convert a value of one kind from its table."""
    match kind:
        case "bool":
            return bool(value)
        case "json":
            return json.loads(value)
    return value


def raw_nodes(connection: Connection, ids: Sequence[int]) -> dict[int, RawNode]:
    """The existing nodes among these ids."""
    found: dict[int, RawNode] = {}
    for first in range(0, len(ids), BATCH):
        batch = json.dumps(ids[first : first + BATCH])
        for (id,) in connection.each("SELECT id FROM nodes WHERE id IN (SELECT value FROM json_each(?))", (batch,)):
            found[id] = RawNode()
        labels = "SELECT node_id, label FROM node_labels WHERE node_id IN (SELECT value FROM json_each(?)) ORDER BY 2"
        for id, label in connection.each(labels, (batch,)):
            if id in found:
                found[id].labels.append(label)
    for id, values in properties(connection, "node", list(found)).items():
        found[id].properties = values
    return found


def find_nodes(connection: Connection, key: str, label: str | None = None) -> list[tuple[int, str]]:
    """The (id, label) of the nodes with this key, sorted by label."""
    sql = (
        "SELECT p.node_id, l.label FROM node_props_text p JOIN node_labels l ON l.node_id = p.node_id "
        "WHERE p.key_id = ? AND p.value = ?"
    )
    if label is None:
        return connection.all(f"{sql} ORDER BY l.label", (connection.key_id, key))
    return connection.all(f"{sql} AND l.label = ?", (connection.key_id, key, label))


def stored_nodes(connection: Connection, key: str, label: str | None = None) -> list[Stored[Node]]:
    """The nodes with this key, sorted by label."""
    found = find_nodes(connection, key, label)
    values = properties(connection, "node", [id for id, _ in found])
    return [Stored(id, RawNode([name], values[id]).element()) for id, name in found]


def nodes_by_id(connection: Connection, ids: Sequence[int]) -> list[Node]:
    """The nodes with these ids, in this order."""
    found = raw_nodes(connection, ids)
    return [found[id].element() for id in ids]


def edge_id(connection: Connection, source: int, type: str, target: int) -> int | None:
    """The edge of a type between two nodes."""
    sql = "SELECT id FROM edges WHERE source_id = ? AND type = ? AND target_id = ?"
    found = connection.first(sql, (source, type, target))
    return found[0] if found else None


def edges_of(connection: Connection, id: int) -> list[Stored[Edge]]:
    """The edges of a node in both directions, sorted by identity; a self-loop once."""
    both = "(SELECT * FROM edges WHERE source_id = ?1 UNION SELECT * FROM edges WHERE target_id = ?1)"
    return stored_edges(connection, connection.all(f"{edge_identities(connection, both)}{SORTED}", (id,)))


def edges_by_id(connection: Connection, ids: Iterable[int]) -> list[Stored[Edge]]:
    """The existing edges among these ids."""
    some = "(SELECT * FROM edges WHERE id IN (SELECT value FROM json_each(?)))"
    return stored_edges(connection, connection.all(edge_identities(connection, some), (json.dumps(list(ids)),)))


def stored_edges(connection: Connection, rows: Sequence[Any]) -> list[Stored[Edge]]:
    """The edges for rows of `edge_identities`."""
    values = properties(connection, "edge", [row[0] for row in rows])
    return [Stored(row[0], Edge(row[1], row[2], row[3], row[4], row[5], values[row[0]])) for row in rows]


def write_properties(connection: Connection, what: What, id: int, new: Mapping[str, Value | None]) -> None:
    """Set properties of an element; None removes one. The values are already checked."""
    for name in new:
        # A property that changes its kind moves to another table.
        for kind in KINDS:
            sql = f"DELETE FROM {what}_props_{kind} WHERE {what}_id = ? AND key_id = {_NAME}"
            connection.run(sql, (id, name))
    insert_properties(connection, what, id, new)


def insert_properties(connection: Connection, what: What, id: int, new: Mapping[str, Value | None]) -> None:
    """Set new properties of an element; None is left out."""
    for name, value in new.items():
        if value is not None:
            connection.run("INSERT OR IGNORE INTO property_keys (key) VALUES (?)", (name,))
            kind, cell = cell_of(value)
            connection.run(f"INSERT INTO {what}_props_{kind} VALUES (?, {_NAME}, ?)", (id, name, cell))


_NAME = "(SELECT id FROM property_keys WHERE key = ?)"


def cell_of(value: Value) -> tuple[str, Any]:
    """The kind of a value, and its form in the table."""
    match value:
        case bool():
            return "bool", int(value)
        case int():
            return "int", value
        case float():
            return "real", value
        case str():
            return "text", value
    return "json", json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def keys_near(connection: Connection, key: str, label: str | None = None) -> list[str]:
    """Up to three keys similar to a missing one, most similar first."""
    parts = bigrams(key)
    score = " + ".join(f"(instr(low, ?{index}) > 0)" for index in range(4, 4 + len(parts)))
    of_label = "AND EXISTS (SELECT 1 FROM node_labels l WHERE l.node_id = p.node_id AND l.label = ?3)"
    sql = (
        "WITH keys AS MATERIALIZED (SELECT p.value, lower(p.value) AS low FROM node_props_text p "
        f"WHERE p.key_id = ?1 {of_label if label is not None else 'AND ?3 IS NULL'}), "
        f"scored AS (SELECT value, {score} AS score FROM keys) SELECT value FROM scored WHERE score > 0 "
        "ORDER BY score DESC, abs(length(value) - ?2), value LIMIT 60"
    )
    found = connection.all(sql, (connection.key_id, len(key), label, *parts))
    return nearest(key, [candidate for (candidate,) in found])


def renew_index(writer: Connection, ids: Collection[int]) -> None:
    """Update the search index of nodes inside the transaction that wrote them; deleted nodes are removed."""
    for batch in chunks(sorted(ids), BATCH):
        sql = "DELETE FROM graphwright_search WHERE rowid IN (SELECT value FROM json_each(?))"
        writer.run(sql, (json.dumps(batch),))
        for id, raw in raw_nodes(writer, batch).items():
            writer.run("INSERT INTO graphwright_search (rowid, words) VALUES (?, ?)", (id, index_text(raw.element())))


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in order, in lists of at most `size`."""
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk
