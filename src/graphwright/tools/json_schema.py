"""JSON Schema: the violations of a value in words, and a quick test, in plain functions, that most values pass."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from graphwright.flow.json_schemas import validator_class
from graphwright.text.near_names import nearest

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, ValidationError

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


def surely_fits(schema: Any) -> Fits:
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
    parts = [surely_fits(each) for each in schemas]
    return lambda value: any(part(value) for part in parts)


def _items(schema: Any) -> Fits:
    item = surely_fits(schema)
    return _never if item is _never else lambda value: not isinstance(value, list) or all(map(item, value))


def _object(schema: Mapping[str, Any]) -> Fits:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    tests = [(name, surely_fits(part)) for name, part in properties.items()]
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


def violations(schema: Mapping[str, Any], value: Any) -> list[str]:
    """What of a value does not fit a schema, a line each, with the nearest of what would be allowed.

    An unusable schema raises whatever the validator raises.
    """
    validator, fits = _validator(json.dumps(dict(schema)))
    if fits(value):
        return []
    return sorted(line for error in validator.iter_errors(value) for line in _described(error))


@lru_cache(maxsize=256)
def _validator(schema: str) -> tuple[Draft202012Validator, Fits]:
    # Looking the schema itself over takes longer than the rest of a call: once is enough.
    parsed = json.loads(schema)
    checker = validator_class()
    checker.check_schema(parsed)
    return checker(parsed), surely_fits(parsed)


def _described(error: ValidationError) -> Iterator[str]:
    schema: Any = error.schema
    given: Any = error.instance
    place = ".".join(map(str, error.path))
    if error.validator == "additionalProperties" and schema["additionalProperties"] is False:
        known = list(schema.get("properties", ()))
        patterns = schema.get("patternProperties", ())
        for name in given:
            if name not in known and not any(re.search(pattern, name) for pattern in patterns):
                near = did_you_mean(name, known) or f"there are {', '.join(known) or 'none'}"
                yield f"{f'{place}.' if place else ''}{name}: there is no such argument; {near}"
        return
    near = ""
    if error.validator == "enum" and isinstance(given, str):
        near = did_you_mean(given, [value for value in schema["enum"] if isinstance(value, str)])
    yield f"{place or 'arguments'}: {error.message}{f'; {near}' if near else ''}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question that names the known text nearest to a word; empty where none is near."""
    near = nearest(word, known)
    return f"did you mean {near!r}?" if near else ""
