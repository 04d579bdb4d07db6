"""A case: what a user says, what the user answers when asked, and what must come of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from eval.answers import Answer


class Reply(BaseModel):
    """What the user says to a text in which the pattern `to` is found (a regular expression, case ignored)."""

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
    """What must come of a case beside the state that it leads to, which each evaluation writes in its own way.

    With `refuse` nothing may be written, or so much as proposed; with `asked` the user must have been asked something;
    `proposed: false` forbids so much as a confirmation.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    answer: Answer = Field(default_factory=Answer)
    refuse: bool = False
    asked: bool = False
    proposed: bool = True


class Case(BaseModel):
    """One case: `says` one after the other, `replies` to questions, `confirm` to differences that are shown.

    A case that somebody who works on the agent has looked at is `seen`: a regression test, and no evidence any more.
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
        """Whether all that has to be known stands in what the user says and in what is there."""
        return not (self.replies or self.expect.asked or self.expect.refuse)

    def decides(self) -> dict[str, Any]:
        """All of it that decides how it goes: the user agrees to what is expected."""
        return self.model_dump(mode="json", exclude={"kind", "language", "seen"})


def fitting(replies: Sequence[Reply], text: str) -> list[Reply]:
    """The replies that answer a text, in their order."""
    return [reply for reply in replies if re.search(reply.to, text, re.IGNORECASE)]


def spread(cases: Sequence[Case], most: int) -> list[Case]:
    """At most so many of the cases, spread evenly over the file, always the same."""
    if most >= len(cases):
        return list(cases)
    return [cases[number * len(cases) // most] for number in range(most)]
