"""Options of a schema, and the choice among them by number, name, word or slip."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.runtime.reading.options import option_for, options_of, read_choice

SCHEMA = {
    "oneOf": [
        {"const": "buy_led", "title": "Buy LED lights", "x-words": ["purchase"]},
        {"const": "repair", "title": "Repair"},
        {"const": "sports_court"},
        {"const": "sports"},
        {"const": "other", "x-words": ["something else"]},
    ]
}
OPTIONS = options_of(SCHEMA)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", "repair"),
        ("the second one", "repair"),
        ("option 2", "repair"),
        ("nr. 2", "repair"),
        ("zweite", "repair"),
        ("die dritte bitte", "sports_court"),
        ("two", "repair"),
        ("I'd like the last one", "other"),
        ("buy_led", "buy_led"),
        ("Buy led lights, please", "buy_led"),
        ("purchase", "buy_led"),
        ("buy", "buy_led"),
        ("rep", "repair"),
        ("repiar", "repair"),
        ("sports court", "sports_court"),
        ("Sports-Court!", "sports_court"),
        ("sports", "sports"),
        ("something else", "other"),
    ],
)
def test_a_choice(text: str, value: str) -> None:
    option = read_choice(text, OPTIONS)
    assert option is not None
    assert option.value == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7",
        "0",
        "-1",
        "2.5",
        "1 or 2",
        "buy or repair",
        "not the first one",
        "not repair",
        "repair?",
        "the one",
        "no",
        "second, no third",
        "anything but repair",
        "hmm",
        "2 W",
        "€2",
        "100%",
        "\0",
        "repair " * 100_000,
    ],
)
def test_no_choice(text: str) -> None:
    assert read_choice(text, OPTIONS) is None


def test_an_ambiguous_beginning_is_no_choice() -> None:
    assert read_choice("gre", options_of({"enum": ["green", "grey"]})) is None


def test_among_numbers_a_number_is_the_value_and_an_ordinal_the_place() -> None:
    options = options_of({"enum": [3, 2, 1]})
    assert [getattr(read_choice(text, options), "value", None) for text in ("3", "the third one", "7")] == [3, 1, None]


def test_a_boolean_schema_is_chosen_by_yes_and_no() -> None:
    options = options_of({"type": "boolean"})
    assert [getattr(read_choice(text, options), "value", None) for text in ("yep", "nein", "maybe")] == [
        True,
        False,
        None,
    ]


def test_options_come_from_every_closed_form_with_titles_and_words() -> None:
    listed = options_of({"enum": ["red", None, "dark_blue"], "x-words": {"red": ["crimson"]}})
    assert [(o.value, o.title, o.words) for o in listed] == [
        ("red", "red", ("crimson",)),
        ("dark_blue", "dark blue", ()),
    ]
    assert [o.title for o in options_of({"anyOf": [{"const": 1, "title": "One"}, {"type": "null"}]})] == ["One"]
    assert options_of({"type": "string"}) == ()
    assert options_of({"anyOf": [{"const": "a"}, {"type": "string"}]}) == ()


@pytest.mark.parametrize("value", ["Buy LED", "BUY-LED", "buy_lde", "buyLed"])
def test_a_proposed_value_means_an_option_up_to_its_spelling(value: str) -> None:
    options = options_of({"enum": ["buy_led", "repair"]})
    option = option_for(value, options)
    assert (option.value if option else None) == ("buy_led" if value != "buy_lde" else None)


@given(st.text())
def test_any_text_is_read_without_failing(text: str) -> None:
    option = read_choice(text, OPTIONS)
    assert option is None or option in OPTIONS
