"""Changes that a model proposes for a description: the events of their stream."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from graphwright_server.shapes._agents import Diagnostic
from graphwright_server.shapes._drafts import ChangeLine


class ConversationOutcome(BaseModel):
    """The result of a conversation on a proposed document."""

    file: str
    passed: bool
    problems: list[str]


class DescriptionBegun(BaseModel):
    """The work on a description begins."""

    type: Literal["begun"]


class DescriptionRound(BaseModel):
    """The outcome of one reply of the model."""

    type: Literal["round"]
    round: int
    commands: int
    refused: list[str] = Field(description="Why commands were refused.")
    errors: int
    warnings: int
    passed: int = Field(description="How many conversations passed.")
    failed: int


class DescriptionProgress(BaseModel):
    """What is being done: asking the model, checking its commands, or running one of the conversations."""

    type: Literal["progress"]
    step: Literal["asking", "checking", "testing"]
    round: int
    rounds: int = Field(description="The maximum number of rounds.")
    conversation: int = Field(description="The number of the conversation that runs; 0 if none does.")
    conversations: int


class DescriptionProposal(BaseModel):
    """The proposed change. Nothing is stored."""

    type: Literal["proposal"]
    status: Literal["proposed", "unproven", "invalid", "question", "cannot"]
    summary: str
    question: str = Field(description="What the model asks before it can propose a change; may be empty.")
    cannot: str = Field(description="Why the change is not possible; may be empty.")
    demands: list[str] = Field(description="What the change needs besides the document, such as an action.")
    commands: list[dict[str, Any]]
    refused: list[str]
    diagnostics: list[Diagnostic]
    difference: list[ChangeLine]
    cautions: list[str]
    conversations: list[ConversationOutcome]
    files: dict[str, str] = Field(description="New or changed conversations, by path.")
    text: str = Field(description="The new document.")
    rounds: int


class DescriptionFailed(BaseModel):
    """The work failed."""

    type: Literal["error"]
    code: str
    message: str
    hint: str


DescriptionEvent = Annotated[
    DescriptionBegun | DescriptionProgress | DescriptionRound | DescriptionProposal | DescriptionFailed,
    Field(discriminator="type"),
]
"""An event of the stream of a description."""
