"""One call over HTTP: what is sent, what is tried again, which redirects are followed, and what an answer means."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import ssl
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import httpx

from graphwright.agents.upgrade.client import failures
from graphwright.agents.upgrade.client.failures import BadAnswer, Invalid, Redirected, UpgradeError
from graphwright.agents.upgrade.client.tokens import Token
from graphwright.errors import HIDDEN, redact, said

MOST_SENT = 5_000_000
"""The bytes of a body that a server of UpGrade takes; a little less than its 5 MB."""

MOST_READ = 64 * 1024 * 1024
"""The bytes of an answer that are read."""

LONG = 6.0
"""How many times the usual limit a call with a whole experiment may take: servers need long for many members."""

_CONNECT_SECONDS = 5.0
_PAUSES = (0.1, 0.4)
_MOST_REDIRECTS = 3
_BUSY = (429, 502, 503, 504)


@dataclass(frozen=True, slots=True)
class Call:
    """What is asked. `path` begins after `/api`; `user` is the user of a client route, None on admin routes.

    A call that `writes` is sent once: it is tried again only where surely nothing of it was seen by the server. One
    that is `long` may take `LONG` times as long as others.
    """

    method: str
    path: str
    body: Any = None
    writes: bool = False
    user: str | None = None
    long: bool = False

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.method} /api{self.path}"


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: httpx.Headers
    content: bytes


class _Passing(Exception):
    """A failure after which the call may be sent again, and the error that it is when it stays."""

    def __init__(self, error: UpgradeError) -> None:
        self.error = error


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """What servers are trusted by. Reading it takes longer than a call does, and clients come and go."""
    return httpx.create_ssl_context()


class Wire:
    """Sends calls to one server. `where` is what messages call it; `seconds` is what a usual call may take in all.

    With a `patience`, a call may take no longer than that from the first one that was not answered in time to the next
    one that is.
    """

    def __init__(
        self,
        base: str,
        where: str,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        admin: Token | None = None,
        client: Token | None = None,
        seconds: float = 30.0,
        patience: float | None = None,
    ) -> None:
        self.where = where
        self._base = base
        self._admin, self._client = admin, client
        self._seconds = seconds
        self._patience = seconds if patience is None else min(patience, seconds)
        self._silent = False
        self._secrets: set[str] = set()
        # Redirects are followed by hand, and only where the token may go.
        self._http = httpx.AsyncClient(
            transport=transport,
            verify=_certificates() if transport is None else True,
            follow_redirects=False,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def send(self, call: Call) -> Any:
        """The JSON that answers the call. Raises UpgradeError; `call.body` must be JSON."""
        content = _encoded(call)
        seconds = self._patience if self._silent else self._limit(call)
        try:
            async with asyncio.timeout(seconds):
                answer = await self._persistently(call, content)
        except TimeoutError:
            self._silent = True
            raise failures.timed_out(seconds, call=call.name, where=self.where, writes=call.writes) from None
        self._silent = False
        return self._read(call, answer)

    def _limit(self, call: Call) -> float:
        return self._seconds * LONG if call.long else self._seconds

    async def _persistently(self, call: Call, content: bytes | None) -> _Answer:
        for pause in _PAUSES:
            try:
                return await self._signed_in(call, content)
            except _Passing:
                await asyncio.sleep(pause)
        try:
            return await self._signed_in(call, content)
        except _Passing as last:
            raise last.error from last.__cause__

    async def _signed_in(self, call: Call, content: bytes | None) -> _Answer:
        answer = await self._redirected(call, content, await self._headers(call, renew=False))
        token = self._token(call)
        if answer.status == 401 and token is not None and token.renews:
            # It may have expired on its way, or been revoked; what is refused was not performed.
            answer = await self._redirected(call, content, await self._headers(call, renew=True))
        if answer.status in _BUSY and not call.writes:
            raise _Passing(self._refusal(call, answer))
        return answer

    async def _redirected(self, call: Call, content: bytes | None, headers: list[tuple[bytes, bytes]]) -> _Answer:
        url = httpx.URL(self._base + call.path)
        home = _origin(url)
        for _ in range(_MOST_REDIRECTS + 1):
            answer = await self._once(call, url, content, headers)
            if answer.status not in (301, 302, 303, 307, 308):
                return answer
            try:
                url = url.join(answer.headers.get("location", ""))
            except httpx.InvalidURL:
                raise self._elsewhere(call, answer.status, "to no usable address") from None
            if _origin(url) != home:
                raise self._elsewhere(call, answer.status, f"to {url.scheme}://{url.netloc.decode('ascii', 'replace')}")
            if call.method != "GET" and answer.status not in (307, 308):
                raise self._elsewhere(call, answer.status, "in a way that would lose what was sent")
        raise self._elsewhere(call, answer.status, "in a circle")

    async def _once(
        self, call: Call, url: httpx.URL, content: bytes | None, headers: list[tuple[bytes, bytes]]
    ) -> _Answer:
        limit = self._limit(call)
        timeout = httpx.Timeout(limit, connect=min(limit, _CONNECT_SECONDS))
        request = self._http.build_request(call.method, url, content=content, headers=headers, timeout=timeout)
        try:
            response = await self._http.send(request, stream=True)
            try:
                return _Answer(response.status_code, response.headers, await self._content(call, response))
            finally:
                await response.aclose()
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError) as error:
            raise _Passing(failures.unreachable(self._hide(_reason(error)), where=self.where)) from error
        except httpx.TimeoutException as error:
            raise TimeoutError from error
        except (httpx.TransportError, httpx.StreamError) as error:
            broken = failures.cut_short(self._hide(said(error)), call=call.name, where=self.where, writes=call.writes)
            raise broken if call.writes else _Passing(broken) from error
        except httpx.DecodingError as error:
            raise self._unreadable(call, "it is packed in a way that cannot be unpacked") from error

    async def _content(self, call: Call, response: httpx.Response) -> bytes:
        parts, size = [], 0
        async for part in response.aiter_bytes():
            size += len(part)
            if size > MOST_READ:
                raise self._unreadable(call, f"more than {MOST_READ // 1024 // 1024} MB")
            parts.append(part)
        return b"".join(parts)

    async def _headers(self, call: Call, *, renew: bool) -> list[tuple[bytes, bytes]]:
        headers = [(b"Accept", b"application/json")]
        if call.body is not None:
            headers.append((b"Content-Type", b"application/json"))
        if call.user is not None:
            headers.append((b"User-Id", _user_header(call.user)))
        token = self._token(call)
        if token is not None:
            value = await token.value(renew=renew)
            self._secrets.add(value)
            headers.append((b"Authorization", b"Bearer " + value.encode("ascii", "replace")))
        return headers

    def _token(self, call: Call) -> Token | None:
        # The health of a server is open to all, and its answer decides whom we talk to.
        if not call.path:
            return None
        return self._admin if call.user is None else self._client

    def _read(self, call: Call, answer: _Answer) -> Any:
        if answer.status >= 400:
            raise self._refusal(call, answer)
        data = failures.parsed(answer.content)
        if data is None and answer.content.strip() != b"null":
            kind = answer.headers.get("content-type", "").partition(";")[0].strip()
            what = "HTML" if "html" in kind else f"{redact(kind)[:60]}" if kind and "json" not in kind else "no JSON"
            raise self._unreadable(call, what, "not_upgrade", answer.status)
        return data

    def _refusal(self, call: Call, answer: _Answer) -> UpgradeError:
        return failures.refused(
            answer.status,
            failures.parsed(answer.content),
            call=call.name,
            where=self.where,
            writes=call.writes,
            user=call.user,
            signed_in=self._token(call) is not None,
            hide=self._hide,
        )

    def _unreadable(self, call: Call, why: str, code: str = "bad_answer", status: int = 0) -> BadAnswer:
        return failures.bad_answer(why, call=call.name, where=self.where, writes=call.writes, code=code, status=status)

    def _elsewhere(self, call: Call, status: int, how: str) -> Redirected:
        message = f"{self.where} sends {call.name} on {how}, where it is not followed."
        return Redirected(
            "redirected", message, "Set UPGRADE_API_URL to the address that answers itself.", status=status
        )

    def _hide(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text


def _reason(error: Exception) -> str:
    """Why there is no connection: what the system said, below what the layers above made of it."""
    if isinstance(error, httpx.TimeoutException):
        return "no connection within a few seconds"
    below: BaseException | None = error
    for _ in range(10):
        if isinstance(below, OSError) and below.errno:
            # Names and certificates have numbers of their own.
            has_own = isinstance(below, ssl.SSLError | socket.gaierror)
            return str(below.strerror) if has_own else os.strerror(below.errno)
        if isinstance(below, BaseExceptionGroup):
            below = below.exceptions[0]
        else:
            below = below and (below.__cause__ or below.__context__)
    return said(error)


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme)


def _encoded(call: Call) -> bytes | None:
    if call.body is None:
        return None
    try:
        content = json.dumps(call.body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (ValueError, UnicodeError) as error:
        raise Invalid("invalid", f"what {call.name} would send cannot be written as JSON: {said(error)}") from None
    if len(content) > MOST_SENT:
        size = f"{len(content) / 1e6:.1f} MB"
        message = f"{call.name} would send {size}, and a server of UpGrade takes 5 MB."
        raise Invalid("too_large", message, "Send less at once, such as a list in several parts.")
    return content


def _user_header(user: str) -> bytes:
    hint = "UpGrade takes the id of a user as a header of HTTP: Western letters, digits and signs."
    if not user or user != user.strip() or not user.isprintable():
        raise Invalid("bad_id", f"{user!r} cannot be the id of a user.", hint)
    try:
        # What servers read headers as; ASCII stays ASCII.
        return user.encode("latin-1")
    except UnicodeEncodeError:
        raise Invalid("bad_id", f"{user!r} cannot be sent as the id of a user.", hint) from None
