"""Turns through other protocols: the same runs, limits and ownership as in the API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from graphwright_server._runs import Order

if TYPE_CHECKING:
    from graphwright.store import RunEvent, RunRow
    from graphwright_server.access.principal import Principal
    from graphwright_server.service import Service


async def waits_for(service: Service, agent: str, thread: str) -> dict[str, Any] | None:
    """Return what a thread waits for, with `approval` if a yes would allow actions; or None."""
    async with service.workspace.session(await service.agents.get(agent), thread) as session:
        waits: dict[str, Any] | None = (await session.state())["waiting_for"]
        return waits


async def begun(service: Service, principal: Principal, order: Order) -> RunRow:
    """Start a turn of a thread that the principal owns. Raises AccessError beyond the limits, and as `Runs.start`."""
    principal.require("user")
    thread = await service.thread(order.thread, principal)
    await service.limits.take(principal, "turns")
    if principal.login:
        service.limits.require_room(principal, await service.runs.running_of(principal.user))
    return await service.runs.start(order, thread, principal)


async def run_events(service: Service, run: RunRow) -> AsyncIterator[RunEvent | None]:
    """Yield the events of a run, and None after a long silence. The run continues if its listener disconnects."""
    async for events in service.runs.listen(run.id):
        for _, event in events:
            yield event
        if not events:
            yield None


async def ended(service: Service, run: RunRow) -> RunEvent:
    """Return the last event of a run: `turn_ended` with the turn, `run_failed` with a problem, or `run_cancelled`."""
    last: RunEvent = ("run_cancelled", {})
    async for event in run_events(service, run):
        last = event or last
    return last


class Drafts:
    """Combines the drafts of a text (`saying`) and its final version (`said`) to one stream of text.

    Text that was sent cannot be taken back: if the final version differs from the draft, it follows as a text of its
    own.
    """

    def __init__(self) -> None:
        self._draft = ""

    def piece(self, kind: str, event: dict[str, Any]) -> tuple[str, bool]:
        """Return the text that an event adds, and whether a text ends with it."""
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
