"""Numbered places: one word for all the names that they have."""

from __future__ import annotations

import pytest

from graphwright.text.places import canonical, shortened, spellings


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("magnets of sector 9", "magnets of S09"),
        ("Sektor 9 und Sektor 11", "S09 und S11"),
        ("SECTOR 09, cell no. 4", "S09, C04"),
        ("Zelle 4 auf Träger 12", "C04 auf G12"),
    ],
)
def test_what_is_written_out_has_a_short_name(text: str, short: str) -> None:
    assert shortened(text) == short


@pytest.mark.parametrize(
    "text",
    ["12 sectors", "sector 9.5", "sector 9 %", "Sektor 100", "Private sector", "cell-4", "sector 0", "bisector 9"],
)
def test_what_is_no_place_stays_as_it_is(text: str) -> None:
    assert shortened(text) == text


def test_short_names_are_one_however_they_are_written() -> None:
    assert {canonical(word) for word in ("S9", "s9", "S09", "s09")} == {"s09"}
    assert canonical("S07-BPM4") == "S07-BPM4"
    assert canonical("R4") == "R4"
    assert spellings("S9") == spellings("s09") == ("s09", "s9", "sector 9", "sektor 9")
    assert spellings("S11") == ("s11", "sector 11", "sektor 11")
    assert spellings("septum") == spellings("") == ()
