"""The shape of the document: every field, the messages, and the published JSON Schema."""

import pytest
from jsonschema_rs import Draft202012Validator

from flow_support import compiled, diagnostics_of
from graphwright.flow import compile_document, compile_text, json_schema

BODY = (
    "nodes:\n  - {{id: q, type: question, key: k, prompt: p{}}}\n  - {{id: done, type: terminal}}\n"
    "edges:\n  - {{from: q, to: done}}\n"
)


@pytest.mark.parametrize(
    ("line", "code", "pointer"),
    [
        ("titel: x", "GW120", "/titel"),
        ("deterministic: 'true'", "GW122", "/deterministic"),
        ("state: {a: {default: 1}}", "GW121", "/state/a"),
        ("state: {1a: {type: array}}", "GW125", "/state/1a"),
        ("state: {while: {type: array}}", "GW126", "/state/while"),
        ("state: {a: {type: boolean}}\npredicates: {a: 'true'}", "GW126", "/predicates/a"),
        ("constraints: [{one_of: [k]}]", "GW122", "/constraints/0/one_of/0"),
        ("subgraphs: {a: {nodes: []}}", "GW121", "/subgraphs/a"),
    ],
)
def test_fields_of_the_document(line, code, pointer):
    assert (code, pointer) in diagnostics_of(line + "\n" + BODY.format(""))


@pytest.mark.parametrize(
    ("node", "code", "pointer"),
    [
        ("{id: ' x', type: terminal}", "GW125", "/nodes/2/id"),
        ("{type: terminal}", "GW121", "/nodes/2"),
        ("{id: x, type: question, key: a-b, prompt: p}", "GW125", "/nodes/2/key"),
        ("{id: x, type: question, key: in, prompt: p}", "GW126", "/nodes/2/key"),
        ("{id: x, type: question, key: a, prompt: p, when: ''}", "GW127", "/nodes/2/when"),
        ("{id: x, type: action, run: r, retry: {tries: 3}}", "GW120", "/nodes/2/retry/tries"),
        ("{id: x, type: action, run: r, confirm: {by: q, over: []}}", "GW127", "/nodes/2/confirm/over"),
        ("{id: __exit__, type: terminal}", "GW126", "/nodes/2/id"),
    ],
)
def test_fields_of_nodes(node, code, pointer):
    assert (code, pointer) in diagnostics_of(BODY.format("").replace("edges:", f"  - {node}\nedges:"))


@pytest.mark.parametrize(
    ("edge", "code", "pointer"),
    [
        ("{from: q, to: done, gaurd: x}", "GW120", "/edges/1/gaurd"),
        ("{from: q, to: done, guard: ''}", "GW127", "/edges/1/guard"),
        ("q -> done", "GW122", "/edges/1"),
    ],
)
def test_fields_of_edges(edge, code, pointer):
    assert (code, pointer) in diagnostics_of(BODY.format("") + f"  - {edge}\n")


def test_a_list_with_too_many_items_says_how_many_it_may_have():
    (found,) = compiled("examples: [a, b, c, d, e, f, g, h, i]\n" + BODY.format("")).errors
    assert (found.code, found.message) == ("GW127", "`examples` may have at most 8 items, not 9.")


@pytest.mark.parametrize("version", ["v2", "'1'", "[v1]"])
def test_other_versions_are_refused(version):
    text = f"version: {version}\nid: x\nnodes: [{{id: done, type: terminal}}]\nedges: []\n"
    (diagnostic,) = compile_text(text).diagnostics
    assert (diagnostic.code, diagnostic.pointer) == ("GW124", "/version")


@pytest.mark.parametrize(("was", "at"), [("5", ""), ("{x: 1}", ""), ("[5]", "/0"), ("[]", "")])
def test_a_field_that_is_a_text_or_a_list_has_one_finding(was, at):
    found = compiled(BODY.format(f", was: {was}")).diagnostics
    assert [(each.code[:4], each.pointer) for each in found] == [("GW12", f"/nodes/0/was{at}")]


def test_places_of_keys_and_values():
    # All mistakes are found in one run.
    spans = {d.pointer: d.span for d in compiled("titel: x\n" + BODY.format(", label: 3")).diagnostics}
    assert (spans["/titel"].line, spans["/titel"].column, spans["/titel"].end_column) == (3, 1, 6)
    assert (spans["/nodes/0/label"].line, spans["/nodes/0/label"].column) == (5, 55)


def test_the_schema_is_a_schema_and_describes_every_field():
    schema = json_schema()
    Draft202012Validator(schema)
    fields, layer = (schema["$defs"][name]["properties"] for name in ("Document", "DocumentLayer"))
    assert all(part["description"] for part in (*fields.values(), *layer.values()))
    assert set(layer) - set(fields) == {"extends", "remove", "strategies"}
    kinds = set(fields["nodes"]["items"]["discriminator"]["mapping"])
    assert kinds == {"question", "decision", "action", "subgraph", "terminal"}


def test_many_misspelt_names_take_no_long_time():
    nodes = [{"id": f"node.{n}", "type": "decision"} for n in range(3000)]
    edges = [{"from": f"node.{n}", "to": f"nodes.{n}x"} for n in range(3000)]
    found = compile_document({"version": "v1", "id": "x", "nodes": nodes, "edges": edges}).diagnostics
    assert [d.code for d in found].count("GW202") == 3000
