"""Definite assignment: the answers that every way to a node has asked for and none has dropped."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from graphwright.flow.compiled import (
    ACTIVE_PATH,
    EXIT,
    Action,
    Call,
    CompiledFlow,
    Decision,
    Edge,
    Node,
    Question,
)
from graphwright.flow.graph_algorithms import reachable

_MOST_STEPS = 50
"""So many times the number of nodes are passed at most; then nothing counts as assigned, which claims too little."""


def callees(flow: CompiledFlow, node: Call) -> list[str]:
    """The graphs that a subgraph node may enter."""
    if node.ref != ACTIVE_PATH:
        return [node.ref]
    return list(dict.fromkeys(path.ref for path in flow.paths.values()))


@dataclass(slots=True)
class Assignment:
    """What surely exists, as sets of names (`venue`, `led.wattage`) that are the bits of one integer.

    `entering` holds the set with which each node is entered, `leaving` that with which its edges are looked at. A node
    that no way leads to has none.
    """

    names: Mapping[str, int]
    entering: dict[Node, int] = field(default_factory=dict)
    leaving: dict[Node, int] = field(default_factory=dict)

    def on_entering(self, node: Node, name: str) -> bool:
        """Does the answer `name` (relative to the node's graph, without `answers.`) exist when the node is entered?"""
        return bool(self.entering.get(node, -1) & self.names[name])

    def on_asking(self, node: Question, name: str) -> bool:
        """The same when a question is put: with `ask: always` it has dropped its own answer by then."""
        return not (node.ask_always and node.key == name) and self.on_entering(node, name)

    def on_leaving(self, node: Node, name: str) -> bool:
        """The same when its edges are looked at."""
        return bool(self.leaving.get(node, -1) & self.names[name])


def definitely_assigned(flow: CompiledFlow, names: Iterable[str]) -> Assignment:
    """Work it out for the given names, each relative to the graph that reads it.

    What the user says of his own accord counts as nothing: he may not say it.
    """
    bits: dict[str, int] = {}
    for name in names:
        steps = name.split(".")
        # What a caller reads as led.wattage is wattage inside.
        for depth in range(len(steps)):
            bits.setdefault(".".join(steps[depth:]), 1 << len(bits))
    return _Analysis(flow, bits).run()


class _Analysis:
    """A forward analysis over the nodes of all graphs: where ways meet, only what is assigned on each of them stays."""

    def __init__(self, flow: CompiledFlow, bits: Mapping[str, int]) -> None:
        self.flow = flow
        self.bits = bits
        self.found = Assignment(bits)
        self.exits: dict[str, int] = {}
        self.todo: deque[Node] = deque()
        self.callers: dict[str, list[Call]] = {graph: [] for graph in flow.graphs}
        self.callees: dict[str, list[str]] = {graph: [] for graph in flow.graphs}
        for node in flow.nodes.values():
            if isinstance(node, Call):
                for callee in callees(flow, node):
                    self.callers[callee].append(node)
                    self.callees[node.graph].append(callee)
        self.dropping = {graph: self._dropping(graph) for graph in flow.graphs}
        self.scoped: dict[str, list[tuple[int, int]]] = {}
        for name, bit in bits.items():
            scope, _, inner = name.partition(".")
            if inner:
                self.scoped.setdefault(scope, []).append((bit, bits[inner]))

    def run(self) -> Assignment:
        for node in (self.flow.root.nodes[self.flow.root.entry], *self._jumps()):
            self._meet(node, 0)
        steps = _MOST_STEPS * len(self.flow.nodes)
        while self.todo and steps:
            steps -= 1
            self._pass(self.todo.popleft())
        if self.todo:
            self.found.entering = dict.fromkeys(self.flow.nodes.values(), 0)
        for node, state in self.found.entering.items():
            left = self._left(node, state)
            self.found.leaving[node] = 0 if left is None else left
        return self.found

    def _meet(self, node: Node, state: int) -> None:
        known = self.found.entering.get(node)
        met = state if known is None else known & state
        if met != known:
            self.found.entering[node] = met
            self.todo.append(node)

    def _pass(self, node: Node) -> None:
        """Hand what is assigned at a node on to the nodes behind it."""
        state = self.found.entering[node]
        graph = self.flow.graphs[node.graph]
        if isinstance(node, Call):
            for callee in callees(self.flow, node):
                called = self.flow.graphs[callee]
                # The answers of a scope of its own are not there before the first call.
                inner = state & ~self._set_of(called.keys) if node.scope else state
                self._meet(called.nodes[called.entry], inner)
        for name, after in self._steps(node, state):
            if name != EXIT:
                self._meet(graph.nodes[name], after)
                continue
            known = self.exits.get(graph.id)
            met = after if known is None else known & after
            if met != known:
                self.exits[graph.id] = met
                self.todo.extend(call for call in self.callers[graph.id] if call in self.found.entering)

    def _jumps(self) -> list[Node]:
        """The nodes that the flow may jump to from anywhere: nothing is assigned there."""
        targets = [self.flow.nodes[name] for name in (self.flow.on_stuck, self.flow.on_escalate) if name]
        if self.flow.constraints:
            # A constraint may ask any question when the flow is about to end.
            targets += [self.flow.nodes[q.on_invalid] for q in self.flow.questions if q.on_invalid]
        return targets

    def _dropping(self, graph: str) -> int:
        """The answers that may be dropped in a graph and in those that it calls."""
        found = 0
        for name in reachable([graph], self.callees.__getitem__):
            for node in self.flow.graphs[name].nodes.values():
                if isinstance(node, Question) and node.ask_always:
                    found |= self.bits.get(node.key, 0)
                elif isinstance(node, Action):
                    found |= self._confirming(node)
        return found

    def _steps(self, node: Node, state: int) -> Iterator[tuple[str, int]]:
        """Where a node may lead to, and what is sure on that way."""
        left = self._left(node, state)
        if left is None:
            return
        for edge in node.edges:
            yield edge.target, left
        if node.otherwise is not None:
            picks = isinstance(node, Decision) and node.pick_question
            yield node.otherwise.target, left | self._picked(node.edges) if picks else left
        if isinstance(node, Question) and node.on_invalid:
            yield node.on_invalid, self._dropped(node, state)
        elif isinstance(node, Action):
            if node.on_error:
                yield node.on_error, state
            if node.confirm is not None:
                yield node.confirm.by, state & ~self._confirming(node)

    def _left(self, node: Node, state: int) -> int | None:
        if isinstance(node, Question):
            state = self._dropped(node, state)
            if node.when is None and node.required:
                state |= self.bits.get(node.key, 0)
        elif isinstance(node, Action):
            # Where a confirmation may be needless the action is performed without an answer.
            if node.confirm is not None and node.confirm.when is None:
                state |= self._confirming(node)
        elif isinstance(node, Call):
            return self._returned(node, state)
        return state

    def _dropped(self, node: Question, state: int) -> int:
        return state & ~self.bits.get(node.key, 0) if node.ask_always else state

    def _confirming(self, node: Action) -> int:
        """The answer by which the action is confirmed."""
        by = self.flow.nodes[node.confirm.by] if node.confirm is not None else None
        return self.bits.get(by.key, 0) if isinstance(by, Question) else 0

    def _returned(self, node: Call, state: int) -> int | None:
        """What is assigned behind a call; None as long as no way out of what it calls is known."""
        after = -1
        for callee in callees(self.flow, node):
            at_exit, dropping = self.exits.get(callee), self.dropping[callee]
            if at_exit is None:
                continue
            made = state & ~dropping | at_exit
            if node.scope:
                made = state
                for bit, inner in self.scoped.get(node.scope, ()):
                    made = made | bit if at_exit & inner else made & ~bit if dropping & inner else made
            after &= made
        return None if after == -1 else after

    def _picked(self, edges: Iterable[Edge]) -> int:
        """The `else` of a `pick: question` opens when every question that must be answered is."""
        found = 0
        for edge in edges:
            target = self.flow.nodes[edge.target]
            if isinstance(target, Question) and edge.guard is None and target.when is None and target.required:
                found |= self.bits.get(target.key, 0)
        return found

    def _set_of(self, names: Iterable[str]) -> int:
        found = 0
        for name in names:
            found |= self.bits.get(name, 0)
        return found
