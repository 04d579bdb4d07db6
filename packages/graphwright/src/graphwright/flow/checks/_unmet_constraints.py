"""Constraints that a conversation cannot meet, or that are checked when an action with effects has already run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._source import Path, Reporter, pointer
from graphwright.flow.checks._definite_assignment import Assignment
from graphwright.flow.checks._truth_tables import (
    MISSING,
    UNCERTAIN,
    FlowContext,
    NameFacts,
    Row,
    Table,
    make_table,
)
from graphwright.flow.compiled import Action, Constraint, Node, Question
from graphwright.flow.guards._syntax_tree import Has, Name, parts_of
from graphwright.flow.guards._vocabulary import ANSWERS
from graphwright.text.near_names import listed


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


def _check_exactly(
    context: FlowContext, assigned: Assignment, constraint: Constraint, path: Path, out: Reporter
) -> None:
    """Report two groups that are both answered on every way to a node."""
    for node in context.flow.root.nodes.values():
        if node not in assigned.entering:
            continue
        moment = assigned.on_leaving if isinstance(node, Question) else assigned.on_entering
        answered = [group for group in constraint.one_of if all(moment.has(node, key) for key in group)]
        if len(answered) > 1:
            both = " and ".join(listed(group) for group in answered[:2])
            message = f"Exactly one group may be answered, but every way through `{node.id}` answers {both}."
            hint = 'Ask for one of them only where the other has no answer (`when: "!has(answers.KEY)"`), or leave '
            hint += "`exactly` out."
            related = [("the way leads through here", context.path(node))]
            out.add(Code.CONSTRAINT_UNMET, path, message, hint, related=related)
            return


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
    for node in context.flow.root.nodes.values():
        if not isinstance(node, Action) or node not in assigned.entering or not _has_effects(context, node):
            continue
        later = context.control.reached(context.control.following(node.id))
        if later & asking or not any(end.id in later for end in assigned.ending):
            continue
        missing = {k: found for k, found in questions.items() if not assigned.on_entering.has(node, k)}
        if any(set(group).isdisjoint(missing) for group in constraint.one_of):
            continue
        if not _is_tested(context, constraint, node):
            row = _unmet_row(context, assigned, constraint, node, missing)
            if row:
                _report_late(context, constraint, node, row, path, out)
                return


def _has_effects(context: FlowContext, node: Action) -> bool:
    signature = context.signature(node)
    return signature is not None and signature.complete and signature.effects


def _is_tested(context: FlowContext, constraint: Constraint, node: Action) -> bool:
    """Whether a guard that reads an answer of the constraint decides whether an action is reached."""
    read = {f"{ANSWERS}.{key}" for key in constraint.keys}
    if constraint.require is not None:
        read |= constraint.require.reads
    testing = {
        each.id
        for each in context.flow.nodes.values()
        if any(edge.guard is not None and not read.isdisjoint(edge.guard.reads) for edge in each.edges)
    }
    return bool(testing) and not context.control.leads_to([context.flow.root.entry], node.id, avoiding=testing)


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
    last = next((q for key in reversed(constraint.keys) for q in _askers(context, key) if not q.required), None)
    if last is not None and _any_is_enough(constraint):
        hint += f", or make `{last.id}` `required`"
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
        return UNCERTAIN not in row.verdicts and _is_met(constraint, missing, table, row, declining=False) is False

    may_be_met = (
        UNCERTAIN in row.verdicts or _is_met(constraint, missing, table, row, declining=True) for row in table
    )
    if context.flow.on_stuck and any(may_be_met):
        return ""
    return _as_guard(table, stuck)


def _unmet_row(
    context: FlowContext,
    assigned: Assignment,
    constraint: Constraint,
    node: Node,
    missing: Mapping[str, Sequence[Question]],
) -> str:
    """Values with which the constraint may be unmet at a node, as a guard; empty if there are none."""
    conditional = any(question.when is not None for questions in missing.values() for question in questions)
    if constraint.require is None and not conditional:
        declined = [key for key, questions in missing.items() if not any(question.required for question in questions)]
        signature = context.signature(node) if isinstance(node, Action) else None
        reads = set(signature.reads) if signature is not None else set()
        needed = ANSWERS in reads or any(f"{ANSWERS}.{key}" in reads for key in declined)
        met = any(set(group).isdisjoint(declined) for group in constraint.one_of)
        return "" if met or not needed else "`" + " && ".join(f"!has({ANSWERS}.{key})" for key in declined) + "`"
    table = _table(context, constraint, node, missing, assigned.on_entering)
    if table is None:
        return ""

    def unmet(row: Row) -> bool:
        return UNCERTAIN not in row.verdicts and _is_met(constraint, missing, table, row, declining=True) is False

    return _as_guard(table, unmet)


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
    constraint: Constraint, missing: Mapping[str, Sequence[Question]], table: Table, row: Row, *, declining: bool
) -> bool | None:
    """Whether the constraint is met where a row ends; None if no conversation ends with its values.

    `declining`: optional questions may be declined.
    """
    opens = {id(guard): verdict.opens for guard, verdict in zip(table.guards, row.verdicts, strict=True)}
    absent: set[str] = set()
    for key, questions in missing.items():
        asking = [question for question in questions if question.when is None or opens[id(question.when)]]
        answered = bool(asking)
        name = f"{ANSWERS}.{key}"
        # A question that applies is asked, and one that does not has no answer.
        if name in row.values and (row.values[name] is not MISSING) is not answered:
            if not (declining and asking and not any(question.required for question in asking)):
                return None
            answered = False
        absent.update(() if answered else (key,))
    if constraint.require is not None:
        return row.opens[0]
    return any(absent.isdisjoint(group) for group in constraint.one_of)
