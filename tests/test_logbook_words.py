"""Values by synonym, part and near spelling; words of a query for the index and for a server."""

from __future__ import annotations

import re

import pytest

from graphwright.logbook.errors import Refused
from graphwright.logbook.terms import pattern, terms_of
from graphwright.logbook.words import authors_for, fold, values_for

CATEGORIES = ("Problem", "Fix", "Bypass", "Shift handover")
AUTHORS = ("Mirko Brandt", "K. Müller", "Jana Weber", "Jens Weber")


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("bypass", "Bypass"),
        ("Überbrückung", "Bypass"),
        ("Ueberbrueckung", "Bypass"),
        ("STÖRUNG", "Problem"),
        ("shift  handover", "Shift handover"),
        ("Schichtübergabe", "Shift handover"),
        ("Bypas", "Bypass"),
        ("Stöhrung", "Problem"),
    ],
)
def test_a_category_in_either_language_or_nearly(asked: str, value: str) -> None:
    values, _ = values_for("category", asked, CATEGORIES, complete=True)
    assert values == (value,)


def test_what_was_taken_for_something_else_is_told() -> None:
    assert values_for("category", "problem", CATEGORIES, complete=True)[1] == []
    assert "Überbrückung" in values_for("category", "Überbrückung", CATEGORIES, complete=True)[1][0]


def test_several_values_and_none() -> None:
    assert values_for("category", "Problem, Fix", CATEGORIES, complete=True)[0] == ("Problem", "Fix")
    assert values_for("category", "Problem or Behebung", CATEGORIES, complete=True)[0] == ("Problem", "Fix")
    for everything in ("", "all", "Alle", "null"):
        assert values_for("category", everything, CATEGORIES, complete=True) == ((), [])


def test_an_unknown_value_is_refused_with_what_there_is() -> None:
    with pytest.raises(Refused, match="no category 'weather'") as refused:
        values_for("category", "weather", CATEGORIES, complete=True)
    assert "Shift handover" in refused.value.hint
    assert values_for("category", "weather", CATEGORIES, complete=False)[0] == ("weather",)


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("brandt", ("Mirko Brandt",)),
        ("Herr Brandt", ("Mirko Brandt",)),
        ("mueller", ("K. Müller",)),
        ("Karin Müller", ("K. Müller",)),
        ("Weber", ("Jana Weber", "Jens Weber")),
        ("weber, jana", ("Jana Weber",)),
        ("Brant", ("Mirko Brandt",)),
        ("", ()),
    ],
)
def test_an_author_by_a_part_of_the_name(asked: str, names: tuple[str, ...]) -> None:
    assert authors_for(asked, AUTHORS, complete=True)[0] == names


def test_an_unknown_author_is_refused_with_the_names() -> None:
    with pytest.raises(Refused) as refused:
        authors_for("Schmidt", AUTHORS, complete=True)
    assert refused.value.code == "unknown_author"
    assert "Jana Weber" in refused.value.hint


def test_folding_knows_both_ways_to_write_umlauts() -> None:
    assert fold("Überbrückung") == fold("ueberbrueckung") == fold("UBERBRUCKUNG")


def test_only_telling_words_are_looked_for() -> None:
    assert [term.shown for term in terms_of("What happened with the RF, please?")] == ["happened", "RF"]
    assert [term.shown for term in terms_of("Was war mit der Kavität 3?")] == ["Kavität", "3"]
    assert [term.shown for term in terms_of("the")] == ["the"]
    assert terms_of("??? ... \x00") == ()


def test_a_place_is_looked_for_by_all_its_names() -> None:
    (term,) = terms_of("sector 9")
    assert term.match == '("s09" OR "s9" OR "sector 9" OR "sektor 9")'
    assert terms_of("S9")[0].match == term.match
    assert [term.shown for term in terms_of('"sector 9" leak')] == ["sector 9", "leak"]


def test_a_query_is_bounded() -> None:
    assert len(terms_of(" ".join(f"word{i}" for i in range(1_000)))) <= 16


@pytest.mark.parametrize(
    ("word", "stored"),
    [
        ("Störung", "Störung".encode()),
        ("Störung", "Störung".encode("iso-8859-1")),
        ("Stoerung", "Störung".encode()),
        ("heiß", b"heiss"),
        ("BPM-12", b"BPM-12"),
        ("a.*(b|c)[", b"a.*(b|c)["),
    ],
)
def test_a_pattern_finds_the_word_in_any_encoding(word: str, stored: bytes) -> None:
    assert re.search(pattern(word).encode(), stored, re.IGNORECASE)


def test_a_pattern_holds_nothing_that_a_server_could_take_for_its_own() -> None:
    assert set(pattern(r"x\d+(y|z)*[^a]$^{3}ü")) <= set("xyzda3.?")
