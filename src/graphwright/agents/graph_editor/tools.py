"""The seven tools of the graph editor: their arguments, and what they do to the graph of the running step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from graphwright import tool
from graphwright.agents.graph_editor.queries import query_text
from graphwright.graphstore import (
    AddEdge,
    AddNode,
    DeleteEdge,
    DeleteNode,
    GraphStore,
    Result,
    Statement,
    UpdateEdge,
    UpdateNode,
    Write,
)

NODES = ["route_tool", "call_tool"]

MOST_ROWS = 200
"""Rows that a query of the agent gives at most."""


@dataclass(frozen=True, slots=True)
class Step:
    """The step in hand: the graph, the journal entry, the idempotency key, and the preview it is bound to."""

    store: GraphStore
    goal: str
    key: str
    expected: str = ""


_step: ContextVar[Step] = ContextVar("graph_editor_step")


@contextmanager
def working(step: Step) -> Iterator[None]:
    """Inside, tools work on this step."""
    token = _step.set(step)
    try:
        yield
    finally:
        _step.reset(token)


_TEXT = {"type": "string", "minLength": 1}
_SCALAR = {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}
_VALUE = {"anyOf": [*_SCALAR["anyOf"], {"type": "array", "items": _SCALAR}]}
_PROPERTIES = {"type": "object", "additionalProperties": _VALUE}
_CHANGES = {
    "type": "object",
    "additionalProperties": {"anyOf": [*_VALUE["anyOf"], {"type": "null"}]},
    "minProperties": 1,
}
_COMPARED = {
    "type": "object",
    "properties": {
        **dict.fromkeys(("eq", "ne", "lt", "lte", "gt", "gte"), _SCALAR),
        "contains": _TEXT,
        "starts_with": _TEXT,
        "in": {"type": "array", "items": _SCALAR},
    },
    "additionalProperties": False,
    "minProperties": 1,
}
_WHERE = {"type": "object", "additionalProperties": {"anyOf": [*_SCALAR["anyOf"], _COMPARED]}}


def _object(required: Mapping[str, Any], **optional: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


_ENDS = {"from_key": _TEXT, "type": _TEXT, "to_key": _TEXT}
_LABELS = {"from_label": _TEXT, "to_label": _TEXT}


def _applied(write: Write) -> dict[str, Any]:
    step = _step.get()
    applied = step.store.apply([write], goal=step.goal, key=step.key, expected=step.expected)
    return {"changes": [c.to_json() for c in applied.changes], "table": None}


def table_of(result: Result) -> dict[str, Any]:
    """A result as JSON: `{columns, rows, truncated}`."""
    return {
        "columns": list(result.columns),
        "rows": [list(row) for row in result.rows],
        "truncated": result.truncated,
    }


def _read(query: str, parameters: Mapping[str, Any], most: int = MOST_ROWS) -> dict[str, Any]:
    return {"changes": [], "table": table_of(_step.get().store.read(query, parameters, max_rows=most))}


@tool(nodes=NODES, parameters=_object({"label": _TEXT, "key": _TEXT}, properties=_PROPERTIES))
def add_node(label: str, key: str, properties: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Create a node, or set properties on the one that has this label and key."""
    return _applied(write_of("add_node", {"label": label, "key": key, "properties": properties or {}}))


@tool(nodes=NODES, parameters=_object(_ENDS, properties=_PROPERTIES, **_LABELS))
def add_edge(**arguments: Any) -> dict[str, Any]:
    """Create an edge between two nodes that exist."""
    return _applied(write_of("add_edge", arguments))


@tool(
    nodes=NODES,
    parameters={
        "type": "object",
        "anyOf": [
            _object({"key": _TEXT, "properties": _CHANGES}, label=_TEXT),
            _object({**_ENDS, "properties": _CHANGES}, **_LABELS),
        ],
    },
)
def update_props(**arguments: Any) -> dict[str, Any]:
    """Change properties of a node, or of an edge; null removes one."""
    return _applied(write_of("update_props", arguments))


@tool(nodes=NODES, parameters=_object({"key": _TEXT}, label=_TEXT))
def delete_node(key: str, label: str | None = None) -> dict[str, Any]:
    """Delete a node and its edges."""
    return _applied(DeleteNode(key, label))


@tool(nodes=NODES, parameters=_object(_ENDS, **_LABELS))
def delete_edge(**arguments: Any) -> dict[str, Any]:
    """Delete an edge."""
    return _applied(write_of("delete_edge", arguments))


@tool(
    nodes=NODES,
    parameters=_object(
        {},
        label=_TEXT,
        where=_WHERE,
        related=_object(
            {},
            type=_TEXT,
            direction={"enum": ["out", "in", "any"]},
            label=_TEXT,
            key=_TEXT,
            where=_WHERE,
            absent={"type": "boolean"},
        ),
        limit={"type": "integer", "minimum": 1, "maximum": MOST_ROWS},
    ),
)
def query_graph(**arguments: Any) -> dict[str, Any]:
    """Find nodes by label, properties, and the nodes that they are related to (absent: that have no such relation)."""
    query, parameters = query_text(arguments)
    return _read(query, parameters, arguments.get("limit") or MOST_ROWS)


@tool(nodes=NODES, parameters=_object({"query": _TEXT}, parameters={"type": "object"}))
def cypher_query(query: str, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Run one Cypher query: counting, sorting, longer ways, changes of many nodes."""
    from graphwright.graphstore.cypher import parse

    if parse(query).writes:
        return _applied(Statement(query, parameters or {}))
    return _read(query, parameters or {})


TOOLS = (add_node, add_edge, update_props, delete_node, delete_edge, query_graph, cypher_query)
NAMES = tuple(each.name for each in TOOLS)


def write_of(name: str, arguments: Mapping[str, Any]) -> Write:
    """The write that a call of one of the writing tools is. For `cypher_query`, a statement."""
    given = dict(arguments)
    match name:
        case "add_node":
            return AddNode(given["label"], given["key"], given.get("properties") or {})
        case "add_edge":
            return AddEdge(**given)
        case "update_props":
            return UpdateEdge(**given) if "from_key" in given else UpdateNode(**given)
        case "delete_node":
            return DeleteNode(**given)
        case "delete_edge":
            return DeleteEdge(**given)
    return Statement(given["query"], given.get("parameters") or {})
