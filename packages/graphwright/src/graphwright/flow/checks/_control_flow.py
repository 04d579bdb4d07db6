"""The control-flow graph of a flow: one graph for all checks, with the calls and returns of subgraphs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property

from graphwright.flow._draft import Draft, DraftNode
from graphwright.flow._graph_algorithms import reachable
from graphwright.flow.compiled import EXIT, ROOT, Kind

JUMPS = ("on_invalid", "on_error")
"""The fields of nodes that name a node to go to."""

_NONE: frozenset[str] = frozenset()


class ControlFlow:
    """The graph of the nodes of all graphs, by id; references to nodes that do not exist are left out.

    A way may enter a called graph and returns from it to its caller: `reached` follows no way that returns to another
    caller. `next` are the targets of the edges of a node, `jumps` those of `on_invalid` and `on_error` and the question
    that confirms. `callers` are the calls of each graph.
    """

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.next: dict[str, tuple[str, ...]] = {}
        self.jumps: dict[str, tuple[str, ...]] = {}
        self.callees: dict[str, list[str]] = {}
        self.exiting: set[str] = set()
        self.callers: dict[str, list[str]] = {graph: [] for graph in draft.graphs}
        for graph in draft.graphs.values():
            for name, node in graph.nodes.items():
                self.next[name] = tuple(dict.fromkeys(e.target for e in node.edges if e.target in graph.nodes))
                if jumps := _jumps(node):
                    self.jumps[name] = tuple(dict.fromkeys(target for target in jumps if target in graph.nodes))
                if graph.id != ROOT and any(edge.target == EXIT for edge in node.edges):
                    self.exiting.add(name)
                if node.kind is Kind.SUBGRAPH:
                    self.callees[name] = draft.callees(node)
                    for callee in self.callees[name]:
                        self.callers[callee].append(name)

    def node(self, name: str) -> DraftNode:
        return self.draft.nodes[name]

    def following(self, name: str, *, jumps: bool = True) -> tuple[str, ...]:
        """The nodes of the same graph that a node may lead to; a call as if it had returned."""
        return self.next[name] + self.jumps[name] if jumps and name in self.jumps else self.next[name]

    def entries(self, name: str) -> Iterator[str]:
        """The nodes at which the graphs begin that a node calls."""
        for callee in self.callees.get(name, ()):
            graph = self.draft.graphs[callee]
            if graph.entry in graph.nodes:
                yield graph.entry

    @cached_property
    def preceding(self) -> dict[str, list[str]]:
        """The nodes of the same graph that lead to each node, by edges and jumps."""
        found: dict[str, list[str]] = {name: [] for name in self.next}
        for name in self.next:
            for target in dict.fromkeys(self.following(name)):
                found[target].append(name)
        return found

    def returns(self, name: str, leaving: Collection[str]) -> bool:
        """Whether a node can be passed: every node except a call of which no graph can be left."""
        callees = self.callees.get(name)
        return not callees or any(self.draft.graphs[callee].entry in leaving for callee in callees)

    def leaving(self, counts: Callable[[str], bool] = lambda name: True, *, jumps: bool = True) -> set[str]:
        """The nodes from which their graph can be left through `__exit__`, over nodes that count. Takes linear time.

        A graph can be left if its entry is among them.
        """
        found: set[str] = set()
        waiting: dict[str, list[str]] = {}
        todo: list[str] = []

        def mark(name: str) -> None:
            if name in found or not counts(name):
                return
            if not self.returns(name, found):
                for callee in self.callees[name]:
                    waiting.setdefault(callee, []).append(name)
                return
            found.add(name)
            todo.append(name)

        for name in self.exiting:
            mark(name)
        while todo:
            name = todo.pop()
            graph = self.draft.graphs[self.node(name).graph]
            if graph.entry == name:
                for call in waiting.pop(graph.id, ()):
                    mark(call)
            for earlier in self.preceding[name]:
                if jumps or name in self.next[earlier]:
                    mark(earlier)
        return found

    @cached_property
    def _leaving(self) -> set[str]:
        return self.leaving()

    def _left(self, blocked: Collection[str]) -> set[str]:
        """The nodes from which their graph can be left without passing a blocked node."""
        if not self.callees:
            return set()
        if not any(self.node(name).graph != ROOT for name in blocked):
            return self._leaving
        return self.leaving(lambda name: name not in blocked)

    def reached(self, starts: Iterable[str], blocked: Collection[str] = _NONE) -> set[str]:
        """The nodes that some way from `starts` enters, over edges, jumps, calls and returns.

        A blocked node is entered and not left. A way first returns from the calls that it began in, then enters others.
        """
        left = self._left(blocked)

        def passed(name: str) -> tuple[str, ...]:
            return self.following(name) if self.returns(name, left) else ()

        def upwards(name: str) -> Iterator[str]:
            if name in blocked:
                return
            yield from passed(name)
            if name in self.exiting and self.returns(name, left):
                for call in self.callers[self.node(name).graph]:
                    yield from self._after_return(call, blocked)

        def downwards(name: str) -> Iterator[str]:
            if name not in blocked:
                yield from passed(name)
                yield from self.entries(name)

        return reachable(reachable(starts, upwards), downwards) if self.callees else reachable(starts, upwards)

    def _after_return(self, call: str, blocked: Collection[str]) -> Iterator[str]:
        """The nodes after a call that has returned, also where the call is the last one of its graph."""
        todo, seen = [call], {call}
        while todo:
            name = todo.pop()
            if name in blocked:
                continue
            yield from self.following(name)
            if name in self.exiting:
                new = [each for each in self.callers[self.node(name).graph] if each not in seen]
                seen.update(new)
                todo += new

    def past_exit(self, graph: str) -> list[str]:
        """The nodes that may be entered next when a graph has been left through `__exit__`."""
        return [target for call in self.callers[graph] for target in self._after_return(call, _NONE)]

    def after(self, name: str) -> list[str]:
        """The nodes that may be entered next when a node has been answered, performed or left by one of its edges."""
        return [*self.next[name], *(self.past_exit(self.node(name).graph) if name in self.exiting else ())]

    def leading(self, targets: Iterable[str], blocked: Collection[str] = _NONE) -> set[str]:
        """The nodes from which a target may be reached; also over ways that return to another caller."""

        def before(name: str) -> Iterator[str]:
            node = self.node(name)
            earlier = [each for each in self.preceding[name] if each not in blocked]
            yield from earlier
            for call in (each for each in earlier if each in self.callees):
                inside = (self.draft.graphs[callee].nodes for callee in self.callees[call])
                yield from (each for nodes in inside for each in nodes if each in self.exiting and each not in blocked)
            if self.draft.graphs[node.graph].entry == name:
                yield from (call for call in self.callers[node.graph] if call not in blocked)

        return reachable(targets, before)

    def leads_to(self, starts: Iterable[str], target: str, *, avoiding: Collection[str] = _NONE) -> bool:
        """Whether some way from `starts` enters the target without leaving a node of `avoiding` before."""
        return target in self.reached(starts, {*avoiding, target})

    def called_in(self, graphs: Iterable[str]) -> set[str]:
        """These graphs and all that they call, directly or not."""
        draft = self.draft
        return reachable(graphs, lambda graph: (c for call in draft.graphs[graph].calls for c in draft.callees(call)))


def _jumps(node: DraftNode) -> list[str]:
    data = node.data
    found = [data[name] for name in JUMPS if name in data]
    confirm = data.get("confirm")
    return [*found, confirm["by"]] if isinstance(confirm, dict) and "by" in confirm else found
