"""What travels between the worker and its owner: the shapes of the port as JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from graphwright.graphstore.elements import Change, Edge, LabelSchema, Node, Schema, Subgraph, TypeSchema
from graphwright.graphstore.port import Applied, Goal, Preview, Result, Step


def nodes_from_json(data: list[Any]) -> tuple[Node, ...]:
    return tuple(Node(**node) for node in data)


def edges_from_json(data: list[Any]) -> tuple[Edge, ...]:
    return tuple(Edge(**edge) for edge in data)


def values_from_json(data: list[Any]) -> tuple[tuple[Any, int], ...]:
    return tuple((value, count) for value, count in data)


def changes_to_json(changes: tuple[Change, ...]) -> list[dict[str, Any]]:
    return [change.to_json() for change in changes]


def changes_from_json(data: list[dict[str, Any]]) -> tuple[Change, ...]:
    return tuple(map(Change.from_json, data))


def result_to_json(result: Result) -> dict[str, Any]:
    return {"columns": result.columns, "rows": result.rows, "truncated": result.truncated}


def result_from_json(data: Mapping[str, Any]) -> Result:
    return Result(tuple(data["columns"]), tuple(map(tuple, data["rows"])), data["truncated"])


def preview_to_json(preview: Preview) -> dict[str, Any]:
    return {"changes": changes_to_json(preview.changes), "version": preview.version, "binding": preview.binding}


def preview_from_json(data: Mapping[str, Any]) -> Preview:
    return Preview(changes_from_json(data["changes"]), data["version"], data["binding"])


def applied_to_json(applied: Applied) -> dict[str, Any]:
    return {
        "changes": changes_to_json(applied.changes),
        "version": applied.version,
        "repeated": applied.repeated,
    }


def applied_from_json(data: Mapping[str, Any]) -> Applied:
    return Applied(changes_from_json(data["changes"]), data["version"], data["repeated"])


def goal_to_json(goal: Goal) -> dict[str, Any]:
    fields = {name: getattr(goal, name) for name in Goal.__slots__ if name != "steps"}
    steps = [
        {**{name: getattr(step, name) for name in Step.__slots__}, "changes": changes_to_json(step.changes)}
        for step in goal.steps
    ]
    return {**fields, "steps": steps}


def goal_from_json(data: Mapping[str, Any]) -> Goal:
    steps = tuple(
        Step(**{**step, "writes": tuple(step["writes"]), "changes": changes_from_json(step["changes"])})
        for step in data["steps"]
    )
    return Goal(**{**data, "steps": steps})


def goals_from_json(data: list[Any]) -> tuple[Goal, ...]:
    return tuple(map(goal_from_json, data))


def subgraph_to_json(part: Subgraph) -> dict[str, Any]:
    return {
        "nodes": [node.to_json() for node in part.nodes],
        "edges": [edge.to_json() for edge in part.edges],
        "truncated": part.truncated,
    }


def subgraph_from_json(data: Mapping[str, Any]) -> Subgraph:
    return Subgraph(nodes_from_json(data["nodes"]), edges_from_json(data["edges"]), data["truncated"])


def schema_to_json(schema: Schema) -> dict[str, Any]:
    return asdict(schema)


def schema_from_json(data: Mapping[str, Any]) -> Schema:
    return Schema(
        tuple(LabelSchema(each["label"], each["count"], _types(each)) for each in data["labels"]),
        tuple(
            TypeSchema(each["type"], each["count"], _types(each), tuple((a, b) for a, b in each["joins"]))
            for each in data["types"]
        ),
    )


def _types(data: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(types) for name, types in data["properties"].items()}
