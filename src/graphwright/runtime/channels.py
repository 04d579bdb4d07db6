"""Channels at run time: large ones by content hash, writes checked and reduced; and fitting the state to a new flow."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphwright.flow.compiled import Channel
from graphwright.kernel import lookup, with_answer
from graphwright.runtime.actions import ActionContractError, ActionSpec, Reset
from graphwright.runtime.events import StateAdapted
from graphwright.runtime.questions import every_candidate
from graphwright.runtime.run import StepLog
from graphwright.runtime.state import ThreadState
from graphwright.runtime.validation import checked_json, first_violation

if TYPE_CHECKING:
    from graphwright.runtime.run import TurnRun
    from graphwright.store import Store


BLOB = "$blob"
"""The key of the object that stands in the state for the value of a large channel."""


def blob_key(value: Any) -> str:
    """The content hash that stands for a large value; empty for any other value."""
    return str(value[BLOB]) if isinstance(value, Mapping) and set(value) == {BLOB} else ""


async def whole(store: Store, value: Any) -> Any:
    """A value of a channel; of a large one, which the store keeps apart, its content."""
    key = blob_key(value)
    return await store.blobs.get(key) if key else value


async def loaded(run: TurnRun, state: ThreadState, names: Iterable[str]) -> dict[str, Any]:
    """The contents of those of the named channels that are large and written."""
    return await fetched(run.store, run.blobs, state, names)


async def seen_values(log: StepLog, state: ThreadState) -> dict[str, Any]:
    """The values for the kernel: of the large channels only those that some guard or template reads."""
    flow = log.run.agent.flow
    return state.values(await loaded(log.run, state, flow.guard_reads))


async def fetched(
    store: Store, known: MutableMapping[str, Any], state: ThreadState, names: Iterable[str]
) -> dict[str, Any]:
    """As `loaded`; `known` are contents by their hashes, and takes those that the store gives."""
    found: dict[str, Any] = {}
    for name in names:
        key = blob_key(state.channels.get(name))
        if key:
            if key not in known:
                known[key] = await store.blobs.get(key)
            found[name] = known[key]
    return found


async def written(run: TurnRun, state: ThreadState, spec: ActionSpec, node: str, returned: Any) -> dict[str, Any]:
    """The new channel values that an action's result makes; raises ActionContractError for what is not allowed."""
    if returned is None:
        return {}
    if not isinstance(returned, Mapping):
        raise ActionContractError(
            "bad_action_result",
            f"action {spec.name!r} at {node!r} returned {type(returned).__name__} instead of a mapping of channels",
            "Return {channel: value}, or nothing.",
        )
    channels = run.agent.flow.channels
    new: dict[str, Any] = {}
    for name, value in returned.items():
        if name not in spec.writes or name not in channels:
            raise ActionContractError(
                "undeclared_write",
                f"action {spec.name!r} at {node!r} returned channel {name!r}, which it does not declare to write",
                f"Add {name!r} to writes=[...] of @action and to the flow's state, or do not return it.",
            )
        channel = channels[name]
        value = await _reduced(run, state, channel, value)
        text, violation = checked_json(channel.schema, value)
        if not violation and not channel.large and blob_key(value):
            violation = f"an object whose only key is {BLOB} stands for a large value"
        if violation:
            raise ActionContractError(
                "bad_channel_value",
                f"action {spec.name!r} at {node!r} wrote a value that channel {name!r} does not take: {violation}",
                "Return what the channel's type allows, or change its type in the flow.",
            )
        # What is kept is a copy in plain JSON: what the action goes on to do to its own must not reach the thread.
        value = json.loads(text)
        if channel.large:
            key = run.work.note_blob(value)
            run.blobs[key] = value
            value = {BLOB: key}
        new[name] = value
    return new


async def _reduced(run: TurnRun, state: ThreadState, channel: Channel, value: Any) -> Any:
    if not channel.append:
        if isinstance(value, Reset):
            return channel.default
        return value
    if isinstance(value, Reset):
        return list(value.items)
    old = (await loaded(run, state, [channel.name])).get(channel.name, state.channels.get(channel.name))
    return [*(old or ()), *(value if isinstance(value, list | tuple) else [value])]


async def adapted(log: StepLog, state: ThreadState) -> ThreadState:
    """The state without the answers and channels that the flow does not have, or whose schemas they violate."""
    flow = log.run.agent.flow
    answers: Mapping[str, Any] = {}
    for asked in every_candidate(flow):
        there, value = lookup(state.answers, asked.path)
        if there and not first_violation(asked.question.schema, value):
            answers = with_answer(answers, asked.path, value)
    contents = {**state.channels, **await loaded(log.run, state, state.channels)}
    channels = {
        name: value
        for name, value in state.channels.items()
        if name in flow.channels and not first_violation(flow.channels[name].schema, contents[name])
    }
    dropped = tuple(_dropped(state.answers, answers))
    gone = tuple(name for name in state.channels if name not in channels)
    if dropped or gone:
        log.emit(StateAdapted(dropped, gone))
    return replace(state, answers=answers, channels=channels)


def _dropped(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """The dotted keys of the answers that are gone."""
    for key, value in before.items():
        if key not in after:
            yield key
        elif value != after[key]:
            yield from (f"{key}.{inner}" for inner in _dropped(value, after[key]))
