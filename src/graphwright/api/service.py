"""What the routes share: the workspace, the runs, the agents, and to whom things belong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from graphwright.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from graphwright import Workspace
    from graphwright.api.access.limits import Limits
    from graphwright.api.access.ownership import Ownership
    from graphwright.api.access.principal import Principal
    from graphwright.api.agents import Agents
    from graphwright.api.runs import Runs
    from graphwright.api.settings import ServiceSettings
    from graphwright.store import RunRow, ThreadRow


@dataclass(frozen=True, slots=True)
class Service:
    """An open service; `request.app.state.service`."""

    settings: ServiceSettings
    workspace: Workspace
    agents: Agents
    runs: Runs
    own: Ownership
    limits: Limits

    async def thread(self, id: str, principal: Principal) -> ThreadRow:
        """A thread of theirs. Raises AccessError (`not_found`) for any other."""
        from graphwright.api.access.errors import not_found

        row = await self.workspace.store.access.owners.thread(principal.user, id)
        if row is None:
            raise not_found("thread")
        return row

    async def current(self, row: ThreadRow) -> ThreadRow:
        """The row of a thread as it is now, as `all_current` gives it."""
        (now,) = await self.all_current([row])
        return now

    async def all_current(self, rows: Sequence[ThreadRow]) -> list[ThreadRow]:
        """The rows as they are now; `running` also before the turn of an accepted run holds the thread."""
        found = await self.workspace.store.current(rows)
        return [replace(row, status="running") if self.runs.at_work(row.thread) else row for row in found]

    async def begin(self, agent: str, principal: Principal, thread: str | None = None, title: str = "") -> ThreadRow:
        """A new thread of theirs. Raises UsageError (`unknown_agent`, `bad_thread`, `thread_exists`)."""
        if thread is not None and ("/" in thread or "\\" in thread or not thread.strip(".")):
            hint = "Choose one without slashes, or none: then a new one is made."
            raise UsageError("bad_thread", "no address could name a thread with this id", hint)
        # Made first: an id that is in use is refused before anything is claimed.
        row = await self.workspace.create(await self.agents.get(agent), thread, title=title)
        await self.claim(row.thread, principal)
        return row

    async def claim(self, thread: str, principal: Principal) -> None:
        """Make a thread theirs that was just made. Raises AccessError (`taken`), and the thread is gone."""
        try:
            await self.own.claim("thread", thread, principal)
        except BaseException:
            await self.workspace.delete(thread)
            raise

    async def run(self, id: str, principal: Principal) -> RunRow:
        """A run of a thread of theirs. Raises AccessError (`not_found`) for any other."""
        from graphwright.api.access.errors import not_found

        row = await self.runs.get(id)
        if row.owner != principal.user:
            raise not_found("run")
        return row

    @property
    def uploads(self) -> Path:
        """The folder of uploads, one folder each."""
        return self.workspace.folder / "uploads"


def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


ServiceState = Annotated[Service, Depends(_service)]
