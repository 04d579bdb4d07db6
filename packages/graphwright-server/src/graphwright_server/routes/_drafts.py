"""Editing flows: drafts, their check, test runs, published versions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from graphwright.errors import UsageError
from graphwright.flow import Compilation, Diagnostic, json_schema
from graphwright.flow.diagnostics import Related
from graphwright_server import _shown as shown
from graphwright_server._authoring import LONGEST, Source
from graphwright_server.access.gate import Author, Publisher, Viewer
from graphwright_server.access.principal import AccessError
from graphwright_server.service import Service, ServiceState
from graphwright_server.shapes import Described, Whole, raises, stream
from graphwright_server.shapes._drafts import (
    DraftChecked,
    DraftText,
    Finding,
    FlowOfAgent,
    FlowSchema,
    Name,
    Palette,
    Preview,
    Version,
    VersionText,
)

router = APIRouter(tags=["flows"])

_STREAM: Described = {
    200: {
        "description": "`total`, a `result` for each conversation, then `coverage`; or an `error`.",
        "content": stream("TestEvent"),
    }
}


class Edited(BaseModel):
    """The text of a flow document. It need not compile."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=LONGEST)


class TestRun(Edited):
    """A document to run the conversations on: all, or those named."""

    only: list[str] = Field(default_factory=list, max_length=500)


class Publication(BaseModel):
    """The confirmation to publish exactly this document."""

    model_config = ConfigDict(
        extra="forbid",
    )

    revision: int = Field(ge=1)
    hash: str = Field(max_length=64, description="The hash that the check of the draft returned.")
    note: str = Field(min_length=1, max_length=2_000, description="What changed, and why.")


@router.get("/flows")
async def list_flows(principal: Viewer, service: ServiceState) -> Whole[FlowOfAgent]:
    """The flows of the served agents, with their drafts and active versions."""
    return Whole(items=[await _listed(service, agent) for agent in service.agents.names], next=None)


async def _listed(service: Service, agent: str) -> FlowOfAgent:
    try:
        source = await service.authoring.source(agent)
    except UsageError as error:
        nothing: dict[str, Any] = {
            "flow": "",
            "version": 0,
            "draft": 0,
            "edited": "",
            "editor": "",
            "file_changed": False,
        }
        return FlowOfAgent(agent=agent, title=agent, problem=error.message, **nothing)
    draft = await service.authoring.draft(source)
    title = (await service.agents.card(agent))["title"] if source.active else source.title
    return FlowOfAgent(
        agent=agent,
        flow=source.flow,
        title=title or agent,
        version=source.active.number if source.active else 0,
        draft=draft.revision if draft else 0,
        edited=draft.updated if draft else "",
        editor=draft.author if draft else "",
        problem="",
        file_changed=source.file_changed,
    )


@router.get("/flows/schema")
async def read_flow_schema(principal: Viewer) -> FlowSchema:
    """The JSON Schema of a flow document."""
    return FlowSchema(**await asyncio.to_thread(json_schema))


@router.get("/flows/{agent}/palette")
async def read_palette(principal: Viewer, service: ServiceState, agent: str) -> Palette:
    """The actions, validators and conversations of an agent. Code is never edited here."""
    return await service.authoring.palette(agent)


@router.get("/flows/{agent}/draft")
async def read_draft(principal: Viewer, service: ServiceState, agent: str, response: Response) -> DraftText:
    """The draft of an agent's flow; without one, the active document with revision 0. `ETag` is the revision."""
    source = await service.authoring.source(agent)
    found = await _draft_text(service, source)
    response.headers["ETag"] = f'"{found.revision}"'
    return found


@router.put("/flows/{agent}/draft", responses=raises(412, 428))
async def save_draft(
    principal: Author,
    service: ServiceState,
    agent: str,
    given: Edited,
    response: Response,
    if_match: Annotated[str, Header()] = "",
) -> DraftText:
    """Save a draft that was made from the revision in `If-Match`. 412 `draft_changed` if this is not the latest one."""
    revision = if_match.strip().strip('"')
    if not revision.isdecimal() or len(revision) > 18:
        message = "If-Match must name the revision from which this draft was made."
        raise AccessError(428, "revision_missing", message, 'Send it in quotes, such as "3"; "0" for a first draft.')
    source = await service.authoring.source(agent)
    await service.authoring.save(source, given.text, int(revision), principal)
    found = await _draft_text(service, source)
    response.headers["ETag"] = f'"{found.revision}"'
    return found


async def _draft_text(service: Service, source: Source) -> DraftText:
    draft = await service.authoring.draft(source)
    active = await service.authoring.active_text(source)
    return DraftText(
        agent=source.agent,
        flow=source.flow,
        text=draft.text if draft else active,
        revision=draft.revision if draft else 0,
        author=draft.author if draft else "",
        updated=draft.updated if draft else "",
        active=active,
        file=source.file,
        file_changed=source.file_changed,
        version=source.active.number if source.active else 0,
    )


@router.post("/flows/{agent}/check")
async def check_draft(principal: Viewer, service: ServiceState, agent: str, given: Edited) -> DraftChecked:
    """All findings of the compiler in a document, with the actions of the agent's Python, which is not run."""
    return _checked((await service.authoring.compiled(agent, given.text)).compilation)


def _checked(compilation: Compilation) -> DraftChecked:
    flow = compilation.flow
    names: list[Name] = []
    if flow is not None:
        answers = {node.key: node.schema for node in flow.questions}
        names += [Name(name=f"answers.{key}", type=_type(schema), kind="answer") for key, schema in answers.items()]
        names += [Name(name=each.name, type=_type(each.schema), kind="channel") for each in flow.channels.values()]
        names += [Name(name=each, type="boolean", kind="predicate") for each in flow.document.get("predicates", {})]
    found = [
        Finding.model_validate(
            {
                **each.to_json(),
                "file": _file(each.file, compilation),
                "end_line": each.span.end_line,
                "end_column": each.span.end_column,
                "fix": {**asdict(each.fix.span), "text": each.fix.text} if each.fix is not None else None,
                "related": [
                    {
                        "message": it.message + _elsewhere(it, each, compilation),
                        "line": it.span.line,
                        "column": it.span.column,
                        "pointer": it.pointer,
                    }
                    for it in each.related
                ],
            }
        )
        for each in compilation.diagnostics
    ]
    return DraftChecked(ok=flow is not None, hash=flow.hash if flow else "", diagnostics=found, names=names)


def _file(file: str, compilation: Compilation) -> str:
    """Return the path of a layer relative to the folder of the flow, which clients must not see."""
    return os.path.relpath(file, os.path.dirname(compilation.name) or ".") if file else "flow.yaml"


def _elsewhere(related: Related, diagnostic: Diagnostic, compilation: Compilation) -> str:
    return "" if related.file == diagnostic.file else f" ({_file(related.file, compilation)})"


def _type(schema: Any) -> str:
    if not isinstance(schema, dict):
        return "any"
    values = schema.get("enum") or [each.get("const") for each in schema.get("oneOf", ()) if isinstance(each, dict)]
    if values:
        return " | ".join(map(str, values))[:200]
    kind = schema.get("type", "any")
    return " | ".join(kind) if isinstance(kind, list) else str(kind)


@router.post("/flows/{agent}/tests", response_class=Response, responses=_STREAM)
async def test_draft(
    principal: Author, service: ServiceState, request: Request, agent: str, given: TestRun
) -> Response:
    """Run the scripted conversations of an agent on a document. Closing the connection stops them."""
    await service.limits.take(principal, "turns")
    return await shown.numbered_stream(service.authoring.test(agent, given.text, given.only), _test_event)


def _test_event(line: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the type and the data of a line of a test run, which has one entry."""
    ((kind, content),) = line.items()
    return kind, {"type": kind, kind: content}


@router.post("/flows/{agent}/preview", responses=raises(409))
async def preview_draft(principal: Author, service: ServiceState, agent: str, given: Edited) -> Preview:
    """The difference by meaning from the active flow, and the outcome of publishing for each waiting conversation."""
    return await service.authoring.preview(agent, given.text)


@router.post("/flows/{agent}/publish", status_code=201, responses=raises(409, 412))
async def publish_draft(principal: Publisher, service: ServiceState, agent: str, given: Publication) -> Version:
    """Publish the draft. From then on it is the agent's flow.

    409 `content_changed` if the draft is not the document with this hash, 412 `draft_changed` if it has another
    revision.
    """
    source = await service.authoring.source(agent)
    published = await service.authoring.publish(source, given.revision, given.hash, given.note, principal)
    return _version(published)


@router.get("/flows/{agent}/versions")
async def list_versions(principal: Viewer, service: ServiceState, agent: str) -> Whole[Version]:
    """The published versions of an agent's flow, the newest first. The newest is active."""
    source = await service.authoring.source(agent)
    return Whole(items=[_version(each) for each in source.versions], next=None)


@router.get("/flows/{agent}/versions/{number}")
async def read_version(principal: Viewer, service: ServiceState, agent: str, number: int) -> VersionText:
    """A published version with its text."""
    source = await service.authoring.source(agent)
    found = await service.authoring.version(source, number)
    return VersionText(**_version(found).model_dump(), text=await service.authoring.text_of(found))


def _version(version: Any) -> Version:
    return Version(**{name: value for name, value in asdict(version).items() if name in Version.model_fields})
