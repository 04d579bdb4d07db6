"""Nodes and edges in graphqlite's tables, read and written exactly, one by one and in bulk; no other module knows them.

A node is a row of `nodes`, its labels are rows of `node_labels`; an edge is a row of `edges`. A property is a row of
`node_props_KIND` or `edge_props_KIND`, one table a kind of value, its name a row of `property_keys`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any, Literal, TypeAlias, TypeVar, cast

from graphwright.graphstore.elements import (
    KEY,
    Edge,
    Element,
    Node,
    Value,
    checked_key,
    checked_name,
    checked_properties,
)
from graphwright.graphstore.embedded.connection import Connection
from graphwright.graphstore.text_search import bigrams, index_text
from graphwright.graphstore.unit_of_work import Stored, missing_end, repeated_in_load
from graphwright.text.folding import nearest

E = TypeVar("E", Node, Edge)
K = TypeVar("K")
T = TypeVar("T")

What: TypeAlias = Literal["node", "edge"]

KINDS = ("text", "int", "real", "bool", "json")

BATCH = 500
"""Elements that are read at a time."""

CHUNK = 5000

MOST_REMEMBERED = 50_000
"""Ends of edges whose rows are remembered."""


@dataclass(slots=True)
class RawNode:
    """A node as the tables hold it, which may break our rules."""

    labels: list[str] = field(default_factory=list)
    properties: dict[str, Any] = field(default_factory=dict)

    def element(self) -> Node:
        """The node of one that keeps the rules."""
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
    """The properties of elements by id, the key of a node among them, sorted by name."""
    found: dict[int, dict[str, Any]] = {id: {} for id in ids}
    for first in range(0, len(ids), BATCH):
        batch = json.dumps(ids[first : first + BATCH])
        for id, name, kind, value in connection.each(_PROPERTIES[what], (batch,)):
            found[id][name] = value_of(kind, value)
    return {id: dict(sorted(values.items())) for id, values in found.items()}


def value_of(kind: str, value: Any) -> Any:
    """A value of one kind, as its table holds it, read."""
    match kind:
        case "bool":
            return bool(value)
        case "json":
            return json.loads(value)
    return value


def raw_nodes(connection: Connection, ids: Sequence[int]) -> dict[int, RawNode]:
    """The nodes that exist of those ids."""
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


def edges_of(connection: Connection, id: int, most: int = -1) -> list[Stored[Edge]]:
    """The edges of a node in both directions, sorted by identity; a self-loop once."""
    both = "(SELECT * FROM edges WHERE source_id = ?1 UNION SELECT * FROM edges WHERE target_id = ?1)"
    return stored_edges(connection, connection.all(f"{edge_identities(connection, both)}{SORTED} LIMIT ?2", (id, most)))


def edges_by_id(connection: Connection, ids: Iterable[int]) -> list[Stored[Edge]]:
    """The edges that exist of those ids."""
    some = "(SELECT * FROM edges WHERE id IN (SELECT value FROM json_each(?)))"
    return stored_edges(connection, connection.all(edge_identities(connection, some), (json.dumps(list(ids)),)))


def stored_edges(connection: Connection, rows: Sequence[Any]) -> list[Stored[Edge]]:
    """The edges of rows of `edge_identities`."""
    values = properties(connection, "edge", [row[0] for row in rows])
    return [Stored(row[0], Edge(row[1], row[2], row[3], row[4], row[5], values[row[0]])) for row in rows]


def write_properties(connection: Connection, what: What, id: int, new: Mapping[str, Value | None]) -> None:
    """Set properties of an element; None removes one. Values are checked already."""
    for name, value in new.items():
        connection.run("INSERT OR IGNORE INTO property_keys (key) VALUES (?)", (name,))
        # A property that changes its kind moves to another table.
        for kind in KINDS:
            sql = f"DELETE FROM {what}_props_{kind} WHERE {what}_id = ? AND key_id = {_NAME}"
            connection.run(sql, (id, name))
        if value is not None:
            kind, cell = cell_of(value)
            connection.run(f"INSERT INTO {what}_props_{kind} VALUES (?, {_NAME}, ?)", (id, name, cell))


_NAME = "(SELECT id FROM property_keys WHERE key = ?)"


def cell_of(value: Value) -> tuple[str, Any]:
    """The kind of a value, and how its table holds it."""
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
    """Up to three keys that resemble one that does not exist, the nearest first."""
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


# The index of texts: for each node, which groups of three characters occur in them


def renew_index(writer: Connection, ids: Collection[int]) -> None:
    """Index nodes as they are now, inside the transaction that wrote them. Those that are gone leave the index."""
    if not ids:
        return
    writer.run("DELETE FROM graphwright_search WHERE rowid IN (SELECT value FROM json_each(?))", (json.dumps([*ids]),))
    add_to_index(writer, ((id, raw.element()) for id, raw in raw_nodes(writer, sorted(ids)).items()))


def add_to_index(writer: Connection, nodes: Iterable[tuple[int, Node]]) -> None:
    """Index nodes that are not in the index, by their rows."""
    texts = [(id, index_text(node)) for id, node in nodes]
    writer.many("INSERT INTO graphwright_search (rowid, words) VALUES (?, ?)", texts)


# Many elements at once


def load(connection: Connection, elements: Iterable[Element], *, update: bool) -> tuple[int, int]:
    """Load the elements; returns how many nodes and edges that made or updated.

    The caller begins and ends the transaction.
    Raises BadElement, NotFound for the end of an edge, and, without `update`, Conflict for what exists already.
    """
    loading = _Loading(connection, update)
    for chunk in chunks(elements, CHUNK):
        for kind, group in groupby(chunk, key=type):
            if issubclass(kind, Edge):
                loading.edges(cast("Iterable[Edge]", group))
            else:
                loading.nodes(cast("Iterable[Node]", group))
    # SQLite plans queries by these statistics.
    connection.run("PRAGMA analysis_limit = 1000")
    connection.run("ANALYZE")
    return loading.counts


class _Loading:
    def __init__(self, connection: Connection, update: bool) -> None:
        self._db = connection
        self._update = update
        self._first: dict[What, int] = {"node": self._next_id("nodes"), "edge": self._next_id("edges")}
        self._made: dict[What, int] = {"node": 0, "edge": 0}
        self._updated: dict[What, set[int]] = {"node": set(), "edge": set()}
        self._names: dict[str, int] = {}
        self._remembered: dict[tuple[str, str], int] = {}

    @property
    def counts(self) -> tuple[int, int]:
        nodes, edges = (self._made[what] + len(self._updated[what]) for what in self._made)
        return nodes, edges

    def nodes(self, nodes: Iterable[Node]) -> None:
        def identity(node: Node) -> tuple[str, str]:
            return checked_name(node.label, "label"), checked_key(node.key)

        new = self._upserted("node", nodes, identity, lambda found: self._node_id(*found))
        insert = self._db.many
        insert("INSERT INTO nodes (id) VALUES (?)", [(id,) for id, _ in new.values()])
        insert("INSERT INTO node_labels VALUES (?, ?)", [(id, label) for (label, _), (id, _) in new.items()])
        key_id = self._db.key_id
        insert("INSERT INTO node_props_text VALUES (?, ?, ?)", [(id, key_id, key) for (_, key), (id, _) in new.items()])
        self._insert_properties("node", new.values())
        add_to_index(self._db, ((id, Node(*found, values)) for found, (id, values) in new.items()))

    def edges(self, edges: Iterable[Edge]) -> None:
        def identity(edge: Edge) -> tuple[int, str, int]:
            source = self._end(edge, edge.from_label, edge.from_key)
            return source, checked_name(edge.type, "type"), self._end(edge, edge.to_label, edge.to_key)

        new = self._upserted("edge", edges, identity, lambda found: edge_id(self._db, *found))
        insert = "INSERT INTO edges (id, source_id, type, target_id) VALUES (?, ?, ?, ?)"
        self._db.many(insert, [(id, *found) for found, (id, _) in new.items()])
        self._insert_properties("edge", new.values())

    def _upserted(
        self, what: What, elements: Iterable[E], identity: Callable[[E], K], find: Callable[[K], int | None]
    ) -> dict[K, tuple[int, dict[str, Any]]]:
        """Update the elements that exist; returns the others by identity, with new numbers and their properties."""
        next_id = self._next_id(f"{what}s")
        new: dict[K, tuple[int, dict[str, Any]]] = {}
        for element in elements:
            key, properties = identity(element), checked_properties(element.properties)
            there = new[key][0] if key in new else find(key)
            if there is None:
                new[key] = next_id + len(new), dict(properties)
                continue
            # An id from the first one of this load on means that the element is twice in the load.
            own = there >= self._first[what]
            if not self._update:
                raise repeated_in_load(element, twice=own)
            if not own:
                self._updated[what].add(there)
            if key in new:
                new[key][1].update(properties)
                continue
            write_properties(self._db, what, there, properties)
            if what == "node":
                renew_index(self._db, [there])
        self._made[what] += len(new)
        return new

    def _insert_properties(self, what: What, new: Iterable[tuple[int, Mapping[str, Value]]]) -> None:
        cells: dict[str, list[tuple[int, int, Any]]] = defaultdict(list)
        for id, properties in new:
            for name, value in properties.items():
                kind, cell = cell_of(value)
                cells[kind].append((id, self._name_id(name), cell))
        for kind, batch in cells.items():
            self._db.many(f"INSERT INTO {what}_props_{kind} VALUES (?, ?, ?)", batch)

    def _name_id(self, name: str) -> int:
        if name not in self._names:
            self._db.run("INSERT OR IGNORE INTO property_keys (key) VALUES (?)", (name,))
            self._names[name] = self._db.first("SELECT id FROM property_keys WHERE key = ?", (name,))[0]
        return self._names[name]

    def _next_id(self, table: str) -> int:
        """Ids are never reused: the sequence counts, not the rows."""
        found = self._db.first("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
        return (found[0] if found else 0) + 1

    def _node_id(self, label: str, key: str) -> int | None:
        found = find_nodes(self._db, key, label)
        return found[0][0] if found else None

    def _end(self, edge: Edge, label: str, key: str) -> int:
        remembered = self._remembered.get((label, key))
        if remembered is not None:
            return remembered
        checked_name(label, "label")
        found = self._node_id(label, checked_key(key))
        if found is None:
            raise missing_end(edge, label, key, keys_near(self._db, key, label))
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[label, key] = found
        return found


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in their order, so many at a time."""
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk
