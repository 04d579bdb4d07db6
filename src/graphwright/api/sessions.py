"""Sessions that stay open between the turns of a thread, with the connections of their agents."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphwright import Agent, Session, Workspace

IDLE = 120.0
"""Seconds that a session stays open after a turn. An agent may have started MCP servers for it."""

MOST = 50
"""Maximum number of open sessions; beyond it the session that was idle the longest is closed."""


@dataclass(frozen=True, slots=True)
class _Idle:
    session: Session
    since: float


class OpenSessions:
    """Provides sessions for one turn each. Use it as an async context manager."""

    def __init__(self, workspace: Workspace, *, idle: float = IDLE, most: int = MOST) -> None:
        self._workspace = workspace
        self._idle = idle
        self._most = most
        self._held: OrderedDict[str, _Idle] = OrderedDict()
        self._closer: asyncio.Task[None] | None = None

    async def __aenter__(self) -> OpenSessions:
        self._closer = asyncio.create_task(self._close_what_idles())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._closer is not None:
            self._closer.cancel()
            with suppress(asyncio.CancelledError):
                await self._closer
        while self._held:
            await _close(self._held.popitem()[1].session)

    @asynccontextmanager
    async def lent(self, agent: Agent, thread: str) -> AsyncIterator[Session]:
        """Return the session of a thread: that of its last turn if it is still open.

        It is closed after a turn that raised: its connections may be the cause.
        """
        found = self._held.pop(thread, None)
        if found is not None and found.session.agent is not agent:
            await _close(found.session)
            found = None
        if found is None:
            session = await self._workspace.session(agent, thread).__aenter__()
        else:
            session = found.session
        try:
            yield session
        except BaseException:
            await asyncio.shield(asyncio.ensure_future(_close(session)))
            raise
        other = self._held.pop(thread, None)
        self._held[thread] = _Idle(session, monotonic())
        if other is not None:
            await _close(other.session)
        while len(self._held) > self._most:
            await _close(self._held.popitem(last=False)[1].session)

    async def forget(self, thread: str) -> None:
        """Close the session of a deleted thread."""
        found = self._held.pop(thread, None)
        if found is not None:
            await _close(found.session)

    async def _close_what_idles(self) -> None:
        while True:
            await asyncio.sleep(self._idle / 4)
            old = monotonic() - self._idle
            for thread in [each for each, idle in self._held.items() if idle.since < old]:
                # It may have been used or closed while another one was closed.
                found = self._held.get(thread)
                if found is not None and found.since < old:
                    await self.forget(thread)


async def _close(session: Session) -> None:
    await session.__aexit__(None, None, None)
