"""Log entries that an answer names: all of them are entries of its sources, or that these or the user speak of."""

from __future__ import annotations

from pathlib import Path

import pytest
from assistant_support import PAGES, World, asked, entry, says, world

from graphwright.agents.assistant.entries import known_entries, mentioned
from graphwright.agents.assistant.grounding import Numbers, unfounded, without
from graphwright.tools.sources import Source

__all__ = ["world"]

TRIP = entry(
    212,
    "2026-11-21",
    "Klystron 2 tripped at 399 mA and 240 kV, same as #205 and in entry 207. See 208. It took 999 s on page 7.",
)
KNOWN = Numbers(
    ["Is it #77, or was that 78?", "2026-11-22", f"{TRIP.text} {TRIP.id} {' '.join(TRIP.metadata.values())}"],
    entries=known_entries([TRIP, *PAGES], ["Is it #77, or was that 78?"]),
)


@pytest.mark.parametrize(
    "named",
    [
        *("#999", "ELOG 999", "ELOG-ID 999", "Eintrag 999", "entry no. 999", "ELOG ID: 999", "ELOG #999", "elog:999"),
        *("log entry 999", "logbook entry 999", "Logbucheintrag 999", "Logbuch-Eintrag 999", "Eintrag Nr. 999"),
        *("ELOG-Eintrag 999", "entry number 999", "Entry ID 999", "Eintrag mit der ID 999", "entry with the ID 999"),
        *("Eintrag mit der Nummer 999", "entry **999**", "**ELOG 999**", "`#999`", "ELOG-999", "ELOG999"),
        *("Eintragsnummer 999", "entry-999", "E-Log 999", "# 999", "message 999", "thread 999", "Eintrages 999"),
        *("entries 212 and 999", "entries 212, 999", "Einträge 212–999", "entries 212-999", "ELOG 212/999"),
        *("[ELOG 999]", "[ELOG 999](https://elog.nordlicht.example/Operation/999)", "ELOG entry 999", "log 999"),
        *("Eintrag № 999", "ELOG Operation/999", "elog 240", "entry 399", "ELOG 2026"),
    ],
)
def test_an_entry_that_nobody_knows_is_found_however_it_is_named(named: str) -> None:
    for text in (f"It tripped, says {named}.", f"({named})", f"{named}: it tripped.", f"Siehe {named} dazu."):
        assert unfounded(text, KNOWN, most=8), text
        assert without(f"Klystron 2 tripped. {text}", unfounded(text, KNOWN, most=8)) == "Klystron 2 tripped."


def test_a_number_in_brackets_with_an_id_is_an_entry() -> None:
    assert unfounded("It tripped (ID: 999).", KNOWN) == ["ID: 999"]
    assert unfounded("It tripped (ID 212).", KNOWN) == []
    assert unfounded("It is in entry (999).", KNOWN) == ["entry (999"]
    assert without("It is off. It is in entry (999).", ["entry (999"]) == "It is off."


@pytest.mark.parametrize(
    "text",
    [
        # Entries of the sources, those that they speak of, those that the user wrote.
        *("ELOG 212", "#212", "entry no. 212", "#205", "entry 207", "ELOG 208", "Eintrag 77", "#78", "ELOG 0212"),
        *("entries 205, 207 and 212", "ELOG-ID 212, see also #205"),
        # What only looks like one.
        *("the entry of 2026-11-21", "ELOG 2026-11-21 03:14", "ELOG 212, 2026-11-21 03:14, Mirko Brandt"),
        *("an entry 21 November 2026", "Eintrag 21. November", "entry 03:14", "in entry 212, 999 s later it came back"),
        *("399 mA in the entry", "page 7 of the entry", "999 s", "Klystron 2", "klystron #2", "240 kV"),
        *("Entry 1: it tripped. Entry 2: it came back.", "#1 it tripped", "1. It tripped.", "the log 2 days before"),
        *("log 999 of it", "2 entries", "entry p. 7", "for the first entry", "entries: 2 of them"),
    ],
)
def test_what_is_grounded_is_left_as_it_is(text: str) -> None:
    assert unfounded(f"So it says: {text}.", KNOWN, most=8) == []


def test_of_a_mention_in_brackets_the_sentence_stays() -> None:
    flagged = unfounded("Klystron 2 tripped at 399 mA (ELOG 999).", KNOWN)
    assert flagged == ["ELOG 999"]
    for written in (
        "(ELOG 999)",
        "(see ELOG 999)",
        "(siehe ELOG 999)",
        "(ELOG 999, 2026-11-21 03:14, Mirko Brandt)",
        "([ELOG 999](https://elog.nordlicht.example/Operation/999))",
    ):
        assert without(f"Klystron 2 tripped at 399 mA {written}.", flagged) == "Klystron 2 tripped at 399 mA."
    # The same figure somewhere else is no mention.
    assert without("It took 999 s. ELOG 999 says so.", flagged) == "It took 999 s."
    assert without("- It took 999 s\n- ELOG\n  999 says so", flagged) == "- It took 999 s"


def test_of_a_table_whole_rows_are_taken_out() -> None:
    table = "| a | b |\n|---|---|\n| It tripped. {} says so. | x |\n| Fine. It is 5. | 5 |"
    for found in ("ELOG 999", "87"):
        assert without(table.format(found), [found]) == "| a | b |\n|---|---|\n| Fine. It is 5. | 5 |"


def test_entries_are_those_of_the_sources_and_what_they_and_the_user_name() -> None:
    assert known_entries([TRIP], []) == {205, 207, 208, 212}
    reply = entry(300, "2026-11-21", "Back.")
    reply.metadata["reply_to"] = "299"  # type: ignore[index]
    assert known_entries([reply], ["and 12?"]) == {12, 299, 300}
    # Of others nobody knows where the numbers of their entries stand.
    assert known_entries([Source("x", "Rows", "", "tool", {}, "4711; 2026; trip")], []) >= {4711}
    assert known_entries(PAGES, []) == frozenset()


def test_without_sources_only_what_is_surely_an_entry_is_held_against_what_was_said() -> None:
    free = Numbers.any(entries=frozenset((12,)))
    assert unfounded("In 1905 he wrote 4 papers, #1 of them on 17 pages, ID 5.", free) == []
    assert unfounded("That is in ELOG 12.", free) == []
    assert unfounded("That is in ELOG 999 and log entry 998.", free) == ["ELOG 999", "log entry 998"]
    assert unfounded("That is in ELOG 999.", Numbers.any()) == []


@pytest.mark.parametrize("junk", ["entry ", "ELOG ", "#", "entries 1, ", "1, ", "elog-", "( ", "ELOG 999 (", "id: "])
def test_no_text_takes_for_ever(junk: str) -> None:
    text = junk * (16_000 // len(junk))
    found = mentioned(text)
    # Where a pattern goes back and forth over it, this ends after hours.
    assert "ELOG" not in without(text, [each.text for each in found[:3]]) or "ELOG" not in {each.text for each in found}


async def test_an_invented_entry_is_taken_out_of_an_answer_and_that_is_told(world: World, tmp_path: Path) -> None:
    rules = [says("A klystron tripped at 399 mA (ELOG 399) and the beam was lost [1]. Entry no. 240 has more of it.")]
    turn = await asked(tmp_path, "Which klystron tripped yesterday?", rules=rules)
    text = turn.reply.partition("**Sources**")[0]
    assert text.startswith("A klystron tripped at 399 mA and the beam was lost [elog.nordlicht.example]")
    assert "240" not in text
    assert "A statement with a figure that stands in no source was left out." in text
    assert "ELOG 212" in turn.reply


async def test_an_invented_entry_as_the_text_of_a_link_is_taken_out(world: World, tmp_path: Path) -> None:
    invented = "[#4401](https://elog.nordlicht.example/Operation/4401)"
    rules = [
        says(f"The klystron tripped yesterday and the beam was lost [1]. Mirko Brandt wrote entry {invented} on it.")
    ]
    turn = await asked(tmp_path, "Which klystron tripped yesterday?", rules=rules)
    assert "4401" not in turn.reply
    assert "the beam was lost" in turn.reply


async def test_an_entry_that_an_answer_without_tools_invents_is_taken_out(world: World, tmp_path: Path) -> None:
    rules = [says("We spoke of the klystron before, and of all that it did. It is in ELOG 4711.")]
    turn = await asked(tmp_path, "Hello!", "What were we talking about?", rules=rules)
    assert "4711" not in turn.reply
    assert "klystron" in turn.reply
