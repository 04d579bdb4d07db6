"""Channels in the state: large values are replaced by their content hashes. Also adapts a state to a new flow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from graphwright.engine import lookup, with_answer
from graphwright.engine.events import StateAdapted
from graphwright.engine.host_interface import Recorder
from graphwright.engine.questions import every_candidate
from graphwright.engine.state import ThreadState
from graphwright.flow.schema_validation import first_violation

BLOB = "$blob"
"""The key of the object that replaces the value of a large channel in the state."""


def blob_key(value: Any) -> str:
    """The content hash of a large value; empty for any other value."""
    return str(value[BLOB]) if isinstance(value, Mapping) and set(value) == {BLOB} else ""


def loaded(contents: Mapping[str, Any], state: ThreadState, names: Iterable[str]) -> dict[str, Any]:
    """The contents of the named channels that are large and written, from `contents` by hash.

    If `contents` has an error in place of a content, raises it.
    """
    found: dict[str, Any] = {}
    for name in names:
        if key := blob_key(state.channels.get(name)):
            found[name] = contents[key]
            if isinstance(found[name], Exception):
                raise found[name]
    return found


def seen_values(log: Recorder, state: ThreadState) -> dict[str, Any]:
    """The values for guards and templates, with the contents of the large channels that any of them reads."""
    flow = log.flow
    return state.values(loaded(log.facts.contents, state, flow.guard_reads))


def adapted(log: Recorder, state: ThreadState) -> ThreadState:
    """The state without the answers and channels that the flow does not have, or whose schemas they violate."""
    flow = log.flow
    answers: Mapping[str, Any] = {}
    for asked in every_candidate(flow):
        there, value = lookup(state.answers, asked.path)
        if there and not first_violation(asked.question.schema, value):
            answers = with_answer(answers, asked.path, value)
    contents = {**state.channels, **loaded(log.facts.contents, state, state.channels)}
    channels = {
        name: value
        for name, value in state.channels.items()
        if name in flow.channels and not first_violation(flow.channels[name].schema, contents[name])
    }
    dropped = tuple(_dropped(state.answers, answers))
    gone = tuple(name for name in state.channels if name not in channels)
    return log.record(state, StateAdapted(dropped, gone)) if dropped or gone else state


def _dropped(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """The dotted keys of the answers that are gone."""
    for key, value in before.items():
        if key not in after:
            yield key
        elif value != after[key]:
            yield from (f"{key}.{inner}" for inner in _dropped(value, after[key]))
