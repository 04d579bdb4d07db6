"""The property graph: parts of it, its changes, and the preview of an undo."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from graphwright_graph._elements import Value
from graphwright_graph._port import GoalStatus


class GraphNode(BaseModel):
    """A node: `label` and `key` are its identity."""

    label: str
    key: str
    properties: dict[str, Value]


class GraphEdge(BaseModel):
    """A directed edge."""

    from_label: str
    from_key: str
    type: str
    to_label: str
    to_key: str
    properties: dict[str, Value]


class GraphPart(BaseModel):
    """Nodes, and the edges between them."""

    nodes: list[GraphNode]
    edges: list[GraphEdge]
    truncated: bool = Field(description="There is more than was requested.")


class LabelCount(BaseModel):
    """The number of nodes with a label."""

    label: str
    count: int


class TypeCount(BaseModel):
    """The number of edges with a type."""

    type: str
    count: int


class Graph(GraphPart):
    """Some nodes of the graph, and the counts of the whole graph."""

    version: int = Field(description="It grows with every write.")
    labels: list[LabelCount]
    types: list[TypeCount]
    similar: bool = Field(description="No node has the text of the search; these are similar to its words.")


class Around(GraphPart):
    """A node and its neighbourhood."""

    node: GraphNode


class GraphChange(BaseModel):
    """A node or an edge before and after the change; null if it did not exist."""

    kind: Literal["created", "updated", "deleted"]
    # From left to right, since that is faster, and no edge is valid as a node.
    before: GraphNode | GraphEdge | None = Field(union_mode="left_to_right")
    after: GraphNode | GraphEdge | None = Field(union_mode="left_to_right")


class Changes(BaseModel):
    """The number of created, updated and deleted nodes and edges."""

    created: int
    updated: int
    deleted: int


class Entry(BaseModel):
    """An entry of the journal: a request and its changes."""

    goal: str = Field(description="Its id.")
    text: str = Field(description="Empty if it belongs to another user, like `thread`.")
    thread: str
    user: str = Field(description="The owner of the thread; empty without one.")
    status: GoalStatus
    began: str
    finished: str | None
    undoes: str | None = Field(description="The id of the entry that this one undid.")
    undone_by: str | None
    undoable: bool = Field(description="It changed something, and the user of the request may undo it.")
    changes: Changes


class GraphStep(BaseModel):
    """Changes that were committed together."""

    version: int
    time: str
    changes: list[GraphChange]


class EntryWithSteps(Entry):
    """An entry of the journal with every change of it."""

    steps: list[GraphStep]


class UndoPreview(BaseModel):
    """The changes that undoing an entry would make now. To undo it, send `hash` as `approves`."""

    goal: str
    changes: list[GraphChange]
    hash: str
