"""Names that a reply must and must not contain."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, Field

_Name = str | int
_LETTERS = "0-9A-Za-z\u00c0-\u024f"


class Answer(BaseModel):
    """Names that a reply must and must not contain; a list in `names` is one of several spellings."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    names: list[_Name | list[_Name]] = Field(default_factory=list)
    never: list[_Name] = Field(default_factory=list, alias="not")

    def lacks(self, reply: str) -> list[str]:
        """The errors of a reply, in words; empty if there are none."""
        spellings = [each if isinstance(each, list) else [each] for each in self.names]
        missing = [str(each[0]) for each in spellings if not any(names(reply, str(name)) for name in each)]
        wrong = [str(name) for name in self.never if names(reply, str(name))]
        told = [f"the answer does not name {', '.join(missing)}"] if missing else []
        return told + ([f"the answer names {', '.join(wrong)}"] if wrong else [])


def names(text: str, name: str) -> bool:
    """Whether a text names this key or value: as a separate word, ignoring case."""
    # "T-1" is neither in "T-10" nor in "T-1-a"; the dot at the end of a sentence is not part of a key. Scripts without
    # spaces write a key directly next to their characters.
    pattern = rf"(?<![{_LETTERS}])(?<![{_LETTERS}][-.@]){re.escape(name)}(?![{_LETTERS}])(?![-.@][{_LETTERS}])"
    return re.search(pattern, text, re.IGNORECASE) is not None
