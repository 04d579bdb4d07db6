"""Endless turns: cycles of decisions and calls alone, and other cycles whose questions are answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._draft import DraftNode
from graphwright.flow._graph_algorithms import components, cycle_through, is_cyclic
from graphwright.flow._source import Reporter, pointer
from graphwright.flow.checks._control_flow import ControlFlow
from graphwright.flow.checks._definite_assignment import Assignment
from graphwright.flow.checks._truth_tables import (
    MISSING,
    MOST_ROWS,
    UNCERTAIN,
    FlowContext,
    Row,
    Table,
    all_reads,
    conditions_of,
    make_table,
)
from graphwright.flow.compiled import EXIT, Action, Call, Decision, Edge, Kind, Node, Question
from graphwright.flow.guards import Guard, Verdict
from graphwright.flow.guards._vocabulary import ANSWERS

_FEW_ROWS = 50
"""The maximum number of combinations that are examined for each node of a cycle without actions."""

_PURE = (Kind.DECISION, Kind.SUBGRAPH)


def check_cycles(control: ControlFlow, out: Reporter) -> None:
    """Report each cycle of decisions and subgraph calls, including recursion without a question."""
    nodes = control.draft.nodes
    pure = [name for name, node in nodes.items() if node.kind in _PURE]
    left = control.leaving(lambda name: nodes[name].kind in _PURE, jumps=False)
    successors: dict[str, list[str]] = {}
    for name in pure:
        targets = [*(control.next[name] if control.returns(name, left) else ()), *control.entries(name)]
        successors[name] = [target for target in targets if nodes[target].kind in _PURE]
    order = {name: place for place, name in enumerate(successors)}
    for component in components(successors):
        if not is_cyclic(component, successors):
            continue
        first = min(component, key=order.__getitem__)
        cycle = cycle_through(first, set(component), successors)
        message = f"Nothing is asked or done on the way round: {_round_trip(cycle)}."
        hint = "Put a question or an action on the cycle, or lead it elsewhere."
        related = [(f"by way of `{name}`", nodes[name].path) for name in cycle[1:6]]
        out.add(Code.ENDLESS_CYCLE, (*nodes[first].path, "id"), message, hint, related=related)
    _check_endless_turns(control, out)
    _check_failing_again(control, out)


def _check_failing_again(control: ControlFlow, out: Reporter) -> None:
    """Report each action that is performed again at once, with the same values, after its last attempt failed."""
    for node in control.draft.nodes.values():
        if node.data.get("on_error") == node.id:
            message = f"If `{node.id}` fails, it is performed again at once, until the turn fails."
            hint = "Say how often with `retry`, and lead `on_error` to a node that helps or ends the conversation."
            out.add(Code.ENDLESS_TURN, (*node.path, "on_error"), message, hint)


def _round_trip(cycle: Sequence[str]) -> str:
    return " -> ".join([*cycle[:6], *(["..."] if len(cycle) > 6 else []), cycle[0]])


def _check_endless_turns(control: ControlFlow, out: Reporter) -> None:
    """Report each cycle with an action that is never left and on which no question is asked twice."""
    nodes = control.draft.nodes
    successors = {name: list(control.following(name)) for name, node in nodes.items() if _goes_on(node)}
    order = {name: place for place, name in enumerate(successors)}
    for component in components(successors):
        inside = set(component)
        if not is_cyclic(component, successors) or all(nodes[name].kind is not Kind.ACTION for name in component):
            continue
        if all(edge.target in inside for name in component for edge in nodes[name].edges):
            first = min(component, key=order.__getitem__)
            message = f"A turn that comes here never ends: {_round_trip(cycle_through(first, inside, successors))}."
            hint = "Put a question with `ask: always` on the cycle, or lead a way out of it."
            out.add(Code.ACTIONS_FOR_EVER, (*nodes[first].path, "id"), message, hint)


def _goes_on(node: DraftNode) -> bool:
    """Whether the flow always leaves a node by one of its edges, sooner or later without a question."""
    data = node.data
    if not any(edge.opens is None for edge in node.edges):
        return False
    if node.kind is Kind.QUESTION:
        return data.get("ask") != "always" and "on_invalid" not in data
    if node.kind is Kind.ACTION:
        return "confirm" not in data and "on_error" not in data
    return node.kind is Kind.DECISION and "pick" not in data


def check_endless_turns(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report each cycle with actions that repeats for ever within one turn for some values.

    The user's answers do not change in a turn. Channels that the actions of a cycle write may change: a guard that
    reads one may end the cycle, and such a cycle is not reported. Calls with `as` are not followed.
    """
    for cycle, inside in _cycles(context, lambda _: False):
        if any(isinstance(node, Action) for node in inside):
            _check_values(context, assigned, cycle, inside, out)


def check_endless_questions(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report each such cycle of questions without actions, unless an edge on it leads back to an answered question."""
    reported = out.pointers(Code.BACK_TO_ANSWERED)
    for cycle, inside in _cycles(context, _waits):
        edges = {pointer(context.edge_path(node, edge)) for node in cycle for edge in node.all_edges}
        asking = any(isinstance(node, Question) for node in inside)
        if asking and not any(isinstance(node, Action) for node in inside) and reported.isdisjoint(edges):
            _check_values(context, assigned, cycle, inside, out)


def _cycles(context: FlowContext, waits: Callable[[Node], bool]) -> Iterator[tuple[Sequence[Node], Sequence[Node]]]:
    """The cycles of each graph over nodes that do not wait, and their nodes with those of the called graphs.

    Cycles with calls that have `as` are left out.
    """
    for graph in context.flow.graphs.values():
        successors = {
            node: [graph.nodes[edge.target] for edge in node.all_edges if edge.target in graph.nodes]
            if not waits(node)
            else []
            for node in graph.nodes.values()
        }
        for cycle in components(successors):
            if is_cyclic(cycle, successors):
                callees = [callee for node in cycle if isinstance(node, Call) for callee in context.flow.callees(node)]
                called = sorted(context.control.called_in(callees))
                inside = [*cycle, *(node for each in called for node in context.flow.graphs[each].nodes.values())]
                if not any(isinstance(node, Call) and node.scope for node in inside):
                    yield cycle, inside


def _check_values(
    context: FlowContext, assigned: Assignment, cycle: Sequence[Node], inside: Sequence[Node], out: Reporter
) -> None:
    actions = [node for node in inside if isinstance(node, Action)]
    written = frozenset(name for action in actions for name in context.written_by(action))
    settled = [
        guard
        for node in dict.fromkeys(inside)
        for guard in conditions_of(node)
        if written.isdisjoint(read.partition(".")[0] for read in guard.reads)
    ]
    most = MOST_ROWS if actions else _FEW_ROWS
    for start in cycle:
        table = make_table(context, start, settled, assigned.on_leaving, times=len(cycle), most_rows=most)
        if table is None:
            return
        goes_round = partial(_round, context, start, table)
        row = table.example(goes_round)
        if row is None:
            continue
        way = goes_round(row)
        on_way = [guard for node in way for guard in conditions_of(node)]
        shown = " -> ".join(node.id for node in [*way, start])
        values = (
            f"With {table.row_as_guard(row, goes_round)} a" if all_reads(g for g in on_way if g in settled) else "A"
        )
        message = f"{values} turn goes round without asking anything: {shown}."
        hint = "Put a question with `ask: always` on the cycle, or a guard on what its actions write."
        if not actions:
            asked = next((node.id for node in way if isinstance(node, Question)), start.id)
            hint = f"An answer is kept, so give `{asked}` `ask: always`, or lead a way out of the cycle."
        out.add(Code.ENDLESS_TURN, (*context.path(start), "id"), message, hint)
        return


def _round(context: FlowContext, start: Node, table: Table, row: Row) -> list[Node]:
    """The nodes of a walk from `start` back to it that performs an action and asks nothing; empty if there is none."""
    known = ((guard, each) for guard, each in zip(table.guards, row.verdicts, strict=True) if each is not UNCERTAIN)
    verdicts = {id(guard): verdict for guard, verdict in known}

    def verdict(guard: Guard | None) -> Verdict | None:
        """The result of a guard, or None if it may change."""
        return Verdict(True) if guard is None else verdicts.get(id(guard))

    way: list[Node] = []
    calls: list[Call] = []
    seen: set[tuple[Node, ...]] = set()
    node: Node | None = start
    while node is not None and (node, *calls) not in seen:
        seen.add((node, *calls))
        way.append(node)
        if _may_wait(node, row, verdict):
            return []
        node = _entered_next(context, node, calls, verdict)
        if node is start and not calls:
            return way if any(isinstance(each, Action | Question) for each in way) else []
    return []


def _waits(node: Node) -> bool:
    """Whether a second visit of a node in one turn always counts as one that may ask something, see `_may_wait`."""
    if isinstance(node, Question):
        return node.ask_always and node.when is None
    if isinstance(node, Action):
        return node.confirm is not None and node.confirm.when is None
    return isinstance(node, Decision) and node.pick_question


def _may_wait(node: Node, row: Row, verdict: Callable[[Guard | None], Verdict | None]) -> bool:
    """Whether a second visit of a node in one turn may ask something, or depends on what was answered before."""
    if isinstance(node, Question):
        asks = node.ask_always or row.values.get(f"{ANSWERS}.{node.key}") is MISSING
        return asks and ((known := verdict(node.when)) is None or known.opens)
    if isinstance(node, Action):
        return node.confirm is not None and ((known := verdict(node.confirm.when)) is None or not known.closes)
    return isinstance(node, Decision) and node.pick_question


def _entered_next(
    context: FlowContext, node: Node, calls: list[Call], verdict: Callable[[Guard | None], Verdict | None]
) -> Node | None:
    """The node that is entered next, or None if that is unknown; `calls` are the calls that are open."""
    if isinstance(node, Call):
        callees = context.flow.callees(node)
        if len(callees) > 1 or node in calls:
            return None
        calls.append(node)
        graph = context.flow.graphs[callees[0]]
        return graph.nodes[graph.entry]
    taken = _taken(node, verdict)
    while taken is not None and taken.target == EXIT:
        taken = _taken(calls.pop(), verdict) if calls else None
    return context.flow.nodes[taken.target] if taken is not None else None


def _taken(node: Node, verdict: Callable[[Guard | None], Verdict | None]) -> Edge | None:
    """The edge that is taken, or None if that is unknown."""
    for edge in node.edges:
        result = verdict(edge.guard)
        if result is None or result.opens:
            return edge if result is not None else None
    return node.otherwise
