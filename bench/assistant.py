"""The cost of a turn of the research assistant without its model and its tools, over the sample corpus; slow tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import graphwright
from bench.measure import Result
from bench.scale import Scale
from bench.timed import Timed, Watch, note
from graphwright.models._scripted import make_script
from graphwright.tools.mcp import McpServer
from graphwright.tools.mcp.servers import load
from graphwright.tools.sources import Findings
from graphwright_assistant.assistant import toolbox
from graphwright_assistant.retrieval import ChosenKnowledge, search_elog
from graphwright_assistant.retrieval import _servers as servers

NOW = datetime(2026, 11, 22, 16, 0, tzinfo=UTC)
SLOW = {"magnets": 0.4, "vacuum": 0.6, "cavities": 0.8, "undulators": 1.0}
"""The duration of each of four tools, in seconds."""

Rule = dict[str, Any]


def _decided() -> Rule:
    return {"offers": "ToolDecision", "call": {"ToolDecision": {"reasoning": "a matter of facts", "needs_tools": True}}}


def _selected(*calls: tuple[str, str]) -> Rule:
    tools = [{"tool_name": name, "arguments": {"query": query}, "reasoning": "to look it up"} for name, query in calls]
    return {"offers": "ToolSelection", "call": {"ToolSelection": {"tools": tools}}}


def _judged(refinement: str = "") -> Rule:
    verdict = {"reasoning": "as they are", "adequate": not refinement, "refinement": refinement}
    return {"offers": "ResultEvaluation", "call": {"ResultEvaluation": verdict}}


_LOG, _PAGES = "search_elog", "search_accelerator_knowledge"

TURNS: Mapping[str, tuple[str, str, int, list[Rule]]] = {
    "hello": (
        "a greeting",
        "Hello!",
        0,
        [
            {"offers": "ToolDecision", "call": {"ToolDecision": {"reasoning": "a greeting", "needs_tools": False}}},
            {"text": "Hello! What would you like to know?"},
        ],
    ),
    "documents": (
        "a question to the documentation, one call",
        "How is the orbit interlock armed?",
        1,
        [
            *(_decided(), _selected((_PAGES, "orbit interlock armed")), _judged()),
            {"text": "It is armed above a threshold of the stored current [1]. Below that it stays off [2]."},
        ],
    ),
    "both": (
        "a question to both, two calls at once",
        "What do the documentation and the logbook say about the orbit interlock?",
        2,
        [
            *(_decided(), _selected((_PAGES, "orbit interlock"), (_LOG, "orbit interlock")), _judged()),
            {"text": "The interlock protects the vacuum chamber [1] and has dumped the beam lately [2]."},
        ],
    ),
    "refined": (
        "a question whose search is refined once, two calls in two rounds",
        "Some weeks ago something clogged the water of an RF station and killed the beam. Where was the dirt from?",
        2,
        [
            *(_decided(), _selected((_LOG, "water clogged")), _judged("the filter of the station")),
            *(_selected((_LOG, "filter")), _judged()),
            {"text": "It came from a filter of the cooling water [1]."},
        ],
    ),
}
"""By key: a title, the question, the number of tool calls, and the replies of the model in order."""


async def turns(work: Path, scale: Scale, notify: Callable[[str], None]) -> dict[str, Result]:
    """Turns with our two servers in this process, and one with four slow tools. The first ones are not counted."""
    return {**await _quick(work / "quick", scale, notify), **await _slow(work / "slow", scale, notify)}


async def _quick(home: Path, scale: Scale, notify: Callable[[str], None]) -> dict[str, Result]:
    agent = graphwright.load("assistant")
    own = {key: Result(title) for key, (title, *_) in TURNS.items()}
    every = Result("any of these")
    whole = Result("any of these, the tools' own time included")
    model = Timed.over()
    watch = Watch(model)
    for key, (_, question, calls, rules) in TURNS.items():
        notify(f"turns of the assistant: {key}")
        replies = make_script(rules, key).rules
        async with agent.session(key, model=model, home=home, clock=lambda: NOW) as session:
            with _answered_before() as replay:
                for number in range(2 * (scale.goals * 4 + 1)):
                    # Alternately with real answers and from the cache.
                    replay(number % 2 == 1)
                    model.reply_by(replies)
                    turn, taken = await watch.send(session, question)
                    assert (len(turn.values["tool_results"]), model.replies_left()) == (calls, []), turn.path
                    if number > 1:
                        note(taken, *((own[key], every) if number % 2 else (whole,)))
    return {f"assistant/{key}": result for key, result in {**own, "any": every, "whole": whole}.items()}


@contextmanager
def _answered_before() -> Iterator[Callable[[bool], None]]:
    """Cache the answers of our tools inside; while replay is on, they answer from the cache, almost instantly.

    The work between the assistant and the tools is still done, so that it can be measured separately.
    """
    kept: dict[Any, Findings] = {}
    switched_on = False
    search = ChosenKnowledge.search

    def switch(on: bool) -> None:
        nonlocal switched_on
        switched_on = on

    def pages(self: ChosenKnowledge, *given: Any) -> Findings:
        if not switched_on or given not in kept:
            kept[given] = search(self, *given)
        return kept[given]

    async def entries(*given: Any, **named: Any) -> Findings:
        asked = tuple(sorted(named.items()))
        if not switched_on or asked not in kept:
            kept[asked] = await search_elog(*given, **named)
        return kept[asked]

    with patch.object(ChosenKnowledge, "search", pages), patch.object(servers, "search_elog", entries):
        yield switch


async def _slow(home: Path, scale: Scale, notify: Callable[[str], None]) -> dict[str, Result]:
    notify("turns of the assistant: slow tools")
    agent = graphwright.load("assistant")
    seconds = " s, ".join(map(str, SLOW.values()))
    result = Result(f"a turn with four calls at once that take {seconds} s, all of it")
    calls = [(f"look_at_{name}", name) for name in SLOW]
    model = Timed.over([_decided(), _selected(*calls), _judged(), {"text": "All of them run [1]."}])
    watch = Watch(model)

    async def own_servers(*_: Any, **__: Any) -> list[McpServer]:
        return [await asyncio.to_thread(_slow_server)]

    with patch.object(toolbox, "own_servers", own_servers):
        async with agent.session("slow", model=model, home=home, clock=lambda: NOW) as session:
            for number in range(scale.goals + 1):
                turn, taken = await watch.send(session, "How are the magnets, vacuum, cavities and undulators?")
                assert [each["ok"] for each in turn.values["tool_results"]] == [True] * len(SLOW), turn.path
                if number:
                    note(taken, result)
    return {"assistant/slow": result}


def _slow_server() -> McpServer:
    load()
    from fastmcp import FastMCP
    from mcp_types import ToolAnnotations

    server: FastMCP[Any] = FastMCP("slow")

    def add(name: str, seconds: float) -> None:
        async def look(query: str) -> str:
            await asyncio.sleep(seconds)
            return f"The {name} run as they should: {query}."

        said = f"Says how the {name} are."
        server.tool(look, name=f"look_at_{name}", description=said, annotations=ToolAnnotations(read_only_hint=True))

    for name, seconds in SLOW.items():
        add(name, seconds)
    return McpServer("slow", here=server)
