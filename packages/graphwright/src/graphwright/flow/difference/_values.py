"""Example values of a JSON Schema: at its limits, on both sides of given literals, and with or without properties."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from graphwright.errors import GraphwrightError
from graphwright.flow._json_schemas import TYPES, options
from graphwright.flow._schema_validation import UnusableSchema, first_violation
from graphwright.flow.guards._value_partitions import Literals, partition

_DEEPEST = 4
_MOST = 60
_FEW = 8
_LONGEST, _LONGEST_TEXT = 60, 5_000
_FORMATTED = {
    "date": "2026-01-31",
    "time": "12:30",
    "date-time": "2026-01-31T12:30:00",
    "email": "someone@example.org",
    "idn-email": "someone@example.org",
    "phone": "+49 30 901820",
    "uri": "https://example.org/a",
    "iri": "https://example.org/a",
    "uuid": "6f1b1a52-7c4c-4b5e-9d42-0f6b8a0f7a11",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "hostname": "example.org",
    "duration": "P1D",
    "json-pointer": "/a",
}

Schema = Mapping[str, Any]


def fits(value: Any, schema: Any) -> bool | None:
    """Whether a value is valid for a schema; None if the schema cannot be used here."""
    if isinstance(schema, bool):
        return schema
    try:
        return not first_violation(schema, value)
    except (UnusableSchema, GraphwrightError):
        return None


def key_of(value: Any) -> str:
    """A text that is equal for equal JSON values only: true is not 1."""
    return f"{type(value).__name__} {value!r}"


def distinct(values: Iterable[Any]) -> list[Any]:
    """The values without repetitions, in their order."""
    return list({key_of(value): value for value in values}.values())


def samples(schema: Any, literals: Literals, depth: int = 0) -> list[Any]:
    """Values near the limits of a schema and near the literals. Some of them may not be valid; `fits` decides."""
    if not isinstance(schema, Mapping):
        schema = {}
    # Each value is validated, which takes the longer the larger the schema is.
    most = min(_most(depth), max(200_000 // len(repr(schema)), 3))
    return distinct(islice(_samples(schema, literals, depth), 4 * most))[:most]


def _most(depth: int) -> int:
    """Fewer values and properties inside of others, because their numbers multiply."""
    return int(max(_MOST // 3**depth, 3))


def valid_samples(schema: Any, literals: Literals, depth: int = 0) -> list[Any]:
    """Those of the samples that are valid."""
    return [value for value in samples(schema, literals, depth) if fits(value, schema)]


def literals_of(*schemas: Any) -> Literals:
    """All numbers and texts in schemas, which separate their values from others."""
    numbers: dict[float, None] = {}
    texts: dict[str, None] = {}
    todo = list(schemas)
    while todo:
        part = todo.pop()
        if isinstance(part, Mapping):
            todo.extend(value for name, value in part.items() if name not in ("title", "description", "format", "type"))
            texts |= dict.fromkeys(part["properties"] if isinstance(part.get("properties"), Mapping) else ())
        elif isinstance(part, list):
            todo.extend(part)
        elif isinstance(part, str):
            texts[part] = None
        elif isinstance(part, int | float) and not isinstance(part, bool):
            numbers[part] = None
    return Literals(tuple(islice(numbers, _MOST)), tuple(islice(texts, _MOST)), True)


def _samples(schema: Schema, literals: Literals, depth: int) -> Iterator[Any]:
    yield from options(schema)
    yield from (value for name in ("examples", "default") for value in _listed(schema.get(name)))
    if "enum" in schema or "const" in schema:
        return
    for word in ("anyOf", "oneOf", "allOf"):
        rest = {name: value for name, value in schema.items() if name != word}
        for branch in schema.get(word, ()) if depth < _DEEPEST else ():
            if isinstance(branch, Mapping):
                yield from _samples({**rest, **branch}, literals, depth + 1)
    kinds = schema.get("type")
    for kind in TYPES if kinds is None else _listed(kinds):
        yield from _of_kind(kind, schema, literals, depth)


def _of_kind(kind: str, schema: Schema, literals: Literals, depth: int) -> Iterator[Any]:
    match kind:
        case "null":
            yield None
        case "boolean":
            yield from (True, False)
        case "string":
            yield from _texts(schema, literals)
        case "integer" | "number":
            yield from _numbers(kind, schema, literals)
        case "array" if depth < _DEEPEST:
            yield from _lists(schema, literals, depth)
        case "object" if depth < _DEEPEST:
            yield from _objects(schema, literals, depth)
        case "array" | "object":
            yield [] if kind == "array" else {}


def _texts(schema: Schema, literals: Literals) -> Iterator[str]:
    if schema.get("format") in _FORMATTED:
        yield _FORMATTED[schema["format"]]
    found = partition({**_without_options(schema), "type": "string"}, literals)
    yield from (value for value in (found.values if found else ()) if isinstance(value, str))
    lengths = [n for n in (*_limits(schema), *literals.numbers) if isinstance(n, int) and 0 < n <= _LONGEST_TEXT]
    yield from ("x" * (length + off) for length in lengths[:_FEW] for off in (0, 1, -1))


def _limits(schema: Schema) -> list[Any]:
    return [schema[name] for name in ("minLength", "maxLength") if name in schema]


def _numbers(kind: str, schema: Schema, literals: Literals) -> Iterator[float]:
    found = partition({**_without_options(schema), "type": kind}, literals)
    yield from (found.values if found else ())
    step = schema.get("multipleOf")
    if isinstance(step, int | float):
        starts = [value for value in (found.values if found else ()) if isinstance(value, int | float)]
        yield from (step * (value // step + off) for value in starts[:_FEW] for off in (0, 1))
    yield from (0, 1, 2, 10, -1)
    if kind == "number":
        yield from (0.5, 1.25)


def _without_options(schema: Schema) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name not in ("enum", "const", "anyOf", "oneOf")}


def _lists(schema: Schema, literals: Literals, depth: int) -> Iterator[list[Any]]:
    items = valid_samples(schema.get("items", {}), literals, depth + 1) or [None]
    near = {0, 1, 2, 3} | {
        n + off for name in ("minItems", "maxItems") for n in _counts(schema.get(name)) for off in (0, 1)
    }
    for length in sorted(near):
        yield (items * (length // len(items) + 1))[:length]
    yield from ([item] for item in items)
    yield [items[0], items[0]]


def _counts(value: Any) -> list[int]:
    return [value] if isinstance(value, int) and value <= _LONGEST else []


def _objects(schema: Schema, literals: Literals, depth: int) -> Iterator[dict[str, Any]]:
    declared = schema.get("properties", {})
    required = [name for name in schema.get("required", ()) if name not in declared]
    parts = {name: valid_samples(part, literals, depth + 1) for name, part in islice(declared.items(), _most(depth))}
    needed = schema.get("required", ())
    whole = {name: values[0] for name, values in parts.items() if values} | dict.fromkeys(required, "x")
    base = {name: value for name, value in whole.items() if name in needed}
    yield base
    yield whole
    for name in ("another", *islice((text for text in literals.texts if text not in declared), _FEW)):
        yield from ({**base, name: value} for value in (1, "x", None))
    for name, values in parts.items():
        yield {other: value for other, value in whole.items() if other != name}
        yield from ({**base, name: value} for value in values)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
