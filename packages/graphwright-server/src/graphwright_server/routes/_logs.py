"""The interaction log: a user's own turns; for admins those of all users."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Annotated, cast

from fastapi import APIRouter, Query

from graphwright.errors import UsageError
from graphwright.store.interactions import Query as Asked
from graphwright.store.interactions import configured
from graphwright_server.access.gate import Viewer
from graphwright_server.paging import Cursor, Limit, decoded, next_page
from graphwright_server.service import ServiceState
from graphwright_server.shapes import Page
from graphwright_server.shapes._logs import Logged

router = APIRouter(tags=["logs"])

_MOST_THREADS = 20_000
Word = Annotated[str, Query(max_length=200)]


@router.get("/logs")
async def logs(
    principal: Viewer,
    service: ServiceState,
    agent: Word = "",
    session: Word = "",
    type: Word = "",
    success: bool | None = None,
    since: Annotated[str, Query(max_length=40)] = "",
    until: Annotated[str, Query(max_length=40)] = "",
    q: Annotated[str, Query(max_length=1000)] = "",
    limit: Limit = 50,
    cursor: Cursor = "",
) -> Page[Logged]:
    """Interactions, the latest first. Every word of `q` must occur; times are ISO 8601 in UTC. `yours`: the thread
    exists and you can open it; the log keeps the turns of deleted threads."""
    store = service.workspace.store
    log = configured(store.home)
    if log is None:
        return Page[Logged](items=[], next=None)
    among = None if principal.may("admin") else await store.access.owners.threads(principal.user, _MOST_THREADS)
    asked = Asked(
        session=session,
        agent=agent,
        type=type,
        success=success,
        since=_time(since),
        until=_time(until),
        words=tuple(q.split()),
        among=among,
        after=cast("tuple[str, str] | None", decoded(cursor, str, str)),
        limit=limit + 1,
    )
    found = await asyncio.to_thread(log.find, asked)
    owned = store.access.owners
    yours = {each for each in {it.session for it in found} if await owned.thread(principal.user, each) is not None}
    items = [{**vars(each), "yours": each.session in yours} for each in found[:limit]]
    more = next_page(found, limit, lambda each: (each.started, each.id))
    return Page[Logged].model_validate({"items": items, "next": more})


def _time(text: str) -> str:
    """Return a time in the log's format; empty if the text is empty. Raises UsageError (`bad_time`)."""
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError("bad_time", f"{text!r} is no time.", "Such as 2026-11-24T15:30:00Z.") from None
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
