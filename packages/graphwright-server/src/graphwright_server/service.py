"""The state that the routes share: workspace, runs, agents, ownership and limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from graphwright.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from graphwright import Workspace
    from graphwright.store import RunRow, ThreadRow
    from graphwright_server._agents import Agents
    from graphwright_server._authoring import Authoring
    from graphwright_server._describing import Describing
    from graphwright_server._runs import Runs
    from graphwright_server._settings import ServiceSettings
    from graphwright_server.access.principal import Limits, Ownership, Principal

__all__ = ["Service", "ServiceState"]


@dataclass(frozen=True, slots=True)
class Service:
    """A running service; `request.app.state.service`."""

    settings: ServiceSettings
    workspace: Workspace
    agents: Agents
    runs: Runs
    own: Ownership
    limits: Limits
    authoring: Authoring
    describing: Describing

    async def thread(self, id: str, principal: Principal) -> ThreadRow:
        """Return a thread that the principal owns. Raises AccessError (`not_found`) otherwise."""
        from graphwright_server.access.principal import not_found

        row = await self.workspace.store.access.owners.thread(principal.user, id)
        if row is None:
            raise not_found("thread")
        return row

    async def current(self, row: ThreadRow) -> ThreadRow:
        """Return the current row of a thread, as `all_current` does."""
        (now,) = await self.all_current([row])
        return now

    async def all_current(self, rows: Sequence[ThreadRow]) -> list[ThreadRow]:
        """Return the current rows. A thread is `running` even before the turn of its accepted run holds it."""
        found = await self.workspace.store.current(rows)
        return [replace(row, status="running") if self.runs.at_work(row.thread) else row for row in found]

    async def begin(
        self, agent: str, principal: Principal, thread: str | None = None, title: str = "", source: str = ""
    ) -> ThreadRow:
        """Create a thread of the principal. Raises UsageError (`unknown_agent`, `bad_thread`, `thread_exists`).

        With `source` it is a branch of that thread from its first turn on.
        """
        if thread is not None and ("/" in thread or "\\" in thread or not thread.strip(".")):
            hint = "Use an id without slashes, or omit it for a new one."
            raise UsageError("bad_thread", "This id cannot be part of an address.", hint)
        # Created first: an id in use is refused before anything is claimed.
        row = await self.workspace.create(await self.agents.get(agent), thread, title=title, source=source)
        await self.claim(row.thread, principal)
        return row

    async def claim(self, thread: str, principal: Principal) -> None:
        """Make the principal the owner of a new thread, or delete the thread. Raises AccessError (`taken`)."""
        try:
            await self.own.claim("thread", thread, principal)
        except BaseException:
            await self.workspace.delete(thread)
            raise

    async def delete(self, thread: str) -> None:
        """Delete a thread with all its contents. A running turn is cancelled."""
        run = await self.runs.latest(thread)
        if run is not None and run.status == "running":
            await self.runs.cancel(run.id)
        await self.runs.sessions.forget(thread)
        await self.workspace.delete(thread)
        await self.own.release("thread", thread)

    async def run(self, id: str, principal: Principal) -> RunRow:
        """Return a run that the principal owns. Raises AccessError (`not_found`) otherwise."""
        from graphwright_server.access.principal import not_found

        row = await self.runs.get(id)
        if row.owner != principal.user:
            raise not_found("run")
        return row

    @property
    def uploads(self) -> Path:
        """The folder of uploads, with one folder per upload."""
        return self.workspace.folder / "uploads"


def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


ServiceState = Annotated[Service, Depends(_service)]
