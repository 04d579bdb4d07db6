"""Edit commands: the text after a command reads as the expected document, and keeps everything else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from graphwright.authoring import Refused, applied, edit, read_command
from graphwright.flow._source import read_plain

ROOT = Path(__file__).parents[3]
FLOWS = sorted([*ROOT.glob("examples/*/flow.yaml"), *ROOT.glob("packages/*/src/*/*/flow.yaml")])
FLOWS = [file for file in FLOWS if "extends:" not in file.read_text("utf-8")]

SALE = """# A sale
version: v1
id: flow.sale
state: {log: {type: array, reduce: append}}  # kept
nodes:
  # The first question
  - {id: q.what, type: question, key: what, prompt: "What?"}  # verbatim

  - id: q.sure   # a block
    type: question
    key: sure
    read: confirm
    ask: always
    prompt: |
      Really?
      {{ answers.what }}
  - {id: a.keep, type: action, run: record, with: {collection: sales, value: {}}, confirm: {by: q.sure, over: [plan]}}
  - {id: t.done, type: terminal}
edges:
  - {from: q.what, to: q.sure}
  - {from: q.sure, to: a.keep, guard: answers.sure == true}  # yes
  - {from: q.sure, to: t.done, guard: else}
  - {from: a.keep, to: t.done}
on_escalate: t.done
"""


def data(text: str) -> dict[str, Any]:
    source, problems = read_plain(text)
    assert source is not None
    assert not problems
    return dict(source.data)


def changed(*commands: dict[str, Any], text: str = SALE) -> str:
    return edit(text, [read_command(each) for each in commands])


def lines_differing(before: str, after: str) -> set[str]:
    return set(before.splitlines()) ^ set(after.splitlines())


NEW = {"id": "q.size", "type": "question", "key": "size", "prompt": "Which size?"}


def test_a_new_node_and_its_edges_get_new_lines_and_nothing_else_changes() -> None:
    text = changed(
        {"do": "add_node", "node": {**NEW, "schema": {"enum": ["small", "large"]}}, "after": "q.what"},
        {"do": "redirect", "from": "q.what", "to": "q.sure", "new_to": "q.size"},
        {"do": "connect", "from": "q.size", "to": "q.sure"},
    )
    assert lines_differing(SALE, text) == {
        '  - {id: q.size, type: question, key: size, prompt: "Which size?", schema: {enum: [small, large]}}',
        "  - {from: q.what, to: q.sure}",
        "  - {from: q.what, to: q.size}",
        "  - {from: q.size, to: q.sure}",
    }
    assert [(each["from"], each["to"]) for each in data(text)["edges"]][:2] == [
        ("q.what", "q.size"),
        ("q.size", "q.sure"),
    ]


def test_a_renamed_node_is_renamed_wherever_the_document_names_it() -> None:
    text = changed(
        {"do": "rename_node", "id": "q.sure", "to": "q.really"}, {"do": "rename_node", "id": "t.done", "to": "t.end"}
    )
    assert not re.search(r"(to|from|by|on_escalate|id): (q\.sure|t\.done)", text)
    assert data(text)["nodes"][1]["was"] == "q.sure"
    assert data(text)["on_escalate"] == "t.end"


def test_a_removed_node_takes_its_edges_and_references_along() -> None:
    text = changed({"do": "remove_node", "id": "a.keep"}, {"do": "remove_node", "id": "t.done"})
    assert "t.done" not in text
    assert data(text)["edges"] == [{"from": "q.what", "to": "q.sure"}]
    assert "on_escalate" not in data(text)
    for comment in ("# A sale", "# kept", "# The first question", "# verbatim", "# a block"):
        assert comment in text


def test_fields_of_the_document_are_written_at_their_usual_place() -> None:
    text = changed(
        {"do": "set_document", "set": {"title": "Sale", "on_escalate": None}},
        {"do": "set_predicate", "name": "big", "guard": "size(answers.what) > 9"},
        {"do": "set_subgraph", "name": "extra", "set": {"title": "Extra"}},
        {"do": "add_node", "graph": "extra", "node": NEW},
        {"do": "connect", "from": "q.size", "to": "__exit__"},
    )
    assert list(data(text)) == ["version", "id", "title", "state", "nodes", "edges", "predicates", "subgraphs"]
    assert data(text)["subgraphs"]["extra"] == {
        "title": "Extra",
        "nodes": [NEW],
        "edges": [{"from": "q.size", "to": "__exit__"}],
    }
    assert "  extra:\n    title: Extra\n    nodes:\n      - {id: q.size" in text


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ({"do": "run_code"}, "There is no command 'run_code'"),
        ({"do": "add_node", "node": {"id": "q.what", "type": "question"}}, "a node `q.what` already"),
        ({"do": "add_node", "node": {"type": "question"}}, "needs an `id`"),
        ({"do": "add_node", "graph": "gone", "node": NEW}, "no subgraph `gone`"),
        ({"do": "update_node", "id": "q.wat", "set": {}}, "Did you mean `q.what`"),
        ({"do": "update_node", "id": "q.what", "set": {"id": "x"}}, "rename_node"),
        ({"do": "remove_node", "id": "q.sure"}, "`a.keep` needs the yes of `q.sure`"),
        ({"do": "rename_node", "id": "q.what", "to": "q.sure"}, "another node has it"),
        ({"do": "connect", "from": "q.what", "to": "q.gone"}, "no node `q.gone`"),
        ({"do": "connect", "from": "q.what", "to": "q.sure"}, "such an edge already"),
        ({"do": "disconnect", "from": "q.sure", "to": "q.what"}, "From it lead: `a.keep` (answers.sure == true)"),
        ({"do": "set_document", "set": {"shadow": "/etc/passwd"}}, "`shadow` of the document"),
        ({"do": "set_document", "set": {"extends": "/etc/passwd"}}, "`extends` of the document"),
        ({"do": "set_channel", "name": "gone", "channel": None}, "has no `gone`"),
        ({"do": "set_guard", "from": "q.sure", "to": "t.done"}, "guard: Field required"),
        ({"do": "set_guard", "from": "q.sure", "to": "t.done", "guard": "x", "eval": "1"}, "eval: Extra inputs"),
        ([], "There is no command None"),
    ],
)
def test_a_command_that_cannot_be_carried_out_is_refused_with_a_reason(command: Any, reason: str) -> None:
    with pytest.raises(Refused, match=re.escape(reason)):
        edit(SALE, [read_command(command)])


def test_a_value_that_an_alias_shares_is_not_changed() -> None:
    text = SALE.replace("key: what,", "key: what, tags: &t [a],").replace("id: t.done,", "id: t.done, tags: *t,")
    with pytest.raises(Refused, match="alias"):
        changed({"do": "update_node", "id": "q.what", "set": {"tags": ["b"]}}, text=text)


_IDS = st.sampled_from(["q.what", "q.sure", "a.keep", "t.done", "new"])
_TEXTS = st.sampled_from(
    [
        "x",
        "yes",
        "Which of the many sizes of a cup would you like to have today?",
        "a: b # c",
        "two\nlines",
        "{{ answers.what }}",
        "é 'q' \"d\"",
        "answers.sure == true",
    ]
)
_FIELDS = st.dictionaries(
    st.sampled_from(["label", "prompt", "tags", "schema", "with"]),
    st.none() | _TEXTS | st.lists(_TEXTS, max_size=2) | st.dictionaries(_TEXTS, _TEXTS, max_size=2),
    max_size=3,
)
_COMMANDS = st.one_of(
    st.builds(lambda node, more: {"do": "add_node", "node": {"id": node, "type": "terminal", **more}}, _IDS, _FIELDS),
    st.builds(lambda node, fields: {"do": "update_node", "id": node, "set": fields}, _IDS, _FIELDS),
    st.builds(lambda node: {"do": "remove_node", "id": node}, _IDS),
    st.builds(lambda node: {"do": "rename_node", "id": node, "to": "other"}, _IDS),
    st.builds(
        lambda a, b, guard: {"do": "connect", "from": a, "to": b, "guard": guard}, _IDS, _IDS, st.none() | _TEXTS
    ),
    st.builds(lambda a, b: {"do": "disconnect", "from": a, "to": b}, _IDS, _IDS),
    st.builds(
        lambda a, b, guard: {"do": "set_guard", "from": a, "to": b, "guard": guard}, _IDS, _IDS, st.none() | _TEXTS
    ),
    st.builds(lambda name, more: {"do": "set_channel", "name": name, "channel": more}, _TEXTS, st.none() | _FIELDS),
    st.builds(
        lambda more: {"do": "set_document", "set": more},
        st.dictionaries(st.sampled_from(["title", "on_stuck"]), _TEXTS),
    ),
)
_BASES = st.sampled_from(
    [
        SALE,
        yaml.safe_dump(yaml.safe_load(SALE), sort_keys=False),
        yaml.safe_dump(yaml.safe_load(SALE), default_flow_style=True),
    ]
)


@example(
    text=SALE,
    commands=[
        {"do": "remove_node", "id": "q.what"},
        {"do": "remove_node", "id": "a.keep"},
        {"do": "add_node", "node": {"id": "q.what", "type": "terminal"}},
    ],
)
@given(text=_BASES, commands=st.lists(_COMMANDS, max_size=6))
def test_the_text_after_commands_reads_as_the_expected_document_with_all_comments(
    text: str, commands: list[Any]
) -> None:
    expected, done = data(text), []
    for command in map(read_command, commands):
        try:
            expected = applied(expected, command)
        except Refused:
            continue
        done.append(command)
    made = edit(text, done)
    assert data(made) == expected
    # A comment inside a node in several lines goes with the node, or stays with one that has not changed.
    unchanged = [node for node in expected["nodes"] if node in data(text)["nodes"]]
    inside = "|a block" if any(node["id"] == "q.sure" for node in unchanged) else ""
    comments = re.compile(rf"(?m)^# .*$|# (?:kept|The first question|verbatim{inside})$")
    assert comments.findall(text) == comments.findall(made)


@pytest.mark.parametrize("file", FLOWS, ids=lambda file: file.parent.name)
def test_commands_and_their_opposites_give_the_same_bytes(file: Path) -> None:
    text = file.read_bytes().decode()
    edge = data(text)["edges"][0]
    ends = {"from": edge["from"], "to": edge["to"], "which": edge.get("guard")}
    added = {"id": "x.new", "type": "terminal", "say": "Why? " * 40}
    pairs: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"do": "add_node", "node": added}, {"do": "remove_node", "id": "x.new"}),
        (
            {"do": "connect", "from": edge["from"], "to": edge["from"], "guard": "false"},
            {"do": "disconnect", "from": edge["from"], "to": edge["from"], "which": "false"},
        ),
        (
            {"do": "set_guard", **ends, "guard": "1 == 2"},
            {"do": "set_guard", **ends, "which": "1 == 2", "guard": edge.get("guard")},
        ),
        (
            {"do": "set_edge", **ends, "set": {"label": "x"}},
            {"do": "set_edge", **ends, "set": {"label": edge.get("label")}},
        ),
        (
            {"do": "set_predicate", "name": "x_new", "guard": "1 == 2"},
            {"do": "set_predicate", "name": "x_new", "guard": None},
        ),
    ]
    for there, back in pairs:
        made = changed(there, text=text)
        assert made != text
        assert changed(back, text=made) == text, there
