"""Two documents of a flow compared by meaning, for the pictures of an editor."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from graphwright.flow.difference import difference, summary, text_lines
from graphwright_server._authoring import LONGEST
from graphwright_server.access.gate import Viewer
from graphwright_server.service import ServiceState
from graphwright_server.shapes._drafts import ChangedPart, ChangeLine, Compared

if TYPE_CHECKING:
    from graphwright.flow import CompiledFlow
    from graphwright.flow.difference import Entry

router = APIRouter(tags=["flows"])


class Two(BaseModel):
    """Two documents of a flow, the earlier one first."""

    model_config = ConfigDict(
        extra="forbid",
    )

    before: str = Field(max_length=LONGEST)
    after: str = Field(max_length=LONGEST)


@router.post("/flows/{agent}/compare")
async def compare_documents(principal: Viewer, service: ServiceState, agent: str, given: Two) -> Compared:
    """The difference of two documents by meaning: its lines, and every node and edge that differs.

    400 `flow_invalid` if one of them has errors.
    """
    before = (await service.authoring.compiled(agent, given.before)).require("earlier document")
    after = (await service.authoring.compiled(agent, given.after)).require("later document")
    return await asyncio.to_thread(_compared, before, after)


def _compared(before: CompiledFlow, after: CompiledFlow) -> Compared:
    found = difference(before, after)
    return Compared(
        summary=summary(found),
        lines=[ChangeLine.model_validate(line.to_json()) for line in text_lines(found)],
        parts=[
            *(_part("node", each, each.was or each.name, each.name) for each in found.of("node")),
            *(_part("edge", each, *each.keys) for each in found.of("edge")),
        ],
        before=dict(before.document),
        after=dict(after.document),
    )


def _part(what: Literal["node", "edge"], entry: Entry, before: str, after: str) -> ChangedPart:
    return ChangedPart(
        what=what,
        change=entry.change,
        before="" if entry.change == "added" else before,
        after="" if entry.change == "removed" else after,
        layout_only=entry.layout_only,
    )
