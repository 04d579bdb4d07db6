"""Tokens of the graph editor and of a plain tool loop with the same tools, for one step and for a goal of several."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult

from eval.graph_editor.loop import play_loop
from graph_support import UNCONFINED
from graphwright import load
from graphwright.models._scripted import ScriptedModel
from proposals_support import goals

pytestmark = pytest.mark.skipif(bool(UNCONFINED), reason=UNCONFINED)

_SIZES: list[int] = []


class _Counting(ScriptedModel):
    """Records the length of each request, with its tools or schema, and of each reply."""

    async def _agenerate(self, messages: list[BaseMessage], *given: Any, **bound: Any) -> ChatResult:
        result = await super()._agenerate(messages, *given, **bound)
        offered = [bound.get(name) for name in ("tools", "response_format")]
        calls = [getattr(each, "tool_calls", ()) for each in (*messages, result.generations[0].message)]
        texts = [str(each.content) for each in (*messages, result.generations[0].message)]
        _SIZES.append(sum(len(json.dumps(each, default=str, ensure_ascii=False)) for each in (offered, calls, texts)))
        return result


FIVE = {
    **{"id": "five", "kind": "perfect", "language": "en", "graph": "vetclinic", "expect": {}},
    "text": "Zoë Adams moved to Bonn. Rocky weighs 30.2 kg. AP-506 is cancelled. New dog A-40, Balto, of Zoë Adams.",
    "steps": [
        [
            {
                "tool_name": "update_props",
                "arguments": {"key": "adams", "properties": {"city": "Bonn"}},
                "because": "Zoë",
            },
            {
                "tool_name": "update_props",
                "arguments": {"key": "A-03", "properties": {"weight_kg": 30.2}},
                "because": "",
            },
            {"tool_name": "update_props", "arguments": {"key": "AP-506", "properties": {"status": "x"}}, "because": ""},
            {"tool_name": "add_node", "arguments": {"label": "Animal", "key": "A-40"}, "because": "New dog A-40"},
            {
                "tool_name": "add_edge",
                "arguments": {"from_key": "adams", "type": "OWNS", "to_key": "A-40"},
                "because": "",
            },
        ]
    ],
}


@pytest.mark.parametrize(
    ("written", "most"),
    [(next(each for each in goals.written("perfect") if len(each["steps"]) == 1), 1.6), (FIVE, 1.3)],
    ids=["one step", "five steps"],
)
async def test_the_editor_needs_few_tokens(written: Mapping[str, Any], most: float, tmp_path: Path) -> None:
    proposal, sizes = goals.proposal(written), []
    called = [{"call": [{each["tool_name"]: each["arguments"]} for each in written["steps"][0]], "times": 1}]
    for number, rules in enumerate((proposal.rules, [*called, {"text": "Done."}])):
        _SIZES.clear()
        (tmp_path / str(number)).mkdir()
        async with proposal.cases.world(proposal.case, tmp_path / str(number)) as world:
            model = _Counting.from_rules(rules)
            if number:
                await play_loop(proposal.case, world, model)
            else:
                async with load("graph_editor").session("t", model=model, home=world.folder) as session:
                    assert (await session.send(written["text"])).status == "waiting"
        sizes.append(sum(_SIZES))
    assert sizes[0] <= most * sizes[1], sizes
