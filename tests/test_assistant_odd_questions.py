"""Questions that nobody expects: of no words, of days that do not come, of other sites, in other languages, garbled."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from assistant_support import NOW, World, asked, decides, entry, page, says, world

from graphwright.agents.assistant.question import parts_of, read
from graphwright.agents.assistant.results import lies_ahead
from graphwright.agents.assistant.words import stem

__all__ = ["world"]

LOG, DOCS = "search_elog", "search_accelerator_knowledge"


@pytest.mark.parametrize("message", ["🔥🔥😀", "???!!!", "…", "---"])
async def test_a_message_without_a_word_is_no_search(world: World, tmp_path: Path, message: str) -> None:
    turn = await asked(tmp_path, message, rules=[decides(), says("?")])
    assert world.calls == []
    assert turn.reply == "Hello! What would you like to know?"


async def test_what_a_message_hides_is_not_searched_for(world: World, tmp_path: Path) -> None:
    message = "Which kly\x07stron tri\u200bpped\x1b[31m yesterday\x1b[0m\u202e?"
    turn = await asked(tmp_path, message, rules=[says("A klystron tripped [1].")])
    ((name, arguments),) = world.calls
    assert (name, arguments["query"], arguments["since"]) == (LOG, "klystron tripped", "2026-11-21")
    assert "A klystron tripped" in turn.reply


async def test_a_question_that_is_cut_is_cut_between_words(world: World, tmp_path: Path) -> None:
    turn = await asked(tmp_path, "Which klystron tripped in August? " * 600, rules=[says("A klystron tripped [1].")])
    assert turn.values["query"].split()[-1] in ("Which", "klystron", "tripped", "in", "August?")
    assert "The question has" in turn.reply
    # One without a blank is cut all the same.
    turn = await asked(tmp_path, "klystron" * 2_500, rules=[decides(), says("A klystron.")], thread="other")
    assert len(turn.values["query"]) == 4_000


@pytest.mark.parametrize("day", ["on 24.12.2027", "am 24. Dezember 2027", "since 2027-01-01"])
async def test_of_days_to_come_nothing_is_logged_and_nothing_else_is_shown_instead(
    world: World, tmp_path: Path, day: str
) -> None:
    def refuses(name: str, arguments: object) -> None:
        if name == LOG:
            raise ValueError("since lies in the future")

    world.before = refuses
    turn = await asked(tmp_path, f"Which klystron trips were there {day}?", rules=[says("Four cavities [1].")])
    assert set(world.names()) == {LOG}
    assert turn.reply.startswith("I could not look that up.")
    assert "since lies in the future" in turn.reply
    assert "**Sources**" not in turn.reply


@pytest.mark.parametrize("day", ["on 31 February", "on 2026-13-45", "am 30.02.2026"])
async def test_of_a_day_that_no_calendar_has_nothing_is_shown(world: World, tmp_path: Path, day: str) -> None:
    turn = await asked(tmp_path, f"What happened {day}?", rules=[says("A klystron tripped [1].")])
    assert day.split(maxsplit=1)[1] in turn.reply
    assert "**Sources**" not in turn.reply
    turn = await asked(
        tmp_path, "What happened on 31 February, and yesterday?", rules=[says("A klystron tripped [1].")]
    )
    assert "A klystron tripped" in turn.reply


def test_a_day_to_come_is_told_from_others() -> None:
    for text, ahead in (
        ("What tripped on 2027-01-01?", True),
        ("What tripped on 2026-11-22?", False),
        ("What tripped until 2027-01-01?", False),
        ("What tripped yesterday?", False),
        ("What does the manual say on 2027-01-01?", False),
        ("How does it work?", False),
    ):
        assert lies_ahead(read(text, NOW), date(2026, 11, 22)) is ahead, text


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the frequency of the ESRF storage ring?", "ESRF"),
        ("What is the frequency of the Diamond cavities?", "Diamond"),
        ("Wie hoch ist die Frequenz des BESSY Rings?", "BESSY"),
    ],
)
async def test_what_is_asked_of_another_site_is_not_answered_of_ours(
    world: World, tmp_path: Path, question: str, name: str
) -> None:
    text = "The frequency of the cavities in the storage ring is 499.654 MHz. Die Frequenz des Rings ist hoch."
    world.pages = [page("rf", "RF of the storage ring", text)]
    world.note = f"Not in any document: {name}. In none is: {name}."
    turn = await asked(tmp_path, question, rules=[says("499.654 MHz [1].")])
    assert name in turn.reply
    assert "499.654" not in turn.reply
    # Ours is called by a name that stands there.
    world.note = ""
    turn = await asked(tmp_path, "What is the frequency of the RF storage ring?", rules=[says("499.654 MHz [1].")])
    assert "499.654" in turn.reply


async def test_little_words_of_a_third_language_are_not_what_a_question_falls_by(world: World, tmp_path: Path) -> None:
    world.note = "Not in any document: est, la, anneau. In none is: est, la, anneau."
    question = "Quelle est la frequency of RF dans les cavities ?"
    turn = await asked(tmp_path, question, rules=[decides(), says("499.654 MHz [1].")])
    assert "499.654" in turn.reply


async def test_where_none_of_its_words_stands_anywhere_nothing_is_found(world: World, tmp_path: Path) -> None:
    world.entries = [entry(31, "2026-10-07", "Bypass BY-31 removed.")]
    world.note = "Not in any document: penguins. In none is: penguins."
    turn = await asked(tmp_path, "Are there 31 penguins?", rules=[says("A bypass [1].")])
    assert turn.reply.startswith("I found nothing about that: no source speaks of penguins.")


async def test_why_a_tool_of_ours_failed_is_told_once(world: World, tmp_path: Path) -> None:
    def refuses(name: str, arguments: object) -> None:
        raise ValueError("there is no entry 99999")

    world.before = refuses
    turn = await asked(tmp_path, "What does entry 99999 say?", rules=[says("?")])
    assert turn.reply.count("failed") == 1
    assert "no entry 99999" in turn.reply


def test_what_is_asked_again_and_again_is_one_part() -> None:
    twice = "Which klystron tripped yesterday? How is the klystron cooled? "
    parts = parts_of(read(twice, NOW), NOW)
    assert [part.wants for part in parts] == ["elog", "knowledge"]
    assert [part.terms for part in parts_of(read(twice * 50, NOW), NOW)] == [part.terms for part in parts]
    many = " ".join(f"Which pump {n} tripped yesterday? How is the valve {n} cooled?" for n in range(20))
    assert len(parts_of(read(many, NOW), NOW)) == 1


def test_words_are_the_same_in_singular_and_plural() -> None:
    for word in ("klystron", "screen", "monitor", "magnet", "pump", "cavern"):
        assert stem(word) == stem(f"{word}s")
    assert stem("glass") == "glass"


def test_tomorrow_is_nothing_to_search_for() -> None:
    assert read("What will the klystron do tomorrow?", NOW).terms == ("klystron",)
    assert read("Was macht das Klystron übermorgen?", NOW).terms == ("macht", "Klystron")
