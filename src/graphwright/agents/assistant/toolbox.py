"""The tools of a session: our own two servers and those that the operator configured, held open together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from graphwright import called
from graphwright.agents.assistant import telling
from graphwright.agents.assistant.settings import accelerators_of, setting
from graphwright.agents.assistant.state import ToolInfo
from graphwright.errors import GraphwrightError, said
from graphwright.tools import ToolResult
from graphwright.tools.mcp import McpServer, McpServers, addresses, configured

if TYPE_CHECKING:
    from graphwright import ActionContext


_PATIENCE = 20.0
"""Seconds that a search of documents waits for their first indexing: less than a call may take."""


class Toolbox:
    """The servers of one session. `now` is the wall clock that our own servers go by: that of the turn.

    `fresh` says that a turn of this session has asked them for their tools; `problems` which of our own cannot be made,
    `without` which are left out, because there is only a sample for them beside what is the operator's own.
    """

    def __init__(self) -> None:
        self.now = datetime.now()
        self.servers = McpServers(())
        self.problems: list[str] = []
        self.without: set[str] = set()
        self.fresh = False

    def clock(self) -> datetime:
        """The time of the present turn, local and without a zone."""
        return self.now

    async def at_turn(self, now: datetime) -> dict[str, ToolInfo]:
        """What there is to call in a turn that began at `now` (local), as the servers declare it now."""
        self.now = now.replace(tzinfo=None)
        await self.servers.refresh()
        self.fresh = True
        registry = self.servers.registry()
        return {
            each["name"]: {
                "description": each["description"],
                "input_schema": each["parameters"],
                "changes": registry.changes(each["name"]),
            }
            for each in registry.declarations()
        }

    def missing(self, language: str) -> list[str]:
        """A sentence for each server whose tools are missing."""
        told = list(self.problems)
        for state in self.servers.states():
            if state.state != "ready":
                why = state.why or "has not started yet"
                told.append(telling.say(language, "missing", server=state.name, why=why))
        return told

    def left_out(self, language: str, kind: str) -> list[str]:
        """That no source of a kind can be searched, where a question is for that kind and only a sample is left out."""
        return [telling.say(language, f"without_{kind}")] if kind in self.without else []

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool. What fails is a result; its value, where it went well, is `Findings`."""
        return await called(self.servers.registry(), name, arguments)


def hosts_of(settings: Mapping[str, Any]) -> set[str]:
    """The hosts that the operator named: of the logbook, and of the MCP servers."""
    urls = [setting(settings, "elog"), *addresses()]
    return {host for url in urls if url and (host := urlsplit(str(url)).hostname)}


async def opened(ctx: ActionContext) -> Toolbox:
    """The toolbox of the session that an action runs in; its servers are started at the first call."""
    settings, home = dict(ctx.settings), ctx.home
    return await ctx.held("assistant tools", lambda: _held(settings, home))


@asynccontextmanager
async def _held(settings: Mapping[str, Any], home: Path) -> AsyncIterator[Toolbox]:
    box = Toolbox()
    async with AsyncExitStack() as stack:
        own = await own_servers(box, settings, home, stack)
        box.servers = await stack.enter_async_context(McpServers((*own, *configured())))
        yield box


async def own_servers(box: Toolbox, settings: Mapping[str, Any], home: Path, stack: AsyncExitStack) -> list[McpServer]:
    """Our two servers, in this process. One that cannot be made costs its own tools only.

    One that has only a sample is left out where the other one has what is the operator's own: invented data among
    that would be taken for it.
    """
    made: dict[str, _Own] = {}
    own = {name for name in ("knowledge", "elog") if setting(settings, name)}
    for name, make in (("knowledge", _knowledge), ("elog", _logbook)):
        try:
            made[name] = await asyncio.to_thread(make, box, settings, home, stack)
            if not made[name].sample:
                own.add(name)
        except Exception as error:
            why = f"{error.message.rstrip('.')}. {error.hint}" if isinstance(error, GraphwrightError) else said(error)
            box.problems.append(f"The tools of {name} are missing: {why}".strip())
    box.without = made.keys() - own if own else set()
    return [McpServer(name, here=each.server) for name, each in made.items() if name not in box.without]


@dataclass(frozen=True, slots=True)
class _Own:
    """A server of ours, and whether it has nothing but a sample."""

    server: Any
    sample: bool


def _knowledge(_: Toolbox, settings: Mapping[str, Any], home: Path, stack: AsyncExitStack) -> _Own:
    from graphwright.knowledge.finding import ChosenKnowledge
    from graphwright.knowledge.server import make_server
    from graphwright.tools.mcp.library import load

    load()
    knowledge = ChosenKnowledge(home, patience=_PATIENCE)
    stack.callback(knowledge.close)
    return _Own(make_server(knowledge, accelerators_of(settings)), knowledge.will_be_sample())


def _logbook(box: Toolbox, settings: Mapping[str, Any], home: Path, stack: AsyncExitStack) -> _Own:
    from graphwright.logbook.opening import open_logbook
    from graphwright.logbook.serving import make_server
    from graphwright.tools.mcp.library import load

    load()
    logbook = open_logbook(str(setting(settings, "elog")), home, box.clock)
    stack.callback(logbook.close)
    return _Own(make_server(logbook, box.clock), logbook.sample)
