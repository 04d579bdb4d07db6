"""A small ELOG server for tests: it answers the requests of readers like elogd does, including its bugs."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Any
from xml.sax.saxutils import escape

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

LIE = "ISO-8859-1"


@dataclass
class Posted:
    """An entry as its writer posted it: `charset` is the actual encoding of the bytes."""

    id: int
    moment: datetime
    attributes: dict[str, str]
    text: str
    reply_to: int | None = None
    encoding: str = "plain"
    attachments: tuple[str, ...] = ()
    charset: str = "utf-8"

    def raw(self, text: str) -> bytes:
        return text.encode(self.charset)


@dataclass
class FakeElogd:
    """The server's state; `fault` is the error in every export: see `_spoilt`."""

    entries: dict[int, Posted] = field(default_factory=dict)
    now: datetime = datetime(2026, 3, 20, 12, 0)
    logbook: str = "Operation"
    several: frozenset[str] = frozenset(("System",))
    """Attributes with several options (MOptions): matched by a part of their value, never by a pattern."""
    users: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""
    asked: list[str] = field(default_factory=list)
    methods: set[str] = field(default_factory=set)
    connections: dict[tuple[str, int], Any] = field(default_factory=dict)
    address: str = ""

    def post(self, id: int, moment: str, text: str, **more: Any) -> Posted:
        """Add an entry; attributes are those that are not a field of `Posted`."""
        fields = {name: more.pop(name) for name in list(more) if name in Posted.__dataclass_fields__}
        attributes = {"Author": "", "Category": "", "System": "", "Subject": "", **more}
        entry = Posted(id, datetime.fromisoformat(moment), attributes, text, **fields)
        self.entries[id] = entry
        return entry

    def app(self) -> Starlette:
        methods = ["GET", "POST", "PUT", "DELETE"]
        return Starlette(
            routes=[
                Route("/", self._front, methods=methods),
                Route("/{logbook}", self._page, methods=methods),
                Route("/{logbook}/{path:path}", self._page, methods=methods),
            ]
        )

    async def _front(self, request: Request) -> Response:
        return HTMLResponse(f'<html><title>ELOG</title><a href="{self.logbook}/">{self.logbook}</a></html>')

    async def _page(self, request: Request) -> Response:
        self.asked.append(str(request.url.path) + "?" + request.url.query)
        self.methods.add(request.method)
        asked = dict(request.query_params)
        path = request.path_params.get("path", "")
        if request.path_params["logbook"] != self.logbook:
            return HTMLResponse("<html><title>404</title>The requested logbook does not exist</html>", 404)
        if "uname" in asked:
            return self._signed_in(asked)
        if self.users and request.cookies.get("sid") != "let-in":
            return HTMLResponse('<html><head><title>ELOG Login</title></head><form><input name="uname"></form></html>')
        if path.isdecimal():
            return await self._entry(request, int(path), asked.get("cmd", ""))
        if found := re.fullmatch(r"(last|past)(\d+)", path):
            return await self._exported(request, self._recent(found[1], int(found[2])), asked)
        if path:
            return HTMLResponse("<html><title>ELOG error</title>File not found</html>")
        if asked.get("cmd") != "Search":
            return HTMLResponse("<html><title>ELOG Operation</title></html>")
        return await self._exported(request, self._search(asked), asked)

    def _signed_in(self, asked: Mapping[str, str]) -> Response:
        if self.users.get(asked["uname"]) != asked.get("upassword"):
            return HTMLResponse("<html><title>ELOG Login</title>Invalid user name or password!</html>")
        answer = RedirectResponse(f"/{self.logbook}/", 302)
        answer.set_cookie("sid", "let-in")
        return answer

    async def _entry(self, request: Request, id: int, command: str) -> Response:
        entry = self.entries.get(id)
        if command != "Download":
            known = "" if entry is None else f"Message ID: {id}"
            return HTMLResponse(f"<html><title>ELOG {'error' if entry is None else 'entry'}</title>{known}</html>")
        if entry is None:
            return await self._unanswered(request)
        return await self._sent(request, self._record(entry), "text/plain")

    def _recent(self, how: str, number: int) -> list[Posted]:
        entries = sorted(self.entries.values(), key=lambda entry: entry.moment)
        if how == "last":
            return entries[-number:]
        return [entry for entry in entries if entry.moment >= self.now - timedelta(days=number)]

    def _search(self, asked: Mapping[str, str]) -> list[Posted]:
        low = {name.lower(): value for name, value in asked.items()}
        first = last = None
        if "last" in low:
            first = self.now - timedelta(days=int(low["last"]))
        if "ya" in low:
            first = datetime(int(low["ya"]), int(low.get("ma", 1)), int(low.get("da", 1)))
        if "yb" in low:
            last = datetime(int(low["yb"]), int(low.get("mb", 1)), int(low.get("db", 1)))
        flags = 0 if "casesensitive" in low else re.IGNORECASE

        def fits(entry: Posted) -> bool:
            if (first and entry.moment < first) or (last and entry.moment >= last):
                return False
            for name, value in entry.attributes.items():
                wanted = low.get(name.lower())
                if not wanted:
                    continue
                asked_for = re.escape(wanted) if name in self.several else wanted
                if not re.search(asked_for.encode(entry.charset), entry.raw(value), flags):
                    return False
            searched = entry.raw(entry.text)
            if "sall" in low:
                searched += b"\n" + b"\n".join(map(entry.raw, entry.attributes.values()))
            return not low.get("subtext") or bool(re.search(low["subtext"].encode(), searched, flags))

        found = sorted((entry for entry in self.entries.values() if fits(entry)), key=lambda entry: entry.moment)
        return found[::-1] if low.get("reverse") == "1" else found

    async def _exported(self, request: Request, found: list[Posted], asked: Mapping[str, str]) -> Response:
        mode = asked.get("mode", "")
        if mode == "XML":
            return await self._sent(request, self._xml(found), "text/xml")
        if mode == "Raw":
            return await self._sent(request, b"".join(map(self._record, found)), "text/plain")
        if mode == "CSV3":
            return await self._sent(request, self._csv(found), "text/plain")
        return HTMLResponse("<html><title>ELOG Operation</title><table></table></html>")

    def _replies(self, entry: Posted) -> str:
        return ",".join(str(other.id) for other in self.entries.values() if other.reply_to == entry.id)

    def _record(self, entry: Posted) -> bytes:
        replies = self._replies(entry)
        lines = [
            f"$@MID@$: {entry.id}",
            f"Date: {format_datetime(entry.moment)}".replace("-0000", "+0000"),
            *([f"Reply to: {replies}"] if replies else []),
            *([f"In reply to: {entry.reply_to}"] if entry.reply_to else []),
            *(f"{name}: {value}" for name, value in entry.attributes.items()),
            f"Attachment: {','.join(entry.attachments)}",
            f"Encoding: {entry.encoding}",
            "=" * 40,
            entry.text,
            "",
        ]
        return entry.raw("\n".join(lines))

    def _xml(self, found: list[Posted]) -> bytes:
        parts = [b'<?xml version="1.0" encoding="ISO-8859-1"?>\n<!-- ELOGD Version 3.1.4 export.xml -->\n<ELOG_LIST>\n']
        for entry in found:
            replies = self._replies(entry)
            fields = [
                ("MID", str(entry.id)),
                ("DATE", format_datetime(entry.moment).replace("-0000", "+0000")),
                *([("IN_REPLY_TO", str(entry.reply_to))] if entry.reply_to else []),
                *([("REPLY_TO", replies)] if replies else []),
                *([("ATTACHMENT", ",".join(entry.attachments))] if entry.attachments else []),
                ("ENCODING", entry.encoding),
                *((re.sub(r"\W", "_", name), value) for name, value in entry.attributes.items()),
                ("TEXT", entry.text),
            ]
            inner = "".join(f"\t\t<{tag}>{escape(text)}</{tag}>\n" for tag, text in fields)
            if self.fault == "broken_xml":
                inner = inner.replace("&lt;", "<").replace("&amp;", "&")
            parts.append(entry.raw(f"\t<ENTRY>\n{inner}\t</ENTRY>\n"))
        return b"".join([*parts, b"</ELOG_LIST>\n"])

    def _csv(self, found: list[Posted]) -> bytes:
        names = list(found[0].attributes) if found else []
        rows = [";".join(["Message ID", "Date", *names, "Text"])]
        for entry in found:
            cells = [str(entry.id), entry.moment.isoformat(" "), *entry.attributes.values(), entry.text]
            rows.append(";".join('"' + cell.replace('"', '""') + '"' for cell in cells))
        return "\n".join(rows).encode()

    async def _sent(self, request: Request, content: bytes, kind: str) -> Response:
        """Send an export: with its length if the connection is kept, else ended by closing it."""
        content_type = f"{kind};charset={LIE}"
        if self.fault not in ("", "broken_xml"):
            return await self._spoilt(request, content, content_type)
        if request.headers.get("connection", "").lower() == "keep-alive":
            return Response(content, headers={"Content-Type": content_type})
        return await self._written(request, _head(content_type, "Connection: Close") + content)

    async def _spoilt(self, request: Request, content: bytes, content_type: str) -> Response:
        if self.fault == "hang":
            return await self._unanswered(request)
        if self.fault == "die":
            length = f"Content-Length: {len(content)}"
            return await self._written(request, _head(content_type, length) + content[: len(content) * 2 // 3])
        if self.fault == "huge":
            return Response(content.replace(b"</ELOG_LIST>", b"<!-- x -->" * 5_000_000), media_type="text/xml")
        if self.fault == "compressed":
            return Response(b"\x1f\x8b\x08", headers={"Content-Encoding": "gzip", "Content-Type": content_type})
        if self.fault == "page":
            return HTMLResponse("<html><head><title>Welcome to our wiki</title></head></html>")
        if self.fault == "elsewhere":
            return RedirectResponse("https://sso.example/start")
        assert self.fault == "sick", self.fault
        return Response("Segmentation fault", 500)

    async def _unanswered(self, request: Request) -> Response:
        """The reaction of elogd to an unknown entry: nothing, or closing without a response."""
        if request.headers.get("connection", "").lower() == "keep-alive":
            while (await request.receive())["type"] != "http.disconnect":
                pass
        return await self._written(request, b"")

    async def _written(self, request: Request, content: bytes) -> Response:
        """Write these bytes to the connection and close it; the returned response is never sent."""
        connection = self.connections[(request.client.host, request.client.port)]
        if content:
            connection.write(content)
        connection.close()
        while (await request.receive())["type"] != "http.disconnect":
            pass
        return Response()


def _head(content_type: str, line: str) -> bytes:
    return f"HTTP/1.1 200 Document follows\r\nContent-Type: {content_type}\r\n{line}\r\n\r\n".encode()


@contextmanager
def serving(elogd: FakeElogd) -> Iterator[FakeElogd]:
    """Run the server on loopback at `elogd.address`, in a separate thread."""

    class Protocol(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            elogd.connections[transport.get_extra_info("peername")] = transport

    config = uvicorn.Config(
        elogd.app(),
        host="127.0.0.1",
        port=0,
        http=Protocol,
        log_level="critical",
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            thread.join(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        elogd.address = f"http://127.0.0.1:{port}/{elogd.logbook}"
        yield elogd
    finally:
        server.should_exit = True
        thread.join(10)
