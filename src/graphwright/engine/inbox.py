"""The input of a turn, and the pending question of a thread."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphwright.engine.wording import shown
from graphwright.errors import UsageError
from graphwright.flow.schema_validation import plain_json

LONGEST_MESSAGE = 100_000
"""Characters: a longer message is refused, since no question could use it and every prompt would carry it."""


@dataclass(frozen=True, slots=True)
class Inbox:
    """The input of a turn: a text, a value for the pending question (`resume`), or neither (`start`); and files.

    `approves` is the hash of the content that a yes confirms. If it is empty, a yes confirms nothing; if it is None, a
    yes confirms the present content.
    """

    text: str | None = None
    value: Any = None
    has_value: bool = False
    files: tuple[dict[str, Any], ...] = ()
    approves: str | None = None

    @classmethod
    def of_text(cls, text: str, approves: str | None = None) -> Inbox:
        """A message. Raises UsageError for one that is empty or too long."""
        if not text.strip():
            raise UsageError("empty_message", "the message is empty", "Say something.")
        if len(text) > LONGEST_MESSAGE:
            raise UsageError(
                "long_message",
                f"the message has {len(text):,} characters; at most {LONGEST_MESSAGE:,} are taken",
                "Shorten it, or say it in parts.",
            )
        # Databases and providers take no lone surrogates, and some end a text at a NUL.
        return cls(text=text.encode("utf-8", "replace").decode().replace("\0", "\ufffd"), approves=approves)

    @classmethod
    def of_value(cls, value: Any, approves: str | None = None) -> Inbox:
        """A value that answers the waiting question. Raises UsageError for one that is not JSON."""
        return cls(value=plain_value(value), has_value=True, approves=approves)

    def to_json(self) -> dict[str, Any]:
        full = {"text": self.text, "value": self.value, "has_value": self.has_value}
        bound = {} if self.approves is None else {"approves": self.approves}
        return {**full, **bound, "files": list(self.files)} if self.files else full | bound

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Inbox:
        return cls(**{**data, "files": tuple(data.get("files", ()))})

    @property
    def message(self) -> str | None:
        return self.text if not self.has_value else shown(self.value).strip("“”")


def plain_value(value: Any) -> Any:
    """The value as JSON has it. Raises UsageError (`not_json`)."""
    try:
        return json.loads(plain_json(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            "not_json", f"the value is not JSON: {error}", "Give a text, a number or other JSON."
        ) from None
