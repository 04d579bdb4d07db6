"""Nodes with `map`: the items of a list run concurrently, up to a limit, and each is done once, also after a crash.

The outcome of each item is stored as soon as it is done. An interrupted or failed turn continues with the others.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from graphwright.engine._advance import Perform as Due
from graphwright.engine._advance import Stuck, advance
from graphwright.engine._position import Frame, Position, lookup, view
from graphwright.engine._walk import FlowStuck
from graphwright.engine.events import ActionFailed, ActionFinished, ActionStarted, NodeEntered, TraceEvent
from graphwright.engine.host_interface import (
    ActionContractError,
    ActionError,
    InDoubt,
    Perform,
    Performed,
    TimedOut,
    loaded,
    safe_message,
)
from graphwright.engine.state import ThreadState, blob_key, content_hash
from graphwright.errors import GraphwrightError
from graphwright.flow._dependencies import signature_of
from graphwright.flow.compiled import Action, CompiledFlow, Map
from graphwright.host._action_calls import MAX_BACKOFF, call, log_failure, place_of_error, written
from graphwright.host._action_context import ActionContext, observed
from graphwright.host._actions import ActionSpec, OutcomeUnknown

if TYPE_CHECKING:
    from graphwright.host._run import StepRecord, TurnRun

MOST_ITEMS = 1000
"""The longest list that a node runs over."""


@dataclass(slots=True)
class _Item:
    """One item: its progress, values, texts, and the events of its run.

    `step` counts the actions that are done. `doing`: an action that must not be repeated was begun.
    """

    index: int
    value: Any
    position: Position
    channels: dict[str, Any] = field(default_factory=dict)
    step: int = 0
    doing: bool = False
    is_done: bool = False
    said: list[str] = field(default_factory=list)
    artifacts: list[dict[str, str]] = field(default_factory=list)
    recorded: list[str] = field(default_factory=list)
    events: list[TraceEvent] = field(default_factory=list)
    error: Exception | None = None

    @property
    def digest(self) -> str:
        return content_hash(self.value)

    def to_json(self) -> dict[str, Any]:
        return {
            "digest": self.digest,
            "position": self.position.to_json(),
            "channels": self.channels,
            "step": self.step,
            "doing": self.doing,
            "said": self.said,
            "artifacts": self.artifacts,
            **({"error": self.error.to_json()} if isinstance(self.error, ActionContractError) else {}),
        }

    def resume(self, stored: Mapping[str, Any], *, is_done: bool) -> None:
        """Continue where a stored run of the same value ended."""
        if stored.get("digest") != self.digest:
            return
        self.position = Position.from_json(stored["position"])
        self.channels, self.step = dict(stored["channels"]), stored["step"]
        self.said, self.artifacts = list(stored["said"]), list(stored["artifacts"])
        self.doing, self.is_done = stored["doing"], is_done


async def perform_items(log: StepRecord, state: ThreadState, command: Perform) -> Performed:
    """Perform a node for every item of its list that is not done yet.

    Raises InDoubt if the outcome of an item is unknown, and ActionError if an item failed and the node has no
    `on_error`. The results of the others are stored.
    """
    return await _Mapped(log, state, command).perform()


class _Mapped:
    def __init__(self, log: StepRecord, state: ThreadState, command: Perform) -> None:
        assert command.node.map is not None
        self.log = log
        self.run: TurnRun = log.run
        self.flow = log.run.agent.flow
        self.node = command.node
        self.map: Map = command.node.map
        self.visit = command.visit
        self.settled = command.settled
        self.known = command.content, command.confirmed
        self.repeats = log.run.memory.repeated == command.visit and not command.settled
        # Nothing is asked or computed again inside: that belongs to the conversation.
        self.state = replace(state, reopened={}, passed=(), sources={})
        self.saving = asyncio.Lock()

    async def perform(self) -> Performed:
        items = self._items()
        await self._resume(items)
        self.log.emit(ActionStarted(self.node.id, self.node.run, self.visit, 1))
        began = asyncio.get_running_loop().time()
        await self._save()
        gate = asyncio.Semaphore(self.map.at_once)
        with observed(self.log, self.node.id):
            tasks = [
                asyncio.create_task(self._run(item, gate)) for item in items if not item.is_done and item.error is None
            ]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        self._emit(items)
        doubt = next((item.error for item in items if isinstance(item.error, InDoubt)), None)
        if doubt is not None:
            raise doubt
        failed = [item for item in items if item.error is not None]
        error = self._failure(failed, len(items)) if failed else None
        if error is not None and not self.node.on_error:
            raise error
        values = written(self.run, self.state, self._spec(), self.node.id, await self._results(items))
        if error is None:
            seconds = round(asyncio.get_running_loop().time() - began, 4)
            recorded = tuple(dict.fromkeys(name for item in items for name in item.recorded))
            self.log.emit(ActionFinished(self.node.id, self.node.run, self.visit, 1, seconds, *self.known, recorded))
        said = tuple(text for item in items for text in item.said)
        return Performed(values, said, tuple(each for item in items for each in item.artifacts), error)

    def _items(self) -> list[_Item]:
        name, at = self.map.over, self.state.at
        values = view(self.flow, self._values(self.state), at.top.scopes)
        found = lookup(values, tuple(name.split(".")))[1]
        if not isinstance(found, list) or len(found) > MOST_ITEMS:
            what = f"has {len(found):,} items; {MOST_ITEMS:,} are allowed" if isinstance(found, list) else "is no list"
            raise self._refused(f"{self.node.id!r} was not performed: {name} {what}.")
        start = at
        if self.map.graph:
            inner = Frame(self.map.graph, self.flow.graphs[self.map.graph].entry, at.top.scopes)
            start = Position((*at.frames, inner))
        return [_Item(index, value, start, {self.map.item: value}) for index, value in enumerate(found)]

    def _refused(self, why: str) -> ActionError:
        """Record that no item can be performed."""
        self.log.emit(
            ActionStarted(self.node.id, self.node.run, self.visit, 1),
            ActionFailed(self.node.id, self.node.run, self.visit, 1, why, True),
        )
        if self.node.on_error:
            # The flow goes on, so no turn fails with this error.
            logging.getLogger("graphwright").error("%s", why)
        return ActionError("bad_list", why, f"Give it a list of at most {MOST_ITEMS:,} items.")

    async def _resume(self, items: Sequence[_Item]) -> None:
        """Continue what an earlier turn began under the same visit."""
        if self.visit > self.run.known_visit:
            return
        effects = signature_of(self.flow, self.node).effects
        for item in items:
            known = await self.run.store.outcomes.get(self.run.thread, self._number(item))
            if known is not None:
                item.resume(known.error or {}, is_done=known.status == "done")
            if known is not None and known.status == "broken" and effects:
                # The action returned, so its effects happened: it is not performed again.
                item.error = ActionContractError(**(known.error or {})["error"])
        wanted = {key for item in items for value in item.channels.values() if (key := blob_key(value))}
        for key in wanted - self.run.blobs.keys():
            self.run.blobs[key] = await self.run.store.blobs.get(key)

    def _number(self, item: _Item) -> int:
        """The number of the outcome of an item. Those of whole visits are positive."""
        return -(self.visit * MOST_ITEMS + item.index + 1)

    async def _note(self, item: _Item, status: Any) -> None:
        self.run.work.note_outcome(self._number(item), self.node.id, status, 1, item.to_json())
        await self._save()

    async def _save(self) -> None:
        async with self.saving:
            await self.run.save()

    async def _run(self, item: _Item, gate: asyncio.Semaphore) -> None:
        async with gate:
            try:
                if item.doing and not (self.repeats or self.settled):
                    raise InDoubt("I was interrupted", 1)
                if item.doing and self.settled:
                    item.position, item.step = item.position.completed(), item.step + 1
                if not (item.doing and self.settled) or self.map.graph:
                    await self._advance(item)
                item.doing, item.is_done = False, True
                await self._note(item, "done")
            except Exception as error:
                if error is self.run.unsaved:
                    raise
                item.error = error
                if not isinstance(error, InDoubt):
                    item.doing = False
                    await self._note(item, "broken" if isinstance(error, ActionContractError) else "raised")

    async def _advance(self, item: _Item) -> None:
        if not self.map.graph:
            await self._perform(item, self.node)
            return
        for _ in range(self.flow.max_actions):
            local = self._local(item)
            step = advance(flow_of_items(self.flow), item.position, self._values(local))
            outcome = step.outcome
            if isinstance(outcome, Due) and outcome.node is self.node:
                item.events += [e for e in step.events if not (isinstance(e, NodeEntered) and e.node == self.node.id)]
                return
            item.events += step.events
            if isinstance(outcome, Stuck):
                raise FlowStuck(outcome)
            if not isinstance(outcome, Due):
                raise ActionError("item_stopped", f"The item stopped at {outcome.node.id!r}.", "Lead it to __exit__.")
            item.position = outcome.position
            try:
                await self._perform(item, outcome.node)
                item.position = outcome.position.completed()
            except Exception as error:
                if isinstance(error, InDoubt | ActionContractError) or not outcome.node.on_error:
                    raise
                item.position = outcome.position.jump(outcome.node.on_error)
            item.step += 1
            await self._note(item, "started")
        raise ActionError(
            "endless_item", f"An item ran more than {self.flow.max_actions:,} actions.", "Correct the flow."
        )

    async def _perform(self, item: _Item, node: Action) -> None:
        """Perform one action for an item, with its retries."""
        spec = self.run.agent.action(node.function)
        for attempt in range(1, node.attempts + 1):
            if not spec.repeatable:
                item.doing = True
                await self._note(item, "started")
            key = f"{self.run.thread}:{self.state.born}:{self.visit}:{item.index}:{item.digest[:8]}"
            context = ActionContext(
                self.log,
                node.id,
                key if not self.map.graph else f"{key}:{item.step}",
                attempt,
                self.state.files,
                self.state.language,
                item.index,
            )
            came_back = False
            try:
                try:
                    returned = await call(self.run, self._local(item), spec, node, context)
                finally:
                    item.events += context.noted
                came_back = True
                item.channels |= written(self.run, self._local(item), spec, node.id, returned)
            except Exception as error:
                if (task := asyncio.current_task()) is not None and task.cancelling():
                    raise asyncio.CancelledError from error
                self._check_retry(item, node, spec, attempt, error, came_back=came_back)
                await asyncio.sleep(min(node.backoff * 2 ** (attempt - 1), MAX_BACKOFF))
                continue
            item.doing = False
            item.said += context.said
            item.artifacts += context.artifacts
            item.recorded += context.store.recorded
            return

    def _check_retry(
        self, item: _Item, node: Action, spec: ActionSpec, attempt: int, error: Exception, *, came_back: bool
    ) -> None:
        """Record a failed attempt; raise its error unless it is retried."""
        contract = isinstance(error, ActionContractError)
        final = attempt == node.attempts or contract
        said = f"Item {item.index + 1}: {safe_message(error)}"
        place = place_of_error(self.run.agent, node, error)
        item.events.append(ActionFailed(node.id, node.run, self.visit, attempt, said, final, place))
        if final:
            log_failure(node, error, place)
        unknown = isinstance(error, TimedOut | OutcomeUnknown) or came_back
        if unknown and not spec.repeatable and not contract:
            why = error.why if isinstance(error, OutcomeUnknown) else "The time limit was reached"
            raise InDoubt(f"Item {item.index + 1}: {why}", attempt) from error
        if final:
            raise error

    def _local(self, item: _Item) -> ThreadState:
        """The state as the run of an item sees it."""
        return replace(self.state, channels={**self.state.channels, **item.channels}, position=item.position)

    def _values(self, state: ThreadState) -> dict[str, Any]:
        return state.values(loaded(self.run.blobs, state, self.flow.channels))

    def _spec(self) -> ActionSpec:
        names = tuple(name for name in (self.map.into, self.map.errors) if name)
        return ActionSpec(self.node.run, (), names, _nothing)

    async def _results(self, items: Sequence[_Item]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.map.into:
            found[self.map.into] = [self._result(item) if item.error is None else None for item in items]
        if self.map.errors:
            failed = (item for item in items if item.error is not None)
            found[self.map.errors] = [{"index": item.index, "error": safe_message(item.error)} for item in failed]  # type: ignore[arg-type]
        return found

    def _result(self, item: _Item) -> Any:
        name = self.map.result
        if not name:
            writes = self.run.agent.action(self.node.function).writes
            name = writes[0] if len(writes) == 1 else ""
        value = item.channels.get(name)
        key = blob_key(value)
        return self.run.blobs[key] if key else value

    def _emit(self, items: Sequence[_Item]) -> None:
        """Record the events of the items in their order. If several items took the same way, it is recorded once."""
        ways: set[tuple[str, ...]] = set()
        for item in items:
            walked = [event for event in item.events if not isinstance(event, ActionFailed)]
            way = tuple(repr(event.to_json()) for event in walked if isinstance(event, NodeEntered))
            for event in item.events:
                if event not in walked or way not in ways:
                    self.log.emit(event)
            ways.add(way)

    def _failure(self, failed: Sequence[_Item], count: int) -> GraphwrightError:
        first = failed[0].error
        assert first is not None
        broken = next((item.error for item in failed if isinstance(item.error, ActionContractError)), None)
        if broken is not None and not self.node.on_error:
            return broken
        made = ActionError(
            "items_failed",
            f"{len(failed)} of {count} items of {self.node.id!r} failed; the first is item {failed[0].index + 1}: "
            f"{safe_message(first).removesuffix('.')}.",
            "The others are done. Send any message to try those that failed again, or give the node an on_error.",
        )
        made.__cause__ = first
        return made


def _nothing(*_: Any) -> None:
    """The function of an action whose items were performed."""


@lru_cache(maxsize=64)
def flow_of_items(flow: CompiledFlow) -> CompiledFlow:
    """The flow for the walk of an item, which does not lead the conversation away."""
    return replace(flow, on_stuck="")
