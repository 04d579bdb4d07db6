"""The context of an action: model, tools, store, messages, clock, idempotency key; its calls as events of the turn."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from graphwright.engine.events import HandedOver, InteractionNoted, ModelCalled, Saying, ToolCalled
from graphwright.engine.host_interface import safe_message
from graphwright.flow._schema_validation import writable
from graphwright.host._actions import place_in
from graphwright.host.thread_files import GivenFile, given_files
from graphwright.store.home import thread_folder
from graphwright.tools import ToolRegistry, ToolResult

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from pydantic import BaseModel

    from graphwright.host._run import StepRecord, TurnRun
    from graphwright.models import ModelCall
    from graphwright.store import Message, Record

    M = TypeVar("M", bound=BaseModel)
    T = TypeVar("T")


class ActionStore:
    """JSON records in named collections that outlive the thread.

    A trial of a draft reads the same collections, but keeps its records in others, which are deleted with it.
    """

    def __init__(self, run: TurnRun, key: str) -> None:
        self._run = run
        self._records = run.store.records
        self._key = key
        self._trial = run.agent.trial
        self.recorded: list[str] = []
        """The collections in which records were kept."""

    async def put_once(self, collection: str, value: Any, *, key: str = "") -> tuple[Any, bool]:
        """Keep `value` under `key`, by default the idempotency key; return the stored value, and whether it is new.

        Doing it again, after a retry or a crash, keeps the first value and says False.
        """
        if self._trial is not None and key and (kept := await self._records.get(collection, key)):
            return kept.value, False
        agent, thread, own = self._run.agent.name, self._run.thread, self._own(collection)
        stored, is_new = await self._records.put_once(own, key or self._key, value, agent=agent, thread=thread)
        if (is_new or not key) and own not in self.recorded:
            self.recorded.append(own)
        return stored, is_new

    async def get(self, collection: str, key: str) -> Any | None:
        """The value under `key`, or None."""
        record = await self._records.get(collection, key)
        if record is None and self._trial is not None:
            record = await self._records.get(self._own(collection), key)
        return None if record is None else record.value

    async def list(self, collection: str, *, limit: int = 100, offset: int = 0) -> Sequence[Record]:
        """Records of a collection (`key`, `value`, `agent`, `thread`, `created`), oldest first."""
        found = await self._records.list(collection, limit, offset)
        if self._trial is None or len(found) == limit:
            return found
        others = (await self._records.collections()).get(collection, 0)
        own = await self._records.list(self._own(collection), limit - len(found), max(offset - others, 0))
        return [*found, *own]

    def _own(self, collection: str) -> str:
        """The collection in which the records of this run are kept."""
        return collection if self._trial is None else self._trial.collection(collection)


class ActionContext:
    """The second argument of an action: model, tools, store, files and messages of its thread.

    - `thread`: the thread id
    - `node`: the id of the action's node
    - `key`: the idempotency key, `THREAD:BORN:VISIT`: the same in every attempt and after a crash
    - `attempt`: 1 for the first attempt
    - `now`: the time at which the turn began, with time zone
    - `item`: the index of the item in a list, from 0, if the node has `map`; otherwise None
    - `language`: the tag of the user's language, such as `de`; empty while it is not known
    - `store`: records that outlive the thread
    - `files`: the files that the user gave to the thread, in order
    """

    def __init__(
        self,
        log: StepRecord,
        node: str,
        key: str,
        attempt: int,
        files: Sequence[dict[str, Any]] = (),
        language: str = "",
        item: int | None = None,
    ) -> None:
        run = log.run
        self._log = log
        self._run = run
        self.node = node
        self.thread = run.thread
        self.key = key
        self.attempt = attempt
        self.now: datetime = run.now
        self.language = language
        self.item = item
        self.store = ActionStore(run, self.key)
        self.files: tuple[GivenFile, ...] = given_files(self.home, self.thread, files)
        self.said: list[str] = []
        self.artifacts: list[dict[str, str]] = []
        self.noted: list[InteractionNoted | HandedOver] = []

    def say(self, text: str) -> None:
        """Send a text to the user. Texts of a failed attempt are not shown."""
        if text.strip():
            self.said.append(text)

    def stream(self, piece: str, *, afresh: bool = False) -> None:
        """Send a piece of a text to the listeners of the turn while the text is being written. For async actions.

        `afresh` starts the text again from the beginning. Pieces are not stored: pass the final text to `say`.
        """
        if self._run.on_event is not None and (piece or afresh):
            self._run.on_event(Saying(self.node, piece, afresh))

    def artifact(self, path: str | Path, *, kind: str, name: str = "") -> None:
        """Give the user a file that the action made. A `name` without an extension gets that of the file."""
        name, ending = str(name or Path(path).name), Path(path).suffix
        whole = name if Path(name).suffix else f"{name}{ending}"
        self.artifacts.append({"kind": str(kind), "name": whole, "path": str(path)})

    def interaction(
        self,
        *,
        type: str = "",
        code: str = "",
        result: Any = None,
        success: bool | None = None,
        error: str = "",
        **metadata: Any,
    ) -> None:
        """Record this turn in the interaction log, with the work of the action. Never fails.

        `result` becomes text, `metadata` JSON. Several calls in a turn make one interaction: for each field the last
        call wins, also if its attempt failed. Question, reply, error and costs of the turn are added at its end.
        """
        from graphwright.store.interactions._interaction import as_text, bounded, bounded_object

        texts = {"kind": type, "code": code, "result": result, "error": error}
        self.noted.append(
            InteractionNoted(
                self.node,
                success=_truth(success),
                metadata=bounded_object(metadata),
                **{name: bounded(as_text(value)) for name, value in texts.items()},
            )
        )

    @property
    def settings(self) -> Mapping[str, Any]:
        """The agent's table `[agents.NAME]` of the configuration, read-only; empty if the configuration has none."""
        return MappingProxyType(dict(self._run.agent.settings))

    @property
    def home(self) -> Path:
        """The data folder of this run, absolute."""
        return self._run.store.home

    @property
    def folder(self) -> Path:
        """The thread's folder for files that the agent makes, absolute. It is deleted with the thread."""
        folder = thread_folder(self.home, self.thread)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @property
    def model(self) -> BaseChatModel:
        """The chat model of this run; loaded at the first use."""
        return self._run.load_model()

    @cached_property
    def tools(self) -> ToolRegistry:
        """The registry of this node's tools, from the agent's `tools.py`. Calls are events of the turn."""
        return NodeTools(t for t in self._run.agent.tools if self.node in t.nodes)

    async def shared(self, name: str, make: Callable[[], AbstractAsyncContextManager[T]]) -> T:
        """Return a resource that stays open until the session ends, such as a connection.

        `make` opens it at the first call. Raises what opening it raises; the next call tries again.
        """
        return await self._run.handles.get(name, make)

    def prompt(self, name: str, /, **inputs: Any) -> list[Any]:
        """Return the chat messages of the agent's prompt file `prompts/NAME.j2`. Raises PromptError."""
        return self._run.agent.prompts.messages(name, inputs)

    async def structured(self, schema: type[M], messages: Sequence[Any]) -> M:
        """Call the model once for an instance of the Pydantic class `schema`. Raises ModelFailure."""
        from graphwright.models import astructured

        return await astructured(self.model, schema, messages)

    async def messages(self, limit: int = 20) -> Sequence[Message]:
        """Return the last `limit` messages of the thread, oldest first."""
        return await self._run.store.messages.window(self.thread, limit)


def _truth(value: Any) -> bool | None:
    try:
        return None if value is None else bool(value)
    # A table of several values is neither true nor false.
    except Exception:
        return None


_tool_called: ContextVar[Callable[[ToolResult, tuple[str, ...], float], None] | None] = ContextVar(
    "graphwright_tool_called", default=None
)


@contextmanager
def observed(log: StepRecord, node: str) -> Iterator[None]:
    """Record all model and tool calls made inside the block as events of `node`; model calls count as usage.

    A call may end in another thread; its event is emitted in the thread of the turn. Calls that end after the block,
    such as those of an action that timed out, are not recorded.
    """
    from graphwright.models.usage import calling, observe_calls

    private = log.run.agent.writes_private(node)
    here, loop = threading.get_ident(), asyncio.get_running_loop()
    over = False

    def in_turn(emit: Callable[[], None]) -> None:
        def unless_over() -> None:
            if not over:
                emit()

        if threading.get_ident() == here:
            unless_over()
        else:
            loop.call_soon_threadsafe(unless_over)

    def model_called(call: ModelCall) -> None:
        log.run.model_called(call)
        log.emit(
            ModelCalled(
                node=node,
                model=call.model,
                offered=call.offered,
                input_tokens=call.input_tokens,
                output_tokens=call.output_tokens,
                seconds=round(call.seconds, 3),
                error=call.error,
                answer=writable(dict(call.answer)),
                private=private,
            )
        )

    def tool_called(result: ToolResult, given: tuple[str, ...], seconds: float) -> None:
        if result.exception is not None and not isinstance(result.exception, ConnectionError | TimeoutError):
            # The model gets the error as a result, so log the place of the error for the author of the tool.
            place, text = place_in(result.exception, log.run.agent.folder), safe_message(result.exception)
            where = f" ({place})" if place else ""
            logging.getLogger("graphwright").error("Tool %r at %r failed: %s%s", result.tool, node, text, where)
        answer = result.ok, round(seconds, 4), result.kind, result.error, result.code
        in_turn(lambda: log.emit(ToolCalled(node, result.tool, given, *answer)))

    before = _tool_called.set(tool_called)
    try:
        with ExitStack() as stack:
            stack.enter_context(calling(node))
            stack.enter_context(observe_calls(lambda call: in_turn(lambda: model_called(call))))
            yield
    finally:
        over = True
        _tool_called.reset(before)


_Call = Callable[[str, Mapping[str, Any]], Awaitable[ToolResult]]


class NodeTools(ToolRegistry):
    """A registry whose calls become events of the turn that they are made in."""

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool as `ToolRegistry.call` does, and record it."""
        return await _call_and_notify(super().call, name, arguments)


async def called(tools: ToolRegistry, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Call a tool of any registry, for example of an MCP server, and record the call as an event of the turn."""
    return await _call_and_notify(tools.call, name, arguments)


async def _call_and_notify(call: _Call, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    began = time.perf_counter()
    result = await call(name, arguments)
    if (notify := _tool_called.get()) is not None:
        given = tuple(map(str, arguments)) if isinstance(arguments, Mapping) else ()
        notify(result, given, time.perf_counter() - began)
    return result
