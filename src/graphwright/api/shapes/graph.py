"""The property graph: parts of it, what was done to it, and what undoing that would do."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from graphwright.graphstore.elements import Value
from graphwright.graphstore.port import GoalStatus


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
    truncated: bool = Field(description="There was more than was asked for.")


class LabelCount(BaseModel):
    """How many nodes have a label."""

    label: str
    count: int


class TypeCount(BaseModel):
    """How many edges have a type."""

    type: str
    count: int


class Graph(GraphPart):
    """Some nodes of the graph, and what all of it holds."""

    version: int = Field(description="It grows with every write.")
    labels: list[LabelCount]
    types: list[TypeCount]


class Around(GraphPart):
    """A node, and what is around it."""

    node: GraphNode


class GraphChange(BaseModel):
    """A node or an edge before and after; null where it did not exist."""

    kind: Literal["created", "updated", "deleted"]
    before: GraphNode | GraphEdge | None
    after: GraphNode | GraphEdge | None


class Changes(BaseModel):
    """How many nodes and edges were changed, and how."""

    created: int
    updated: int
    deleted: int


class Entry(BaseModel):
    """An entry of the journal: what was asked for."""

    goal: str = Field(description="Its id.")
    text: str = Field(description="Empty where it is somebody else's, as `thread` is.")
    thread: str
    status: GoalStatus
    began: str
    finished: str | None
    undoes: str | None = Field(description="The id of the entry that this one undid.")
    undone_by: str | None
    undoable: bool = Field(description="It changed something, and whoever asks may undo it.")
    changes: Changes


class GraphStep(BaseModel):
    """What was committed together."""

    version: int
    time: str
    changes: list[GraphChange]


class EntryWithSteps(Entry):
    """An entry of the journal with every change of it."""

    steps: list[GraphStep]


class UndoPreview(BaseModel):
    """What undoing an entry would do now. Doing it carries `hash` as `approves`."""

    goal: str
    changes: list[GraphChange]
    hash: str
