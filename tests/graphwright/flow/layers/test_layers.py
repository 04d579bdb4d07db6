"""Layers: documents that extend others, merged by id; strategies, removals, origins, the layer at fault."""

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwright.flow import Compilation, Severity, _document, compile_text
from graphwright.flow._source import read_text
from graphwright.flow.layers import DEFAULTS, Merged, document_text, merge, origins, read_layers, read_stack

BASE = """\
version: v1
id: flow.base
nodes:
  - {id: q.name, type: question, key: name, prompt: "Your name?", tags: [who]}
  - id: q.kind
    type: question
    key: kind
    prompt: What is it?
    schema: {enum: [lamp, cable]}
  - {id: t.done, type: terminal, say: "Thank you, {{ answers.name }}."}
edges:
  - {from: q.name, to: q.kind}
  - {id: lamps, from: q.kind, to: t.done, guard: answers.kind == 'lamp'}
  - {id: rest, from: q.kind, to: t.done, guard: else}
"""


def reader(files: dict[str, str]):
    def read(name: str) -> bytes:
        if name not in files:
            raise FileNotFoundError(2, "No such file or directory", name)
        return files[name].encode()

    return read


def compiled(layer: str, **files: str) -> Compilation:
    """Compile a layer on BASE; `files` are further documents by their names without the suffix."""
    known = {"base.yaml": BASE, **{f"{name}.yaml": text for name, text in files.items()}}
    return compile_text(layer, name="top.yaml", read=reader(known))


def merged(*layers: str | dict) -> Merged:
    texts = [(f"{n}.yaml", text if isinstance(text, str) else json.dumps(text)) for n, text in enumerate(layers)]
    return merge(read_stack([(name, text.encode()) for name, text in texts], reader(dict(texts))))


def found(compilation: Compilation, *, infos: bool = False) -> list[tuple[str, str, int]]:
    return [
        (each.code, each.file, each.span.line)
        for each in compilation.diagnostics
        if infos or each.severity is not Severity.INFO
    ]


def test_records_merge_by_id_and_the_result_is_a_plain_document():
    layer = """\
extends: base.yaml
title: Top
nodes:
  - {id: q.kind, prompt: Which part?, schema: {enum: [plug]}}
  - {id: q.room, type: question, key: room, prompt: "Which room?", read: verbatim}
edges:
  - {id: rest, to: q.room}
  - {from: q.room, to: t.done}
"""
    compilation = compiled(layer)
    assert found(compilation) == []
    document = compilation.flow.document
    assert [node["id"] for node in document["nodes"]] == ["q.name", "q.kind", "t.done", "q.room"]
    assert document["nodes"][1]["prompt"] == "Which part?"
    assert document["nodes"][1]["schema"] == {"enum": ["lamp", "cable", "plug"]}
    assert document["edges"][2] == {"id": "rest", "from": "q.kind", "to": "q.room", "guard": "else"}
    assert "extends" not in document
    assert compile_text(json.dumps(document)).flow.hash == compilation.flow.hash


def test_each_strategy_joins_two_values_in_its_way():
    lower = {"id": "a", "tags": ["x"], "when": "p > 1", "schema": {"a": {"b": 1, "c": [1]}}, "prompt": "One"}
    upper = {"id": "a", "tags": ["y", "x"], "when": "q > 1", "schema": {"a": {"b": 2, "c": [2]}}, "prompt": "Two"}

    def result(field: str, strategy: str = "") -> object:
        chosen = {**upper, "strategies": {field: strategy}} if strategy else upper
        return merged({"nodes": [lower]}, {"nodes": [chosen]}).document["nodes"][0][field]

    assert (result("prompt"), result("prompt", "concat"), result("prompt", "error")) == ("Two", "One\nTwo", "Two")
    assert (result("tags"), result("tags", "concat"), result("tags", "override")) == (
        *(["x", "y"], ["x", "y", "x"], ["y", "x"]),
    )
    assert (result("when"), result("when", "override")) == ("(p > 1) && (q > 1)", "q > 1")
    assert (result("schema"), result("schema", "override")) == ({"a": {"b": 2, "c": [1, 2]}}, upper["schema"])


def test_a_strategy_holds_for_the_layers_above_until_one_chooses_another():
    base = {"strategies": {"node.prompt": "concat"}, "nodes": [{"id": "a", "prompt": "1"}, {"id": "b", "prompt": "1"}]}
    pack = {"nodes": [{"id": "a", "prompt": "2"}, {"id": "b", "prompt": "2", "strategies": {"prompt": "override"}}]}
    top = {"nodes": [{"id": "a", "prompt": "3"}, {"id": "b", "prompt": "3"}]}
    assert [node["prompt"] for node in merged(base, pack, top).document["nodes"]] == ["1\n2\n3", "3"]


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        ("is_email", "size(value) > 1"),
        ("size(value) > 1", "is_email"),
        ("size(value) > 1", "false) || (true"),
        ("value == 'a", "b' || true"),
    ],
)
def test_the_name_of_a_validator_and_a_part_of_an_expression_cannot_be_joined(lower, upper):
    (conflict,) = merged(
        {"nodes": [{"id": "a", "validate": lower}]}, {"nodes": [{"id": "a", "validate": upper}]}
    ).conflicts
    assert (conflict.is_error, conflict.winner, "cannot be joined" in conflict.why) == (True, "1", True)


def test_removals_of_records_and_fields():
    layer = """\
extends: base.yaml
nodes:
  - {id: q.name, remove: true}
  - {id: q.kind, remove: [schema], prompt: "What?", read: verbatim}
  - {id: t.done, remove: true, type: terminal}
edges:
  - {id: lamps, remove: true}
"""
    compilation = compiled(layer)
    assert found(compilation) == []
    assert compilation.flow.document["nodes"] == [
        {"id": "q.kind", "type": "question", "key": "kind", "prompt": "What?", "read": "verbatim"},
        {"id": "t.done", "type": "terminal"},
    ]
    assert [edge.get("id") for edge in compilation.flow.document["edges"]] == ["rest"]


def test_mappings_merge_by_name_and_lose_names():
    base = {
        "state": {"n": {"type": "integer", "default": 1}, "old": {"type": "string"}},
        "predicates": {"many": "n > 1", "gone": "n > 2"},
        "constraints": [{"require": "many"}, {"one_of": [["a"], ["b"]], "message": "A or b?"}],
        "paths": {"p": {"ref": "s", "description": "Old"}},
        "path_policy": {"decay": 0.1},
        "subgraphs": {"s": {"nodes": [{"id": "x"}]}, "unused": {"nodes": []}},
    }
    top = {
        "state": {"n": {"default": 2, "large": True}, "old": {"remove": True}},
        "predicates": {"many": "n > 5", "gone": {"remove": True}},
        "constraints": [{"require": "many", "remove": True}, {"one_of": [["a"], ["b"]], "exactly": True}],
        "paths": {"p": {"description": "New"}},
        "path_policy": {"lock_threshold": 3},
        "subgraphs": {"s": {"nodes": [{"id": "x", "label": "X"}]}, "unused": {"remove": True}},
    }
    assert merged(base, top).document == {
        "state": {"n": {"type": "integer", "default": 2, "large": True}},
        "predicates": {"many": "n > 5"},
        "constraints": [{"one_of": [["a"], ["b"]], "message": "A or b?", "exactly": True}],
        "paths": {"p": {"ref": "s", "description": "New"}},
        "path_policy": {"decay": 0.1, "lock_threshold": 3},
        "subgraphs": {"s": {"nodes": [{"id": "x", "label": "X"}]}},
    }


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        ("nodes: [{id: q.kind, when: answers.nane == 'x'}]", ("GW302", "top.yaml", 2)),
        ("nodes: [{id: q.kind, type: action, run: act}]", ("GW803", "top.yaml", 2)),
        ("subgraphs: {s: {nodes: [{id: q.kind}], edges: []}}", ("GW803", "top.yaml", 2)),
        ("nodes: [{id: q.new, type: question}]", ("GW121", "top.yaml", 2)),
        ("nodes: [{id: q.kind, promt: x}]", ("GW120", "top.yaml", 2)),
        ("nodes: [{id: q.kind, prompt: [x]}]", ("GW122", "top.yaml", 2)),
        ("nodes: {id: q.kind}", ("GW122", "top.yaml", 2)),
        ("nodes: [{id: q.kind, say: x}]", ("GW120", "top.yaml", 2)),
        ("nodes: [{id: q.kind, remove: yes}]", ("GW122", "top.yaml", 2)),
        ("remove: true", ("GW122", "top.yaml", 2)),
        ("strategies: {node.promt: error}", ("GW120", "top.yaml", 2)),
        ("strategies: {node.type: override}", ("GW120", "top.yaml", 2)),
        ("strategies: {node.prompt: overide}", ("GW123", "top.yaml", 2)),
        ("predicates: {p: {remove: false}}", ("GW122", "top.yaml", 2)),
        ("version: v2", ("GW124", "top.yaml", 2)),
        ("nodes: [{id: q.kind}, {id: q.kind, label: x}]", ("GW201", "top.yaml", 2)),
        ("nodes: [{id: q.name, key: full}]\n# moved\n", ("GW804", "top.yaml", 2)),
        ("nodes: [{id: q.nam, remove: true}]", ("GW805", "top.yaml", 2)),
        ("nodes: [{id: q.name, remove: [validate]}]", ("GW805", "top.yaml", 2)),
    ],
)
def test_a_fault_of_a_layer_is_found_in_that_layer(layer, expected):
    assert expected in found(compiled(f"extends: base.yaml\n{layer}"))
    assert {file for _, file, _ in found(compiled(f"extends: base.yaml\n{layer}"))} == {"top.yaml"}


@pytest.mark.parametrize(
    ("layer", "code", "needed"),
    [
        ("nodes: [{id: q.name, remove: true}]", "GW302", 10),
        ("nodes: [{id: q.kind, schema: {enum: [plug]}, strategies: {schema: override}}]", "GW305", 13),
        ("edges: [{from: q.name, to: q.kind, remove: true}]", "GW210", 5),
        ("nodes: [{id: q.name, when: message != ''}]", "GW408", 10),
        ("edges: [{from: q.kind, to: t.done, guard: \"answers.kind in ['lamp']\", priority: 5}]", "GW222", 13),
        ("edges: [{id: lamps, guard: \"answers.kind in ['lamp', 'cable']\"}]", "GW221", 14),
    ],
)
def test_what_a_layer_takes_from_a_lower_one_is_reported_in_the_layer_that_takes_it(layer, code, needed):
    diagnostics = compiled(f"extends: base.yaml\n{layer}").diagnostics
    diagnostic = next(each for each in diagnostics if each.code == code)
    assert {(each.file, each.span.line) for each in diagnostics} == {("top.yaml", 2)}
    assert [(each.file, each.span.line) for each in diagnostic.related][-1] == ("base.yaml", needed)


def test_a_layer_that_refers_to_what_another_removed_has_the_finding():
    pack = "extends: base.yaml\nnodes:\n  - {id: q.name, remove: true}\n  - {id: t.done, say: Thank you.}\n"
    top = "extends: pack.yaml\nedges:\n  - {from: q.kind, to: q.name, guard: \"answers.name == 'x'\"}\n"
    compilation = compiled(top, pack=pack)
    assert {("GW202", "top.yaml", 3), ("GW302", "top.yaml", 3)} == set(found(compilation))
    assert all(("pack.yaml", 3) in {(r.file, r.span.line) for r in d.related} for d in compilation.errors)


def test_a_place_inside_a_joined_condition_is_in_the_layer_of_that_part():
    pack = "extends: base.yaml\nnodes: [{id: q.kind, when: \"answers.name != ''\"}]\n"
    top = 'extends: pack.yaml\nnodes:\n  - id: q.kind\n    when: >-\n      message != ""\n      && answers.nome == "x"'
    (error,) = compiled(top, pack=pack).errors
    assert (error.file, error.span.line, error.span.column) == ("top.yaml", 6, 18)
    assert error.pointer == "/nodes/0/when"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"top": "extends: nope.yaml"}, ("GW801", "top.yaml", 1)),
        ({"top": "extends: pack.yaml", "pack": "extends: top.yaml"}, ("GW802", "pack.yaml", 1)),
        ({"top": "extends: top.yaml"}, ("GW802", "top.yaml", 1)),
        ({"top": "extends:\n  - base.yaml\n  - 7"}, ("GW122", "top.yaml", 3)),
        ({"top": "extends: []"}, ("GW127", "top.yaml", 1)),
        ({"top": "extends: pack.yaml", "pack": "a: [1"}, ("GW104", "pack.yaml", 1)),
        ({"top": "extends: pack.yaml", "pack": ""}, ("GW102", "pack.yaml", 1)),
        ({"top": "extends: pack.yaml", "pack": "a: &a [*a]"}, ("GW106", "pack.yaml", 1)),
    ],
)
def test_layers_that_cannot_be_read_are_found_where_they_are_named(files, expected):
    top = files["top"]
    compilation = compile_text(
        top, name="top.yaml", read=reader({"base.yaml": BASE, **{f"{n}.yaml": text for n, text in files.items()}})
    )
    assert compilation.flow is None
    assert found(compilation) == [expected]


def test_a_bomb_in_a_layer_and_a_chain_without_end_are_stopped():
    lines = ['a0: &a0 ["lol"]'] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 20)]
    assert found(compiled("extends: pack.yaml", pack="\n".join(lines)))[0][0::2] == ("GW106", 7)
    endless = compile_text("extends: x/a.yaml", name="a.yaml", read=lambda name: b"extends: x/a.yaml")
    assert [each.code for each in endless.diagnostics] == ["GW103"]
    assert compile_text("extends: base.yaml").diagnostics[0].code == "GW801"


def test_a_document_that_is_reached_twice_is_merged_once_and_paths_are_relative_to_their_file():
    files = {
        "global.yaml": BASE,
        "packs/a.yaml": "extends: ../global.yaml\ntitle: A",
        "packs/b.yaml": "extends: ../global.yaml\ndescription: B",
    }
    layers = read_layers("extends: [../packs/a.yaml, ../packs/b.yaml]", name="acme/top.yaml", read=reader(files))
    assert layers.files == ("global.yaml", "packs/a.yaml", "packs/b.yaml", "acme/top.yaml")
    document = merge(layers).document
    assert (document["title"], document["description"], len(document["nodes"])) == ("A", "B", 3)


def test_the_report_says_who_set_what_who_won_and_why():
    result = merged(
        BASE, "title: A\nnodes: [{id: q.name, prompt: Who?, key: who}]", "nodes: [{id: q.name, prompt: Hm?}]"
    )
    prompt, key = (next(c for c in result.conflicts if c.field == field) for field in ("prompt", "key"))
    assert list(prompt.lines()) == [
        "node q.name, prompt: 2 wins: the value of the highest layer replaces the others",
        "  0.yaml:4  Your name?",
        "  1.yaml:2  Who?",
        "  2.yaml:1  Hm?",
    ]
    assert (prompt.is_error, key.is_error) == (False, True)
    assert key.to_json()["settings"][1] == {"layer": "1", "file": "1.yaml", "line": 2, "column": 41, "value": "who"}
    place = origins(result)
    assert (place["/nodes/0/prompt"], place["/nodes/0/key"]["layer"]) == (
        *({"layer": "2", "file": "2.yaml", "line": 1, "column": 30}, "1"),
    )


TEXTS = st.sampled_from(["One", "Two", "Three"])
CONDITIONS = st.sampled_from(["a > 1", "(a) && (b)", "b || c", "size('(') > 0 && d", 'x == "a) && (b"', "(a) || (b)"])
SCHEMAS = st.fixed_dictionaries(
    {},
    optional={
        "minimum": st.integers(0, 3),
        "enum": st.lists(st.integers(0, 3), max_size=3),
        "properties": st.dictionaries(st.sampled_from("xy"), st.fixed_dictionaries({"title": TEXTS}), max_size=2),
    },
)
NODE_FIELDS = {
    "prompt": TEXTS,
    "when": CONDITIONS,
    "validate": CONDITIONS,
    "tags": st.lists(TEXTS, max_size=3),
    "schema": SCHEMAS,
    "ui": SCHEMAS,
    "priority": st.integers(0, 2),
    "retry": st.fixed_dictionaries({}, optional={"attempts": st.integers(1, 3), "backoff": st.integers(0, 2)}),
}


def records(identity: dict, fields: dict):
    ids = st.fixed_dictionaries(identity, optional=fields)
    return st.lists(ids, max_size=3, unique_by=lambda record: tuple(record[name] for name in identity))


NODES_LISTS = records({"id": st.sampled_from("abc")}, NODE_FIELDS)
EDGES = records(
    {"from": st.sampled_from("ab"), "to": st.sampled_from("ab")}, {"label": TEXTS, "priority": st.integers(0, 2)}
)
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "title": TEXTS,
        "nodes": NODES_LISTS,
        "edges": EDGES | records({"id": st.sampled_from("ef")}, {"guard": CONDITIONS, "to": st.sampled_from("ab")}),
        "state": st.dictionaries(st.sampled_from("mn"), SCHEMAS | st.just({"type": "string"}), max_size=2),
        "predicates": st.dictionaries(st.sampled_from("pq"), CONDITIONS, max_size=2),
        "constraints": records({"require": st.sampled_from("pq")}, {"message": TEXTS}),
        "paths": st.dictionaries(st.sampled_from("kl"), st.fixed_dictionaries({"ref": TEXTS}), max_size=2),
        "path_policy": st.fixed_dictionaries({}, optional={"decay": st.sampled_from([0.1, 0.2])}),
        "subgraphs": st.dictionaries(
            st.just("s"), st.fixed_dictionaries({"nodes": records({"id": st.just("z")}, NODE_FIELDS)})
        ),
    },
)
STRATEGIES = st.fixed_dictionaries(
    {},
    optional={
        "node.prompt": st.sampled_from(["concat", "override"]),
        "node.tags": st.sampled_from(["concat", "override", "deep_merge"]),
        "node.schema": st.sampled_from(["override"]),
        "edge.guard": st.sampled_from(["append", "override"]),
        "nodes": st.sampled_from(["append"]),
        "title": st.sampled_from(["concat"]),
    },
)


@settings(max_examples=60)
@given(DOCUMENTS, DOCUMENTS, DOCUMENTS, STRATEGIES)
def test_merging_is_associative(one, two, three, strategies):
    def result(*layers: dict) -> dict:
        return merged(*({**layer, "strategies": strategies} for layer in layers)).document

    whole = result(one, two, three)
    assert result(result(one, two), three) == whole
    assert result(one, result(two, three)) == whole


def shuffled(value, order: random.Random):
    if isinstance(value, list):
        return [shuffled(item, order) for item in value]
    if not isinstance(value, dict):
        return value
    names = list(value)
    order.shuffle(names)
    return {name: shuffled(value[name], order) for name in names}


@settings(max_examples=60)
@given(DOCUMENTS, DOCUMENTS, st.sets(st.sampled_from("abc")), st.randoms(use_true_random=False))
def test_the_result_does_not_depend_on_the_order_of_fields(one, two, removed, order):
    two = {**two, "nodes": [*({"id": id, "remove": True} for id in sorted(removed)), *two.get("nodes", [])]}
    plain, other = merged(one, two), merged(shuffled(one, order), shuffled(two, order))
    assert other.document == plain.document

    def told(result: Merged) -> list:
        return [(c.part, c.field, c.strategy, c.winner, [value for _, value in c.settings]) for c in result.conflicts]

    assert told(other) == told(plain)
    assert {d.message for d in other.diagnostics} == {d.message for d in plain.diagnostics}


@settings(max_examples=60)
@given(DOCUMENTS, DOCUMENTS, DOCUMENTS)
def test_every_value_is_found_at_its_origin(one, two, three):
    result = merged(one, two, three)
    stack = [((), result.document)]
    while stack:
        path, value = stack.pop()
        source, at, _ = result.source.origin(path)
        if isinstance(value, (dict, list)):
            stack += [((*path, k), v) for k, v in (value.items() if isinstance(value, dict) else enumerate(value))]
        else:
            written = source.value(at)
            assert written == value or (isinstance(value, str) and " && " in value and written.strip("()") in value)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t -:#?'\"on1e5"), max_size=12),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab :?#-1", max_size=3), inner, max_size=3),
        max_leaves=8,
    )
)
def test_the_text_of_a_document_reads_as_the_same_data(value):
    document = {"version": "v1", "ui": {"kept": value}}
    source, diagnostics = read_text(document_text(document, ["a.yaml"]))
    assert diagnostics == []
    assert json.dumps(source.data, sort_keys=True) == json.dumps(document, sort_keys=True)


JUNK = [None, True, -1, "", "x", "else", [], {}, ["a"], {"a": 1}, {"remove": True}, [{"id": "q.name"}]]
NAMES = ["remove", "strategies", "extends", "id", "type", "from", "when", "nodes", "zzz"]


@settings(max_examples=40)
@given(DOCUMENTS, st.lists(st.tuples(st.integers(0, 60), st.sampled_from(NAMES), st.sampled_from(JUNK)), max_size=3))
def test_a_damaged_layer_never_raises_and_every_finding_is_in_a_layer(layer, damage):
    layer = {**json.loads(json.dumps(layer)), "extends": "base.yaml"}
    for place, name, value in damage:
        records = [layer]
        for record in records:
            records += [
                each
                for each in (record.values() if isinstance(record, dict) else record)
                if each and isinstance(each, (dict, list))
            ]
        record, new = records[place % len(records)], json.loads(json.dumps(value))
        record.append(new) if isinstance(record, list) else record.update({name: new})
    text = json.dumps(layer, indent=1)
    compilation = compiled(text)
    assert (compilation.flow is None) == bool(compilation.errors)
    lines = {"base.yaml": BASE.count("\n"), "top.yaml": text.count("\n") + 1}
    assert all(1 <= each.span.line <= lines[each.file] for each in compilation.diagnostics)
    if compilation.flow is not None and compilation.merged is not None:
        assert compile_text(json.dumps(compilation.merged.document)).flow.hash == compilation.flow.hash


RECORDS = {
    "document": [_document.Document],
    "graph": [_document.Graph],
    "node": list(_document.NODES.values()),
    "retry": [_document.Retry],
    "confirm": [_document.Confirm],
    "map": [_document.Map],
    "edge": [_document.Edge],
    "channel": [_document.Channel],
    "constraint": [_document.Constraint],
    "path": [_document.ChosenPath],
    "path_policy": [_document.PathPolicy],
}


def test_every_record_of_the_document_is_merged():
    models = {
        each for each in vars(_document).values() if isinstance(each, type) and issubclass(each, _document.Record)
    }
    public = {each for each in models if not each.__name__.startswith("_") and each.__subclasses__() == []}
    # Whole assurances are added; nothing in them is merged.
    assert public - {_document.Assurance} <= {model for kinds in RECORDS.values() for model in kinds}


@pytest.mark.parametrize("kind", RECORDS)
def test_every_field_of_the_document_has_a_strategy_and_the_page_names_it(kind):
    fields = {field.alias or name for model in RECORDS[kind] for name, field in model.model_fields.items()}
    assert set(DEFAULTS[kind]) == fields
    page = (Path(__file__).parents[4] / "docs" / "layers.md").read_text("utf-8")
    row = next(line for line in page.splitlines() if line.startswith("|") and f"`{kind}`" in line.split("|")[1])
    for strategy, cell in zip(("error", "append", "deep_merge"), row.split("|")[2:5], strict=True):
        named = set(re.findall(r"`([\w$]+)`", cell))
        expected = {name for name, default in DEFAULTS[kind].items() if default == strategy}
        assert named == expected or (kind == "channel" and "any other" in cell)
