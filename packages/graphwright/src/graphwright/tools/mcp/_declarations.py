"""Safe forms of the tools that a server declares: names, descriptions and schemas from an untrusted source."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from graphwright.text.markup import clean, one_line

if TYPE_CHECKING:
    from mcp_types import ToolAnnotations

MOST_DESCRIPTION = 1_000
"""Maximum length of a tool's description, in characters."""

_MOST_NAME = 63
_MOST_ARGUMENT = 300
_MOST_CHOICES = 200
_MOST_CHOICE = 200
_MOST_NODES = 1_000
_MOST_DEPTH = 12
_MOST_SCHEMA = 20_000

_ARGUMENT = re.compile(r"[A-Za-z0-9_.-]{1,64}\Z")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems")
_TYPES = frozenset(("string", "number", "integer", "boolean", "array", "object", "null"))
_COMBINED = ("allOf", "anyOf", "oneOf")


class Unusable(ValueError):
    """A tool cannot be offered; the text is the reason."""


def well_formed(listed: list[Any]) -> tuple[list[Any], list[str]]:
    """Return the declarations in a list in the form of MCP's schema, and a note for each that is left out.

    Only the fields in use are kept, so a malformed other field, such as the output schema, does no harm.
    """
    kept, notes = [], []
    for number, tool in enumerate(listed, 1):
        name = tool.get("name") if isinstance(tool, Mapping) else None
        if not isinstance(name, str):
            notes.append(f"tool {number} of its list is left out: it has no name")
            continue
        schema = tool.get("inputSchema")
        kinds = schema.get("type", "object") if isinstance(schema, Mapping) else ()
        if "object" not in (kinds if isinstance(kinds, list) else [kinds]):
            notes.append(f"{one_line(name, 80)} is left out: its inputSchema does not describe an object")
            continue
        own = {key: tool[key] for key in ("title", "description") if isinstance(tool.get(key), str)}
        hints = tool.get("annotations")
        hints = hints if isinstance(hints, Mapping) else {}
        own["annotations"] = {key: value for key, value in hints.items() if isinstance(value, bool)}
        kept.append({"name": name, "inputSchema": {**schema, "type": "object"}, **own})
    return kept, notes


def offered_name(server: str, tool: str, taken: Collection[str]) -> str:
    """Return the name under which a tool is offered: `SERVER__TOOL`, or `TOOL` if `server` is empty.

    It is valid for every model provider: letters, digits, `_` and `-`, at most 63, beginning with a letter or `_`.
    Other characters are replaced, a long name is cut and gets a hash, and a name in `taken` gets a number.
    """
    wanted = re.sub(r"[^A-Za-z0-9_-]", "_", f"{server}__{tool}" if server else tool)
    if not re.match(r"[A-Za-z_]", wanted):
        wanted = f"_{wanted}"
    if len(wanted) > _MOST_NAME:
        wanted = f"{wanted[: _MOST_NAME - 9]}_{hashlib.sha256(tool.encode('utf-8', 'replace')).hexdigest()[:8]}"
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted[: _MOST_NAME - 4]}_{count}"
    return name


def description(text: object) -> str:
    """Return the description of a tool as one bounded line, so that it cannot imitate parts of a prompt."""
    return one_line(text, MOST_DESCRIPTION) if isinstance(text, str) else ""


def changes(hints: ToolAnnotations | None) -> bool | None:
    """Return whether a call of a tool changes anything, by the hints of its server; None if they do not say.

    If the hints contradict each other, the more cautious one counts.
    """
    if hints is None or (hints.read_only_hint is None and not hints.destructive_hint):
        return None
    return bool(hints.destructive_hint) or not hints.read_only_hint


def parameters(schema: object) -> dict[str, Any]:
    """Return the schema of the arguments, rebuilt from safe keywords that every model provider supports.

    References are inlined, so that they cannot be external or cyclic; regular expressions (`pattern`) only appear in
    the description, since matching one may take forever; texts are bounded. The server must check the omitted keywords.
    Raises Unusable.
    """
    if not isinstance(schema, Mapping):
        raise Unusable("it declares no arguments")
    writer = _Writer(schema)
    root = writer.part(schema, 0, frozenset())
    # Providers refuse alternatives at the top level.
    for keyword in _COMBINED:
        for part in root.pop(keyword, ()):
            for name, value in part.get("properties", {}).items():
                root.setdefault("properties", {}).setdefault(name, value)
            if keyword == "allOf":
                root["required"] = sorted({*root.get("required", ()), *part.get("required", ())})
            root.pop("additionalProperties", None)
    known = root.setdefault("properties", {})
    for name in root.get("required", ()):
        if name not in known:
            if not _ARGUMENT.match(name):
                raise Unusable(f"it needs an argument {one_line(name, 40)!r}, a name that models cannot be offered")
            known[name] = {}
    root["type"] = "object"
    for keyword in ("enum", "const", "default", "title"):
        root.pop(keyword, None)
    size = len(json.dumps(root))
    if writer.nodes > _MOST_NODES or size > _MOST_SCHEMA:
        raise Unusable("its description of the arguments is too long")
    return root


class _Writer:
    """Builds the safe form of the parts of one schema; `nodes` counts them."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.nodes = 0

    def part(self, schema: Any, depth: int, within: frozenset[str]) -> dict[str, Any]:
        self.nodes += 1
        # False (no value is valid) is rare, and the server reports it itself.
        if not isinstance(schema, Mapping) or depth > _MOST_DEPTH or self.nodes > _MOST_NODES:
            return {}
        reference = schema.get("$ref")
        if isinstance(reference, str):
            if reference in within:
                return {}
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            return self.part({**self._resolved(reference), **beside}, depth, within | {reference})
        made: dict[str, Any] = {}
        _describe(schema, made)

        def inner(value: Any) -> dict[str, Any]:
            return self.part(value, depth + 1, within)

        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            named = {name: value for name, value in properties.items() if _ARGUMENT.match(str(name))}
            made["properties"] = {name: inner(value) for name, value in named.items()}
        required = schema.get("required")
        if isinstance(required, list):
            made["required"] = list(dict.fromkeys(name for name in required if isinstance(name, str)))
            if depth:
                made["required"] = [name for name in made["required"] if name in made.get("properties", {})]
        if isinstance(schema.get("items"), Mapping):
            made["items"] = inner(schema["items"])
        others = schema.get("additionalProperties")
        if isinstance(others, bool):
            left_out = isinstance(properties, Mapping) and len(properties) > len(made["properties"])
            made["additionalProperties"] = others or left_out
        elif isinstance(others, Mapping):
            made["additionalProperties"] = inner(others)
        for keyword in _COMBINED:
            given = schema[keyword] if isinstance(schema.get(keyword), list) else ()
            if parts := [inner(value) for value in given if isinstance(value, Mapping)]:
                made[keyword] = parts
        return made

    def _resolved(self, reference: str) -> Mapping[str, Any]:
        if not reference.startswith("#"):
            return {}
        found: Any = self.root
        for step in reference[1:].split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or step not in found:
                return {}
            found = found[step]
        return found if isinstance(found, Mapping) else {}


def _describe(schema: Mapping[str, Any], made: dict[str, Any]) -> None:
    """Copy the keywords about the value itself to its safe form."""
    kind = schema.get("type")
    kinds = [name for name in (kind if isinstance(kind, list) else [kind]) if isinstance(name, str) and name in _TYPES]
    if kinds:
        made["type"] = list(dict.fromkeys(kinds)) if isinstance(kind, list) else kinds[0]
    said = one_line(schema["description"], _MOST_ARGUMENT) if isinstance(schema.get("description"), str) else ""
    if isinstance(schema.get("pattern"), str):
        said = f"{said} (pattern: {one_line(schema['pattern'], 100)})".strip()
    if said:
        made["description"] = said
    if isinstance(schema.get("format"), str):
        made["format"] = one_line(schema["format"], 40)
    choices = schema.get("enum")
    if isinstance(choices, list) and 0 < len(choices) <= _MOST_CHOICES and all(map(_is_choice, choices)):
        made["enum"] = list(choices)
    for keyword in ("const", "default"):
        if keyword in schema and _is_choice(schema[keyword]):
            made[keyword] = schema[keyword]
    for keyword in (*_BOUNDS, *_COUNTS):
        value = schema.get(keyword)
        number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if number and (keyword in _BOUNDS or (isinstance(value, int) and value >= 0)):
            made[keyword] = value


def _is_choice(value: Any) -> bool:
    if isinstance(value, str):
        # A value that must be changed to be shown would no longer be valid for the server.
        return len(value) <= _MOST_CHOICE and clean(value) == value
    return value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value))
