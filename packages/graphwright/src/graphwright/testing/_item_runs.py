"""The runs of a node with `map`, with chosen results of its actions: what the search for counterexamples tries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from graphwright.engine._advance import Perform as Due
from graphwright.engine._advance import advance
from graphwright.engine._position import Frame, Position, lookup, view
from graphwright.engine.events import ActionFailed, ActionFinished, ActionStarted, NodeEntered, TraceEvent
from graphwright.engine.host_interface import ActionError, Perform, Performed, Result
from graphwright.engine.state import ThreadState
from graphwright.flow._dependencies import own_signature
from graphwright.flow.compiled import Action, CompiledFlow
from graphwright.host._mapped import flow_of_items

_MOST_RUNS = 24
"""The maximum number of runs that are tried for one node."""

_MOST_ACTIONS = 20
"""The maximum number of actions in the run of one item."""

Writes = Mapping[str, Any]
Choices = Callable[[Action], Sequence[Writes | None]]
"""The results of an action to try: what it writes, or None if it fails."""


@dataclass(frozen=True, slots=True)
class ItemsRun:
    """A run of all items: the result of the node, the events of the items, and the results of actions by function."""

    result: Result
    events: tuple[TraceEvent, ...]
    results: tuple[tuple[str, Writes | None], ...]


@dataclass(frozen=True, slots=True)
class _ItemRun:
    """A run of one item up to a position. `failed`: an action failed, or no edge was open."""

    position: Position
    channels: Mapping[str, Any]
    events: tuple[TraceEvent, ...] = ()
    results: tuple[tuple[str, Writes | None], ...] = ()
    failed: bool = False


def items_runs(flow: CompiledFlow, command: Perform, state: ThreadState, choices: Choices) -> Iterator[ItemsRun]:
    """The runs of a node with `map` after which the conversation goes on. All items get the same results."""
    node, at = command.node, state.at
    assert node.map is not None
    items = lookup(view(flow, state.values(), at.top.scopes), tuple(node.map.over.split(".")))[1]
    if not isinstance(items, list):
        return
    start = at
    if node.map.graph:
        start = Position((*at.frames, Frame(node.map.graph, flow.graphs[node.map.graph].entry, at.top.scopes)))
    begun = [_ItemRun(start, {node.map.item: item}) for item in items]
    if not begun:
        yield _together(flow, command, [])
        return
    for first in islice(_item_runs(flow, command, state, begun[0], choices), _MOST_RUNS):
        runs = [first]
        for item in begun[1:]:
            others = _item_runs(flow, command, state, item, choices)
            runs += [run for run in islice(others, _MOST_RUNS) if run.results == first.results][:1]
        failed = any(run.failed for run in runs)
        if len(runs) == len(begun) and (not failed or node.on_error):
            yield _together(flow, command, runs)


def _together(flow: CompiledFlow, command: Perform, runs: Sequence[_ItemRun]) -> ItemsRun:
    node = command.node
    assert node.map is not None
    own = own_signature(flow, node).writes
    result = node.map.result or (own[0] if len(own) == 1 else "")
    values: dict[str, Any] = {}
    if node.map.into:
        values[node.map.into] = [None if run.failed else run.channels.get(result) for run in runs]
    if node.map.errors:
        failed = (index for index, run in enumerate(runs) if run.failed)
        values[node.map.errors] = [{"index": index, "error": "It fails."} for index in failed]
    error = ActionError("items_failed", "It fails.") if any(run.failed for run in runs) else None
    events: list[TraceEvent] = [ActionStarted(node.id, node.run, command.visit, 1)]
    if error is None:
        known = command.content, command.confirmed
        events.append(ActionFinished(node.id, node.run, command.visit, 1, 0.0, *known))
    inner = tuple(event for run in runs[:1] for event in run.events)
    results = tuple(result for run in runs for result in run.results)
    return ItemsRun(Result(tuple(events), Performed(values, (), (), error)), inner, results)


def _item_runs(
    flow: CompiledFlow, command: Perform, state: ThreadState, run: _ItemRun, choices: Choices
) -> Iterator[_ItemRun]:
    """The runs of one item to its end."""
    node = command.node
    assert node.map is not None
    if not node.map.graph:
        yield from (_with_result(run, command, node, writes) for writes in _tried(node, node, choices))
        return
    local = replace(state, channels={**state.channels, **run.channels}, position=run.position)
    step = advance(flow_of_items(flow), run.position, local.values())
    outcome = step.outcome
    walked = tuple(e for e in step.events if not (isinstance(e, NodeEntered) and e.node == node.id))
    run = replace(run, events=(*run.events, *walked))
    if not isinstance(outcome, Due):
        yield replace(run, failed=True)
    elif outcome.node is node:
        yield run
    elif len(run.results) < _MOST_ACTIONS:
        due = replace(run, position=outcome.position)
        for writes in _tried(outcome.node, node, choices):
            done = _with_result(due, command, outcome.node, writes)
            yield from (done,) if done.failed else _item_runs(flow, command, state, done, choices)


def _tried(action: Action, mapped: Action, choices: Choices) -> list[Writes | None]:
    """The results to try of an action of an item; a failure only where the conversation goes on after it."""
    found = [writes for writes in choices(action) if writes is not None]
    return [*found, *([None] if action.on_error or mapped.on_error else [])]


def _with_result(run: _ItemRun, command: Perform, action: Action, writes: Writes | None) -> _ItemRun:
    """The run after one of its actions."""
    inner: tuple[TraceEvent, ...] = ()
    if action is not command.node:
        started = ActionStarted(action.id, action.run, command.visit, 1)
        failed = ActionFailed(action.id, action.run, command.visit, 1, "It fails.", True)
        inner = (started, failed if writes is None else ActionFinished(action.id, action.run, command.visit, 1, 0.0))
    after = replace(run, events=(*run.events, *inner), results=(*run.results, (action.function, writes)))
    if writes is not None:
        channels = {**run.channels, **writes}
        return replace(after, channels=channels, position=run.position.completed())
    if action is command.node or not action.on_error:
        return replace(after, failed=True)
    return replace(after, position=run.position.jump(action.on_error))
