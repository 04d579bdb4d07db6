"""Turns: send a message, answer a pending question, watch a run, cancel it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from graphwright import UsageError
from graphwright.store import RunRow, ThreadRow
from graphwright_server import _shown as shown
from graphwright_server._runs import Order
from graphwright_server._shown import run_json, shown_run
from graphwright_server.access.gate import Gate, User, Viewer
from graphwright_server.access.principal import Principal
from graphwright_server.service import Service, ServiceState
from graphwright_server.shapes import Described, raises, stream
from graphwright_server.shapes._threads import Run

router = APIRouter(tags=["turns"])

Key = Annotated[str, Header(alias="Idempotency-Key", max_length=200)]

_STREAM: Described = {
    202: {
        "model": Run,
        "description": "The run; with `Accept: text/event-stream` its events.",
        "content": stream("RunEvent"),
    },
    **raises(409),
}
_EVENTS: Described = {200: {"description": "The events.", "content": stream("RunEvent")}}


class NewTurn(BaseModel):
    """A message for a thread. Without one the turn begins the conversation, or finishes an interrupted turn. `files`
    are ids of uploads.

    `approves` is the hash of `waiting_for.approval`: without it no yes in the message confirms anything.
    """

    model_config = ConfigDict(extra="forbid")

    message: str | None = None
    files: list[str] = Field(default_factory=list, max_length=50)
    approves: str = Field("", max_length=100)


class Resumption(BaseModel):
    """The answer to a pending question: a JSON `value`, such as that of a button, or a `message`.

    `approves` is the hash of `waiting_for.approval`; a yes to a confirmation must carry it.
    """

    model_config = ConfigDict(
        extra="forbid",
    )

    value: Any = None
    message: str | None = None
    approves: str = Field("", max_length=100)


@router.post("/threads/{id}/turns", status_code=202, responses=_STREAM)
async def send_turn(
    principal: User, service: ServiceState, request: Request, id: str, given: NewTurn, key: Key = ""
) -> Response:
    """Begin a turn. It continues if the listener disconnects. A thread has one turn at a time; otherwise 409
    `thread_busy`.

    The same Idempotency-Key with the same request returns the existing run.
    """
    thread = await service.thread(id, principal)
    files = [await _upload(service, each, principal) for each in given.files]
    order = Order(thread=id, message=given.message, files=tuple(files), approves=given.approves)
    if order.message is None and files:
        raise UsageError("empty_message", "Files come with a message.", "Say what they are for.")
    return await _begun(service, principal, thread, request, order, given, key)


@router.post("/threads/{id}/resume", status_code=202, responses=_STREAM)
async def resume_thread(
    principal: User, service: ServiceState, request: Request, id: str, given: Resumption, key: Key = ""
) -> Response:
    """Answer the pending question. The turn reports a value that does not fit in `refused`. 409 `nothing_waits`,
    `not_a_confirmation`, `approval_missing`, `approval_changed`.
    """
    row = await service.thread(id, principal)
    if ("value" in given.model_fields_set) == (given.message is not None):
        raise UsageError("bad_answer", "An answer is a `value` or a `message`.", "Give one of them.")
    if given.message is None:
        order = Order(thread=id, value=given.value, has_value=True, approves=given.approves)
    else:
        order = Order(thread=id, message=given.message, approves=given.approves)
    if not key or not await service.runs.has_key(principal, key):
        waits = row.waiting_for is not None and row.waiting_for["kind"] != "message"
        if not waits and row.status in ("new", "ended", "waiting"):
            raise UsageError("nothing_waits", "The thread does not wait for an answer.", "Send a message to /turns.")
        if given.value is True and not given.approves:
            await _require_no_approval(service, row.agent, id)
    return await _begun(service, principal, row, request, order, given, key)


@router.get("/runs/{id}", response_model_exclude_unset=True)
async def read_run(principal: Viewer, service: ServiceState, id: str) -> Run:
    """A run: its status, and its turn when it has ended."""
    return shown_run(await service.run(id, principal))


@router.get("/runs/{id}/events", response_class=Response, responses=_EVENTS)
async def watch_run(
    principal: Viewer,
    service: ServiceState,
    request: Request,
    id: str,
    after: Annotated[int | None, Query(ge=0, le=2**62)] = None,
) -> Response:
    """The events of a run after `Last-Event-ID` (or `after`), to its end."""
    await service.run(id, principal)
    return _streamed(request, principal, service.runs.listen(id, shown.last_seen(request, after)))


@router.post("/runs/{id}/cancel", responses=raises(409), response_model_exclude_unset=True)
async def cancel_run(principal: User, service: ServiceState, id: str) -> Run:
    """Cancel a run. Committed changes stay; an action in progress is not undone."""
    await service.run(id, principal)
    return shown_run(await service.runs.cancel(id))


async def _begun(
    service: Service,
    principal: Principal,
    thread: ThreadRow,
    request: Request,
    order: Order,
    given: BaseModel,
    key: str,
) -> Response:
    await service.limits.take(principal, "turns")
    if principal.login:
        service.limits.require_room(principal, await service.runs.running_of(principal.user))
    content = json.dumps([request.url.path, given.model_dump(mode="json")], sort_keys=True)
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    row: RunRow = await service.runs.start(order, thread, principal, key=key, request=digest)
    if shown.wants_stream(request):
        answer: Response = _streamed(request, principal, service.runs.listen(row.id))
        answer.status_code = 202
    else:
        answer = JSONResponse(run_json(row), 202)
    answer.headers["Location"] = f"/api/v1/runs/{row.id}"
    return answer


def _streamed(request: Request, principal: Principal, events: AsyncIterator[shown.Numbered]) -> Response:
    gate: Gate = request.app.state.gate
    return shown.event_stream(shown.while_allowed(shown.run_events(events), lambda: gate.still_holds(principal)))


async def _require_no_approval(service: Service, agent: str, thread: str) -> None:
    async with service.workspace.session(await service.agents.of(agent), thread) as session:
        waits = (await session.state())["waiting_for"] or {}
    if "approval" in waits:
        hint = "Send `approves` with the `hash` of waiting_for.approval, as /state shows it."
        raise UsageError("approval_missing", "A yes must say what it approves.", hint)


async def _upload(service: Service, id: str, principal: Principal) -> Path:
    await service.own.require("file", id, principal)
    upload = await service.workspace.store.uploads.get(id)
    if upload is None:
        raise UsageError("not_found", f"There is no such file {id[:40]!r}.", "Upload it again.")
    return service.uploads / upload.id / upload.name
