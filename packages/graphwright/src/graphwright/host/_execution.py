"""Execute the commands of a step: actions with their attempts and time limits, and model calls that read replies."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import json
import logging
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.engine._perform import failure_text
from graphwright.engine._position import view
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
    loaded,
    safe_message,
)
from graphwright.engine.state import BLOB, ThreadState, blob_key
from graphwright.errors import GraphwrightError
from graphwright.flow._schema_validation import checked_json
from graphwright.flow.compiled import Action, Channel
from graphwright.host._action_context import ActionContext, observed
from graphwright.host._actions import ActionSpec, ChannelReset, OutcomeUnknown, place_in, state_view
from graphwright.host._extraction import extract
from graphwright.models import ModelFailure

if TYPE_CHECKING:
    from graphwright.host._run import StepRecord, TurnRun

MAX_BACKOFF = 30.0
"""Seconds: the longest pause between two attempts."""

LONGEST_WAIT = 60.0
"""Seconds: how long an attempt waits for an earlier one of an action without a time limit."""

POLL = 0.02
"""Seconds between two checks whether an earlier attempt has ended."""

MOST_SHOWN = 20
"""Messages to the user that the model which reads the reply is shown."""

LONGEST_SHOWN = 4000
"""Characters of them."""

_running: set[str] = set()
"""The actions that still run in threads of this process. A thread cannot be stopped, not even after a time-out."""


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
                    returned = await _call(run, state, spec, node, context)
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
        log.emit(ActionFinished(node.id, node.run, visit, attempt, round(time.perf_counter() - started, 4)))
        return Performed(values, tuple(context.said), tuple(context.artifacts))
    raise AssertionError("an action has at least one attempt")


def _check_retry(
    log: StepRecord, spec: ActionSpec, command: Perform, attempt: int, error: Exception, *, came_back: bool
) -> None:
    """Record a failed attempt; raise what the action failed with unless it is tried again.

    `came_back` says that the action returned and its result could not be kept. Raises InDoubt if an action that is not
    repeatable may have done its work.
    """
    node, visit = command.node, command.visit
    contract = isinstance(error, ActionContractError)
    final = attempt == node.attempts or contract
    place = _place(log, node, error)
    log.emit(ActionFailed(node.id, node.run, visit, attempt, safe_message(error), final, place))
    if node.on_error and final:
        _log_failure(node, error, place)
    if isinstance(error, ActionContractError):
        raise _broken(log, visit, node, attempt, error) from error
    if isinstance(error, TimedOut) and not spec.repeatable:
        raise InDoubt(f"The limit of {node.timeout:g} s was over", attempt) from error
    if isinstance(error, OutcomeUnknown):
        raise InDoubt(error.why, attempt) from error
    if came_back and not spec.repeatable:
        raise InDoubt("What it gave could not be kept", attempt) from error
    if final:
        if not (spec.repeatable or isinstance(error, ActionError)):
            log.run.work.note_outcome(visit, node.id, "raised", attempt)
        raise error


_EXPECTED = (GraphwrightError, ConnectionError, TimeoutError)
"""Failures that a flow has its `on_error` for; any other exception is a programming error."""


def _log_failure(node: Action, error: Exception, place: str) -> None:
    """Log an error that the author of the agent would not see otherwise: the flow goes on, so that no turn fails."""
    if not isinstance(error, _EXPECTED) or isinstance(error, ActionContractError):
        logging.getLogger("graphwright").error("%s", failure_text(node, error, place))


def _place(log: StepRecord, node: Action, error: Exception) -> str:
    """The file and line of a programming error; empty for an error for people and for a time limit."""
    agent = log.run.agent
    if isinstance(error, ActionContractError) and node.run in agent.actions:
        code = getattr(inspect.unwrap(agent.actions[node.run].function), "__code__", None)
        return f"{Path(code.co_filename).name}:{code.co_firstlineno}" if code else ""
    return "" if isinstance(error, GraphwrightError | TimedOut) else place_in(error, agent.folder)


def _broken(log: StepRecord, visit: int, node: Action, attempt: int, error: ActionContractError) -> ActionContractError:
    """Note that the action broke its contract: what it did in the world is done, so it is not performed again."""
    again = "This visit is not performed again: once the action is mended, begin a new thread; or give it an on_error."
    told = ActionContractError(error.code, error.message, f"{error.hint} {again}")
    log.run.work.note_outcome(visit, node.id, "broken", attempt, told.to_json())
    return told


async def _call(run: Any, state: ThreadState, spec: ActionSpec, node: Action, context: ActionContext) -> Any:
    reads = [name.split(".")[0] for name in spec.reads]
    values = view(run.agent.flow, state.values(loaded(run.blobs, state, reads)), state.at.top.scopes)
    seen = state_view(spec, values)
    alone = f"{run.thread}:{state.born}:{node.id}"
    if alone in _running:
        await _ended(node, alone)
    try:
        return await asyncio.wait_for(_guarded(spec, seen, context, alone), node.timeout)
    except TimeoutError as error:
        if node.timeout is None or str(error):
            raise
        raise TimedOut(f"It took longer than {node.timeout:g} s.") from None


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
            f"Action {node.run!r} at {node.id!r} was not started: an earlier attempt still runs in its thread.",
            "Wait until it is done. Write what may hang as an async function: that can be stopped.",
        ) from None


async def _guarded(spec: ActionSpec, seen: Any, context: ActionContext, alone: str) -> Any:
    """Run the function. If it exits the program or cancels its own task, that is an ordinary failure of the action."""
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
    """Run a sync function in a new thread, so that one that hangs does not block others."""
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


def written(run: TurnRun, state: ThreadState, spec: ActionSpec, node: str, returned: Any) -> dict[str, Any]:
    """The new channel values that an action's result makes; raises ActionContractError for what is not allowed."""
    if returned is None:
        return {}
    if not isinstance(returned, Mapping):
        raise ActionContractError(
            "bad_action_result",
            f"Action {spec.name!r} at {node!r} returned {type(returned).__name__} instead of a mapping of channels.",
            "Return {channel: value}, or nothing.",
        )
    channels = run.agent.flow.channels
    new: dict[str, Any] = {}
    for name, value in returned.items():
        if name not in spec.writes or name not in channels:
            raise ActionContractError(
                "undeclared_write",
                f"Action {spec.name!r} at {node!r} returned channel {name!r}, which it does not declare to write.",
                f"Add {name!r} to writes=[...] of @action and to the flow's state, or do not return it.",
            )
        channel = channels[name]
        value = _reduced(run, state, channel, value, spec)
        text, violation = checked_json(channel.schema, value)
        if not violation and not channel.large and blob_key(value):
            violation = f"an object whose only key is {BLOB} stands for a large value"
        if violation:
            raise ActionContractError(
                "bad_channel_value",
                f"Action {spec.name!r} at {node!r} wrote a value that channel {name!r} does not take: {violation}.",
                "Return what the channel's type allows, or change its type in the flow.",
            )
        # Store a copy in plain JSON, so that later changes by the action do not reach the state.
        value = json.loads(text)
        if channel.large:
            key = run.work.note_blob(value)
            run.blobs[key] = value
            value = {BLOB: key}
        new[name] = value
    return new


def _reduced(run: TurnRun, state: ThreadState, channel: Channel, value: Any, spec: ActionSpec) -> Any:
    if isinstance(value, ChannelReset):
        if value.items is not None and not channel.append:
            raise ActionContractError(
                "reset_with_items",
                f"Action {spec.name!r} returned Reset(items) for channel {channel.name!r}, which does not append.",
                "Return the items themselves, or declare reduce: append for the channel.",
            )
        return list(value.items or ()) if channel.append else channel.default
    if not channel.append:
        return value
    old = loaded(run.blobs, state, [channel.name]).get(channel.name, state.channels.get(channel.name))
    return [*(old or ()), *(value if isinstance(value, list | tuple) else [value])]
