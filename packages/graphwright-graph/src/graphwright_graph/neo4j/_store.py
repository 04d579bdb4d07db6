"""A graph on a Neo4j server: the port over the official driver, write transactions, statements, the import.

Neo4j counts the changes of a statement but does not list them. So the graph is read before and after it, inside the
transaction; therefore its size is limited.
"""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from graphwright.errors import exception_text
from graphwright_graph._adapter import BULK_SECONDS, Adapter
from graphwright_graph._elements import (
    KEY,
    Change,
    Edge,
    Element,
    Node,
    Value,
    canonical_json,
    checked_element,
    checked_name,
    checked_properties,
    quote,
)
from graphwright_graph._errors import BadElement, Conflict, QueryFailed, QueryRefused, Transient
from graphwright_graph._port import WRITE_SECONDS, AddNode, Goal, GoalStatus, Statement, Step, Write
from graphwright_graph._unit_of_work import (
    Stored,
    Transaction,
    all_checked,
    changes_between,
    duplicate_error,
    missing_end,
    node_from_engine,
    now,
    record_load,
    repeated_in_load,
)
from graphwright_graph.cypher import parse
from graphwright_graph.import_export._formats import Spool
from graphwright_graph.neo4j._connection import (
    EXCLUDE_OWN,
    GOAL,
    GRAPH,
    STEP,
    Address,
    Connection,
    backticked,
    parse_address,
    translating_errors,
    without_own_nodes,
)
from graphwright_graph.neo4j._reading import Neo4jReader, goal_of, step_of

if TYPE_CHECKING:
    import neo4j

LOCK_SECONDS = 5.0
"""The time limit for retries of a write while others are writing, in seconds."""

CHUNK = 2000
"""The number of elements sent at a time."""

MOST_ELEMENTS = 20_000
"""The maximum number of nodes and edges of a graph in which statements may write."""

T = TypeVar("T")

RawNode: TypeAlias = tuple[tuple[str, ...], dict[str, Any]]
RawEdge: TypeAlias = tuple[str, str, str, dict[str, Any]]

_LOCK = f"MERGE (g:{GRAPH} {{id: 'graph'}}) ON CREATE SET g.version = 0, g.goals = 0, g.steps = 0 SET g.locked = true"
"""Setting a property locks the node until the end of the transaction, so that there is only one writer at a time."""


class Neo4jStore(Adapter):
    """A graph on a Neo4j server, version 5.13 or later, which other programs may use as well.

    It connects at the first call. `version` counts the writes through Graphwright; writes of other programs are neither
    counted nor in the journal.
    """

    def __init__(self, url: str) -> None:
        self._address = parse_address(url)
        self._connection = Connection(self._address)

    @property
    def name(self) -> str:
        return self._address.name

    def load(self, elements: Iterable[Element], *, text: str, update: bool = False) -> tuple[int, int]:
        # The server must know the labels before the transaction that adds the nodes, and there may be more elements
        # than memory.
        with Spool() as spool:
            labels = set()
            for each in map(checked_element, elements):
                checked_lists(each.properties)
                labels.update([each.label] if isinstance(each, Node) else [])
                spool.add(each)
            self._connection.constrain(labels)

            def loaded(tx: Neo4jTransaction) -> tuple[int, int]:
                counts = _load(tx, spool, update=update)
                record_load(tx, text, counts)
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
        # A failure because of other writers is retried for some seconds: it leaves no changes.
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
        """Check the writes, and create constraints for unique keys of their labels."""
        for write in all_checked(writes):
            match write:
                case AddNode(label=label):
                    self._connection.constrain([label])
                case Statement(query=query):
                    without_own_nodes(query)
                    self._connection.constrain(parse(query).labels)


class Neo4jTransaction(Neo4jReader, Transaction):
    """Writes in one transaction of the driver, one writer at a time; references are the server's ids.

    Data of other programs that breaks our rules (a node with several labels or none, a date as a value, two edges of a
    type between the same nodes) is not changed: Conflict names it.
    """

    def __init__(self, tx: neo4j.Transaction, address: Address) -> None:
        super().__init__(tx, address)
        tx.run(_LOCK).consume()
        # Not in the statement that locks, because that one may read data older than its lock.
        self._version = super().version()

    def version(self) -> int:
        return self._version

    def bump(self) -> int:
        self._version += 1
        self._run(f"MATCH (g:{GRAPH}) SET g.version = $version", version=self._version)
        return self._version

    def only_reading(self, seconds: float) -> AbstractContextManager[None]:
        # The parser refuses writing queries here, and the transaction is rolled back.
        return nullcontext()

    def nodes(self, key: str, label: str | None = None) -> Sequence[Stored[Node]]:
        found: list[Stored[Node]] = []
        others: list[str] = []
        for id, labels, properties in self.with_key(key, label):
            try:
                found.append(Stored(id, node_from_engine(labels, properties)))
            except BadElement as error:
                others.append(error.message)
        if others and not found:
            raise foreign_element(others[0])
        if len({stored.element.label for stored in found}) < len(found):
            raise foreign_element(f"several nodes are {found[0].element.name}")
        return found

    def edge(self, source: Any, type: str, target: Any) -> Stored[Edge] | None:
        found = self._edges(
            f"MATCH (a)-[r:{backticked(type)}]->(b) WHERE elementId(a) = $source AND elementId(b) = $target",
            source=source,
            target=target,
        )
        return found[0] if found else None

    def edges_of(self, ref: Any) -> Sequence[Stored[Edge]]:
        return self._edges("MATCH (n)-[r]-(m) WHERE elementId(n) = $ref", ref=ref)

    def create_node(self, node: Node) -> None:
        self._run(
            f"CREATE (n:{backticked(node.label)}) SET n = $properties",
            properties={**checked_lists(node.properties), KEY: node.key},
        )

    def set_node(self, ref: Any, properties: Mapping[str, Value | None]) -> None:
        self._run(
            "MATCH (n) WHERE elementId(n) = $ref SET n += $properties", ref=ref, properties=checked_lists(properties)
        )

    def delete_node(self, ref: Any) -> None:
        self._run("MATCH (n) WHERE elementId(n) = $ref DELETE n", ref=ref)

    def create_edge(self, source: Any, edge: Edge, target: Any) -> None:
        self._run(
            "MATCH (a), (b) WHERE elementId(a) = $source AND elementId(b) = $target"
            f" CREATE (a)-[r:{backticked(edge.type)}]->(b) SET r = $properties",
            source=source,
            target=target,
            properties=checked_lists(edge.properties),
        )

    def set_edge(self, ref: Any, properties: Mapping[str, Value | None]) -> None:
        self._run(
            "MATCH ()-[r]->() WHERE elementId(r) = $ref SET r += $properties",
            ref=ref,
            properties=checked_lists(properties),
        )

    def delete_edge(self, ref: Any) -> None:
        self._run("MATCH ()-[r]->() WHERE elementId(r) = $ref DELETE r", ref=ref)

    def run(self, statement: Statement) -> Sequence[Change]:
        from neo4j.exceptions import ConstraintError

        query = without_own_nodes(statement.query)
        before = _image(self)
        with translating_errors(self._address):
            try:
                done = self.tx.run(query, dict(statement.parameters)).consume()
            except ConstraintError as error:
                raise BadElement(
                    "bad_key",
                    f"Neo4j does not allow this: {exception_text(error)}.",
                    "Choose another key, or MERGE it.",
                ) from None
        after = _image(self)
        ends = {end for source, _, target, _ in after.edges.values() for end in (source, target)}
        if not ends <= after.nodes.keys():
            raise _dangling()
        changes = _changes(before, after)
        if len(before.edges.keys() - after.edges.keys()) > done.counters.relationships_deleted:
            raise _dangling()
        return changes

    def add_goal(self, text: str, *, key: str, thread: str, undoes: str | None = None) -> Goal:
        number = self.tx.run(f"MATCH (g:{GRAPH}) SET g.goals = g.goals + 1 RETURN g.goals").value()[0]
        made = {
            "id": f"G{number}",
            "number": number,
            "caller": key,
            "text": text,
            "thread": thread,
            "status": "open",
            "began": now(),
            **({} if undoes is None else {"undoes": undoes}),
        }
        self._run(f"CREATE (g:{GOAL}) SET g = $made", made=made)
        return goal_of(made)

    def set_goal(self, id: str, status: GoalStatus, *, undone_by: str | None = None) -> None:
        new = {"status": status, "finished": None if status == "open" else now(), "undone_by": undone_by}
        self._run(f"MATCH (g:{GOAL} {{id: $id}}) SET g += $new", id=id, new=new)

    def step(self, key: str) -> Step | None:
        found = self.tx.run(f"MATCH (s:{STEP} {{caller: $key}}) RETURN properties(s)", key=key).single()
        return None if found is None else step_of(found[0])

    def add_step(self, goal: str, step: Step) -> None:
        number = self.tx.run(f"MATCH (g:{GRAPH}) SET g.steps = g.steps + 1 RETURN g.steps").value()[0]
        made = {
            "goal": goal,
            "number": number,
            "caller": step.key,
            "writes": canonical_json(step.writes),
            "changes": canonical_json(step.changes),
            "version": step.version,
            "time": step.time,
        }
        self._run(f"CREATE (s:{STEP}) SET s = $made", made=made)

    def steps_after(self, version: int) -> Sequence[tuple[str, Step]]:
        query = f"MATCH (s:{STEP}) WHERE s.version > $version RETURN properties(s) ORDER BY s.number"
        return [(each["goal"], step_of(each)) for each in self.tx.run(query, version=version).value()]

    def _run(self, query: str, **parameters: Any) -> None:
        self.tx.run(query, parameters).consume()

    def _edges(self, pattern: str, **parameters: Any) -> list[Stored[Edge]]:
        """The edges `r` of a pattern, each once. Raises Conflict for one that breaks our rules."""
        found: dict[tuple[str, ...], Stored[Edge]] = {}
        for id, *edge in self.edges_found(pattern, parameters):
            try:
                stored = Stored(id, edge_from_server(*edge))
            except BadElement as error:
                raise foreign_element(error.message) from None
            if found.setdefault(stored.element.identity, stored) is not stored:
                raise foreign_element(f"several edges are {stored.element.name}")
        return [found[identity] for identity in sorted(found)]


def edge_from_server(
    type: str,
    properties: Mapping[str, Any],
    from_labels: Sequence[str],
    from_key: Any,
    to_labels: Sequence[str],
    to_key: Any,
) -> Edge:
    """The edge from the server's data. Raises BadElement for one that breaks our rules."""
    source, target = node_from_engine(from_labels, {KEY: from_key}), node_from_engine(to_labels, {KEY: to_key})
    edge = Edge(source.label, source.key, checked_name(type, "type"), target.label, target.key, properties)
    checked_properties(properties, of=edge.name)
    return edge


def foreign_element(what: str) -> Conflict:
    """The error for an element of another program, described by `what`, which is not changed."""
    return Conflict(
        f"{what}: another program wrote that, and Graphwright does not change it.", "Change it where it was made."
    )


def checked_lists(properties: Mapping[str, Value | None]) -> dict[str, Value | None]:
    """Check that Neo4j stores the lists unchanged: it would store [1, 2.5] as [1.0, 2.5]."""
    for name, value in properties.items():
        if isinstance(value, list) and len({type(item) for item in value}) > 1:
            raise BadElement(
                "bad_value",
                f"Neo4j cannot keep whole numbers and fractions in one list, as {name} has them.",
                "Write 1.0 instead of 1.",
            )
    return dict(properties)


@dataclass(frozen=True, slots=True)
class Image:
    """The state of the whole graph, by the server's ids.

    Nodes are (labels, properties), edges (id of the source node, type, id of the target node, properties).
    """

    nodes: Mapping[str, RawNode]
    edges: Mapping[str, RawEdge]


def _dangling() -> QueryFailed:
    """The server itself reports this only at the commit."""
    return QueryFailed(
        "query_failed", "A node that still has edges cannot be deleted.", "Write DETACH DELETE to delete both."
    )


def _image(reader: Neo4jReader) -> Image:
    tx, size = reader.tx, reader.size()
    if size > MOST_ELEMENTS:
        raise QueryRefused(
            f"A statement would have to be compared with all {size:,} nodes and edges of the graph,"
            f" and on Neo4j that is done for at most {MOST_ELEMENTS:,}.",
            "Write with add_node, add_edge, update_props, delete_node or delete_edge: they work at any size.",
        )
    return Image(
        {
            id: (tuple(labels), properties)
            for id, labels, properties in tx.run(
                f"MATCH (n{EXCLUDE_OWN}) RETURN elementId(n), labels(n), properties(n)"
            )
        },
        {
            id: (source, type, target, properties)
            for id, source, type, target, properties in tx.run(
                "MATCH (a)-[r]->(b) RETURN elementId(r), elementId(a), type(r), elementId(b), properties(r)"
            )
        },
    )


def _changes(before: Image, after: Image) -> Sequence[Change]:
    """The changes between two images. Raises BadElement."""
    states: list[tuple[Element | None, Element | None]] = [
        *(_states(before, after, lambda image: image.nodes, lambda image, id: node_from_engine(*image.nodes[id]))),
        *(_states(before, after, lambda image: image.edges, _edge)),
    ]
    # Duplicates of other programs may stay.
    changed = {new.identity: new for _, new in states if new is not None}
    names = Counter(("node", *labels, values.get(KEY)) for labels, values in after.nodes.values())
    edges = Counter((source, type, target) for source, type, target, _ in after.edges.values())
    twice = [_edge(after, id).identity for id, edge in after.edges.items() if edges[edge[:3]] > 1]
    for identity in (*(name for name, count in names.items() if count > 1), *twice):
        if identity in changed:
            raise duplicate_error(changed[identity])
    return changes_between(states)


def _states(
    before: Image,
    after: Image,
    part: Callable[[Image], Mapping[str, Any]],
    element: Callable[[Image, str], Element],
) -> Iterator[tuple[Element | None, Element | None]]:
    """The differing elements of two images, before and after."""
    old, new = part(before), part(after)
    for id in {**old, **new}:
        if _exact(old.get(id)) != _exact(new.get(id)):
            yield element(before, id) if id in old else None, element(after, id) if id in new else None


def _edge(image: Image, id: str) -> Edge:
    source, type, target, properties = image.edges[id]
    (from_labels, from_values), (to_labels, to_values) = image.nodes[source], image.nodes[target]
    return edge_from_server(type, properties, from_labels, from_values.get(KEY), to_labels, to_values.get(KEY))


def _exact(raw: Any) -> str:
    return repr([sorted(part.items()) if isinstance(part, dict) else part for part in raw or ()])


# Many elements at once


def _load(writer: Neo4jTransaction, elements: Iterable[Element], *, update: bool) -> tuple[int, int]:
    """Load checked elements. Returns the numbers of nodes and edges. Raises NotFound, and Conflict unless `update`."""
    counts: Counter[type[Element]] = Counter()
    source = iter(elements)
    while chunk := list(islice(source, CHUNK)):
        counts.update(map(type, chunk))
        for kind, group in groupby(chunk, key=type):
            if issubclass(kind, Node):
                _load_nodes(writer.tx, cast("Iterator[Node]", group), update)
            else:
                _load_edges(writer, cast("Iterator[Edge]", group), update)
    return counts[Node], counts[Edge]


def _load_nodes(tx: neo4j.Transaction, nodes: Iterable[Node], update: bool) -> None:
    groups: dict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        groups[node.label].append(node)
    for label, group in groups.items():
        _refuse_repeated(group, update)
        pattern = f"(n:{backticked(label)} {{{KEY}: row.{KEY}}})"
        rows = [{KEY: node.key, "properties": node.properties} for node in group]
        by_key = {node.key: node for node in group}
        found = tx.run(f"UNWIND $rows AS row MATCH {pattern} RETURN DISTINCT n.{KEY}, labels(n)", rows=rows)
        for key, labels in found.values():
            if len(labels) > 1:
                raise foreign_element(f"the node {':'.join(sorted(labels))} {quote(key)} has several labels")
            if not update:
                raise repeated_in_load(by_key[key])
        # For rows with the same key, the first creates the node, and the others update it.
        tx.run(f"UNWIND $rows AS row MERGE {pattern} SET n += row.properties", rows=rows).consume()


def _refuse_repeated(elements: Sequence[Element], update: bool) -> None:
    seen: set[tuple[str, ...]] = set()
    for each in elements:
        if each.identity in seen and not update:
            raise repeated_in_load(each)
        seen.add(each.identity)


def _load_edges(writer: Neo4jTransaction, edges: Iterable[Edge], update: bool) -> None:
    groups: dict[tuple[str, str, str], list[Edge]] = defaultdict(list)
    for edge in edges:
        groups[edge.from_label, edge.type, edge.to_label].append(edge)
    for (from_label, type, to_label), group in groups.items():
        _refuse_repeated(group, update)
        source = f"MATCH (a:{backticked(from_label)} {{{KEY}: row.source}}) WHERE size(labels(a)) = 1"
        target = f"MATCH (b:{backticked(to_label)} {{{KEY}: row.target}}) WHERE size(labels(b)) = 1"
        joined = f"(a)-[r:{backticked(type)}]->(b)"
        rows = [
            {"at": at, "source": edge.from_key, "target": edge.to_key, "properties": edge.properties}
            for at, edge in enumerate(group)
        ]
        found = writer.tx.run(
            f"UNWIND $rows AS row OPTIONAL {source} OPTIONAL {target} OPTIONAL MATCH {joined}"
            " RETURN row.at, a IS NOT NULL, b IS NOT NULL, count(r)",
            rows=rows,
        )
        for at, *there, count in found.values():
            edge = group[at]
            for end in (end for end, exists in zip(edge.ends, there, strict=True) if not exists):
                raise missing_end(edge, end, writer.keys_near(end.key, end.label))
            if count > 1:
                raise foreign_element(f"several edges are {edge.name}")
            if count and not update:
                raise repeated_in_load(edge)
        merge = f"UNWIND $rows AS row {source} {target} MERGE {joined} SET r += row.properties"
        writer.tx.run(merge, rows=rows).consume()
