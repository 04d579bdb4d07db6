"""A flow with layers over HTTP: what clients read of it, drafts that cannot read other files, published versions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from api_support import begun, service, shop

TOP = 'extends: ../shop/flow.yaml\nid: flow.acme\nnodes:\n  - {id: q.what, prompt: "What shall it be?"}\n'
FLOW = "/api/v1/flows/acme"


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "flow.yaml").write_text(TOP, "utf-8")
    (tmp_path / "secrets.yaml").write_text("extends: nothing\ntoken: {sk-hidden-token: 1}\n", "utf-8")
    shop(tmp_path)
    async with service(tmp_path, agents=(str(tmp_path / "acme"),)) as opened:
        yield opened


async def prompt(client: httpx.AsyncClient) -> str:
    thread = await begun(client, "acme")
    waiting: dict[str, str] = (await client.get(f"/api/v1/threads/{thread}/state")).json()["waiting_for"]
    return waiting["prompt"]


async def test_a_client_reads_the_merged_document_and_no_path(client: httpx.AsyncClient, tmp_path: Path) -> None:
    flow = (await client.get(FLOW)).json()
    assert len(flow["graph"]["nodes"]) == 6
    assert "What shall it be?" in flow["document"]
    assert str(tmp_path) not in flow["document"]
    assert (await client.post("/api/v1/flows/check", json={"text": flow["document"]})).json()["ok"]
    assert await prompt(client) == "What shall it be?"


@pytest.mark.parametrize("path", ["../secrets.yaml", "{}/secrets.yaml", "../shop/../secrets.yaml", "/etc/passwd"])
async def test_a_draft_extends_only_what_the_file_extends(client: httpx.AsyncClient, tmp_path: Path, path: str) -> None:
    text = TOP.replace("../shop/flow.yaml", path.format(tmp_path))
    for route in (f"{FLOW}/check", "/api/v1/flows/check"):
        answer = await client.post(route, json={"text": text})
        found = answer.json()
        assert [each["code"] for each in found["diagnostics"]] == ["GW801"]
        assert ("sk-hidden" in answer.text, "root:" in answer.text) == (False, False)
        assert path.startswith("{") or str(tmp_path) not in answer.text
    good = (await client.post(f"{FLOW}/check", json={"text": TOP + "  - {id: q.gone, remove: true}\n"})).json()
    assert [(each["code"], each["file"]) for each in good["diagnostics"] if each["severity"] != "info"] == [
        ("GW805", "flow.yaml")
    ]
    wrong = (await client.post(f"{FLOW}/check", json={"text": f"{TOP}  - {{id: q.sure, remove: true}}\n"})).json()
    assert {each["file"] for each in wrong["diagnostics"]} == {"flow.yaml"}
    assert str(tmp_path) not in str(wrong)


async def test_an_editor_learns_who_set_what_and_sees_no_path(client: httpx.AsyncClient, tmp_path: Path) -> None:
    answer = await client.post(f"{FLOW}/layers", json={"text": TOP})
    assert str(tmp_path) not in answer.text
    found = answer.json()
    assert [(each["name"], each["file"]) for each in found["layers"]] == [
        ("shop", "../shop/flow.yaml"),
        ("acme", "flow.yaml"),
    ]
    at = {id: f"/nodes/{place}" for place, id in enumerate(node["id"] for node in found["document"]["nodes"])}
    own = {"layer": "acme", "file": "flow.yaml", "line": 4, "column": 26}
    assert found["origins"][f"{at['q.what']}/prompt"] == own
    assert found["origins"][f"{at['q.sure']}/prompt"]["file"] == "../shop/flow.yaml"
    (conflict,) = [each for each in found["conflicts"] if each["part"] == "node q.what"]
    assert (conflict["field"], conflict["winner"]) == ("prompt", "acme")
    assert [each["value"] for each in conflict["settings"]] == ["What would you like?", "What shall it be?"]
    for text in ("version: v1\nid: flow.acme\nnodes: []\n", "a: [", TOP.replace("shop", "secrets")):
        assert (await client.post(f"{FLOW}/layers", json={"text": text})).json()["document"] is None


async def test_a_published_version_stays_as_it_was_when_a_lower_layer_changes(
    client: httpx.AsyncClient, tmp_path: Path
) -> None:
    text = TOP.replace("What shall it be?", "And what?")
    await client.put(f"{FLOW}/draft", json={"text": text}, headers={"If-Match": '"0"'})
    checked = (await client.post(f"{FLOW}/check", json={"text": text})).json()
    body = {"revision": 1, "hash": checked["hash"], "note": "Other words."}
    assert (await client.post(f"{FLOW}/publish", json=body)).status_code == 201
    assert await prompt(client) == "And what?"
    base = tmp_path / "shop" / "flow.yaml"
    base.write_text(base.read_text("utf-8").replace("Shall I order", "Shall we order"), "utf-8")
    async with service(tmp_path, agents=(str(tmp_path / "acme"),)) as again:
        assert await prompt(again) == "And what?"
