"""Several servers at once: connected together, with their tools in one registry."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Self

from graphwright.errors import GraphwrightError
from graphwright.extras import install_hint
from graphwright.tools.mcp._declarations import offered_name
from graphwright.tools.mcp._settings import McpServer
from graphwright.tools.registry import Tool, ToolRegistry

if TYPE_CHECKING:
    from graphwright.tools.mcp._connection import Connection, ServerTool
    from graphwright.tools.sources import Findings

__all__ = ["load", "missing"]

AT_ONCE = 10.0
"""Seconds to wait for the servers at the beginning. Slower ones become available at a later turn."""

AT_A_TURN = 3.0
"""Seconds to wait for the lists of tools at a new turn."""


@dataclass(frozen=True, slots=True)
class ServerState:
    """The state of a server: its number of `tools`, `why` it is not ready ("did not answer"), and a `hint`.

    `notes` describe problems of a server that is ready. `protocol` is its version of MCP.
    """

    name: str
    state: Literal["starting", "ready", "failed"]
    tools: int = 0
    why: str = ""
    hint: str = ""
    notes: tuple[str, ...] = ()
    protocol: str = ""


class McpServers:
    """The sessions with several servers, as an async context manager.

        async with McpServers(configured(current())) as servers:
            await servers.refresh()      # at each new turn
            result = await servers.registry().call("clock__now", {"zone": "UTC"})

    The value of a successful call is `Findings`. If a server is unreachable, hangs or dies, only its own tools are
    missing; `missing` reports them. Servers must be configured by the operator: never pass data from HTTP or from a
    flow document, because a `command` runs with the rights of this process.

    This uses fastmcp's `Client` directly, not LangChain's adapter: it returns the results as the server sent them
    (typed blocks, structured content, the error flag), accepts our own transports, which the limits need, and is
    imported in two thirds of the time.
    """

    def __init__(self, servers: Iterable[McpServer], *, at_once: float = AT_ONCE) -> None:
        """`at_once` is the number of seconds that entering waits. Raises ValueError for two servers of one name."""
        self._servers = tuple(servers)
        names = [server.name for server in self._servers]
        if len(set(names)) < len(names):
            raise ValueError(f"two servers have one name: {', '.join(names)}")
        self._at_once = at_once
        self._connections: tuple[Connection, ...] = ()
        self._unusable: GraphwrightError | None = None

    async def __aenter__(self) -> Self:
        if not self._servers:
            return self
        try:
            made = await asyncio.to_thread(_connections, self._servers)
        except GraphwrightError as error:
            self._unusable = error
            return self
        self._connections = made
        try:
            await asyncio.gather(*(connection.ready(self._at_once) for connection in made))
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close()

    async def refresh(self, within: float = AT_A_TURN) -> None:
        """List the tools of all servers again at a new turn, and reconnect lost ones. Never raises."""
        await asyncio.gather(*(connection.refresh(within) for connection in self._connections))

    def registry(self) -> ToolRegistry:
        """Return a registry of the tools that can be called now. An older registry still works, with its own tools."""
        return ToolRegistry(tool for _, tool in self._tools_by_server())

    def plain_registry(self, server: str) -> ToolRegistry:
        """Return the tools of one server that can be called now, under their own names. A call gives plain JSON."""
        ready = (each for each in self._connections if each.server.name == server and each.state == "ready")
        return ToolRegistry(_plain_tool(connection, tool) for connection in ready for tool in connection.tools)

    def servers_of_tools(self) -> dict[str, str]:
        """Return the name of the server of each tool in `registry`."""
        return {tool.name: server for server, tool in self._tools_by_server()}

    def states(self) -> tuple[ServerState, ...]:
        """Return the state of each server, in the given order."""
        if self._unusable is not None:
            why = f"cannot be used: {self._unusable.message.rstrip('.')}"
            return tuple(ServerState(s.name, "failed", why=why, hint=self._unusable.hint) for s in self._servers)
        found = []
        for each in self._connections:
            tools, notes = (len(each.tools), each.notes) if each.state == "ready" else (0, ())
            found.append(ServerState(each.server.name, each.state, tools, each.why, each.hint, notes, each.protocol))
        return tuple(found)

    def missing(self) -> list[str]:
        """Return a sentence for each server whose tools are missing, with the reason, for people and models."""
        return [
            f"The tools of {state.name} are missing: it {state.why or 'has not started yet'}."
            for state in self.states()
            if state.state != "ready"
        ]

    def _tools_by_server(self) -> list[tuple[str, Tool]]:
        """Return the tools with their servers."""
        offered: dict[str, tuple[str, Tool]] = {}
        # Built-in servers first: prompts refer to the names of their tools.
        for connection in sorted(self._connections, key=lambda c: c.server.here is None):
            server = connection.server
            for tool in connection.tools if connection.state == "ready" else ():
                name = offered_name("" if server.here is not None else server.name, tool.name, offered)
                offered[name] = server.name, _tool(name, connection, tool)
        return list(offered.values())

    async def _close(self) -> None:
        connections, self._connections = self._connections, ()
        if not connections:
            return
        closing = asyncio.gather(*(connection.close() for connection in connections))
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            # The caller will not wait longer, but processes must not be left behind.
            for connection in connections:
                connection.kill()
            await asyncio.wait({closing}, timeout=1)
            raise


def _connections(servers: tuple[McpServer, ...]) -> tuple[Connection, ...]:
    load()
    from graphwright.tools.mcp._connection import Connection

    return tuple(map(Connection, servers))


def _tool(name: str, connection: Connection, tool: ServerTool) -> Tool:
    from graphwright.tools.mcp._results import findings

    async def call(**arguments: Any) -> Findings:
        result = await connection.call(tool.name, arguments)
        return findings(connection.server, name, tool.title or tool.name, arguments, result)

    return Tool(name, tool.description or tool.title or tool.name, tool.parameters, call, changes=tool.changes)


def _plain_tool(connection: Connection, tool: ServerTool) -> Tool:
    from graphwright.tools.mcp._results import plain_result

    async def call(**arguments: Any) -> Any:
        return plain_result(connection.server, tool.name, await connection.call(tool.name, arguments))

    return Tool(tool.name, tool.description or tool.name, tool.parameters, call, changes=tool.changes)


# The MCP library


def load() -> None:
    """Import fastmcp so that it logs like any library: only if logging is configured.

    By default it prints its log, with tracebacks, to the stderr of the importing program. Raises GraphwrightError
    (`mcp_missing`).
    """
    os.environ.setdefault("FASTMCP_LOG_ENABLED", "false")
    try:
        import_module("fastmcp")
    except ImportError as error:
        raise missing(error) from error
    for name in ("fastmcp", "mcp"):
        logging.getLogger(name).addHandler(logging.NullHandler())


def missing(error: ImportError) -> GraphwrightError:
    """Return the error for a failed import of the library or one of its dependencies (`mcp_missing`)."""
    return GraphwrightError(
        "mcp_missing",
        f"The packages for MCP servers are not installed ({error.name or 'fastmcp'}).",
        install_hint("mcp"),
    )
