"""A real provider's client against a server of its API on this machine: requests, answers and failures in full."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from pydantic import BaseModel

from graphwright.models import (
    ModelFailure,
    acall_tools,
    astream_text,
    astructured,
    atext,
    count_usage,
    load,
)
from graphwright.models.failures import NotAuthorised, RefusedToolCall

pytest.importorskip("langchain_openai")
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.filterwarnings("ignore:The test .* is marked")]

KEY = "sk-test-0123456789abcdef"
ASKED = [HumanMessage("A lamp, please.")]
SEARCH = {
    "name": "search",
    "description": "Search the shop.",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}


class Closed(BaseModel):
    needs_tools: bool
    reasoning: str


class Api:
    """Answers in order with (status, headers, body); a body that is a list is streamed."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, dict[str, str], Any]] = []
        self.requests: list[dict[str, Any]] = []
        self.wait = threading.Event()

    def says(self, content: str | None = None, finish: str = "stop", **message: Any) -> None:
        choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
        usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
        self.answers.append((200, {}, body))

    def calls(self, *calls: tuple[str, str]) -> None:
        made = [
            {"id": f"c{i}", "type": "function", "function": {"name": name, "arguments": args}}
            for i, (name, args) in enumerate(calls)
        ]
        self.says(None, "tool_calls", tool_calls=made)

    def fails(self, status: int, message: str, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers.append((status, named, {"error": {"message": message}}))


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    api = Api()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            api.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            if not api.answers:
                api.wait.wait(10)
                return
            status, headers, body = api.answers.pop(0)
            streamed = isinstance(body, list)
            text = "".join(f"data: {json.dumps(part)}\n\n" for part in body) if streamed else json.dumps(body)
            data = text.encode()
            self.send_response(status)
            for name, value in {"content-length": str(len(data)), **headers}.items():
                self.send_header(name, value)
            self.send_header("content-type", "text/event-stream" if streamed else "application/json")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    # A client that hangs up is no error.
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield api
    api.wait.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def model(api: Api) -> BaseChatModel:
    return load("openai:local-model")


async def test_text_and_what_it_took(api: Api, model: BaseChatModel) -> None:
    api.says("Hello.")
    with count_usage() as usage:
        assert await atext(model, ASKED) == "Hello."
    api.says(None, "stop", refusal="I must not.")
    with pytest.raises(ModelFailure, match="I must not"):
        await atext(model, ASKED)
    assert (usage.model_calls, usage.input_tokens, usage.output_tokens) == (1, 12, 3)
    assert api.requests[0]["model"] == "local-model"


async def test_structured_output_is_bound_to_the_schema_and_repaired(api: Api, model: BaseChatModel) -> None:
    api.says('{"needs_tools": tr')
    api.says('{"needs_tools": true, "reasoning": "x"}')
    assert (await astructured(model, Closed, ASKED)).reasoning == "x"
    schema = api.requests[0]["response_format"]["json_schema"]
    assert (schema["name"], list(schema["schema"]["properties"])) == ("Closed", ["needs_tools", "reasoning"])
    assert "not accepted" in api.requests[1]["messages"][-1]["content"]


async def test_a_server_without_json_schema_is_asked_by_a_tool_call(api: Api, model: BaseChatModel) -> None:
    api.fails(400, "response_format json_schema is not supported")
    api.calls(("Closed", '{"needs_tools": false, "reasoning": "y"}'))
    assert (await astructured(model, Closed, ASKED)).reasoning == "y"
    assert api.requests[1]["tools"][0]["function"]["name"] == "Closed"


async def test_tool_calls(api: Api, model: BaseChatModel) -> None:
    api.calls(("search", '{"query": "lamp"}'))
    found = await acall_tools(model, [SEARCH], ASKED)
    assert [(c.name, c.args) for c in found] == [("search", {"query": "lamp"})]
    assert api.requests[0]["tool_choice"] == "required"
    assert api.requests[0]["tools"][0]["function"]["parameters"]["required"] == ["query"]
    api.calls(("search", '{"query": "la'))
    api.says("I will not.")
    with pytest.raises(RefusedToolCall):
        await acall_tools(model, [SEARCH], ASKED)


async def test_a_stream_counts_its_tokens(api: Api, model: BaseChatModel) -> None:
    base = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    parts: list[dict[str, Any]] = [
        {**base, "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]} for text in ("One ", "two")
    ]
    parts.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    parts.append({**base, "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}})
    api.answers.append((200, {}, parts))
    with count_usage() as usage:
        assert [piece async for piece in astream_text(model, ASKED)] == ["One ", "two"]
    assert (usage.model_calls, usage.output_tokens) == (1, 2)


async def test_a_busy_provider_is_asked_again_and_one_that_refuses_the_key_is_not(
    api: Api, model: BaseChatModel
) -> None:
    api.fails(429, "slow down", retry_after="0")
    api.fails(503, "overloaded", retry_after="0")
    api.says("Hello.")
    assert await atext(model, ASKED) == "Hello."
    assert len(api.requests) == 3
    api.fails(401, f"Incorrect API key provided: {KEY}")
    with pytest.raises(NotAuthorised) as failed:
        await atext(model, ASKED)
    assert KEY not in f"{failed.value!r} {failed.value.message} {failed.value.hint}"
    assert len(api.requests) == 4


# The last one: its connections are those of event loops that are gone.
def test_a_model_serves_one_event_loop_after_the_other(api: Api, model: BaseChatModel) -> None:
    for _ in range(12):
        api.says("A lamp.")
    for _ in range(4):
        assert asyncio.run(atext(model, ASKED)) == "A lamp."
