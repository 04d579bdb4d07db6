"""The facts that a step gets from its host, and the recorder of its events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphwright.engine.commands import Extract, Needs, Perform, Result
from graphwright.engine.events import PathSwitched, Prompted, TraceEvent
from graphwright.engine.state import CHANGING, ThreadState, applied
from graphwright.errors import GraphwrightError
from graphwright.flow.compiled import CompiledFlow, Question

if TYPE_CHECKING:
    from graphwright.engine.questions import UserQuestion

_TAKEN_BACK = (*(kind for kind in CHANGING if kind is not Prompted), PathSwitched)


@dataclass(frozen=True, slots=True)
class KnownOutcome:
    """The stored outcome of a visit that was begun before: it may be done, or its contract is `broken` by `error`."""

    broken: bool
    attempt: int
    error: Mapping[str, Any] = field(default_factory=dict)


class ValidatorFailed(Exception):
    """A validator of the agent raised an exception, whose text is the message."""


@dataclass(slots=True)
class TurnMemory:
    """Data that the steps of one turn share and that is not part of the thread's state.

    `repeated` is the visit that the user wants performed again although it may have been done; `dropped` has the values
    of dropped answers in words, by their dotted keys. The next prompt reports the committed values in `noted`, and
    answers the user's questions in `asked`. `replied_to` is the hash of the prompt of the confirmation that the message
    answered with something other than yes or no; otherwise empty. `stale` are the names whose changes, also in earlier
    turns, made channels stale that were computed again in this turn.
    """

    repeated: int = 0
    replied_to: str = ""
    dropped: dict[str, str] = field(default_factory=dict)
    noted: dict[str, str] = field(default_factory=dict)
    asked: list[UserQuestion] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)

    def copy(self) -> TurnMemory:
        """A copy that can be changed independently."""
        return replace(
            self, dropped=dict(self.dropped), noted=dict(self.noted), asked=list(self.asked), stale=list(self.stale)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything a step reads except the state and the input. Equal arguments give equal events on every machine.

    `now` is the start of the turn, in the zone of the machine; `token` is random and identifies a new thread.
    `contents` maps hashes to large values, or to the errors of reading them. `tries_again`: the last turn failed.
    `outcome` is the stored outcome of the next visit. `performed` counts the actions of the turn so far; `earlier` are
    the events of its earlier steps. `check` runs the validator of a question on a value; it raises
    ValidatorFailed, and GraphwrightError for a validator that does not exist.
    """

    flow: CompiledFlow
    thread: str
    now: datetime
    token: str
    check: Callable[[Question, Any], bool]
    memory: TurnMemory = field(default_factory=TurnMemory)
    contents: Mapping[str, Any] = field(default_factory=dict)
    without_model: bool = False
    tries_again: bool = False
    outcome: KnownOutcome | None = None
    performed: int = 0
    earlier: Sequence[TraceEvent] = ()


@dataclass(slots=True)
class Recorder:
    """The events of one run of a step. `given` are the results of commands that earlier runs of it needed."""

    facts: Facts
    given: list[Result] = field(default_factory=list)
    events: list[TraceEvent] = field(default_factory=list)
    error: GraphwrightError | None = None
    """Why the turn failed."""
    exception: BaseException | None = None
    """The exception behind `error`."""

    @property
    def flow(self) -> CompiledFlow:
        return self.facts.flow

    def need(self, command: Extract | Perform) -> Any:
        """The result of a command. Raises the error of the command, or Needs if it has not been executed yet."""
        if not self.given:
            raise Needs(command)
        result = self.given.pop(0)
        self.emit(*result.observed)
        if result.error is not None:
            raise result.error
        return result.value

    def emit(self, *events: TraceEvent) -> None:
        """Record events."""
        self.events += events

    def record(self, state: ThreadState, *events: TraceEvent) -> ThreadState:
        """Record events, and return the state after them."""
        self.emit(*events)
        return applied(state, events)

    def take_back(self, since: int) -> None:
        """Remove the events since number `since` that change the state. The others explain the failure in the trace."""
        self.events[since:] = [event for event in self.events[since:] if not isinstance(event, _TAKEN_BACK)]
