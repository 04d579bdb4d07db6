"""Confirmations of which no text shows a value that a yes confirms.

A text shows a value if it reads the value, a part of it, what was computed from it, or what it was computed from. An
action that says a computed text may show what it reads and writes.
"""

from __future__ import annotations

from collections.abc import Iterable

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._source import Reporter
from graphwright.flow.checks._truth_tables import FlowContext, all_reads
from graphwright.flow.compiled import Action, Node, Question
from graphwright.flow.guards._value_types import type_of_schema
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS, MESSAGE, NOW

_PLAIN = ("integer", "number", "string")
_UNNAMED = (ACTIVE_PATH, MESSAGE, NOW)
"""Names in `over` that no question has to show."""


def check_shown_values(context: FlowContext, out: Reporter) -> None:
    """Report each confirmation that shows nothing of what a yes confirms, or not each answer and computed value."""
    for question in context.flow.questions:
        over = {
            name: None
            for action in context.flow.confirmed_by(question.id)
            if action.confirm is not None
            for name in action.confirm.over
            if name not in (*_UNNAMED, f"{ANSWERS}.{question.key}")
        }
        if over and not _is_seen(context, question, list(over)):
            names = ", ".join(f"`{name}`" for name in over)
            message = f"`{question.id}` shows nothing of what a yes to it confirms: {names}."
            hint = f"Write the values into the text, such as `{{{{ {next(iter(over))} }}}}`."
            out.add(Code.CONFIRM_UNSEEN, (*context.path(question), "prompt"), message, hint)
        elif unseen := _unseen(context, question, list(over)):
            names = ", ".join(f"`{name}`" for name in unseen)
            message = f"A yes to `{question.id}` confirms {names}, which no text shows."
            hint = f"Write it into the text: `{{{{ {unseen[0]} }}}}`."
            out.add(Code.CONFIRM_UNSEEN, (*context.path(question), "prompt"), message, hint)


def _unseen(context: FlowContext, question: Question, over: list[str]) -> list[str]:
    """The values that no text before a reply to a question shows: those that an action computed, and answers.

    The text need not show an answer that chose among confirmations, each with its own words, nor the only value.
    """
    known = over if len(over) == 1 else _deciding(context, question)
    answers = [name for name in over if name.startswith(f"{ANSWERS}.") and name not in known]
    named = [name for name in over if name in answers or _is_computed(context, name)]
    return [name for name in named if not _is_told(context, question, name)]


def _is_computed(context: FlowContext, name: str) -> bool:
    """Whether a name is that of a channel with a number or a text that actions compute."""
    channel = context.flow.channels.get(name)
    if channel is None or channel.private or type_of_schema(channel.schema).kind not in _PLAIN:
        return False
    signatures = [context.signature(writer) for writer in context.writers(name)]
    return bool(signatures) and all(each is not None and not each.effects for each in signatures)


def _deciding(context: FlowContext, question: Question) -> frozenset[str]:
    """The values that the guards read of which one leads to a question."""
    return frozenset(
        read
        for node in context.flow.nodes.values()
        if node is not question and question.id in context.control.next[node.id]
        for read in all_reads(edge.guard for edge in node.edges if edge.guard)
    )


def _is_told(context: FlowContext, question: Question, name: str) -> bool:
    """Whether a text that may come before a reply to a question shows a value, or what was computed from it."""
    before = {question.id, *context.control.leading([question.id])}
    shown = [read for each in context.flow.nodes.values() if each.id in before for read in _shown_at(context, each)]
    found = _sources(context, [*shown, *([context.flow.status] if context.flow.status else [])])
    return found is None or name.rpartition(".")[2] in found


def _is_seen(context: FlowContext, question: Question, over: list[str]) -> bool:
    """Whether a text shows one of the values, or the user knows it without.

    The user knows the only value if it is the answer that was just given. The text need not show a value that chose
    among confirmations, each with its own words.
    """
    sources = _sources(context, over)
    status = [context.flow.status] if context.flow.status else []
    if _shows(context, [*question.prompt.reads, *status], sources):
        return True
    nodes, control = context.flow.nodes, context.control
    before = [nodes[name] for name in control.preceding[question.id] if question.id in control.next[name]]
    guards = [all_reads(edge.guard for edge in node.edges if edge.guard) for node in before if node is not question]
    if guards and all(not reads.isdisjoint(over) for reads in guards):
        return True
    others = {each.id for each in context.flow.questions} - {question.id}
    between = control.leading([question.id], others)
    answered = context.askers(over[0]) if len(over) == 1 else []
    return any(
        (earlier in answered or _shows(context, _shown_at(context, earlier), sources))
        and not between.isdisjoint(control.after(earlier.id))
        for earlier in context.flow.nodes.values()
        if earlier is not question
    )


def _shown_at(context: FlowContext, node: Node) -> list[str]:
    """The names that the texts of a node show."""
    if isinstance(node, Question):
        return [*node.prompt.reads, *([node.options] if node.options else [])]
    signature = context.signature(node) if isinstance(node, Action) else None
    return [*signature.reads, *signature.writes] if signature is not None and signature.tells else []


def _shows(context: FlowContext, shown: Iterable[str], sources: frozenset[str] | None) -> bool:
    names = list(shown)
    if not names:
        return False
    found = _sources(context, names)
    return found is None or sources is None or MESSAGE in found or not found.isdisjoint(sources)


def _sources(context: FlowContext, names: Iterable[str]) -> frozenset[str] | None:
    """The names without scopes, and all that these values are computed from; None if an action is not known."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        parts = [part for part in name.split(".") if part != ANSWERS]
        todo += [each.key for each in context.flow.questions] if not parts else ()
        for part in parts:
            if part in found:
                continue
            found.add(part)
            todo += [asker.options for asker in context.askers(part) if asker.options]
            for writer in context.writers(part):
                signature = context.signature(writer)
                if signature is None or not signature.complete:
                    return None
                todo += [*signature.reads, *signature.writes]
    return frozenset(found)
