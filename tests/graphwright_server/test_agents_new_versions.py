"""A service takes a new version of a flow file while it runs; waiting threads carry over, or finish in theirs."""

import logging
from pathlib import Path

import pytest

from api_support import SHOP, SHOP_NODES, begun, sent, service, shop, turn, waits
from graphwright_server import _agents
from waiting_support import until


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(_agents, "LOOK_AGAIN", 0.05)
    caplog.set_level(logging.WARNING, "graphwright.server")


async def written(folder: Path, text: str, caplog: pytest.LogCaptureFixture, words: str) -> None:
    """Write the flow file of the shop, and wait for what the log says of it."""
    caplog.clear()
    (folder / "shop" / "flow.yaml").write_text(text.strip(), "utf-8")
    await until(lambda: words in caplog.text)


async def test_a_new_version_is_taken_when_it_compiles_and_waiting_threads_carry_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with service(tmp_path) as client:
        thread, approval = await begun(client), await begun(client)
        await turn(client, approval, {"message": "lamp"})
        await written(tmp_path, SHOP.replace("What would you like?", "What shall it be?"), caplog, "new version")
        assert (await turn(client, thread, {"message": "bulb"}))["waiting_for"]["prompt"] == "Shall I order bulb?"
        # The content of the approval has not changed, so its hash is still valid.
        content = (await waits(client, approval))["approval"]["hash"]
        ended = await turn(client, approval, {"value": True, "approves": content}, "resume")
        assert (ended["status"], sent(tmp_path)) == ("ended", ["lamp"])
        assert (await waits(client, await begun(client)))["prompt"] == "What shall it be?"


async def test_a_version_that_does_not_compile_leaves_the_old_one_running(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        cards = (await client.get("/api/v1/agents")).json()
        for text, words in (
            (SHOP.replace("to: write", "to: writ"), "GW202"),
            ("nodes: [", "GW104"),
            (SHOP.replace("run: send", "run: ship"), "GW501"),
        ):
            await written(tmp_path, text, caplog, words)
            assert "the previous version stays in use" in caplog.text
        assert (await client.get("/api/v1/agents")).json() == cards
        assert (await turn(client, thread, {"message": "bulb"}))["waiting_for"]["prompt"] == "Shall I order bulb?"
        # Python is imported once: a flow that needs what was added since waits for a restart.
        (tmp_path / "shop" / "nodes.py").write_text(SHOP_NODES.replace("def send", "def ship"), "utf-8")
        await written(tmp_path, SHOP.replace("run: send", "run: ship"), caplog, "restart the service")
        (tmp_path / "shop" / "nodes.py").write_text(SHOP_NODES, "utf-8")
        await written(tmp_path, SHOP.replace("Ordered.", "It is on its way."), caplog, "new version")


async def test_a_flow_file_that_breaks_before_the_first_request_leaves_the_version_of_the_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with service(tmp_path) as client:
        (tmp_path / "shop" / "flow.yaml").write_text("nodes: [", "utf-8")
        assert {each["problem"] for each in (await client.get("/api/v1/agents")).json()["items"]} == {""}
        assert (await waits(client, await begun(client)))["prompt"] == "What would you like?"


async def test_an_agent_that_is_broken_at_the_start_says_what_is_wrong_and_costs_only_itself(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "flow.yaml").write_text(f"{SHOP.strip().replace('to: write', 'to: writ')}", "utf-8")
    (broken / "nodes.py").write_text(SHOP_NODES, "utf-8")
    async with service(tmp_path, agents=(str(shop(tmp_path)), str(broken))) as client:
        answer = await client.post("/api/v1/threads", json={"agent": "broken"})
        found = answer.json()
        assert (answer.status_code, found["code"], found["diagnostics"][0]["code"]) == (503, "flow_invalid", "GW202")
        assert "GW202" in found["detail"]
        assert str(tmp_path) not in answer.text
        assert (await waits(client, await begun(client)))["prompt"] == "What would you like?"
        (broken / "flow.yaml").write_text(SHOP.strip(), "utf-8")
        assert (await client.post("/api/v1/threads", json={"agent": "broken"})).status_code == 201


async def test_an_approval_in_an_earlier_version_is_in_the_audit(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        await turn(client, thread, {"message": "lamp"})
        await written(tmp_path, f"on_change: pin\n{SHOP.replace('q.sure', 'q.really').strip()}", caplog, "new version")
        pending = await waits(client, thread)
        assert "outdated" not in pending
        ended = await turn(client, thread, {"value": True, "approves": pending["approval"]["hash"]}, "resume")
        assert (ended["status"], sent(tmp_path)) == ("ended", ["lamp"])
        audited = (await client.get("/api/v1/audit", params={"thread": thread})).json()
        assert {"approved", "performed"} <= {each["event"] for each in audited["items"]}


@pytest.mark.parametrize(("value", "decision"), [(True, "approved"), (False, "rejected")])
async def test_a_decision_that_a_new_version_does_not_take_is_in_the_conversation_and_in_the_audit(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, value: bool, decision: str
) -> None:
    # After a no an action follows now, so that it is asked for again as well.
    edited = SHOP.replace("Shall I order", "Shall I keep").replace("q.what, guard: else", "dropped, guard: else")
    edited = edited.replace("to: dropped, guard: answers", "to: write, guard: answers")
    async with service(tmp_path) as client:
        thread = await begun(client)
        await turn(client, thread, {"message": "lamp"})
        content = (await waits(client, thread))["approval"]["hash"]
        assert "outdated" not in await waits(client, thread)
        await written(tmp_path, edited, caplog, "new version")
        assert (await waits(client, thread))["outdated"]
        ended = await turn(client, thread, {"value": value, "approves": content if value else ""}, "resume")
        assert (ended["status"], sent(tmp_path)) == ("waiting", [])
        assert "your decision was not used" in ended["reply"]
        last = (await client.get(f"/api/v1/threads/{thread}")).json()["run"]["turn"]
        assert [each["stage"] for each in last["refused"]] == ["superseded"]
        audited = (await client.get("/api/v1/audit", params={"thread": thread})).json()["items"]
        assert [each["event"] for each in audited] == ["superseded", decision]
        messages = (await client.get(f"/api/v1/threads/{thread}/messages")).json()["items"]
        (decided,) = [each["approval"] for each in messages if "approval" in each]
        assert (decided["decision"], decided["outcome"], decided["yours"]) == (decision, "superseded", True)


async def test_a_published_version_stays_the_flow_when_the_file_changes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with service(tmp_path) as client:
        await begun(client)
        flow, text = "/api/v1/flows/shop", SHOP.strip().replace("What would you like?", "What do you want?")
        await client.put(f"{flow}/draft", json={"text": text}, headers={"If-Match": '"0"'})
        digest = (await client.post(f"{flow}/check", json={"text": text})).json()["hash"]
        published = {"revision": 1, "hash": digest, "note": "Shorter."}
        assert (await client.post(f"{flow}/publish", json=published)).status_code == 201
        await written(tmp_path, SHOP.replace("What would", "What else would"), caplog, "published version 2 stays")
        assert "served from now on" not in caplog.text
        assert (await waits(client, await begun(client)))["prompt"] == "What do you want?"
        (listed,) = [each for each in (await client.get("/api/v1/flows")).json()["items"] if each["agent"] == "shop"]
        assert listed["file_changed"]
