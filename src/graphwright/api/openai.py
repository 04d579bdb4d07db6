"""The API of OpenAI's chat completions: a model is an agent, a confirmation is a question in the text.

Its clients send the whole conversation with each message. The thread that it belongs to is the one whose user said the
same before; where an earlier message was changed, or asked again, a branch of that thread goes on.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from graphwright.api.access.gate import User, Viewer
from graphwright.api.access.principal import Principal
from graphwright.api.runs import Order
from graphwright.api.service import Service, ServiceState
from graphwright.api.sse import HEARTBEAT
from graphwright.api.talking import Drafts, begun, ended, heard, waits_for
from graphwright.errors import UsageError
from graphwright.store.service import RunRow

router = APIRouter(prefix="/v1", tags=["openai"])

_SHOWN = 16
"""Characters of the hash of an approval that are shown; enough that no other has them."""

_APPROVAL = re.compile(rf"\(approval ([0-9a-f]{{{_SHOWN}}})\)")
_MOST_ALIKE = 200


class Said(BaseModel):
    """One message of the conversation. Only texts are understood."""

    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[dict[str, Any]] | None = None

    @property
    def text(self) -> str:
        """What it says."""
        if not isinstance(self.content, list):
            return self.content or ""
        if any(part.get("type") != "text" for part in self.content):
            raise UsageError("only_text", "messages may hold text only", "Give files through the API or the web app.")
        return "\n".join(str(part.get("text", "")) for part in self.content)


class Completion(BaseModel):
    """What is asked. Other fields of the protocol (temperature, tools, ...) are not the client's to choose here."""

    model_config = ConfigDict(extra="ignore")

    model: str = Field(max_length=200)
    messages: list[Said] = Field(min_length=1, max_length=2000)
    stream: bool = False
    stream_options: dict[str, Any] | None = None
    user: str | None = Field(None, max_length=200)
    metadata: dict[str, Any] | None = None


@router.get("/models")
async def models(principal: Viewer, service: ServiceState) -> dict[str, Any]:
    """The agents."""
    return {"object": "list", "data": [await _model(service, name) for name in service.agents.names]}


@router.get("/models/{name}")
async def model(principal: Viewer, service: ServiceState, name: str) -> dict[str, Any]:
    """An agent."""
    return await _model(service, name)


@router.post("/chat/completions")
async def complete(
    principal: User,
    service: ServiceState,
    request: Request,
    asked: Completion,
    chat: Annotated[str, Header(alias="X-OpenWebUI-Chat-Id", max_length=200)] = "",
) -> Response:
    """One turn. `metadata.thread`, or else the conversation, says of which thread."""
    if asked.messages[-1].role != "user" or not asked.messages[-1].text.strip():
        raise UsageError("no_message", "the last message is none of the user's", "Send what the user says.")
    thread = await _thread(service, principal, asked, chat)
    order = Order(
        thread=thread,
        message=asked.messages[-1].text,
        approves=await _approved(service, asked, thread),
        door="openai",
    )
    run = await begun(service, principal, order)
    answer = _Answer(service, asked, run)
    if asked.stream:
        return StreamingResponse(answer.chunks(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
    return await answer.whole()


async def _model(service: Service, name: str) -> dict[str, Any]:
    card = await service.agents.card(name)
    told = {"name": card["title"] or name, "description": card["description"]}
    return {"id": name, "object": "model", "created": 0, "owned_by": "graphwright", **told}


async def _thread(service: Service, principal: Principal, asked: Completion, chat: str) -> str:
    """The thread of a conversation: the one that is named, else the one whose user said the same before."""
    said = [_plain(message.text) for message in asked.messages if message.role == "user"]
    named = (asked.metadata or {}).get("thread")
    if named is not None:
        if not isinstance(named, str):
            raise UsageError("bad_thread", "`metadata.thread` is no text", "Give the id of a thread.")
        store = service.workspace.store
        if await store.threads.get(named) is None:
            return (await service.begin(asked.model, principal, named)).thread
        return (await service.thread(named, principal)).thread
    first = chat or "\n".join([asked.user or "", said[0]])
    seed = json.dumps([principal.user, asked.model, bool(chat), first])
    base = f"chat-{hashlib.sha256(seed.encode('utf-8', 'replace')).hexdigest()[:20]}"
    return await _continued(service, principal, asked.model, base, said)


async def _continued(service: Service, principal: Principal, agent: str, base: str, said: Sequence[str]) -> str:
    """Among the threads that began so: the one that stands just before the last message, else one made for it."""
    earlier = list(said[:-1])
    branches: str | None = None
    for number in range(_MOST_ALIKE):
        id = f"{base}-{number}"
        if await service.workspace.store.threads.get(id) is None:
            break
        await service.thread(id, principal)
        messages = await service.workspace.store.messages.read(id)
        there = [_plain(message.text) for message in messages if message.role == "user"]
        if there == earlier:
            return id
        if earlier and there[: len(earlier)] == earlier:
            branches = id
    else:
        raise UsageError("too_many_alike", "too many conversations begin like this", "Name one by `metadata.thread`.")
    if branches is None:
        return (await service.begin(agent, principal, id)).thread
    began = await service.workspace.store.events.of_type(branches, "turn_started")
    async with service.workspace.session(await service.agents.get(agent), branches) as session:
        made = await session.branch(began[len(earlier)].seq - 1, thread=id)
    await service.claim(made.thread, principal)
    return made.thread


def _plain(text: str) -> str:
    return " ".join(text.split())


async def _approved(service: Service, asked: Completion, thread: str) -> str:
    """The hash of what a yes may confirm: of what waits, if that is what the last answer showed; else nothing."""
    answers = [message.text for message in asked.messages if message.role == "assistant"]
    shown = _APPROVAL.findall(answers[-1]) if answers else []
    if not shown:
        return ""
    waits = await waits_for(service, asked.model, thread) or {}
    content: str = (waits.get("approval") or {}).get("hash", "")
    return content if content.startswith(shown[-1]) else ""


class _Answer:
    """What a run says, in the shapes of the protocol."""

    def __init__(self, service: Service, asked: Completion, run: RunRow) -> None:
        self._service = service
        self._asked = asked
        self._run = run
        self._head = {"id": f"chatcmpl-{run.id}", "created": int(time.time()), "model": asked.model}

    async def whole(self) -> Response:
        """The answer at once."""
        kind, data = await ended(self._service, self._run)
        problem = _problem(kind, data)
        if problem is not None:
            return JSONResponse({"error": problem}, 502)
        message = {"role": "assistant", "content": data["reply"] + await self._question()}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        answer = {**self._head, "object": "chat.completion", "choices": [choice], "usage": _usage(data)}
        return JSONResponse(answer, headers={"X-Graphwright-Thread": self._run.thread})

    async def chunks(self) -> AsyncIterator[bytes]:
        """The answer as it is written."""
        drafts, told = Drafts(), False
        yield self._chunk({"role": "assistant", "content": ""})
        async for event in heard(self._service, self._run):
            if event is None:
                yield HEARTBEAT
                continue
            kind, data = event
            piece, _ = drafts.piece(kind, data)
            if piece:
                # One text may follow another: a remark, and then the question.
                fresh = kind != "saying" and told and not piece.startswith("\n")
                yield self._chunk({"content": f"\n\n{piece}" if fresh else piece})
            told = told or bool(piece)
            if kind in ("turn_ended", "run_failed", "run_cancelled"):
                problem = _problem(kind, data)
                if problem is not None:
                    yield _line({"error": problem})
                else:
                    question = await self._question()
                    yield self._chunk({"content": question} if question else {}, "stop")
                    if (self._asked.stream_options or {}).get("include_usage"):
                        yield _line(
                            {**self._head, "object": "chat.completion.chunk", "choices": [], "usage": _usage(data)}
                        )
        yield b"data: [DONE]\n\n"

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return _line({**self._head, "object": "chat.completion.chunk", "choices": [choice]})

    async def _question(self) -> str:
        """What follows the text where a yes would let something happen: what that yes is bound to."""
        waits = await waits_for(self._service, self._asked.model, self._run.thread) or {}
        approval = waits.get("approval")
        return f"\n\n(approval {approval['hash'][:_SHOWN]})" if approval else ""


def _line(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()


def _problem(kind: str, data: dict[str, Any]) -> dict[str, Any] | None:
    """Why there is no answer, as the protocol tells it."""
    if kind == "turn_ended" and data["status"] != "failed":
        return None
    told = data.get("error") if kind == "turn_ended" else data
    told = told or {}
    text = told.get("message") or told.get("detail") or "the turn was cancelled"
    message = f"{text} {told.get('hint', '')}".strip()
    return {"message": message, "type": "graphwright_error", "code": told.get("code", "cancelled"), "param": None}


def _usage(turn: dict[str, Any]) -> dict[str, int]:
    given, made = turn["usage"]["input_tokens"], turn["usage"]["output_tokens"]
    return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
