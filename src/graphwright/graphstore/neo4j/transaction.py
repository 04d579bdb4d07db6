"""An open write transaction on Neo4j: typed writes, Cypher statements with their changes, the journal.

Neo4j counts what a statement did but does not say what. So the graph is read before and after it, inside the
transaction; for that it may have a limited size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from graphwright.errors import said
from graphwright.graphstore.elements import (
    KEY,
    Change,
    Edge,
    Element,
    Node,
    Value,
    canonical_json,
    checked_name,
    checked_properties,
)
from graphwright.graphstore.errors import BadElement, Conflict, QueryFailed, QueryRefused
from graphwright.graphstore.neo4j.connection import (
    EXCLUDE_OWN,
    GOAL,
    GRAPH,
    STEP,
    Address,
    backticked,
    translating_errors,
    without_own_nodes,
)
from graphwright.graphstore.neo4j.reading import Neo4jReader, goal_of, step_of
from graphwright.graphstore.port import Goal, GoalStatus, Statement, Step
from graphwright.graphstore.unit_of_work import (
    Stored,
    Transaction,
    changes_between,
    duplicate_error,
    node_from_engine,
    now,
)

if TYPE_CHECKING:
    import neo4j

MOST_ELEMENTS = 20_000
"""Nodes and edges of a graph in which statements may write."""

RawNode: TypeAlias = tuple[tuple[str, ...], dict[str, Any]]
RawEdge: TypeAlias = tuple[str, str, str, dict[str, Any]]

_LOCK = f"MERGE (g:{GRAPH} {{id: 'graph'}}) ON CREATE SET g.version = 0, g.goals = 0, g.steps = 0 SET g.locked = true"
"""Setting a property locks the node until the transaction ends, so that one writer at a time gets beyond this."""


class Neo4jTransaction(Neo4jReader, Transaction):
    """Writes in one transaction of the driver, whose writers take turns; references are the server's ids.

    What other programs have written in a way that no graph of ours holds (a node with several labels or none, a date as
    a value, two edges of a type between the same nodes) is never changed: Conflict says what stands in the way.
    """

    def __init__(self, tx: neo4j.Transaction, address: Address) -> None:
        super().__init__(tx, address)
        tx.run(_LOCK).consume()
        # Not in the statement that locks: what that one reads may be older than its lock.
        self._version = super().version()

    def version(self) -> int:
        return self._version

    def bump(self) -> int:
        self._version += 1
        self._run(f"MATCH (g:{GRAPH}) SET g.version = $version", version=self._version)
        return self._version

    def only_reading(self, seconds: float) -> AbstractContextManager[None]:
        # What a query writes here is refused by the parser, and the transaction is rolled back.
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
        with translating_errors(self._address, query):
            try:
                done = self.tx.run(query, dict(statement.parameters)).consume()
            except ConstraintError as error:
                raise BadElement(
                    "bad_key", f"Neo4j does not allow this: {said(error)}", "Choose another key, or MERGE it."
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
        """The edges `r` of a pattern, each once. Raises Conflict for one that is not ours."""
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
    """The edge that the server holds. Raises BadElement for one that no graph of ours has."""
    source, target = node_from_engine(from_labels, {KEY: from_key}), node_from_engine(to_labels, {KEY: to_key})
    edge = Edge(source.label, source.key, checked_name(type, "type"), target.label, target.key, properties)
    checked_properties(properties, of=edge.name)
    return edge


def foreign_element(what: str) -> Conflict:
    """The error for an element of another program, described by `what`, which is not changed."""
    return Conflict(
        f"{what}: another program wrote that, and Graphwright does not change it", "Change it where it was made."
    )


def checked_lists(properties: Mapping[str, Value | None]) -> dict[str, Value | None]:
    """The properties, when Neo4j keeps them as they are: it would make [1, 2.5] to [1.0, 2.5]."""
    for name, value in properties.items():
        if isinstance(value, list) and len({type(item) for item in value}) > 1:
            raise BadElement(
                "bad_value",
                f"Neo4j cannot keep whole numbers and fractions in one list, as {name} has them",
                "Write 1.0 instead of 1.",
            )
    return dict(properties)


@dataclass(frozen=True, slots=True)
class Image:
    """The whole graph at one moment, by the server's ids: nodes as (labels, properties), edges as (the id of the node
    that it comes from, type, the id of the node that it goes to, properties).
    """

    nodes: Mapping[str, RawNode]
    edges: Mapping[str, RawEdge]


def _dangling() -> QueryFailed:
    """The server itself says so only when it commits."""
    return QueryFailed(
        "query_failed", "a node that still has edges cannot be deleted", "Write DETACH DELETE to delete both."
    )


def _image(reader: Neo4jReader) -> Image:
    tx, size = reader.tx, reader.size()
    if size > MOST_ELEMENTS:
        raise QueryRefused(
            f"a statement would have to be compared with all {size:,} nodes and edges of the graph,"
            f" and on Neo4j that is done for at most {MOST_ELEMENTS:,}",
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
    # What other programs made twice may stay.
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
    """What differs in a part of two images, before and after."""
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
