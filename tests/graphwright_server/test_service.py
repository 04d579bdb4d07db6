"""The service: threads, files and flows; refusals; problems; and failures of the disk and the store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from api_support import SHOP, begun, service, shop, turn
from cli_support import Runner
from graphwright.host.agent import outline
from graphwright.host.discovery import built_in
from graphwright.store import StoreError
from graphwright.store.sql._runs import SqlRuns


async def test_threads_are_listed_searched_renamed_exported_branched_and_deleted(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        threads = [await begun(client) for _ in range(3)]
        for thread, what in zip(threads, ("a lamp", "100 % wool", "a chair"), strict=True):
            await turn(client, thread, {"message": what})

        async def listed(**query: object) -> list[str]:
            found: list[str] = []
            params = {**query, "limit": 2}
            while True:
                page = (await client.get("/api/v1/threads", params=params)).json()
                found += [each["thread"] for each in page["items"]]
                if page["next"] is None:
                    return found
                params["cursor"] = page["next"]

        assert await listed() == threads[::-1]
        assert await listed(q="0 % W") == [threads[1]]
        assert await listed(agent="shop", status="waiting") == threads[::-1]
        assert await listed(status="ended") == []
        await client.patch(f"/api/v1/threads/{threads[0]}", json={"title": "Light"})
        assert await listed(q="light") == [threads[0]]
        await client.patch(f"/api/v1/threads/{threads[1]}", json={"title": "Überzug"})
        assert await listed(q="überZUG") == [threads[1]]
        made = (await client.post(f"/api/v1/threads/{threads[0]}/branch", json={"at": -1})).json()
        assert (made["source"], made["title"], made["status"]) == (threads[0], "Light", "waiting")
        markdown = (await client.get(f"/api/v1/threads/{made['thread']}/export?format=markdown")).text
        assert markdown.startswith("# Light\n\n## Agent, ")
        assert "a lamp" in markdown
        for thread in threads:
            assert (await client.delete(f"/api/v1/threads/{thread}")).status_code == 204
        assert await listed() == [made["thread"]]


async def test_a_branch_and_its_answers_are_in_history_and_export(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        await client.patch(f"/api/v1/threads/{thread}", json={"title": "Furniture \u202etaes"})
        changed = {"at": -1, "answers": {"what": "a chair"}}
        branch = (await client.post(f"/api/v1/threads/{thread}/branch", json=changed)).json()
        made = branch["thread"]
        assert branch["title"] == "Furniture \u202etaes"
        page = (await client.get(f"/api/v1/threads/{made}/messages")).json()["items"]
        # The messages at the beginning of a branch do not belong to a turn.
        assert [(m["role"], m["turn"]) for m in page] == [("assistant", 1), ("user", 0), ("assistant", 0)]
        assert page[1]["text"] == "a chair"
        markdown = (await client.get(f"/api/v1/threads/{made}/export?format=markdown")).text
        assert markdown.startswith("# Furniture [U+202E]taes\n")
        assert markdown.index("What would you like?") < markdown.index("\n\na chair\n\n## Agent")
        await turn(client, made, {"message": "go on"})
        after = (await client.get(f"/api/v1/threads/{made}/messages")).json()["items"]
        assert after[: len(page)] == page
        assert [(m["text"], m["turn"]) for m in after[-2:]] == [("go on", 2), ("Shall I order a chair?", 2)]


async def test_messages_come_in_pages_from_the_end_and_the_trace_from_the_beginning(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        await turn(client, thread, {"message": "a lamp"})
        page = (await client.get(f"/api/v1/threads/{thread}/messages?limit=2")).json()
        assert [(m["role"], m["text"], m["turn"]) for m in page["items"]] == [
            ("user", "a lamp", 2),
            ("assistant", "Shall I order a lamp?", 2),
        ]
        page = (await client.get(f"/api/v1/threads/{thread}/messages?limit=2&before={page['next']}")).json()
        assert ([m["seq"] for m in page["items"]], page["next"]) == ([0], None)
        trace = (await client.get(f"/api/v1/threads/{thread}/trace?limit=4")).json()
        rest = (await client.get(f"/api/v1/threads/{thread}/trace?since={trace['next']}")).json()
        rows = trace["items"] + rest["items"]
        assert [row["seq"] for row in rows] == list(range(len(rows)))
        second = (await client.get(f"/api/v1/threads/{thread}/trace?turn=2")).json()["items"]
        assert second[0]["event"]["turn"] == 2
        assert second == rows[second[0]["seq"] :]
        assert (await client.get(f"/api/v1/threads/{thread}/trace?turn=9")).json()["items"] == []
        written = next(row for row in rows if row["event"]["type"] == "channels_written")
        then = (await client.get(f"/api/v1/threads/{thread}/state?at={written['seq']}")).json()
        assert then["values"]["order"]["what"] == "a lamp"


async def test_turns_are_listed_from_the_last_one_with_their_usage(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        for message in ("a lamp", "hm"):
            await turn(client, thread, {"message": message})
        path = f"/api/v1/threads/{thread}/turns"
        first = (await client.get(f"{path}?limit=2")).json()
        assert [(each["turn"], each["message"]) for each in first["items"]] == [(3, "hm"), (2, "a lamp")]
        assert {(each["calls"], each["tokens"], each["failed"], each["cost"]) for each in first["items"]} == {
            (0, 0, False, 0.0)
        }
        last = (await client.get(f"{path}?limit=2&before={first['next']}")).json()
        assert ([(each["turn"], each["message"]) for each in last["items"]], last["next"]) == ([(1, None)], None)


async def test_an_upload_is_what_its_content_is_and_has_a_plain_name(tmp_path: Path) -> None:
    async with service(tmp_path, upload_bytes=1000, stored_bytes=1500) as client:

        async def upload(name: str, content: bytes, media: str = "image/png") -> httpx.Response:
            return await client.post("/api/v1/files", files={"file": (name, content, media)})

        kept = (await upload("../../etc/pass<w>d.png", b"a,b\n1,2\n")).json()
        assert (kept["name"], kept["kind"], kept["bytes"]) == ("pass_w_d.png", "text", 8)
        folder = tmp_path / "home" / "uploads" / kept["id"]
        assert [file.name for file in folder.iterdir()] == ["pass_w_d.png"]
        assert (await upload("ü" * 300 + ".csv", b"x")).status_code == 201
        large = await upload("large.csv", b"x" * 1001)
        assert (large.status_code, large.json()["code"]) == (413, "large_upload")
        huge = await upload("huge.csv", b"x" * 100_000)
        assert (huge.status_code, huge.json()["code"]) == (413, "large_upload")
        assert (await upload("more.csv", b"x" * 900)).status_code == 201
        full = await upload("full.csv", b"x" * 900)
        assert (full.status_code, full.json()["code"]) == (413, "quota")
        assert (await client.delete(f"/api/v1/files/{kept['id']}")).status_code == 204
        assert not folder.exists()
        assert (await client.delete(f"/api/v1/files/{kept['id']}")).status_code == 404
        thread = await begun(client)
        body = {"message": "a lamp", "files": [kept["id"]]}
        assert (await client.post(f"/api/v1/threads/{thread}/turns", json=body)).status_code == 404


@pytest.mark.parametrize("id", ["a/b", "../../x", "..", "a\\b"])
async def test_a_thread_is_given_no_id_that_no_address_could_name(tmp_path: Path, id: str) -> None:
    async with service(tmp_path) as client:
        answer = await client.post("/api/v1/threads", json={"agent": "shop", "thread": id})
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_thread")
        assert (await client.get("/api/v1/threads")).json()["items"] == []


async def test_a_body_that_is_not_json_is_an_error(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        for body, kind, told in (
            ('{"agent": ', "application/json", "not JSON"),
            ("agent=shop", "text/plain", "JSON object"),
        ):
            answer = await client.post("/api/v1/threads", content=body, headers={"Content-Type": kind})
            assert (answer.status_code, answer.json()["code"]) == (422, "bad_request")
            assert told in answer.json()["detail"]


async def test_no_request_names_code(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        for name in (str(tmp_path / "shop"), "../shop", "shop/flow.yaml"):
            answer = await client.post("/api/v1/threads", json={"agent": name})
            assert (answer.status_code, answer.json()["code"]) == (404, "unknown_agent")
        agents = (await client.get("/api/v1/agents")).json()["items"]
        assert {"intake", "shop"} <= {each["name"] for each in agents}
        assert str(tmp_path) not in str(agents)


async def test_an_agent_says_what_it_does_and_what_it_needs(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        agents = {each["name"]: each for each in (await client.get("/api/v1/agents")).json()["items"]}
        assert agents["shop"]["description"] == "Takes an order for one thing, and sends it after a yes."
        for name in built_in():
            assert agents[name]["description"].strip(), name
        assert agents["data_scientist"]["needs"] == ["model", "sandbox"]


async def test_flows_are_read_checked_and_drawn(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        flow = (await client.get("/api/v1/flows/shop")).json()
        assert len(flow["graph"]["nodes"]) == 6
        assert (await client.post("/api/v1/flows/check", json={"text": flow["document"]})).json()["ok"]
        wrong = flow["document"].replace("to: done}", "to: dome}")
        found = (await client.post("/api/v1/flows/check", json={"text": wrong})).json()
        assert (found["ok"], found["diagnostics"][0]["code"]) == (False, "GW202")
        picture = await client.get("/api/v1/flows/shop/drawing.svg")
        assert "sandbox" in picture.headers["content-security-policy"]
        assert (await client.post("/api/v1/flows/draw", json={"text": wrong})).json()["code"] == "flow_invalid"


async def test_a_thread_is_drawn_with_its_original_flow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def drawn(client: httpx.AsyncClient, thread: str) -> str:
        return (await client.get(f"/api/v1/threads/{thread}/drawing.svg")).text

    async with service(tmp_path) as client:
        earlier = await begun(client)
        before = await drawn(client, earlier)
        assert before == (await client.get("/api/v1/flows/shop/drawing.svg")).text
    monkeypatch.setattr("api_support.SHOP", SHOP.replace("dropped", "nothing"))
    async with service(tmp_path) as client:
        assert "dropped" in before
        assert await drawn(client, earlier) == before
        assert "dropped" in str((await client.get(f"/api/v1/threads/{earlier}/flow")).json()["document"])
        later = await drawn(client, await begun(client))
        assert ("dropped" in later, "nothing" in later) == (False, True)
        assert (await client.get("/api/v1/threads/none/drawing.svg")).status_code == 404


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"Origin": "https://evil.example"}, "cross_origin"),
        ({"Origin": "null"}, "cross_origin"),
        ({"Origin": "http://localhost:81"}, "cross_origin"),
        ({"Sec-Fetch-Site": "cross-site"}, "cross_origin"),
        ({"Host": "evil.example"}, "foreign_host"),
        ({"Host": "localhost.evil.example"}, "foreign_host"),
        ({"Content-Length": "99999999"}, "large_request"),
    ],
)
async def test_cross_origin_requests_are_refused(tmp_path: Path, headers: dict[str, str], code: str) -> None:
    async with service(tmp_path) as client:
        answer = await client.post("/api/v1/threads", json={"agent": "shop"}, headers=headers)
        assert answer.json()["code"] == code
        assert answer.json()["request_id"] == answer.headers["x-request-id"]
        own = await client.post("/api/v1/threads", json={"agent": "shop"}, headers={"Origin": "http://localhost"})
        assert own.status_code == 201


async def test_a_page_of_a_configured_name_may_write_by_whatever_name_its_proxy_asks(tmp_path: Path) -> None:
    async with service(tmp_path, hosts=("agents.example.org",)) as client:
        for origin, status in (
            ("https://agents.example.org", 201),
            ("https://agents.example.org:81", 403),
            ("https://agents.example.org.evil.example", 403),
            ("http://[", 403),
        ):
            answer = await client.post("/api/v1/threads", json={"agent": "shop"}, headers={"Origin": origin})
            assert answer.status_code == status, origin


async def test_every_answer_says_what_a_browser_may_do_with_it(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        for path in ("/", "/threads/t1", "/docs", "/api/v1/me", "/api/v1/nothing", "/assets/none.js"):
            answer = await client.get(path)
            policy = answer.headers["content-security-policy"]
            assert "script-src 'self';" in policy
            assert "frame-ancestors 'none'" in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "<script" not in answer.text.replace('<script type="module"', "").replace("<script src", "")
        assert (await client.get("/api/v1/nothing")).status_code == 404
        assert (await client.get("/../../../../etc/passwd")).status_code in (307, 404)


async def test_a_read_only_store_is_an_error_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = StoreError("disk_full", "There is no room left.", "Free some space and try again.")
    async with service(tmp_path) as client:
        thread = await begun(client)

        async def refuses(*_: Any, **__: Any) -> None:
            raise full

        with monkeypatch.context() as patch:
            patch.setattr(SqlRuns, "begin", refuses)
            answer = await client.post(f"/api/v1/threads/{thread}/turns", json={"message": "a lamp"})
            assert (answer.status_code, answer.json()["code"]) == (507, "disk_full")
        with monkeypatch.context() as patch:
            # The turn itself is saved; only the end of its run cannot be stored for a moment.
            patch.setattr(SqlRuns, "write", refuses)
            last = await turn(client, thread, {"message": "a lamp"})
            assert last["waiting_for"]["node"] == "q.sure"
            run = (await client.get(f"/api/v1/threads/{thread}")).json()["run"]
            assert run["status"] == "waiting"
        assert (await turn(client, thread, {"message": "no"}))["status"] == "ended"


def test_another_address_demands_a_login(run: Runner) -> None:
    refused = run("serve", "--host", "0.0.0.0", "--port", "0", "--no-open")
    assert refused.code == 2
    assert "no login is configured" in refused.err


async def test_an_agent_is_compiled_again_only_when_its_files_have_changed(tmp_path: Path) -> None:
    folder = shop(tmp_path)
    async with service(tmp_path) as client:

        async def thread_state() -> dict[str, Any]:
            items = (await client.get("/api/v1/agents")).json()["items"]
            return dict(next(each for each in items if each["name"] == "shop"))

        first = await thread_state()
        compiled = outline(folder).flow
        assert (first["title"], first["takes_files"], (await thread_state()) == first) == ("Shop", False, True)
        assert outline(folder).flow is compiled
        replaced(folder / "flow.yaml", "title: Shop", "title: Store")
        replaced(folder / "nodes.py", "ctx.stream(f", "ctx.files; ctx.stream(f")
        second = await thread_state()
        assert (second["title"], second["takes_files"], second["ready"]) == ("Store", True, True)
        replaced(folder / "nodes.py", 'writes=["sent"]', 'writes=["nothing"]')
        # The agent was loaded at the start of the service, and is still served.
        assert (await thread_state()) == second


def replaced(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")
