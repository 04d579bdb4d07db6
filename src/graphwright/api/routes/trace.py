"""The trace of a thread: every event, in order."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from graphwright.api.access.gate import Viewer
from graphwright.api.service import ServiceState
from graphwright.api.shown import event_json

router = APIRouter(tags=["trace"])


@router.get("/threads/{id}/trace")
async def read_trace(
    principal: Viewer,
    service: ServiceState,
    id: str,
    since: Annotated[int, Query(ge=0, le=2**62)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 500,
) -> dict[str, Any]:
    """Events from number `since` on, each `{seq, visit, time, event}`. `next` is the `since` of the next page."""
    await service.thread(id, principal)
    found = await service.workspace.trace(id, since=since, limit=limit + 1)
    items = [{**row, "event": event_json(row["event"])} for row in found[:limit]]
    return {"items": items, "next": str(found[limit]["seq"]) if len(found) > limit else None}
