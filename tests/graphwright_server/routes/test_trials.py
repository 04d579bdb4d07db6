"""Trying the draft of a flow over HTTP, before it is published."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api_support import SHOP, begun, events, sent, service, turn
from graphwright_server.access._keys import create

FLOW = "/api/v1/flows/shop"
GUESTS = """nodes:
  - {id: q.name, type: question, key: name, prompt: Who?}
  - {id: keep, type: action, run: record, with: {collection: guests, value: {name: "{{ answers.name }}"}}}
  - {id: done, type: terminal, say: Kept.}
edges:
  - {from: q.name, to: keep}
  - {from: keep, to: done}
"""


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with service(tmp_path) as opened:
        yield opened


async def save(client: httpx.AsyncClient, text: str, revision: int) -> int:
    answer = await client.put(f"{FLOW}/draft", json={"text": text}, headers={"If-Match": f'"{revision}"'})
    assert answer.status_code == 200, answer.text
    return int(answer.json()["revision"])


async def trial(client: httpx.AsyncClient) -> str:
    answer = await client.post(f"{FLOW}/trials")
    assert answer.status_code == 201, answer.text
    return str(answer.json()["thread"])


async def state(client: httpx.AsyncClient, thread: str) -> dict[str, Any]:
    return dict((await client.get(f"/api/v1/threads/{thread}/state")).json())


async def logged_agents(client: httpx.AsyncClient, thread: str) -> set[str]:
    """The agents of the log entries of a thread, which are written shortly after the end of a turn."""
    for _ in range(200):
        items = (await client.get("/api/v1/logs")).json()["items"]
        if found := {each["agent"] for each in items if each["session"] == thread}:
            return found
        await asyncio.sleep(0.05)
    return set()


async def test_a_trial_talks_to_the_newest_draft_and_carries_over_when_it_changes(client: httpx.AsyncClient) -> None:
    at = await save(client, SHOP.replace("What would you like?", "What do you want?"), 0)
    thread = await trial(client)
    assert (await turn(client, thread, {}))["reply"] == "What do you want?"
    await turn(client, thread, {"message": "tea"})
    await save(client, SHOP.replace("Nothing was ordered.", "As you like."), at)
    assert (await turn(client, thread, {"message": "no"}))["reply"] == "As you like."
    trace = (await client.get(f"/api/v1/threads/{thread}/trace")).json()["items"]
    assert "flow_migrated" in [each["event"]["type"] for each in trace]
    assert (await turn(client, await begun(client, "shop"), {"message": "tea"}))["reply"].startswith("Shall I order")


async def test_a_trial_is_no_thread_of_the_lists_and_belongs_to_its_author(client: httpx.AsyncClient) -> None:
    thread = await trial(client)
    other = await begun(client, "shop")
    listed = (await client.get("/api/v1/threads")).json()["items"]
    assert [each["thread"] for each in listed] == [other]
    await turn(client, thread, {})
    assert await logged_agents(client, thread) == {"draft:shop"}
    (mine,) = (await client.get(f"{FLOW}/trials")).json()["items"]
    assert (mine["thread"], mine["agent"]) == (thread, "draft:shop")
    assert (await client.get("/api/v1/threads?agent=draft:shop")).status_code == 404
    changed = SHOP.replace("What would you like?", "What do you want?")
    preview = (await client.post(f"{FLOW}/preview", json={"text": changed})).json()
    assert [each["thread"] for each in preview["threads"]] == [other]
    again = await trial(client)
    assert [each["thread"] for each in (await client.get(f"{FLOW}/trials")).json()["items"]] == [again]
    assert (await client.get(f"/api/v1/threads/{thread}")).status_code == 404


async def test_a_draft_with_errors_is_refused_with_the_first_one_and_goes_on_when_it_is_corrected(
    client: httpx.AsyncClient, tmp_path: Path
) -> None:
    thread = await trial(client)
    await turn(client, thread, {})
    at = await save(client, SHOP.replace("answers.sure == true", "answers.shure == true"), 0)
    refused = await client.post(f"/api/v1/threads/{thread}/turns", json={"message": "tea"})
    assert (refused.status_code, refused.json()["code"]) == (400, "draft_invalid")
    assert "line 19" in refused.json()["detail"]
    assert str(tmp_path) not in refused.text
    assert (await client.post(f"{FLOW}/trials")).json()["code"] == "draft_invalid"
    await save(client, SHOP, at)
    assert (await turn(client, thread, {"message": "tea"}))["status"] == "waiting"


async def test_a_trial_performs_effects_only_after_a_yes_or_as_the_active_flow_does(
    client: httpx.AsyncClient, tmp_path: Path
) -> None:
    # `write` has effects by its declaration; the active flow performs it without a yes, and `send` only after one.
    unasked = SHOP.replace(", confirm: {by: q.sure, over: [order]}", "")
    at = await save(client, unasked, 0)
    thread = await trial(client)
    await turn(client, thread, {})
    await turn(client, thread, {"message": "tea"})
    assert (await state(client, thread))["values"]["order"] == {"what": "tea", "attempt": 1}
    ended = await turn(client, thread, {"message": "yes"})
    assert "send was not performed in this trial" in ended["reply"]
    sometimes = "run: send, confirm: {by: q.sure, over: [order], when: 'false'}}"
    around = unasked.replace("run: send}", sometimes).replace("{from: write, to: q.sure}", "{from: write, to: send}")
    await save(client, around, at)
    thread = await trial(client)
    await turn(client, thread, {})
    assert "send was not performed in this trial" in (await turn(client, thread, {"message": "tea"}))["reply"]
    assert sent(tmp_path) == []
    await save(client, SHOP, at + 1)
    thread = await trial(client)
    await turn(client, thread, {})
    await turn(client, thread, {"message": "tea"})
    approval = (await state(client, thread))["waiting_for"]["approval"]
    await turn(client, thread, {"value": True, "approves": approval["hash"]}, "resume")
    assert sent(tmp_path) == ["tea"]
    audit = (await client.get("/api/v1/audit")).json()["items"]
    assert {each["agent"] for each in audit} == {"draft:shop"}


async def test_the_records_of_a_trial_are_apart_from_those_of_users_and_are_deleted_with_it(tmp_path: Path) -> None:
    async def recorded_by(client: httpx.AsyncClient, thread: str) -> list[list[str]]:
        await turn(client, thread, {"message": "Ann"})
        trace = (await client.get(f"/api/v1/threads/{thread}/trace")).json()["items"]
        return [each["event"]["recorded"] for each in trace if each["event"]["type"] == "action_finished"]

    guests = SHOP[: SHOP.index("state:")] + GUESTS
    async with service(tmp_path) as client:
        body: dict[str, object] = {"revision": await save(client, guests, 0), "note": "Guests."}
        body["hash"] = (await client.post(f"{FLOW}/check", json={"text": guests})).json()["hash"]
        assert (await client.post(f"{FLOW}/publish", json=body)).status_code == 201
        assert await recorded_by(client, await begun(client, "shop")) == [["guests"]]
        tried = await trial(client)
        await turn(client, tried, {})
        assert await recorded_by(client, tried) == [["draft:shop:guests"]]
        (kept,) = (await client.get("/api/v1/records/draft:shop:guests")).json()["items"]
        assert (kept["value"], kept["agent"]) == ({"name": "Ann"}, "shop")
        collections = (await client.get("/api/v1/records")).json()["items"]
        assert collections == [{"name": "draft:shop:guests", "records": 1}, {"name": "guests", "records": 1}]
        await trial(client)
        assert (await client.get("/api/v1/records")).json()["items"] == [{"name": "guests", "records": 1}]


async def test_authors_try_a_draft_and_users_do_not(tmp_path: Path) -> None:
    async with service(tmp_path, host="0.0.0.0") as client:
        keys = client.app.state.access.keys  # type: ignore[attr-defined]
        for role, status in (("user", 403), ("author", 201)):
            key = (await create(keys, role, role))[1]
            answer = await client.post(f"{FLOW}/trials", headers={"Authorization": f"Bearer {key}"})
            assert answer.status_code == status


async def test_a_trial_is_recorded_as_a_conversation_that_passes(client: httpx.AsyncClient, tmp_path: Path) -> None:
    thread = await trial(client)
    for message in ({}, {"message": "tea"}, {"message": "no"}):
        await turn(client, thread, message)
    path = f"{FLOW}/trials/{thread}/conversation"
    made = (await client.post(path, json={"name": "tea", "keep": True})).json()
    assert made["file"] == "tests/tea.conversation.yaml"
    assert (tmp_path / "shop" / made["file"]).read_text("utf-8") == made["text"]
    assert any("runs the real actions (write)" in each for each in made["notes"])
    answer = await client.post(f"{FLOW}/tests", json={"text": SHOP})
    results = [each[2]["result"] for each in events(answer.text) if each[1] == "result"]
    assert [(each["file"], each["status"]) for each in results] == [("tests/tea.conversation.yaml", "passed")]
    again = await client.post(path, json={"name": "tea", "keep": True})
    assert again.json()["code"] == "conversation_exists"
    kept = f"{FLOW}/conversations"
    assert [(await client.delete(f"{kept}/{each}")).status_code for each in ("tea", "tea", "..tea")] == [204, 404, 400]
    assert (await client.get(f"{FLOW}/palette")).json()["conversations"] == []
    for name in ("../tea", "a/b", ".x", "a b"):
        assert (await client.post(path, json={"name": name, "keep": True})).json()["code"] == "bad_name"


async def test_a_thread_of_the_agent_is_recorded_as_a_conversation(client: httpx.AsyncClient) -> None:
    thread = await begun(client, "shop")
    await turn(client, thread, {"message": "tea"})
    path = f"trials/{thread}/conversation"
    made = await client.post(f"{FLOW}/{path}", json={"name": "tea", "keep": True})
    assert made.json()["file"] == "tests/tea.conversation.yaml"
    assert "tea" in made.json()["text"]
    other = await client.post(f"/api/v1/flows/intake/{path}", json={"name": "tea"})
    assert other.status_code == 404
