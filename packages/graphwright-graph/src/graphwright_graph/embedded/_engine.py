"""The embedded engine, in process: graphqlite on SQLite in one file, and its write transactions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from graphwright_graph._adapter import BULK_SECONDS, Adapter
from graphwright_graph._elements import Change, Edge, Element, Node, Schema, Value, canonical_json, checked_element
from graphwright_graph._errors import GraphUnavailable, QueryFailed, Transient
from graphwright_graph._port import WRITE_SECONDS, Goal, GoalStatus, Statement, Step, Write
from graphwright_graph._unit_of_work import (
    Stored,
    Transaction,
    changes_between,
    check_count,
    duplicate_error,
    missing_end,
    node_from_engine,
    now,
    record_load,
    repeated_in_load,
)
from graphwright_graph.cypher._dialects import rewrite_changes, rewrite_patterns
from graphwright_graph.embedded import _tables as tables
from graphwright_graph.embedded._connection import Connection
from graphwright_graph.embedded._reading import EmbeddedReader, number_of
from graphwright_graph.embedded._tables import KINDS, RawNode, What

T = TypeVar("T")

LOCK_SECONDS = 5.0
"""The time limit for waiting for another writing process, in seconds."""


class EmbeddedEngine(Adapter):
    """A graph in one file of an existing folder, with its journal. It opens the file, and creates missing tables.

    `lock_seconds` is how long a write waits for another process, `write_seconds` its time limit. Raises
    GraphUnavailable.
    """

    def __init__(self, path: Path, *, lock_seconds: float = LOCK_SECONDS, write_seconds: float = WRITE_SECONDS) -> None:
        self._path = path
        self._lock_seconds, self._write_seconds = lock_seconds, write_seconds
        self._lock = threading.Lock()
        self._closed = False
        self._schema = -1, Schema()
        self._writer = Connection(path, reading=False, lock_seconds=lock_seconds)
        # Idle read-only connections; each open read uses a separate one.
        self._readers: list[Connection] = []

    @property
    def name(self) -> str:
        return str(self._path)

    def load(self, elements: Iterable[Element], *, text: str, update: bool = False) -> tuple[int, int]:
        def loaded(tx: EmbeddedTransaction) -> tuple[int, int]:
            counts = tx.load(elements, update=update)
            record_load(tx, text, counts)
            # SQLite plans queries by these statistics.
            tx.connection.run("PRAGMA analysis_limit = 1000")
            tx.connection.run("ANALYZE")
            return counts

        counts = self._write(loaded, seconds=BULK_SECONDS)
        # New connections use the new statistics.
        self._close_readers()
        return counts

    def schema(self) -> Schema:
        # Counting a large graph takes a large part of a second.
        with self._reading(BULK_SECONDS) as reader:
            version = reader.version()
            if self._schema[0] != version:
                self._schema = version, reader.schema()
            return self._schema[1]

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
                self._close_readers()
                self._writer.close()

    def _close_readers(self) -> None:
        while self._readers:
            self._readers.pop().close()

    @contextmanager
    def _reader(self) -> Iterator[Connection]:
        """A connection in a read transaction: all its reads see one state of the graph."""
        try:
            # Lists are thread-safe.
            reader = self._readers.pop()
        except IndexError:
            reader = Connection(self._path, reading=True, lock_seconds=self._lock_seconds)
        try:
            with reader.guard():
                reader.begin()
            yield reader
        finally:
            reader.rollback()
            if self._closed:
                reader.close()
            else:
                self._readers.append(reader)

    @contextmanager
    def _reading(self, seconds: float) -> Iterator[EmbeddedReader]:
        self._check_open()
        with self._reader() as reader, reader.guard(seconds):
            yield EmbeddedReader(reader)

    def _write(
        self,
        do: Callable[[EmbeddedTransaction], T],
        *,
        writes: Sequence[Write] = (),
        keep: bool = True,
        seconds: float | None = None,
    ) -> T:
        if not self._lock.acquire(timeout=self._lock_seconds):
            raise Transient("locked", "Another part of this program is writing to the graph.", "Try again in a moment.")
        try:
            self._check_open()
            try:
                with self._writer.guard(self._write_seconds if seconds is None else seconds):
                    self._writer.begin()
                    tx = EmbeddedTransaction(self._writer, self._reader)
                    done = do(tx)
                    if keep:
                        tables.renew_index(self._writer, tx.written["node"])
                if keep:
                    with self._writer.guard():
                        self._writer.commit()
                return done
            finally:
                with self._writer.guard():
                    self._writer.rollback()
        finally:
            self._lock.release()

    def _check_open(self) -> None:
        if self._closed:
            raise GraphUnavailable(f"The graph {self._path} was closed.", "Open it again.")


# A write transaction

MOST_BYTES = 16 * 1024 * 1024
"""The maximum size of one step's changes, in bytes of JSON.

They must fit completely into an answer of the worker, and into memory several times.
"""

_TABLES = {
    "nodes": ("node", "id"),
    "node_labels": ("node", "node_id"),
    "edges": ("edge", "id"),
    **{f"node_props_{kind}": ("node", "node_id") for kind in KINDS},
    **{f"edge_props_{kind}": ("edge", "edge_id") for kind in KINDS},
}

_EVENTS = {"insert": ("new",), "delete": ("old",), "update": ("old", "new")}


class EmbeddedTransaction(EmbeddedReader, Transaction):
    """A transaction on the writer's connection.

    `before` opens a connection that sees the graph at the start of the transaction. The changes of statements are found
    by triggers that record the changed rows; `written` has the ids of all written elements.
    """

    def __init__(self, connection: Connection, before: Callable[[], AbstractContextManager[Connection]]) -> None:
        super().__init__(connection)
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
        tables.insert_properties(self.connection, "node", id, node.properties)
        self.written["node"].add(id)

    def set_node(self, ref: Any, properties: Mapping[str, Value | None]) -> None:
        tables.write_properties(self.connection, "node", ref, properties)
        self.written["node"].add(ref)

    def delete_node(self, ref: Any) -> None:
        self.connection.run("DELETE FROM nodes WHERE id = ?", (ref,))
        self.written["node"].add(ref)

    def create_edge(self, source: Any, edge: Edge, target: Any) -> None:
        sql = "INSERT INTO edges (source_id, target_id, type) VALUES (?, ?, ?)"
        id = self.connection.run(sql, (source, target, edge.type))
        tables.insert_properties(self.connection, "edge", id, edge.properties)
        self.written["edge"].add(id)

    def set_edge(self, ref: Any, properties: Mapping[str, Value | None]) -> None:
        tables.write_properties(self.connection, "edge", ref, properties)
        self.written["edge"].add(ref)

    def delete_edge(self, ref: Any) -> None:
        self.connection.run("DELETE FROM edges WHERE id = ?", (ref,))
        self.written["edge"].add(ref)

    def load(self, elements: Iterable[Element], *, update: bool) -> tuple[int, int]:
        """Load elements. Returns the numbers of nodes and edges. Raises as the port's `load`."""

        @lru_cache(50_000)
        def row(label: str, key: str) -> int:
            return self._row(label, key) or 0

        counts = {Node: 0, Edge: 0}
        for each in map(checked_element, elements):
            counts[type(each)] += 1
            if isinstance(each, Node):
                found = self._row(each.label, each.key)
                create, change = partial(self.create_node, each), self.set_node
            else:
                ends = [row(end.label, end.key) for end in each.ends]
                for end in (end for end, there in zip(each.ends, ends, strict=True) if not there):
                    raise missing_end(each, end, self.keys_near(end.key, end.label))
                found = tables.edge_id(self.connection, ends[0], each.type, ends[1])
                create, change = partial(self.create_edge, ends[0], each, ends[1]), self.set_edge
            if found is None:
                create()
            elif update:
                change(found, each.properties)
            else:
                raise repeated_in_load(each)
        return counts[Node], counts[Edge]

    def _row(self, label: str, key: str) -> int | None:
        found = tables.find_nodes(self.connection, key, label)
        return found[0][0] if found else None

    def run(self, statement: Statement) -> Sequence[Change]:
        writer = self.connection
        # The reader does not see later writes, so they are read here, before they change again.
        nodes = tables.raw_nodes(writer, sorted(self.written["node"]))
        edges = tables.edges_by_id(writer, sorted(self.written["edge"]))
        _watch(writer)
        for _ in writer.cypher(rewrite_changes(rewrite_patterns(statement.query)), statement.parameters):
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
        number = self.connection.run(sql, (key, text, thread, began, number_of(undoes)))
        return Goal(f"G{number}", key, text, thread, "open", began, undoes=undoes)

    def set_goal(self, id: str, status: GoalStatus, *, undone_by: str | None = None) -> None:
        self.connection.run(
            "UPDATE graphwright_goals SET status = ?, finished = ?, undone_by = ? WHERE number = ?",
            (status, None if status == "open" else now(), number_of(undone_by), number_of(id)),
        )

    def add_step(self, goal: str, step: Step) -> None:
        changes = canonical_json(step.changes)
        if len(changes.encode()) > MOST_BYTES:
            raise QueryFailed(
                "too_much", "This would change more than 16 MiB of data at once.", "Do it in parts, or import the data."
            )
        self.connection.run(
            "INSERT INTO graphwright_steps (key, goal, version, time, writes, changes) VALUES (?, ?, ?, ?, ?, ?)",
            (step.key, number_of(goal), step.version, step.time, canonical_json(step.writes), changes),
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


def _node_changes(writer: Connection, old: Mapping[int, RawNode], ids: Sequence[int]) -> Sequence[Change]:
    new = {id: node_from_engine(raw.labels, raw.properties) for id, raw in tables.raw_nodes(writer, ids).items()}
    for node in new.values():
        if len(tables.find_nodes(writer, node.key, node.label)) > 1:
            raise duplicate_error(node)
    return changes_between([(old[id].element() if id in old else None, new.get(id)) for id in ids])


def _edge_changes(writer: Connection, images: Iterable[Stored[Edge]], ids: Sequence[int]) -> Sequence[Change]:
    old = {each.ref: each.element for each in images}
    new = {each.ref: checked_element(each.element) for each in tables.edges_by_id(writer, ids)}
    same = (
        "SELECT count(*) FROM edges e JOIN edges o "
        "ON o.source_id = e.source_id AND o.type = e.type AND o.target_id = e.target_id WHERE e.id = ?"
    )
    for id, edge in new.items():
        if writer.first(same, (id,))[0] > 1:
            raise duplicate_error(edge)
    return changes_between([(old.get(id), new.get(id)) for id in ids])
