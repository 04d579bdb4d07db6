"""What a draft does with sample answers, and conversations that violate its assurances."""

from __future__ import annotations

from pydantic import BaseModel, Field


class GuardResult(BaseModel):
    """The result of a guard with sample values."""

    opens: bool
    error: str = Field(description="Why it has no result; empty if it has one.")
    missing: list[str] = Field(description="The answers that it needs and that were not given.")


class GuardResults(BaseModel):
    """The results of the guards of a draft, by the ids of their edges."""

    guards: dict[str, GuardResult]


class ExampleTurn(BaseModel):
    """A turn of a conversation that violates an assurance."""

    said: str = Field(description="The value that it answers with, as JSON, or the message; empty for a beginning.")
    path: list[str] = Field(description="The nodes that it enters, in order.")


class AssuranceResult(BaseModel):
    """An assurance of a draft, and a shortest conversation that violates it."""

    text: str
    example: str = Field(description="The conversation in one line; empty if none was found.")
    turns: list[ExampleTurn]
    conversation: str = Field(description="It as a conversation file in the folder `tests`; empty without one.")
