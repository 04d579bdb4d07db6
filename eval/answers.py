"""What a reply must name and must not name, and whether a reply refuses or asks."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, Field

_REFUSES = re.compile(
    r"\?|？|できません|ありません|わかりません|分かりません"
    r"|\b(?:can ?not|can['’]t|could ?n[o'’]t|unable|sorry|do(?:es)?(?: not|n['’]t)|no such|there (?:is|are) no"
    r"|not (?:found|possible|available|clear|allowed)|outside|out of scope|unclear|contradict\w*|ambiguous"
    r"|nothing was|please|nicht|kein\w*|leider|widerspr\w*)\b",
    re.IGNORECASE,
)
"""Words by which a reply refuses, or asks. Whoever has written nothing and says something else claims to be done."""


class Answer(BaseModel):
    """What a reply must name and must not name; a list in `names` is one of several spellings."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    names: list[str | list[str]] = Field(default_factory=list)
    never: list[str] = Field(default_factory=list, alias="not")

    def lacks(self, reply: str) -> list[str]:
        """What is wrong with a reply, in words; empty when nothing is."""
        spellings = [[each] if isinstance(each, str) else each for each in self.names]
        missing = [each[0] for each in spellings if not any(names(reply, name) for name in each)]
        wrong = [name for name in self.never if names(reply, name)]
        told = [f"the answer does not name {', '.join(missing)}"] if missing else []
        return told + ([f"the answer names {', '.join(wrong)}"] if wrong else [])


def names(text: str, name: str) -> bool:
    """Whether a text names this key or value: as a word of its own, whatever the case."""
    # "T-1" is neither in "T-10" nor in "T-1-a"; the dot that ends a sentence belongs to no key.
    pattern = rf"(?<![^\W_])(?<![^\W_][-.@]){re.escape(name)}(?![^\W_])(?![-.@][^\W_])"
    return re.search(pattern, text, re.IGNORECASE) is not None


def refuses(reply: str) -> bool:
    """Whether a reply refuses, or asks."""
    return _REFUSES.search(reply) is not None
