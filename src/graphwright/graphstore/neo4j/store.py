"""A graph on a Neo4j server: the port, over the official driver."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from graphwright.graphstore import undoing, writing
from graphwright.graphstore.accepted import accepted
from graphwright.graphstore.elements import Change, Edge, Element, Node, Schema, Subgraph
from graphwright.graphstore.errors import Transient
from graphwright.graphstore.names import checked_key, checked_name
from graphwright.graphstore.neo4j import bulk, journal, reading
from graphwright.graphstore.neo4j.address import address
from graphwright.graphstore.neo4j.connection import Connection
from graphwright.graphstore.neo4j.failures import told
from graphwright.graphstore.neo4j.hiding import Apart, apart
from graphwright.graphstore.neo4j.schema import schema
from graphwright.graphstore.neo4j.transaction import Neo4jTransaction
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
from graphwright.graphstore.transaction import Stored
from graphwright.graphstore.writes import AddNode, Statement, Write

if TYPE_CHECKING:
    import neo4j

T = TypeVar("T")

LOCK_SECONDS = 5.0
"""How long a write is tried again while others are writing."""

BULK_SECONDS = 600.0
"""How long an import, an export or a look at the whole graph may take."""


class Neo4jStore(GraphStore):
    """A graph on a Neo4j server, version 5.13 or later, which other programs may use as well.

    Nothing is connected before the first call. `version` counts the writes through Graphwright; what other programs
    write is neither counted nor in the journal.
    """

    def __init__(self, url: str) -> None:
        self._address = address(url)
        self._connection = Connection(self._address)

    @property
    def name(self) -> str:
        return self._address.name

    def version(self) -> int:
        with self._connection.reading(READ_SECONDS) as tx:
            return reading.version(tx)

    def schema(self) -> Schema:
        with self._connection.reading(BULK_SECONDS) as tx:
            return schema(tx)

    def node(self, key: str, label: str | None = None, *, near: bool = True) -> Node:
        with self._connection.reading(READ_SECONDS) as tx:
            return _node(tx, key, label, near=near).element

    def find(self, texts: Sequence[str], *, most: int = 20) -> tuple[Node, ...]:
        with self._connection.reading(READ_SECONDS) as tx:
            return reading.find(tx, texts, most)

    def search(self, text: str, *, most: int = 30) -> tuple[Node, ...]:
        with self._connection.reading(READ_SECONDS) as tx:
            return reading.search(tx, text, most)

    def edges(self, key: str, label: str | None = None, *, most: int = 200) -> tuple[Edge, ...]:
        with self._connection.reading(READ_SECONDS) as tx:
            id = _node(tx, key, label).ref
            return tuple(reading.edges(tx, "MATCH (n)-[r]-() WHERE elementId(n) = $id", {"id": id}, most))

    def values(self, label: str, name: str, *, most: int = 20) -> tuple[tuple[Any, int], ...]:
        checked_name(label, "label")
        checked_name(name, "property name")
        with self._connection.reading(READ_SECONDS) as tx:
            return reading.values(tx, label, name, most)

    def subgraph(self, key: str, depth: int, label: str | None = None, *, most: int = 500) -> Subgraph:
        with self._connection.reading(READ_SECONDS) as tx:
            start = _node(tx, key, label)
            return reading.subgraph(tx, start.ref, start.element, depth, most)

    def stream(
        self,
        query: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        timeout: float = READ_SECONDS,
        max_rows: int = MOST_ROWS,
    ) -> Iterator[Sequence[Any]]:
        known, given = _to_read(query, parameters)
        return self._stream(known, given, timeout, max_rows)

    def _stream(self, query: Apart, parameters: Mapping[str, Any], timeout: float, max_rows: int) -> Iterator[Any]:
        with self._connection.reading(timeout) as tx, told(self._address, query.text):
            yield from reading.stream(tx, query.text, parameters, max_rows=max_rows)

    def read(
        self,
        query: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        after: Sequence[Write] = (),
        timeout: float = READ_SECONDS,
        max_rows: int = MOST_ROWS,
    ) -> Result:
        known, given = _to_read(query, parameters)

        def rows(tx: neo4j.Transaction) -> Result:
            with told(self._address, known.text):
                return reading.collected(tx, tx.run(known.text, given), known.columns, max_rows)

        if not after:
            with self._connection.reading(timeout) as tx:
                return rows(tx)

        def behind(tx: Neo4jTransaction) -> Result:
            writing.perform(tx, writing.all_checked(after))
            return rows(tx.raw)

        return self._write(behind, after, keep=False)

    def preview(self, writes: Sequence[Write]) -> Preview:
        return self._write(lambda tx: writing.preview(tx, writes), writes, keep=False)

    def apply(self, writes: Sequence[Write], *, goal: str, key: str, expected: str = "") -> Applied:
        return self._write(lambda tx: writing.apply(tx, writes, goal=goal, key=key, expected=expected), writes)

    def begin_goal(self, text: str, *, key: str, thread: str = "") -> Goal:
        return self._write(lambda tx: writing.begin_goal(tx, text, key=key, thread=thread))

    def finish_goal(self, goal: str, status: GoalStatus) -> None:
        self._write(lambda tx: writing.finish_goal(tx, goal, status))

    def goal(self, goal: str) -> Goal:
        with self._connection.reading(READ_SECONDS) as tx:
            return writing.required(journal.goal(tx, id=goal), goal)

    def goals(self, *, most: int = 50) -> tuple[Goal, ...]:
        with self._connection.reading(READ_SECONDS) as tx:
            return journal.goals(tx, most)

    def preview_undo(self, goal: str) -> tuple[Change, ...]:
        return self._write(lambda tx: undoing.preview(tx, goal), keep=False)

    def undo(self, goal: str, *, key: str) -> Goal:
        return self._write(lambda tx: undoing.undo(tx, goal, key=key))

    def load(self, elements: Iterable[Element], *, text: str, update: bool = False) -> tuple[int, int]:
        with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
            self._connection.constrain(bulk.spooled(elements, file))

            def loaded(tx: Neo4jTransaction) -> tuple[int, int]:
                counts = bulk.load(tx.raw, file, update=update)
                entry = tx.add_goal(text, key=f"load {writing.now()} {tx.bump()}", thread="")
                tx.set_goal(entry.id, "done")
                return counts

            return self._write(loaded, seconds=BULK_SECONDS)

    def export(self) -> Iterator[Element]:
        with self._connection.reading(BULK_SECONDS) as tx:
            yield from reading.everything(tx)

    def close(self) -> None:
        self._connection.close()

    def _write(
        self,
        do: Callable[[Neo4jTransaction], T],
        writes: Sequence[Write] = (),
        *,
        keep: bool = True,
        seconds: float = WRITE_SECONDS,
    ) -> T:
        """Do something in a transaction, which is committed at the end if `keep`.

        `writes` are what is done there, if any: they are checked before, and the server is told their labels. What
        fails because others are writing is done again for some seconds: nothing of it is left.
        """
        self._prepare(writes)
        until = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                with self._connection.writing(seconds) as tx:
                    done = do(Neo4jTransaction(tx, self._address))
                    if keep:
                        tx.commit()
                    return done
            except Transient as error:
                if error.code != "locked" or time.monotonic() > until:
                    raise
            time.sleep(random.uniform(0.01, 0.1))

    def _prepare(self, writes: Sequence[Write]) -> None:
        """Check what will be done, and tell the server its labels."""
        for write in writing.all_checked(writes):
            match write:
                case AddNode(label=label):
                    self._connection.constrain([label])
                case Statement(query=query):
                    self._connection.constrain(apart(query).labels)


def _node(tx: neo4j.Transaction, key: str, label: str | None, *, near: bool = True) -> Stored[Node]:
    checked_key(key)
    if label is not None:
        checked_name(label, "label")
    found: Stored[Node] = writing.only(
        reading.nodes(tx, key, label), key, label, lambda: reading.keys_near(tx, key, label) if near else ()
    )
    return found


def _to_read(query: str, parameters: Mapping[str, Any] | None) -> tuple[Apart, dict[str, Any]]:
    """A text that only reads, and its parameters, all checked."""
    given = checked_parameters(parameters)
    accepted(query, given, writes=False)
    return apart(query), given
