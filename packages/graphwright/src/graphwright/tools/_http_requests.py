"""HTTP requests of flows: only to hosts that the operator allows, at addresses that were checked, within limits."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urljoin, urlsplit

import httpcore

from graphwright.config import current
from graphwright.errors import HIDDEN, GraphwrightError, exception_text, redact
from graphwright.text.markup import one_line
from graphwright.tools.mcp._settings import McpError, read_variables, refuse_what_others_write

if TYPE_CHECKING:
    from ssl import SSLContext

MOST_BYTES = 2 * 2**20
"""The largest body of a request or a response."""

TIMEOUT = 30.0
"""Seconds of one request with its redirects, unless the operator or the node says otherwise."""

MOST_REDIRECTS = 5
SAFE = ("GET", "HEAD")

_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_SHOWN = 200
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_PORTS = {"https": 443, "http": 80}


class HttpError(GraphwrightError):
    """A request was refused or failed.

    Codes: `http_host` (the operator does not allow the host), `http_address` (the address of the host is not public, or
    the URL cannot be used), `http_redirect`, `http_settings`, `http_too_large`, `http_timeout`, `http_failed` and
    `http_status` (the host answers with an error). `sent`: the request may have reached the host.
    """

    def __init__(self, code: str, message: str, hint: str = "", *, sent: bool = False) -> None:
        super().__init__(code, message, hint)
        self.sent = sent


@dataclass(frozen=True, slots=True)
class Request:
    """A request. `body` is JSON, or a text that is sent as it is; None for none. `key` is the idempotency key."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class Host:
    """A host that the operator allows. `headers` are those of requests to it, `secrets` their values from variables.

    `private`: it may be at an address of this machine or its network, and without TLS. `timeout` is in seconds.
    """

    name: str
    headers: Mapping[str, str] = field(default_factory=dict)
    private: bool = False
    timeout: float = TIMEOUT
    secrets: tuple[str, ...] = ()


def allowed_host(url: str) -> Host:
    """The configuration of the host of a URL. Raises HttpError (`http_host`, `http_address`, `http_settings`)."""
    scheme, name = _origin(url)
    config = current()
    said = config.http.get(name)
    if said is None:
        known = f"It allows {', '.join(config.http)}." if config.http else "It allows none."
        raise HttpError(
            "http_host",
            f"The configuration does not allow requests to the host {name}.",
            f'{known} The operator allows it by a table [http."{name}"] in graphwright.toml.',
        )
    assert config.file is not None
    refuse_what_others_write(config.file, "names hosts and secrets for requests")
    try:
        headers = read_variables(f'http."{name}"', said.get("headers", {}))
    except McpError as error:
        raise HttpError("http_settings", f"The host {name} {error.why}.", error.hint) from None
    read = [value for key, value in headers.items() if value != said["headers"][key]]
    secrets = tuple(part for value in read for part in (value, value.rpartition(" ")[2]))
    host = Host(name, headers, said.get("private", False), float(said.get("timeout", TIMEOUT)), secrets)
    if scheme != "https" and not host.private:
        hint = f'Use https://, or let the operator set `private = true` in [http."{name}"].'
        raise HttpError("http_address", f"Requests to the host {name} must use https.", hint)
    return host


def _origin(url: str) -> tuple[str, str]:
    """The scheme of a URL, and its host as the configuration names it: with the port, unless it is the default."""
    if any(sign <= " " or sign in "\\\x7f" for sign in url):
        message = "The URL of the request contains a blank, a control character or a backslash."
        raise HttpError("http_address", message, "Correct it in the flow.")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip(".").encode("idna").decode(), parts.port
    except ValueError:
        raise HttpError("http_address", "The URL of the request is not valid.", "Correct it in the flow.") from None
    if parts.scheme not in _PORTS or not host or parts.username is not None or parts.password is not None:
        message = "The URL of the request must begin with https:// and a host, without a name or a password."
        raise HttpError("http_address", message, "Correct it in the flow.")
    host = f"[{host}]" if ":" in host else host
    return parts.scheme, host if port in (None, _PORTS[parts.scheme]) else f"{host}:{port}"


async def send(request: Request, seconds: float | None = None) -> Any:
    """Send a request and return the body of the response: JSON if it is declared as such, else a text.

    `seconds` is the time limit, by default that of the host. Raises HttpError.
    """
    host = allowed_host(request.url)
    seconds = seconds or host.timeout
    backend = CheckedBackend()
    try:
        async with asyncio.timeout(seconds):
            return await _followed(request, host, backend)
    except TimeoutError:
        message = f"The host {host.name} did not answer within {seconds:g} s."
        raise HttpError("http_timeout", message, "Try again later.", sent=backend.connected) from None
    except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
        message = f"The host {host.name} cannot be reached: {exception_text(error)}."
        raise HttpError("http_failed", message, "Try again later.", sent=backend.connected) from None
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, OSError) as error:
        message = f"The request to {host.name} failed: {_without(exception_text(error), host.secrets)}."
        raise HttpError("http_failed", message, "Try again later.", sent=backend.connected) from None


async def _followed(request: Request, host: Host, backend: CheckedBackend) -> Any:
    url, headers = request.url, dict(request.headers)
    for _ in range(MOST_REDIRECTS + 1):
        backend.private = host.private
        response = await _sent(request, url, headers, host, backend)
        if response.status not in _REDIRECTS:
            return _content(response, host)
        if request.method not in SAFE:
            raise HttpError(
                "http_redirect",
                f"The host {host.name} redirects a {request.method} request, which is not followed.",
                "Write the final address into the flow.",
            )
        url = urljoin(url, response.headers.get("location", ""))
        before, host = host, allowed_host(url)
        if host.name != before.name:
            # They were meant for the first host.
            headers = {}
    raise HttpError("http_redirect", f"The host {host.name} redirects more than {MOST_REDIRECTS} times.")


@dataclass(frozen=True, slots=True)
class _Response:
    method: str
    status: int
    headers: Mapping[str, str]
    body: bytes


async def _sent(
    request: Request, url: str, headers: Mapping[str, str], host: Host, backend: CheckedBackend
) -> _Response:
    address = quote(url.partition("#")[0], safe="%/:?[]@!$&'()*+,;=~-._")
    kind, content = _body(request)
    own = {"accept": "application/json, text/*;q=0.8", "user-agent": "graphwright", **kind}
    if request.method not in SAFE and request.key:
        own["idempotency-key"] = request.key
    fixed = {"accept-encoding": "identity"}
    lowered = ({name.lower(): value for name, value in each.items()} for each in (own, headers, fixed, host.headers))
    merged: dict[str, str] = {}
    for each in lowered:
        merged |= each
    pairs = [(name.encode(), _header(name, value)) for name, value in merged.items()]
    async with (
        httpcore.AsyncConnectionPool(ssl_context=_tls(), network_backend=backend, retries=0) as pool,
        pool.stream(request.method, address, headers=pairs, content=content) as answer,
    ):
        found = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in answer.headers}
        return _Response(request.method, answer.status, found, await _bounded(answer, found, host))


async def _bounded(answer: httpcore.Response, headers: Mapping[str, str], host: Host) -> bytes:
    if headers.get("content-encoding", "identity").lower() != "identity":
        message = f"The host {host.name} sends a compressed body, which was not requested."
        raise HttpError("http_failed", message, sent=True)
    parts, size = [], 0
    async for part in answer.aiter_stream():
        size += len(part)
        if size > MOST_BYTES:
            message = f"The host {host.name} sends more than {MOST_BYTES // 2**20} MiB."
            raise HttpError("http_too_large", message, "Ask it for less.", sent=True)
        parts.append(part)
    return b"".join(parts)


def _body(request: Request) -> tuple[dict[str, str], bytes | None]:
    if request.body is None:
        return {}, None
    if isinstance(request.body, str):
        kind, content = "text/plain; charset=utf-8", request.body.encode("utf-8", "replace")
    else:
        kind, content = "application/json", json.dumps(request.body, ensure_ascii=False).encode("utf-8", "replace")
    if len(content) > MOST_BYTES:
        raise HttpError("http_too_large", f"The body of the request is larger than {MOST_BYTES // 2**20} MiB.")
    return {"content-type": kind}, content


def _header(name: str, value: str) -> bytes:
    if any(ord(sign) < 32 for sign in value):
        raise HttpError("http_address", f"The header {name!r} contains a line break or another control character.")
    return value.encode("utf-8")


def _content(response: _Response, host: Host) -> Any:
    kind, _, rest = response.headers.get("content-type", "").lower().partition(";")
    charset = rest.partition("charset=")[2].strip(' "') or "utf-8"
    try:
        text = response.body.decode(charset, "replace")
    except LookupError:
        text = response.body.decode("utf-8", "replace")
    text = _without(text, host.secrets)
    if response.status >= 400:
        shown = one_line(redact(text), _MOST_SHOWN)
        said = f": {shown}" if shown else ""
        message = f"The host {host.name} answered {response.method} with status {response.status}{said}."
        raise HttpError("http_status", message, sent=response.status >= 500)
    if not (kind.strip() == "application/json" or kind.strip().endswith("+json")) or not text:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        message = f"The host {host.name} answered with a body that is not JSON, as it says it is."
        raise HttpError("http_failed", message, sent=True) from None


def _without(text: str, secrets: Iterable[str]) -> str:
    """The text without the secrets of requests to a host, which may send them back."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= 4:
            text = text.replace(secret, HIDDEN)
    return text


@cache
def _tls() -> SSLContext:
    return ssl.create_default_context()


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections. A name is resolved once, and the connection goes to the address that was checked.

    `private`: addresses of this machine and its network are allowed. `connected`: some connection was opened.
    """

    def __init__(self) -> None:
        self.private = False
        self.connected = False
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        last: Exception | None = None
        for address in await self._addresses(host, port):
            try:
                stream = await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
            else:
                self.connected = True
                return stream
        raise last or httpcore.ConnectError("the name has no address")

    async def _addresses(self, host: str, port: int) -> list[str]:
        """The addresses of a host. Raises HttpError (`http_address`) if one of them is not allowed."""
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError:
            raise httpcore.ConnectError("its name cannot be resolved") from None
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        if not self.private and any(not is_public(address) for address in addresses):
            raise HttpError(
                "http_address",
                f"The host {host} has an address of this machine or of a private network, which is not allowed.",
                f'The operator allows it by `private = true` in [http."{host}"] of graphwright.toml.',
            )
        return addresses

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def is_public(text: str) -> bool:
    """Whether an IP address is reached over the internet, and not in this machine, its network or its cloud."""
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if address.teredo is not None:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved
