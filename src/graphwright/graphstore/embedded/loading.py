"""Bringing in many nodes and edges at once, straight into the tables, in chunks of bounded size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, islice
from typing import Any, cast

from graphwright.graphstore.elements import Edge, Element, Node, Value
from graphwright.graphstore.embedded import rows, search, survey
from graphwright.graphstore.embedded.connection import Connection
from graphwright.graphstore.embedded.rows import What
from graphwright.graphstore.names import checked_key, checked_name, checked_properties
from graphwright.graphstore.writing import no_end, there_already

CHUNK = 5000

MOST_REMEMBERED = 50_000
"""Ends of edges whose rows are remembered."""


def load(connection: Connection, elements: Iterable[Element], *, update: bool) -> tuple[int, int]:
    """Bring the elements in; gives how many nodes and edges that made or updated.

    The caller begins and ends the transaction.
    Raises BadElement, NotFound for the end of an edge, and, without `update`, Conflict for what exists already.
    """
    loading = _Loading(connection, update)
    for chunk in _chunks(elements):
        for kind, group in groupby(chunk, key=type):
            if issubclass(kind, Edge):
                loading.edges(cast("list[Edge]", list(group)))
            else:
                loading.nodes(cast("list[Node]", list(group)))
    # The planner of queries counts on what it was told of the tables.
    connection.run("PRAGMA analysis_limit = 1000")
    connection.run("ANALYZE")
    return loading.counts


class _Loading:
    def __init__(self, connection: Connection, update: bool) -> None:
        self._connection = connection
        self._update = update
        # What has this number or a higher one was made by this load.
        self._first: dict[What, int] = {"node": self._next_id("nodes"), "edge": self._next_id("edges")}
        self._made: dict[What, int] = {"node": 0, "edge": 0}
        self._updated: dict[What, set[int]] = {"node": set(), "edge": set()}
        self._names: dict[str, int] = {}
        self._remembered: dict[tuple[str, str], int] = {}

    @property
    def counts(self) -> tuple[int, int]:
        nodes, edges = (self._made[what] + len(self._updated[what]) for what in self._made)
        return nodes, edges

    def nodes(self, nodes: list[Node]) -> None:
        next_id = self._next_id("nodes")
        new: dict[tuple[str, str], tuple[int, Mapping[str, Any]]] = {}
        for node in nodes:
            identity = checked_name(node.label, "label"), checked_key(node.key)
            properties = _checked(node)
            there = new[identity][0] if identity in new else self._node_id(*identity)
            if there is None:
                new[identity] = next_id + len(new), properties
                continue
            self._update_of("node", node, there)
            if identity in new:
                new[identity] = there, {**new[identity][1], **properties}
            else:
                rows.write_properties(self._connection, "node", there, properties)
                search.renew(self._connection, [there])
        insert = self._connection.many
        insert("INSERT INTO nodes (id) VALUES (?)", [(id,) for id, _ in new.values()])
        insert("INSERT INTO node_labels VALUES (?, ?)", [(id, label) for (label, _), (id, _) in new.items()])
        key_id = self._connection.key_id
        insert("INSERT INTO node_props_text VALUES (?, ?, ?)", [(id, key_id, key) for (_, key), (id, _) in new.items()])
        self._insert_properties("node", new.values())
        search.add(self._connection, ((id, Node(*identity, values)) for identity, (id, values) in new.items()))
        self._made["node"] += len(new)

    def edges(self, edges: list[Edge]) -> None:
        next_id = self._next_id("edges")
        new: dict[tuple[int, int, str], tuple[int, Mapping[str, Any]]] = {}
        for edge in edges:
            checked_name(edge.type, "type")
            properties = _checked(edge)
            source = self._end(edge, edge.from_label, edge.from_key)
            identity = source, self._end(edge, edge.to_label, edge.to_key), edge.type
            there = (
                new[identity][0] if identity in new else rows.edge_id(self._connection, source, edge.type, identity[1])
            )
            if there is None:
                new[identity] = next_id + len(new), properties
                continue
            self._update_of("edge", edge, there)
            if identity in new:
                new[identity] = there, {**new[identity][1], **properties}
            else:
                rows.write_properties(self._connection, "edge", there, properties)
        insert = "INSERT INTO edges (id, source_id, target_id, type) VALUES (?, ?, ?, ?)"
        self._connection.many(insert, [(id, *identity) for identity, (id, _) in new.items()])
        self._insert_properties("edge", new.values())
        self._made["edge"] += len(new)

    def _insert_properties(self, what: What, new: Iterable[tuple[int, Mapping[str, Value]]]) -> None:
        cells: dict[str, list[tuple[int, int, Any]]] = defaultdict(list)
        for id, properties in new:
            for name, value in properties.items():
                kind, cell = rows.cell_of(value)
                cells[kind].append((id, self._name_id(name), cell))
        for kind, batch in cells.items():
            self._connection.many(f"INSERT INTO {what}_props_{kind} VALUES (?, ?, ?)", batch)

    def _name_id(self, name: str) -> int:
        if name not in self._names:
            self._connection.run("INSERT OR IGNORE INTO property_keys (key) VALUES (?)", (name,))
            self._names[name] = self._connection.first("SELECT id FROM property_keys WHERE key = ?", (name,))[0]
        return self._names[name]

    def _next_id(self, table: str) -> int:
        """Numbers are never given twice, so the sequence counts, not the rows."""
        found = self._connection.first("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
        return (found[0] if found else 0) + 1

    def _node_id(self, label: str, key: str) -> int | None:
        found = rows.find_nodes(self._connection, key, label)
        return found[0][0] if found else None

    def _end(self, edge: Edge, label: str, key: str) -> int:
        remembered = self._remembered.get((label, key))
        if remembered is not None:
            return remembered
        checked_name(label, "label")
        found = self._node_id(label, checked_key(key))
        if found is None:
            near = survey.keys_near(self._connection, key, label)
            raise no_end(edge, label, key, near)
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[label, key] = found
        return found

    def _update_of(self, what: What, element: Element, there: int) -> None:
        """Note that an element which exists is to be updated. Raises Conflict where none was meant to be."""
        own = there >= self._first[what]
        if not self._update:
            raise there_already(element, twice=own)
        if not own:
            self._updated[what].add(there)


def _checked(element: Element) -> dict[str, Any]:
    return checked_properties(element.properties)


def _chunks(elements: Iterable[Element]) -> Iterator[list[Element]]:
    source = iter(elements)
    while chunk := list(islice(source, CHUNK)):
        yield chunk
