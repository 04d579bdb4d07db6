"""Threads: create, list, search, read, rename, export, branch and delete conversations."""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from graphwright import Session
from graphwright.host.transcript import conversation_markdown
from graphwright.store import Message, ThreadRow, ThreadStatus
from graphwright_server._approvals import WINDOW, described
from graphwright_server._shown import artifact_id, event_json, run_json, thread_json
from graphwright_server.access.gate import User, Viewer
from graphwright_server.paging import Cursor, Limit, decoded, next_page
from graphwright_server.service import Service, ServiceState
from graphwright_server.shapes import Described, Page
from graphwright_server.shapes._threads import (
    Branched,
    Exported,
    MessageSaid,
    State,
    StateThen,
    Status,
    Thread,
    ThreadWithRun,
)

router = APIRouter(tags=["threads"])

_EXPORT: Described = {200: {"model": Exported, "content": {"text/markdown": {}}}}

_LOOKED_AT = 500
"""Page size for a search by status, because a thread may show another status than its row stores."""

Seq = Annotated[int, Query(ge=-(2**62), le=2**62)]


class NewThread(BaseModel):
    """The agent of a new thread; `thread` is its id, generated if missing."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"agent": "intake"}]})

    agent: str = Field(max_length=200)
    thread: str | None = Field(None, min_length=1, max_length=200)
    title: str = Field("", max_length=200)


class Title(BaseModel):
    """The new title of a thread."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"title": "Lights for the court"}]})

    title: str = Field(min_length=1, max_length=200)


class BranchAt(BaseModel):
    """The point of the branch: after event `at`, with changed answers by their dotted keys."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"at": 12, "answers": {"venue": "home"}}]}
    )

    at: int = Field(ge=-(2**62), le=2**62)
    answers: dict[str, Any] = Field(default_factory=dict)


@router.post("/threads", status_code=201)
async def create_thread(principal: User, service: ServiceState, given: NewThread) -> Thread:
    """Create a thread, which waits for its first turn."""
    return await _current(service, await service.begin(given.agent, principal, given.thread, given.title))


@router.get("/threads")
async def list_threads(
    principal: Viewer,
    service: ServiceState,
    agent: Annotated[str, Query(max_length=200)] = "",
    status: Status | None = None,
    q: Annotated[str, Query(max_length=200)] = "",
    limit: Limit = 50,
    cursor: Cursor = "",
) -> Page[Thread]:
    """Threads, the most recently updated first. `q` is searched in titles and messages.

    A thread is `running` while a turn is in progress, and `cut_short` if its last turn was interrupted: the next turn
    finishes it.
    """
    # The row of a running thread may store the status of its last commit. An interrupted thread is stored as running.
    kept: ThreadStatus | None = None if status == "running" else "running" if status == "cut_short" else status
    store = service.workspace.store
    begun = [run.thread for run in await store.runs.running(principal.user)] if status == "running" else None
    asked = partial(
        service.workspace.threads,
        agent=service.agents.address(agent) if agent else None,
        status=kept,
        text=q,
        owner=principal.user,
        begun=begun,
    )
    most = limit + 1 if kept == status else _LOOKED_AT
    after, found = decoded(cursor, str, str), list[tuple[ThreadRow, dict[str, Any]]]()
    while rows := await asked(after=after, limit=most):
        now = await service.all_current(rows)
        shown = [(row, _thread_json(service, each)) for row, each in zip(rows, now, strict=True)]
        found += [each for each in shown if status in (None, each[1]["status"])]
        if len(rows) < most or len(found) > limit:
            break
        after = rows[-1].updated, rows[-1].thread
    items = [Thread.model_validate(each) for _, each in found[:limit]]
    return Page[Thread](items=items, next=next_page(found, limit, lambda each: (each[0].updated, each[0].thread)))


@router.get("/threads/{id}", response_model_exclude_unset=True)
async def read_thread(principal: Viewer, service: ServiceState, id: str) -> ThreadWithRun:
    """A thread, and its last run."""
    row = await service.thread(id, principal)
    run = await service.runs.latest(id)
    about = await _current_json(service, row)
    return ThreadWithRun.model_validate({**about, "run": run_json(run) if run is not None else None})


@router.patch("/threads/{id}")
async def rename_thread(principal: User, service: ServiceState, id: str, given: Title) -> Thread:
    """Rename a thread."""
    await service.thread(id, principal)
    return await _current(service, await service.workspace.rename(id, given.title))


@router.delete("/threads/{id}", status_code=204)
async def delete_thread(principal: User, service: ServiceState, id: str) -> None:
    """Delete a thread with all its contents. A running turn is cancelled. Records that agents store elsewhere stay."""
    await service.thread(id, principal)
    run = await service.runs.latest(id)
    if run is not None and run.status == "running":
        await service.runs.cancel(run.id)
    await service.runs.sessions.forget(id)
    await service.workspace.delete(id)
    await service.own.release("thread", id)


@router.get("/threads/{id}/messages", response_model_exclude_unset=True)
async def read_messages(
    principal: Viewer,
    service: ServiceState,
    id: str,
    before: Annotated[int | None, Query(ge=0, le=2**62)] = None,
    limit: Limit = 50,
) -> Page[MessageSaid]:
    """Messages, oldest first: the last ones, or those before number `before`. `next` continues with older messages."""
    await service.thread(id, principal)
    found = await service.workspace.messages(id, before=before, limit=limit + 1)
    more, shown = len(found) > limit, found[-limit:]
    items = await _with_turns(service, id, shown)
    if before is None:
        items += await _pending_message(service, id)
    return Page[MessageSaid].model_validate({"items": items, "next": str(shown[0].seq) if more else None})


@router.get("/threads/{id}/state", response_model_exclude_unset=True)
async def read_state(principal: Viewer, service: ServiceState, id: str, at: Seq | None = None) -> State | StateThen:
    """The state of a thread, now or after event `at`: what it waits for, answers and channels.

    `waiting_for.approval` is what a yes would approve. Send its `hash` with the yes; its `marks` show the values that
    the user did not give.
    """
    row = await service.thread(id, principal)
    if at is not None:
        moment = await service.workspace.moment(id, at)
        past = {**moment, "event": event_json(moment["event"]), "agent": service.agents.name(row.agent)}
        return StateThen.model_validate(past)
    async with service.workspace.session(await service.agents.of(row.agent), id) as session:
        state = await _live_state(service, session, row)
    if (waits := state["waiting_for"]) is not None and "approval" in waits:
        messages = await service.workspace.messages(id, limit=WINDOW)
        waits["approval"] = described(waits["approval"], messages, row.agent)
    run = await service.runs.latest(id)
    return State.model_validate({**state, "run": run_json(run) if run is not None else None})


@router.post("/threads/{id}/branch", status_code=201)
async def branch_thread(principal: User, service: ServiceState, id: str, given: BranchAt) -> Branched:
    """Create a thread that continues from an earlier point of this one. This one does not change."""
    row = await service.thread(id, principal)
    async with service.workspace.session(await service.agents.of(row.agent), id) as session:
        made = await session.branch(given.at, answers=given.answers)
    await service.claim(made.thread, principal)
    current = await _current_json(service, await service.workspace.thread(made.thread))
    return Branched.model_validate({**made.to_json(), **current})


@router.get("/threads/{id}/export", responses=_EXPORT)
async def export_thread(
    principal: Viewer, service: ServiceState, id: str, format: Literal["json", "markdown"] = "json"
) -> Response:
    """A thread as a file: all messages as Markdown, or messages and trace as JSON."""
    row = await service.thread(id, principal)
    messages = await service.workspace.store.messages.read(id)
    if format == "markdown":
        messages += [each for each, _ in filter(None, [await service.workspace.pending_message(id)])]
        text = conversation_markdown(row.title or row.thread, messages)
        body, media, suffix = text, "text/markdown; charset=utf-8", "md"
    else:
        whole = {
            **await _current_json(service, row),
            "messages": await _with_turns(service, id, messages) + await _pending_message(service, id),
            "trace": [{**row, "event": event_json(row["event"])} for row in await service.workspace.trace(id)],
        }
        body, media, suffix = json.dumps(whole, ensure_ascii=False, indent=1), "application/json", "json"
    headers = {"Content-Disposition": f'attachment; filename="thread.{suffix}"'}
    return Response(body, media_type=media, headers=headers)


async def _current(service: Service, row: ThreadRow) -> Thread:
    return Thread.model_validate(await _current_json(service, row))


async def _current_json(service: Service, row: ThreadRow) -> dict[str, Any]:
    return _thread_json(service, await service.current(row))


def _thread_json(service: Service, row: ThreadRow) -> dict[str, Any]:
    return thread_json(row, service.agents.name(row.agent))


async def _live_state(service: Service, session: Session, row: ThreadRow) -> dict[str, Any]:
    """Return the state of a thread with its live status; `row` is its row, read before."""
    while True:
        state = await session.state()
        if service.runs.at_work(row.thread) or await service.workspace.store.leased([row.thread]):
            return {**state, "status": "running"}
        now = await service.workspace.thread(row.thread)
        if state["status"] != "running" or now == row:
            return {**state, "status": "cut_short" if state["status"] == "running" else state["status"]}
        row = now


async def _with_turns(service: Service, thread: str, messages: list[Message]) -> list[dict[str, Any]]:
    """Return messages as JSON, each with its turn (0: said when a branch began).

    The last message of a turn has the artifacts of the turn.
    """
    events = service.workspace.store.events
    began = await events.of_type(thread, "turn_started") + await events.of_type(thread, "branched")
    began.sort(key=lambda row: row.seq)
    times = [row.time for row in began]
    seqs = [row.seq for row in began]
    turns = [bisect_right(times, message.time) for message in messages]
    made: dict[int, list[dict[str, Any]]] = {}
    for artifact in await service.workspace.artifacts(thread):
        shown = {"id": artifact_id(artifact["path"]), "kind": artifact["kind"], "name": artifact["name"]}
        made.setdefault(bisect_right(seqs, artifact["seq"]), []).append(shown)
    items = []
    for place, (message, turn) in enumerate(zip(messages, turns, strict=True)):
        item: dict[str, Any] = {
            **{name: getattr(message, name) for name in ("seq", "role", "text", "time")},
            "turn": began[turn - 1].event.get("turn", 0) if turn else 0,
        }
        last = place + 1 == len(messages) or turns[place + 1] != turn
        if last and message.role == "assistant" and turn in made:
            item["artifacts"] = made[turn]
        items.append(item)
    return items


async def _pending_message(service: Service, thread: str) -> list[dict[str, Any]]:
    """Return the message of an interrupted turn that has not read it yet, as a list: it is shown last."""
    found = await service.workspace.pending_message(thread)
    return [] if found is None else [{**asdict(found[0]), "turn": found[1]}]
