"""A graph on a Neo4j server: the port, over the official driver, and the import of many elements."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, TypeVar, cast

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

T = TypeVar("T")


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
            labels, counts = spooled(elements, spool, update=update)
            self._connection.constrain(labels)

            def loaded(tx: Neo4jTransaction) -> tuple[int, int]:
                load(tx, spool, update=update)
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


def spooled(elements: Iterable[Element], spool: Spool, *, update: bool) -> tuple[set[str], tuple[int, int]]:
    """Spool the elements, checked; returns the labels of the nodes, and how many nodes and edges there are.

    The server has to know the labels before the transaction that brings the nodes, and there may be more elements than
    memory. Raises BadElement and, without `update`, Conflict for what comes twice.
    """
    labels: set[str] = set()
    # Hashes, since there may be millions.
    seen: dict[type[Element], set[int]] = {Node: set(), Edge: set()}
    for each in map(checked_element, elements):
        known, own = seen[type(each)], hash(each.identity)
        if own in known and not update:
            raise repeated_in_load(each, twice=True)
        known.add(own)
        if isinstance(each, Node):
            labels.add(each.label)
        checked_lists(each.properties)
        spool.add(each)
    return labels, (len(seen[Node]), len(seen[Edge]))


def load(writer: Neo4jTransaction, elements: Iterable[Element], *, update: bool) -> None:
    """Load elements as they were spooled.

    Raises NotFound for the end of an edge and, without `update`, Conflict for what the graph has already.
    """
    source = iter(elements)
    while chunk := list(islice(source, CHUNK)):
        for kind, group in groupby(chunk, key=type):
            if issubclass(kind, Node):
                _load_nodes(writer.tx, cast("Iterator[Node]", group), update)
            else:
                _load_edges(writer, cast("Iterator[Edge]", group), update)


def _load_nodes(tx: neo4j.Transaction, nodes: Iterable[Node], update: bool) -> None:
    groups: dict[str, dict[str, Node]] = defaultdict(dict)
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for node in nodes:
        groups[node.label][node.key] = node
        rows[node.label].append({KEY: node.key, "properties": node.properties})
    for label, group in groups.items():
        pattern = f"(n:{backticked(label)} {{{KEY}: row.{KEY}}})"
        match = f"UNWIND $rows AS row MATCH {pattern} RETURN n.{KEY}, labels(n)"
        for key, labels in tx.run(match, rows=[{KEY: key} for key in group]).values():
            if len(labels) > 1:
                raise foreign_element(f"the node {':'.join(sorted(labels))} {quote(key)} has several labels")
            if not update:
                raise repeated_in_load(group[key], twice=False)
        # Of rows with the same key, the first creates the node, and the others update it.
        tx.run(f"UNWIND $rows AS row MERGE {pattern} SET n += row.properties", rows=rows[label]).consume()


def _load_edges(writer: Neo4jTransaction, edges: Iterable[Edge], update: bool) -> None:
    groups: dict[tuple[str, str, str], list[Edge]] = defaultdict(list)
    for edge in edges:
        groups[edge.from_label, edge.type, edge.to_label].append(edge)
    for (from_label, type, to_label), group in groups.items():
        source = f"MATCH (a:{backticked(from_label)} {{{KEY}: row.source}}) WHERE size(labels(a)) = 1"
        target = f"MATCH (b:{backticked(to_label)} {{{KEY}: row.target}}) WHERE size(labels(b)) = 1"
        joined = f"(a)-[r:{backticked(type)}]->(b)"
        ends = [{"at": at, "source": edge.from_key, "target": edge.to_key} for at, edge in enumerate(group)]
        found = writer.tx.run(
            f"UNWIND $rows AS row OPTIONAL {source} OPTIONAL {target} OPTIONAL MATCH {joined}"
            " RETURN row.at, a IS NOT NULL, b IS NOT NULL, count(r)",
            rows=ends,
        )
        for at, has_source, has_target, count in found.values():
            edge = group[at]
            if not has_source:
                raise missing_end(edge, from_label, edge.from_key, writer.keys_near(edge.from_key, from_label))
            if not has_target:
                raise missing_end(edge, to_label, edge.to_key, writer.keys_near(edge.to_key, to_label))
            if count > 1:
                raise foreign_element(f"several edges are {edge.name}")
            if count and not update:
                raise repeated_in_load(edge, twice=False)
        rows = [{**end, "properties": edge.properties} for end, edge in zip(ends, group, strict=True)]
        merge = f"UNWIND $rows AS row {source} {target} MERGE {joined} SET r += row.properties"
        writer.tx.run(merge, rows=rows).consume()
