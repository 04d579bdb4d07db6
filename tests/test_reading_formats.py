"""E-mail addresses and phone numbers: what is one, and where one stands in a message."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.runtime.reading.formats import email, emails_in, phone, phones_in


@pytest.mark.parametrize("value", ["a@example.com", "anna.b+c@mail.example.co.uk", "o'neil@example.org", "x@müller.de"])
def test_an_address(value: str) -> None:
    assert email(value)


@pytest.mark.parametrize(
    "value",
    [
        "a@b",
        "foo@bar..com",
        "@b.de",
        "a@",
        "a b@c.de",
        ".a@b.de",
        "a.@b.de",
        "a@-b.de",
        "a@b.c",
        "a@b@c.de",
        "",
        5,
        None,
        "a@b.de\n",
        f"{'a' * 65}@b.de",
        f"a@{'b.' * 200}de",
    ],
)
def test_no_address(value: object) -> None:
    assert not email(value)


@pytest.mark.parametrize("value", ["+49 170 1234567", "0170/1234567", "(030) 123 456", "123456", "+1-202-555-0147"])
def test_a_phone_number(value: str) -> None:
    assert phone(value)


@pytest.mark.parametrize(
    "value", ["12345", "1234567890123456", "12+34567", "2024-05-12", "call me", "(030 123456", 123456]
)
def test_no_phone_number(value: object) -> None:
    assert not phone(value)


def test_addresses_are_found_where_they_stand() -> None:
    text = "Mail <Anna.B@Example.com>, or bob@example.org. Not me@home"
    found = emails_in(text)
    assert [each.value for each in found] == ["Anna.B@Example.com", "bob@example.org"]
    assert [text[each.start : each.end] for each in found] == [each.value for each in found]


@pytest.mark.parametrize("text", ["anna at example dot com", "anna (at) example (dot) com", "anna[at]example.com"])
def test_an_address_put_into_words(text: str) -> None:
    assert [(each.value, each.spelled) for each in emails_in(text)] == [("anna@example.com", True)]


def test_phone_numbers_are_found_with_spaces_evened_out() -> None:
    assert [each.value for each in phones_in("call +49  170 1234567, not on 12.05.2024")] == ["+49 170 1234567"]


@pytest.mark.parametrize("text", ["a" * 10**6, "a@" * 500_000, "1 " * 500_000, "a.b-" * 250_000, "a at " * 200_000])
def test_hostile_text_takes_time_in_proportion_to_its_length(text: str) -> None:
    def seconds(part: str) -> float:
        begun = time.process_time()
        emails_in(part), phones_in(part)
        return time.process_time() - begun

    short = seconds(text[: 10**5])
    assert seconds(text[: 4 * 10**5]) < 12 * short + 5


@given(st.text())
def test_any_text_is_read_without_failing(text: str) -> None:
    assert all(email(each.value) for each in emails_in(text))
    assert all(phone(each.value) for each in phones_in(text))
    assert email(text) in (True, False)
    assert phone(text) in (True, False)
