"""Checks of meaning: expressions, answers, schemas, state, actions, subgraphs, constraints, paths."""

import pytest

from flow_support import diagnostics_of
from graphwright.flow import ActionSignature, Catalogue

LED = """\
state:
  quote: {type: [string, "null"], scope: thread}
  price: {type: number, default: 0}
nodes:
  - {id: q.kind, type: question, key: kind, prompt: Which?, schema: {enum: [a, b]}QUESTION}
  - {id: sg, type: subgraph, ref: led, as: led}
  - {id: make, type: action, run: make_quoteACTION}
  - {id: q.sure, type: question, key: sure, read: confirm, prompt: "Sure about {{ quote }}, {{ answers.kind }}?"}
  - {id: done, type: terminal, say: "SAY"}
edges:
  - {from: q.kind, to: sg, guard: "ROOT_GUARD"}
  - {from: q.kind, to: done, guard: else}
  - {from: sg, to: make}
  - {from: make, to: q.sure}
  - {from: q.sure, to: done}
subgraphs:
  led:
    nodes:
      - {id: q.watts, type: question, key: watts, prompt: Watts?, schema: {type: integer}}
      - {id: q.deep, type: question, key: deep, prompt: Deep?, schema: {type: boolean}}
    edges:
      - {from: q.watts, to: q.deep, guard: "SUB_GUARD"}
      - {from: q.watts, to: __exit__, guard: else}
      - {from: q.deep, to: __exit__}
MORE"""


def led(**parts: str) -> str:
    body = LED
    values = {
        "QUESTION": "",
        "ACTION": "",
        "SAY": "Bye.",
        "ROOT_GUARD": "answers.kind == 'a'",
        "SUB_GUARD": "answers.watts > 9",
    }
    for name, value in {**values, "MORE": "", **parts}.items():
        body = body.replace(name, value)
    return body


CONFIRM_WHEN = "/nodes/2/confirm/when"


def confirmed(when: str) -> str:
    return f', confirm: {{by: q.sure, over: [quote], when: "{when}"}}'


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"ROOT_GUARD": "answers.led.watts > 3 && price > 1"}, ("GW408", "/edges/0/guard")),
        ({"ROOT_GUARD": "active_path == '' && message != ''"}, ("GW705", "/edges/0/guard")),
        ({"ROOT_GUARD": "active_path == ''", "MORE": "paths: {a: {ref: led}}\n"}, None),
        ({"ROOT_GUARD": "active_path == 'b'", "MORE": "paths: {a: {ref: led}}\n"}, ("GW305", "/edges/0/guard")),
        ({"ROOT_GUARD": "answers.watts > 3"}, ("GW302", "/edges/0/guard")),
        ({"SUB_GUARD": "answers.watts == 'x'"}, ("GW303", "/subgraphs/led/edges/0/guard")),
        ({"SAY": "{{ answers.kind }} {{ answers.kid }}"}, ("GW302", "/nodes/4/say")),
        ({"QUESTION": ", invalid_prompt: '{{ bogus }}'"}, ("GW302", "/nodes/0/invalid_prompt")),
        ({"QUESTION": ", validate: value != answers.kind"}, ("GW408", "/nodes/0/validate")),
        ({"QUESTION": ", validate: value == 3"}, ("GW303", "/nodes/0/validate")),
        ({"MORE": "predicates: {ok: 'pricy > 3'}\n"}, ("GW302", "/predicates/ok")),
        ({"MORE": "constraints: [{one_of: [[kind], [watts]]}]\n"}, ("GW701", "/constraints/0/one_of/1/0")),
        (
            {"MORE": "constraints: [{require: p}]\npredicates: {p: answers.watts > 3}\n"},
            ("GW302", "/constraints/0/require"),
        ),
        (
            {"MORE": "constraints: [{require: p, exactly: true}]\npredicates: {p: price > 3}\n"},
            ("GW704", "/constraints/0/exactly"),
        ),
        ({"MORE": "paths: {a: {ref: led}}\n"}, ("GW703", "/paths")),
        ({"QUESTION": "", "ACTION": ", confirm: {by: q.sure, over: [quote, answers.led.watts]}"}, None),
        ({"ACTION": confirmed("price > 3 && answers.kind == 'a'")}, None),
        ({"ACTION": confirmed("pricy > 3")}, ("GW302", CONFIRM_WHEN)),
        ({"ACTION": confirmed("answers.sure == true")}, ("GW408", CONFIRM_WHEN)),
    ],
)
def test_meaning(parts, expected):
    assert expected in diagnostics_of(led(**parts)) if expected else diagnostics_of(led(**parts)) == set()


def question(text: str, more: str = "") -> str:
    return (
        f"{more}nodes:\n  - {{id: q, type: question, key: k, prompt: p, {text}}}\n  - {{id: t, type: terminal}}\n"
        "edges:\n  - {from: q, to: t}\n"
    )


@pytest.mark.parametrize(
    ("schema", "code", "place"),
    [
        ("{oneOf: [{const: a, title: A}, {const: b, title: B}]}", None, ""),
        ("{$ref: '#/$defs/x', $defs: {x: {type: string}}}", None, ""),
        ("{if: {type: string}, then: {minLength: 2}, type: [string, integer]}", None, ""),
        ("{type: string, pattern: '['}", "GW404", "/pattern"),
        ("{properties: {a: {type: strin}}}", "GW404", "/properties/a/type"),
        ("{anyOf: [{$ref: '#/anyOf/1'}, {type: string}]}", None, ""),
        ("{items: [string]}", "GW404", "/items"),
        ("{patternProperties: {a: 3}}", "GW404", "/patternProperties/a"),
        ("{type: string, pattern: 'a\\Z'}", "GW404", "/pattern"),
        ("{$ref: '#nowhere'}", "GW404", ""),
        ("{$ref: 'https://example.com/x.json'}", "GW404", "/$ref"),
        ("{$ref: '#/$defs/y', $defs: {x: {type: string}}}", "GW404", "/$ref"),
        ("{type: integer, enum: [1, b]}", "GW406", "/enum/1"),
        ("{type: string, minLength: 5, maxLength: 2}", "GW406", "/minLength"),
    ],
)
def test_schemas_of_questions(schema, code, place):
    expected = {(code, f"/nodes/0/schema{place}")} if code else set()
    assert diagnostics_of(question(f"schema: {schema}")) == expected


@pytest.mark.parametrize(
    ("channel", "code", "place"),
    [
        ("{type: integer, default: 3.0}", None, ""),
        ("{type: array, items: {type: string}, default: [a], reduce: append}", None, ""),
        ("{type: integer, default: null}", "GW504", "/default"),
        ("{enum: [a, b], default: c}", "GW504", "/default"),
        ("{type: array, items: {type: string}, default: [1]}", "GW504", "/default"),
    ],
)
def test_channels(channel, code, place):
    expected = {(code, f"/state/c{place}")} if code else {("GW525", "/state/c")}
    assert diagnostics_of(question("required: true", f"state: {{c: {channel}}}\n")) == expected


def test_a_key_is_read_by_actions_and_constraints():
    body = question("required: true") + "constraints: [{one_of: [[k]]}]\n"
    assert diagnostics_of(body, infos=True) == set()
    acting = (
        question("required: true")
        .replace("to: t}", "to: a}\n  - {from: a, to: t}")
        .replace("  - {id: t,", "  - {id: a, type: action, run: r}\n  - {id: t,")
    )
    assert diagnostics_of(acting, infos=True) == set(), "without a catalogue an action may read anything"
    blind = Catalogue(actions={"r": ActionSignature("r")})
    assert diagnostics_of(acting, blind, infos=True) == {("GW402", "/nodes/0/key")}
    computed = Catalogue(actions={"r": ActionSignature("r", complete=False)})
    assert diagnostics_of(acting, computed, infos=True) == set(), "reads=KEYS is known only when the agent is loaded"
    seeing = Catalogue(actions={"r": ActionSignature("r", reads=("answers.k",))})
    assert diagnostics_of(acting, seeing, infos=True) == set()
    asking = acting.replace("run: r", "run: r, confirm: {by: q.s, over: [m], when: \"answers.k != ''\"}").replace(
        "  - {id: t,", "  - {id: q.s, type: question, key: s, prompt: '{{ m }}?', read: confirm}\n  - {id: t,"
    )
    asking = (
        asking.replace(
            "edges:", "edges:\n  - {from: q.s, to: a, guard: answers.s == true}\n  - {from: q.s, to: t, guard: else}"
        )
        + "state: {m: {type: string, default: it}}\n"
    )
    assert diagnostics_of(asking, blind, infos=True) == set(), "a confirmation reads what it hangs on"


@pytest.mark.parametrize(
    ("reads", "writes", "expected"),
    [
        (("answers", "quote", "message", "active_path"), ("quote",), set()),
        (("answers.kind", "answers.led.watts", "answers.led"), ("quote",), {"GW423"}),
        (("answers.watts",), (), {"GW502"}),
        ((), ("answers.kind",), {"GW503"}),
    ],
)
def test_declarations_of_actions_are_checked(reads, writes, expected):
    catalogue = Catalogue(actions={"make_quote": ActionSignature("make_quote", reads, writes)})
    text = led(SAY="{{ price }}").replace("default: 0", "default: 1")
    assert {code for code, _ in diagnostics_of(text, catalogue)} == expected


def test_names_of_the_catalogue():
    assert diagnostics_of(led(), Catalogue()) == {("GW501", "/nodes/2/run")}
    catalogue = Catalogue(
        actions={"make_quote": ActionSignature("make_quote")},
        validators=frozenset({"is_kind"}),
        state_fields=frozenset({"quote", "prise"}),
    )
    assert diagnostics_of(led(QUESTION=", validate: is_kind"), catalogue) == {("GW508", "/state")}
    assert ("GW310", "/nodes/0/validate") in diagnostics_of(led(QUESTION=", validate: is_kid"), catalogue)


def test_the_active_path_enters_any_of_the_paths():
    body = """\
nodes:
  - {id: sg, type: subgraph, ref: $active_path, as: way}
  - {id: t, type: terminal, say: "{{ has(answers.way.one) ? answers.way.one : 'none' }}"}
edges:
  - {from: sg, to: t}
paths: {a: {ref: ga}, b: {ref: gb}}
subgraphs:
  ga: {nodes: [{id: qa, type: question, key: one, prompt: p}], edges: [{from: qa, to: __exit__}]}
  gb: {nodes: [{id: qb, type: question, key: two, prompt: p}], edges: [{from: qb, to: __exit__}]}
"""
    assert diagnostics_of(body) == {("GW714", "/nodes/0/ref")}
    assert {code for code, _ in diagnostics_of(body.replace("answers.way.one :", "answers.way.three :"))} == {"GW302"}
