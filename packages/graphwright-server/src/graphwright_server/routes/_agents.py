"""Agents: the served ones, their requirements, and whether they are ready."""

from __future__ import annotations

from fastapi import APIRouter

from graphwright.models import default_model
from graphwright_server.access.gate import Viewer
from graphwright_server.service import Service, ServiceState
from graphwright_server.shapes import Whole
from graphwright_server.shapes._agents import Agent, AgentWithFlow

router = APIRouter(tags=["agents"])


@router.get("/agents")
async def list_agents(principal: Viewer, service: ServiceState) -> Whole[Agent]:
    """All agents, each with its requirements and its model. No agent is loaded."""
    model = _model(service)
    items = [Agent.model_validate({**card, "model": model}) for card in await service.agents.cards()]
    return Whole[Agent](items=items, next=None)


@router.get("/agents/{name}")
async def read_agent(principal: Viewer, service: ServiceState, name: str) -> AgentWithFlow:
    """An agent, with the id, the hash and the nodes of its flow."""
    agent = await service.agents.get(name)
    nodes = [{"id": node.id, "kind": node.kind.value, "label": node.label} for node in agent.flow.nodes.values()]
    flow = {"flow_id": agent.flow.id, "flow_hash": agent.flow.hash, "flow_nodes": nodes}
    return AgentWithFlow.model_validate({**await service.agents.card(name), "model": _model(service), **flow})


def _model(service: Service) -> str:
    chosen = service.settings.model
    return chosen if isinstance(chosen, str) else default_model() if chosen is None else chosen.get_name()
