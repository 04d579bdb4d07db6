"""A document of a flow in other formats: JSON, a picture, Mermaid."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Literal

from fastapi import APIRouter, Response

from graphwright.flow.drawing import mermaid, svg
from graphwright_server.access.gate import Viewer
from graphwright_server.routes._drafts import Edited
from graphwright_server.service import ServiceState
from graphwright_server.shapes import Described

if TYPE_CHECKING:
    from graphwright.flow import CompiledFlow

router = APIRouter(tags=["flows"])

_MEDIA = {"json": "application/json", "svg": "image/svg+xml", "mermaid": "text/vnd.mermaid"}
_CONTENT = {media: {"schema": {"type": "object" if name == "json" else "string"}} for name, media in _MEDIA.items()}
_FILES: Described = {200: {"content": _CONTENT, "description": "The document in this format."}}


class Exported(Edited):
    """A document, and the format in which it is wanted."""

    format: Literal["json", "svg", "mermaid"]


@router.post("/flows/{agent}/export", response_class=Response, responses=_FILES)
async def export_document(principal: Viewer, service: ServiceState, agent: str, given: Exported) -> Response:
    """A document in another format, merged with those that it extends. 400 `flow_invalid` if it has errors."""
    flow = (await service.authoring.compiled(agent, given.text)).require()
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
    text = await asyncio.to_thread(_written, flow, given.format)
    return Response(text, media_type=_MEDIA[given.format], headers=headers)


def _written(flow: CompiledFlow, format: str) -> str:
    if format == "json":
        return json.dumps(flow.document, indent=2, ensure_ascii=False) + "\n"
    return svg(flow) if format == "svg" else mermaid(flow)
