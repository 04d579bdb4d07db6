"""What the assistant's code reads in a message: dates, entries, where to look, small talk, and the language."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from graphwright.agents.assistant.dates import Period, period_in
from graphwright.agents.assistant.following import continued
from graphwright.agents.assistant.language import detected, languages_of, wished
from graphwright.agents.assistant.question import grounds, read
from graphwright.agents.assistant.smalltalk import kind_of
from graphwright.agents.assistant.words import content_words, shared, stem

SUNDAY = datetime(2026, 11, 22, 16, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("today", "2026-11-22", "2026-11-22"),
        ("What happened yesterday?", "2026-11-21", "2026-11-21"),
        ("Was ist gestern passiert?", "2026-11-21", "2026-11-21"),
        ("vorgestern", "2026-11-20", "2026-11-20"),
        ("the day before yesterday", "2026-11-20", "2026-11-20"),
        ("last night", "2026-11-21", ""),
        ("letzte Schicht", "2026-11-21", ""),
        ("in the last week", "2026-11-15", ""),
        ("letzte Woche", "2026-11-15", ""),
        ("last month", "2026-10-23", ""),
        ("in the last 3 days", "2026-11-19", ""),
        ("in den letzten drei Tagen", "2026-11-19", ""),
        ("vor zwei Tagen", "2026-11-20", "2026-11-20"),
        ("two days ago", "2026-11-20", "2026-11-20"),
        ("seit Montag", "2026-11-16", ""),
        ("since Monday", "2026-11-16", ""),
        ("seit letzter Woche", "2026-11-15", ""),
        ("on Friday", "2026-11-20", "2026-11-20"),
        ("this week", "2026-11-16", ""),
        ("last weekend", "2026-11-14", "2026-11-15"),
        ("between 2026-11-01 and 2026-11-05", "2026-11-01", "2026-11-05"),
        ("vom 3.11. bis 5.11.", "2026-11-03", "2026-11-05"),
        ("from Monday to Wednesday", "2026-11-16", "2026-11-18"),
        ("on November 20", "2026-11-20", "2026-11-20"),
        ("am 20. Dezember", "2025-12-20", "2025-12-20"),
        ("in October", "2026-10-01", "2026-10-31"),
        ("before yesterday", "", "2026-11-20"),
        ("bis gestern", "", "2026-11-21"),
        ("after Tuesday", "2026-11-18", ""),
    ],
)
def test_spans_of_time_are_computed_from_the_clock(text: str, since: str, until: str) -> None:
    period = period_in(text, SUNDAY.date())
    assert period is not None
    assert (period.since, period.until) == (since, until)


@pytest.mark.parametrize(
    "text", ["the last resort", "may I ask", "entry 2026", "12.5 kV", "2026-13-45", "R4.2 at 499.654 MHz", ""]
)
def test_what_is_no_time_is_none(text: str) -> None:
    assert period_in(text, SUNDAY.date()) is None


def test_a_day_at_the_end_of_a_month_and_of_a_year_is_counted_right() -> None:
    assert period_in("yesterday", date(2027, 1, 1)) == Period("2026-12-31", "2026-12-31", ("yesterday",))
    leap = period_in("gestern", date(2028, 3, 1))
    assert leap is not None
    assert leap.since == "2028-02-29"


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("Show me entry #123", (123,)),
        ("entries 120, 121 and #124", (120, 121, 124)),
        ("Was steht in Eintrag Nr. 210?", (210,)),
        ("#77", (77,)),
        ("ELOG 42 please", (42,)),
        ("the entry of 12.5 kV", ()),
        ("120 BPMs", ()),
    ],
)
def test_numbers_of_entries_are_read(text: str, entries: tuple[int, ...]) -> None:
    assert read(text, SUNDAY).entries == entries


def test_the_words_to_search_for_are_those_that_matter() -> None:
    asked = read("Show me the last 5 log entries about the vacuum of QF-12 since yesterday, please", SUNDAY)
    assert asked.terms == ("vacuum", "QF-12")
    assert asked.count == 5
    assert asked.log
    assert not asked.documents


def test_a_question_says_where_to_look() -> None:
    assert read("What does the documentation say about R4?", SUNDAY).documents
    assert read("Wie funktioniert der Kicker?", SUNDAY).explains
    assert read("Welche Störungen gab es?", SUNDAY).happened
    assert read("How was it resolved?", SUNDAY).follows
    assert read("Steht das im Logbuch?", SUNDAY).log


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("anything new in the log?", ()),
        ("What's new?", ()),
        ("what is new at the septum", ("septum",)),
        ("Any news on BY-33?", ("BY-33",)),
        ("What did I miss?", ()),
        ("What went wrong?", ()),
        ("Catch me up on the klystron", ("klystron",)),
        ("Has anything changed at the gun?", ("gun",)),
        ("Was gibt's Neues?", ()),
        ("Was gibt es Neues vom Klystron?", ("Klystron",)),
        ("Irgendwelche Neuigkeiten zum Septum?", ("Septum",)),
        ("Hat sich am Kicker was getan?", ("Kicker",)),
        ("Was habe ich verpasst?", ()),
        ("Was ist am Kicker schiefgegangen?", ("Kicker",)),
    ],
)
def test_what_is_new_is_what_was_logged_and_no_word_to_search_for(text: str, terms: tuple[str, ...]) -> None:
    question = read(text, SUNDAY)
    assert question.terms == terms
    assert question.wants == "elog"
    assert question.log or terms
    assert question.recounts


def test_new_before_a_thing_is_a_word() -> None:
    assert "new" in read("Is there a new klystron in the hall?", SUNDAY).terms
    assert "neue" in read("Wurde eine neue Pumpe eingebaut?", SUNDAY).terms


def test_a_place_is_one_word_however_it_is_called() -> None:
    assert read("Which pump of sector 9 failed?", SUNDAY).terms == ("pump", "S09", "failed")
    assert read("Welche Pumpe in Sektor 9 fiel aus?", SUNDAY).terms[:2] == ("Pumpe", "S09")


def test_a_question_that_leans_on_another_takes_over_what_it_lacks() -> None:
    before = read("Which klystron trips were there in the logbook today?", SUNDAY)
    after = continued(read("And yesterday?", SUNDAY), before)
    assert after.terms == before.terms
    assert after.log
    assert after.period is not None
    assert after.period.since == "2026-11-21"
    alone = read("Which vacuum gauges are there in the booster and the linac today?", SUNDAY)
    assert continued(alone, before) == alone


def test_a_value_is_grounded_by_its_name_or_a_word_for_it() -> None:
    words = {"rf": ["radio frequency", "Hochfrequenz"]}
    assert grounds("RF", "trips of the radio frequency", words)
    assert grounds("RF", "die Hochfrequenz", words)
    assert grounds("Shift handover", "the shift handovers of today", {})
    assert not grounds("RF", "performance", words)
    assert not grounds("", "anything", {})


FILE: Any = {"name": "septum-manual.pdf", "type": "document", "parts": [{"text": "The septum voltage is 12 kV."}]}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("hello", "greeting"),
        ("Guten Morgen!", "greeting"),
        ("Wie geht es dir?", "greeting"),
        ("Thanks a lot!", "thanks"),
        ("thanks, that helped a lot!", "thanks"),
        ("Danke, das war sehr hilfreich", "thanks"),
        ("ok", "thanks"),
        ("bye", "farewell"),
        ("What did I just ask?", "conversation"),
        ("Was habe ich dich gerade gefragt?", "conversation"),
        ("translate that to German", "conversation"),
        ("hello, what happened yesterday?", None),
        ("good beam today?", None),
        ("ok, and yesterday?", None),
        ("repeat the injection study of yesterday", None),
        ("Wie geht es dem Strahl?", None),
        ("...", None),
    ],
)
def test_small_talk_is_told_from_questions(text: str, kind: str | None) -> None:
    assert kind_of(text, files=[], given_now=[]) == kind


@pytest.mark.parametrize(
    ("text", "now", "about"),
    [
        ("What is the septum voltage?", False, True),
        ("What is the kicker voltage?", False, False),
        ("What is the kicker voltage?", True, True),
        ("What does septum-manual.pdf say?", False, True),
        ("Summarise the document", False, True),
        ("Search the logbook for the septum voltage", True, False),
    ],
)
def test_questions_on_files_are_told_from_others(text: str, now: bool, about: bool) -> None:
    given = [FILE["name"]] if now else []
    assert (kind_of(text, files=[FILE], given_now=given) == "files") is about


@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [
        ("What is the beam current of the ring?", "", ("en", "en")),
        ("Was ist der Strahlstrom im Booster?", "", ("de", "de")),
        ("Strahlverlust Vakuumdruck Speicherring Fehlerbehebung Beschleuniger", "", ("de", "de")),
        ("ok", "de", ("de", "de")),
        ("RF trip linac", "de", ("de", "de")),
        ("What is the beam current of the ring?", "de", ("en", "en")),
        ("Was war gestern los? Please answer in English.", "", ("de", "en")),
        ("antworte auf Englisch", "de", ("de", "en")),
        ("Where is the manual in German?", "", ("en", "en")),
        ("And in German?", "en", ("en", "de")),
        ("in English, please", "de", ("de", "en")),
        ("ELOG 291", "", ("en", "en")),
        ("Interlock status", "", ("en", "en")),
        ("septum voltage", "", ("en", "en")),
        ("orbit interlock", "", ("en", "en")),
        ("Leitfähigkeit Kupferkreis", "", ("de", "de")),
        ("", "", ("en", "en")),
    ],
)
def test_the_language_is_that_of_the_question_or_of_the_conversation(
    text: str, before: str, expected: tuple[str, str]
) -> None:
    assert languages_of(text, before, {}) == expected


def test_the_language_can_be_fixed_and_others_configured() -> None:
    assert languages_of("What is the current?", "", {"language": "de"}) == ("en", "de")
    assert languages_of("Quelle est la tension du septum ?", "", {"languages": ["en", "fr"]}) == ("fr", "fr")
    assert detected("anything", ["de"]) == "de"
    assert wished("Please reply in French") == "fr"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Quelle est la tension du septum ?", "fr"),
        ("Pourquoi le faisceau a-t-il été perdu hier ?", "fr"),
        ("Où est le klystron dans le linac ?", "fr"),
        ("Qu'est-ce qui s'est passé hier ?", "fr"),
        ("¿Cuál es la tensión del septum?", "es"),
        ("¿Dónde está el klistrón del linac?", "es"),
        ("Qual è la tensione del setto e perché?", "it"),
        ("Che cosa è successo ieri nel booster?", "it"),
        ("Wat is de spanning van het septum?", "nl"),
        ("Waarom werd de bundel gisteren verloren?", "nl"),
        ("Dlaczego wczoraj nie było wiązki?", "pl"),
        ("Qual é a tensão do septo na linha?", "pt"),
    ],
)
def test_a_language_that_is_not_offered_is_answered_in_english(text: str, code: str) -> None:
    assert detected(text, ["en", "de"]) == code
    assert languages_of(text, "", {}) == ("en", "en")
    assert languages_of(text, "de", {}) == ("de", "de")
    assert languages_of(text, "", {"language": "de"})[1] == "de"
    assert languages_of(text, "", {"languages": ["de", "en"]}) == ("en", "en")
    assert languages_of(text, "", {"languages": ["de"]}) == ("de", "de")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Who is de la Cruz?", "en"),
        ("Was sagt das Protokoll des Treffens von La Ola?", "de"),
        ("Did the beam trip in El Dorado?", "en"),
        ("Wer ist im Dienst, Hr. de Vries oder Fr. da Silva?", "de"),
        ("What is the tune per cell?", "en"),
        ("Is the EST clock on the linac console right?", "en"),
    ],
)
def test_a_few_words_of_another_language_are_names(text: str, code: str) -> None:
    assert languages_of(text, "", {}) == (code, code)


def test_words_are_the_same_in_their_inflections_and_in_compounds() -> None:
    assert stem("problems") == stem("problem")
    assert stem("Störungen") == stem("Störung")
    assert shared(["Verlust"], "Ein Strahlverlust im Ring") == ["Verlust"]
    assert shared(["loss"], "a glossary") == []
    assert content_words("Klystron-Ausfall bei top-up") == ["Klystron", "Ausfall", "top-up"]
