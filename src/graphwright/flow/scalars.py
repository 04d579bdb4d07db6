"""The scalars that fields are made of: ids, keys, expressions, numbers, choices, and what is said of wrong ones."""

from __future__ import annotations

import re
from typing import Any

from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.names import Names, listed
from graphwright.flow.shape import Free, Refusal, Scalar

VERSION = "v1"
"""The version of the language that this compiler reads."""

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

RESERVED_CHANNELS = frozenset({"answers", "message", "active_path", "value"})
"""Names that every flow has already."""

_KEY_WORDS = frozenset({"in", "true", "false", "null"})
_EXPRESSION_WORDS = _KEY_WORDS | frozenset(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
        "int",
        "uint",
        "double",
        "bool",
        "string",
        "bytes",
        "list",
        "map",
        "type",
        "null_type",
        "dyn",
        "has",
        "all",
        "exists",
        "exists_one",
        "filter",
    ]
)

SCHEMA_KEYWORDS = frozenset(
    [
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicAnchor",
        "$dynamicRef",
        "$id",
        "$ref",
        "$schema",
        "$vocabulary",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "dependentRequired",
        "dependentSchemas",
        "deprecated",
        "description",
        "else",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "if",
        "items",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "not",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "readOnly",
        "required",
        "then",
        "title",
        "type",
        "unevaluatedItems",
        "unevaluatedProperties",
        "uniqueItems",
        "writeOnly",
    ]
)
"""The keywords of JSON Schema draft 2020-12."""


def _text(value: Any) -> bool:
    return value.__class__ is str


def _filled(value: Any) -> bool:
    return value.__class__ is str and value != "" and not value.isspace()


def _whole(value: Any) -> bool:
    return value.__class__ is int


def _number(value: Any) -> bool:
    return value.__class__ is int or value.__class__ is float


def _refuse_blank(value: Any, name: str) -> Refusal | None:
    if isinstance(value, str):
        return Code.OUT_OF_RANGE, f"{name} is empty.", "Leave the field out, or fill it in."
    return None


def _is_id(value: Any) -> bool:
    return value.__class__ is str and value.isprintable() and value != "" and value == value.strip()


def _refuse_id(value: Any, name: str) -> Refusal | None:
    if not isinstance(value, str):
        return None
    message = f"{name} is not a usable id: {'it is empty' if not value.strip() else 'it has stray blanks'}."
    return Code.BAD_NAME, message, "An id has at least one character, no line breaks, no blanks at its ends."


def _is_key(value: Any) -> bool:
    return value.__class__ is str and IDENTIFIER.match(value) is not None and value not in _KEY_WORDS


def _refuse_key(value: Any, name: str) -> Refusal | None:
    if not isinstance(value, str):
        return None
    if value in _KEY_WORDS:
        return Code.RESERVED_NAME, f"{name}: `{value}` is a word of the guard language.", f"Try `{value}_`."
    return _bad_identifier(name, value)


def _bad_identifier(name: str, value: str) -> Refusal:
    tame = re.sub(r"\W+", "_", value, flags=re.ASCII).strip("_") or "name"
    tame = f"_{tame}" if tame[0].isdigit() else tame
    message = f"{name}: `{value[:60]}` cannot be used in guards."
    return Code.BAD_NAME, message, f"Use letters, digits and _, not a digit first: `{tame[:60]}`."


def refuse_channel(value: str) -> Refusal | None:
    if value in RESERVED_CHANNELS:
        message = f"`{value}` is a name that every flow has already."
        return Code.RESERVED_NAME, message, f"Choose another name, such as `my_{value}`."
    if value in _EXPRESSION_WORDS:
        message = f"`{value}` is a word of the guard language."
        return Code.RESERVED_NAME, message, f"Choose another name, such as `{value}_`."
    return None if IDENTIFIER.match(value) else _bad_identifier("Name", value)


def refuse_odd_id(value: str) -> Refusal | None:
    return None if _is_id(value) else _refuse_id(value, "The name")


def choice(*allowed: str) -> Scalar:
    def refuse(value: Any, name: str) -> Refusal | None:
        hint = Names(allowed).hint(value, "Leave it out for the default.") if isinstance(value, str) else ""
        return Code.UNKNOWN_VALUE, f"{name} is {listed(allowed)}, not {_shown(value)}.", hint

    return Scalar(listed(allowed), {"enum": list(allowed)}, lambda v: isinstance(v, str) and v in allowed, refuse)


def _shown(value: Any) -> str:
    return f"`{value[:60]}`" if isinstance(value, str) else f"`{value}`"[:60]


def number_from(
    expected: str, whole: bool, minimum: float, *, above: bool = False, at_most: float | None = None
) -> Scalar:
    def good(value: Any) -> bool:
        if not (_whole(value) if whole else _number(value)):
            return False
        return (value > minimum if above else value >= minimum) and (at_most is None or value <= at_most)

    def refuse(value: Any, name: str) -> Refusal | None:
        if not _number(value) or (whole and not _whole(value)):
            return None
        return Code.OUT_OF_RANGE, f"{name} must be {expected}, not {value}.", "Leave it out for the default."

    json: dict[str, Any] = {"type": "integer" if whole else "number"}
    json["exclusiveMinimum" if above else "minimum"] = minimum
    if at_most is not None:
        json["maximum"] = at_most
    return Scalar(expected, json, good, refuse)


def refuse_version(value: Any, name: str) -> Refusal | None:
    shown = _shown(value)
    if isinstance(value, str) and re.fullmatch(r"v\d+", value) and int(value[1:]) > 1:
        message = f"This flow is written for version {shown} of the language; this program reads `{VERSION}`."
        return Code.VERSION, message, "Update Graphwright, or write the flow for v1."
    return Code.VERSION, f"{shown} is no version of the language.", f"Write `version: {VERSION}`."


_BLANKLESS = {"type": "string", "minLength": 1, "pattern": r"\S"}
TEXT = Scalar("a text", {"type": "string"}, _text)
EXPRESSION = Scalar("a text", _BLANKLESS, _filled, _refuse_blank)
FLAG = Scalar("true or false", {"type": "boolean"}, lambda v: v.__class__ is bool)
WHOLE = Scalar("a whole number", {"type": "integer"}, _whole)
ID = Scalar("a text", {"type": "string", "minLength": 1, "pattern": r"^\S(.*\S)?$"}, _is_id, _refuse_id)
KEY = Scalar("a text", {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}, _is_key, _refuse_key)
GUARD = Scalar("a text", {"type": ["string", "null"], "minLength": 1}, lambda v: v is None or _filled(v), _refuse_blank)
OBJECT = Free((dict,), "a mapping", {"type": "object"})
SCHEMA = Free((dict, bool), "a JSON Schema (a mapping)", {"type": ["object", "boolean"]})
ANYTHING = Free()
CHANNEL_NAME_JSON = {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$", "not": {"enum": sorted(RESERVED_CHANNELS)}}
