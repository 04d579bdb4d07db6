"""The route `GET /api/v1/repairs`."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from graphwright_server.service import ServiceState

router = APIRouter(tags=["repairs"])


@router.get("")
async def repairs(service: ServiceState, limit: int = 50) -> list[dict[str, Any]]:
    """The booked repairs, oldest first."""
    found = await service.workspace.store.records.list("repairs", limit)
    return [repair.value for repair in found]
