"""A turn through a door that speaks another protocol: the same runs, limits and owners as through the API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from graphwright.api.runs import Order

if TYPE_CHECKING:
    from graphwright.api.access.principal import Principal
    from graphwright.api.service import Service
    from graphwright.store import RunEvent, RunRow


async def waits_for(service: Service, agent: str, thread: str) -> dict[str, Any] | None:
    """What a thread waits for, with `approval` where it waits for a yes that lets actions run."""
    async with service.workspace.session(await service.agents.get(agent), thread) as session:
        waits: dict[str, Any] | None = (await session.state())["waiting_for"]
        return waits


async def begun(service: Service, principal: Principal, order: Order) -> RunRow:
    """Begin a turn of a thread of theirs. Raises AccessError beyond the limits, and as `Runs.start` does."""
    principal.require("user")
    thread = await service.thread(order.thread, principal)
    await service.limits.take(principal, "turns")
    if principal.login:
        service.limits.require_room(principal, await service.runs.running_of(principal.user))
    return await service.runs.start(order, thread, principal)


async def heard(service: Service, run: RunRow) -> AsyncIterator[RunEvent | None]:
    """The events of a run as they come, None when it is silent for long. Whose listener leaves is not cancelled."""
    async for events in service.runs.listen(run.id):
        for _, event in events:
            yield event
        if not events:
            yield None


async def ended(service: Service, run: RunRow) -> RunEvent:
    """How a run ended: `turn_ended` with the turn, `run_failed` with a problem, or `run_cancelled`."""
    last: RunEvent = ("run_cancelled", {})
    async for event in heard(service, run):
        last = event or last
    return last


class Drafts:
    """Makes one text of what is told while it is written (`saying`) and of what is said in the end (`said`).

    What a listener was given cannot be taken back: where the end differs from the draft, it follows as a text of its
    own.
    """

    def __init__(self) -> None:
        self._draft = ""

    def piece(self, kind: str, event: dict[str, Any]) -> tuple[str, bool]:
        """What an event adds, and whether a text ends with it."""
        if kind == "saying":
            cut = "\n\n" if event.get("afresh") and self._draft else ""
            self._draft = event["text"] if event.get("afresh") else self._draft + event["text"]
            return cut + event["text"], False
        if kind not in ("said", "prompted") or not event["text"]:
            return "", False
        draft, self._draft, text = self._draft, "", str(event["text"])
        if not draft:
            return text, True
        return (text[len(draft) :], True) if text.startswith(draft) else (f"\n\n{text}", True)
