"""What a simulated user says when asked."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, field_validator


class Reply(BaseModel):
    """What the user says to a question in which the pattern `to` is found (a regular expression, case ignored).

    Of several patterns all must be found.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    to: str | tuple[str, ...]
    say: str

    @field_validator("to")
    @classmethod
    def _patterns(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        for each in _all(value):
            try:
                re.compile(each)
            except re.error as error:
                raise ValueError(f"{each!r} is no regular expression: {error}") from error
        return value

    def fits(self, question: str) -> bool:
        """Whether this is an answer to the question."""
        return all(re.search(each, question, re.IGNORECASE) for each in _all(self.to))


def _all(patterns: str | tuple[str, ...]) -> tuple[str, ...]:
    return (patterns,) if isinstance(patterns, str) else patterns
