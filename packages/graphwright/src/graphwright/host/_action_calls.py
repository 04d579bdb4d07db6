"""Call the function of an action: its view of the state, its time limit and thread, and what it may write."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import json
import logging
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.engine._perform import failure_text
from graphwright.engine._position import view
from graphwright.engine.host_interface import ActionContractError, ActionError, TimedOut, loaded
from graphwright.engine.state import BLOB, ThreadState, blob_key
from graphwright.errors import GraphwrightError
from graphwright.flow._schema_validation import checked_json
from graphwright.flow.compiled import Action, Channel
from graphwright.host._action_context import ActionContext
from graphwright.host._actions import ActionSpec, ChannelReset, place_in, state_view
from graphwright.host._trial import left_out

if TYPE_CHECKING:
    from graphwright.host._definition import AgentDefinition
    from graphwright.host._run import TurnRun

LONGEST_WAIT = 60.0
"""Seconds: how long an attempt waits for an earlier one of an action without a time limit."""

POLL = 0.02
"""Seconds between two checks whether an earlier attempt has ended."""

MAX_BACKOFF = 30.0
"""Seconds: the longest pause between two attempts."""

_running: set[str] = set()
"""The actions that still run in threads of this process. A thread cannot be stopped, not even after a time-out."""


async def call(run: TurnRun, state: ThreadState, spec: ActionSpec, node: Action, context: ActionContext) -> Any:
    """Return the result of an action's function. Raises its exceptions, and TimedOut."""
    trial = run.agent.trial
    if trial is not None and spec.effects and not trial.performs(run.agent.flow, node, state, run.blobs):
        context.say(left_out(node))
        return None
    reads = [name.split(".")[0] for name in spec.reads]
    values = view(run.agent.flow, state.values(loaded(run.blobs, state, reads)), state.at.top.scopes)
    seen = state_view(spec, values)
    alone = f"{run.thread}:{state.born}:{node.id}:{context.item}"
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
    """Return the channel values of an action's result. Raises ActionContractError for values that are not allowed."""
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


def place_of_error(agent: AgentDefinition, node: Action, error: Exception) -> str:
    """The file and line of a programming error; empty for an error for people and for a time limit."""
    if isinstance(error, ActionContractError) and node.run in agent.actions:
        code = getattr(inspect.unwrap(agent.actions[node.run].function), "__code__", None)
        return f"{Path(code.co_filename).name}:{code.co_firstlineno}" if code else ""
    return "" if isinstance(error, GraphwrightError | TimedOut) else place_in(error, agent.folder)


_EXPECTED = (GraphwrightError, ConnectionError, TimeoutError)
"""Failures that a flow has its `on_error` for; any other exception is a programming error."""


def log_failure(node: Action, error: Exception, place: str) -> None:
    """Log an error that the author of the agent would not see otherwise: the flow goes on, so that no turn fails."""
    if not isinstance(error, _EXPECTED) or isinstance(error, ActionContractError):
        logger = logging.getLogger("graphwright")
        traced = error if logger.isEnabledFor(logging.DEBUG) else None
        logger.error("%s", failure_text(node, error, place), exc_info=traced)
