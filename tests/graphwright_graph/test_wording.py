"""The texts for elements, changes and values: one line each, without misleading characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len as width

from graphwright_graph._elements import Change, Edge, Node
from graphwright_graph._wording import (
    cell_text,
    change_text,
    table_lines,
    value_text,
)

T1 = Node("Ticket", "T-1", {"status": "open", "size": 3})
EDGE = Edge("User", "ann", "REPORTS", "Ticket", "T-1", {"since": "2026"})


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (None, T1, "+ Ticket T-1 {size: 3, status: open}"),
        (
            T1,
            Node("Ticket", "T-1", {"status": "closed", "owner": "ann"}),
            "~ Ticket T-1 owner: (none) -> ann, size: 3 -> (none), status: open -> closed",
        ),
        (EDGE, None, '- User ann -[REPORTS]-> Ticket T-1 {since: "2026"}'),
        (Node("A", "a", {"x": 1}), Node("A", "a", {"x": 1.0}), "~ A a x: 1 -> 1.0"),
        (None, Node("A", "b -[R]-> C d"), '+ A "b -[R]-> C d"'),
    ],
)
def test_a_change_is_one_line_with_a_sign(before: Node, after: Node, line: str) -> None:
    assert change_text(Change(before, after)) == line


def test_ambiguous_texts_are_quoted_long_ones_cut_and_invisible_characters_replaced() -> None:
    shown = {"open": "open", "true": '"true"', "3": '"3"', "": '""', "open}, x: {y": '"open}, x: {y"'}
    assert {text: value_text(text) for text in shown} == shown
    assert value_text("x" * 100) == "x" * 60 + "…"
    assert value_text("a\x1b[31mb\u202ec") == '"a\ufffd[31mb\ufffdc"'
    assert value_text("two\n  lines") == '"two lines"'
    assert value_text(list(range(9))) == "[0, 1, 2, 3, 4, … 4 more]"
    many = Node("A", "a", {f"p{n}": n for n in range(10, 30)})
    assert change_text(Change(None, many)).endswith("p17: 17, … 12 more}")
    assert len(change_text(Change(None, Node("A", "k" * 1000, {"x": "y" * 10**6})))) < 200


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
