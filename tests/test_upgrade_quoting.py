"""Texts from outside in messages of the UpGrade agent: on one line, short, and told apart where they differ."""

from __future__ import annotations

import pytest

from graphwright.agents.upgrade.words.quoting import listed, one_line, quoted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Foo", "'Foo'"),
        ("O'Neill's", "'O’Neill’s'"),
        (" two \n lines\t\x1b[31m", "'two lines [31m'"),
        ("🙂", "'🙂'"),
        ("", "''"),
    ],
)
def test_a_text_stands_on_one_line_in_quotes_that_it_cannot_end(text: str, shown: str) -> None:
    assert quoted(text) == shown


def test_long_names_are_cut_in_their_middle_and_long_texts_at_their_end() -> None:
    name = f"begins {'x' * 200} ends"
    assert quoted(name).startswith("'begins x")
    assert quoted(name).endswith("x ends'")
    assert one_line(name).endswith("x…")
    for longest in (10, 60, 100):
        assert len(one_line(name, longest)) == len(quoted(name, longest)) - 2 == longest
    assert quoted("x" * 100) == f"'{'x' * 100}'"


def test_a_list_counts_what_it_leaves_out() -> None:
    assert listed(["a", "b", "c"], 2) == "'a', 'b' and 1 more"
    assert listed(["a", "b"], 2) == "'a', 'b'"
