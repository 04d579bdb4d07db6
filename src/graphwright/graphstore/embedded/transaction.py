"""An open write transaction of the embedded engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from graphwright.graphstore.elements import Change, Edge, Node, Value
from graphwright.graphstore.embedded import capture, journal, rows, survey
from graphwright.graphstore.embedded.connection import Connection
from graphwright.graphstore.port import Goal, GoalStatus, Step
from graphwright.graphstore.transaction import Stored, Transaction
from graphwright.graphstore.writes import Statement


class EmbeddedTransaction(Transaction):
    """Works on the writer's connection; references are the numbers of rows. The engine begins and ends it.

    `before` is a reader that sees the graph as it was when the transaction began.
    """

    def __init__(self, connection: Connection, before: Connection) -> None:
        self._connection = connection
        self._capture = capture.Capture(connection, before)

    @property
    def written(self) -> Collection[int]:
        """The nodes that were created, changed or deleted."""
        return self._capture.written["node"]

    def version(self) -> int:
        return journal.version(self._connection)

    def bump(self) -> int:
        return journal.bump(self._connection)

    def nodes(self, key: str, label: str | None = None) -> Sequence[Stored[Node]]:
        return rows.stored_nodes(self._connection, key, label)

    def keys_near(self, key: str, label: str | None = None) -> Sequence[str]:
        return survey.keys_near(self._connection, key, label)

    def edge(self, source: Any, type: str, target: Any) -> Stored[Edge] | None:
        found = rows.edge_id(self._connection, source, type, target)
        return None if found is None else rows.edges_by_id(self._connection, [found])[0]

    def edges_of(self, ref: Any) -> Sequence[Stored[Edge]]:
        return rows.edges_of(self._connection, ref)

    def create_node(self, node: Node) -> None:
        id = self._connection.run("INSERT INTO nodes DEFAULT VALUES")
        self._connection.run("INSERT INTO node_labels VALUES (?, ?)", (id, node.label))
        self._connection.run("INSERT INTO node_props_text VALUES (?, ?, ?)", (id, self._connection.key_id, node.key))
        self.set_node(id, node.properties)

    def set_node(self, ref: Any, properties: Mapping[str, Value | None]) -> None:
        rows.write_properties(self._connection, "node", ref, properties)
        self._capture.wrote("node", ref)

    def delete_node(self, ref: Any) -> None:
        self._connection.run("DELETE FROM nodes WHERE id = ?", (ref,))
        self._capture.wrote("node", ref)

    def create_edge(self, source: Any, edge: Edge, target: Any) -> None:
        sql = "INSERT INTO edges (source_id, target_id, type) VALUES (?, ?, ?)"
        self.set_edge(self._connection.run(sql, (source, target, edge.type)), edge.properties)

    def set_edge(self, ref: Any, properties: Mapping[str, Value | None]) -> None:
        rows.write_properties(self._connection, "edge", ref, properties)
        self._capture.wrote("edge", ref)

    def delete_edge(self, ref: Any) -> None:
        self._connection.run("DELETE FROM edges WHERE id = ?", (ref,))
        self._capture.wrote("edge", ref)

    def run(self, statement: Statement) -> Sequence[Change]:
        return self._capture.run(statement)

    def goal(self, *, id: str = "", key: str = "") -> Goal | None:
        return journal.goal_by_id(self._connection, id) if id else journal.goal_by_key(self._connection, key)

    def add_goal(self, text: str, *, key: str, thread: str, undoes: str | None = None) -> Goal:
        id = journal.add_goal(self._connection, text, key=key, thread=thread, undoes=undoes)
        made = journal.goal_by_id(self._connection, id)
        assert made is not None
        return made

    def set_goal(self, id: str, status: GoalStatus, *, undone_by: str | None = None) -> None:
        journal.set_goal(self._connection, id, status, undone_by)

    def step(self, key: str) -> Step | None:
        return journal.step(self._connection, key)

    def add_step(self, goal: str, step: Step) -> None:
        journal.add_step(self._connection, goal, step)

    def steps_after(self, version: int) -> Sequence[tuple[str, Step]]:
        return journal.steps_after(self._connection, version)
