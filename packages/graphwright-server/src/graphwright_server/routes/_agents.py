"""Agents: the served ones, their requirements, and whether they are ready."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cache

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from graphwright import compile_text
from graphwright.authoring.templates import TEMPLATES, Language, template_files
from graphwright.flow.drawing import svg
from graphwright.models import default_model
from graphwright_server.access.gate import Author, Viewer
from graphwright_server.service import Service, ServiceState
from graphwright_server.shapes import Whole, raises
from graphwright_server.shapes._agents import Agent, AgentWithFlow, Template

router = APIRouter(tags=["agents"])


@router.get("/agents")
async def list_agents(principal: Viewer, service: ServiceState) -> Whole[Agent]:
    """All agents, each with its requirements and its model. No agent is loaded."""
    model = served_model(service)
    items = [Agent.model_validate({**card, "model": model}) for card in await service.agents.cards()]
    return Whole[Agent](items=items, next=None)


class NewAgent(BaseModel):
    """An agent to make from a template."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"name": "front_desk", "template": "booking"}]}
    )

    name: str = Field(min_length=1, max_length=40, description="Small letters, digits, - and _, a letter first.")
    template: str = Field(min_length=1, max_length=40, description="The name of a template.")
    title: str = Field("", max_length=80, description="The title of its flow; empty: made from the name.")
    language: Language = Field("en", description="The language of its texts.")


@router.get("/templates")
async def list_templates(principal: Viewer, language: Language = "en") -> Whole[Template]:
    """The templates of new agents; their pictures are in this language."""
    pictures = await asyncio.to_thread(_pictures, language)
    items = [Template(name=name, about=about, picture=pictures[name]) for name, about in TEMPLATES.items()]
    return Whole(items=items, next=None)


@cache
def _pictures(language: Language) -> Mapping[str, str]:
    """The pictures of the flows of all templates, by name."""
    flows = {name: template_files(name, name, language=language)["flow.yaml"] for name in TEMPLATES}
    compiled = {name: compile_text(text, name="flow.yaml").flow for name, text in flows.items()}
    return {name: svg(flow) for name, flow in compiled.items() if flow is not None}


@router.post("/agents", status_code=201, responses=raises(409))
async def create_agent(principal: Author, service: ServiceState, given: NewAgent) -> AgentWithFlow:
    """Make an agent from a template. It has no Python, and is served at once.

    409 `agent_exists` if there is one of this name.
    """
    await service.agents.create(given.name, given.template, given.title, given.language)
    return await read_agent(principal, service, given.name)


@router.get("/agents/{name}")
async def read_agent(principal: Viewer, service: ServiceState, name: str) -> AgentWithFlow:
    """An agent, with the id, the hash and the nodes of its flow."""
    agent = await service.agents.get(name)
    nodes = [{"id": node.id, "kind": node.kind.value, "label": node.label} for node in agent.flow.nodes.values()]
    flow = {"flow_id": agent.flow.id, "flow_hash": agent.flow.hash, "flow_nodes": nodes}
    return AgentWithFlow.model_validate({**await service.agents.card(name), "model": served_model(service), **flow})


def served_model(service: Service) -> str:
    """Return the name of the model that answers where none is chosen."""
    chosen = service.settings.model
    return chosen if isinstance(chosen, str) else default_model() if chosen is None else chosen.get_name()
