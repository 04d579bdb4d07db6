"""Channels at run time: large ones by content hash, writes checked and reduced; and fitting the state to a new flow."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphwright.flow.compiled import Action, Channel
from graphwright.kernel import lookup, with_answer
from graphwright.runtime.actions import ActionContractError, ActionSpec, Reset
from graphwright.runtime.events import StateAdapted
from graphwright.runtime.questions import every_candidate
from graphwright.runtime.run import StepLog
from graphwright.runtime.state import ThreadState
from graphwright.runtime.validation import checked_json, first_violation
from graphwright.store.errors import StoreError

if TYPE_CHECKING:
    from graphwright.runtime.definition import AgentDefinition
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


def loaded(run: TurnRun, state: ThreadState, names: Iterable[str]) -> dict[str, Any]:
    """The contents of those of the named channels that are large and written, as `preload` found them.

    Raises the StoreError of a content that cannot be read.
    """
    found: dict[str, Any] = {}
    for name in names:
        if key := blob_key(state.channels.get(name)):
            found[name] = run.blobs[key]
            if isinstance(found[name], StoreError):
                raise found[name]
    return found


def seen_values(log: StepLog, state: ThreadState) -> dict[str, Any]:
    """The values for the kernel: of the large channels only those that some guard or template reads."""
    flow = log.run.agent.flow
    return state.values(loaded(log.run, state, flow.guard_reads))


async def preload(run: TurnRun, state: ThreadState) -> None:
    """Fetch the large contents that the next step may read, so that what decides it needs no store.

    A content that cannot be read is kept as its error: only a step that reads it fails.
    """
    large = {name: key for name, value in state.channels.items() if (key := blob_key(value)) and key not in run.blobs}
    for name in _next_reads(run.agent, state) & large.keys() if large else ():
        try:
            run.blobs[large[name]] = await run.store.blobs.get(large[name])
        except StoreError as error:
            run.blobs[large[name]] = error


def _next_reads(agent: AgentDefinition, state: ThreadState) -> set[str]:
    """The channels that the next step of a thread may read."""
    flow = agent.flow
    names = set(flow.guard_reads)
    performing = state.mode == "performing" and state.position is not None
    if performing:
        node = flow.nodes.get(state.at.node)
        spec = agent.actions.get(node.run) if isinstance(node, Action) else None
        names |= {*spec.reads, *spec.writes} if spec is not None else set()
    if performing or (state.waiting is not None and state.waiting["kind"] == "confirm"):
        actions = (node for node in flow.nodes.values() if isinstance(node, Action) and node.confirm is not None)
        names |= {name for node in actions if node.confirm is not None for name in node.confirm.over}
    return names | set(state.channels) if state.flow_hash not in ("", flow.hash) else names


async def fetched(store: Store, state: ThreadState, names: Iterable[str]) -> dict[str, Any]:
    """The contents of those of the named channels that are large and written, from the store."""
    return {name: await store.blobs.get(key) for name in names if (key := blob_key(state.channels.get(name)))}


def written(run: TurnRun, state: ThreadState, spec: ActionSpec, node: str, returned: Any) -> dict[str, Any]:
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
        value = _reduced(run, state, channel, value)
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


def _reduced(run: TurnRun, state: ThreadState, channel: Channel, value: Any) -> Any:
    if not channel.append:
        if isinstance(value, Reset):
            return channel.default
        return value
    if isinstance(value, Reset):
        return list(value.items)
    old = loaded(run, state, [channel.name]).get(channel.name, state.channels.get(channel.name))
    return [*(old or ()), *(value if isinstance(value, list | tuple) else [value])]


def adapted(log: StepLog, state: ThreadState) -> ThreadState:
    """The state without the answers and channels that the flow does not have, or whose schemas they violate."""
    flow = log.run.agent.flow
    answers: Mapping[str, Any] = {}
    for asked in every_candidate(flow):
        there, value = lookup(state.answers, asked.path)
        if there and not first_violation(asked.question.schema, value):
            answers = with_answer(answers, asked.path, value)
    contents = {**state.channels, **loaded(log.run, state, state.channels)}
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
