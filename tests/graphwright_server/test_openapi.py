"""The service against its own OpenAPI document: responses match it, and none is a server error."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api_support import served, service, shop
from graphwright.store import open_store
from graphwright.store.interactions import configured
from graphwright_graph import AddEdge, AddNode, UpdateNode, open_graph
from graphwright_server.paging import encoded
from graphwright_upgrade.client._connecting import connect
from graphwright_upgrade.client._experiment import State
from graphwright_upgrade.client._settings import UpgradeSettings
from interactions_support import interaction
from schema_support import Document, require_examples
from upgrade_client_support import draft
from waiting_support import until

_OPTIONS = [
    # Excluded: routes over the UpGrade server, and the deletion of the thread that the others use.
    *("--exclude-path-regex", "/experiments", "--exclude-method", "DELETE"),
    *("--checks", "not_a_server_error,content_type_conformance", "--phases", "coverage,fuzzing"),
    *("--max-examples", "20", "--seed", "1", "--request-timeout", "20", "--no-color"),
]

DESK = """
version: v1
id: flow.desk
nodes:
  - {id: look, type: action, run: look}
  - {id: q.what, type: question, key: what, prompt: What?, read: verbatim, ask: always}
  - {id: q.size, type: question, key: size, prompt: How large?, schema: {type: integer}, ask: always}
  - {id: draw, type: action, run: draw}
  - {id: inner, type: subgraph, ref: more}
  - {id: done, type: terminal, say: Done.}
edges:
  - {from: look, to: q.what}
  - {from: q.what, to: q.size}
  - {from: q.size, to: draw}
  - {from: draw, to: inner}
  - {from: inner, to: done}
subgraphs:
  more:
    entry: q.fine
    nodes: [{id: q.fine, type: question, key: fine, prompt: Fine?, read: choice, schema: {enum: [good, bad]}}]
    edges: [{from: q.fine, to: __exit__}]
"""
DESK_NODES = """
import asyncio
from pathlib import Path

from graphwright import action

PLACE = Path(__file__).parent


@action(reads=["message"], effects=False)
async def look(state, ctx):
    if state["message"] == "wait":
        await asyncio.sleep(60)


@action(reads=["answers.what"])
async def draw(state, ctx):
    tries = len([*PLACE.glob("drawing-*")])
    if state["answers"]["what"] == "slow" and tries < 2:
        (PLACE / f"drawing-{tries}").touch()
        await asyncio.sleep(60)
    picture = PLACE / "picture.txt"
    picture.write_text(f"{len(ctx.files)} files")
    ctx.artifact(picture, kind="picture")
"""
LAYER = 'extends: ../shop/flow.yaml\nid: flow.acme\nnodes:\n  - {id: q.what, prompt: "What shall it be?"}\n'
RULES = "[{offers: UpdateAnswers, call: {UpdateAnswers: {answers: []}}}]"


@pytest.mark.slow
def test_no_request_makes_a_server_error(tmp_path: Path) -> None:
    (tmp_path / "schemathesis.toml").write_text('[parameters]\n"path.id" = "t1"\n"path.agent" = "shop"\n', "utf-8")
    with served(tmp_path) as (_, address):
        made = httpx.post(f"{address}/api/v1/threads", json={"agent": "shop", "thread": "t1"}, timeout=60)
        assert made.status_code == 201
        # The first request builds the document, which takes longer than schemathesis waits on a busy machine.
        assert httpx.get(f"{address}/openapi.json", timeout=60).status_code == 200
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{address}/openapi.json", *_OPTIONS]
        tried = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert tried.returncode == 0, tried.stdout + tried.stderr


async def test_every_get_route_has_a_response_schema(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        document = Document((await client.get("/openapi.json")).json())
    read = [path for method, path in document.routes if method == "GET" and path.startswith("/api/v1/")]
    assert len(read) > 20
    for path in read:
        for media, content in document.answers("GET", path)["200"]["content"].items():
            schema = content.get("schema", {})
            assert media != "application/json" or "$ref" in schema or "anyOf" in schema, path


class Caller:
    """Sends requests to a service, and compares each response with its document."""

    def __init__(self, client: httpx.AsyncClient, document: Document) -> None:
        self.client = client
        self.document = document

    async def __call__(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """The response of a route; `more` are the names in its path, and options of the request."""
        options = {name: more.pop(name) for name in ("params", "files", "headers") if name in more}
        answer = await self.client.request(method, path.format(**more), json=body, **options)
        return self.document.hold(path, answer)

    async def turn(self, thread: str, body: Any, way: str = "turns") -> Any:
        """The run of a turn, when it has ended."""
        await self("POST", f"/api/v1/threads/{{id}}/{way}", body, id=thread, headers={"Accept": "text/event-stream"})
        run = (await self("GET", "/api/v1/threads/{id}", id=thread))["run"]
        await self("GET", "/api/v1/runs/{id}/events", id=run["id"])
        return await self("GET", "/api/v1/runs/{id}", id=run["id"])


@pytest.fixture
async def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, local_service: None) -> AsyncIterator[Caller]:
    """A service with the shop, the desk, whose model has a price and was measured, and an agent that is not ready."""
    rules, desk, unready = tmp_path / "rules.yaml", tmp_path / "desk", tmp_path / "unready"
    rules.write_text(RULES, "utf-8")
    desk.mkdir()
    unready.mkdir()
    (unready / "flow.yaml").write_text("version: v1\nid: flow.unready\n", "utf-8")
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "flow.yaml").write_text(LAYER, "utf-8")
    (desk / "flow.yaml").write_text(DESK, "utf-8")
    (desk / "nodes.py").write_text(DESK_NODES, "utf-8")
    model = f"scripted:{rules}"
    (tmp_path / "graphwright.toml").write_text(f'[models.prices."{model}"]\ninput = 2\noutput = 8\n', "utf-8")
    (desk / "measured.json").write_text(json.dumps({model: [3, 4]}), "utf-8")
    monkeypatch.chdir(tmp_path)
    agents = (str(shop(tmp_path)), *(str(tmp_path / name) for name in ("desk", "unready", "acme")))
    async with service(tmp_path, agents=agents, model=model) as client:
        yield Caller(client, Document((await client.get("/openapi.json")).json()))


async def test_responses_match_the_openapi_document(
    call: Caller, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    await call("GET", "/healthz")
    await call("GET", "/readyz")
    await call("GET", "/metrics")
    await agents_and_flows(call)
    await an_order(call)
    await a_drawing(call)
    await what_was_cut_short(call)
    await the_graph(call, tmp_path / "home")
    await experiments(call, tmp_path / "home")
    await access(call, tmp_path / "home")
    configured(tmp_path / "home").write([interaction(1), interaction(2)])  # type: ignore[union-attr]
    assert len((await call("GET", "/api/v1/logs", params={"session": "t", "limit": 1}))["items"]) == 1
    await call("GET", "/api/v1/logs/summary", params={"session": "t"})

    await other_protocols(call)
    assert call.document.held == call.document.routes
    # A conversation has only some of the types of events.
    fields = {(name, field) for name, field in call.document.fields() if not name.endswith("Event")}
    # Only agents of other packages describe an approval in their own words; no question here is optional or outdated.
    assert call.document.seen == fields - {
        ("WaitingNow", "optional"),
        ("WaitingNow", "outdated"),
        ("ApprovalAsked", "text"),
        ("ApprovalAsked", "notice"),
    }
    update = request.config.getoption("update_snapshots")
    for package, path in (("graph", "/api/v1/graph"), ("upgrade", "/api/v1/experiments"), ("server", "/")):
        ids = {call.document.operation(*route)["operationId"] for route in call.document.routes if path in route[1]}
        found = {id: call.document.examples.pop(id) for id in ids & {*call.document.examples}}
        require_examples(f"graphwright_{package}", found, update=update)


async def agents_and_flows(call: Caller) -> None:
    await call("GET", "/api/v1/panes")
    await call("GET", "/api/v1/agents")
    await call("GET", "/api/v1/panes")
    await call("GET", "/api/v1/agents/{name}", name="shop")
    assert (await call("GET", "/api/v1/templates"))["items"]
    await call("POST", "/api/v1/agents", {"name": "desk_2", "template": "empty"})
    await call("GET", "/api/v1/flows/{agent}", agent="desk")
    await call("GET", "/api/v1/flows/{agent}/drawing.svg", agent="desk")
    await call("POST", "/api/v1/flows/draw", {"text": DESK})
    assert (await call("POST", "/api/v1/flows/check", {"text": "version: v1"}))["diagnostics"]
    assert (await call("POST", "/api/v1/threads", {"agent": "unready"}))["diagnostics"]
    await drafts(call)


async def drafts(call: Caller) -> None:
    text = (await call("GET", "/api/v1/flows/{agent}/draft", agent="shop"))["text"]
    changed = text.replace("Ordered.", "It is ordered.")
    saved = await call(
        "PUT", "/api/v1/flows/{agent}/draft", {"text": changed}, agent="shop", headers={"If-Match": '"0"'}
    )
    for each in (text.replace("id: done", "id: write"), text.replace("to: done", "to: donne"), changed):
        checked = await call("POST", "/api/v1/flows/{agent}/check", {"text": each}, agent="shop")
    await call("POST", "/api/v1/flows/{agent}/tests", {"text": changed}, agent="shop")
    await call(
        "POST", "/api/v1/flows/{agent}/describe", {"text": changed, "description": "Ask for a size."}, agent="shop"
    )
    await call.turn((await call("POST", "/api/v1/threads", {"agent": "shop"}))["thread"], {})
    await call("POST", "/api/v1/flows/{agent}/preview", {"text": changed}, agent="shop")
    await call("POST", "/api/v1/flows/{agent}/compare", {"before": text, "after": changed}, agent="shop")
    for format in ("json", "svg", "mermaid"):
        await call("POST", "/api/v1/flows/{agent}/export", {"text": changed, "format": format}, agent="shop")
    await call("POST", "/api/v1/flows/{agent}/guards", {"text": changed, "answers": {"sure": True}}, agent="shop")
    assured = f"{changed}\nassurances: [{{never: dropped, unless: [answers.what == 'x']}}]\n"
    await call("POST", "/api/v1/flows/{agent}/assurances", {"text": assured}, agent="shop")
    await call("POST", "/api/v1/flows/{agent}/layers", {"text": changed}, agent="shop")
    await call("POST", "/api/v1/flows/{agent}/layers", {"text": Path("acme/flow.yaml").read_text()}, agent="acme")
    tried = (await call("POST", "/api/v1/flows/{agent}/trials", agent="shop"))["thread"]
    await call.turn(tried, {})
    await call("POST", "/api/v1/flows/{agent}/trials/{id}/conversation", {"name": "x"}, agent="shop", id=tried)
    await call("GET", "/api/v1/flows/{agent}/trials", agent="shop")
    Path("shop/tests").mkdir()
    Path("shop/tests/x.conversation.yaml").write_text("agent: ..\nturns: [{start: true}]\n")
    await call("DELETE", "/api/v1/flows/{agent}/conversations/{name}", agent="shop", name="x")
    yes = {"revision": saved["revision"], "hash": checked["hash"], "note": "A sentence."}
    await call("POST", "/api/v1/flows/{agent}/publish", yes, agent="shop")
    await call("GET", "/api/v1/flows")
    await call("GET", "/api/v1/flows/schema")
    await call("GET", "/api/v1/flows/{agent}/palette", agent="shop")
    await call("GET", "/api/v1/flows/{agent}/versions", agent="shop")
    await call("GET", "/api/v1/flows/{agent}/versions/{number}", agent="shop", number=1)


async def other_protocols(call: Caller) -> None:
    said = {"model": "shop", "messages": [{"role": "user", "content": "a lamp"}]}
    await call("GET", "/v1/models")
    await call("GET", "/v1/models/{name}", name="shop")
    await call("POST", "/v1/chat/completions", said)
    assert (await call("POST", "/v1/chat/completions", {}))["error"]["code"] == "bad_request"
    await call("POST", "/v1/chat/completions", {**said, "stream": True})
    message = {"id": "m1", "role": "user", "content": "a lamp"}
    more = {"state": {}, "tools": [], "context": [], "forwardedProps": {}}
    run = {"threadId": "c1", "runId": "r1", "messages": [message], **more}
    await call("POST", "/agui/{agent}", run, agent="shop")


async def an_order(call: Caller) -> None:
    """Refused values, and an approval."""
    thread = (await call("POST", "/api/v1/threads", {"agent": "shop"}))["thread"]
    for message in (None, "a lamp", "yes"):
        await call.turn(thread, {"message": message})
        state = await call("GET", "/api/v1/threads/{id}/state", id=thread)
    assert (await call("GET", "/api/v1/threads/{id}", id=thread))["run"]["turn"]["refused"]
    yes = {"value": True, "approves": state["waiting_for"]["approval"]["hash"]}
    await call("POST", "/api/v1/threads/{id}/resume", {**yes, "approves": "0" * 64}, id=thread)
    assert (await call("GET", "/api/v1/threads/{id}", id=thread))["run"]["problem"]["code"] == "approval_changed"
    assert (await call.turn(thread, yes, "resume"))["status"] == "ended"
    decisions = (await call("GET", "/api/v1/audit", params={"thread": thread, "event": "approved"}))["items"]
    await call("GET", "/api/v1/audit/{number}/content", number=decisions[0]["number"])
    await call("GET", "/api/v1/threads/{id}/state", id=thread, params={"at": -1})
    await call("GET", "/api/v1/threads/{id}/drawing.svg", id=thread)
    await call("GET", "/api/v1/threads/{id}/flow", id=thread)
    await call("GET", "/api/v1/logs/conversations", params={"thread": thread})
    await call("GET", "/api/v1/threads/{id}/export", id=thread)
    await call("GET", "/api/v1/threads/{id}/export", id=thread, params={"format": "markdown"})
    await call("GET", "/api/v1/threads/{id}/turns", id=thread)
    await call("PATCH", "/api/v1/threads/{id}", {"title": "Lamps"}, id=thread)
    branch = (await call("POST", "/api/v1/threads/{id}/branch", {"at": -1}, id=thread))["thread"]
    await call("PATCH", "/api/v1/threads/{id}", {"pinned": True, "folder": "Lamps"}, id=branch)
    await call("GET", "/api/v1/threads/{id}/branches", id=thread)
    await call("PUT", "/api/v1/threads/{id}/feedback/{turn}", {"rating": "good"}, id=thread, turn=1)
    messages = (await call("GET", "/api/v1/threads/{id}/messages", id=thread))["items"]
    assert {"approval", "feedback", "by_value"} <= {name for each in messages for name in each}
    await call("DELETE", "/api/v1/threads/{id}/feedback/{turn}", id=thread, turn=1)
    for path in ("/api/v1/folders", "/api/v1/models"):
        assert (await call("GET", path))["items"]
    assert (
        "found" in (await call("GET", "/api/v1/threads", params={"limit": 1, "q": "lamp", "usage": True}))["items"][0]
    )
    await call("POST", "/api/v1/threads/delete", {"threads": [branch]})


async def a_drawing(call: Caller) -> None:
    """Files, data, a call of the model, and an artifact."""
    table = b"Cups of some days\n\nday,cups,open,note\n2026-11-01,3,true,a\n2026-11-02,4,false,\n2026-11-03,,true,c\n"
    given = [
        (await call("POST", "/api/v1/files", files={"file": (name, content)}))["id"]
        for name, content in (("cups.csv", table), ("page.html", b"<!doctype html><p>No table"))
    ]
    thread = (await call("POST", "/api/v1/threads", {"agent": "desk"}))["thread"]
    await call.turn(thread, {"message": "begin"})
    await call.turn(thread, {"message": "a lamp", "files": given})
    assert "schema" in (await call("GET", "/api/v1/threads/{id}/state", id=thread))["waiting_for"]
    await call.turn(thread, {"message": "large"})
    await call.turn(thread, {"value": 3}, "resume")
    await call("GET", "/api/v1/threads/{id}/messages", id=thread, params={"limit": 2})
    await call("GET", "/api/v1/threads/{id}/trace", id=thread)
    await call("GET", "/api/v1/threads/{id}/files", id=thread)
    sets = (await call("GET", "/api/v1/threads/{id}/datasets", id=thread))["items"]
    assert next(each for each in sets[0]["columns"] if each["name"] == "cups")["bins"] == [1, *[0] * 14, 1]
    await call("GET", "/api/v1/threads/{id}/files/{sha256}", id=thread, sha256=sets[0]["sha256"])
    made = (await call("GET", "/api/v1/threads/{id}/artifacts", id=thread))["items"]
    (row,) = (await call("GET", "/api/v1/threads", params={"files": True, "usage": True, "last": True}))["items"]
    turns = (await call("GET", "/api/v1/threads/{id}/turns", id=thread))["items"]
    last = [each["id"] for each in row["files"].pop("last")]
    about = {"given": 2, "made": len(made), "names": ["cups.csv", "page.html"]}
    assert (row["thread"], row["files"], last) == (thread, about, [each["id"] for each in made[::-1]])
    for name in ("seconds", "calls", "tokens", "cost"):
        assert row["usage"][name] == pytest.approx(sum(turn[name] for turn in turns)), name
    await call("GET", "/api/v1/threads/{id}/artifacts/{artifact}", id=thread, artifact=made[0]["id"])
    await call("DELETE", "/api/v1/files/{id}", id=given[0])


async def what_was_cut_short(call: Caller) -> None:
    thread = (await call("POST", "/api/v1/threads", {"agent": "desk"}))["thread"]
    run = (await call("POST", "/api/v1/threads/{id}/turns", {"message": "wait"}, id=thread))["id"]
    assert "unread" not in await call("POST", "/api/v1/runs/{id}/cancel", id=run)
    await call.turn(thread, {"message": "begin"})
    await call.turn(thread, {"message": "slow"})
    run = (await call("POST", "/api/v1/threads/{id}/resume", {"value": 3}, id=thread))["id"]
    await until(Path("desk/drawing-0").exists)
    await call("POST", "/api/v1/runs/{id}/cancel", id=run)
    run = (await call("POST", "/api/v1/threads/{id}/turns", {"message": "good"}, id=thread))["id"]
    await until(Path("desk/drawing-1").exists)
    assert (await call("POST", "/api/v1/runs/{id}/cancel", id=run))["unread"] == "good"
    assert (await call.turn(thread, {"message": "good"}))["turn"]["unread"] == "good"
    await call("DELETE", "/api/v1/threads/{id}", id=thread)


async def the_graph(call: Caller, home: Path) -> None:
    """A journal of several entries, one of which is undone."""
    store = open_graph(home)
    writes = [AddNode("Team", "red", {"tags": ["a"], "size": 2}), AddNode("User", "ann"), AddEdge("ann", "IN", "red")]
    for key, step in (("made", writes), ("changed", [UpdateNode("ann", {"age": 30})])):
        goal = store.begin_goal(key, key=key, thread="t1")
        store.apply(step, goal=goal.id, key=key)
        store.finish_goal(goal.id, "done")
    await call("GET", "/api/v1/graph")
    await call("GET", "/api/v1/graph/nodes/{label}", label="Team", params={"node": "red"})
    preview = await call("POST", "/api/v1/graph/journal/{goal}/undo", {}, goal="G2")
    approved = {"preview": False, "approves": preview["hash"]}
    assert (await call("POST", "/api/v1/graph/journal/{goal}/undo", approved, goal="G2"))["undoes"] == "G2"
    await call("GET", "/api/v1/graph/journal/{goal}", goal="G2")
    await call("GET", "/api/v1/graph/journal", params={"limit": 1})


async def experiments(call: Caller, home: Path) -> None:
    """An experiment that assigns groups, with an enrolled user."""
    async with connect(UpgradeSettings(), home) as upgrade:
        school = {"assignment_unit": "group", "consistency_rule": "group", "group": "schoolId"}
        # All users get the same condition, so that the example of the document is the same in each run.
        weights = [{"code": "control", "weight": 0}, {"code": "variant", "weight": 100}]
        goal = {"enrollment_goal": {"users": 10}, "inclusions": [{"kind": "schoolId", "members": ["s2"]}]}
        made = await upgrade.create(draft("Hints", conditions=weights, state=State.ENROLLING, **school, **goal))
        await upgrade.init("ann", {"schoolId": ["s1"]}, {"schoolId": "s1"})
        await upgrade.mark("ann", "show-problem", "fractions-intro", experiment_id=made.id)
    await call("GET", "/api/v1/experiments")
    shown = await call("GET", "/api/v1/experiments/{id}", id=made.id)
    assert (shown["enrollment"]["groups"], shown["members"]["include"]["groups"][0]["id"]) == (1, "s2")


async def access(call: Caller, home: Path) -> None:
    await call("GET", "/api/v1/me")
    made = await call("POST", "/api/v1/keys", {"user": "ann"})
    await call("GET", "/api/v1/keys")
    await call("DELETE", "/api/v1/keys/{id}", id=made["id"])
    async with open_store(home) as store:
        for number in range(2):
            await store.records.put_once("hand_over", str(number), {"summary": "Ann waits"}, agent="a", thread="t")
    assert (await call("GET", "/api/v1/records"))["items"] == [{"name": "hand_over", "records": 2}]
    first = await call("GET", "/api/v1/records/{collection}", collection="hand_over", params={"limit": 1})
    rest = await call("GET", "/api/v1/records/{collection}", collection="hand_over", params={"cursor": first["next"]})
    assert ([each["key"] for each in (*first["items"], *rest["items"])], rest["next"]) == (["0", "1"], None)
    latest = {"latest": True, "limit": 1}
    last = await call("GET", "/api/v1/records/{collection}", collection="hand_over", params=latest)
    more = {**latest, "cursor": last["next"]}
    before = await call("GET", "/api/v1/records/{collection}", collection="hand_over", params=more)
    assert ([each["key"] for each in (*last["items"], *before["items"])], before["next"]) == (["1", "0"], None)
    # A made-up cursor leads through no empty pages.
    far = {**latest, "cursor": encoded([2**40])}
    assert await call("GET", "/api/v1/records/{collection}", collection="hand_over", params=far) == last
    told = (await call("GET", "/api/v1/audit"))["items"]
    assert {each["event"] for each in told} == {
        "approved",
        "changed",
        "performed",
        "published",
        "key_made",
        "key_revoked",
    }
