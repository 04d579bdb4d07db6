"""Constraints that a conversation cannot meet: no question is left to ask, or several groups are always answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._source import Path, Reporter
from graphwright.flow.checks._definite_assignment import Assignment
from graphwright.flow.checks._truth_tables import MISSING, FlowContext, Row, make_table
from graphwright.flow.compiled import Constraint, Node, Question
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
    required = [constraint.require] if constraint.require is not None else []
    conditions = [q.when for questions in missing.values() for q in questions if q.when is not None]
    table = make_table(context, node, [*required, *conditions], assigned.on_ending)
    if table is None:
        return ""

    def stuck(row: Row) -> bool:
        opens = {id(guard): verdict.opens for guard, verdict in zip(table.guards, row.verdicts, strict=True)}
        absent: set[str] = set()
        for key, questions in missing.items():
            applies = any(question.when is None or opens[id(question.when)] for question in questions)
            name = f"{ANSWERS}.{key}"
            # A question that applies is asked, and one that does not has no answer.
            if name in row.values and (row.values[name] is not MISSING) is not applies:
                return False
            absent.update(() if applies else (key,))
        if required:
            return not row.opens[0]
        return all(not absent.isdisjoint(group) for group in constraint.one_of)

    if context.flow.on_stuck and not all(stuck(row) for row in table):
        return ""
    row = table.example(stuck)
    return "" if row is None else table.row_as_guard(row, stuck) if row.values else "`true`"
