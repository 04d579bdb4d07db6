"""The service: turns as runs with events, approvals of an exact content, idempotency, cancelling."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from api_support import begun, events, sent, service, shop, turn, waits
from graphwright import Workspace, load
from graphwright.store import Message, StoreError
from graphwright.store.sql._runs import SqlRuns
from graphwright_server import _agents
from graphwright_server._agents import OpenSessions
from graphwright_server._approvals import described
from waiting_support import until

STREAM = {"Accept": "text/event-stream"}


async def test_a_conversation_over_http_is_the_one_of_a_session(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        last = await turn(client, thread, {"message": "a lamp"})
        assert (last["status"], last["path"]) == ("waiting", ["write", "q.sure"])
        approval = (await waits(client, thread))["approval"]
        assert approval["over"] == {"order": {"what": "a lamp", "attempt": 1}}
        assert approval["actions"] == ["send"]
        last = await turn(client, thread, {"value": True, "approves": approval["hash"]}, "resume")
        assert (last["status"], last["reply"], sent(tmp_path)) == ("ended", "Ordered.", ["a lamp"])
        shown = (await client.get(f"/api/v1/threads/{thread}")).json()
        assert (shown["agent"], shown["status"], shown["turns"], shown["title"]) == ("shop", "ended", 3, "a lamp")
        assert shown["run"]["status"] == "ended"


async def test_events_have_numbers_and_can_be_read_again_from_any_of_them(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        answer = await client.post(f"/api/v1/threads/{thread}/turns", json={"message": "a lamp"}, headers=STREAM)
        assert answer.headers["content-type"].startswith("text/event-stream")
        first = events(answer.text)
        assert [number for number, _, _ in first] == list(range(1, len(first) + 1))
        assert (first[0][1], first[-1][1]) == ("turn_started", "turn_ended")
        place = answer.headers["location"]
        again = await client.get(f"{place}/events", headers={"Last-Event-ID": "3"})
        assert events(again.text) == first[3:]
        assert events((await client.get(f"{place}/events?after={len(first) - 1}")).text) == first[-1:]


async def test_a_yes_must_say_what_it_approves(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        await turn(client, thread, {"message": "a lamp"})
        answer = await client.post(f"/api/v1/threads/{thread}/resume", json={"value": True})
        assert (answer.status_code, answer.json()["code"]) == (409, "approval_missing")
        answer = await client.post(f"/api/v1/threads/{thread}/resume", json={"value": True, "approves": "0" * 64})
        assert (answer.status_code, answer.json()["code"]) == (409, "approval_changed")
        # In words, a yes is never accepted: the turn says why, and the question is asked again.
        for _ in range(4):
            last = await turn(client, thread, {"message": "yes"})
            assert (last["status"], last["waiting_for"]["node"], sent(tmp_path)) == ("waiting", "q.sure", [])
            assert [(each["key"], each["stage"]) for each in last["refused"]] == [("sure", "approval")]
            assert "`approves`" in last["refused"][0]["reason"]
            assert last["reply"] == f"{last['refused'][0]['reason']}\n\nShall I order a lamp?"
        approval = (await waits(client, thread))["approval"]
        assert last["waiting_for"]["approval"] == approval
        last = await turn(client, thread, {"message": "yes", "approves": approval["hash"]})
        assert (last["status"], sent(tmp_path)) == ("ended", ["a lamp"])


async def test_an_approval_holds_once_and_for_that_content_alone(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        await turn(client, thread, {"message": "a lamp"})
        old = (await waits(client, thread))["approval"]["hash"]
        await turn(client, thread, {"message": "something else"})
        await turn(client, thread, {"message": "ten lamps"})
        yes = {"value": True, "approves": old}
        answer = await client.post(f"/api/v1/threads/{thread}/resume", json=yes)
        assert (answer.status_code, answer.json()["code"], sent(tmp_path)) == (409, "approval_changed", [])
        yes["approves"] = (await waits(client, thread))["approval"]["hash"]
        await turn(client, thread, yes, "resume")
        again = await client.post(f"/api/v1/threads/{thread}/resume", json=yes)
        assert (again.status_code, again.json()["code"], sent(tmp_path)) == (409, "nothing_waits", ["ten lamps"])
        audit = (await client.get("/api/v1/audit")).json()["items"]
        assert [each["event"] for each in audit] == ["performed", "approved", "changed"]
        assert audit[1]["content"] == yes["approves"]
        assert all(each["yours"] for each in audit)


async def statuses(client: httpx.AsyncClient, thread: str) -> set[str]:
    """The status of a thread on its page, in its state and in the list."""
    whole = [(await client.get(f"/api/v1/threads/{thread}{part}")).json() for part in ("", "/state")]
    listed = (await client.get("/api/v1/threads")).json()["items"]
    return {each["status"] for each in [*whole, *listed] if each["thread"] == thread}


async def test_one_turn_of_a_thread_at_a_time(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        run = (await client.post(f"/api/v1/threads/{thread}/turns", json={"message": "slow lamp"})).json()
        assert run["status"] == "running"
        assert await statuses(client, thread) == {"running"}
        other = await client.post(f"/api/v1/threads/{thread}/turns", json={"message": "another"})
        assert (other.status_code, other.json()["code"]) == (409, "thread_busy")
        cancelled = (await client.post(f"/api/v1/runs/{run['id']}/cancel")).json()
        assert cancelled["status"] == "cancelled"
        told = events((await client.get(f"/api/v1/runs/{run['id']}/events")).text)
        assert told[-1][1] == "run_cancelled"
        assert any(kind == "saying" for _, kind, _ in told)
        # An interrupted turn is reported, and finished by the next request.
        assert await statuses(client, thread) == {"cut_short"}
        await client.delete(f"/api/v1/threads/{thread}")
        assert (await client.get(f"/api/v1/runs/{run['id']}")).status_code == 404


async def test_threads_are_listed_by_the_status_that_they_show(tmp_path: Path) -> None:
    given = agent_and_model(tmp_path, "reader", READER)
    async with service(tmp_path, **{**given, "agents": (*given["agents"], str(shop(tmp_path)))}) as client:
        running = []
        for agent, message in (("reader", "a lamp"), ("shop", "slow lamp"), ("shop", "slow chair")):
            thread = await begun(client, agent)
            run = await client.post(f"/api/v1/threads/{thread}/turns", json={"message": message})
            running.append((thread, run.json()["id"]))
        cut = running.pop()
        await client.post(f"/api/v1/runs/{cut[1]}/cancel")
        there = {"running": [each for each, _ in running], "cut_short": [cut[0]], "failed": []}
        there["new"] = [(await client.post("/api/v1/threads", json={"agent": "shop"})).json()["thread"]]
        there["waiting"] = [await begun(client) for _ in range(3)]
        there["ended"] = [await begun(client)]
        for message in ("a lamp", "no"):
            await turn(client, there["ended"][0], {"message": message})

        for status, threads in there.items():
            found, query = [], {"status": status, "limit": 1}
            while query is not None:
                page = (await client.get("/api/v1/threads", params=query)).json()
                found += [each["thread"] for each in page["items"]]
                query = {**query, "cursor": page["next"]} if page["next"] else None
            assert sorted(found) == sorted(threads), status
        refused = await client.get("/api/v1/threads", params={"status": "busy"})
        assert (refused.status_code, refused.json()["code"]) == (422, "bad_request")
        assert "'new', 'running', 'cut_short', 'waiting', 'ended' or 'failed'" in refused.json()["detail"]
        document = (await client.get("/openapi.json")).json()["paths"]["/api/v1/threads"]["get"]["parameters"]
        (told,) = (each["schema"]["anyOf"][0]["enum"] for each in document if each["name"] == "status")
        assert set(told) == set(there)


@pytest.mark.parametrize("flow", ["READER", "THINKER"])
async def test_a_turn_that_the_user_stops_is_in_messages_trace_and_log_and_changes_nothing(
    tmp_path: Path, flow: str
) -> None:
    given = {"READER": (READER, ""), "THINKER": (THINKER, THINKER_NODES)}[flow]
    async with service(tmp_path, **agent_and_model(tmp_path, "agent", *given)) as client:
        thread, path = await cancelled(client, "agent", tmp_path)
        assert await statuses(client, thread["thread"]) == {"waiting"}
        assert (thread["turns"], thread["title"], "unread" in thread["run"]) == (1, "a lamp", False)
        said = (await client.get(f"{path}/messages")).json()["items"]
        assert (said[0]["role"], said[0]["text"], said[0]["turn"]) == ("user", "a lamp", 1)
        trace = [each["event"] for each in (await client.get(f"{path}/trace")).json()["items"]]
        assert trace[0]["type"] == "turn_started"
        assert "node_entered" in {each["type"] for each in trace}
        assert [each["code"] for each in trace if each["type"] == "turn_failed"] == ["stopped"]
        (logged,) = (await client.get("/api/v1/logs")).json()["items"]
        assert (logged["question"], logged["success"], logged["error"]) == (
            "a lamp",
            False,
            "The turn was stopped. [stopped]",
        )
        told = events((await client.get(f"/api/v1/runs/{thread['run']['id']}/events")).text)
        assert (told[-1][1], "unread" in told[-1][2]) == ("run_cancelled", False)
        turns = (await client.get(f"{path}/turns")).json()["items"]
        assert [(each["failed"], each["stopped"]) for each in turns] == [(False, True)]
        listed = "/api/v1/threads?last=true"
        assert [each["stopped"] for each in (await client.get(listed)).json()["items"]] == [True]
        (tmp_path / "again").touch()
        if flow == "THINKER":
            # The next message is not taken for a second attempt of the stopped one.
            assert (await turn(client, thread["thread"], {"message": "two lamps"}))["reply"] == "Done: two lamps."
            assert [each["stopped"] for each in (await client.get(listed)).json()["items"]] == [False]


def agent_and_model(folder: Path, name: str, flow: str, nodes: str = "") -> dict[str, Any]:
    """Settings of a service with this agent, and a model that takes a minute to read a reply."""
    (folder / name).mkdir()
    (folder / name / "flow.yaml").write_text(flow, "utf-8")
    (folder / name / "nodes.py").write_text(nodes, "utf-8")
    rules = "[{offers: UpdateAnswers, call: {UpdateAnswers: {answers: []}}, delay: 60}]"
    (folder / "rules.yaml").write_text(rules, "utf-8")
    return {"agents": (str(folder / name),), "model": f"scripted:{folder / 'rules.yaml'}"}


async def cancelled(client: httpx.AsyncClient, agent: str, folder: Path) -> tuple[dict[str, Any], str]:
    """A new thread whose first turn, with the message "a lamp", is cancelled in progress; and its path."""
    thread = (await client.post("/api/v1/threads", json={"agent": agent})).json()["thread"]
    path = f"/api/v1/threads/{thread}"
    run = (await client.post(f"{path}/turns", json={"message": "a lamp"})).json()["id"]

    async def begun() -> bool:
        return (folder / "thinking").exists() or bool((await client.get(f"{path}/messages")).json()["items"])

    await until(begun)
    assert (await client.post(f"/api/v1/runs/{run}/cancel")).json()["status"] == "cancelled"
    return (await client.get(path)).json(), path


@pytest.mark.slow
async def test_a_run_that_is_cancelled_several_times_ends_once(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        for _ in range(5):
            run = (await client.post(f"/api/v1/threads/{thread}/turns", json={"message": "slow lamp"})).json()["id"]

            async def cancel(after: int, run: str = run) -> str:
                await asyncio.sleep(after / 1000)
                return str((await client.post(f"/api/v1/runs/{run}/cancel")).json()["status"])

            assert set(await asyncio.gather(*map(cancel, range(12)))) == {"cancelled"}
            told = events((await client.get(f"/api/v1/runs/{run}/events")).text)
            assert [kind for _, kind, _ in told].count("run_cancelled") == 1
            assert told[-1][1] == "run_cancelled"
        waiting = await turn(client, thread, {"message": "two lamps"})
        assert waiting["waiting_for"]["node"] == "q.sure"


async def test_a_run_that_another_worker_has_taken_is_left_to_it(tmp_path: Path) -> None:
    """A worker that only seemed dead, before it could begin the turn; the other one is dead then, and loses the run."""
    async with service(tmp_path) as client:
        thread = await begun(client)
        store = client.app.state.service.workspace.store  # type: ignore[attr-defined]
        async with store.lease(thread):
            posting = asyncio.create_task(client.post(f"/api/v1/threads/{thread}/turns", json={"message": "a lamp"}))
            await until(store.runs.running)
            rows = await store.runs.running()
            assert await store.runs.adopt(rows[0].id, rows[0].worker, 0, "another") is True
        assert (await posting).status_code == 202
        listened = events((await client.get(f"/api/v1/runs/{rows[0].id}/events")).text)
        assert (listened[-1][1], listened[-1][2]["status"]) == ("turn_ended", "waiting")
        assert listened[0][0] > 1000
        said = (await client.get(f"/api/v1/threads/{thread}/messages")).json()["items"]
        assert [each["text"] for each in said if each["role"] == "user"] == ["a lamp"]


async def test_one_of_several_simultaneous_turns_is_accepted(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        for _ in range(5):
            thread = await begun(client)
            path = f"/api/v1/threads/{thread}/turns"
            answers = await asyncio.gather(*(client.post(path, json={"message": f"slow lamp {n}"}) for n in range(3)))
            taken = [each.json()["id"] for each in answers if each.status_code == 202]
            assert [each.json()["code"] for each in answers if each.status_code != 202] == ["thread_busy"] * 2
            assert (await client.post(f"/api/v1/runs/{taken[0]}/cancel")).json()["status"] == "cancelled"


async def test_a_listener_survives_an_unreachable_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, failures = SqlRuns.events, [StoreError("unreachable", "The connection was lost.") for _ in range(3)]

    async def unsteady(self: SqlRuns, *arguments: Any) -> Any:
        if failures:
            raise failures.pop()
        return await read(self, *arguments)

    async with service(tmp_path) as client:
        thread = await begun(client)
        run = (await client.post(f"/api/v1/threads/{thread}/turns", json={"message": "lamp"})).json()["id"]
        whole = events((await client.get(f"/api/v1/runs/{run}/events")).text)
        monkeypatch.setattr(SqlRuns, "events", unsteady)
        assert events((await client.get(f"/api/v1/runs/{run}/events")).text) == whole
        assert not failures
        # A permanent failure ends the stream, and the listener may reconnect.
        monkeypatch.setattr("graphwright_server._runs.LISTENER_WAITS", 0.1)
        failures += [StoreError("unreachable", "The connection was lost.") for _ in range(99)]
        assert events((await client.get(f"/api/v1/runs/{run}/events")).text) == []


async def test_a_run_goes_on_when_its_listener_leaves(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        runs = client.app.state.service.runs  # type: ignore[attr-defined]
        run = (await client.post(f"/api/v1/threads/{thread}/turns", json={"message": "slow lamp"})).json()["id"]
        listener = runs.listen(run)
        heard = [event for _ in range(3) for event in await anext(listener)]
        await listener.aclose()
        await asyncio.sleep(0.3)
        assert (await client.get(f"/api/v1/runs/{run}")).json()["status"] == "running"
        later = runs.listen(run, heard[-1][0])
        assert (await anext(later))[0][0] == heard[-1][0] + 1
        await later.aclose()


async def test_a_key_begins_one_run(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        url, key = f"/api/v1/threads/{thread}/turns", {"Idempotency-Key": "k1"}
        first = await client.post(url, json={"message": "a lamp"}, headers=key | STREAM)
        again = await client.post(url, json={"message": "a lamp"}, headers=key)
        assert again.headers["location"] == first.headers["location"]
        assert (await client.get(f"/api/v1/threads/{thread}")).json()["turns"] == 2
        other = await client.post(url, json={"message": "two lamps"}, headers=key)
        assert (other.status_code, other.json()["code"]) == (422, "key_reused")
        # The same for a repeated answer: the thread does not wait any more.
        url, key = f"/api/v1/threads/{thread}/resume", {"Idempotency-Key": "k2"}
        yes = {"value": True, "approves": (await waits(client, thread))["approval"]["hash"]}
        first = await client.post(url, json=yes, headers=key | STREAM)
        again = await client.post(url, json=yes, headers=key)
        assert again.headers["location"] == first.headers["location"]
        assert sent(tmp_path) == ["a lamp"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"message": "  "}, 400, "empty_message"),
        ({"message": "x" * 250_000}, 400, "long_message"),
        ({"message": 5}, 422, "bad_request"),
        ({"mesage": "a lamp"}, 422, "bad_request"),
        ({"message": "a lamp", "files": ["../../etc/passwd"]}, 404, "not_found"),
    ],
)
async def test_invalid_turns_are_refused_without_effect(
    tmp_path: Path, body: dict[str, object], status: int, code: str
) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        answer = await client.post(f"/api/v1/threads/{thread}/turns", json=body)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert answer.headers["content-type"] == "application/problem+json"
        assert (await client.get(f"/api/v1/threads/{thread}")).json()["turns"] == 1
        assert (await turn(client, thread, {"message": "a lamp"}))["status"] == "waiting"


def test_unsupported_arguments_of_a_call_are_marked() -> None:
    call = {"tool_name": "close", "arguments": {"ticket": "T-1", "reason": "done", "note": None, "by": {"name": "ann"}}}
    said = [("user", "ann asks about T-2"), ("assistant", "T-1 is open."), ("user", "close it"), ("assistant", "done?")]
    messages = [Message(place, role, text, "") for place, (role, text) in enumerate(said)]
    approval = described(
        {"hash": "h", "over": {"selected_tools": [call], "preview": {"text": "done"}}}, messages, "assistant"
    )
    assert approval["kind"] == "tools"
    assert approval["marks"] == {
        "selected_tools.0.arguments.ticket": "shown",
        "selected_tools.0.arguments.reason": "unsupported",
        "selected_tools.0.arguments.by.name": "said",
    }


READER = """
version: v1
id: flow.reader
nodes:
  - {id: q.what, type: question, key: what, prompt: What?, schema: {type: object}}
  - {id: done, type: terminal, say: Done.}
edges: [{from: q.what, to: done}]
"""
THINKER = """
version: v1
id: flow.thinker
nodes:
  - {id: think, type: action, run: think}
  - {id: done, type: terminal, say: "Done: {{ message }}."}
edges: [{from: think, to: done}]
"""
THINKER_NODES = """
import asyncio
from pathlib import Path

from graphwright import action


@action(reads=[], writes=[], effects=False)
async def think(state, ctx):
    folder = Path(__file__).parent.parent
    (folder / "thinking").touch()
    if not (folder / "again").exists():
        await asyncio.sleep(60)
"""


CONNECTED = """
version: v1
id: flow.connected
nodes:
  - {id: q.what, type: question, key: what, prompt: What?, read: verbatim, ask: always}
  - {id: use, type: action, run: use}
edges: [{from: q.what, to: use}, {from: use, to: q.what}]
"""
CONNECTED_NODES = """
import asyncio
from contextlib import asynccontextmanager
from pathlib import Path

from graphwright import action

SEEN = Path(__file__).parent / "seen.txt"


@asynccontextmanager
async def connected():
    with SEEN.open("a") as file:
        file.write("opened ")
    yield
    with SEEN.open("a") as file:
        file.write("closed ")


@action(reads=["answers.what"], writes=[])
async def use(state, ctx):
    await ctx.shared("connection", connected)
    if state["answers"]["what"] == "slow" and not SEEN.with_name("again").exists():
        SEEN.with_name("again").touch()
        await asyncio.sleep(60)
"""


async def test_connections_of_a_thread_stay_open_until_it_is_idle_or_deleted(tmp_path: Path) -> None:
    agent = tmp_path / "connected"
    agent.mkdir()
    (agent / "flow.yaml").write_text(CONNECTED.strip(), "utf-8")
    (agent / "nodes.py").write_text(CONNECTED_NODES, "utf-8")

    def seen() -> str:
        return (agent / "seen.txt").read_text().strip()

    async with service(tmp_path, agents=(str(agent),)) as client:
        thread = await begun(client, "connected")
        for _ in range(3):
            await turn(client, thread, {"message": "a thing"})
        assert seen() == "opened"
        run = (await client.post(f"/api/v1/threads/{thread}/turns", json={"message": "slow"})).json()["id"]
        await until((agent / "again").exists)
        assert (await client.post(f"/api/v1/runs/{run}/cancel")).json()["status"] == "cancelled"
        assert seen() == "opened closed"
        await turn(client, thread, {})
        await turn(client, thread, {"message": "a thing"})
        await client.delete(f"/api/v1/threads/{thread}")
        assert seen() == "opened closed opened closed"
        other = await begun(client, "connected")
        await turn(client, other, {"message": "a thing"})
    assert seen() == "opened closed opened closed opened closed"


async def test_a_session_that_is_idle_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(_agents, "monotonic", lambda: clock[0])
    agent = load(str(shop(tmp_path)))
    async with Workspace(tmp_path / "home", model="none") as workspace, OpenSessions(workspace, idle=0.2) as sessions:
        async with sessions.session_for(agent, "t") as first:
            pass
        async with sessions.session_for(agent, "t") as again:
            assert again is first
        clock[0] += 0.3
        await until(lambda: not sessions._held)
        async with sessions.session_for(agent, "t") as later:
            assert later is not first


@pytest.mark.slow
async def test_a_thread_is_never_reported_as_cut_short_while_its_turns_succeed(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread, seen, over = await begun(client), set[str](), False

        async def poll() -> None:
            while not over:
                seen.update(await statuses(client, thread))

        polls = [asyncio.create_task(poll()) for _ in range(4)]
        for number in range(40):
            assert (await turn(client, thread, {"message": f"lamp {number}"}))["status"] == "waiting"
        over = True
        await asyncio.gather(*polls)
        assert seen <= {"running", "waiting"}
