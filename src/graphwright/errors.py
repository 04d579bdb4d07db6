"""Errors for people: the base classes from which every error of the project derives.

GraphwrightError            code, message, hint: one paragraph that a person can act on
└── UsageError              what was asked for does not exist or does not fit: an unknown name, a missing file

The parts add their own below these: `graphwright.models`, `graphwright.store` and `graphwright.runtime`.
"""

from __future__ import annotations


class GraphwrightError(Exception):
    """What went wrong, where and why (`message`), and what to do about it (`hint`).

    `code` is a stable, lower-case name for programs (`unknown_agent`); `message` is one or two sentences without
    markup; `hint` may be empty. None of them ever holds a secret.
    """

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint

    def to_json(self) -> dict[str, str]:
        """The public JSON form, the `error` of a turn: `{code, message, hint}`."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class UsageError(GraphwrightError):
    """The request itself cannot be met: it names something that does not exist, or its parts do not fit together."""
