"""Pages for a browser: the web app, what stands in its place where it was not built, and the routes for people."""

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

STATIC = Path(str(files("graphwright"))) / "api" / "static"
"""Where the built web app stands."""

_PACKED = (("br", ".br"), ("gzip", ".gz"))
"""Encodings in which the build wrote the app once more, the smallest first, and how the names of those files end."""

_NOT_TAKEN = re.compile(r"q=0(?:\.0*)?\Z")

_PROGRAMS = ("api", "v1", "agui", "mcp", "healthz", "readyz", "metrics", "openapi.json", "docs")

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
        raise HTTPException(404, f"there is nothing at /{path[:200]}")

    # Not a route: one that takes every path would turn an unknown path into a wrong method.
    app.router.default = web


def _page(path: str, accepted: frozenset[str]) -> Response:
    """A file of the web app; its first page is at the top, and every other path leads there."""
    file = _file(path)
    if file is not None:
        # What is under /assets has its hash in its name.
        age = "public, max-age=31536000, immutable" if path.startswith("assets/") else "no-cache"
        return _sent(file, age, accepted)
    index = STATIC / "index.html"
    if path.startswith("assets/"):
        raise HTTPException(404, "there is no such file")
    if path and index.is_file():
        # Relative, since a proxy may serve the app below a path that is not known here.
        return RedirectResponse("../" * path.count("/") or "./")
    if index.is_file():
        return _sent(index, "no-cache", accepted)
    return HTMLResponse(_MISSING, headers={"Cache-Control": "no-cache"})


def _file(path: str) -> Path | None:
    """The file of the web app that a path names."""
    if any(part.startswith(".") for part in Path(path).parts):
        return None
    try:
        file = (STATIC / path).resolve()
        return file if file.is_relative_to(STATIC.resolve()) and file.is_file() else None
    except (OSError, ValueError):
        # No file can be called that: it holds a null character, or is too long.
        return None


def _sent(file: Path, age: str, accepted: frozenset[str]) -> FileResponse:
    """A file, in the smallest encoding that is accepted and there."""
    media = mimetypes.guess_type(file.name)[0]
    headers = {"Cache-Control": age, "Vary": "Accept-Encoding"}
    for encoding, ending in _PACKED:
        packed = file.with_name(file.name + ending)
        if encoding in accepted and packed.is_file():
            return FileResponse(packed, media_type=media, headers={**headers, "Content-Encoding": encoding})
    return FileResponse(file, media_type=media, headers=headers)


def _accepted(header: str) -> frozenset[str]:
    """The encodings of an Accept-Encoding that are taken."""
    parts = (part.partition(";") for part in header.lower().split(","))
    return frozenset(name.strip() for name, _, weight in parts if not _NOT_TAKEN.match(weight.strip()))


def _described(document: dict[str, Any]) -> str:
    """The routes of an OpenAPI document, by group, without scripts."""
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
