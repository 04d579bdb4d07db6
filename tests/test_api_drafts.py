"""Editing flows over HTTP: drafts, their check, test runs on them, published versions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api_support import SHOP, begun, events, service, shop
from graphwright_server.access._keys import create

CONVERSATION = """agent: ..
turns:
  - {start: true, model: none}
  - {user: tea, model: none, expect: {node: q.sure, reply: order tea}}
  - {user: "no", model: none, expect: {status: ended, node: dropped}}
"""
ASKS_AGAIN = SHOP.strip().replace("What would you like?", "What do you want?")


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    folder = shop(tmp_path)
    (folder / "tests").mkdir()
    (folder / "tests" / "tea.conversation.yaml").write_text(CONVERSATION, "utf-8")
    async with service(tmp_path) as opened:
        yield opened


FLOW = "/api/v1/flows/shop"


async def save(client: httpx.AsyncClient, text: str, revision: int = 0) -> httpx.Response:
    return await client.put(f"{FLOW}/draft", json={"text": text}, headers={"If-Match": f'"{revision}"'})


async def publish(client: httpx.AsyncClient, text: str, revision: int, note: str = "Other words.") -> httpx.Response:
    checked = (await client.post(f"{FLOW}/check", json={"text": text})).json()
    return await client.post(f"{FLOW}/publish", json={"revision": revision, "hash": checked["hash"], "note": note})


async def test_a_draft_begins_as_the_file_and_is_saved_by_revision(client: httpx.AsyncClient) -> None:
    first = await client.get(f"{FLOW}/draft")
    assert first.headers["etag"] == '"0"'
    assert first.json()["text"] == first.json()["active"] == first.json()["file"] == SHOP.strip()
    saved = await save(client, "broken: [")
    assert saved.json()["revision"] == 1
    assert saved.json()["text"] == "broken: ["
    other = await save(client, "another")
    assert (other.status_code, other.json()["code"]) == (412, "draft_changed")
    assert (await client.get(f"{FLOW}/draft")).json()["text"] == "broken: ["
    without = await client.put(f"{FLOW}/draft", json={"text": "x"})
    assert (without.status_code, without.json()["code"]) == (428, "revision_missing")
    (listed,) = [each for each in (await client.get("/api/v1/flows")).json()["items"] if each["agent"] == "shop"]
    assert listed["draft"] == 1


async def test_the_check_of_a_draft_knows_the_actions_and_says_where_a_finding_ends(client: httpx.AsyncClient) -> None:
    wrong = SHOP.strip().replace("run: write", "run: wriet")
    found = (await client.post(f"{FLOW}/check", json={"text": wrong})).json()
    assert (found["ok"], found["hash"]) == (False, "")
    (finding,) = [each for each in found["diagnostics"] if each["severity"] == "error"]
    line = wrong.splitlines()[finding["line"] - 1]
    assert line[finding["column"] - 1 : finding["end_column"] - 1] == "wriet"
    good = (await client.post(f"{FLOW}/check", json={"text": SHOP.strip()})).json()
    assert {"name": "answers.what", "type": "string", "kind": "answer"} in good["names"]
    palette = (await client.get(f"{FLOW}/palette")).json()
    assert [each["name"] for each in palette["actions"]] == ["send", "write"]
    assert palette["conversations"] == ["tests/tea.conversation.yaml"]
    assert (await client.get("/api/v1/flows/schema")).json()["$defs"]


async def test_a_published_draft_is_the_flow_of_the_agent_and_the_file_becomes_version_1(
    client: httpx.AsyncClient,
) -> None:
    waiting = await begun(client, "shop")
    text = f"{ASKS_AGAIN}  # a comment\n"
    await save(client, text)
    changed = await client.post(f"{FLOW}/publish", json={"revision": 1, "hash": "0" * 64, "note": "x"})
    assert (changed.status_code, changed.json()["code"]) == (409, "content_changed")
    published = await publish(client, text, 1)
    assert (published.status_code, published.json()["number"]) == (201, 2)
    versions = (await client.get(f"{FLOW}/versions")).json()["items"]
    assert [(each["number"], each["author"]) for each in versions] == [(2, "local"), (1, "file")]
    assert (await client.get(f"{FLOW}/versions/2")).json()["text"] == text
    assert (await client.get(f"{FLOW}/versions/1")).json()["text"] == SHOP.strip()
    thread = await begun(client, "shop")
    state = (await client.get(f"/api/v1/threads/{thread}/state")).json()
    assert state["waiting_for"]["prompt"] == "What do you want?"
    assert waiting != thread
    again = await publish(client, text, 1)
    assert (again.status_code, again.json()["code"]) == (409, "nothing_changed")


async def test_a_preview_says_what_changes_and_what_happens_to_waiting_conversations(client: httpx.AsyncClient) -> None:
    thread = await begun(client, "shop")
    asked = await client.post(f"{FLOW}/preview", json={"text": ASKS_AGAIN})
    assert asked.json()["threads"] == [
        {"thread": thread, "outcome": "carry", "node": "q.what", "goes_to": "q.what"}
        | {"reasons": asked.json()["threads"][0]["reasons"]}
    ]
    assert any("{+want+}" in line["text"] for line in asked.json()["difference"])
    broken = await client.post(f"{FLOW}/preview", json={"text": "version: v1"})
    assert broken.json()["code"] == "flow_invalid"


async def test_of_two_publications_at_the_same_time_one_is_refused(client: httpx.AsyncClient) -> None:
    await save(client, ASKS_AGAIN)
    answers = await asyncio.gather(*(publish(client, ASKS_AGAIN, 1) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} <= {
        "version_changed",
        "nothing_changed",
    }
    versions = (await client.get(f"{FLOW}/versions")).json()["items"]
    assert [(each["number"], each["author"]) for each in versions] == [(2, "local"), (1, "file")]


async def test_an_agent_whose_file_is_gone_costs_only_itself(client: httpx.AsyncClient, tmp_path: Path) -> None:
    assert (await client.get(f"{FLOW}/draft")).status_code == 200
    (tmp_path / "shop" / "flow.yaml").unlink()
    listed = (await client.get("/api/v1/flows")).json()["items"]
    assert {"intake", "graph_editor"} <= {each["agent"] for each in listed}
    assert {each["agent"] for each in listed if each["problem"]} == {"shop"}
    gone = await client.get(f"{FLOW}/draft")
    assert gone.json()["code"] == "no_flow"
    assert str(tmp_path) not in gone.text


async def test_a_draft_with_errors_or_another_id_is_not_published(client: httpx.AsyncClient) -> None:
    await save(client, SHOP.strip().replace("to: done", "to: nowhere"))
    body = {"revision": 1, "hash": "", "note": "x"}
    refused = (await client.post(f"{FLOW}/publish", json=body)).json()
    assert (refused["code"], "nowhere" in refused["detail"]) == ("flow_invalid", True)
    other = SHOP.strip().replace("flow.shop", "flow.other")
    await save(client, other, 1)
    assert (await publish(client, other, 2)).json()["code"] == "other_flow"
    assert (await client.get(f"{FLOW}/versions")).json()["items"] == []


async def lines(client: httpx.AsyncClient, body: dict[str, Any]) -> list[tuple[str, Any]]:
    answer = await client.post(f"{FLOW}/tests", json=body, timeout=60)
    return [(kind, data) for _, kind, data in events(answer.text)]


async def test_conversations_run_on_the_draft_and_not_on_the_file(client: httpx.AsyncClient, tmp_path: Path) -> None:
    good = await lines(client, {"text": ASKS_AGAIN})
    assert [kind for kind, _ in good] == ["total", "result", "coverage"]
    assert good[1][1]["status"] == "passed"
    assert good[1][1]["file"] == "tests/tea.conversation.yaml"
    assert good[2][1]["nodes"]["reached"] > 3
    wrong = await lines(client, {"text": SHOP.strip().replace("Shall I order", "Shall I fetch")})
    assert wrong[1][1]["status"] == "failed"
    assert "order tea" in wrong[1][1]["mismatches"][0]["message"]
    broken = await lines(client, {"text": "broken: ["})
    assert broken[1][1]["error"]["code"] == "flow_invalid"
    assert str(tmp_path) not in str(broken)


async def test_roles_say_who_reads_edits_and_publishes(tmp_path: Path) -> None:
    async with service(tmp_path, login=True) as client:
        keys = {role: await key(client, role) for role in ("user", "author", "publisher")}
        codes = {}
        for role, own in keys.items():
            client.headers["Authorization"] = f"Bearer {own}"
            read = (await client.get(f"{FLOW}/draft")).json()
            saved = await save(client, f"{ASKS_AGAIN} # {role}", read["revision"])
            put = await publish(client, saved.json().get("text", ""), saved.json().get("revision", 1))
            codes[role] = (saved.status_code, put.status_code)
    assert codes == {"user": (403, 403), "author": (200, 403), "publisher": (200, 201)}


async def key(client: httpx.AsyncClient, role: str) -> str:
    app: Any = client.app  # type: ignore[attr-defined]
    return (await create(app.state.access.keys, "ann", role))[1]
