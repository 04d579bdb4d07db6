"""The embedded graph store in the process that asks: graphqlite on SQLite, one file. Its worker process confines it."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from graphwright.graphstore import undoing, writing
from graphwright.graphstore.accepted import accepted
from graphwright.graphstore.elements import Change, Edge, Element, Node, Schema, Subgraph
from graphwright.graphstore.embedded import journal, loading, rows, search, survey
from graphwright.graphstore.embedded.cells import Cells
from graphwright.graphstore.embedded.connection import Connection, Readers
from graphwright.graphstore.embedded.patterns import whole
from graphwright.graphstore.embedded.summary import Summary
from graphwright.graphstore.embedded.transaction import EmbeddedTransaction
from graphwright.graphstore.errors import GraphUnavailable, QueryFailed, Transient
from graphwright.graphstore.names import checked_key, checked_name
from graphwright.graphstore.parameters import checked_parameters
from graphwright.graphstore.port import (
    MOST_ROWS,
    READ_SECONDS,
    WRITE_SECONDS,
    Applied,
    Goal,
    GoalStatus,
    GraphStore,
    Preview,
    Result,
)
from graphwright.graphstore.writes import Write

LOCK_SECONDS = 5.0
"""How long to wait for another process that writes."""

MOST_BYTES = 4 * 1024 * 1024
"""Of JSON that the rows of a read may have together; a single row never has more."""


class EmbeddedEngine(GraphStore):
    """A graph in one file, with its journal. Opens at once, and creates what is missing.

    `lock_seconds` is how long a write waits for another process, `write_seconds` how long it may take, `readers` how
    many reading connections are opened at once; more are opened as needed. Raises GraphUnavailable.
    """

    def __init__(
        self,
        path: Path,
        *,
        lock_seconds: float = LOCK_SECONDS,
        write_seconds: float = WRITE_SECONDS,
        readers: int = 2,
    ) -> None:
        self._path = path
        self._lock_seconds, self._write_seconds = lock_seconds, write_seconds
        self._lock = threading.Lock()
        self._closed = False
        self._summary = Summary()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise GraphUnavailable(
                "graph_unavailable", f"the folder {path.parent} cannot be made: {error.strerror}", "Choose another."
            ) from error
        self._writer = Connection(path, reading=False, lock_seconds=lock_seconds)
        try:
            self._readers = Readers(path, lock_seconds=lock_seconds, ready=readers)
        except BaseException:
            self._writer.close()
            raise

    @property
    def name(self) -> str:
        return str(self._path)

    def version(self) -> int:
        with self._reading() as reader:
            return journal.version(reader)

    def schema(self) -> Schema:
        with self._reading() as reader:
            return self._summary.schema(reader)

    def node(self, key: str, label: str | None = None, *, near: bool = True) -> Node:
        with self._reading() as reader:
            return _node(reader, key, label, near=near)[1]

    def find(self, texts: Sequence[str], *, most: int = 20) -> tuple[Node, ...]:
        with self._reading() as reader:
            return survey.find(reader, texts, most)

    def search(self, text: str, *, most: int = 30) -> tuple[Node, ...]:
        with self._reading() as reader:
            return search.search(reader, text, most)

    def edges(self, key: str, label: str | None = None, *, most: int = 200) -> tuple[Edge, ...]:
        with self._reading() as reader:
            id, _ = _node(reader, key, label)
            return tuple(each.element for each in rows.edges_of(reader, id, most))

    def values(self, label: str, name: str, *, most: int = 20) -> tuple[tuple[Any, int], ...]:
        checked_name(label, "label")
        checked_name(name, "property name")
        with self._reading() as reader:
            return self._summary.values(reader, label, name, most)

    def subgraph(self, key: str, depth: int, label: str | None = None, *, most: int = 500) -> Subgraph:
        with self._reading() as reader:
            id, _ = _node(reader, key, label)
            return survey.subgraph(reader, id, depth, most)

    def stream(
        self,
        query: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        timeout: float = READ_SECONDS,
        max_rows: int = MOST_ROWS,
    ) -> Iterator[Sequence[Any]]:
        given = checked_parameters(parameters)
        accepted(query, given, writes=False)
        return self._stream(query, given, timeout, max_rows)

    def _stream(self, query: str, parameters: Mapping[str, Any], timeout: float, max_rows: int) -> Iterator[Any]:
        with self._reading(timeout) as reader:
            for cells, _ in _rows(reader, query, parameters, max_rows):
                yield cells

    def read(
        self,
        query: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        after: Sequence[Write] = (),
        timeout: float = READ_SECONDS,
        max_rows: int = MOST_ROWS,
    ) -> Result:
        given = checked_parameters(parameters)
        columns = accepted(query, given, writes=False).columns
        found: list[tuple[Any, ...]] = []
        size = 0
        truncated = False
        with self._behind(writing.all_checked(after), timeout) as reader:
            for cells, length in _rows(reader, query, given, max_rows + 1):
                size += length
                truncated = len(found) == max_rows or size > MOST_BYTES
                if truncated:
                    break
                found.append(cells)
        return Result(columns, tuple(found), truncated)

    @contextmanager
    def _behind(self, writes: Sequence[Write], seconds: float) -> Iterator[Connection]:
        """A connection that only reads, and sees the graph as checked writes would leave it."""
        if not writes:
            with self._reading(seconds) as reader:
                yield reader
            return
        with self._writing(self._write_seconds, keep=False) as writer:
            with self._transaction_of(writer) as tx:
                writing.perform(tx, writes)
            with writer.only_reading(seconds):
                yield writer

    def preview(self, writes: Sequence[Write]) -> Preview:
        with self._transaction(keep=False) as tx:
            return writing.preview(tx, writes)

    def apply(self, writes: Sequence[Write], *, goal: str, key: str, expected: str = "") -> Applied:
        with self._transaction() as tx:
            return writing.apply(tx, writes, goal=goal, key=key, expected=expected)

    def begin_goal(self, text: str, *, key: str, thread: str = "") -> Goal:
        with self._transaction() as tx:
            return writing.begin_goal(tx, text, key=key, thread=thread)

    def finish_goal(self, goal: str, status: GoalStatus) -> None:
        with self._transaction() as tx:
            writing.finish_goal(tx, goal, status)

    def goal(self, goal: str) -> Goal:
        with self._reading() as reader:
            return writing.required(journal.goal_by_id(reader, goal), goal)

    def goals(self, *, most: int = 50) -> tuple[Goal, ...]:
        with self._reading() as reader:
            return tuple(journal.latest_goals(reader, most))

    def preview_undo(self, goal: str) -> tuple[Change, ...]:
        with self._transaction(keep=False) as tx:
            return undoing.preview(tx, goal)

    def undo(self, goal: str, *, key: str) -> Goal:
        with self._transaction() as tx:
            return undoing.undo(tx, goal, key=key)

    def load(self, elements: Iterable[Element], *, text: str, update: bool = False) -> tuple[int, int]:
        with self._writing(seconds=math.inf) as writer:
            counts = loading.load(writer, elements, update=update)
            with self._transaction_of(writer) as tx:
                entry = tx.add_goal(text, key=f"load {writing.now()} {tx.bump()}", thread="")
                tx.set_goal(entry.id, "done")
        self._readers.renew()
        return counts

    def export(self) -> Iterator[Element]:
        with self._reading(seconds=math.inf) as reader:
            yield from survey.everything(reader)

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
                self._readers.close()
                self._writer.close()

    @contextmanager
    def _reading(self, seconds: float = READ_SECONDS) -> Iterator[Connection]:
        self._check_open()
        with self._readers.one() as reader, reader.guard(seconds):
            yield reader

    @contextmanager
    def _transaction(self, *, keep: bool = True) -> Iterator[EmbeddedTransaction]:
        with self._writing(self._write_seconds, keep=keep) as writer, self._transaction_of(writer) as tx:
            yield tx
            if keep:
                search.renew(writer, tx.written)

    @contextmanager
    def _transaction_of(self, writer: Connection) -> Iterator[EmbeddedTransaction]:
        with self._readers.one() as before:
            yield EmbeddedTransaction(writer, before)

    @contextmanager
    def _writing(self, seconds: float, *, keep: bool = True) -> Iterator[Connection]:
        """The writer inside a transaction, which is committed at the end if `keep`, and rolled back on failure."""
        if not self._lock.acquire(timeout=self._lock_seconds):
            raise Transient("locked", "another part of this program is writing to the graph", "Try again in a moment.")
        try:
            self._check_open()
            try:
                with self._writer.guard(seconds):
                    self._writer.begin()
                    yield self._writer
                if keep:
                    with self._writer.guard():
                        self._writer.commit()
            finally:
                with self._writer.guard():
                    self._writer.rollback()
        finally:
            self._lock.release()

    def _check_open(self) -> None:
        if self._closed:
            raise GraphUnavailable("graph_unavailable", f"the graph {self._path} was closed", "Open it again.")


def _rows(
    connection: Connection, query: str, parameters: Mapping[str, Any], most: int
) -> Iterator[tuple[tuple[Any, ...], int]]:
    """The rows of a text, each with its length as JSON."""
    cells = Cells(connection)
    for text in islice(connection.cypher(whole(query), parameters), most):
        # The engine had all rows before it gave the first: from here on it is the caller's time.
        connection.take_your_time()
        if len(text) > MOST_BYTES:
            raise QueryFailed("too_much", "a single row is larger than 4 MiB", "Return less of each node.")
        yield cells.row(text), len(text)


def _node(reader: Connection, key: str, label: str | None, *, near: bool = True) -> tuple[int, Node]:
    checked_key(key)
    if label is not None:
        checked_name(label, "label")
    found = rows.stored_nodes(reader, key, label)
    only = writing.only(found, key, label, lambda: survey.keys_near(reader, key, label) if near else ())
    return only.ref, only.element
