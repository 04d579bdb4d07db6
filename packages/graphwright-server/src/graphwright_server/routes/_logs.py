"""The interaction log: a user's own turns; for admins those of all users."""

from __future__ import annotations

import asyncio
import io
import zipfile
from dataclasses import asdict, dataclass, replace
from typing import Annotated, cast

from fastapi import APIRouter, Depends, Query, Response

from graphwright.errors import GraphwrightError
from graphwright.store.interactions import EMPTY, configured
from graphwright.store.interactions import Query as Asked
from graphwright.testing.drafts import SUFFIX, recorded
from graphwright_server._times import Time, utc_text
from graphwright_server.access.gate import Viewer
from graphwright_server.access.principal import Principal
from graphwright_server.paging import Cursor, Limit, decoded, next_page
from graphwright_server.service import Service, ServiceState
from graphwright_server.shapes import Page, content
from graphwright_server.shapes._logs import Logged, LogSummary

router = APIRouter(tags=["logs"])

_MOST_THREADS = 20_000
_WHERE = (
    "Each folder has the conversations of one agent. Put its files into the folder tests of the agent's folder, and "
    "run them with: graphwright test"
)
Word = Annotated[str, Query(max_length=200)]


@dataclass(frozen=True)
class Filters:
    """The query parameters that both routes of the log have."""

    agent: Word = ""
    session: Word = ""
    type: Word = ""
    success: bool | None = None
    since: Time = ""
    until: Time = ""
    q: Annotated[str, Query(max_length=1000)] = ""
    trials: bool = True


Filtered = Annotated[Filters, Depends()]


@router.get("/logs")
async def list_interactions(
    principal: Viewer, service: ServiceState, filters: Filtered, limit: Limit = 50, cursor: Cursor = ""
) -> Page[Logged]:
    """Interactions, the latest first. Every word of `q` must occur, or `q` in the agent's name.

    Times are ISO 8601 in UTC. `yours`: the thread exists and you can open it; the log keeps the turns of deleted
    threads. `trials=false` leaves out the turns that tried a draft.
    """
    store = service.workspace.store
    log = configured(store.home)
    if log is None:
        return Page[Logged](items=[], next=None)
    asked = await _asked(principal, service, filters)
    after = cast("tuple[str, str] | None", decoded(cursor, str, str))
    found = await asyncio.to_thread(log.find, replace(asked, after=after, limit=limit + 1))
    owned = store.access.owners
    yours = {each for each in {it.session for it in found} if await owned.thread(principal.user, each) is not None}
    items = [{**vars(each), "yours": each.session in yours} for each in found[:limit]]
    more = next_page(found, limit, lambda each: (each.started, each.id))
    return Page[Logged].model_validate({"items": items, "next": more})


@router.get("/logs/summary")
async def summarize_interactions(principal: Viewer, service: ServiceState, filters: Filtered) -> LogSummary:
    """The totals of the interactions with the filters of `/logs`, and their numbers over time."""
    log = configured(service.workspace.store.home)
    asked = await _asked(principal, service, filters)
    found = await asyncio.to_thread(log.summary, asked) if log is not None else EMPTY
    return LogSummary.model_validate(asdict(found))


async def _asked(principal: Principal, service: Service, filters: Filters) -> Asked:
    """Return the conditions of a request, restricted to what the principal may see."""
    owners = service.workspace.store.access.owners
    return Asked(
        session=filters.session,
        agent=filters.agent,
        type=filters.type,
        success=filters.success,
        since=utc_text(filters.since),
        until=utc_text(filters.until),
        words=tuple(filters.q.split()),
        among=None if principal.may("admin") else await owners.threads(principal.user, _MOST_THREADS),
        trials=filters.trials,
        called=await service.agents.called(filters.q),
    )


@router.get("/logs/conversations", response_class=Response, responses=content("application/zip", "The files."))
async def record_conversations(
    principal: Viewer, service: ServiceState, thread: Annotated[list[Word], Query(min_length=1, max_length=100)]
) -> Response:
    """Threads as scripted conversations for `graphwright test`: a ZIP file with one file per thread, and notes.

    The notes say what a file cannot repeat, and which threads could not be recorded. `graphwright record` writes the
    same file for one thread.
    """
    packed = io.BytesIO()
    remarks = [_WHERE]
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as files:
        for id in dict.fromkeys(thread):
            row = await service.thread(id, principal)
            agent = await service.agents.of(row.agent)
            events = await service.workspace.store.events.read(id)
            name = f"{service.agents.name(row.agent)}/{id}{SUFFIX}"
            try:
                text, notes = await asyncio.to_thread(recorded, events, agent, "..", f"Recorded from thread {id}.")
            except GraphwrightError as error:
                remarks.append(f"{name} is missing: {error.message}")
                continue
            files.writestr(name, text)
            remarks += [f"{name}: {each}" for each in notes]
        files.writestr("NOTES.txt", "\n\n".join(remarks) + "\n")
    headers = {"Content-Disposition": 'attachment; filename="conversations.zip"'}
    return Response(packed.getvalue(), media_type="application/zip", headers=headers)
