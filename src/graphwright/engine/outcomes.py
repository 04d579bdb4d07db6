"""The outcomes of a walk: a question to ask, an action to perform, an end, or stuck.

Like the events they are not frozen, for speed. They must not be changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from graphwright.engine.position import Position
from graphwright.engine.walk_events import Event, GuardChecked
from graphwright.flow.compiled import Action, Node, Question


class StuckReason(StrEnum):
    """Why a walk cannot go on."""

    NO_OPEN_EDGE = "no_open_edge"
    AMBIGUOUS = "ambiguous"
    CYCLE = "cycle"
    TOO_DEEP = "too_deep"
    TOO_LONG = "too_long"
    CONSTRAINT = "constraint"
    NO_PATH_CHOSEN = "no_path_chosen"


@dataclass(slots=True)
class Ask:
    """Wait for the answer to `node`. `message` is what an unmet constraint has to say before the prompt."""

    node: Question
    position: Position
    message: str = ""


@dataclass(slots=True)
class Perform:
    """Perform `node`, then advance from `position.completed()`."""

    node: Action
    position: Position


@dataclass(slots=True)
class End:
    """The conversation has ended at `node`."""

    node: Node
    position: Position


@dataclass(slots=True)
class Stuck:
    """No way on from `node`. `guards` are the guards that were tried there, with what they saw."""

    node: Node
    reason: StuckReason
    message: str
    position: Position
    guards: tuple[GuardChecked, ...] = ()


Outcome = Ask | Perform | End | Stuck


@dataclass(slots=True)
class Step:
    """The outcome of a walk and the events of the way, in order."""

    outcome: Outcome
    events: tuple[Event, ...]
