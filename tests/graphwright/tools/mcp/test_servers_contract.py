"""Real MCP servers on version 1 of the library, in a separate environment."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack

import pytest

from graphwright.tools.mcp import McpServer, McpServers
from mcp_support import call_text, public_python, served

pytestmark = pytest.mark.slow


async def test_a_public_server_over_stdio() -> None:
    program = public_python("mcp-server-time")
    async with McpServers([McpServer("clock", command=program, arguments=("--local-timezone", "UTC"))]) as servers:
        (state,) = servers.states()
        assert (state.state, state.tools, state.notes, state.protocol < "2026") == ("ready", 2, (), True)
        given = {"source_timezone": "Europe/Zurich", "time": "12:00", "target_timezone": "Asia/Tokyo"}
        told = json.loads(await call_text(servers, "clock__convert_time", **given))
        assert "T12:00:00" in told["source"]["datetime"]
        missing = await servers.registry().call("clock__convert_time", {"time": "12:00"})
        assert missing.kind == "bad_arguments"
        wrong = await servers.registry().call("clock__get_current_time", {"timezone": "Nowhere/Land"})
        assert (wrong.kind, wrong.code) == ("failed", "mcp_tool_failed")


async def test_sessions_over_http_are_begun_anew_and_a_change_of_tools_is_heard(free_port: int) -> None:
    python = public_python("python")
    async with AsyncExitStack() as stack:
        with served(free_port, "old.py", python):
            web = McpServer("old", url=f"http://127.0.0.1:{free_port}/mcp")
            servers = await stack.enter_async_context(McpServers([web]))
            assert servers.states()[0].protocol < "2026"
            first = await call_text(servers, "old__pid")
        with served(free_port, "old.py", python):
            # After a restart it does not know the session; in between it was unreachable.
            assert await call_text(servers, "old__pid") != first
            assert await call_text(servers, "old__change") == "changed"
            await servers.refresh()
            assert "old__new" in servers.registry()
