"""From a position to the next stop: the kernel's walk, and what its outcome means for the thread."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Literal

from graphwright.engine._advance import Ask, End, Outcome, Perform, Step, Stuck, StuckReason, advance
from graphwright.engine._changed_answers import (
    drop_unchecked,
    note_dropped,
    read_again,
    reconsidered,
    refuse_closed,
    tell_dropped,
    tell_unchecked,
    turn_events,
    waits,
)
from graphwright.engine._dependent_answers import Changes, Place
from graphwright.engine._exact_replies import NoOptions, is_offered, named_option, question_options
from graphwright.engine._flow_questions import answers_to
from graphwright.engine._position import Position, escape
from graphwright.engine._questions import pending
from graphwright.engine._repeated_effects import notice, passing, shown_content
from graphwright.engine._reply import CHECKED, EARLY, Accepted, Rejected, may_skip, validated
from graphwright.engine._shown_values import rendered
from graphwright.engine._walked_way import compared, rounds_ended
from graphwright.engine._wording import name_of, option_title, say, value_text
from graphwright.engine.events import (
    AnswerCommitted,
    AnswerDropped,
    AnswerRefused,
    Escalated,
    Moved,
    NotUnderstood,
    Prompted,
    Said,
    TurnFailed,
    WaitingKind,
)
from graphwright.engine.host_interface import Recorder, seen_values
from graphwright.engine.state import ThreadState, WaitingFor, applied, apply, content_hash
from graphwright.errors import GraphwrightError, exception_text
from graphwright.flow._dependencies import signature_of
from graphwright.flow._json_schemas import Option, options_of
from graphwright.flow.compiled import Question, Terminal
from graphwright.flow.guards import Template
from graphwright.flow.guards._vocabulary import ANSWERS, MESSAGE

Goto = Literal["ask", "perform", "__end__"]


_WAYS_OUT = {
    StuckReason.NO_OPEN_EDGE: "Give the node an else edge, or the flow an on_stuck node.",
    StuckReason.AMBIGUOUS: "Make the guards exclude each other, or leave `deterministic` out.",
    StuckReason.NO_PATH_CHOSEN: "Ask something that tells the paths apart before the node is entered.",
}


class FlowStuck(GraphwrightError):
    """The flow cannot continue from the present position."""

    def __init__(self, stuck: Stuck) -> None:
        lines = []
        for checked in stuck.guards:
            saw = ", ".join(f"{name} = {value!r}" for name, value in checked.saw.items())
            why = checked.error or ("is true" if checked.opened else "is false")
            lines.append(f"{checked.of}: {checked.guard!r} {why}" + (f" ({saw})" if saw else ""))
        guards = f" (guards: {'; '.join(lines)})" if lines else ""
        super().__init__(
            f"stuck_{stuck.reason.value}",
            f"The flow is stuck: {stuck.message}{guards}.",
            _WAYS_OUT.get(stuck.reason, "Give the flow an on_stuck node for such cases."),
        )
        self.stuck = stuck


def walk(
    log: Recorder, state: ThreadState, position: Position, *, performs: bool = True, done: Collection[Place] = ()
) -> tuple[ThreadState, Step]:
    """Advance from `position`. Return the new state and the walk, whose last event moves the thread; none is recorded.

    After a change of answers the flow goes on from the earliest decision on its way that leads elsewhere now. If the
    walk ends at an action, the thread performs it next; without `performs` it waits before the action. Actions at the
    places `done` are passed over.
    """
    step = _onward(log, state, position, done)
    way = compared(log.flow, state, position, step, seen_values(log, state))
    ended = rounds_ended(log.flow, state.way, position, step)
    if way.turning is not None:
        turn, target = way.turning.jumped, way.turning.position
        step = _onward(log, apply(state, turn), target)
        step = Step(step.outcome, (turn, *step.events), step.taken)
        ended = rounds_ended(log.flow, state.way, target, step)
    outcome, visit = step.outcome, state.visit
    mode: Literal["waiting", "performing", "ended"] = "waiting"
    if isinstance(outcome, Perform) and performs:
        mode, visit = "performing", visit + 1
    elif isinstance(outcome, End):
        mode = "ended"
    taken = {each.frames: each.to_json() for each in step.taken}
    told = {"kept": way.kept, "taken": list(taken.values()), "open": way.is_open} | ({"ended": ended} if ended else {})
    moved = Moved(outcome.position.to_json(), mode, visit, told if taken or ended or state.changes else None)
    events = (*step.events, moved)
    return applied(state, events), Step(outcome, events, step.taken)


def _onward(log: Recorder, state: ThreadState, position: Position, done: Collection[Place] = ()) -> Step:
    """Advance from `position`, over actions that were done, and what confirms them, if nothing about them changed.

    `done` are places of actions without effects that were done.
    """
    step = advance(log.flow, position, seen_values(log, state))
    passed: list[Position] = []
    while isinstance(step.outcome, Ask | Perform) and step.outcome.position not in passed:
        there = step.outcome.position
        before = applied(state, (*step.events, Moved(there.to_json(), "waiting", state.visit)))
        events = passing(log, before, step.outcome)
        if not events and (there.node, there.top.scopes) not in done:
            break
        # The flow goes on from here as it did when this was done.
        passed.append(there)
        known = (*step.events, Moved(there.to_json(), "waiting", state.visit), *events)
        further = advance(log.flow, there.completed(), seen_values(log, applied(before, events)))
        step = Step(further.outcome, (*known, *further.events), (*step.taken, *further.taken))
    return step


def earlier_question(log: Recorder, state: ThreadState) -> tuple[ThreadState, Step] | None:
    """As `walk`, to what comes before the pending question, or instead of it; None if there is nothing."""
    new, step = walk(log, state, state.at)
    return (new, step) if not isinstance(step.outcome, Stuck) and step.outcome.position != state.at else None


def apply_outcome(log: Recorder, state: ThreadState, outcome: Outcome) -> tuple[ThreadState, Goto]:
    """Apply the outcome of a walk: a prompt, an action to perform, an end. A stuck walk raises FlowStuck."""
    before = len(log.events)
    state = refuse_closed(log, state, outcome.node.id, ended=isinstance(outcome, End))
    if len(log.events) > before:
        # The notes explain why other values are refused.
        refusals, log.events[before:] = log.events[before:], []
        _tell_noted(log, state, outcome.node.id)
        log.emit(*refusals)
    match outcome:
        case Ask():
            if outcome.message:
                log.emit(Said(outcome.node.id, outcome.message))
            try:
                state, taken = _with_early_answer(log, state, outcome.node)
                if taken:
                    return walk_to_stop(log, state, state.at.completed())
                return wait_for(log, state, outcome.node), "ask"
            except NoOptions as error:
                return _without_options(log, state, outcome.node, error)
        case Perform(node=node):
            signature = signature_of(log.flow, node)
            if MESSAGE in signature.reads:
                # The action itself handles the other requests of the message.
                log.facts.memory.further = ""
            if signature.effects:
                # The thread is stored before such an action; the memory of the turn would be lost in a crash.
                _tell_noted(log, state, node.id)
                _tell_further(log, node.id)
                _answer_questions(log, state, node.id)
            return state, "perform"
        case End(node=node):
            if not state.at.escaped:
                state = drop_unchecked(log, state)
            _report(log, state, node.id)
            if isinstance(node, Terminal) and node.say is not None:
                log.emit(Said(node.id, shown_text(log, state, node.say)))
            return state, "__end__"
        case Stuck():
            raise FlowStuck(outcome)


def _with_early_answer(log: Recorder, state: ThreadState, question: Question) -> tuple[ThreadState, bool]:
    """The state with the value that the user gave before the options existed, if it is one of the options.

    Otherwise a message gives the reason, and the question is asked. Raises NoOptions.
    """
    candidate = pending(question, state.at)
    if candidate.key not in state.early:
        return state, False
    values = seen_values(log, state)
    options = question_options(question, values)
    kept = state.early[candidate.key]
    given, quote = kept.value, kept.quote
    accepted = Accepted(candidate, given, quote)
    if options and not is_offered(given, options):
        text = waiting_for(log, state, question).prompt
        option = named_option((given, quote), options)
        read = None if option is not None else read_again(log, state, replace(candidate, options=options), kept, text)
        accepted = read or Accepted(candidate, given if option is None else option.value, quote)
    result = validated(log.facts, accepted, values, state.language)
    if isinstance(result, Rejected):
        _tell_noted(log, state, question.id)
        refused = AnswerRefused(question.id, candidate.key, given, quote, result.stage, result.reason)
        return log.record(state, refused, Said(question.id, result.reason)), False
    name = f"{ANSWERS}.{candidate.key}"
    changes = Changes(added=[name]) if candidate.key in state.reopened else Changes(answered=[name])
    state = log.record(state, AnswerCommitted(question.id, candidate.key, result.value, quote))
    state, events = reconsidered(log, state, changes)
    log.emit(*events)
    note_dropped(log, state, events)
    noted = f"{name_of(question)}: {value_text(question, options, result.value, state.language)}"
    log.facts.memory.noted[candidate.key] = noted
    return state, True


def _tell_noted(log: Recorder, state: ThreadState, node: str, below: str = "") -> None:
    """Tell the user, in one message, which of the values in the memory of the turn were committed.

    Values that the text `below` the message contains are left out.
    """
    noted, committed = log.facts.memory.noted, {event.key for event in turn_events(log, AnswerCommitted)}
    shown = {key for key, text in noted.items() if _occurs_alone(text.partition(": ")[2].strip("“”"), below)}
    if told := "; ".join(text for key, text in noted.items() if key in committed - shown):
        log.emit(Said(node, say(state.language, "noted", noted=told)))
    noted.clear()


def _occurs_alone(value: str, text: str) -> bool:
    """Whether a text holds a value that is not a part of a longer word or number."""
    return re.search(rf"(?<![\w.,]){re.escape(value)}(?!\w|[.,]\d)", text) is not None


def _report(log: Recorder, state: ThreadState, node: str, below: str = "") -> None:
    """Tell the user which values the turn committed and dropped, and answer the questions of the message."""
    _tell_noted(log, state, node, below)
    tell_dropped(log, state, node)
    _tell_further(log, node)
    _answer_questions(log, state, node)


def _tell_further(log: Recorder, node: str) -> None:
    """Tell the user what becomes of another request in a reply to a confirmation."""
    if further := log.facts.memory.further:
        log.emit(Said(node, further))
        log.facts.memory.further = ""


def _answer_questions(log: Recorder, state: ThreadState, node: str) -> None:
    """Answer the user's questions from the flow, after the channels that the message made stale were computed again."""
    if asked := log.facts.memory.asked:
        status = state.channels.get(log.flow.status)
        log.emit(Said(node, answers_to(log, state, asked, status=bool(status))))
        if status:
            log.emit(Said(node, status))
        log.facts.memory.asked = []


def _without_options(
    log: Recorder, state: ThreadState, question: Question, error: NoOptions
) -> tuple[ThreadState, Goto]:
    """Leave a question that has no options to choose from for `on_stuck`, else `on_escalate`.

    Raises `error` if the flow has neither, or the conversation already left its normal way.
    """
    flow = log.flow
    target = flow.on_stuck or flow.on_escalate
    if not target or state.at.escaped:
        raise error
    log.emit(Escalated(question.id, target, error.message))
    return walk_to_stop(log, state, escape(target))


def walk_to_stop(log: Recorder, state: ThreadState, position: Position) -> tuple[ThreadState, Goto]:
    """Walk on from `position` to the next stop. A stuck walk raises FlowStuck."""
    state, step = walk(log, state, position)
    log.emit(*step.events)
    return apply_outcome(log, state, step.outcome)


def waiting_for(log: Recorder, state: ThreadState, question: Question) -> WaitingFor:
    """The pending question at a question node. After an invalid reply its text is `invalid_prompt`."""
    retry = question.invalid_prompt is not None and _lacks_valid_answer(log, pending(question, state.at).key)
    template = question.invalid_prompt if retry and question.invalid_prompt is not None else question.prompt
    values = seen_values(log, state)
    text = shown_text(log, state, template)
    if question.read == "confirm" and (told := notice(log.flow, state, question)):
        text = f"{told}\n\n{text}"
    kind: WaitingKind = (
        "confirm" if question.read == "confirm" else "choice" if question.read == "choice" else "question"
    )
    options = options_of({"type": "boolean"}) if kind == "confirm" else question_options(question, values)
    options = tuple(Option(each.value, option_title(each, state.language)) for each in options)
    return WaitingFor(question.id, question.key, text, kind, tuple(option.to_json() for option in options))


def _lacks_valid_answer(log: Recorder, key: str) -> bool:
    """Whether the turn found no answer in a reply, refused a value, or dropped an answer that no longer fits."""
    refused = any(event.key == key and event.stage in CHECKED for event in turn_events(log, AnswerRefused))
    dropped = any(event.key == key and event.reason in CHECKED for event in turn_events(log, AnswerDropped))
    return refused or dropped or any(event.key == key for event in turn_events(log, NotUnderstood))


def wait_for(log: Recorder, state: ThreadState, question: Question) -> ThreadState:
    """Prompt for a question, and wait."""
    waiting = waiting_for(log, state, question)
    again = waiting.kind == "confirm" and log.facts.memory.replied_to == content_hash(waiting.prompt)
    if again and (text := say(state.language, "yes_or_no")) not in waiting.prompt:
        # The same confirmation is asked again: the user has to know what it waits for.
        log.emit(Said(question.id, text))
    if may_skip(log, question):
        skip = say(state.language, "skip")
        log.emit(Said(question.id, say(state.language, "may_skip", skip=skip)))
    return prompt(log, state, waiting, shown_content(log.flow, state, question))


def prompt(log: Recorder, state: ThreadState, waiting: WaitingFor, shown: str = "") -> ThreadState:
    """Show what the thread waits for, after the answers that the turn dropped and those that it keeps for later.

    `shown` is the hash of the content that a yes confirms.
    """
    _report(log, state, waiting.node, waiting.prompt if waiting.kind == "confirm" else "")
    tell_unchecked(log, state, waiting.node)
    refused = turn_events(log, AnswerRefused)
    kept = {event.key: event.reason for event in refused if event.stage == EARLY}
    log.emit(*(Said(waiting.node, reason) for key, reason in kept.items() if waits(log, state, key)))
    return log.record(state, Prompted(waiting.node, waiting.key, waiting.prompt, waiting.kind, waiting.options, shown))


def fail(log: Recorder, state: ThreadState, node: str, error: BaseException) -> tuple[ThreadState, Goto]:
    """End the turn as failed; the thread waits as before, or for any message that tries again.

    The mode does not change: a thread that was new or had ended starts again with the next message.
    """
    if not isinstance(error, GraphwrightError):
        log.exception = error
        error = GraphwrightError(
            "internal", f"{type(error).__name__}: {exception_text(error)}.", "Run again with --debug for details."
        )
    elif log.exception is None:
        log.exception = error
    log.error = error
    state = log.record(state, TurnFailed(node, error.code, error.message, error.hint))
    shown = ""
    if state.waiting:
        waiting, shown = state.waiting, state.shown
    elif state.mode == "waiting" and isinstance(question := log.flow.nodes[state.at.node], Question):
        # The first message was for this question, which has not been asked yet.
        waiting, shown = waiting_for(log, state, question), shown_content(log.flow, state, question)
    else:
        # The error says what to do.
        waiting = WaitingFor(node, "", "", "message")
    return prompt(log, state, waiting, shown), "ask"


def shown_text(log: Recorder, state: ThreadState, template: Template) -> str:
    """A template for people over the values of the present graph."""
    scopes = () if state.position is None else state.at.top.scopes
    return rendered(template, log.flow, seen_values(log, state), scopes, state.language)
