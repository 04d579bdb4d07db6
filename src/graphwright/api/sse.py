"""Server-sent events: frames with ids, and a comment now and then that keeps the connection open."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import Request
from fastapi.responses import StreamingResponse

from graphwright.errors import UsageError

HEARTBEAT = b": still here\n\n"


def frame(number: int, kind: str, data: Any) -> bytes:
    """One event. JSON has no line breaks, so its data is one line."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"id: {number}\nevent: {kind}\ndata: {text}\n\n".encode()


async def frames(events: AsyncIterator[tuple[int, tuple[str, Any]] | None]) -> AsyncIterator[bytes]:
    """The frames of numbered events; None is a heartbeat."""
    async for each in events:
        yield HEARTBEAT if each is None else frame(each[0], *each[1])


def stream(events: AsyncIterator[tuple[int, tuple[str, Any]] | None]) -> StreamingResponse:
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
