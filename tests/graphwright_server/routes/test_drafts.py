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


async def items(client: httpx.AsyncClient, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await client.get(f"/api/v1/{path}")).json()["items"]
    return found


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
    text = f"{ASKS_AGAIN}  # a comment\n".replace("title: Shop", "title: A new shop")
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
    for path in ("agents", "flows"):
        named = {each.get("name", each.get("agent")): each["title"] for each in await items(client, path)}
        assert named["shop"] == "A new shop"
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
    assert good[1][1]["result"]["status"] == "passed"
    assert good[1][1]["result"]["file"] == "tests/tea.conversation.yaml"
    assert good[2][1]["coverage"]["nodes"]["reached"] > 3
    wrong = await lines(client, {"text": SHOP.strip().replace("Shall I order", "Shall I fetch")})
    assert wrong[1][1]["result"]["status"] == "failed"
    assert "order tea" in wrong[1][1]["result"]["mismatches"][0]["message"]
    broken = await lines(client, {"text": "broken: ["})
    assert broken[1][1]["result"]["error"]["code"] == "flow_invalid"
    assert str(tmp_path) not in str(broken)


@pytest.mark.slow
async def test_renamed_nodes_and_keys_keep_their_tests_and_an_unknown_key_is_named(
    client: httpx.AsyncClient, tmp_path: Path
) -> None:
    file = tmp_path / "shop" / "tests" / "tea.conversation.yaml"
    file.write_text(CONVERSATION.replace("q.sure,", "q.sure, answers: {sure: null},"), "utf-8")
    renamed = SHOP.strip().replace("id: dropped,", "id: left, was: dropped,").replace("to: dropped", "to: left")
    assert (await lines(client, {"text": renamed}))[1][1]["result"]["status"] == "passed"
    other_key = SHOP.strip().replace("key: sure", "key: agreed").replace("answers.sure", "answers.agreed")
    assert (await lines(client, {"text": other_key}))[1][1]["result"]["status"] == "passed"
    file.write_text(CONVERSATION.replace("q.sure,", "q.sure, answers: {colour: null},"), "utf-8")
    result = (await lines(client, {"text": SHOP.strip()}))[1][1]["result"]
    assert "tests/tea.conversation.yaml:4:" in result["error"]["message"]
    assert "The flow asks for no answer 'colour'. It asks for sure, what." in result["error"]["message"]


async def test_roles_decide_who_reads_edits_and_publishes(tmp_path: Path) -> None:
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


async def test_two_documents_are_compared_by_meaning(client: httpx.AsyncClient) -> None:
    after = SHOP.replace("guard: answers.sure == false", "guard: answers.sure != true").replace("Ordered.", "Done.")
    after = after.replace("  - {id: dropped,", "  - {id: extra, type: terminal}\n  - {id: dropped,")
    after = after.replace("{from: q.sure, to: q.what, guard: else}", "{from: q.sure, to: extra, guard: else}")
    found = (await client.post(f"{FLOW}/compare", json={"before": SHOP, "after": after})).json()
    parts = {(each["what"], each["change"], each["before"], each["after"]) for each in found["parts"]}
    assert {("node", "added", "", "extra"), ("node", "changed", "done", "done")} <= parts
    assert ("edge", "changed", "q.sure->dropped", "q.sure->dropped") in parts
    assert any("only the new one opens" in each["text"] for each in found["lines"])
    broken = await client.post(f"{FLOW}/compare", json={"before": SHOP, "after": "nodes: ["})
    assert (broken.status_code, broken.json()["code"]) == (400, "flow_invalid")


async def test_a_hint_that_names_another_word_is_a_change_of_the_text(client: httpx.AsyncClient) -> None:
    for right, wrong in (
        ("run: write", "run: wriet"),
        ("answers.sure == true", "answers.shure == true"),
        ("to: dropped", "to: droped"),
        ("type: terminal, say: Ordered.", "type: terminall, say: Ordered."),
        ('prompt: "What', 'promt: "What'),
    ):
        text = SHOP.strip().replace(right, wrong)
        found = (await client.post(f"{FLOW}/check", json={"text": text})).json()["diagnostics"]
        fix = next(each["fix"] for each in found if each["fix"])
        lines = text.splitlines()
        line = lines[fix["line"] - 1]
        lines[fix["line"] - 1] = line[: fix["column"] - 1] + fix["text"] + line[fix["end_column"] - 1 :]
        assert "\n".join(lines) == SHOP.strip(), wrong


async def test_guards_are_evaluated_with_sample_answers(client: httpx.AsyncClient) -> None:
    async def results(**answers: Any) -> dict[str, Any]:
        body = {"text": SHOP, "answers": answers}
        return dict((await client.post(f"{FLOW}/guards", json=body)).json()["guards"])

    assert (await results(sure=True))["q.sure->send"] == {"opens": True, "error": "", "missing": []}
    assert not (await results(sure=False))["q.sure->send"]["opens"]
    assert (await results())["q.sure->send"]["missing"] == ["answers.sure"]
    assert not (await results(sure={"a": [1]}, **{"sure.x.y": 1, "": 2}))["q.sure->send"]["opens"]


async def test_an_assurance_that_fails_has_a_conversation_that_violates_it(client: httpx.AsyncClient) -> None:
    assured = (
        SHOP.strip()
        + """
assurances:
  - {never: send, unless: [q.sure]}
  - {never: dropped, unless: [answers.what == 'x']}
"""
    )
    found = (await client.post(f"{FLOW}/assurances", json={"text": assured})).json()["items"]
    assert [bool(each["example"]) for each in found] == [False, True]
    path = [node for turn in found[1]["turns"] for node in turn["path"]]
    assert (path[0], path[-1]) == ("q.what", "dropped")
    assert 'agent: ".."' in found[1]["conversation"]


async def test_a_document_is_exported_in_other_formats(client: httpx.AsyncClient) -> None:
    async def exported(format: str, text: str = SHOP) -> httpx.Response:
        return await client.post(f"{FLOW}/export", json={"text": text, "format": format})

    assert (await exported("json")).json()["nodes"][0]["id"] == "q.what"
    assert (await exported("svg")).text.startswith("<svg")
    assert (await exported("mermaid")).text.startswith("flowchart")
    hostile = SHOP.replace("What would you like?", "<script>alert(1)</script>")
    assert "<script>" not in (await exported("svg", hostile)).text
    assert (await exported("svg", "nodes: [")).json()["code"] == "flow_invalid"
