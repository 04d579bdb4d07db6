"""The difference of two compiled flows: what was added, removed, moved, renamed and changed, and how it changed."""

from hypothesis import given
from hypothesis import strategies as st

from drawing_support import FLOW, compiled
from graphwright.flow.difference import Detail, Difference, difference, summary, text_lines
from graphwright.flow.difference._words import word_difference, words_text
from graphwright.flow.drawing import difference_svg


def edited(*edits: tuple[str, str]) -> Difference:
    text = FLOW
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return difference(compiled(FLOW), compiled(text))


def lines(found: Difference) -> list[str]:
    return [line.text.strip() for line in text_lines(found)]


def test_a_renamed_node_keeps_its_edges() -> None:
    found = edited(("t.human", "t.person"), ("{id: t.person,", "{id: t.person, was: t.human,"))
    assert lines(found) == ["nodes", "= t.person (terminal, was t.human)"]
    assert "~ t.person" in difference_svg(found)


def test_the_pieces_of_a_line_hold_both_values_whatever_signs_they_have() -> None:
    found = edited(("say: Bye}", "say: 'Bye [-now-]{+.+}'}"), ("prompt: Watt?}", "prompt: Watt?, ask: always}"))
    pieces = {line.pieces[0][1]: line.pieces[1:] for line in text_lines(found) if line.pieces}
    kept = "".join(text for kind, text in pieces["say: "] if kind != "removed")
    assert kept == "Bye [-now-]{+.+}"
    assert pieces["ask: "][0] == ("added", '"always"')


def test_a_moved_node_is_followed_into_its_graph() -> None:
    question = "      - {id: q.in, type: question, key: deep, prompt: Deep?}\n"
    found = edited(
        (question, "      - {id: d.in, type: decision}\n"),
        ("{from: q.in, to: __exit__}", "{from: d.in, to: __exit__}"),
        ("      - {id: sg.in,", f"{question}      - {{id: sg.in,"),
        ("{from: q.watt, to: sg.in}", "{from: q.watt, to: q.in}\n      - {from: q.in, to: sg.in}"),
    )
    assert "> q.in (question, moved from subgraph inner to subgraph outer)" in lines(found)
    assert found.of("node", "moved")[0].to_json()["was_graph"] == "inner"
    assert "~ q.in" in difference_svg(found)


def test_confirmations_become_weaker_and_stronger() -> None:
    def details(after: str) -> list[Detail]:
        found = edited(("confirm: {by: q.sure, over: [offer]}", after))
        return [detail for entry in found.of("node") for detail in entry.details]

    for after, field, relation in (
        ("confirm: {by: q.sure, over: [offer, answers.kind]}", "confirm.over", "stronger"),
        ("confirm: {by: q.sure, over: [answers.kind]}", "confirm.over", "incomparable"),
        ("timeout: 3", "confirm", "weaker"),
    ):
        assert (details(after)[0].field, details(after)[0].relation) == (field, relation)
    # Without a price the condition is an error, which does not lift the demand for a yes.
    (when,) = details("confirm: {by: q.sure, over: [offer], when: offer.price > 3.0}")
    assert (when.field, when.relation, when.only_after) == ("confirm.when", "weaker", None)
    assert when.only_before is not None
    assert when.only_before.values["offer"]["price"] <= 3


def test_else_edges_labels_targets_and_layout() -> None:
    found = edited(("to: end, guard: else, label: anything else", "to: make, guard: else, label: others"))
    assert lines(found)[:4] == [
        "edges",
        "~ d -> make (was d -> end)",
        'to: "end" -> "make"',
        "label: [-anything else-]{+others+}",
    ]
    assert summary(edited(("x: 11", "x: 12"))) == "Only the layout differs."
    assert summary(edited(("prompt: Watt?", "prompt: How many watts?"))).endswith("Only texts and layout differ.")
    moved = edited(("x: 11", "x: 12"))
    assert not moved.touched
    assert difference(moved.before, moved.after, layout=False).equal


def test_a_text_whose_expression_changed_is_shown_as_old_and_new() -> None:
    assert lines(edited(("prompt: Watt?", 'prompt: "Watt for {{ answers.kind }}?"')))[2:5] == [
        "prompt:",
        '- "Watt?"',
        '+ "Watt for {{ answers.kind }}?"',
    ]


def test_nodes_whose_predicate_changed_are_touched() -> None:
    text = FLOW.replace("answers.kind == 'led'", "led") + "predicates: {led: answers.kind == 'led'}\n"
    found = difference(compiled(text), compiled(text.replace("== 'led'}", "!= 'other'}")))
    assert lines(found)[1:3] == [
        "~ predicates.led",
        "expression: \"answers.kind == 'led'\" -> \"answers.kind != 'other'\": equal in meaning",
    ]
    assert found.touched == {"d"}
    assert {"q.kind", "d"} <= found.leading
    assert "end" not in found.leading


@given(st.text(alphabet="ab \n.é", max_size=40), st.text(alphabet="ab \n.é", max_size=40))
def test_the_pieces_of_a_text_make_both_texts(before: str, after: str) -> None:
    pieces = word_difference(before, after)
    assert "".join(text for kind, text in pieces if kind != "added") == before
    assert "".join(text for kind, text in pieces if kind != "removed") == after


def test_long_texts_are_compared_and_shown_in_part() -> None:
    pieces = word_difference(f"{'x ' * 5_000}old", f"{'x ' * 5_000}new")
    assert words_text(pieces).endswith("x x [-old-]{+new+}")
    assert len(words_text(pieces)) < 100
    assert len(word_difference("a " * 5_000, "b " * 5_000)) == 3
