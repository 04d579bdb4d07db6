"""Servers for tests of the UpGrade client: real ones, on loopback, with the responses that a test chooses."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from graphwright_upgrade.client._calls import UpgradeClient
from graphwright_upgrade.client._drafts import ConditionDraft, DecisionPointDraft, ExperimentDraft
from graphwright_upgrade.client._failures import UpgradeError
from graphwright_upgrade_server._app import create_app

DATA = Path(__file__).parents[1] / "data" / "upgrade"
EXAMPLE = "http://upgrade.example/api"


SECRET = "tok-3nTirely.s3cret-f0r-th3-tests-alone"
"""A token or secret of the tests."""


async def failure(call: Awaitable[Any], kind: type[UpgradeError], code: str) -> UpgradeError:
    """The error of a call that must fail. It contains no secret, not even in its traceback."""
    with pytest.raises(kind) as raised:
        await call
    error = raised.value
    assert (type(error), error.code) == (kind, code)
    for text in (error.message, error.hint, str(error), "".join(traceback.format_exception(error))):
        assert SECRET not in text
    return error


def draft(
    name: str = "Hints first",
    *codes: str,
    at: Sequence[tuple[str, str]] = (("show-problem", "fractions-intro"),),
    **more: Any,
) -> ExperimentDraft:
    """An experiment with equally many users for each code, control and variant by default, at sites and targets."""
    conditions = codes or ("control", "variant")
    given = {
        "name": name,
        "context": "maths-practice",
        "conditions": [ConditionDraft(code=code, weight=100 / len(conditions)) for code in conditions],
        "decision_points": [DecisionPointDraft(site=site, target=target) for site, target in at],
        **more,
    }
    return ExperimentDraft.model_validate(given)


@dataclass(frozen=True)
class Pair:
    """A request to a real server, and its response."""

    method: str
    path: str
    sent: Any
    status: int
    content_type: str
    answer: Any


def golden(version: str = "6.4") -> dict[str, Pair]:
    """The pairs of a version, 6.2 or 6.4, by name."""
    found = {}
    for file in sorted((DATA / f"pairs-{version}").glob("*.json")):
        request, answer = map(json.loads(file.read_text("utf-8")).get, ("request", "response"))
        path = request["url"].removeprefix(EXAMPLE).rstrip("/")
        answered = answer["status"], answer["content_type"], answer["body"]
        found[file.stem] = Pair(request["method"], path, request["body"], *answered)
    return found


@dataclass
class Seen:
    """A request that a server received."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


Answer = Callable[[Seen], Response]


@dataclass
class Scripted:
    """A server whose responses a test chooses, by method and path below /api; `seen` are the requests it received."""

    url: str = ""
    answers: dict[tuple[str, str], Answer] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)

    def clear(self) -> None:
        self.answers.clear()
        self.seen.clear()

    def json(self, method: str, path: str, body: Any, status: int = 200) -> None:
        self.answers[method, path] = lambda _seen: json_response(body, status)

    def text(self, method: str, path: str, body: str, status: int = 200, kind: str = "text/html") -> None:
        self.answers[method, path] = lambda _seen: Response(body, status, media_type=kind)

    def health(self, version: str = "6.4.0") -> None:
        self.json("GET", "", {"name": "A/B Testing Backend", "version": version, "description": ""})

    def calls(self, method: str, path: str) -> list[Seen]:
        return [seen for seen in self.seen if (seen.method, seen.path) == (method, path)]

    async def answer(self, request: Request) -> Response:
        content = await request.body()
        path = request.url.path.removeprefix("/api").rstrip("/")
        seen = Seen(request.method, path, dict(request.headers), _json(content))
        self.seen.append(seen)
        answer = self.answers.get((seen.method, seen.path))
        if answer is None:
            return Response(f"<pre>Cannot {seen.method} {seen.path}</pre>", 404, media_type="text/html")
        return answer(seen)


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def json_response(body: Any, status: int = 200) -> Response:
    return Response(json.dumps(body), status, media_type="application/json; charset=utf-8")


@contextmanager
def scripted() -> Iterator[Scripted]:
    """A running scripted server."""
    server = Scripted()
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    with listening(Starlette(routes=[Route("/{path:path}", server.answer, methods=methods)])) as url:
        server.url = f"{url}/api"
        yield server


@pytest.fixture(scope="module")
def listening_server() -> Iterator[Scripted]:
    with scripted() as server:
        yield server


@pytest.fixture
def server(listening_server: Scripted) -> Scripted:
    """A scripted server without requests so far, which reports that it is healthy."""
    listening_server.clear()
    listening_server.health()
    return listening_server


@contextmanager
def listening(app: Any, *, lifespan: Literal["on", "off"] = "on") -> Iterator[str]:
    """An ASGI application behind uvicorn, in a separate thread; yields its address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan=lifespan, ws="none"))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            # The socket already listens: a request waits until the server accepts it.
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(30)


@contextmanager
def raw(*answers: bytes, wait: threading.Event | None = None, drop: bytes = b"") -> Iterator[tuple[str, list[bytes]]]:
    """A server that answers its connections with these bytes, one after the other (the last for all others), and
    closes.

    With `wait` it keeps a connection open after its response until the event is set, and sends a `drop` meanwhile.
    Yields its address and the received data.
    """
    got: list[bytes] = []
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)

        def serve() -> None:
            number = 0
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    got.append(connection.recv(1 << 16))
                    connection.sendall(answers[min(number, len(answers) - 1)])
                    with suppress(OSError):
                        while wait is not None and not wait.wait(0.02 if drop else 60):
                            connection.sendall(drop)
                number += 1

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/api", got
        finally:
            if wait is not None:
                wait.set()
            # Closing alone does not wake a thread that accepts.
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(30)


class Line(httpx.AsyncBaseTransport):
    """The connection to a service in this process. `cut` selects requests without a connection, `broken` those whose
    connection breaks before they arrive, `lose` those whose response is lost.

    `sent` are the requests, `METHOD /path`; `most` is the maximum of concurrent requests.
    """

    def __init__(self, app: Any) -> None:
        self._inner = httpx.ASGITransport(app)
        self._under_way = 0
        self.cut: Callable[[httpx.Request], bool] = lambda _request: False
        self.broken: Callable[[httpx.Request], bool] = lambda _request: False
        self.lose: Callable[[httpx.Request], bool] = lambda _request: False
        self.sent: list[str] = []
        self.most = 0
        self.client = UpgradeClient("http://upgrade.local/api", "the local service", transport=self)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(f"{request.method} {request.url.path.removeprefix('/api')}")
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        try:
            # Like a network, it lets other tasks run.
            await asyncio.sleep(0)
            if self.cut(request):
                raise httpx.ConnectError("Connection refused")
            if self.broken(request):
                raise httpx.ReadError("the connection broke")
            answer = await self._inner.handle_async_request(request)
            if self.lose(request):
                raise httpx.ReadError("the connection broke")
            return answer
        finally:
            self._under_way -= 1


@asynccontextmanager
async def in_process(**options: Any) -> AsyncIterator[tuple[UpgradeClient, Line]]:
    """A client of a new local service in this process, and the connection between them."""
    app = create_app(None, **options)
    line = Line(app)
    async with line.client:
        yield line.client, line
    app.state.database.close()
