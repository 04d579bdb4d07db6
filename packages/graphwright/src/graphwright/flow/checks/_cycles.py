"""Endless turns: cycles of decisions and calls alone, and cycles with actions whose questions are answered."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._draft import Draft, DraftNode
from graphwright.flow._graph_algorithms import components, cycle_through, is_cyclic
from graphwright.flow._source import Reporter
from graphwright.flow.checks._connectivity import following, leaving
from graphwright.flow.checks._definite_assignment import Assignment
from graphwright.flow.checks._truth_tables import FlowContext, Row, Table, all_reads, conditions_of, make_table
from graphwright.flow.compiled import Action, Call, Decision, Kind, Node, Question
from graphwright.flow.guards import Guard

_PURE = (Kind.DECISION, Kind.SUBGRAPH)


def check_cycles(draft: Draft, out: Reporter) -> None:
    """Report each cycle of decisions and subgraph calls, including recursion without a question."""
    left = leaving(draft, lambda node: node.kind in _PURE, jumps=False)
    successors: dict[DraftNode, list[DraftNode]] = {}
    for node in draft.nodes.values():
        if node.kind not in _PURE:
            continue
        targets = list(following(draft, node, jumps=False)) if left.passes(draft, node) else []
        if node.kind is Kind.SUBGRAPH:
            called = (draft.graphs[callee] for callee in draft.callees(node))
            targets += [graph.nodes[graph.entry] for graph in called if graph.entry in graph.nodes]
        successors[node] = [target for target in targets if target.kind in _PURE]
    order = {node: place for place, node in enumerate(successors)}
    for component in components(successors):
        if not is_cyclic(component, successors):
            continue
        first = min(component, key=order.__getitem__)
        cycle = cycle_through(first, set(component), successors)
        names = [node.id for node in cycle]
        shown = [*names[:6], *(["..."] if len(names) > 6 else []), names[0]]
        message = f"Nothing is asked or done on the way round: {' -> '.join(shown)}."
        hint = "Put a question or an action on the cycle, or lead it elsewhere."
        related = [(f"by way of `{node.id}`", node.path) for node in cycle[1:6]]
        out.add(Code.ENDLESS_CYCLE, (*first.path, "id"), message, hint, related=related)
    _check_endless_turns(draft, out)


def _check_endless_turns(draft: Draft, out: Reporter) -> None:
    """Report each cycle with an action that is never left and on which no question is asked twice."""
    nodes = [node for node in draft.nodes.values() if _goes_on(node)]
    successors = {node: list(following(draft, node, jumps=True)) for node in nodes}
    for component in components(successors):
        if not is_cyclic(component, successors) or not any(node.kind is Kind.ACTION for node in component):
            continue
        inside = {node.id for node in component}
        if all(edge.target in inside for node in component for edge in node.edges):
            first = min(component, key=nodes.index)
            cycle = cycle_through(first, set(component), successors)
            shown = " -> ".join([*(node.id for node in cycle[:6]), *(["..."] if len(cycle) > 6 else []), first.id])
            message = f"A turn that comes here never ends: {shown}."
            hint = "Put a question with `ask: always` on the cycle, or lead a way out of it."
            out.add(Code.ACTIONS_FOR_EVER, (*first.path, "id"), message, hint)


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
    reads one may end the cycle, and such a cycle is not reported. Cycles with calls are not reported either.
    """
    for graph in context.flow.graphs.values():
        successors = {
            node: [graph.nodes[edge.target] for edge in node.all_edges if edge.target in graph.nodes]
            for node in graph.nodes.values()
        }
        for cycle in components(successors):
            actions = [node for node in cycle if isinstance(node, Action)]
            if actions and is_cyclic(cycle, successors):
                _check_values(context, assigned, cycle, actions, out)


def _check_values(
    context: FlowContext, assigned: Assignment, cycle: Sequence[Node], actions: Sequence[Action], out: Reporter
) -> None:
    written = frozenset(name for action in actions for name in context.written_by(action))
    settled = [
        guard
        for node in cycle
        for guard in conditions_of(node)
        if written.isdisjoint(read.partition(".")[0] for read in guard.reads)
    ]
    for start in cycle:
        table = make_table(context, start, settled, assigned.on_leaving)
        if table is None:
            return
        goes_round = partial(_round, context, start, table)
        row = table.example(goes_round)
        if row is None:
            continue
        way = goes_round(row)
        on_way = [guard for node in way for guard in conditions_of(node)]
        shown = " -> ".join(node.id for node in way)
        values = (
            f"With {table.row_as_guard(row, goes_round)} a" if all_reads(g for g in on_way if g in settled) else "A"
        )
        message = f"{values} turn goes round without asking anything: {shown}."
        hint = "Put a question with `ask: always` on the cycle, or a guard on what its actions write."
        out.add(Code.ENDLESS_TURN, (*context.path(start), "id"), message, hint)
        return


def _round(context: FlowContext, start: Node, table: Table, row: Row) -> list[Node]:
    """The nodes of a walk from `start` back to it that performs an action and asks nothing; empty if there is none."""
    verdicts = {id(guard): verdict for guard, verdict in zip(table.guards, row.verdicts, strict=True)}

    def opens(guard: Guard | None) -> bool | None:
        """Whether a guard is true, or None if that may change."""
        return True if guard is None else verdicts[id(guard)].opens if id(guard) in verdicts else None

    way = [start]
    while True:
        node = way[-1]
        if isinstance(node, Question) and node.ask_always and opens(node.when) is not False:
            return []
        if isinstance(node, Action) and node.confirm is not None:
            when = node.confirm.when
            if when is None or id(when) not in verdicts or not verdicts[id(when)].closes:
                return []
        if isinstance(node, Call) or (isinstance(node, Decision) and node.pick_question):
            return []
        taken = node.otherwise
        for edge in node.edges:
            result = opens(edge.guard)
            if result is None:
                return []
            if result:
                taken = edge
                break
        target = context.flow.nodes.get(taken.target) if taken is not None else None
        if target is None:
            return []
        way.append(target)
        if target is start:
            return way if any(isinstance(node, Action) for node in way) else []
        if target in way[:-1]:
            return []
