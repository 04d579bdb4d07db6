"""What a step is told from outside, and what it records: the only things that deciding code sees beside the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from graphwright.engine.commands import Command, Needs, Result
from graphwright.engine.events import AnswerCommitted, AnswerUnknown, ConfirmationGiven, TraceEvent
from graphwright.engine.walk_events import AnswerDropped, PathCorrected, PathLocked, PathSwitched, PathVoted
from graphwright.errors import GraphwrightError
from graphwright.flow.compiled import CompiledFlow, Question

_OF_THE_STATE = (
    *(AnswerCommitted, AnswerUnknown, AnswerDropped, ConfirmationGiven),
    *(PathVoted, PathSwitched, PathLocked, PathCorrected),
)


@dataclass(frozen=True, slots=True)
class KnownOutcome:
    """What is known of the visit that is due: it was begun and may be done, or its contract is `broken` (`error`)."""

    broken: bool
    attempt: int
    error: Mapping[str, Any] = field(default_factory=dict)


class ValidatorFailed(Exception):
    """A validator of the agent raised an exception. The message is what it said."""


@dataclass(slots=True)
class TurnMemory:
    """What the steps of one turn tell each other, beside the state of the thread.

    `repeated` is the visit that the user wants performed again although it may have been done; `dropped` has the values
    of dropped answers in words, by their dotted keys.
    """

    repeated: int = 0
    dropped: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a step is told. The same facts, state and input give the same events on every machine.

    `now` is the time at which the turn began, in the zone of the machine; `token` is random and names a new thread.
    `contents` are large values, or the errors of reading them, by their hashes. `tries_again` says that the last turn
    failed, `outcome` what is known of the visit that is due. `performed` counts the actions that the turn came to;
    `earlier` are its events before this step, as JSON. `check` runs a named validator on a value; it raises
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
    earlier: Sequence[Mapping[str, Any]] = ()


@dataclass(slots=True)
class Recorder:
    """The events of one run of a step. `given` are the results of commands that earlier runs of it needed."""

    facts: Facts
    given: list[Result] = field(default_factory=list)
    events: list[TraceEvent] = field(default_factory=list)
    error: GraphwrightError | None = None
    """Why the turn failed."""
    exception: BaseException | None = None
    """What it failed with: another exception than `error` where that only reports it."""

    @property
    def flow(self) -> CompiledFlow:
        return self.facts.flow

    def need(self, command: Command) -> Any:
        """The result of a command. Raises its error, and Needs where it has not been executed yet."""
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

    def take_back(self, since: int) -> list[int]:
        """Take back what events since number `since` say of the state: it stays as it was before them.

        The others stay in the trace: they tell how it came to that. Returns the former numbers of those that are left.
        """
        kept = [i for i, event in enumerate(self.events) if i < since or not isinstance(event, _OF_THE_STATE)]
        self.events[:] = [self.events[i] for i in kept]
        return kept
