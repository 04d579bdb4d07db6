"""The trace of a thread: every event, in order; and its turns, with their usage."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Annotated, Any

from fastapi import APIRouter, Query

from graphwright.models.usage import call_cost, currency
from graphwright_server._shown import event_json
from graphwright_server._turn_usage import turns_of
from graphwright_server.access.gate import Viewer
from graphwright_server.service import Service, ServiceState
from graphwright_server.shapes._threads import Trace, Turns

router = APIRouter(tags=["trace"])


@router.get("/threads/{id}/trace", response_model_exclude_unset=True)
async def read_trace(
    principal: Viewer,
    service: ServiceState,
    id: str,
    since: Annotated[int, Query(ge=0, le=2**62)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 500,
    turn: Annotated[int | None, Query(ge=1, le=2**62)] = None,
) -> Trace:
    """Events from number `since` on, each `{seq, visit, time, event}`; with `turn` only those of that turn.

    Calls of a model with a configured price have a `cost`. `next` is the `since` of the next page.
    """
    await service.thread(id, principal)
    first, end = await _turn(service, id, turn) if turn is not None else (0, None)
    found = await service.workspace.trace(id, since=max(since, first), limit=limit + 1)
    found = [row for row in found if end is None or row["seq"] < end]
    items = [{**row, "event": event_json(row["event"]), **_cost(row["event"])} for row in found[:limit]]
    more = str(found[limit]["seq"]) if len(found) > limit else None
    return Trace.model_validate({"items": items, "next": more, "currency": currency()})


@router.get("/threads/{id}/turns")
async def read_turns(
    principal: Viewer,
    service: ServiceState,
    id: str,
    before: Annotated[int | None, Query(ge=1, le=2**62)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Turns:
    """The last turns before turn `before`, the newest first: their messages, whether they failed, and their usage.

    `cost` is null if a model that answered has no price. `next` is the `before` of the next page.
    """
    await service.thread(id, principal)
    events = service.workspace.store.events
    every = await events.of_type(id, "turn_started")
    began = [row for row in every if before is None or row.event["turn"] < before]
    shown = began[-limit:]
    # Event numbers have no gaps.
    most = every[len(began)].seq - shown[0].seq if shown and len(every) > len(began) else None
    turns = turns_of(await events.read(id, shown[0].seq, most)) if shown else []
    more = str(shown[0].event["turn"]) if len(began) > limit else None
    return Turns.model_validate({"items": turns[::-1], "next": more, "currency": currency()})


def _cost(event: Mapping[str, Any]) -> dict[str, float]:
    cost = call_cost(event) if event["type"] == "model_called" else None
    return {} if cost is None else {"cost": cost}


async def _turn(service: Service, thread: str, turn: int) -> tuple[int, int | None]:
    """Return the numbers of the first event of a turn and of the next turn, or None if it is the last one.

    (0, 0) if the turn does not exist.
    """
    began = await service.workspace.store.events.of_type(thread, "turn_started")
    for row, later in zip_longest(began, began[1:]):
        if row.event["turn"] == turn:
            return row.seq, later.seq if later is not None else None
    return 0, 0
