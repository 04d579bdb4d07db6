"""What a property graph is made of: nodes, edges, changes to them, a part of a graph, and its schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from graphwright.graphstore.json_text import same

Scalar: TypeAlias = str | int | float | bool
Value: TypeAlias = Scalar | list[Scalar]
"""What a property can be. There is no null: a property that is not there is left out."""

KEY = "key"
"""The property that holds a node's key in every engine. It is never among `Node.properties`."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node: `label` and `key` are its identity and never change."""

    label: str
    key: str
    properties: Mapping[str, Value] = field(default_factory=dict)

    @property
    def identity(self) -> tuple[str, ...]:
        return ("node", self.label, self.key)

    @property
    def name(self) -> str:
        """How people are told of it: `Ticket T-1`."""
        return f"{self.label} {self.key}"

    def to_json(self) -> dict[str, Any]:
        return {"label": self.label, "key": self.key, "properties": dict(self.properties)}


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge between two nodes; there is at most one of a type from one node to another."""

    from_label: str
    from_key: str
    type: str
    to_label: str
    to_key: str
    properties: Mapping[str, Value] = field(default_factory=dict)

    @property
    def identity(self) -> tuple[str, ...]:
        return ("edge", self.from_label, self.from_key, self.type, self.to_label, self.to_key)

    @property
    def name(self) -> str:
        """How people are told of it: `User ann -[REPORTS]-> Ticket T-1`."""
        return f"{self.from_label} {self.from_key} -[{self.type}]-> {self.to_label} {self.to_key}"

    def to_json(self) -> dict[str, Any]:
        return {
            "from_label": self.from_label,
            "from_key": self.from_key,
            "type": self.type,
            "to_label": self.to_label,
            "to_key": self.to_key,
            "properties": dict(self.properties),
        }


Element: TypeAlias = Node | Edge


def element(data: Mapping[str, Any]) -> Element:
    """An element from its JSON form."""
    return Edge(**data) if "type" in data else Node(**data)


@dataclass(frozen=True, slots=True)
class Change:
    """One element before and after; None where it did not exist. Both sides have the same identity."""

    before: Element | None
    after: Element | None

    @property
    def element(self) -> Element:
        """The element itself: as it is now, or as it was when it is gone."""
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def kind(self) -> Literal["created", "updated", "deleted"]:
        if self.before is None:
            return "created"
        return "deleted" if self.after is None else "updated"

    def reversed(self) -> Change:
        return Change(self.after, self.before)

    def to_json(self) -> dict[str, Any]:
        sides = {"before": self.before, "after": self.after}
        return {side: None if e is None else e.to_json() for side, e in sides.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Change:
        return cls(*(None if data[side] is None else element(data[side]) for side in ("before", "after")))


def net(changes: Iterable[Change]) -> tuple[Change, ...]:
    """What changes come to, one after the other: an element is there once, from its first state to its last, and not
    at all when these are the same to the letter.
    """
    found: dict[tuple[str, ...], Change] = {}
    for change in changes:
        first = found.get(change.element.identity)
        found[change.element.identity] = change if first is None else Change(first.before, change.after)
    return tuple(change for change in found.values() if not equal(change.before, change.after))


def equal(one: Element | None, other: Element | None) -> bool:
    """Whether two states of an element are the same to the letter."""
    if one is None or other is None:
        return one is other
    return same(one.to_json(), other.to_json())


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Nodes and the edges between them. `truncated` when there was more than was asked for."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class LabelSchema:
    """The nodes of a label: how many, and their properties with the types seen (`text`, `number`, ...)."""

    label: str
    count: int
    properties: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TypeSchema:
    """The edges of a type: how many, their properties, and which labels they join as (from, to)."""

    type: str
    count: int
    properties: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    joins: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """What the graph holds, without its data. Labels and types are sorted."""

    labels: tuple[LabelSchema, ...] = ()
    types: tuple[TypeSchema, ...] = ()
