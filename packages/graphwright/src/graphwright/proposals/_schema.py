"""Schemas for the proposals of a model, made from the tools and the existing things, and the meaning of references."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from graphwright.flow._json_schemas import closed
from graphwright.text._provenance import leaves
from graphwright.text.folding import normalised
from graphwright.text.near_names import nearest

M = TypeVar("M", bound=BaseModel)
Schema = Mapping[str, Any]

MOST_CHOICES = 60
"""The maximum number of values that a schema lists. Beyond it the text is free, and code searches the exact one."""


def default_values(arguments: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The defaults that a JSON Schema has for values of these arguments, by dotted path.

    >>> default_values({"limit": 5, "sort": {"by": "date"}}, {"properties": {"limit": {"default": 10}}})
    {'limit': 10}
    """
    found = dict[str, Any]()
    for name, part in schema.get("properties", {}).items():
        if name not in arguments or not isinstance(part, Mapping):
            continue
        if "default" in part:
            found |= dict(leaves({name: part["default"]}))
        if isinstance(arguments[name], Mapping):
            inner = default_values(arguments[name], part)
            found |= {f"{name}.{path}": value for path, value in inner.items()}
    return found


def call_branches(tools: Iterable[Mapping[str, Any]], before: Mapping[str, Schema]) -> dict[str, Any]:
    """The JSON Schema of one call of one of the tools, an `anyOf` with a branch for each form of each tool.

    `tools` are declarations, `{name, description, parameters}`; parameters with an `anyOf` are several forms. A call is
    `{tool_name, arguments}`, preceded by the fields `before`: a model writes them in this order.
    """
    branches = []
    for tool in tools:
        forms = tool["parameters"].get("anyOf") or [tool["parameters"]]
        for form in forms:
            name = {"const": tool["name"], "type": "string"}
            branches.append(closed({**before, "tool_name": name, "arguments": form}))
    return branches[0] if len(branches) == 1 else {"anyOf": branches}


def with_fields(model: type[M], **fields: Schema | None) -> type[M]:
    """The Pydantic class with other JSON Schemas published for some of its fields, such as the present ids.

    A field with None is not published; it needs a default. The class keeps its name and its validation: further
    restrictions of a published schema are checked by the caller.
    """
    from graphwright.models._structured_output import json_schema

    schema = json_schema(model)
    published = {**schema["properties"], **fields}
    properties = {name: dict(part) for name, part in published.items() if part is not None}
    schema = {**schema, "properties": properties}
    if "$ref" not in json.dumps(properties):
        schema.pop("$defs", None)
    namespace = {
        "__doc__": model.__doc__,
        "__module__": model.__module__,
        "model_json_schema": classmethod(lambda cls, *_, **__: schema),
    }
    return cast(type[M], type(model)(model.__name__, (model,), namespace))  # type: ignore[misc]


def choices(values: Iterable[str], *, most: int = MOST_CHOICES, description: str = "") -> dict[str, Any]:
    """The JSON Schema of a reference to one of these: an enum of at most `most`, otherwise a text.

    >>> choices(["open", "done"])
    {'type': 'string', 'enum': ['open', 'done']}
    """
    known = list(dict.fromkeys(values))
    schema: dict[str, Any] = {"type": "string"}
    if description:
        schema["description"] = description
    if 0 < len(known) <= most:
        schema["enum"] = known
    return schema


def exact(value: str, known: Iterable[str]) -> str | None:
    """The known value that is meant: the same text, or the only one that differs in case, spaces or character forms.

    >>> exact("control ", ["Control", "variant"])
    'Control'
    """
    found = list(dict.fromkeys(known))
    if value in found:
        return value
    wanted = normalised(value)
    alike = [each for each in found if normalised(each) == wanted]
    return alike[0] if len(alike) == 1 else None


def not_found(kind: str, value: str, known: Iterable[str]) -> str:
    """The error for an unknown reference, for the model and for people, with the nearest existing one.

    >>> not_found("condition", "contrl", ["control", "variant"])
    "There is no condition 'contrl'. Nearest: 'control'."
    """
    there = list(dict.fromkeys(known))
    shown = value if len(value) <= 80 else value[:80] + "…"
    if near := nearest(value, there):
        return f"There is no {kind} {shown!r}. Nearest: {', '.join(map(repr, near))}."
    rest = f" and {len(there) - 10} more" if len(there) > 10 else ""
    return f"There is no {kind} {shown!r}. There are {', '.join(map(repr, there[:10])) or 'none at all'}{rest}."
