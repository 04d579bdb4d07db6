"""The compiled flow: the result for a valid document, its hash, the sample, and damaged documents."""

import copy
import json
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator

from graphwright.flow import (
    Confirm,
    Kind,
    Severity,
    compile_document,
    compile_text,
    json_schema,
)
from graphwright.flow._document import NODES, ChosenPath, Constraint, Document, Edge, PathPolicy
from graphwright.flow._source import read_text

DOCS = Path(__file__).parents[3] / "docs"
EXAMPLE = re.search(r"```yaml\n(version: v1\n.*?)```", (DOCS / "flow-document.md").read_text("utf-8"), re.DOTALL)[1]

SAMPLE = """
{
  "version": "v1",
  "id": "flow.sales",
  "nodes": [
    { "id": "n.start", "type": "decision", "label": "Start" },
    { "id": "q.intent", "type": "question", "key": "intention", "prompt": "What do you need?" },
    { "id": "sg.led", "type": "subgraph", "ref": "subgraph.led_path" },
    { "id": "n.done", "type": "terminal", "label": "Done" }
  ],
  "edges": [
    { "from": "n.start", "to": "q.intent" },
    { "from": "q.intent", "to": "sg.led", "guard": "answers.intention == 'buy_led'" },
    { "from": "q.intent", "to": "n.done", "guard": "else" }
  ],
  "subgraphs": {
    "subgraph.led_path": {
      "entry": "q.court_size",
      "nodes": [
        { "id": "q.court_size", "type": "question", "key": "court_size", "prompt": "Court size?" },
        { "id": "q.wattage", "type": "question", "key": "wattage", "prompt": "Desired wattage?" }
      ],
      "edges": [
        { "from": "q.court_size", "to": "q.wattage" },
        { "from": "q.wattage", "to": "__exit__" }
      ]
    }
  }
}
"""


def test_the_sample_compiles_and_only_its_free_text_is_doubted():
    compilation = compile_text(SAMPLE)
    assert {d.code for d in compilation.diagnostics if d.severity is not Severity.INFO} == {"GW414"}
    assert compilation.flow.root.keys == {"intention", "court_size", "wattage"}


def test_the_example_of_the_reference_compiles_and_shows_every_field():
    compilation = compile_text(EXAMPLE)
    assert compilation.diagnostics == ()
    shown = set(re.findall(r"\b([a-z_]+):", EXAMPLE))
    assert set(_fields()) - shown == set()


def _fields():
    models = [Document, *NODES.values(), Edge, Constraint, ChosenPath, PathPolicy]
    return [field.alias or name for model in models for name, field in model.model_fields.items()]


def test_the_example_compiles_to_the_expected_flow():
    flow = compile_text(EXAMPLE).flow
    intent, quote, send, next_ = (flow.nodes[name] for name in ("q.intent", "quote", "send", "next"))
    assert (flow.keep_answers, flow.max_actions, flow.deterministic) == (True, 50, True)
    assert (intent.key, intent.max_invalid, intent.on_invalid) == ("intention", 2, "apologise")
    assert (quote.attempts, quote.backoff, quote.timeout, quote.on_error) == (3, 0.5, 30.0, "apologise")
    assert send.confirm == Confirm("q.sure", ("quote", "answers.led.wattage"))
    assert (flow.nodes["sg.led"].scope, next_.pick_question) == ("led", True)
    assert flow.nodes["done"].say.render({"answers": {"name": "Ann"}}) == "Thank you, Ann."
    log, attempts = flow.channels["log"], flow.channels["attempts"]
    assert (log.append, log.default, attempts.per_conversation, attempts.schema) == (
        True,
        [],
        True,
        {"type": "integer"},
    )
    assert flow.constraints[1].require.evaluate({"answers": {"phone": "1"}}).opens
    assert {node.kind for node in flow.nodes.values()} == set(Kind)


def test_the_hash_is_that_of_the_meaning():
    data = read_text(EXAMPLE)[0].data
    first = compile_document(data).flow.hash
    assert re.fullmatch(r"[0-9a-f]{64}", first)
    looks = copy.deepcopy(data)
    looks["ui"] = {"zoom": 99}
    looks["description"] = "Sells other lights."
    looks["nodes"][0]["ui"] = {"x": 12}
    looks["edges"][0]["ui"] = {}
    looks["subgraphs"]["subgraph.led_path"]["nodes"][0]["ui"] = {"x": 1}
    turned = dict(reversed(looks.items()))
    assert compile_text("# a remark\n" + json.dumps(turned)[:0] + yaml.safe_dump(turned)).flow.hash == first
    for change in (
        lambda d: d.update(title="Other"),
        lambda d: d["nodes"][0].update(prompt="Other?"),
        lambda d: d["state"].update(ui={"type": "string"}),
        lambda d: d["nodes"].reverse() or d.update(entry="q.intent"),
    ):
        other = copy.deepcopy(data)
        change(other)
        assert compile_document(other).flow.hash != first


@settings(max_examples=100)
@given(st.data())
def test_damaged_texts_never_raise(data):
    text = data.draw(st.sampled_from([EXAMPLE, SAMPLE]))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    put = data.draw(
        st.one_of(st.text(max_size=6), st.sampled_from(["\t", "{", "}", "[", '"', "'", ":", "\n", "&a ", "*a", "!x "]))
    )
    compilation = compile_text(text[:start] + put + text[end:])
    assert (compilation.flow is None) == bool(compilation.errors)
    lines = (text[:start] + put + text[end:]).count("\n") + 2
    assert all(1 <= d.span.line <= lines and d.span.column >= 1 for d in compilation.diagnostics)


def _places(data, path=()):
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from _places(value, (*path, key))


_WHOLE = read_text(EXAMPLE)[0].data
_SCHEMA = Draft202012Validator(json_schema())
_VALUES = st.one_of(
    *(st.none(), st.booleans(), st.integers(-3, 3), st.text(max_size=5), st.floats().filter(lambda n: n % 1 != 0)),
    st.sampled_from(["", " ", "q.intent", "else", "__exit__", "answers.name == 'x'", "{{", "$active_path", "\ud800"]),
    st.lists(st.sampled_from(["a", 1, None]), max_size=2),
    st.dictionaries(st.sampled_from(["id", "type", "key", "x"]), st.sampled_from(["terminal", "q", 1]), max_size=3),
)


@pytest.mark.slow
@settings(max_examples=150)
@given(
    st.lists(
        st.tuples(st.sampled_from([*_places(_WHOLE)]), st.sampled_from(["set", "delete", "rename", "double"]), _VALUES),
        max_size=4,
    )
)
def test_damaged_documents_are_diagnosed_and_agree_with_the_schema(damage):
    data = copy.deepcopy(_WHOLE)
    for place, how, value in damage:
        _damage(data, place, how, value)
    compilation = compile_document(data)
    assert (compilation.flow is None) == bool(compilation.errors)
    assert all(found.message and found.span.line == 1 for found in compilation.diagnostics)
    codes = {d.code for d in compilation.errors}
    if codes & {"GW109", "GW110"}:  # keys and values that JSON cannot represent
        return
    # Rules that the JSON Schema of the document can express too. It does not know the parameters of ready-made actions.
    if any("with" in place for place, _, _ in damage):
        return
    if codes & {"GW120", "GW121", "GW122", "GW123", "GW124"}:
        assert not _SCHEMA.is_valid(data)
    elif not codes:
        assert list(_SCHEMA.iter_errors(data)) == []
    again = compile_text(json.dumps(data))
    assert {(d.code, d.pointer) for d in again.diagnostics} == {(d.code, d.pointer) for d in compilation.diagnostics}


def _damage(data, place, how, value):
    *way, last = place
    try:
        for step in way:
            data = data[step]
        old = data[last]
    except (KeyError, IndexError, TypeError):
        return
    if how == "delete":
        del data[last]
    elif how == "set":
        data[last] = value
    elif how == "double" and isinstance(data, list):
        data.append(copy.deepcopy(old))
    elif how == "rename" and isinstance(data, dict):
        data[f"{last}x"] = data.pop(last)
