"""Use before assignment: expressions that read an answer which some way to them has not asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from graphwright.flow.checks.check_context import CheckContext, all_reads
from graphwright.flow.checks.guard_values import Held, Scopes
from graphwright.flow.checks.reachable_values import Goal, Moment, Run
from graphwright.flow.compiled import ROOT, Action, Decision, Edge, Node, Question, Terminal
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.guards import Guard, Template
from graphwright.flow.guards.names import ANSWERS
from graphwright.flow.guards.value_types import type_of_schema
from graphwright.flow.near_names import listed
from graphwright.flow.source import Path, Reporter

_PREFIX = f"{ANSWERS}."

_THEN = {
    "guard": ("The guard is not true then.", "has({0}) && ..."),
    "when": ("The question is passed over then.", "has({0}) && ..."),
    "confirm.when": ("The confirmation is demanded then.", "!has({0}) || ..."),
    "validate": ("No answer is accepted then.", "!has({0}) || ..."),
}


class Use(NamedTuple):
    """An expression that is evaluated at a moment of a node; for a guard, its edge."""

    node: Node
    moment: Moment
    guard: Guard
    path: Path
    edge: Edge | None = None


def check_use_before_assignment(context: CheckContext, out: Reporter) -> None:
    """Report each answer once for each node that reads it, with a way on which it is missing.

    Constraints are no matter: one that lacks an answer asks for it. Neither are the conditions of what a decision with
    `pick: question` chooses from: it looks at them again after every answer.
    """
    reported: set[tuple[Node, str]] = set()
    confirming = _passed_over(context)
    for use in _uses(context):
        for name in sorted(use.guard.needs):
            if not name.startswith(_PREFIX) or name in confirming:
                continue
            if (use.node, name) in reported or _is_assigned(context, use, name):
                continue
            run = context.reachable.find(_goal(context, use, name))
            if run is not None:
                reported.add((use.node, name))
                _report(context, use, name, run, out)


def _passed_over(context: CheckContext) -> set[str]:
    """The answers of confirming questions that may not be asked: that is reported at the confirmation."""
    nodes = context.flow.nodes
    confirming = [nodes[n.confirm.by] for n in nodes.values() if isinstance(n, Action) and n.confirm is not None]
    return {f"{_PREFIX}{q.key}" for q in confirming if isinstance(q, Question) and q.when is not None}


def _uses(context: CheckContext) -> Iterator[Use]:
    for node in context.flow.nodes.values():
        path = context.path(node)
        if isinstance(node, Question):
            own = {f"{_PREFIX}{node.key}"} if node.when is None and node.required else set()
            if node.when is not None:
                yield Use(node, Moment.ENTER, node.when, (*path, "when"))
            if node.validate is not None:
                yield Use(node, Moment.ASK, node.validate, (*path, "validate"))
            yield from _holes(node, Moment.ASK, node.prompt, (*path, "prompt"))
            yield from _holes(node, Moment.ASK, node.invalid_prompt, (*path, "invalid_prompt"))
        else:
            own = set()
            if isinstance(node, Action) and node.confirm is not None and node.confirm.when is not None:
                yield Use(node, Moment.ENTER, node.confirm.when, (*path, "confirm", "when"))
            if isinstance(node, Terminal):
                yield from _holes(node, Moment.ENTER, node.say, (*path, "say"))
        if isinstance(node, Decision) and node.pick_question:
            continue
        for edge in node.edges:
            if edge.guard is None:
                # Where it comes first, nothing hangs on the others.
                break
            if not edge.guard.reads <= own:
                yield Use(node, Moment.LEAVE, edge.guard, (*context.edge_path(node, edge), "guard"), edge)


def _holes(node: Node, moment: Moment, template: Template | None, path: Path) -> Iterator[Use]:
    for expression in template.expressions if template is not None else ():
        yield Use(node, moment, expression, path)


def _is_assigned(context: CheckContext, use: Use, name: str) -> bool:
    answer = name.removeprefix(_PREFIX)
    if use.moment is Moment.LEAVE:
        return context.assigned.on_leaving(use.node, answer)
    if use.moment is Moment.ASK and isinstance(use.node, Question):
        return context.assigned.on_asking(use.node, answer)
    return context.assigned.on_entering(use.node, answer)


def _goal(context: CheckContext, use: Use, name: str) -> Goal:
    values = context.values
    rivals: list[Guard] = []
    if use.edge is not None:
        rivals = _rivals(use.node.edges, use.edge, name)
    ended = _ended(context, use.node)

    def lacks(held: Held, scopes: Scopes, escaped: bool) -> bool:
        verdict = values.verdict(use.guard, scopes, held)
        if verdict is None or name not in {_read_of(use.guard, missing) for missing in verdict.missing}:
            return False
        others = [values.verdict(guard, scopes, held) for guard in rivals]
        return all(v is not None and not v.opens for v in others) and (escaped or ended(held))

    return Goal(use.node, use.moment, all_reads((use.guard, *rivals)) | _constrained(context, use.node), lacks)


def _rivals(edges: Sequence[Edge], edge: Edge, name: str) -> list[Guard]:
    """The guards of which one that is true makes it no matter: those of edges that win, or that read the name, too."""
    place = edges.index(edge)
    later = [e.guard for e in edges[place + 1 :] if e.guard is not None and name in e.guard.reads]
    return [e.guard for e in edges[:place] if e.guard is not None] + later


def _read_of(guard: Guard, missing: str) -> str:
    """The name that is read where a property of its value is missing."""
    while missing not in guard.reads and "." in missing:
        missing = missing.rpartition(".")[0]
    return missing


def _constrained(context: CheckContext, node: Node) -> frozenset[str]:
    if not (isinstance(node, Terminal) and node.graph == ROOT):
        return frozenset()
    keys = {f"{_PREFIX}{key}" for c in context.flow.constraints for group in c.one_of for key in group}
    return frozenset(keys) | all_reads(c.require for c in context.flow.constraints if c.require is not None)


def _ended(context: CheckContext, node: Node) -> Callable[[Held], bool]:
    """Whether the conversation may end here with these values: a root terminal is left by what a constraint asks."""
    values = context.values

    def met(held: Held) -> bool:
        for constraint in context.flow.constraints:
            groups = [[tuple(f"{_PREFIX}{key}".split(".")) in held for key in group] for group in constraint.one_of]
            if groups and not any(map(all, groups)):
                return False
            verdict = values.verdict(constraint.require, (), held) if constraint.require is not None else None
            if constraint.require is not None and (verdict is None or not verdict.opens):
                return False
        return True

    return met if isinstance(node, Terminal) and node.graph == ROOT else lambda held: True


def _report(context: CheckContext, use: Use, name: str, run: Run, out: Reporter) -> None:
    askers = [question.id for question in context.askers(name) if question.id not in run.nodes]
    without = f", without {listed(askers, 3)}" if askers else ""
    message = f"`{name}` may have no value here: {context.shown_way(run.way)}{without}."
    field = "confirm.when" if isinstance(use.node, Action) and use.edge is None else str(use.path[-1])
    if field in _THEN:
        then, beginning = _THEN[field]
        hint = f"{then} Ask for it on that way too, or begin with `{beginning.format(name)}`."
    else:
        hint = f"Nothing stands there then. Ask for it on that way too, or write {_alternative(context, use, name)}."
    related = [("the question that asks for it", context.path(question)) for question in context.askers(name)[:3]]
    out.add(Code.MAY_BE_UNASKED, use.path, message, hint, related=related)


def _alternative(context: CheckContext, use: Use, name: str) -> str:
    """How a template says something else where a name has no value: both results of a choice are of one type."""
    kind = type_of_schema(context.schema(name, use.node.graph)).kind
    if kind not in ("text", "integer", "number", "boolean"):
        return f"it where `has({name})`"
    return f"`has({name}) ? {name if kind == 'text' else f'string({name})'} : '...'`"
