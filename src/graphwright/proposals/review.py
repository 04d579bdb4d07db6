"""A second look by the model at what is about to be done, in a prompt of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from graphwright.context import PromptLibrary

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

PROMPT = "review"
MOST_LINES = 200
"""Lines of a difference that the model is shown; the caller puts first what matters most, such as deletions."""
LONGEST_LINE = 500


_prompts = cache(PromptLibrary)
"""Kept, because compiling the template takes longer than everything else here."""


class Review(BaseModel):
    """The comparison of the user's requests with the lines of a difference."""

    missing: list[str] = Field(
        default_factory=list, description="what the user asked for and no line does, in the user's words"
    )
    unasked: list[int] = Field(
        default_factory=list, description="the numbers of the lines that nothing in the user's words asks for"
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a review found: the numbers (from 0) of lines that nobody asked for, and what is missing.

    It can only add a question or another round of planning. `failed` says why there was no review.
    """

    unasked: tuple[int, ...] = ()
    missing: tuple[str, ...] = ()
    failed: str = ""

    @property
    def doubts(self) -> bool:
        """Whether it found anything, or could not be made."""
        return bool(self.unasked or self.missing or self.failed)


async def second_look(
    model: BaseChatModel, said: Sequence[str], lines: Sequence[str], *, impossible: str = ""
) -> Verdict:
    """One structured call: the user's messages of this request, oldest first, beside the lines of the difference.

    `impossible` is what the user is told cannot be done: it is not missing.
    Never raises for what the model answers, or for a model that fails: `Verdict.failed` then says so.
    """
    from graphwright.models import ModelFailure, astructured

    shown = [line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + "…" for line in lines[:MOST_LINES]]
    inputs = {"said": list(said), "lines": shown, "more": max(0, len(lines) - len(shown)), "impossible": impossible}
    messages = _prompts().messages(PROMPT, inputs)
    try:
        review = await astructured(model, Review, messages)
    except ModelFailure as error:
        return Verdict(failed=error.message)
    unasked = dict.fromkeys(number - 1 for number in review.unasked if 1 <= number <= len(shown))
    missing = dict.fromkeys(text.strip() for text in review.missing if text.strip())
    return Verdict(tuple(unasked), tuple(missing))
