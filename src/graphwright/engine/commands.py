"""Commands: what a step wants its host to do.

A step is a synchronous function of the thread's state, its input, its facts and the results it was given. If the result
of Extract or Perform is missing it raises `Needs`; the host executes the command and runs the step again with the
result. The second run produces the events of the first run again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphwright.engine.events import TraceEvent
from graphwright.errors import GraphwrightError, said
from graphwright.flow.compiled import Action

if TYPE_CHECKING:
    from graphwright.engine.proposals import Asked


@dataclass(frozen=True, slots=True)
class Extract:
    """Let a model read a message for `node`. The result is `Proposals`, or UnreadReply."""

    node: str
    asked: Asked


@dataclass(frozen=True, slots=True)
class Perform:
    """Perform an action under the number `visit`. The result is `Performed`, InDoubt, or what the action raised."""

    node: Action
    visit: int


@dataclass(frozen=True, slots=True)
class Continue:
    """Store the step, and run the next one: an action is due."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait for the user."""


@dataclass(frozen=True, slots=True)
class End:
    """The conversation has ended."""


@dataclass(frozen=True, slots=True)
class Fail:
    """The turn failed with `error`, which is for people; the thread waits. `cause` is what was raised."""

    error: GraphwrightError
    cause: BaseException | None


Command = Extract | Perform | Continue | Wait | End | Fail


@dataclass(frozen=True, slots=True)
class Performed:
    """The result of an action: channel values (large ones by hash), texts for the user, files `{kind, name, path}`."""

    values: Mapping[str, Any]
    said: tuple[str, ...] = ()
    artifacts: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """The value or the error of a command, and the events that were recorded while it was executed."""

    observed: tuple[TraceEvent, ...]
    value: Any = None
    error: Exception | None = None


class Needs(BaseException):
    """Ends the run of a step that needs the result of a command. Not an Exception, so that no step can handle it."""

    def __init__(self, command: Extract | Perform) -> None:
        super().__init__(command)
        self.command = command


class ActionContractError(GraphwrightError):
    """An action did what its declaration does not allow. It is not retried, because a retry would fail again."""


class ActionError(GraphwrightError):
    """An action failed at its last attempt."""


class InDoubt(Exception):
    """It is unknown whether an action that must not be repeated was done. The message begins the question about it."""

    def __init__(self, why: str, attempt: int) -> None:
        super().__init__(why)
        self.attempt = attempt


class UnreadReply(Exception):
    """The model that was to read a reply failed with `error`, which is for people."""

    def __init__(self, error: GraphwrightError) -> None:
        super().__init__(error)
        self.error = error


class TimedOut(TimeoutError):
    """The time limit of the node was over before the action was."""


def safe_message(error: BaseException, limit: int = 300) -> str:
    """The message of an exception on one line, with likely secrets removed.

    An exception that is not an error for people says its class, too: the text of a KeyError is a bare key.
    """
    text = said(error)
    name = type(error).__name__
    if not (isinstance(error, GraphwrightError) or name.startswith("_") or text == name):
        text = f"{name}: {text}"
    return text if len(text) <= limit else text[: limit - 1] + "…"
