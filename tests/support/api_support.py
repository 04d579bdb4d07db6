"""Shared by the tests of the service: a service in this process, one in a separate process, and an agent for both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.routing import APIRoute, iter_route_contexts

from graphwright_server._app import create_app
from graphwright_server._settings import ServiceSettings
from graphwright_server.access import _keys as access_keys

SHOP = """
version: v1
id: flow.shop
title: Shop
description: Takes an order for one thing, and sends it after a yes.
state:
  order: {type: object, default: {}}
  sent: {type: array, default: [], reduce: append}
nodes:
  - {id: q.what, type: question, key: what, prompt: "What would you like?", read: verbatim, ask: always}
  - {id: write, type: action, run: write}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Shall I order {{ answers.what }}?"}
  - {id: send, type: action, run: send, confirm: {by: q.sure, over: [order]}}
  - {id: done, type: terminal, say: Ordered.}
  - {id: dropped, type: terminal, say: Nothing was ordered.}
edges:
  - {from: q.what, to: write}
  - {from: write, to: q.sure}
  - {from: q.sure, to: send, guard: answers.sure == true}
  - {from: q.sure, to: dropped, guard: answers.sure == false}
  - {from: q.sure, to: q.what, guard: else}
  - {from: send, to: done}
"""
SHOP_NODES = """
import asyncio
from pathlib import Path

from graphwright import action


@action(reads=["answers.what"], writes=["order"])
async def write(state, ctx):
    if state["answers"]["what"].startswith("slow"):
        for number in range(200):
            ctx.stream(f"{number} ")
            await asyncio.sleep(0.05)
    return {"order": {"what": state["answers"]["what"], "attempt": ctx.attempt}}


@action(reads=["order"], writes=["sent"])
async def send(state, ctx):
    if state["order"]["what"].startswith("dear"):
        ctx.stream("paying ")
        await asyncio.sleep(5)
    for name, line in (("sent.txt", ""), ("keys.txt", ctx.key + " ")):
        with (Path(__file__).parent / name).open("a") as file:
            file.write(line + state["order"]["what"] + "\\n")
    return {"sent": [state["order"]["what"]]}
"""


def shop(folder: Path) -> Path:
    """An agent that takes an order, and sends it after a yes. Writing an order that begins with `slow` takes ten
    seconds, sending one that begins with `dear` five."""
    place = folder / "shop"
    place.mkdir(exist_ok=True)
    (place / "flow.yaml").write_text(SHOP.strip(), "utf-8")
    (place / "nodes.py").write_text(SHOP_NODES, "utf-8")
    return place


def sent(folder: Path) -> list[str]:
    """The orders of the shop."""
    file = folder / "shop" / "sent.txt"
    return file.read_text().split("\n")[:-1] if file.exists() else []


def keys(folder: Path) -> set[tuple[str, str]]:
    """The idempotency keys of the shop's orders, each with its order."""
    lines = (folder / "shop" / "keys.txt").read_text().splitlines()
    return {(key, what) for key, _, what in (line.partition(" ") for line in lines)}


@asynccontextmanager
async def service(folder: Path, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A service in this process that serves the shop, and a client of it."""
    given = {"home": folder / "home", "model": "none", "agents": (str(shop(folder)),), **settings}
    app: FastAPI = create_app(ServiceSettings(**given))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        hooks = {"response": [partial(require_declared, app)]}
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", event_hooks=hooks) as client:
            client.app = app  # type: ignore[attr-defined]
            yield client


_DOCUMENTS: dict[frozenset[str], dict[str, Any]] = {}
"""The OpenAPI documents of services by their paths: building one takes longer than most tests."""


def _document(app: FastAPI) -> dict[str, Any]:
    paths = frozenset(getattr(route.original_route, "path", "") for route in iter_route_contexts(app.routes))
    if paths not in _DOCUMENTS:
        _DOCUMENTS[paths] = app.openapi()
    return _DOCUMENTS[paths]


async def require_declared(app: FastAPI, answer: httpx.Response) -> None:
    """Check that the OpenAPI document of the service declares the status of an error response."""
    request = answer.request
    for route in iter_route_contexts(app.routes) if answer.is_error else ():
        if not (isinstance(route.original_route, APIRoute) and route.include_in_schema):
            continue
        if request.method in route.methods and route.path_regex.match(request.url.path):
            told = _document(app)["paths"][route.path_format][request.method.lower()]["responses"]
            assert str(answer.status_code) in told, (request.method, route.path_format, answer.status_code)
            return


async def begun(client: httpx.AsyncClient, agent: str = "shop") -> str:
    """A new thread that waits at its first question."""
    answer = await client.post("/api/v1/threads", json={"agent": agent})
    assert answer.status_code == 201, answer.text
    thread = str(answer.json()["thread"])
    await turn(client, thread, {})
    return thread


async def turn(client: httpx.AsyncClient, thread: str, body: Mapping[str, Any], way: str = "turns") -> dict[str, Any]:
    """Run a turn to its end; return its last event."""
    answer = await client.post(f"/api/v1/threads/{thread}/{way}", json=body, headers={"Accept": "text/event-stream"})
    assert answer.status_code == 202, answer.text
    return dict(events(answer.text)[-1][2])


async def users(client: httpx.AsyncClient, *roles: str) -> dict[str, dict[str, str]]:
    """The sign-in headers of a user of each role; the user's name is the role."""
    kept = client.app.state.access.keys  # type: ignore[attr-defined]
    made = {role: (await access_keys.create(kept, role, role))[1] for role in roles}
    return {role: {"Authorization": f"Bearer {key}"} for role, key in made.items()}


async def thread_of(client: httpx.AsyncClient, headers: dict[str, str], id: str) -> None:
    """Create a thread of the shop for the user of these headers."""
    answer = await client.post("/api/v1/threads", json={"agent": "shop", "thread": id}, headers=headers)
    assert answer.status_code == 201, answer.text


def events(text: str) -> list[tuple[int, str, Any]]:
    """The events of a stream: number, type, data."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":"))
        if "id" in fields:
            found.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return found


async def waits(client: httpx.AsyncClient, thread: str) -> dict[str, Any]:
    """The waiting state of a thread."""
    return dict((await client.get(f"/api/v1/threads/{thread}/state")).json()["waiting_for"])


@contextmanager
def served(
    folder: Path, *arguments: str, config: str = "", service: str = "", agents: Sequence[str] = ()
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `graphwright serve` in a separate process; yields its address.

    `service` are further lines of `[service]`, `agents` folders in `folder` that are served with the shop.
    """
    shop(folder)
    (folder / "graphwright.toml").write_text(
        f"{config}\n[service]\nagents = {json.dumps(['shop', *agents])}\n{service}\n", "utf-8"
    )
    environment = {**os.environ, "GRAPHWRIGHT_HOME": str(folder / "home"), "GRAPHWRIGHT_MODEL": "none"}
    # Its address must come through a pipe immediately, for every configuration of Python.
    environment.pop("PYTHONUNBUFFERED", None)
    command = [sys.executable, "-m", "graphwright.cli", "serve", "--no-open", "--port", "0", *arguments]
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        address = process.stdout.readline().strip()
        assert address, process.stderr.read() if process.stderr else ""
        yield process, address
    finally:
        process.kill()
        process.communicate()
