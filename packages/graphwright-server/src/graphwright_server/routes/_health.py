"""Health checks and metrics."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel

from graphwright_server.access.gate import Viewer
from graphwright_server.service import ServiceState
from graphwright_server.shapes import answers

router = APIRouter(tags=["health"])


class Fine(BaseModel):
    """The check succeeded."""

    status: Literal["ok"]


@router.get("/healthz", responses=answers(Fine))
async def alive() -> dict[str, Any]:
    """The process is alive."""
    return {"status": "ok"}


@router.get("/readyz", responses=answers(Fine))
async def ready(service: ServiceState) -> dict[str, Any]:
    """The store is ready, too; otherwise a problem says why not."""
    await service.workspace.store.require_ready()
    return {"status": "ok"}


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(principal: Viewer, request: Request) -> Response:
    """Metrics for Prometheus."""
    return Response(request.app.state.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
