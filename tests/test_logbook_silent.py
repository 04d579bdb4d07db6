"""A logbook server that takes requests and never answers: it is waited for once, and for a while no more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from assistant_support import asked, decides, judges, says, selects
from fake_elogd import FakeElogd
from fake_elogd import serving as serving_elogd
from fastmcp import Client
from logbook_support import clock, elog, shifts

from graphwright.agents.assistant import toolbox
from graphwright.logbook import make_server, serving
from graphwright.logbook.builtin import BuiltinLogbook
from graphwright.logbook.elog import client as elog_client
from graphwright.logbook.elog.adapter import ElogServer
from graphwright.logbook.elog.client import ElogClient
from graphwright.tools.mcp import McpServer, McpServers
from graphwright.tools.mcp.library import load


class Mute:
    """A server that counts who came, and says nothing."""

    def __init__(self) -> None:
        self.visits = 0
        self.address = ""

    async def heard(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.visits += 1
        await reader.read()
        writer.close()


@asynccontextmanager
async def mute() -> AsyncIterator[Mute]:
    made = Mute()
    server = await asyncio.start_server(made.heard, "127.0.0.1", 0)
    made.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/Operation"
    async with server:
        yield made


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elog_client, "_READ", 0.3)


async def test_the_list_of_tools_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_PATIENCE", 0.05)
    monkeypatch.setattr(elog_client, "_READ", 60.0)
    async with mute() as server:
        client = Client(make_server(ElogServer(ElogClient(server.address), clock), clock))
        async with client:
            for _ in range(3):
                assert {tool.name for tool in await client.list_tools()} == {"search_elog", "get_elog_thread"}
        assert server.visits == 1


async def test_after_a_call_without_an_answer_it_is_not_asked_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    async with mute() as server:
        here = make_server(ElogServer(ElogClient(server.address), clock), clock)
        async with McpServers([McpServer("elog", here=here)]) as servers:
            visits = server.visits
            first = await servers.registry().call("search_elog", {"query": "dump"})
            again = await servers.registry().call("get_elog_thread", {"id": 3})
            await servers.refresh()
            assert server.visits == visits == 1
            assert (first.code, again.code) == ("no_answer", "no_answer")
            assert "does not answer" in first.error
            assert "asked again in" in again.error
            monkeypatch.setattr(serving, "_CALM", 0.0)
            third = await servers.registry().call("search_elog", {"query": "dump"})
            assert third.code == "no_answer"
            assert server.visits == 2


async def test_what_it_refuses_is_no_silence() -> None:
    with serving_elogd(shifts(FakeElogd())) as elogd:
        async with McpServers([McpServer("elog", here=make_server(elog(elogd), clock))]) as servers:
            refused = await servers.registry().call("get_elog_thread", {"id": 999})
            assert refused.code == "no_entry"
            assert (await servers.registry().call("search_elog", {"query": "klystron"})).ok


async def test_in_a_turn_it_is_called_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load()
    async with mute() as server:

        async def servers(*_: Any, **__: Any) -> list[McpServer]:
            return [McpServer("elog", here=make_server(ElogServer(ElogClient(server.address), clock), clock))]

        monkeypatch.setattr(toolbox, "own_servers", servers)
        rules = [decides(), selects(("search_elog", {"query": "dump"})), judges(), says("It could not be searched.")]
        turn = await asked(tmp_path, "Which beam dumps were there last week?", rules=rules)
        assert server.visits == 1
        assert "search_elog failed" in turn.reply


async def test_the_sample_says_that_it_is_one(tmp_path: Path) -> None:
    async with McpServers([McpServer("elog", here=make_server(BuiltinLogbook(tmp_path, clock), clock))]) as servers:
        found = await servers.registry().call("search_elog", {"query": "dump"})
        assert found.value.note.startswith(serving.IS_SAMPLE)
        thread = await servers.registry().call("get_elog_thread", {"id": int(found.value.sources[0].metadata["id"])})
        assert thread.value.note.startswith(serving.IS_SAMPLE)
