"""A quick test of JSON values against a schema, in plain functions, that most values pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

Fits = Callable[[Any], bool]
"""A test of a JSON value: true where it certainly fits; where it is false a validator has to decide."""

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
_OF_OBJECTS = frozenset(("properties", "required", "additionalProperties"))


def quick_test(schema: Any) -> Fits:
    """The test of a schema. It is never true where the schema has a keyword that is not known here."""
    if schema is True or schema == {}:
        return _always
    if not isinstance(schema, Mapping) or not schema.keys() <= _SAY_NOTHING | _OF_OBJECTS | _TESTS.keys():
        return _never
    parts = [test(schema[keyword]) for keyword, test in _TESTS.items() if keyword in schema]
    if not _OF_OBJECTS.isdisjoint(schema):
        parts.append(_object(schema))
    if _never in parts:
        return _never
    return parts[0] if len(parts) == 1 else lambda value: all(part(value) for part in parts)


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


def _any(schemas: Any) -> Fits:
    parts = [quick_test(each) for each in schemas]
    return lambda value: any(part(value) for part in parts)


def _items(schema: Any) -> Fits:
    item = quick_test(schema)
    return _never if item is _never else lambda value: not isinstance(value, list) or all(map(item, value))


def _object(schema: Mapping[str, Any]) -> Fits:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    tests = [(name, quick_test(part)) for name, part in properties.items()]
    if others not in (True, False) or any(test is _never for _, test in tests):
        return _never
    known, needed = frozenset(properties), tuple(schema.get("required", ()))

    def fits(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        return (
            (others or known.issuperset(value))
            and all(name in value for name in needed)
            and all(test(value[name]) for name, test in tests if name in value)
        )

    return fits


_TESTS: Mapping[str, Callable[[Any], Fits]] = {
    "type": _of_type,
    "enum": _one_of,
    "const": lambda only: _one_of([only]),
    "minLength": lambda least: lambda value: not isinstance(value, str) or len(value) >= least,
    "minimum": lambda least: lambda value: not isinstance(value, int | float) or value >= least,
    "maximum": lambda most: lambda value: not isinstance(value, int | float) or value <= most,
    "items": _items,
    "anyOf": _any,
}
