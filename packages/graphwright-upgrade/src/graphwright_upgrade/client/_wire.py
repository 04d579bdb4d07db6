"""One HTTP call to an UpGrade server: retries, time limits, and the error that a refusal means."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import httpx

from graphwright.errors import HIDDEN, exception_text
from graphwright_upgrade.client._failures import (
    BadAnswer,
    Invalid,
    NotFound,
    Redirected,
    ServerFailed,
    TimedOut,
    Unauthorized,
    Unreachable,
    UpgradeError,
)
from graphwright_upgrade.client._settings import Token

MOST_SENT = 5_000_000
"""The bytes of a body that a server of UpGrade takes; a little less than its 5 MB."""

MOST_READ = 64 * 1024 * 1024
"""The bytes of an answer that are read."""

LONG = 6.0
"""How many times the usual limit a call with a whole experiment may take: servers need long for many members."""

_CONNECT_SECONDS = 5.0
_PAUSES = (0.1, 0.4)
_BUSY = (429, 502, 503, 504)
_MOST_SAID = 300
_UNKNOWN_LIST = re.compile(r"Segment with ID \S+ not found")

_ADMIN_TOKEN = (
    "UPGRADE_SERVICE_ACCOUNT names the file of a Google service account, or UPGRADE_AUTH_TOKEN is a ready token, which "
    "may have expired: set the one that the server accepts."
)
_UNREACHABLE = (
    "Is it running, is its certificate trusted (SSL_CERT_FILE)? Check UPGRADE_API_URL, or unset it to work with the "
    "local service."
)
_CLIENT_TOKEN = "Set UPGRADE_CLIENT_API_KEY and UPGRADE_CLIENT_API_SECRET to those of the server."


@dataclass(frozen=True, slots=True)
class Call:
    """A request. `path` begins after `/api`; `user` is the user of a client route, None on admin routes.

    A request that `writes` is retried only if the server certainly did not receive it. A `long` request may take `LONG`
    times as long as others.
    """

    method: str
    path: str
    body: Any = None
    writes: bool = False
    user: str | None = None
    long: bool = False

    @property
    def name(self) -> str:
        """The name in messages."""
        return f"{self.method} /api{self.path}"

    @property
    def done(self) -> bool | None:
        """Whether it was performed if no usable answer came: certainly not, or None for unknown."""
        return None if self.writes else False

    def hint(self, otherwise: str) -> str:
        """Advice for an unknown outcome."""
        return "It is not known whether it was done: look before trying again." if self.writes else otherwise


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: httpx.Headers
    content: bytes


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """The trusted certificates, cached because reading them takes longer than a request."""
    return httpx.create_ssl_context()


class Wire:
    """Sends calls to one server. `where` is what messages call it; `seconds` is what a usual call may take in all."""

    def __init__(
        self,
        base: str,
        where: str,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        admin: Token | None = None,
        client: Token | None = None,
        seconds: float = 30.0,
    ) -> None:
        self.where = where
        self._base = base
        self._admin, self._client = admin, client
        self._seconds = seconds
        self._secrets: set[str] = set()
        self._http = httpx.AsyncClient(transport=transport, verify=_certificates() if transport is None else True)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def send(self, call: Call) -> Any:
        """The JSON that answers the call. Raises UpgradeError; `call.body` must be JSON."""
        content = _encoded(call)
        seconds = self._limit(call)
        try:
            async with asyncio.timeout(seconds):
                answer = await self._persistently(call, content)
        except TimeoutError:
            message = f"{self.where} did not answer {call.name} within {seconds:g} seconds."
            raise TimedOut("timed_out", message, call.hint("Try again."), done=call.done) from None
        return self._read(call, answer)

    def _limit(self, call: Call) -> float:
        return self._seconds * LONG if call.long else self._seconds

    async def _persistently(self, call: Call, content: bytes | None) -> _Answer:
        for pause in (*_PAUSES, None):
            try:
                return await self._signed_in(call, content)
            except (Unreachable, ServerFailed, BadAnswer) as error:
                again = not call.writes and error.code in ("unavailable", "cut_short")
                if pause is None or not (again or isinstance(error, Unreachable)):
                    raise
                await asyncio.sleep(pause)
        raise AssertionError

    async def _signed_in(self, call: Call, content: bytes | None) -> _Answer:
        answer = await self._once(call, content, await self._headers(call, renew=False))
        token = self._token(call)
        if answer.status == 401 and token is not None and token.renews:
            # It may have expired on its way, or been revoked; what is refused was not performed.
            answer = await self._once(call, content, await self._headers(call, renew=True))
        if 300 <= answer.status < 400:
            # A token goes to no other address, and no secret in one is shown.
            elsewhere = answer.headers.get("location", "").partition("?")[0][:_MOST_SAID] or "nowhere"
            message = f"{self.where} sends {call.name} on to {elsewhere}, where it is not followed."
            hint = "Set UPGRADE_API_URL to the address that answers itself."
            raise Redirected("redirected", message, hint, status=answer.status)
        if answer.status >= 400:
            raise self._refusal(call, answer)
        return answer

    async def _once(self, call: Call, content: bytes | None, headers: list[tuple[bytes, bytes]]) -> _Answer:
        limit = self._limit(call)
        timeout = httpx.Timeout(limit, connect=min(limit, _CONNECT_SECONDS))
        url = self._base + call.path
        request = self._http.build_request(call.method, url, content=content, headers=headers, timeout=timeout)
        try:
            response = await self._http.send(request, stream=True)
            try:
                return _Answer(response.status_code, response.headers, await self._content(call, response))
            finally:
                await response.aclose()
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError) as error:
            message = f"{self.where} cannot be reached: {self._hide(_reason(error))}."
            raise Unreachable("unreachable", message, _UNREACHABLE) from error
        except httpx.TimeoutException as error:
            raise TimeoutError from error
        except (httpx.TransportError, httpx.StreamError) as error:
            message = f"The answer of {self.where} to {call.name} was cut short: {self._hide(exception_text(error))}."
            raise BadAnswer("cut_short", message, call.hint("Try again."), done=call.done) from error
        except httpx.DecodingError as error:
            raise self.bad_answer(call, "it is packed in a way that cannot be unpacked") from error

    async def _content(self, call: Call, response: httpx.Response) -> bytes:
        parts, size = [], 0
        async for part in response.aiter_bytes():
            size += len(part)
            if size > MOST_READ:
                raise self.bad_answer(call, f"more than {MOST_READ // 1024 // 1024} MB")
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
        data = _parsed(answer.content)
        if data is None and answer.content.strip() != b"null":
            what = "HTML" if "html" in answer.headers.get("content-type", "") else "no JSON"
            raise self.bad_answer(call, what, "not_upgrade", answer.status)
        return data

    def bad_answer(self, call: Call, why: str, code: str = "bad_answer", status: int = 0) -> BadAnswer:
        """The error of an answer that cannot be read."""
        message = f"{self.where} answered {call.name} with something that is not a response of UpGrade: {why}."
        hint = call.hint("Check UPGRADE_API_URL, and that its version is 6.0 or later.")
        return BadAnswer(code, message, hint, status=status, done=call.done)

    def _refusal(self, call: Call, answer: _Answer) -> UpgradeError:
        """The error that a status of 400 or above means. The request, which the server echoes, is never shown."""
        where = self.where
        status, body = _unwrapped(answer.status, _parsed(answer.content))
        reason, kind = self._hide(_reason_of(body)), body.get("type") if isinstance(body, dict) else None
        ends = f": {reason.rstrip('.!')}" if reason else ""
        if status in (401, 403):
            hint = _ADMIN_TOKEN if call.user is None else _CLIENT_TOKEN
            return Unauthorized("auth", f"{where} does not allow {call.name} ({status}){ends}.", hint, status=status)
        if kind == "Experiment user not defined" or reason.startswith("User not found"):
            hint = "Initialise the user first, as an app does before it asks for anything."
            return NotFound("unknown_user", f"{where} does not know the user {call.user}.", hint, status=status)
        if status == 404 and not isinstance(body, dict):
            message = f"{where} has no {call.name}: it is not an UpGrade server, or the address is wrong."
            return BadAnswer("not_upgrade", message, "Check UPGRADE_API_URL.", status=status)
        if status == 404 or _UNKNOWN_LIST.search(reason):
            return NotFound("not_found", f"{where} found nothing for {call.name}{ends}.", status=status)
        if (status < 500 and status not in _BUSY) or kind == "Condition not found":
            code = "unknown_context" if reason.startswith("Invalid app context") else "invalid"
            return Invalid(code, f"{where} refuses {call.name} ({status}){ends}.", status=status)
        code = "unavailable" if status in _BUSY else "server_error"
        hint = call.hint("Try again." if status in _BUSY else "Its log says why.")
        message = f"{where} failed at {call.name} ({status}){ends}."
        return ServerFailed(code, message, hint, status=status, done=call.done)

    def _hide(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text


def _reason(error: Exception) -> str:
    """The system's reason for a failed connection, below the errors of the layers above."""
    if isinstance(error, httpx.TimeoutException):
        return "no connection within a few seconds"
    below: BaseException | None = error
    for _ in range(10):
        if isinstance(below, OSError) and below.errno:
            # Errors of name resolution and of certificates have separate numbers.
            has_own = isinstance(below, ssl.SSLError | socket.gaierror)
            return str(below.strerror) if has_own else os.strerror(below.errno)
        if isinstance(below, BaseExceptionGroup):
            below = below.exceptions[0]
        else:
            below = below and (below.__cause__ or below.__context__)
    return exception_text(error)


def _encoded(call: Call) -> bytes | None:
    if call.body is None:
        return None
    try:
        content = json.dumps(call.body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (ValueError, UnicodeError) as error:
        raise Invalid(
            "invalid", f"The body of {call.name} cannot be written as JSON: {exception_text(error)}."
        ) from None
    if len(content) > MOST_SENT:
        size = f"{len(content) / 1e6:.1f} MB"
        message = f"{call.name} would send {size}, and a server of UpGrade takes 5 MB."
        raise Invalid("too_large", message, "Send less at once, such as a list in several parts.")
    return content


def _user_header(user: str) -> bytes:
    if user and user == user.strip() and user.isprintable():
        # The encoding in which servers read headers; ASCII is unchanged.
        with suppress(UnicodeEncodeError):
            return user.encode("latin-1")
    hint = "UpGrade takes the id of a user as a header of HTTP: Western letters, digits and signs."
    raise Invalid("bad_id", f"{user!r} cannot be the id of a user.", hint)


def _parsed(content: bytes) -> Any:
    """The JSON of a body, None when it is none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _unwrapped(status: int, body: Any) -> tuple[int, Any]:
    # Some failures of 6.2 hold the real refusal: {"response": {"message": ...}, "status": 404}.
    if status == 500 and isinstance(body, dict) and isinstance(body.get("response"), dict):
        inner = body.get("status")
        if isinstance(inner, int) and 400 <= inner < 500:
            return inner, body["response"]
    return status, body


def _reason_of(body: Any) -> str:
    """The reason that a refusal gives, on one line: the wrong fields, else the message, else the type."""
    if not isinstance(body, dict):
        return ""
    wrong = "; ".join(_wrong_fields(body.get("errors")))
    # Where fields are listed, the message only points at the list.
    texts = (wrong, body.get("message"), body.get("type"))
    line = " ".join(next((text for text in texts if isinstance(text, str) and text.strip()), "").split())
    return line if len(line) <= _MOST_SAID else f"{line[:_MOST_SAID]}…"


def _wrong_fields(errors: Any, depth: int = 0) -> Iterator[str]:
    """The problems, one sentence each: the local service lists them so, servers up to 6.2 by field and constraint."""
    for error in errors if isinstance(errors, list) and depth < 10 else ():
        if isinstance(error, str):
            yield error
        elif isinstance(error, dict):
            constraints = error.get("constraints")
            if isinstance(constraints, dict):
                yield from (text for text in constraints.values() if isinstance(text, str))
            yield from _wrong_fields(error.get("children"), depth + 1)
