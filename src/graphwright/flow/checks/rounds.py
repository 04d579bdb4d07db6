"""Cycles with actions that a turn walks again and again, because no question on them is asked a second time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from graphwright.flow.checks.runs import Goal, Moment
from graphwright.flow.checks.situations import Held, Scopes
from graphwright.flow.checks.sure import callees
from graphwright.flow.checks.terms import Terms, all_reads
from graphwright.flow.compiled import (
    EXIT,
    Action,
    Call,
    Decision,
    Edge,
    Graph,
    Node,
    Question,
    Terminal,
)
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.guards import Guard, Verdict
from graphwright.flow.guards.names import ANSWERS
from graphwright.flow.reporter import Reporter
from graphwright.flow.walk import components, is_cyclic, reachable

_MOST_DEPTH = 12
"""So many levels of calls a cycle goes down."""


def check_rounds(terms: Terms, out: Reporter) -> None:
    """Report each cycle with actions for which there are values with which a turn goes round for ever.

    What the user said does not change in a turn. What the actions of a cycle write may, so a guard that reads that may
    end it, and such a cycle is not reported.
    """
    for graph in terms.flow.graphs.values():
        every = _edges_of(graph, lambda node: node.all_edges)
        for component in components(every):
            if is_cyclic(component, every):
                _check_component(terms, component, out)


def _check_component(terms: Terms, component: Sequence[Node], out: Reporter) -> None:
    inside = [*component, *_called(terms, component)]
    actions = [node for node in inside if isinstance(node, Action)]
    if not actions:
        return
    written = frozenset(name for action in actions for name in terms.situations.written(action))
    settled = [guard for node in inside for guard in _guards(node) if _heads(guard).isdisjoint(written)]
    asked = {f"{ANSWERS}.{node.key}" for node in inside if isinstance(node, Question)}
    reads = all_reads(settled) | asked
    members = set(component)
    sure = {node: list(_settled_edges(node, written)) for node in component if not _asks(node)}
    successors = {
        node: [target for edge in edges if (target := terms.flow.nodes.get(edge.target)) in members and target in sure]
        for node, edges in sure.items()
    }
    for cycle in components(successors):
        performs = any(isinstance(node, Action) for node in [*cycle, *_called(terms, cycle)])
        if not performs or not is_cyclic(cycle, successors):
            continue
        for node in sorted(cycle, key=component.index):
            round_ = _Round(terms, node, written)
            run = terms.runs.find(Goal(node, Moment.LEAVE, reads, round_.comes_back))
            if run is not None and round_.comes_back(run.held, run.scopes, False):
                _report(terms, round_, run.held, run.scopes, out)
                break


def _report(terms: Terms, found: _Round, held: Held, scopes: Scopes, out: Reporter) -> None:
    names = sorted(all_reads(found.guards))
    values = terms.shown_numbers({name: terms.situations.given(name, scopes, held) for name in names})
    way = terms.shown_way([found.start.id, *found.way])
    message = f"{f'With {values} a' if names else 'A'} turn goes round without asking anything: {way}."
    hint = "Put a question with `ask: always` on the cycle, or a guard on what its actions write."
    out.add(Code.ENDLESS_TURN, (*terms.path(found.start), "id"), message, hint)


def _edges_of(graph: Graph, edges: Callable[[Node], Sequence[Edge]]) -> dict[Node, list[Node]]:
    return {
        node: [graph.nodes[edge.target] for edge in edges(node) if edge.target in graph.nodes]
        for node in graph.nodes.values()
    }


def _called(terms: Terms, nodes: Sequence[Node]) -> list[Node]:
    """The nodes of all graphs that these call, and that those call."""
    flow = terms.flow

    def graphs(of: Sequence[Node]) -> list[str]:
        return [callee for node in of if isinstance(node, Call) for callee in callees(flow, node)]

    names = reachable(graphs(nodes), lambda name: graphs(list(flow.graphs[name].nodes.values())))
    return [node for name in sorted(names) for node in flow.graphs[name].nodes.values()]


def _guards(node: Node) -> Iterator[Guard]:
    """The conditions that decide where the flow goes on from a node, and whether it waits there."""
    yield from (edge.guard for edge in node.edges if edge.guard is not None)
    if isinstance(node, Question) and node.when is not None:
        yield node.when
    elif isinstance(node, Action) and node.confirm is not None and node.confirm.when is not None:
        yield node.confirm.when


def _heads(guard: Guard) -> frozenset[str]:
    return frozenset(read.partition(".")[0] for read in guard.reads)


def _asks(node: Node) -> bool:
    """Whether the user is asked each time the flow comes here."""
    if isinstance(node, Question):
        return node.ask_always and node.when is None
    return isinstance(node, Action) and node.confirm is not None and node.confirm.when is None


def _settled_edges(node: Node, written: frozenset[str]) -> Iterator[Edge]:
    """The edges that may be taken without a guard being looked at that reads what changes."""
    picks = isinstance(node, Decision) and node.pick_question
    for edge in node.edges:
        if edge.guard is not None and not _heads(edge.guard).isdisjoint(written):
            return
        if not picks:
            yield edge
    if node.otherwise is not None:
        yield node.otherwise


@dataclass(slots=True)
class _Round:
    """One walk from leaving `start`: `way` are the nodes it entered, `guards` those that were looked at."""

    terms: Terms
    start: Node
    written: frozenset[str]
    way: list[str] = field(default_factory=list)
    guards: list[Guard] = field(default_factory=list)
    performed: bool = False

    def comes_back(self, held: Held, scopes: Scopes, escaped: bool) -> bool:
        """Whether the flow is here again, has performed an action on the way, and has asked nothing."""
        self.way, self.guards, self.performed = [], [], False
        frames: list[tuple[Node, Scopes]] = [(self.start, scopes)]
        seen: set[tuple[tuple[Node, Scopes], ...]] = set()
        while (place := tuple(frames)) not in seen:
            seen.add(place)
            edge = self._leaves(*frames[-1], held)
            if edge is None:
                return False
            if edge.target == EXIT:
                frames.pop()
                if not frames:
                    return False
                continue
            frames[-1] = (self.terms.flow.nodes[edge.target], frames[-1][1])
            if not self._enters(frames, held):
                return False
        return self.performed and place == ((self.start, scopes),)

    def _verdict(self, guard: Guard, scopes: Scopes, held: Held) -> Verdict | None:
        if not _heads(guard).isdisjoint(self.written):
            return None
        self.guards.append(guard)
        return self.terms.situations.verdict(guard, scopes, held)

    def _leaves(self, node: Node, scopes: Scopes, held: Held) -> Edge | None:
        """The edge that is taken; None where that is not known, or the flow waits."""
        if isinstance(node, Decision) and node.pick_question:
            return self._picks(node, scopes, held)
        taken = []
        for edge in node.edges:
            verdict = self._verdict(edge.guard, scopes, held) if edge.guard is not None else None
            if edge.guard is not None and verdict is None:
                return None
            if verdict is None or verdict.opens:
                taken.append(edge)
                if not self.terms.flow.deterministic:
                    break
        if len(taken) > 1:
            return None
        return taken[0] if taken else node.otherwise

    def _picks(self, node: Decision, scopes: Scopes, held: Held) -> Edge | None:
        for edge in node.edges:
            target = self.terms.flow.nodes[edge.target]
            assert isinstance(target, Question)
            if self._answered(target, scopes, held):
                continue
            conditions = [guard for guard in (edge.guard, target.when) if guard is not None]
            verdicts = [self._verdict(guard, scopes, held) for guard in conditions]
            if all(verdict is None or verdict.opens for verdict in verdicts):
                return None
        return node.otherwise

    def _enters(self, frames: list[tuple[Node, Scopes]], held: Held) -> bool:
        """Go into a node until its edges are looked at. False where the flow waits, ends, or that is not known."""
        while len(frames) <= _MOST_DEPTH:
            node, scopes = frames[-1]
            self.way.append(node.id)
            if not isinstance(node, Call):
                return self._passes(node, scopes, held)
            targets = callees(self.terms.flow, node)
            if len(targets) != 1:
                return False
            graph = self.terms.flow.graphs[targets[0]]
            inner = (*scopes, (node.scope, graph.id)) if node.scope else scopes
            frames.append((graph.nodes[graph.entry], inner))
        return False

    def _passes(self, node: Node, scopes: Scopes, held: Held) -> bool:
        if isinstance(node, Question):
            verdict = self._verdict(node.when, scopes, held) if node.when is not None else None
            if node.when is not None and verdict is None:
                return False
            if verdict is not None and not verdict.opens:
                return True
            return not node.ask_always and self._answered(node, scopes, held)
        if isinstance(node, Action):
            self.performed = True
            if node.confirm is None:
                return True
            verdict = self._verdict(node.confirm.when, scopes, held) if node.confirm.when is not None else None
            return verdict is not None and verdict.closes
        return not isinstance(node, Terminal)

    def _answered(self, node: Question, scopes: Scopes, held: Held) -> bool:
        return (ANSWERS, *(name for name, _ in scopes), node.key) in held
