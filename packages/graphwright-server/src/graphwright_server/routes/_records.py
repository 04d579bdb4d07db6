"""The records that actions keep beyond their threads, such as conversations handed over to people; for admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from graphwright.store import Record
from graphwright_server.access.gate import Admin
from graphwright_server.paging import Cursor, Limit, decoded, encoded
from graphwright_server.service import ServiceState
from graphwright_server.shapes import Page

router = APIRouter(tags=["records"])


@router.get("/records/{collection}")
async def list_records(
    principal: Admin,
    service: ServiceState,
    collection: Annotated[str, Path(max_length=200)],
    limit: Limit = 50,
    cursor: Cursor = "",
) -> Page[Record]:
    """The records of a collection, the oldest first. The action `hand_over` keeps its summaries in `hand_over`."""
    (skip,) = decoded(cursor, int) or (0,)
    skip = min(max(skip, 0), 2**31)
    found = await service.workspace.store.records.list(collection, limit + 1, skip)
    more = encoded([skip + limit]) if len(found) > limit else None
    return Page[Record](items=found[:limit], next=more)
