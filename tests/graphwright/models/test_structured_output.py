"""Structured answers: objects of a class and calls of offered tools, repaired once, otherwise a failure."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, Field

from graphwright.models import ModelFailure, ToolCall, acall_tools, astructured, count_usage, structured
from graphwright.models._failures import EmptyReply, MalformedReply, RefusedToolCall
from graphwright.models._scripted import ScriptedModel
from graphwright.models._structured_output import json_schema

ASKED: list[BaseMessage] = [SystemMessage("You plan."), HumanMessage("We need 200 W. I am Ann.")]


class Decision(BaseModel):
    """Whether our own data is needed."""

    needs_tools: bool
    reasoning: str


GOOD = {"call": {"Decision": {"needs_tools": True, "reasoning": "our orders"}}}


class Watched(ScriptedModel):
    """A scripted model that records its prompts."""

    seen: list[list[BaseMessage]] = Field(default_factory=list)

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.seen.append(messages)
        return await super()._agenerate(messages, *args, **kwargs)


def model(*rules: dict[str, Any]) -> Watched:
    made = Watched.from_rules(list(rules))
    assert isinstance(made, Watched)
    return made


async def test_an_answer_that_does_not_validate_is_shown_to_the_model_once() -> None:
    asked = model({"offers": "Decision", "call": {"Decision": {"needs_tools": "perhaps"}}, "times": 1}, GOOD)
    assert await astructured(asked, Decision, ASKED) == Decision(needs_tools=True, reasoning="our orders")
    first, second = asked.seen
    assert second[: len(first)] == first
    shown, complaint = second[len(first) :]
    assert isinstance(shown, AIMessage)
    assert "perhaps" in shown.text
    assert "needs_tools" in complaint.text
    assert "reasoning" in complaint.text, "everything that is wrong is said at once"


@pytest.mark.parametrize(
    ("rule", "failure"),
    [
        ({"raw": '{"needs_tools": true, "reas'}, MalformedReply),
        ({"text": "I would rather talk."}, MalformedReply),
        ({"raw": "[" * 5_000}, MalformedReply),
        ({"fail": "empty"}, EmptyReply),
    ],
    ids=range(4),
)
async def test_two_invalid_objects_are_a_failure(rule: dict[str, Any], failure: type[ModelFailure]) -> None:
    asked = model(rule)
    with pytest.raises(failure):
        await astructured(asked, Decision, ASKED)
    assert len(asked.seen) == 2


async def test_json_in_a_code_fence_is_read_also_by_a_caller_that_does_not_await() -> None:
    fenced = '```json\n{"needs_tools": false, "reasoning": "chat"}\n```'
    with count_usage() as usage:
        assert structured(model({"raw": fenced}), Decision, ASKED).needs_tools is False
    assert usage.model_calls == 1


# calls of tools


def answer(key: str, value: dict[str, Any]) -> dict[str, Any]:
    properties = {"key": {"const": key}, "quote": {"type": "string"}, "value": value}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


ANSWERS = {"anyOf": [answer("name", {"type": "string"}), answer("wattage", {"type": "integer"})]}
TOOLS: list[dict[str, Any]] = [
    {
        "name": "UpdateAnswers",
        "description": "Store what the user said.",
        "parameters": {"type": "object", "properties": {"answers": {"type": "array", "items": ANSWERS}}},
    },
    {
        "name": "UnknownAnswer",
        "parameters": {"type": "object", "properties": {"key": {"enum": ["name", "wattage"]}}, "required": ["key"]},
    },
    {"name": "EscalateToHuman", "description": "A person is wanted."},
]
NAME = {"UpdateAnswers": {"answers": [{"key": "name", "quote": "Ann", "value": "Ann"}]}}
TEXT_FOR_A_NUMBER = {"UpdateAnswers": {"answers": [{"key": "wattage", "quote": "200 W", "value": "200"}]}}
HALF = {"UpdateAnswers": '{"answers": ['}


async def call(*rules: dict[str, Any], **options: bool) -> Any:
    return await acall_tools(model(*rules), TOOLS, ASKED, **options)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (TEXT_FOR_A_NUMBER, r'answers\.0\.value: "200" is not of type "integer"'),
        ({"UpdateAnswer": {}}, "no such tool.*did you mean UpdateAnswers"),
        (HALF, "the arguments are not JSON"),
    ],
)
async def test_a_wrong_call_is_shown_to_the_model_once_and_then_fails(wrong: Any, complaint: str) -> None:
    assert await call({"anywhere": complaint, "call": NAME}, {"call": wrong, "times": 1}) == [
        ToolCall("UpdateAnswers", NAME["UpdateAnswers"])
    ]
    with pytest.raises(MalformedReply, match=complaint):
        await call({"call": wrong})


@pytest.mark.parametrize(
    ("rule", "failure"),
    [
        ({"text": "Nice to meet you, Ann!"}, RefusedToolCall),
        ({"raw": '{"tool": "UpdateAnswers", "args": {'}, RefusedToolCall),
        ({"fail": "empty"}, EmptyReply),
    ],
)
async def test_no_call_twice_fails(rule: dict[str, Any], failure: type[ModelFailure]) -> None:
    with count_usage() as usage, pytest.raises(failure):
        await call(rule)
    assert usage.model_calls == 2


async def test_right_calls_beside_wrong_ones_are_kept_after_the_repair_and_the_wrong_ones_named() -> None:
    found = await call({"call": [TEXT_FOR_A_NUMBER, {"UnknownAnswer": {"key": "name"}}]})
    assert found == [ToolCall("UnknownAnswer", {"key": "name"})]
    (rejected,) = found.rejected
    assert rejected.name == "UpdateAnswers"
    worse = await call({"call": [TEXT_FOR_A_NUMBER, NAME], "times": 1}, {"text": "Sorry!"})
    assert worse == [ToolCall("UpdateAnswers", NAME["UpdateAnswers"])]
    assert len(worse.rejected) == 1


async def test_an_answer_that_cannot_be_shown_is_left_out() -> None:
    # A small model would repeat any words in its place as its answer.
    alone = r"\A(?![\s\S]*assistant)[\s\S]*Your last answer was not accepted"
    found = await call({"fail": "cut", "times": 1}, {"anywhere": alone, "text": "Four."}, required=False)
    assert (list(found), found.text) == ([], "Four.")


async def test_several_calls_come_back_in_their_order_and_one_where_only_one_is_wanted() -> None:
    calls = [NAME, {"UnknownAnswer": {"key": "wattage"}}, {"EscalateToHuman": {}}]
    found = await call({"offers": ["UpdateAnswers", "UnknownAnswer"], "call": calls})
    assert found == [ToolCall(name, args) for each in calls for name, args in each.items()]
    found = await call({"call": [NAME, {"EscalateToHuman": {}}]}, several=False)
    assert [c.name for c in found] == ["UpdateAnswers"]
    assert [c.name for c in found.rejected] == ["EscalateToHuman"]


@pytest.mark.parametrize("schema", [{"type": "objekt"}, {"type": "string", "pattern": "[a"}, {"$ref": "#/$defs/Nope"}])
async def test_a_tool_with_an_invalid_schema(schema: dict[str, Any]) -> None:
    tool = {"name": "search", "parameters": {"type": "object", "properties": {"query": schema}}}
    with pytest.raises(ModelFailure, match="tool search") as failed:
        await acall_tools(model({"call": {"search": {"query": "x"}}}), [tool], ASKED)
    assert failed.value.code == "bad_tool_schema"


def test_a_property_has_only_the_title_that_its_field_declares() -> None:
    class Trip(BaseModel):
        to_place: str
        days: int = Field(title="How long")

    schema = json_schema(Trip)
    assert schema["title"] == "Trip"
    assert [part.get("title") for part in schema["properties"].values()] == [None, "How long"]
