"""The calls that code plans by itself: when it can, and what a refined search looks for."""

from __future__ import annotations

from typing import Any

import pytest
from assistant_support import NOW

from graphwright.agents.assistant.known import VOCABULARY, synonyms_of
from graphwright.agents.assistant.planning import plannable, planned, refined
from graphwright.agents.assistant.question import parts_of, read
from graphwright.agents.assistant.selecting import Call

LOG, DOCS, THREAD = "search_elog", "search_accelerator_knowledge", "get_elog_thread"
TEXT = {"type": "string", "default": ""}
OWN: Any = {
    LOG: {"description": "", "input_schema": {"properties": {"query": TEXT, "author": TEXT}}},
    DOCS: {"description": "", "input_schema": {"properties": {"query": TEXT}, "required": ["query"]}},
    THREAD: {"description": "", "input_schema": {"properties": {"id": {"type": "integer"}}, "required": ["id"]}},
}
FOREIGN: Any = {"weather__forecast": {"description": "", "input_schema": {"properties": {"place": TEXT}}}}


@pytest.mark.parametrize(
    ("text", "says_what"),
    [
        # Words to search for, a time, or an entry: any of them will do.
        ("Which klystron tripped?", True),
        ("Welches Klystron ist ausgefallen?", True),
        ("What happened yesterday?", True),
        ("Was ist gestern passiert?", True),
        ("What happened last week?", True),
        ("Show me entry #212", True),
        ("Was steht in Eintrag Nr. 212?", True),
        ("#212", True),
        # What was logged last.
        ("What's new?", True),
        ("Was gibt es Neues?", True),
        # None of them: what to look for is not said.
        ("What happened?", False),
        ("Was ist passiert?", False),
        ("How high is it?", False),
        ("Wie hoch ist das?", False),
        ("?", False),
        ("", False),
    ],
)
def test_code_plans_a_question_that_says_what_to_look_for_with_tools_it_knows(text: str, says_what: bool) -> None:
    question = read(text, NOW)
    assert plannable(question, OWN) is says_what
    # One of the own tools alone is known as well; one of somebody else's never is, and neither is none.
    assert plannable(question, {LOG: OWN[LOG]}) is says_what
    assert not plannable(question, {**OWN, **FOREIGN})
    assert not plannable(question, FOREIGN)
    assert not plannable(question, {})


def first(text: str, tools: Any = OWN) -> list[list[tuple[str, dict[str, Any]]]]:
    """The calls of the first round, a list for each part of the question."""
    rows = planned(parts_of(read(text, NOW), NOW), tools, synonyms_of({}), VOCABULARY)
    return [[(call["tool_name"], call["arguments"]) for call in calls] for _, calls in rows]


def test_where_to_look_is_what_the_question_says_or_both() -> None:
    assert first("How does the kicker work?") == [[(DOCS, {"query": "kicker"})]]
    assert first("Was ist gestern am Kicker passiert?") == [[(LOG, {"query": "Kicker"})]]
    assert [name for name, _ in first("kicker voltage")[0]] == [DOCS, LOG]
    assert first("kicker voltage", {LOG: OWN[LOG]}) == [[(LOG, {"query": "kicker voltage"})]]
    # Entries that are named are called for elsewhere; the documents where they are asked for, too.
    assert first("Show me entry #212") == [[]]
    assert first("What does the manual say on the kicker of entry #212?") == [[(DOCS, {"query": "kicker"})]]


def test_what_asks_for_a_figure_is_nothing_to_search_for() -> None:
    for text in ("Wie hoch ist die Septumspannung?", "wie groß ist die Septumspannung", "Wie stark: Septumspannung?"):
        assert read(text, NOW).terms == ("Septumspannung",)
    for text in ("How high is the septum?", "how large is the septum", "How many septums are there?"):
        assert read(text, NOW).terms in (("septum",), ("septums",))
    assert read("Wo ist die Temperatur zu hoch?", NOW).terms == ("Temperatur", "hoch")
    assert read("How fast is the fast orbit feedback?", NOW).terms == ("fast", "orbit", "feedback")


@pytest.mark.parametrize(
    "text",
    [
        "Which entries were written by Mirko Brandt?",
        "Did Mirko Brandt write entries?",
        "Welche Einträge hat Mirko Brandt im Logbuch geschrieben?",
    ],
)
def test_the_author_is_who_the_question_says_has_written(text: str) -> None:
    ((call,),) = first(text)
    assert call[0] == LOG
    assert (call[1]["author"], "query" in call[1]) == ("Mirko Brandt", False)


def test_a_part_that_asks_for_no_place_is_not_left_to_the_logbook_alone() -> None:
    parts = first("How tight is the window of the kicker, and how far off were we when it lost the beam?")
    assert {name for calls in parts for name, _ in calls} == {DOCS, LOG}


def test_the_author_is_no_word_to_look_for() -> None:
    assert first("Was hat jemand zum Kicker eingetragen von Weber?") == [
        [(LOG, {"author": "Weber", "query": "Kicker"})]
    ]


def again(text: str, done: list[str], *, found: bool, instead: str = "") -> list[tuple[str, str]]:
    """The queries of a refined round after one that searched in these places."""
    calls = refined(
        read(text, NOW), OWN, synonyms_of({}), instead, [Call(name, {"query": "q"}) for name in done], found=found
    )
    return [(call["tool_name"], call["arguments"]["query"]) for call in calls]


def test_a_refined_search_takes_what_was_proposed_other_words_and_the_other_place() -> None:
    assert again("Which mirror?", [DOCS], found=False, instead="try the septum") == [
        (DOCS, "try septum"),
        (LOG, "mirror"),
    ]
    assert (LOG, "klystron leistung") in again("Klystronleistung", [LOG], found=False)
    # What joins the parts of a compound belongs to neither.
    assert (LOG, "injektion rate") in again("Injektionsrate", [LOG], found=False)
    assert (LOG, "klystron strom") in again("Klystronstrom", [LOG], found=False)
    # What was found of a time is not to be had from pages; of an entry there is nothing more.
    assert again("Was war gestern am Spiegel?", [LOG], found=True) == []
    assert again("Was war gestern am Spiegel?", [LOG], found=False) == [(DOCS, "Spiegel")]
    assert again("Show me entry #212 on the kicker", [LOG], found=True, instead="septum") == []
