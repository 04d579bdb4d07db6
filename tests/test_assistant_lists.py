"""Questions for a list of log entries: searched by other names too, completed by code, and never denied."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from assistant_support import NOW, World, another, asked, entry, says, selects, world
from runtime_support import scripted

from graphwright import load
from graphwright.agents.assistant.known import VOCABULARY, synonyms_of
from graphwright.agents.assistant.listing import MOST_NAMED, MOST_OTHERS, denies, fitting, left, other_words
from graphwright.agents.assistant.question import read
from graphwright.tools.sources import Source

__all__ = ["another", "world"]

LOCAL = NOW.astimezone()
DUMP = entry(301, "2026-11-21", "The orbit interlock fired.", title="Beam dump by the orbit interlock")
ABWURF = entry(302, "2026-11-20", "Um 09:08 Strahlverlust.", title="Abwurf: HF-Anlage 2 aus")
QUIET = entry(303, "2026-11-20", "400 mA all night.", title="Night shift: no event")
OTHER = entry(304, "2026-11-19", "Beam size measured.", title="Pinhole camera")
OLDER = entry(305, "2026-10-01", "Beam dump by hand.", title="Beam dump for an access")
ALL = [DUMP, ABWURF, QUIET, OTHER, OLDER]
LAST_WEEK = "Which beam dumps were there last week?"


def fits(question: str, sources: list[Source] = ALL) -> list[str]:
    places = fitting(read(question, LOCAL), sources, synonyms_of({}), VOCABULARY)
    return [sources[place].metadata["id"] for place in places]


@pytest.mark.parametrize(
    ("terms", "others"),
    [
        ("beam dumps", {"dump", "Abwurf", "Strahlabwurf"}),
        ("Strahlabwürfe", {"dump", "Abwurf"}),
        ("dumps booster", {"Abwurf booster", "Strahlabwurf booster"}),
        ("sudden beam losses", {"sudden Strahlverlust"}),
        ("vacuum gauge", set()),
    ],
)
def test_other_names_take_the_place_of_the_one_that_was_said(terms: str, others: set[str]) -> None:
    found = other_words(terms.split(), VOCABULARY)
    assert {" ".join(each) for each in found} == others
    assert len(found) <= MOST_OTHERS


def test_a_list_has_what_fits_by_any_of_the_names_in_its_time() -> None:
    assert fits(LAST_WEEK) == ["301", "302"]
    assert fits("Welche Strahlabwürfe gab es letzte Woche?") == ["301", "302"]
    assert fits("List all entries of last week.") == ["301", "302", "303", "304"]
    assert fits("What happened on 19 November?") == ["304"]
    # A question for a fact has no list.
    assert fits("Why was the beam dumped last week?") == []


def test_what_an_answer_leaves_out_is_what_it_names_by_neither_mark_nor_number() -> None:
    listed = [0, 1, 2]
    assert left("The interlock dumped the beam [1].", listed, ALL, 3) == [1, 2]
    assert left("See ELOG 301 and 303, and [2].", listed, ALL, 3) == []
    # A mark beyond those of the prompt names nothing.
    assert left("See [3].", listed, ALL, 2) == [0, 1, 2]


@pytest.mark.parametrize(
    ("answer", "denied"),
    [
        ("There were no beam dumps last week.", True),
        ("There were no beam dumps last week [1].", True),
        ("No.", True),
        ("None were recorded.", True),
        ("I found no beam dumps in the logbook.", True),
        ("The sources do not mention any beam dumps.", True),
        ("The provided sources do not contain information on beam dumps last week.", True),
        ("Die Quellen enthalten keine Angaben zu Strahlabwürfen.", True),
        ("According to the logbook, nothing happened.", True),
        ("Letzte Woche gab es keine Strahlabwürfe.", True),
        ("Es wurden keine Strahlabwürfe verzeichnet.", True),
        ("Nein, in der letzten Woche nicht.", True),
        ("There was one beam dump [1].", False),
        ("There were no other beam dumps than that of the interlock [1].", False),
        ("Nothing but the dump of the interlock [1].", False),
        ("Es gab einen Abwurf [1], danach keinen mehr.", False),
        ("The interlock dumped the beam [1]. There was no damage.", False),
    ],
)
def test_a_denial_is_one_where_an_entry_speaks_of_it(answer: str, denied: bool) -> None:
    question = read(LAST_WEEK, LOCAL)
    assert denies(answer, [question], ALL, [0, 1]) is denied
    assert denies(answer, [question], ALL, []) is False
    # An entry that says itself that there was none agrees.
    assert denies(answer, [question], ALL, [2]) is False


def test_a_denial_of_no_list_is_one_where_a_sentence_has_all_of_the_words() -> None:
    question = read("Did the orbit interlock dump the beam yesterday?", LOCAL)
    assert denies("There was no beam dump by the orbit interlock yesterday.", [question], [DUMP], [])
    assert not denies("There was no beam dump by the orbit interlock yesterday.", [question], [OTHER, QUIET], [])
    rule = Source("p", "Access", "", "knowledge", {}, "Access to the ring tunnel is not allowed with beam.")
    asked_rule = read("Is access to the ring tunnel allowed with beam?", LOCAL)
    assert not denies("No, access to the ring tunnel is not allowed with beam [1].", [asked_rule], [rule], [])


async def test_the_logbook_is_searched_by_each_name_in_the_same_round(world: World, tmp_path: Path) -> None:
    world.entries = ALL
    turn = await asked(tmp_path, LAST_WEEK, rules=[says("The interlock dumped the beam [1].")])
    assert turn.values["iteration"] == 1
    assert {arguments["query"] for _, arguments in world.calls} == {"beam dumps", "dump", "Abwurf", "Strahlabwurf"}
    assert {arguments["since"] for _, arguments in world.calls} == {"2026-11-15"}
    assert "Further entries that were found:" in turn.reply
    assert "- ELOG 302, 2026-11-20 03:14, Mirko Brandt, Problem, RF: “Abwurf: HF-Anlage 2 aus” [elog" in turn.reply
    for other in ("303", "304", "305"):
        assert f"ELOG {other}" not in turn.reply


async def test_a_model_that_denies_what_is_there_is_asked_once_more_and_then_the_entries_answer(
    world: World, tmp_path: Path
) -> None:
    world.entries = ALL
    denial = "There were no beam dumps last week."
    turn = await asked(tmp_path, LAST_WEEK, rules=[says(denial, times=1), says("One by the interlock [1].")])
    assert turn.reply.startswith("One by the interlock")
    turn = await asked(tmp_path, LAST_WEEK, rules=[says(denial)], thread="again")
    assert "no beam dumps" not in turn.reply
    assert turn.reply.startswith("This is what the sources say:\n\n- ELOG 301, 2026-11-21 03:14, Mirko Brandt, Problem")
    assert "- ELOG 302, " in turn.reply


async def test_a_list_longer_than_the_prompt_is_named_as_a_whole(world: World, tmp_path: Path) -> None:
    world.entries = [entry(400 + n, "2026-11-21", f"Door {n} was open.", title=f"Door {n}") for n in range(15)]
    turn = await asked(tmp_path, "List all entries of yesterday.", rules=[says("Door 0 was open [1].")])
    for number in range(400, 415):
        assert f"[elog.nordlicht.example](https://elog.nordlicht.example/Operation/{number})" in turn.reply


async def test_of_more_entries_than_are_named_their_number_is_told(world: World, tmp_path: Path) -> None:
    world.entries = [entry(400 + n, "2026-11-21", f"Door {n} was open.", title=f"Door {n}") for n in range(30)]
    turn = await asked(tmp_path, "List all entries of yesterday.", rules=[says("Door 0 was open [1].")])
    assert turn.reply.partition("**Sources**")[0].count("- ELOG 4") == MOST_NAMED
    assert "9 more results were found and are not shown here." in turn.reply


async def test_other_names_are_searched_for_beside_the_calls_of_a_model_too(another: World, tmp_path: Path) -> None:
    another.entries = ALL
    rules = [selects(("search_elog", {"query": "beam dumps"})), says("The interlock dumped the beam [1].")]
    turn = await asked(tmp_path, LAST_WEEK, rules=rules)
    assert {arguments["query"] for _, arguments in another.calls} == {"beam dumps", "dump", "Abwurf", "Strahlabwurf"}
    assert "- ELOG 302, " in turn.reply


async def test_an_institute_has_its_own_words(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "graphwright.toml"
    config.write_text('[agents.assistant]\nsynonyms = [["quench", "Löschung"]]\n', "utf-8")
    monkeypatch.setenv("GRAPHWRIGHT_CONFIG", str(config))
    world.entries = [entry(500, "2026-11-21", "Um 3 Uhr.", title="Löschung der Spule 4")]
    turn = await asked(tmp_path, "Which quenches were there yesterday?", rules=[says("One [1].")])
    assert {arguments["query"] for _, arguments in world.calls} == {"quenches", "Löschung"}
    assert "ELOG 500" in turn.reply


async def test_over_the_sample_the_dumps_of_a_week_are_found_in_both_languages(tmp_path: Path) -> None:
    async def reply(thread: str, question: str, answer: str) -> str:
        model = scripted(says(answer))
        async with load("assistant").session(thread, model=model, home=tmp_path, clock=lambda: NOW) as session:
            return (await session.send(question)).reply

    english = await reply("en", LAST_WEEK, "There were no beam dumps last week.")
    german = await reply("de", "Welche Strahlabwürfe gab es letzte Woche?", "Es gab keine Strahlabwürfe.")
    for text in (english, german):
        for number in (275, 276, 290):
            assert f"- ELOG {number}, " in text
    assert "keine Strahlabwürfe" not in german
    assert "There were no" not in english
    duty, shift = await asyncio.gather(
        reply("d", "Wer war letzte Nacht im Dienst?", "Jana Weber war im Dienst [1]."),
        reply("s", "Who was on duty last night?", "Jana Weber was on duty [1]."),
    )
    for text in (duty, shift):
        assert text.startswith("Jana Weber wa")
        assert "ELOG 300" in text
