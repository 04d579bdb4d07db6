"""A real provider's client against a server of its API on this machine: requests, answers and failures in full."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from pydantic import BaseModel

from graphwright.models import (
    BadReply,
    ModelCall,
    ModelFailure,
    RejectedRequest,
    acall_tools,
    astream_text,
    astructured,
    atext,
    count_usage,
    load,
    observe_calls,
)
from graphwright.models._failures import EmptyReply, NotAuthorised, RefusedToolCall, ServerError
from local_http_support import LocalHandler, served_by

pytest.importorskip("langchain_openai")
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("ignore:The test .* is marked"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
]

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
    """Responds in order with (status, headers, body); a body that is a list is streamed."""

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

    def replies(self, **choice: Any) -> None:
        """A reply with one choice that may deviate from the API."""
        self.answers.append((200, {}, {"id": "1", "model": "m", "choices": [choice]}))

    def streams(self, *pieces: Any) -> None:
        """A stream of these pieces of content."""
        base = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        parts: list[Any] = [{**base, "choices": [{"index": 0, "delta": {"content": each}}]} for each in pieces]
        self.answers.append(
            (200, {}, [*parts, {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}])
        )

    def fails(self, status: int, message: str, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers.append((status, named, {"error": {"message": message}}))


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    api = Api()

    class Handler(LocalHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            api.requests.append(json.loads(self.body()))
            if not api.answers:
                api.wait.wait(10)
                return
            status, headers, body = api.answers.pop(0)
            streamed = isinstance(body, list)
            text = "".join(f"data: {json.dumps(part)}\n\n" for part in body) if streamed else json.dumps(body)
            content_type = "text/event-stream" if streamed else "application/json"
            self.send(status, text.encode(), {**headers, "content-type": content_type})

    with served_by(Handler) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield api
        api.wait.set()


@pytest.fixture
def model(api: Api) -> BaseChatModel:
    return load("openai:local-model")


async def test_text_and_its_usage(api: Api, model: BaseChatModel) -> None:
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


async def test_a_busy_provider_is_retried_and_a_refused_key_is_not(api: Api, model: BaseChatModel) -> None:
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


JSON = '{"needs_tools": true, "reasoning": "x"}'


@pytest.mark.parametrize(
    "content",
    [
        f'<think>\nIs it {{"so"}}?\n</think>\n\n{JSON}',
        f"<thinking>a</thinking>\n<think></think>{JSON}",
        f"[THINK]hm[/THINK]{JSON}",
        f"The template opened the block.\n</think>\n\n{JSON}",
        f"<think>hm</think>```json\n{JSON}\n```",
        f"Here it is:\n```json\n{JSON}\n```\nAnything else?",
        f"\ufeff{JSON}",
        [{"type": "text", "text": f"<think>hm</think>{JSON}"}],
        {"needs_tools": True, "reasoning": "x"},
    ],
)
async def test_json_is_found_behind_thoughts_and_in_fences(api: Api, model: BaseChatModel, content: Any) -> None:
    for role in ({"role": "assistant"}, {}):
        api.replies(message={**role, "content": content, "tool_calls": None})
    assert await astructured(model, Closed, ASKED) == Closed(needs_tools=True, reasoning="x")
    assert "think" not in (await atext(model, ASKED)).lower()


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["<th", "ink>sec", "ret</thi", "nk>\n", "\nHel", "lo"], ["Hel", "lo"]),
        (["<think>a</think>[THI", "NK]b[/THINK] x"], ["x"]),
        (["<", "b>x</b>", " <think>y"], ["<b>x</b>", " <think>y"]),
        (["\n", "a\ud83d", "\ude00 \udc00"], ["\na", "😀 \ufffd"]),
        ([[{"type": "text", "text": "Hi"}]], ["Hi"]),
    ],
)
async def test_a_stream_shows_no_thoughts(api: Api, model: BaseChatModel, pieces: list[Any], shown: list[str]) -> None:
    api.streams(*pieces)
    assert [piece async for piece in astream_text(model, ASKED)] == shown


async def test_thoughts_without_an_answer_are_a_failure_that_says_so(api: Api, model: BaseChatModel) -> None:
    calls = (
        lambda: astructured(model, Closed, ASKED),
        lambda: atext(model, ASKED),
        lambda: acall_tools(model, [SEARCH], ASKED, required=False),
        lambda: anext(astream_text(model, ASKED)),
    )
    for call in calls:
        for _ in range(3):
            if call is calls[3]:
                api.streams("<think>The answer ", "is 42.")
            else:
                api.says("<think>The answer is 42.")
        with pytest.raises(EmptyReply, match="thoughts alone"):
            await call()
        api.answers.clear()


@pytest.mark.parametrize(
    "arguments",
    [{"query": "lamp"}, '"{\\"query\\": \\"lamp\\"}"', '```json\n{"query": "lamp"}\n```', '\n{"query":"lamp"}'],
)
async def test_arguments_of_calls_are_read_in_every_form(api: Api, model: BaseChatModel, arguments: Any) -> None:
    for call in ({"id": "", "type": "function"}, {"id": "c"}):
        api.replies(message={"tool_calls": [{**call, "function": {"name": "search", "arguments": arguments}}]})
        assert (await acall_tools(model, [SEARCH], ASKED))[0].args == {"query": "lamp"}


async def test_lone_surrogates_are_replaced(api: Api, model: BaseChatModel) -> None:
    answers: list[ModelCall] = []
    with observe_calls(answers.append):
        api.says("a \ud83d b")
        assert await atext(model, ASKED) == "a \ufffd b"
        api.says('{"needs_tools": true, "reasoning": "\\ud83d\\ude00 \\udead"}')
        assert (await astructured(model, Closed, ASKED)).reasoning == "😀 \ufffd"
        api.calls(("search", '{"query": "\\ud83d"}'))
        assert (await acall_tools(model, [SEARCH], ASKED))[0].args == {"query": "\ufffd"}
        # The problem is sent back to the server.
        api.calls(("search", '{"quer\\ud83d": 1}'))
        api.calls(("search", '{"query": "x"}'))
        await acall_tools(model, [SEARCH], ASKED)
    assert len(answers) == 5
    str(answers).encode("utf-8")


async def test_a_wrong_call_goes_back_as_a_call_with_a_result(api: Api, model: BaseChatModel) -> None:
    api.calls(("search", '{"text": "lamp"}'), ("search", '{"query": "la'))
    api.calls(("search", '{"query": "lamp"}'))
    assert len(await acall_tools(model, [SEARCH], ASKED)) == 1
    asked, answered, result = api.requests[1]["messages"]
    assert asked["content"] == "A lamp, please."
    # Strict servers refuse arguments that are not JSON, in any request.
    assert [json.loads(call["function"]["arguments"]) for call in answered["tool_calls"]] == [{"text": "lamp"}]
    assert (result["role"], result["tool_call_id"]) == ("tool", answered["tool_calls"][0]["id"])
    assert '"query" is a required property' in result["content"]
    assert "the arguments are not JSON" in result["content"]


@pytest.mark.parametrize(
    "refusal", ["tool_choice is not supported", '"required" and named tool choice need --enable-auto-tool-choice']
)
async def test_an_option_that_a_server_refuses_is_left_out(api: Api, model: BaseChatModel, refusal: str) -> None:
    api.fails(400, "Unknown parameter: 'response_format'.")
    api.fails(400, refusal)
    api.calls(("Closed", JSON))
    assert (await astructured(model, Closed, ASKED)).needs_tools
    assert "tool_choice" not in api.requests[2]
    assert "parallel_tool_calls" not in api.requests[1]
    api.fails(400, refusal)
    api.fails(400, "parallel_tool_calls: Extra inputs are not permitted")
    api.calls(("search", '{"query": "lamp"}'))
    assert await acall_tools(model, [SEARCH], ASKED, several=False)
    api.fails(400, "messages: too strange")
    with pytest.raises(RejectedRequest, match="too strange"):
        await acall_tools(model, [SEARCH], ASKED)


NOT_THE_API: dict[str, Any] = {
    "no choices": {"choices": []},
    "null choices": {"choices": None},
    "no message": {"choices": [{"index": 0, "text": "x"}]},
    "another API": {"output": "x"},
    "a list": [1],
    "a call without function": {"choices": [{"message": {"tool_calls": [{"id": "c", "type": "custom"}]}}]},
    "a list as arguments": {
        "choices": [{"message": {"tool_calls": [{"function": {"name": "search", "arguments": [1]}}]}}]
    },
}


@pytest.mark.parametrize("body", NOT_THE_API.values(), ids=NOT_THE_API)
async def test_an_unusable_reply_is_an_error_for_people(api: Api, model: BaseChatModel, body: Any) -> None:
    for call in (astructured(model, Closed, ASKED), atext(model, ASKED), acall_tools(model, [SEARCH], ASKED)):
        api.answers[:] = [(200, {}, body)] * 2
        with pytest.raises(BadReply) as failed:
            await call
        assert failed.value.hint


async def test_numbers_of_tokens_may_be_missing_or_odd(api: Api, model: BaseChatModel) -> None:
    for usage in ({}, {"usage": None}, {"usage": {"prompt_tokens": None}}, {"usage": {"prompt_tokens": "many"}}):
        reply = {"id": "1", "choices": [{"message": {"content": "Hello.", "role": "assistant"}}], **usage}
        api.answers.append((200, {}, reply))
        with count_usage() as used:
            assert await atext(model, ASKED) == "Hello."
        assert (used.model_calls, used.input_tokens) == (1, 0)
    api.answers += [(200, {}, {"error": {"message": "overloaded", "code": 503}})] * 3
    with pytest.raises(ServerError, match="overloaded"):
        await atext(model, ASKED)


def _ollama(**message: Any) -> dict[str, Any]:
    return {"model": "m", "message": {"role": "assistant", **message}, "done": True, "done_reason": "stop"}


def _anthropic(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": blocks, **more}


VALUE = {"needs_tools": True, "reasoning": "x"}
USED = {"type": "tool_use", "name": "Closed", "input": VALUE}


@pytest.mark.parametrize(
    ("provider", "body", "fits"),
    [
        ("ollama", _ollama(content=f"<think>hm</think>{JSON}"), True),
        ("ollama", _ollama(content=JSON, thinking="hm"), True),
        ("ollama", {"model": "m", "message": {"role": "assistant", "content": JSON}}, True),
        ("ollama", _ollama(content=None), False),
        ("ollama", _ollama(content="a \ud83d"), False),
        ("ollama", {}, False),
        ("anthropic", _anthropic(USED), True),
        ("anthropic", _anthropic({"type": "text", "text": f"<think>hm</think>```json\n{JSON}\n```"}), True),
        ("anthropic", _anthropic({**USED, "id": "t", "input": {**VALUE, "more\ud83d": "\ud83d"}}), True),
        ("anthropic", _anthropic({**USED, "id": "t", "input": JSON}), False),
        ("anthropic", _anthropic({"type": "thinking", "thinking": "hm", "signature": "s"}), False),
        ("anthropic", {"type": "error", "error": {"message": "busy"}}, False),
    ],
)
async def test_replies_of_other_providers_work_or_fail_for_people(
    api: Api, monkeypatch: pytest.MonkeyPatch, provider: str, body: Any, fits: bool
) -> None:
    pytest.importorskip(f"langchain_{provider}")
    address = os.environ["OPENAI_BASE_URL"].removesuffix("/v1")
    for name in ("OLLAMA_HOST", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL"):
        monkeypatch.setenv(name, address)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    usage = {"usage": {"input_tokens": 1, "output_tokens": 1}} if provider == "anthropic" else {}
    api.answers += [(200, {}, {**body, **usage})] * 3
    asked = astructured(load(f"{provider}:m"), Closed, ASKED)
    if fits:
        assert await asked == Closed(**VALUE)
    else:
        with pytest.raises(BadReply) as failed:
            await asked
        assert failed.value.hint
        assert "errors.pydantic.dev" not in failed.value.message


# The last one: its connections are those of closed event loops.
def test_a_model_serves_one_event_loop_after_the_other(api: Api, model: BaseChatModel) -> None:
    for _ in range(12):
        api.says("A lamp.")
    for _ in range(4):
        assert asyncio.run(atext(model, ASKED)) == "A lamp."
