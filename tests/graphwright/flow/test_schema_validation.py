"""Values against JSON Schema, with a reason in words for every violation."""

from __future__ import annotations

from typing import Any

import pytest

from graphwright.flow._schema_validation import UnusableSchema, first_violation, plain_json, schema_problems, violations

VIOLATIONS: list[tuple[dict[str, Any], Any, str]] = [
    ({"type": "integer"}, "x", "it must be a whole number"),
    ({"type": ["integer", "null"]}, "x", "it must be a whole number or nothing"),
    ({"type": "integer", "minimum": 5}, 4, "it must be at least 5"),
    ({"type": "integer", "maximum": 5}, 6, "it must be at most 5"),
    ({"exclusiveMinimum": 5}, 5, "it must be more than 5"),
    ({"exclusiveMaximum": 5}, 5, "it must be less than 5"),
    ({"multipleOf": 5}, 6, "it must be a multiple of 5"),
    ({"enum": [1, 2]}, 3, "it must be one of 1, 2"),
    ({"const": 1}, 2, "it must be 1"),
    ({"minLength": 2}, "x", "it must have at least 2 characters"),
    ({"maxLength": 2}, "xxx", "it must have at most 2 characters"),
    ({"pattern": "^a"}, "b", "it does not have the expected form"),
    ({"pattern": "[0-9].*[0-9]", "examples": ["18 x 36 metres"]}, "b", "it must have a form like “18 x 36 metres”"),
    ({"type": "number", "x-unit": "EUR"}, "five to six grand", "it must be a single number in EUR"),
    ({"type": "integer", "x-unit": "W"}, "five to six", "it must be a single whole number in W"),
    ({"type": ["number", "null"], "x-unit": "EUR"}, [1, 2], "it must be a single number in EUR"),
    ({"format": "email"}, "b", "it must be a valid e-mail address"),
    ({"minItems": 1}, [], "it must have at least 1 entry"),
    ({"maxItems": 1}, [1, 2], "it must have at most 1 entry"),
    ({"uniqueItems": True}, [1, 1], "it must not have an entry twice"),
    ({"type": "object", "required": ["a", "b"]}, {"a": 1}, "it lacks b"),
    ({"additionalProperties": False}, {"a": 1}, "it holds something that is not expected"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x", "it must be a whole number or nothing"),
    ({"oneOf": [{"minimum": 5}, {"minimum": 6}]}, 4, "it is none of the allowed values"),
    ({"anyOf": [{"type": "array"}, {"additionalProperties": {"type": "array"}}]}, {"a": 3}, "a: it must be a list"),
    ({"anyOf": [{"type": "array"}, {"required": ["a"]}]}, {"b": 1}, "it is none of the allowed values"),
    ({"items": {"items": {"type": "string"}}}, [["x"], ["x", 3]], "1.1: it must be a text"),
    ({"items": {"minimum": 5}}, [6, 4], "1: it must be at least 5"),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "it lacks b"),
]


@pytest.mark.parametrize(
    ("schema", "value", "reason"), VIOLATIONS, ids=[next(iter(s)) + str(i) for i, (s, _, _) in enumerate(VIOLATIONS)]
)
def test_every_violation_has_its_words(schema: dict[str, Any], value: Any, reason: str) -> None:
    assert first_violation(schema, value) == reason


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object(), b"x"])
def test_values_that_are_not_json_never_fit(value: Any) -> None:
    assert first_violation({}, value).startswith("it is not JSON")


def test_a_valid_value_has_no_reason() -> None:
    assert first_violation({"type": "integer", "minimum": 5}, 5) == ""
    assert first_violation({}, {"a": [1, None]}) == ""


def test_two_hundred_levels_are_kept() -> None:
    value: Any = 1
    for _ in range(200):
        value = [value]
    plain_json(value)
    with pytest.raises(ValueError, match="levels"):
        plain_json([value])


@pytest.mark.parametrize(
    ("schema", "fits", "does_not"),
    [
        ({"multipleOf": 0.01}, [4.02, 19.99, 1e300, 7], [4.021]),
        ({"multipleOf": 0.1}, [0.3, 4.1, -2.3], [0.35]),
        ({"type": "integer"}, [1.0, 2], [True, 1.5]),
        ({"enum": [1, 0]}, [1.0], [True, False]),
        ({"uniqueItems": True}, [[1, True], [0, False]], [[1, 1.0]]),
        ({"format": "phone"}, ["+49 30 1234567", 5], ["2026-01-31"]),
        ({"format": "date"}, ["2026-01-31"], ["2026-02-30", "31.01.2026"]),
        ({"pattern": r"^(a|aa)+$"}, ["a" * 5_000], ["a" * 5_000 + "b"]),
        ({"pattern": r"^(?!x)\p{L}+$"}, ["José"], ["xa", "a1"]),
        ({"required": ["1"]}, [{1: "a key that JSON writes as text"}], [{}]),
    ],
)
def test_values_fit_as_json_schema_says(schema: dict[str, Any], fits: list[Any], does_not: list[Any]) -> None:
    assert [first_violation(schema, value) for value in fits] == [""] * len(fits)
    assert all(first_violation(schema, value) and violations(schema, value) for value in does_not)


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": r"a\Z"},
        {"pattern": "((a{1,100}){1,100}){1,100}"},
        {"patternProperties": {"(": {}}},
        {"$ref": "https://example.org/schema.json"},
        {"$ref": "file:///etc/hostname"},
        {"$id": "https://example.org/a", "$ref": "b"},
    ],
)
def test_a_schema_that_cannot_be_checked_is_reported(schema: dict[str, Any]) -> None:
    assert [place for place, _ in schema_problems(schema)]
    with pytest.raises(UnusableSchema):
        violations(schema, "x")


def test_a_violation_is_explained_in_the_alternative_that_is_meant() -> None:
    tagged = [
        {"properties": {"kind": {"const": kind}, "size": {"type": type_}}, "required": ["kind"]}
        for kind, type_ in (("lamp", "integer"), ("bell", "string"))
    ]
    schema = {"items": {"anyOf": [*tagged, {"type": "null"}]}}
    value = [None, {"kind": "bell", "size": 3}]
    assert first_violation(schema, value, "de") == "1.size: es muss ein Text sein"
    assert violations(schema, value) == ['1.size: 3 is not of type "string"']
    assert first_violation({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, "b") == "it is none of the allowed values"


def test_a_value_that_is_not_listed_is_explained_for_its_own_key() -> None:
    def entry(key: str, value: Any) -> dict[str, Any]:
        return {"properties": {"key": {"const": key}, "value": value}}

    schema = {"items": {"anyOf": [entry("cups", {"type": "integer"}), entry("size", {"enum": ["small", "large"]})]}}
    (unknown,) = violations(schema, [{"key": "sise", "value": "small"}])
    assert unknown == '0.key: "sise" is not one of "cups" or "size"; did you mean \'size\'?'
    assert first_violation(schema, [{"key": "sise"}]) == "0.key: it must be one of cups, size"
    (found,) = violations(schema, [{"key": "size", "value": "smal"}])
    assert found == '0.value: "smal" is not one of "small" or "large"; did you mean \'small\'?'


def test_an_argument_of_a_tool_without_any_is_named() -> None:
    assert violations({"type": "object", "additionalProperties": False}, {"a": 1, "b": 2}) == [
        "a: there is no such argument; there are none; b: there is no such argument; there are none"
    ]
