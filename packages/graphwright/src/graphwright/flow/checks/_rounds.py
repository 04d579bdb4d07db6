"""Questions of a loop that only its first round asks, although each round adds something with their answers."""

from __future__ import annotations

from collections.abc import Set

from graphwright.flow._dependencies import answer_reads, unscoped
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._source import Reporter
from graphwright.flow.checks._definite_assignment import Assignment
from graphwright.flow.checks._truth_tables import FlowContext, all_reads, expressions_of
from graphwright.flow.compiled import Action, ActionSignature, Node, Question
from graphwright.flow.guards._vocabulary import ANSWERS

_MOST_ACTIONS = 100
"""The maximum number of actions whose rounds are followed; each takes time for the whole flow."""


def check_rounds(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report each question, once, whose first answer every round of a loop adds again, next to a new answer.

    A question with an explicit `ask: once` is intended, and one whose answer something outside of the loop reads may
    belong to the whole conversation.
    """
    actions = [node for node in context.flow.nodes.values() if isinstance(node, Action)]
    components = context.cyclic if actions else {}
    reported: set[Question] = set()
    looked = 0
    for action in actions:
        signature, component = context.signature(action), components.get(action)
        if component is None or signature is None or not signature.complete or action not in assigned.entering:
            continue
        taken = [each for each in component if isinstance(each, Question) and _takes(signature, each.key)]
        new = [each for each in taken if each.ask_always and each.read != "confirm"]
        once = [each for each in taken if each not in reported and _is_once(context, each)] if new else []
        looked += bool(once)
        if not once or looked > _MOST_ACTIONS:
            continue
        new = [each for each in new if _in_each_round(context, action, each)]
        for question in once if new else ():
            kept = _is_kept(context, assigned, action, question, component)
            if kept and _adds(context, signature, action, question, new):
                reported.add(question)
                _report(context, action, question, new[0], out)


def _is_once(context: FlowContext, question: Question) -> bool:
    """Whether a question is asked once, without an explicit `ask: once`, and no other one asks for its answer."""
    once = not question.ask_always and question.when is None and question.read != "confirm"
    return once and "ask" not in context.control.node(question.id).data and len(context.askers(question.key)) == 1


def _is_kept(
    context: FlowContext, assigned: Assignment, action: Action, question: Question, component: Set[Node]
) -> bool:
    """Whether an action has the same answer in each round, which only the loop uses."""
    if not assigned.on_entering.has(action, question.key) or not _in_each_round(context, action, question):
        return False
    written = {name for each in component if isinstance(each, Action) for name in context.written_by(each)}
    written |= {f"{ANSWERS}.{each.key}" for each in component if isinstance(each, Question)}
    if any(unscoped(name) in written for name in answer_reads(question)):
        return False
    outside = (each for each in context.flow.nodes.values() if each not in component)
    return not any(_may_read(context, each, question.key) for each in outside)


def _adds(
    context: FlowContext, signature: ActionSignature, action: Action, question: Question, new: list[Question]
) -> bool:
    """Whether an action adds to a list, or has effects and each round begins with the question."""
    if any(context.flow.channels[name].append for name in signature.writes):
        return True
    begins = context.control.reached(context.control.after(action.id), {each.id for each in new})
    return signature.effects and question.id in begins


def _in_each_round(context: FlowContext, action: Action, question: Question) -> bool:
    """Whether every way from an action back to it passes a question."""
    return action.id not in context.control.reached(context.control.following(action.id), {question.id})


def _takes(signature: ActionSignature, key: str) -> bool:
    return f"{ANSWERS}.{key}" in signature.reads or (
        ANSWERS in signature.reads and key in (signature.answer_keys or ())
    )


def _may_read(context: FlowContext, node: Node, key: str) -> bool:
    reads = {*all_reads(expressions_of(node))}
    if isinstance(node, Action):
        signature = context.signature(node)
        if signature is None or not signature.complete or _takes(signature, key):
            return True
        if ANSWERS in signature.reads and signature.answer_keys is None:
            return True
        reads |= {*signature.reads, *(node.confirm.over if node.confirm is not None else ())} - {ANSWERS}
    return ANSWERS in reads or any(name.rpartition(".")[2] == key for name in reads if name.startswith(f"{ANSWERS}."))


def _report(context: FlowContext, action: Action, question: Question, new: Question, out: Reporter) -> None:
    read = f"{ANSWERS}.{question.key}"
    message = (
        f"Only the first round of the loop asks `{question.id}`: in every later one `{action.id}` adds the same "
        f"`{read}` again, with a new `{ANSWERS}.{new.key}`."
    )
    hint = f"Give `{question.id}` `ask: always`. If one answer is meant for all rounds, write `ask: once`."
    related = [("the action", context.path(action))]
    out.add(Code.BACK_TO_ANSWERED, (*context.path(question), "id"), message, hint, related=related)
