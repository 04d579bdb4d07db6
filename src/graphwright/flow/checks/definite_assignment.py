"""Which answers surely exist at a node, on whatever way it was reached: what is asked on every way, and not dropped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from graphwright.flow.compiled import (
    ACTIVE_PATH,
    EXIT,
    ROOT,
    Action,
    Call,
    CompiledFlow,
    Decision,
    Edge,
    Node,
    Question,
)
from graphwright.flow.graph_algorithms import components

_ROUNDS = 50
"""No flow of a sane shape needs more rounds than this; then nothing counts as assigned, which claims too little."""


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
    def __init__(self, flow: CompiledFlow, bits: Mapping[str, int]) -> None:
        self.flow = flow
        self.bits = bits
        self.all = (1 << len(bits)) - 1
        self.found = Assignment(bits)
        # What is sure at the exit of a graph that was entered with nothing, and with everything. Each bit goes its own
        # way, so that these two tell what becomes of any set.
        self.exits: dict[str, tuple[int, int]] = dict.fromkeys(flow.graphs, (self.all, self.all))
        self.orders = {graph: self._order(graph) for graph in flow.graphs}
        self.scoped: dict[str, list[tuple[int, int]]] = {}
        for name, bit in bits.items():
            scope, _, inner = name.partition(".")
            if inner:
                self.scoped.setdefault(scope, []).append((bit, bits[inner]))

    def run(self) -> Assignment:
        calls: dict[str, list[str]] = {}
        for called in self.flow.graphs.values():
            nodes = [node for node in called.nodes.values() if isinstance(node, Call)]
            calls[called.id] = list(dict.fromkeys(callee for node in nodes for callee in callees(self.flow, node)))
        ordered = components(calls)
        for members in ordered:
            for _ in range(_ROUNDS):
                before = [self.exits[graph] for graph in members]
                for graph in members:
                    if graph != ROOT:
                        self.exits[graph] = self._solve(graph, 0)[1], self._solve(graph, self.all)[1]
                if before == [self.exits[graph] for graph in members]:
                    break
            else:
                self.exits.update(dict.fromkeys(members, (0, 0)))
        self._enter(ordered)
        for node, state in self.found.entering.items():
            self.found.leaving[node] = self._left(node, state)
        return self.found

    def _enter(self, ordered: list[list[str]]) -> None:
        """From the callers down: each graph with what is sure on every call of it."""
        entries = {ROOT: 0}
        jumps = self._jumps()
        for members in reversed(ordered):
            for _ in range(_ROUNDS):
                before = {graph: entries.get(graph) for graph in members}
                for graph in members:
                    if graph in entries:
                        states = self._solve(graph, entries[graph], jumps.get(graph))[0]
                        self.found.entering.update(states)
                        self._call(states, entries)
                if before == {graph: entries.get(graph) for graph in members}:
                    break
            else:
                self.found.entering.update((n, 0) for graph in members for n in self.flow.graphs[graph].nodes.values())

    def _call(self, states: Mapping[Node, int], entries: dict[str, int]) -> None:
        for node, state in states.items():
            if not isinstance(node, Call):
                continue
            for callee in callees(self.flow, node):
                inner = state
                if node.scope:
                    # Its own answers are those of a scope of its own, which the first call finds empty.
                    inner &= ~self._set_of(self.flow.graphs[callee].keys)
                entries[callee] = entries.get(callee, self.all) & inner

    def _jumps(self) -> dict[str, dict[Node, int]]:
        """The nodes that the flow may jump to from anywhere, by graph: nothing is sure there."""
        found: dict[str, dict[Node, int]] = {}
        targets = [self.flow.nodes[name] for name in (self.flow.on_stuck, self.flow.on_escalate) if name]
        if self.flow.constraints:
            # A constraint may ask any question when the flow is about to end.
            targets += [self.flow.nodes[q.on_invalid] for q in self.flow.questions if q.on_invalid]
        for node in targets:
            found.setdefault(node.graph, {})[node] = 0
        return found

    def _solve(self, graph_id: str, entry: int, jumps: Mapping[Node, int] | None = None) -> tuple[dict[Node, int], int]:
        """What is sure on entering each node of a graph, and at its exit, when it is entered with `entry`."""
        graph, order = self.flow.graphs[graph_id], self.orders[graph_id]
        states: dict[Node, int] = {graph.nodes[graph.entry]: entry, **(jumps or {})}
        for _ in range(_ROUNDS):
            changed = False
            at_exit = self.all
            for node in order:
                state = states.get(node)
                if state is None:
                    continue
                for name, after in self._steps(node, state):
                    if name == EXIT:
                        at_exit &= after
                        continue
                    target = graph.nodes[name]
                    known = states.get(target)
                    met = after if known is None else known & after
                    if met != known:
                        states[target] = met
                        changed = True
            if not changed:
                return states, at_exit
        return dict.fromkeys(order, 0), 0

    def _steps(self, node: Node, state: int) -> Iterator[tuple[str, int]]:
        """Where a node may lead to, and what is sure on that way."""
        left = self._left(node, state)
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

    def _left(self, node: Node, state: int) -> int:
        if isinstance(node, Question):
            state = self._dropped(node, state)
            if node.when is None and node.required:
                state |= self.bits.get(node.key, 0)
        elif isinstance(node, Action):
            # Where a confirmation may be needless the action is performed without an answer.
            if node.confirm is not None and node.confirm.when is None:
                state |= self._confirming(node)
        elif isinstance(node, Call):
            state = self._returned(node, state)
        return state

    def _dropped(self, node: Question, state: int) -> int:
        return state & ~self.bits.get(node.key, 0) if node.ask_always else state

    def _confirming(self, node: Action) -> int:
        """The answer by which the action is confirmed."""
        by = self.flow.nodes[node.confirm.by] if node.confirm is not None else None
        return self.bits.get(by.key, 0) if isinstance(by, Question) else 0

    def _returned(self, node: Call, state: int) -> int:
        after = self.all
        for callee in callees(self.flow, node):
            nothing, everything = self.exits[callee]
            if not node.scope:
                after &= nothing | (state & everything)
                continue
            made = state
            for bit, inner in self.scoped.get(node.scope, ()):
                if nothing & inner:
                    made |= bit
                elif not everything & inner:
                    made &= ~bit
            after &= made
        return after

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

    def _order(self, graph_id: str) -> list[Node]:
        """The nodes of a graph, each after those that lead to it, loops aside."""
        nodes = self.flow.graphs[graph_id].nodes
        successors = {node: [nodes[name] for name in self._targets(node) if name != EXIT] for node in nodes.values()}
        return [node for members in reversed(components(successors)) for node in members]

    def _targets(self, node: Node) -> Iterator[str]:
        yield from (edge.target for edge in node.all_edges)
        if isinstance(node, Question) and node.on_invalid:
            yield node.on_invalid
        elif isinstance(node, Action):
            if node.on_error:
                yield node.on_error
            if node.confirm is not None:
                yield node.confirm.by
