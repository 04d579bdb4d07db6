"""Reads of an embedded graph, by plain SQL: counts, values, neighbourhoods, text search, the journal, rows of a query.

Counting a large graph takes a good part of a second, following a change microseconds: `Statistics` counts once and
then follows the journal.
"""

from __future__ import annotations

import json
import math
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NoReturn

from graphwright.graphstore.cypher.dialects import rewrite_patterns
from graphwright.graphstore.elements import (
    KEY,
    Change,
    Edge,
    Element,
    LabelSchema,
    Node,
    Schema,
    TypeSchema,
    Value,
)
from graphwright.graphstore.embedded import tables
from graphwright.graphstore.embedded.connection import Connection
from graphwright.graphstore.embedded.tables import KINDS
from graphwright.graphstore.errors import QueryFailed
from graphwright.graphstore.port import Goal, Step
from graphwright.graphstore.text_search import MOST_COMPARED, rank, trigrams, words_of
from graphwright.graphstore.unit_of_work import Reader, Stored

MOST_FOLLOWED = 200
"""Versions after which a recount costs no more than following the journal."""

MOST_PROPERTIES = 200
"""Properties whose values are kept, and how many different values of each."""

LONGEST = 1000
"""Characters of a value that is kept, as JSON."""

MOST_FOUND = 500
"""Nodes that are fetched for one trigram; a more frequent trigram says little."""

_TYPES = {"text": "text", "int": "number", "real": "number", "bool": "boolean", "json": "list"}

_GOAL = "SELECT number, key, text, thread, status, began, finished, undoes, undone_by FROM graphwright_goals"
_STEP = "SELECT key, writes, changes, version, time, goal FROM graphwright_steps"


class Counts:
    """Nodes by label, edges by type and by what they join, and properties by owner, name and kind of value."""

    def __init__(self) -> None:
        self.labels: Counter[str] = Counter()
        self.joins: Counter[tuple[str, str, str]] = Counter()
        self.of_labels: Counter[tuple[str, str, str]] = Counter()
        self.of_types: Counter[tuple[str, str, str]] = Counter()

    def add(self, element: Element | None, times: int) -> None:
        if element is None:
            return
        if isinstance(element, Edge):
            owner, properties = element.type, self.of_types
            self.joins[owner, element.from_label, element.to_label] += times
        else:
            owner, properties = element.label, self.of_labels
            self.labels[owner] += times
        for name, value in element.properties.items():
            properties[owner, name, _TYPES[tables.cell_of(value)[0]]] += times

    def schema(self) -> Schema:
        """Labels and types with what they have, sorted."""
        of_labels, of_types = _by_owner(self.of_labels), _by_owner(self.of_types)
        types: Counter[str] = Counter()
        joins: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for (type, source, target), count in sorted((+self.joins).items()):
            types[type] += count
            joins[type].append((source, target))
        return Schema(
            tuple(LabelSchema(label, n, of_labels.get(label, {})) for label, n in sorted((+self.labels).items())),
            tuple(TypeSchema(type, n, of_types.get(type, {}), tuple(joins[type])) for type, n in types.items()),
        )


def _by_owner(counted: Counter[tuple[str, str, str]]) -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for owner, name, kind in sorted(+counted):
        found[owner][name] = (*found[owner].get(name, ()), kind)
    return found


class Statistics:
    """The schema of a graph and the values of its properties at one version, for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._version = -1
        self._counts: Counts | None = None
        self._schema: Schema | None = None
        # By label and name: how often there is each value, as JSON.
        self._values: dict[tuple[str, str], Counter[str]] = {}

    def schema(self, reader: EmbeddedReader) -> Schema:
        """The schema at the moment of the reader."""
        with self._lock:
            self._advance_to(reader)
            if self._counts is None:
                self._counts = counted(reader.connection)
            if self._schema is None:
                self._schema = self._counts.schema()
            return self._schema

    def values(self, reader: EmbeddedReader, place: tuple[str, str], most: int) -> tuple[tuple[Any, int], ...]:
        """The values of a property, by label and name, with their counts; none where there are more than `most`."""
        with self._lock:
            self._advance_to(reader)
            found = self._values.pop(place, None)
            if found is None:
                found = value_counts(reader.connection, *place, max(most, MOST_PROPERTIES))
            if found is None:
                return ()
            # The last one used is the last one to go.
            self._values[place] = found
            if len(self._values) > MOST_PROPERTIES:
                del self._values[next(iter(self._values))]
            self._drop_large()
            ranked = sorted(found.items(), key=lambda each: (-each[1], each[0])) if len(found) <= most else ()
            return tuple((json.loads(text), count) for text, count in ranked)

    def _advance_to(self, reader: EmbeddedReader) -> None:
        version = reader.version()
        if version == self._version:
            return
        try:
            if not (0 <= self._version < version <= self._version + MOST_FOLLOWED and self._follow(reader, version)):
                self._forget()
        except BaseException:
            self._forget()
            raise
        self._version, self._schema = version, None

    def _follow(self, reader: EmbeddedReader, version: int) -> bool:
        """Count what the journal has between the known version and this one, if it has every step of it."""
        found = [step for _, step in reader.steps_after(self._version) if step.changes]
        if [step.version for step in found] != list(range(self._version + 1, version + 1)):
            # An import has no steps.
            return False
        for change in (change for step in found for change in step.changes):
            for element, times in ((change.before, -1), (change.after, 1)):
                if self._counts is not None:
                    self._counts.add(element, times)
                if isinstance(element, Node):
                    self._count_values(element, times)
        self._drop_large()
        return True

    def _count_values(self, node: Node, times: int) -> None:
        for name, value in (*node.properties.items(), (KEY, node.key)):
            counts = self._values.get((node.label, name))
            if counts is not None:
                text = _text(value)
                counts[text] += times
                if not counts[text]:
                    del counts[text]

    def _drop_large(self) -> None:
        """Forget properties that have come to have many values, or long ones."""
        for place, counts in list(self._values.items()):
            if len(counts) > MOST_PROPERTIES or any(len(text) > LONGEST for text in counts):
                del self._values[place]


def _text(value: Value) -> str:
    return json.dumps(value, ensure_ascii=False)


def counted(connection: Connection) -> Counts:
    """How many there are of what."""
    names = dict(connection.all("SELECT id, key FROM property_keys"))
    found = Counts()
    found.labels.update(dict(connection.all("SELECT label, count(*) FROM node_labels GROUP BY label")))
    sql = (
        "SELECT e.type, f.label, t.label, count(*) FROM edges e JOIN node_labels f ON f.node_id = e.source_id "
        "JOIN node_labels t ON t.node_id = e.target_id GROUP BY 1, 2, 3"
    )
    for *join, count in connection.all(sql):
        found.joins[tuple(join)] = count
    for kind in KINDS:
        of_labels = (
            f"SELECT l.label, p.key_id, count(*) FROM node_props_{kind} p JOIN node_labels l ON l.node_id = p.node_id "
            "WHERE p.key_id != ? GROUP BY 1, 2"
        )
        of_types = (
            f"SELECT e.type, p.key_id, count(*) FROM edge_props_{kind} p JOIN edges e ON e.id = p.edge_id "
            "WHERE p.key_id IS NOT ? GROUP BY 1, 2"
        )
        for sql, counts in ((of_labels, found.of_labels), (of_types, found.of_types)):
            for owner, key, count in connection.all(sql, (connection.key_id,)):
                counts[owner, names[key], _TYPES[kind]] += count
    return found


def value_counts(connection: Connection, label: str, name: str, most: int) -> Counter[str] | None:
    """How often the nodes of a label have each value of a property, as JSON; None where there are more than `most`."""
    found: Counter[str] = Counter()
    of = (
        "FROM node_props_{kind} p JOIN node_labels l ON l.node_id = p.node_id "
        "WHERE p.key_id = (SELECT id FROM property_keys WHERE key = ?) AND l.label = ?"
    )
    for kind in KINDS:
        # A few rows show that there are too many values; a count reads all of them.
        few = f"SELECT DISTINCT p.value {of.format(kind=kind)} LIMIT ?"
        if len(connection.all(few, (name, label, most + 1))) + len(found) > most:
            return None
        for value, count in connection.all(
            f"SELECT p.value, count(*) {of.format(kind=kind)} GROUP BY p.value", (name, label)
        ):
            found[_text(tables.value_of(kind, value))] += count
    return found


class EmbeddedReader(Reader):
    """Reads on one connection, whose transaction the engine begins and ends; references are the numbers of rows."""

    def __init__(self, connection: Connection, statistics: Statistics) -> None:
        self.connection = connection
        self._statistics = statistics

    def version(self) -> int:
        found: int = self.connection.first("SELECT value FROM graphwright_meta WHERE name = 'version'")[0]
        return found

    def schema(self) -> Schema:
        return self._statistics.schema(self)

    def nodes(self, key: str, label: str | None = None) -> Sequence[Stored[Node]]:
        return tables.stored_nodes(self.connection, key, label)

    def keys_near(self, key: str, label: str | None = None) -> Sequence[str]:
        return tables.keys_near(self.connection, key, label)

    def values(self, label: str, name: str, most: int) -> tuple[tuple[Any, int], ...]:
        return self._statistics.values(self, (label, name), most)

    def search(self, text: str, most: int) -> tuple[Node, ...]:
        words = {word: trigrams(word) for word in words_of(text)}
        found = {part: self._nodes_with([part]) for part in {part for parts in words.values() for part in parts}}
        made = self.connection.first("SELECT seq FROM sqlite_sequence WHERE name = 'nodes'")
        # Rows come by id: where they were cut off, the share of ids seen gives an estimate of their number.
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
            there = [part for part in parts if part in weights]
            if there and all(len(found[part]) > MOST_FOUND for part in there):
                # Each of them is common; all of them together may not be.
                together = self._nodes_with(there)
                matches = [(together, sum(weights[part] for part in there))] if together else []
                for ids, worth in matches or [(found[part], weights[part]) for part in there]:
                    for id in ids:
                        credit[id] += worth
        first = sorted(credit, key=lambda id: (-credit[id], id))[: max(MOST_COMPARED, most)]
        return rank(text, tables.nodes_by_id(self.connection, first), weights, most)

    def _nodes_with(self, parts: Iterable[str]) -> list[int]:
        """The nodes with all these groups in their texts; one more than are looked at, where there are more."""
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

    def rows(self, query: str, parameters: Mapping[str, Any], most: int) -> Iterator[tuple[tuple[Any, ...], int]]:
        cells = _Cells(self.connection)
        for text in islice(self.connection.cypher(rewrite_patterns(query), parameters), most):
            # The engine had all rows before it gave the first: from here on it is the caller's time.
            self.connection.lift_deadline()
            yield cells.row(text), len(text)

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
    """The number in an id such as G7; -1 in a text that is none, which belongs to no goal."""
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
    """Converts the rows of one query: graphqlite's JSON as ours, nodes and edges by keys instead of inner numbers."""

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
        """Label and key of a node, at the same moment of the graph."""
        if id not in self._ends:
            sql = (
                "SELECT l.label, p.value FROM node_labels l JOIN node_props_text p ON p.node_id = l.node_id "
                "WHERE l.node_id = ? AND p.key_id = ?"
            )
            self._ends[id] = self._connection.first(sql, (id, self._connection.key_id))
        return self._ends[id]


def _not_finite(_: str) -> NoReturn:
    raise QueryFailed("query_failed", "a number in the result is not finite", "Mind divisions by zero, and overflow.")
