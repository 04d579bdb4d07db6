"""Reading texts: YAML by the 1.2 core schema, JSON, hostile input, and positions."""

import json

import pytest

from graphwright.flow import Compilation, compile_document, compile_text
from graphwright.flow._source import read_text

SMALL = "version: v1\nid: demo\nnodes:\n  - {id: done, type: terminal}\nedges: []\n"


def codes(compiled: Compilation) -> set[str]:
    return {found.code for found in compiled.diagnostics}


def read(text):
    source, found = read_text(text)
    assert source is not None, found
    assert not found
    return source.data


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("on", "on"),
        ("", None),
        ("010", 10),
        ("0o17", 15),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2026-11-21", "2026-11-21"),
    ],
)
def test_scalars_follow_the_core_schema(written, value):
    got = read(f"a: {written}\n")["a"]
    assert got == value
    assert type(got) is type(value)


def test_json_and_yaml_give_the_same_flow():
    data = read(SMALL)
    one = compile_text(SMALL)
    for text in (json.dumps(data), "\ufeff" + json.dumps(data, indent=2), json.dumps(data).encode("utf-8-sig")):
        assert compile_text(text).flow.hash == one.flow.hash
    assert compile_document(data).flow.hash == one.flow.hash
    assert compile_text("{version: v1, id: demo, nodes: [{id: done, type: terminal}], edges: [],}").flow is not None


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        (b"version: v1\nid: \xff\n", "GW101", (2, 5)),
        ('version: v1\nid: "a\\0b"\n', "GW101", (2, 5)),
        (b"\x89PNG\r\n\x1a\n\x00", "GW101", (1, 1)),
        ("", "GW102", (1, 1)),
        ("[]", "GW111", (1, 1)),
        ("version: v1\nnodes: [\n", "GW104", (3, 1)),
        ("a: b: c\n", "GW104", (1, 5)),
        ("a:\n\t- b\n", "GW104", (2, 1)),
        ('{"version": "v1",\n "id": }', "GW104", (2, 8)),
        ('{"a": "NaN", "b": -Infinity}', "GW110", (1, 19)),
        ("version: v1\r\nid: demo\r\nbogus: 1\r\n", "GW120", (3, 1)),
        ("a: 1e999\n", "GW110", (1, 4)),
        ("a: " + "9" * 5000, "GW110", (1, 4)),
        ('{"a": "\\ud800"}', "GW110", None),
        ("a: 1\nb: 2\na: 3\n", "GW105", (3, 1)),
        ('{"a": 1,\n "b": {"c": 1, "c": 2}}', "GW105", (2, 16)),
        ("a: *x\n", "GW106", (1, 4)),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", "GW107", (3, 3)),
        ("a: !!python/object:os.system x\n", "GW107", (1, 4)),
        (SMALL + "---\n" + SMALL, "GW107", (6, 1)),
        ("a: " + "[" * 300 + "]" * 300, "GW108", (1, 103)),
        ("[" * 100_000, "GW108", None),
        ('{"a":' * 90_000, "GW108", None),
        ('{"a":' + "[" * 150 + "]" * 150 + "}", "GW108", None),
        ("1: a\n", "GW109", (1, 1)),
        ("? [a, b]\n: c\n", "GW109", (1, 3)),
        ("x" * (8 * 2**20 + 1), "GW103", (1, 1)),
        ("é" * (5 * 2**20), "GW103", (1, 1)),
    ],
)
def test_unreadable_source_is_a_diagnostic_with_a_place(text, code, place):
    compiled = compile_text(text)
    assert compiled.flow is None
    found = [d for d in compiled.diagnostics if d.code == code]
    assert found, compiled.diagnostics
    if place is not None:
        assert (found[0].span.line, found[0].span.column) == place


def test_billion_laughs_are_stopped():
    lines = ['a0: &a0 ["lol"]'] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 20)]
    assert codes(compile_text("\n".join(lines))) == {"GW106"}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"a": float("nan")}, "GW110"),
        ({"a": {1, 2}}, "GW110"),
        ({"a": {1: 2}}, "GW109"),
        ({"a": "\ud800"}, "GW110"),
        ([], "GW111"),
    ],
)
def test_data_that_json_cannot_hold(data, code):
    compiled = compile_document(data)
    assert codes(compiled) == {code}
    assert not data or compiled.diagnostics[0].pointer.startswith("/a")


def test_data_that_contains_itself():
    data: dict = {}
    data["a"] = [data]
    assert codes(compile_document(data)) == {"GW108"}
    data["a"] = [data] * 600_000
    assert codes(compile_document(data)) == {"GW106"}


GUARDED = """\
version: v1
id: demo
state: {{attempts: {{type: integer, default: 0}}}}
nodes:
  - {{id: start, type: decision}}
  - {{id: done, type: terminal}}
edges:
  - from: start
    to: done
    guard: {}
"""


@pytest.mark.parametrize(
    "guard",
    [
        "attempts > 1 && bogus",
        "'message == ''x'' && bogus'",
        r'"message == \u0027\U0001F600\u0027 && bogus"',
        "|\n      attempts > 1\n      && bogus",
        "|2\n      attempts > 1\n\n        && bogus",
        ">-\n      attempts > 1\n      && bogus",
        '"attempts > 1\n\n      && bogus"',
        '"attempts > 1 \\\n      && bogus"',
    ],
)
def test_a_place_inside_a_guard_is_found_in_the_text(guard):
    text = GUARDED.format(guard)
    before = text[: text.index("bogus")]
    (found,) = compile_text(text).diagnostics
    assert found.code == "GW302"
    assert found.span.line == before.count("\n") + 1
    assert found.span.column == len(before) - before.rfind("\n")
    assert found.span.end_column - found.span.column == len("bogus")
    data = {"version": "v1", "id": "demo", "nodes": [{"id": "a", "type": "decision"}, {"id": "b", "type": "terminal"}]}
    data["edges"] = [{"from": "a", "to": "b", "guard": "message == '\u00fc\"' && bogus"}]
    text = json.dumps(data, indent=1)
    found = compile_text(text).diagnostics[0]
    assert text.split("\n")[found.span.line - 1][found.span.column - 1 :].startswith("bogus")
    assert found.pointer == "/edges/0/guard"
