"""Perform an action: the content that a yes confirms, the outcome, and the walk after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.engine._advance import Ask, Outcome, evaluated
from graphwright.engine._advance import Perform as Due
from graphwright.engine._announced import announce, is_held
from graphwright.engine._changed_answers import names_of, note_dropped, reconsidered, turn_events
from graphwright.engine._dependent_answers import Changes, computed, without_value
from graphwright.engine._exact_replies import chosen
from graphwright.engine._position import Frame, Position, lookup, view
from graphwright.engine._repeated_effects import (
    LEAVE,
    comes_again,
    confirmed_text,
    content_of,
    content_over,
    notice,
    repeated_by,
    shown_content,
)
from graphwright.engine._reply import tag_of
from graphwright.engine._walk import Goto, apply_outcome, fail, prompt, walk, walk_to_stop
from graphwright.engine._wording import action_name, say
from graphwright.engine.events import (
    ActionFailed,
    AnswerDropped,
    ArtifactMade,
    ChannelsComputed,
    ChannelsWritten,
    ConfirmationGiven,
    ConfirmationMissing,
    Jumped,
    LanguageRead,
    Moved,
    NodeEntered,
    OutcomeDecided,
    OutcomeUnknown,
    Said,
)
from graphwright.engine.host_interface import (
    ActionContractError,
    ActionError,
    Inbox,
    InDoubt,
    Perform,
    Performed,
    Recorder,
    loaded,
    safe_message,
    seen_values,
)
from graphwright.engine.state import ThreadState, WaitingFor, applied, content_hash
from graphwright.errors import GraphwrightError
from graphwright.flow._dependencies import confirmation_terms, signature_of
from graphwright.flow._json_schemas import Option
from graphwright.flow.compiled import Action, CompiledFlow, Confirm, Question
from graphwright.text.yes_no import bare


@dataclass(frozen=True, slots=True)
class Approval:
    """A pending approval.

    `actions` are the nodes that a yes allows to run, `over` the channels and answers it confirms, with their present
    values. `terms` is what the flow says that a yes allows, with the text of the question. `again` are those of the
    actions that were done before, `notice` says so to the user.
    """

    node: str
    actions: tuple[str, ...]
    over: Mapping[str, Any]
    terms: Any = None
    again: tuple[str, ...] = ()
    notice: str = ""

    @property
    def hash(self) -> str:
        """The hash of everything that a yes stands for: one that was given to other words does not count."""
        return content_hash([self.over, self.terms, self.again])

    def to_json(self) -> dict[str, Any]:
        found = {"hash": self.hash, "node": self.node, "actions": list(self.actions), "over": dict(self.over)}
        return {**found, "notice": self.notice} if self.notice else found


def shown_by(flow: CompiledFlow, state: ThreadState) -> tuple[str, ...]:
    """The channels and answers of the pending approval; empty if there is none."""
    if state.mode != "waiting" or state.waiting is None or state.waiting.kind != "confirm":
        return ()
    return over_all(flow.confirmed_by(state.waiting.node))


def over_all(actions: Sequence[Action]) -> tuple[str, ...]:
    """The channels and answers that a yes to these actions confirms."""
    return tuple(
        dict.fromkeys(name for action in actions if action.confirm is not None for name in action.confirm.over)
    )


def approval(flow: CompiledFlow, state: ThreadState, large: Mapping[str, Any]) -> Approval | None:
    """The pending approval, or None if no action waits for a yes.

    `large` are the contents of the large channels in `shown_by`.
    """
    over = shown_by(flow, state)
    if not over:
        return None
    assert state.waiting is not None
    return approval_by(flow, state, flow.question(state.waiting.node), large)


def approval_by(flow: CompiledFlow, state: ThreadState, question: Question, large: Mapping[str, Any]) -> Approval:
    """The approval that a yes to a question at the position is."""
    actions = flow.confirmed_by(question.id)
    content = content_over(flow, state, over_all(actions), large, state.at.top.scopes)
    again = tuple(action.id for action in repeated_by(flow, state, question))
    names = tuple(action.id for action in actions)
    terms = confirmation_terms(flow, question)
    return Approval(question.id, names, content, terms, again, notice(flow, state, question) if again else "")


MOST_SHOWN = 8
"""Nodes of a cycle that an error names."""


class EndlessTurn(GraphwrightError):
    """A turn performed more actions than the flow allows. The message names the cycle."""

    def __init__(self, thread: str, most: int, entered: Sequence[str]) -> None:
        last = entered[-1]
        before = [place for place, node in enumerate(entered[:-1]) if node == last]
        cycle = entered[before[-1] :] if before else entered
        super().__init__(
            "endless_turn",
            f"The turn of thread {thread!r} came to more than {most:,} actions without asking anything or ending: "
            f"it went {' -> '.join(cycle[-MOST_SHOWN:])}.",
            "Give that cycle a question that is asked again (`ask: always`) or a way out that opens. "
            "A flow that needs more actions in one turn says so: `max_actions`.",
        )


def perform(log: Recorder, state: ThreadState) -> tuple[ThreadState, Goto]:
    """Perform the action at the position, record its outcome, and walk on."""
    position = state.at
    node = log.flow.action(position.node)
    most = log.flow.max_actions
    if log.facts.performed > most:
        entered = [event.node for event in turn_events(log, NodeEntered)]
        return fail(log, state, node.id, EndlessTurn(log.facts.thread, most, entered))
    visit = state.visit_of(node.id)
    known = log.facts.outcome
    since = len(log.events)
    try:
        missing = "" if known is not None else _missing_confirmation(log, state, node)
        if missing:
            return _ask_again(log, state, node, missing)
        if known is not None and known.broken:
            broken = ActionContractError(**known.error)
            log.emit(ActionFailed(node.id, node.run, visit, known.attempt, safe_message(broken), True))
            raise broken
        if known is not None and log.facts.memory.repeated != visit:
            raise InDoubt("I was interrupted", known.attempt)
        again = known is None and log.facts.memory.repeated != visit and comes_again(log.flow, state, node, position)
        if again and state.confirmed_hash(node.id) is None:
            return ask_whether_again(log, state, node), "ask"
        if known is None and log.facts.memory.repeated != visit and is_held(log.flow, state, node):
            waits = log.record(state, Moved(position.to_json(), "waiting", state.visit))
            return announce(log, waits, node), "ask"
        since = len(log.events)
        result: Performed = log.need(_command(log, state, node, visit))
    except InDoubt as doubt:
        return ask_whether_done(log, state, node, visit, doubt.attempt, str(doubt)), "ask"
    except Exception as error:
        return _failed(log, state, node, error)
    done = _committed(log, applied(state, log.events[since:]), node, result)
    if result.failed is not None:
        return _failed(log, done, node, result.failed)
    return continue_after(log, done, node, position.completed())


def _command(log: Recorder, state: ThreadState, node: Action, visit: int) -> Perform:
    settled = log.facts.memory.settled == visit
    if not signature_of(log.flow, node).effects:
        return Perform(node, visit, settled)
    content = content_of(log.flow, state, node, state.at.top.scopes)
    return Perform(node, visit, settled, content, confirmed_text(log, state, node))


def continue_after(log: Recorder, done: ThreadState, node: Action, position: Position) -> tuple[ThreadState, Goto]:
    """Walk on from an action that is done."""
    since = len(log.events)
    try:
        return walk_to_stop(log, done, position)
    except Exception as error:
        # The action is done; only the way on failed. The next message tries the way on again.
        log.take_back(since)
        done = log.record(done, Moved(position.to_json(), "waiting", done.visit))
        return fail(log, done, node.id, error)


def confirmed_content(log: Recorder, state: ThreadState, over: tuple[str, ...]) -> str:
    """The hash of the content of a confirmation: the present values of the named channels and answers."""
    large = loaded(log.facts.contents, state, over)
    return content_hash(content_over(log.flow, state, over, large, state.at.top.scopes))


def confirmations(
    log: Recorder, state: ThreadState, question: Question, value: Any, approves: str | None
) -> tuple[ConfirmationGiven, ...]:
    """Return the confirmations that a yes to this question gives; none if the yes was for other content.

    The content may be other than was shown if the reply, or the time since, changed what the flow keeps.
    """
    if value is not True or state.shown != shown_content(log.flow, state, question):
        return ()
    actions = log.flow.confirmed_by(question.id)
    large = loaded(log.facts.contents, state, over_all(actions))
    if approves is not None and approves != approval_by(log.flow, state, question, large).hash:
        return ()
    found = []
    for node in actions:
        assert node.confirm is not None
        content = confirmed_content(log, state, node.confirm.over)
        found.append(ConfirmationGiven(question.id, node.id, content))
    return tuple(found)


def _missing_confirmation(log: Recorder, state: ThreadState, node: Action) -> str:
    """The reason why the action needs a confirmation first; empty if it may be performed."""
    if node.confirm is None or not _demands_confirmation(log, state, node, node.confirm):
        return ""
    given = state.confirmed_hash(node.id)
    if given is None:
        return "never_given"
    return "" if given == confirmed_content(log, state, node.confirm.over) else "content_changed"


def _demands_confirmation(log: Recorder, state: ThreadState, node: Action, confirm: Confirm) -> bool:
    """Whether the action needs a yes with the values that are there now.

    Only a `when` that is plainly false says that it needs none: one that cannot be evaluated must not let it through.
    """
    if confirm.when is None:
        return True
    flow: CompiledFlow = log.flow
    values = view(flow, seen_values(log, state), state.at.top.scopes)
    verdict, event = evaluated(f"{node.id}.confirm", confirm.when, values, flow.channels)
    log.emit(event)
    return not verdict.closes


def _ask_again(log: Recorder, state: ThreadState, node: Action, reason: str) -> tuple[ThreadState, Goto]:
    """Drop the confirming answer and enter its question, so that the user confirms what is there now."""
    assert node.confirm is not None
    flow: CompiledFlow = log.flow
    log.emit(ConfirmationMissing(node.id, node.confirm.by, reason))
    question = flow.question(node.confirm.by)
    position = state.at.jump(question.id)
    if state.at.top.detour and comes_again(flow, state, node, state.at):
        # With the reply the conversation returns to where it was.
        frame = Frame(question.graph, question.id, state.at.top.scopes, detour=True)
        position = Position((*state.at.frames, frame), escaped=state.at.escaped)
    path = position.answer_path(question.key)
    dropped = (AnswerDropped(question.id, path),) if lookup(state.answers, path)[0] else ()
    asked, walked = walk(log, applied(state, dropped), position)
    if not _leads_to(walked.outcome, question):
        raise _not_applicable(node, question)
    log.emit(Jumped(node.id, question.id, "confirmation_missing"), *dropped, *walked.events)
    return apply_outcome(log, asked, walked.outcome)


def _leads_to(outcome: Outcome, question: Question) -> bool:
    """Whether a walk asks a question, or first asks or computes again what comes before it."""
    frames = outcome.position.frames if isinstance(outcome, Ask | Due) else ()
    return any(frame.node == question.id for frame in frames)


def _not_applicable(node: Action, question: Question) -> ActionError:
    when = f": its `when` ({question.when.text}) is not true" if question.when is not None else ""
    return ActionError(
        "confirmation_not_applicable",
        f"Action {node.run!r} at {node.id!r} was not performed: it needs a yes to question {question.id!r}, "
        f"which does not apply here{when}.",
        f"Lead to {node.id!r} only where {question.id!r} applies, or take `when` off the question.",
    )


def _committed(log: Recorder, state: ThreadState, node: Action, outcome: Performed) -> ThreadState:
    for text in outcome.said:
        log.emit(Said(node.id, text))
    for artifact in outcome.artifacts:
        log.emit(ArtifactMade(node.id, artifact["kind"], artifact["name"], artifact["path"]))
    values, done = outcome.values, state
    if values:
        channels = log.flow.channels
        private = tuple(name for name in values if name in channels and channels[name].private)
        done = log.record(done, ChannelsWritten(node.id, dict(values), private))
    spoken = tag_of(values.get(log.flow.language))
    if spoken not in ("", done.language):
        done = log.record(done, LanguageRead(spoken))
    changed = [name for name, value in values.items() if state.channels.get(name) != value]
    stale = (source.changed for source in state.sources.values() if source.node == node.id)
    log.facts.memory.stale += (name for names in stale for name in names)
    sources, again = computed(log.flow, state.sources, node, state.at.top.scopes, values, changed)
    if sources != state.sources:
        new = {name: source.to_json() for name, source in sources.items() if state.sources.get(name) != source}
        forgotten = tuple(name for name in state.sources if name not in sources)
        done = log.record(done, ChannelsComputed(node.id, new, forgotten))
    # What depends on a channel without a value was not checked yet, whatever the value is now.
    valued = without_value(log.flow, state.sources) - without_value(log.flow, done.sources)
    done, events = reconsidered(
        log, done, Changes(replaced=[*changed, *sorted(valued.difference(changed))]), reopens=again
    )
    log.emit(*events)
    note_dropped(log, state, events)
    return done


def _failed(log: Recorder, state: ThreadState, node: Action, error: Exception) -> tuple[ThreadState, Goto]:
    """Go to `on_error`, or fail the turn: the next message performs the action again under the same visit.

    One that needs a confirmation needs a new one first: who hears that it failed may want it no more.
    """
    if node.on_error:
        left = log.record(state, Jumped(node.id, node.on_error, "action_failed"))
        since = len(log.events)
        try:
            return walk_to_stop(log, left, state.at.jump(node.on_error))
        except Exception as stuck:
            log.take_back(since)
            return fail(log, left, node.id, stuck)
    if not isinstance(error, GraphwrightError):
        log.exception = error
        attempts = [event for event in log.events if isinstance(event, ActionFailed)]
        text = failure_text(node, error, attempts[-1].place if attempts else "")
        then = "be asked again whether to do it" if node.confirm else "try it again"
        if node.confirm is not None and node.confirm.when is not None:
            then = "try it again, after a yes where it needs one"
        hint = f"Nothing was lost: send any message to {then}, or give the node an on_error."
        error = ActionError("action_failed", text, hint)
    return fail(log, state, node.id, error)


def failure_text(node: Action, error: Exception, place: str) -> str:
    """The error message, with the line of the agent's Python code."""
    text = safe_message(error)
    # An error of the contract names the action itself.
    if not isinstance(error, ActionContractError):
        text = f"Action {node.run!r} at {node.id!r} failed: {text}"
    return f"{text.removesuffix('.')} ({place})." if place else f"{text.removesuffix('.')}."


DONE, AGAIN = "done", "again"


def ask_whether_done(
    log: Recorder, state: ThreadState, node: Action, visit: int, attempt: int, why: str
) -> ThreadState:
    """Ask the user whether the action was done. `why` is the reason that its outcome is unknown."""
    log.emit(OutcomeUnknown(node.id, node.run, visit, attempt, why))
    done, again = (say(state.language, each) for each in (DONE, AGAIN))
    named = {"node": action_name(node), "done": repr(done), "again": repr(again)}
    return _ask(
        log, state, node, say(state.language, "in_doubt", why=why, **named), Option(DONE, done), Option(AGAIN, again)
    )


def _ask(log: Recorder, state: ThreadState, node: Action, text: str, *options: Option) -> ThreadState:
    """Prompt for one of the options, by their titles."""
    listed = tuple(option.to_json() for option in options)
    return prompt(log, state, WaitingFor(node.id, "", text, "choice", listed))


def ask_whether_again(log: Recorder, state: ThreadState, node: Action) -> ThreadState:
    """Wait for the user to say whether an action with effects, done before a correction, is to be done again."""
    causes = dict.fromkeys(name for each in state.sources.values() if each.node == node.id for name in each.changed)
    because = names_of(log.flow, causes)
    keep, again = (say(state.language, each) for each in ("keep", AGAIN))
    named = {"node": action_name(node), "keep": repr(keep), "again": repr(again)}
    sentence = "already_done" if because else "done_before"
    return _ask(
        log,
        state,
        node,
        say(state.language, sentence, because=because, **named),
        Option(LEAVE, keep),
        Option(AGAIN, again),
    )


def in_doubt(state: ThreadState) -> bool:
    """Whether the thread waits to hear whether an action was done."""
    return state.mode == "performing" and state.waits_for("choice")


def decide(log: Recorder, state: ThreadState, visit: int, inbox: Inbox) -> tuple[str, ThreadState]:
    """The decision of the user: `done`, `leave` or `again`, or empty if the reply is none of the options.

    Then the question is asked again.
    """
    assert state.waiting is not None
    options = [Option(each["value"], each["title"]) for each in state.waiting.options]
    option = None if inbox.has_value else chosen(inbox.text or "", options)
    if option is None and inbox.text:
        # The beginning of one title is enough: "leave" for "leave it".
        begun = [each for each in options if f"{bare(each.title)} ".startswith(f"{bare(inbox.text)} ")]
        option = begun[0] if len(begun) == 1 else None
    said = inbox.value if inbox.has_value else option.value if option else ""
    if said == DONE and options[0].value == LEAVE:
        said = LEAVE
    if said not in (DONE, AGAIN, LEAVE):
        log.emit(Said(state.waiting.node, say(state.language, "not_found")))
        return "", prompt(log, state, state.waiting)
    # What is left as it is counts as done now.
    decision = AGAIN if said == AGAIN else DONE
    return str(said), log.record(state, OutcomeDecided(state.waiting.node, visit, decision))
