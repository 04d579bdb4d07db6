"""What a draft does: its guards with sample answers, and conversations that violate its assurances."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from pydantic import Field

from graphwright.testing.drafts import counterexamples
from graphwright_server.access.gate import Author, Viewer
from graphwright_server.routes._drafts import Edited
from graphwright_server.service import ServiceState
from graphwright_server.shapes import Whole
from graphwright_server.shapes._examined import AssuranceResult, ExampleTurn, GuardResult, GuardResults

if TYPE_CHECKING:
    from graphwright.flow import CompiledFlow

router = APIRouter(tags=["flows"])


class Sampled(Edited):
    """A document, and values for its answers (by their dotted keys) and channels; other channels have defaults."""

    answers: dict[str, Any] = Field(default_factory=dict)
    channels: dict[str, Any] = Field(default_factory=dict)


@router.post("/flows/{agent}/guards")
async def evaluate_guards(principal: Viewer, service: ServiceState, agent: str, given: Sampled) -> GuardResults:
    """The results of all guards of a document with sample values. 400 `flow_invalid` if it has errors."""
    flow = (await service.authoring.compiled(agent, given.text)).require()
    return await asyncio.to_thread(_evaluated, flow, given)


def _evaluated(flow: CompiledFlow, given: Sampled) -> GuardResults:
    answers: dict[str, Any] = {}
    for key, value in given.answers.items():
        *scopes, name = key.split(".")
        level = answers
        for scope in scopes:
            inner = level.setdefault(scope, {})
            level = inner if isinstance(inner, dict) else {}
        level[name] = value
    channels = {name: channel.default for name, channel in flow.channels.items()}
    values = {**channels, **given.channels, "answers": answers}
    found = {}
    for edge in (each for node in flow.nodes.values() for each in node.edges):
        if edge.guard is not None:
            verdict = edge.guard.evaluate(values)
            found[edge.id] = GuardResult(opens=verdict.opens, error=verdict.error, missing=list(verdict.missing))
    return GuardResults(guards=found)


@router.post("/flows/{agent}/assurances")
async def examine_assurances(
    principal: Author, service: ServiceState, agent: str, given: Edited
) -> Whole[AssuranceResult]:
    """For each assurance of a document a shortest conversation that violates it, searched for at most two seconds.

    Actions are not run: their results are tried. 400 `flow_invalid` if the document has errors.
    """
    await service.limits.take(principal, "turns")
    flow = (await service.authoring.compiled(agent, given.text)).require()
    found = await asyncio.to_thread(counterexamples, flow)
    items = [
        AssuranceResult(
            text=text,
            example=example.text if example else "",
            turns=[
                ExampleTurn(
                    said="" if turn.move.kind == "start" else json.dumps(turn.move.value, ensure_ascii=False),
                    path=list(turn.path),
                )
                for turn in (example.turns if example else ())
            ],
            conversation=file,
        )
        for text, example, file in found
    ]
    return Whole(items=items, next=None)
