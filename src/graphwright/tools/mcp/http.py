"""Servers reached over streamable HTTP: no answer without a bound, and nothing sent elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx2
from fastmcp.client.transports import ClientTransport
from fastmcp.client.transports.base import TransportOptions
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from graphwright.errors import said
from graphwright.tools.mcp.errors import reported
from graphwright.tools.mcp.stdio import MOST_MESSAGE, UncheckedSession

_CONNECTING = 10.0


class HttpServer(ClientTransport):
    """A transport of fastmcp's `Client` to one address. Redirects are followed only to where the address is, too."""

    def __init__(self, url: str, headers: Mapping[str, str], patience: float) -> None:
        self._url = url
        # What is packed small can be large: it would be unpacked before it is counted.
        self._headers = {**headers, "Accept-Encoding": "identity"}
        self._patience = patience
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
            options.session_class(read, write, **session_kwargs) as session,
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
