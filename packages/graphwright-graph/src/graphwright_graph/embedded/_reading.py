"""Reads of an embedded graph by plain SQL: counts, neighbourhoods, text search, the journal, the rows of a query."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NoReturn

from graphwright_graph._elements import (
    KEY,
    Change,
    Edge,
    Element,
    LabelSchema,
    Node,
    Schema,
    TypeSchema,
)
from graphwright_graph._errors import QueryFailed
from graphwright_graph._port import Goal, Step
from graphwright_graph._text_search import MOST_COMPARED, rank, trigrams, words_of
from graphwright_graph._unit_of_work import Reader, Stored
from graphwright_graph.cypher._dialects import rewrite_patterns
from graphwright_graph.embedded import _tables as tables
from graphwright_graph.embedded._connection import Connection
from graphwright_graph.embedded._tables import KINDS

MOST_FOUND = 500
"""The maximum number of nodes that are read for one trigram; a more frequent trigram is not informative."""

_TYPES = {"text": "text", "int": "number", "real": "number", "bool": "boolean", "json": "list"}

_GOAL = "SELECT number, key, text, thread, status, began, finished, undoes, undone_by FROM graphwright_goals"
_STEP = "SELECT key, writes, changes, version, time, goal FROM graphwright_steps"


class EmbeddedReader(Reader):
    """Reads on one connection, in a transaction of the engine; references are row ids."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def version(self) -> int:
        found: int = self.connection.first("SELECT value FROM graphwright_meta WHERE name = 'version'")[0]
        return found

    def schema(self) -> Schema:
        labels = self.connection.all("SELECT label, count(*) FROM node_labels GROUP BY 1 ORDER BY 1")
        sql = (
            "SELECT e.type, f.label, t.label, count(*) FROM edges e JOIN node_labels f ON f.node_id = e.source_id "
            "JOIN node_labels t ON t.node_id = e.target_id GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        )
        counts: dict[str, int] = defaultdict(int)
        joins: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for type, source, target, count in self.connection.all(sql):
            counts[type] += count
            joins[type].append((source, target))
        of_labels = self._properties("node", "SELECT node_id AS id, label AS owner FROM node_labels")
        of_types = self._properties("edge", "SELECT id, type AS owner FROM edges")
        return Schema(
            tuple(LabelSchema(label, count, of_labels[label]) for label, count in labels),
            tuple(TypeSchema(type, count, of_types[type], tuple(joins[type])) for type, count in counts.items()),
        )

    def _properties(self, what: tables.What, owners: str) -> dict[str, dict[str, tuple[str, ...]]]:
        """The types of each property by owner and name, both sorted; `owners` selects the owner of each element."""
        rows: set[tuple[str, str, str]] = set()
        for kind in KINDS:
            sql = (
                f"SELECT DISTINCT o.owner, k.key FROM {what}_props_{kind} p JOIN property_keys k ON k.id = p.key_id "
                f"JOIN ({owners}) o ON o.id = p.{what}_id"
            )
            rows.update((owner, name, _TYPES[kind]) for owner, name in self.connection.all(sql))
        found: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
        for owner, name, type in sorted(rows):
            if what == "edge" or name != KEY:
                found[owner][name] = (*found[owner].get(name, ()), type)
        return found

    def nodes(self, key: str, label: str | None = None) -> Sequence[Stored[Node]]:
        return tables.stored_nodes(self.connection, key, label)

    def keys_near(self, key: str, label: str | None = None) -> Sequence[str]:
        return tables.keys_near(self.connection, key, label)

    def values(self, label: str, name: str, most: int) -> tuple[tuple[Any, int], ...]:
        of = (
            "FROM node_props_{kind} p JOIN node_labels l ON l.node_id = p.node_id "
            "WHERE p.key_id = (SELECT id FROM property_keys WHERE key = ?) AND l.label = ?"
        )
        found: list[tuple[Any, int]] = []
        for kind in KINDS:
            # A few rows show that there are too many values; a count reads all of them.
            few = f"SELECT DISTINCT p.value {of.format(kind=kind)} LIMIT ?"
            if len(self.connection.all(few, (name, label, most + 1))) + len(found) > most:
                return ()
            sql = f"SELECT p.value, count(*) {of.format(kind=kind)} GROUP BY p.value"
            counted = self.connection.all(sql, (name, label))
            found += [(tables.value_of(kind, value), count) for value, count in counted]
        return tuple(sorted(found, key=lambda each: (-each[1], json.dumps(each[0], ensure_ascii=False))))

    def search(self, text: str, most: int) -> tuple[Node, ...]:
        words = {word: trigrams(word) for word in words_of(text)}
        found = {part: self._nodes_with([part]) for part in {part for parts in words.values() for part in parts}}
        made = self.connection.first("SELECT seq FROM sqlite_sequence WHERE name = 'nodes'")
        # Rows are sorted by id: if they were cut off, the proportion of ids read gives an estimate of their number.
        count = {
            part: len(ids) if len(ids) <= MOST_FOUND else len(ids) * made[0] / ids[-1] for part, ids in found.items()
        }
        weights = {part: math.log1p(made[0] / count[part]) for part, ids in found.items() if ids}
        credit: dict[int, float] = defaultdict(float)
        for part, ids in found.items():
            if len(ids) <= MOST_FOUND:
                for id in ids:
                    credit[id] += weights[part]
        for parts in words.values():
            # The trigrams of a word may be common one by one, but rare together.
            there = [part for part in parts if part in weights]
            for id in self._nodes_with(there) if there else ():
                credit[id] += sum(weights[part] for part in there)
        first = sorted(credit, key=lambda id: (-credit[id], id))[: max(MOST_COMPARED, most)]
        return rank(text, tables.nodes_by_id(self.connection, first), weights, most)

    def _nodes_with(self, parts: Iterable[str]) -> list[int]:
        """The nodes with all these trigrams in their texts; if there are more than the limit, one more than it."""
        sql = f"SELECT rowid FROM graphwright_search WHERE graphwright_search MATCH ? LIMIT {MOST_FOUND + 1}"
        return [id for (id,) in self.connection.all(sql, (" AND ".join(f'"{part}"' for part in parts),))]

    def neighbours(self, layer: Sequence[int], reached: Collection[int], most: int) -> Sequence[Stored[Node]]:
        among = "IN (SELECT value FROM json_each(?1))"
        sql = (
            f"SELECT id FROM (SELECT target_id AS id FROM edges WHERE source_id {among} "
            f"UNION SELECT source_id FROM edges WHERE target_id {among}) "
            "WHERE id NOT IN (SELECT value FROM json_each(?2)) LIMIT ?3"
        )
        ids = [id for (id,) in self.connection.all(sql, (json.dumps(list(layer)), json.dumps(list(reached)), most))]
        return list(map(Stored, ids, tables.nodes_by_id(self.connection, ids)))

    def edges_between(self, refs: Sequence[int], most: int) -> Sequence[Edge]:
        among = "IN (SELECT value FROM json_each(?1))"
        inside = f"(SELECT * FROM edges WHERE source_id {among} AND target_id {among})"
        sql = f"{tables.edge_identities(self.connection, inside)}{tables.SORTED} LIMIT ?2"
        rows = self.connection.all(sql, (json.dumps(refs), most))
        return [each.element for each in tables.stored_edges(self.connection, rows)]

    def everything(self) -> Iterator[Element]:
        sql = (
            "SELECT l.node_id FROM node_labels l JOIN node_props_text p ON p.node_id = l.node_id AND p.key_id = ? "
            "ORDER BY l.label, p.value"
        )
        for batch in tables.chunks(self.connection.each(sql, (self.connection.key_id,)), tables.BATCH):
            yield from tables.nodes_by_id(self.connection, [id for (id,) in batch])
        edges = self.connection.each(tables.edge_identities(self.connection) + tables.SORTED)
        for batch in tables.chunks(edges, tables.BATCH):
            yield from (each.element for each in tables.stored_edges(self.connection, batch))

    def rows(self, query: str, parameters: Mapping[str, Any], most: int) -> Iterator[tuple[Any, ...]]:
        cells = _Cells(self.connection)
        for text in islice(self.connection.cypher(rewrite_patterns(query), parameters), most):
            yield cells.row(text)

    def goal(self, *, id: str = "", key: str = "") -> Goal | None:
        column, value = ("number", number_of(id)) if id else ("key", key)
        row = self.connection.first(f"{_GOAL} WHERE {column} = ?", (value,))
        return self._goal(row) if row else None

    def goals(self, most: int) -> Sequence[Goal]:
        return [self._goal(row) for row in self.connection.all(f"{_GOAL} ORDER BY number DESC LIMIT ?", (most,))]

    def steps_after(self, version: int) -> Sequence[tuple[str, Step]]:
        rows = self.connection.each(f"{_STEP} WHERE version > ? ORDER BY number", (version,))
        return [(f"G{row[-1]}", _step(row)) for row in rows]

    def step(self, key: str) -> Step | None:
        row = self.connection.first(f"{_STEP} WHERE key = ?", (key,))
        return _step(row) if row else None

    def _goal(self, row: Any) -> Goal:
        number, key, text, thread, status, began, finished, undoes, undone_by = row
        steps = tuple(map(_step, self.connection.all(f"{_STEP} WHERE goal = ? ORDER BY number", (number,))))
        undoes, undone_by = (None if other is None else f"G{other}" for other in (undoes, undone_by))
        return Goal(f"G{number}", key, text, thread, status, began, finished, undoes, undone_by, steps)


def number_of(id: str | None) -> int | None:
    """The number in an id such as G7; -1 for another text, which is not the id of any goal."""
    if id is None:
        return None
    number = id[1:]
    plain = id[:1] == "G" and number.isascii() and number.isdigit() and number[:1] != "0" and len(number) < 18
    return int(number) if plain else -1


def _step(row: Any) -> Step:
    key, writes, changes, version, time, _ = row
    return Step(
        key, tuple(json.loads(writes)), tuple(Change.from_json(change) for change in json.loads(changes)), version, time
    )


class _Cells:
    """Converts the rows of one query: graphqlite's JSON to ours, with keys of nodes and edges instead of row ids."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ends: dict[int, tuple[str, str] | None] = {}
        self._decoder = json.JSONDecoder(parse_constant=_not_finite)

    def row(self, text: str) -> tuple[Any, ...]:
        """The cells of a row, in the order of its columns. Raises QueryFailed for a number that JSON does not have."""
        try:
            found = self._decoder.decode(text)
        except ValueError:
            # The engine writes an infinite number as `Infinity.0`.
            _not_finite(text)
        return tuple(self._cell(cell) for cell in found.values())

    def _cell(self, cell: Any) -> Any:
        if isinstance(cell, list):
            return [self._cell(item) for item in cell]
        if not isinstance(cell, dict):
            return cell
        names = cell.keys()
        if names == {"id", "labels", "properties"}:
            return self._node(cell)
        if names == {"id", "type", "startNode", "endNode", "properties"}:
            source, target = self._end(cell["startNode"]), self._end(cell["endNode"])
            if source is None or target is None:
                return cell
            return Edge(*source, cell["type"], *target, cell["properties"]).to_json()
        if names == {"nodes", "rels"}:
            return {"nodes": self._cell(cell["nodes"]), "edges": self._cell(cell["rels"])}
        return {name: self._cell(item) for name, item in cell.items()}

    def _node(self, cell: dict[str, Any]) -> Any:
        properties, labels = cell["properties"], cell["labels"]
        if not isinstance(properties, dict) or KEY not in properties or not isinstance(labels, list) or not labels:
            return cell
        return Node(labels[0], properties.pop(KEY), properties).to_json()

    def _end(self, id: Any) -> tuple[str, str] | None:
        """Label and key of a node, in the same transaction."""
        if id not in self._ends:
            sql = (
                "SELECT l.label, p.value FROM node_labels l JOIN node_props_text p ON p.node_id = l.node_id "
                "WHERE l.node_id = ? AND p.key_id = ?"
            )
            self._ends[id] = self._connection.first(sql, (id, self._connection.key_id))
        return self._ends[id]


def _not_finite(_: str) -> NoReturn:
    raise QueryFailed("query_failed", "A number in the result is not finite.", "Mind divisions by zero, and overflow.")
