"""Structured output: an object of the class, or a failure that says what the model did."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import Any, Literal

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, Field

from graphwright.models import EmptyReply, MalformedReply, ModelFailure, astructured, count_usage, structured
from graphwright.models.scripted import ScriptedModel
from graphwright.models.structured_output import fit_for_strict, json_schema

ASKED: list[BaseMessage] = [SystemMessage("You plan."), HumanMessage("How many orders came in?")]


class Decision(BaseModel):
    """Whether our own data is needed."""

    needs_tools: bool
    reasoning: str


GOOD = {"call": {"Decision": {"needs_tools": True, "reasoning": "our orders"}}}


class Watched(ScriptedModel):
    """A scripted model that keeps the prompts it got."""

    seen: list[list[BaseMessage]] = Field(default_factory=list)

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.seen.append(messages)
        return await super()._agenerate(messages, *args, **kwargs)


def model(*rules: dict[str, Any]) -> Watched:
    made = Watched.from_rules(list(rules))
    assert isinstance(made, Watched)
    return made


async def test_an_object_of_the_class_is_returned() -> None:
    found = await astructured(model({"offers": "Decision", **GOOD}), Decision, ASKED)
    assert found == Decision(needs_tools=True, reasoning="our orders")


async def test_an_answer_that_does_not_validate_is_shown_to_the_model_once() -> None:
    asked = model({"call": {"Decision": {"needs_tools": "perhaps"}}, "times": 1}, GOOD)
    with count_usage() as usage:
        assert (await astructured(asked, Decision, ASKED)).needs_tools is True
    assert usage.model_calls == 2
    first, second = asked.seen
    assert second[: len(first)] == first
    shown, complaint = second[len(first) :]
    assert isinstance(shown, AIMessage)
    assert "perhaps" in shown.text
    assert "needs_tools" in complaint.text
    assert "reasoning" in complaint.text, "everything that is wrong is said at once"
    assert asked.verify() == []


@pytest.mark.parametrize(
    ("rule", "failure"),
    [
        ({"raw": '{"needs_tools": true, "reas'}, MalformedReply),
        ({"raw": "null"}, MalformedReply),
        ({"text": "I would rather talk."}, MalformedReply),
        ({"call": {"Decision": {"reasoning": "x"}}}, MalformedReply),
        ({"raw": "[" * 5_000}, MalformedReply),
        ({"raw": '{"a":' * 5_000}, MalformedReply),
        ({"fail": "empty"}, EmptyReply),
    ],
    ids=range(7),
)
async def test_what_is_no_object_twice_fails(rule: dict[str, Any], failure: type[ModelFailure]) -> None:
    asked = model(rule)
    with pytest.raises(failure):
        await astructured(asked, Decision, ASKED)
    assert len(asked.seen) == 2


async def test_json_in_a_code_fence_is_read() -> None:
    fenced = '```json\n{"needs_tools": false, "reasoning": "chat"}\n```'
    assert (await astructured(model({"raw": fenced}), Decision, ASKED)).needs_tools is False


async def test_a_caller_that_does_not_await() -> None:
    with count_usage() as usage:
        assert structured(model(GOOD), Decision, ASKED).needs_tools is True
        with pytest.raises(EmptyReply):
            structured(model({"fail": "empty"}), Decision, ASKED)
    assert usage.model_calls == 3
    # A thread has no event loop.
    assert (await asyncio.to_thread(structured, model(GOOD), Decision, ASKED)).needs_tools is True


class Colour(StrEnum):
    RED = "red"


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["a", "b"]
    colour: Colour
    size: int | None


class Whole(BaseModel):
    model_config = ConfigDict(extra="forbid")
    zeta: bool
    parts: list[Part]
    alpha: str


def test_strict_is_asked_only_where_every_object_is_closed_and_every_field_typed() -> None:
    assert fit_for_strict(json_schema(Whole))

    class Open(Whole):
        model_config = ConfigDict(extra="allow")

    class WithDefault(Whole):
        beta: str = "x"

    class WithAny(Whole):
        beta: Any

    class WithMap(Whole):
        beta: dict[str, Any]

    for schema in (Open, WithDefault, WithAny, WithMap, Decision):
        assert not fit_for_strict(json_schema(schema)), schema.__name__


def test_the_schema_carries_the_name_of_the_class_and_the_order_of_its_fields() -> None:
    class Renamed(Whole):
        model_config = ConfigDict(title="Another title")
        last: str = Field(description="the last")

    schema = json_schema(Renamed)
    assert schema["title"] == "Renamed"
    assert list(schema["properties"]) == ["zeta", "parts", "alpha", "last"]
