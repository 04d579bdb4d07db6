"""An acknowledged message is never lost and never processed twice: the service is killed right after the response."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from api_support import begun, events, sent, service, turn, waits
from crash_support import Tell, die, forked, hearing
from waiting_support import until


def killed(folder: Path, work: Callable[[httpx.AsyncClient, Tell], Any], commits: list[int], **settings: Any) -> Any:
    """Run `work` with a service in a separate process that kills itself; return its last message.

    If `commits` is not 0, it dies before that many further commits.
    """

    def record_statement(statement: str) -> None:
        if commits and statement.startswith("COMMIT"):
            commits[0] -= 1
            if commits[0] == 0:
                die()

    async def serve(tell: Tell) -> None:
        sqlite3.connect = sqlite3.dbapi2.connect = hearing(folder / "home", record_statement)
        async with service(folder, **settings) as client:
            await work(client, tell)

    # Once in this process, so that no child has to import and compile again.
    if not (folder / "warm").exists():
        (folder / "warm").mkdir()
        asyncio.run(_warm(folder / "warm"))
    child = forked(serve)
    assert child.end(), "it was not killed"
    return child.told[-1] if child.told else None


async def _warm(folder: Path) -> None:
    async with service(folder) as client:
        await turn(client, await begun(client), {"message": "a lamp"})


async def posted(client: httpx.AsyncClient, thread: str, body: Mapping[str, Any], way: str = "turns") -> str:
    answer = await client.post(f"/api/v1/threads/{thread}/{way}", json=body)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


async def over(client: httpx.AsyncClient, run: str) -> dict[str, Any]:
    """A run, when the service that adopted it has finished its turn."""

    async def shown() -> dict[str, Any]:
        return dict((await client.get(f"/api/v1/runs/{run}")).json())

    async def ended() -> bool:
        return bool((await shown())["status"] != "running")

    await until(ended)
    return await shown()


async def restarted_run(client: httpx.AsyncClient, thread: str, run: str) -> dict[str, Any]:
    """A run after the restart, the messages of its thread, and how often a turn began with each message."""
    shown = await over(client, run)
    messages = (await client.get(f"/api/v1/threads/{thread}/messages")).json()["items"]
    trace = (await client.get(f"/api/v1/threads/{thread}/trace", params={"limit": 500})).json()["items"]
    began = Counter(each["event"].get("message") for each in trace if each["event"]["type"] == "turn_started")
    return {"run": shown, "said": [each["text"] for each in messages if each["role"] == "user"], "began": began}


@pytest.mark.slow
def test_200_kills_after_the_answer_lose_nothing_and_take_nothing_twice(tmp_path: Path) -> None:
    """The service dies immediately, or before one of the next three commits after the response; the next one checks."""
    fates, last, commits = Counter[str](), None, list[int]()
    for number in range(201):

        async def work(client: httpx.AsyncClient, tell: Tell, number: int = number, last: Any = last) -> None:
            fate = await settled(client, *last) if last is not None else ""
            thread, message = await begun(client), f"lamp {number}"
            run = await posted(client, thread, {"message": message})
            tell([fate, [thread, run, message]])
            commits[:] = [number % 4]
            if number % 4:
                await asyncio.sleep(0.3)
            die()

        fate, last = killed(tmp_path, work, commits)
        fates[fate] += 1
    assert set(fates) == {"", "ended", "adopted"}, fates


async def settled(client: httpx.AsyncClient, thread: str, run: str, message: str) -> str:
    """The fate of a message of the previous service, without a request."""
    last = await restarted_run(client, thread, run)
    assert (last["run"]["status"], last["said"].count(message), last["began"][message]) == ("waiting", 1, 1), last
    assert last["run"]["turn"]["waiting_for"]["approval"] == (await waits(client, thread))["approval"]
    assert last["run"]["turn"]["reply"] == f"Shall I order {message}?"
    numbers = [number for number, *_ in events((await client.get(f"/api/v1/runs/{run}/events")).text)]
    return "adopted" if numbers[-1] > 1000 else "ended"


@pytest.mark.slow
def test_an_acknowledged_yes_is_done_exactly_once(tmp_path: Path) -> None:
    async def approve(client: httpx.AsyncClient, tell: Tell) -> None:
        thread = await begun(client)
        await turn(client, thread, {"message": "a lamp"})
        approval = (await waits(client, thread))["approval"]["hash"]
        tell([thread, await posted(client, thread, {"value": True, "approves": approval}, "resume")])
        die()

    async def look(client: httpx.AsyncClient, tell: Tell) -> None:
        last = await over(client, run)
        audit = [(each["event"], each["run"]) for each in (await client.get("/api/v1/audit")).json()["items"]]
        tell([last["status"], last["turn"]["reply"], sent(tmp_path), audit])
        die()

    _, run = killed(tmp_path, approve, [])
    audit = [["performed", run], ["approved", run]]
    assert killed(tmp_path, look, []) == ["ended", "Ordered.", ["a lamp"], audit]


@pytest.mark.slow
def test_a_message_behind_an_unfinished_turn_is_reported_as_unread(tmp_path: Path) -> None:
    async def two(client: httpx.AsyncClient, tell: Tell) -> None:
        thread = await begun(client)
        run = await posted(client, thread, {"message": "slow lamp"})
        await client.post(f"/api/v1/runs/{run}/cancel")
        tell([thread, await posted(client, thread, {"message": "and a chair"})])
        die()

    async def look(client: httpx.AsyncClient, tell: Tell) -> None:
        last = (await client.get(f"/api/v1/runs/{run}")).json()
        listed = (await client.get(f"/api/v1/runs/{run}/events")).text
        tell([last["unread"], last["problem"]["hint"], "and a chair" in listed])
        die()

    _, run = killed(tmp_path, two, [])
    hint = "An earlier turn had to be finished first, and the message was not read: send it again."
    assert killed(tmp_path, look, []) == ["and a chair", hint, True]


FILER = """
version: v1
id: flow.filer
nodes:
  - {id: q, type: question, key: what, read: verbatim, ask: always, prompt: What?}
  - {id: count, type: action, run: count}
  - {id: done, type: terminal}
edges: [{from: q, to: count}, {from: count, to: done}]
"""
FILER_NODES = """
from graphwright import action

@action()
def count(state, ctx):
    ctx.say(" ".join(f"{file.name}: {file.path.read_text()}" for file in ctx.files))
"""


@pytest.mark.slow
def test_files_of_an_acknowledged_message_come_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "filer"
    folder.mkdir()
    (folder / "flow.yaml").write_text(FILER.strip(), "utf-8")
    (folder / "nodes.py").write_text(FILER_NODES, "utf-8")

    async def give(client: httpx.AsyncClient, tell: Tell) -> None:
        thread = await begun(client, "filer")
        made = await client.post("/api/v1/files", files={"file": ("note.txt", b"seven", "text/plain")})
        body = {"message": "look", "files": [made.json()["id"]]}
        tell([thread, await posted(client, thread, body)])
        die()

    async def look(client: httpx.AsyncClient, tell: Tell) -> None:
        tell((await over(client, run))["turn"]["reply"])
        die()

    agents = (str(folder),)
    _, run = killed(tmp_path, give, [], agents=agents)
    assert killed(tmp_path, look, [], agents=agents) == "note.txt: seven"
