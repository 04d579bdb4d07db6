"""The events of a walk and of path votes.

They are not frozen, because a walk makes about three per node and a frozen dataclass takes three times as long to make.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from graphwright.flow.compiled import Channel
from graphwright.flow.guards import Guard, Verdict

PRIVATE = "<private>"
"""Replaces the value of a private channel in a trace."""


class _Event:
    __slots__ = ()
    type: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """The public JSON form: `type`, then the fields in their order."""
        fields = {name: getattr(self, name) for name in self.__match_args__}  # type: ignore[attr-defined]
        return {"type": self.type, **{n: list(v) if isinstance(v, tuple) else v for n, v in fields.items()}}


@dataclass(slots=True)
class NodeEntered(_Event):
    """The walk entered a node. `depth` is the number of subgraph calls around it."""

    type: ClassVar[Literal["node_entered"]] = "node_entered"
    node: str
    kind: str
    graph: str
    depth: int


@dataclass(slots=True)
class QuestionPassed(_Event):
    """A question was passed over: `answered`, `declined` or `not_applicable`. `key` is that of its answer, dotted."""

    type: ClassVar[Literal["question_passed"]] = "question_passed"
    node: str
    key: str
    reason: str


def _shown(value: Any, channel: Channel | None) -> Any:
    if channel is None:
        return value
    if channel.private:
        return PRIVATE
    return _size(value) if channel.large else value


def _size(value: Any) -> Any:
    match value:
        case str():
            return f"<{len(value):,} characters>"
        case Mapping() | list() | tuple():
            return f"<{len(value):,} entries>"
    return value


@dataclass(slots=True)
class GuardChecked(_Event):
    """A guard was evaluated. `of` is the edge id, `NODE.when`, or `NODE.confirm` for the `when` of a confirmation.

    `guard` is its text. `saw` are the values of the names it reads; a name without a value is left out. A large channel
    shows only its size, a private one nothing at all. `missing` are the answers it reads that were not given.
    """

    type: ClassVar[Literal["guard_checked"]] = "guard_checked"
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


def evaluated(
    of: str, guard: Guard, values: Mapping[str, Any], channels: Mapping[str, Channel]
) -> tuple[Verdict, GuardChecked]:
    """Evaluate a guard. An error message that may quote a private value is replaced."""
    verdict = guard.evaluate(values)
    if verdict.error and not verdict.missing:
        heads = (name.partition(".")[0] for name in guard.reads)
        private = sorted({h for h in heads if (channel := channels.get(h)) is not None and channel.private})
        if private:
            verdict = Verdict(None, f"cannot be evaluated (it reads the private {' and '.join(private)})")
    saw = _seen(guard, values, channels)
    return verdict, GuardChecked(of, guard.text, verdict.opens, saw, verdict.missing, verdict.error)


def _seen(guard: Guard, values: Mapping[str, Any], channels: Mapping[str, Channel]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, head, rest in guard.read_paths:
        if head not in values:
            continue
        level: Any = values[head]
        for part in rest:
            if not isinstance(level, Mapping) or part not in level:
                break
            level = level[part]
        else:
            found[name] = _shown(level, channels.get(head))
    return found


@dataclass(slots=True)
class EdgeTaken(_Event):
    """The walk took an edge. `also_open` names the other edges that were open and were not taken."""

    type: ClassVar[Literal["edge_taken"]] = "edge_taken"
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
class SubgraphEntered(_Event):
    """A subgraph was called."""

    type: ClassVar[Literal["subgraph_entered"]] = "subgraph_entered"
    node: str
    ref: str
    scope: str = ""


@dataclass(slots=True)
class SubgraphLeft(_Event):
    """A subgraph returned to the node that had called it."""

    type: ClassVar[Literal["subgraph_left"]] = "subgraph_left"
    node: str
    ref: str


@dataclass(slots=True)
class AnswerDropped(_Event):
    """A question dropped its answer; `path` leads to it inside `answers`.

    Without a `reason` the question is asked at each entry. Otherwise the answer no longer holds after a change, and
    `reason` is what it violates: `options`, `when` or `validate`. `value` is what it was, `because` what changed.
    """

    type: ClassVar[Literal["answer_dropped"]] = "answer_dropped"
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
class QuestionsReopened(_Event):
    """Questions that did not apply when the flow passed them apply now; they are asked. `keys` are dotted."""

    type: ClassVar[Literal["questions_reopened"]] = "questions_reopened"
    keys: tuple[str, ...]


@dataclass(slots=True)
class ChannelsStale(_Event):
    """Answers changed that the action `node` had read, so that its `channels` do not fit them; `because` names them."""

    type: ClassVar[Literal["channels_stale"]] = "channels_stale"
    node: str
    channels: tuple[str, ...]
    because: tuple[str, ...]


@dataclass(slots=True)
class ConstraintUnmet(_Event):
    """A terminal was reached while something still has to hold; `asks` is the key asked for, if one can be."""

    type: ClassVar[Literal["constraint_unmet"]] = "constraint_unmet"
    node: str
    keys: tuple[str, ...]
    asks: str
    message: str


@dataclass(slots=True)
class Jumped(_Event):
    """The walk left its way for `target`, because of `reason`.

    `asked_again` and `computed_again`: `source` reads an answer that was dropped or withdrawn, or a channel that is
    stale; the walk returns to it.
    """

    type: ClassVar[Literal["jumped"]] = "jumped"
    source: str
    target: str
    reason: str


@dataclass(slots=True)
class PathVoted(_Event):
    """The model named a path. `counted` says whether that was a vote; if not, `reason` is `unsure` or `locked`.

    `votes` are those of all paths afterwards, `tentative` is the path that they speak for, `threshold` what one path
    needs to be locked. `confidence` is None where the model gave none that means anything.
    """

    type: ClassVar[Literal["path_voted"]] = "path_voted"
    path: str
    confidence: float | None
    counted: bool
    votes: dict[str, float]
    tentative: str
    threshold: float
    rationale: str
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        out = _Event.to_json(self)
        if self.counted:
            del out["reason"]
        return out


@dataclass(slots=True)
class PathSwitched(_Event):
    """Before any path was locked, another one took the lead."""

    type: ClassVar[Literal["path_switched"]] = "path_switched"
    before: str
    path: str


@dataclass(slots=True)
class PathLocked(_Event):
    """A path was chosen: from now on only the user's own correction changes it."""

    type: ClassVar[Literal["path_locked"]] = "path_locked"
    path: str


@dataclass(slots=True)
class PathCorrected(_Event):
    """The user corrected the choice: `path` is locked now instead of the one before."""

    type: ClassVar[Literal["path_corrected"]] = "path_corrected"
    before: str
    path: str


@dataclass(slots=True)
class PathRefused(_Event):
    """The model named a path in vain: it is `unknown`, or one of `several` that it named for one reply."""

    type: ClassVar[Literal["path_refused"]] = "path_refused"
    path: str
    reason: str
    rationale: str = ""


PathEvent = PathVoted | PathSwitched | PathLocked | PathCorrected | PathRefused

Event = (
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
