"""Pages for a browser: the web app, what stands in its place where it was not built, and the routes for people."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.exceptions import HTTPException

STATIC = Path(str(files("graphwright"))) / "api" / "static"
"""Where the built web app stands."""

_PROGRAMS = ("api", "v1", "agui", "mcp", "healthz", "readyz", "metrics", "openapi.json", "docs")

_MISSING = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Graphwright</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}</style>
<h1>The service runs</h1><p>Its web app has not been built here. In a clone of the project <code>make setup</code>
builds it; wheels bring it along.</p><p>The routes are described at <a href="/docs">/docs</a>.</p></html>"""

_DOCS = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body{{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}
code{{font-family:ui-monospace,monospace}}li{{margin:.6rem 0}}.m{{display:inline-block;width:4.5rem;font-weight:600}}
p{{margin:.1rem 0 0 4.5rem}}</style>
<h1>{title} {version}</h1><p style="margin:0">{summary} The whole description, with all schemas, is
<a href="/openapi.json">openapi.json</a>.</p>{groups}</html>"""


def install(app: FastAPI) -> None:
    """Add the pages to an app that has all its routes."""

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(_described(app.openapi()))

    @app.get("/{path:path}", include_in_schema=False)
    async def web(request: Request, path: str) -> Response:
        if path.split("/", 1)[0] in _PROGRAMS:
            raise HTTPException(404, f"there is nothing at /{path[:200]}")
        return _page(path)


def _page(path: str) -> Response:
    """A file of the web app; its first page for every other path, which the app itself knows."""
    file = (STATIC / path).resolve()
    if path and file.is_relative_to(STATIC.resolve()) and file.is_file():
        # What is under /assets has its hash in its name.
        age = "public, max-age=31536000, immutable" if path.startswith("assets/") else "no-cache"
        return FileResponse(file, headers={"Cache-Control": age})
    index = STATIC / "index.html"
    if path.startswith("assets/"):
        raise HTTPException(404, "there is no such file")
    if index.is_file():
        return FileResponse(index, headers={"Cache-Control": "no-cache"})
    return HTMLResponse(_MISSING, headers={"Cache-Control": "no-cache"})


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
