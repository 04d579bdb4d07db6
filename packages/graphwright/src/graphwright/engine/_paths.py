"""Choosing a path: votes of a model that add up and decay, the lock, and where to continue after a correction."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graphwright.engine._position import Position
from graphwright.engine.events import PathCorrected, PathEvent, PathLocked, PathRefused, PathSwitched, PathVoted
from graphwright.flow.compiled import CHOSEN_PATH, Call, CompiledFlow, PathPolicy

_PARTS = 1_000_000
"""Votes are kept to a millionth."""


@dataclass(frozen=True, slots=True)
class PathState:
    """How far the choice is: `votes` by path (none is above the threshold), the `tentative` path, the `locked` one.

    `rationale` is why the last vote that counted was cast. Paths without a vote are not in `votes`.
    """

    votes: Mapping[str, float] = field(default_factory=dict)
    tentative: str = ""
    locked: str = ""
    rationale: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain JSON without empty fields."""
        full = {
            "votes": dict(self.votes),
            "tentative": self.tentative,
            "locked": self.locked,
            "rationale": self.rationale,
        }
        return {name: value for name, value in full.items() if value}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PathState:
        return cls(**data)


def vote(
    policy: PathPolicy,
    paths: Collection[str],
    state: PathState,
    path: Any,
    confidence: Any = None,
    *,
    rationale: str = "",
    correction: bool = False,
) -> tuple[PathState, tuple[PathEvent, ...]]:
    """Cast one vote for `path`; gives the new state and what happened. `state` is only read.

    A vote weighs 1, and what the others have is multiplied by `decay`. A confidence is a number from 0 to 1; none at
    all, or anything else, says nothing, and the vote counts. Once a path is locked no vote counts, unless the user
    makes a `correction`: that locks the new path at once, however unsure the model is. A path that is not among
    `paths` is refused.
    """
    if not isinstance(path, str) or path not in paths:
        return state, (PathRefused(str(path)[:80], "unknown", rationale),)
    sure = _confidence(confidence)
    corrects = correction and bool(state.locked)
    if sure is not None and sure < policy.min_confidence and not corrects:
        reason = "unsure"
    elif state.locked and (state.locked == path or not corrects):
        reason = "locked"
    else:
        reason = ""
    if reason:
        votes, threshold = dict(state.votes), policy.lock_threshold
        return state, (PathVoted(path, sure, False, votes, state.tentative, threshold, rationale, reason),)
    if state.locked:
        new = PathState({path: policy.lock_threshold}, path, path, rationale)
    else:
        new = _counted(policy, state, path, rationale, correction=correction)
    cast = PathVoted(path, sure, True, dict(new.votes), new.tentative, policy.lock_threshold, rationale)
    events: list[PathEvent] = [cast]
    if state.locked:
        events.append(PathCorrected(state.locked, path))
    else:
        if state.tentative and new.tentative != state.tentative:
            events.append(PathSwitched(state.tentative, path))
        if new.locked:
            events.append(PathLocked(path))
    return new, tuple(events)


def _counted(policy: PathPolicy, state: PathState, path: str, rationale: str, *, correction: bool) -> PathState:
    """The state after a vote before the lock."""
    votes = {other: left for other, had in state.votes.items() if other != path and (left := _faded(had, policy.decay))}
    votes[path] = min(round((state.votes.get(path, 0.0) + 1) * _PARTS) / _PARTS, policy.lock_threshold)
    tentative = state.tentative or path
    if tentative != path:
        # A tie changes nothing: who leads keeps the lead.
        ahead = policy.allow_switch_before_lock and votes[path] > votes.get(tentative, 0.0)
        tentative = path if ahead or correction else tentative
    locked = path if tentative == path and votes[path] >= policy.lock_threshold else ""
    return PathState(votes, tentative, locked, rationale)


def _faded(votes: float, decay: float) -> float:
    """The votes after decay, rounded down, so that two paths named alternately never reach the threshold."""
    return math.floor(votes * decay * _PARTS + 1e-3) / _PARTS


def _confidence(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 else None


def with_event(state: PathState, event: PathEvent) -> PathState:
    """The state after one event. Folding it over the events of a conversation gives the present choice."""
    match event:
        case PathVoted(counted=True):
            return replace(state, votes=event.votes, tentative=event.tentative, rationale=event.rationale)
        case PathLocked() | PathCorrected():
            return replace(state, locked=event.path)
    return state


def reenter(flow: CompiledFlow, position: Position, path: str) -> Position | None:
    """Return where to continue after a correction to `path`, or None if the position is not inside another path.

    That is the outermost open call of `$active_path` that entered another subgraph than the one of `path`: it is
    entered again, and everything inside it is left.
    """
    ref = flow.paths[path].ref
    for depth, (frame, inner) in enumerate(zip(position.frames, position.frames[1:], strict=False), 1):
        node = flow.nodes[frame.node]
        if isinstance(node, Call) and node.ref == CHOSEN_PATH and inner.graph != ref:
            return position._replace(frames=position.frames[:depth], done=False)
    return None


@dataclass(frozen=True, slots=True)
class Selection:
    """A path that the model named. It is not validated yet."""

    path: Any
    confidence: Any = None
    rationale: str = ""
    correction: bool = False


@dataclass(frozen=True, slots=True)
class Voted:
    """The choice of a path after a reply. `counted`: its vote counted; `corrected`: it moved the lock."""

    paths: PathState
    events: tuple[PathEvent, ...] = ()
    counted: bool = False
    corrected: bool = False


def count_votes(flow: CompiledFlow, before: PathState, selected: Sequence[Selection]) -> Voted:
    """Count the selections of one message: one vote, also if repeated; no vote if it names two paths."""
    known: dict[str, Selection] = {}
    refused: list[PathEvent] = []
    for each in selected:
        if isinstance(each.path, str) and each.path in flow.paths:
            known.setdefault(each.path, each)
        else:
            refused.append(PathRefused(str(each.path)[:80], "unknown", each.rationale))
    if len(known) > 1:
        refused += [PathRefused(path, "several", each.rationale) for path, each in known.items()]
    if len(known) != 1:
        return Voted(before, tuple(refused))
    ((path, chosen),) = known.items()
    other = before.tentative not in ("", path)
    after, events = vote(
        flow.path_policy,
        flow.paths,
        before,
        path,
        chosen.confidence,
        rationale=chosen.rationale,
        correction=other and chosen.correction,
    )
    corrected = bool(before.locked) and after.locked != before.locked
    return Voted(after, (*refused, *events), after is not before, corrected)
