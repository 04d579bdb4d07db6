"""One turn while it runs: the data that its steps share, the open resources of a session, and the record of a step."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from graphwright.engine._migration import Plan
from graphwright.engine._replaced import replaced
from graphwright.engine.events import OutcomeDecided, Prompted, Said, TraceEvent, TurnStarted
from graphwright.engine.host_interface import Facts, KnownOutcome, TurnMemory, ValidatorFailed, safe_message
from graphwright.engine.state import ThreadState, blob_key
from graphwright.errors import GraphwrightError, exception_text
from graphwright.flow.compiled import Action, Question
from graphwright.host._actions import place_in
from graphwright.host._turn import Event, TurnError, TurnUsage
from graphwright.host.transcript import title_from
from graphwright.store._errors import StoreError
from graphwright.store.rows import seconds_between

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright.host._definition import AgentDefinition
    from graphwright.models import ModelCall
    from graphwright.store import Role, Store, ThreadChanges, ThreadStatus, TurnWork


T = TypeVar("T")

CLOSING = 10.0
"""Seconds that a thing may take to close; then it is given up."""


class Handles:
    """Resources by name, opened at the first use and closed with the session.

    Each is opened and closed in its own task, because many context managers must be exited by the task that entered
    them, and the task of the first use may have ended before the session does.
    """

    def __init__(self) -> None:
        self._held: dict[str, tuple[asyncio.Future[Any], asyncio.Event, asyncio.Task[None]]] = {}

    async def get(self, name: str, make: Callable[[], AbstractAsyncContextManager[T]]) -> T:
        """The open resource `name`. The first call enters the context manager that `make` returns.

        Raises the errors of entering it; the next call tries again.
        """
        if name not in self._held:
            future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            over = asyncio.Event()
            task = asyncio.create_task(_hold(make(), future, over), name=f"handle {name}")
            self._held[name] = future, over, task
        held = self._held[name]
        try:
            value: T = await asyncio.shield(held[0])
        except BaseException:
            if held[0].done() and self._held.get(name) is held:
                del self._held[name]
            raise
        return value

    async def close(self) -> None:
        """Close everything in reverse order of opening. A failure of one is logged and keeps no other from closing."""
        while self._held:
            name, (opened, over, task) = self._held.popitem()
            over.set()
            if not opened.done():
                # Nobody waits any more for what has not opened yet.
                task.cancel()
            done, _ = await asyncio.wait({task}, timeout=CLOSING)
            if not done:
                task.cancel()
                await asyncio.wait({task}, timeout=1)
                logging.getLogger("graphwright").warning("%s did not close within %g s", name, CLOSING)
            elif not task.cancelled() and (error := task.exception()) is not None:
                logging.getLogger("graphwright").warning("%s did not close well: %s", name, exception_text(error))
            if opened.done() and not opened.cancelled():
                # Marks the exception as retrieved: no caller is left to receive it.
                opened.exception()


async def _hold(manager: AbstractAsyncContextManager[Any], opened: asyncio.Future[Any], over: asyncio.Event) -> None:
    try:
        async with manager as value:
            if not opened.done():
                opened.set_result(value)
            await over.wait()
    except BaseException as error:
        if opened.done():
            raise
        if isinstance(error, asyncio.CancelledError):
            opened.cancel()
        else:
            opened.set_exception(error)


@dataclass(slots=True)
class TurnRun:
    """The state of a turn while it runs. It is not stored.

    `address` is the path or name of the agent. `events` are the events of the turn so far, including those before a
    crash; `records` are those of its steps. `began` and `ended` are the times of the first and the last event.
    `load_model` returns the chat model and loads it at the first call, so that a turn without model calls does not wait
    for it; `without_model`: the model is `none`. `steps` counts the actions of the turn. `handles` are those of the
    session. `known_visit` is the last visit that the store may have an outcome of. `plan` is that of a thread that
    carries over to the flow of `agent`.
    """

    agent: AgentDefinition
    address: str
    store: Store
    work: TurnWork
    thread: str
    now: datetime
    load_model: Callable[[], BaseChatModel]
    token: str
    without_model: bool = False
    on_event: Callable[[Event], None] | None = None
    handles: Handles = field(default_factory=Handles)
    events: list[TraceEvent] = field(default_factory=list)
    records: list[StepRecord] = field(default_factory=list)
    usage: TurnUsage = field(default_factory=TurnUsage)
    error: TurnError | None = None
    exception: BaseException | None = None
    blobs: dict[str, Any] = field(default_factory=dict)
    steps: int = 0
    known_visit: int = 0
    memory: TurnMemory = field(default_factory=TurnMemory)
    plan: Plan | None = None
    unread: str = ""
    began: str = ""
    ended: str = ""
    unsaved: Exception | None = None

    @property
    def seconds(self) -> float:
        """How long the turn took, from its first event to its last."""
        return seconds_between(self.began, self.ended) if self.began else 0.0

    async def save(self) -> None:
        """Store the turn so far, before an action or a model is called.

        An error of the store ends the turn like an interruption; it is not a failure of the flow.
        """
        try:
            await self.work.flush()
            # It may have been written just before the connection was lost; another process may do what comes next.
            self.work.require_lease()
        except Exception as error:
            self.unsaved = error
            raise

    def model_called(self, call: ModelCall) -> None:
        """Count one model call."""
        self.usage = replace(
            self.usage,
            model_calls=self.usage.model_calls + 1,
            input_tokens=self.usage.input_tokens + call.input_tokens,
            output_tokens=self.usage.output_tokens + call.output_tokens,
        )


@dataclass(slots=True)
class StepRecord:
    """The events of a step with their times, noted at its end for the turn's next transaction.

    `first_event` and `first_message` are the numbers of the first event and the first message of the step.
    """

    run: TurnRun
    first_event: int
    first_message: int
    events: list[TraceEvent] = field(default_factory=list)
    times: list[str] = field(default_factory=list)

    def emit(self, *events: TraceEvent) -> None:
        """Record events with the present time, and pass them to the listener."""
        if not events:
            return
        self.events += events
        self.times += [self.run.work.time()] * len(events)
        if self.run.on_event is not None:
            for event in events:
                self.run.on_event(event)

    def update(self, events: Sequence[TraceEvent]) -> None:
        """Record the events of another run of the step. Known events keep their times and are not sent again."""
        before, times = self.events, self.times
        self.events, self.times = [], []
        place, new = 0, []
        for event in events:
            known = next((at for at in range(place, len(before)) if before[at] == event), None)
            if known is None:
                new.append(event)
                continue
            self.emit(*new)
            new.clear()
            self.events.append(event)
            self.times.append(times[known])
            place = known + 1
        self.emit(*new)

    def finish(self, state: ThreadState, *, status: ThreadStatus, opening: str = "") -> ThreadState:
        """Note the step, and give the state that the next step begins with.

        `opening` is a message of the user that precedes all others of the step.
        """
        run = self.run
        # An event and its message have one time: messages are assigned to turns by their times.
        said: list[tuple[Role, str, str]] = [("user", opening, self.times[0])] if opening else []
        for event, time in zip(self.events, self.times, strict=True):
            if isinstance(event, TurnStarted) and event.message is not None:
                said.append(("user", event.message, time))
            elif isinstance(event, Said | Prompted) and event.text:
                said.append(("assistant", event.text, time))
        after = self.first_event + len(self.events)
        if any(isinstance(event, TurnStarted) for event in self.events):
            state = replaced(state, turn_seq=self.first_event)
        for event in self.events:
            if isinstance(event, OutcomeDecided) and event.decision == "done":
                run.work.note_outcome(event.visit, event.node, "done", 0)
        state = replaced(state, seq=after, messages=self.first_message + len(said))
        saved = state.to_json()
        changes: ThreadChanges = {
            "agent": run.address,
            "flow_id": run.agent.flow.id,
            "flow_hash": state.flow_hash,
            "status": status,
            "waiting_for": saved.get("waiting"),
            "position": saved.get("position"),
            "turns": state.turn,
        }
        waits = run.work.row.waiting_for if run.work.row is not None else None
        if title := title_from(run.agent.flow, self.events, waits, state.language):
            # The store keeps the first one.
            changes["title"] = title
        run.work.note_step(
            visit=state.visit,
            first_event=self.first_event,
            events=[event.to_json() for event in self.events],
            first_message=self.first_message,
            messages=[(role, text) for role, text, _ in said],
            changes=changes,
            state=saved,
            event_times=self.times,
            message_times=[time for _, _, time in said],
        )
        run.events += self.events
        run.began, run.ended = run.began or self.times[0], self.times[-1]
        return state


def facts_of(run: TurnRun, outcome: KnownOutcome | None = None) -> Facts:
    """The facts for a step of the turn. `outcome` is the stored outcome of the next visit."""
    row = run.work.row
    return Facts(
        flow=run.agent.flow,
        thread=run.thread,
        now=run.now.astimezone(),
        token=run.token,
        check=partial(run_validator, run.agent),
        memory=run.memory,
        contents=run.blobs,
        without_model=run.without_model,
        tries_again=row is not None and row.status == "failed",
        outcome=outcome,
        performed=run.steps,
        earlier=run.events,
        migration=run.plan.events if run.plan is not None else (),
        asks_again=run.plan is not None and run.plan.asks_again,
    )


def run_validator(agent: AgentDefinition, question: Question, value: Any) -> bool:
    """Whether the validator of a question accepts a value. A programming error in it is logged for the author."""
    validator = agent.validator(question.validator)
    try:
        return bool(validator(value))
    except GraphwrightError:
        raise
    except (Exception, SystemExit) as error:
        place = place_in(error, agent.folder)
        where = f" ({place})" if place else ""
        logging.getLogger("graphwright").error(
            "Validator %r of question %r failed: %s%s", question.validator, question.id, safe_message(error), where
        )
        raise ValidatorFailed(exception_text(error)) from error


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
        spec = agent.actions.get(node.function) if isinstance(node, Action) else None
        names |= {*spec.reads, *spec.writes} if spec is not None else set()
        if isinstance(node, Action) and node.map is not None:
            names |= set(flow.channels)
    if performing or state.waits_for("confirm"):
        actions = (node for node in flow.nodes.values() if isinstance(node, Action) and node.confirm is not None)
        names |= {name for node in actions if node.confirm is not None for name in node.confirm.over}
    return names | set(state.channels) if state.flow_hash not in ("", flow.hash) else names


async def fetched(store: Store, state: ThreadState, names: Iterable[str]) -> dict[str, Any]:
    """The contents of those of the named channels that are large and written, from the store."""
    return {name: await store.blobs.get(key) for name in names if (key := blob_key(state.channels.get(name)))}
