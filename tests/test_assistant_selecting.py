"""Which calls are made: proposals held against the question, in order, and never the same one twice."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from graphwright.agents.assistant.known import synonyms_of
from graphwright.agents.assistant.question import read
from graphwright.agents.assistant.schemas import selection_of
from graphwright.agents.assistant.selecting import Call, chosen, signature
from graphwright.models.structured_output import json_schema

NOW = datetime(2026, 11, 22, 16, 0, tzinfo=UTC)
TEXT = {"type": "string", "default": ""}
TOOLS: Any = {
    "search_elog": {
        "description": "log",
        "input_schema": {
            "properties": {
                **{"query": TEXT, "since": TEXT, "until": TEXT, "author": TEXT},
                "category": {"type": "string", "enum": ["Problem", "Fix", "Access", ""]},
                "system": {"type": "string", "enum": ["RF", "Vacuum", ""]},
                "max_results": {"type": "integer"},
            }
        },
    },
    "get_elog_thread": {
        "description": "thread",
        "input_schema": {"properties": {"id": {"type": "integer"}}, "required": ["id"]},
    },
    "search_accelerator_knowledge": {
        "description": "docs",
        "input_schema": {
            "properties": {
                "query": {"type": "string"},
                "accelerator": {"type": "string", "enum": ["aurora", "booster", "linac", "all"]},
            },
            "required": ["query"],
        },
    },
    "files__delete_file": {"description": "", "input_schema": {"properties": {"path": {"type": "string"}}}},
    "clock__now": {"description": "", "input_schema": {"properties": {"zone": {"type": "string"}}}},
}
LOG, THREAD, DOCS = "search_elog", "get_elog_thread", "search_accelerator_knowledge"


def calls(
    text: str, *proposed: tuple[str, dict[str, Any]], done: list[Call] | None = None, refinement: str = ""
) -> Any:
    given = [{"tool_name": name, "arguments": arguments} for name, arguments in proposed]
    found, notes = chosen(given, read(text, NOW), TOOLS, synonyms_of({}), done=done or [], refinement=refinement)
    return [(call.tool, dict(call.arguments)) for call in found], notes


def test_dates_and_counts_are_those_of_the_question() -> None:
    wrong = {"query": "trips", "since": "2019-01-01", "until": "2030-01-01", "max_results": 99}
    found, _ = calls("Show the last 5 reports on trips since Monday", (LOG, wrong))
    assert found == [(LOG, {"query": "trips", "since": "2026-11-16", "max_results": 5})]
    found, _ = calls("Show klystron trips in the logbook", (LOG, wrong))
    assert found == [(LOG, {"query": "trips klystron"})]


def test_options_stay_where_the_question_speaks_for_them() -> None:
    given = {"query": "trips", "category": "Access", "system": "RF"}
    assert calls("trips of the radio frequency in the logbook", (LOG, given))[0][0][1]["system"] == "RF"
    assert "category" not in calls("Was there anything on the RF in the logbook?", (LOG, given))[0][0][1]
    # Restricted to the wrong one: the one that is named.
    assert calls("RF trips in the logbook", (LOG, {"system": "Vacuum"}))[0][0][1]["system"] == "RF"
    found, _ = calls("How does the Speicherring work?", (DOCS, {"query": "x", "accelerator": "aurora"}))
    assert found[0][1]["accelerator"] == "aurora"
    found, _ = calls("How does top-up work?", (DOCS, {"query": "top-up", "accelerator": "linac"}))
    assert "accelerator" not in found[0][1]


def test_a_poor_query_gives_way_to_the_words_of_the_question() -> None:
    question = "What does the documentation say about the septum voltage?"
    for poor in ("", "information", "yesterday", "the"):
        assert calls(question, (DOCS, {"query": poor}))[0] == [(DOCS, {"query": "septum voltage"})]
    assert calls(question, (DOCS, {"query": "septum high tension"}))[0] == [
        (DOCS, {"query": "septum high tension voltage"})
    ]
    assert calls("What happened yesterday?", (LOG, {"query": "what happened yesterday"}))[0] == [
        (LOG, {"since": "2026-11-21", "until": "2026-11-21"})
    ]


def test_a_numbered_entry_is_fetched_and_a_guessed_one_never() -> None:
    assert calls("What does #212 say?", (LOG, {"query": "212"}))[0] == [(THREAD, {"id": 212})]
    assert calls("Why did the klystron trip?", (LOG, {"query": "klystron"}), (THREAD, {"id": 4}))[0] == [
        (LOG, {"query": "klystron trip"}),
        # Those of two threads that it finds may tell.
        (THREAD, {}),
        (THREAD, {}),
    ]


def test_where_to_look_is_what_the_question_says() -> None:
    assert [n for n, _ in calls("What happened yesterday?", (DOCS, {"query": "x"}))[0]] == [LOG]
    assert [n for n, _ in calls("What does the manual say about R4?", (LOG, {}))[0]] == [DOCS]
    assert [n for n, _ in calls("How does the kicker work?", (LOG, {"query": "kicker"}))[0]] == [DOCS]
    both = calls("What do the logbook and the documentation say about R4?", (LOG, {}))[0]
    assert {name for name, _ in both} == {LOG, DOCS}
    assert calls("kicker")[0]


def test_tools_that_change_something_need_a_question_that_asks_for_it() -> None:
    found, notes = calls("What is in the file?", ("files__delete_file", {"path": "x"}))
    assert "files__delete_file" not in [name for name, _ in found]
    assert notes == {"files__delete_file": "delete"}
    assert ("files__delete_file", {"path": "x"}) in calls("Delete the file x", ("files__delete_file", {"path": "x"}))[0]
    # What results suggest never changes anything, whatever the question asked for.
    done = [Call(LOG, {"query": "x"})]
    found, notes = calls("Delete the file x", ("files__delete_file", {"path": "y"}), done=done, refinement="delete y")
    assert "files__delete_file" not in [name for name, _ in found]
    assert notes


def test_an_address_that_nobody_named_is_not_called() -> None:
    web: Any = {"web__fetch": {"description": "", "input_schema": {"properties": {"url": TEXT, "more": {}}}}}

    def made(url: Any, text: str = "Fetch https://docs.example/a please", **more: Any) -> list[Any]:
        proposed = [{"tool_name": "web__fetch", "arguments": {"url": url, **more}}]
        tools = {**TOOLS, **web}
        found, _ = chosen(
            proposed,
            read(text, NOW),
            tools,
            synonyms_of({}),
            done=[Call(DOCS, {})],
            addresses={"https://docs.example/found"},
        )
        return [dict(call.arguments) for call in found if call.tool == "web__fetch"]

    assert made("https://docs.example/a") == [{"url": "https://docs.example/a"}]
    assert made("https://docs.example/found") == [{"url": "https://docs.example/found"}]
    assert made("https://evil.example/?q=secret") == []
    assert made("https://docs.example/a?q=secret") == []
    assert made("https://docs.example/a", more=["x", {"to": "www.evil.example/q"}]) == [
        {"url": "https://docs.example/a", "more": ["x"]}
    ]


def test_a_tool_whose_server_does_not_answer_is_not_called_again_in_the_turn() -> None:
    done = [Call(LOG, {"query": "klystron trip", "system": "RF"})]
    again = [{"tool_name": LOG, "arguments": {"query": "klystron"}}]
    found, _ = chosen(again, read("klystron trip", NOW), TOOLS, synonyms_of({}), done=done, broken={LOG})
    assert found
    assert LOG not in [call.tool for call in found]


def test_calls_are_the_same_whatever_their_spelling() -> None:
    one = signature(DOCS, {"query": "Orbit  interlock", "accelerator": "all", "limit": None})
    assert one == signature(DOCS, {"query": "orbit Interlock ", "accelerator": ""})
    assert one != signature(DOCS, {"query": "orbit interlock", "accelerator": "linac"})


def test_a_round_that_brings_nothing_new_searches_wider_and_in_the_end_gives_up() -> None:
    question = "RF trips of the klystron in the logbook yesterday"
    done: list[Call] = []
    seen: set[str] = set()
    for _ in range(20):
        found, _ = calls(question, (LOG, {"query": "klystron", "system": "RF"}), done=done)
        if not found:
            break
        for name, arguments in found:
            mark = signature(name, arguments)
            assert mark not in seen
            seen.add(mark)
            done.append(Call(name, arguments))
    else:
        raise AssertionError("it never gave up")
    assert len(done) >= 3
    made = [dict(call.arguments) for call in done]
    assert any("system" not in arguments for arguments in made)
    assert any(arguments.get("since") == "2026-11-14" for arguments in made)
    assert any(call.tool == DOCS for call in done)


def test_a_selection_has_one_branch_a_tool() -> None:
    schema = json_schema(selection_of(TOOLS))
    assert schema["title"] == "ToolSelection"
    branches = schema["properties"]["tools"]["items"]["anyOf"]
    assert len(branches) == len(TOOLS)
    one = schema["$defs"][branches[0]["$ref"].rpartition("/")[2]]
    assert one["properties"]["tool_name"]["const"] == LOG
    assert one["properties"]["arguments"]["properties"]["category"] == {"enum": ["Problem", "Fix", "Access", ""]}
    assert one["properties"]["arguments"]["additionalProperties"] is False
    alone = selection_of({"t": {"input_schema": {}}})
    assert alone.model_validate_json('{"tools": [{"tool_name": "t", "arguments": {}}]}').tools[0].tool_name == "t"
