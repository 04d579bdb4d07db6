"""The input of a turn, and the pending question of a thread."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from graphwright.engine.sentences import shown
from graphwright.errors import UsageError
from graphwright.flow.schema_validation import plain_json

MOST_FILES = 50
"""Files that a thread can be given."""

LONGEST_MESSAGE = 100_000
"""Characters: a longer message is refused, since no question could use it and every prompt would carry it."""


WaitingKind = Literal["question", "confirm", "choice", "message"]


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


@dataclass(frozen=True, slots=True)
class WaitingFor:
    """The pending question of a thread. Kind `message`: the flow waits at no question and accepts any message.

    `options` are the choices, each `{value, title}`; a reply may name one by its number, from 1.
    """

    node: str
    key: str
    prompt: str
    kind: WaitingKind
    options: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        options = [dict(option) for option in self.options]
        return {"node": self.node, "key": self.key, "prompt": self.prompt, "kind": self.kind, "options": options}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WaitingFor:
        """As `to_json` gives it, or as the description of a thread does, which has more fields."""
        options = tuple(dict(option) for option in data["options"])
        return cls(data["node"], data["key"], data["prompt"], data["kind"], options)


def plain_value(value: Any) -> Any:
    """The value as JSON has it. Raises UsageError (`not_json`)."""
    try:
        return json.loads(plain_json(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            "not_json", f"the value is not JSON: {error}", "Give a text, a number or other JSON."
        ) from None


def with_files(known: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The files of a thread after it was given new ones: one that comes under a known name takes that one's place.

    Those that came together never replace each other, whatever their names. Raises UsageError when there are too many.
    """
    files: list[dict[str, Any]] = []
    coming = [file for place, file in enumerate(new) if file not in new[:place]]
    names = {file["name"] for file in coming}
    for file in known:
        if not file.get("folder"):
            files += [file] if file["name"] not in names else []
            continue
        taking = next((other for other in coming if _is_again(other, file)), file)
        # Code distinguishes files of the same name by their order, so keep it.
        files.append(taking)
        coming = [other for other in coming if other is not taking]
    files += coming
    if len(files) > MOST_FILES:
        raise UsageError(
            "too_many_files",
            f"a thread takes at most {MOST_FILES} files; this would be {len(files)}",
            "Begin a new thread.",
        )
    return tuple(files)


def _is_again(new: dict[str, Any], known: dict[str, Any]) -> bool:
    """Whether a file is another version of one of several that have its name."""
    origin = f"/{new.get('folder', '')}"
    return bool(new["name"] == known["name"]) and origin.endswith(f"/{known['folder']}")
