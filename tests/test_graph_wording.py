"""How people are told of elements, changes and values: one line each, and nothing in it that misleads."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len as width

from graphwright.graphstore.elements import Change, Edge, Node
from graphwright.graphstore.wording import (
    cell_text,
    change_text,
    table_lines,
    value_text,
)

T1 = Node("Ticket", "T-1", {"status": "open", "size": 3})
EDGE = Edge("User", "ann", "REPORTS", "Ticket", "T-1", {"since": "2026"})


def test_a_change_is_one_line_with_a_sign() -> None:
    closed = Node("Ticket", "T-1", {"status": "closed", "owner": "ann"})
    assert change_text(Change(None, T1)) == "+ Ticket T-1 {size: 3, status: open}"
    assert (
        change_text(Change(T1, closed))
        == "~ Ticket T-1 owner: (none) -> ann, size: 3 -> (none), status: open -> closed"
    )
    assert change_text(Change(EDGE, None)) == '- User ann -[REPORTS]-> Ticket T-1 {since: "2026"}'
    assert change_text(Change(Node("A", "a", {"x": 1}), Node("A", "a", {"x": 1.0}))) == "~ A a x: 1 -> 1.0"


def test_texts_that_look_like_other_values_are_quoted() -> None:
    assert value_text("open") == "open"
    assert [value_text(v) for v in (True, "true", 3, "3", 1.5, "1.5", "", "null")] == [
        "true", '"true"', "3", '"3"', "1.5", '"1.5"', '""', '"null"',
    ]  # fmt: skip
    assert value_text("open}, status: {closed") == '"open}, status: {closed"'
    assert value_text(["a b", "c"]) == '["a b", c]'
    assert change_text(Change(None, Node("A", "b -[R]-> C d"))) == '+ A "b -[R]-> C d"'


def test_long_texts_are_cut_and_invisible_characters_replaced() -> None:
    assert value_text("x" * 100) == "x" * 60 + "…"
    assert value_text("a\x1b[31mb\u202ec") == '"a\ufffd[31mb\ufffdc"'
    assert value_text("two\n  lines") == '"two lines"'
    assert value_text(list(range(9))) == "[0, 1, 2, 3, 4, … 4 more]"
    many = Node("A", "a", {f"p{n}": n for n in range(10, 30)})
    assert change_text(Change(None, many)).endswith("p17: 17, … 12 more}")
    assert len(change_text(Change(None, Node("A", "k" * 1000, {"x": "y" * 10**6})))) < 200


def test_cells_of_a_result_are_described_by_type() -> None:
    back = Edge("B", "b", "R", "A", "a")
    path = {"nodes": [Node("A", "a").to_json(), Node("B", "b").to_json()], "edges": [back.to_json()]}
    assert cell_text(T1.to_json()) == "Ticket T-1 {size: 3, status: open}"
    assert cell_text(EDGE.to_json()) == 'User ann -[REPORTS]-> Ticket T-1 {since: "2026"}'
    assert cell_text(path) == "A a <-[R]- B b"
    assert [cell_text(c) for c in ("two words", None, 3, True, ["a b", None], {"x": "y"})] == [
        "two words", "", "3", "true", '["a b", null]', "{x: y}",
    ]  # fmt: skip


def test_a_table_is_aligned_as_a_terminal_shows_it() -> None:
    rows = [["ann", 3, None], ["日本", 41, "e\u0301"], [None, True, "last"]]
    assert table_lines(["key", "n", "x"], rows, 10) == [
        "key   n     x",
        "ann   3",
        "日本  41    e\u0301",
        "      true  last",
    ]
    assert table_lines(["key"], [["a"], ["b"], ["c"]], 1) == ["key", "a", "… and 2 more rows"]


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",))), min_size=1, max_size=5))
def test_columns_of_a_table_are_aligned_for_any_cells(cells: list[str]) -> None:
    lines = table_lines(["a", "b"], [[cell, "end"] for cell in cells], 10)
    assert len({width(line[: line.rindex("end")]) for line in lines[1:]}) == 1
    assert all(line.isprintable() and width(line) <= 45 for line in lines)


@given(st.text(st.characters(exclude_categories=("Cs",))), st.text(st.characters(exclude_categories=("Cs",))))
def test_any_element_is_described_on_one_printable_line(key: str, value: str) -> None:
    node = Node("A", key, {"x": value, "y": [value]})
    for line in (change_text(Change(None, node)), cell_text(value), cell_text([value]), cell_text({"k": value})):
        assert all(character.isprintable() for character in line)
