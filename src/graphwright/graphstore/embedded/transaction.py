"""Transactions of the embedded engine: readers, typed writes, Cypher statements with their changes, the journal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any, NoReturn

from graphwright.graphstore.cypher.dialects import runnable, whole
from graphwright.graphstore.elements import (
    KEY,
    Change,
    Edge,
    Element,
    Node,
    Schema,
    Subgraph,
    Value,
    canonical,
    checked_key,
    checked_name,
    checked_properties,
    equal,
    net,
    shown,
)
from graphwright.graphstore.embedded import introspection, tables
from graphwright.graphstore.embedded.connection import Connection
from graphwright.graphstore.embedded.introspection import Statistics
from graphwright.graphstore.embedded.tables import KINDS, RawNode, What
from graphwright.graphstore.errors import BadElement, QueryFailed
from graphwright.graphstore.port import Goal, GoalStatus, Statement, Step
from graphwright.graphstore.unit_of_work import Reader, Stored, Transaction, check_count, now

MOST_BYTES = 16 * 1024 * 1024
"""Of one step's changes as JSON. They must fit, whole, into an answer of the worker, and into memory several times."""

_GOAL = "SELECT number, key, text, thread, status, began, finished, undoes, undone_by FROM graphwright_goals"
_STEP = "SELECT key, writes, changes, version, time, goal FROM graphwright_steps"

_TABLES = {
    "nodes": ("node", "id"),
    "node_labels": ("node", "node_id"),
    "edges": ("edge", "id"),
    **{f"node_props_{kind}": ("node", "node_id") for kind in KINDS},
    **{f"edge_props_{kind}": ("edge", "edge_id") for kind in KINDS},
}

_EVENTS = {"insert": ("new",), "delete": ("old",), "update": ("old", "new")}


class EmbeddedReader(Reader):
    """Reads on one connection, whose transaction the engine begins and ends; references are the numbers of rows."""

    def __init__(self, connection: Connection, statistics: Statistics) -> None:
        self.connection = connection
        self._statistics = statistics

    def version(self) -> int:
        found: int = self.connection.first("SELECT value FROM graphwright_meta WHERE name = 'version'")[0]
        return found

    def schema(self) -> Schema:
        return self._statistics.schema(self.connection, self.version(), self.steps_after)

    def nodes(self, key: str, label: str | None = None) -> Sequence[Stored[Node]]:
        return tables.stored_nodes(self.connection, key, label)

    def keys_near(self, key: str, label: str | None = None) -> Sequence[str]:
        return tables.keys_near(self.connection, key, label)

    def search(self, text: str, most: int) -> tuple[Node, ...]:
        return introspection.search(self.connection, text, most)

    def values(self, label: str, name: str, most: int) -> tuple[tuple[Any, int], ...]:
        return self._statistics.values(self.connection, self.version(), self.steps_after, (label, name), most)

    def subgraph(self, start: Stored[Node], depth: int, most: int) -> Subgraph:
        return introspection.subgraph(self.connection, start.ref, depth, most)

    def everything(self) -> Iterator[Element]:
        return introspection.everything(self.connection)

    def rows(self, query: str, parameters: Mapping[str, Any], most: int) -> Iterator[tuple[tuple[Any, ...], int]]:
        cells = _Cells(self.connection)
        for text in islice(self.connection.cypher(whole(query), parameters), most):
            # The engine had all rows before it gave the first: from here on it is the caller's time.
            self.connection.take_your_time()
            yield cells.row(text), len(text)

    def goal(self, *, id: str = "", key: str = "") -> Goal | None:
        column, value = ("number", _number(id)) if id else ("key", key)
        row = self.connection.first(f"{_GOAL} WHERE {column} = ?", (value,))
        return self._goal(row) if row else None

    def goals(self, most: int) -> Sequence[Goal]:
        return [self._goal(row) for row in self.connection.all(f"{_GOAL} ORDER BY number DESC LIMIT ?", (most,))]

    def steps_after(self, version: int) -> Sequence[tuple[str, Step]]:
        rows = self.connection.each(f"{_STEP} WHERE version > ? ORDER BY number", (version,))
        return [(f"G{row[-1]}", _step(row)) for row in rows]

    def _goal(self, row: Any) -> Goal:
        number, key, text, thread, status, began, finished, undoes, undone_by = row
        steps = tuple(map(_step, self.connection.all(f"{_STEP} WHERE goal = ? ORDER BY number", (number,))))
        undoes, undone_by = (None if other is None else f"G{other}" for other in (undoes, undone_by))
        return Goal(f"G{number}", key, text, thread, status, began, finished, undoes, undone_by, steps)


class EmbeddedTransaction(EmbeddedReader, Transaction):
    """Works on the writer's connection.

    `before` opens a connection that sees the graph as it was when the transaction began. What statements changed is
    found by triggers that record which rows they touch; `written` has the numbers of everything that was written.
    """

    def __init__(
        self,
        connection: Connection,
        statistics: Statistics,
        before: Callable[[], AbstractContextManager[Connection]],
    ) -> None:
        super().__init__(connection, statistics)
        self._before = before
        self.written: dict[What, set[int]] = {"node": set(), "edge": set()}

    def only_reading(self, seconds: float) -> AbstractContextManager[None]:
        return self.connection.only_reading(seconds)

    def bump(self) -> int:
        self.connection.run("UPDATE graphwright_meta SET value = value + 1 WHERE name = 'version'")
        return self.version()

    def edge(self, source: Any, type: str, target: Any) -> Stored[Edge] | None:
        found = tables.edge_id(self.connection, source, type, target)
        return None if found is None else tables.edges_by_id(self.connection, [found])[0]

    def edges_of(self, ref: Any) -> Sequence[Stored[Edge]]:
        return tables.edges_of(self.connection, ref)

    def create_node(self, node: Node) -> None:
        id = self.connection.run("INSERT INTO nodes DEFAULT VALUES")
        self.connection.run("INSERT INTO node_labels VALUES (?, ?)", (id, node.label))
        self.connection.run("INSERT INTO node_props_text VALUES (?, ?, ?)", (id, self.connection.key_id, node.key))
        self.set_node(id, node.properties)

    def set_node(self, ref: Any, properties: Mapping[str, Value | None]) -> None:
        tables.write_properties(self.connection, "node", ref, properties)
        self.written["node"].add(ref)

    def delete_node(self, ref: Any) -> None:
        self.connection.run("DELETE FROM nodes WHERE id = ?", (ref,))
        self.written["node"].add(ref)

    def create_edge(self, source: Any, edge: Edge, target: Any) -> None:
        sql = "INSERT INTO edges (source_id, target_id, type) VALUES (?, ?, ?)"
        self.set_edge(self.connection.run(sql, (source, target, edge.type)), edge.properties)

    def set_edge(self, ref: Any, properties: Mapping[str, Value | None]) -> None:
        tables.write_properties(self.connection, "edge", ref, properties)
        self.written["edge"].add(ref)

    def delete_edge(self, ref: Any) -> None:
        self.connection.run("DELETE FROM edges WHERE id = ?", (ref,))
        self.written["edge"].add(ref)

    def run(self, statement: Statement) -> Sequence[Change]:
        writer = self.connection
        # The reader does not see what was written since: that is read here, before it changes again.
        nodes = tables.raw_nodes(writer, sorted(self.written["node"]))
        edges = tables.edges_by_id(writer, sorted(self.written["edge"]))
        _watch(writer)
        for _ in writer.cypher(runnable(whole(statement.query)), statement.parameters):
            pass
        touched = {what: [id for (id,) in writer.all(_TOUCHED, (what,))] for what in self.written}
        _unwatch(writer)
        check_count(sum(map(len, touched.values())))
        fresh = {what: [id for id in ids if id not in self.written[what]] for what, ids in touched.items()}
        with self._before() as before:
            nodes |= tables.raw_nodes(before, fresh["node"])
            edges += tables.edges_by_id(before, fresh["edge"])
        for what, ids in touched.items():
            self.written[what].update(ids)
        return [*_node_changes(writer, nodes, touched["node"]), *_edge_changes(writer, edges, touched["edge"])]

    def add_goal(self, text: str, *, key: str, thread: str, undoes: str | None = None) -> Goal:
        sql = "INSERT INTO graphwright_goals (key, text, thread, status, began, undoes) VALUES (?, ?, ?, 'open', ?, ?)"
        began = now()
        number = self.connection.run(sql, (key, text, thread, began, _number(undoes)))
        return Goal(f"G{number}", key, text, thread, "open", began, undoes=undoes)

    def set_goal(self, id: str, status: GoalStatus, *, undone_by: str | None = None) -> None:
        self.connection.run(
            "UPDATE graphwright_goals SET status = ?, finished = ?, undone_by = ? WHERE number = ?",
            (status, None if status == "open" else now(), _number(undone_by), _number(id)),
        )

    def step(self, key: str) -> Step | None:
        row = self.connection.first(f"{_STEP} WHERE key = ?", (key,))
        return _step(row) if row else None

    def add_step(self, goal: str, step: Step) -> None:
        changes = canonical([change.to_json() for change in step.changes])
        if len(changes.encode()) > MOST_BYTES:
            raise QueryFailed(
                "too_much", "this would change more than 16 MiB of data at once", "Do it in parts, or import the data."
            )
        self.connection.run(
            "INSERT INTO graphwright_steps (key, goal, version, time, writes, changes) VALUES (?, ?, ?, ?, ?, ?)",
            (step.key, _number(goal), step.version, step.time, canonical(step.writes), changes),
        )


def _number(id: str | None) -> int | None:
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


_TOUCHED = "SELECT id FROM touched WHERE what = ? ORDER BY id"


def _watch(writer: Connection) -> None:
    writer.run("CREATE TEMP TABLE touched (what TEXT, id INTEGER, PRIMARY KEY (what, id)) WITHOUT ROWID")
    for table, (what, column) in _TABLES.items():
        for event, sides in _EVENTS.items():
            told = " ".join(f"INSERT OR IGNORE INTO touched VALUES ('{what}', {side}.{column});" for side in sides)
            name = f"touched_{table}_{event}"
            writer.run(f"CREATE TEMP TRIGGER {name} AFTER {event.upper()} ON main.{table} BEGIN {told} END")


def _unwatch(writer: Connection) -> None:
    for table in _TABLES:
        for event in _EVENTS:
            writer.run(f"DROP TRIGGER temp.touched_{table}_{event}")
    writer.run("DROP TABLE temp.touched")


def _node_changes(writer: Connection, old: Mapping[int, RawNode], ids: list[int]) -> list[Change]:
    new = tables.raw_nodes(writer, ids)
    changes = []
    for id in ids:
        was = old[id].element() if id in old else None
        now = _well_formed(writer, new[id], was) if id in new else None
        if not equal(was, now):
            changes.append(Change(was, now))
    return changes


def _well_formed(writer: Connection, node: RawNode, was: Node | None) -> Node:
    """The node, checked; `was` is what it was before the statement. Raises BadElement."""
    if len(node.labels) != 1:
        said = f"the labels {', '.join(node.labels)}" if node.labels else "no label"
        raise BadElement("bad_label", f"a node would have {said}", "A node has exactly one label.")
    label, key = checked_name(node.labels[0], "label"), node.properties.get(KEY)
    if key is None:
        raise BadElement("bad_key", f"a node of {label} would have no key", "Give each node a text as `key`.")
    checked_key(key)
    if was is not None and was.identity[1:] != (label, key):
        raise BadElement(
            "bad_key",
            f"{was.name} would become {label} {shown(key)}",
            "Label and key of a node stay what they are: delete it and create another.",
        )
    if len(tables.find_nodes(writer, key, label)) > 1:
        raise BadElement(
            "bad_key", f"there would be two nodes {label} {shown(key)}", "Use MERGE, or SET on the one that exists."
        )
    others = {name: value for name, value in node.properties.items() if name != KEY}
    checked_properties(others, of=f"{label} {shown(key)}")
    return Node(label, key, others)


def _edge_changes(writer: Connection, images: Iterable[Stored[Edge]], ids: list[int]) -> list[Change]:
    touched = set(ids)
    old = {each.ref: each.element for each in images if each.ref in touched}
    new = {each.ref: each.element for each in tables.edges_by_id(writer, ids)}
    for id, edge in new.items():
        checked_name(edge.type, "type")
        checked_properties(edge.properties, of=edge.name)
        _check_single(writer, id, edge)
    gone = [Change(edge, None) for id, edge in old.items() if id not in new]
    # An edge that was deleted and created again is the same edge: `net` makes one change of both.
    return [*gone, *net(Change(old.get(id), edge) for id, edge in new.items())]


def _check_single(writer: Connection, id: int, edge: Edge) -> None:
    sql = (
        "SELECT count(*) FROM edges e JOIN edges o "
        "ON o.source_id = e.source_id AND o.type = e.type AND o.target_id = e.target_id WHERE e.id = ?"
    )
    if writer.first(sql, (id,))[0] > 1:
        raise BadElement(
            "bad_edge", f"there would be two edges {edge.name}", "Use MERGE: there is one of a type between two nodes."
        )


_NODE = {"id", "labels", "properties"}
_EDGE = {"id", "type", "startNode", "endNode", "properties"}
_PATH = {"nodes", "rels"}


class _Cells:
    """Converts the rows of one query. The connection looks the ends of edges up, at the same moment of the graph."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ends: dict[int, tuple[str, str]] = {}
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
        if names == _NODE:
            return self._node(cell)
        if names == _EDGE:
            return self._edge(cell)
        if names == _PATH:
            return {"nodes": self._cell(cell["nodes"]), "edges": self._cell(cell["rels"])}
        return {name: self._cell(item) for name, item in cell.items()}

    def _node(self, cell: dict[str, Any]) -> Any:
        properties, labels = cell["properties"], cell["labels"]
        if not isinstance(properties, dict) or KEY not in properties or not isinstance(labels, list) or not labels:
            return cell
        key = properties[KEY]
        return {"label": labels[0], "key": key, "properties": {n: v for n, v in properties.items() if n != KEY}}

    def _edge(self, cell: dict[str, Any]) -> Any:
        source, target = self._end(cell["startNode"]), self._end(cell["endNode"])
        if source is None or target is None:
            return cell
        return {
            "from_label": source[0],
            "from_key": source[1],
            "type": cell["type"],
            "to_label": target[0],
            "to_key": target[1],
            "properties": cell["properties"],
        }

    def _end(self, id: Any) -> tuple[str, str] | None:
        if id not in self._ends:
            sql = (
                "SELECT l.label, p.value FROM node_labels l JOIN node_props_text p ON p.node_id = l.node_id "
                "WHERE l.node_id = ? AND p.key_id = ?"
            )
            found = self._connection.first(sql, (id, self._connection.key_id))
            if found is None:
                return None
            self._ends[id] = found
        return self._ends[id]


def _not_finite(_: str) -> NoReturn:
    raise QueryFailed("query_failed", "a number in the result is not finite", "Mind divisions by zero, and overflow.")
