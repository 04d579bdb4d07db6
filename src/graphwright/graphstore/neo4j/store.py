"""A graph on a Neo4j server: the port, over the official driver, and the import of many elements."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from graphwright.graphstore.adapter import BULK_SECONDS, Adapter
from graphwright.graphstore.cypher import parse
from graphwright.graphstore.elements import KEY, Edge, Element, Node, checked_element, quote
from graphwright.graphstore.errors import Transient
from graphwright.graphstore.import_export.formats import Spool
from graphwright.graphstore.neo4j.connection import Connection, backticked, parse_address, without_own_nodes
from graphwright.graphstore.neo4j.reading import Neo4jReader
from graphwright.graphstore.neo4j.transaction import Neo4jTransaction, checked_lists, foreign_element
from graphwright.graphstore.port import WRITE_SECONDS, AddNode, Statement, Write
from graphwright.graphstore.unit_of_work import all_checked, missing_end, record_load, repeated_in_load

if TYPE_CHECKING:
    import neo4j

LOCK_SECONDS = 5.0
"""How long a write is tried again while others are writing."""

CHUNK = 2000
"""Elements that are sent at a time."""

E = TypeVar("E", Node, Edge)
T = TypeVar("T")

Row: TypeAlias = dict[str, Any]


class Neo4jStore(Adapter):
    """A graph on a Neo4j server, version 5.13 or later, which other programs may use as well.

    Nothing is connected before the first call. `version` counts the writes through Graphwright; what other programs
    write is neither counted nor in the journal.
    """

    def __init__(self, url: str) -> None:
        self._address = parse_address(url)
        self._connection = Connection(self._address)

    @property
    def name(self) -> str:
        return self._address.name

    def load(self, elements: Iterable[Element], *, text: str, update: bool = False) -> tuple[int, int]:
        with Spool() as spool:
            self._connection.constrain(spooled(elements, spool))

            def loaded(tx: Neo4jTransaction) -> tuple[int, int]:
                counts = load(tx, spool, update=update)
                record_load(tx, text)
                return counts

            return self._write(loaded, seconds=BULK_SECONDS)

    def close(self) -> None:
        self._connection.close()

    def _check_query(self, query: str) -> None:
        without_own_nodes(query)

    @contextmanager
    def _reading(self, seconds: float) -> Iterator[Neo4jReader]:
        with self._connection.reading(seconds) as tx:
            yield Neo4jReader(tx, self._address)

    def _write(
        self,
        do: Callable[[Neo4jTransaction], T],
        *,
        writes: Sequence[Write] = (),
        keep: bool = True,
        seconds: float | None = None,
    ) -> T:
        # What fails because others are writing is done again for some seconds: nothing of it is left.
        self._constrain(writes)
        until = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                with self._connection.writing(seconds or WRITE_SECONDS) as tx:
                    done = do(Neo4jTransaction(tx, self._address))
                    if keep:
                        tx.commit()
                    return done
            except Transient as error:
                if error.code != "locked" or time.monotonic() > until:
                    raise
            time.sleep(random.uniform(0.01, 0.1))

    def _constrain(self, writes: Sequence[Write]) -> None:
        """Check what will be done, and have the server hold the keys of its labels unique."""
        for write in all_checked(writes):
            match write:
                case AddNode(label=label):
                    self._connection.constrain([label])
                case Statement(query=query):
                    without_own_nodes(query)
                    self._connection.constrain(parse(query).labels)


def spooled(elements: Iterable[Element], spool: Spool) -> set[str]:
    """Spool the elements, checked, and return the labels of the nodes. Raises BadElement.

    The server has to know the labels before the transaction that brings the nodes, and there may be more elements than
    memory.
    """
    labels: set[str] = set()
    for each in map(checked_element, elements):
        if isinstance(each, Node):
            labels.add(each.label)
        checked_lists(each.properties)
        spool.add(each)
    return labels


def load(writer: Neo4jTransaction, spool: Spool, *, update: bool) -> tuple[int, int]:
    """Load what was spooled; returns how many nodes and edges that made or updated.

    Raises NotFound for the end of an edge and, without `update`, Conflict for what exists already.
    """
    counts: dict[type[Element], int] = {Node: 0, Edge: 0}
    seen: set[int] = set()
    elements = iter(spool)
    try:
        while chunk := list(islice(elements, CHUNK)):
            for kind, group in groupby(chunk, key=type):
                found = list(group)
                if issubclass(kind, Node):
                    _nodes(writer.tx, cast("list[Node]", found), update)
                else:
                    _edges(writer, cast("list[Edge]", found), update)
                # Without `update` nothing comes twice, and nothing has to be remembered.
                counts[kind] += _unseen(found, seen) if update else len(found)
    except _Repeated as repeated:
        same = (each for each in spool if each.identity == repeated.element.identity)
        raise repeated_in_load(repeated.element, twice=len(list(islice(same, 2))) > 1) from None
    return counts[Node], counts[Edge]


class _Repeated(Exception):
    """An element exists already, in the graph or earlier in the load, and this is no update."""

    def __init__(self, element: Element) -> None:
        self.element = element


def _unseen(found: Sequence[Element], seen: set[int]) -> int:
    """How many elements were not seen before. From now on they were: a hash of each, there may be millions."""
    before = len(seen)
    seen.update(hash(each.identity) for each in found)
    return len(seen) - before


def _nodes(tx: neo4j.Transaction, nodes: Sequence[Node], update: bool) -> None:
    for (label,), group in _groups(nodes, update, lambda node: (node.label,)):
        match = f"UNWIND $rows AS row MATCH (n:{backticked(label)} {{{KEY}: row.{KEY}}})"
        rows = [{KEY: node.key, "properties": {**node.properties, KEY: node.key}} for node in group]
        there = {}
        for key, labels in tx.run(f"{match} RETURN n.{KEY}, labels(n)", rows=[{KEY: row[KEY]} for row in rows]):
            if len(labels) > 1:
                raise foreign_element(f"the node {':'.join(sorted(labels))} {quote(key)} has several labels")
            there[key] = True
        for node in group:
            if node.key in there:
                _require_update(node, update)
        _run(tx, f"{match} SET n += row.properties", [row for row in rows if row[KEY] in there])
        create = f"UNWIND $rows AS row CREATE (n:{backticked(label)}) SET n = row.properties"
        _run(tx, create, [row for row in rows if row[KEY] not in there])


def _edges(writer: Neo4jTransaction, edges: Sequence[Edge], update: bool) -> None:
    tx = writer.tx

    def kind(edge: Edge) -> tuple[str, ...]:
        return edge.from_label, edge.type, edge.to_label

    for (from_label, type, to_label), group in _groups(edges, update, kind):
        source = f"MATCH (a:{backticked(from_label)} {{{KEY}: row.source}}) WHERE size(labels(a)) = 1"
        target = f"MATCH (b:{backticked(to_label)} {{{KEY}: row.target}}) WHERE size(labels(b)) = 1"
        rows = [
            {"at": at, "source": edge.from_key, "target": edge.to_key, "properties": edge.properties}
            for at, edge in enumerate(group)
        ]
        found = tx.run(
            f"UNWIND $rows AS row OPTIONAL {source} OPTIONAL {target}"
            f" OPTIONAL MATCH (a)-[r:{backticked(type)}]->(b)"
            " RETURN row.at, a IS NOT NULL, b IS NOT NULL, count(r)",
            rows=[{name: row[name] for name in ("at", "source", "target")} for row in rows],
        )
        there: set[int] = set()
        for at, has_source, has_target, count in found.values():
            edge = group[at]
            for there_is, label, key in (
                (has_source, edge.from_label, edge.from_key),
                (has_target, edge.to_label, edge.to_key),
            ):
                if not there_is:
                    raise missing_end(edge, label, key, writer.keys_near(key, label))
            if count > 1:
                raise foreign_element(f"several edges are {edge.name}")
            if count:
                _require_update(edge, update)
                there.add(at)
        ends = f"UNWIND $rows AS row {source} {target}"
        _run(
            tx,
            f"{ends} MATCH (a)-[r:{backticked(type)}]->(b) SET r += row.properties",
            [row for row in rows if row["at"] in there],
        )
        _run(
            tx,
            f"{ends} CREATE (a)-[r:{backticked(type)}]->(b) SET r = row.properties",
            [row for row in rows if row["at"] not in there],
        )


def _groups(
    elements: Iterable[E], update: bool, kind: Callable[[E], tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], list[E]]]:
    """The elements by their kind, each identity once: what comes twice is an update of itself."""
    once: dict[tuple[str, ...], E] = {}
    for each in elements:
        before = once.get(each.identity)
        if before is not None:
            _require_update(each, update)
            each = replace(before, properties={**before.properties, **each.properties})
        once[each.identity] = each
    groups: dict[tuple[str, ...], list[E]] = defaultdict(list)
    for each in once.values():
        groups[kind(each)].append(each)
    yield from groups.items()


def _run(tx: neo4j.Transaction, query: str, rows: Sequence[Row]) -> None:
    if rows:
        tx.run(query, rows=rows).consume()


def _require_update(element: Element, update: bool) -> None:
    if not update:
        raise _Repeated(element)
