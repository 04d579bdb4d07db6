"""Threads, turns and events for clients: JSON without local paths and private values, and event streams."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from time import monotonic
from typing import Any, TypeVar

from fastapi import Request
from fastapi.responses import StreamingResponse

from graphwright import Turn
from graphwright.errors import UsageError
from graphwright.host.event_json import without_private
from graphwright.store import RunRow, ThreadRow
from graphwright_server.shapes._threads import Run

T = TypeVar("T")

THREAD = ("thread", "title", "status", "turns", "created", "updated", "waiting_for", "pinned", "folder", "model")


def thread_json(row: ThreadRow, agent: str) -> dict[str, Any]:
    """Return the fields of a thread of the list."""
    source = {"thread": row.source, "turn": row.source_turn} if row.source else None
    return {"agent": agent, **{name: getattr(row, name) for name in THREAD}, "branch_of": source}


def shown_run(row: RunRow) -> Run:
    """Return a run as clients see it."""
    return Run.model_validate(run_json(row))


def run_json(row: RunRow) -> dict[str, Any]:
    """Return the fields of a run: with a `problem` if it failed without a turn, `unread` if its message must be sent
    again."""
    kind, data = row.last or ("", None)
    told = dict(data or {})
    unread = {"unread": told.pop("unread")} if kind in ("run_failed", "run_cancelled") and "unread" in told else {}
    problem = {"problem": told} if kind == "run_failed" else {}
    turn = {"turn": told} if kind == "turn_ended" else {}
    shown = {name: getattr(row, name) for name in ("id", "thread", "status", "created", "updated")}
    return {**shown, **turn, **problem, **unread}


def run_event(kind: str, data: Mapping[str, Any]) -> tuple[str, Any]:
    """Return an event of a run as clients see it: with its `type`, and a problem under `problem`."""
    if kind != "run_failed":
        return kind, data
    problem = {name: value for name, value in data.items() if name != "unread"}
    unread = {"unread": data["unread"]} if "unread" in data else {}
    return kind, {"type": kind, "problem": problem, **unread}


def artifact_id(path: str) -> str:
    """Return the id that replaces the path of an artifact."""
    return hashlib.sha256(path.encode()).hexdigest()[:16]


def _without_path(artifact: Mapping[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in artifact.items() if name != "path"}
    return {**rest, "id": artifact_id(artifact["path"])}


def event_json(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event of a turn as JSON."""
    shown = without_private(event)
    return _without_path(shown) if event["type"] == "artifact_made" else shown


def turn_json(turn: Turn, approval: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the last event of a turn, with its result; `approval` is what a yes would approve, or None."""
    shown = turn.to_json()
    if approval is not None:
        shown["waiting_for"] = {**shown["waiting_for"], "approval": approval}
    return {"type": "turn_ended", **shown, "artifacts": [_without_path(each) for each in shown["artifacts"]]}


HEARTBEAT = b": still here\n\n"

ASK_AGAIN = 5.0
"""Seconds between checks of whether a listener is still allowed."""

Numbered = Sequence[tuple[int, tuple[str, Any]]]
"""Events with their numbers, each a type and its data as JSON."""


def frame(number: int, kind: str, data: Any) -> bytes:
    """Return one event as a frame. Its data is one line, since the JSON has no line breaks."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"id: {number}\nevent: {kind}\ndata: {text}\n\n".encode()


async def frames(events: AsyncIterator[Numbered]) -> AsyncIterator[bytes]:
    """Yield the frames of numbered events, batch by batch; a heartbeat for an empty batch."""
    async for each in events:
        yield b"".join(frame(number, *event) for number, event in each) or HEARTBEAT


async def while_allowed(
    events: AsyncIterator[Numbered], allowed: Callable[[], Awaitable[bool]]
) -> AsyncIterator[Numbered]:
    """Yield the events while `allowed` returns true. It is called again with the first batch after some seconds."""
    asked = monotonic()
    async for each in events:
        if monotonic() - asked >= ASK_AGAIN:
            if not await allowed():
                return
            asked = monotonic()
        yield each


async def run_events(events: AsyncIterator[Numbered]) -> AsyncIterator[Numbered]:
    """Yield the events of a run as clients see them."""
    async for each in events:
        yield [(number, run_event(*event)) for number, event in each]


def event_stream(events: AsyncIterator[Numbered]) -> StreamingResponse:
    """Return a response that streams events immediately, with headers against buffering by proxies."""
    headers = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
    return StreamingResponse(frames(events), media_type="text/event-stream", headers=headers)


async def numbered_stream(events: AsyncGenerator[T, None], shown: Callable[[T], tuple[str, Any]]) -> StreamingResponse:
    """Return events as a stream, numbered from 0. An error before the first event is the response."""
    first = await anext(events)

    async def numbered() -> AsyncIterator[Numbered]:
        async with aclosing(events):
            yield [(0, shown(first))]
            number = 0
            async for event in events:
                number += 1
                yield [(number, shown(event))]

    return event_stream(numbered())


def wants_stream(request: Request) -> bool:
    """Return whether a request asks for an event stream."""
    return "text/event-stream" in request.headers.get("accept", "")


def last_seen(request: Request, after: int | None) -> int:
    """Return the number of the last event that the listener received. Raises UsageError (`bad_event_id`)."""
    told = request.headers.get("last-event-id", "")
    if after is not None or not told:
        return after or 0
    if not told.isdecimal() or len(told) > 18:
        raise UsageError(
            "bad_event_id", "Last-Event-ID is not the number of an event.", "Send the last `id` as it came."
        )
    return int(told)
