"""What stands in the way of a goal: a code, words for model and user, and what the user could choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Option:
    """A way out, in words.

    `patch` are the arguments of the call that it replaces, `agree` a key that the user agrees to have created, and
    `settles` values that are out (the names) and what stands for them.
    """

    text: str
    patch: Mapping[str, Any] = field(default_factory=dict)
    agree: str = ""
    settles: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"text": self.text, "patch": dict(self.patch), "agree": self.agree, "settles": dict(self.settles)}


class Problem(Exception):
    """A call that cannot be made, or a goal that cannot be understood. `about` is the key or name it is about."""

    def __init__(self, code: str, message: str, *, options: tuple[Option, ...] = (), about: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.options = options
        self.about = about

    def to_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "message": self.message,
            "options": [option.to_json() for option in self.options],
            "about": self.about,
        }
