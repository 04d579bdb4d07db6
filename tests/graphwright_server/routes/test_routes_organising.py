"""Organising conversations over HTTP: decisions, feedback, branches, folders, search, models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx

from api_support import begun, service, thread_of, turn, users, waits
from graphwright.store.interactions import Query, configured


async def answer(client: httpx.AsyncClient, method: str, path: str, body: Any = None, code: int = 200) -> Any:
    got = await client.request(method, f"/api/v1/{path}", json=body)
    assert got.status_code == code, got.text
    return got.json() if got.content else None


async def decisions(client: httpx.AsyncClient, thread: str) -> list[dict[str, Any]]:
    messages = (await answer(client, "GET", f"threads/{thread}/messages"))["items"]
    return [each["approval"] for each in messages if "approval" in each]


async def test_a_decided_approval_says_what_who_and_when(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        await turn(client, thread, {"message": "red lamps"})
        assert await decisions(client, thread) == []
        # Something else than yes or no: the approval is replaced by the next one.
        await turn(client, thread, {"message": "blue ones, please"})
        await turn(client, thread, {"message": "blue lamps"})
        hash = (await waits(client, thread))["approval"]["hash"]
        await turn(client, thread, {"value": True, "approves": hash}, "resume")
        await turn(client, thread, {"message": "green lamps"})
        await turn(client, thread, {"value": False}, "resume")
        replaced, approved, rejected = await decisions(client, thread)
        assert [each["decision"] for each in (replaced, approved, rejected)] == ["replaced", "approved", "rejected"]
        assert (approved["hash"], approved["actions"], approved["outcome"]) == (hash, ["send"], "performed")
        assert [(each["user"], each["yours"]) for each in (approved, rejected)] == [("local", True)] * 2
        assert (replaced["user"], replaced["yours"], rejected["outcome"]) == ("", False, "")
        then = (await answer(client, "GET", f"threads/{thread}/state?at={approved['at']}"))["waiting_for"]["approval"]
        assert (then["hash"], then["over"]["order"]["what"]) == (hash, "blue lamps")
        messages = (await answer(client, "GET", f"threads/{thread}/messages"))["items"]
        assert [each["text"] for each in messages if each.get("by_value")] == ["yes", "no"]


async def test_feedback_is_kept_with_the_answer_in_the_log_and_in_the_export(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        await turn(client, thread, {"message": "red lamps"})
        path = f"threads/{thread}/feedback/2"
        given = await answer(client, "PUT", path, {"rating": "bad", "comment": "I said blue"})
        assert (given["rating"], given["comment"], given["user"]) == ("bad", "I said blue", "local")
        for source in (f"threads/{thread}/messages", f"threads/{thread}/export"):
            found = await answer(client, "GET", source)
            rated = [each["feedback"] for each in found.get("items") or found["messages"] if "feedback" in each]
            assert rated == [given]
        log = configured(tmp_path / "home")
        assert log is not None
        logged = [(each.number, each.question, each.metadata) for each in log.find(Query(session=thread))]
        assert sorted(logged, key=lambda each: each[0]) == [(1, "", {}), (2, "red lamps", {"feedback": given})]
        await answer(client, "DELETE", path, code=204)
        assert "feedback" not in str((await answer(client, "GET", f"threads/{thread}/messages"))["items"])
        assert [each.metadata for each in log.find(Query(session=thread))] == [{}, {}]
        await answer(client, "PUT", f"threads/{thread}/feedback/9", {"rating": "good"}, 404)
        await answer(client, "PUT", path, {"rating": "great"}, 422)


async def test_branches_are_one_conversation_in_the_list(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        first = await begun(client)
        await turn(client, first, {"message": "red lamps"})
        began = (await answer(client, "GET", f"threads/{first}/turns"))["items"][0]["seq"]
        await answer(client, "PATCH", f"threads/{first}", {"folder": "Lights"})
        made = await answer(client, "POST", f"threads/{first}/branch", {"at": began - 1}, 201)
        second = made["thread"]
        await turn(client, second, {"message": "blue lamps"})
        assert made["branch_of"] == {"thread": first, "turn": 2}
        family = (await answer(client, "GET", f"threads/{second}/branches"))["items"]
        assert [(each["thread"], each["source"], each["turn"]) for each in family] == [
            (first, "", 0),
            (second, first, 2),
        ]
        listed = (await answer(client, "GET", "threads?families=true"))["items"]
        assert [(each["thread"], each["folder"]) for each in listed] == [(second, "Lights")]
        assert len((await answer(client, "GET", "threads"))["items"]) == 2
        assert (await answer(client, "GET", "folders"))["items"] == [{"name": "Lights", "threads": 2}]
        # A conversation that begins again is a branch from the first turn on.
        again = await answer(client, "POST", "threads", {"agent": "shop", "branch_of": first}, 201)
        assert (again["branch_of"], again["folder"]) == ({"thread": first, "turn": 1}, "Lights")
        await answer(client, "DELETE", f"threads/{again['thread']}", code=204)
        await answer(client, "DELETE", f"threads/{second}", code=204)
        assert [each["thread"] for each in (await answer(client, "GET", "threads?families=true"))["items"]] == [first]


async def test_threads_are_pinned_sorted_into_folders_found_and_deleted_together(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        one, two = [await begun(client), await begun(client)]
        await turn(client, one, {"message": f"{'many ' * 40}Straße lamps {'more ' * 40}"})
        changed = await answer(client, "PATCH", f"threads/{two}", {"pinned": True, "folder": " Clubs "})
        assert (changed["pinned"], changed["folder"]) == (True, "Clubs")
        for query, found in (("pinned=true", [two]), ("pinned=false", [one]), ("folder=Clubs", [two])):
            assert [each["thread"] for each in (await answer(client, "GET", f"threads?{query}"))["items"]] == found
        (hit,) = (await answer(client, "GET", "threads?q=straße LAMPS"))["items"]
        found = hit["found"]
        assert (hit["thread"], found["role"]) == (one, "assistant")
        assert found["text"][found["start"] : found["end"]] == "Straße lamps"
        assert len(found["text"]) < 260
        assert "found" not in str(await answer(client, "GET", "threads"))
        await answer(client, "POST", "threads/delete", {"threads": [one, "nobody's"]}, 404)
        assert (await answer(client, "POST", "threads/delete", {"threads": [one, two, one]}))["threads"] == [one, two]
        assert (await answer(client, "GET", "threads"))["items"] == []


async def test_a_thread_is_answered_by_the_model_chosen_among_those_offered(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(f"- text: I am {name}.\n", "utf-8")
    place = tmp_path / "asks"
    place.mkdir()
    (place / "flow.yaml").write_text(
        "version: v1\nid: flow.asks\nstate: {said: {type: string, default: ''}}\nnodes:\n"
        "  - {id: ask, type: action, run: ask_model, with: {prompt: who, into: said}}\n"
        "  - {id: done, type: terminal, say: '{{ said }}'}\nedges: [{from: ask, to: done}]\n"
    )
    (place / "prompts").mkdir()
    (place / "prompts" / "who.j2").write_text("=== user ===\nWho are you?")
    first, second = (f"scripted:{tmp_path / name}.yaml" for name in ("one", "two"))
    async with service(tmp_path, model=first, models=(second,), agents=(str(place),)) as client:
        offered = (await answer(client, "GET", "models"))["items"]
        assert offered == [{"name": first, "default": True}, {"name": second, "default": False}]
        await answer(client, "POST", "threads", {"agent": "asks", "model": "scripted:other"}, 400)
        thread = (await answer(client, "POST", "threads", {"agent": "asks"}, 201))["thread"]
        assert (await turn(client, thread, {"message": "hello"}))["reply"] == "I am one."
        await answer(client, "PATCH", f"threads/{thread}", {"model": second})
        assert (await turn(client, thread, {"message": "hello"}))["reply"] == "I am two."


async def test_nothing_of_it_is_possible_with_the_threads_of_others(tmp_path: Path) -> None:
    async with service(tmp_path, login=True) as client:
        who = await users(client, "viewer", "user", "admin")
        await thread_of(client, who["user"], "mine")
        requests: tuple[tuple[str, str, Any], ...] = (
            ("PATCH", "threads/mine", {"pinned": True}),
            ("PUT", "threads/mine/feedback/1", {"rating": "good"}),
            ("DELETE", "threads/mine/feedback/1", None),
            ("GET", "threads/mine/branches", None),
            ("POST", "threads/delete", {"threads": ["mine"]}),
        )
        for method, path, body in requests:
            got = await client.request(method, f"/api/v1/{path}", json=body, headers=who["admin"])
            assert got.status_code == 404, (path, got.text)
            if method != "GET":
                got = await client.request(method, f"/api/v1/{path}", json=body, headers=who["viewer"])
                assert got.status_code == 403, (path, got.text)
        assert (await client.get("/api/v1/threads/mine", headers=who["user"])).status_code == 200
