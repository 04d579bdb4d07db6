"""Every request: its id, checks of its host, origin and size, security headers of its response, and metrics."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.datastructures import Headers, MutableHeaders

from graphwright.errors import UsageError
from graphwright_server._problems import answer, problem_of, unexpected

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from graphwright_server._settings import ServiceSettings


logger = logging.getLogger("graphwright.server")

JSON_BYTES = 2 * 2**20
"""Maximum size of a request other than an upload, in bytes."""

_ROOM = 64 * 1024
_SAFE = frozenset(("GET", "HEAD", "OPTIONS"))
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")

# Inline styles are allowed: KaTeX and Plotly position their output by `style` attributes, and the drawing of a flow has
# some. Texts of people and models are not rendered as markup, since Markdown is drawn without HTML.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "frame-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Doorway:
    """Wraps the app. Refuses requests with a foreign host name, from a foreign page, or larger than the limit."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings, counted: Callable[[str, int], None]) -> None:
        self._app = app
        self._names = settings.names
        self._own = frozenset(settings.hosts)
        self._upload = settings.upload_bytes
        self._counted = counted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        id = scope["graphwright.request_id"] = given if _ID.match(given) else secrets.token_hex(8)
        received, most, begun = 0, self._most(scope["path"]), False

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise _too_large(most)
            return message

        async def framed(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                self._counted(scope["method"], message["status"])
                out = MutableHeaders(scope=message)
                out["X-Request-ID"] = id
                for name, value in _HEADERS.items():
                    out.setdefault(name, value)
                out.setdefault("Content-Security-Policy", POLICY)
                if scope["path"].startswith(("/api/", "/v1/", "/agui/")):
                    out.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            self._check(scope, headers, most)
        except UsageError as error:
            await answer(problem_of(error, id))(scope, receive, framed)
            return
        try:
            await self._app(scope, limited, framed)
        except Exception:
            # The client gets the id, by which the log entry is found. An outer handler would respond without the
            # headers.
            logger.exception("%s %s (request %s)", scope["method"], scope["path"], id)
            if begun:
                raise
            await answer(unexpected(id))(scope, receive, framed)

    def _most(self, path: str) -> int:
        return self._upload + _ROOM if path == "/api/v1/files" else JSON_BYTES

    def _check(self, scope: Scope, headers: Headers, most: int) -> None:
        # Against DNS rebinding: a page whose own name resolves to this machine could otherwise use the service.
        host = headers.get("host", "")
        if self._names and _name(host) not in self._names:
            message = f"The service is not reached by the name {host[:100]!r}."
            raise UsageError("foreign_host", message, "Add it to `hosts` of [service], if it is yours.")
        if scope["method"] not in _SAFE:
            origin = headers.get("origin", "")
            foreign = self._is_foreign(origin, host) if origin else headers.get("sec-fetch-site") in _FOREIGN
            if foreign:
                message = "A page of another origin may not write here."
                raise UsageError("cross_origin", message, "Use the service's own page, or a program.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:18]) > most:
            raise _too_large(most)

    def _is_foreign(self, origin: str, host: str) -> bool:
        try:
            place = urlsplit(origin).netloc
        except ValueError:
            return True
        # A proxy may use another host name than the configured name of the page.
        return not place or (place != host and place not in self._own)


_FOREIGN = ("cross-site", "same-site")


_HOST = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[^:\[\]]*))(?::\d*)?\Z")


def _name(host: str) -> str:
    found = _HOST.match(host.lower())
    return (found["v6"] or found["name"]).rstrip(".") if found else ""


def _too_large(most: int) -> UsageError:
    code = "large_request" if most == JSON_BYTES else "large_upload"
    return UsageError(code, f"The request is larger than {most:,} bytes, the limit.", "Send less at once.")


class Metrics:
    """The metrics of one service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter("graphwright_requests", "HTTP requests", ("method", "status"), registry=self._registry)
        self._turns = Counter("graphwright_turns", "Turns that ended", ("status",), registry=self._registry)
        self._seconds = Histogram(
            "graphwright_turn_seconds",
            "How long turns took",
            registry=self._registry,
            buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
        )
        self._running = Gauge("graphwright_turns_running", "Turns under way", registry=self._registry)

    def request(self, method: str, status: int) -> None:
        """Count a response."""
        self._requests.labels(method if method in _METHODS else "other", str(status)).inc()

    def turn(self, status: str, seconds: float) -> None:
        """Count a turn that ended, and its duration in seconds."""
        self._turns.labels(status).inc()
        self._seconds.observe(seconds)

    def watch(self, running: Callable[[], int]) -> None:
        """Set the function that returns the number of running turns when the metrics are read."""
        self._running.set_function(lambda: float(running()))

    def text(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        return generate_latest(self._registry)


_METHODS = frozenset(("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"))
