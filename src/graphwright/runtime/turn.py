"""What a turn takes in, and its result: what the CLI prints, the service returns and the tests compare."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from graphwright.errors import UsageError
from graphwright.runtime.sentences import shown
from graphwright.runtime.validation import plain_json

LONGEST_MESSAGE = 100_000
"""Characters: a longer message is refused, since no question could use it and every prompt would carry it."""

Status = Literal["waiting", "ended", "failed"]
WaitingKind = Literal["question", "confirm", "choice", "message"]


@dataclass(frozen=True, slots=True)
class Inbox:
    """What came in: a text, a value for the waiting question (`resume`), or neither (`start`); and files with it.

    `approves` is the hash of what a yes in it is about, empty where no yes is to confirm anything, and None where a yes
    confirms what there is.
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
    """What the thread waits for. `message` is any message at all: the flow waits at no question.

    `options` are what can be chosen, each `{value, title}`; a reply may name one by its number, from 1.
    """

    node: str
    key: str
    prompt: str
    kind: WaitingKind
    options: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "options": [dict(option) for option in self.options]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WaitingFor:
        """As `to_json` gives it, or as a state tells it, which says more."""
        return cls(data["node"], data["key"], data["prompt"], data["kind"], tuple(data["options"]))


@dataclass(frozen=True, slots=True)
class TurnError:
    """Why a turn failed: a stable code, what happened, and what to do."""

    code: str
    message: str
    hint: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that an action made: `kind` such as `plot` or `table`, a name for people, and its path."""

    kind: str
    name: str
    path: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Refused:
    """A value of the reply that was not taken: for which answer, what refused it (as in the event), and why."""

    key: str
    stage: str
    reason: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TurnUsage:
    """What a turn cost."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "seconds": round(self.seconds, 3)}


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn, from the user's message to the next time the flow waits or ends.

    `path` lists every node entered, in order; `values` holds `answers` and the channels that are not private. `unread`
    is the message that was sent, where an earlier one had been cut short and this turn answers that: it must be sent
    again. `refused` are values that the user gave and that were not taken.
    """

    thread: str
    agent: str
    status: Status
    reply: str
    waiting_for: WaitingFor | None
    path: tuple[str, ...]
    values: dict[str, Any]
    artifacts: tuple[Artifact, ...] = ()
    usage: TurnUsage = field(default_factory=TurnUsage)
    error: TurnError | None = None
    unread: str = ""
    refused: tuple[Refused, ...] = ()
    exception: BaseException | None = field(default=None, compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        unread = {"unread": self.unread} if self.unread else {}
        refused = {"refused": [each.to_json() for each in self.refused]} if self.refused else {}
        return {
            "thread": self.thread,
            "agent": self.agent,
            "status": self.status,
            "reply": self.reply,
            "waiting_for": self.waiting_for.to_json() if self.waiting_for else None,
            "path": list(self.path),
            "values": self.values,
            "artifacts": [a.to_json() for a in self.artifacts],
            "usage": self.usage.to_json(),
            "error": self.error.to_json() if self.error else None,
            **unread,
            **refused,
        }


def plain_value(value: Any) -> Any:
    """The value as JSON has it. Raises UsageError (`not_json`)."""
    try:
        return json.loads(plain_json(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            "not_json", f"the value is not JSON: {error}", "Give a text, a number or other JSON."
        ) from None
