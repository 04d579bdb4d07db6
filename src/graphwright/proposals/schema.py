"""Schemas of what a model may propose, made from the tools and the things that exist."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
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


def call_branches(
    tools: Iterable[Mapping[str, Any]],
    *,
    before: Mapping[str, Schema] | None = None,
    after: Mapping[str, Schema] | None = None,
) -> dict[str, Any]:
    """The JSON Schema of one call of one of the tools, an `anyOf` with a branch for each form of each tool.

    `tools` are declarations, `{name, description, parameters}`; parameters with an `anyOf` are several forms. A call is
    `{tool_name, arguments}`, with the fields `before` in front of these and the fields `after` behind: a model writes
    the fields in this order.
    """
    branches = []
    for tool in tools:
        forms = tool["parameters"].get("anyOf") or [tool["parameters"]]
        for form in forms:
            name = {"const": tool["name"], "type": "string"}
            properties = {**(before or {}), "tool_name": name, "arguments": form, **(after or {})}
            branches.append(closed(properties))
    return branches[0] if len(branches) == 1 else {"anyOf": branches}


def with_fields(model: type[M], **fields: Schema) -> type[M]:
    """The Pydantic class with other JSON Schemas published for some of its fields, such as the ids of this moment.

    The class keeps its name and validates as before: what a published schema demands beyond that the caller checks.
    """
    schema = _published(model)
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


@lru_cache(maxsize=64)
def _published(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()
