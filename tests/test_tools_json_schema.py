"""What the plain functions say surely fits is what a validator of JSON Schema takes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from graphwright.flow.quick_fits import quick_test

NAMES = st.sampled_from(("a", "b"))
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.sampled_from(("", "a", "long"))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=6
)
TYPES = st.sampled_from(("string", "boolean", "integer", "number", "array", "object", "null"))


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    own = {
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
        "enum": st.lists(SCALARS, min_size=1, max_size=3),
        "const": SCALARS,
        **dict.fromkeys(("minLength", "maxItems"), st.integers(0, 3)),
        **dict.fromkeys(("minimum", "maximum"), st.integers(-2, 2)),
        "required": st.lists(NAMES, max_size=2, unique=True),
        "additionalProperties": st.booleans(),
        "title": st.just("t"),
        "items": inner | st.booleans(),
        "properties": st.dictionaries(NAMES, inner | st.booleans(), max_size=2),
        "anyOf": st.lists(inner, min_size=1, max_size=2),
    }
    return st.fixed_dictionaries({}, optional=own)


@settings(deadline=None)
@given(st.recursive(st.just({}), keywords, max_leaves=4), VALUES)
def test_what_surely_fits_is_valid(schema: dict[str, Any], value: Any) -> None:
    if quick_test(schema)(value):
        Draft202012Validator(schema).validate(value)


@pytest.mark.parametrize(
    ("schema", "value", "sure"),
    [
        ({"type": ["object", "null"]}, None, True),
        ({"type": "array", "items": {"type": "object"}}, [{}, 1], False),
        ({"enum": [1]}, True, False),
        ({"type": "integer"}, True, False),
        ({"type": "string", "pattern": "x"}, "x", False),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {"a": "x", "b": 1}, True),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": False}, {"b": 1}, False),
    ],
)
def test_the_common_cases_need_no_validator_and_the_others_do(schema: dict[str, Any], value: Any, sure: bool) -> None:
    assert quick_test(schema)(value) is sure
