"""Principals, API keys, and the audit of approvals."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from graphwright_server.shapes._threads import ApprovalAsked

Role = Literal["viewer", "user", "author", "publisher", "admin"]

AuditEvent = Literal[
    "approved",
    "rejected",
    "superseded",
    "changed",
    "performed",
    "failed",
    "unknown",
    "key_made",
    "key_revoked",
    "published",
    "migrated",
    "migration_undone",
]


class Me(BaseModel):
    """The user of the request."""

    user: str
    role: Role
    login: bool = Field(description="This service has a login.")


class Key(BaseModel):
    """An API key, without its secret. Times that do not apply are empty."""

    id: str
    user: str
    role: Role
    name: str
    created: str
    expires: str
    last_used: str
    revoked: str


class KeyMade(Key):
    """An API key that was just created."""

    key: str = Field(description="The key itself. No other answer has it.")


class Audited(BaseModel):
    """A decision about an action that needs approval, its outcome, or a key that was created or revoked."""

    number: int
    time: str
    user: str
    key: str = Field(description="The id of the API key of the request.")
    door: Literal["api", "agui", "openai", "mcp", "cli"]
    event: AuditEvent
    agent: str
    thread: str
    run: str
    node: str
    action: str
    content: str = Field(description="The hash of the approved content; or the id of the key.")
    yours: bool = Field(description="The thread exists, and the user of the request may open it.")
    title: str = Field(description="The title of the thread; empty if it is not `yours`.")


class AuditedContent(BaseModel):
    """The question of an audited decision, and what a yes to it approved."""

    prompt: str
    approval: ApprovalAsked
