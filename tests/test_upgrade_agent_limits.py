"""The UpGrade agent where there is much: prompts and replies stay bounded whatever the server holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import PrivateAttr
from upgrade_agent_support import upgrade_agent
from upgrade_client_support import Scripted, golden, scripted

from graphwright import Turn
from graphwright.models.scripted import ScriptedModel

FEW, MANY = 20, 2_000
NAME = "Experiment {:04} about learning with a name of some length"
GOLDEN = golden("6.4")


class Heard(ScriptedModel):
    """The scripted model, which notes how long what it is shown is, by the node that shows it."""

    _sizes: dict[str, list[int]] = PrivateAttr(default_factory=dict)

    @property
    def sizes(self) -> dict[str, list[int]]:
        return self._sizes

    async def _agenerate(self, messages: Any, *given: Any, **named: Any) -> Any:
        offered = {tool["function"]["name"] for tool in named["tools"]}
        node = next(name for tool, name in NODES.items() if tool in offered)
        size = sum(len(each.text) + len(json.dumps(getattr(each, "tool_calls", []))) for each in messages)
        self._sizes.setdefault(node, []).append(size)
        return await super()._agenerate(messages, *given, **named)


NODES = {"analyze_user_request": "analyze", "set_action_needed": "gather", "get_execution_log": "respond"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    with scripted() as server:
        monkeypatch.setenv("UPGRADE_API_URL", server.url)
        yield server


def fill(server: Scripted, number: int, name: str = NAME) -> None:
    """Let the server have so many experiments."""
    single = GOLDEN["single"].answer
    names = [{"id": f"{at:08}-0000-4000-8000-000000000000", "name": name.format(at)} for at in range(number)]
    server.clear()
    server.health()
    server.json("GET", "/experiments/contextMetaData", GOLDEN["context_metadata"].answer)
    server.json("GET", "/experiments/names", names)
    server.json("POST", "/experiments/paginated", {"total": number, "nodes": [{**single, **n} for n in names[:500]]})
    server.json("GET", f"/experiments/single/{names[7]['id']}", {**single, **names[7]})


def looking(calls: dict[str, Any], intent: str = "needs_info") -> Heard:
    """A model that looks at all it can, in the gatherer and in the responder."""
    analysed = {"intent_type": intent, "confidence": 0.9, "user_request_summary": "to know it all", "reasoning": ""}
    details = {"get_experiment_details": {"experiment_id": "00000007-0000-4000-8000-000000000000"}}
    model = Heard.from_rules(
        [
            {"offers": "analyze_user_request", "call": {"analyze_user_request": analysed}},
            {"offers": "set_action_needed", "times": 1, "call": {**calls, **details} if calls else details},
            {"offers": "set_action_needed", "text": "ready"},
            {"offers": "get_execution_log", "times": 1, "call": {**calls, "get_all_gathered_info": {}}},
            {"text": "I do not know."},
        ]
    )
    assert isinstance(model, Heard)
    return model


async def say(home: Path, model: ScriptedModel, *texts: str) -> list[Turn]:
    async with upgrade_agent().session("t", model=model, home=home) as session:
        return [await session.send(text) for text in texts]


LISTS: dict[str, Any] = {"get_all_experiments": {}, "get_experiment_names": {}, "get_context_metadata": {}}
ASKED = ("Which experiments are there?", "What do you make of it all, generally?", "Bananas are fine, too")


async def test_prompts_are_as_long_with_two_thousand_experiments_as_with_twenty(
    tmp_path: Path, server: Scripted
) -> None:
    sizes = {}
    for number in (FEW, MANY):
        fill(server, number)
        sizes[number] = {}
        for intent in ("needs_info", "direct_answer"):
            model = looking(LISTS, intent)
            turns = await say(tmp_path / f"{number}{intent}", model, *ASKED)
            assert [turn.error for turn in turns] == [None] * len(turns)
            for node, found in model.sizes.items():
                sizes[number].setdefault(node, []).extend(found)
    assert set(sizes[MANY]) == set(NODES.values())
    for node, few in sizes[FEW].items():
        many = sizes[MANY][node]
        assert len(many) == len(few)
        # Only the words "and 1,980 more" come to it.
        assert all(one <= other + 200 for one, other in zip(many, few, strict=True)), (node, few, many)
        assert max(many) < 14_000


async def test_names_without_end_make_no_prompt_and_no_reply_without_end(tmp_path: Path, server: Scripted) -> None:
    fill(server, MANY, "{:04} " + "x" * 5_000)
    model = looking(LISTS)
    turns = await say(tmp_path, model, *ASKED, "Start it", "Start experiment x")
    assert max(size for found in model.sizes.values() for size in found) < 14_000
    assert all(len(turn.reply) < 5_000 for turn in turns)
    assert [turn.error for turn in turns] == [None] * len(turns)


async def test_one_of_two_thousand_is_found_by_its_name_and_namesakes_are_offered_in_part(
    tmp_path: Path, server: Scripted
) -> None:
    fill(server, MANY)
    told, missed = await say(
        tmp_path, looking({}), f"Tell me about {NAME.format(7)}", "Start Experiment 9999 of nothing"
    )
    assert told.reply.startswith(f"Experiment '{NAME.format(7)}'")
    assert told.usage.model_calls == 0
    assert len(missed.reply) < 1_000
    assert missed.values["action_needed"] is None or missed.values["missing_params"]


async def test_what_the_server_lists_is_kept_out_of_the_state_that_is_written_at_every_step(
    tmp_path: Path, server: Scripted
) -> None:
    traces = {}
    for number in (FEW, MANY):
        fill(server, number)
        home = tmp_path / str(number)
        async with upgrade_agent().session("t", model=looking({}), home=home) as session:
            await session.send("Which experiments are there?")
            traces[number] = sum(len(json.dumps(dict(row.event))) for row in await session.history())
    assert traces[MANY] < 1.5 * traces[FEW]


async def test_a_message_as_long_as_messages_may_be_is_answered_in_few_words(tmp_path: Path, server: Scripted) -> None:
    fill(server, FEW)
    for text in ("x " * 50_000, "Delete " + "'" * 99_000, "yes " * 20_000, "start Foo and " * 7_000):
        (turn,) = await say(tmp_path / text[:9].replace("'", ""), looking({}), text)
        assert turn.status in ("ended", "waiting"), turn.error
        assert len(turn.reply) < 5_000
    assert {seen.method for seen in server.seen if seen.path != "/experiments/paginated"} == {"GET"}
