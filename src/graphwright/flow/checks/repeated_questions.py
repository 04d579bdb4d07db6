"""Ways back to questions that are answered already: they are passed over, so nothing is asked again."""

from __future__ import annotations

from collections.abc import Iterator

from graphwright.flow.checks.definite_assignment import Assignment
from graphwright.flow.checks.truth_tables import FlowContext
from graphwright.flow.compiled import Action, Call, Decision, Edge, Node, Question
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.graph_algorithms import reachable
from graphwright.flow.guards.value_partitions import truth
from graphwright.flow.guards.vocabulary import ANSWERS
from graphwright.flow.source import Path, Reporter, pointer


def check_repeated_questions(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report edges that lead back to answered questions and round again, and calls that ask nothing."""
    reported = out.pointers(Code.ENDLESS_TURN, Code.ACTIONS_FOR_EVER, Code.ENDLESS_CYCLE)
    for node in context.flow.nodes.values():
        state = assigned.entering.get(node)
        if state is None:
            continue
        after = dict(assigned.steps(node, state))
        for target, path in _ways_back(context, node):
            if target in context.flow.nodes and target in after:
                passed, region = _region(context, assigned, node, context.flow.nodes[target], after[target])
                if passed and not reported & {pointer((*context.path(each), "id")) for each in (node, *region)}:
                    _report_way_back(context, node, passed, path, out)
        if isinstance(node, Call):
            _check_call(context, assigned, node, state, out)


def _ways_back(context: FlowContext, node: Node) -> Iterator[tuple[str, Path]]:
    """The ways out of a node after which nothing has changed: a decision's, those of a no, those of a failed action."""
    if isinstance(node, Decision) and not node.pick_question:
        yield from ((edge.target, context.edge_path(node, edge)) for edge in node.all_edges)
    elif isinstance(node, Question) and node.read == "confirm" and node.ask_always:
        yield from ((edge.target, context.edge_path(node, edge)) for edge in _after_no(node))
    elif isinstance(node, Action) and node.on_error:
        yield node.on_error, (*context.path(node), "on_error")


def _after_no(question: Question) -> Iterator[Edge]:
    no = {f"{ANSWERS}.{question.key}": False}
    for edge in question.edges:
        result = True if edge.guard is None else truth(edge.guard.tree, no)
        if result:
            yield edge
            return
        if result is None:
            return
    if question.otherwise is not None:
        yield question.otherwise


def _region(
    context: FlowContext, assigned: Assignment, start: Node, first: Node, state: int
) -> tuple[Question | None, set[Node]]:
    """The first question that is passed over on the ways from `first` back to `start`, and the nodes on these ways.

    None where a way leads elsewhere, may ask something, or passes no question.
    """
    graph = context.flow.graphs[start.graph].nodes
    leaves = False
    passed: list[Question] = []

    def after(node: Node) -> list[Node]:
        nonlocal leaves
        if node is start:
            return []
        if isinstance(node, Question) and assigned.is_settled(node, state):
            passed.append(node)
        elif not isinstance(node, Decision | Action) or (isinstance(node, Action) and isinstance(start, Decision)):
            leaves = True
        targets = [graph.get(edge.target) for edge in node.all_edges]
        leaves = leaves or not targets or None in targets
        return [target for target in targets if target is not None and not leaves]

    region = reachable([first], after)
    return (passed[0] if passed and not leaves and start in region else None), region


def _report_way_back(context: FlowContext, node: Node, passed: Question, path: Path, out: Reporter) -> None:
    if isinstance(node, Question):
        then = f"a no to `{node.id}` asks the same again, for ever"
    elif isinstance(node, Action):
        then = f"`{node.id}` runs again with the same answers"
    else:
        then = f"the flow comes back to `{node.id}` with nothing changed and is stuck"
    message = f"`{passed.id}` has its answer when this way leads to it and is passed over: {then}."
    hint = f"Give `{passed.id}` `ask: always`, or lead this way elsewhere."
    out.add(Code.BACK_TO_ANSWERED, path, message, hint, related=[("the question", context.path(passed))])


def _check_call(context: FlowContext, assigned: Assignment, node: Call, state: int, out: Reporter) -> None:
    """Report a call without `as` of a subgraph whose questions were all answered before."""
    if node.scope:
        return
    called = reachable(context.flow.callees(node), lambda graph: _callees(context, graph))
    inside = [each for graph in called for each in context.flow.graphs[graph].nodes.values()]
    questions = [each for each in inside if isinstance(each, Question)]
    if any(isinstance(each, Call) and each.scope for each in inside):
        return
    if questions and all(assigned.is_settled(question, state) for question in questions):
        message = f"The call asks nothing: what `{node.ref}` asks has been answered before `{node.id}`."
        hint = "Keep its answers apart with `as: NAME`, give its questions `ask: always`, or remove the call."
        out.add(Code.CALL_ASKS_NOTHING, (*context.path(node), "id"), message, hint)


def _callees(context: FlowContext, graph: str) -> list[str]:
    calls = (node for node in context.flow.graphs[graph].nodes.values() if isinstance(node, Call))
    return [callee for call in calls for callee in context.flow.callees(call)]
