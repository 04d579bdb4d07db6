"""The scripted model: the selected rule, its answer, and errors of a wrong script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from graphwright.models import (
    UnexpectedCall,
    acall_tools,
    astream_text,
    astructured,
    atext,
    calling,
    count_usage,
)
from graphwright.models._scripted import MOST_PROBLEMS, BadRules, Rule, ScriptedModel, make_rules


class Decision(BaseModel):
    needs_tools: bool


class Search(BaseModel):
    """Search the shop."""

    query: str


class Order(BaseModel):
    """Order something."""

    item: str


WANTED = {"type": "json_schema", "json_schema": {"name": "Decision", "schema": Decision.model_json_schema()}}


def scripted(*rules: dict[str, Any]) -> ScriptedModel:
    return ScriptedModel.from_rules(list(rules))


def says(model: ScriptedModel, text: str, *before: str) -> str:
    return model.invoke([SystemMessage("Sys"), *map(HumanMessage, before), HumanMessage(text)]).text


def test_the_first_rule_that_fits_answers() -> None:
    model = scripted(
        {"says": r"^hello\b", "text": "one"},
        {"says": "hello", "text": "two"},
        {"anywhere": "sys.*second", "text": "seen"},
        {"text": "first", "times": 2},
        {"text": "then"},
    )
    assert says(model, "HELLO there") == "one"
    assert says(model, "well, hello") == "two"
    assert says(model, "third", "hello", "second") == "seen", "`says` looks at the last user message only"
    assert model.verify() == ["rule 4 was expected 2 more times"]
    assert [says(model, "x") for _ in range(4)] == ["first", "first", "then", "then"]
    assert model.verify() == []


def test_offers_names_tools_or_the_schema_all_of_which_must_be_offered() -> None:
    model = scripted(
        {"offers": ["Search", "Order"], "text": "both"},
        {"offers": "Search", "text": "search"},
        {"offers": "Decision", "call": {"Decision": {"needs_tools": True}}},
        {"text": "nothing"},
    )
    assert model.bind_tools([Search, Order]).invoke("x").text == "both"
    assert model.bind_tools([Search]).invoke("x").text == "search"
    assert model.bind_tools([Order]).invoke("x").text == "nothing"
    assert model.with_structured_output(Decision).invoke("x") == Decision(needs_tools=True)
    assert says(model, "x") == "nothing"


def test_calls_in_each_of_their_forms() -> None:
    for call in (
        {"Search": {"query": "lamp"}, "Order": {"item": "lamp"}},
        [{"Search": {"query": "lamp"}}, {"Order": {"item": "lamp"}}],
        [{"name": "Search", "args": {"query": "lamp"}}, {"name": "Order", "args": {"item": "lamp"}}],
    ):
        reply = scripted({"call": call}).bind_tools([Search, Order]).invoke("x")
        assert isinstance(reply, AIMessage)
        assert [(c["name"], c["args"]) for c in reply.tool_calls] == [
            ("Search", {"query": "lamp"}),
            ("Order", {"item": "lamp"}),
        ]
        assert len({c["id"] for c in reply.tool_calls}) == 2


def test_half_a_call_stays_half() -> None:
    reply = scripted({"call": {"Search": '{"query": "la'}}).bind_tools([Search]).invoke("x")
    assert isinstance(reply, AIMessage)
    assert reply.tool_calls == []
    assert [(c["name"], c["args"]) for c in reply.invalid_tool_calls] == [("Search", '{"query": "la')]
    assert scripted({"call": {"Decision": '{"needs'}}).bind(response_format=WANTED).invoke("x").text == '{"needs'


async def test_a_request_that_no_rule_fits_names_node_tools_and_message() -> None:
    model = scripted({"says": "never", "text": "x"})
    with count_usage() as usage, calling("q.intent"), pytest.raises(UnexpectedCall) as failed:
        await acall_tools(model, [{"name": "Search"}, {"name": "Order"}], [HumanMessage("buy a lamp")])
    for part in ("q.intent", "Search, Order", "buy a lamp"):
        assert part in failed.value.message
    assert usage.model_calls == 1, "it is not tried again"


async def test_an_object_with_another_name_is_refused() -> None:
    with pytest.raises(UnexpectedCall, match=r"calls GoalSpec.*wants one object Decision"):
        await astructured(scripted({"call": {"GoalSpec": {}}}), Decision, [HumanMessage("x")])


async def test_streams() -> None:
    model = scripted({"says": "words", "text": "one two  three", "stream": True}, {"stream": ["o", "ne"]})
    assert [p async for p in astream_text(model, [HumanMessage("words")])] == ["one ", "two  ", "three"]
    assert [p async for p in astream_text(model, [HumanMessage("x")])] == ["o", "ne"]
    assert await atext(model, [HumanMessage("x")]) == "one"


# replies instead of the rules


def replies(*entries: dict[str, Any]) -> list[Rule]:
    made, wrong = make_rules(entries)
    assert not wrong
    return made


def test_replies_answer_in_their_order_each_once_and_then_the_rules_again() -> None:
    model = scripted({"text": "by rule"})
    copy = model.model_copy(update={"metadata": {"a": 1}})
    model.reply_by(replies({"text": "one"}, {"text": "two", "times": 2}), "turn 1")
    assert [says(each, "x") for each in (model, copy, model)] == ["one", "two", "two"]
    assert model.replies_left() == []
    with pytest.raises(UnexpectedCall, match=r"turn 1 has 2 replies, and the model was asked again: .*message 'x'"):
        says(model, "x")
    assert len(model.unexpected) == 1
    model.reply_by(None)
    assert says(model, "x") == "by rule"


def test_a_file_of_rules(tmp_path: Path) -> None:
    yaml = tmp_path / "a.yaml"
    yaml.write_text("rules:\n  - says: when\n    call: {Search: {query: 2026-11-21}}\n  - text: hello\n")
    reply = ScriptedModel.from_file(yaml).bind_tools([Search]).invoke("when?")
    assert isinstance(reply, AIMessage)
    assert reply.tool_calls[0]["args"] == {"query": "2026-11-21"}, "as JSON has it, not as YAML reads it"
    as_json = tmp_path / "a.json"
    as_json.write_text(json.dumps([{"text": "hello"}]))
    assert says(ScriptedModel.from_file(as_json), "x") == "hello"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"sayz": "x", "text": "y"}, "Rule 1: The field 'sayz' is unknown; did you mean 'says'?"),
        ({"text": "x", "call": {"A": {}}}, "not call and text"),
        ({"says": "x"}, "It answers nothing"),
        ({"says": "(", "text": "x"}, "`says`: This must be a regular expression"),
        ({"text": "x", "times": 0}, "`times`"),
        ({"text": 5}, "`text`: Input should be a valid string, not 5"),
        ({"call": "Search"}, "`call`: {NAME: {arguments}}"),
        ({"fail": {"kode": "x"}}, "`fail`"),
        ({"text": "x", "stream": ["y"]}, "join to `text` or `raw`"),
        ("hello", "This must be a mapping"),
    ],
)
def test_an_invalid_rule_is_reported_with_the_others(rule: Any, said: str) -> None:
    with pytest.raises(BadRules) as failed:
        scripted({"text": "fine"}, rule, rule)
    first, second = failed.value.message.splitlines()
    assert said.replace("Rule 1", "Rule 2") in first
    assert "Rule 3" in second
    with pytest.raises(BadRules) as failed:
        scripted(*[{"text": ["x" * 1000]}] * (MOST_PROBLEMS + 5))
    lines = failed.value.message.splitlines()
    assert (len(lines), lines[-1]) == (MOST_PROBLEMS + 1, "and 5 more problems.")
    assert max(map(len, lines)) < 300


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("- {text: x\n", "bad.yaml:2:1: Not valid YAML"),
        ("- text: x\n  <<: {}\n", "bad.yaml:2:3: Merge keys"),
        ("hello", "no list of rules"),
        ("rule: []", "The field 'rule' is unknown"),
    ],
)
def test_a_file_that_is_not_a_script(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(content)
    with pytest.raises(BadRules) as failed:
        ScriptedModel.from_file(path)
    assert said in failed.value.message
    assert str(path) in failed.value.message
