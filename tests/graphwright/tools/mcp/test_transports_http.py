"""Hostile servers over HTTP: their responses are limited, are not redirected, and only affect their own tools."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from graphwright.tools.mcp import McpServer, McpServers
from local_http_support import LocalHandler, served_by
from mcp_support import impatient

_INFO = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}}


class Handler(LocalHandler):
    """Implements the protocol until a tool is called, and then misbehaves as configured."""

    def do_GET(self) -> None:
        self.send_error(405)

    do_DELETE = do_GET

    def do_POST(self) -> None:
        self.server.seen.append(dict(self.headers))
        message = json.loads(self.body())
        match message.get("method"):
            case "initialize":
                self._result(message, _INFO)
            case "tools/list":
                bad = {"name": "bad", "inputSchema": {"type": "object"}, "outputSchema": {"anyOf": []}}
                self._result(message, {"tools": [bad, bad | {"name": "call", "outputSchema": None}]})
            case "tools/call":
                self._misbehave(message)
            case _ if "id" in message:
                self._result(message, {"code": -32601, "message": ""}, "error")
            case _:
                self.send(202)

    def _result(self, message: dict[str, Any], result: Any, kind: str = "result") -> None:
        self._send(json.dumps({"jsonrpc": "2.0", "id": message["id"], kind: result}))

    def _send(self, body: str | bytes, status: int = 200, **headers: str) -> None:
        named = {
            name.replace("_", "-"): value for name, value in ({"Content_Type": "application/json"} | headers).items()
        }
        self.send(status, body.encode() if isinstance(body, str) else body, named)

    def _misbehave(self, message: dict[str, Any]) -> None:
        large = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"content": [], "x": "x" * 50 * 2**20}})
        match self.server.behaviour:
            case "not json":
                self._send("<html>It works!</html>")
            case "packed":
                self._send(gzip.compress(large.encode()), Content_Encoding="gzip")
            case "large":
                self._send(large)
            case "large event":
                self._send(f"data: {large}\n\n", Content_Type="text/event-stream")
            case "redirected":
                self._send("", 307, Location="http://127.0.0.2:9/steal")
            case "broken":
                self._send("secret trouble: password=geheim123", 500)
            case "silent":
                threading.Event().wait(20)
            case "cut":
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b'{"jsonrpc"')
                self.close_connection = True
            case _:
                self._result(message, {"content": [{"type": "text", "text": "well"}]})


@contextmanager
def hostile() -> Iterator[Any]:
    with served_by(Handler) as server:
        server.seen, server.behaviour = list[dict[str, str]](), ""
        yield server


@pytest.mark.parametrize(
    ("behaviour", "code", "says"),
    [
        ("not json", "mcp_unavailable", "answered with something that is not a message of the protocol"),
        ("packed", "mcp_unavailable", "answered with something that is not a message of the protocol"),
        ("large", "mcp_too_large", "answered with more than 8 MB"),
        ("large event", "mcp_unavailable", "SSE stream failed"),
        ("redirected", "mcp_unavailable", "Redirect to http://127.0.0.2:9/steal not followed"),
        ("broken", "mcp_unavailable", "answered with HTTP status 500"),
        ("silent", "mcp_timeout", "did not answer call within 0.3 s"),
        ("cut", "mcp_unavailable", ""),
    ],
)
async def test_a_bad_response_fails_only_its_call(behaviour: str, code: str, says: str) -> None:
    with hostile() as server:
        async with McpServers([McpServer("h", url=f"{server.url}/mcp", timeout=60)]) as servers:
            registry = servers.registry()
            server.behaviour = behaviour
            with impatient(servers) if behaviour == "silent" else nullcontext():
                result = await registry.call("h__call", {})
            assert (result.kind, result.code) == ("failed", code), result
            assert says in result.error
            assert "geheim" not in result.error
            server.behaviour = ""
            assert (await registry.call("h__call", {})).ok


async def test_headers_go_to_the_server_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKI_TOKEN", "abc-for-the-wiki")
    with hostile() as wiki, hostile() as other:
        headers = {"Authorization": "Bearer env:WIKI_TOKEN"}
        async with McpServers(
            [McpServer("w", url=f"{wiki.url}/mcp", headers=headers), McpServer("o", url=f"{other.url}/mcp")]
        ):
            assert {seen["Authorization"] for seen in wiki.seen} == {"Bearer abc-for-the-wiki"}
            assert other.seen
            assert not any("Authorization" in seen for seen in other.seen)
