"""Transports to servers: child processes with limits that always end, and streamable HTTP."""

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

from graphwright.errors import exception_text
from graphwright.tools.mcp._declarations import well_formed
from graphwright.tools.mcp._settings import reported

MOST_MESSAGE = 8 * 2**20
"""Maximum size of one message of a server, in bytes. Larger ones are not read."""

_GRACE = 1.0
"""Seconds for a server to end after its input was closed, and again after a signal."""

_GLANCE, _WATCH = 0.01, 0.2
_CHUNK = 2**16
_CONNECTING = 10.0


class StdioServer(ClientTransport):
    """A transport of fastmcp's `Client`: one process per session. It can be connected again.

    `failure` is the reason why the process can no longer be read, or empty. `left_out` lists tool declarations that
    were dropped or changed.
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
        """Start the process, and end it afterwards with all its descendants. Raises OSError if it cannot start."""
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
            # Its own process group: it gets no signals from our terminal, and our signals also reach its children.
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
        """Kill the process and all its descendants."""
        if self._process is not None:
            _signal(self._process, "SIGKILL")

    @property
    def over(self) -> bool:
        """Whether its process has ended, or cannot be read any more."""
        if self._process is None or self.failure or self._process.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return False
        # The event loop notices an end with a delay, and a call in between would be lost.
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    @property
    def last_words(self) -> str:
        """The end of its output to stderr, on one line; may be empty."""
        return reported(b"".join(self._words)[-500:].decode("utf-8", "replace").lstrip("\ufffd"))

    async def _hear(
        self, process: asyncio.subprocess.Process, incoming: anyio.abc.ObjectSendStream[SessionMessage | Exception]
    ) -> None:
        """Forward its messages until it ends. Lines that are not messages, such as greetings, are skipped."""
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
                # The reader notices that a process has ended.
                with contextlib.suppress(OSError):
                    process.stdin.write(text.encode("utf-8", "replace") + b"\n")
                    await process.stdin.drain()

    async def _listen_to_errors(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while chunk := await process.stderr.read(_CHUNK):
            self._words.append(chunk[-2_000:])
        self._silent.set()

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """End the process: close its input, then send SIGTERM, then SIGKILL, as far as necessary."""
        assert process.stdin is not None
        process.stdin.close()
        for name in ("", "SIGTERM", "SIGKILL"):
            if name:
                _signal(process, name)
            if await _ended(process):
                break
        # Its children may have outlived it.
        _signal(process, "SIGKILL")
        transport = getattr(process, "_transport", None)
        if transport is not None:
            transport.close()
        self._process = None


class UncheckedSession(ClientSession):
    """A session that does not validate results: they are untrusted, and checked and normalized here anyway.

    Validation against the schema that the server itself declares takes unlimited time, and proves nothing.
    """

    async def validate_tool_result(self, name: str, result: mcp_types.CallToolResult) -> None:
        """Skip the validation."""


class _ToolLists(anyio.abc.ObjectReceiveStream[SessionMessage | Exception]):
    """The messages of a server, with well-formed lists of tools.

    The library refuses a whole list because of one malformed tool. `left_out` collects notes on dropped tools.
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
    # Numbers and nesting beyond the limits of the parser raise other exceptions.
    except (ValueError, RecursionError):
        return None
    return found


async def _sweep(process: asyncio.subprocess.Process) -> None:
    """Kill its descendants after it has ended: they may keep its output open, which would hide the end."""
    while not await _ended(process, _WATCH):
        pass
    _signal(process, "SIGKILL")


async def _ended(process: asyncio.subprocess.Process, every: float = _GLANCE) -> bool:
    """Return whether the process ends within `_GRACE` seconds.

    `Process.wait` would also wait for its output, which a descendant may keep open.
    """
    for _ in range(round(_GRACE / every)):
        if process.returncode is not None:
            return True
        await anyio.sleep(every)
    return process.returncode is not None


def _signal(process: asyncio.subprocess.Process, name: str) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, getattr(signal, name))


# HTTP: bounded responses, no redirects to other origins


class HttpServer(ClientTransport):
    """A transport of fastmcp's `Client` to one address. Redirects are only followed within the same origin."""

    def __init__(self, url: str, headers: Mapping[str, str], timeout: float) -> None:
        self._url = url
        # No compression: a small compressed response could be huge, and is decompressed before it is counted.
        self._headers = {**headers, "Accept-Encoding": "identity"}
        self._timeout = timeout
        self.left_out: list[str] = []
        self.forget()

    def forget(self) -> None:
        """Reset the last error: `failure`, and whether a request was `refused` or never arrived."""
        self.failure = ""
        self.refused = False
        self.too_large = False

    @contextlib.asynccontextmanager
    async def connect_session(
        self, *, transport_options: TransportOptions | None = None, **session_kwargs: Any
    ) -> AsyncIterator[ClientSession]:
        """Open a session with its own connections."""
        options = transport_options or TransportOptions(UncheckedSession)
        self.forget()
        async with (
            httpx2.AsyncClient(
                headers=self._headers,
                timeout=httpx2.Timeout(_CONNECTING, read=self._timeout + _CONNECTING),
                transport=_Bounded(self),
            ) as client,
            streamable_http_client(self._url, http_client=client, max_sse_event_size=MOST_MESSAGE) as (read, write),
            options.session_class(_ToolLists(read, self.left_out), write, **session_kwargs) as session,
        ):
            yield session


class _Bounded(httpx2.AsyncHTTPTransport):
    """Limits responses to `MOST_MESSAGE` bytes, and records failures."""

    def __init__(self, server: HttpServer) -> None:
        super().__init__()
        self._server = server

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            response = await super().handle_async_request(request)
        except httpx2.TransportError as error:
            self._server.failure = f"cannot be reached at {request.url}: {reported(exception_text(error))}"
            self._server.refused = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
            raise
        if request.method == "POST" and response.status_code >= 400:
            self._server.failure = f"answered with HTTP status {response.status_code}"
            # A restarted server does not know the session.
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
