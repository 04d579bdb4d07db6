"""The declarations of tools by servers: names valid for every provider, bounded texts, harmless schemas."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwright.text.markup import clean, one_line
from graphwright.tools import Tool, ToolRegistry
from graphwright.tools.mcp._declarations import Unusable, description, offered_name, parameters

SAFE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,62}\Z")


def test_names_are_safe_and_stay_apart() -> None:
    for server, tool, name in (
        ("", "search_elog", "search_elog"),
        ("git", "a.b/c d", "git__a_b_c_d"),
        ("", "7z", "_7z"),
    ):
        assert offered_name(server, tool, ()) == name
    one, other = (offered_name("server", "t" * 80 + end, ()) for end in "ab")
    taken = offered_name("server", "t" * 80 + "a", {one})
    assert len({one, other, taken}) == 3
    assert all(map(SAFE.match, (one, other, taken)))
    assert offered_name("s", "a", {"s__a", "s__a_2"}) == "s__a_3"


@given(st.text(max_size=100), st.text(max_size=200))
def test_every_name_is_safe(server: str, tool: str) -> None:
    assert SAFE.match(offered_name(server, tool, ()))


@given(st.text(max_size=300), st.integers(10, 100))
def test_every_text_becomes_one_harmless_line(text: str, most: int) -> None:
    line = one_line(text, most)
    assert len(line) <= most
    assert not set(line) & {"\n", "\r", "\x1b", "\x00", "\u202e", "\u2028"}
    line.encode("utf-8")
    assert clean(clean(text)) == clean(text)


def test_control_and_hidden_characters_are_removed() -> None:
    assert clean("a\x1b[31mb\x1b]0;title\x07c\u202ed\u200be\U000e0041f\x00g\r\nh") == "abcdefg\nh"
    # Joiners are letters in some scripts.
    assert clean("می\u200cخواهم x") == "می\u200cخواهم x"
    assert clean("\ud83d") == "?"
    assert description("x" * 10_000_000).endswith(" …")


USUAL = {
    "type": "object",
    "properties": {
        "zone": {"type": "string", "description": "IANA name", "minLength": 1},
        "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
        "many": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": None},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
    },
    "required": ["zone"],
    "additionalProperties": False,
}
NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
POINT = {"type": "object", "properties": {"x": {"type": "number"}}}
ODD = {"properties": {"a b": {}, "c": {}}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "made"),
    [
        (USUAL, USUAL),
        # References are inlined; they cannot be external or cyclic.
        (
            {"properties": {"at": {"$ref": "#/$defs/Point", "description": "Where"}}, "$defs": {"Point": POINT}},
            {"properties": {"at": {**POINT, "description": "Where"}}},
        ),
        ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, {"properties": {"a": {}}}),
        ({"properties": {"a": {"$ref": "#/nowhere"}}}, {"properties": {"a": {}}}),
        (
            {"properties": {"first": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": NODE}},
            {"properties": {"first": {"type": "object", "properties": {"next": {}}}}},
        ),
        ({"$ref": "#"}, {"properties": {}}),
        # Alternatives at the top become arguments.
        (
            {
                "allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}],
                "anyOf": [{"properties": {"b": {"type": "integer"}}, "required": ["b"]}, {"properties": {"c": {}}}],
            },
            {"properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {}}, "required": ["a"]},
        ),
        # An argument that cannot be offered is left out; one that is only listed as required is added.
        (ODD, {"properties": {"c": {}}, "additionalProperties": True}),
        ({"required": ["d"]}, {"properties": {"d": {}}, "required": ["d"]}),
    ],
)
def test_the_schema_is_rebuilt_from_what_is_safe(schema: dict[str, Any], made: dict[str, Any]) -> None:
    assert parameters(schema) == {"type": "object", **made}


DOUBLING = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
LONG = {f"p{n}": {"type": "string", "description": "d" * 200} for n in range(900)}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": DOUBLING}, "too long"),
        ({"properties": LONG}, "too long"),
        ("{}", "no arguments"),
        ({**ODD, "required": ["a b"]}, "'a b'"),
    ],
)
def test_invalid_tools_are_refused(schema: Any, why: str) -> None:
    with pytest.raises(Unusable, match=why):
        parameters(schema)


async def test_an_expression_that_takes_for_ever_is_not_tried() -> None:
    schema = parameters({"properties": {"a": {"type": "string", "pattern": "(a+)+$"}}})
    assert schema["properties"]["a"] == {"type": "string", "description": "(pattern: (a+)+$)"}

    def call(a: str) -> int:
        return len(a)

    result = await ToolRegistry([Tool("t", "", schema, call)]).call("t", {"a": "a" * 5_000 + "!"})
    assert result.value == 5_001


KEYWORDS = st.sampled_from(
    ("type", "enum", "default", "properties", "required", "items", "anyOf", "allOf", "$ref", "$defs", "minLength")
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("#"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS | st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(KEYWORDS, VALUES, max_size=6))
def test_every_declared_schema_can_be_checked(schema: dict[str, Any]) -> None:
    try:
        made = parameters(schema)
    except Unusable:
        return
    result = ToolRegistry([Tool("t", "", made, lambda **given: None)]).check("t", {"a": 1})
    assert result is None or result.kind == "bad_arguments"
