"""What tests of the store share: writing the way a turn does."""

from __future__ import annotations

from typing import Any

from graphwright.store import Store

ROW: dict[str, Any] = {
    "agent": "intake",
    "flow_id": "flow.intake",
    "flow_hash": "h1",
    "status": "running",
    "waiting_for": None,
    "position": None,
    "turns": 0,
}


async def commit_step(
    store: Store,
    thread: str,
    *,
    visit: int = 0,
    first_event: int = 0,
    events: list[Any] | None = None,
    first_message: int = 0,
    messages: list[Any] | None = None,
    blobs: list[Any] | None = None,
    state: dict[str, Any] | None = None,
    **changes: Any,
) -> list[str]:
    """One turn of one step; gives the hashes of the large values."""
    async with store.turn(thread) as work:
        work.note_step(
            visit=visit,
            first_event=first_event,
            events=events or [],
            first_message=first_message,
            messages=messages or [],
            changes={**ROW, **changes},  # type: ignore[typeddict-item]
            state=state or {},
        )
        hashes = [work.note_blob(value) for value in blobs or []]
        await work.flush()
    return hashes
