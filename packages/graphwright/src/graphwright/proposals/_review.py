"""A review by the model of planned changes, in a separate prompt."""

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
"""The maximum number of lines for the model; the caller puts the most important first, such as deletions."""
LONGEST_LINE = 500


_prompts = cache(PromptLibrary)
"""Cached, because compiling the template takes longer than the rest of the review."""


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
    """The result of a review: the indexes (from 0) of lines that no one requested, and the missing requests.

    It can only add a question or another round of planning. `failed` is the reason for a missing review.
    """

    unasked: tuple[int, ...] = ()
    missing: tuple[str, ...] = ()
    failed: str = ""

    @property
    def doubts(self) -> bool:
        """Whether it found anything, or failed."""
        return bool(self.unasked or self.missing or self.failed)


async def second_look(
    model: BaseChatModel,
    said: Sequence[str],
    lines: Sequence[str],
    *,
    impossible: str = "",
    before: Sequence[str] = (),
    later: Sequence[str] = (),
) -> Verdict:
    """One structured call: the user's messages of this request, oldest first, and the lines of the difference.

    `impossible` is the text for the user about impossible requests, which are not missing. `before` are earlier
    messages of the user, which those of this request may refer to; `later` are orders of this request that come after
    these lines, each with its own lines. Does not raise for any answer or failure of the model: `Verdict.failed` is the
    reason then.
    """
    from graphwright.models import ModelFailure, astructured

    shown = [line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + "…" for line in lines[:MOST_LINES]]
    inputs = {"said": list(said), "lines": shown, "more": max(0, len(lines) - len(shown)), "impossible": impossible}
    inputs |= {"before": list(before), "later": list(later)}
    messages = _prompts().messages(PROMPT, inputs)
    try:
        review = await astructured(model, Review, messages)
    except ModelFailure as error:
        return Verdict(failed=error.message)
    unasked = dict.fromkeys(number - 1 for number in review.unasked if 1 <= number <= len(shown))
    missing = dict.fromkeys(text.strip() for text in review.missing if text.strip())
    return Verdict(tuple(unasked), tuple(missing))
