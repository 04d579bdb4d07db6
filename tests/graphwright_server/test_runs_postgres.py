"""Several services over one Postgres: shared conversations, dying workers, a restarted server."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import httpx
import pytest

from api_support import begun, events, keys, sent, served, service, turn, waits
from postgres_support import PostgresServer, cutting

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def shared(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """All services of a test keep their data in one new database."""
    monkeypatch.setenv("GRAPHWRIGHT_STORE", postgres.database())


def client_of(address: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=address, timeout=60)


async def until(client: httpx.AsyncClient, run: str, kind: str) -> None:
    """Listen to a run until an event of this type."""
    async with client.stream("GET", f"/api/v1/runs/{run}/events") as stream:
        async for line in stream.aiter_lines():
            if line == f"event: {kind}":
                return
    raise AssertionError(f"the run had no {kind}")


async def test_a_worker_finishes_the_turn_of_a_killed_one(tmp_path: Path) -> None:
    with served(tmp_path) as (first, one), served(tmp_path) as (_, two):
        async with client_of(one) as ours, client_of(two) as theirs:
            thread = await begun(ours)
            await turn(theirs, thread, {"message": "dear lamp"})
            yes = {"value": True, "approves": (await waits(ours, thread))["approval"]["hash"]}
            run = (await ours.post(f"/api/v1/threads/{thread}/resume", json=yes)).json()["id"]
            # Received by the other worker, while the first one is in the middle of the action.
            await until(theirs, run, "action_started")
            assert (await theirs.get(f"/api/v1/threads/{thread}")).json()["status"] == "running"
            first.kill()
            killed = time.monotonic()
            assert (await theirs.get(f"/api/v1/runs/{run}")).json()["status"] == "running"
            while not (told := await resumed(theirs, run)):
                await asyncio.sleep(0.05)
                assert time.monotonic() - killed < 15, told
            last = events((await theirs.get(f"/api/v1/runs/{run}/events?after={told}")).text)[-1]
            assert (last[1], last[2]["reply"]) == ("turn_ended", "Ordered.")
            audit = (await theirs.get("/api/v1/audit")).json()["items"]
            assert [(each["event"], each["run"]) for each in audit] == [("performed", run), ("approved", run)]
    assert sent(tmp_path) == ["dear lamp"]


async def resumed(client: httpx.AsyncClient, run: str) -> int:
    """The number of the first event after another worker has adopted a run; 0 before that."""
    async with client.stream("GET", f"/api/v1/runs/{run}/events") as stream:
        async for line in stream.aiter_lines():
            if line.startswith("id: ") and int(line[4:]) > 1000:
                return int(line[4:])
    return 0


async def test_conversations_over_two_workers_survive_restarts(tmp_path: Path, postgres: PostgresServer) -> None:
    with served(tmp_path) as (_, one), served(tmp_path) as (_, two):
        async with client_of(one) as ours, client_of(two) as theirs:

            async def talk(number: int) -> str:
                first, second = (ours, theirs) if number % 2 else (theirs, ours)
                what = f"lamp {number}"
                thread = await begun(first)
                told = await turn(first, thread, {"message": what})
                assert told["status"] == "waiting", told
                yes = {"value": True, "approves": (await waits(second, thread))["approval"]["hash"]}
                told = await turn(second, thread, yes, "resume")
                assert told["status"] == "ended", told
                return what

            async def restart() -> None:
                for _ in range(3):
                    await asyncio.sleep(1)
                    await asyncio.to_thread(postgres.restart)

            restarting = asyncio.create_task(restart())
            done = await asyncio.gather(*(talk(number) for number in range(200)))
            while not restarting.done():
                done += [await talk(len(done))]
    # An order that was repeated after a lost commit has the same key, so the shop can detect it.
    assert sorted(what for _, what in keys(tmp_path)) == sorted(done)


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize(("statement", "least"), [(b"COMMIT", 12), (b"advisory_lock", 4), (b"advisory_unlock", 4)])
async def test_a_conversation_survives_a_lost_connection_at_every_commit_and_lease(
    tmp_path: Path,
    postgres: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
    statement: bytes,
    least: int,
    forward: bool,
) -> None:
    """The commit of a thread, a run, each kind of message, an outcome, the end of a run: done or not, unconfirmed.

    Another worker looks at the same database. It takes the worker with the lost connection for dead.
    """
    address, number, repeated = os.environ["GRAPHWRIGHT_STORE"], 0, 0
    async with service(tmp_path, home=tmp_path / "other"):
        with cutting(postgres, statement) as cut:
            monkeypatch.setenv("GRAPHWRIGHT_STORE", cut.url(address))
            async with service(tmp_path) as client:
                while cut.done:
                    number += 1
                    cut.arm(number, forward=forward)
                    thread, what = await begun(client), f"lamp {number}"
                    assert (await turn(client, thread, {"message": what}))["status"] == "waiting"
                    yes = {"value": True, "approves": (await waits(client, thread))["approval"]["hash"]}
                    assert (await turn(client, thread, yes, "resume"))["status"] == "ended"
                    trace = (await client.get(f"/api/v1/threads/{thread}/trace?limit=200")).json()["items"]
                    began = [each["event"] for each in trace if each["event"]["type"] == "turn_started"]
                    assert [each["message"] for each in began] == [None, what, "yes"]
                    audit = (await client.get(f"/api/v1/audit?thread={thread}")).json()["items"]
                    assert [each["event"] for each in audit][-1:] == ["approved"]
                    repeated += len(audit) - 2
    assert number >= least
    # An action during which the connection is lost runs again, under the same key.
    assert len(sent(tmp_path)) - number == repeated
    assert sorted(what for _, what in keys(tmp_path)) == sorted(f"lamp {n}" for n in range(1, number + 1))
