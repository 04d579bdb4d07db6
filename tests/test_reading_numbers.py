"""Numbers in a message: their worth, their unit, and what is no number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.runtime.reading.numbers import convert, numbers_in

ONE = [
    ("1,500", 1500, ""),
    ("1.500", 1500, ""),
    ("1 500", 1500, ""),
    ("1'500", 1500, ""),
    ("1.500.000", 1_500_000, ""),
    ("1.234,56", 1234.56, ""),
    ("1,234.56", 1234.56, ""),
    ("1.5", 1.5, ""),
    ("1,5", 1.5, ""),
    ("0.500 kg", 0.5, "kg"),
    ("2k", 2000, ""),
    ("4000K", 4000, "K"),
    ("1.5 kW", 1.5, "kW"),
    ("200W", 200, "W"),
    ("200 Watt", 200, "W"),
    ("a 200-watt lamp", 200, "W"),
    ("200.", 200, ""),
    ("20 m²", 20, "m2"),
    ("20 sq m", 20, "m2"),
    ("5 MW", 5, "MW"),
    ("5 mW", 5, "mW"),
    ("50%", 50, "%"),
    ("€1.500", 1500, "EUR"),
    ("EUR 200", 200, "EUR"),
    ("200 euros", 200, "EUR"),
    ("$5M", 5_000_000, "USD"),
    ("2,5 Mio. €", 2_500_000, "EUR"),
    ("200 €/month", 200, "EUR/month"),
    ("-5 °C", -5, "°C"),
    ("−5", -5, ""),
    ("minus fünf Grad", -5, "°"),
    ("two hundred", 200, ""),
    ("two hundred and fifty W", 250, "W"),
    ("a hundred and twenty thousand", 120_000, ""),
    ("twenty-five thousand", 25_000, ""),
    ("two point five kW", 2.5, "kW"),
    ("two and a half hours", 2.5, "h"),
    ("half an hour", 0.5, "h"),
    ("half a million", 500_000, ""),
    ("two and a half thousand", 2500, ""),
    ("one and a half million euros", 1_500_000, "EUR"),
    ("we need one", 1, ""),
    ("a dozen", 12, ""),
    ("zweihundert", 200, ""),
    ("zweihundertfünfundsiebzig Watt", 275, "W"),
    ("dreitausend fünfhundert", 3500, ""),
    ("anderthalb Stunden", 1.5, "h"),
    ("eine halbe Stunde", 0.5, "h"),
    ("eine Woche", 1, "week"),
    ("٢٠٠ W", 200, "W"),
    ("２００", 200, ""),
]


@pytest.mark.parametrize(("text", "value", "unit"), ONE)
def test_one_number(text: str, value: float, unit: str) -> None:
    assert [(m.value, m.unit) for m in numbers_in(text)] == [(value, unit)]


@pytest.mark.parametrize(
    "text",
    [
        "LED2",
        "10b",
        "1e5",
        "12:30",
        "2024-05-12",
        "12.05.2024",
        "3rd",
        "3. Mai",
        "May 5",
        "+49 170 1234567",
        "030/1234567",
        "192.168.0.1",
        "1/2",
        "½",
        "bob99@example.com",
        "https://example.com/200",
        "#12",
        "the red one",
        "one of them",
        "we don't have one yet",
        "we haven't got one",
        "ein Haus",
        "a lamp",
        "first",
        "200er",
        "1" * 40,
        "half of it",
        "no",
        "",
    ],
)
def test_no_number(text: str) -> None:
    assert numbers_in(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("20 x 40 m", [(20, "m"), (40, "m")]),
        ("10x20", [(10, ""), (20, "")]),
        ("100-200 W", [(100, "W"), (200, "W")]),
        ("100 bis 200 W", [(100, "W"), (200, "W")]),
        ("€10-20", [(10, "EUR"), (20, "EUR")]),
        ("2 lamps of 200 W", [(2, ""), (200, "W")]),
        ("1,2,3", [(1, ""), (2, ""), (3, "")]),
        ("one fifty", [(1, ""), (50, "")]),
        ("on 12.05.2024 we need 3 kW", [(3, "kW")]),
    ],
)
def test_several_numbers(text: str, found: list[tuple[float, str]]) -> None:
    assert [(m.value, m.unit) for m in numbers_in(text)] == found


def test_an_ambiguous_separator_keeps_its_other_reading() -> None:
    assert numbers_in("1.500 W")[0].alternatives == (1.5,)
    assert numbers_in("1.500 EUR")[0].alternatives == ()
    assert [m.value for m in numbers_in("2,5 kW und 1.500 W")] == [2.5, 1500]
    assert [m.value for m in numbers_in("2.5 kW and 1.500 kW")] == [2.5, 1.5]


def test_a_mention_says_where_it_stands() -> None:
    text = "Größe ½: ungefähr 1,5 kW, bitte"
    (mention,) = numbers_in(text)
    assert text[mention.start : mention.end] == mention.text == "1,5 kW"


@pytest.mark.parametrize(
    ("text", "unit", "amount"),
    [
        ("1.5 kW", "W", 1500),
        ("200", "W", 200),
        ("200 EUR", "W", None),
        ("200 EUR", "USD", None),
        ("200 €", "EUR", 200),
        ("50 cm", "m", 0.5),
        ("20 qm", "m²", 20),
        ("2 weeks", "d", 14),
        ("90 min", "h", 1.5),
        ("2 pounds", "kg", 0.90718474),
        ("2 pounds", "GBP", 2),
        ("2 years", "month", 24),
        ("5 mw", "W", None),
        ("200 W/m2", "W", None),
        ("200 W", "people", None),
        ("12 people", "people", 12),
    ],
)
def test_conversion(text: str, unit: str, amount: float | None) -> None:
    assert convert(numbers_in(text)[0], unit) == amount


@given(st.text())
def test_any_text_is_read_without_failing(text: str) -> None:
    for mention in numbers_in(text):
        assert text[mention.start : mention.end] == mention.text != ""


@given(st.integers(0, 10**9), st.sampled_from(["W", "kW", "EUR", "%", "", "m"]))
def test_a_written_number_is_read_back(number: int, unit: str) -> None:
    for written in (f"{number}", f"{number:,}", f"{number:,}".replace(",", "."), f"{number:,}".replace(",", "'")):
        if not written.startswith("0") or number == 0:
            assert [(m.value, m.unit) for m in numbers_in(f"about {written} {unit}")] == [(number, unit)]
