"""A case: the messages of a user, the user's replies to questions, and the expected outcome."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from eval.answers import Answer


class Reply(BaseModel):
    """The user's reply to a text that matches the pattern `to` (a regular expression, ignoring case)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    to: str
    say: str

    @field_validator("to")
    @classmethod
    def _pattern(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"{value!r} is no regular expression: {error}") from error
        return value


class Outcome(BaseModel):
    """The expected outcome of a case, except the final state, which each evaluation describes in its own way.

    With `refuse` nothing may be written or proposed; with `asked` the user must have been asked something; `proposed:
    false` forbids even a confirmation.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    answer: Answer = Field(default_factory=Answer)
    refuse: bool = False
    asked: bool = False
    proposed: bool = True


class Case(BaseModel):
    """One case: messages `says` in order, `replies` to questions, `confirm` for replies to shown differences.

    A case that a developer of the agent has examined is `seen`: it is a regression test, and no longer evidence.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    kind: str
    language: str
    says: tuple[str, ...] = Field(min_length=1)
    replies: tuple[Reply, ...] = ()
    confirm: tuple[Reply, ...] = ()
    seen: bool = False
    expect: Outcome

    @property
    def needs_no_question(self) -> bool:
        """Whether the user's messages and the existing data contain all required information."""
        return not (self.replies or self.expect.asked or self.expect.refuse)

    def decides(self) -> dict[str, Any]:
        """The fields that determine the conversation: the user agrees to the expected outcome."""
        return self.model_dump(mode="json", exclude={"kind", "language", "seen"})


def fitting(replies: Sequence[Reply], text: str) -> list[Reply]:
    """The replies that match a text, in order."""
    return [reply for reply in replies if re.search(reply.to, text, re.IGNORECASE)]


def spread(ids: Sequence[str], most: int) -> Sequence[str]:
    """At most `most` of the cases, spread evenly over the file, always the same."""
    return ids if most >= len(ids) else [ids[number * len(ids) // most] for number in range(most)]
