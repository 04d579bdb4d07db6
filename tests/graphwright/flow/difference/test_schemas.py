"""Whether a JSON Schema became wider or narrower: every verdict agrees with the validator, and is shown by a value."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwright.flow._schema_validation import first_violation
from graphwright.flow.difference._schemas import compare_schemas

TEXT = {"type": "string"}
OBJECT = {"type": "object", "properties": {"a": TEXT}}
SIZE = {"type": "integer", "minimum": 1, "maximum": 9}


@pytest.mark.parametrize(
    ("before", "after", "relation"),
    [
        (SIZE, {**SIZE, "maximum": 10}, "wider"),
        (SIZE, {**SIZE, "minimum": 2}, "narrower"),
        (SIZE, {**SIZE, "minimum": 2, "maximum": 10}, "incomparable"),
        (SIZE, {**SIZE, "title": "Lamps"}, "equal"),
        (SIZE, {"type": "number", "exclusiveMinimum": 0, "maximum": 9}, "wider"),
        ({"enum": ["a", "b"]}, {"enum": ["b", "a"]}, "equal"),
        ({"enum": ["a", "b"]}, {"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}, {"const": "c"}]}, "wider"),
        ({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, {"enum": ["a"]}, "narrower"),
        ({"enum": ["a", "b"]}, TEXT, "wider"),
        (TEXT, {**TEXT, "minLength": 3}, "narrower"),
        (TEXT, {**TEXT, "format": "date"}, "narrower"),
        (TEXT, {"type": ["string", "null"]}, "wider"),
        ({**TEXT, "pattern": "^a"}, {**TEXT, "pattern": "^(a)"}, "unknown"),
        ({"type": "array", "items": SIZE}, {"type": "array", "items": {**SIZE, "maximum": 12}}, "wider"),
        (OBJECT, {**OBJECT, "required": ["a"]}, "narrower"),
        (OBJECT, {**OBJECT, "properties": {"a": SIZE}}, "incomparable"),
        (OBJECT, {**OBJECT, "properties": {"a": TEXT, "b": TEXT}}, "narrower"),
        (OBJECT, {**OBJECT, "additionalProperties": False}, "narrower"),
        ({"contains": TEXT, "minContains": 0}, {"contains": TEXT}, "unknown"),
        ({"$ref": "#/$defs/a", "$defs": {"a": TEXT}}, {"$ref": "#/$defs/a", "$defs": {"a": SIZE}}, "incomparable"),
        (True, TEXT, "narrower"),
    ],
)  # fmt: skip
def test_relations(before: Any, after: Any, relation: str) -> None:
    found = compare_schemas(before, after)
    assert found.relation == relation, found
    assert all(not first_violation(before, value) and first_violation(after, value) for value in found.only_before)
    assert bool(found.only_after) == (relation in ("wider", "incomparable"))


scalars = st.sampled_from([0, 1, 2, 3, 2.5, "a", "ab", "", True, None])
numeric = st.fixed_dictionaries(
    {"type": st.sampled_from(["integer", "number", ["integer", "null"]])},
    optional={
        **dict.fromkeys(("minimum", "exclusiveMinimum"), st.integers(-1, 2)),
        **dict.fromkeys(("maximum", "exclusiveMaximum"), st.integers(1, 4)),
        "multipleOf": st.sampled_from([1, 2]),
    },
)
text = st.fixed_dictionaries(
    {"type": st.just("string")},
    optional={
        "minLength": st.integers(0, 2),
        "maxLength": st.integers(1, 3),
        "pattern": st.sampled_from(["^a", "b$"]),
    },
)
flat = st.one_of(
    numeric,
    text,
    st.builds(lambda values: {"enum": values}, st.lists(scalars, min_size=1, max_size=3)),
    st.sampled_from([{}, {"type": "boolean"}, {"type": "null"}, {"const": 1}, {"not": {"type": "string"}}]),
)
nested = st.one_of(
    flat,
    st.builds(lambda branches: {"anyOf": branches}, st.lists(flat, min_size=1, max_size=2)),
    st.builds(lambda branches: {"oneOf": branches}, st.lists(flat, min_size=1, max_size=2)),
    st.fixed_dictionaries(
        {"type": st.just("array")},
        optional={"items": flat, "maxItems": st.integers(0, 2), "uniqueItems": st.just(True)},
    ),
    st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from("ab"), flat, max_size=2)},
        optional={"required": st.sampled_from([["a"], ["b", "a"]]), "additionalProperties": st.booleans()},
    ),
)
values = st.recursive(
    st.one_of(scalars, st.integers(-2, 5), st.sampled_from(["abb", "b", "xxxx", 0.5, 1.0, 4.0])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=2)),
    max_leaves=3,
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(before=nested, after=nested, data=st.data())
def test_no_relation_contradicts_the_validator(before: Any, after: Any, data: st.DataObject) -> None:
    if data.draw(st.booleans()):
        after = {**before, **{name: value for name, value in after.items() if name in before and name != "type"}}
    found = compare_schemas(before, after)
    for value in data.draw(st.lists(values, min_size=10, max_size=30)):
        one, other = (not first_violation(schema, value) for schema in (before, after))
        assert not (one and not other) or found.relation in ("narrower", "incomparable", "unknown"), (value, found)
        assert not (other and not one) or found.relation in ("wider", "incomparable", "unknown"), (value, found)
