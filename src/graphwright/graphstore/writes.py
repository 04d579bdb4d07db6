"""What can be done to a graph: one frozen class a write, and their JSON forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class AddNode:
    """Create the node, or set these properties on the one that is there (upsert)."""

    label: str
    key: str
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AddEdge:
    """Create the edge, or set these properties on the one that is there (upsert). Both ends must exist.

    A label that is left out is looked up; a key that several labels have is then `Ambiguous`.
    """

    from_key: str
    type: str
    to_key: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    from_label: str | None = None
    to_label: str | None = None


@dataclass(frozen=True, slots=True)
class UpdateNode:
    """Set properties of a node that exists; null removes one."""

    key: str
    properties: Mapping[str, Any]
    label: str | None = None


@dataclass(frozen=True, slots=True)
class UpdateEdge:
    """Set properties of an edge that exists; null removes one."""

    from_key: str
    type: str
    to_key: str
    properties: Mapping[str, Any]
    from_label: str | None = None
    to_label: str | None = None


@dataclass(frozen=True, slots=True)
class DeleteNode:
    """Delete a node and all its edges."""

    key: str
    label: str | None = None


@dataclass(frozen=True, slots=True)
class DeleteEdge:
    """Delete one edge."""

    from_key: str
    type: str
    to_key: str
    from_label: str | None = None
    to_label: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A Cypher statement that writes. Its values belong into `parameters`."""

    query: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


Write: TypeAlias = AddNode | AddEdge | UpdateNode | UpdateEdge | DeleteNode | DeleteEdge | Statement

_CLASSES: dict[str, type[Any]] = {
    each.__name__: each for each in (AddNode, AddEdge, UpdateNode, UpdateEdge, DeleteNode, DeleteEdge, Statement)
}


def write_to_json(write: Write) -> dict[str, Any]:
    """The write as JSON: its fields, and its class under `write`."""
    return {"write": type(write).__name__, **asdict(write)}


def write_from_json(data: Mapping[str, Any]) -> Write:
    """The write of a JSON form."""
    fields = dict(data)
    made: Write = _CLASSES[fields.pop("write")](**fields)
    return made
