"""Connectivity: unreachable nodes, dead ends, regions without an end, and cycles that nothing leaves."""

from __future__ import annotations

from graphwright.flow._answer_scopes import Scopes
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._draft import Draft, DraftNode
from graphwright.flow._expressions import Expressions
from graphwright.flow._graph_algorithms import reachable
from graphwright.flow._source import Reporter, pointer
from graphwright.flow.checks._control_flow import ControlFlow
from graphwright.flow.checks._references import ESCAPES
from graphwright.flow.compiled import EXIT, ROOT, Kind


def check_reach(
    control: ControlFlow, scopes: Scopes, expressions: Expressions, broken: set[str], out: Reporter
) -> None:
    """Report nodes that cannot be reached from the entry of their graph.

    The targets of `on_stuck`, `on_escalate` and `on_abandon`, and the questions that constraints ask, count as reached.
    """
    draft = control.draft
    starts = [graph.entry for graph in draft.graphs.values() if graph.entry in graph.nodes]
    starts += [target for name in ESCAPES if (target := draft.data.get(name, "")) in draft.root.nodes]
    starts += [node.id for node in _asked_by_constraints(draft, scopes, expressions)]
    reached = reachable(starts, control.following)
    for node in draft.nodes.values():
        if node.id in reached or node.graph in broken:
            continue
        message = f"No way leads to `{node.id}` from `{draft.graphs[node.graph].entry}`, the entry of its graph."
        out.add(Code.UNREACHABLE, (*node.path, "id"), message, "Add an edge to it, or remove it.")


def _asked_by_constraints(draft: Draft, scopes: Scopes, expressions: Expressions) -> list[DraftNode]:
    found: list[DraftNode] = []
    for constraint in draft.data.get("constraints", ()):
        if not isinstance(constraint, dict):
            continue
        keys = {key for group in constraint.get("one_of", ()) for key in group}
        predicate = expressions.predicates.get(constraint.get("require", ""))
        if predicate is not None:
            keys |= {name.removeprefix("answers.") for name in predicate.reads if name.startswith("answers.")}
        for key in sorted(keys):
            found += scopes.questions(key, draft)
    return found


def check_ends(control: ControlFlow, broken: set[str], out: Reporter) -> None:
    """Report dead ends (errors), and the start of each region that cannot be left (warnings)."""
    left = control.leaving()
    dead = {node.id for node in control.draft.nodes.values() if _is_dead_end(control, node, left)}
    for name in sorted(dead):
        node = control.node(name)
        hint = "Add an edge to what comes next, such as " + ("a terminal." if node.graph == ROOT else "`__exit__`.")
        out.add(Code.DEAD_END, (*node.path, "id"), f"No edge leaves `{node.id}`.", hint)
    _check_no_end(control, broken, left, dead, out)


def _is_dead_end(control: ControlFlow, node: DraftNode, left: set[str]) -> bool:
    if node.edges or node.kind in (Kind.TERMINAL, None):
        return False
    return node.kind is not Kind.SUBGRAPH or (node.graph != ROOT and control.returns(node.id, left))


def _check_no_end(control: ControlFlow, broken: set[str], left: set[str], dead: set[str], out: Reporter) -> None:
    draft = control.draft
    ended = _ending(control, left, dead)
    stuck = {n.id for n in draft.nodes.values() if n.id not in ended and n.id not in left and n.graph not in broken}
    if not stuck:
        return
    entered = {graph.entry for graph in draft.graphs.values()}
    entered.update(target for name in draft.nodes if name not in stuck for target in control.following(name))
    reported = out.pointers(Code.ENDLESS_CYCLE, Code.ACTIONS_FOR_EVER)
    for node in draft.nodes.values():
        if node.id in stuck and node.id in entered and pointer((*node.path, "id")) not in reported:
            message = f"From `{node.id}` no end can be reached: the conversation never ends."
            hint = "Add a way to a terminal" + (" or to `__exit__`." if node.graph != ROOT else ".")
            out.add(Code.NO_END, (*node.path, "id"), message, hint)


def _ending(control: ControlFlow, left: set[str], dead: set[str]) -> set[str]:
    """The nodes from which the conversation can end. Nodes that are reported elsewhere count as an end."""
    draft = control.draft
    ended = set(dead)
    escalates = not {"on_escalate", "on_abandon"}.isdisjoint(draft.data)
    for node in draft.nodes.values():
        nodes = draft.graphs[node.graph].nodes
        lost = any(edge.target not in nodes and edge.target != EXIT for edge in node.edges)
        returns = node.kind is Kind.SUBGRAPH and not node.edges and control.returns(node.id, left)
        asks = escalates and node.kind is Kind.QUESTION
        if node.kind in (Kind.TERMINAL, None) or lost or returns or asks:
            ended.add(node.id)

    def before(name: str) -> list[str]:
        earlier = [each for each in control.preceding[name] if control.returns(each, left)]
        graph = control.node(name).graph
        return [*earlier, *control.callers[graph]] if draft.graphs[graph].entry == name else earlier

    return reachable(ended, before)
