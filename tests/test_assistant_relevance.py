"""Words of questions that stand nowhere: told instead of an answer from something else, and compounds that do stand."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from assistant_support import NOW, World, asked, decides, entry, judges, page, says, selects, servers, world
from runtime_support import scripted

from graphwright import load
from graphwright.agents.assistant import toolbox
from graphwright.agents.assistant.compounds import Standing
from graphwright.agents.assistant.question import read
from graphwright.agents.assistant.relevance import nowhere, shown
from graphwright.models import ModelCall
from graphwright.tools.mcp import McpServer
from graphwright.tools.mcp.library import load as load_mcp
from graphwright.tools.sources import Source

__all__ = ["world"]

LOG, DOCS, THREAD = "search_elog", "search_accelerator_knowledge", "get_elog_thread"
VACUUM = page("v", "Vacuum of the ring", "The pumps of the ring keep the pressure in the vacuum low. A pump may fail.")
ALARM = entry(150, "2026-11-20", "There was an alarm of the disk, and it was 85 % full.", title="Alarm of the disk")
DRUCK = page("d", "Vakuum im Ring", "Der Druck ist im Vakuum der Kammer niedrig, und die Pumpe läuft mit der Spannung.")
KURS = page("k", "Kurs für Operateure", "Der Kurs ist für alle, die mit der Maschine fahren, und der Wert ist hoch.")


def searched(
    tool: str, sources: Sequence[Source] = (), missing: str = "", *, ok: bool = True, arguments: Any = None
) -> Any:
    kind = "Not in any document" if tool == DOCS else "In none is"
    return {
        **{"tool_name": tool, "arguments": {"query": "q"} if arguments is None else arguments, "ok": ok},
        **{"iteration": 1, "error": "", "broken": False, "note": f"{kind}: {missing}." if missing else ""},
        "sources": [source.to_json() for source in sources],
    }


def told(text: str, missing: str, *sources: Source, synonyms: Any = None) -> list[str]:
    """What is told where a search of the documents and one of the logbook both miss these words."""
    outcomes = [searched(DOCS, sources, missing), searched(LOG, sources, missing)]
    return nowhere(read(text, NOW), outcomes, sources, synonyms)


@pytest.mark.parametrize(
    ("text", "missing", "source", "expected"),
    [
        # A word before another one, or behind an `of`, makes it another thing.
        ("Was there a fire alarm?", "fire", ALARM, ["fire"]),
        ("What is the alarm of the chiller?", "chiller", ALARM, ["chiller"]),
        ("Which helium cryogenics pump failed?", "helium, cryogenics", VACUUM, ["helium", "cryogenics"]),
        # A word among several that are there has a synonym that the sources use.
        ("Why did the vacuum pump of the ring collapse?", "collapse", VACUUM, []),
        ("Why did the pump break?", "break", VACUUM, []),
        # Most of the words.
        ("Why are penguins and whales at the pump?", "penguins, whales", VACUUM, ["penguins", "whales"]),
        # A slip of the pen stands there as what was meant.
        ("Why is the vacum pump off?", "vacum", VACUUM, []),
        # In English a word is not the end of another one.
        ("Will the ump pressure rise?", "ump", VACUUM, ["ump"]),
        # Words that every text may have or not do not count.
        ("What kind of pump is it?", "kind", VACUUM, []),
        # German: compounds stand where their parts do, joined or not.
        ("Wie hoch ist der Vakuumdruck?", "Vakuumdruck", DRUCK, []),
        ("Wie hoch ist die Pumpenspannung?", "Pumpenspannung", DRUCK, []),
        ("Wie hoch ist der Gesamtdruck?", "Gesamtdruck", DRUCK, []),
        ("Wie hoch ist die Vakuumpumpenspannung?", "Vakuumpumpenspannung", DRUCK, []),
        # Of the first part it is the same thing, of the last one another.
        ("Welche Vakuumleistung gilt?", "Vakuumleistung, gilt", DRUCK, ["Vakuumleistung", "gilt"]),
        ("Ist die Vakuumleistung niedrig?", "Vakuumleistung", DRUCK, []),
        ("Wie hoch ist der Dollarkurs?", "Dollarkurs", KURS, ["Dollarkurs"]),
        ("wie hoch ist der dollarkurs?", "dollarkurs", KURS, ["dollarkurs"]),
        ("Wie hoch ist die Mehrwertsteuer?", "Mehrwertsteuer", KURS, ["Mehrwertsteuer"]),
        # A German question is about its nouns.
        ("Wann fährt der Bus zum Bahnhof?", "Bus, Bahnhof", KURS, ["Bus", "Bahnhof"]),
        ("Wann ist der Operateur beim Kurs krank?", "krank", KURS, []),
        # A verb may follow upon anything.
        ("Welche Kühlung läuft mit Spannung?", "Kühlung", DRUCK, []),
        # Short words stand by themselves.
        ("Wo ist der Kur in der Nähe?", "Kur, Nähe", KURS, ["Kur", "Nähe"]),
        # What has figures is meant by what has more of them.
        ("What is the RM-14 pressure?", "RM-14", page("m", "Monitors", "The pressure at the RM-14.2 is low."), []),
    ],
)
def test_what_a_question_falls_by(text: str, missing: str, source: Source, expected: list[str]) -> None:
    assert told(text, missing, source) == expected


MOVED = entry(191, "2026-10-12", "The connector of the BPM was loose, cold air shrank it: the spot moved at Tundra.")
FAN = entry(290, "2026-11-17", "Der Lüfter am Schrank steht, und die Anlage ist mit Übertemperatur aus.")


@pytest.mark.parametrize(
    ("text", "missing", "source"),
    [
        (
            "The Tundra people complained that their spot wandered whenever it got cold. Did anybody find out why?",
            "complained, wandered, people",
            MOVED,
        ),
        ("My colleague noticed that the connector squealed, did anyone look?", "colleague, noticed, squealed", MOVED),
        ("I remember the crew being annoyed about the spot. What came out of it?", "remember, crew, annoyed", MOVED),
        ("Somebody told me the BPM flickered when it got cold, is that right?", "told, flickered, right", MOVED),
        ("Ich habe gehört, dass der Lüfter gequietscht hat. Weiß jemand was dazu?", "gehört, gequietscht, weiß", FAN),
        ("Die Leute haben sich über den Lüfter beschwert, warum?", "Leute, beschwert", FAN),
        ("Hat sich jemand gewundert, warum der Lüfter vibriert?", "gewundert, vibriert", FAN),
    ],
)
def test_words_of_telling_and_feeling_decide_nothing(text: str, missing: str, source: Source) -> None:
    assert told(text, missing, source) == []


@pytest.mark.parametrize(
    ("text", "missing", "source", "expected"),
    [
        (
            "People complained about the canteen menu, did anybody find out why?",
            "people, complained, canteen, menu",
            VACUUM,
            2,
        ),
        ("Did anybody notice that the coffee machine wandered off?", "notice, coffee, machine, wandered", VACUUM, 2),
        (
            "Die Leute ärgern sich über das Kantinenessen, weiß jemand warum?",
            "Leute, ärgern, Kantinenessen, weiß",
            DRUCK,
            1,
        ),
        ("Has anybody seen my bicycle?", "seen, bicycle", VACUUM, 1),
        ("Was the stolen pump found?", "stolen", VACUUM, 1),
    ],
)
def test_what_it_is_about_decides_whatever_was_told_of_it(
    text: str, missing: str, source: Source, expected: int
) -> None:
    assert len(told(text, missing, source)) == expected


def test_a_word_that_one_of_the_searches_knows_is_not_missing() -> None:
    question = read("Was there a fire alarm?", NOW)
    outcomes = [searched(DOCS, [ALARM], "fire"), searched(LOG, [ALARM])]
    assert nowhere(question, outcomes, [ALARM]) == []
    # One that found nothing at all says nothing against it.
    assert nowhere(question, [searched(DOCS), searched(LOG, [ALARM], "fire")], [ALARM]) == ["fire"]


def test_a_word_that_was_found_only_within_others_is_missing() -> None:
    outcome = searched(LOG, [entry(30, "2026-10-01", "The sump was drained by hand.")], arguments={"query": "rain"})
    outcome["note"] = "No entry has the words by themselves; these have them inside of longer words."
    sources = [Source.from_json(each) for each in outcome["sources"]]
    assert nowhere(read("Will it rain?", NOW), [outcome], sources) == ["rain"]
    assert nowhere(read("Who drained the sump?", NOW), [outcome], sources) == []


def test_where_nothing_was_searched_for_by_words_nothing_is_missing() -> None:
    question = read("Was there a fire alarm?", NOW)
    for outcomes in (
        [],
        [searched(LOG, [ALARM], "fire", ok=False)],
        [searched(LOG, [ALARM], "fire", arguments={"since": "2026-11-20"})],
        [searched(THREAD, [ALARM], "fire")],
    ):
        assert nowhere(question, outcomes, [ALARM]) == []
    assert nowhere(read("What happened?", NOW), [searched(LOG, [ALARM], "fire")], [ALARM]) == []


def test_what_happened_in_a_time_is_told_by_the_logbook_alone() -> None:
    outcomes = [searched(DOCS, [VACUUM]), searched(LOG, [ALARM], "fire")]
    assert nowhere(read("Was there a fire alarm yesterday?", NOW), outcomes, [VACUUM, ALARM]) == ["fire"]
    assert nowhere(read("Was there a fire alarm?", NOW), outcomes, [VACUUM, ALARM]) == []
    # A page on fires is no entry of that time.
    fires = page("f", "Fires", "What to do at a fire: leave the hall and call the control room.")
    assert nowhere(read("Was there a fire alarm yesterday?", NOW), outcomes, [fires, ALARM]) == ["fire"]


def test_words_of_one_language_need_not_stand_in_texts_of_another() -> None:
    assert told("Gab es in der Halle einen Feuer Alarm?", "Feuer", ALARM) == []
    assert told("Was there a fire Druck in the hall?", "fire, hall", DRUCK) == []
    # Where one text is in the language of the question, they need.
    assert told("Gab es in der Halle einen Feuer Alarm?", "Feuer, Halle", ALARM, DRUCK) == ["Halle", "Feuer"]


def test_a_word_for_the_same_stands_for_it() -> None:
    assert told("Ist die Tiefe der Leere bekannt?", "Tiefe, Leere, bekannt", DRUCK)
    synonyms = {"vacuum": ["Vakuum", "Leere"], "pressure": ["Druck", "Tiefe"]}
    assert told("Ist die Tiefe der Leere bekannt?", "Tiefe, Leere, bekannt", DRUCK, synonyms=synonyms) == []


def test_parts_of_compounds_stand_by_themselves_or_at_the_ends_of_longer_words() -> None:
    standing = Standing({"strahl", "lebensdau", "kathodenspann", "europaisch", "mehr", "injektion"})
    assert standing.has("Strahllebensdauer")
    assert standing.has("Injektionsspannung")
    assert not standing.has("Eurospannung")
    assert not standing.has("Mehrspannung")
    assert not standing.has("Dollarkurs")
    assert not standing.has("Str")
    assert standing.first_part("Strahlmodell")
    assert not standing.first_part("Modellstrahl")
    assert standing.last_part("Modellstrahl")
    assert not Standing(()).has("Strahl")


ELSEWHERE = [
    "Wie hoch ist der Dollarkurs?",
    "wie hoch ist der dollarkurs?",
    "Wie hoch ist der Wechselkurs des Dollars?",
    "What is the exchange rate of the dollar?",
    "Wie hoch ist der Aktienkurs von Siemens?",
    "Wie hoch ist die Mehrwertsteuer?",
    "Wie wird das Wetter morgen?",
    "What's the weather forecast for tomorrow?",
    "Will it rain tomorrow?",
    "Wer hat das Fußballspiel gewonnen?",
    "Who won the football match yesterday?",
    "Was steht auf dem Kantinenspeiseplan?",
    "Welche Kantinengerichte gibt es am Montag?",
    "What is on the canteen menu?",
    "Wann fährt der nächste Bus zum Bahnhof?",
    "When does the next train to Hamburg leave?",
    "People complained about the canteen menu. Did anybody find out why?",
    "Die Leute ärgern sich über das Kantinenessen, weiß jemand warum?",
    "Who won the cup?",
]
COVERED = [
    "Wie hoch ist die Septumtemperatur?",
    "Wie hoch ist die Kavitätenspannung?",
    "Wie hoch ist die Strahllebensdauer?",
    "Wie lang ist der Speicherringumfang?",
    "Welche Kavitätenfrequenz hat der Ring?",
    "Bei welchem Vakuumdruck schließen die Schieber?",
    "Wie hoch ist die Klystronleistung?",
    "Welche Kickerspannung gilt?",
    "Welche Leitfähigkeitsschwelle gilt im Kupferkreis?",
    "Wie oft werden die Dipolmagnete vermessen?",
    "Wann war der letzte Klystronwechsel?",
    "Welche Telefonnummer hat die Rufbereitschaft?",
    "Wann löst das Strahllageinterlock aus?",
    "Gab es einen Vakuumpumpenausfall?",
    "What is the cavity voltage?",
    "Which septum voltage is used in the booster?",
    "The ARPES people complained that their spot wandered whenever it got cold. Did anybody find out why?",
    "Which flow switch in sector 9 could not be exchanged?",
]


async def test_over_the_sample_only_what_it_covers_is_answered(tmp_path: Path) -> None:
    rules = [
        says("So steht es in dieser Quelle [1].", says="Answer in German"),
        says("That is what this source says [1].", says="Answer in English"),
    ]
    verdict = {"reasoning": "r", "adequate": True, "refinement": ""}
    model = scripted({"offers": "ResultEvaluation", "call": {"ResultEvaluation": verdict}}, *rules)
    morning = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)

    async def reply(number: int, question: str) -> str:
        session = load("assistant").session(f"t{number}", model=model, home=tmp_path, clock=lambda: morning)
        async with session:
            turn = await session.send(question)
        assert turn.error is None
        return turn.reply

    asked = [*ELSEWHERE, *COVERED]
    replies = [await reply(0, asked[0])]
    for at in range(1, len(asked), 4):
        replies += await asyncio.gather(*(reply(at + n, each) for n, each in enumerate(asked[at : at + 4])))
    for question, answer in zip(asked, replies, strict=True):
        nothing = answer.startswith(("I found nothing", "Dazu habe ich nichts gefunden"))
        listed = "**Sources**" in answer or "**Quellen**" in answer
        assert (nothing, listed) == ((True, False) if question in ELSEWHERE else (False, True)), (question, answer)


@pytest.mark.parametrize("text", ["What is the present temperature of sensor T1?", "Was there a fire alarm yesterday?"])
def test_where_a_tool_of_the_operator_gave_something_nothing_is_nowhere(text: str) -> None:
    reading = Source("lab-1", "Read temperature", "", "tool", {}, "T1: 23.4 C")
    missing = "present, sensor, temperature, T1, fire"
    own = [searched(DOCS, [VACUUM], missing), searched(LOG, [ALARM], missing)]
    question = read(text, NOW)
    assert nowhere(question, own, [VACUUM, ALARM])
    assert nowhere(question, [*own, searched("lab__read_temperature", [reading])], [VACUUM, ALARM, reading]) == []
    # A tool that gave nothing, or failed, vouches for nothing.
    assert nowhere(question, [*own, searched("lab__read_temperature")], [VACUUM, ALARM])


@pytest.mark.parametrize("named", [True, False])
async def test_what_a_tool_of_the_operator_gave_is_answered_from(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: bool
) -> None:
    load_mcp()
    from fastmcp import FastMCP

    lab: FastMCP = FastMCP("lab")

    @lab.tool
    def read_temperature(sensor: str) -> str:
        """The present temperature of a sensor."""
        return f"{sensor}: 23.4 C" if named else "23.4"

    async def own(*_: Any) -> list[McpServer]:
        return [*servers(world), McpServer("lab", here=lab)]

    monkeypatch.setattr(toolbox, "own_servers", own)
    world.note = "Not in any document: present, sensor, T1."
    world.pages = [VACUUM, page("t", "Temperature of the ring", "The temperature of the ring is held by water.")]
    proposals = selects(("read_temperature", {"sensor": "T1"}), (DOCS, {"query": "temperature"}))
    rules = [decides(), proposals, judges(), says("It is 23.4 C [1].")]
    seen: list[ModelCall] = []
    turn = await asked(tmp_path, "What is the present temperature of sensor T1?", rules=rules, calls=seen)
    assert "found nothing" not in turn.reply
    assert "It is 23.4 C" in turn.reply
    prompts = ["\n".join(message.text for message in call.prompt) for call in seen]
    assert any("23.4" in prompt for prompt in prompts)


def test_results_of_tools_are_shown_whatever_their_words() -> None:
    question = read("What is the present temperature of sensor T1?", NOW)
    pages = [page(f"p{n}", f"Temperature sensor {n}", "The present temperature of a sensor is read.") for n in range(5)]
    results = [Source(f"lab-{n}", "Readout", "", "tool", {}, f"2{n}.4") for n in range(4)]

    def names(*sources: Source) -> list[str]:
        return [source.id for source in shown(question, [(question, sources)])]

    assert names(*pages) == ["p0", "p1", "p2", "p3"]
    assert names(*pages, results[0]) == ["p0", "p1", "p2", "lab-0"]
    assert names(*results, *pages) == ["p0", "lab-0", "lab-1", "lab-2"]
