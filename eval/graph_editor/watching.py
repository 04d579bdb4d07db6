"""Watching a graph while a goal is worked on: what was written in which turn, and what differs in the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from eval.graph_editor.graphs import State, difference, state_of
from eval.graph_editor.outcome import Outcome
from graphwright.graphstore import GraphStore

_MOST_GOALS = 1000


class Watch:
    """The journal of a graph from now on."""

    def __init__(self, store: GraphStore, before: State) -> None:
        self._store = store
        self._before = before
        self._seen = self._steps()
        self._writes: list[dict[str, Any]] = []

    def turn_ended(self, *, confirmed: bool) -> None:
        """Take down what was written since the last turn; `confirmed`: the turn began with a yes to a confirmation."""
        steps = self._steps()
        for key, changes in steps.items():
            if key not in self._seen:
                self._writes += [{"change": change, "confirmed": confirmed} for change in changes]
        self._seen = steps

    def closed(self, outcome: Outcome) -> Outcome:
        """The outcome with all that was written, and with how the graph differs now."""
        changes = difference(self._before, state_of(self._store.export()))
        return replace(
            outcome.stamped(), writes=tuple(self._writes), difference=tuple(change.to_json() for change in changes)
        )

    def _steps(self) -> dict[tuple[str, str], list[dict[str, Any]]]:
        goals = reversed(self._store.goals(most=_MOST_GOALS))
        return {(g.id, step.key): [c.to_json() for c in step.changes] for g in goals for step in g.steps}
