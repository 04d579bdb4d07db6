"""Authors of the logbook: told from words that are none, and made a restriction of the search instead of words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from assistant_support import NOW, World, asked, entry, says, world

from graphwright.agents.assistant.known import VOCABULARY, synonyms_of
from graphwright.agents.assistant.people import authors_of, named_in
from graphwright.agents.assistant.planning import planned, refined
from graphwright.agents.assistant.question import parts_of, read
from graphwright.agents.assistant.selecting import Call, chosen

__all__ = ["world"]

LOG, DOCS = "search_elog", "search_accelerator_knowledge"
AUTHORS = ("Jana Weber", "Kerem Yilmaz", "Dr. Astrid Lindqvist", "Thomas Müller", "Ed Hall")
TEXT = {"type": "string", "default": ""}
TOOLS: Any = {
    LOG: {
        "description": "",
        "input_schema": {
            "properties": {
                **{"query": TEXT, "since": TEXT, "until": TEXT},
                "category": {"type": "string", "enum": ["Problem", "Fix", "Bypass", ""]},
                "author": {"type": "string", "anyOf": [{"enum": list(AUTHORS)}, {"type": "string"}]},
            }
        },
    },
    DOCS: {"description": "", "input_schema": {"properties": {"query": TEXT}, "required": ["query"]}},
}


def test_the_authors_are_those_that_the_tool_suggests_or_offers_alone() -> None:
    assert authors_of(TOOLS[LOG]) == AUTHORS
    alone = {"description": "", "input_schema": {"properties": {"author": {"enum": ["Jana Weber", "", 3]}}}}
    assert authors_of(alone) == ("Jana Weber",)  # type: ignore[arg-type]
    for properties in ({}, {"author": TEXT}, {"author": None}, {"author": {"anyOf": ["x", {"type": "string"}]}}):
        assert authors_of({"description": "", "input_schema": {"properties": properties}}) == ()
    assert authors_of({"description": "", "input_schema": {}}) == ()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Did Kerem ever fix something at the RF plants?", ["Kerem"]),
        ("Was hat Yilmaz vorgestern repariert?", ["Yilmaz"]),
        ("Kerem's entries of last week", ["Kerem"]),
        ("Kerem’s entries of last week", ["Kerem"]),
        ("Yilmaz' Einträge von gestern", ["Yilmaz"]),
        ("Kerems Einträge von gestern", ["Kerem"]),
        ("Einträge von Jana Weber", ["Jana Weber"]),
        ("entries by weber", ["weber"]),
        ("did kerem yilmaz write about it?", ["kerem yilmaz"]),
        ("What did Weber, Jana write?", ["Weber Jana"]),
        ("What did Jana and Kerem log about the septum?", ["Jana", "Kerem"]),
        ("Was hat der Kerem zur Pumpe gemeldet?", ["Kerem"]),
        ("Hat Lindqvist den Regler geprüft?", ["Lindqvist"]),
        ("Was schrieb Müller zum Kicker?", ["Müller"]),
        ("What about Jana's report on the fan?", ["Jana"]),
        ("the Weber entries of May", ["Weber"]),
        # Somebody who was spoken to or of, and things.
        ("Who told Weber about the leak?", []),
        ("Was Astrid informed?", []),
        ("Wurde Astrid über den Regler informiert?", []),
        ("Which Weber pump was exchanged?", []),
        ("What is the Hall probe at?", []),
        ("Welche Störung hatte die Weber Pumpe?", []),
        ("Ist die Weber-Pumpe ausgefallen?", []),
        ("Where is the hall?", []),
        ("What is Kerem's phone number?", []),
        ("Wie erreiche ich Kerem?", []),
        ("Did the RF plant trip?", []),
        ("Was hat Schmidt geschrieben?", []),
        ("", []),
    ],
)
def test_a_name_is_an_author_where_it_stands_for_one_who_wrote(text: str, names: list[str]) -> None:
    assert [person.name for person in named_in(text, AUTHORS)] == names


def first(text: str, tools: Any = TOOLS) -> list[tuple[str, dict[str, Any]]]:
    """The calls of the first round as they are made."""
    made: list[tuple[str, dict[str, Any]]] = []
    for part, proposed in planned(parts_of(read(text, NOW), NOW), tools, synonyms_of({}), VOCABULARY):
        calls, _ = chosen(proposed, part, tools, synonyms_of({}), planned=True)
        made += [(call.tool, dict(call.arguments)) for call in calls]
    return made


def test_an_author_restricts_and_is_no_word_to_look_for() -> None:
    assert first("Did Kerem ever fix something at the RF plants?") == [(LOG, {"query": "RF plants", "author": "Kerem"})]
    # That something was repaired stands in no entry in this word.
    assert first("Was hat Yilmaz vorgestern repariert?") == [
        (LOG, {"since": "2026-11-20", "until": "2026-11-20", "author": "Yilmaz"})
    ]
    assert first("Which bypasses did Jana set last week?") == [
        (LOG, {"since": "2026-11-15", "category": "Bypass", "author": "Jana"})
    ]
    assert first("What did Jana and Kerem log about the septum?") == [
        (LOG, {"query": "septum", "author": "Jana"}),
        (LOG, {"query": "septum", "author": "Kerem"}),
    ]
    # Where the tool names no authors, or others, the name is a word like others.
    assert (LOG, {"query": "Weber pump tripped"}) in first("Which Weber pump tripped?")
    assert first("What is the Hall probe?") == [(DOCS, {"query": "Hall probe"})]


def test_a_search_that_a_model_proposes_is_restricted_as_well() -> None:
    question = read("Did Kerem fix the chiller?", NOW)
    calls, _ = chosen([{"tool_name": LOG, "arguments": {"query": "Kerem chiller"}}], question, TOOLS, synonyms_of({}))
    assert [call.arguments["author"] for call in calls] == ["Kerem"]
    assert "Kerem" not in calls[0].arguments["query"]


def test_an_author_that_the_tool_does_not_name_is_known_by_the_entries_found() -> None:
    tools: Any = {**TOOLS, LOG: {"description": "", "input_schema": {"properties": {"query": TEXT, "author": TEXT}}}}
    question = read("Did Schmidt fix the chiller?", NOW)
    done = [Call(LOG, {"query": "Schmidt chiller"})]
    calls = refined(question, tools, synonyms_of({}), "", done, found=True, authors=["Eva Schmidt", "Jana Weber"])
    assert {"tool_name": LOG, "arguments": {"author": "Schmidt", "query": "fix chiller"}} in calls
    others = refined(question, tools, synonyms_of({}), "", done, found=True, authors=["Jana Weber"])
    assert not any("author" in call["arguments"] for call in others)
    # Once it was searched for, it is not again.
    again = [*done, Call(LOG, {"author": "Schmidt"})]
    later = refined(question, tools, synonyms_of({}), "", again, found=True, authors=["Eva Schmidt"])
    assert not any("author" in call["arguments"] for call in later)


async def test_what_an_author_found_is_told_in_the_second_round(world: World, tmp_path: Path) -> None:
    world.entries = [entry(300, "2026-11-20", "Brandt: valve of the scraper leaks.")]
    await asked(tmp_path, "Did Brandt repair the cryostat?", rules=[says("No [1].")])
    assert (LOG, "Brandt") in [(name, arguments.get("author")) for name, arguments in world.calls]
