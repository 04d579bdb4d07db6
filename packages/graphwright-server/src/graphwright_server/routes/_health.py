"""Health checks and metrics."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel

from graphwright_server.access.gate import Viewer
from graphwright_server.service import ServiceState

router = APIRouter(tags=["health"])


class Fine(BaseModel):
    """The check succeeded."""

    status: Literal["ok"]


@router.get("/healthz")
async def check_alive() -> Fine:
    """The process is alive."""
    return Fine(status="ok")


@router.get("/readyz")
async def check_ready(service: ServiceState) -> Fine:
    """The store is ready, too; otherwise a problem says why not."""
    await service.workspace.store.require_ready()
    return Fine(status="ok")


@router.get("/metrics", response_class=PlainTextResponse)
async def read_metrics(principal: Viewer, request: Request) -> Response:
    """Metrics for Prometheus."""
    return Response(request.app.state.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
