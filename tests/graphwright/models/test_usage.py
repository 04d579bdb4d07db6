"""Counting and observing: every call counts once, however it was made, with its answer."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from langchain_core.messages import HumanMessage
from pydantic import BaseModel

from graphwright.models import (
    ModelCall,
    ModelFailure,
    acall_tools,
    astream_text,
    astructured,
    atext,
    calling,
    count_usage,
    load,
    observe_calls,
)
from graphwright.models._scripted import ScriptedModel


class Answer(BaseModel):
    value: int


ASKED = [HumanMessage("How much is it?")]


async def test_every_way_of_calling_counts_once(tmp_path: Path) -> None:
    script = tmp_path / "rules.yaml"
    script.write_text("- {offers: Answer, call: {Answer: {value: 1}}}\n- {text: twelve euros and ten cents}\n")
    loaded = load(f"scripted:{script}")
    with count_usage() as usage:
        with count_usage() as inner:
            await atext(loaded, ASKED)
        assert usage.model_calls == inner.model_calls == 1
        await astructured(loaded, Answer, ASKED)
        assert usage.model_calls == 2
        assert [piece async for piece in astream_text(loaded, ASKED)]
        assert usage.model_calls == 3
        await loaded.ainvoke(ASKED)
        loaded.invoke(ASKED)
        assert usage.model_calls == 5, "a direct call of a loaded model counts as well"
        assert [chunk async for chunk in loaded.astream(ASKED)]
        loaded.bind_tools([Answer], tool_choice="any").invoke(ASKED)
        assert usage.model_calls == 7
    assert usage.input_tokens == 7 * (len("How much is it?") // 4)
    assert usage.output_tokens > 0
    assert inner.model_calls == 1
    before = usage.model_calls
    await atext(loaded, ASKED)
    assert usage.model_calls == before, "a call outside does not count"


async def test_a_call_says_who_made_it_what_it_offered_and_how_it_ended() -> None:
    calls: list[ModelCall] = []
    model = ScriptedModel.from_rules(
        [
            {"offers": "Answer", "call": {"Answer": {"value": 1}}, "delay": 0.05},
            {"fail": "auth", "times": 1},
            {"delay": 30, "text": "late"},
        ]
    )
    with observe_calls(calls.append), calling("q.intent"):
        await astructured(model, Answer, ASKED)
        with calling("inner"), contextlib.suppress(ModelFailure):
            await atext(model, ASKED)
        working = asyncio.create_task(atext(model, ASKED))
        await asyncio.sleep(0.05)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
    assert [(call.node, call.offered, call.error) for call in calls] == [
        ("q.intent", ("Answer",), ""),
        ("inner", (), "model_not_authorised"),
        ("q.intent", (), "cancelled"),
    ]
    assert calls[0].seconds >= 0.05


async def test_a_call_says_what_was_answered_in_the_form_of_a_script() -> None:
    tools = [{"name": "Search"}, {"name": "Order"}]
    one, two = {"Search": {"a": 1}}, {"Order": {"b": [2]}}
    for script, call in (
        ({"call": one}, lambda model: acall_tools(model, tools, ASKED)),
        ({"call": one | two}, lambda model: acall_tools(model, tools, ASKED)),
        ({"call": [one, two, one]}, lambda model: acall_tools(model, tools, ASKED)),
        ({"call": {"Search": '{"a'}}, lambda model: acall_tools(model, tools, ASKED)),
        ({"call": {"Answer": {"value": 1}}}, lambda model: astructured(model, Answer, ASKED)),
        ({"raw": "none"}, lambda model: astructured(model, Answer, ASKED)),
        ({"text": "twelve euros"}, lambda model: atext(model, ASKED)),
        ({"fail": "cut"}, lambda model: atext(model, ASKED)),
        ({"fail": "declined"}, lambda model: atext(model, ASKED)),
        ({"fail": "empty"}, lambda model: atext(model, ASKED)),
    ):
        calls: list[ModelCall] = []
        with observe_calls(calls.append), contextlib.suppress(ModelFailure):
            await call(ScriptedModel.from_rules([script]))
        assert dict(calls[0].answer) == script
        assert calls[0].error == ""
