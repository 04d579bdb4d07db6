"""What an answer lacks of the sources: what a question asks for part by part, and the sentences that are quoted."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from assistant_support import World, asked, decides, entry, judges, page, says, selects, world
from documents_support import pdf
from runtime_support import scripted

from graphwright import load
from graphwright.agents.assistant.asking import asked_in
from graphwright.agents.assistant.passages import sentences
from graphwright.agents.assistant.question import parts_of, read
from graphwright.agents.assistant.quoting import MOST_QUOTES, denied, lacking, only_agrees
from graphwright.runtime.events import Saying
from graphwright.tools.sources import Source

__all__ = ["world"]

NOW = datetime(2026, 11, 22, 16, 0)
KNOWLEDGE, LOG = "search_accelerator_knowledge", "search_elog"

VALVE = page("aurora/valve", "Gate valve", "The gate valve closes at 4 bar within 12 ms. It weighs 30 kg.")
PUMP = entry(
    301,
    "2026-11-21",
    "The turbo pump of the linac stopped at 02:10. A seized bearing was the cause. Beam back after 80 minutes.",
    title="Turbo pump of the linac off",
)
LIMITS = page(
    "aurora/limits",
    "Limits of the collimator",
    "| Signal | Warning | Trip |\n|---|---|---|\n| Jaw temperature | 45 °C | 60 °C |\n| Flow | 9 l/min | 6 l/min |",
)
PUMP_FIXED = entry(
    302,
    "2026-11-21",
    "Bearing exchanged and balanced in S07. Vibration is 0.4 mm/s now.",
    title="Re: Turbo pump of the linac off",
    category="Fix",
)
ORDERED = page(
    "aurora/restart",
    "After a black-out",
    "Restart in this order:\n\n1. Chilled water: pumps, then valves.\n2. Servers.\n3. Magnets.\n\nMagnets are slow.",
)
PARAMETERS = page(
    "aurora/parameter",
    "Parameter des Wigglers",
    "| Größe | Wert |\n|---|---|\n| Länge | 2,4 m |\n| Harmonische Zahl | 12 |",
)
LISTED = page(
    "aurora/start",
    "Starting the cryostat",
    "Conditions for the start:\n\n- valve V3 is closed\n- helium level above 60 %\n- heater off\n- nobody in the pit",
)


def quoted(question: str, answer: str, *sources: Source) -> list[tuple[int, tuple[str, ...]]]:
    now = NOW.astimezone()
    return [(each.place, each.items) for each in lacking(answer, parts_of(read(question, now), now), sources)]


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("How long does the gate valve take?", ["value"]),
        ("Which bunch length was measured in the last run?", ["value"]),
        ("Ab welcher Temperatur wird gewarnt?", ["value"]),
        ("Who is on call and what number do I dial?", ["person", "number"]),
        ("Wer hat den Eintrag geschrieben?", ["author"]),
        ("Why did it stop, and when was it back?", ["reason", "time"]),
        ("Wo steht der Schrank und was ist darin?", ["place", "thing"]),
        ("In which sector is the kicker?", ["place"]),
        ("List the conditions for the start.", ["list"]),
        ("Five days ago it was slow. Why?", ["reason"]),
        ("Was the pump repaired?", ["yes or no"]),
        ("There was an alarm. What triggered it?", ["reason"]),
        ("Wer oder was hat den Alarm ausgelöst?", ["reason"]),
        ("How was the leak repaired?", ["remedy"]),
        ("Was war los, und wie wurde es behoben?", ["thing", "remedy"]),
        ("What helped against the noise?", ["remedy"]),
        ("After a power cut, what has to be started first?", ["first"]),
        ("Was muss zuerst eingeschaltet werden?", ["first"]),
        ("septum", ["thing"]),
    ],
)
def test_each_part_of_a_question_asks_for_its_own_kind_of_answer(question: str, kinds: list[str]) -> None:
    assert [part.kind for part in asked_in(question, ())] == kinds


def test_a_question_that_goes_on_asks_for_the_quantity_of_the_one_before() -> None:
    (part,) = asked_in("and of the booster?", ("circumference", "booster"))
    assert part.kind == "value"
    assert part.unit is not None
    assert part.unit.fullmatch("m")


def test_words_that_stand_in_one_part_bear_less_on_the_other() -> None:
    first, second = asked_in("How heavy is the magnet, and who built the pump?", ("heavy", "magnet", "built", "pump"))
    assert (first.own, first.rest) == (("heavy", "magnet"), ("built", "pump"))
    assert (second.own, second.rest) == (("built", "pump"), ("heavy", "magnet"))


@pytest.mark.parametrize(
    ("question", "answer", "sources", "wanted"),
    [
        (
            "How fast does the gate valve close?",
            "It closes fast [1].",
            (VALVE,),
            "The gate valve closes at 4 bar within",
        ),
        ("At which pressure does the gate valve close?", "At a high one.", (VALVE,), "The gate valve closes at 4 bar"),
        (
            "Why did the turbo pump stop?",
            "The turbo pump of the linac stopped at 02:10.",
            (PUMP,),
            "A seized bearing was",
        ),
        ("Warum blieb die Turbopumpe des Linac stehen?", "Sie fiel gestern aus.", (PUMP,), "A seized bearing was the"),
        (
            "What is the jaw temperature trip of the collimator?",
            "It trips when hot.",
            (LIMITS,),
            "Warning: 45 °C; Trip: 60",
        ),
        # What was done against a fault is not what it was, whatever the answer says again of the question.
        ("How was the turbo pump repaired?", "The turbo pump was repaired.", (PUMP_FIXED,), "Bearing exchanged"),
        ("Wie wurde die Turbopumpe des Linac repariert?", "Sie wurde repariert.", (PUMP_FIXED,), "Bearing exchanged"),
        ("After a black-out, what is started first?", "The magnets start first.", (ORDERED,), "Chilled water"),
        ("What length does the wiggler have?", "The wiggler is long.", (PARAMETERS,), "Länge: 2,4 m"),
        ("Which harmonic number does the wiggler have?", "A high one.", (PARAMETERS,), "Harmonische Zahl: 12"),
        ("Is the turbo pump of the linac off?", "Yes, the turbo pump is off.", (PUMP,), "stopped at 02:10"),
    ],
)
def test_what_an_answer_lacks_is_quoted(question: str, answer: str, sources: tuple[Source, ...], wanted: str) -> None:
    ((place, (text,)),) = quoted(question, answer, *sources)
    assert place == 0
    assert wanted in text


@pytest.mark.parametrize(
    ("question", "answer", "sources"),
    [
        ("At which pressure does the gate valve close?", "At 4 bar [1].", (VALVE,)),
        ("At which pressure does the gate valve close?", "It closes at 4000 mbar.", (VALVE,)),
        ("Why did the turbo pump stop?", "Because its bearing had seized.", (PUMP,)),
        ("Warum blieb die Turbopumpe stehen?", "Wegen eines Lagerschadens.", (PUMP,)),
        ("How long was the beam off after the turbo pump stopped?", "80 minutes.", (PUMP,)),
        ("What is the jaw temperature trip of the collimator?", "60 °C.", (LIMITS,)),
        ("List the conditions for the start of the cryostat.", "V3 closed, helium above 60 %, heater off.", (LISTED,)),
        # What bears on nothing that is asked is not quoted.
        ("At which pressure does the gate valve close?", "I cannot tell.", (LIMITS,)),
        ("How heavy is the dipole?", "The sources do not say.", (VALVE,)),
        # A figure of another unit is no answer.
        ("At which voltage does the gate valve close?", "The sources do not say.", (VALVE,)),
        ("Was the turbo pump repaired?", "Yes.", (PUMP,)),
        ("How was the turbo pump repaired?", "They exchanged and balanced the bearing.", (PUMP_FIXED,)),
        ("After a black-out, what is started first?", "Chilled water, pumps and valves.", (ORDERED,)),
        ("What about the weight of the gate valve? Any figure?", "30 kg", (VALVE,)),
        ("At which pressure does the gate valve close?", "Unknown.", ()),
    ],
)
def test_an_answer_that_has_it_stays_untouched(question: str, answer: str, sources: tuple[Source, ...]) -> None:
    assert quoted(question, answer, *sources) == []


def test_the_quantity_that_is_named_first_is_the_one_that_is_asked_for() -> None:
    tube = page(
        "linac/tube", "Tube", "The heater of the tube warms for 45 minutes. Set values: voltage 41 kV, heater 24 A."
    )
    question = "How long must the heater of the tube warm before high voltage?"
    assert quoted(question, "45 minutes", tube) == []
    assert quoted(question, "It has to be warm.", tube) == [(0, ("The heater of the tube warms for 45 minutes.",))]


def test_each_part_of_a_question_gets_its_sentence_and_no_sentence_stands_twice() -> None:
    question = "At which pressure does the gate valve close, and how heavy is it?"
    texts = [items[0] for _, items in quoted(question, "It closes by itself.", VALVE)]
    assert len(texts) <= MOST_QUOTES
    assert "4 bar" in texts[0]
    both = "How fast does the gate valve close, and at which pressure does the gate valve close?"
    assert len(quoted(both, "Nobody knows.", VALVE)) == 1


def test_people_that_are_named_together_are_told_together() -> None:
    access = entry(302, "2026-11-21", "Adams and Baker searched the pit.", title="Access to the pit")
    assert quoted("Who was in the pit yesterday?", "Baker was there.", access) == [
        (0, ("Adams and Baker searched the pit.",))
    ]
    assert quoted("Who was in the pit yesterday?", "Adams and Baker.", access) == []


def test_who_wrote_an_entry_is_told_by_its_facts() -> None:
    question = "Who wrote the log entry about the turbo pump of the linac?"
    assert [place for place, _ in quoted(question, "An operator did.", PUMP)] == [0]
    assert quoted(question, "It was Mirko Brandt.", PUMP) == []


def test_a_number_to_dial_stands_in_a_row_of_a_table_and_slips_of_the_pen_are_read() -> None:
    calls = Source(
        "c", "On call", "", "file", {"page": "2"}, "Group | Person | Number\nVacuum | Ada Moor | 5512\nRF | B | 5513"
    )
    question = "who is on call for vaccum and what number do i dial"
    assert quoted(question, "It is Ada Moor.", calls) == [(0, ("Vacuum; Ada Moor; 5512",))]


def test_of_a_list_all_items_are_quoted_where_many_are_missing() -> None:
    question = "List the conditions for the start of the cryostat."
    items = ("valve V3 is closed", "helium level above 60 %", "heater off", "nobody in the pit")
    assert quoted(question, "There are some conditions.", LISTED) == [(0, items)]


def test_a_sentence_that_leans_on_the_one_before_is_quoted_with_it() -> None:
    gun = page(
        "linac/gun",
        "Gun",
        "Raise the heater voltage of the gun in steps of 0.1 V and wait. At most 6.4 V. Then call RF.",
    )
    ((_, (text,)),) = quoted("What is the maximum heater voltage of the gun?", "It is limited.", gun)
    assert text == "Raise the heater voltage of the gun in steps of 0.1 V and wait. At most 6.4 V."


def test_of_a_long_file_the_page_that_bears_on_the_question_is_quoted() -> None:
    pages = [
        Source(str(n), "m.pdf", "", "file", {"page": str(n)}, f"Chapter {n} is about other things.") for n in range(90)
    ]
    pages[77] = Source("77", "m.pdf", "", "file", {"page": "77"}, "The gate valve closes at 4 bar.")
    found = quoted("At which pressure does the gate valve close?", "I do not know.", *pages)
    assert found == [(77, ("The gate valve closes at 4 bar.",))]


@pytest.mark.parametrize(
    ("question", "answer", "agrees"),
    [
        ("May everybody open the cellar of the gun?", "Yes, everybody may open the cellar of the gun [1].", True),
        ("May everybody open the cellar of the gun?", "Yes, with a key from the shift leader [1].", False),
        ("May everybody open the cellar of the gun?", "No.", False),
        ("Does the gate valve close within 12 ms?", "Yes.", False),
        ("Darf jeder den Keller der Kanone öffnen?", "Ja.", False),
    ],
)
def test_a_yes_that_no_source_speaks_of_is_no_answer(question: str, answer: str, agrees: bool) -> None:
    valve = page("aurora/valve", "Gate valve", f"{VALVE.text} It is not to be opened while there is beam in the ring.")
    assert only_agrees(answer, [read(question, NOW.astimezone())], [valve]) is agrees


def test_that_the_sources_do_not_tell_what_they_tell_is_noticed() -> None:
    question, refusal = "Why did the turbo pump of the linac stop?", "The logbook does not provide a reason [1]."
    asked_for = [read(question, NOW.astimezone())]
    assert denied(refusal, asked_for, [PUMP]) == "A seized bearing was the cause."
    assert denied("A bearing had seized; more is not provided.", asked_for, [PUMP_FIXED]) == ""
    assert denied("Because of a bearing. The sources do not say more.", asked_for, [PUMP]) == ""
    assert denied(refusal, asked_for, [VALVE]) == ""
    assert denied(refusal, [read("How heavy is the turbo pump?", NOW.astimezone())], [PUMP]) == ""


def test_no_question_makes_code_fall_over() -> None:
    odd = Source("o", "", "", "tool", {}, "|---|\n|a|b|\n\n- \n\n" + "x" * 5_000)
    for question in ("", "?", "Why? Why? Why?", "and und, - what", "a" * 4_000, "Wie viel | wie viel || [1](x)"):
        for answer in ("", "No.", "[1]"):
            assert len(quoted(question, answer, odd, Source("e", "", "", "elog", {}, ""))) <= MOST_QUOTES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 50 °C. We left.", ["It is 50 °C.", "We left."]),
        ("Höchstens 6,4 V. Danach warten.", ["Höchstens 6,4 V.", "Danach warten."]),
        ("J. Smith and A. Moor came. Then B. Falk.", ["J. Smith and A. Moor came.", "Then B. Falk."]),
        ("Do this:\n1. Open it. Wait.\n12. Close it.", ["Do this:", "1. Open it.", "Wait.", "12. Close it."]),
        ("Group | Person\nRF | Moor", ["Group | Person", "RF | Moor"]),
    ],
)
def test_sentences_end_after_units_and_rows(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


# Through the agent


def answers(text: str, tool: str = KNOWLEDGE) -> list[dict[str, object]]:
    return [decides(), selects((tool, {"query": "x"})), judges(), says(text)]


async def test_a_quotation_says_where_it_is_from_and_in_which_language(world: World, tmp_path: Path) -> None:
    turn = await asked(tmp_path, "What energy does the gun give?", rules=answers("The gun gives electrons [1]."))
    link = "[docs.nordlicht.example](https://docs.nordlicht.example/linac/gun)"
    quotation = f"From the source, in German: “Die Kanone liefert 90 keV Elektronen für den Linac.” {link}"
    assert turn.reply.startswith(f"The gun gives electrons {link}.\n\n{quotation}\n\n**Sources**")


async def test_a_quotation_of_an_entry_names_all_that_belongs_to_it(world: World, tmp_path: Path) -> None:
    turn = await asked(
        tmp_path, "At what current did the klystron trip yesterday?", rules=answers("It tripped [1].", LOG)
    )
    assert (
        "ELOG 212, 2026-11-21 03:14, Mirko Brandt, Problem, RF: “Klystron trip at 399 mA, beam lost.” [elog"
        in turn.reply
    )


async def test_what_is_quoted_brings_no_link_and_no_mark_of_its_own(world: World, tmp_path: Path) -> None:
    bad = 'The pit laser gives 7 W [1], see [here](https://evil.example/a) "or" https://evil.example/b and <b>ask</b>.'
    world.pages = [page("aurora/pit", "Pit laser", bad)]
    turn = await asked(tmp_path, "What power does the pit laser give?", rules=answers("Enough of it."))
    assert "7 W" in turn.reply
    assert "evil" not in turn.reply
    assert "<b>" not in turn.reply
    assert turn.reply.count("](https://docs.nordlicht.example/aurora/pit)") == 2


async def test_what_is_added_is_streamed_behind_the_text_of_the_model(world: World, tmp_path: Path) -> None:
    rules = answers("The gun gives electrons [1].")
    async with load("assistant").session("t", model=scripted(*rules), home=tmp_path) as session:
        events = [event async for event in session.stream("What energy does the gun give?")]
    pieces = [event for event in events if isinstance(event, Saying)]
    assert not any(piece.afresh for piece in pieces)
    shown = "".join(piece.text for piece in pieces)
    assert "The gun gives electrons" in shown
    assert shown.rstrip().endswith("(https://docs.nordlicht.example/linac/gun)")
    assert "“Die Kanone liefert 90 keV Elektronen für den Linac.”" in shown


async def test_an_answer_without_marks_gets_those_of_the_sources_that_hold_its_sentences(
    world: World, tmp_path: Path
) -> None:
    text = "There are:\n\n1. Four cavities that give 450 kV each.\n2. An interlock that is armed above 20 mA."
    turn = await asked(tmp_path, "What do the cavities and the interlock do?", rules=answers(text))
    rf, interlock = (
        f"[docs.nordlicht.example](https://docs.nordlicht.example/aurora/{name})" for name in ("rf", "interlock")
    )
    assert f"1. Four cavities that give 450 kV each {rf}." in turn.reply
    assert f"2. An interlock that is armed above 20 mA {interlock}." in turn.reply


async def test_a_paragraph_that_falls_into_another_language_is_left_out(world: World, tmp_path: Path) -> None:
    text = "The cavities give 450 kV each [1].\n\nDies ist die Antwort aus der Quelle und sie ist auf Deutsch."
    turn = await asked(tmp_path, "What voltage do the cavities give?", rules=answers(text))
    assert "450 kV" in turn.reply
    assert "Antwort" not in turn.reply


async def test_a_list_of_entries_is_completed(world: World, tmp_path: Path) -> None:
    rules = answers("The klystron tripped [1].", LOG)
    turn = await asked(tmp_path, "List all entries of yesterday.", rules=rules)
    assert "Further entries that were found:" in turn.reply
    assert (
        "- ELOG 211, 2026-11-21 03:14, Mirko Brandt, Fix, Vacuum: “Vacuum gauge in S07 exchanged.” [elog" in turn.reply
    )


async def test_a_list_that_the_model_does_not_give_is_made_of_the_entries(world: World, tmp_path: Path) -> None:
    turn = await asked(tmp_path, "List all entries of yesterday.", rules=answers("", LOG))
    assert "This is what the sources say:\n\n- ELOG 21" in turn.reply
    for said in ("Fix, Vacuum: “Vacuum gauge in S07 exchanged.”", "Problem, RF: “Klystron trip at 399 mA, beam"):
        assert said in turn.reply


async def test_an_answer_that_denies_what_a_source_says_is_asked_for_again(world: World, tmp_path: Path) -> None:
    world.entries = [PUMP]
    rules = [
        decides(),
        selects((LOG, {"query": "x"})),
        judges(),
        says("The sources do not mention a reason.", times=1),
        {"anywhere": "but one says: .A seized bearing was the cause.", "text": "Its bearing had seized [1]."},
    ]
    turn = await asked(tmp_path, "Why did the turbo pump of the linac stop yesterday?", rules=rules)
    assert turn.reply.startswith("Its bearing had seized")


async def test_sources_that_a_model_says_again_are_left_out(world: World, tmp_path: Path) -> None:
    blocks = [f"[{place}] {each.title}\n{each.text}" for place, each in enumerate(world.pages[:2], 1)]
    text = "\n\n".join((*blocks, "All four cavities give the same voltage."))
    turn = await asked(tmp_path, "What do the cavities and the interlock do?", rules=answers(text))
    assert turn.reply.startswith("All four cavities give the same voltage")


async def test_a_page_that_is_named_is_the_one_that_says_it(world: World, tmp_path: Path) -> None:
    file = tmp_path / "report.pdf"
    file.write_bytes(pdf(["The pump was oiled.", "The furnace failed: a wire touched the heater.", "The end."]))
    text = "A wire touched the heater of the furnace. This is on page 3 of the report."
    turn = await asked(tmp_path / "home", "Why did the furnace fail, on which page?", rules=[says(text)], files=[file])
    assert "on page 2 of the report" in turn.reply


async def test_a_file_is_quoted_with_its_place(world: World, tmp_path: Path) -> None:
    file = tmp_path / "pump.md"
    file.write_text("# Pump\n\nThe pump turns at 820 Hz and is oiled each May.\n", encoding="utf-8")
    rules = [says("The pump turns fast.")]
    turn = await asked(
        tmp_path / "home", "At what frequency does the pump in this file turn?", rules=rules, files=[file]
    )
    assert "“The pump turns at 820 Hz and is oiled each May.” (pump.md, Pump)" in turn.reply
