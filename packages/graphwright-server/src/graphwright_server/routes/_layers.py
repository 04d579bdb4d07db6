"""The layers of a draft, for an editor: what they make together, and who set what."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from fastapi import APIRouter

from graphwright.flow import Compilation
from graphwright.flow.layers import layer_name, origins
from graphwright_server.access.gate import Viewer
from graphwright_server.routes._drafts import Edited
from graphwright_server.service import ServiceState
from graphwright_server.shapes._layers import DraftLayers, Layer, LayerConflict, SetAt

router = APIRouter(tags=["flows"])


@router.post("/flows/{agent}/layers")
async def read_draft_layers(principal: Viewer, service: ServiceState, agent: str, given: Edited) -> DraftLayers:
    """The documents that a draft extends, the document that they make, the origin of each value, and the conflicts."""
    compilation = (await service.authoring.compiled(agent, given.text)).compilation
    return await asyncio.to_thread(_layers, compilation)


def _layers(compilation: Compilation) -> DraftLayers:
    merged, read = compilation.merged, compilation.layers
    if read is None or not read.is_merged:
        return DraftLayers(layers=[], document=None, origins={}, conflicts=[])
    folder = os.path.dirname(compilation.name) or "."

    def shown(file: str) -> str:
        # Clients must not see where the folder is.
        return os.path.relpath(file, folder) if file else "flow.yaml"

    def placed(place: dict[str, Any]) -> dict[str, Any]:
        return {**place, "file": shown(place["file"])}

    conflicts = [each.to_json() for each in merged.conflicts] if merged is not None else []
    return DraftLayers(
        layers=[Layer(name=layer_name(file), file=shown(file), text=text) for file, text in read.texts.items()],
        document=merged.document if merged is not None else None,
        origins={at: SetAt(**placed(place)) for at, place in origins(merged).items()} if merged is not None else {},
        conflicts=[
            LayerConflict.model_validate({**each, "settings": [placed(it) for it in each["settings"]]})
            for each in conflicts
        ],
    )
