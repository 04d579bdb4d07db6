"""Runs: each turn is a task, whose events go to listeners immediately and to the store in batches.

A run continues if its listener disconnects. A listener that reconnects reads on from its last event: from memory if
this worker runs the turn, otherwise from the store. A run of another worker is cancelled through a request in the
store. The message of a run is stored in the transaction that inserts the run. If a worker dies, another worker adopts
its runs within two seconds, or the next one that starts: it finishes the turn, under the same run.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from graphwright import GraphwrightError, Session, Turn, UsageError
from graphwright.store import KeyReused, LeaseTimeout, RunEvent, RunRow, RunStatus, StoreError, ThreadBusy
from graphwright_server._agents import OpenSessions
from graphwright_server._approvals import WINDOW, ApprovalWatch, described
from graphwright_server._dev import with_traceback
from graphwright_server._problems import problem, problem_of, status_of, unexpected
from graphwright_server._shown import event_json, turn_json
from graphwright_server.access.principal import Principal, not_found

if TYPE_CHECKING:
    from graphwright import Agent, CompiledFlow, Workspace
    from graphwright.store import AcceptedRow, AuditEntry, ThreadRow
    from graphwright_server._agents import Agents

logger = logging.getLogger("graphwright.server")

HEARTBEAT = 15.0
"""Seconds of silence after which a listener gets a comment."""

ACCEPTED = 2.0
"""Seconds to wait for an immediate refusal of a new run."""

_BATCH = 0.5
_LOOK = 0.5
_TIMEOUT_SECONDS = 5.0
_SWEEP = 1.0
_PLACE = 30.0
_GAP = 1000
"""Event numbers that are skipped when a run is adopted: a listener may have received events that were not stored."""

MOST_LEFT = 3
"""Maximum number of workers that may die during a run before it fails."""

_LEAVING = ("lease_lost", "unreachable")
_AGAIN = (0.2, 1.0, 3.0, 10.0, 30.0)

LISTENER_WAITS = 60.0
"""Seconds that a listener waits for an unreachable store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A turn to run: a message, or a value for the pending question, or neither, to begin.

    `approves` is the hash of what a yes approves; without it a yes is not accepted.
    """

    thread: str
    message: str | None = None
    value: Any = None
    has_value: bool = False
    files: tuple[Path, ...] = ()
    approves: str = ""
    door: str = "api"

    def accepted(self) -> dict[str, Any]:
        """Return the order as JSON, to be stored with its run. Raises UsageError if no turn could accept it."""
        value = {"value": self.value, "has_value": self.has_value}
        return Session.accepted(self.message, self.files, **value, approves=self.approves)


_Deliver = Callable[["Session", Callable[[Any], None]], Awaitable["Turn | RunEvent | None"]]
"""Runs the turn of a run in a session; the function receives its events. Returns the turn, the last event of a run that
failed, or None if another worker has the run."""


@dataclass(slots=True)
class _Live:
    """A run of this worker whose end is not stored yet.

    The numbers of its events begin after `before`; `left` means that another worker continues it from the store.
    `audit_again` means that the store may have some of `audit` already.
    """

    row: RunRow
    watch: ApprovalWatch
    before: int = 0
    left: bool = False
    events: list[RunEvent] = field(default_factory=list)
    audit: list[AuditEntry] = field(default_factory=list)
    audit_again: bool = False
    written: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: bool = False
    ending: bool = False
    over: bool = False
    task: asyncio.Task[None] | None = None
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def adopted(self) -> bool:
        return self.before > 0

    def notify(self, kind: str, data: Any) -> None:
        self.events.append((kind, data))
        self.changed.set()
        self.changed = asyncio.Event()

    def cancel(self) -> None:
        # The end must be stored and sent, even if the user cancels twice.
        if self.task is not None and not self.ending and not self.cancelled:
            self.cancelled = True
            self.task.cancel()


class Runs:
    """The runs of this worker. Use it as an async context manager."""

    def __init__(
        self,
        workspace: Workspace,
        agents: Agents,
        ended: Callable[[str, float], None],
        *,
        tracebacks: bool = False,
        models: Sequence[str] = (),
    ) -> None:
        """`ended` is called with the status of each run that ended, and its duration in seconds.

        `tracebacks`: the error of a failed turn has that of the agent's Python. `models` may be chosen for a thread.
        """
        self._tracebacks = tracebacks
        self._workspace = workspace
        self._rows = workspace.store.runs
        self._agents = agents
        self._ended = ended
        self._worker = secrets.token_hex(8)
        self._live: dict[str, _Live] = {}
        self._starting: set[str] = set()
        self._stack = AsyncExitStack()
        self.sessions = OpenSessions(workspace, models=models)
        """The sessions of the threads, which stay open between turns."""
        self._tasks: list[asyncio.Task[None]] = []
        self._place = AsyncExitStack()
        self._writing: set[asyncio.Task[None]] = set()
        self._closing = False

    async def __aenter__(self) -> Runs:
        await self._take_place()
        await self._stack.enter_async_context(self.sessions)
        await self._sweep_once()
        self._tasks = [asyncio.create_task(work()) for work in (self._write_in_batches, self._sweep_again)]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        tasks = [live.task for live in self._live.values() if live.task is not None]
        if tasks:
            _done, late = await asyncio.wait(tasks, timeout=_TIMEOUT_SECONDS)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=_TIMEOUT_SECONDS)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stack.aclose()
        await self._place.aclose()

    # Starting runs

    async def start(
        self, order: Order, thread: ThreadRow, principal: Principal, *, key: str = "", request: str = ""
    ) -> RunRow:
        """Start a run of a thread that the principal owns, or return the run that began under the same key.

        Raises immediate refusals as UsageError: `thread_busy`, `nothing_waits`, `approval_changed`, `version_missing`,
        `action_missing`, `key_reused` and others.
        """
        accepted = order.accepted()
        agent = await self._agents.of(thread.agent)
        run = secrets.token_hex(8)
        # Between its row in the store and its task, the run must not look abandoned.
        self._starting.add(run)
        try:
            row = await self._begin(run, order.thread, principal.user, accepted, key, request)
            if row.id != run:
                return row
            flow = await self._workspace.flow_of(agent, thread)
            live = self._live[run] = _Live(row, self._watch(run, order, thread, principal, flow))
        finally:
            self._starting.discard(run)

        async def deliver(session: Session, hear: Callable[[Any], None]) -> Turn | None:
            # If this worker seemed dead, another one may have the run: it takes it while it holds the thread.
            return await session.deliver(
                accepted,
                claim=lambda: self._rows.owned(run, self._worker),
                is_stopped=lambda: live.cancelled,
                on_event=hear,
            )

        live.task = asyncio.create_task(self._serve(live, order, thread, agent, deliver), name=f"run {run}")
        await self._first_event(live)
        if live.events and live.events[0][0] == "run_failed":
            told = live.events[0][1]
            if told["status"] < 500:
                raise UsageError(told["code"], told["detail"], told["hint"])
        return live.row

    def _watch(
        self, run: str, order: Order, thread: ThreadRow, principal: Principal, flow: CompiledFlow
    ) -> ApprovalWatch:
        waiting = thread.waiting_for if thread.status == "waiting" and thread.waiting_for else {}
        node = waiting["node"] if waiting.get("kind") == "confirm" else ""
        return ApprovalWatch(
            principal,
            door=order.door,
            run=run,
            agent=self._agents.name(thread.agent),
            thread=order.thread,
            waiting=node,
            actions=[action.id for action in flow.confirmed_by(node)],
            content=order.approves,
        )

    async def has_key(self, principal: Principal, key: str) -> bool:
        """Return whether the principal already used this idempotency key: the request is a repetition."""
        return await self._rows.has_key(principal.user, key)

    async def _begin(
        self, run: str, thread: str, user: str, accepted: dict[str, Any], key: str, request: str
    ) -> RunRow:
        for attempt in (1, 2):
            try:
                return await self._rows.begin(run, thread, user, self._worker, accepted, key, request)
            except KeyReused:
                hint = "Choose another key for another request."
                raise UsageError("key_reused", "This Idempotency-Key was used for another request.", hint) from None
            except ThreadBusy as busy:
                if attempt == 2 or not await self._end_dead_run(busy.run):
                    raise _busy(busy.run) from None
        raise AssertionError("the second attempt returns or raises")

    async def _first_event(self, live: _Live) -> None:
        """Wait a moment until the run has an event, or is left to another worker."""
        with suppress(TimeoutError):
            async with asyncio.timeout(ACCEPTED):
                while not live.events and not live.over:
                    await live.changed.wait()

    # Reading runs

    async def get(self, run: str) -> RunRow:
        """Return a run. Raises AccessError (`not_found`)."""
        live = self._live.get(run)
        row = live.row if live is not None else await self._rows.get(run)
        if row is None:
            raise not_found("run")
        if row.status == "running" and live is None and await self._end_dead_run(row):
            row = await self._rows.get(run) or row
        return row

    async def latest(self, thread: str) -> RunRow | None:
        """Return the last run of a thread, or None."""
        row = await self._rows.latest(thread)
        return await self.get(row.id) if row is not None else None

    async def listen(self, run: str, after: int = 0) -> AsyncIterator[list[tuple[int, RunEvent]]]:
        """Yield the events of a run with numbers above `after`, counted from 1, in batches; an empty list after a long
        silence.

        It ends after the last event. No queue is kept for a listener, so a slow one delays no other. While the store is
        unreachable the listener waits; after a minute the events end, and the listener may continue from the last one.
        """
        lost = 0.0
        while True:
            try:
                async for each in self._event_batches(run, after):
                    after, lost = each[-1][0] if each else after, 0.0
                    yield each
                return
            except StoreError as error:
                if error.code not in _LEAVING:
                    raise
                lost = lost or time.monotonic()
                if time.monotonic() - lost > LISTENER_WAITS:
                    return
            yield []
            await asyncio.sleep(_AGAIN[0])

    async def _event_batches(self, run: str, after: int) -> AsyncIterator[list[tuple[int, RunEvent]]]:
        live = self._live.get(run)
        if live is not None:
            async for each in self._of_this_worker(live, after):
                after = each[-1][0] if each else after
                yield each
        if live is None or live.left:
            async for each in self._of_the_store(run, after):
                yield each

    async def _of_this_worker(self, live: _Live, after: int) -> AsyncIterator[list[tuple[int, RunEvent]]]:
        if after < live.before:
            earlier = [each for each in await self._rows.events(live.row.id, after) if each[0] <= live.before]
            if earlier:
                yield earlier
        heard = max(after - live.before, 0)
        while True:
            changed, over = live.changed, live.over
            if heard < len(live.events):
                fresh = list(enumerate(live.events[heard:], live.before + heard + 1))
                heard = len(live.events)
                yield fresh
            elif over:
                return
            elif not await _set(changed, HEARTBEAT):
                yield []

    async def _of_the_store(self, run: str, after: int) -> AsyncIterator[list[tuple[int, RunEvent]]]:
        """Yield the events of a run that has ended, or that another worker runs, as they are stored."""
        heard = time.monotonic()
        async with self._rows.watch(run) as changed:
            while True:
                # Read the row first: events that are stored before the run ends are then among the events.
                row = await self.get(run)
                if fresh := await self._rows.events(run, after):
                    after, heard = fresh[-1][0], time.monotonic()
                    yield fresh
                if row.status != "running":
                    kept = await self._rows.events(run)
                    # The events of an old run are deleted, and a listener of an interrupted run may have received more
                    # events than were stored. The last event is sent in both cases.
                    if row.last is not None and (not kept or kept[-1][0] < after):
                        yield [(after + 1, (row.last[0], row.last[1]))]
                    return
                await changed(HEARTBEAT)
                if time.monotonic() - heard >= HEARTBEAT:
                    heard = time.monotonic()
                    yield []

    @property
    def running(self) -> int:
        """The number of turns that this worker runs."""
        return sum(not live.over for live in self._live.values())

    def at_work(self, thread: str) -> bool:
        """Return whether this worker runs a turn of the thread."""
        return any(live.row.thread == thread and not live.over for live in self._live.values())

    async def running_of(self, user: str) -> int:
        """Return the number of a user's running turns, of all workers."""
        rows = await self._rows.running(user)
        return len([row for row in rows if not await self._end_dead_run(row)])

    # Ending runs

    async def cancel(self, run: str) -> RunRow:
        """Cancel a run and wait until it has ended. Committed changes stay. A run that has ended does not change."""
        live = self._live.get(run)
        if live is None or live.task is None:
            return await self._cancelled_elsewhere(run)
        live.cancel()
        await asyncio.wait({live.task}, timeout=_TIMEOUT_SECONDS)
        return live.row

    async def _cancelled_elsewhere(self, run: str) -> RunRow:
        """Ask the worker of a run to cancel it, and wait a few seconds for the end."""
        row = await self.get(run)
        if row.status == "running":
            await self._rows.ask_to_cancel(run)
        for _ in range(int(_TIMEOUT_SECONDS / _LOOK)):
            if row.status != "running":
                break
            await asyncio.sleep(_LOOK)
            row = await self.get(run)
        return row

    async def _serve(self, live: _Live, order: Order, thread: ThreadRow, agent: Agent, deliver: _Deliver) -> None:
        began = time.perf_counter()
        status: RunStatus
        try:
            end = await self._turn(live, thread, agent, deliver)
            if end is None:
                return await self._leave(live)
            status, last = end
        except asyncio.CancelledError:
            live.ending = True
            if live.cancelled:
                told = {"type": "run_cancelled", "run": live.row.id, **await self._left_unread(order, thread)}
                status, last = "cancelled", ("run_cancelled", told)
            else:
                # The service shuts down: another worker, or the next start of the service, continues the run.
                return await self._leave(live)
        except GraphwrightError as error:
            if error.code in _LEAVING:
                logger.warning("run %s of thread %s continues: %s", live.row.id, order.thread, error)
                return await self._leave(live)
            if live.adopted and isinstance(error, LeaseTimeout):
                # Its worker is alive, and serves it.
                return await self._leave(live)
            if error.code == "approval_changed":
                live.audit.append(replace(live.watch.refused(order.approves), time=self._workspace.store.time()))
            unread = await self._left_unread(order, thread) if live.adopted else {}
            status, last = "failed", ("run_failed", {**problem_of(error, live.row.id), **unread})
            if status_of(error) >= 500:
                logger.warning("run %s of thread %s: %s", live.row.id, order.thread, error)
        except Exception:
            logger.exception("run %s of thread %s", live.row.id, order.thread)
            status, last = "failed", ("run_failed", unexpected(live.row.id))
        live.ending = True
        await self._end(live, status, last)
        self._ended(status, time.perf_counter() - began)

    async def _turn(
        self, live: _Live, thread: ThreadRow, agent: Agent, deliver: _Deliver
    ) -> tuple[RunStatus, RunEvent] | None:
        """Run the turn. Returns its status and its last event, or None if another worker has the run."""

        def hear(event: Any) -> None:
            data = event.to_json()
            now = self._workspace.store.time()
            approvals = [replace(entry, time=now) for entry in live.watch.see(data)]
            live.notify(data["type"], event_json(data))
            if approvals:
                # The write starts now: the approval is on disk before the action, which is reported to the store next,
                # begins.
                task = asyncio.create_task(
                    self._written(live, approvals, self._workspace.store.access.audit.add(approvals))
                )
                self._writing.add(task)
                task.add_done_callback(self._writing.discard)

        async with self.sessions.session_for(agent, thread.thread, thread.model) as session:
            turn = await deliver(session, hear)
            if isinstance(turn, Turn):
                return await self._ended_turn(session, turn)
            return ("failed", turn) if turn is not None else None

    async def _ended_turn(self, session: Session, turn: Turn) -> tuple[RunStatus, RunEvent]:
        """Return the status and the last event of a turn, with what a yes would approve if it waits for one."""
        if self._tracebacks:
            turn = with_traceback(turn, session.agent.folder)
        elif turn.error is not None and turn.error.code in ("action_failed", "internal"):
            logger.error("a turn of thread %s failed: %s", session.thread, turn.error.message)
        approval = None
        if turn.waiting_for is not None and turn.waiting_for.kind == "confirm":
            waits = (await session.state())["waiting_for"] or {}
            if "approval" in waits:
                messages = await self._workspace.messages(session.thread, limit=WINDOW)
                approval = described(waits["approval"], messages, session.agent.address)
        return turn.status, ("turn_ended", turn_json(turn, approval))

    async def _left_unread(self, order: Order, before: ThreadRow) -> dict[str, str]:
        """Return the message of a cancelled turn as `unread` if the turn stored nothing: it must be sent again."""
        with suppress(GraphwrightError):
            now = await self._workspace.thread(order.thread)
            left = now.updated != before.updated or await self._workspace.pending_message(order.thread) is not None
            if order.message is not None and not left:
                return {"unread": order.message}
        return {}

    async def _end(self, live: _Live, status: RunStatus, last: RunEvent) -> None:
        """Store the end, then send it: after it, a listener may send the next message immediately."""
        ended = replace(live.row, status=status, last=list(last), updated=self._workspace.store.time())
        try:
            if not await self._write(live, last, status) and await self._rows.get(live.row.id) is not None:
                return await self._leave(live)
            written = True
        except StoreError as error:
            logger.warning("the end of run %s cannot be written yet: %s", live.row.id, error)
            written = False
        live.row = ended
        live.over = True
        live.notify(*last)
        if written:
            self._live.pop(live.row.id, None)
        else:
            live.task = asyncio.create_task(self._write_later(live, status))

    async def _write(self, live: _Live, last: RunEvent | None = None, status: RunStatus | None = None) -> bool:
        """Store what is not stored yet. Return False if the run is not, or no longer, one of this worker."""
        async with live.writing:
            if live.audit:
                audit, live.audit = live.audit, []
                try:
                    await self._workspace.store.access.audit.add(audit, again=live.audit_again)
                except BaseException:
                    # It may have been stored all the same.
                    live.audit, live.audit_again = audit + live.audit, True
                    raise
                live.audit_again = bool(live.audit) and live.audit_again
            events = live.events[live.written :] + ([last] if last is not None else [])
            if not events:
                return True
            first = live.before + live.written + 1
            ours = await self._rows.write(live.row.id, self._worker, first, events, status)
            live.written += len(events)
            return ours

    async def _written(self, live: _Live, approvals: list[AuditEntry], writing: Awaitable[None]) -> None:
        try:
            await writing
        except StoreError:
            # They are stored with the next batch, or at the end, unless they are stored already.
            live.audit += approvals
            live.audit_again = True

    async def _write_now(self, live: _Live) -> None:
        # If the store is not available now, the events are stored with the next batch, or at the end.
        with suppress(StoreError):
            await self._write(live)

    async def _write_later(self, live: _Live, status: RunStatus) -> None:
        """Store the end of a run later: it stays in memory until the store accepts it, or the service shuts down."""
        for pause in (*_AGAIN, *[60.0] * 60):
            await asyncio.sleep(0 if self._closing else pause)
            try:
                await self._write(live, None, status)
                break
            except StoreError:
                if self._closing:
                    break
        self._live.pop(live.row.id, None)

    async def _write_in_batches(self) -> None:
        while True:
            await asyncio.sleep(_BATCH)
            for live in list(self._live.values()):
                if live.over or (live.written == len(live.events) and not live.audit):
                    continue
                await self._write_now(live)
            if self._live:
                await self._cancel_what_others_asked()

    async def _cancel_what_others_asked(self) -> None:
        with suppress(StoreError):
            for run in await self._rows.to_cancel(self._worker):
                if run in self._live:
                    self._live[run].cancel()

    # Runs of dead workers

    async def _take_place(self) -> None:
        """Hold the lease of this worker while it lives: the store releases it when the worker dies."""
        await self._place.aclose()
        self._place = AsyncExitStack()
        await self._place.enter_async_context(self._workspace.store.lease(_place(self._worker), timeout_seconds=_PLACE))

    async def _sweep_again(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP)
            await self._sweep_once()

    async def _sweep_once(self) -> None:
        try:
            await self._sweep()
        except StoreError as error:
            logger.warning("runs of dead workers cannot be looked for: %s", error)

    async def _sweep(self) -> None:
        """Take over the runs whose worker has died."""
        rows = [row for row in await self._rows.running() if row.id not in self._live]
        places = {_place(row.worker) for row in rows} | {_place(self._worker)}
        held = await self._workspace.store.leased(places)
        if _place(self._worker) not in held:
            # A lost connection also lost the lease.
            await self._take_place()
        for row in rows:
            if row.worker == self._worker or _place(row.worker) not in held:
                await self._end_dead_run(row)

    async def _leave(self, live: _Live) -> None:
        """Abandon a run that this worker cannot finish, as if the worker had died."""
        await self._write_now(live)
        live.left = live.over = True
        self._live.pop(live.row.id, None)
        live.changed.set()

    async def _end_dead_run(self, row: RunRow) -> bool:
        """End a run whose worker has died, or adopt it. Return False if it is still running, here or elsewhere."""
        live = self._live.get(row.id)
        if row.id in self._starting or (live is not None and not live.over):
            return False
        if live is not None:
            return await self._rows.end_dead_run(row.id, live.row.status, tuple(live.row.last))
        if row.worker != self._worker and await self._workspace.store.leased([_place(row.worker)]):
            return False
        if self._closing:
            return False
        self._starting.add(row.id)
        try:
            found = await self._rows.accepted(row.id)
            if found is None:
                return await self._rows.end_dead_run(row.id, "failed", _interrupted(row.id))
            return await self._adopt(row, found)
        finally:
            self._starting.discard(row.id)

    async def _adopt(self, row: RunRow, found: AcceptedRow) -> bool:
        """Finish the turn of a run whose worker has died, or seems to have died. Return whether the run has ended."""
        said, approves = found.message["said"], found.message["inbox"].get("approves") or ""
        unread = {"unread": said} if said is not None else {}
        order = Order(thread=row.thread, message=said, approves=approves)
        try:
            thread = await self._workspace.thread(row.thread)
            agent = await self._agents.of(thread.agent)
        except StoreError:
            raise
        except GraphwrightError as error:
            last = "run_failed", {**problem_of(error, row.id), **unread}
            return await self._rows.end_dead_run(row.id, "failed", last)
        flow = await self._workspace.flow_of(agent, thread)
        watch = self._watch(row.id, order, thread, Principal(row.owner, "user"), flow)
        earlier = await self._rows.events(row.id)
        before = (earlier[-1][0] if earlier else 0) + _GAP
        live = self._live[row.id] = _Live(replace(row, worker=self._worker), watch, before=before)

        async def claim() -> bool:
            # Awaited while this worker holds the thread: a worker that only seemed dead is not in the middle of it.
            if not await self._rows.adopt(row.id, row.worker, found.left, self._worker):
                return False
            store = self._workspace.store
            began = await store.events.of_type(row.thread, "turn_started")
            # The other worker sent and audited every event of the turn before storing it.
            for each in await store.events.read(row.thread, began[-1].seq) if began else ():
                watch.see(each.event)
            watch.know(await store.access.audit.page(WINDOW, thread=row.thread))
            return True

        async def deliver(session: Session, hear: Callable[[Any], None]) -> Turn | RunEvent | None:
            fate = await session.deliver_again(
                found.message,
                turn=found.turn,
                interrupted=found.interrupted,
                claim=claim,
                finish=found.left < MOST_LEFT,
                on_event=hear,
            )
            if isinstance(fate, Turn) or fate == "taken":
                return fate if isinstance(fate, Turn) else None
            return _interrupted(row.id, unread if fate == "unread" else {})

        live.task = asyncio.create_task(self._serve(live, order, thread, agent, deliver), name=f"run {row.id}")
        await self._first_event(live)
        return live.over and not live.left


def _place(worker: str) -> str:
    # No thread can have this id.
    return f"\0worker {worker}"


def _busy(run: RunRow) -> UsageError:
    message = f"A turn of thread {run.thread!r} is under way (run {run.id})."
    return UsageError("thread_busy", message, "Wait until it has ended, or cancel it.")


def _interrupted(run: str, unread: Mapping[str, Any] = MappingProxyType({})) -> RunEvent:
    """Return the last event of an interrupted run; `unread` holds the message if no turn has read it or will."""
    hint = "The message is kept: send {} to /turns, or the next message, and the turn is finished."
    if unread:
        hint = "An earlier turn had to be finished first, and the message was not read: send it again."
    found = problem(503, "interrupted", "The service ended in the middle of this turn.", hint, run)
    return "run_failed", {**found, **unread}


async def _set(event: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()
