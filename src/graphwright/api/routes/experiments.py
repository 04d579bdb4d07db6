"""Experiments of the UpGrade server that is configured, else of the local service: looked at, never changed, here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from graphwright.api.access.gate import Viewer

router = APIRouter()

_SECONDS = 12.0


@router.get("/experiments")
async def experiments(
    principal: Viewer, request: Request, limit: Annotated[int, Query(ge=1, le=200)] = 50
) -> dict[str, Any]:
    """Those that were changed last, how many there are in all, and which server has them."""
    async with _server(request) as server:
        rows, total = await server.rows(limit)
        return {"items": rows, "total": total, "next": None, "server": server.client.host}


@router.get("/experiments/{id}")
async def experiment(principal: Viewer, request: Request, id: str) -> dict[str, Any]:
    """One experiment: its facts, who is on its lists, and how many are enrolled in each condition."""
    async with _server(request) as server:
        facts: dict[str, Any] = await server.details(id)
        return facts


@asynccontextmanager
async def _server(request: Request) -> AsyncIterator[Any]:
    # It takes long to import, and few look at experiments.
    from graphwright import load
    from graphwright.agents.upgrade.client.connecting import connect
    from graphwright.agents.upgrade.client.settings import UpgradeSettings
    from graphwright.agents.upgrade.server import Server

    local = load("upgrade").settings.get("server") == "local"
    settings = UpgradeSettings() if local else UpgradeSettings.from_environment()
    server = Server()
    async with connect(settings, request.app.state.workspace.folder, seconds=_SECONDS) as server.client:
        yield server
