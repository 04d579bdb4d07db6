"""Performing an action: its confirmation, attempts, time limit, outcome (in doubt: the user's word), and results."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.errors import GraphwrightError
from graphwright.flow.compiled import Action, CompiledFlow, Confirm, Question
from graphwright.flow.json_schemas import Option
from graphwright.kernel import Ask, Changes, Position, after_detour, computed, lookup, view, way_on, without_answer
from graphwright.kernel.events import AnswerDropped, GuardChecked, Jumped, NodeEntered
from graphwright.runtime.action_context import ActionContext
from graphwright.runtime.actions import ActionContractError, ActionSpec, place_in, safe_message, state_view
from graphwright.runtime.approvals import content_over
from graphwright.runtime.channels import loaded, seen_values, written
from graphwright.runtime.events import (
    ActionFailed,
    ActionFinished,
    ActionStarted,
    ArtifactMade,
    ChannelsWritten,
    ConfirmationMissing,
    OutcomeDecided,
    OutcomeUnknown,
    Said,
)
from graphwright.runtime.exact_replies import chosen
from graphwright.runtime.observed_calls import observed
from graphwright.runtime.reconsideration import names_of, note_dropped, reconsidered
from graphwright.runtime.run import StepLog
from graphwright.runtime.sentences import say
from graphwright.runtime.state import ThreadState, content_hash
from graphwright.runtime.turn import Inbox, WaitingFor
from graphwright.runtime.walk import Goto, fail, go, prompt, settle, walk

if TYPE_CHECKING:
    from graphwright.runtime.run import StepLog
    from graphwright.store import Outcome


MAX_BACKOFF = 30.0
"""Seconds: the longest pause between two attempts."""

MOST_SHOWN = 8
"""Nodes of a cycle that an error names."""

LONGEST_WAIT = 60.0
"""Seconds: how long an attempt waits for an earlier one of an action without a time limit."""

POLL = 0.02
"""Seconds between two looks at whether an earlier attempt has come to its end."""

_running: set[str] = set()
"""The actions that run in threads of this process, time-outs notwithstanding: a thread cannot be stopped."""


class ActionError(GraphwrightError):
    """An action failed at its last attempt."""


class _InDoubt(Exception):
    """Whether an action was done, that may not be repeated, cannot be told. The message begins the user's question."""

    def __init__(self, why: str, attempt: int) -> None:
        super().__init__(why)
        self.attempt = attempt


class EndlessTurn(GraphwrightError):
    """A turn that came to more actions than the flow allows. The message names the cycle."""

    def __init__(self, thread: str, most: int, entered: Sequence[str]) -> None:
        last = entered[-1]
        before = [place for place, node in enumerate(entered[:-1]) if node == last]
        cycle = entered[before[-1] :] if before else entered
        super().__init__(
            "endless_turn",
            f"the turn of thread {thread!r} came to more than {most:,} actions without asking anything or ending: "
            f"it went {' -> '.join(cycle[-MOST_SHOWN:])}",
            "Give that cycle a question that is asked again (`ask: always`) or a way out that opens. "
            "A flow that needs more actions in one turn says so: `max_actions`.",
        )


async def perform(log: StepLog, state: ThreadState) -> tuple[ThreadState, Goto]:
    """Perform the action at the position, record its outcome, and walk on."""
    position = state.at
    node = log.run.agent.flow.nodes[position.node]
    assert isinstance(node, Action)
    log.run.steps += 1
    most = log.run.agent.flow.max_actions
    if log.run.steps > most:
        events = (*log.run.events, *log.events)
        entered = [event["node"] for event in events if event["type"] == NodeEntered.type]
        return fail(log, replace(state, waiting=None), node.id, EndlessTurn(log.run.thread, most, entered))
    visit = visit_of(state, node)
    try:
        known = await _known(log, visit)
        missing = "" if known is not None else _missing_confirmation(log, state, node)
        if missing:
            return _ask_again(log, state, node, missing)
        spec = log.run.agent.action(node.run)
        if known is None and log.run.repeated != visit and was_done(log, state, node):
            return ask_whether_again(log, state, node), "ask"
        result = await _performed(log, state, node, spec, known)
    except _InDoubt as doubt:
        return ask_whether_done(log, state, node, visit, doubt.attempt, str(doubt)), "ask"
    except Exception as error:
        return _failed(log, state, node, error)
    done = _committed(log, state, node, result)
    return go_on(log, replace(done, position=_position_after(log, state, done)), node)


def _position_after(log: StepLog, before: ThreadState, done: ThreadState) -> Position:
    """Where to walk on from an action. One that was computed again returns to where the conversation stood.

    If its new channels lead the flow another way than the old ones, this way is taken instead.
    """
    flow, position = log.run.agent.flow, before.at
    old, new = seen_values(log, before), seen_values(log, replace(done, answers=before.answers))
    onward = after_detour(flow, new, position) if position.top.detour else None
    if onward is None or way_on(flow, onward, old) == way_on(flow, onward, new):
        return position.completed()
    return onward


def go_on(log: StepLog, done: ThreadState, node: Action) -> tuple[ThreadState, Goto]:
    """Walk on from an action that is done."""
    since = len(log.events)
    try:
        return go(log, done, done.at)
    except Exception as error:
        # The action is done; only the way on failed. The next message tries the way on again.
        log.take_back(since)
        return fail(log, replace(done, mode="waiting"), node.id, error)


def confirmed_content(log: StepLog, state: ThreadState, over: tuple[str, ...]) -> str:
    """The hash of what a confirmation is about: the named channels and answers as they are now."""
    return content_hash(content_over(log.run.agent.flow, state, over, loaded(log.run, state, over)))


def _missing_confirmation(log: StepLog, state: ThreadState, node: Action) -> str:
    """Why the action may not be performed yet; nothing where it may."""
    if node.confirm is None or not _demands_confirmation(log, state, node, node.confirm):
        return ""
    given = state.confirmed.get(node.id)
    if given is None:
        return "never_given"
    return "" if given == confirmed_content(log, state, node.confirm.over) else "content_changed"


def _demands_confirmation(log: StepLog, state: ThreadState, node: Action, confirm: Confirm) -> bool:
    """Whether the action needs a yes with the values that are there now.

    Only a `when` that is plainly false says that it needs none: one that cannot be evaluated must not let it through.
    """
    if confirm.when is None:
        return True
    flow: CompiledFlow = log.run.agent.flow
    values = view(flow, seen_values(log, state), state.at.top.scopes)
    checked = GuardChecked.over(f"{node.id}.confirm", confirm.when, values, flow.channels)
    log.emit(checked)
    return not checked.verdict.closes


def _ask_again(log: StepLog, state: ThreadState, node: Action, reason: str) -> tuple[ThreadState, Goto]:
    """Drop the confirming answer and enter its question, so that the user confirms what is there now."""
    assert node.confirm is not None
    flow: CompiledFlow = log.run.agent.flow
    log.emit(ConfirmationMissing(node.id, node.confirm.by, reason))
    question = flow.nodes[node.confirm.by]
    assert isinstance(question, Question)
    position = state.at.jump(question.id)
    path = position.answer_path(question.key)
    answers = without_answer(state.answers, path)
    asked, step = walk(log, replace(state, answers=answers), position)
    if not isinstance(step.outcome, Ask) or step.outcome.node is not question:
        raise _not_applicable(node, question)
    log.emit(Jumped(node.id, question.id, "confirmation_missing"))
    if lookup(state.answers, path)[0]:
        log.emit(AnswerDropped(question.id, path))
    log.emit(*step.events)
    return settle(log, asked, step.outcome)


def _not_applicable(node: Action, question: Question) -> ActionError:
    when = f": its `when` ({question.when.text}) is not true" if question.when is not None else ""
    return ActionError(
        "confirmation_not_applicable",
        f"Action {node.run!r} at {node.id!r} was not performed: it needs a yes to question {question.id!r}, "
        f"which does not apply here{when}",
        f"Lead to {node.id!r} only where {question.id!r} applies, or take `when` off the question.",
    )


def visit_of(state: ThreadState, node: Action) -> int:
    """The number under which an action is performed now.

    Where it failed and the user said yes to the very same again, that is the number of the failed visit: the attempt
    may have done its work after all, so it must keep its idempotency key.
    """
    failed = state.failed.get(node.id)
    again = failed is not None and failed[1] == state.confirmed.get(node.id)
    return failed[0] if failed is not None and again else state.visit


async def _known(log: StepLog, visit: int) -> Outcome | None:
    """What the store knows of this visit, if it can know anything: the outcome is known or in doubt, not open."""
    if visit > log.run.known_visit:
        return None
    outcome = await log.run.store.outcomes.get(log.run.thread, visit)
    return outcome if outcome is not None and outcome.status != "raised" else None


async def _performed(
    log: StepLog, state: ThreadState, node: Action, spec: ActionSpec, known: Outcome | None
) -> dict[str, Any]:
    """What the action wrote, said and made. Raises what it raised at its last attempt, and _InDoubt."""
    run = log.run
    visit = visit_of(state, node)
    if known is not None and known.status == "broken":
        broken = ActionContractError(**known.error)
        log.emit(ActionFailed(node.id, node.run, visit, known.attempt, safe_message(broken), True))
        raise broken
    if known is not None and run.repeated != visit:
        raise _InDoubt("I was interrupted", known.attempt)
    key = f"{run.thread}:{state.born}:{visit}"
    for attempt in range(1, node.attempts + 1):
        if not spec.repeatable:
            run.work.note_outcome(visit, node.id, "started", attempt)
        if spec.effects or not spec.repeatable:
            # From here on the world may change: what led here must be on the disk.
            await run.save()
        started = time.perf_counter()
        log.emit(ActionStarted(node.id, node.run, visit, attempt))
        came_back = False
        try:
            context = ActionContext(log, node.id, key, attempt, state.files)
            with observed(log, node.id):
                try:
                    returned = await _call(run, state, spec, node, context)
                finally:
                    log.emit(*context.noted)
            came_back = True
            values = written(run, state, spec, node.id, returned)
        except Exception as error:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                # What a cancelled action makes of its cancellation is no failure that could be tried again.
                raise asyncio.CancelledError from error
            contract = isinstance(error, ActionContractError)
            final = attempt == node.attempts or contract
            place = _place(log, node, error)
            log.emit(ActionFailed(node.id, node.run, visit, attempt, safe_message(error), final, place))
            if isinstance(error, ActionContractError):
                raise _broken(log, visit, node, attempt, error) from error
            if isinstance(error, _TimedOut) and not spec.repeatable:
                raise _InDoubt(f"The limit of {node.timeout:g} s was over", attempt) from error
            if came_back and not spec.repeatable:
                # It is no exception of its own: the work is done, and only what it gave could not be kept.
                raise _InDoubt("What it gave could not be kept", attempt) from error
            if final:
                if not (spec.repeatable or isinstance(error, ActionError)):
                    run.work.note_outcome(visit, node.id, "raised", attempt)
                raise
            await asyncio.sleep(min(node.backoff * 2 ** (attempt - 1), MAX_BACKOFF))
            continue
        if not spec.repeatable:
            run.work.note_outcome(visit, node.id, "done", attempt)
        log.emit(ActionFinished(node.id, node.run, visit, attempt, round(time.perf_counter() - started, 4)))
        return {"values": values, "said": context.said, "artifacts": context.artifacts}
    raise AssertionError("an action has at least one attempt")


def _broken(log: StepLog, visit: int, node: Action, attempt: int, error: ActionContractError) -> ActionContractError:
    """Note that the action broke its contract: what it did in the world is done, so it is not performed again."""
    again = "This visit is not performed again: once the action is mended, begin a new thread; or give it an on_error."
    told = ActionContractError(error.code, error.message, f"{error.hint} {again}")
    log.run.work.note_outcome(visit, node.id, "broken", attempt, told.to_json())
    return told


class _TimedOut(TimeoutError):
    """The time limit of the node was over before the action was."""


async def _call(run: Any, state: ThreadState, spec: ActionSpec, node: Action, context: ActionContext) -> Any:
    reads = [name.split(".")[0] for name in spec.reads]
    values = view(run.agent.flow, state.values(loaded(run, state, reads)), state.at.top.scopes)
    seen = state_view(spec, values)
    alone = f"{run.thread}:{state.born}:{node.id}"
    if alone in _running:
        await _ended(node, alone)
    try:
        return await asyncio.wait_for(_guarded(spec, seen, context, alone), node.timeout)
    except TimeoutError as error:
        if node.timeout is None or str(error):
            raise
        raise _TimedOut(f"it took longer than {node.timeout:g} s") from None


async def _ended(node: Action, alone: str) -> None:
    """Wait, no longer than an attempt may take, until no earlier attempt runs in a thread any more."""
    try:
        async with asyncio.timeout(node.timeout or LONGEST_WAIT):
            # The thread may have been left behind by a loop that is gone, so nothing could wake this one.
            while alone in _running:  # noqa: ASYNC110
                await asyncio.sleep(POLL)
    except TimeoutError:
        raise ActionError(
            "still_running",
            f"action {node.run!r} at {node.id!r} was not started: an earlier attempt still runs in its thread",
            "Wait until it is done. Write what may hang as an async function: that can be stopped.",
        ) from None


async def _guarded(spec: ActionSpec, seen: Any, context: ActionContext, alone: str) -> Any:
    """Run the function. What would end the program or cancel the turn from within is a failure like any other."""
    try:
        if spec.is_async:
            return await spec.function(seen, context)
        return await _threaded(spec, seen, context, alone)
    except SystemExit as error:
        raise RuntimeError(f"it tried to end the program (exit {error.code})") from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise RuntimeError("it cancelled itself") from error


async def _threaded(spec: ActionSpec, seen: Any, context: ActionContext, alone: str) -> Any:
    """Run a sync function in a thread of its own: one that hangs must not keep others from starting."""
    result: Future[Any] = Future()
    result.set_running_or_notify_cancel()
    inherited = contextvars.copy_context()

    def work() -> None:
        try:
            result.set_result(inherited.run(_in_thread, spec, seen, context, alone))
        except StopIteration as error:
            result.set_exception(RuntimeError(f"it raised {error!r}"))
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=work, name=f"action {spec.name}", daemon=True).start()
    return await asyncio.wrap_future(result)


def _in_thread(spec: ActionSpec, seen: Any, context: ActionContext, alone: str) -> Any:
    _running.add(alone)
    try:
        return spec.function(seen, context)
    finally:
        _running.discard(alone)


def _committed(log: StepLog, state: ThreadState, node: Action, outcome: Mapping[str, Any]) -> ThreadState:
    for text in outcome["said"]:
        log.emit(Said(node.id, text))
    for artifact in outcome["artifacts"]:
        log.emit(ArtifactMade(node.id, artifact["kind"], artifact["name"], artifact["path"]))
    values = outcome["values"]
    if values:
        channels = log.run.agent.flow.channels
        private = tuple(name for name in values if name in channels and channels[name].private)
        log.emit(ChannelsWritten(node.id, dict(values), private))
    changed = [name for name, value in values.items() if state.channels.get(name) != value]
    sources, again = computed(log.run.agent.flow, state.sources, node, state.at.top.scopes, values, changed)
    done = replace(spent(state, node), channels={**state.channels, **values}, sources=sources, waiting=None)
    done, events = reconsidered(log, done, Changes(replaced=changed), reopens=again)
    log.emit(*events)
    note_dropped(log, state, events)
    return done


def spent(state: ThreadState, node: Action) -> ThreadState:
    """The state without the confirmation of an action: it counts for one visit."""
    confirmed = {action: content for action, content in state.confirmed.items() if action != node.id}
    failed = {action: entry for action, entry in state.failed.items() if action != node.id}
    return replace(state, confirmed=confirmed, failed=failed)


def _failed(log: StepLog, state: ThreadState, node: Action, error: Exception) -> tuple[ThreadState, Goto]:
    """Go to `on_error`, or fail the turn: the next message performs the action again under the same visit.

    One that needs a confirmation needs a new one first: who hears that it failed may want it no more.
    """
    if error is log.run.unsaved:
        raise error
    if node.on_error:
        if not isinstance(error, _EXPECTED) or isinstance(error, ActionContractError):
            # The flow goes on, so that no turn fails: its author would never see the error.
            logging.getLogger("graphwright").error("%s", _failure(log, node, error))
        log.emit(Jumped(node.id, node.on_error, "action_failed"))
        left = replace(spent(state, node), waiting=None)
        since = len(log.events)
        try:
            return go(log, left, state.at.jump(node.on_error))
        except Exception as stuck:
            log.take_back(since)
            return fail(log, left, node.id, stuck)
    if not isinstance(error, GraphwrightError):
        log.run.exception = error
        text = _failure(log, node, error)
        then = "be asked again whether to do it" if node.confirm else "try it again"
        if node.confirm is not None and node.confirm.when is not None:
            then = "try it again, after a yes where it needs one"
        hint = f"Nothing was lost: send any message to {then}, or give the node an on_error."
        error = ActionError("action_failed", text, hint)
    left = replace(spent(state, node), waiting=None)
    if node.id in state.confirmed:
        left = replace(left, failed={**left.failed, node.id: (visit_of(state, node), state.confirmed[node.id])})
    return fail(log, left, node.id, error)


def _failure(log: StepLog, node: Action, error: Exception) -> str:
    """What failed, and at which line of the agent's Python."""
    place, text = _place(log, node, error), safe_message(error)
    # An error of the contract names the action itself.
    if not isinstance(error, ActionContractError):
        text = f"action {node.run!r} at {node.id!r} failed: {text}"
    return f"{text[:1].upper()}{text[1:]}{f' ({place})' if place else ''}"


def _place(log: StepLog, node: Action, error: Exception) -> str:
    """The file and line of a programming error; empty for an error for people and for a time limit."""
    agent = log.run.agent
    if isinstance(error, ActionContractError) and node.run in agent.actions:
        code = getattr(inspect.unwrap(agent.actions[node.run].function), "__code__", None)
        return f"{Path(code.co_filename).name}:{code.co_firstlineno}" if code else ""
    return "" if isinstance(error, GraphwrightError | _TimedOut) else place_in(error, agent.folder)


_EXPECTED = (GraphwrightError, ConnectionError, TimeoutError)
"""Failures that a flow has its `on_error` for; any other exception is a programming error."""


DONE, AGAIN = "done", "again"


def ask_whether_done(log: StepLog, state: ThreadState, node: Action, visit: int, attempt: int, why: str) -> ThreadState:
    """Wait for the user to say whether the action was done. `why` says how it came that nobody knows."""
    log.emit(OutcomeUnknown(node.id, node.run, visit, attempt, why))
    done, again = (say(state.language, each) for each in (DONE, AGAIN))
    text = say(
        state.language, "in_doubt", why=why, node=repr(node.label or node.id), done=repr(done), again=repr(again)
    )
    options = (Option(DONE, done).to_json(), Option(AGAIN, again).to_json())
    waiting = WaitingFor(node.id, "", text, "choice", options)
    prompt(log, state, waiting)
    return replace(state, waiting=waiting.to_json())


def was_done(log: StepLog, state: ThreadState, node: Action) -> bool:
    """Whether an action with effects is only due again because of a correction: the user is asked first."""
    return state.at.top.detour and log.run.agent.action(node.run).effects


def ask_whether_again(log: StepLog, state: ThreadState, node: Action) -> ThreadState:
    """Wait for the user to say whether an action with effects, done before a correction, is to be done again."""
    causes = dict.fromkeys(name for each in state.sources.values() if each.node == node.id for name in each.changed)
    because = names_of(log.run.agent.flow, causes)
    keep, again = (say(state.language, each) for each in ("keep", AGAIN))
    named = {"node": repr(node.label or node.id), "keep": repr(keep), "again": repr(again)}
    text = say(state.language, "already_done", because=because, **named)
    options = (Option(DONE, keep).to_json(), Option(AGAIN, again).to_json())
    waiting = WaitingFor(node.id, "", text, "choice", options)
    prompt(log, state, waiting)
    return replace(state, waiting=waiting.to_json(), replied_to="")


def in_doubt(state: ThreadState) -> bool:
    """Whether the thread waits to hear whether an action was done."""
    return state.mode == "performing" and state.waiting is not None and state.waiting["kind"] == "choice"


def decide(log: StepLog, state: ThreadState, visit: int, inbox: Inbox) -> str:
    """What the user says: `done`, `again`, or nothing when the reply is neither; then the question stands again."""
    assert state.waiting is not None
    options = [Option(each["value"], each["title"]) for each in state.waiting["options"]]
    option = None if inbox.has_value else chosen(inbox.text or "", options)
    said = inbox.value if inbox.has_value else option.value if option else ""
    if said not in (DONE, AGAIN):
        log.emit(Said(state.waiting["node"], say(state.language, "not_found")))
        prompt(log, state, WaitingFor.from_json(state.waiting))
        return ""
    log.emit(OutcomeDecided(state.waiting["node"], visit, said))
    return str(said)
