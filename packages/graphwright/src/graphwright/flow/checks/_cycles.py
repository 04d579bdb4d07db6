"""Cycles that no value ends: of decisions and calls alone, and of actions without a way out."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._draft import DraftNode
from graphwright.flow._graph_algorithms import components, cycle_through, is_cyclic
from graphwright.flow._source import Reporter
from graphwright.flow.checks._control_flow import ControlFlow
from graphwright.flow.compiled import Kind

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
