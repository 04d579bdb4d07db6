"""Trying a draft: a conversation of its author with the newest text of the draft."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from graphwright.testing.drafts import delete_conversation, keep_conversation, recorded
from graphwright_server._shown import thread_json
from graphwright_server._trials import Trials
from graphwright_server.access.gate import Author, Viewer
from graphwright_server.access.principal import Principal, not_found
from graphwright_server.service import Service, ServiceState
from graphwright_server.shapes import Whole
from graphwright_server.shapes._drafts import RecordedConversation
from graphwright_server.shapes._threads import Thread

router = APIRouter(tags=["flows"])

_MOST = 50

Agent = Annotated[str, Path(max_length=200)]


@router.get("/flows/{agent}/trials")
async def list_trials(principal: Viewer, service: ServiceState, agent: Agent) -> Whole[Thread]:
    """The caller's conversations with the draft of a flow, the newest first. No other list has them."""
    return Whole(items=await _trials(service, principal, agent), next=None)


@router.post("/flows/{agent}/trials", status_code=201)
async def begin_trial(principal: Author, service: ServiceState, agent: Agent) -> Thread:
    """Begin a conversation with the draft of a flow, and delete the caller's ended ones.

    It is a thread like any other, whose agent is `draft:NAME`. Each message is answered by the newest text of the
    draft: the conversation carries over where it fits. An action with effects is performed after a yes to its
    confirmation, or if the active flow performs the same without one; otherwise the reply says that it was left out.
    400 `draft_invalid` if the draft has errors.
    """
    drafted = await service.agents.of(Trials.address(service.agents.require(agent)))
    for each in await _trials(service, principal, agent):
        if each.status in ("new", "ended", "failed", "waiting"):
            await service.workspace.delete(each.thread)
            await service.own.release("thread", each.thread)
    row = await service.workspace.create(drafted)
    await service.claim(row.thread, principal)
    return Thread.model_validate(thread_json(await service.current(row), row.agent))


class Recording(BaseModel):
    """How to keep a trial: the name of the conversation; with `keep` it is written into the folder of the agent.

    With `replace` it replaces the conversation of this name.
    """

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "tea", "keep": True}]})

    name: str = Field(min_length=1, max_length=60)
    keep: bool = False
    replace: bool = False


@router.post("/flows/{agent}/trials/{id}/conversation")
async def record_trial(
    principal: Author, service: ServiceState, agent: Agent, id: str, given: Recording
) -> RecordedConversation:
    """A trial or a thread of the agent as a scripted conversation: messages, answers of the model, what to expect.

    400 `bad_name`, `conversation_exists`, `packaged`, `unwritable`, `nothing_to_record`.
    """
    row = await service.thread(id, principal)
    if row.agent not in (Trials.address(service.agents.require(agent)), service.agents.address(agent)):
        raise not_found("thread")
    talked_to = await service.agents.of(row.agent)
    text, notes = recorded(await service.workspace.store.events.read(id), talked_to)
    source = service.agents.source(agent)
    file = ""
    if given.keep:
        file = await asyncio.to_thread(keep_conversation, source, given.name, text, replace=given.replace)
    return RecordedConversation(file=file, text=text, notes=notes)


@router.delete("/flows/{agent}/conversations/{name}", status_code=204)
async def remove_conversation(principal: Author, service: ServiceState, agent: Agent, name: str) -> None:
    """Delete a scripted conversation, with its golden trace, from the folder `tests` of an agent.

    400 `bad_name`, `packaged`, `unwritable`; 404 if there is none.
    """
    await asyncio.to_thread(delete_conversation, service.agents.source(agent), name)


async def _trials(service: Service, principal: Principal, agent: str) -> list[Thread]:
    address = Trials.address(service.agents.require(agent))
    rows = await service.workspace.threads(agent=address, owner=principal.user, limit=_MOST)
    now = await service.all_current(rows)
    return [Thread.model_validate(thread_json(each, each.agent)) for each in now]
