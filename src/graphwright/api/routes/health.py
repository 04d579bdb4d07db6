"""Whether the service is alive, whether it can serve, and what it has served."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel

from graphwright.api.access.gate import Viewer
from graphwright.api.service import ServiceState
from graphwright.api.shapes import answers

router = APIRouter(tags=["health"])


class Fine(BaseModel):
    """Nothing is wrong."""

    status: Literal["ok"]


@router.get("/healthz", responses=answers(Fine))
async def alive() -> dict[str, Any]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/readyz", responses=answers(Fine))
async def ready(service: ServiceState) -> dict[str, Any]:
    """The store answers, too; else a problem says why."""
    await service.workspace.store.require_ready()
    return {"status": "ok"}


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(principal: Viewer, request: Request) -> Response:
    """Counters for Prometheus."""
    return Response(request.app.state.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
