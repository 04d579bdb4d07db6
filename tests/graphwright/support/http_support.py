"""A local HTTP server that behaves well or badly by the path of a request, for tests of requests from flows."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Seen:
    """The requests that the server got, and its `port`."""

    port: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}"


@contextmanager
def serving() -> Iterator[Seen]:
    """Serve until the block ends."""
    seen = Seen()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(seen))
    server.daemon_threads = True
    seen.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()


def _handler(seen: Seen) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def _answer(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(length).decode()
            seen.requests.append({"method": self.command, "path": self.path, "headers": headers, "body": body})
            with suppress(ConnectionError):
                self._behave(self.path.partition("?")[0].split("/")[1], headers)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = _answer

        def _behave(self, what: str, headers: dict[str, str]) -> None:
            match what:
                case "to":
                    self._send(302, b"", {"location": self.path.partition("?")[2]})
                case "huge":
                    self._send(200, b"x" * (3 * 2**20))
                case "endless":
                    self.send_response(200)
                    self.end_headers()
                    while True:
                        self.wfile.write(b"x" * 65536)
                case "slow":
                    self.send_response(200)
                    self.end_headers()
                    for _ in range(100):
                        self.wfile.write(b"x")
                        time.sleep(0.1)
                case "cut":
                    self.send_response(200)
                    self.send_header("content-length", "100")
                    self.end_headers()
                    self.wfile.write(b"x")
                case "echo":
                    self._send(200, json.dumps({"sent": headers}).encode(), {"content-type": "application/json"})
                case "squeezed":
                    self._send(200, b"\x1f\x8b", {"content-encoding": "gzip"})
                case "deep":
                    self._send(200, b"[" * 200_000, {"content-type": "application/json"})
                case "wrong":
                    self._send(404, b"There is no such order.")
                case "broken":
                    self._send(500, b"oops")
                case "text":
                    self._send(200, b"plain")
                case _:
                    self._send(200, b'{"total": 25}', {"content-type": "application/json"})

        def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

    return Handler
