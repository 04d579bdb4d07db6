"""What writing needs of a Neo4j server, inside one open transaction whose writers take turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphwright.graphstore.elements import KEY, Change, Edge, Node, Value
from graphwright.graphstore.errors import BadElement
from graphwright.graphstore.neo4j import images, journal, reading
from graphwright.graphstore.neo4j.address import Address
from graphwright.graphstore.neo4j.connection import quoted
from graphwright.graphstore.neo4j.failures import told
from graphwright.graphstore.neo4j.foreign import not_ours, own_edge, own_node
from graphwright.graphstore.neo4j.hiding import GRAPH, apart
from graphwright.graphstore.port import Goal, GoalStatus, Step
from graphwright.graphstore.transaction import Stored, Transaction
from graphwright.graphstore.writes import Statement

if TYPE_CHECKING:
    import neo4j

_LOCK = f"MERGE (g:{GRAPH} {{id: 'graph'}}) ON CREATE SET g.version = 0, g.goals = 0, g.steps = 0 SET g.locked = true"
"""Setting a property locks the node until the transaction ends, so that one writer at a time gets beyond this."""


class Neo4jTransaction(Transaction):
    """Its references are the server's ids. What other programs have written in a way that no graph of ours holds (a
    node with several labels or none, a date as a value, two edges of a type between the same nodes) is never changed:
    Conflict says what stands in the way.
    """

    def __init__(self, tx: neo4j.Transaction, address: Address) -> None:
        self.raw = tx
        self._address = address
        tx.run(_LOCK).consume()
        # Not in the statement that locks: what that one reads may be older than its lock.
        self._version = reading.version(tx)

    def version(self) -> int:
        return self._version

    def bump(self) -> int:
        self._version += 1
        self._run(f"MATCH (g:{GRAPH}) SET g.version = $version", version=self._version)
        return self._version

    def nodes(self, key: str, label: str | None = None) -> Sequence[Stored[Node]]:
        found: list[Stored[Node]] = []
        others: list[str] = []
        for id, labels, properties in reading.with_key(self.raw, key, label):
            try:
                found.append(Stored(id, own_node(labels, properties)))
            except BadElement as error:
                others.append(error.message)
        if others and not found:
            raise not_ours(others[0])
        if len({stored.element.label for stored in found}) < len(found):
            raise not_ours(f"several nodes are {found[0].element.name}")
        return found

    def keys_near(self, key: str, label: str | None = None) -> Sequence[str]:
        return reading.keys_near(self.raw, key, label)

    def edge(self, source: Any, type: str, target: Any) -> Stored[Edge] | None:
        found = self._edges(
            f"MATCH (a)-[r:{quoted(type)}]->(b) WHERE elementId(a) = $source AND elementId(b) = $target",
            source=source,
            target=target,
        )
        return found[0] if found else None

    def edges_of(self, ref: Any) -> Sequence[Stored[Edge]]:
        return self._edges("MATCH (n)-[r]-(m) WHERE elementId(n) = $ref", ref=ref)

    def create_node(self, node: Node) -> None:
        self._run(
            f"CREATE (n:{quoted(node.label)}) SET n = $properties",
            properties={**storable(node.properties), KEY: node.key},
        )

    def set_node(self, ref: Any, properties: Mapping[str, Value | None]) -> None:
        self._run("MATCH (n) WHERE elementId(n) = $ref SET n += $properties", ref=ref, properties=storable(properties))

    def delete_node(self, ref: Any) -> None:
        self._run("MATCH (n) WHERE elementId(n) = $ref DELETE n", ref=ref)

    def create_edge(self, source: Any, edge: Edge, target: Any) -> None:
        self._run(
            "MATCH (a), (b) WHERE elementId(a) = $source AND elementId(b) = $target"
            f" CREATE (a)-[r:{quoted(edge.type)}]->(b) SET r = $properties",
            source=source,
            target=target,
            properties=storable(edge.properties),
        )

    def set_edge(self, ref: Any, properties: Mapping[str, Value | None]) -> None:
        self._run(
            "MATCH ()-[r]->() WHERE elementId(r) = $ref SET r += $properties",
            ref=ref,
            properties=storable(properties),
        )

    def delete_edge(self, ref: Any) -> None:
        self._run("MATCH ()-[r]->() WHERE elementId(r) = $ref DELETE r", ref=ref)

    def run(self, statement: Statement) -> Sequence[Change]:
        query = apart(statement.query).text
        with told(self._address, query):
            return images.run(self.raw, query, statement.parameters)

    def goal(self, *, id: str = "", key: str = "") -> Goal | None:
        return journal.goal(self.raw, id=id, key=key)

    def add_goal(self, text: str, *, key: str, thread: str, undoes: str | None = None) -> Goal:
        return journal.add_goal(self.raw, text, key=key, thread=thread, undoes=undoes)

    def set_goal(self, id: str, status: GoalStatus, *, undone_by: str | None = None) -> None:
        journal.set_goal(self.raw, id, status, undone_by=undone_by)

    def step(self, key: str) -> Step | None:
        return journal.step(self.raw, key)

    def add_step(self, goal: str, step: Step) -> None:
        journal.add_step(self.raw, goal, step)

    def steps_after(self, version: int) -> Sequence[tuple[str, Step]]:
        return journal.steps_after(self.raw, version)

    def _run(self, query: str, **parameters: Any) -> None:
        self.raw.run(query, parameters).consume()

    def _edges(self, pattern: str, **parameters: Any) -> list[Stored[Edge]]:
        """The edges `r` of a pattern, each once. Raises Conflict for one that is not ours."""
        found: dict[tuple[str, ...], Stored[Edge]] = {}
        for id, *edge in reading.edges_found(self.raw, pattern, parameters):
            try:
                stored = Stored(id, own_edge(*edge))
            except BadElement as error:
                raise not_ours(error.message) from None
            if found.setdefault(stored.element.identity, stored) is not stored:
                raise not_ours(f"several edges are {stored.element.name}")
        return [found[identity] for identity in sorted(found)]


def storable(properties: Mapping[str, Value | None]) -> dict[str, Value | None]:
    """The properties, when Neo4j keeps them as they are: it would make [1, 2.5] to [1.0, 2.5]."""
    for name, value in properties.items():
        if isinstance(value, list) and len({type(item) for item in value}) > 1:
            raise BadElement(
                "bad_value",
                f"Neo4j cannot keep whole numbers and fractions in one list, as {name} has them",
                "Write 1.0 instead of 1.",
            )
    return dict(properties)
