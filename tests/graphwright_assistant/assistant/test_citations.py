"""The sources and notes below answers of the assistant, over the turns of a conversation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant_support import ENTRIES, World, ask_all, decides, judges, prompts, says, selects
from graphwright.models import ModelCall
from graphwright.tools.sources import Source
from graphwright_assistant.assistant.answering import Links
from graphwright_assistant.retrieval import KnowledgeIndex
from graphwright_assistant.retrieval._errors import SearchRefused
from retrieval_support import folder_of

LOG, KNOWLEDGE = "search_elog", "search_accelerator_knowledge"
PAGE = "https://docs.nordlicht.example/aurora/rf"
QUESTION = "How many cavities does the RF system have?"
PLAIN = [decides(), selects((KNOWLEDGE, {"query": "cavities"})), judges(), says("Four cavities [1].")]
LISTED = f"\n\n**Sources**\n- [RF system]({PAGE}), docs.nordlicht.example"


def once(rules: list[dict[str, Any]], asked_for: str) -> list[dict[str, Any]]:
    return [{**rule, "says": asked_for} for rule in rules]


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("Together 4 x 450 = 1,800 kV [1].", f"Together 4 x 450 = 1,800 kV [RF system]({PAGE}).{LISTED}"),
        ("Each gives 450 kV, four in all.", f"Each gives 450 kV, four in all.{LISTED}"),
        ("You are welcome.", "You are welcome."),
    ],
)
async def test_a_follow_up_keeps_the_previous_sources(world: World, tmp_path: Path, text: str, reply: str) -> None:
    calls: list[ModelCall] = []
    rules = once([decides(False), says(text)], "And then?") + PLAIN
    turn = await ask_all(tmp_path, QUESTION, "And then?", rules=rules, calls=calls)
    assert turn.reply == reply
    assert "[1] RF system\nFour cavities" in prompts(calls)["generate_answer_no_tools"][0]


async def test_a_source_of_an_earlier_turn_that_is_linked_again_is_listed(world: World, tmp_path: Path) -> None:
    text = f"Klystron trip [1], and four cavities as [before]({PAGE})."
    rules = once([decides(), selects((LOG, {"query": "klystron"})), judges(), says(text)], "What tripped?") + PLAIN
    turn = await ask_all(tmp_path, QUESTION, "What tripped?", rules=rules)
    assert [each["title"].strip() for each in turn.values["sources"]] == [ENTRIES[0].title.strip(), "RF system"]
    assert f"- [RF system]({PAGE})" in turn.reply


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("Four cavities [1][2].", f"Four cavities [RF system]({PAGE}) [Gun](https://docs.nordlicht.example/gun)."),
        ("Four [1] [1], 450 kV.", f"Four [RF system]({PAGE}), 450 kV."),
        ("Four [1][7].", f"Four [RF system]({PAGE}) [7]."),
        ("Four [1]. They give 450 kV [1].", f"Four [RF system]({PAGE}). They give 450 kV (RF system)."),
        ("Four ([1]). They give 450 kV ([1]).", f"Four ([RF system]({PAGE})). They give 450 kV (RF system)."),
        (
            f"Four [RF]({PAGE})[gun](https://docs.nordlicht.example/gun), see [RF]({PAGE}).",
            f"Four [RF]({PAGE})[gun](https://docs.nordlicht.example/gun), see (RF).",
        ),
    ],
)
def test_adjacent_marks_become_links_and_each_link_is_shown_once(text: str, reply: str) -> None:
    pages = (("RF system", PAGE), ("Gun", "https://docs.nordlicht.example/gun"))
    sources = [Source(id=url, kind="document", title=title, url=url) for title, url in pages]
    assert Links(sources, [], marked=2).checked(text) == reply


async def test_the_judge_sees_the_question_before(world: World, tmp_path: Path) -> None:
    calls: list[ModelCall] = []
    rules = [*PLAIN, *PLAIN]
    await ask_all(tmp_path, QUESTION, "And for the gun?", rules=rules, calls=calls)
    first, second = prompts(calls)["evaluate_results"]
    assert ("Asked before" in first, f"- {QUESTION}\nAnswer to the last: Four cavities" in second) == (False, True)


async def test_the_chooser_sees_the_text_of_a_plain_file_of_one_page(world: World, tmp_path: Path) -> None:
    file, calls = tmp_path / "note.txt", list[ModelCall]()
    file.write_text("The pump stands in room 12. " * 20 + "It stops at 77 bar. " + "Then it waits. " * 2_000)
    rules = [decides(), selects(("read_page", {"file": "note.txt", "page": 1})), judges(), says("It stops at 77 bar.")]
    turn = await ask_all(tmp_path, "Check this note.", rules=rules, files=[file], calls=calls)
    chooser = prompts(calls)["select_tools"][0]
    assert ("It stops at 77 bar" in chooser, len(chooser) < 15_000) == (True, True)
    (outcome,) = turn.values["tool_results"]
    assert outcome["note"] == "note.txt has no pages or sections: this is its text."


async def test_an_empty_result_has_no_sources(world: World, tmp_path: Path) -> None:
    verdict = {"reasoning": "r", "adequate": True, "not_found": True, "refinement": ""}
    judged = {"offers": "ResultEvaluation", "call": {"ResultEvaluation": verdict}}
    for text, below in (
        ("The price is not there. 450 kV is all.", ""),
        (
            "No price, only 450 kV [1].",
            f"\n\n**Searched, among others**\n- [RF system]({PAGE}), docs.nordlicht.example",
        ),
    ):
        rules = [*PLAIN[:2], judged, says(text)]
        turn = await ask_all(tmp_path, "What did it cost?", rules=rules, thread=text[:5])
        assert turn.reply == f"{text.replace('[1]', f'[RF system]({PAGE})')}{below}"
        assert turn.values["sources"] == []


async def test_a_source_without_an_address_has_a_short_name_and_one_line(world: World, tmp_path: Path) -> None:
    file = {"file": "papers/titan.md"}
    world.pages = [
        Source("a", "Titan-2", "", "knowledge", {**file, "heading": "Data"}, "The voltage is 300 kV."),
        Source("b", "Titan-2", "", "knowledge", file, "The cavities of the microscope."),
    ]
    rules = [*PLAIN[:1], selects((KNOWLEDGE, {"query": "all"})), judges(), says("300 kV [1] in cavities [2].")]
    turn = await ask_all(tmp_path, QUESTION, rules=rules)
    assert turn.reply == (
        "300 kV (Titan-2, Data) in cavities (Titan-2).\n\n**Sources**\n- Titan-2 (papers/titan.md): Data"
    )


async def test_sections_of_a_document_share_a_line_under_one_title(world: World, tmp_path: Path) -> None:
    rules, paged = {"file": "rules.md"}, {"file": "plan.pdf"}
    world.pages = [
        Source("a", "Access rules, 2", "", "knowledge", {**rules, "heading": "Access rules > Visitors"}, "At most 31."),
        Source("b", "Access rules, 2", "", "knowledge", {**rules, "heading": "Access rules > Fees > New"}, "It is 72."),
        Source("c", "Plan", PAGE + "#page=3", "knowledge", {**paged, "page": "3"}, "It is 83 m."),
        Source("d", "Plan", PAGE + "#page=5", "knowledge", {**paged, "page": "5"}, "It is 94 m."),
        Source("e", "Fee list", "", "knowledge", {"file": "fees.pdf", "page": "3"}, "It is 55 EUR."),
    ]
    german = decides()
    german["call"]["ToolDecision"]["language"] = "de"
    says_all = says("31 [1] und 72 [2], 83 m [3], 94 m [4], 55 EUR [5].")
    turn = await ask_all(tmp_path, QUESTION, rules=[german, selects((KNOWLEDGE, {"query": "all"})), judges(), says_all])
    text, _, listed = turn.reply.partition("\n\n**Quellen**\n")
    assert text == (
        f"31 (Access rules, 2, Visitors) und 72 (Access rules, 2, New), 83 m [Plan]({PAGE}#page=3), "
        f"94 m [Plan]({PAGE}#page=5), 55 EUR (Fee list, S. 3)."
    )
    assert listed.split("\n") == [
        "- Access rules, 2 (rules.md): Visitors; Fees › New",
        f"- Plan, [S. 3]({PAGE}#page=3); [S. 5]({PAGE}#page=5), docs.nordlicht.example",
        "- Fee list (fees.pdf), S. 3",
    ]


async def test_calculated_numbers_need_no_source_and_a_mentioned_file_is_one(world: World, tmp_path: Path) -> None:
    world.pages = [
        Source("a", "staff", "", "knowledge", {"file": "staff.csv"}, "Ada Lang | engineer | 2017-08-01"),
        Source("b", "inventory", "", "knowledge", {"file": "inventory.csv"}, "Balance | 365 EUR | 2026-08-01 | 113"),
        Source("c", "tax", "", "knowledge", {"file": "tax.md"}, "The tax was 48 EUR, for 2 of 3."),
    ]
    reckoned = (
        "Since 2017-08-01 [1]: 9 x 365 + 2 = 3287 days to 2026-08-01, then 113 more, 3400 days. The tax was 48 EUR."
    )
    rules = [decides(), selects((KNOWLEDGE, {"query": "all"})), judges()]
    turn = await ask_all(tmp_path, QUESTION, rules=[*rules, says(reckoned)])
    assert [each["title"] for each in turn.values["sources"]] == ["staff", "tax"]
    file = tmp_path / "note.txt"
    file.write_text("The window is 0.5 mm. Refill after 48 hours.")
    answer = "The window is not 0.5 mm; 48 hours is wrong, too: it is 2017 [1]."
    turn = await ask_all(tmp_path, "What is wrong?", rules=[*rules, says(answer)], files=[file], thread="f")
    assert [each["title"] for each in turn.values["sources"]] == ["staff", "note.txt"]


@pytest.mark.parametrize("text", ["ELOG 212, 2026-11-21 03:14, Mirko Brandt [1].", "[1] (2026-11-21 03:14) tripped."])
async def test_the_id_of_an_entry_is_written_once(world: World, tmp_path: Path, text: str) -> None:
    rules = [decides(), selects((LOG, {"query": "klystron"})), judges(), says(text)]
    turn = await ask_all(tmp_path, "What tripped?", rules=rules)
    assert turn.reply.startswith("[ELOG 212](https://elog.nordlicht.example/Operation/212)")
    assert turn.reply.partition("**Sources**")[0].count("ELOG") == 1


async def test_a_call_that_failed_and_went_well_later_leaves_no_note(world: World, tmp_path: Path) -> None:
    def fail(name: str, arguments: Any) -> None:
        if arguments.get("query") == "broken":
            raise RuntimeError("the disk is full")

    world.before = fail
    again = [*once([PLAIN[1]], "once more"), *once([judges()], "give 450 kV"), judges(False, "once more")]
    broken = selects((KNOWLEDGE, {"query": "broken"}), (LOG, {"query": "broken"}))
    turn = await ask_all(tmp_path, QUESTION, rules=[decides(), *again, broken, PLAIN[3]])
    assert turn.reply.startswith(f"Four cavities [RF system]({PAGE})")
    assert f"Note: {KNOWLEDGE} failed" not in turn.reply
    assert f"Note: {LOG} failed" in turn.reply


async def test_the_note_on_the_sample_stands_once_in_a_conversation_after_a_search(tmp_path: Path) -> None:
    calls: list[ModelCall] = []
    greeted = await ask_all(
        tmp_path, "Hello", rules=[decides(False), says("Hello. I can search.")], thread="a", calls=calls
    )
    assert greeted.reply == "Hello. I can search."
    assert f"- {LOG}: Search the electronic logbook" in prompts(calls)["generate_answer_no_tools"][0]
    assert "are invented samples" in (await ask_all(tmp_path, QUESTION, rules=PLAIN, thread="b")).reply
    twice = await ask_all(tmp_path, QUESTION, QUESTION, rules=PLAIN, thread="c")
    assert twice.reply.startswith("Four cavities")
    assert "are invented samples" not in twice.reply


def test_a_document_is_read_by_its_title_and_its_only_section_by_any_heading(tmp_path: Path) -> None:
    index = KnowledgeIndex(tmp_path / "index.sqlite3")
    long = "---\ntitle: Long manual\n---\n# Pumps\n\nThey pump.\n\n# Valves\n\nThey close.\n"
    index.update(folder_of(tmp_path / "docs", {"people.md": "# Telephone list\n\nAda 7341.\n", "long.md": long}))
    reads = [("docs/people.md", "Telephone list"), ("Telephone list", 1), ("telephone list", "numbers of people")]
    assert {index.read(*each).text for each in reads} == {"Ada 7341."}
    assert index.read("Long manual", "valves").text == "They close."
    assert index.read("docs/long.md", "Long manual").text == "They pump."
    with pytest.raises(SearchRefused):
        index.read("docs/long.md", "quokka")
