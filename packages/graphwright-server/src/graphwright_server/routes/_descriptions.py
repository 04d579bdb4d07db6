"""Changing flows by a description: a model proposes, a person accepts."""

from __future__ import annotations

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from graphwright_server import _shown as shown
from graphwright_server._authoring import LONGEST
from graphwright_server.access.gate import Author
from graphwright_server.service import ServiceState
from graphwright_server.shapes import Described, stream

router = APIRouter(tags=["flows"])

_STREAM: Described = {
    200: {
        "description": "`begun`, `progress` for each step, a `round` for each reply, then `proposal` or `error`.",
        "content": stream("DescriptionEvent"),
    }
}


class Description(BaseModel):
    """The description of a change of a document."""

    model_config = ConfigDict(
        extra="forbid",
    )

    text: str = Field(max_length=LONGEST, description="The document to change, such as a draft.")
    description: str = Field(min_length=1, max_length=20_000)


@router.post("/flows/{agent}/describe", response_class=Response, responses=_STREAM)
async def describe_change(principal: Author, service: ServiceState, agent: str, given: Description) -> Response:
    """Let a model propose the change of a document that a person describes. Nothing is stored.

    The proposal has the new text, the difference by meaning, the diagnostics, and the results of the conversations.
    Closing the connection ends the work.
    """
    await service.limits.take(principal, "turns")
    events = service.describing.change(agent, given.text, given.description)
    return await shown.numbered_stream(events, lambda event: (event[0], {"type": event[0], **event[1]}))
