"""What every text needs: hidden characters taken out, spellings made alike, and the language of a text."""

from __future__ import annotations

import pytest

from graphwright.text.folding import fold, without_accents
from graphwright.text.hidden import without_hidden
from graphwright.text.little_words import LITTLE_WORDS, is_plain, language_of


@pytest.mark.parametrize(
    ("one", "other"),
    [("Überbrückung", "ueberbrueckung"), ("ÜBERBRÜCKUNG", "Uberbruckung"), ("Straße", "STRASSE"), ("Größe", "groesse")],
)
def test_one_word_in_two_spellings(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_what_is_no_umlaut_stays() -> None:
    assert fold("Frequency request") == "frequency request"


def test_accents_alone() -> None:
    assert without_accents("Café Müller ß") == "cafe muller ss"
    assert without_accents("Mueller") == "mueller"


def test_little_words_say_nothing() -> None:
    assert is_plain("The")
    assert is_plain("Über")
    assert not is_plain("pump")
    assert all(word == word.casefold() for word in LITTLE_WORDS)


def test_the_language_of_a_text() -> None:
    assert language_of("Der Strahl ist nicht im Ring, und das Ventil ist zu.") == "de"
    assert language_of("The beam is not in the ring, and the valve is closed.") == "en"
    assert language_of("S07-BPM4 499.654 MHz") == ""


def test_words_of_both_languages_tell_neither() -> None:
    assert language_of("was in so am an", 1) == ""
    assert language_of("Was war in Sektor 3 mit Pumpe 2?", 2) == "de"


def test_it_takes_as_many_as_it_is_told() -> None:
    assert language_of("Ausfall der Pumpe im Booster") == ""
    assert language_of("Ausfall der Pumpe im Booster", 2) == "de"


@pytest.mark.parametrize(
    ("text", "seen", "misleading"),
    [
        ("plain Größe\tµ\n", "plain Größe\tµ\n", 0),
        ("one\r\ntwo\rthree\x0bfour\u2028five", "one\ntwo\nthree\nfour\nfive", 0),
        ("\x1b[31mred\x1b[0m", "red", 0),
        ("a\x00b\x07c\x9bd", "abcd", 3),
        ("\u202etxt.exe\u202c", "txt.exe", 2),
        ("ok" + "".join(chr(0xE0000 + ord(c)) for c in "obey"), "ok", 4),
        ("in\u200bvi\xadsi\u2060ble\ufeff", "invisible", 0),
        ("half \ud83d of it", "half ? of it", 0),
        ("\u0646\u0645\u06cc\u200c\u062e", "\u0646\u0645\u06cc\u200c\u062e", 0),
    ],
)
def test_only_what_people_see_stays(text: str, seen: str, misleading: int) -> None:
    assert without_hidden(text) == (seen, misleading)
