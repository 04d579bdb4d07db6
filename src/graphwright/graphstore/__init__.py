"""Property graphs: one port, an embedded store and Neo4j behind it, a journal that can be undone, import and export."""

from graphwright.graphstore.elements import (
    Change,
    Edge,
    Element,
    LabelSchema,
    Node,
    Schema,
    Subgraph,
    TypeSchema,
    Value,
)
from graphwright.graphstore.errors import (
    Ambiguous,
    BadElement,
    Conflict,
    GraphError,
    GraphUnavailable,
    NotFound,
    QueryFailed,
    QueryRefused,
    Transient,
)
from graphwright.graphstore.opening import open_graph
from graphwright.graphstore.port import (
    MOST_ROWS,
    READ_SECONDS,
    WRITE_SECONDS,
    Applied,
    Goal,
    GoalStatus,
    GraphStore,
    Preview,
    Result,
    Step,
)
from graphwright.graphstore.writes import (
    AddEdge,
    AddNode,
    DeleteEdge,
    DeleteNode,
    Statement,
    UpdateEdge,
    UpdateNode,
    Write,
    write_from_json,
    write_to_json,
)

__all__ = [
    # open
    "open_graph",
    "GraphStore",
    "READ_SECONDS",
    "WRITE_SECONDS",
    "MOST_ROWS",
    # what a graph is made of
    "Node",
    "Edge",
    "Element",
    "Value",
    "Subgraph",
    "Schema",
    "LabelSchema",
    "TypeSchema",
    # read
    "Result",
    # write
    "AddNode",
    "AddEdge",
    "UpdateNode",
    "UpdateEdge",
    "DeleteNode",
    "DeleteEdge",
    "Statement",
    "Write",
    "write_to_json",
    "write_from_json",
    "Change",
    "Preview",
    "Applied",
    # the journal
    "Goal",
    "GoalStatus",
    "Step",
    # errors
    "GraphError",
    "NotFound",
    "Ambiguous",
    "BadElement",
    "QueryRefused",
    "QueryFailed",
    "Conflict",
    "Transient",
    "GraphUnavailable",
]
