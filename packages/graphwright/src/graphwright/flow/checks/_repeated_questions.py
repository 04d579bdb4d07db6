"""Questions that are skipped because they have an answer, although the author expects them to be asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from graphwright.flow._dependencies import answer_reads
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._graph_algorithms import reachable
from graphwright.flow._source import Path, Reporter, pointer
from graphwright.flow.checks._definite_assignment import Assignment
from graphwright.flow.checks._truth_tables import FlowContext, conditions_of
from graphwright.flow.compiled import EXIT, ROOT, Action, Call, Decision, Edge, Node, Question, Terminal
from graphwright.flow.guards import Guard
from graphwright.flow.guards._syntax_tree import Expr, parts_of
from graphwright.flow.guards._value_partitions import comparisons, truth
from graphwright.flow.guards._value_types import type_of_schema
from graphwright.flow.guards._vocabulary import ANSWERS
from graphwright.text.near_names import listed


def check_repeated_questions(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report edges that lead back to answered questions and round again, and questions and calls that never ask."""
    reported = out.pointers(Code.ENDLESS_TURN, Code.ACTIONS_FOR_EVER, Code.ENDLESS_CYCLE)
    cyclic = context.cyclic
    questions = {question.id: question for question in context.flow.questions}
    for node in context.flow.nodes.values():
        state = assigned.entering.get(node)
        if state is None:
            continue
        back = [*_ways_back(context, node)]
        on = [(questions[target], path) for target, path in _ways_on(context, node) if target in questions]
        after = dict(assigned.steps(node, state)) if back or on else {}
        for target, path in back:
            if target in context.flow.nodes and target in after:
                passed, region = _region(context, assigned, node, context.flow.nodes[target], after[target])
                if passed and not reported & {pointer((*context.path(each), "id")) for each in (node, *region)}:
                    _report_way_back(context, node, passed, path, out)
        _check_loops(context, assigned, node, on, after, reported, out)
        if isinstance(node, Question) and node in cyclic:
            _check_kept_choice(context, node, cyclic[node], out)
        if isinstance(node, Call):
            _check_call(context, assigned, node, state, out)
            _check_same_scope(context, node, out)
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
    context: FlowContext,
    assigned: Assignment,
    node: Node,
    on: Sequence[tuple[Question, Path]],
    after: Mapping[str, int],
    reported: Set[str],
    out: Reporter,
) -> None:
    """Report the ways out of a node that lead back to an answered question and round to the node again."""
    for question, path in on:
        if assigned.is_settled(question, after.get(question.id, 0)):
            loop = _loop(context, assigned, question, node, after[question.id])
            if loop and not reported & {pointer((*context.path(each), "id")) for each in loop}:
                _report_loop(context, node, path, question, loop, out)


def _ways_on(context: FlowContext, node: Node) -> Iterator[tuple[str, Path]]:
    """The edges of a node, and where it goes after a failure; not the edge of a confirmation for a correction."""
    correcting = context.correcting.get(node)
    yield from ((edge.target, context.edge_path(node, edge)) for edge in node.all_edges if edge is not correcting)
    if isinstance(node, Action) and node.on_error:
        yield node.on_error, (*context.path(node), "on_error")


def _chooses(question: Question) -> bool:
    """Whether an answer chooses among given values: any other reply may also correct what was said before."""
    known = type_of_schema(question.schema)
    return bool(question.options or known.allowed or known.kind == "boolean")


def _is_confirmation(node: Node) -> bool:
    return isinstance(node, Question) and node.read == "confirm"


def _loop(context: FlowContext, assigned: Assignment, target: Node, end: Node, state: int) -> list[Node]:
    """The nodes on the ways from an answered question to `end`, if these may ask for a confirmation at most.

    `end` itself may ask something, too. The list is empty if the loop writes what an answer depends on, or what a guard
    between the question and the first action reads: then the answer may be dropped, or the question leads to another
    edge than before. It is empty if the loop neither asks nor performs anything.
    """
    graph = context.flow.graphs[end.graph].nodes

    def following(node: Node) -> list[Node]:
        correcting = context.correcting.get(node)
        if correcting is None:
            return _targets(graph, node)
        return [graph[e.target] for e in node.all_edges if e is not correcting and e.target in graph]

    region = reachable([target], lambda each: following(each) if each is not end else [])
    if end not in region:
        return []
    before: dict[Node, list[Node]] = {}
    for each in region - {end}:
        for later in following(each):
            before.setdefault(later, []).append(each)
    ways = reachable([end], lambda each: before.get(each, []) if each is not target else [])
    loop: list[Node] = [each for node in graph.values() if node in ways for each in _nodes_of(context, node)]
    asking = [each for each in loop if isinstance(each, Question) and not assigned.is_settled(each, state)]
    if not all(_is_confirmation(each) or (each is end and _chooses(each)) for each in asking):
        return []
    if any(isinstance(each, Call | Terminal) or (isinstance(each, Decision) and each.pick_question) for each in loop):
        return []
    actions = [each for each in loop if isinstance(each, Action)]
    if not actions and end not in asking:
        return []
    written = {name for action in actions for name in context.written_by(action)}
    written |= {f"{ANSWERS}.{each.key}" for each in asking}
    first = reachable([target], lambda each: _targets(graph, each) if isinstance(each, Question | Decision) else [])
    choosing = [each for each in first if each in ways and each not in asking and isinstance(each, Question | Decision)]
    reads = {name for each in choosing for guard in conditions_of(each) for name in guard.reads}
    reads.update(name for each in loop if isinstance(each, Question) for name in answer_reads(each))
    changed = reads & written or not written.isdisjoint(name.partition(".")[0] for name in reads)
    return [] if changed else loop


def _check_kept_choice(context: FlowContext, question: Question, component: Set[Node], out: Reporter) -> None:
    """Report edges that an answer opens and that lead back to its question only: the kept answer opens them again."""
    read = f"{ANSWERS}.{question.key}"
    again = question.ask_always or len(context.askers(read)) > 1 or context.flow.confirmed_by(question.id)
    if again or answer_reads(question) or not question.required:
        return
    for edge in question.edges:
        if edge.guard is None or context.flow.nodes.get(edge.target) not in component:
            continue
        if not _needs_choice(context, edge.guard, read):
            continue
        if _asks_without_end(context, question, context.flow.nodes[edge.target], component):
            then = "the loop never ends"
            if edge.guard.reads != {read}:
                then = f"it is not asked again, and the loop ends only when `{edge.guard.text}` is false"
            message = f"`{question.id}` keeps its answer, and every way from here leads back to it: {then}."
            hint = f"Give `{question.id}` `ask: always`, so that it is asked in each round."
            related = [("the question", context.path(question))]
            out.add(Code.BACK_TO_ANSWERED, context.edge_path(question, edge), message, hint, related=related)


def _needs_choice(context: FlowContext, guard: Guard, read: str) -> bool:
    """Whether an answer has to open a guard, and only channels, such as a limit of rounds, can close it later."""
    others = guard.reads - {read}
    if read not in guard.reads or any(name not in context.flow.channels for name in others):
        return False
    return not others or any(_is_about(part, read) for part in parts_of(guard.tree, "&&"))


def _is_about(condition: Expr, read: str) -> bool:
    found = comparisons(condition)
    return bool(found) and {name for name, _ in found or ()} == {read}


def _asks_without_end(context: FlowContext, question: Question, start: Node, component: Set[Node]) -> bool:
    """Whether the ways from `start` ask something and all lead back to a question of the same component."""
    todo, seen = [start], {start, question}
    while todo:
        node = todo.pop()
        following = [context.flow.nodes[each] for each in context.control.following(node.id)]
        if isinstance(node, Call) or node.id in context.control.exiting or not component >= set(following):
            return False
        todo += [each for each in following if each not in seen]
        seen.update(following)
    return any(isinstance(each, Question) and each.ask_always for each in seen)


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
    hint = _end_hint(context, node) or f"Give `{passed.id}` `ask: always`, or lead this way elsewhere."
    out.add(Code.BACK_TO_ANSWERED, path, message, hint, related=[("the question", context.path(passed))])


def _end_hint(context: FlowContext, node: Node) -> str:
    """The end to lead a way to, if no way from a node leads to an end of its graph; empty if one does."""
    ends = context.control.reached([node.id], set())
    graph = context.flow.graphs[node.graph]
    inside = [each for each in graph.nodes.values() if each.id in ends]
    if any(isinstance(each, Terminal) or any(e.target == EXIT for e in each.all_edges) for each in inside):
        return ""
    if node.graph != ROOT:
        return f"Lead this way to `{EXIT}`: no way from here leaves `{node.graph}`, whatever is asked again."
    terminal = next((each.id for each in graph.nodes.values() if isinstance(each, Terminal)), "")
    return (
        f"Lead this way to a terminal, such as `{terminal}`: no way from here ends the conversation."
        if terminal
        else ""
    )


def _report_loop(
    context: FlowContext, node: Node, path: Path, passed: Question, loop: Sequence[Node], out: Reporter
) -> None:
    actions = [each for each in loop if isinstance(each, Action)]
    demanded = (context.flow.nodes[each.confirm.by] for each in actions if each.confirm is not None)
    confirmations = [*filter(_is_confirmation, loop), *demanded]
    written = {name for action in actions for name in context.written_by(action)}
    names = listed(action.id for action in actions)
    then = f"it is not asked again, and the same turn performs {names} again"
    if isinstance(node, Question):
        then = f"it is not asked again, and the flow comes back to `{node.id}` with the same answer"
    elif confirmations:
        then = f"it is not asked again, and the flow comes to `{confirmations[0].id}` with the same answer"
    elif all(_repeats(context, action, written) for action in actions):
        then = f"the turn performs {names} with the same values again and again until `max_actions` makes it fail"
    message = f"`{passed.id}` has its answer when this way leads to it and is passed over: {then}."
    hint = f"Give `{passed.id}` `ask: always`, or lead this way elsewhere."
    if writers := context.known_writers(passed.options) if passed.options else []:
        hint = f"Lead this way to `{writers[0].id}`, which writes its options anew, or give it `ask: always`."
    related = [("the question", context.path(passed))]
    out.add(Code.BACK_TO_ANSWERED, path, message, hint, related=related)


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


def _check_same_scope(context: FlowContext, node: Call, out: Reporter) -> None:
    """Report a call after another one of the same subgraph with the same `as`, in which nothing can change between."""
    graph = context.flow.graphs[node.graph]
    flow = context.flow
    inside = list(flow.graphs[node.ref].nodes.values()) if node.scope and node.ref in flow.graphs else []
    if not inside or not all(map(_asks_once, inside)):
        return
    starts = [graph.entry, *(each for each in (flow.on_stuck, flow.on_escalate, flow.on_abandon) if each)]
    for other in graph.nodes.values():
        same = isinstance(other, Call) and other is not node and (other.ref, other.scope) == (node.ref, node.scope)
        if same and not context.control.leads_to(starts, node.id, avoiding=[other.id]):
            message = f"The call asks nothing: `{other.id}` has asked everything as `{node.scope}` before `{node.id}`."
            hint = f"Give `{node.id}` another `as`, so that its answers are kept apart."
            related = [("the call before", context.path(other))]
            out.add(Code.CALL_ASKS_NOTHING, (*context.path(node), "id"), message, hint, related=related)
            return


def _asks_once(node: Node) -> bool:
    """Whether a second visit of a node, with the same answers, asks and does nothing."""
    if not isinstance(node, Question | Decision | Terminal) or (isinstance(node, Question) and node.ask_always):
        return False
    reads = {read for guard in conditions_of(node) for read in guard.reads}
    reads |= answer_reads(node) if isinstance(node, Question) else set()
    return all(read.startswith(f"{ANSWERS}.") for read in reads)


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
