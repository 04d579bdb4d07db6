"""Offering tools: the calls that come back are of offered tools, with arguments that fit."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from graphwright.models import (
    EmptyReply,
    MalformedReply,
    ModelFailure,
    RefusedToolCall,
    ToolCall,
    acall_tools,
    call_tools,
    count_usage,
    observe_calls,
)
from graphwright.models.scripted import ScriptedModel
from graphwright.models.usage import ModelCall


def answer(key: str, value: dict[str, Any]) -> dict[str, Any]:
    properties = {"key": {"const": key}, "quote": {"type": "string"}, "value": value}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


TOOLS: list[dict[str, Any]] = [
    {
        "name": "UpdateAnswers",
        "description": "Store what the user said.",
        "parameters": {
            "type": "object",
            "properties": {
                "answers": {
                    "type": "array",
                    "minItems": 1,
                    "items": {"anyOf": [answer("name", {"type": "string"}), answer("wattage", {"type": "integer"})]},
                }
            },
            "required": ["answers"],
        },
    },
    {
        "name": "UnknownAnswer",
        "parameters": {"type": "object", "properties": {"key": {"enum": ["name", "wattage"]}}, "required": ["key"]},
    },
    {"name": "EscalateToHuman", "description": "A person is wanted."},
]
ASKED = [HumanMessage("We need 200 W. I am Ann.")]
NAME = {"UpdateAnswers": {"answers": [{"key": "name", "quote": "Ann", "value": "Ann"}]}}
TEXT_FOR_A_NUMBER = {"UpdateAnswers": {"answers": [{"key": "wattage", "quote": "200 W", "value": "200"}]}}


async def call(*rules: dict[str, Any], **options: bool) -> Any:
    return await acall_tools(ScriptedModel.from_rules(list(rules)), TOOLS, ASKED, **options)


async def test_several_calls_come_back_in_their_order() -> None:
    found = await call(
        {"offers": ["UpdateAnswers", "UnknownAnswer"], "call": [NAME, {"UnknownAnswer": {"key": "wattage"}}]}
    )
    assert found == [ToolCall("UpdateAnswers", NAME["UpdateAnswers"]), ToolCall("UnknownAnswer", {"key": "wattage"})]
    assert found.rejected == ()


async def test_a_tool_without_parameters() -> None:
    assert await call({"call": {"EscalateToHuman": {}}}) == [ToolCall("EscalateToHuman", {})]


async def test_a_wrong_argument_is_shown_to_the_model_in_the_alternative_it_meant() -> None:
    found = await call(
        {"anywhere": r"answers\[0\]\.value: '200' is not of type 'integer'", "call": NAME},
        {"call": TEXT_FOR_A_NUMBER, "times": 1},
    )
    assert found == [ToolCall("UpdateAnswers", NAME["UpdateAnswers"])]


async def test_a_tool_that_was_not_offered_is_never_returned() -> None:
    found = await call({"call": {"DeleteEverything": {}}, "times": 1}, {"call": NAME})
    assert [c.name for c in found] == ["UpdateAnswers"]
    with pytest.raises(MalformedReply, match=r"no such tool.*did you mean UpdateAnswers"):
        await call({"call": {"UpdateAnswer": {}}})


@pytest.mark.parametrize(
    ("rule", "failure"),
    [
        ({"text": "Nice to meet you, Ann!"}, RefusedToolCall),
        ({"raw": '{"tool": "UpdateAnswers", "args": {'}, RefusedToolCall),
        ({"stream": ['{"tool": "Upda']}, RefusedToolCall),
        ({"fail": "empty"}, EmptyReply),
        ({"call": TEXT_FOR_A_NUMBER}, MalformedReply),
    ],
)
async def test_no_usable_call_twice_fails(rule: dict[str, Any], failure: type[ModelFailure]) -> None:
    with count_usage() as usage, pytest.raises(failure):
        await call(rule)
    assert usage.model_calls == 2


async def test_right_calls_beside_wrong_ones_are_kept_after_the_repair_and_the_wrong_ones_named() -> None:
    found = await call({"call": [TEXT_FOR_A_NUMBER, {"UnknownAnswer": {"key": "name"}}]})
    assert found == [ToolCall("UnknownAnswer", {"key": "name"})]
    (rejected,) = found.rejected
    assert rejected.name == "UpdateAnswers"
    assert "not of type 'integer'" in rejected.problem


async def test_nothing_stands_in_the_place_of_an_answer_that_cannot_be_shown() -> None:
    # Words in its place would be repeated by a small model, as its answer.
    alone = r"\A(?![\s\S]*assistant)[\s\S]*Your last answer was not accepted"
    found = await call({"fail": "cut", "times": 1}, {"anywhere": alone, "text": "Four."}, required=False)
    assert found.text == "Four."


async def test_a_repair_that_made_it_worse_leaves_the_right_calls_of_the_first_answer() -> None:
    found = await call({"call": [TEXT_FOR_A_NUMBER, NAME], "times": 1}, {"text": "Sorry!"})
    assert found == [ToolCall("UpdateAnswers", NAME["UpdateAnswers"])]
    assert len(found.rejected) == 1


async def test_text_is_an_answer_where_no_call_is_required() -> None:
    found = await call({"text": "Hello!"}, required=False)
    assert found == []
    assert found.text == "Hello!"


async def test_only_one_call_where_only_one_is_wanted() -> None:
    found = await call({"call": [NAME, {"EscalateToHuman": {}}]}, several=False)
    assert [c.name for c in found] == ["UpdateAnswers"]
    assert [c.name for c in found.rejected] == ["EscalateToHuman"]


@pytest.mark.parametrize("schema", [{"type": "objekt"}, {"type": "string", "pattern": "[a"}, {"$ref": "#/$defs/Nope"}])
async def test_a_tool_whose_parameters_are_no_schema(schema: dict[str, Any]) -> None:
    tool = {"name": "search", "parameters": {"type": "object", "properties": {"query": schema}}}
    model = ScriptedModel.from_rules([{"call": {"search": {"query": "x"}}}])
    with pytest.raises(ModelFailure, match="tool search") as failed:
        await acall_tools(model, [tool], ASKED)
    assert failed.value.code == "bad_tool_schema"


async def test_the_names_of_the_tools_are_observed() -> None:
    calls: list[ModelCall] = []
    with observe_calls(calls.append):
        await call({"call": NAME})
    assert calls[0].offered == ("UpdateAnswers", "UnknownAnswer", "EscalateToHuman")


def test_a_caller_that_does_not_await() -> None:
    model = ScriptedModel.from_rules([{"call": NAME}])
    assert [c.name for c in call_tools(model, TOOLS, ASKED)] == ["UpdateAnswers"]
