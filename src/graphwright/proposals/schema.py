"""Schemas of what a model may propose, made from the tools and the things that exist."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

from pydantic import BaseModel

M = TypeVar("M", bound=BaseModel)
Schema = Mapping[str, Any]


def closed(properties: Mapping[str, Schema], required: Iterable[str] | None = None) -> dict[str, Any]:
    """The JSON Schema of an object with these properties and no others; all are `required` unless some are named."""
    return {
        "type": "object",
        "properties": {name: dict(schema) for name, schema in properties.items()},
        "required": list(properties if required is None else required),
        "additionalProperties": False,
    }


def call_branches(tools: Iterable[Mapping[str, Any]], before: Mapping[str, Schema]) -> dict[str, Any]:
    """The JSON Schema of one call of one of the tools, an `anyOf` with a branch for each form of each tool.

    `tools` are declarations, `{name, description, parameters}`; parameters with an `anyOf` are several forms. A call is
    `{tool_name, arguments}`, with the fields `before` in front of these: a model writes them in this order.
    """
    branches = []
    for tool in tools:
        forms = tool["parameters"].get("anyOf") or [tool["parameters"]]
        for form in forms:
            name = {"const": tool["name"], "type": "string"}
            branches.append(closed({**before, "tool_name": name, "arguments": form}))
    return branches[0] if len(branches) == 1 else {"anyOf": branches}


def with_fields(model: type[M], **fields: Schema) -> type[M]:
    """The Pydantic class with other JSON Schemas published for some of its fields, such as the ids of this moment.

    The class keeps its name and validates as before: what a published schema demands beyond that the caller checks.
    """
    from graphwright.models.structured_output import json_schema

    schema = json_schema(model)
    properties = {**schema["properties"], **{name: dict(part) for name, part in fields.items()}}
    schema = {**schema, "properties": properties}
    if "$ref" not in json.dumps(properties):
        schema.pop("$defs", None)
    namespace = {
        "__doc__": model.__doc__,
        "__module__": model.__module__,
        "model_json_schema": classmethod(lambda cls, *_, **__: schema),
    }
    return cast(type[M], type(model)(model.__name__, (model,), namespace))  # type: ignore[misc]
