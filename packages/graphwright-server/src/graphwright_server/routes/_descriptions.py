"""Changing flows by a description: a model proposes, a person accepts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

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
    return await streamed(service.describing.change(agent, given.text, given.description))


async def streamed(events: AsyncGenerator[tuple[str, Any], None]) -> Response:
    """Return the events as a stream. An error before the first event is the response."""
    first = await anext(events)

    async def numbered() -> AsyncIterator[shown.Numbered]:
        async with aclosing(events):
            number = 0
            yield [(number, _typed(first))]
            async for event in events:
                number += 1
                yield [(number, _typed(event))]

    return shown.event_stream(numbered())


def _typed(event: tuple[str, Any]) -> tuple[str, Any]:
    kind, data = event
    return kind, {"type": kind, **data}
