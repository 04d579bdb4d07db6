"""Changing flows by a description over HTTP: rounds as events, nothing stored."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api_support import SHOP, events, service

ADD = {"do": "add_node", "node": {"id": "q.size", "type": "question", "key": "size", "prompt": "Which size?"}}
ASKS_FIRST = [
    {"do": "redirect", "from": "q.what", "to": "write", "new_to": "q.size"},
    ADD,
    {"do": "redirect", "from": "q.what", "to": "write", "new_to": "q.size"},
    {"do": "connect", "from": "q.size", "to": "write"},
]


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    rule = {"offers": "FlowChange", "call": {"FlowChange": {"commands": ASKS_FIRST, "summary": "Asks for a size."}}}
    (tmp_path / "rules.yaml").write_text(
        json.dumps([{**rule, "times": 1}, {"offers": "FlowChange", "call": {"FlowChange": {}}}])
    )
    async with service(tmp_path, model=f"scripted:{tmp_path / 'rules.yaml'}") as opened:
        yield opened


async def describe(client: httpx.AsyncClient, **given: Any) -> httpx.Response:
    body = {"text": SHOP.strip(), "description": "Ask for a size.", **given}
    return await client.post("/api/v1/flows/shop/describe", json=body)


async def test_a_description_becomes_a_proposal_and_nothing_is_stored(client: httpx.AsyncClient) -> None:
    found = events((await describe(client)).text)
    steps = ["asking", "checking", "round", "asking", "checking", "round"]
    assert [data.get("step", kind) for _, kind, data in found] == ["begun", *steps, "proposal"], found
    proposal = found[-1][2]
    assert (proposal["status"], proposal["summary"], proposal["rounds"]) == ("proposed", "Asks for a size.", 2)
    (refused,) = found[3][2]["refused"]
    assert refused.startswith("command 1 (redirect q.what write): The graph of `q.what` has no node `q.size`. ")
    assert {"kind": "added", "text": "  + q.size (question)", "pieces": []} in proposal["difference"]
    assert "{from: q.what, to: q.size}" in proposal["text"]
    assert (await client.get("/api/v1/flows/shop/draft")).json()["text"] == SHOP.strip()


async def test_a_description_that_cannot_be_used_is_an_event(client: httpx.AsyncClient) -> None:
    for given, code in (
        ({"description": "Use the key sk-abcdefgh12345678."}, "secret_in_request"),
        ({"text": "broken: ["}, "not_readable"),
    ):
        assert events((await describe(client, **given)).text)[-1][2]["code"] == code
    assert (await describe(client, description="")).status_code == 422


async def test_without_a_model_a_description_is_refused(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        assert (await describe(client)).json()["code"] == "no_model"
