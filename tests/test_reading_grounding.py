"""Grounding: a proposed value is committed only when it follows from the user's own words."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.runtime.reading.grounding import Grounded, Refused, ground
from graphwright.runtime.reading.numbers import numbers_in
from graphwright.runtime.reading.words import words_of

WATTS = {"type": "integer", "x-unit": "W"}
NUMBER = {"type": "number"}
TEXT = {"type": "string"}
EMAIL = {"type": "string", "format": "email"}
YES_NO = {"type": "boolean"}
PLAIN = {"enum": ["buy_led", "repair", "other"]}
VENUE = {
    "oneOf": [
        {"const": "sports_court", "title": "Sports court", "x-words": ["tennis", "pitch", "platz"]},
        {"const": "hall", "title": "Hall", "x-words": ["halle", "gym"]},
        {"const": "home", "x-words": ["house", "wohnung"]},
    ]
}
SIZE = {"type": "object", "properties": {"length": {"type": "number", "x-unit": "m"}, "width": {"type": "number"}}}


def taken(message: str, quote: str, value: Any, schema: dict[str, Any], pending: bool = True, key: str = "") -> Any:
    verdict = ground(message, quote, value, schema, pending=pending, key=key)
    assert isinstance(verdict, Grounded), verdict
    assert message[verdict.start : verdict.end] == verdict.quote
    return verdict.value


def refused(
    message: str, quote: str, value: Any, schema: dict[str, Any], pending: bool = True, key: str = ""
) -> tuple[str, Any]:
    verdict = ground(message, quote, value, schema, pending=pending, key=key)
    assert isinstance(verdict, Refused), verdict
    assert verdict.reason.endswith((".", "?"))
    return verdict.kind, verdict.suggestion


@pytest.mark.parametrize(
    ("message", "quote"),
    [
        ("I need “200 Watt”, please", '"200 watt"'),
        ("I  need 200\nWatt", "need 200 watt"),
        ("we need about 200 Watt today", "need 200 watt"),
        ("200W", "200 W"),
        ("200-watt lamps", "200 watt lamps"),
    ],
)
def test_a_quote_is_found_up_to_its_spelling(message: str, quote: str) -> None:
    assert taken(message, quote, 200, WATTS) == 200


@pytest.mark.parametrize(
    ("message", "quote"),
    [
        ("I need light", "200 W"),
        ("1200 W", "200"),
        ("Anna", ""),
        ("200 " + "and " * 40 + "watts", "200 watts"),
        ("", ""),
    ],
)
def test_a_quote_that_was_not_written_is_refused(message: str, quote: str) -> None:
    assert refused(message, quote, 200, WATTS)[0] == "not_said"


def test_the_amount_is_read_from_the_words_and_not_from_the_proposal() -> None:
    assert taken("I need 200 W", "200 W", 300, WATTS) == 200
    assert taken("I need 200 W", "200 W", "200", WATTS) == 200
    assert taken("0.2 kW", "0.2 kW", 0.2, WATTS) == 200
    assert taken("zweihundert Watt", "zweihundert Watt", 200, WATTS) == 200
    assert taken("2 lamps of 200 W", "2 lamps of 200 W", 2, WATTS) == 200
    assert taken("1.500", "1.500", 1.5, NUMBER) == 1.5
    assert taken("increase it to 50 W", "50 W", 50, WATTS) == 50
    assert taken("not 200, I said 300", "300", 300, WATTS) == 300
    assert isinstance(taken("200.0 W", "200.0 W", 200.0, WATTS), int)


@pytest.mark.parametrize(
    ("message", "quote", "value", "kind"),
    [
        ("no idea", "no idea", 100, "not_said"),
        ("my budget is 200 EUR", "200 EUR", 200, "unit"),
        ("50 more", "50", 50, "relative"),
        ("50 W mehr", "50 W", 50, "relative"),
        ("another 50", "50", 50, "relative"),
        ("increase it by 50 W", "50 W", 50, "relative"),
        ("um 50 W erhöhen", "50 W", 50, "relative"),
        ("twice as much", "twice as much", 400, "relative"),
        ("doppelt so viel", "doppelt so viel", 400, "relative"),
        ("not 200", "200", 200, "negated"),
        ("nicht 200 Watt", "200 Watt", 200, "negated"),
        ("between 100 and 200", "between 100 and 200", 150, "ambiguous"),
        ("between 100 and 200", "100", 100, "ambiguous"),
        ("100-200 W", "100-200 W", 100, "ambiguous"),
        ("100 or 200 W", "200 W", 200, "ambiguous"),
        ("1.5 W", "1.5 W", 1.5, "fraction"),
        ("200", "200", None, "empty"),
    ],
)
def test_an_amount_that_does_not_follow_is_refused(message: str, quote: str, value: Any, kind: str) -> None:
    assert refused(message, quote, value, WATTS)[0] == kind


def test_an_option_needs_evidence_where_the_author_listed_words() -> None:
    assert taken("a tennis court", "tennis court", "sports_court", VENUE) == "sports_court"
    assert taken("Beleuchtung für unseren Tennisplatz", "unseren Tennisplatz", "sports_court", VENUE) == "sports_court"
    assert taken("tenis", "tenis", "Sports Court", VENUE) == "sports_court"
    assert taken("zwei Sporthallen", "Sporthallen", "hall", VENUE) == "hall"
    assert refused("a big building", "a big building", "hall", VENUE) == ("no_evidence", "hall")
    assert refused("our gym", "our gym", "home", VENUE) == ("no_evidence", "hall")
    assert refused("hall or home", "hall or home", "hall", VENUE)[0] == "ambiguous"
    assert refused("anything", "anything", "stadium", VENUE)[0] == "not_an_option"


def test_an_option_without_listed_words_needs_its_quote_and_nothing_against_it() -> None:
    assert taken("some lamp", "some lamp", "buy_led", PLAIN) == "buy_led"
    assert taken("some lamp", "some lamp", "BUY LED", PLAIN) == "buy_led"
    assert refused("repair my lamp", "repair my lamp", "buy_led", PLAIN) == ("no_evidence", "repair")
    assert taken("buy LED, not repair", "buy LED", "buy_led", PLAIN) == "buy_led"


@pytest.mark.parametrize(
    "message", ["not LED", "kein LED", "I don't want any LED", "LED will ich nicht", "LED, no, not LED"]
)
def test_a_negated_option_is_refused(message: str) -> None:
    assert refused(message, "LED", "buy_led", PLAIN)[0] == "negated"


def test_a_number_or_place_chooses_an_option_only_when_it_was_asked_for() -> None:
    assert taken("the second one", "the second one", "hall", VENUE) == "hall"
    assert refused("the second one", "the second one", "home", VENUE) == ("no_evidence", "hall")
    assert refused("2", "2", "hall", VENUE, pending=False)[0] == "no_evidence"


def test_options_that_are_numbers_are_read_as_amounts() -> None:
    assert taken("200 W", "200 W", "200", {"enum": [100, 200], "x-unit": "W"}) == 200
    assert refused("250 W", "250 W", 250, {"enum": [100, 200], "x-unit": "W"})[0] == "not_an_option"


def test_a_plain_yes_or_no_decides_a_boolean_that_was_asked_for_and_no_other() -> None:
    assert taken("yes", "yes", True, YES_NO) is True
    assert taken("no", "no", True, YES_NO) is False
    assert taken("we have a garden", "we have a garden", True, YES_NO, pending=False) is True
    assert refused("yes", "yes", True, YES_NO, pending=False)[0] == "not_said"
    assert refused("no, 200 W", "no", True, YES_NO)[0] == "contradicted"
    assert refused("I don't know", "I don't know", False, YES_NO)[0] == "unsure"


def test_every_word_of_a_text_is_the_users_own() -> None:
    assert taken("My name is Anna Smith.", "Anna Smith", " Anna Smith ", TEXT) == "Anna Smith"
    assert taken("two red lamps", "red lamps", "red lamp", TEXT) == "red lamp"
    assert taken("我在北京", "北京", "北京", TEXT) == "北京"
    assert taken("no peanuts, please", "peanuts", "peanuts", TEXT) == "peanuts"
    assert refused("My name is Anna.", "Anna", "Anna Smith", TEXT)[0] == "not_said"
    assert refused("my name is not Anna", "Anna", "Anna", TEXT)[0] == "negated"
    assert refused("I need light", "my name is Anna", "Anna", TEXT)[0] == "not_said"


@pytest.mark.parametrize("value", ["unknown", "n/a", "None", "", "  ", "I don't know", "not specified"])
def test_a_text_that_says_nothing_is_refused_even_when_the_user_wrote_it(value: str) -> None:
    assert refused(f"well, {value}", value or "well", value, TEXT)[0] == "empty"


def test_an_address_is_taken_whole_from_the_message() -> None:
    assert taken("mail Anna.S@example.com.", "Anna.S@example.com", "anna.s@example.com", EMAIL) == "Anna.S@example.com"
    assert taken("mail anna@example.com", "anna@example.com", "anna@example", EMAIL) == "anna@example.com"
    assert taken("anna at example dot com", "anna at example dot com", "anna@example.com", EMAIL) == "anna@example.com"
    assert taken("a@b.de, not c@d.de", "a@b.de", "a@b", EMAIL) == "a@b.de"
    assert taken("anna@example.com", "anna@example.com", "anna", TEXT, key="contact.email") == "anna@example.com"
    assert refused("I am anna", "anna", "anna@example.com", EMAIL)[0] == "format"
    assert refused("anna@example", "anna@example", "anna@example", EMAIL)[0] == "format"


def test_a_phone_number_is_taken_whole_from_the_message() -> None:
    phone = {"type": "string", "format": "phone"}
    assert taken("call +49  170 1234567", "170 1234567", "+491701234567", phone) == "+49 170 1234567"
    assert taken("0170/1234567", "0170/1234567", "01701234567", TEXT, key="phone") == "0170/1234567"
    assert refused("call 12345", "12345", "12345", phone)[0] == "format"


def test_a_date_is_taken_word_for_word() -> None:
    date = {"type": "string", "format": "date"}
    assert taken("on 2024-05-12", "2024-05-12", "2024-05-12", date) == "2024-05-12"
    assert refused("on 12 May", "12 May", "2024-05-12", date)[0] == "not_said"


def test_lists_and_objects_are_grounded_part_by_part() -> None:
    names = {"type": "array", "items": TEXT}
    assert taken("apples and pears", "apples and pears", ["apples", "pears"], names) == ["apples", "pears"]
    assert refused("apples", "apples", ["apples", "kiwi"], names)[0] == "not_said"
    assert refused("apples", "apples", [], names)[0] == "empty"
    assert taken("20 x 40 m", "20 x 40 m", {"length": 20, "width": 40}, SIZE) == {"length": 20, "width": 40}
    assert refused("20 x 40 m", "20 x 40 m", {"length": 20, "width": 50}, SIZE)[0] == "not_said"
    assert refused("20 m", "20 m", {"length": 20, "width": None}, SIZE)[0] == "empty"


def test_a_value_may_fit_one_of_several_branches() -> None:
    either = {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}
    assert taken("200", "200", 200, either) == 200
    assert taken("a lot", "a lot", "a lot", either) == "a lot"


def test_reasons_are_sentences_for_the_user() -> None:
    verdict = ground("my budget is 200 EUR", "200 EUR", 200, WATTS, pending=True)
    assert isinstance(verdict, Refused)
    assert verdict.reason == "“200 EUR” is not an amount in W."


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
SCHEMAS = st.sampled_from(
    [WATTS, NUMBER, TEXT, EMAIL, YES_NO, PLAIN, VENUE, SIZE, {}, {"type": "array", "items": TEXT}]
)


@given(st.text(), st.text(max_size=30), VALUES, SCHEMAS, st.booleans())
def test_nothing_makes_it_fail(message: str, quote: str, value: Any, schema: dict[str, Any], pending: bool) -> None:
    verdict = ground(message, quote, value, schema, pending=pending)
    assert isinstance(verdict, Grounded | Refused)


WORDS = st.lists(st.sampled_from(["Anna", "lamps", "200", "W", "not", "1.5", "kW", "Straße", "-", "40"]), max_size=8)


@given(WORDS, WORDS, WORDS)
def test_a_grounded_text_has_no_word_of_its_own(message: list[str], quote: list[str], value: list[str]) -> None:
    said = " ".join(message)
    verdict = ground(said, " ".join(quote), " ".join(value), TEXT, pending=True)
    if isinstance(verdict, Grounded):
        assert set(words_of(verdict.value)) <= set(words_of(said))


@given(WORDS, WORDS, st.integers(0, 300))
def test_a_grounded_number_follows_from_a_number_in_the_message(
    message: list[str], quote: list[str], value: int
) -> None:
    said = " ".join(message)
    verdict = ground(said, " ".join(quote), value, NUMBER, pending=True)
    if isinstance(verdict, Grounded):
        assert verdict.value in {v for m in numbers_in(said) for v in (m.value, *m.alternatives)}


@pytest.mark.parametrize(
    "message",
    [
        "a" * 10**6,
        "1 " * 500_000,
        "a b " * 250_000,
        "1.1." * 250_000,
        "é " * 500_000,
        "a@" * 500_000,
        "ß" * 10**6,
        "not " * 250_000,
        "\0" * 10**6,
        "\u202e👍" * 300_000,
        "one and " * 100_000,
    ],
)
@pytest.mark.parametrize(("value", "schema"), [(200, WATTS), ("a b", TEXT), ("a@b.de", EMAIL), ("hall", VENUE)])
def test_a_huge_message_takes_little_time(message: str, value: Any, schema: dict[str, Any]) -> None:
    begun = time.process_time()
    ground(message, message[:6], value, schema, pending=True)
    assert time.process_time() - begun < 20
