"""Flows: read, check, draw and compare them; edit, try and publish drafts of them."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from graphwright import CompiledFlow, UsageError, compile_text
from graphwright.flow.drawing import editor, svg
from graphwright.flow.layers import document_text, layer_name
from graphwright.store import ThreadRow
from graphwright_server.access.gate import User, Viewer
from graphwright_server.service import Service, ServiceState
from graphwright_server.shapes import content
from graphwright_server.shapes._agents import Checked, Drawn, FlowRead, ThreadFlow

router = APIRouter(tags=["flows"])

_SVG = content("image/svg+xml", "The picture.")

_LONGEST = 1_000_000


class FlowText(BaseModel):
    """A flow document, YAML or JSON."""

    model_config = ConfigDict(
        extra="forbid",
    )

    text: str = Field(max_length=_LONGEST)


@router.get("/flows/{agent}", response_model_exclude_unset=True)
async def read_flow(principal: Viewer, service: ServiceState, agent: str) -> FlowRead:
    """The text of an agent's flow, and its nodes and edges with their positions, for an editor.

    If the flow has layers, the text is the document that they make.
    """
    loaded = await service.agents.get(agent)
    if loaded.layers:
        document = document_text(loaded.flow.document, [layer_name(str(file)) for file in loaded.layers])
    else:
        document = await asyncio.to_thread(loaded.file.read_text, "utf-8")
    graph = Drawn.model_validate(await asyncio.to_thread(editor, loaded.flow))
    return FlowRead(agent=agent, document=document, graph=graph)


@router.get("/flows/{agent}/drawing.svg", response_class=Response, responses=_SVG)
async def draw_agent(principal: Viewer, service: ServiceState, agent: str) -> Response:
    """The flow of an agent as a picture."""
    return _picture(await asyncio.to_thread(svg, (await service.agents.get(agent)).flow))


@router.get("/threads/{id}/drawing.svg", response_class=Response, responses=_SVG)
async def draw_thread(principal: Viewer, service: ServiceState, id: str) -> Response:
    """The flow version of a thread as a picture, even if the flow of its agent has changed since.

    If the store does not have that version, the agent's current flow is drawn.
    """
    return _picture(await asyncio.to_thread(svg, await _flow_of(service, await service.thread(id, principal))))


@router.get("/threads/{id}/flow")
async def read_thread_flow(principal: Viewer, service: ServiceState, id: str) -> ThreadFlow:
    """The document of the flow version of a thread, or the agent's current one if the store does not have it."""
    flow = await _flow_of(service, await service.thread(id, principal))
    return ThreadFlow(hash=flow.hash, document=dict(flow.document))


async def _flow_of(service: Service, row: ThreadRow) -> CompiledFlow:
    flow = (await service.agents.of(row.agent)).flow
    if row.flow_hash == flow.hash:
        return flow
    document = await service.workspace.store.flows.get(row.flow_hash)
    return (document and (await asyncio.to_thread(compile_text, document)).flow) or flow


@router.post("/flows/check")
async def check_flow(principal: User, given: FlowText) -> Checked:
    """All findings of the compiler in a flow document. Names of actions are not checked, since code is not accepted."""
    compiled = await asyncio.to_thread(compile_text, given.text, name="flow.yaml")
    found = [each.to_json("flow.yaml") for each in compiled.diagnostics]
    return Checked.model_validate({"ok": compiled.flow is not None, "diagnostics": found})


@router.post("/flows/draw", response_class=Response, responses=_SVG)
async def draw_flow(principal: User, given: FlowText) -> Response:
    """A flow document as a picture."""
    return _picture(await asyncio.to_thread(_drawn, given.text))


def _drawn(text: str) -> str:
    compiled = compile_text(text, name="flow.yaml")
    if compiled.flow is None:
        raise UsageError("flow_invalid", "The flow has errors.", "Send it to /flows/check, which lists them.")
    flow: CompiledFlow = compiled.flow
    return svg(flow)


def _picture(text: str) -> Response:
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
    return Response(text, media_type="image/svg+xml", headers=headers)
