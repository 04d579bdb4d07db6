"""The result of a turn: what the CLI prints, the service returns and the tests compare."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal

from graphwright.engine.events import TraceEvent
from graphwright.engine.state import WaitingFor

Status = Literal["waiting", "ended", "failed"]


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
    """A value of the reply that was refused: its answer, the check that refused it (as in the event), and why."""

    key: str
    stage: str
    reason: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TurnUsage:
    """The cost of a turn."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "seconds": round(self.seconds, 3)}


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn, from the user's message until the flow waits or ends.

    - `status`: `waiting`, `ended` or `failed`; a failed turn has an `error` with `code`, `message` and `hint`
    - `reply`: everything that the agent said in the turn, and the prompt that now waits
    - `waiting_for`: `node`, `key`, `prompt`, `kind` and `options` of the pending question, or None. `kind` is
      `question`, `confirm`, `choice`, or `message` if any message continues
    - `path`: every node entered, in order
    - `values`: `answers`, and the channels that are not private
    - `artifacts`: files that actions made: `kind`, `name`, `path`
    - `usage`: `model_calls`, `input_tokens`, `output_tokens`, `seconds`
    - `unread`: if this turn finished an interrupted one instead: the message that must be sent again
    - `refused`: rejected values of the message: `key`, `stage`, `reason`
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
        """Return the turn as plain data, as `graphwright ask --json` prints it."""
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


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The last event of a turn, with its result. Not part of the trace, from which the result is computed."""

    type: ClassVar[Literal["turn_ended"]] = "turn_ended"
    turn: Turn

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, **self.turn.to_json()}


Event = TraceEvent | TurnEnded
"""The events that `Session.stream` yields."""
