"""The common part of JSON Schema as plain functions: most values fit, and need no validator to be told so."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

Fits = Callable[[Any], bool]
"""Of a JSON value: true where it surely fits. False says nothing: it is for a validator to say."""

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}

_SAY_NOTHING = frozenset(("title", "description", "default", "examples", "$comment"))
_KNOWN = _SAY_NOTHING | {"type", "enum", "const", "minLength", "minimum", "maximum", "items", "anyOf"}
_KNOWN |= {"properties", "required", "additionalProperties"}


def surely_fits(schema: Any) -> Fits:
    """The test of a schema. It is never true where the schema has a keyword that is not known here."""
    if schema is True or schema == {}:
        return _always
    if not isinstance(schema, Mapping) or not schema.keys() <= _KNOWN:
        return _never
    parts: list[Fits] = []
    if "type" in schema:
        parts.append(_of_type(schema["type"]))
    if "enum" in schema:
        parts.append(_one_of(schema["enum"]))
    if "const" in schema:
        parts.append(_one_of([schema["const"]]))
    if "minLength" in schema:
        parts.append(_long(schema["minLength"]))
    if "minimum" in schema or "maximum" in schema:
        parts.append(_within(schema.get("minimum", -math.inf), schema.get("maximum", math.inf)))
    if "items" in schema:
        parts.append(_items(surely_fits(schema["items"])))
    if "anyOf" in schema:
        parts.append(_any([surely_fits(part) for part in schema["anyOf"]]))
    if not schema.keys().isdisjoint(("properties", "required", "additionalProperties")):
        parts.append(
            _properties(
                schema.get("properties", {}), schema.get("required", ()), schema.get("additionalProperties", True)
            )
        )
    if _never in parts:
        return _never
    if len(parts) == 1:
        return parts[0]
    return lambda value: all(part(value) for part in parts)


def _always(_: Any) -> bool:
    return True


def _never(_: Any) -> bool:
    return False


def _of_type(named: Any) -> Fits:
    names = named if isinstance(named, list) else [named]
    kinds = frozenset(kind for name in names for kind in _TYPES.get(name, ()))
    return lambda value: type(value) in kinds


def _one_of(values: Collection[Any]) -> Fits:
    # Only what equals nothing of another type: 1, 1.0 and true do.
    texts = frozenset(value for value in values if value is None or type(value) is str)
    return lambda value: (value is None or type(value) is str) and value in texts


def _long(least: int) -> Fits:
    return lambda value: not isinstance(value, str) or len(value) >= least


def _within(least: float, most: float) -> Fits:
    return lambda value: not isinstance(value, int | float) or least <= value <= most


def _any(parts: list[Fits]) -> Fits:
    return lambda value: any(part(value) for part in parts)


def _items(item: Fits) -> Fits:
    if item is _never:
        return _never
    return lambda value: not isinstance(value, list) or all(map(item, value))


def _properties(properties: Mapping[str, Any], required: Collection[str], others: Any) -> Fits:
    tests = [(name, surely_fits(part)) for name, part in properties.items()]
    if others not in (True, False) or any(test is _never for _, test in tests):
        return _never
    known, needed = frozenset(properties), tuple(required)

    def fits(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        return (
            (others or known.issuperset(value))
            and all(name in value for name in needed)
            and all(test(value[name]) for name, test in tests if name in value)
        )

    return fits
