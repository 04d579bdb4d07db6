"""Server-sent events: frames with ids, and a comment now and then that keeps the connection open."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from time import monotonic
from typing import Any

from fastapi import Request
from fastapi.responses import StreamingResponse

from graphwright.errors import UsageError

HEARTBEAT = b": still here\n\n"

ASK_AGAIN = 5.0
"""Seconds after which a listener of a stream is asked for again."""

Numbered = Sequence[tuple[int, tuple[str, Any]]]
"""Events with their numbers, each a type and its data as JSON."""


def frame(number: int, kind: str, data: Any) -> bytes:
    """One event. JSON has no line breaks, so its data is one line."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"id: {number}\nevent: {kind}\ndata: {text}\n\n".encode()


async def frames(events: AsyncIterator[Numbered]) -> AsyncIterator[bytes]:
    """The frames of numbered events: those that have come are sent at once. None have come: a heartbeat."""
    async for each in events:
        yield b"".join(frame(number, *event) for number, event in each) or HEARTBEAT


async def while_allowed(
    events: AsyncIterator[Numbered], allowed: Callable[[], Awaitable[bool]]
) -> AsyncIterator[Numbered]:
    """The events, as long as who listens may hear them: asked again with what comes after some seconds."""
    asked = monotonic()
    async for each in events:
        if monotonic() - asked >= ASK_AGAIN:
            if not await allowed():
                return
            asked = monotonic()
        yield each


def stream(events: AsyncIterator[Numbered]) -> StreamingResponse:
    """The answer that streams events as they come. Proxies are told not to hold them back."""
    headers = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
    return StreamingResponse(frames(events), media_type="text/event-stream", headers=headers)


def wanted(request: Request) -> bool:
    """Whether a request asks for events as they come."""
    return "text/event-stream" in request.headers.get("accept", "")


def last_seen(request: Request, after: int | None) -> int:
    """The number of the last event that the listener has. Raises UsageError (`bad_event_id`)."""
    told = request.headers.get("last-event-id", "")
    if after is not None or not told:
        return after or 0
    if not told.isdecimal() or len(told) > 18:
        raise UsageError("bad_event_id", "Last-Event-ID is no number of an event", "Send the last `id` as it came.")
    return int(told)
