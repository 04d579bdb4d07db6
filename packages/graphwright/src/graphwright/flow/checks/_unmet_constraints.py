"""Constraints that a conversation cannot meet, or that are checked when an action with effects has already run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from graphwright.flow._dependencies import signature_of
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._graph_algorithms import reachable
from graphwright.flow._source import Path, Reporter, pointer
from graphwright.flow.checks._definite_assignment import Assignment, Moment
from graphwright.flow.checks._truth_tables import (
    MISSING,
    UNCERTAIN,
    UNKNOWN,
    FlowContext,
    NameFacts,
    Row,
    Table,
    make_table,
    verdict_of,
)
from graphwright.flow.compiled import ROOT, Action, Call, Constraint, Node, Question
from graphwright.flow.guards._syntax_tree import Has, Name, parts_of
from graphwright.flow.guards._vocabulary import ANSWERS
from graphwright.text.near_names import listed

_MOST_TRIES = 20
"""The maximum number of combinations of values for which ways to an action are looked for."""


def check_constraints_can_be_met(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report each constraint once if some conversation cannot meet it and has no question of it left to ask."""
    for place, constraint in enumerate(context.flow.constraints):
        path = ("constraints", place)
        if constraint.exactly:
            _check_exactly(context, assigned, constraint, path, out)
        else:
            _check_askable(context, assigned, constraint, path, out)
        if pointer(path) not in out.pointers(Code.CONSTRAINT_UNMET):
            _check_effects(context, assigned, constraint, path, out)
        if pointer(path) not in out.pointers(Code.CONSTRAINT_UNMET, Code.CONSTRAINT_TOO_LATE):
            _check_declined(context, assigned, constraint, path, out)


def _check_declined(
    context: FlowContext, assigned: Assignment, constraint: Constraint, path: Path, out: Reporter
) -> None:
    """Report optional questions of which one answer is needed, and all may be declined."""
    ways = _Ways(context, constraint)
    for node in assigned.ending if len(constraint.keys) > 1 and not context.flow.on_stuck else ():
        missing = {key: _askers(context, key) for key in constraint.keys if not assigned.on_ending.has(node, key)}
        optional = [key for key, questions in missing.items() if not any(question.required for question in questions)]
        if not optional or any(set(group).isdisjoint(missing) for group in constraint.one_of):
            continue
        row = _unmet_row(context, ways, node, missing, assigned.on_ending)
        if row:
            message = (
                f"At `{node.id}` this is unmet when {row}: a question that was declined is not asked again, so the "
            )
            message += "turn fails."
            hint = _requiring(context, constraint) or "Ask for it without `required: false`"
            out.add(Code.CONSTRAINT_UNMET, path, message, f"{hint}, or add `on_stuck: NODE`.")
            return


def _check_exactly(
    context: FlowContext, assigned: Assignment, constraint: Constraint, path: Path, out: Reporter
) -> None:
    """Report two groups that are both answered, or may be, on every way to a node."""
    for node in context.flow.root.nodes.values():
        if node not in assigned.entering:
            continue
        moment = assigned.on_leaving if isinstance(node, Question) else assigned.on_entering
        answered = [group for group in constraint.one_of if all(moment.has(node, key) for key in group)]
        given = answered
        if len(given) < 2 and not context.flow.on_stuck:
            given = [group for group in constraint.one_of if all(_asked(context, moment, node, key) for key in group)]
        if len(given) > 1:
            both = " and ".join(listed(group) for group in given[:2])
            does = "answers" if given is answered else "asks for"
            message = f"Exactly one group may be answered, but every way through `{node.id}` {does} {both}."
            hint = 'Ask for one of them only where the other has no answer (`when: "!has(answers.KEY)"`), or leave '
            hint += "`exactly` out."
            related = [("the way leads through here", context.path(node))]
            out.add(Code.CONSTRAINT_UNMET, path, message, hint, related=related)
            return


def _asked(context: FlowContext, moment: Moment, node: Node, key: str) -> bool:
    """Whether every way to a node asks for an answer, or has it."""
    askers = _askers(context, key)
    return moment.has(node, key) or (len(askers) == 1 and askers[0].when is None and moment.passed(node, askers[0]))


def _check_askable(
    context: FlowContext, assigned: Assignment, constraint: Constraint, path: Path, out: Reporter
) -> None:
    """Report values with which the constraint is unmet at a terminal, while no question of its keys applies."""
    for node in assigned.ending:
        missing = [key for key in constraint.keys if not assigned.on_ending.has(node, key)]
        if any(set(group).isdisjoint(missing) for group in constraint.one_of):
            continue
        questions = {key: _askers(context, key) for key in constraint.keys}
        found = _stuck_row(context, assigned, constraint, node, {key: questions[key] for key in missing})
        if found:
            stuck = context.flow.on_stuck
            then = f"the conversation goes to `{stuck}`" if stuck else "the turn fails"
            message = f"At `{node.id}` this cannot be met when {found}: no question for it is left to ask, so {then}."
            hint = "Ask for it in that case too (see `when`), allow the case in the predicate, or add `on_stuck: NODE`."
            related = [("the question that does not apply", context.path(q)) for qs in questions.values() for q in qs]
            out.add(Code.CONSTRAINT_UNMET, path, message, hint, related=related[:3])
            return


def _check_effects(
    context: FlowContext, assigned: Assignment, constraint: Constraint, path: Path, out: Reporter
) -> None:
    """Report an action with effects that runs while the constraint is unmet, where nothing asks for it afterwards."""
    questions = {key: _askers(context, key) for key in constraint.keys}
    asking = {question.id for found in questions.values() for question in found}
    sharing, control = _sharing(context), context.control
    to_asking, to_end = control.leading(asking), control.leading([end.id for end in assigned.ending])
    ways = _Ways(context, constraint)
    for node in assigned.entering:
        if not isinstance(node, Action) or node.graph not in sharing or not _has_effects(context, node):
            continue
        after = control.after(node.id)
        if to_end.isdisjoint(after) or not to_asking.isdisjoint(after):
            continue
        missing = {k: found for k, found in questions.items() if not assigned.on_entering.has(node, k)}
        if any(set(group).isdisjoint(missing) for group in constraint.one_of):
            continue
        row = _unmet_row(context, ways, node, missing, assigned.on_entering)
        if row:
            _report_late(context, constraint, node, row, path, out)
            return


def _sharing(context: FlowContext) -> set[str]:
    """The root graph, and those that it calls without `as`, directly or through others: they share its answers."""
    flow = context.flow
    calls = {graph.id: [n for n in graph.nodes.values() if isinstance(n, Call)] for graph in flow.graphs.values()}
    return reachable([ROOT], lambda name: [c for call in calls[name] if not call.scope for c in flow.callees(call)])


def _has_effects(context: FlowContext, node: Action) -> bool:
    signature = context.signature(node)
    return signature is not None and signature.complete and signature.effects


class _Ways:
    """The ways on which the guards that read an answer of a constraint let given values pass."""

    def __init__(self, context: FlowContext, constraint: Constraint) -> None:
        self._context = context
        self.constraint = constraint
        read = {f"{ANSWERS}.{key}" for key in constraint.keys}
        if constraint.require is not None:
            read |= constraint.require.reads
        self._testing = {
            each.id
            for each in context.flow.nodes.values()
            if any(edge.guard is not None and not read.isdisjoint(edge.guard.reads) for edge in each.edges)
        }
        self._reached: dict[str, set[str]] = {}

    def lead_to(self, node: Node, values: Mapping[str, Any]) -> bool:
        """Whether some way leads to a node with these values."""
        key = repr(sorted(values.items(), key=lambda item: item[0]))
        if key not in self._reached:
            self._reached[key] = reachable([self._context.flow.root.entry], lambda name: self._following(name, values))
        return node.id in self._reached[key]

    def _following(self, name: str, values: Mapping[str, Any]) -> Iterable[str]:
        control, node = self._context.control, self._context.flow.nodes[name]
        if name not in self._testing:
            return (*control.following(name), *control.entries(name))
        return _let_pass(node, values) if node.graph == ROOT else ()


def _let_pass(node: Node, values: Mapping[str, Any]) -> list[str]:
    """The targets of the edges that these values open; none if a guard depends on other values."""
    for edge in node.edges:
        if edge.guard is None:
            return [edge.target]
        result = verdict_of(edge.guard, {**dict.fromkeys(edge.guard.reads, UNKNOWN), **values})
        if result is UNCERTAIN or result.opens:
            return [] if result is UNCERTAIN else [edge.target]
    return [node.otherwise.target] if node.otherwise is not None else []


def _requiring(context: FlowContext, constraint: Constraint) -> str:
    """The hint to make the last optional question required; empty if that may not be enough."""
    last = next((q for key in reversed(constraint.keys) for q in _askers(context, key) if not q.required), None)
    return f"Make `{last.id}` `required`" if last is not None and _any_is_enough(constraint) else ""


def _any_is_enough(constraint: Constraint) -> bool:
    """Whether any one answer meets the constraint."""
    if constraint.require is None:
        return all(len(group) == 1 for group in constraint.one_of)
    trees = [each for tree in constraint.require.trees for each in parts_of(tree, "||")]
    return all(isinstance(each, Has | Name) for each in trees)


def _report_late(
    context: FlowContext, constraint: Constraint, node: Action, row: str, path: Path, out: Reporter
) -> None:
    message = f"`{node.id}` has run when this is checked at the end, and it is unmet if {row}."
    hint = f"Lead to `{node.id}` only where this holds"
    if constraint.require is not None and constraint.require.text:
        hint += f" (guard: `{constraint.require.text}`)"
    if requiring := _requiring(context, constraint):
        hint += f", or {requiring[0].lower()}{requiring[1:]}"
    related = [("the action", context.path(node))]
    out.add(Code.CONSTRAINT_TOO_LATE, path, message, f"{hint}.", related=related)


def _askers(context: FlowContext, key: str) -> list[Question]:
    """The questions for a dotted key of the root's answers."""
    return context.askers(f"{ANSWERS}.{key}")


def _stuck_row(
    context: FlowContext,
    assigned: Assignment,
    constraint: Constraint,
    node: Node,
    missing: Mapping[str, Sequence[Question]],
) -> str:
    """Values with which the constraint is unmet and no question is left to ask, as a guard; empty if there are none.

    `missing` are the keys that may have no answer, each with its questions.
    """
    table = _table(context, constraint, node, missing, assigned.on_ending)
    if table is None:
        return ""

    def stuck(row: Row) -> bool:
        return UNCERTAIN not in row.verdicts and _is_met(constraint, missing, table, row) is False

    may_be_met = (
        UNCERTAIN in row.verdicts or _is_met(constraint, missing, table, row, declining=True) for row in table
    )
    if context.flow.on_stuck and any(may_be_met):
        return ""
    return _as_guard(table, stuck)


def _unmet_row(
    context: FlowContext,
    ways: _Ways,
    node: Node,
    missing: Mapping[str, Sequence[Question]],
    known: NameFacts,
) -> str:
    """Values with which the constraint may be unmet at a node, as a guard; empty if there are none."""
    constraint = ways.constraint
    optional = [key for key, questions in missing.items() if not any(question.required for question in questions)]
    conditional = any(question.when is not None for questions in missing.values() for question in questions)
    if constraint.require is None and not _needs(context, node, optional if not conditional else missing):
        return ""
    if constraint.require is None and not conditional:
        met = any(set(group).isdisjoint(optional) for group in constraint.one_of)
        absent = {f"{ANSWERS}.{key}": MISSING for key in optional}
        return f"`{' && '.join(map(_absent, absent))}`" if not met and ways.lead_to(node, absent) else ""
    table = _table(context, constraint, node, missing, known)
    if table is None:
        return ""
    tries = _MOST_TRIES

    def unmet(row: Row) -> bool:
        nonlocal tries
        if UNCERTAIN in row.verdicts or _is_met(constraint, missing, table, row, declined=optional) is not False:
            return False
        tries -= 1
        return tries >= 0 and ways.lead_to(node, {**dict.fromkeys(_not_in(row), MISSING), **row.values})

    def _not_in(row: Row) -> list[str]:
        return [name for name in (f"{ANSWERS}.{key}" for key in optional) if name not in row.values]

    found = table.example(unmet)
    if found is None:
        return ""
    parts = [table.row_as_guard(found, unmet).strip("`")] if found.values else []
    return f"`{' && '.join([*parts, *map(_absent, _not_in(found))]) or 'true'}`"


def _needs(context: FlowContext, node: Node, keys: Iterable[str]) -> bool:
    """Whether a node uses one of these answers, as an end may."""
    reads = signature_of(context.flow, node).reads if isinstance(node, Action) else (ANSWERS,)
    return ANSWERS in reads or any(f"{ANSWERS}.{key}" in reads for key in keys)


def _absent(name: str) -> str:
    return f"!has({name})"


def _as_guard(table: Table, holds: Callable[[Row], bool]) -> str:
    row = table.example(holds)
    return "" if row is None else table.row_as_guard(row, holds) if row.values else "`true`"


def _table(
    context: FlowContext,
    constraint: Constraint,
    node: Node,
    missing: Mapping[str, Sequence[Question]],
    known: NameFacts,
) -> Table | None:
    required = [constraint.require] if constraint.require is not None else []
    conditions = [q.when for questions in missing.values() for q in questions if q.when is not None]
    return make_table(context, node, [*required, *conditions], known)


def _is_met(
    constraint: Constraint,
    missing: Mapping[str, Sequence[Question]],
    table: Table,
    row: Row,
    *,
    declining: bool = False,
    declined: Collection[str] = (),
) -> bool | None:
    """Whether the constraint is met where a row ends; None if no conversation ends with its values.

    `declining`: optional questions may be declined. `declined` are the keys that are declined wherever the row says
    nothing about them.
    """
    opens = {id(guard): verdict.opens for guard, verdict in zip(table.guards, row.verdicts, strict=True)}
    absent: set[str] = set()
    for key, questions in missing.items():
        asking = [question for question in questions if question.when is None or opens[id(question.when)]]
        name = f"{ANSWERS}.{key}"
        answered = bool(asking) and (name in row.values or key not in declined)
        # A question that applies is asked, and one that does not has no answer.
        if name in row.values and (row.values[name] is not MISSING) is not answered:
            optional = asking and not any(question.required for question in asking)
            if not ((declining or key in declined) and optional):
                return None
            answered = False
        absent.update(() if answered else (key,))
    if constraint.require is not None:
        return row.opens[0]
    return any(absent.isdisjoint(group) for group in constraint.one_of)
