"""Numbers in a text about a result: which of them the result has."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.agents.data_scientist.grounding import Known, numbers_said, ungrounded, without_sentences
from graphwright.agents.data_scientist.results import verdict_of

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
        "They are negatively correlated, by 0.676.",
        "The correlation of -0.67 is no accident.",
        "Between 67 and 68 percent of 244, or 67.9 percentage points.",
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
        ("There is a positive correlation of 0.676.", ["0.676"]),
        ("They are correlated by 0.676.", ["0.676"]),
        ("The correlation of -0.679 is strong.", ["-0.679"]),
        ("A drop of -2.998", ["-2.998"]),
        ("There are 68 of them.", ["68"]),
        ("That is 2.44.", ["2.44"]),
        ("67 and 68 of them", ["67", "68"]),
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
    assert ungrounded(f"It is {other} in all.", Known([value])) == [other]
    assert ungrounded(f"It is -{value:.4f} in all.", Known([value])) == [f"-{value:.4f}"]


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


@pytest.mark.parametrize(
    ("text", "wrong", "left"),
    [
        ("It is hot. The max is 22.5, i.e. 99 cups. All is well.", ["99"], "It is hot. All is well."),
        ("The max is 22.5, e.g. the coffee. It sold 99 cups.", ["99"], "The max is 22.5, e.g. the coffee."),
        ("Tea vs. coffee: 99 cups. Good.", ["99"], "Good."),
        ("In 1999 it was 9. In 2019 it was 8.", ["9"], "In 2019 it was 8."),
        ("It sold 22.5 cups. It sold 2.5 cups.", ["2.5"], "It sold 22.5 cups."),
        ("1. Tea sold 3.\n2. Coffee sold 99.", ["99"], "1. Tea sold 3."),
        ("Tea leads.\nThe numbers:\n- tea: 99\n- coffee: 98", ["99", "98"], "Tea leads."),
        ("The numbers:\n- tea: 99\n- coffee: 7", ["99"], "The numbers:\n- coffee: 7"),
        ("See fig. 99 for that. It rose!", ["99"], "It rose!"),
    ],
)
def test_a_sentence_is_cut_as_a_whole_and_no_other(text: str, wrong: list[str], left: str) -> None:
    assert without_sentences(text, wrong) == left


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("t: -5.9\np_value: 3.8e-09", "yes"),
        ("TtestResult(statistic=2.0, pvalue=0.049, df=11)", "yes"),
        ("F: 1\np: 0.05", "no"),
        ("p-value = 0.54.", "no"),
        ("p_value: 1", "no"),
        ("mean: 3", ""),
        ("p_value: 12", ""),
        ("a p: 0.01\nb p: 0.4", ""),
        ("top: 0.01", ""),
    ],
)
def test_what_a_p_value_says_is_decided_by_code(text: str, says: str) -> None:
    told = {"yes": "is below 0.05: statistically", "no": "is not below 0.05: not statistically", "": ""}[says]
    assert told in verdict_of(text)
    assert bool(told) == bool(verdict_of(text))
