"""The embedded model's adapter: its requests to the engine, and the conversion of the answers."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from pydantic import BaseModel, Field

from graphwright.models import (
    CutReply,
    ModelFailure,
    PromptTooLong,
    RejectedRequest,
    acall_tools,
    astream_text,
    astructured,
    atext,
    count_usage,
)
from graphwright.models import _server as engines
from graphwright.models._embedded import EmbeddedChatModel
from graphwright.models._failures import MalformedReply
from graphwright.models._tool_emulation import shape
from waiting_support import until

SEARCH = {
    "name": "search",
    "description": "Search the shop.",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}
ORDER = {"name": "order", "parameters": {"type": "object", "properties": {"item": {"$ref": "#/$defs/Item"}}, "$defs": {
    "Item": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}}}  # fmt: skip


class Engine:
    """Replaces the native engine: streams a prepared answer in pieces, as the engine does."""

    prefixes, prepared = None, ""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.answers: list[str | dict[str, Any] | Exception] = []
        self.finish = "stop"
        self.pause = 0.0
        self.stopped_after: int | None = None

    def handle_chat_completions(
        self, body: Mapping[str, Any], callback: Callable[[Mapping[str, Any]], bool], /
    ) -> object:
        self.bodies.append(dict(body))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, dict):
            callback({"error": answer})
            return None
        callback({"choices": [{"finish_reason": None, "delta": {"role": "assistant", "content": None}}]})
        pieces = [answer[i : i + 4] for i in range(0, len(answer), 4)]
        for number, piece in enumerate(pieces, 1):
            time.sleep(self.pause)
            if callback({"choices": [{"finish_reason": None, "delta": {"content": piece}}]}):
                self.stopped_after = number
                return None
        callback({"choices": [{"finish_reason": self.finish, "delta": {}}]})
        usage = {"prompt_tokens": 30, "completion_tokens": len(pieces), "prompt_tokens_details": {"cached_tokens": 20}}
        callback({"choices": [], "usage": usage, "timings": {}})
        return None

    def constraint(self) -> dict[str, Any]:
        """The JSON Schema inside the grammar of the last request."""
        text: str = self.bodies[-1]["grammar"]
        found: dict[str, Any] = json.loads(text.split("%json", 1)[1])
        return found

    def turns(self) -> list[tuple[str, str]]:
        return [(turn["role"], turn["content"]) for turn in self.bodies[-1]["messages"]]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    made = Engine()
    monkeypatch.setattr(engines, "_load", lambda path: made)
    monkeypatch.setattr(engines, "_engines", {})
    return made  # type: ignore[return-value]


@pytest.fixture
def model(tmp_path: Path) -> EmbeddedChatModel:
    return EmbeddedChatModel(path=tmp_path / "own.gguf")


class Decision(BaseModel):
    """Does it ask for our data?"""

    needs_tools: bool = Field(description="our own records are needed")
    reason: str = Field(max_length=80)


async def test_structured_output_follows_the_schema_and_text_is_plain(engine: Engine, model: EmbeddedChatModel) -> None:
    engine.answers = ["Hello, Ann.", '{"needs_tools":true,"reason":"orders"}']
    with count_usage() as usage:
        assert await atext(model, [HumanMessage("Say hello to Ann.")]) == "Hello, Ann."
    body = engine.bodies[0]
    assert (body["temperature"], isinstance(body["seed"], int), "grammar" in body) == (0, True, False)
    assert engine.turns()[0][0] == "system", "without one the template inserts the vendor's own"
    assert (usage.model_calls, usage.input_tokens, usage.output_tokens) == (1, 30, 3)
    found = await astructured(model, Decision, [SystemMessage("You route."), HumanMessage("How many orders?")])
    assert found == Decision(needs_tools=True, reason="orders")
    schema = engine.constraint()
    assert list(schema["properties"]) == ["needs_tools", "reason"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["reason"]["maxLength"] == 80
    assert schema["x-guidance"] == {"whitespace_flexible": False}
    system = engine.turns()[0][1]
    assert system.startswith("You route.")
    assert '{"needs_tools":true|false,"reason":text}' in system
    assert "our own records are needed" in system


async def test_tools_are_emulated(engine: Engine, model: EmbeddedChatModel) -> None:
    engine.answers = [
        '{"calls":[{"tool":"search","args":{"query":"lamp"}},{"tool":"order","args":{"item":{"name":"lamp"}}}]}'
    ]
    found = await acall_tools(model, [SEARCH, ORDER], [HumanMessage("A lamp, please.")])
    assert [(c.name, c.args) for c in found] == [
        ("search", {"query": "lamp"}),
        ("order", {"item": {"name": "lamp"}}),
    ]
    schema = engine.constraint()
    calls = schema["properties"]["calls"]
    assert calls["minItems"] == 1
    assert calls["maxItems"] > 1
    search, order = calls["items"]["anyOf"]
    assert search["properties"]["tool"] == {"const": "search"}
    assert search["properties"]["args"]["required"] == ["query"]
    assert order["properties"]["args"]["properties"]["item"] == {"$ref": "#/$defs/order.Item"}
    assert schema["$defs"]["order.Item"]["additionalProperties"] is False
    assert '{"tool":"search","args":{"query":text}}  Search the shop.' in engine.turns()[0][1]
    assert "reply" not in engine.turns()[0][1]
    engine.answers = ['{"reply":"Hello!"}', '{"calls":[{"tool":"search","args":{"query":"x"}}]}']
    found = await acall_tools(model, [SEARCH], [HumanMessage("Hi")], required=False)
    assert (list(found), found.text) == ([], "Hello!")
    assert [list(branch["properties"]) for branch in engine.constraint()["anyOf"]] == [["calls"], ["reply"]]
    await acall_tools(model, [SEARCH], [HumanMessage("Hi")], several=False)
    assert engine.constraint()["properties"]["calls"]["maxItems"] == 1


@pytest.mark.parametrize("required", [True, False])
async def test_earlier_calls_have_the_new_format(engine: Engine, model: EmbeddedChatModel, required: bool) -> None:
    engine.answers = ['{"calls":[{"tool":"search","args":{"query":"c"}}]}']
    history: list[BaseMessage] = [SystemMessage("One."), HumanMessage("find it"), SystemMessage("Two.")]
    for word in "ab":
        call = {"name": "search", "args": {"query": word}, "id": word, "type": "tool_call"}
        history += [AIMessage("", tool_calls=[call]), ToolMessage("nothing", tool_call_id=word)]
    await acall_tools(model, [SEARCH], history, required=required)
    system, *turns, (_, last) = engine.turns()
    assert system[1].startswith("One.\n\nTwo.\n\n")
    assert turns == [
        ("user", "find it"),
        ("assistant", '{"calls":[{"tool":"search","args":{"query":"a"}}]}'),
        ("user", "Result of search: nothing"),
        ("assistant", '{"calls":[{"tool":"search","args":{"query":"b"}}]}'),
    ]
    assert last.startswith("Result of search: nothing")
    assert ("Now reply" in last) is not required


def test_validation_covers_what_the_grammar_cannot_express(engine: Engine, model: EmbeddedChatModel) -> None:
    schema = {
        "title": "S",
        "type": "object",
        "properties": {
            "a": {"oneOf": [{"type": "string", "format": "nonsense"}, {"type": "null"}], "default": None},
            "b": {"type": "string", "pattern": "^(?!x).*$"},
            "c": {"type": "array", "uniqueItems": True, "items": {"type": "string", "format": "date"}},
            "d": {"type": "object"},
        },
    }
    engine.answers = ["{}"]
    model.with_structured_output(schema).invoke("x")
    assert engine.constraint()["properties"] == {
        "a": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "b": {"type": "string"},
        "c": {"type": "array", "items": {"type": "string", "format": "date"}},
        "d": {"type": "object"},
    }


TOO_LONG = {"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 9015, "n_ctx": 8192}


@pytest.mark.parametrize(
    ("answer", "failure", "message"),
    [
        (TOO_LONG, PromptTooLong, "9015 tokens"),
        (ValueError("unrecognized type objekt"), RejectedRequest, "objekt"),
        ({"code": 400, "message": "no such field"}, RejectedRequest, "no such field"),
        ({"code": 500, "message": "out of luck"}, ModelFailure, "out of luck"),
    ],
)
async def test_errors_of_the_engine_become_failures(
    engine: Engine, model: EmbeddedChatModel, answer: Any, failure: type[ModelFailure], message: str
) -> None:
    engine.answers = [answer]
    with pytest.raises(failure, match=message):
        await atext(model, [HumanMessage("x")])


async def test_a_cut_answer_is_a_failure_and_never_half_an_object(engine: Engine, model: EmbeddedChatModel) -> None:
    engine.finish = "length"
    engine.answers = ["long", '{"needs_tools":tr', '{"needs_tools":tr']
    with pytest.raises(CutReply):
        await atext(model, [HumanMessage("x")])
    with pytest.raises(CutReply):
        await astructured(model, Decision, [HumanMessage("x")])
    assert len(engine.bodies) == 3, "an object is asked for once more"


async def test_a_model_that_is_caught_in_a_circle_is_stopped(engine: Engine, model: EmbeddedChatModel) -> None:
    calls = '{"tool_name":"add_edge","arguments":{}},' * 500
    engine.answers = ['{"tools":[' + calls, "| --- | --- | --- |\n" * 6 + "0.0 " * 100]
    with pytest.raises(CutReply, match="again and again"):
        await atext(model, [HumanMessage("x")])
    assert engine.stopped_after is not None
    assert engine.stopped_after < 80
    assert len(await atext(model, [HumanMessage("x")])) > 500


async def test_a_schema_the_engine_cannot_follow_to_its_end(engine: Engine, model: EmbeddedChatModel) -> None:
    engine.answers = ['{"calls":[{"to', '{"needs_']
    with pytest.raises(RejectedRequest, match="schema of search"):
        await acall_tools(model, [SEARCH], [HumanMessage("x")])
    with pytest.raises(RejectedRequest, match="schema of Decision"):
        await astructured(model, Decision, [HumanMessage("x")])
    assert len(engine.bodies) == 2, "to ask again would not help"
    engine.answers = ['{"other":1}', '{"other":1}']
    with pytest.raises(MalformedReply):
        await acall_tools(model, [SEARCH], [HumanMessage("x")])


@pytest.mark.parametrize("how", ["close the stream", "cancel the call"])
async def test_an_abandoned_generation_ends(engine: Engine, model: EmbeddedChatModel, how: str) -> None:
    engine.answers, engine.pause = ["word" * 20_000], 0.005
    if how == "close the stream":
        stream = astream_text(model, [HumanMessage("x")])
        assert await anext(stream) == "word"
        await stream.aclose()
    else:
        working = asyncio.create_task(atext(model, [HumanMessage("x")]))
        await until(lambda: engine.bodies)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
    await until(lambda: engine.stopped_after)


def test_a_recursive_schema_is_not_written_out_for_ever() -> None:
    part = {"type": "object", "properties": {"sub": {"$ref": "#/$defs/Part"}, "more": {"type": ["integer", "null"]}}}
    words = shape({**part, "$defs": {"Part": part}})
    assert words.endswith('"more":whole number|null}')
    assert len(words) < 300


# beginnings of prompts on disk


TURNS = [{"role": "system", "content": "Read. " * engines.SHORTEST}, {"role": "user", "content": "hello"}]


class Slots:
    """An engine whose state is its last turns; `works` says whether its files are readable."""

    def __init__(self, prefixes: Path) -> None:
        self.prefixes = prefixes
        self.prepared = ""
        self.read: list[Any] = []
        self.actions: list[str] = []
        self.works = True

    def handle_chat_completions(self, body: Mapping[str, Any], /) -> object:
        self.read.append(body["messages"])
        return {}

    def slot(self, action: str, name: str) -> bool:
        self.actions.append(action)
        if self.works and action == "save":
            (self.prefixes / name).write_text("state", "utf-8")
        return self.works


def prepared(folder: Path, *prompts: list[dict[str, str]], works: bool = True) -> Slots:
    """An engine of a new process after these prompts of the model in this folder."""
    (folder / "prefixes").mkdir(exist_ok=True)
    if not (folder / "model.gguf").exists():
        (folder / "model.gguf").touch()
    made = Slots(folder / "prefixes")
    made.works = works
    for turns in prompts:
        engines.prepare(made, folder / "model.gguf", turns)  # type: ignore[arg-type]
    return made


def test_a_beginning_is_read_once_and_restored_by_the_next_process(tmp_path: Path) -> None:
    other = [*TURNS, {"role": "user", "content": "another"}]
    first = prepared(tmp_path, TURNS, TURNS, other, TURNS, [], TURNS)
    assert (first.read, first.actions) == ([TURNS, other], ["save", "save", "restore", "restore"])
    assert all(path.stat().st_mode & 0o077 == 0 for path in first.prefixes.iterdir())
    assert prepared(tmp_path, TURNS).actions == ["restore"]
    (tmp_path / "model.gguf").write_bytes(b"another model")
    assert prepared(tmp_path, TURNS).actions == ["save"]
    assert prepared(tmp_path, [{"role": "system", "content": "Short."}], []).actions == []
    # An unreadable file is replaced by reading the prompt again.
    assert prepared(tmp_path, TURNS, works=False).read == [TURNS]


def test_the_least_recently_used_slot_is_reused(tmp_path: Path) -> None:
    for number in range(engines.MOST_KEPT + 2):
        folder = prepared(tmp_path, [*TURNS, {"role": "user", "content": str(number)}]).prefixes
        for path in folder.iterdir():
            before = path.stat().st_mtime - 10
            os.utime(path, (before, before))
    assert len(list(folder.iterdir())) == engines.MOST_KEPT
    assert prepared(tmp_path, [*TURNS, {"role": "user", "content": "0"}]).actions == ["save"]
