"""The records that actions keep beyond their threads, such as conversations handed over to people; for admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel

from graphwright.store import Record
from graphwright_server.access.gate import Admin
from graphwright_server.paging import Cursor, Limit, decoded, encoded
from graphwright_server.service import ServiceState
from graphwright_server.shapes import Page, Whole

router = APIRouter(tags=["records"])


class Collection(BaseModel):
    """A collection of records, and how many it has."""

    name: str
    records: int


@router.get("/records")
async def list_collections(principal: Admin, service: ServiceState) -> Whole[Collection]:
    """The collections of records, by name."""
    counts = await service.workspace.store.records.collections()
    return Whole[Collection](items=[Collection(name=name, records=count) for name, count in counts.items()], next=None)


@router.get("/records/{collection}")
async def list_records(
    principal: Admin,
    service: ServiceState,
    collection: Annotated[str, Path(max_length=200)],
    latest: Annotated[bool, Query(description="The latest first.")] = False,
    limit: Limit = 50,
    cursor: Cursor = "",
) -> Page[Record]:
    """The records of a collection, the oldest first. The action `hand_over` keeps its summaries in `hand_over`."""
    store = service.workspace.store.records
    (place,) = decoded(cursor, int) or (None,)
    if not latest:
        skip = min(max(place or 0, 0), 2**31)
        found = await store.list(collection, limit + 1, skip)
        return Page[Record](items=found[:limit], next=encoded([skip + limit]) if len(found) > limit else None)
    # Going back, the cursor is the number of older records: it stays right while others are added.
    count = (await store.collections()).get(collection, 0)
    older = count if place is None else min(max(place, 0), count)
    first = max(older - limit, 0)
    found = await store.list(collection, older - first, first) if older else []
    return Page[Record](items=found[::-1], next=encoded([first]) if first else None)
