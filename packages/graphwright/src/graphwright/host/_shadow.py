"""A flow in the shadow of another one: reads the flow that answers, and records the comparison after each turn."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.engine._flow_versions import FlowVersions, versions
from graphwright.engine._shadow import Beside, Comparison, Decision, Shadow, follow, follow_all
from graphwright.engine.events import ChannelsReset, ChannelsWritten, TraceEvent, TurnStarted, events_from_json
from graphwright.engine.state import ThreadState, blob_key
from graphwright.errors import GraphwrightError, exception_text
from graphwright.flow._checklist import looks_like_checklist
from graphwright.flow._checklist_flow import convert
from graphwright.flow._source import read_plain
from graphwright.flow._versions import migrate_text
from graphwright.flow.compiled import Action, CompiledFlow
from graphwright.host._run import StepRecord, TurnRun, run_validator
from graphwright.host._versions import VersionUnusable, stored_version
from graphwright.store._errors import StoreError

if TYPE_CHECKING:
    from graphwright.flow.diagnostics import Diagnostic
    from graphwright.host._definition import AgentDefinition
    from graphwright.store import Store, ThreadStatus


@dataclass(frozen=True, slots=True)
class Answering:
    """The document of a flow that answers, in the newest version. `losses` are those of a checklist, in words."""

    text: str
    is_checklist: bool = False
    losses: tuple[str, ...] = ()


def read_answering(file: Path, content: bytes, flow: str) -> Answering:
    """Read an older flow, of any version, or a checklist as a flow with the id `flow`.

    Raises GraphwrightError (`shadow_invalid`) if it cannot be read as either.
    """
    source, _ = read_plain(content)
    if source is not None and looks_like_checklist(source.data):
        conversion = convert(content, flow_id=flow)
        if conversion.document is None:
            raise _invalid(file, conversion.diagnostics)
        losses = tuple(f"{file}:{loss.span.line}:{loss.span.column}: {loss.message}" for loss in conversion.losses)
        return Answering(conversion.text, True, losses)
    migration = migrate_text(content)
    if migration.text is None:
        raise _invalid(file, migration.diagnostics)
    return Answering(migration.text)


def _invalid(file: Path, found: Iterable[Diagnostic]) -> GraphwrightError:
    first = next(iter(found))
    message = f"{file}:{first.span.line}:{first.span.column}: {first.code} {first.message}"
    return GraphwrightError("shadow_invalid", message, first.hint)


@dataclass(frozen=True, slots=True)
class _Companion:
    """The flow in the shadow of a thread after its last turn, and the state of the thread then."""

    beside: Beside
    shadow: Shadow
    state: ThreadState


_KNOWN: dict[tuple[str, str], _Companion] = {}
"""The companions of the threads that this process served last, by store and thread."""

_MOST_KNOWN = 256


async def compared(run: TurnRun, beside: Beside, thread: ThreadState) -> ThreadState:
    """Compare the flow in the shadow with the turn that was served, and note the comparison as an event of the turn.

    Returns the state of the thread after this event. A failure of the comparison is recorded as unknown and does not
    affect the turn.
    """
    place = str(run.store.home), run.thread
    known = _KNOWN.pop(place, None)
    try:
        if known is None or known.beside is not beside or not _follows(known.state, thread):
            # Another process served the last turn, or another flow walked in the shadow.
            known = await _from_trace(run, beside, thread.turn_seq)
        contents = await large_contents(run.store, beside.flow, run.events)
        shadow, comparison = follow(beside, known.shadow, known.state, run.events, contents)
    # The turn is answered, so a fault in the shadow does not concern the user.
    except Exception as error:
        logging.getLogger("graphwright").warning("The shadow of %s failed: %s", run.thread, exception_text(error))
        reason = "the comparison failed"
        shadow = Shadow(lost=reason)
        comparison = Comparison("unknown", Decision(thread.mode), None, reason)
    status: ThreadStatus = "failed" if run.error is not None else "ended" if thread.mode == "ended" else "waiting"
    record = StepRecord(run, thread.seq, thread.messages)
    record.emit(comparison.event(beside.flow))
    after = record.finish(thread, status=status)
    while len(_KNOWN) >= _MOST_KNOWN:
        del _KNOWN[next(iter(_KNOWN))]
    _KNOWN[place] = _Companion(beside, shadow, after)
    return after


def _follows(before: ThreadState, thread: ThreadState) -> bool:
    """Whether the last turn of a thread began at this state. A deleted thread may have been begun again."""
    return before.seq == thread.turn_seq and before.born == thread.born


async def _from_trace(run: TurnRun, beside: Beside, end: int) -> _Companion:
    rows = await run.store.events.read(run.thread, 0, end) if end else []
    events = events_from_json(row.event for row in rows)
    shadow, state, _ = follow_all(beside, events, await large_contents(run.store, beside.flow, events))
    return _Companion(beside, shadow, state)


async def replayed(store: Store, agent: AgentDefinition, events: Sequence[TraceEvent]) -> list[tuple[int, Comparison]]:
    """Walk the flow of an agent through a recorded thread: the comparison of each turn, with its number.

    The answering flow is known if the store has the version of the flow in which the thread ran.
    """
    pairs: dict[str, FlowVersions] = {}
    for digest in {event.flow_hash for event in events if isinstance(event, TurnStarted)}:
        old = agent.flow
        try:
            if digest != old.hash:
                stored = await stored_version(store, agent, digest)
                old = replace(stored.agent.flow, signatures=stored.pair.declared or stored.agent.flow.signatures)
        except (VersionUnusable, StoreError):
            continue
        pairs[digest] = versions(old, agent.flow)
    beside = Beside(flow=agent.flow, check=partial(run_validator, agent))
    return follow_all(beside, events, await large_contents(store, agent.flow, events), pairs)[2]


async def large_contents(store: Store, flow: CompiledFlow, events: Iterable[TraceEvent]) -> dict[str, Any]:
    """The large values in these events that guards and confirmations of a flow read, by their hash.

    A value that cannot be read is its error.
    """
    names = _decisive(flow)
    found: dict[str, Any] = {}
    for event in events:
        if not isinstance(event, ChannelsWritten | ChannelsReset):
            continue
        for name in names & event.values.keys():
            if (key := blob_key(event.values[name])) and key not in found:
                try:
                    found[key] = await store.blobs.get(key)
                except StoreError as error:
                    found[key] = error
    return found


def _decisive(flow: CompiledFlow) -> set[str]:
    over: Collection[str] = {
        name
        for node in flow.nodes.values()
        if isinstance(node, Action) and node.confirm is not None
        for name in node.confirm.over
    }
    return {*flow.guard_reads, *over}
