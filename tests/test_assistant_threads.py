"""Threads of log entries: those that are read for a reason or a remedy, and where their entries stand in an answer."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from assistant_support import World, asked, entry, page, says, world

from graphwright.agents.assistant.question import read
from graphwright.agents.assistant.threads import with_mates, worth_reading

__all__ = ["world"]

SUNDAY = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)
LOG, THREAD = "search_elog", "get_elog_thread"

FLOW = entry(215, "2026-11-01", "FS-S09 reports a low flow every few hours, the coils are cool.", replies=[216])
BYPASS = entry(
    *(216, "2026-11-02", "Flow switch FS-S09 bypassed with consent."), category="Bypass", reply_to=215, replies=[261]
)
DELIVERED = entry(261, "2026-11-12", "The new part has a wrong thread.", category="Info", reply_to=216)
FAULT = entry(138, "2026-09-09", "Valve GV-S07 closed by itself.", replies=[176])
REPAIR = entry(176, "2026-10-03", "The roller was worn.", category="Fix", title="Switch of GV-S07 new", reply_to=138)
LEAK = entry(286, "2026-11-18", "Leak in S11 fixed.", category="Shift handover", title="The leak is fixed")


@pytest.mark.parametrize(
    ("text", "explained"),
    [
        ("why is flow switch FS-S09 bypassed", True),
        ("What caused the trip of plant 2 and how was it repaired?", True),
        ("Was war die Ursache von #244?", True),
        ("Weshalb fiel die Pumpe aus?", True),
        ("Wie wurde das Leck behoben?", True),
        ("What was done about the leak?", True),
        ("Show me the thread about the klystron", True),
        ("Which klystron tripped yesterday?", False),
        ("What is the septum voltage?", False),
        ("Wer war gestern im Tunnel?", False),
    ],
)
def test_who_asks_for_a_reason_or_a_remedy(text: str, explained: bool) -> None:
    assert read(text, SUNDAY).explained is explained


def test_the_thread_of_the_entry_that_fits_best_is_worth_reading() -> None:
    question = read("why is flow switch FS-S09 bypassed", SUNDAY)
    arguments = {"query": "flow switch FS-S09 bypassed"}
    assert worth_reading(question, arguments, [LEAK, BYPASS], {})[0][0] == 216
    # All of it was found already.
    assert worth_reading(question, arguments, [BYPASS, FLOW, DELIVERED], {}) == []
    # What has hardly a word of the question has nothing to do with it, and the word of repairing is none of a thing.
    remedy = read("Wie wurde GV-S07 damals behoben, und wo ist der Schalter?", SUNDAY)
    answered = entry(286, "2026-11-18", "Leck in S11 behoben.", replies=[287])
    assert worth_reading(remedy, {"query": "behoben GV-S07 Schalter"}, [answered], {}) == []
    found = worth_reading(remedy, {"query": "behoben GV-S07"}, [answered, FAULT], {})
    assert [thread[0] for thread in found] == [138]


def test_a_thread_that_is_asked_for_is_read_though_none_is_told_of() -> None:
    alone = entry(212, "2026-11-21", "Klystron trip.")
    assert worth_reading(
        read("Show me the thread of the klystron trip", SUNDAY), {"query": "klystron trip"}, [alone], {}
    )
    assert not worth_reading(read("Why did the klystron trip?", SUNDAY), {"query": "klystron trip"}, [alone], {})


def test_the_entries_of_a_thread_stand_behind_the_one_they_belong_to() -> None:
    question = read("why is flow switch FS-S09 bypassed", SUNDAY)
    manual = page("interlock", "Interlock", "FS-S09 is a flow switch.")
    found = [BYPASS, manual, LEAK, FLOW, DELIVERED]
    assert with_mates(question, [BYPASS, manual, LEAK], found, {}) == [BYPASS, FLOW, DELIVERED, manual]
    # Nobody asks for a reason.
    which = read("which flow switch is bypassed", SUNDAY)
    assert with_mates(which, [BYPASS, manual, LEAK], found, {}) == [BYPASS, manual, LEAK]


def test_what_repaired_it_comes_first_where_the_repair_is_asked_for() -> None:
    question = read("How was valve GV-S07 repaired?", SUNDAY)
    noted = entry(140, "2026-09-10", "Nothing was seen.", category="Info", reply_to=138)
    pages = [page(f"p{number}", "Valves", "GV-S07") for number in range(2)]
    synonyms = {"fix": ["repair", "repaired"]}
    shown = with_mates(question, [FAULT, *pages], [FAULT, *pages, noted, REPAIR], synonyms)
    assert shown == [FAULT, REPAIR, *pages]
    # Beside pages alone there is room for one of them in any case.
    pages.append(page("p2", "Valves", "GV-S07"))
    assert with_mates(question, [*pages, FAULT], [*pages, FAULT, noted, REPAIR], synonyms) == [*pages, FAULT, REPAIR]


def test_of_two_threads_each_has_its_answer() -> None:
    question = read("How was the polarisation of Tundra repaired?", SUNDAY)
    first = entry(239, "2026-11-08", "Polarisation of Tundra stopped.", replies=[242])
    second = entry(193, "2026-10-14", "Polarisation of Tundra stopped.", replies=[194])
    exchanged = entry(242, "2026-11-09", "Head exchanged.", category="Fix", reply_to=239)
    cleaned = entry(194, "2026-10-15", "Head cleaned.", category="Fix", reply_to=193)
    found = [first, second, cleaned, exchanged]
    assert with_mates(question, [first, second, cleaned], found, {}) == [first, exchanged, second, cleaned]


async def test_the_thread_is_read_right_with_the_search_and_once(world: World, tmp_path: Path) -> None:
    world.entries = [LEAK, BYPASS, FLOW, DELIVERED]
    turn = await asked(tmp_path, "Why is the flow switch FS-S09 bypassed?", rules=[says("For low flow [2].")])
    threads = [arguments for name, arguments in world.calls if name == THREAD]
    assert len(threads) <= 1
    assert "Operation/215" in turn.reply


async def test_what_only_answers_the_entry_found_is_in_the_answer(world: World, tmp_path: Path) -> None:
    world.entries = [LEAK, FAULT, entry(176, "2026-10-03", "A worn roller.", category="Fix", reply_to=138)]
    turn = await asked(tmp_path, "Why did the valve close by itself?", rules=[says("A worn roller [2].")])
    assert (THREAD, {"id": 138}) in world.calls
    assert sum(name == THREAD for name, _ in world.calls) == 1
    assert "Operation/176" in turn.reply
    world.calls.clear()
    await asked(tmp_path, "Which valve closed by itself?", rules=[says("GV-S07 [1].")], thread="b")
    assert THREAD not in world.names()
