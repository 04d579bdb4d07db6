"""The other protocols of the service: OpenAI's chat completions, AG-UI and MCP. A yes only approves what was shown."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import fastmcp
import httpx
import openai
import pytest
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from fastmcp.exceptions import ToolError

from api_support import begun, sent, service, shop, waits
from graphwright_server.access import _keys as keys
from waiting_support import until

TOLD = "Takes an order for one thing, and sends it after a yes."
"""The description in the flow of the shop."""


def chats(client: httpx.AsyncClient, key: str = "unused") -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url="http://localhost/v1", api_key=key, http_client=client, max_retries=0)


class Chat:
    """A chat program that sends the whole conversation with each message, as usual."""

    def __init__(self, client: openai.AsyncOpenAI, stream: bool = False, **more: Any) -> None:
        self.client, self.stream, self.more = client, stream, more
        self.messages: list[Any] = []

    async def say(self, text: str) -> str:
        self.messages.append({"role": "user", "content": text})
        given = {"model": "shop", "messages": self.messages, **self.more}
        if self.stream:
            pieces = [chunk async for chunk in await self.client.chat.completions.create(stream=True, **given)]
            reply = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
            assert pieces[-1].choices[0].finish_reason == "stop"
        else:
            answer = await self.client.chat.completions.create(**given)
            assert answer.choices[0].finish_reason == "stop"
            reply = answer.choices[0].message.content or ""
        self.messages.append({"role": "assistant", "content": reply})
        return reply


@pytest.mark.parametrize("stream", [False, True])
async def test_a_chat_program_orders_after_a_plain_yes_to_what_it_showed(tmp_path: Path, stream: bool) -> None:
    async with service(tmp_path) as client:
        models = {model.id: model async for model in await chats(client).models.list()}
        assert {"shop", "intake"} <= {*models}
        assert models["shop"].model_extra == {"name": "Shop", "description": TOLD}
        chat = Chat(chats(client), stream)
        shown = await chat.say("a lamp")
        assert shown.startswith("Shall I order a lamp?\n\n(approval ")
        assert sent(tmp_path) == []
        assert await chat.say("yes") == "Ordered."
        assert sent(tmp_path) == ["a lamp"]
        entries = (await client.get("/api/v1/audit")).json()["items"]
        assert [(e["door"], e["event"], e["action"]) for e in entries] == [
            ("openai", "performed", "send"),
            ("openai", "approved", "send"),
        ]
        assert len({entry["content"] for entry in entries}) == 1


async def test_a_yes_without_what_was_shown_or_to_something_else_orders_nothing(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        for answer in ("", "Shall I order a lamp?", f"Shall I order a lamp?\n\n(approval {'0' * 24})"):
            chat = Chat(chats(client), user=answer or "nobody")
            await chat.say("a lamp")
            chat.messages[-1]["content"] = answer
            assert "Shall I order a lamp?" in await chat.say("yes")
        assert sent(tmp_path) == []


@pytest.mark.parametrize("stream", [False, True])
async def test_a_yes_that_comes_again_is_answered_again_and_done_once(tmp_path: Path, stream: bool) -> None:
    async with service(tmp_path) as client:
        chat, other = Chat(chats(client), stream), Chat(chats(client), stream)
        await chat.say("a lamp")
        await other.say("a lamp")
        answers = []
        for _ in range(3):
            answers.append(await chat.say("yes"))
            del chat.messages[2:]
        assert answers == ["Ordered."] * 3
        # A different yes in its place, also later in the conversation, is asked for confirmation again.
        assert "Shall I order a lamp?" in await chat.say("yes, please")
        del chat.messages[2:]
        await chat.say("yes")
        await chat.say("a chair")
        del chat.messages[2:]
        assert "Shall I order a lamp?" in await chat.say("yes")
        assert sent(tmp_path) == ["a lamp"]
        # The same approval shown in another conversation was not confirmed there.
        assert await other.say("yes") == "Ordered."
        assert sent(tmp_path) == ["a lamp", "a lamp"]


async def test_a_yes_that_comes_again_finishes_what_was_cut_short(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        chat = Chat(chats(client))
        await chat.say("dear lamp")
        saying = asyncio.create_task(chat.say("yes"))
        (thread,) = [each["thread"] for each in (await client.get("/api/v1/threads")).json()["items"]]

        async def confirmed() -> bool:
            return "confirmation_given" in (await client.get(f"/api/v1/threads/{thread}/trace")).text

        await until(confirmed)
        run = (await client.get(f"/api/v1/threads/{thread}")).json()["run"]["id"]
        await client.post(f"/api/v1/runs/{run}/cancel")
        with pytest.raises(openai.APIStatusError):
            await saying
        del chat.messages[2:]
        assert await chat.say("yes") == "Ordered."
        assert sent(tmp_path) == ["dear lamp"]
        assert len((await client.get("/api/v1/threads")).json()["items"]) == 1


async def test_a_no_can_be_changed_into_a_yes(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        chat = Chat(chats(client))
        await chat.say("a lamp")
        assert await chat.say("no") == "Nothing was ordered."
        del chat.messages[2:]
        assert await chat.say("yes") == "Ordered."
        assert sent(tmp_path) == ["a lamp"]


async def test_errors_can_be_read_by_clients_of_openai(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        with pytest.raises(openai.NotFoundError, match="There is no agent 'nobody' here") as error:
            await chats(client).chat.completions.create(model="nobody", messages=[{"role": "user", "content": "hello"}])
        assert error.value.code == "unknown_agent"


async def test_conversations_that_begin_alike_stay_apart_and_a_changed_message_branches(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        one, two = Chat(chats(client)), Chat(chats(client), True)
        first, second = await one.say("a lamp"), await two.say("a lamp")
        assert first.partition("(approval")[0] == second.partition("(approval")[0]
        assert await one.say("yes") == "Ordered."
        assert await two.say("no") == "Nothing was ordered."
        assert "Shall I order a chair?" in await two.say("a chair")
        # The answer to the question again, in other words: the thread's actions are not undone.
        del one.messages[2:]
        assert await one.say("no") == "Nothing was ordered."
        assert "Shall I order a table?" in await one.say("a table")
        assert await two.say("yes") == "Ordered."
        assert sent(tmp_path) == ["a lamp", "a chair"]
        assert len((await client.get("/api/v1/threads")).json()["items"]) == 3


async def test_a_completion_may_name_a_thread_and_unsupported_fields_are_refused(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        thread = await begun(client)
        chat = Chat(chats(client), extra_body={"metadata": {"thread": thread}})
        assert "Shall I order a lamp?" in await chat.say("a lamp")
        assert (await waits(client, thread))["node"] == "q.sure"
        picture = [{"type": "image_url", "image_url": {"url": "http://x"}}]
        user = {"role": "user", "content": "hi"}
        for wrong in (
            {"model": "none", "messages": [user]},
            {"model": "../shop", "messages": [user]},
            {"model": "shop", "messages": []},
            {"model": "shop", "messages": [{"role": "assistant", "content": "hi"}]},
            {"model": "shop", "messages": [{"role": "user", "content": picture}]},
        ):
            answer = await client.post("/v1/chat/completions", json=wrong)
            assert 400 <= answer.status_code < 500, wrong


def frames(text: str) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]


async def agui(client: httpx.AsyncClient, thread: str, text: str = "", **more: Any) -> list[dict[str, Any]]:
    messages = [{"id": "m1", "role": "user", "content": text}] if text else []
    body = {"threadId": thread, "runId": "r1", "messages": messages, "tools": [], "context": [], "state": {}, **more}
    answer = await client.post("/agui/shop", json=body)
    assert answer.status_code == 200, answer.text
    return frames(answer.text)


def resume(interrupt: str, payload: Any = True, status: str = "resolved") -> dict[str, Any]:
    return {"resume": [{"interruptId": interrupt, "status": status, "payload": payload}]}


async def test_ag_ui_shows_a_run_in_its_order_and_a_confirmation_as_an_interrupt(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        found = await agui(client, "c1", "a lamp")
        kinds = [event["type"] for event in found]
        assert (kinds[0], kinds[-2:]) == ("RUN_STARTED", ["STATE_SNAPSHOT", "RUN_FINISHED"])
        assert kinds.count("STEP_STARTED") == kinds.count("STEP_FINISHED") == 3
        text = "".join(event["delta"] for event in found if event["type"] == "TEXT_MESSAGE_CONTENT")
        assert text == "Shall I order a lamp?"
        (waiting,) = found[-1]["outcome"]["interrupts"]
        assert (waiting["reason"], waiting["responseSchema"]) == ("confirm", {"type": "boolean"})
        assert waiting["metadata"]["approval"]["over"] == {"order": {"what": "a lamp", "attempt": 1}}
        # Words cannot confirm anything.
        again = await agui(client, "c1", "yes")
        assert again[-1]["outcome"]["interrupts"][0]["id"] == waiting["id"]
        (told,) = [event["value"] for event in again if event["type"] == "CUSTOM"]
        assert (told["key"], told["stage"]) == ("sure", "approval")
        assert sent(tmp_path) == []
        end = await agui(client, "c1", **resume(waiting["id"]))
        assert end[-1]["outcome"]["type"] == "success"
        assert sent(tmp_path) == ["a lamp"]


async def test_an_interrupt_of_ag_ui_is_answered_once_and_as_it_was_shown(tmp_path: Path) -> None:
    async with service(tmp_path) as client:
        first = (await agui(client, "c1", "a lamp"))[-1]["outcome"]["interrupts"][0]["id"]
        rejected = await agui(client, "c1", **resume(first, status="cancelled"))
        assert "Nothing was ordered." in str(rejected)
        second = (await agui(client, "c1", "a chair"))[-1]["outcome"]["interrupts"][0]["id"]
        for wrong in (first, "q.sure", f"q.sure:{'0' * 64}", "q.what"):
            body = {"threadId": "c1", "runId": "r", "messages": [], **resume(wrong)}
            answer = await client.post("/agui/shop", json=body)
            assert (answer.status_code, answer.json()["code"]) == (409, "approval_changed")
        await agui(client, "c1", **resume(second))
        replayed = await client.post(
            "/agui/shop", json={"threadId": "c1", "runId": "r", "messages": [], **resume(second)}
        )
        assert replayed.status_code == 409
        assert sent(tmp_path) == ["a chair"]


async def test_no_endpoint_shows_the_thread_of_another_user(tmp_path: Path) -> None:
    async with service(tmp_path, login=True) as client:
        made = {}
        for user, role in (("ann", "user"), ("ben", "admin"), ("eve", "viewer")):
            made[user] = (await keys.create(client.app.state.access.keys, user, role))[1]  # type: ignore[attr-defined]
        client.headers["authorization"] = f"Bearer {made['ann']}"
        interrupt = (await agui(client, "c1", "a lamp"))[-1]["outcome"]["interrupts"][0]["id"]
        chat = {"model": "shop", "messages": [{"role": "user", "content": "hi"}], "metadata": {"thread": "c1"}}
        run = {"threadId": "c1", "runId": "r", "messages": [], **resume(interrupt)}
        for user, status in (("ben", 404), ("eve", 403), ("nobody", 401)):
            client.headers["authorization"] = f"Bearer {made.get(user, 'sk-1')}"
            assert (await client.post("/agui/shop", json=run)).status_code == status
            assert (await client.post("/v1/chat/completions", json=chat)).status_code == status
        for user in ("ben", "ann"):
            client.headers["authorization"] = f"Bearer {made[user]}"
            talk = Chat(chats(client, made[user]))
            assert "Shall I order a lamp?" in await talk.say("a lamp")
            assert len((await client.get("/api/v1/threads")).json()["items"]) == (1 if user == "ben" else 2)
        assert sent(tmp_path) == []
        with pytest.raises(openai.AuthenticationError):
            await chats(client, "gwk_wrong").models.list(extra_headers={"authorization": "Bearer gwk_wrong"})


@asynccontextmanager
async def tools(client: httpx.AsyncClient, key: str = "") -> AsyncIterator[fastmcp.Client[Any]]:
    """A client of the MCP server of a service in this process."""

    def http(**given: Any) -> httpx.AsyncClient:
        given = {name: given[name] for name in ("headers", "timeout", "auth", "follow_redirects") if name in given}
        transport = httpx.ASGITransport(client.app)  # type: ignore[attr-defined]
        return httpx.AsyncClient(transport=transport, base_url="http://localhost", **given)

    headers = {"authorization": f"Bearer {key}"} if key else {}
    reached = StreamableHttpTransport("http://localhost/mcp", headers=headers, httpx_client_factory=http)
    async with fastmcp.Client(reached) as opened:
        yield opened


async def test_agents_are_tools_of_mcp_and_only_resume_with_what_was_shown_confirms(tmp_path: Path) -> None:
    async with service(tmp_path) as client, tools(client) as mcp:
        offered = {tool.name: tool for tool in await mcp.list_tools()}
        assert {"shop", "resume"} <= {*offered}
        assert (offered["shop"].title, str(offered["shop"].description).startswith(TOLD)) == ("Shop", True)
        first = (await mcp.call_tool("shop", {"message": "a lamp"})).data
        approval = first["waiting_for"]["approval"]
        assert (first["status"], approval["over"]["order"]["what"]) == ("waiting", "a lamp")
        for yes in ("yes", "ok"):
            again = (await mcp.call_tool("shop", {"message": yes, "thread": first["thread"]})).data
            assert (again["status"], again["refused"][0]["stage"]) == ("waiting", "approval")
        for approves in ("", "0" * 64):
            with pytest.raises(ToolError, match=r"approval_(missing|changed)"):
                await mcp.call_tool("resume", {"thread": first["thread"], "value": True, "approves": approves})
        assert sent(tmp_path) == []
        given = {"thread": first["thread"], "value": True, "approves": approval["hash"]}
        assert (await mcp.call_tool("resume", given)).data["reply"] == "Ordered."
        with pytest.raises(ToolError):
            await mcp.call_tool("resume", given)
        assert sent(tmp_path) == ["a lamp"]


@pytest.mark.parametrize(
    ("tool", "given", "told"),
    [
        ("shop", {}, "`message` is missing."),
        ("shop", {"message": "a lamp", "size": 3}, "There is no argument `size`."),
        ("shop", {"message": ""}, "`message`: String should have at least 1 character."),
        ("resume", {"thread": "t"}, "`value` is missing."),
    ],
)
async def test_invalid_tool_arguments_are_an_error(tmp_path: Path, tool: str, given: dict[str, Any], told: str) -> None:
    async with service(tmp_path) as client, tools(client) as mcp:
        with pytest.raises(ToolError) as caught:
            await mcp.call_tool(tool, given)
    assert str(caught.value).startswith(f"The arguments of `{tool}` are wrong. {told}")
    assert not re.search("pydantic|validation error|input_value|https", str(caught.value))


async def test_mcp_over_http_requires_a_login_and_separates_users(tmp_path: Path) -> None:
    async with service(tmp_path, login=True) as client:
        kept = client.app.state.access.keys  # type: ignore[attr-defined]
        ann, ben = [(await keys.create(kept, user, "user"))[1] for user in ("ann", "ben")]
        answer = await client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert (answer.status_code, answer.json()["code"]) == (401, "login_required")
        assert answer.json()["request_id"] == answer.headers["x-request-id"]
        async with tools(client, ann) as mcp:
            found = (await mcp.call_tool("shop", {"message": "a lamp"})).data
        async with tools(client, ben) as mcp:
            stolen = {"thread": found["thread"]}
            approves = found["waiting_for"]["approval"]["hash"]
            for name, more in (("shop", {"message": "yes"}), ("resume", {"value": True, "approves": approves})):
                with pytest.raises(ToolError, match="not_found"):
                    await mcp.call_tool(name, {**stolen, **more})
        assert sent(tmp_path) == []


@pytest.mark.slow
async def test_over_stdio_the_user_of_this_machine_talks_to_the_same_agents(tmp_path: Path) -> None:
    shop(tmp_path)
    (tmp_path / "graphwright.toml").write_text('[service]\nagents = ["shop"]\n', "utf-8")
    environment = {"GRAPHWRIGHT_HOME": str(tmp_path / "home"), "GRAPHWRIGHT_CONFIG": str(tmp_path / "graphwright.toml")}
    command = StdioTransport(sys.executable, ["-m", "graphwright.cli", "mcp", "--model", "none"], env=environment)
    async with fastmcp.Client(command) as mcp:
        first = (await mcp.call_tool("shop", {"message": "a lamp"})).data
        approves = first["waiting_for"]["approval"]["hash"]
        answered = await mcp.call_tool("resume", {"thread": first["thread"], "value": True, "approves": approves})
        assert answered.data["reply"] == "Ordered."
    assert sent(tmp_path) == ["a lamp"]
