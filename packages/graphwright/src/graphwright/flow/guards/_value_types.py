"""Value types: the properties of a JSON Schema that expressions need (kind, nullability, allowed values, parts)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Kind = Literal["text", "integer", "number", "boolean", "list", "object", "moment", "any", "answers"]

_KINDS: Mapping[str, Kind] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "array": "list",
    "object": "object",
}

MAX_DEPTH = 64
INT64 = (-(2**63), 2**63 - 1)


class UnfitValueError(ValueError):
    """A value that expressions cannot hold. The text is the reason, without the name of the value."""


@dataclass(frozen=True, slots=True)
class ValueType:
    """The values a name may have.

    `allowed` lists the only possible values, except null; None if there are infinitely many. `items` belongs to lists,
    `properties` to objects that declare them. `graph` is set for `answers` itself and for a call's scope.
    """

    kind: Kind
    nullable: bool = False
    allowed: tuple[Any, ...] | None = None
    items: ValueType | None = None
    properties: Mapping[str, ValueType] = field(default_factory=dict)
    graph: str | None = None


ANY = ValueType("any", nullable=True)
NULL = ValueType("any", nullable=True, allowed=())
TEXT = ValueType("text")
NUMBER = ValueType("number")
INTEGER = ValueType("integer")
BOOLEAN = ValueType("boolean")
MOMENT = ValueType("moment")
_SCALARS: Mapping[str, ValueType] = {"string": TEXT, "number": NUMBER, "integer": INTEGER, "boolean": BOOLEAN}


def type_of_schema(schema: Any) -> ValueType:
    """The type of the values of a JSON Schema; `any` if the schema leaves it open."""
    if type(schema) is not dict and not isinstance(schema, Mapping):
        return ANY
    if "const" in schema:
        return _of_values((schema["const"],), schema)
    if "enum" in schema and _is_list(schema["enum"]):
        return _of_values(tuple(schema["enum"]), schema)
    for word in ("oneOf", "anyOf"):
        if word in schema and _is_list(schema[word]) and schema[word]:
            return _union([type_of_schema(branch) for branch in schema[word]])
    kinds = schema.get("type")
    if isinstance(kinds, str) and kinds in _SCALARS:
        return _SCALARS[kinds]
    if kinds is None:
        kinds = "object" if "properties" in schema else "array" if "items" in schema else ()
    names = [kinds] if isinstance(kinds, str) else [str(kind) for kind in kinds]
    nullable = "null" in names
    if names == ["null"]:
        return NULL
    kind = _common([_KINDS.get(name, "any") for name in names if name != "null"])
    if kind == "list":
        return ValueType("list", nullable, items=type_of_schema(schema.get("items")))
    if kind == "object":
        return ValueType("object", nullable, properties=_properties(schema))
    return ValueType(kind, nullable or kind == "any")


def _is_list(value: Any) -> bool:
    return type(value) is list or (isinstance(value, Sequence) and not isinstance(value, str))


def _properties(schema: Mapping[str, Any]) -> dict[str, ValueType]:
    declared = schema.get("properties")
    if not isinstance(declared, Mapping):
        return {}
    return {str(name): type_of_schema(part) for name, part in declared.items()}


def _common(kinds: Sequence[Kind]) -> Kind:
    found = set(kinds)
    if len(found) == 1:
        return found.pop()
    return "number" if found == {"integer", "number"} else "any"


def kind_of_value(value: Any) -> Kind:
    """The kind of a JSON value; `any` for null and for values that are not JSON scalars."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return "text" if isinstance(value, str) else "any"


def _of_values(values: tuple[Any, ...], schema: Mapping[str, Any]) -> ValueType:
    if {*map(type, values)} == {str}:
        return ValueType("text", allowed=values)
    allowed = tuple(value for value in values if value is not None)
    nullable = len(allowed) < len(values)
    kinds = [kind_of_value(value) for value in allowed]
    kind = _common(kinds) if kinds else "any"
    if schema.get("type") == "number" and kind == "integer":
        kind = "number"
    if "any" in kinds:
        return ANY
    return ValueType(kind, nullable or kind == "any", allowed)


def _union(shapes: Sequence[ValueType]) -> ValueType:
    rest = [shape for shape in shapes if shape != NULL]
    if not rest:
        return NULL
    if len(rest) == 1:
        return replace(rest[0], nullable=rest[0].nullable or len(rest) < len(shapes))
    kind = _common([shape.kind for shape in rest])
    if kind in ("list", "object") or ANY in rest:
        return ANY
    nullable = kind == "any" or len(rest) < len(shapes) or any(shape.nullable for shape in rest)
    allowed: tuple[Any, ...] | None = ()
    for shape in rest:
        allowed = None if allowed is None or shape.allowed is None else allowed + shape.allowed
    return ValueType(kind, nullable, allowed)


def converter(shape: ValueType) -> Callable[[Any], Any] | None:
    """A function that converts a JSON value for expressions, or None if no conversion is needed.

    JSON does not distinguish 3 from 3.0; for computations a number must be a float and an integer an int. The converter
    raises `UnfitValueError` for values that the CEL library would fail on or misread: an integer beyond 64 bits, lists
    and objects nested too deep, a text with a NUL character.
    """
    match shape.kind:
        case "text":
            return _whole
        case "number":
            return _to_float
        case "integer":
            return _to_int
        case "list":
            return _list_converter(None if shape.items is None else _inner(shape.items))
        case "object":
            parts = {name: c for name, part in shape.properties.items() if (c := _inner(part)) is not None}
            return _object_converter(parts)
        case "any":
            return bounded
        case _:
            return None


def _inner(shape: ValueType) -> Callable[[Any], Any] | None:
    """The converter of a part. The depth of the whole and its texts are checked once, by the caller."""
    return None if shape.kind in ("any", "text") else converter(shape)


def bounded(value: Any) -> Any:
    """Return the value unchanged.

    Raises `UnfitValueError` if lists and objects in it nest deeper than 64, or a text in it contains a NUL character.
    """
    if type(value) is not list and type(value) is not dict:
        return _whole(value)
    level = [value]
    for _ in range(MAX_DEPTH):
        for whole in level:
            for part in whole:
                _whole(part)
            if type(whole) is dict:
                for part in whole.values():
                    _whole(part)
        # By identity, so that a part used twice is examined once and a value that contains itself stays finite.
        inner = {
            id(part): part
            for whole in level
            for part in (whole.values() if type(whole) is dict else whole)
            if type(part) is list or type(part) is dict
        }
        if not inner:
            return value
        level = list(inner.values())
    raise UnfitValueError(f"nests deeper than {MAX_DEPTH} levels")


def _whole(value: Any) -> Any:
    # The library cuts a text at its first NUL character: `red\0ish` would equal `red`.
    if isinstance(value, str) and "\0" in value:
        raise UnfitValueError("contains a NUL character")
    return value


def _to_float(value: Any) -> Any:
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:
            raise UnfitValueError("is too large a number") from None
    return value


def _to_int(value: Any) -> Any:
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is int and not INT64[0] <= value <= INT64[1]:
        raise UnfitValueError("is an integer beyond 64 bits")
    return value


def _list_converter(each: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        bounded(value)
        return value if each is None or not isinstance(value, list) else [each(part) for part in value]

    return convert


def _object_converter(parts: Mapping[str, Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        bounded(value)
        if not parts or not isinstance(value, dict):
            return value
        return {name: parts[name](part) if name in parts else part for name, part in value.items()}

    return convert
