"""How servers are reached: processes of ours, heard within limits and never left behind, and streamable HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextvars import Context
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types
from fastmcp.client.transports import ClientTransport
from fastmcp.client.transports.base import TransportOptions
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from graphwright.errors import said
from graphwright.tools.mcp.declarations import well_formed
from graphwright.tools.mcp.settings import reported

MOST_MESSAGE = 8 * 2**20
"""Bytes of one message of a server. It is not read on beyond that."""

_GRACE = 1.0
"""Seconds for a server to end once its input is closed, and again once it was asked to by a signal."""

_GLANCE, _WATCH = 0.01, 0.2
_CHUNK = 2**16
_CONNECTING = 10.0


class StdioServer(ClientTransport):
    """A transport of fastmcp's `Client`: one process, for as long as one session. It can be connected anew.

    `failure` says why the process can no longer be heard, empty while it can. `left_out` says which declarations of
    tools were dropped or changed.
    """

    def __init__(self, command: str, arguments: tuple[str, ...], environment: Mapping[str, str], folder: Path | None):
        self._command = command
        self._arguments = arguments
        self._environment = dict(environment)
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        self._words: deque[bytes] = deque(maxlen=8)
        self._silent = anyio.Event()
        self.failure = ""
        self.too_large = False
        self.left_out: list[str] = []

    @contextlib.asynccontextmanager
    async def connect_session(
        self, *, transport_options: TransportOptions | None = None, **session_kwargs: Any
    ) -> AsyncIterator[ClientSession]:
        """Start the process, and end it afterwards with all that it started. Raises OSError when it cannot start."""
        options = transport_options or TransportOptions(UncheckedSession)
        self.failure, self.too_large = "", False
        self._words.clear()
        self._silent = anyio.Event()
        self._process = process = await asyncio.create_subprocess_exec(
            self._command,
            *self._arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self._environment,
            cwd=self._folder,
            # A group of its own: signals of our terminal are not for it, and ours reach whatever it starts.
            start_new_session=True,
        )
        try:
            incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._hear, process, incoming)
                tasks.start_soon(self._say, process, outgoing)
                tasks.start_soon(self._listen_to_errors, process)
                tasks.start_soon(_sweep, process)
                try:
                    heard = _ToolLists(read, self.left_out)
                    async with options.session_class(heard, write, **session_kwargs) as session:
                        yield session
                finally:
                    tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await self._end(process)

    def kill(self) -> None:
        """End the process and all that it started, at once."""
        if self._process is not None:
            _signal(self._process, "SIGKILL")

    @property
    def over(self) -> bool:
        """Whether its process has ended, or cannot be heard any more."""
        if self._process is None or self.failure or self._process.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return False
        # The event loop hears of an end later than it happens, and a call made meanwhile would be lost.
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    @property
    def last_words(self) -> str:
        """The end of what it wrote to its standard error, on one line; empty when it wrote nothing."""
        return reported(b"".join(self._words)[-500:].decode("utf-8", "replace").lstrip("\ufffd"))

    async def _hear(
        self, process: asyncio.subprocess.Process, incoming: anyio.abc.ObjectSendStream[SessionMessage | Exception]
    ) -> None:
        """Hand on its messages until it ends. Lines that are no messages (many servers greet) are passed over."""
        assert process.stdout is not None
        waiting = bytearray()
        async with incoming:
            while chunk := await process.stdout.read(_CHUNK):
                first, newline, rest = chunk.partition(b"\n")
                waiting += first
                if len(waiting) > MOST_MESSAGE:
                    self.too_large = True
                    self.failure = f"answered with more than {MOST_MESSAGE // 2**20} MB and was stopped"
                    _signal(process, "SIGKILL")
                    return
                while newline:
                    message = _message(bytes(waiting))
                    if message is not None:
                        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                            await incoming.send(SessionMessage(message))
                    line, newline, rest = rest.partition(b"\n")
                    waiting = bytearray(line)
            self.failure = await self._farewell(process)

    async def _farewell(self, process: asyncio.subprocess.Process) -> str:
        await _ended(process)
        with anyio.move_on_after(_GRACE):
            await self._silent.wait()
        code = process.returncode
        if code is None:
            how = "closed its output"
        elif code < 0:
            how = f"was killed ({signal.Signals(-code).name})"
        else:
            how = f"ended with exit code {code}"
        return f"{how}: {self.last_words}" if self.last_words else how

    async def _say(
        self, process: asyncio.subprocess.Process, outgoing: anyio.abc.ObjectReceiveStream[SessionMessage]
    ) -> None:
        assert process.stdin is not None
        async with outgoing:
            async for message in outgoing:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                # A process that has ended is noticed where it is heard.
                with contextlib.suppress(OSError):
                    process.stdin.write(text.encode("utf-8", "replace") + b"\n")
                    await process.stdin.drain()

    async def _listen_to_errors(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while chunk := await process.stderr.read(_CHUNK):
            self._words.append(chunk[-2_000:])
        self._silent.set()

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """Close its input, ask it to end, end it: each only when the step before was not enough."""
        assert process.stdin is not None
        process.stdin.close()
        for name in ("", "SIGTERM", "SIGKILL"):
            if name:
                _signal(process, name)
            if await _ended(process):
                break
        # What it started may have outlived it.
        _signal(process, "SIGKILL")
        transport = getattr(process, "_transport", None)
        if transport is not None:
            transport.close()
        self._process = None


class UncheckedSession(ClientSession):
    """A session that takes results as they come: they are untrusted, and are bounded and normalised by us.

    Held against the schema that the server itself declares they cost time without any limit, and prove nothing.
    """

    async def validate_tool_result(self, name: str, result: mcp_types.CallToolResult) -> None:
        """Nothing."""


class _ToolLists(anyio.abc.ObjectReceiveStream[SessionMessage | Exception]):
    """The messages of a server, with its lists of tools made well-formed.

    The library refuses a whole list because of one malformed tool. `left_out` collects what was dropped.
    """

    def __init__(self, messages: Any, left_out: list[str]) -> None:
        self._messages = messages
        self._left_out = left_out

    @property
    def last_context(self) -> Context | None:
        """The context of the sender, which the library reads from its own streams."""
        return getattr(self._messages, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        message: SessionMessage | Exception = await self._messages.receive()
        answer = message.message if isinstance(message, SessionMessage) else None
        if isinstance(answer, mcp_types.JSONRPCResponse) and isinstance(answer.result.get("tools"), list):
            answer.result["tools"], notes = well_formed(answer.result["tools"])
            self._left_out += notes
        return message

    async def aclose(self) -> None:
        await self._messages.aclose()


def _message(line: bytes) -> mcp_types.JSONRPCMessage | None:
    try:
        found: mcp_types.JSONRPCMessage = mcp_types.jsonrpc_message_adapter.validate_json(
            line.decode("utf-8", "replace"), by_name=False
        )
    # Numbers and nesting beyond what a parser takes fail in ways of their own.
    except (ValueError, RecursionError):
        return None
    return found


async def _sweep(process: asyncio.subprocess.Process) -> None:
    """Once it has ended, end what it started: while that holds its output open nobody hears that it has ended."""
    while not await _ended(process, _WATCH):
        pass
    _signal(process, "SIGKILL")


async def _ended(process: asyncio.subprocess.Process, every: float = _GLANCE) -> bool:
    """Whether it has ended, at the latest after the grace.

    `Process.wait` would wait for its output as well, which something that it started may hold open.
    """
    for _ in range(round(_GRACE / every)):
        if process.returncode is not None:
            return True
        await anyio.sleep(every)
    return process.returncode is not None


def _signal(process: asyncio.subprocess.Process, name: str) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, getattr(signal, name))


# Over HTTP: no answer without a bound, and nothing sent elsewhere


class HttpServer(ClientTransport):
    """A transport of fastmcp's `Client` to one address. Redirects are followed only to where the address is, too."""

    def __init__(self, url: str, headers: Mapping[str, str], patience: float) -> None:
        self._url = url
        # What is packed small can be large: it would be unpacked before it is counted.
        self._headers = {**headers, "Accept-Encoding": "identity"}
        self._patience = patience
        self.left_out: list[str] = []
        self.forget()

    def forget(self) -> None:
        """Begin anew with what went wrong: `failure`, and whether a request was `refused` or never arrived."""
        self.failure = ""
        self.refused = False
        self.too_large = False

    @contextlib.asynccontextmanager
    async def connect_session(
        self, *, transport_options: TransportOptions | None = None, **session_kwargs: Any
    ) -> AsyncIterator[ClientSession]:
        """A session over connections of its own."""
        options = transport_options or TransportOptions(UncheckedSession)
        self.forget()
        async with (
            httpx2.AsyncClient(
                headers=self._headers,
                timeout=httpx2.Timeout(_CONNECTING, read=self._patience + _CONNECTING),
                transport=_Bounded(self),
            ) as client,
            streamable_http_client(self._url, http_client=client, max_sse_event_size=MOST_MESSAGE) as (read, write),
            options.session_class(_ToolLists(read, self.left_out), write, **session_kwargs) as session,
        ):
            yield session


class _Bounded(httpx2.AsyncHTTPTransport):
    """Answers of at most `MOST_MESSAGE` bytes, and a note of what failed."""

    def __init__(self, server: HttpServer) -> None:
        super().__init__()
        self._server = server

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            response = await super().handle_async_request(request)
        except httpx2.TransportError as error:
            self._server.failure = f"cannot be reached at {request.url}: {reported(said(error))}"
            self._server.refused = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
            raise
        if request.method == "POST" and response.status_code >= 400:
            self._server.failure = f"answered with HTTP status {response.status_code}"
            # A server that was started anew knows nothing of the session.
            self._server.refused = response.status_code in (400, 404)
        response.headers.pop("content-encoding", None)
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _Counted(response.stream, self._server)
        return response


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, server: HttpServer) -> None:
        self._stream = stream
        self._server = server

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = 0
        async for chunk in self._stream:
            count += len(chunk)
            if count > MOST_MESSAGE:
                self._server.failure = f"answered with more than {MOST_MESSAGE // 2**20} MB"
                self._server.too_large = True
                raise httpx2.StreamError(self._server.failure)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
