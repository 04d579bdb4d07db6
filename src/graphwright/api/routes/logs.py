"""The interaction log: one's own turns, and those of everybody for admins."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from graphwright.api.access.gate import Viewer
from graphwright.errors import UsageError
from graphwright.store import Store

router = APIRouter()

_MOST_THREADS = 20_000
Word = Annotated[str, Query(max_length=200)]


@router.get("/logs")
async def logs(
    principal: Viewer,
    request: Request,
    agent: Word = "",
    session: Word = "",
    type: Word = "",
    success: bool | None = None,
    since: Annotated[str, Query(max_length=40)] = "",
    until: Annotated[str, Query(max_length=40)] = "",
    q: Annotated[str, Query(max_length=1000)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str, Query(max_length=500)] = "",
) -> dict[str, Any]:
    """Interactions, the latest first. `q` are words that must all occur; times are ISO 8601 in UTC."""
    from graphwright.store.interactions import Query as Asked
    from graphwright.store.interactions import configured

    store: Store = request.app.state.workspace.store
    log = configured(store.path.parent)
    if log is None:
        return {"items": [], "next": None}
    among = None if principal.may("admin") else await store.access.owners.threads(principal.user, _MOST_THREADS)
    asked = Asked(
        session=session,
        agent=agent,
        type=type,
        success=success,
        since=since,
        until=until,
        words=tuple(q.split()),
        among=among,
        after=_read(cursor) if cursor else None,
        limit=limit + 1,
    )
    found = await asyncio.to_thread(log.find, asked)
    last = found[limit - 1] if len(found) > limit else None
    return {
        "items": [each.model_dump() for each in found[:limit]],
        "next": json.dumps([last.started, last.id]) if last is not None else None,
    }


def _read(cursor: str) -> tuple[str, str]:
    try:
        started, id = json.loads(cursor)
    except (ValueError, TypeError):
        started = id = None
    if not (isinstance(started, str) and isinstance(id, str)):
        raise UsageError("bad_cursor", "this cursor is none of these lists", "Use `next` of the page before.")
    return started, id
