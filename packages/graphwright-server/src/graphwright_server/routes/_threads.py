"""Threads: create, list, search, read, organise, rate, branch, export and delete conversations."""

from __future__ import annotations

import json
from bisect import bisect_right
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from graphwright import Session
from graphwright.errors import GraphwrightError, UsageError
from graphwright.host.transcript import conversation_markdown
from graphwright.store import EventRow, Feedback, Message, ThreadRow, ThreadStatus
from graphwright_server import _decisions as decisions
from graphwright_server._shown import artifact_id, event_json, run_json, thread_json
from graphwright_server._times import Time, utc_text
from graphwright_server._turn_usage import USED, is_stop, turns_of, usage_of
from graphwright_server.access.gate import User, Viewer
from graphwright_server.access.principal import Principal
from graphwright_server.paging import Cursor, Limit, decoded, next_page
from graphwright_server.routes._agents import served_model
from graphwright_server.service import Service, ServiceState
from graphwright_server.shapes import Described, Page, raises
from graphwright_server.shapes._threads import (
    Branched,
    Exported,
    ListedThread,
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
    """The agent of a new thread; `thread` is its id, generated if missing.

    With `branch_of` it is a branch of that thread from its first turn on, in the same folder and with the same model.
    """

    model_config = ConfigDict(extra="forbid")

    agent: str = Field(max_length=200)
    thread: str | None = Field(None, min_length=1, max_length=200)
    title: str = Field("", max_length=200)
    folder: str = Field("", max_length=80)
    model: str = Field("", max_length=200)
    branch_of: str = Field("", max_length=200)


class ThreadChange(BaseModel):
    """The new title, folder (empty: none) or model (empty: the default) of a thread, and whether it is pinned.

    Missing fields are not changed.
    """

    model_config = ConfigDict(extra="forbid")

    title: str | None = Field(None, min_length=1, max_length=200)
    pinned: bool | None = None
    folder: str | None = Field(None, max_length=80)
    model: str | None = Field(None, max_length=200)


class BranchAt(BaseModel):
    """The point of the branch: after event `at`, with changed answers by their dotted keys."""

    model_config = ConfigDict(extra="forbid")

    at: int = Field(ge=-(2**62), le=2**62)
    answers: dict[str, Any] = Field(default_factory=dict)


@router.post("/threads", status_code=201, responses=raises(404, 409), response_model_exclude_unset=True)
async def create_thread(principal: User, service: ServiceState, given: NewThread) -> Thread:
    """Create a thread, which waits for its first turn."""
    _require_model(service, given.model)
    if given.branch_of:
        await service.thread(given.branch_of, principal)
    row = await service.begin(given.agent, principal, given.thread, given.title, given.branch_of)
    await service.workspace.store.threads.mark(
        row.thread, folder=given.folder.strip() or None, model=given.model or None
    )
    return await _current(service, await service.workspace.thread(row.thread))


@router.get("/threads", responses=raises(404), response_model_exclude_unset=True)
async def list_threads(
    principal: Viewer,
    service: ServiceState,
    agent: Annotated[str, Query(max_length=200)] = "",
    status: Status | None = None,
    q: Annotated[str, Query(max_length=200)] = "",
    pinned: bool | None = None,
    folder: Annotated[str, Query(max_length=80)] = "",
    families: bool = False,
    files: bool = False,
    usage: bool = False,
    last: bool = False,
    since: Time = "",
    until: Time = "",
    limit: Limit = 50,
    cursor: Cursor = "",
) -> Page[ListedThread]:
    """Threads, the most recently updated first. `q` searches titles, messages, and names of agents.

    A thread is `running` while a turn is in progress, and `cut_short` if its last turn was interrupted: the next turn
    finishes it. With `families` only the most recently updated of a conversation and its branches. With `files` only
    threads with uploaded or created files, and their numbers and names. With `usage` each has the duration of its
    turns, and their model calls; with `last` the beginning of its last message, and whether the user stopped its last
    turn. They were updated at `since` or later, and before `until`.
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
        pinned=pinned,
        folder=folder or None,
        families=families,
        files=files,
        called=[service.agents.address(each) for each in await service.agents.called(q)],
        since=utc_text(since),
        until=utc_text(until),
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
    ids = [row.thread for row, _ in found[:limit]]
    said = await store.messages.last_with(ids, q) if q else {}
    used = await store.events.of_threads(ids, *USED) if usage else {}
    ends = await store.messages.last_with(ids, "") if last else {}
    closing = await store.events.last(ids, _END) if last else {}
    kept_files = await store.events.of_threads(ids, "file_given", "artifact_made") if files else {}
    items = []
    for id, (_, each) in zip(ids, found, strict=False):
        more: dict[str, Any] = {"found": _found(said[id], q)} if id in said else {}
        more |= {"usage": usage_of(turns_of(used[id]))} if usage else {}
        more |= {"files": _files_of(kept_files[id])} if files else {}
        more |= {"last": ends[id].text[:_LAST_SHOWN]} if id in ends else {}
        more |= {"stopped": any(is_stop(row.event) for row in closing[id])} if last else {}
        items.append(ListedThread.model_validate({**each, **more}))
    return Page[ListedThread](items=items, next=next_page(found, limit, lambda each: (each[0].updated, each[0].thread)))


@router.get("/threads/{id}", response_model_exclude_unset=True)
async def read_thread(principal: Viewer, service: ServiceState, id: str) -> ThreadWithRun:
    """A thread, and its last run."""
    row = await service.thread(id, principal)
    run = await service.runs.latest(id)
    about = await _current_json(service, row)
    return ThreadWithRun.model_validate({**about, "run": run_json(run) if run is not None else None})


@router.patch("/threads/{id}", response_model_exclude_unset=True)
async def change_thread(principal: User, service: ServiceState, id: str, given: ThreadChange) -> Thread:
    """Rename a thread, pin it, move it to a folder, or choose the model of its next turns."""
    await service.thread(id, principal)
    _require_model(service, given.model or "")
    if given.title is not None:
        await service.workspace.rename(id, given.title)
    folder = None if given.folder is None else given.folder.strip()
    await service.workspace.store.threads.mark(id, pinned=given.pinned, folder=folder, model=given.model)
    return await _current(service, await service.workspace.thread(id))


@router.delete("/threads/{id}", status_code=204, responses=raises(409))
async def delete_thread(principal: User, service: ServiceState, id: str) -> None:
    """Delete a thread with all its contents. A running turn is cancelled. Records that agents store elsewhere stay."""
    await service.thread(id, principal)
    await service.delete(id)


@router.get("/threads/{id}/messages", response_model_exclude_unset=True)
async def read_messages(
    principal: Viewer,
    service: ServiceState,
    id: str,
    before: Annotated[int | None, Query(ge=0, le=2**62)] = None,
    limit: Limit = 50,
) -> Page[MessageSaid]:
    """Messages, oldest first: the last ones, or those before number `before`. `next` continues with older messages."""
    row = await service.thread(id, principal)
    found = await service.workspace.messages(id, before=before, limit=limit + 1)
    more, shown = len(found) > limit, found[-limit:]
    items = await _with_turns(service, row, principal, shown)
    if before is None:
        items += await _pending_message(service, id)
    return Page[MessageSaid].model_validate({"items": items, "next": str(shown[0].seq) if more else None})


@router.get("/threads/{id}/state", responses=raises(409), response_model_exclude_unset=True)
async def read_state(principal: Viewer, service: ServiceState, id: str, at: Seq | None = None) -> State | StateThen:
    """The state of a thread, now or after event `at`: what it waits for, answers and channels.

    `waiting_for.approval` is what a yes would approve. Send its `hash` with the yes; its `marks` show the values that
    the user did not give.
    """
    row = await service.thread(id, principal)
    agent = None
    if at is not None:
        with suppress(GraphwrightError):
            agent = await service.agents.of(row.agent)
        moment = await service.workspace.moment(id, at, agent)
        await decisions.describe(service, row, moment["waiting_for"], until=moment["time"])
        past = {**moment, "event": event_json(moment["event"]), "agent": service.agents.name(row.agent)}
        return StateThen.model_validate(past)
    async with service.workspace.session(await service.agents.of(row.agent), id) as session:
        state = await _live_state(service, session, row)
    await decisions.describe(service, row, state["waiting_for"])
    run = await service.runs.latest(id)
    return State.model_validate({**state, "run": run_json(run) if run is not None else None})


@router.post("/threads/{id}/branch", status_code=201, responses=raises(409), response_model_exclude_unset=True)
async def branch_thread(principal: User, service: ServiceState, id: str, given: BranchAt) -> Branched:
    """Create a thread that continues from an earlier point of this one. This one does not change. 422
    `answer_refused` for a changed answer that does not fit its question.
    """
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
            "messages": await _with_turns(service, row, principal, messages) + await _pending_message(service, id),
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


def _require_model(service: Service, model: str) -> None:
    """Raise UsageError (`unknown_model`) for a model that users may not choose."""
    offered = (served_model(service), *service.settings.models)
    if model and model not in offered:
        hint = f"GET /api/v1/models lists them: {', '.join(offered)}."
        raise UsageError("unknown_model", f"The model {model[:60]!r} may not be chosen here.", hint)


_FILES_NAMED = 8
_END = 2
"""Events at the end of a turn that failed or was stopped: its end, and the question that still waits."""
_LAST_SHOWN = 200
"""Characters of the last message of a thread in a list."""


def _files_of(events: list[EventRow]) -> dict[str, Any]:
    """Return how many files a thread was given, and how many it made, with some of each.

    A file that was written again counts once.
    """
    given = {(e["name"], e["sha256"]) for e in (row.event for row in events) if e["type"] == "file_given"}
    made = {row.event["path"]: row.event["kind"] for row in events if row.event["type"] == "artifact_made"}
    names = sorted({name for name, _ in given})
    last = list(made.items())[-_FILES_NAMED:][::-1]
    return {
        "given": len(given),
        "made": len(made),
        "names": names[:_FILES_NAMED],
        "last": [{"id": artifact_id(path), "kind": kind, "name": path.rpartition("/")[2]} for path, kind in last],
    }


_BEFORE, _AFTER = 60, 140
"""Characters of a message before and after the place where a text was found."""


def _found(message: Message, text: str) -> dict[str, Any]:
    """Return the part of a message around a text that it contains."""
    place = max(0, message.text.lower().find(text.lower()))
    first = max(0, place - _BEFORE)
    # The part begins with a whole word.
    first = message.text.find(" ", first, place) + 1 or first if first else 0
    part = message.text[first : place + len(text) + _AFTER]
    return {"seq": message.seq, "role": message.role, "text": part, "start": place - first} | {
        "end": min(len(part), place - first + len(text))
    }


async def _with_turns(
    service: Service, row: ThreadRow, principal: Principal, messages: list[Message]
) -> list[dict[str, Any]]:
    """Return messages as JSON, each with its turn (0: said when a branch began).

    The last message of a turn has the artifacts of the turn, its rating, and the decision about its approval.
    """
    thread, store = row.thread, service.workspace.store
    events = await store.events.of_type(thread, *decisions.TYPES)
    approvals = await decisions.decided(service, row, principal, events)
    rated = {each.turn: each for each in await store.feedback.of(thread)}
    began = [each for each in events if each.event["type"] in ("turn_started", "branched")]
    times = [row.time for row in began]
    seqs = [row.seq for row in began]
    turns = [bisect_right(times, message.time) for message in messages]
    made: dict[int, list[dict[str, Any]]] = {}
    for artifact in await service.workspace.artifacts(thread):
        shown = {"id": artifact_id(artifact["path"]), "kind": artifact["kind"], "name": artifact["name"]}
        made.setdefault(bisect_right(seqs, artifact["seq"]), []).append(shown)
    items = []
    for place, (message, turn) in enumerate(zip(messages, turns, strict=True)):
        start = began[turn - 1] if turn else None
        number = start.event.get("turn", 0) if start else 0
        item: dict[str, Any] = {name: getattr(message, name) for name in ("seq", "role", "text", "time")}
        item["turn"] = number
        last = place + 1 == len(messages) or turns[place + 1] != turn
        if last and message.role == "assistant":
            item |= {"artifacts": made[turn]} if turn in made else {}
            item |= {"feedback": _feedback_json(rated[number])} if number in rated else {}
            item |= {"approval": approvals[start.seq]} if start and start.seq in approvals else {}
        if start and message.role == "user" and "value" in start.event:
            item["by_value"] = True
        items.append(item)
    return items


def _feedback_json(feedback: Feedback) -> dict[str, str]:
    return {name: getattr(feedback, name) for name in ("rating", "comment", "user", "time")}


async def _pending_message(service: Service, thread: str) -> list[dict[str, Any]]:
    """Return the message of an interrupted turn that has not read it yet, as a list: it is shown last."""
    found = await service.workspace.pending_message(thread)
    return [] if found is None else [{**asdict(found[0]), "turn": found[1]}]
