"""Drafts of flows, their check for an editor, their versions, and test runs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from graphwright_server.shapes import sometimes
from graphwright_server.shapes._agents import Diagnostic
from graphwright_server.shapes._threads import WhyFailed


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
    file_changed: bool = Field(description="The file of the folder is no published version.")
    version: int = Field(description="The number of the active version; 0 if the folder's file is active.")


class Related(BaseModel):
    """Another place that belongs to a finding."""

    message: str
    line: int
    column: int
    pointer: str


class Fix(BaseModel):
    """A change of the text that a finding suggests: `text` in place of what is there."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class Finding(Diagnostic):
    """A finding with the end of its place."""

    end_line: int
    end_column: int
    related: list[Related] = Field(description="Other places that belong to it.")
    fix: Fix | None = Field(description="What the hint suggests, if that is a change at this place.")


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


class TextPiece(BaseModel):
    """A part of a text, and whether only the earlier or only the later one has it."""

    kind: Literal["same", "removed", "added"]
    text: str


class ChangeLine(BaseModel):
    """A line of a difference by meaning."""

    kind: Literal["heading", "added", "removed", "changed", "detail"]
    text: str
    pieces: list[TextPiece] = Field(description="Of values that changed: the parts of the line, whole and in order.")


class ChangedPart(BaseModel):
    """A node or an edge that differs, by its id in both documents; empty where it is not."""

    what: Literal["node", "edge"]
    change: Literal["added", "removed", "moved", "renamed", "changed"]
    before: str
    after: str
    layout_only: bool = Field(description="Only its place, its look or its tags differ.")


class Compared(BaseModel):
    """Two documents compared by meaning."""

    summary: str
    lines: list[ChangeLine]
    parts: list[ChangedPart]
    before: dict[str, Any] = Field(description="The earlier document, merged with those that it extends.")
    after: dict[str, Any] = Field(description="The later document, likewise.")


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


class RecordedConversation(BaseModel):
    """A trial as a conversation file."""

    file: str = Field(description="Where it was written, below the folder of the agent; empty if it was not.")
    text: str
    notes: list[str] = Field(description="What it cannot reproduce, or does not expect.")


class Palette(BaseModel):
    """The actions and validators of the agent's Python, and its conversations."""

    actions: list[ActionRead]
    validators: list[str]
    conversations: list[str]


class Mismatch(BaseModel):
    """A difference between a conversation and what it expects."""

    turn: int | None
    line: int | None = Field(description="The line in the file of the conversation.")
    code: str
    message: str
    diff: list[str]
    said: str = Field(description="What the user said in the turn.")
    part: str = Field(description="The part of the turn that differs, such as `node`, `reply` or `answer KEY`, if one.")
    expected: str = Field(description="What the part should be: a text, or JSON.")
    got: str = Field(description="What it is.")


class ConversationResult(BaseModel):
    """The result of one conversation, as `graphwright test --json` shows it."""

    file: str
    status: Literal["passed", "failed", "unusable"]
    agent: str = sometimes("If the file could be run.")
    turns: int = sometimes("If the file could be run.")
    seconds: float = sometimes("If the file could be run.")
    trace: str = sometimes("If the file could be run: `matched`, `differs`, `written` or `none`.")
    mismatches: list[Mismatch] = sometimes("If the file could be run.")
    trace_lines: list[str] = sometimes("If the file could be run: its events.")
    shadow: list[dict[str, Any]] = sometimes("If the agent has a flow in shadow mode.")
    error: WhyFailed = sometimes("If the file could not be run.")


class Gap(BaseModel):
    """Something that no conversation reached."""

    what: str
    guard: str
    never: str = Field(description="What never happened to it.")
    line: int
    file: str = sometimes("The layer that contains it, if the flow has layers.")


class Reached(BaseModel):
    """How many elements of a kind the conversations reached."""

    reached: int
    total: int
    percent: float
    never: list[Gap]


class Coverage(BaseModel):
    """The coverage of a flow by conversations."""

    flow: str
    file: str
    conversations: int
    edges: Reached
    guards: Reached
    nodes: Reached


class TestsStarted(BaseModel):
    """The first event of a test run: the number of conversations."""

    type: Literal["total"]
    total: int


class TestFinished(BaseModel):
    """One conversation was run."""

    type: Literal["result"]
    result: ConversationResult


class TestsCovered(BaseModel):
    """The last event of a test run; null if no conversation could be run."""

    type: Literal["coverage"]
    coverage: Coverage | None


class TestsFailed(BaseModel):
    """The test run was stopped."""

    type: Literal["error"]
    error: WhyFailed


TestEvent = Annotated[TestsStarted | TestFinished | TestsCovered | TestsFailed, Field(discriminator="type")]
"""An event of the stream of a test run."""
