"""Pages for a browser: the web app, a substitute if it was not built, and a readable list of the routes."""

from __future__ import annotations

import mimetypes
import re
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from graphwright_server._panes import pane_file

STATIC = Path(str(files("graphwright_server"))) / "static"
"""The folder of the built web app."""

_PACKED = (("br", ".br"), ("gzip", ".gz"))
"""Encodings in which the build also stores the app, the smallest first, with the suffixes of those files."""

_NOT_TAKEN = re.compile(r"q=0(?:\.0*)?\Z")

_PROGRAMS = ("api", "v1", "agui", "mcp", "healthz", "readyz", "metrics", "openapi.json", "docs", "panes")

_MISSING = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Graphwright</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}</style>
<h1>The service runs</h1><p>Its web app has not been built here. In a clone of the project <code>make setup</code>
builds it; wheels bring it along.</p><p>The routes are described at <a href="docs">/docs</a>.</p></html>"""

_DOCS = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body{{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}
code{{font-family:ui-monospace,monospace}}li{{margin:.6rem 0}}.m{{display:inline-block;width:4.5rem;font-weight:600}}
p{{margin:.1rem 0 0 4.5rem}}</style>
<h1>{title} {version}</h1><p style="margin:0">{summary} The whole description, with all schemas, is
<a href="openapi.json">openapi.json</a>.</p>{groups}</html>"""


def install(app: FastAPI) -> None:
    """Add the pages to an app that has all its routes."""

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(_described(app.openapi()))

    @app.get("/panes/{name}/{path:path}", include_in_schema=False)
    def pane(name: str, path: str) -> FileResponse:
        found = pane_file(name, path)
        if found is None:
            raise HTTPException(404, "there is no such file")
        # Without a sign-in, like the app: a browser sends no key when a module imports another one.
        return FileResponse(found[0], media_type=found[1], headers={"Cache-Control": "no-cache"})

    otherwise = app.router.default

    async def web(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await otherwise(scope, receive, send)
            return
        request = Request(scope)
        path = request.url.path.removeprefix("/")
        program = path.split("/", 1)[0] in _PROGRAMS
        if request.method in ("GET", "HEAD") and not program:
            page = _page(path, _accepted(request.headers.get("accept-encoding", "")))
            await page(scope, receive, send)
            return
        if not path or (not program and _file(path) is not None):
            raise HTTPException(405, "a page can only be read", headers={"Allow": "GET, HEAD"})
        raise HTTPException(404, f"There is nothing at /{path[:200]}")

    # Not a route: a catch-all route would report an unknown path as a wrong method.
    app.router.default = web


def _page(path: str, accepted: frozenset[str]) -> Response:
    """Return a file of the web app. The index is served at the root, and every other path redirects to it."""
    file = _file(path)
    if file is not None:
        # Files under /assets have a hash in their names.
        age = "public, max-age=31536000, immutable" if path.startswith("assets/") else "no-cache"
        return _sent(file, age, accepted)
    index = STATIC / "index.html"
    if path.startswith("assets/"):
        raise HTTPException(404, "there is no such file")
    if path and index.is_file():
        # Relative, since a proxy may serve the app below an unknown path.
        return RedirectResponse("../" * path.count("/") or "./")
    if index.is_file():
        return _sent(index, "no-cache", accepted)
    return HTMLResponse(_MISSING, headers={"Cache-Control": "no-cache"})


def _file(path: str) -> Path | None:
    """Return the file of the web app with this path, or None."""
    if any(part.startswith(".") for part in Path(path).parts):
        return None
    try:
        file = (STATIC / path).resolve()
        return file if file.is_relative_to(STATIC.resolve()) and file.is_file() else None
    except (OSError, ValueError):
        # The path contains a null character or is too long, so no file can have it.
        return None


def _sent(file: Path, age: str, accepted: frozenset[str]) -> FileResponse:
    """Return a file, in the smallest encoding that is accepted and available."""
    media = mimetypes.guess_type(file.name)[0]
    headers = {"Cache-Control": age, "Vary": "Accept-Encoding"}
    for encoding, ending in _PACKED:
        packed = file.with_name(file.name + ending)
        if encoding in accepted and packed.is_file():
            return FileResponse(packed, media_type=media, headers={**headers, "Content-Encoding": encoding})
    return FileResponse(file, media_type=media, headers=headers)


def _accepted(header: str) -> frozenset[str]:
    """Return the accepted encodings of an Accept-Encoding header."""
    parts = (part.partition(";") for part in header.lower().split(","))
    return frozenset(name.strip() for name, _, weight in parts if not _NOT_TAKEN.match(weight.strip()))


def _described(document: dict[str, Any]) -> str:
    """Return an HTML page with the routes of an OpenAPI document, by group, without scripts."""
    groups: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            said = escape(route.get("description", route.get("summary", "")))
            line = f'<li><span class="m">{method.upper()}</span><code>{escape(path)}</code><p>{said}</p></li>'
            groups.setdefault((route.get("tags") or ["more"])[0], []).append(line)
    lists = "".join(f"<h2>{escape(name)}</h2><ul>{''.join(lines)}</ul>" for name, lines in groups.items())
    info = document["info"]
    texts = {name: escape(info.get(name, "")) for name in ("title", "version", "summary")}
    return _DOCS.format(groups=lists, **texts)
