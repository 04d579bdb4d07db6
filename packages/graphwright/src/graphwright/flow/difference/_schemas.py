"""Whether one JSON Schema allows more values than another: proven keyword by keyword, shown by a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from graphwright.flow._changes import without_annotations
from graphwright.flow._json_schemas import TYPES, options
from graphwright.flow.difference._values import fits, key_of, literals_of, samples
from graphwright.flow.guards._vocabulary import words

SchemaRelation = Literal["equal", "wider", "narrower", "incomparable", "unknown"]
"""The later schema compared with the earlier one: a wider one allows more values."""

_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_ALONE = words(
    """type enum const multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern format
    minItems maxItems uniqueItems required minProperties maxProperties properties patternProperties propertyNames
    dependentRequired dependentSchemas anyOf oneOf allOf not x-unit"""
)
"""The keywords that mean the same whatever other keywords their schema has."""

_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class SchemaComparison:
    """The relation of two schemas.

    `only_before` and `only_after` have at most one value, which only one of the two schemas allows.
    """

    relation: SchemaRelation
    only_before: tuple[Any, ...] = ()
    only_after: tuple[Any, ...] = ()


def compare_schemas(before: Any, after: Any) -> SchemaComparison:
    """Compare two schemas. A relation other than `unknown` is proven."""
    one, other = without_annotations(before), without_annotations(after)
    only_before, only_after = _examples(one, other)
    provable = "$ref" not in (text := repr((one, other))) and "$dynamicRef" not in text
    forward = False if only_before else (provable and _covers(other, one, 0)) or None
    backward = False if only_after else (provable and _covers(one, other, 0)) or None
    relations: dict[tuple[bool | None, bool | None], SchemaRelation] = {
        (True, True): "equal",
        (True, False): "wider",
        (False, True): "narrower",
        (False, False): "incomparable",
    }
    return SchemaComparison(relations.get((forward, backward), "unknown"), only_before, only_after)


def samples_of(one: Any, other: Any) -> list[Any]:
    """Values at the limits of both schemas."""
    literals = literals_of(one, other)
    found = {key_of(value): value for schema in (one, other) for value in samples(schema, literals)}
    return list(found.values())


def _examples(one: Any, other: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The first value that only the one schema allows, and the first that only the other one does."""
    found: dict[tuple[bool | None, bool | None], tuple[Any, ...]] = {(True, False): (), (False, True): ()}
    for value in samples_of(one, other):
        allowed = fits(value, one), fits(value, other)
        if found.get(allowed) == ():
            found[allowed] = (value,)
            if all(found.values()):
                break
    return found[True, False], found[False, True]


def _covers(wide: Any, narrow: Any, depth: int) -> bool | None:
    """True if every value of `narrow` is surely one of `wide`, else None."""
    if key_of(wide) == key_of(narrow) or wide is True or wide == {} or narrow is False:
        return True
    if not isinstance(wide, Mapping) or not isinstance(narrow, Mapping) or depth > _DEEPEST:
        return None
    values = _all_values(narrow)
    if values is not None:
        return all(fits(value, wide) or fits(value, narrow) is False for value in values) or None
    for word in ("anyOf", "oneOf"):
        if word in narrow and all(_covers(wide, branch, depth + 1) for branch in narrow[word]):
            return True
    if (
        "anyOf" in wide
        and set(wide) == {"anyOf"}
        and any(_covers(branch, narrow, depth + 1) for branch in wide["anyOf"])
    ):
        return True
    return all(_implied(keyword, value, wide, narrow, depth) for keyword, value in wide.items()) or None


def _all_values(schema: Mapping[str, Any]) -> list[Any] | None:
    """A list with all values of a schema, or None if it does not list them."""
    if found := options(schema):
        branches = [branch for word in ("oneOf", "anyOf") for branch in schema.get(word, ())]
        return found + [None] * any(branch.get("type") == "null" for branch in branches)
    if schema.get("type") == "boolean":
        return [True, False]
    return [None] if schema.get("type") == "null" else None


def _types(schema: Mapping[str, Any]) -> frozenset[str]:
    given = schema.get("type", TYPES)
    names = frozenset([given] if isinstance(given, str) else given)
    return names | {"integer"} if "number" in names else names


def _implied(keyword: str, value: Any, wide: Mapping[str, Any], narrow: Mapping[str, Any], depth: int) -> bool:
    """Whether a keyword of `wide` refuses nothing that `narrow` allows."""
    own = narrow.get(keyword)
    if keyword in ("default", "$defs") or (keyword in narrow and keyword in _ALONE and key_of(own) == key_of(value)):
        return True
    if keyword == "type":
        return _types(narrow) <= _types(wide)
    if keyword in _LOWER or keyword in _UPPER:
        return _bounded(keyword, value, narrow)
    if keyword == "required":
        return set(value) <= set(narrow.get("required", ()))
    if keyword == "items":
        return "items" in narrow and "prefixItems" not in narrow and bool(_covers(value, own, depth + 1))
    if keyword == "properties":
        return all(_property_implied(name, part, narrow, depth) for name, part in value.items())
    if keyword == "additionalProperties":
        return value is True or (
            own is value is False and _declared(narrow) <= _declared(wide) and "patternProperties" not in narrow
        )
    return False


def _declared(schema: Mapping[str, Any]) -> frozenset[str]:
    return frozenset((*schema.get("properties", ()), *schema.get("patternProperties", ())))


def _property_implied(name: str, part: Any, narrow: Mapping[str, Any], depth: int) -> bool:
    declared = narrow.get("properties", {})
    if name in declared:
        return bool(_covers(part, declared[name], depth + 1))
    return narrow.get("additionalProperties") is False and "patternProperties" not in narrow


def _bounded(keyword: str, bound: float, narrow: Mapping[str, Any]) -> bool:
    """Whether the bounds of `narrow` are at least as narrow as one bound."""
    for own, strict in ((keyword, False), *_NUMERIC.get(keyword, ())):
        value = narrow.get(own)
        if isinstance(value, int | float):
            beyond = value - bound if keyword in _LOWER else bound - value
            if beyond > 0 or (beyond == 0 and not strict):
                return True
    return False


_NUMERIC: Mapping[str, tuple[tuple[str, bool], ...]] = {
    "minimum": (("exclusiveMinimum", False),),
    "maximum": (("exclusiveMaximum", False),),
    "exclusiveMinimum": (("minimum", True),),
    "exclusiveMaximum": (("maximum", True),),
}
"""The other bound that implies a bound; if the second value is true, only beyond it."""
