"""Slips of the pen in searches: mended to words that are there and told, and nothing else is ever bent to them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_elogd import FakeElogd, serving
from knowledge_support import folder_of, sample_index, titles
from logbook_support import NOW, clock, elog, entry, ids, own, shifts

from graphwright.knowledge import KnowledgeIndex, make_server
from graphwright.logbook import make_server as make_logbook_server
from graphwright.logbook.builtin import BuiltinLogbook
from graphwright.logbook.importing import Read
from graphwright.logbook.port import Logbook
from graphwright.logbook.searching import search_elog

ABSENT = re.findall(
    r"\w+",
    """
    dollar canteen cafeteria lottery holiday birthday football kitchen bicycle weather elephant pizza salary insurance
    vacation orchestra bakery dentist marriage piano airport umbrella election passport sandwich tourist novel poetry
    museum theatre cinema hotel restaurant chocolate penguins dinosaur volcano rocket satellite astronaut hydrogen
    uranium submarine turbine windmill harvest tractor chicken potato tomato banana violin guitar trumpet referee
    stadium marathon election parliament minister king queen castle dragon wizard beans lunch horse sugar tiger
    Kantine Pulsenergie Kanone Steuer Feuer Feuerwehr Urlaub Gehalt Wette Bundesliga Weihnachten Geburtstag Küche
    Fahrrad Elefant Bäckerei Zahnarzt Hochzeit Klavier Flughafen Regenschirm Reisepass Urlauber Roman Gedicht Theater
    Kino Schokolade Vulkan Rakete Satellit Wasserstoff Uran Turbine Windrad Ernte Traktor Huhn Kartoffel Tomate Geige
    Trompete Stadion Parlament Königin Schloss Drache Zauberer Bohnen Pferd Zucker Tiger Miete Krankenkasse Parkplatz
    Einstein Schrödinger Heisenberg Feynman Oppenheimer Kowalski Petersen Johansson Schneider Zimmermann Hoffmann
    Lehmann Krüger Fischer Wagner Becker Richter Neumann Braun Lange Krause Vogel Keller Schubert Beethoven Mozart
    Shakespeare Napoleon Cleopatra Garcia Nakamura Dubois Rossi Kuznetsov Andersson Nielsen Murphy Bernd
    """,
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeIndex]:
    index = sample_index(tmp_path_factory.mktemp("sample") / "index.sqlite3")
    yield index
    index.close()


@pytest.fixture
def logbook(tmp_path: Path) -> Iterator[BuiltinLogbook]:
    logbook = BuiltinLogbook(tmp_path, clock)
    yield logbook
    logbook.close()


def documents(place: Path, *texts: str, language: str = "en") -> KnowledgeIndex:
    pages = {f"{n}.md": f"---\nlanguage: {language}\n---\n# Page {n}\n\n{text}\n" for n, text in enumerate(texts)}
    index = KnowledgeIndex(place / "index.sqlite3")
    index.update(folder_of(place / "docs", pages))
    return index


def note(logbook: Logbook, query: str) -> str:
    return asyncio.run(search_elog(logbook, NOW, query=query)).note


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("swich on orbit feedback", "switch instead of swich"),
        ("vaccum presure", "vacuum instead of vaccum and pressure instead of presure"),
        ("interlcok", "interlock instead of interlcok"),
        ("magnt", "magnet instead of magnt"),
        ("isnertion device", "insertion instead of isnertion"),
        ("emmitance", "emittance instead of emmitance"),
        ("orbit-feedbak", "feedback instead of feedbak"),
        ("Kuhlwaser", "Kühlwasser instead of Kuhlwaser"),
        ("Kuehlwasserr", "Kühlwasser instead of Kuehlwasserr"),
        ("Kühlwsaser", "Kühlwasser instead of Kühlwsaser"),
        ("Sektorvnetil", "Sektorventil instead of Sektorvnetil"),
    ],
)
def test_a_misspelt_word_is_searched_for_as_it_was_meant(sample: KnowledgeIndex, query: str, told: str) -> None:
    found = sample.search(query)
    assert found.sources
    assert found.note == f"Searched for {told}."


def test_what_is_found_is_what_the_right_word_finds(sample: KnowledgeIndex) -> None:
    assert titles(sample.search("swich on orbit feedback")) == titles(sample.search("switch on orbit feedback"))
    assert titles(sample.search("Sektorvnetil")) == titles(sample.search("Sektorventil"))


def test_what_no_document_has_is_bent_to_nothing(sample: KnowledgeIndex) -> None:
    notes = {word: sample.search(f"orbit {word}").note for word in ABSENT}
    absent = {word: said for word, said in notes.items() if said}
    assert len(absent) > 150
    assert {word: said for word, said in absent.items() if said != f"Not in any document: {word}."} == {}


def test_what_no_entry_has_is_bent_to_nothing(logbook: BuiltinLogbook) -> None:
    assert {word: said for word in ABSENT if "Searched for" in (said := note(logbook, word))} == {}


def test_a_word_that_is_there_stays_however_rare(tmp_path: Path) -> None:
    index = documents(tmp_path, *["The switch is on."] * 5, "The swich is a bird.")
    assert index.search("swich").note == ""
    assert titles(index.search("swich")) == ["Page 5"]


@pytest.mark.parametrize("query", ["SWICH", "swich2", "S07-swich", "swic", "Switzerland"])
def test_names_abbreviations_and_short_words_stay(tmp_path: Path, query: str) -> None:
    index = documents(tmp_path, "The switch is on.", "The switch is off.")
    assert "Searched for" not in index.search(query).note


def test_of_several_the_word_that_most_documents_have_is_meant_and_none_in_one_page_alone_for_a_short_one(
    tmp_path: Path,
) -> None:
    index = documents(tmp_path, "The planes fly.", "The planets shine.", "Other planets shine.", "A rocket.")
    assert index.search("planjets").note == "Searched for planets instead of planjets."
    assert index.search("rockt fly").note == "Not in any document: rockt."


def test_the_compound_of_words_that_are_there_is_no_slip(tmp_path: Path) -> None:
    texts = ["Die Wasserwanne ist leer.", "Eine Wasserwanne voll.", "Eine Kanne.", "Das Wasser."]
    index = documents(tmp_path, *texts, language="de")
    assert "Searched for" not in index.search("Wasserkanne").note
    assert index.search("Wassewranne").note == "Searched for Wasserwanne instead of Wassewranne."


def test_the_spelling_of_an_umlaut_in_the_text_of_another_language_is_found(tmp_path: Path) -> None:
    index = documents(tmp_path, "Call Müller for the key.", "Müller has the key of Rueckers.", "Rueckers has none.")
    assert index.search("Mueller").note == "Searched for Müller instead of Mueller."
    assert index.search("Rückers").note == "Searched for Rueckers instead of Rückers."


def test_who_misspells_everything_is_taken_at_his_word_in_the_end(sample: KnowledgeIndex) -> None:
    found = sample.search("swich vaccum presure interlcok magnt emmitance")
    assert found.note.count("instead of") == 4
    assert found.note.endswith("Not in any document: magnt, emmitance.")


def test_what_is_deleted_is_meant_no_more(tmp_path: Path) -> None:
    index = documents(tmp_path, "The modulator hums.", "The modulator is warm.", "Nothing else.")
    assert index.search("modluator").note == "Searched for modulator instead of modluator."
    for name in ("0.md", "1.md"):
        (tmp_path / "docs" / name).unlink()
    index.update(tmp_path / "docs")
    assert "Searched for" not in index.search("modluator").note


def test_nothing_is_changed_in_the_file_of_the_index(tmp_path: Path) -> None:
    index = documents(tmp_path, "The switch is on.", "The switch is off.")
    before = index.folders()
    index.search("swich")
    assert index.folders() == before
    assert KnowledgeIndex(tmp_path / "index.sqlite3").search("switch").note == ""


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("swich", "switch instead of swich"),
        ("klystorn trip", "Klystron instead of klystorn"),
        ("vaccum leak", "Vacuum instead of vaccum"),
        ("Betreib", "Betrieb instead of Betreib"),
        ("Brant", "Brandt instead of Brant"),
    ],
)
def test_a_misspelt_word_in_the_logbook(logbook: BuiltinLogbook, query: str, told: str) -> None:
    assert note(logbook, query).startswith(f"Searched for {told}.")


async def test_the_entries_are_those_of_the_right_word_in_any_spelling_of_its_umlauts(tmp_path: Path) -> None:
    entries = [
        entry(1, "2026-03-01T08:00", "Störung am Kühlwasser"),
        entry(2, "2026-03-02T08:00", "Wieder eine Störung"),
        entry(3, "2026-03-03T08:00", "Ruhige Nacht"),
    ]
    logbook = own(tmp_path, entries)
    for query in ("Störugn", "Stoehrung", "Stohrung", "stöörung"):
        found = await search_elog(logbook, NOW, query=query)
        assert (sorted(ids(found)), found.note) == ([1, 2], f"Searched for Störung instead of {query}."), query
    found = await search_elog(logbook, NOW, query="Kuehlwsaser", until="2026-02-01")
    assert found.note.startswith("Searched for Kühlwasser instead of Kuehlwsaser. Nothing fits all restrictions")
    logbook.close()


async def test_in_the_logbook_stays_what_is_quoted_or_inside_of_a_word_or_of_a_known_meaning(tmp_path: Path) -> None:
    entries = [entry(n, "2026-03-01T08:00", "Filter im Wasserturmbau, störend, Strom weg") for n in (1, 2)]
    logbook = own(tmp_path, entries)
    for query in ('"Filtre"', "asserturm", "Fault", "Filt3r"):
        assert "Searched for" not in (await search_elog(logbook, NOW, query=query)).note, query
    assert (await search_elog(logbook, NOW, query="Filtre")).note == "Searched for Filter instead of Filtre."
    logbook.close()


async def test_entries_that_have_not_happened_yet_mend_nothing(tmp_path: Path) -> None:
    logbook = BuiltinLogbook(tmp_path, clock)
    later = [Read(f"entry {n}", entry(n, "2026-03-20T23:00", "Modulator hums"), days_ago=0) for n in (1, 2)]
    logbook.take_in([*later, Read("entry 3", entry(3, "2026-03-20T08:00", "Thyratron hums"), days_ago=0)])
    assert "Searched for" not in (await search_elog(logbook, NOW, query="modluator")).note
    assert (await search_elog(logbook, NOW, query="thyrtaron")).note == "Searched for Thyratron instead of thyrtaron."
    logbook.close()


async def test_the_words_of_a_server_are_not_all_known_and_so_nothing_is_mended() -> None:
    with serving(shifts(FakeElogd())) as elogd:
        logbook = elog(elogd)
        assert ids(await search_elog(logbook, NOW, query="Klystron")) == [5, 2]
        assert "Searched for" not in (await search_elog(logbook, NOW, query="Klystorn dump")).note
        logbook.close()


async def test_the_tools_say_it_too(sample: KnowledgeIndex, logbook: BuiltinLogbook) -> None:
    from fastmcp import Client

    async with Client(make_server(sample, ["aurora"])) as client:
        given = await client.call_tool("search_accelerator_knowledge", {"query": "swich on orbit feedback"})
        assert given.structured_content is not None
        assert given.structured_content["note"] == "Searched for switch instead of swich."
        assert given.content[0].text.startswith("Searched for switch instead of swich.")
    async with Client(make_logbook_server(logbook, clock)) as client:
        given = await client.call_tool("search_elog", {"query": "klystorn"})
        assert given.structured_content is not None
        assert "Searched for Klystron instead of klystorn." in given.structured_content["note"]
