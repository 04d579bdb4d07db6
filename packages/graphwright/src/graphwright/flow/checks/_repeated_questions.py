"""Questions that are skipped because they have an answer, although the author expects them to be asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from graphwright.flow._dependencies import answer_reads
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._graph_algorithms import reachable
from graphwright.flow._source import Path, Reporter, pointer
from graphwright.flow.checks._definite_assignment import Assignment
from graphwright.flow.checks._truth_tables import FlowContext, conditions_of
from graphwright.flow.compiled import Action, Call, Decision, Edge, Node, Question
from graphwright.flow.guards._value_partitions import truth
from graphwright.flow.guards._vocabulary import ANSWERS
from graphwright.text.near_names import listed


def check_repeated_questions(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report edges that lead back to answered questions and round again, and questions and calls that never ask."""
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
        _check_loops(context, assigned, node, after, reported, out)
        if isinstance(node, Call):
            _check_call(context, assigned, node, state, out)
        elif isinstance(node, Question) and assigned.is_settled(node, state):
            _report_never_asked(context, node, out)
        elif isinstance(node, Decision) and node.pick_question:
            _check_pick(context, node, out)


def _ways_back(context: FlowContext, node: Node) -> Iterator[tuple[str, Path]]:
    """The ways out of a node after which nothing has changed: of a decision, of a no, of a failed action."""
    asked_once = isinstance(node, Question) and not node.ask_always and node.when is None
    if asked_once or (isinstance(node, Decision) and not node.pick_question):
        yield from ((edge.target, context.edge_path(node, edge)) for edge in node.all_edges)
    elif isinstance(node, Question) and node.read == "confirm":
        yield from ((edge.target, context.edge_path(node, edge)) for edge in _after_no(node))
    elif isinstance(node, Action) and node.on_error:
        yield node.on_error, (*context.path(node), "on_error")


def _report_never_asked(context: FlowContext, node: Question, out: Reporter) -> None:
    """Report a question that is never asked. Askers in other graphs do not count: a caller may lack the answer."""
    others = [each for each in context.askers(node.key) if each is not node and each.graph == node.graph]
    if others:
        message = f"`{node.id}` is never asked: on every way here `{node.key}` is answered already."
        hint = "Give it another key, `ask: always` where it is asked again, or remove it."
        related = [(f"`{other.id}` asks for it", context.path(other)) for other in others]
        out.add(Code.NEVER_ASKED, (*context.path(node), "id"), message, hint, related=related)


def _check_pick(context: FlowContext, node: Decision, out: Reporter) -> None:
    """Report a decision that picks among questions, none of which leads back to it: it asks only one of them."""
    graph = context.flow.graphs[node.graph].nodes
    picked = [graph[edge.target] for edge in node.edges]
    if len(picked) > 1 and node not in reachable(picked, lambda each: _targets(graph, each)):
        message = f"`{node.id}` asks one question only: none of those it picks from leads back to it."
        hint = f"Lead the edges of the questions to `{node.id}`; its `else` edge is for when all are answered."
        out.add(Code.PICK_ASKS_ONE, (*context.path(node), "id"), message, hint)


def _targets(graph: Mapping[str, Node], node: Node) -> list[Node]:
    return [graph[edge.target] for edge in node.all_edges if edge.target in graph]


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
    """The first question that is skipped on the ways from `first` back to `start`, and the nodes on these ways.

    The question is None if a way leads elsewhere, may ask something, or passes no question.
    """
    graph = context.flow.graphs[start.graph].nodes
    acts_are_change = isinstance(start, Decision) or (isinstance(start, Question) and not start.ask_always)
    leaves = False
    passed = [start] if isinstance(start, Question) and assigned.is_settled(start, state) else []

    def after(node: Node) -> list[Node]:
        nonlocal leaves
        if node is start:
            return []
        for each in _nodes_of(context, node):
            if isinstance(each, Question) and assigned.is_settled(each, state):
                passed.append(each)
            elif not isinstance(each, Decision | Action) or (isinstance(each, Action) and acts_are_change):
                leaves = True
        targets = [graph.get(edge.target) for edge in node.all_edges]
        leaves = leaves or not targets or None in targets
        return [target for target in targets if target is not None and not leaves]

    region = reachable([first], after)
    return (passed[0] if passed and not leaves and start in region else None), region


def _check_loops(
    context: FlowContext, assigned: Assignment, node: Node, after: Mapping[str, int], reported: Set[str], out: Reporter
) -> None:
    """Report the edges of a node that lead back to an answered question and through actions to the node again."""
    for edge in node.all_edges:
        question = context.flow.nodes.get(edge.target)
        if not isinstance(question, Question) or not assigned.is_settled(question, after.get(edge.target, 0)):
            continue
        loop = _loop(context, assigned, question, node, after[edge.target])
        if loop and not reported & {pointer((*context.path(each), "id")) for each in loop}:
            _report_loop(context, node, edge, question, loop, out)


def _loop(context: FlowContext, assigned: Assignment, target: Node, end: Node, state: int) -> list[Node]:
    """The nodes on the ways from an answered question to `end`, if these perform actions and may ask nothing.

    The list is empty if an action writes what the answer depends on, or what a guard between the question and the
    first action reads: then the answer may be dropped, or the question leads to another edge than before.
    """
    graph = context.flow.graphs[end.graph].nodes
    region = reachable([target], lambda each: _targets(graph, each) if each is not end else [])
    if end not in region:
        return []
    before: dict[Node, list[Node]] = {}
    for each in region - {end}:
        for following in _targets(graph, each):
            before.setdefault(following, []).append(each)
    ways = reachable([end], lambda each: before.get(each, []) if each is not target else [])
    loop: list[Node] = [each for node in graph.values() if node in ways for each in _nodes_of(context, node)]
    actions = [each for each in loop if isinstance(each, Action)]
    if not actions or not all(_asks_nothing(assigned, each, state) for each in loop):
        return []
    written = {name for action in actions for name in context.written_by(action)}
    first = reachable([target], lambda each: _targets(graph, each) if isinstance(each, Question | Decision) else [])
    choosing = [each for each in first if each in ways and isinstance(each, Question | Decision)]
    reads = {name for each in choosing for guard in conditions_of(each) for name in guard.reads}
    reads.update(name for each in loop if isinstance(each, Question) for name in answer_reads(each))
    return loop if written.isdisjoint(name.partition(".")[0] for name in reads) else []


def _asks_nothing(assigned: Assignment, node: Node, state: int) -> bool:
    if isinstance(node, Question):
        return assigned.is_settled(node, state)
    if isinstance(node, Action):
        return node.confirm is None
    return isinstance(node, Decision) and not node.pick_question


def _nodes_of(context: FlowContext, node: Node) -> list[Node]:
    """A node itself, and a call with `as`; for any other call the nodes that it may enter."""
    if not isinstance(node, Call) or node.scope:
        return [node]
    graphs = context.control.called_in(context.flow.callees(node))
    inside = [each for graph in sorted(graphs) for each in context.flow.graphs[graph].nodes.values()]
    return [each for each in inside if not isinstance(each, Call) or each.scope]


def _report_way_back(context: FlowContext, node: Node, passed: Question, path: Path, out: Reporter) -> None:
    if isinstance(node, Question) and not node.ask_always:
        then = "nothing is asked on the way round, and the flow is stuck"
    elif isinstance(node, Question):
        then = f"a no to `{node.id}` asks the same again, for ever"
    elif isinstance(node, Action):
        then = f"`{node.id}` runs again with the same answers"
    else:
        then = f"the flow comes back to `{node.id}` with nothing changed and is stuck"
    message = f"`{passed.id}` has its answer when this way leads to it and is passed over: {then}."
    hint = f"Give `{passed.id}` `ask: always`, or lead this way elsewhere."
    out.add(Code.BACK_TO_ANSWERED, path, message, hint, related=[("the question", context.path(passed))])


def _report_loop(
    context: FlowContext, node: Node, edge: Edge, passed: Question, loop: Sequence[Node], out: Reporter
) -> None:
    actions = [each for each in loop if isinstance(each, Action)]
    written = {name for action in actions for name in context.written_by(action)}
    names = listed(action.id for action in actions)
    then = f"it is not asked again, and the same turn performs {names} again"
    if all(_repeats(context, action, written) for action in actions):
        then = f"the turn performs {names} with the same values again and again until `max_actions` makes it fail"
    message = f"`{passed.id}` has its answer when this way leads to it and is passed over: {then}."
    hint = f"Give `{passed.id}` `ask: always`, or lead this way elsewhere."
    related = [("the question", context.path(passed))]
    out.add(Code.BACK_TO_ANSWERED, context.edge_path(node, edge), message, hint, related=related)


def _repeats(context: FlowContext, action: Action, written: Set[str]) -> bool:
    """Whether an action only computes its result, and from nothing that the loop writes."""
    signature = context.signature(action)
    if signature is None or signature.effects or not signature.complete:
        return False
    return written.isdisjoint(name.partition(".")[0] for name in signature.reads)


def _check_call(context: FlowContext, assigned: Assignment, node: Call, state: int, out: Reporter) -> None:
    """Report a call without `as` of a subgraph whose questions have all been answered before."""
    inside = _nodes_of(context, node)
    questions = [each for each in inside if isinstance(each, Question)]
    if any(isinstance(each, Call) for each in inside):
        return
    if questions and all(assigned.is_settled(question, state) for question in questions):
        message = f"The call asks nothing: what `{node.ref}` asks has been answered before `{node.id}`."
        hint = "Keep its answers apart with `as: NAME`, give its questions `ask: always`, or remove the call."
        out.add(Code.CALL_ASKS_NOTHING, (*context.path(node), "id"), message, hint)


def check_returns(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report calls whose edges are never taken because the called graph never reaches `__exit__`."""
    reported = out.pointers(Code.NO_END)
    for node in assigned.entering:
        if not isinstance(node, Call) or not node.all_edges or pointer((*context.path(node), "id")) in reported:
            continue
        if not any(callee in assigned.exits for callee in context.flow.callees(node)):
            message = f"The edges of `{node.id}` are never taken: no way through `{node.ref}` leads to `__exit__`."
            hint = "End the subgraph by an edge to `__exit__`; a terminal in it ends the whole conversation."
            out.add(Code.CALL_NEVER_RETURNS, (*context.path(node), "id"), message, hint)
