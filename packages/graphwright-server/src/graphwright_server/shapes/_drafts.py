"""Drafts of flows, their check for an editor, their versions, and test runs."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from graphwright_server.shapes._agents import Diagnostic


class FlowOfAgent(BaseModel):
    """A flow that can be edited."""

    agent: str
    flow: str = Field(description="The id of the flow; empty if its file cannot be read as a document.")
    title: str
    version: int = Field(description="The number of the active published version; 0 if the folder's file is active.")
    draft: int = Field(description="The revision of the draft; 0 without one.")
    edited: str = Field(description="When the draft was saved; empty without one.")
    editor: str = Field(description="Who saved the draft; empty without one.")
    problem: str = Field(description="Why it cannot be edited; empty if it can.")
    file_changed: bool = Field(description="The file of the folder is not a version of the store. Compare it.")


class FlowSchema(BaseModel):
    """The JSON Schema (draft 2020-12) of a flow document."""

    model_config = ConfigDict(extra="allow")


class DraftText(BaseModel):
    """The text of a draft. Without a draft it is the active document, with revision 0."""

    agent: str
    flow: str
    text: str
    revision: int = Field(description="The revision to send in If-Match.")
    author: str
    updated: str
    active: str = Field(description="The text of the active document.")
    file: str = Field(description="The text of the folder's file.")
    version: int = Field(description="The number of the active version; 0 if the folder's file is active.")


class Related(BaseModel):
    """Another place that belongs to a finding."""

    message: str
    line: int
    column: int
    pointer: str


class Finding(Diagnostic):
    """A finding with the end of its place."""

    end_line: int
    end_column: int
    related: list[Related] = Field(description="Other places that belong to it.")


class ActionRead(BaseModel):
    """An action that a node may run, and what it declares."""

    name: str
    reads: list[str]
    writes: list[str]
    effects: bool


class Name(BaseModel):
    """A name that guards and texts may read, for completion."""

    name: str
    type: str = Field(description="Its JSON Schema type, or the values that it may have.")
    kind: str = Field(description="`answer`, `channel` or `predicate`.")


class DraftChecked(BaseModel):
    """The findings of the compiler in a draft. `hash` is that of the document; empty if there is an error."""

    ok: bool
    hash: str
    diagnostics: list[Finding]
    names: list[Name]


class Version(BaseModel):
    """A published version of a flow."""

    number: int
    hash: str
    author: str
    note: str
    created: str


class VersionText(Version):
    """A published version with its text."""

    text: str


class ChangeLine(BaseModel):
    """A line of a difference by meaning."""

    kind: Literal["heading", "added", "removed", "changed", "detail"]
    text: str


class WaitingThread(BaseModel):
    """The outcome of a publication for a waiting conversation."""

    thread: str
    outcome: str = Field(description="`carry` or `move` to the new version, or it stays: `pin`, `ask`, `wait`, ...")
    reasons: list[str]
    node: str = Field(description="Where it waits.")
    goes_to: str = Field(description="Where it waits afterwards.")


class Preview(BaseModel):
    """The changes that a publication would make."""

    difference: list[ChangeLine] = Field(description="The difference by meaning from the active flow.")
    threads: list[WaitingThread]
    more: int = Field(description="How many further conversations wait.")


class Palette(BaseModel):
    """The actions and validators of the agent's Python, and its conversations."""

    actions: list[ActionRead]
    validators: list[str]
    conversations: list[str]
