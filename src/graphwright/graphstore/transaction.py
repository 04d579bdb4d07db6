"""What an engine gives to the one place that knows how writes behave: primitives inside one open transaction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from graphwright.graphstore.elements import Change, Edge, Element, Node, Value
from graphwright.graphstore.port import Goal, GoalStatus, Step
from graphwright.graphstore.writes import Statement

E = TypeVar("E", bound=Element)


@dataclass(frozen=True, slots=True)
class Stored(Generic[E]):
    """An element and the engine's own reference to it."""

    ref: Any
    element: E


class Transaction(ABC):
    """An open write transaction. Who opened it commits it or rolls it back; what is given to it is checked before."""

    @abstractmethod
    def version(self) -> int:
        """The version of the graph at the beginning of the transaction, plus its own bumps."""

    @abstractmethod
    def bump(self) -> int:
        """Raise the version by one; gives the new one."""

    @abstractmethod
    def nodes(self, key: str, label: str | None = None) -> Sequence[Stored[Node]]:
        """The nodes with exactly this key; at most one a label."""

    @abstractmethod
    def keys_near(self, key: str, label: str | None = None) -> Sequence[str]:
        """Up to three keys that resemble one that does not exist, the nearest first."""

    @abstractmethod
    def edge(self, source: Any, type: str, target: Any) -> Stored[Edge] | None:
        """The edge of a type between two references."""

    @abstractmethod
    def edges_of(self, ref: Any) -> Sequence[Stored[Edge]]:
        """All edges of a node, in both directions, a self-loop once."""

    @abstractmethod
    def create_node(self, node: Node) -> None: ...

    @abstractmethod
    def set_node(self, ref: Any, properties: Mapping[str, Value | None]) -> None:
        """Set properties; None removes one."""

    @abstractmethod
    def delete_node(self, ref: Any) -> None:
        """Delete a node that has no edges any more."""

    @abstractmethod
    def create_edge(self, source: Any, edge: Edge, target: Any) -> None: ...

    @abstractmethod
    def set_edge(self, ref: Any, properties: Mapping[str, Value | None]) -> None: ...

    @abstractmethod
    def delete_edge(self, ref: Any) -> None: ...

    @abstractmethod
    def run(self, statement: Statement) -> Sequence[Change]:
        """Execute a Cypher write; gives every element that it changed. What it returns is not read.

        Raises BadElement when what it leaves behind is not well-formed: a node needs exactly one label, and a key
        that no other node of that label has; label and key of an existing node stay; one edge of a type between two
        nodes; names and values as `names` allows them.
        """

    @abstractmethod
    def goal(self, *, id: str = "", key: str = "") -> Goal | None:
        """A journal entry with its steps, by its id or by the caller's key."""

    @abstractmethod
    def add_goal(self, text: str, *, key: str, thread: str, undoes: str | None = None) -> Goal:
        """A new entry, open, with the next id."""

    @abstractmethod
    def set_goal(self, id: str, status: GoalStatus, *, undone_by: str | None = None) -> None:
        """Its status and, unless that is open, the time of finishing."""

    @abstractmethod
    def step(self, key: str) -> Step | None:
        """The step that was done under a key."""

    @abstractmethod
    def add_step(self, goal: str, step: Step) -> None: ...

    @abstractmethod
    def steps_after(self, version: int) -> Sequence[tuple[str, Step]]:
        """The steps of all goals whose version is higher, as (goal id, step), oldest first."""
