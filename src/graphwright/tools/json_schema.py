"""JSON Schema: the violations of a value in words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from graphwright.flow.json_schemas import validator_class
from graphwright.flow.quick_fits import Fits, quick_test
from graphwright.text.near_names import nearest

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, ValidationError


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
    return checker(parsed), quick_test(parsed)


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
