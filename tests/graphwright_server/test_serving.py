"""The service in a separate process: its start, listeners that reconnect, and a server that is killed in a turn."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from api_support import SHOP, SHOP_NODES, begun, events, sent, served, shop, turn, waits
from cli_support import Runner

pytestmark = pytest.mark.slow


def children(process: subprocess.Popen[str]) -> None:
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def test_the_service_imports_no_library_that_only_turns_or_logins_need() -> None:
    script = (
        "import sys, graphwright_server._app\n"
        "print([m for m in ('langchain_core', 'langsmith', 'httpx', 'fastmcp', 'duckdb') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


async def test_a_killed_server_continues_at_the_waiting_question(tmp_path: Path) -> None:
    with served(tmp_path) as (process, address):
        async with httpx.AsyncClient(base_url=address, timeout=30) as client:
            thread = await begun(client)
            await turn(client, thread, {"message": "a lamp"})
            approval = (await waits(client, thread))["approval"]["hash"]
        children(process)
    with served(tmp_path) as (_, address):
        async with httpx.AsyncClient(base_url=address, timeout=30) as client:
            yes = {"value": True, "approves": approval}
            assert (await turn(client, thread, yes, "resume"))["status"] == "ended"
    assert sent(tmp_path) == ["a lamp"]


async def test_a_turn_that_a_killed_server_left_is_finished_by_the_next(tmp_path: Path) -> None:
    with served(tmp_path) as (process, address):
        async with httpx.AsyncClient(base_url=address, timeout=30) as client:
            thread = await begun(client)
            run = (await client.post(f"/api/v1/threads/{thread}/turns", json={"message": "slow lamp"})).json()["id"]
            async with client.stream("GET", f"/api/v1/runs/{run}/events") as stream:
                async for line in stream.aiter_lines():
                    if line == "event: saying":
                        break
            await asyncio.sleep(1)
        children(process)
    with served(tmp_path) as (_, address):
        async with httpx.AsyncClient(base_url=address, timeout=60) as client:
            told = events((await client.get(f"/api/v1/runs/{run}/events?after=1")).text)
            assert told[0][0] == 2
            assert (told[-1][1], told[-1][2]["waiting_for"]["node"]) == ("turn_ended", "q.sure")
            # A listener may have received events that were not stored.
            ahead = events((await client.get(f"/api/v1/runs/{run}/events?after=900")).text)
            assert [each[1] for each in ahead] == [kind for number, kind, _ in told if number > 900] != []
            assert (await client.get("/api/v1/threads?status=cut_short")).json()["items"] == []
            messages = (await client.get(f"/api/v1/threads/{thread}/messages")).json()["items"]
            assert [m["text"] for m in messages if m["role"] == "user"] == ["slow lamp"]


async def test_a_slow_or_lost_listener_blocks_nothing(tmp_path: Path) -> None:
    with served(tmp_path) as (_, address):
        async with httpx.AsyncClient(base_url=address, timeout=30) as client:
            thread = await begun(client)
            start = {"json": {"message": "slow lamp"}, "headers": {"Accept": "text/event-stream"}}
            async with client.stream("POST", f"/api/v1/threads/{thread}/turns", **start) as stream:
                run = stream.headers["location"]
                await anext(stream.aiter_lines())
            # The first one disconnects; another one reads nothing.
            async with client.stream("GET", f"{run}/events"):
                other = await begun(client)
                assert (await turn(client, other, {"message": "a lamp"}))["status"] == "waiting"
                assert (await client.get(run)).json()["status"] == "running"
            assert (await client.post(f"{run}/cancel")).json()["status"] == "cancelled"


async def test_two_services_on_one_folder_follow_and_cancel_each_others_runs(tmp_path: Path) -> None:
    with served(tmp_path) as (_, first), served(tmp_path) as (_, second):
        async with (
            httpx.AsyncClient(base_url=first, timeout=30) as at_work,
            httpx.AsyncClient(base_url=second, timeout=30) as other,
        ):
            thread = await begun(at_work)
            run = (await at_work.post(f"/api/v1/threads/{thread}/turns", json={"message": "slow lamp"})).json()["id"]
            assert (await other.get(f"/api/v1/runs/{run}")).json()["status"] == "running"
            busy = await other.post(f"/api/v1/threads/{thread}/turns", json={"message": "a lamp"})
            assert busy.json()["code"] == "thread_busy"
            seen: list[str] = []
            async with other.stream("GET", f"/api/v1/runs/{run}/events") as stream:
                async for line in stream.aiter_lines():
                    if line.startswith("event: "):
                        seen.append(line[7:])
                    if seen.count("saying") == 3:
                        assert (await other.post(f"/api/v1/runs/{run}/cancel")).json()["status"] == "cancelled"
            assert (seen[0], seen[-1]) == ("turn_started", "run_cancelled")
            assert (await at_work.get(f"/api/v1/runs/{run}")).json()["status"] == "cancelled"


async def test_an_approval_is_written_down_before_a_server_can_be_killed_in_what_it_lets_happen(tmp_path: Path) -> None:
    with served(tmp_path) as (process, address):
        async with httpx.AsyncClient(base_url=address, timeout=30) as client:
            thread = await begun(client)
            await turn(client, thread, {"message": "dear lamp"})
            approval = (await waits(client, thread))["approval"]["hash"]
            yes = {"value": True, "approves": approval}
            run = (await client.post(f"/api/v1/threads/{thread}/resume", json=yes)).json()["id"]
            async with client.stream("GET", f"/api/v1/runs/{run}/events") as stream:
                async for line in stream.aiter_lines():
                    if line == "event: saying":
                        break
        children(process)
    with served(tmp_path) as (_, address):
        async with httpx.AsyncClient(base_url=address, timeout=30) as client:
            (entry,) = (await client.get(f"/api/v1/audit?thread={thread}")).json()["items"]
            assert (entry["event"], entry["content"], entry["run"]) == ("approved", approval, run)


@contextmanager
def blocked_service(folder: Path, port: int) -> Iterator[str]:
    """The service as a process whose output is not read any more, and its address."""
    reads, writes = os.pipe()
    os.close(reads)
    environment = {**os.environ, "GRAPHWRIGHT_HOME": str(folder / "home"), "GRAPHWRIGHT_MODEL": "none"}
    command = [sys.executable, "-m", "graphwright.cli", "serve", "--no-open", "--port", str(port)]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=writes, stderr=writes)
    os.close(writes)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


async def test_the_server_works_when_its_output_is_not_read(tmp_path: Path, free_port: int) -> None:
    shop(tmp_path)
    (tmp_path / "graphwright.toml").write_text('[service]\nagents = ["shop"]\n', "utf-8")
    transport = httpx.AsyncHTTPTransport(retries=8)
    with blocked_service(tmp_path, free_port) as address:
        async with httpx.AsyncClient(transport=transport, base_url=address, timeout=60) as client:
            assert await turn(client, await begun(client), {"message": "a lamp"})


def test_data_that_cannot_be_opened_are_an_error_without_traceback(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "graphwright.db").write_text("notes, and no database " * 100, "utf-8")
    with pytest.raises(AssertionError) as caught, served(tmp_path):
        pass
    assert "[not_a_database]" in str(caught.value)
    assert "Traceback" not in str(caught.value)


async def test_two_hundred_threads_at_once(tmp_path: Path) -> None:
    with served(tmp_path) as (_, address):

        async def one() -> str:
            # Each has its own client: 200 requests of one httpx client close each other's connections.
            async with httpx.AsyncClient(base_url=address, timeout=120, verify=False) as client:
                thread = await begun(client)
                await turn(client, thread, {"message": "a lamp"})
                return str((await turn(client, thread, {"message": "no"}))["status"])

        assert set(await asyncio.gather(*(one() for _ in range(200)))) == {"ended"}


async def test_a_turn_cut_by_a_shutdown_is_finished_by_the_next_server(tmp_path: Path) -> None:
    with served(tmp_path) as (process, address):
        async with httpx.AsyncClient(base_url=address, timeout=30) as client:
            thread = await begun(client)
            run = (await client.post(f"/api/v1/threads/{thread}/turns", json={"message": "slow lamp"})).json()["id"]
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.wait, 30)
    with served(tmp_path) as (_, address):
        async with httpx.AsyncClient(base_url=address, timeout=30) as client:
            told = events((await client.get(f"/api/v1/runs/{run}/events")).text)
            assert (told[-1][1], told[-1][2]["waiting_for"]["node"]) == ("turn_ended", "q.sure")


async def test_a_folder_that_is_named_is_served_with_the_others(tmp_path: Path) -> None:
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms" / "flow.yaml").write_text(
        SHOP.strip().replace("flow.shop", "flow.rooms").replace("title: Shop", "title: Rooms"), "utf-8"
    )
    (tmp_path / "rooms" / "nodes.py").write_text(SHOP_NODES, "utf-8")
    with served(tmp_path, "rooms") as (_, address):
        async with httpx.AsyncClient(base_url=address, timeout=60) as client:
            titles = {each["title"] for each in (await client.get("/api/v1/agents")).json()["items"]}
            assert {"Rooms", "Shop"} <= titles
            made = await client.post("/api/v1/threads", json={"agent": "rooms"})
            assert (made.status_code, made.json()["agent"]) == (201, "rooms")


def test_a_folder_that_cannot_be_served_ends_the_command(tmp_path: Path, run: Runner) -> None:
    assert run("serve", str(tmp_path / "nowhere"), "--no-open").code == 2
    (tmp_path / "flow.yaml").write_text("version: v1\nid: x\n", "utf-8")
    broken = run("serve", str(tmp_path), "--no-open")
    assert (broken.code, "graphwright check" in broken.err) == (1, True)
