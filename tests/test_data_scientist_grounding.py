"""Numbers in a text about a result: which of them the result has."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.agents.data_scientist.grounding import Known, numbers_said, ungrounded, without_sentences

RESULT = Known([2.99827, 12345, 1_203_444.0, -0.676, 0.6789, 244, 1.27e-05])


@pytest.mark.parametrize(
    "text",
    [
        "The mean is 2.998.",
        "The mean is 3.00, about 3.",
        "There are 12,345 of them.",
        "There are 12345 of them.",
        "Roughly 1.2 million people.",
        "The correlation is -0.68.",
        "They are correlated by 0.676.",
        "That is 67.9%.",
        "That is 68 percent of 244.",
        "The p-value is 1.3e-05.",
        "The p-value is 1.3 × 10^-5.",
        "It is below 0.05, so it is significant at the level of 95%.",
        "1. The mean is 2.998\n2. There are 244",
        "class_7 and x2 are names",
        "No numbers at all.",
    ],
)
def test_what_the_result_has_may_be_said(text: str) -> None:
    assert ungrounded(text, RESULT) == []


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("The mean is 2.95.", ["2.95"]),
        ("There are 17 of them and 244 of those.", ["17"]),
        ("That is 42%.", ["42%"]),
        ("A budget of 0.05 euros", ["0.05"]),
        ("About 5 million", ["5 million"]),
        ("between 1990 and 2024", ["1990", "2024"]),
        ("The p-value is 1.3e-07", ["1.3e-07"]),
    ],
)
def test_what_it_has_not_is_flagged(text: str, flagged: list[str]) -> None:
    assert ungrounded(text, RESULT) == flagged


@given(st.floats(-1e9, 1e9, allow_nan=False), st.integers(0, 6))
def test_any_rounding_of_a_number_is_that_number(value: float, decimals: int) -> None:
    said = f"It is {value:,.{decimals}f} in all."
    assert ungrounded(said, Known([value])) == []


@given(st.floats(1, 1e6, allow_nan=False), st.floats(1.02, 50))
def test_a_number_far_off_is_another_one(value: float, factor: float) -> None:
    other = f"{value * factor:.4f}"
    near_percent = any(math.isclose(float(other), value * by, rel_tol=0.01) for by in (1, 100, 0.01))
    assert near_percent or ungrounded(f"It is {other} in all.", Known([value])) == [other]


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    assert all(math.isfinite(each.value) or each.value > 0 for each in numbers_said(text))
    ungrounded(text, Known([1.0]))


def test_ranges_and_compounds_have_no_minus() -> None:
    assert [each.value for each in numbers_said("from 3-5, and -2")] == [3.0, 5.0, -2.0]


def test_numbers_beyond_every_range_are_read() -> None:
    assert ungrounded(f"It is {'9' * 400}.", Known([1.0])) == []
    assert ungrounded("It is 1e999.", Known([1.0, math.inf, math.nan])) == ["1e999"]


def test_sentences_with_such_numbers_are_cut() -> None:
    text = "The mean is 3. It rose by 17 points! Nobody knows why."
    assert without_sentences(text, ["17"]) == "The mean is 3. Nobody knows why."
