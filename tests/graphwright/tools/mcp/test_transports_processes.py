"""Processes of MCP servers: none is left behind, in any case."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import pytest

from graphwright.tools.mcp import McpServer, McpServers
from mcp_support import SERVERS, call_text, gone, modern, raw
from waiting_support import runs

pytestmark = pytest.mark.slow


def children() -> set[int]:
    """The running descendants of this process."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(pid): int(parent) for pid, parent in map(str.split, listed.splitlines())}
    return {pid for pid, parent in parents.items() if parent == os.getpid() and runs(pid)}


@pytest.mark.parametrize("mode", ["", "stubborn"])
async def test_child_processes_of_a_server_end_with_it(mode: str) -> None:
    async with McpServers([raw(mode)]) as servers:
        orphan = int(await call_text(servers, "raw__child"))
        assert not (await servers.registry().call("raw__die", {})).ok
        pid = int(await call_text(servers, "raw__pid"))
        child = int(await call_text(servers, "raw__child"))
        assert await gone(orphan)
        assert runs(pid)
        assert runs(child)
        # Signals of the terminal do not reach servers.
        assert os.getpgid(pid) != os.getpgid(0)
    assert await gone(pid)
    assert await gone(child)


@pytest.mark.parametrize("mode", ["silent", "endless", "stubborn", "no server"])
async def test_cancelling_while_connecting_leaves_no_process(mode: str) -> None:
    before = children()
    server = McpServer("sleep", command="sleep", arguments=("600",)) if mode == "no server" else raw(mode)

    async def connect() -> None:
        async with McpServers([server, modern()]):
            await asyncio.sleep(600)

    for wait in (0.02, 1.0):
        task = asyncio.create_task(connect())
        await asyncio.sleep(wait)
        started = children() - before
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert all([await gone(pid) for pid in started])
        assert children() == before


async def test_a_session_cancelled_while_closing_leaves_no_process() -> None:
    pids: list[int] = []
    used = asyncio.Event()

    async def use() -> None:
        async with McpServers([raw("stubborn")]) as servers:
            pids.append(int(await call_text(servers, "raw__pid")))
            used.set()
            await servers.registry().call("raw__hang", {})

    task = asyncio.create_task(use())
    await used.wait()
    for _ in range(3):
        await asyncio.sleep(0.1)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await gone(pids[0])


@pytest.mark.parametrize(("mode", "last"), [("stubborn", "await asyncio.sleep(600)"), ("", "os._exit(1)")])
def test_an_interrupted_program_leaves_no_process(mode: str, last: str) -> None:
    program = f"""
import asyncio, os, sys
from graphwright.tools.mcp import McpServer, McpServers
async def main():
    server = McpServer("raw", command=sys.executable, arguments=({str(SERVERS / "raw.py")!r}, {mode!r}))
    async with McpServers([server]) as servers:
        result = await servers.registry().call("raw__pid", {{}})
        print(result.value.sources[0].text, flush=True)
        {last}
asyncio.run(main())
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    pid = int(process.stdout.readline())
    if mode:
        assert runs(pid)
        process.send_signal(signal.SIGINT)
    process.communicate()
    assert asyncio.run(gone(pid))
