"""The events of the walk and of path votes, which the walk and the paths create."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from typing import Any, ClassVar


class Event:
    """The base of the events: a `type` made from the class name (`turn_started`), and the fields as JSON.

    The JSON of a `sparse` class omits fields that have their defaults.
    """

    __slots__ = ()
    type: ClassVar[str]
    sparse: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        cls.type = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def to_json(self) -> dict[str, Any]:
        """The public JSON form: `type`, then the fields in their order."""
        known = self.__dataclass_fields__ if self.sparse else {}  # type: ignore[attr-defined]
        out: dict[str, Any] = {"type": self.type}
        for name in self.__match_args__:  # type: ignore[attr-defined]
            value = getattr(self, name)
            f = known.get(name)
            if f is None or value != (f.default if f.default_factory is MISSING else f.default_factory()):
                out[name] = list(value) if isinstance(value, tuple) else value
        return out


# Not frozen: a walk makes about three events for each node, and a frozen dataclass takes three times as long to make.


@dataclass(slots=True)
class NodeEntered(Event):
    """The walk entered a node. `depth` is the number of subgraph calls around it."""

    node: str
    kind: str
    graph: str
    depth: int


@dataclass(slots=True)
class QuestionPassed(Event):
    """A question was passed over: `answered`, `declined` or `not_applicable`. `key` is that of its answer, dotted."""

    node: str
    key: str
    reason: str


@dataclass(slots=True)
class GuardChecked(Event):
    """A guard was evaluated. `of` is the edge id, `NODE.when`, or `NODE.confirm` for the `when` of a confirmation.

    `guard` is its text. `saw` are the values of the names it reads; a name without a value is left out. A large channel
    shows only its size, a private one nothing at all. `missing` are the answers it reads that were not given.
    """

    of: str
    guard: str
    opened: bool
    saw: Mapping[str, Any]
    missing: tuple[str, ...] = ()
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {"type": self.type, "of": self.of, "guard": self.guard, "opened": self.opened}
        out["saw"] = self.saw
        if self.missing:
            out["missing"] = list(self.missing)
        elif self.error:
            out["error"] = self.error
        return out


@dataclass(slots=True)
class EdgeTaken(Event):
    """The walk took an edge. `also_open` names the other edges that were open and were not taken."""

    edge: str
    source: str
    target: str
    is_else: bool = False
    also_open: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {"type": self.type, "edge": self.edge, "source": self.source, "target": self.target}
        if self.is_else:
            out["else"] = True
        if self.also_open:
            out["ambiguous"] = True
            out["also_open"] = list(self.also_open)
        return out


@dataclass(slots=True)
class SubgraphEntered(Event):
    """A subgraph was called."""

    node: str
    ref: str
    scope: str = ""


@dataclass(slots=True)
class SubgraphLeft(Event):
    """A subgraph returned to the node that had called it."""

    node: str
    ref: str


@dataclass(slots=True)
class AnswerDropped(Event):
    """A question dropped its answer; `path` leads to it inside `answers`.

    Without a `reason` the question is asked at each entry. Otherwise the answer no longer holds after a change, and
    `reason` is what it violates: `options`, `when` or `validate`; or `undecided`: its `validate` reads an answer that
    may still be given. `value` is what it was, `because` what changed.
    """

    node: str
    path: tuple[str, ...]
    reason: str = ""
    value: Any = None
    because: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The dotted key of the answer."""
        return ".".join(self.path)

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {"type": self.type, "node": self.node, "key": self.key}
        if self.reason:
            out |= {"reason": self.reason, "value": self.value, "because": list(self.because)}
        return out


@dataclass(slots=True)
class QuestionsReopened(Event):
    """Questions that did not apply when the flow passed them apply now; they are asked. `keys` are dotted."""

    keys: tuple[str, ...]


@dataclass(slots=True)
class ChannelsStale(Event):
    """Answers changed that the action `node` had read, so that its `channels` do not fit them; `because` names them."""

    node: str
    channels: tuple[str, ...]
    because: tuple[str, ...]


@dataclass(slots=True)
class ConstraintUnmet(Event):
    """A terminal was reached while something still has to hold; `asks` is the key asked for, if one can be."""

    node: str
    keys: tuple[str, ...]
    asks: str
    message: str


@dataclass(slots=True)
class Jumped(Event):
    """The walk left its way for `target`, because of `reason`.

    `asked_again` and `computed_again`: `source` reads an answer that was dropped or withdrawn, or a channel that is
    stale; the walk returns to it. `went_back` (to a decision that leads elsewhere now) and
    `path_corrected`: the flow may come by actions that were done before.
    """

    source: str
    target: str
    reason: str


@dataclass(slots=True)
class PathVoted(Event):
    """The model named a path. `counted` says whether that was a vote; if not, `reason` is `unsure` or `locked`.

    `votes` are those of all paths afterwards, `tentative` is the path that they speak for, `threshold` what one path
    needs to be locked. `confidence` is None where the model gave none that means anything.
    """

    path: str
    confidence: float | None
    counted: bool
    votes: dict[str, float]
    tentative: str
    threshold: float
    rationale: str
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        out = Event.to_json(self)
        if self.counted:
            del out["reason"]
        return out


@dataclass(slots=True)
class PathSwitched(Event):
    """Before any path was locked, another one took the lead."""

    before: str
    path: str


@dataclass(slots=True)
class PathLocked(Event):
    """A path was chosen: from now on only the user's own correction changes it."""

    path: str


@dataclass(slots=True)
class PathCorrected(Event):
    """The user corrected the choice: `path` is locked now instead of the one before."""

    before: str
    path: str


@dataclass(slots=True)
class PathRefused(Event):
    """The model named a path in vain: it is `unknown`, or one of `several` that it named for one reply."""

    path: str
    reason: str
    rationale: str = ""


PathEvent = PathVoted | PathSwitched | PathLocked | PathCorrected | PathRefused

WalkEvent = (
    NodeEntered
    | QuestionPassed
    | GuardChecked
    | EdgeTaken
    | SubgraphEntered
    | SubgraphLeft
    | AnswerDropped
    | QuestionsReopened
    | ChannelsStale
    | ConstraintUnmet
    | Jumped
    | PathEvent
)
