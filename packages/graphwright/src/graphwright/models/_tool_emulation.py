"""Tools for a model without tool calls: a JSON Schema that constrains its answer, a prompt, and the parser."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]

MOST_CALLS = 8
"""Maximum number of calls in one answer, if several are allowed."""

MOST_NAMED = 12
"""Maximum number of an enum's values in the prompt; the constraint allows all of them."""

# The keywords that the grammar engine supports. The validation of the answer checks the others.
_GRAMMAR_KEYWORDS = (
    *("type", "const", "enum", "properties", "required", "additionalProperties", "items", "prefixItems"),
    *("minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum"),
    *("exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format", "anyOf", "allOf", "$ref"),
)
_FORMATS = {"date", "time", "date-time", "email", "uuid", "ipv4", "ipv6", "hostname", "duration"}


def grammar(schema: Schema) -> str:
    """Return a grammar for exactly the JSON of the schema, without whitespace between tokens.

    Otherwise a model that likes to pretty-print spends half of its output on line breaks.
    """
    compact = {"x-guidance": {"whitespace_flexible": False}, **schema}
    return "%llguidance {}\nstart: %json " + json.dumps(compact, ensure_ascii=True) + "\n"


def constraint(schema: Schema) -> dict[str, Any]:
    """Return the schema as a constraint: properties in order, objects closed, unsupported keywords removed."""
    root: dict[str, Any] = _narrowed(schema, closing=True)
    definitions = _definitions(schema)
    if definitions:
        root["$defs"] = {name: _narrowed(body, closing=True) for name, body in definitions.items()}
    return root


def _definitions(schema: Schema) -> Mapping[str, Schema]:
    found: Mapping[str, Schema] = {**schema.get("definitions", {}), **schema.get("$defs", {})}
    return found


def _narrowed(schema: Any, *, closing: bool) -> Any:
    if not isinstance(schema, Mapping):
        return schema
    out: dict[str, Any] = {}
    for key in _GRAMMAR_KEYWORDS:
        if key not in schema:
            continue
        value = schema[key]
        if key == "properties":
            out[key] = {name: _narrowed(body, closing=True) for name, body in value.items()}
        elif key in ("items", "additionalProperties"):
            out[key] = _narrowed(value, closing=True)
        elif key in ("anyOf", "prefixItems"):
            out[key] = [_narrowed(body, closing=True) for body in value]
        elif key == "allOf":
            # Closed parts of an intersection would exclude each other's properties.
            out[key] = [_narrowed(body, closing=False) for body in value]
        elif key == "$ref":
            out[key] = str(value).replace("#/definitions/", "#/$defs/")
        elif (key == "format" and value not in _FORMATS) or (key == "pattern" and "(?" in value):
            continue
        else:
            out[key] = value
    if "oneOf" in schema:
        out.setdefault("anyOf", [_narrowed(body, closing=True) for body in schema["oneOf"]])
    if closing and out.get("properties") and "allOf" not in out:
        out.setdefault("additionalProperties", False)
    return out


def tools_constraint(tools: Sequence[Schema], *, most: int, reply: bool) -> dict[str, Any]:
    """Return the schema of an answer with 1 to `most` calls of the tools, or with `reply` of a text instead."""
    definitions: dict[str, Any] = {}
    branches = []
    for tool in tools:
        args = constraint(tool.get("parameters") or {"type": "object", "additionalProperties": False})
        own = args.pop("$defs", {})
        prefix = f"{tool['name']}."
        definitions.update({prefix + name: _prefixed(body, prefix) for name, body in own.items()})
        branches.append(_closed(tool={"const": tool["name"]}, args=_prefixed(args, prefix)))
    one = branches[0] if len(branches) == 1 else {"anyOf": branches}
    calls = _closed(calls={"type": "array", "items": one, "minItems": 1, "maxItems": most})
    root = {"anyOf": [calls, _closed(reply={"type": "string", "minLength": 1})]} if reply else calls
    return {**root, "$defs": definitions} if definitions else root


def _closed(**properties: Any) -> dict[str, Any]:
    names = list(properties)
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def _prefixed(schema: Any, prefix: str) -> Any:
    if isinstance(schema, Mapping):
        return {
            key: value.replace("#/$defs/", f"#/$defs/{prefix}")
            if key == "$ref" and isinstance(value, str)
            else _prefixed(value, prefix)
            for key, value in schema.items()
        }
    if isinstance(schema, list):
        return [_prefixed(part, prefix) for part in schema]
    return schema


def tools_prompt(tools: Sequence[Schema], *, most: int, reply: bool) -> str:
    """Return the prompt that explains the tools: the format of the answer, then a line for each tool."""
    lines = ['Answer with JSON only: {"calls":[CALL]}' + (f" with 1 to {most} calls." if most > 1 else ".")]
    if reply:
        lines.append('Call a tool when one fits. Otherwise answer {"reply":text}.')
    lines.append("A CALL is one of:")
    for tool in tools:
        schema = tool.get("parameters") or {}
        call = f'{{"tool":"{tool["name"]}","args":{shape(schema)}}}'
        words = " ".join(str(tool.get("description") or "").split())
        lines.append(f"- {call}{'  ' + words if words else ''}")
        lines += [f"    {name}: {text}" for name, text in _described(schema)]
    return "\n".join(lines)


def schema_prompt(schema: Schema) -> str:
    """Return the prompt that explains the required object."""
    words = " ".join(str(schema.get("description") or "").split())
    lines = [f"Answer with JSON only: {shape(schema)}{'  ' + words if words else ''}"]
    lines += [f"- {name}: {text}" for name, text in _described(schema)]
    return "\n".join(lines)


def _described(schema: Schema) -> list[tuple[str, str]]:
    properties = schema.get("properties", {})
    found = [(name, body.get("description")) for name, body in properties.items() if isinstance(body, Mapping)]
    return [(name, " ".join(str(text).split())) for name, text in found if text]


def shape(schema: Any, definitions: Mapping[str, Schema] | None = None, depth: int = 0) -> str:
    """Return the schema in a compact form: `{"key":"email","value":text}`, with a bar between alternatives."""
    if not isinstance(schema, Mapping) or depth > 8:
        return "..."
    known = _definitions(schema) or definitions or {}
    if "$ref" in schema:
        return shape(known.get(str(schema["$ref"]).rsplit("/", 1)[-1], {}), known, depth + 1)
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    if "enum" in schema:
        named = [json.dumps(value, ensure_ascii=False) for value in schema["enum"][:MOST_NAMED]]
        return "|".join([*named, "..."] if len(schema["enum"]) > MOST_NAMED else named)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " | ".join(shape(part, known, depth + 1) for part in schema[key])
    if "allOf" in schema and len(schema["allOf"]) == 1:
        return shape(schema["allOf"][0], known, depth + 1)
    kind = schema.get("type")
    if isinstance(kind, list):
        return "|".join(_WORDS.get(one, str(one)) for one in kind)
    if schema.get("properties"):
        inside = (
            f"{json.dumps(name, ensure_ascii=False)}:{shape(body, known, depth + 1)}"
            for name, body in schema["properties"].items()
        )
        return "{" + ",".join(inside) + "}"
    if kind == "array":
        return f"[{shape(schema['items'], known, depth + 1) if 'items' in schema else '...'}]"
    if kind == "object":
        return "{...}"
    return f"{schema['format']} text" if schema.get("format") else _WORDS.get(str(kind), "any")


_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true|false",
    "null": "null",
}


def said_calls(calls: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Return calls in the exact format that the model has to write, for earlier turns."""
    return compact({"calls": [{"tool": name, "args": args} for name, args in calls]})


def compact(value: Any) -> str:
    """Return JSON without whitespace."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_answer(text: str) -> tuple[list[tuple[str, dict[str, Any]]], str]:
    """Return the calls and the text of an answer that matches `tools_constraint`.

    Raises `ValueError` for anything else, such as a cut answer.
    """
    answer = json.loads(text)
    if isinstance(answer, dict) and isinstance(answer.get("reply"), str):
        return [], answer["reply"]
    try:
        return [(call["tool"], call["args"]) for call in answer["calls"]], ""
    except (TypeError, KeyError) as error:
        raise ValueError(f"neither calls nor a reply in {text[:200]}") from error
