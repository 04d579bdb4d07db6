"""Cycles with actions that a turn repeats, because no question on them is asked a second time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from graphwright.flow.checks.check_context import CheckContext, all_reads
from graphwright.flow.checks.definite_assignment import callees
from graphwright.flow.checks.guard_values import Held, Scopes
from graphwright.flow.checks.reachable_values import Frame, Goal, Moment, Run, State
from graphwright.flow.compiled import Action, Call, Node, Question
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.graph_algorithms import components, is_cyclic, reachable
from graphwright.flow.guards import Guard
from graphwright.flow.guards.names import ANSWERS
from graphwright.flow.source import Reporter


def check_endless_turns(context: CheckContext, out: Reporter) -> None:
    """Report each cycle with actions for which there are values with which a turn goes round for ever.

    What the user said does not change in a turn. What the actions of a cycle write may, so a guard that reads that may
    end it, and such a cycle is not reported.
    """
    for graph in context.flow.graphs.values():
        successors = {
            node: [graph.nodes[edge.target] for edge in node.all_edges if edge.target in graph.nodes]
            for node in graph.nodes.values()
        }
        for cycle in components(successors):
            if is_cyclic(cycle, successors):
                _check_cycle(context, cycle, out)


def _check_cycle(context: CheckContext, cycle: Sequence[Node], out: Reporter) -> None:
    inside = [*cycle, *_called(context, cycle)]
    actions = [node for node in inside if isinstance(node, Action)]
    if not actions:
        return
    written = frozenset(name for action in actions for name in context.values.written(action))
    settled = [guard for node in inside for guard in _guards(node) if _heads(guard).isdisjoint(written)]
    reads = all_reads(settled) | {f"{ANSWERS}.{node.key}" for node in inside if isinstance(node, Question)}
    for start in cycle:
        run = context.reachable.find(Goal(start, Moment.LEAVE, reads, _comes_back(context, start, reads)))
        if run is not None:
            _report(context, _round(context, start, reads, run.held, run.scopes), settled, run, out)
            return


def _comes_back(context: CheckContext, start: Node, reads: frozenset[str]) -> Callable[[Held, Scopes, bool], bool]:
    return lambda held, scopes, escaped: bool(_round(context, start, reads, held, scopes))


def _round(context: CheckContext, start: Node, reads: frozenset[str], held: Held, scopes: Scopes) -> list[Node]:
    """The nodes of a walk from `start` back to it that performs an action and asks nothing; empty if there is none.

    The walk goes on as long as the values that are followed decide where to.
    """
    analysis = context.reachable.analysis(frozenset(read.rpartition(".")[2] for read in reads))
    state = first = State((Frame(start, scopes),), Moment.LEAVE, tuple(sorted(held.items())))
    way: list[Node] = [start]
    seen: set[State] = set()
    while state not in seen:
        seen.add(state)
        move = next(iter(analysis.moves(state)), None)
        # An action may fail, and a message may be anything: the first move is that of a turn without either.
        if move is None or move.undecided or move.remark == "stuck" or move.state.moment is Moment.ASK:
            return []
        state = move.state
        if state.moment is Moment.ENTER:
            node = state.frames[-1].node
            if isinstance(node, Action) and node.confirm is not None and not _needs_no_yes(context, node, state):
                return []
            way.append(node)
    return way if state == first and any(isinstance(node, Action) for node in way) else []


def _needs_no_yes(context: CheckContext, node: Action, state: State) -> bool:
    assert node.confirm is not None
    when = node.confirm.when
    if when is None or not _heads(when).isdisjoint(context.values.written(node)):
        return False
    verdict = context.values.verdict(when, state.frames[-1].scopes, dict(state.held))
    return verdict is not None and verdict.closes


def _report(context: CheckContext, way: Sequence[Node], settled: Sequence[Guard], run: Run, out: Reporter) -> None:
    on_way = {id(guard) for node in way for guard in _guards(node)}
    names = sorted(all_reads(guard for guard in settled if id(guard) in on_way))
    values = context.shown_numbers({name: context.values.given(name, run.scopes, run.held) for name in names})
    shown = context.shown_way([node.id for node in way])
    message = f"{f'With {values} a' if names else 'A'} turn goes round without asking anything: {shown}."
    hint = "Put a question with `ask: always` on the cycle, or a guard on what its actions write."
    out.add(Code.ENDLESS_TURN, (*context.path(way[0]), "id"), message, hint)


def _called(context: CheckContext, nodes: Sequence[Node]) -> list[Node]:
    """The nodes of all graphs that these call, and that those call."""
    flow = context.flow

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
