"""OpenAI's chat completions API: a model is an agent, a confirmation is a question in the text.

Clients send the whole conversation with each message. It belongs to the thread with the same user messages. If an
earlier message was changed, or repeated, the conversation continues in a branch of that thread.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from bisect import bisect_right
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from graphwright.errors import UsageError
from graphwright.store import RunRow
from graphwright_server._problems import answer, problem
from graphwright_server._runs import Order
from graphwright_server._shown import HEARTBEAT
from graphwright_server._talking import Drafts, begun, ended, run_events, waits_for
from graphwright_server.access.gate import User, Viewer
from graphwright_server.access.principal import Principal
from graphwright_server.service import Service, ServiceState
from graphwright_server.shapes import Described, raises, stream
from graphwright_server.shapes._openai import ChatCompletion, ModelCard, ModelCards

router = APIRouter(prefix="/v1", tags=["openai"])

_SHOWN, _TAG = 16, 8
"""The number of shown characters of the hash of an approval, enough to be unique; then those of its thread."""

_APPROVAL = re.compile(rf"\(approval ([0-9a-f]{{{_SHOWN + _TAG}}})\)")
_MOST_ALIKE = 200

_COMPLETION: Described = {
    200: {
        "model": ChatCompletion,
        "description": "The completion; with `stream` its chunks.",
        "content": stream("CompletionEvent"),
    },
    **raises(404, 409, 502),
}


class ChatMessage(BaseModel):
    """One message of the conversation. Only text is supported."""

    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[dict[str, Any]] | None = None

    @property
    def text(self) -> str:
        """The text of the message. Raises UsageError (`only_text`)."""
        if not isinstance(self.content, list):
            return self.content or ""
        if any(part.get("type") != "text" for part in self.content):
            raise UsageError(
                "only_text", "Messages may contain text only.", "Give files through the API or the web app."
            )
        return "\n".join(str(part.get("text", "")) for part in self.content)


class Completion(BaseModel):
    """The request. Other fields of the protocol (temperature, tools, ...) are ignored: the agent chooses them."""

    model_config = ConfigDict(
        extra="ignore",
    )

    model: str = Field(max_length=200)
    messages: list[ChatMessage] = Field(min_length=1, max_length=2000)
    stream: bool = False
    stream_options: dict[str, Any] | None = None
    user: str | None = Field(None, max_length=200)
    metadata: dict[str, Any] | None = None


@router.get("/models")
async def list_openai_models(principal: Viewer, service: ServiceState) -> ModelCards:
    """All agents, as models."""
    return ModelCards(object="list", data=[await _model(service, name) for name in service.agents.names])


@router.get("/models/{name}")
async def read_openai_model(principal: Viewer, service: ServiceState, name: str) -> ModelCard:
    """An agent, as a model."""
    return await _model(service, name)


@router.post("/chat/completions", responses=_COMPLETION)
async def create_completion(
    principal: User,
    service: ServiceState,
    request: Request,
    asked: Completion,
    chat: Annotated[str, Header(alias="X-OpenWebUI-Chat-Id", max_length=200)] = "",
) -> Response:
    """Run one turn. Its thread is `metadata.thread`, else the thread of the same conversation."""
    if asked.messages[-1].role != "user" or not asked.messages[-1].text.strip():
        raise UsageError("no_message", "The last message is none of the user's.", "Send what the user says.")
    place = await _place(service, principal, asked, chat)
    run = place.answered
    if run is None:
        approves = await _approved(service, asked.model, place)
        order = Order(thread=place.thread, message=asked.messages[-1].text, approves=approves, door="openai")
        run = await begun(service, principal, order)
    elif run.status in ("failed", "cancelled"):
        # The approval counts. A turn without a message finishes what was interrupted, and repeats no action.
        run = await begun(service, principal, Order(thread=place.thread, door="openai"))
    reply = _Answer(service, asked, run)
    if asked.stream:
        return StreamingResponse(reply.chunks(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
    return await reply.whole()


async def _model(service: Service, name: str) -> ModelCard:
    card = await service.agents.card(name)
    title, description = card["title"] or name, card["description"]
    return ModelCard(id=name, object="model", created=0, owned_by="graphwright", name=title, description=description)


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a message in the threads.

    `shown` is the mark of the approval to which the message replies, empty if a yes to it must not allow anything.
    `answered` is the last run of the thread, if it was for this very message and confirmed an action.
    """

    thread: str
    shown: str = ""
    answered: RunRow | None = None


async def _place(service: Service, principal: Principal, asked: Completion, chat: str) -> _Place:
    """Return the place of a conversation: in the named thread, else in the thread with the same user messages."""
    said = [_plain(message.text) for message in asked.messages if message.role == "user"]
    answers = [message.text for message in asked.messages if message.role == "assistant"]
    shown = "".join(_APPROVAL.findall(answers[-1])[-1:]) if answers else ""
    named = (asked.metadata or {}).get("thread")
    if named is not None:
        if not isinstance(named, str):
            raise UsageError("bad_thread", "`metadata.thread` is not a text.", "Give the id of a thread.")
        if await service.workspace.store.threads.get(named) is None:
            return _Place((await service.begin(asked.model, principal, named)).thread)
        thread = (await service.thread(named, principal)).thread
        return _Place(thread, shown if shown.endswith(_tag(thread)) else "")
    first = chat or "\n".join([asked.user or "", said[0]])
    seed = json.dumps([principal.user, asked.model, bool(chat), first])
    base = f"chat-{hashlib.sha256(seed.encode('utf-8', 'replace')).hexdigest()[:20]}"
    return await _continued(service, principal, asked.model, base, said, shown)


async def _continued(
    service: Service, principal: Principal, agent: str, base: str, said: Sequence[str], shown: str
) -> _Place:
    """Return the place of the last message among the threads with the same beginning.

    That is the thread that showed the approval, else one that ends just before the last message, else a new one. If the
    same message is repeated after its yes confirmed an action, the action is not performed again; the stored answer is
    returned. A different message in its place is asked for confirmation again.
    """
    earlier = list(said[:-1])
    alike: dict[str, list[str]] = {}
    for number in range(_MOST_ALIKE):
        free = f"{base}-{number}"
        if await service.workspace.store.threads.get(free) is None:
            break
        await service.thread(free, principal)
        messages = await service.workspace.store.messages.read(free)
        there = [_plain(message.text) for message in messages if message.role == "user"]
        if there[: len(earlier)] == earlier:
            alike[free] = there
    else:
        free = ""
    owner = next((id for id in alike if shown.endswith(_tag(id))), None) if shown else None
    stands = owner if owner and alike[owner] == earlier else None
    if stands is None and owner is None:
        stands = next((id for id, there in alike.items() if there == earlier), None)
    if stands is not None:
        return _Place(stands, shown if stands == owner else "")
    if owner and await _confirmed(service, owner, len(earlier)):
        if alike[owner] == said:
            return _Place(owner, answered=await service.runs.latest(owner))
        shown = ""
    if not free:
        raise UsageError("too_many_alike", "Too many conversations begin like this.", "Name one by `metadata.thread`.")
    if not earlier or not alike:
        return _Place((await service.begin(agent, principal, free)).thread)
    source = owner or [*alike][-1]
    began = await service.workspace.store.events.of_type(source, "turn_started")
    async with service.workspace.session(await service.agents.get(agent), source) as session:
        made = await session.branch(began[len(earlier)].seq - 1, thread=free)
    await service.claim(made.thread, principal)
    return _Place(made.thread, shown if owner else "")


async def _confirmed(service: Service, thread: str, turn: int) -> bool:
    """Return whether a turn of a thread (counted from 0) contained a yes that confirmed an action."""
    events = service.workspace.store.events
    began = [row.seq for row in await events.of_type(thread, "turn_started")]
    given = [row.seq for row in await events.of_type(thread, "confirmation_given")]
    return any(bisect_right(began, seq) == turn + 1 for seq in given)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _tag(thread: str) -> str:
    """Return the characters that identify the thread in a shown approval."""
    return hashlib.sha256(thread.encode()).hexdigest()[:_TAG]


async def _approved(service: Service, agent: str, place: _Place) -> str:
    """Return the hash that a yes may confirm: that of the pending approval if the last answer showed it; else empty."""
    if not place.shown:
        return ""
    waits = await waits_for(service, agent, place.thread) or {}
    content: str = (waits.get("approval") or {}).get("hash", "")
    return content if content.startswith(place.shown[:_SHOWN]) else ""


class _Answer:
    """The answer of a run in the formats of the protocol."""

    def __init__(self, service: Service, asked: Completion, run: RunRow) -> None:
        self._service = service
        self._asked = asked
        self._run = run
        self._head = {"id": f"chatcmpl-{run.id}", "created": int(time.time()), "model": asked.model}

    async def whole(self) -> Response:
        """Return the complete answer."""
        kind, data = await ended(self._service, self._run)
        error = _error(kind, data)
        if error is not None:
            return answer({**problem(502, error["code"], error["message"], "", self._run.id), "error": error})
        message = {"role": "assistant", "content": data["reply"] + await self._question()}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        completion = {**self._head, "object": "chat.completion", "choices": [choice], "usage": _usage(data)}
        return JSONResponse(completion, headers={"X-Graphwright-Thread": self._run.thread})

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the answer while it is written."""
        drafts, told = Drafts(), False
        yield self._chunk({"role": "assistant", "content": ""})
        async for event in run_events(self._service, self._run):
            if event is None:
                yield HEARTBEAT
                continue
            kind, data = event
            piece, _ = drafts.piece(kind, data)
            if piece:
                # Several texts may follow each other: a remark, and then the question.
                fresh = kind != "saying" and told and not piece.startswith("\n")
                yield self._chunk({"content": f"\n\n{piece}" if fresh else piece})
            told = told or bool(piece)
            if kind in ("turn_ended", "run_failed", "run_cancelled"):
                error = _error(kind, data)
                if error is not None:
                    yield _line({"error": error})
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
        """Return the mark of the pending approval, which follows the question; empty if there is none."""
        waits = await waits_for(self._service, self._asked.model, self._run.thread) or {}
        approval = waits.get("approval")
        mark = f"{approval['hash'][:_SHOWN]}{_tag(self._run.thread)}" if approval else ""
        return f"\n\n(approval {mark})" if mark else ""


def _line(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()


def _error(kind: str, data: dict[str, Any]) -> dict[str, Any] | None:
    """Return the error of a run in the protocol's format, or None."""
    if kind == "turn_ended" and data["status"] != "failed":
        return None
    cause = (data.get("error") if kind == "turn_ended" else data) or {}
    text = cause.get("message") or cause.get("detail") or "The turn was cancelled."
    message = f"{text} {cause.get('hint', '')}".strip()
    return {"message": message, "type": "server_error", "code": cause.get("code", "cancelled"), "param": None}


def _usage(turn: dict[str, Any]) -> dict[str, int]:
    given, made = turn["usage"]["input_tokens"], turn["usage"]["output_tokens"]
    return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
