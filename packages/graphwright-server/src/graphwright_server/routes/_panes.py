"""The panes of the web app that the user may open."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter

from graphwright_server._panes import panes
from graphwright_server.access.gate import Viewer
from graphwright_server.shapes import Whole
from graphwright_server.shapes._panes import PaneShown

router = APIRouter(tags=["panes"])


@router.get("/panes")
def list_panes(principal: Viewer) -> Whole[PaneShown]:
    """The panes of the web app that the user may open, in their order."""
    items = [
        PaneShown(
            name=name,
            title=dict(pane.title),
            icon=pane.icon,
            module="" if pane.module is None else f"panes/{name}/{quote(pane.module.name)}",
            key=pane.key,
            of_thread=pane.of_thread,
        )
        for name, pane in panes()
        if principal.may(pane.role)
    ]
    return Whole[PaneShown](items=items, next=None)
