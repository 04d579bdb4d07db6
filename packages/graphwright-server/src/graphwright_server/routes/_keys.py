"""The principal of a request; API keys and the audit of approvals, for admins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from graphwright.store import Access, ApiKey, AuditEntry
from graphwright_server import _decisions as decisions
from graphwright_server._times import Time, utc_text
from graphwright_server.access import _keys as keys
from graphwright_server.access.gate import Admin, Viewer
from graphwright_server.access.principal import Principal, not_found
from graphwright_server.service import ServiceState
from graphwright_server.shapes import Page, Whole
from graphwright_server.shapes._access import Audited, AuditedContent, AuditEvent, Key, KeyMade, Me, Role

router = APIRouter(tags=["access"])


class NewKey(BaseModel):
    """The key to create: its user, its role, and its lifetime in days (null: it does not expire)."""

    model_config = ConfigDict(extra="forbid")

    user: str = Field(min_length=1, max_length=200)
    role: Role = "user"
    name: str = Field("", max_length=100)
    days: int | None = Field(90, ge=1, le=keys.LONGEST_DAYS)


@router.get("/me")
async def read_current_user(principal: Viewer) -> Me:
    """The user of the request, the role, and whether this service has a login."""
    return Me.model_validate({"user": principal.user, "role": principal.role, "login": principal.login})


@router.get("/keys")
async def list_keys(principal: Admin, request: Request) -> Whole[Key]:
    """All API keys, without their secrets."""
    found = await _access(request).keys.list()
    return Whole[Key](items=[Key.model_validate(_key_json(key)) for key in found], next=None)


@router.post("/keys", status_code=201)
async def create_key(principal: Admin, request: Request, new: NewKey, response: Response) -> KeyMade:
    """Create an API key. `key` is only in this response."""
    made, text = await keys.create(_access(request).keys, new.user, new.role, name=new.name, days=new.days)
    await _noted(request, principal, "key_made", made)
    response.headers["Cache-Control"] = "no-store"
    return KeyMade.model_validate({**_key_json(made), "key": text})


@router.delete("/keys/{id}", status_code=204)
async def revoke_key(principal: Admin, request: Request, id: str) -> None:
    """Revoke an API key, immediately and permanently. It stays in the list."""
    found = await _access(request).keys.get(id)
    if found is None:
        raise not_found("key")
    await _access(request).keys.revoke(id)
    await _noted(request, principal, "key_revoked", found)


@router.get("/audit")
async def list_audit_entries(
    principal: Admin,
    request: Request,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[int | None, Query(ge=1, le=2**62)] = None,
    thread: Annotated[str, Query(max_length=200)] = "",
    agent: Annotated[str, Query(max_length=200)] = "",
    event: Annotated[Sequence[AuditEvent], Query()] = (),
    q: Annotated[str, Query(max_length=200)] = "",
    since: Time = "",
    until: Time = "",
) -> Page[Audited]:
    """Approvals and their outcomes, the latest first, of all agents or one, and of all events or some.

    `q` is searched in the names of users, agents and actions. They happened at `since` or later, and before `until`.
    `yours`: the thread exists and you can open it.
    """
    access = _access(request)
    times = {"since": utc_text(since), "until": utc_text(until)}
    found = await access.audit.page(limit + 1, cursor, thread, agent, event, text=q, **times)
    more = found[limit - 1].number if len(found) > limit else None
    threads = {entry.thread for entry in found if entry.thread}
    rows = {each: await access.owners.thread(principal.user, each) for each in threads}
    titles = {each: row.title for each, row in rows.items() if row is not None}
    items = [
        Audited.model_validate(
            {**asdict(entry), "yours": entry.thread in titles, "title": titles.get(entry.thread, "")}
        )
        for entry in found[:limit]
    ]
    return Page[Audited](items=items, next=str(more) if more else None)


@router.get("/audit/{number}/content", response_model_exclude_unset=True)
async def read_audited_content(
    _principal: Admin, service: ServiceState, number: Annotated[int, Path(ge=1, le=2**62)]
) -> AuditedContent:
    """The content of a decision, as its card showed it, of every user. 404 after its thread is deleted."""
    entries = await service.workspace.store.access.audit.page(1, number + 1)
    found = None
    if entries and entries[0].number == number and entries[0].thread:
        found = await decisions.content_of(service, entries[0])
    if found is None:
        raise not_found("content")
    return AuditedContent.model_validate(found)


async def _noted(request: Request, principal: Principal, event: str, key: ApiKey) -> None:
    """Record who created or revoked a key: its holder can do everything that its user can."""
    entry = AuditEntry(
        user=principal.user,
        key=principal.key,
        door="api",
        event=event,
        agent="",
        thread="",
        action=f"{key.role} {key.user}",
        content=key.id,
    )
    await _access(request).audit.add([entry])


def _access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


def _key_json(key: ApiKey) -> dict[str, Any]:
    return {name: value for name, value in asdict(key).items() if name != "hash"}
