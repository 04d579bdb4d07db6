"""Ways out: decisions that pick questions until none is left, and the chosen path where none may be chosen yet."""

from __future__ import annotations

from collections import deque

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._source import Reporter
from graphwright.flow.checks._definite_assignment import Assignment
from graphwright.flow.checks._truth_tables import FlowContext, conditions_of
from graphwright.flow.compiled import CHOSEN_PATH, EXIT, ROOT, Call, Decision, Node
from graphwright.flow.guards._vocabulary import ACTIVE_PATH


def check_picks_end(context: FlowContext, out: Reporter) -> None:
    """Report each decision with `pick: question` that its questions lead back to, and that has no `else` edge."""
    for node in context.flow.nodes.values():
        if not isinstance(node, Decision) or not node.pick_question or node.otherwise is not None or not node.edges:
            continue
        targets = [edge.target for edge in node.edges]
        if context.control.leads_to(targets, node.id):
            stuck = context.flow.on_stuck
            then = f"it goes to `{stuck}`" if stuck else "the turn fails"
            message = f"`{node.id}` has no `else` edge: when none of its questions is left to ask, {then}."
            hint = "Add an edge with `guard: else` to what comes then, such as a confirmation."
            out.add(Code.NOT_COVERED, (*context.path(node), "id"), message, hint)


def check_chosen_path(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report each call of the chosen path that some way enters without a guard that excludes `active_path == ''`.

    A path that was chosen once remains chosen, so that guard may stand anywhere on the way. With `on_stuck` the flow
    says what happens if none is chosen.
    """
    flow = context.flow
    calls = [node for node in flow.nodes.values() if isinstance(node, Call) and node.ref == CHOSEN_PATH]
    domain = assigned.domains.get(ACTIVE_PATH)
    tested = any(ACTIVE_PATH in guard.reads for node in flow.nodes.values() for guard in conditions_of(node))
    if not calls or flow.on_stuck or (tested and domain is None):
        return
    chosen = next((bit for value, bit in domain.values if value == ""), 0) if domain is not None else 0
    before = _without_choice(context, assigned, chosen)
    for node in calls:
        if node not in before:
            continue
        source = before[node]
        edge = next((each for each in source.all_edges if each.target == node.id), None) if source else None
        where = f"`{edge.source} -> {edge.target}` leads here" if edge is not None else "it is entered"
        message = f"{where} also while no path is chosen; then the turn fails (`stuck_no_path_chosen`)."
        hint = (
            f"Lead here by `guard: {ACTIVE_PATH} != ''`, and by `guard: else` to a question with "
            f"`when: {ACTIVE_PATH} == ''` and `ask: always` that leads back to this choice."
        )
        related = [("the edge", context.edge_path(source, edge))] if source is not None and edge is not None else []
        out.add(
            Code.PATH_NOT_CHOSEN, (*context.path(node), "ref"), message[0].upper() + message[1:], hint, related=related
        )


def _without_choice(context: FlowContext, assigned: Assignment, chosen: int) -> dict[Node, Node | None]:
    """The nodes that a way reaches without a guard that proves a chosen path, each with the node before it."""
    flow = context.flow
    entry = flow.graphs[ROOT].nodes[flow.graphs[ROOT].entry]
    found: dict[Node, Node | None] = {entry: None}
    todo = deque([entry])
    while todo:
        node = todo.popleft()
        targets = [name for name, facts in assigned.steps(node, 0) if name != EXIT and not facts & chosen]
        if isinstance(node, Call) and node.ref != CHOSEN_PATH:
            targets += [flow.graphs[callee].entry for callee in flow.callees(node)]
        for target in (flow.nodes[name] for name in targets):
            if target not in found:
                found[target] = node
                todo.append(target)
    return found
