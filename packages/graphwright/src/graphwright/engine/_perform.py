"""Perform an action: the content that a yes confirms, the outcome, and the walk after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.engine._advance import Ask, evaluated, way_on
from graphwright.engine._changed_answers import names_of, note_dropped, reconsidered, turn_events
from graphwright.engine._dependent_answers import Changes, after_detour, computed
from graphwright.engine._exact_replies import chosen
from graphwright.engine._position import Position, lookup, view
from graphwright.engine._reply import LANGUAGE_TAG
from graphwright.engine._walk import Goto, apply_outcome, fail, prompt, walk, walk_to_stop
from graphwright.engine._wording import say
from graphwright.engine.events import (
    ActionFailed,
    AnswerDropped,
    ArtifactMade,
    ChannelsComputed,
    ChannelsWritten,
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
from graphwright.flow._dependencies import signature_of
from graphwright.flow._json_schemas import Option
from graphwright.flow.compiled import Action, CompiledFlow, Confirm, Question
from graphwright.flow.guards._vocabulary import ANSWERS


@dataclass(frozen=True, slots=True)
class Approval:
    """A pending approval.

    `actions` are the nodes that a yes allows to run, `over` the channels and answers it confirms, with their present
    values. `hash` is the hash of `over`; for one action it is the hash that its confirmation is bound to.
    """

    node: str
    actions: tuple[str, ...]
    over: Mapping[str, Any]

    @property
    def hash(self) -> str:
        return content_hash(self.over)

    def to_json(self) -> dict[str, Any]:
        return {"hash": self.hash, "node": self.node, "actions": list(self.actions), "over": dict(self.over)}


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
    node = state.waiting.node
    actions = tuple(action.id for action in flow.confirmed_by(node))
    return Approval(node, actions, content_over(flow, state, over, large))


def content_over(
    flow: CompiledFlow, state: ThreadState, over: Sequence[str], large: Mapping[str, Any]
) -> dict[str, Any]:
    """The named channels and answers as they are now."""
    values = view(flow, state.values(large), state.at.top.scopes)
    content: dict[str, Any] = {}
    for name in over:
        level: Any = values
        for part in name.split("."):
            level = level.get(part) if isinstance(level, Mapping) else None
        content[name] = level
    return content


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
        if known is None and log.facts.memory.repeated != visit and was_done(log, state, node):
            return ask_whether_again(log, state, node), "ask"
        since = len(log.events)
        result: Performed = log.need(Perform(node, visit, log.facts.memory.settled == visit))
    except InDoubt as doubt:
        return ask_whether_done(log, state, node, visit, doubt.attempt, str(doubt)), "ask"
    except Exception as error:
        return _failed(log, state, node, error)
    done = _committed(log, applied(state, log.events[since:]), node, result)
    if result.failed is not None:
        return _failed(log, done, node, result.failed)
    return continue_after(log, done, node, _position_after(log, state, done))


def _position_after(log: Recorder, before: ThreadState, done: ThreadState) -> Position:
    """Where to walk on from an action. One that was computed again returns to where the conversation stood.

    If its new channels lead the flow another way than the old ones, this way is taken instead.
    """
    flow, position = log.flow, before.at
    old, new = seen_values(log, before), {**seen_values(log, done), ANSWERS: before.answers}
    onward = after_detour(flow, new, position) if position.top.detour else None
    if onward is None or way_on(flow, onward, old) == way_on(flow, onward, new):
        return position.completed()
    return onward


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
    return content_hash(content_over(log.flow, state, over, loaded(log.facts.contents, state, over)))


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
    path = position.answer_path(question.key)
    dropped = (AnswerDropped(question.id, path),) if lookup(state.answers, path)[0] else ()
    asked, walked = walk(log, applied(state, dropped), position)
    if not isinstance(walked.outcome, Ask) or walked.outcome.node is not question:
        raise _not_applicable(node, question)
    log.emit(Jumped(node.id, question.id, "confirmation_missing"), *dropped, *walked.events)
    return apply_outcome(log, asked, walked.outcome)


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
    spoken = values.get(log.flow.language)
    if spoken != done.language and isinstance(spoken, str) and LANGUAGE_TAG.fullmatch(spoken):
        done = log.record(done, LanguageRead(spoken))
    changed = [name for name, value in values.items() if state.channels.get(name) != value]
    stale = (source.changed for source in state.sources.values() if source.node == node.id)
    log.facts.memory.stale += (name for names in stale for name in names)
    sources, again = computed(log.flow, state.sources, node, state.at.top.scopes, values, changed)
    if sources != state.sources:
        new = {name: source.to_json() for name, source in sources.items() if state.sources.get(name) != source}
        forgotten = tuple(name for name in state.sources if name not in sources)
        done = log.record(done, ChannelsComputed(node.id, new, forgotten))
    done, events = reconsidered(log, done, Changes(replaced=changed), reopens=again)
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
    named = {"node": repr(node.label or node.id), "done": repr(done), "again": repr(again)}
    return _ask(log, state, node, say(state.language, "in_doubt", why=why, **named), done, again)


def _ask(log: Recorder, state: ThreadState, node: Action, text: str, done: str, again: str) -> ThreadState:
    """Prompt for `done` or `again`, by their titles."""
    options = (Option(DONE, done).to_json(), Option(AGAIN, again).to_json())
    return prompt(log, state, WaitingFor(node.id, "", text, "choice", options))


def was_done(log: Recorder, state: ThreadState, node: Action) -> bool:
    """Whether an action with effects is only due again because of a correction or of a new version of the flow: the
    user is asked first."""
    return node.id in state.performed or (state.at.top.detour and signature_of(log.flow, node).effects)


def ask_whether_again(log: Recorder, state: ThreadState, node: Action) -> ThreadState:
    """Wait for the user to say whether an action with effects, done before a correction, is to be done again."""
    causes = dict.fromkeys(name for each in state.sources.values() if each.node == node.id for name in each.changed)
    because = names_of(log.flow, causes)
    keep, again = (say(state.language, each) for each in ("keep", AGAIN))
    named = {"node": repr(node.label or node.id), "keep": repr(keep), "again": repr(again)}
    sentence = "already_done" if because else "done_before"
    return _ask(log, state, node, say(state.language, sentence, because=because, **named), keep, again)


def in_doubt(state: ThreadState) -> bool:
    """Whether the thread waits to hear whether an action was done."""
    return state.mode == "performing" and state.waits_for("choice")


def decide(log: Recorder, state: ThreadState, visit: int, inbox: Inbox) -> tuple[str, ThreadState]:
    """The decision of the user: `done`, `again`, or empty if the reply is neither; then the question is asked again."""
    assert state.waiting is not None
    options = [Option(each["value"], each["title"]) for each in state.waiting.options]
    option = None if inbox.has_value else chosen(inbox.text or "", options)
    said = inbox.value if inbox.has_value else option.value if option else ""
    if said not in (DONE, AGAIN):
        log.emit(Said(state.waiting.node, say(state.language, "not_found")))
        return "", prompt(log, state, state.waiting)
    return str(said), log.record(state, OutcomeDecided(state.waiting.node, visit, said))
