"""The views of the service besides conversations: the graph and its journal, experiments, the interaction log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx

from api_support import begun, service, thread_of, turn, users, waits
from graphwright.store.interactions import configured
from graphwright_graph import AddEdge, AddNode, open_graph
from interactions_support import interaction


async def test_the_graph_is_shown_in_parts_and_its_journal_undone_by_whose_it_is(tmp_path: Path) -> None:
    async with service(tmp_path, login=True) as client:
        who = await users(client, "viewer", "user", "admin")
        await thread_of(client, who["user"], "t1")
        store = open_graph(tmp_path / "home")
        for goal, writes in (
            ("t1", [AddNode("Team", "red/1"), AddNode("User", "ann"), AddEdge("ann", "IN", "red/1")]),
            ("t2", [AddNode("User", "ben")]),
        ):
            entry = store.begin_goal(f"secret words of {goal}", key=goal, thread=goal)
            store.apply(writes, goal=entry.id, key=goal)
            store.finish_goal(entry.id, "done")

        async def get(path: str, role: str = "user", **query: Any) -> Any:
            answer = await client.get(f"/api/v1/graph{path}", params=query, headers=who[role])
            assert answer.status_code == 200, answer.text
            return answer.json()

        whole = await get("")
        assert ([n["key"] for n in whole["nodes"]], len(whole["edges"])) == (["red/1", "ann", "ben"], 1)
        assert whole["labels"] == [{"label": "Team", "count": 1}, {"label": "User", "count": 2}]
        few = await get("", limit=2)
        assert ([n["key"] for n in few["nodes"]], few["truncated"]) == (["red/1", "ann"], True)
        part = await get("", label="User", limit=1)
        assert ([n["key"] for n in part["nodes"]], part["edges"], part["truncated"]) == (["ann"], [], True)
        for q, keys, similar in (("D/1", ["red/1"], False), ("eN", ["ben"], False), ("red/2", ["red/1"], True)):
            found = await get("", q=q)
            assert ([n["key"] for n in found["nodes"]], found["similar"]) == (keys, similar)
        assert {n["key"] for n in (await get("/nodes/Team", node="red/1"))["nodes"]} == {"red/1", "ann"}
        assert (await client.get("/api/v1/graph/nodes/Team?node=none", headers=who["user"])).status_code == 404
        assert (await client.get("/api/v1/graph?label=a)%20DELETE", headers=who["user"])).status_code == 400

        journal = await get("/journal")
        assert [(each["goal"], each["text"]) for each in journal["items"]] == [("G2", ""), ("G1", "secret words of t1")]
        assert [each["undoable"] for each in journal["items"]] == [False, True]
        assert [each["user"] for each in journal["items"]] == ["", "user"]
        assert [each["undoable"] for each in (await get("/journal", "viewer"))["items"]] == [False, False]
        assert (await get("/journal", "admin"))["items"][0]["text"] == "secret words of t2"
        assert len((await get("/journal/G1"))["steps"][0]["changes"]) == 3

        async def undo(goal: str, role: str, **body: Any) -> httpx.Response:
            return await client.post(f"/api/v1/graph/journal/{goal}/undo", json=body, headers=who[role])

        assert (await undo("G1", "viewer")).status_code == 403
        assert (await undo("G2", "user")).status_code == 403
        shown = (await undo("G1", "user")).json()
        assert {change["kind"] for change in shown["changes"]} == {"deleted"}
        assert (await undo("G1", "user", preview=False)).json()["code"] == "approval_changed"
        assert (await undo("G1", "user", preview=False, approves=shown["hash"])).json()["undoes"] == "G1"
        assert [n["key"] for n in (await get(""))["nodes"]] == ["ben"]
        assert (await undo("G1", "user", preview=False, approves=shown["hash"])).status_code == 409
        entries = (await client.get("/api/v1/audit", headers=who["admin"])).json()["items"]
        assert [each["event"] for each in entries[:4]] == ["failed", "approved", "performed", "approved"]
        assert {(each["user"], each["action"]) for each in entries[:4]} == {("user", "undo")}
        assert entries[3]["content"] == shown["hash"]


async def test_everybody_sees_the_log_of_their_own_threads_and_admins_all(tmp_path: Path) -> None:
    async with service(tmp_path, login=True) as client:
        who = await users(client, "user", "admin")
        await thread_of(client, who["user"], "t1")
        log = configured(tmp_path / "home")
        log.write(
            [interaction(n, session="t1", success=n != 2) for n in (1, 2, 3)]
            + [interaction(4, session="t2", agent="draft:a")]
        )

        async def get(role: str, **query: Any) -> Any:
            answer = await client.get("/api/v1/logs", params=query, headers=who[role])
            assert answer.status_code == 200, answer.text
            return answer.json()

        async def numbers(role: str, **query: Any) -> list[int]:
            return [each["number"] for each in (await get(role, **query))["items"]]

        assert await numbers("user") == [3, 2, 1]
        assert await numbers("user", session="t2") == []
        assert await numbers("admin") == [4, 3, 2, 1]
        assert await numbers("admin", trials=False) == [3, 2, 1]
        assert await numbers("admin", success=False) == [2]
        assert await numbers("admin", until="2026-11-01T10:03:00Z", q="is 1?") == [1]
        first = await get("user")
        assert [each["yours"] for each in first["items"]] == [True] * 3
        first = await get("admin", limit=3)
        assert [each["yours"] for each in first["items"]] == [False] * 3
        assert await numbers("admin", limit=3, cursor=first["next"]) == [1]
        assert (await client.get("/api/v1/logs?since=x", headers=who["user"])).status_code == 400
        for role, count in (("user", 3), ("admin", 4)):
            total = (await client.get("/api/v1/logs/summary", headers=who[role])).json()
            assert (total["count"], sum(bar["count"] for bar in total["bars"])) == (count, count)


async def test_the_name_of_an_agent_finds_its_conversations_and_turns(tmp_path: Path) -> None:
    async with service(tmp_path, login=True) as client:
        who = (await users(client, "user"))["user"]
        await thread_of(client, who, "t1")
        log = configured(tmp_path / "home")
        assert log is not None
        log.write([interaction(1, session="t1", agent="shop"), interaction(2, session="t1", agent="other")])
        for q, found in (("SHO", 1), ("no such", 0)):
            for path in ("threads", "logs"):
                items = (await client.get(f"/api/v1/{path}", params={"q": q}, headers=who)).json()["items"]
                assert [each["agent"] for each in items] == ["shop"] * found


async def test_threads_and_audit_entries_are_chosen(tmp_path: Path) -> None:
    async with service(tmp_path, login=True) as client:
        who = await users(client, "user", "admin")
        await thread_of(client, who["user"], "t1")

        async def items(path: str, role: str, **query: Any) -> Any:
            return (await client.get(f"/api/v1/{path}", params=query, headers=who[role])).json()["items"]

        (row,) = await items("threads", "user", last=True)
        assert "last" not in row, "nothing was said"
        assert await items("threads", "user", since=row["updated"], until="2999-01-01") != []
        assert await items("threads", "user", until=row["updated"]) == []
        assert await items("threads", "user", since="2999-01-01") == []
        assert {each["event"] for each in await items("audit", "admin", event=["key_made", "approved"])} <= {"key_made"}
        assert await items("audit", "admin", event="approved") == []
        assert await items("audit", "admin", agent="no such") == []


async def test_an_admin_reads_what_another_user_approved_until_the_thread_is_deleted(tmp_path: Path) -> None:
    async with service(tmp_path, login=True) as client:
        who = await users(client, "user", "admin")
        client.headers.update(who["user"])
        thread = await begun(client)
        await turn(client, thread, {"message": "a lamp"})
        await turn(client, thread, {"value": False}, "resume")
        await turn(client, thread, {})
        await turn(client, thread, {"message": "ten lamps"})
        approval = (await waits(client, thread))["approval"]
        await turn(client, thread, {"value": True, "approves": approval["hash"]}, "resume")
        entries = (await client.get("/api/v1/audit", headers=who["admin"])).json()["items"][:3]
        assert [each["event"] for each in entries] == ["performed", "approved", "rejected"]

        async def content(entry: Any, role: str = "admin") -> httpx.Response:
            return await client.get(f"/api/v1/audit/{entry['number']}/content", headers=who[role])

        shown = [(await content(each)).json() for each in entries]
        assert [each["prompt"] for each in shown] == ["Shall I order ten lamps?"] * 2 + ["Shall I order a lamp?"]
        assert shown[1]["approval"] == approval
        assert (await content(entries[0], "user")).status_code == 403
        assert (await content({"number": entries[0]["number"] + 1})).status_code == 404
        await client.delete(f"/api/v1/threads/{thread}")
        assert (await content(entries[0])).status_code == 404


async def test_experiments_are_those_of_the_server_that_is_configured(tmp_path: Path) -> None:
    from graphwright_upgrade.client._connecting import connect
    from graphwright_upgrade.client._drafts import ConditionDraft, DecisionPointDraft, ExperimentDraft
    from graphwright_upgrade.client._settings import UpgradeSettings

    async with service(tmp_path) as client:
        async with connect(UpgradeSettings(), tmp_path / "home") as upgrade:
            context = next(iter(await upgrade.contexts()))
            made = await upgrade.create(
                ExperimentDraft(
                    name="Colours",
                    context=context,
                    conditions=(ConditionDraft(code="red", weight=50), ConditionDraft(code="blue", weight=50)),
                    decision_points=(DecisionPointDraft(site="Home", target="button"),),
                )
            )
        found = (await client.get("/api/v1/experiments")).json()
        row = next(each for each in found["items"] if each["name"] == "Colours")
        assert (row["state"], row["users"]) == ("inactive", None)
        assert found["local"] is True
        shown = (await client.get(f"/api/v1/experiments/{made.id}")).json()
        assert [each["code"] for each in shown["conditions"]] == ["red", "blue"]
        assert (await client.get("/api/v1/experiments/none")).status_code in (400, 404)
