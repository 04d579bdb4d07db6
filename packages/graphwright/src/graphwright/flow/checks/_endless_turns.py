"""Endless turns: cycles that some values, or an action that fails, repeat without asking anything."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from graphwright.flow._dependencies import answer_reads, signature_of
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._graph_algorithms import components, is_cyclic
from graphwright.flow._source import Path, Reporter, pointer
from graphwright.flow.checks._definite_assignment import Assignment
from graphwright.flow.checks._truth_tables import (
    MISSING,
    MOST_ROWS,
    UNCERTAIN,
    FlowContext,
    Row,
    Table,
    conditions_of,
    make_table,
)
from graphwright.flow.compiled import EXIT, Action, Call, CompiledFlow, Decision, Edge, Graph, Node, Question
from graphwright.flow.guards import Guard, Verdict
from graphwright.flow.guards._vocabulary import ANSWERS

_FEW_ROWS = 50
"""The maximum number of combinations that are examined for each node of a cycle without actions."""

_MOST_GUARDS = 20_000
"""The maximum number of guards in the tables of one cycle, all together."""

_ONLY_NOTING = ("record", "hand_over")
"""The ready-made actions whose effect no other action of the flow sees."""

State = tuple[Node, tuple[Call, ...]]
"""A node that is entered, and the open calls."""


def check_endless_turns(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report each cycle with actions that repeats for ever within one turn for some values.

    The user's answers do not change in a turn. Channels that the actions of a cycle write may change: a guard that
    reads one may end the cycle, and such a cycle is not reported here.
    """
    for cycle in _cycles(context, repeats=False):
        if cycle.actions:
            _check_values(context, assigned, cycle, out)


def check_endless_repeats(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report each cycle whose actions compute the same in each round, or of which one fails in each round.

    Cycles on which an edge leads back to an answered question are reported already.
    """
    reported = out.pointers(Code.ENDLESS_TURN, Code.ACTIONS_FOR_EVER, Code.BACK_TO_ANSWERED)
    for cycle in _cycles(context, repeats=True):
        if cycle.actions and reported.isdisjoint(map(pointer, _places(context, cycle))):
            _check_values(context, assigned, cycle, out)


def check_endless_questions(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report each such cycle of questions without actions, unless an edge on it leads back to an answered question."""
    reported = out.pointers(Code.BACK_TO_ANSWERED)
    for cycle in _cycles(context, repeats=False):
        edges = {pointer(context.edge_path(node, edge)) for node in cycle.nodes for edge in node.all_edges}
        asking = any(isinstance(node, Question) for node in cycle.inside)
        if asking and not cycle.actions and reported.isdisjoint(edges):
            _check_values(context, assigned, cycle, out)


@dataclass(frozen=True, slots=True)
class _Cycle:
    """Nodes of a graph that lie on cycles, and these with the nodes of the graphs that they call.

    `written` are the channels that its actions write, `changing` those that may have another value after each round.
    `repeats`: what an action computes from the same values stays the same, and an action may fail in each round.
    """

    nodes: Sequence[Node]
    inside: Sequence[Node]
    actions: Sequence[Action]
    written: frozenset[str]
    changing: frozenset[str]
    repeats: bool


def _cycles(context: FlowContext, *, repeats: bool) -> Iterator[_Cycle]:
    """The cycles of each graph over nodes that do not wait, without those on which a call has answers of its own."""
    flow = context.flow
    for graph in flow.graphs.values():
        successors = {node: _leading_on(graph, node, repeats) for node in graph.nodes.values()}
        for nodes in components(successors):
            if not is_cyclic(nodes, successors):
                continue
            callees = [callee for node in nodes if isinstance(node, Call) for callee in flow.callees(node)]
            called = sorted(context.control.called_in(callees))
            inside = [*nodes, *(node for each in called for node in flow.graphs[each].nodes.values())]
            if any(isinstance(node, Call) and node.scope and _has_answers(flow, node) for node in inside):
                continue
            actions = [node for node in inside if isinstance(node, Action)]
            written = frozenset(name for action in actions for name in context.written_by(action))
            changing = _changing(context, actions) if repeats else written
            yield _Cycle(nodes, inside, actions, written, changing, repeats)


def _has_answers(flow: CompiledFlow, call: Call) -> bool:
    return any(flow.graphs[callee].keys or flow.graphs[callee].scopes for callee in flow.callees(call))


def _leading_on(graph: Graph, node: Node, repeats: bool) -> list[Node]:
    """The nodes of its graph to which a node leads without waiting."""
    if isinstance(node, Decision) and node.pick_question:
        # Once all its questions have answers, it leads to `else` alone.
        targets = [node.otherwise.target] if repeats and node.otherwise is not None else []
    elif _waits(node):
        targets = []
    else:
        targets = [edge.target for edge in node.all_edges]
        targets += [node.on_error] if repeats and isinstance(node, Action) and node.on_error else []
    return [graph.nodes[target] for target in targets if target in graph.nodes]


def _waits(node: Node) -> bool:
    """Whether a second visit of a node in one turn always counts as one that may ask something, see `_may_wait`."""
    if isinstance(node, Question):
        return node.ask_always and node.when is None
    return isinstance(node, Action) and node.confirm is not None and node.confirm.when is None


def _changing(context: FlowContext, actions: Sequence[Action]) -> frozenset[str]:
    """The channels that may have another value after each round. All others are computed from the same values again.

    What an action does outside of the conversation may change what the others compute.
    """
    written = {action: frozenset(context.written_by(action)) for action in actions}
    every = frozenset[str]().union(*written.values())
    if not all(_only_computes(context, action) or action.run in _ONLY_NOTING for action in actions):
        return every
    writers = Counter(name for names in written.values() for name in names)
    growing = {name for name in every if context.flow.channels[name].append}
    readers: dict[str, list[Action]] = {}
    waiting: dict[Action, int] = {}
    for action in actions:
        read = {name.partition(".")[0] for name in signature_of(context.flow, action).reads} & every
        waiting[action] = len(read)
        for name in read:
            readers.setdefault(name, []).append(action)
    todo = [action for action in actions if not waiting[action]]
    for action in todo:
        for name in written[action]:
            writers[name] -= 1
            for reader in readers.get(name, ()) if not writers[name] and name not in growing else ():
                waiting[reader] -= 1
                todo += [reader] if not waiting[reader] else []
    return frozenset(name for name in every if writers[name] or name in growing)


def _only_computes(context: FlowContext, action: Action) -> bool:
    signature = context.signature(action)
    return signature is not None and signature.complete and not signature.effects


def _places(context: FlowContext, cycle: _Cycle) -> Iterator[Path]:
    """The places at which a finding about a cycle may be."""
    for node in cycle.inside:
        yield (*context.path(node), "id")
        yield from (context.edge_path(node, edge) for edge in node.all_edges)
        yield from ((*context.path(node), "on_error"),) if isinstance(node, Action) else ()


def _check_values(context: FlowContext, assigned: Assignment, cycle: _Cycle, out: Reporter) -> None:
    settled = [
        guard
        for node in dict.fromkeys(cycle.inside)
        for guard in conditions_of(node)
        if cycle.changing.isdisjoint(_heads(guard))
    ]
    rounds = _Rounds(context, cycle, settled)
    most = MOST_ROWS if cycle.actions else _FEW_ROWS
    for start in cycle.nodes[: max(1, _MOST_GUARDS // max(1, len(settled)))]:
        table = make_table(context, start, settled, assigned.on_leaving, times=len(cycle.nodes), most_rows=most)
        if table is None and not rounds.free:
            return
        way, values = rounds.example(start, table)
        if way:
            _report(context, cycle, [*way, start], values, rounds, out)
            return


def _report(
    context: FlowContext, cycle: _Cycle, way: Sequence[Node], values: str, rounds: _Rounds, out: Reporter
) -> None:
    shown = " -> ".join(node.id for node in way)
    failing = next((a for a, b in pairwise(way) if isinstance(a, Action) and _follows_failure(a, b)), None)
    if failing is not None:
        when = f" and with {values}" if values else ""
        message = f"If `{failing.id}` fails each time{when}, a turn goes round without asking anything: {shown}."
        hint = "Say how often with `retry`, and lead `on_error` to a node that helps or ends the conversation."
        out.add(Code.ENDLESS_TURN, (*context.path(failing), "on_error"), message, hint)
        return
    message = f"{f'With {values} a' if values else 'A'} turn goes round without asking anything: {shown}."
    hint = "Put a question with `ask: always` on the cycle, or a guard on what its actions write."
    if not cycle.actions:
        asked = next((node.id for node in way if isinstance(node, Question)), way[0].id)
        hint = f"An answer is kept, so give `{asked}` `ask: always`, or lead a way out of the cycle."
    elif any(id(guard) in rounds.free for node in way for guard in conditions_of(node)):
        actions = [node for node in way if isinstance(node, Action)]
        again = next((each for each in actions if not cycle.changing.issuperset(context.written_by(each))), actions[0])
        hint = (
            f"`{again.id}` gets the same values in each round. Ask something on the cycle, with `ask: always`, or "
            "count the rounds in a channel and end them by a guard on it."
        )
    out.add(Code.ENDLESS_TURN, (*context.path(way[0]), "id"), message, hint)


def _follows_failure(action: Action, after: Node) -> bool:
    return action.on_error == after.id and all(edge.target != after.id for edge in action.all_edges)


def _heads(guard: Guard) -> set[str]:
    """The names that a guard reads, without properties."""
    return {read.partition(".")[0] for read in guard.reads}


class _Rounds:
    """The ways round a cycle. `free` are the guards whose channels are computed: unless known, they may be true."""

    def __init__(self, context: FlowContext, cycle: _Cycle, settled: Sequence[Guard]) -> None:
        self._context = context
        self._cycle = cycle
        self._guards = settled
        self._settled = frozenset(map(id, settled))
        self.free = frozenset(id(guard) for guard in settled if not cycle.written.isdisjoint(_heads(guard)))
        self._known: Mapping[int, Verdict] = {}
        self._row = Row({}, ())

    def example(self, start: Node, table: Table | None) -> tuple[list[Node], str]:
        """A way from `start` back to it, and the values that lead along it as a guard; empty if any values do."""
        goes_round = partial(self.way, start)
        row = Row({}, (UNCERTAIN,) * len(self._guards)) if table is None else table.example(goes_round)
        way = goes_round(row) if row is not None else []
        read = any(guard.reads for node in way for guard in conditions_of(node) if id(guard) in self._settled)
        values = table.row_as_guard(row, goes_round) if row is not None and table is not None and read else ""
        return way, values.strip("`") and values

    def way(self, start: Node, row: Row) -> list[Node]:
        """The nodes of a way from `start` back to it that performs or passes something and asks nothing, or none."""
        known = zip(map(id, self._guards), row.verdicts, strict=True)
        self._known = {guard: verdict for guard, verdict in known if verdict is not UNCERTAIN}
        self._row = row
        first: State = (start, ())
        before: dict[State, State] = {}
        todo = deque([first])
        while todo:
            state = todo.popleft()
            for following in self._following(state) if not self._may_wait(state[0]) else ():
                if following == first:
                    return self._nodes(state, before)
                if following not in before:
                    before[following] = state
                    todo.append(following)
        return []

    def _nodes(self, last: State, before: Mapping[State, State]) -> list[Node]:
        found = [last[0]]
        while last in before:
            last = before[last]
            found.append(last[0])
        return found[::-1] if any(isinstance(each, Action | Question) for each in found) else []

    def _verdict(self, guard: Guard | None) -> Verdict | None:
        """The result of a guard, or None if it may change."""
        return Verdict(True) if guard is None else self._known.get(id(guard))

    def _may_wait(self, node: Node) -> bool:
        """Whether a second visit of a node in one turn may ask something, or depends on what was answered before."""
        if isinstance(node, Question):
            if self._cycle.repeats and not self._cycle.written.isdisjoint(answer_reads(node)):
                return True
            asks = node.ask_always or self._row.values.get(f"{ANSWERS}.{node.key}") is MISSING
            return asks and ((known := self._verdict(node.when)) is None or known.opens)
        if isinstance(node, Action):
            return node.confirm is not None and not ((known := self._verdict(node.confirm.when)) and known.closes)
        if isinstance(node, Decision) and node.pick_question:
            picked = (self._context.flow.nodes[edge.target] for edge in node.edges)
            return not self._cycle.repeats or any(map(self._may_wait, picked))
        return False

    def _following(self, state: State) -> Iterator[State]:
        """The nodes that may be entered next, as far as they are known."""
        (node, calls), flow = state, self._context.flow
        if isinstance(node, Call):
            callees = flow.callees(node)
            if len(callees) == 1 and node not in calls:
                graph = flow.graphs[callees[0]]
                yield graph.nodes[graph.entry], (*calls, node)
            return
        yield from self._left(node, calls)
        if self._cycle.repeats and isinstance(node, Action) and node.on_error:
            yield flow.nodes[node.on_error], calls

    def _left(self, node: Node, calls: tuple[Call, ...]) -> Iterator[State]:
        for edge in self._open(node):
            if edge.target != EXIT:
                yield self._context.flow.nodes[edge.target], calls
            elif calls:
                yield from self._left(calls[-1], calls[:-1])

    def _open(self, node: Node) -> Iterator[Edge]:
        """The edges that may be taken, as far as they are known."""
        for edge in () if isinstance(node, Decision) and node.pick_question else node.edges:
            result = self._verdict(edge.guard)
            if result is None and id(edge.guard) not in self.free:
                return
            if result is None or result.opens:
                yield edge
            if result is not None and result.opens:
                return
        if node.otherwise is not None:
            yield node.otherwise
