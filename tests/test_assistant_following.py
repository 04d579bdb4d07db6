"""Questions that go on from the turn before: its topic, the entries and things of its answer, and its time, open."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from assistant_support import World, asked, entry, says, world

from graphwright.agents.assistant.following import continued, followed, told_in
from graphwright.agents.assistant.question import Question, read
from graphwright.agents.assistant.relevance import Relevance

__all__ = ["world"]

SUNDAY = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)
LOG, THREAD = "search_elog", "get_elog_thread"
BEFORE = "Gab es vor neun Tagen einen Ausfall?"
ANSWER = "Ja, weil die Regelung von Kavität 1 abgestürzt war (Eintrag #244)."


def after(before: str, answer: str, text: str) -> Question:
    return continued(read(text, SUNDAY), read(before, SUNDAY), answer)


@pytest.mark.parametrize(
    "text",
    [
        "Und was war die Ursache?",
        "Was war die Ursache?",
        "Und warum?",
        "Wer hat das behoben?",
        "Und wer hat es repariert?",
        "Wie wurde es gelöst?",
        "Wurde die Ursache gefunden?",
        "Why?",
        "And the cause?",
        "Was it fixed?",
        "Has that been resolved?",
        "What was the reason?",
        "Any consequences?",
        "and who repaired it?",
        "How long did it take?",
    ],
)
def test_a_question_without_a_topic_has_that_of_the_turn_before(text: str) -> None:
    question = after(BEFORE, ANSWER, text)
    assert question.entries == (244,)
    assert question.goes_on
    assert {"Ausfall", "Kavität", "1"} <= set(question.terms)
    # What came of it is written down later.
    assert question.period is not None
    assert (question.period.since, question.period.until) == ("2026-11-13", "")


@pytest.mark.parametrize(
    "text",
    [
        "Was ist gestern passiert?",
        "What is the cause of the vacuum leak?",
        "Which klystron tripped in the last week?",
        "Gibt es etwas Neues?",
        "Was steht im Logbuch?",
        "Show me entry #212",
        "When was the ring last searched?",
        "Wer hat den Ring abgesucht?",
    ],
)
def test_a_question_with_a_topic_of_its_own_takes_over_none(text: str) -> None:
    question = after(BEFORE, ANSWER, text)
    assert not question.goes_on
    assert 244 not in question.entries
    assert "Ausfall" not in question.terms


def test_the_same_of_another_thing_or_time_keeps_the_rest() -> None:
    question = after("Which trips were there on Monday?", "Two (ELOG 284).", "And the klystron?")
    assert question.terms == ("klystron", "trips")
    assert question.period is not None
    assert (question.period.since, question.period.until) == ("2026-11-16", "2026-11-16")
    assert not question.entries


def test_a_topic_is_kept_over_several_questions() -> None:
    said = [BEFORE, ANSWER, "Was war die Ursache?", "Das steht nicht in den Quellen."]
    messages = [{"role": role, "content": text} for role, text in zip(("user", "assistant") * 2, said, strict=True)]
    question = followed(messages, "Und wer hat es behoben?", SUNDAY)
    assert question.entries == (244,)
    assert "Ursache" not in question.terms
    assert "Ausfall" in question.terms
    assert followed([], "Und wer hat es behoben?", SUNDAY) == read("Und wer hat es behoben?", SUNDAY)
    # What was spoken of before a question of its own is not meant any more.
    messages += [
        {"role": "user", "content": "What is the orbit interlock?"},
        {"role": "assistant", "content": "A dump."},
    ]
    assert "Ausfall" not in followed(messages, "Why?", SUNDAY).terms


def test_what_an_answer_tells_of() -> None:
    told = told_in(
        "S07-BPM4 and BY-33 at RF plant 2 took 53 minutes, 400 mA, see [elog](https://elog.example/Operation/244).\n\n"
        "Further entries that were found:\n\n- ELOG 300, 2026-11-18\n- ELOG 301\n\n**Sources**\n"
        "- [elog](https://elog.example/Operation/244) ELOG 244, 2026-11-09 03:05, Mirko Brandt, Fix, RF: Klystron 3"
    )
    assert told.entries == (244,)
    assert told.names == ("S07-BPM4", "BY-33", "plant 2")
    assert told_in("") == told_in("Nothing was found.")


def test_replies_are_as_good_as_what_they_reply_to() -> None:
    question = after(BEFORE, ANSWER, "Und was war die Ursache?")
    fix = entry(246, "2026-11-14", "Firmware set back, a counter overflowed.", category="Fix")
    fix = replace(fix, metadata={**fix.metadata, "reply_to": "244"})
    sources = [
        entry(244, "2026-11-13", "Ausfall durch die Regelung von Kavität 1."),
        fix,
        entry(200, "2026-11-15", "Kein Ausfall."),
    ]
    relevance = Relevance(question, sources)
    assert relevance.covered[1] == relevance.covered[0] > relevance.covered[2]


LISTED = """There was a trip [elog](https://elog.example/Operation/290) and a dump, see ELOG 275.

Further entries that were found:

- ELOG 277, 2026-11-18 03:05, Mirko Brandt, Fix: "Reset" [elog](https://elog.example/Operation/277)

**Sources**
- [elog](https://elog.example/Operation/275) ELOG 275, 2026-11-17 10:00, Lars Hansen, Problem: Dump
- [elog](https://elog.example/Operation/290) ELOG 290, 2026-11-20 10:00, Lars Hansen, Problem: Trip
"""


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Who wrote the first one?", 290),
        ("and the second one?", 275),
        ("And the third?", 277),
        ("What was the cause of the last one?", 290),
        ("Wer hat den ersten Eintrag geschrieben?", 290),
        ("Wer hat den zweiten geschrieben?", 275),
        ("Und der dritte?", 277),
    ],
)
def test_one_of_the_entries_of_an_answer_is_meant_by_its_place(text: str, number: int) -> None:
    question = after("Which beam dumps were there last week?", LISTED, text)
    assert question.entries == (number,)
    assert question.period is None
    assert not {"first", "second", "third", "ersten", "zweiten", "dritte"} & set(question.terms)


@pytest.mark.parametrize(
    "text",
    ["When was the first injection?", "Und der erste Kicker?", "Who wrote the fifth one?", "Is it the second time?"],
)
def test_what_is_counted_otherwise_is_no_entry_of_the_answer(text: str) -> None:
    assert not {290, 275, 277} & set(after("Which beam dumps were there last week?", LISTED, text).entries)


def test_the_time_before_the_last_one_is_asked_for_again_and_again() -> None:
    messages = [
        {"role": "user", "content": "Which beam dumps were there last week?"},
        {"role": "assistant", "content": LISTED},
    ]
    first = followed(messages, "And in the week before?", SUNDAY)
    assert first.period is not None
    assert (first.period.since, first.period.until) == ("2026-11-08", "2026-11-14")
    assert (first.terms, first.entries, first.lists) == (("beam", "dumps"), (), True)
    messages += [{"role": "user", "content": "And in the week before?"}, {"role": "assistant", "content": "None."}]
    second = followed(messages, "the week before that?", SUNDAY)
    assert second.period is not None
    assert (second.period.since, second.period.until) == ("2026-11-01", "2026-11-07")
    assert second.terms == ("beam", "dumps")
    other = followed(messages, "Were there vacuum leaks in the week before that?", SUNDAY)
    assert other.terms == ("vacuum", "leaks")
    assert other.period == second.period or (other.period and other.period.since == "2026-11-01")


async def test_a_wish_for_another_language_asks_the_same_again(world: World, tmp_path: Path) -> None:
    questions = ("Which klystron tripped yesterday?", "And in German?")
    turn = await asked(tmp_path, *questions, rules=[says("See [1].")])
    assert turn.values["query"] == questions[0]
    assert turn.values["answer_language"] == "de"
    assert "**Quellen**" in turn.reply
    searches = [arguments for name, arguments in world.calls if name == LOG]
    assert searches == searches[: len(searches) // 2] * 2
    # What comes next goes on from the question, in its language.
    turn = await asked(tmp_path, *questions, "And what was the cause?", rules=[says("See [1].")], thread="u")
    assert turn.values["answer_language"] == "en"
    assert (THREAD, {"id": 212}) in world.calls


async def test_the_thread_of_the_cited_entry_is_read_and_the_topic_searched_for(world: World, tmp_path: Path) -> None:
    world.entries = [entry(212, "2026-11-21", "Klystron trip at 399 mA, beam lost.")]
    await asked(
        tmp_path,
        "Which klystron tripped yesterday?",
        "And what was the cause?",
        rules=[says("It tripped [1].")],
    )
    assert (THREAD, {"id": 212}) in world.calls
    searches = [arguments for name, arguments in world.calls if name == LOG]
    assert searches[-1] == {"query": "cause klystron tripped", "since": "2026-11-21"}
