"""Experiments of the UpGrade server that is configured, else of the local service: looked at, never changed, here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter

from graphwright.api.access.gate import Viewer
from graphwright.api.paging import Limit
from graphwright.api.service import Service, ServiceState
from graphwright.api.shapes import answers
from graphwright.api.shapes.experiments import Experiment, Experiments

router = APIRouter(tags=["experiments"])

_SECONDS = 12.0


@router.get("/experiments", responses=answers(Experiments))
async def experiments(principal: Viewer, service: ServiceState, limit: Limit = 50) -> dict[str, Any]:
    """Those that were changed last, how many there are in all, and which server has them."""
    async with _server(service) as server:
        rows, total = await server.rows(limit)
        client = server.client
        return {"items": rows, "total": total, "next": None, "server": client.host, "local": client.local}


@router.get("/experiments/{id}", responses=answers(Experiment))
async def experiment(principal: Viewer, service: ServiceState, id: str) -> dict[str, Any]:
    """One experiment: its facts, who is on its lists, and how many are enrolled in each condition."""
    async with _server(service) as server:
        facts: dict[str, Any] = await server.shown(id)
        return facts


@asynccontextmanager
async def _server(service: Service) -> AsyncIterator[Any]:
    # It takes long to import, and few look at experiments.
    from graphwright import load
    from graphwright.agents.upgrade.client.connecting import connect
    from graphwright.agents.upgrade.client.settings import UpgradeSettings
    from graphwright.agents.upgrade.server import Server

    local = load("upgrade").settings.get("server") == "local"
    settings = UpgradeSettings() if local else UpgradeSettings.from_environment()
    server = Server()
    async with connect(settings, service.workspace.folder, seconds=_SECONDS) as server.client:
        yield server
