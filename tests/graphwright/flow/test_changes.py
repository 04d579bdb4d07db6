"""Which nodes and fields differ between two versions of a flow document, and how."""

from typing import Any

import pytest

from graphwright.flow._changes import ChangeKind, Changes, changes_text, compare
from graphwright.flow._source import read_text

FLOW = """
version: v1
id: flow.lamps
state: {quote: {type: [string, "null"]}, tries: {type: integer, default: 0}}
nodes:
  - {id: q.size, type: question, key: size, prompt: "How many?", schema: {type: integer, minimum: 1, title: Lamps}}
  - {id: s.place, type: subgraph, ref: place}
  - {id: q.sure, type: question, key: sure, read: confirm, prompt: "Sure?", on_invalid: t.no}
  - {id: send, type: action, run: send_offer, confirm: {by: q.sure, over: [quote]}}
  - {id: t.yes, type: terminal, say: Sent.}
  - {id: t.no, type: terminal, say: Not sent.}
edges:
  - {from: q.size, to: s.place, guard: answers.size > 3, label: many}
  - {from: q.size, to: q.sure, guard: else}
  - {from: s.place, to: q.sure}
  - {from: q.sure, to: send, guard: answers.sure == true}
  - {from: q.sure, to: t.no, guard: else}
  - {from: send, to: t.yes}
predicates: {large: answers.size > 10}
subgraphs:
  place:
    nodes:
      - {id: q.room, type: question, key: room, prompt: "Which room?"}
      - {id: q.floor, type: question, key: floor, prompt: "Which floor?"}
    edges: [{from: q.room, to: q.floor}, {from: q.floor, to: __exit__}]
"""


def data(text: str) -> dict[str, Any]:
    source, found = read_text(text)
    assert source is not None
    assert not found
    return dict(source.data)


def edited(*edits: tuple[str, str]) -> Changes:
    text = FLOW
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return compare(data(FLOW), data(text))


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("How many?", "How many lamps?", {"q.size": ("text",)}),
        ("title: Lamps", "title: Number of lamps", {"q.size": ("text",)}),
        ("label: many", "label: some", {"q.size": ("text",)}),
        ("minimum: 1", "minimum: 0", {"q.size": ("schema",)}),
        ("size > 3", "size > 4", {"q.size": ("edges",)}),
        ("over: [quote]", "over: [quote, answers.size]", {"send": ("behaviour",)}),
        ("read: confirm", "read: confirm, ask: always", {"q.sure": ("behaviour",)}),
        ("from: send, to: t.yes", "from: send, to: t.no", {"send": ("edges",)}),
        ("integer, default: 0", "integer, default: 1", {"field state.tries": ("behaviour",)}),
        ("[string, ", "[string, integer, ", {"field state.quote": ("schema",)}),
        ("size > 10", "size > 9", {"field predicates.large": ("behaviour",)}),
        ("    nodes:", "    entry: q.floor\n    nodes:", {"field entry of subgraph place": ("behaviour",)}),
        ("version: v1", "version: v1\ntitle: Lamps", {"field title": ("text",)}),
        # Without a meaning: a default that is written out, another order of edges that do not compete.
        ("read: confirm", "read: confirm, required: true, ask: once", {}),
        ("run: send_offer", "run: send_offer, retry: {attempts: 1}", {}),
        ("version: v1", "version: v1\nentry: q.size\nrestart: clear", {}),
    ],
)
def test_each_change_has_its_kind(old: str, new: str, changed: dict[str, tuple[ChangeKind, ...]]) -> None:
    found = edited((old, new))
    assert {str(each): each.kinds for each in found.parts} | {
        each.id: each.kinds for each in found.nodes if not each.same
    } == changed
    assert found.equal is (not changed)


def test_a_renamed_node_is_followed_by_all_that_name_it() -> None:
    found = edited(("t.no", "t.declined"), ("id: t.declined,", "id: t.declined, was: [t.never, t.no],"))
    assert found.renamed == {"t.no": "t.declined"}
    assert [each.was for each in found.nodes if not each.same] == ["t.no"]


def test_nodes_that_became_one_are_each_followed() -> None:
    found = edited(
        ("  - {id: t.no, type: terminal, say: Not sent.}\n", ""),
        ("t.no", "t.end"),
        ("t.yes", "t.end"),
        ("id: t.end,", "id: t.end, was: [t.yes, t.no],"),
    )
    assert found.by_old_id["t.yes"].kinds == ("renamed",)
    assert found.by_old_id["t.no"].kinds == ("text", "renamed")


def test_moved_gone_and_added_nodes_and_subgraphs() -> None:
    room = '      - {id: q.room, type: question, key: room, prompt: "Which room?"}\n'
    moved = edited((room, ""), ("edges:\n", room[4:] + "edges:\n"), ("[{from: q.room, to: q.floor}, ", "["))
    assert moved.by_old_id["q.room"].kinds == ("edges", "moved")
    assert (moved.by_old_id["q.room"].was_graph, moved.by_old_id["q.room"].graph) == ("place", "")
    before = data(FLOW)
    after = {name: value for name, value in before.items() if name != "subgraphs"}
    assert [(str(each), each.kinds) for each in compare(before, after).parts] == [("field subgraphs.place", ("gone",))]
    assert {each.id for each in compare(after, before).nodes if each.kinds == ("added",)} == {"q.room", "q.floor"}
    assert changes_text(before, after) == "removed: q.room, q.floor, field subgraphs.place"


def test_the_order_of_nodes_and_competing_edges_counts() -> None:
    before = data(FLOW)
    nodes, edges = before["nodes"], before["edges"]
    assert [p.kinds for p in compare(before, {**before, "nodes": [*nodes[:-2], nodes[-1], nodes[-2]]}).parts] == [
        ("order",)
    ]
    assert compare(before, {**before, "edges": edges[::-1]}).equal
    third = {"from": "q.size", "to": "t.no", "guard": "answers.size > 2"}
    found = compare({**before, "edges": [*edges, third]}, {**before, "edges": [third, *edges]})
    assert found.by_old_id["q.size"].kinds == ("order",)
    ranked = {**third, "priority": 1}
    assert compare({**before, "edges": [*edges, ranked]}, {**before, "edges": [ranked, *edges]}).equal


def test_true_is_not_one() -> None:
    before = data(FLOW.replace("minimum: 1", "const: 1"))
    assert compare(before, data(FLOW.replace("minimum: 1", "const: true"))).by_old_id["q.size"].kinds == ("schema",)
