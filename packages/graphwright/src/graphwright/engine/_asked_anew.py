"""A question that is asked anew, because the flow was changed after the user had seen it."""

from __future__ import annotations

from graphwright.engine._advance import Outcome, Perform
from graphwright.engine._announced import is_held
from graphwright.engine._missing_answers import is_named, missing_before
from graphwright.engine._repeated_effects import shown_content
from graphwright.engine._walk import Goto, apply_outcome, earlier_question, wait_for
from graphwright.engine._wording import say
from graphwright.engine.events import AnswerRefused, QuestionsReopened, Said
from graphwright.engine.host_interface import Inbox, Recorder, seen_values
from graphwright.engine.state import ThreadState, applied
from graphwright.flow._dependencies import asking_reads
from graphwright.flow.compiled import CompiledFlow, Question
from graphwright.text.yes_no import read_yes_no

SUPERSEDED = "superseded"
"""The stage that refuses a yes or no to a confirmation of an earlier version of the flow."""


def asked_anew(log: Recorder, state: ThreadState, inbox: Inbox, *, was_asked: bool) -> tuple[ThreadState, Goto] | None:
    """Ask what the present version of the flow asks instead of reading a reply to an earlier one; None to read it.

    `was_asked`: the user replies to a confirmation. A yes or no to it is refused, and the user is told.
    """
    if log.facts.asks_again or is_unseen(state, inbox):
        return _ask_anew(log, state, inbox, was_asked)
    if state.waits_for("confirm") and (missing := lacking_answers(log, state, inbox)):
        return apply_outcome(log, *missing)
    if shows_other_content(log.flow, state):
        return _ask_anew(log, state, inbox, was_asked)
    return None


def decision_in(inbox: Inbox) -> bool | None:
    """The plain yes or no of a reply; None for any other reply."""
    if inbox.has_value:
        return inbox.value if isinstance(inbox.value, bool) else None
    return read_yes_no(inbox.text or "")


def is_unseen(state: ThreadState, inbox: Inbox) -> bool:
    """Whether an operator's migration chose the pending question, so that a message replies to an earlier one.

    A reply with the hash of the pending approval has been shown it.
    """
    return state.unseen and not inbox.approves and state.waits_for("question", "confirm", "choice")


def shows_other_content(flow: CompiledFlow, state: ThreadState) -> bool:
    """Whether the thread waits for a yes to other content than the user was shown; an edit of the flow changed it."""
    node = flow.nodes[state.at.node]
    return state.waits_for("confirm") and isinstance(node, Question) and state.shown != shown_content(flow, state, node)


def _ask_anew(log: Recorder, state: ThreadState, inbox: Inbox, was_asked: bool) -> tuple[ThreadState, Goto]:
    """Ask the pending question as it is in the present version, after what it reads that is asked or computed again."""
    question = log.flow.question(state.at.node)
    is_told = was_asked and _superseded(log, state, inbox)
    if earlier := earlier_question(log, state):
        state, walked = earlier
        announces = isinstance(walked.outcome, Perform) and is_held(log.flow, state, walked.outcome.node)
        if isinstance(walked.outcome, Perform) and not (announces or is_told):
            log.emit(Said(question.id, say(state.language, "question_changed")))
        log.emit(*walked.events)
        return apply_outcome(log, state, walked.outcome)
    if not is_told:
        log.emit(Said(question.id, say(state.language, "question_changed")))
    return wait_for(log, state, question), "ask"


def lacking_answers(
    log: Recorder, state: ThreadState, inbox: Inbox | None = None
) -> tuple[ThreadState, Outcome] | None:
    """Ask the first question that the conversation never came by, and whose answer the next action needs; else None.

    Only an earlier migration can have left out a question that lies on every way to the position.
    """
    found = missing_before(log.flow, seen_values(log, state), state.at)
    reads = asking_reads(log.flow, log.flow.question(state.at.node)) if state.waits_for("confirm") else ()
    keys = []
    for each in found:
        question = each.question
        if question.required and (is_named(question, reads) or (question.when is None and not question.ask_always)):
            keys.append(each.key)
    keys = [key for key in keys if key not in (*state.reopened, *state.aside)]
    if not keys:
        return None
    event = QuestionsReopened(tuple(keys))
    earlier = earlier_question(log, applied(state, [event]))
    if earlier is None:
        return None
    state, walked = earlier
    if inbox is not None:
        _superseded(log, state, inbox)
    log.emit(event, *walked.events)
    return state, walked.outcome


def _superseded(log: Recorder, state: ThreadState, inbox: Inbox) -> bool:
    """Refuse a yes or no to a confirmation of an earlier version, and tell the user. Returns whether it is one."""
    decision, question = decision_in(inbox), log.flow.question(state.at.node)
    if decision is None:
        return False
    reason = say(state.language, "decision_not_used")
    log.emit(AnswerRefused(question.id, question.key, decision, inbox.text or "", SUPERSEDED, reason))
    log.emit(Said(question.id, reason))
    return True
