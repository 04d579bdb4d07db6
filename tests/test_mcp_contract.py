"""Real public MCP servers, of the Python and the JavaScript library, in environments of their own."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
from pathlib import Path

import pytest
from mcp_support import found, free_port, public_node, public_python, said, served

from graphwright.tools.mcp import McpServer, McpServers

pytestmark = pytest.mark.slow


async def test_mcp_server_time() -> None:
    program = public_python("mcp-server-time")
    async with McpServers([McpServer("clock", command=program, arguments=("--local-timezone", "UTC"))]) as servers:
        (state,) = servers.states()
        assert (state.state, state.tools, state.notes) == ("ready", 2, ())
        given = {"source_timezone": "Europe/Zurich", "time": "12:00", "target_timezone": "Asia/Tokyo"}
        told = json.loads(await said(servers, "clock__convert_time", **given))
        assert told["source"]["timezone"] == "Europe/Zurich"
        assert "T12:00:00" in told["source"]["datetime"]
        missing = await servers.registry().call("clock__convert_time", {"time": "12:00"})
        assert missing.kind == "bad_arguments"
        wrong = await servers.registry().call("clock__get_current_time", {"timezone": "Nowhere/Land"})
        assert (wrong.kind, wrong.code) == ("failed", "mcp_tool_failed")


async def test_mcp_server_git(tmp_path: Path) -> None:
    program = public_python("mcp-server-git")
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    committing = ["-c", "user.name=Ada", "-c", "user.email=ada@lab.example", "commit", "--allow-empty", "-m", "First"]
    for command in (["init"], committing):
        git = await asyncio.create_subprocess_exec(
            "git", *command, cwd=tmp_path, env=os.environ | own, stdout=asyncio.subprocess.DEVNULL
        )
        assert await git.wait() == 0
    server = McpServer("git", command=program, arguments=("--repository", str(tmp_path)), environment=own)
    async with McpServers([server]) as servers:
        assert servers.states()[0].tools >= 10
        told = await said(servers, "git__git_log", repo_path=str(tmp_path), max_count=5)
        assert "First" in told
        assert "Ada" in told


async def test_the_old_library_over_http() -> None:
    python = public_python("python")
    port = free_port()
    async with contextlib.AsyncExitStack() as stack:
        with served(port, "old.py", python):
            server = McpServer("old", url=f"http://127.0.0.1:{port}/mcp")
            servers = await stack.enter_async_context(McpServers([server]))
            assert servers.states()[0].protocol < "2026"
            first = await said(servers, "old__pid")
        with served(port, "old.py", python):
            # Started anew it knows nothing of the session; it was not there at all between.
            assert await said(servers, "old__pid") != first
            assert await said(servers, "old__change") == "changed"
            await servers.refresh()
            assert "old__new" in servers.registry()


async def test_server_filesystem(tmp_path: Path) -> None:
    node, script = public_node("@modelcontextprotocol/server-filesystem")
    (tmp_path / "shift.txt").write_text("Beam was lost at 14:02.\n", "utf-8")
    picture = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    (tmp_path / "plot.png").write_bytes(picture)
    allowed = ("read_text_file", "read_media_file", "list_directory")
    server = McpServer("files", command=node, arguments=(script, str(tmp_path)), tools=allowed)
    async with McpServers([server]) as servers:
        assert {d["name"] for d in servers.registry().declarations()} == {f"files__{name}" for name in allowed}
        assert (
            await said(servers, "files__read_text_file", path=str(tmp_path / "shift.txt"))
            == "Beam was lost at 14:02.\n"
        )
        seen = found(await servers.registry().call("files__read_media_file", {"path": str(tmp_path / "plot.png")}))
        urls = [image.url for source in seen.sources for image in source.images]
        assert urls == [f"data:image/png;base64,{base64.b64encode(picture).decode()}"]
        outside = await servers.registry().call("files__read_text_file", {"path": "/etc/passwd"})
        assert (outside.kind, outside.code) == ("failed", "mcp_tool_failed")


async def test_server_everything() -> None:
    node, script = public_node("@modelcontextprotocol/server-everything")
    async with McpServers([McpServer("all", command=node, arguments=(script, "stdio"))]) as servers:
        registry = servers.registry()
        assert servers.states()[0].tools >= 10
        assert "42" in await said(servers, "all__get-sum", a=40, b=2)
        pictures = found(await registry.call("all__get-tiny-image", {}))
        assert any(image.url.startswith("data:image/png") for s in pictures.sources for image in s.images)
        linked = found(await registry.call("all__get-resource-links", {"count": 3}))
        assert len([source for source in linked.sources if "uri" in source.metadata]) == 3
        given = found(await registry.call("all__get-structured-content", {"location": "New York"}))
        assert "temperature" in given.sources[0].text
