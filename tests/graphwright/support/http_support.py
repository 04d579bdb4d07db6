"""A local HTTP server that behaves well or badly by the path of a request, for tests of requests from flows."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from local_http_support import LocalHandler, served_by


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
    with served_by(_handler(seen)) as server:
        seen.port = server.server_port
        yield seen


def _handler(seen: Seen) -> type[LocalHandler]:
    class Handler(LocalHandler):
        def _answer(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = {"method": self.command, "path": self.path, "headers": headers, "body": self.body().decode()}
            seen.requests.append(request)
            with suppress(ConnectionError):
                self._behave(self.path.partition("?")[0].split("/")[1], headers)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = _answer

        def _behave(self, what: str, headers: dict[str, str]) -> None:
            match what:
                case "to":
                    self.send(302, b"", {"location": self.path.partition("?")[2]})
                case "huge":
                    self.send(200, b"x" * (3 * 2**20))
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
                    self.send(200, json.dumps({"sent": headers}).encode(), {"content-type": "application/json"})
                case "squeezed":
                    self.send(200, b"\x1f\x8b", {"content-encoding": "gzip"})
                case "deep":
                    self.send(200, b"[" * 200_000, {"content-type": "application/json"})
                case "wrong":
                    self.send(404, b"There is no such order.")
                case "broken":
                    self.send(500, b"oops")
                case "text":
                    self.send(200, b"plain")
                case _:
                    self.send(200, b'{"total": 25}', {"content-type": "application/json"})

    return Handler
