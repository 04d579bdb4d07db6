"""The decisions on the way of a conversation, and those that a correction changes: the flow goes on from the first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.engine._advance import Ask, Perform, Step, busy_places, choice
from graphwright.engine._dependent_answers import Place, Redo, first_redo, is_pending
from graphwright.engine._position import Frame, Position, Taken
from graphwright.engine.events import Jumped
from graphwright.engine.state import ThreadState
from graphwright.flow._dependencies import leaving_reads, nodes_behind, signature_of, unscoped
from graphwright.flow.compiled import Action, Call, CompiledFlow, Question

EDITED = "$edited"
"""The name among the changes, and among what a decision read, that stands for an edit of the flow."""


@dataclass(frozen=True, slots=True)
class Turning:
    """Where the flow goes on instead: from a decision, or with what must be done before."""

    position: Position
    jumped: Jumped


@dataclass(frozen=True, slots=True)
class Compared:
    """What a walk has to do about the decisions before it.

    The first `kept` ones stay on the way. `is_open`: some cannot be compared with the values yet.
    """

    kept: int
    turning: Turning | None = None
    is_open: bool = False


def compared(
    flow: CompiledFlow, state: ThreadState, position: Position, step: Step, values: Mapping[str, Any]
) -> Compared:
    """Compare the decisions on the way with the values, after names in `state.changes` changed.

    `step` is the walk that would come next. A decision that it takes again, or will take when it leaves the calls in
    which it stops, is not compared. A decision that reads an answer that is asked again, or a channel that is computed
    again, is compared after that, which is done at once. Otherwise the flow goes on from the earliest decision that
    leads elsewhere now: what it led to is not part of the way any more.
    """
    if not state.changes or position.escaped:
        return Compared(len(state.way))
    ended = rounds_ended(flow, state.way, position, step)
    again = {taken.frames for taken in step.taken} | _calls_around(step)
    way = [(n, taken) for n, taken in enumerate(state.way) if n not in ended]
    due = list(_due(flow, [taken for _, taken in way if taken.frames not in again], values))
    if due:
        return Compared(len(state.way), _first_due(due, position, step), is_open=True)
    outcome = step.outcome
    if step.taken and isinstance(outcome, Ask) and outcome.position.top.detour:
        # The walk asks what a decision before it lacks. The decisions are compared after that.
        return Compared(len(state.way), is_open=True)
    changed = set(map(unscoped, state.changes))
    others = [(n, taken) for n, taken in way if _leads_elsewhere(flow, taken, values, changed)]
    if not others:
        return Compared(len(state.way))
    kept, back = others[0]
    if all(taken.frames in again for _, taken in others):
        return Compared(kept)
    jumped = Jumped(position.node, back.frames[-1].node, "went_back")
    return Compared(kept, Turning(Position(back.frames, True), jumped))


def rounds_ended(flow: CompiledFlow, way: Sequence[Taken], position: Position, step: Step) -> list[int]:
    """The numbers of the decisions on the way that belong to an earlier round: the walk begins another before them.

    They lie inside a call that is entered again, or behind a question that is asked and that every way to them passes.
    """
    places: list[tuple[Position, Collection[str]]] = []
    if not position.done and isinstance(flow.nodes[position.node], Call):
        places.append((position, {position.node}))
    outcome = step.outcome
    if way and isinstance(outcome, Ask) and not outcome.position.top.detour:
        places.append((outcome.position, nodes_behind(flow, outcome.node)))
    return [n for n, taken in enumerate(way) if any(_lies_in(taken, *place) for place in places)]


def _lies_in(taken: Taken, position: Position, nodes: Collection[str]) -> bool:
    """Whether a decision was taken in the graph of a position at one of these nodes, or in a call there."""
    depth = len(position.frames) - 1
    if len(taken.frames) <= depth or taken.frames[:depth] != position.frames[:depth]:
        return False
    return taken.frames[depth].node in nodes


def _calls_around(step: Step) -> set[tuple[Frame, ...]]:
    """The places of the calls in which a walk stops."""
    frames = step.outcome.position.frames if isinstance(step.outcome, Ask | Perform) else ()
    return {frames[:depth] for depth in range(1, len(frames))}


def _leads_elsewhere(flow: CompiledFlow, taken: Taken, values: Mapping[str, Any], changed: set[str]) -> bool:
    return not changed.isdisjoint(taken.reads) and choice(flow, taken, values) != taken.target


def _due(flow: CompiledFlow, way: Sequence[Taken], values: Mapping[str, Any]) -> Iterator[Redo]:
    """What has to be asked or computed again, without effects, before decisions can be compared."""
    for taken in way if is_pending(values) else ():
        top = taken.frames[-1]
        reads = leaving_reads(flow, flow.nodes[top.node])
        found = first_redo(flow, values, reads, top.scopes, busy=(), escaped=False)
        if found is not None and not (isinstance(found.node, Action) and signature_of(flow, found.node).effects):
            yield found


def _first_due(due: Sequence[Redo], position: Position, step: Step) -> Turning | None:
    """A detour to the first of them, unless the walk leads to one of them, or one is being asked or computed."""
    doing: set[Place] = busy_places(position.frames)
    if isinstance(step.outcome, Ask | Perform):
        doing |= busy_places(step.outcome.position.frames)
    if any((each.node.id, each.scopes) in doing for each in due):
        return None
    first, top = due[0], position.top
    reason = "asked_again" if isinstance(first.node, Question) else "computed_again"
    frame = Frame(first.node.graph, first.node.id, first.scopes, detour=True)
    frames = (*position.frames[:-1], top._replace(done=position.done), frame)
    return Turning(Position(frames), Jumped(top.node, first.node.id, reason))
