"""The trace of a thread: every event, in order."""

from __future__ import annotations

from itertools import zip_longest
from typing import Annotated, Any

from fastapi import APIRouter, Query

from graphwright.api.access.gate import Viewer
from graphwright.api.service import Service, ServiceState
from graphwright.api.shown import event_json

router = APIRouter(tags=["trace"])


@router.get("/threads/{id}/trace")
async def read_trace(
    principal: Viewer,
    service: ServiceState,
    id: str,
    since: Annotated[int, Query(ge=0, le=2**62)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 500,
    turn: Annotated[int | None, Query(ge=1, le=2**62)] = None,
) -> dict[str, Any]:
    """Events from number `since` on, each `{seq, visit, time, event}`; with `turn` those of that turn alone.

    `next` is the `since` of the next page.
    """
    await service.thread(id, principal)
    first, end = await _turn(service, id, turn) if turn is not None else (0, None)
    found = await service.workspace.trace(id, since=max(since, first), limit=limit + 1)
    found = [row for row in found if end is None or row["seq"] < end]
    items = [{**row, "event": event_json(row["event"])} for row in found[:limit]]
    return {"items": items, "next": str(found[limit]["seq"]) if len(found) > limit else None}


async def _turn(service: Service, thread: str, turn: int) -> tuple[int, int | None]:
    """Where a turn begins, and where the next one does, None if there is none; nothing for a turn that there is not."""
    began = await service.workspace.store.events.of_type(thread, "turn_started")
    for row, later in zip_longest(began, began[1:]):
        if row.event["turn"] == turn:
            return row.seq, later.seq if later is not None else None
    return 0, 0
