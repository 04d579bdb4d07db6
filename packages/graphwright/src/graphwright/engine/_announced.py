"""Actions that a migration brings without a yes: they are announced, and performed only after a yes to that.

A user whose thread was migrated still reads the question of the earlier version, and means it with the next message.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphwright.engine._constraints import find_questions
from graphwright.engine._position import lookup
from graphwright.engine._repeated_effects import content_of
from graphwright.engine._walk import prompt
from graphwright.engine._wording import action_name, name_of, say, value_text
from graphwright.engine.events import ConfirmationGiven, Said
from graphwright.engine.host_interface import Inbox, Recorder
from graphwright.engine.state import EVERY, ThreadState, WaitingFor
from graphwright.flow._dependencies import action_reads, is_answer, signature_of
from graphwright.flow.compiled import Action, CompiledFlow
from graphwright.text.yes_no import read_yes_no


def is_held(flow: CompiledFlow, state: ThreadState, node: Action) -> bool:
    """Whether an action has effects that the user of a migrated thread must be told of first."""
    held = node.id in state.held or EVERY in state.held
    return held and signature_of(flow, node).effects and state.confirmed_hash(node.id) is None


def announce(log: Recorder, state: ThreadState, node: Action) -> ThreadState:
    """Wait before an action at the position, and say that it comes next."""
    given = "; ".join(_given(log, state, node))
    text = say(state.language, "announced", node=action_name(node), given=f" ({given})" if given else "")
    shown = content_of(log.flow, state, node, state.at.top.scopes)
    return prompt(log, state, WaitingFor(node.id, "", text, "message"), shown)


def refuse(log: Recorder, state: ThreadState, node: Action) -> ThreadState:
    """Say that an announced action was not started, and announce it again."""
    log.emit(Said(node.id, say(state.language, "not_started", node=action_name(node))))
    return announce(log, state, node)


def _given(log: Recorder, state: ThreadState, node: Action) -> Iterator[str]:
    """The answers that an action reads or is confirmed over, in words; those to confirmations are left out."""
    flow, scopes = log.flow, state.at.top.scopes
    names = sorted({*action_reads(flow, node), *signature_of(flow, node).reads})
    for path in dict.fromkeys(flow.resolve(scopes, name.partition(".")[2]) for name in names if is_answer(name)):
        is_given, value = lookup(state.answers, path)
        question = next((each for each, _ in find_questions(flow, path)), None)
        if is_given and question is not None and question.read != "confirm":
            yield f"{name_of(question)}: {value_text(question, (), value, state.language)}"


def announced(flow: CompiledFlow, state: ThreadState) -> Action | None:
    """The action that the user was told of and that waits for a yes; None if there is none."""
    node = flow.nodes[state.at.node]
    waits = state.waits_for("message") and state.mode == "waiting" and not (state.unseen or state.at.done)
    return node if isinstance(node, Action) and waits and state.shown and is_held(flow, state, node) else None


def agreed(flow: CompiledFlow, state: ThreadState, inbox: Inbox) -> ConfirmationGiven | None:
    """The confirmation that a message gives to an announced action; None if it is not a plain yes to what was shown."""
    node = announced(flow, state)
    if node is None or read_yes_no(inbox.text or "") is not True:
        return None
    content = content_of(flow, state, node, state.at.top.scopes)
    return ConfirmationGiven(node.id, node.id, content) if content == state.shown else None
