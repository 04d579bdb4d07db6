"""The resources of a session's actions: opened once, closed with the session, and opened again after a failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphwright.engine.events import Saying
from graphwright.host._run import Handles
from host_support import agent, open_session

FLOW = """
state: {n: {type: integer, default: 0}}
nodes: [{id: act, type: action, run: act}, {id: t, type: terminal, say: "{{ n }}"}]
edges: [{from: act, to: t}]
"""
NODES = """
from contextlib import asynccontextmanager

NOTED = []

@asynccontextmanager
async def thing():
    task = asyncio.current_task()
    NOTED.append("opened")
    yield NOTED
    assert asyncio.current_task() is task
    NOTED.append("closed")

@action(writes=["n"])
async def act(state, ctx):
    held = await ctx.shared("thing", thing)
    ctx.stream("one ")
    ctx.stream("two", afresh=True)
    held.append("used")
    return {"n": len(held)}
"""


async def test_a_thing_is_opened_once_a_session_and_closed_with_it(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW, NODES)
    async with open_session(made, tmp_path / "home") as session:
        events = [event async for event in session.stream("hi")]
        turn = await session.send("again")
        noted = made.action("act").function.__globals__["NOTED"]
        assert noted == ["opened", "used", "used"]
    assert noted == ["opened", "used", "used", "closed"]
    assert turn.reply == "3"
    pieces = [(event.node, event.text, event.afresh) for event in events if isinstance(event, Saying)]
    assert pieces == [("act", "one ", False), ("act", "two", True)]


async def test_a_failed_open_is_retried_and_a_failed_close_is_ignored(caplog: pytest.LogCaptureFixture) -> None:
    from collections.abc import AsyncIterator
    from contextlib import asynccontextmanager

    tried: list[str] = []

    @asynccontextmanager
    async def flaky() -> AsyncIterator[str]:
        tried.append("flaky")
        if len(tried) == 1:
            raise ConnectionError("not yet")
        yield "there"
        raise RuntimeError("cannot close")

    @asynccontextmanager
    async def good() -> AsyncIterator[str]:
        yield "good"
        tried.append("closed")

    handles = Handles()
    assert await handles.get("good", good) == "good"
    with pytest.raises(ConnectionError, match="not yet"):
        await handles.get("flaky", flaky)
    assert await handles.get("flaky", flaky) == "there"
    assert await handles.get("flaky", flaky) == "there"
    await handles.close()
    assert tried == ["flaky", "flaky", "closed"]
    assert "flaky did not close well: cannot close" in caplog.text
