"""Migrate the threads that wait in other versions of a flow, one transaction each; plan migrations; undo one.

Every thread is leased, looked at again and written with its audit entry in one transaction. An interrupted migration is
therefore finished by another one, and several at once, or a service at work, do not disturb each other.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphwright.engine._migration import PINNED, Outcome, Plan, migrated, undone
from graphwright.engine._thread_past import past
from graphwright.engine.events import FlowMigrated, Prompted, TraceEvent, TurnFailed
from graphwright.engine.host_interface import Recorder
from graphwright.engine.replay import fold
from graphwright.engine.state import Pinned, ThreadState, applied
from graphwright.errors import GraphwrightError, UsageError
from graphwright.host._run import StepRecord, TurnRun, facts_of, preload
from graphwright.host._versions import (
    StoredVersion,
    VersionUnusable,
    declared_code,
    in_earlier_version,
    stored_version,
)
from graphwright.store import AuditEntry

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright.host._definition import AgentDefinition
    from graphwright.store import EventRow, Store, ThreadRow, ThreadStatus, TurnWork

__all__ = ["Migration", "Migrator"]

TOGETHER = 64
"""Threads that are migrated at the same time; the store commits them together."""


@dataclass(frozen=True, slots=True)
class Migration:
    """The planned or finished migration of one thread: the outcome, the reasons, the hashes of the versions, and the
    nodes at which it waits before and after. `lacks` says why the present code cannot finish it in its version."""

    thread: str
    outcome: Outcome
    reasons: tuple[str, ...]
    before: str
    after: str
    node: str = ""
    goes_to: str = ""
    lacks: tuple[str, ...] = ()

    @property
    def moves(self) -> bool:
        """Whether the thread goes on in the other version."""
        return self.outcome in ("carry", "move")

    def to_json(self) -> dict[str, Any]:
        return {
            "thread": self.thread,
            "outcome": self.outcome,
            "reasons": list(self.reasons),
            "lacks": list(self.lacks),
            "before": self.before,
            "after": self.after,
            "node": self.node,
            "goes_to": self.goes_to,
        }


@dataclass(frozen=True, slots=True)
class Migrator:
    """The migration of the threads of a flow to the version of `agent`, by the operator `by`.

    `pinned` is set if that is not the present version, so that the threads stay there. `only` names one thread.
    """

    store: Store
    agent: AgentDefinition
    by: str
    now: datetime
    pinned: Pinned = ""
    only: str = ""

    async def threads(self) -> list[ThreadRow]:
        """The rows of the threads that are not in this version, the most recently updated first."""
        if self.only:
            row = await self.store.threads.get(self.only)
            return [row] if row is not None else []
        found: list[ThreadRow] = []
        statuses: tuple[ThreadStatus, ...] = ("waiting", "failed", "running")
        for status in statuses:
            found += [row async for row in self.store.threads.every(status=status)]
        flow = self.agent.flow
        return [row for row in found if row.flow_id == flow.id and row.flow_hash != flow.hash]

    async def run(self, rows: Sequence[ThreadRow], *, dry: bool) -> AsyncIterator[Migration]:
        """Migrate threads, or only plan it. Threads that are in this version, or have ended, are left out."""
        for start in range(0, len(rows), TOGETHER):
            some = rows[start : start + TOGETHER]
            for found in await (_together(map(self._plan, some)) if dry else self._migrate(some)):
                if found is not None:
                    yield found

    async def _plan(self, row: ThreadRow) -> Migration | None:
        try:
            held = await self.store.state(row.thread)
            if await self.store.leased([row.thread]):
                return _stays(row, self.agent, "wait", "a turn is at work")
            return await self._decided(_ReadOnly(row, held, self.store.time()), row)
        except GraphwrightError as error:
            return _stays(row, self.agent, "pin", error.message)

    async def _migrate(self, rows: Sequence[ThreadRow]) -> list[Migration | None]:
        async with self.store.free_turns([row.thread for row in rows]) as works:
            mine = [row for row in rows if row.thread in works]
            found = await _together(self._migrate_one(works[row.thread], row) for row in mine)
        return [*found, *(await _together(self._left(row) for row in rows if row.thread not in works))]

    async def _left(self, row: ThreadRow) -> Migration | None:
        """Return the outcome for a thread that another process holds."""
        found = await self._plan(row)
        busy = found is not None and found.moves
        return _stays(row, self.agent, "wait", "a turn is at work") if busy else found

    async def _migrate_one(self, work: TurnWork, row: ThreadRow) -> Migration | None:
        try:
            found = await self._decided(work, work.row or row, write=True)
        except GraphwrightError as error:
            return _stays(row, self.agent, "pin", error.message)
        await work.flush()
        return found

    async def _decided(self, work: Any, row: ThreadRow, *, write: bool = False) -> Migration | None:
        """Return the outcome for one thread; with `write` it is stored."""
        state = ThreadState.from_json(work.state.get("thread") or {})
        if not in_earlier_version(self.agent, state) or row.flow_id != self.agent.flow.id:
            return None
        try:
            stored = await stored_version(self.store, self.agent, state.flow_hash)
        except VersionUnusable as error:
            return _migration(row, state, self.agent, Plan("version_missing", (error.message,), state))
        if work.state.get("inbox"):
            plan: Plan = Plan("wait", ("a message is not read yet",), state)
        elif state.pinned == "undone" and not self.only:
            plan = Plan("pin", (f"{PINNED['undone']}; --thread migrates it",), state)
        else:
            run = self._turn(work, row)
            await preload(run, state)
            plan = await self._planned(run, stored, state)
            if write and plan.outcome in ("carry", "move"):
                self._note(run, state, plan)
        lacks = () if plan.outcome in ("carry", "move") else tuple(stored.lacks(state))
        if lacks:
            plan = Plan("action_missing", (*plan.reasons, *lacks), state)
        elif not stored.same_prompts and plan.outcome not in ("carry", "move"):
            plan = replace(plan, reasons=(*plan.reasons, "it goes on with prompts that changed since"))
        return _migration(row, state, self.agent, plan, tuple(stored.lacks(state)))

    async def _planned(self, run: TurnRun, stored: StoredVersion, state: ThreadState) -> Plan:
        plan = migrated(Recorder(facts_of(run)), stored.pair, state, None, self.by, self.pinned)
        if plan is None:
            events = await self.store.events.read(run.thread)
            done = past(row.event for row in events)
            plan = migrated(Recorder(facts_of(run)), stored.pair, state, done, self.by, self.pinned)
        assert plan is not None
        return plan

    def _turn(self, work: TurnWork, row: ThreadRow) -> TurnRun:
        return _turn(self.store, self.agent, work, row, self.now)

    def _note(self, run: TurnRun, state: ThreadState, plan: Plan) -> None:
        assert run.work.row is not None
        prompted = any(isinstance(event, Prompted) for event in plan.events)
        status: ThreadStatus = "ended" if plan.state.mode == "ended" else "waiting"
        if not prompted and status == "waiting":
            status = run.work.row.status if run.work.row.status in ("waiting", "failed") else "waiting"
        node = plan.state.at.node
        run.work.note_flow(self.agent.flow.canonical_text, "" if self.pinned else declared_code(self.agent))
        _write(run, state, plan.state, plan.events, status)
        run.work.note_audit(_audit(run, self.by, "migrated", self.agent.flow.hash, node))


@dataclass(frozen=True, slots=True)
class _ReadOnly:
    """The thread of a plan, which is not written."""

    row: ThreadRow
    state: dict[str, Any]
    now: str

    def time(self) -> str:
        return self.now


async def version_named(store: Store, agent: AgentDefinition, name: str) -> AgentDefinition:
    """The agent with the version of its flow of this name: a published number, or the beginning of a hash.

    Raises UsageError (`no_such_version`) and VersionUnusable.
    """
    flow = agent.flow
    if name.isdecimal() and len(name) < _SHORTEST_HASH:
        found = [each.hash for each in await store.flows.versions(flow.id) if each.number == int(name)]
    else:
        found = [flow.hash] if flow.hash.startswith(name) else await store.flows.hashes(name)
    if len(found) == 1 and found[0] == flow.hash:
        return agent
    document = await store.flows.get(found[0]) if len(found) == 1 else None
    if document is None or json.loads(document).get("id") != flow.id:
        hint = "Give the number of a published version, or the first digits of a hash ('graphwright threads show')."
        raise UsageError("no_such_version", f"The store has no version {name!r} of the flow {flow.id!r}.", hint)
    return (await stored_version(store, agent, found[0])).agent


_SHORTEST_HASH = 7


async def undo(store: Store, agent: AgentDefinition, thread: str, by: str, now: datetime) -> Migration:
    """Undo the last migration of a thread if nothing has happened in it since; the thread then stays in its version.

    Raises UsageError (`no_such_thread`, `nothing_to_undo`) and LeaseTimeout.
    """
    async with store.turn(thread) as work:
        row = work.row
        if row is None:
            raise UsageError("no_such_thread", f"There is no thread {thread!r}.", "'graphwright threads' lists them.")
        rows = await store.events.read(thread)
        place = _last_migration(thread, rows)
        state, moment = ThreadState.from_json(work.state.get("thread") or {}), fold(rows, place - 1)
        events: list[TraceEvent] = [undone(state, moment.state, by)]
        waiting, prompted = moment.state.waiting, any(each.event["type"] == Prompted.type for each in rows[place:])
        if waiting is not None and prompted:
            asked = waiting.node, waiting.key, waiting.prompt, waiting.kind, waiting.options
            events.append(Prompted(*asked, moment.state.shown))
        restored = applied(state, events)
        turn = rows[moment.state.turn_seq : place]
        failed = any(each.event["type"] == TurnFailed.type for each in turn) and restored.waits_for("message")
        run = _turn(store, agent, work, row, now)
        _write(run, state, restored, events, "failed" if failed else "waiting")
        work.note_audit(_audit(run, by, "migration_undone", restored.flow_hash, restored.at.node))
        await work.flush()
    return Migration(
        *(thread, "pin", ("its migration is undone",), state.flow_hash, restored.flow_hash),
        node=state.at.node if state.position else "",
        goes_to=restored.at.node,
    )


def _last_migration(thread: str, rows: Sequence[EventRow]) -> int:
    """The number of the event of the last migration. Raises UsageError if it cannot be taken back."""
    for row in reversed(rows):
        event = row.event
        if event["type"] == FlowMigrated.type and event.get("by") and not event.get("undoes"):
            return row.seq
        if event["type"] in ("turn_started", "branched", FlowMigrated.type):
            break
    raise UsageError(
        "nothing_to_undo",
        f"Thread {thread!r} has no migration by an operator that could be undone: it had none, or went on since.",
        f"'graphwright threads trace {thread}' shows what happened in it.",
    )


def _turn(store: Store, agent: AgentDefinition, work: Any, row: ThreadRow, now: datetime) -> TurnRun:
    """A turn in which no message is read, no model called and nothing performed."""
    return TurnRun(
        agent=agent,
        address=row.agent,
        store=store,
        work=work,
        thread=row.thread,
        now=now,
        load_model=_no_model,
        token="",
        without_model=True,
    )


def _no_model() -> BaseChatModel:
    raise AssertionError("a migration calls no model")


def _write(
    run: TurnRun, before: ThreadState, after: ThreadState, events: Sequence[TraceEvent], status: ThreadStatus
) -> None:
    record = StepRecord(run, before.seq, before.messages)
    record.update(events)
    record.finish(after, status=status)


def _audit(run: TurnRun, by: str, event: str, content: str, node: str) -> AuditEntry:
    return AuditEntry(
        user=by, event=event, agent=run.address, thread=run.thread, action="", content=content, node=node, door="cli"
    )


async def _together(works: Iterable[Awaitable[Migration | None]]) -> list[Migration | None]:
    """Return the results of jobs that run concurrently. If one raises, its error is raised after all have ended."""
    found = await asyncio.gather(*works, return_exceptions=True)
    for each in found:
        if isinstance(each, BaseException):
            raise each
    return [each for each in found if not isinstance(each, BaseException)]


def _stays(row: ThreadRow, agent: AgentDefinition, outcome: Outcome, why: str) -> Migration:
    return Migration(row.thread, outcome, (why,), row.flow_hash, agent.flow.hash, _node(row))


def _node(row: ThreadRow) -> str:
    return str((row.waiting_for or {}).get("node", ""))


def _migration(
    row: ThreadRow, state: ThreadState, agent: AgentDefinition, plan: Plan, lacks: tuple[str, ...] = ()
) -> Migration:
    node = state.at.node if state.position is not None else ""
    to = plan.state.at.node if plan.outcome in ("carry", "move") else ""
    reasons = plan.reasons or ("its position and answers fit",)
    return Migration(row.thread, plan.outcome, reasons, state.flow_hash, agent.flow.hash, node, to, lacks)
