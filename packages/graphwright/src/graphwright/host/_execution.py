"""Execute the commands of a step: actions with their attempts and time limits, and model calls that read replies."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from graphwright.engine.events import ActionFailed, ActionFinished, ActionStarted
from graphwright.engine.host_interface import (
    ActionContractError,
    ActionError,
    Extract,
    InDoubt,
    Perform,
    Performed,
    Proposals,
    Result,
    TimedOut,
    UnreadReply,
    safe_message,
)
from graphwright.engine.state import ThreadState
from graphwright.flow.compiled import Action
from graphwright.host._action_calls import MAX_BACKOFF, call, log_failure, place_of_error, written
from graphwright.host._action_context import ActionContext, observed
from graphwright.host._actions import ActionSpec, OutcomeUnknown
from graphwright.host._extraction import extract
from graphwright.host._mapped import perform_items
from graphwright.models import ModelFailure

if TYPE_CHECKING:
    from graphwright.host._run import StepRecord, TurnRun

MOST_SHOWN = 20
"""The maximum number of messages to the user that are shown to the model that reads the reply."""

LONGEST_SHOWN = 4000
"""The maximum number of characters of these messages."""


async def execute(log: StepRecord, state: ThreadState, command: Extract | Perform) -> Result:
    """Execute a command and return its result, errors included. Raises only an error of the store."""
    since = len(log.events)
    value, error = None, None
    try:
        value = await (_read(log, command) if isinstance(command, Extract) else _perform(log, state, command))
    except Exception as raised:
        if raised is log.run.unsaved:
            raise
        error = raised
    return Result(tuple(log.events[since:]), value, error)


async def _read(log: StepRecord, command: Extract) -> Proposals:
    run = log.run
    # A model call may take minutes: store the message first.
    await run.save()
    asked = replace(command.asked, prompt=await _text_since_last_message(run, command.asked.prompt))
    with observed(log, command.node):
        try:
            return await extract(run.load_model(), run.agent.prompts, asked)
        except ModelFailure as error:
            raise UnreadReply(error) from error


async def _text_since_last_message(run: TurnRun, prompt: str) -> str:
    """Return all that the user was shown after their last message, and `prompt`; only the end of a long text."""
    texts: list[str] = []
    for message in await run.store.messages.window(run.thread, MOST_SHOWN):
        texts = [] if message.role == "user" else [*texts, message.text]
    if prompt not in texts:
        texts.append(prompt)
    text = "\n\n".join(texts).strip()
    return text if len(text) <= LONGEST_SHOWN else "…" + text[-LONGEST_SHOWN:]


async def _perform(log: StepRecord, state: ThreadState, command: Perform) -> Performed:
    """Perform an action, with its retries. Raises the exception of the last attempt, and InDoubt."""
    run, node, visit = log.run, command.node, command.visit
    if node.map is not None:
        return await perform_items(log, state, command)
    spec = run.agent.action(node.function)
    key = f"{run.thread}:{state.born}:{visit}"
    for attempt in range(1, node.attempts + 1):
        if not spec.repeatable:
            run.work.note_outcome(visit, node.id, "started", attempt)
        if spec.effects or not spec.repeatable:
            # The action may have effects: store the events and the state that led to it first.
            await run.save()
        started = time.perf_counter()
        log.emit(ActionStarted(node.id, node.run, visit, attempt))
        came_back = False
        try:
            context = ActionContext(log, node.id, key, attempt, state.files, state.language)
            with observed(log, node.id):
                try:
                    returned = await call(run, state, spec, node, context)
                finally:
                    log.emit(*context.noted)
            came_back = True
            values = written(run, state, spec, node.id, returned)
        except Exception as error:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                # An exception that the cancellation of the turn caused is not retried.
                raise asyncio.CancelledError from error
            _check_retry(log, spec, command, attempt, error, came_back=came_back)
            await asyncio.sleep(min(node.backoff * 2 ** (attempt - 1), MAX_BACKOFF))
            continue
        if not spec.repeatable:
            run.work.note_outcome(visit, node.id, "done", attempt)
        seconds = round(time.perf_counter() - started, 4)
        known = command.content, command.confirmed, tuple(context.store.recorded)
        log.emit(ActionFinished(node.id, node.run, visit, attempt, seconds, *known))
        return Performed(values, tuple(context.said), tuple(context.artifacts))
    raise AssertionError("an action has at least one attempt")


def _check_retry(
    log: StepRecord, spec: ActionSpec, command: Perform, attempt: int, error: Exception, *, came_back: bool
) -> None:
    """Record a failed attempt; raise the error of the action unless it is retried.

    `came_back`: the action returned, and its result could not be stored. Raises InDoubt if an action that is not
    repeatable may have done its work.
    """
    node, visit = command.node, command.visit
    contract = isinstance(error, ActionContractError)
    final = attempt == node.attempts or contract
    place = place_of_error(log.run.agent, node, error)
    log.emit(ActionFailed(node.id, node.run, visit, attempt, safe_message(error), final, place))
    if node.on_error and final:
        log_failure(node, error, place)
    if isinstance(error, ActionContractError) and spec.effects:
        raise _broken(log, visit, node, attempt, error) from error
    if isinstance(error, TimedOut) and not spec.repeatable:
        raise InDoubt(f"The time limit of {node.timeout:g} s was reached", attempt) from error
    if isinstance(error, OutcomeUnknown):
        raise InDoubt(error.why, attempt) from error
    if came_back and not spec.repeatable:
        raise InDoubt("Its result could not be stored", attempt) from error
    if final:
        if not (spec.repeatable or isinstance(error, ActionError)):
            log.run.work.note_outcome(visit, node.id, "raised", attempt)
        raise error


def _broken(log: StepRecord, visit: int, node: Action, attempt: int, error: ActionContractError) -> ActionContractError:
    """Record that the action broke its contract. It returned, so its effects happened: it is not performed again."""
    again = "This run is not repeated: correct the action and begin a new thread, or give the node an on_error."
    told = ActionContractError(error.code, error.message, f"{error.hint} {again}")
    log.run.work.note_outcome(visit, node.id, "broken", attempt, told.to_json())
    return told
