"""The connection to one server: connecting, reconnecting, listing its tools, and calling them within limits."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal

import mcp_types
from fastmcp import Client
from fastmcp.client.transports import FastMCPTransport
from mcp import MCPError

from graphwright.errors import GraphwrightError, exception_text
from graphwright.text.markup import one_line
from graphwright.tools.mcp._declarations import Unusable, changes, description, parameters
from graphwright.tools.mcp._settings import McpError, McpServer, reported
from graphwright.tools.mcp._transports import HttpServer, StdioServer

STARTING = 60.0
"""Seconds within which a server must have listed its tools: some are downloaded when they are started."""

MOST_TOOLS = 128
"""Maximum number of tools of one server."""

_MOST_PAGES = 20
_LONGEST_NAME = 200
_SIGN_OF_LIFE = 2.0
_LEAST_BETWEEN_ATTEMPTS = 30.0

State = Literal["starting", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A tool with its name on the server, and with its other texts made safe to show.

    `changes` is whether a call changes anything, according to the server's hints; None if they do not say.
    """

    name: str
    title: str
    description: str
    parameters: Mapping[str, Any]
    changes: bool | None


class Connection:
    """A server and the session with it. If `state` is `failed`, `why` is the reason; `tools` is the last list of tools.

    `notes` describe the tools that cannot be offered.
    """

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self.state: State = "starting"
        self.why = ""
        self.hint = ""
        self.protocol = ""
        self.tools: tuple[ServerTool, ...] = ()
        self.notes: tuple[str, ...] = ()
        self._listed: tuple[list[mcp_types.Tool], list[str]] = [], []
        self._transport: StdioServer | HttpServer | FastMCPTransport | None = None
        self._client: Client[Any] | None = None
        self._opening: asyncio.Task[None] | None = None
        self._in_doubt = False
        self._attempted = 0.0
        self._closed = False

    async def ready(self, within: float) -> bool:
        """Return whether it can be called, after at most `within` seconds. Its start continues in the background."""
        if self.state == "ready" and self._alive():
            return True
        if self._opening is None or self._opening.done():
            self._opening = asyncio.create_task(self._open())
        opening = self._opening
        await asyncio.wait({opening}, timeout=within)
        return opening.done() and self.state == "ready"

    async def refresh(self, within: float) -> None:
        """List its tools again. Reconnect if the connection is lost, but not too often. Never raises."""
        if self.state != "ready" or not self._alive():
            if self.state != "failed" or time.monotonic() - self._attempted > _LEAST_BETWEEN_ATTEMPTS:
                await self.ready(within)
            return
        try:
            async with asyncio.timeout(within):
                await self._list(self._reached())
        except TimeoutError:
            # It may be busy: keep its tools, and check it before the next call.
            self._in_doubt = True
        except Exception as error:
            self._lose(self._failure(error))
            await self.ready(within)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> mcp_types.CallToolResult:
        """Return the answer of the tool, including an error answer. Raises McpError.

        A call that cannot have reached the server is repeated once, in a new session. A call that may have reached it
        is not repeated, since its effect is unknown.
        """
        seconds = self.server.timeout
        try:
            async with asyncio.timeout(seconds):
                client = await self._callable(seconds)
                try:
                    return await self._sent(client, tool, arguments)
                except _NotArrived:
                    self._lose(McpError("mcp_unavailable", self.server.name, "has ended the session"))
                    return await self._sent(await self._callable(seconds), tool, arguments)
        except _NotArrived as error:
            raise error.failure from error
        except TimeoutError as error:
            self._in_doubt = True
            raise McpError(
                "mcp_timeout", self.server.name, f"did not answer {tool} within {seconds:g} s{self._silence()}"
            ) from error

    async def close(self) -> None:
        """Close the session and end the process, if any. The connection cannot be used after that."""
        self._closed = True
        if self._opening is not None and not self._opening.done():
            self._opening.cancel()
            await asyncio.wait({self._opening})
        await self._drop()

    def kill(self) -> None:
        """Kill its process, if any."""
        if isinstance(self._transport, StdioServer):
            self._transport.kill()

    def _alive(self) -> bool:
        over = isinstance(self._transport, StdioServer) and self._transport.over
        return self._client is not None and self._client.is_connected() and not over

    def _reached(self) -> Client[Any]:
        if self._client is None:
            raise McpError("mcp_unavailable", self.server.name, self.why or "is not connected")
        return self._client

    async def _callable(self, seconds: float) -> Client[Any]:
        """Return the client of a live session, a new one if necessary. Raises McpError."""
        if self.state == "ready" and self._alive() and self._in_doubt:
            try:
                async with asyncio.timeout(min(seconds, _SIGN_OF_LIFE)):
                    await self._reached().list_tools_mcp()
            except Exception:
                self._lose(McpError("mcp_unavailable", self.server.name, "gives no sign of life"))
        self._in_doubt = False
        if not await self.ready(seconds):
            raise McpError("mcp_unavailable", self.server.name, self.why or "has not started yet", self.hint)
        return self._reached()

    async def _sent(self, client: Client[Any], tool: str, arguments: Mapping[str, Any]) -> mcp_types.CallToolResult:
        if isinstance(self._transport, HttpServer):
            self._transport.forget()
        try:
            return await client.call_tool_mcp(tool, dict(arguments))
        except TimeoutError:
            raise
        except Exception as error:
            failure = self._failure(error)
            if isinstance(self._transport, HttpServer) and self._transport.refused:
                raise _NotArrived(failure) from error
            raise failure from error

    async def _open(self) -> None:
        if self._closed:
            return
        self.state, self.why, self.hint = "starting", "", ""
        self._attempted = time.monotonic()
        try:
            await self._drop()
            self._transport = self._made()
            client: Client[Any] = Client(
                self._transport,
                init_timeout=STARTING,
                log_handler=_unheard,
                client_info=mcp_types.Implementation(name="graphwright", version=version("graphwright")),
            )
            self._client = client
            async with asyncio.timeout(STARTING):
                await client.__aenter__()  # type: ignore[no-untyped-call]
                await self._list(client)
        except Exception as error:
            failure = error if isinstance(error, McpError) else self._failure(error)
            await self._drop()
            self._lose(failure)
        else:
            self.protocol = client.protocol_version or ""
            self.state = "ready"

    def _made(self) -> StdioServer | HttpServer | FastMCPTransport:
        server = self.server
        if server.here is not None:
            return FastMCPTransport(server.here)
        if server.url:
            return HttpServer(server.url, server.request_headers(), server.timeout)
        return StdioServer(server.command, server.arguments, server.process_environment(), server.folder)

    async def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            # Closing a dead session may raise anything.
            with contextlib.suppress(Exception):
                await client.close()  # type: ignore[no-untyped-call]
        self.kill()

    def _lose(self, failure: McpError) -> None:
        self.state, self.why, self.hint = "failed", failure.why, failure.hint

    async def _list(self, client: Client[Any]) -> None:
        """List the tools of the server."""
        listed: list[mcp_types.Tool] = []
        cursor: str | None = None
        left_out = self._transport.left_out if isinstance(self._transport, StdioServer | HttpServer) else []
        left_out.clear()
        for _ in range(_MOST_PAGES):
            try:
                if self.server.here is not None:
                    listed = [tool.to_mcp_tool(name=tool.name) for tool in await self.server.here.list_tools()]
                    break
                page = await client.list_tools_mcp(cursor=cursor)
            except MCPError as error:
                if error.error.code != mcp_types.METHOD_NOT_FOUND:
                    raise
                break
            listed += page.tools
            cursor = page.next_cursor
            if not cursor or len(listed) > MOST_TOOLS:
                break
        # Most servers list the same tools at every turn, which were already checked.
        if (listed, left_out) != self._listed or not listed:
            self._listed = listed, list(left_out)
            self.tools, notes = _usable(self.server, listed)
            self.notes = (*left_out, *notes)

    def _failure(self, error: BaseException) -> McpError:
        """Convert an exception of the library to an error of the server."""
        name, transport = self.server.name, self._transport
        if isinstance(transport, StdioServer | HttpServer) and transport.failure:
            return McpError("mcp_too_large" if transport.too_large else "mcp_unavailable", name, transport.failure)
        # The library reports that connecting failed; the cause is the chained exception.
        while error.__cause__ is not None and not isinstance(error, MCPError | OSError):
            error = error.__cause__
        if isinstance(error, TimeoutError):
            return McpError("mcp_unavailable", name, f"did not answer within {STARTING:g} s{self._silence()}")
        if isinstance(error, OSError):
            # The missing file is the program, or its working directory.
            what = f": {error.filename}" if error.filename else ""
            why = f"cannot be started: {error.strerror or exception_text(error)}{what}"
            return McpError("mcp_unavailable", name, why, "Is it installed?" if what else "")
        if isinstance(error, MCPError):
            if error.error.code == mcp_types.PARSE_ERROR:
                return McpError(
                    "mcp_unavailable", name, "answered with something that is not a message of the protocol"
                )
            text = reported(error.error.message)
            if error.error.code in (mcp_types.INVALID_PARAMS, mcp_types.METHOD_NOT_FOUND):
                return McpError("mcp_no_tool", name, f"refused the call: {text}")
            return McpError("mcp_unavailable", name, f"answered with an error: {text}")
        if isinstance(error, GraphwrightError):
            return McpError(error.code, name, reported(error.message), error.hint)
        return McpError("mcp_unavailable", name, f"cannot be used: {reported(exception_text(error))}")

    def _silence(self) -> str:
        """Return the last output of a silent server's process to stderr, as a hint on the cause."""
        words = self._transport.last_words if isinstance(self._transport, StdioServer) else ""
        return f" (its last words: {words})" if words else ""


class _NotArrived(Exception):
    """The server cannot have executed the call."""

    def __init__(self, failure: McpError) -> None:
        self.failure = failure


async def _unheard(_: object) -> None:
    """Ignore the log messages of servers."""


def _usable(server: McpServer, listed: list[mcp_types.Tool]) -> tuple[tuple[ServerTool, ...], tuple[str, ...]]:
    """Return the tools that can be offered, and notes on the others."""
    made: dict[str, ServerTool] = {}
    notes = []
    if len(listed) > MOST_TOOLS:
        notes.append(f"offers more than {MOST_TOOLS} tools; the others are left out")
    for tool in listed[:MOST_TOOLS]:
        shown = one_line(tool.name, 80)
        if server.tools and tool.name not in server.tools:
            continue
        if len(tool.name) > _LONGEST_NAME or tool.name in made:
            notes.append(f"{shown} is omitted: its name is there twice, or is too long")
            continue
        try:
            arguments = parameters(tool.input_schema)
        except Unusable as error:
            notes.append(f"{shown} is left out: {error}")
            continue
        made[tool.name] = ServerTool(
            tool.name,
            one_line(tool.title or "", 80),
            description(tool.description),
            arguments,
            changes(tool.annotations),
        )
    there = {tool.name for tool in listed}
    notes += [f"does not offer {name}, which `tools` names" for name in server.tools if name not in there]
    return tuple(made.values()), tuple(notes)
