"""Server-sent events: frames with ids, and heartbeat comments that keep the connection open."""

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


def stream(events: AsyncIterator[Numbered]) -> StreamingResponse:
    """Return a response that streams events immediately, with headers against buffering by proxies."""
    headers = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
    return StreamingResponse(frames(events), media_type="text/event-stream", headers=headers)


def wanted(request: Request) -> bool:
    """Return whether a request asks for an event stream."""
    return "text/event-stream" in request.headers.get("accept", "")


def last_seen(request: Request, after: int | None) -> int:
    """Return the number of the last event that the listener received. Raises UsageError (`bad_event_id`)."""
    told = request.headers.get("last-event-id", "")
    if after is not None or not told:
        return after or 0
    if not told.isdecimal() or len(told) > 18:
        raise UsageError(
            "bad_event_id", "Last-Event-ID is not the number of an event", "Send the last `id` as it came."
        )
    return int(told)
