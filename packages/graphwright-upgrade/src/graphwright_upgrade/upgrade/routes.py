"""Experiments of the configured UpGrade server, or of the local service. These routes only read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter

from graphwright_server.access.gate import Viewer
from graphwright_server.paging import Limit
from graphwright_server.service import Service, ServiceState
from graphwright_upgrade.upgrade.shapes import Experiment, Experiments

router = APIRouter(tags=["experiments"])

_SECONDS = 12.0


@router.get("")
async def list_experiments(principal: Viewer, service: ServiceState, limit: Limit = 50) -> Experiments:
    """The experiments that were changed last, the total number, and the server."""
    async with _server(service) as server:
        rows, total = await server.listed(limit)
        client = server.client
        about = {"total": total, "next": None, "server": client.host, "local": client.local}
        return Experiments.model_validate({"items": rows, **about})


@router.get("/{id}", response_model_exclude_unset=True)
async def read_experiment(principal: Viewer, service: ServiceState, id: str) -> Experiment:
    """An experiment: its settings, the members of its lists, and the number of enrolled users in each condition."""
    async with _server(service) as server:
        return Experiment.model_validate(await server.detailed_facts(id))


@asynccontextmanager
async def _server(service: Service) -> AsyncIterator[Any]:
    # Imported here: the import is slow and rarely needed.
    from graphwright import load
    from graphwright_upgrade.client._connecting import connect
    from graphwright_upgrade.client._settings import UpgradeSettings
    from graphwright_upgrade.upgrade.server import Server

    local = load("upgrade").settings.get("server") == "local"
    settings = UpgradeSettings() if local else UpgradeSettings.from_environment()
    server = Server()
    async with connect(settings, service.workspace.folder, seconds=_SECONDS) as server.client:
        yield server
