"""The OpenAPI document: every operation has an id, a summary, a role, errors and true examples, every event a type."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema_rs import Draft202012Validator

from api_support import events, service, shop
from graphwright.store import StoreError
from graphwright_server._problems import problem_of, unexpected
from graphwright_server.access import _keys as keys
from graphwright_server.access.principal import LimitSettings
from schema_support import require_examples, shortened

BROKEN = """
version: v1
id: flow.broken
nodes: [{id: look, type: action, run: look}, {id: done, type: terminal, say: Done.}]
edges: [{from: look, to: done}]
"""
BROKEN_NODES = """
from graphwright import action


@action(effects=False)
async def look(state, ctx):
    raise RuntimeError("the shelf is empty")
"""

Operations = list[tuple[str, str, dict[str, Any]]]


@pytest.fixture
async def document(tmp_path: Path) -> dict[str, Any]:
    async with service(tmp_path) as client:
        return dict((await client.get("/openapi.json")).json())


@pytest.fixture
def operations(document: dict[str, Any]) -> Operations:
    return [(method, path, each) for path, methods in document["paths"].items() for method, each in methods.items()]


def validator(document: dict[str, Any], schema: Any) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": document["components"]})


def media_of(operation: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The JSON and the event streams of an operation's request and successful responses."""
    bodies = [operation.get("requestBody", {}), *(r for s, r in operation["responses"].items() if s.startswith("2"))]
    contents = [pair for body in bodies for pair in body.get("content", {}).items()]
    return [(media, content) for media, content in contents if media in ("application/json", "text/event-stream")]


def test_every_operation_has_a_readable_id_and_texts(document: dict[str, Any], operations: Operations) -> None:
    ids = [each["operationId"] for _, _, each in operations]
    assert len(set(ids)) == len(ids) > 60
    assert [id for id in ids if not re.fullmatch(r"[a-z]+(_[a-z]+)+", id)] == []
    tags = {tag["name"]: tag["description"] for tag in document["tags"]}
    # Several modules share the tag: one of them describes it.
    assert (tags["threads"].startswith("Threads: "), tags["threads"].count(":")) == (True, 1)
    for _, path, each in operations:
        assert each["summary"] == each["operationId"].replace("_", " ").capitalize()
        assert len(each["description"]) > 15, path
        assert [tags[tag] for tag in each["tags"]], path


def test_every_operation_names_its_role_and_its_errors(operations: Operations) -> None:
    roles = {}
    for _, path, each in operations:
        errors = {status for status in each["responses"] if status >= "4" and status != "default"}
        assert {"403", "500"} <= errors, path
        assert all(each["responses"][status]["$ref"].endswith(status) for status in errors)
        assert ("404" in errors) >= ("{" in path)
        roles[each["operationId"]] = [next(iter(scheme.values()))[0] for scheme in each["security"] if scheme]
        if each["security"]:
            assert f"Requires the role `{roles[each['operationId']][0]}`." in each["description"]
    assert roles["check_alive"] == roles["check_ready"] == []
    expected = {"read_thread": "viewer", "send_turn": "user", "save_draft": "author", "publish_draft": "publisher"}
    for id, role in {**expected, "create_key": "admin", "read_graph": "viewer", "undo_goal": "user"}.items():
        assert roles[id] == [role, role], id


def test_every_example_fits_its_schema(document: dict[str, Any], operations: Operations) -> None:
    for _, path, each in operations:
        for media, content in media_of(each):
            assert "example" in content, (path, media)
            validator(document, content["schema"]).validate(content["example"])
    for response in document["components"]["responses"].values():
        ((_, content),) = response["content"].items()
        validator(document, content["schema"]).validate(content["example"])


def test_every_stream_has_events_that_their_type_distinguishes(
    document: dict[str, Any], operations: Operations
) -> None:
    schemas = document["components"]["schemas"]
    streams = {
        content["schema"]["$ref"].rpartition("/")[2]
        for _, _, each in operations
        for media, content in media_of(each)
        if media == "text/event-stream"
    }
    assert streams == {"RunEvent", "TestEvent", "DescriptionEvent", "AguiEvent", "CompletionEvent"}
    for name in streams - {"CompletionEvent"}:
        union = schemas[name]
        mapping = union["discriminator"]["mapping"]
        assert {each["$ref"] for each in union["oneOf"]} == set(mapping.values())
        for kind, place in mapping.items():
            assert schemas[place.rpartition("/")[2]]["properties"]["type"]["const"] == kind


async def test_the_events_of_a_run_fit_the_document(tmp_path: Path, document: dict[str, Any]) -> None:
    run_event = validator(document, document["components"]["schemas"]["RunEvent"])
    async with service(tmp_path) as client:
        thread = (await client.post("/api/v1/threads", json={"agent": "shop"})).json()["thread"]
        told = []
        for message in ("a lamp", "no", "slow lamp"):
            run = (await client.post(f"/api/v1/threads/{thread}/turns", json={"message": message})).json()["id"]
            if message.startswith("slow"):
                await client.post(f"/api/v1/runs/{run}/cancel")
            told += events((await client.get(f"/api/v1/runs/{run}/events")).text)
        yes = {"value": True, "approves": "0" * 64}
        await client.post(f"/api/v1/threads/{thread}/turns", json={"message": "a lamp"})
    assert {"turn_started", "node_entered", "guard_checked", "turn_ended", "run_cancelled"} <= {
        each[1] for each in told
    }
    for _, kind, data in told:
        run_event.validate(data)
        assert data["type"] == kind
    assert not run_event.is_valid({"type": "node_entered", "node": 7})
    assert not run_event.is_valid(yes)


async def test_the_examples_of_problems_are_real(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    found = await problems(tmp_path)
    full = StoreError("disk_full", "There is no room left on the disk for the upload.", "Free some space.")
    down = StoreError("locked", "The database was locked by another program for too long.", "Close it and try again.")
    others = {"500": unexpected(), "503": problem_of(down), "507": problem_of(full)}
    update = request.config.getoption("update_snapshots")
    require_examples("graphwright_server", {"problems": {**found, **others}}, update=update)


async def problems(folder: Path) -> dict[str, Any]:
    """A problem of each status that a request can cause."""
    found = dict[str, Any]()
    broken = folder / "broken"
    broken.mkdir()
    (broken / "flow.yaml").write_text(BROKEN, "utf-8")
    (broken / "nodes.py").write_text(BROKEN_NODES, "utf-8")
    agents = (str(shop(folder)), str(broken))
    async with service(folder, agents=agents, login=True, limits=LimitSettings(requests=60)) as client:
        kept = client.app.state.access.keys  # type: ignore[attr-defined]
        key = {role: (await keys.create(kept, role, role))[1] for role in ("viewer", "publisher")}

        async def send(method: str, path: str, role: str = "publisher", **more: Any) -> httpx.Response:
            headers = {"Authorization": f"Bearer {key[role]}"} if role else {}
            answer = await client.request(
                method, path if path.startswith("/v1") else f"/api/v1{path}", headers=headers, **more
            )
            if answer.is_error:
                found.setdefault(str(answer.status_code), shortened(answer.json()))
            return answer

        await send("GET", "/me", "")
        await send("GET", f"/me?key={key['viewer']}", "")
        await send("POST", "/threads", "viewer", json={"agent": "shop"})
        await send("GET", "/threads/none")
        thread = (await send("POST", "/threads", json={"agent": "shop"})).json()["thread"]
        await send("POST", f"/threads/{thread}/resume", json={"value": True})
        await send("PUT", "/flows/shop/draft", json={"text": "version: v1"})
        yes = {"revision": 3, "hash": "", "note": "Ask for the size first."}
        await send("POST", "/flows/shop/publish", json=yes)
        await send("POST", "/threads", json={"agent": "s" * (3 * 2**20)})
        await send("POST", "/threads", json={})
        body = {"model": "broken", "messages": [{"role": "user", "content": "a lamp"}]}
        await send("POST", "/v1/chat/completions", json=body)
        while "429" not in found:
            await send("GET", "/me")
    return found
