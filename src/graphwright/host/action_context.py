"""The context of an action: model, tools, store, messages, clock, idempotency key, and a voice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from graphwright.engine.events import InteractionNoted, Saying
from graphwright.host.thread_files import GivenFile, given_files
from graphwright.store.home import thread_folder

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from pydantic import BaseModel

    from graphwright.host.run import StepRecord, TurnRun
    from graphwright.store import Message, Record
    from graphwright.tools import ToolRegistry

    M = TypeVar("M", bound=BaseModel)
    T = TypeVar("T")


class ActionStore:
    """JSON records in named collections that outlive the thread."""

    def __init__(self, run: TurnRun, key: str) -> None:
        self._run = run
        self._key = key

    async def put_once(self, collection: str, value: Any, *, key: str = "") -> tuple[Any, bool]:
        """Keep `value` under `key`, by default the idempotency key; gives what is kept, and whether it is new.

        Doing it again, after a retry or a crash, keeps the first value and says False.
        """
        run = self._run
        agent, thread = run.agent.name, run.thread
        return await run.store.records.put_once(collection, key or self._key, value, agent=agent, thread=thread)

    async def get(self, collection: str, key: str) -> Any | None:
        """The value under `key`, or None."""
        record = await self._run.store.records.get(collection, key)
        return None if record is None else record.value

    async def list(self, collection: str, *, limit: int = 100, offset: int = 0) -> Sequence[Record]:
        """Records of a collection (`key`, `value`, `agent`, `thread`, `created`), oldest first."""
        return await self._run.store.records.list(collection, limit, offset)


class ActionContext:
    """The second argument of an action: everything but the state it reads.

    thread      the thread id
    node        the id of the action's node
    key         the idempotency key, `THREAD:BORN:VISIT`: the same in every attempt and after a crash
    attempt     1 for the first attempt
    now         the time at which the turn began, with time zone
    store       records that outlive the thread
    files       the files that the user gave to the thread, the one given last at the end
    """

    def __init__(
        self, log: StepRecord, node: str, key: str, attempt: int, files: Sequence[dict[str, Any]] = ()
    ) -> None:
        run = log.run
        self._log = log
        self._run = run
        self.node = node
        self.thread = run.thread
        self.key = key
        self.attempt = attempt
        self.now: datetime = run.now
        self.store = ActionStore(run, self.key)
        self.files: tuple[GivenFile, ...] = given_files(self.home, self.thread, files)
        self.said: list[str] = []
        self.artifacts: list[dict[str, str]] = []
        self.noted: list[InteractionNoted] = []

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
        """Hand the user a file that the action made. A `name` without an ending has that of the file."""
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
        """Have this turn kept in the interaction log, with what the action did in it. Never fails.

        `result` becomes text, `metadata` JSON. Several calls in a turn make one interaction, in which what was said
        last holds; those of failed attempts count. Question, reply, error and costs of the turn are added at its end.
        """
        from graphwright.store.interactions.interaction import as_text, bounded, bounded_object

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
        """The thread's folder for files that the agent makes, absolute. It goes when the thread is deleted."""
        folder = thread_folder(self.home, self.thread)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @property
    def model(self) -> BaseChatModel:
        """The chat model of this run; loaded at the first use."""
        return self._run.load_model()

    @cached_property
    def tools(self) -> ToolRegistry:
        """The tools of this node: those that the agent's tools.py registers for it."""
        from graphwright.host.observed_calls import NodeTools

        return NodeTools(t for t in self._run.agent.tools if self.node in t.nodes)

    async def held(self, name: str, make: Callable[[], AbstractAsyncContextManager[T]]) -> T:
        """A resource that stays open until the session ends, such as a connection. `make` opens it at the first call.

        Raises what opening it raises; the next call tries again.
        """
        return await self._run.handles.get(name, make)

    def prompt(self, name: str, **inputs: Any) -> list[Any]:
        """The chat messages of the agent's prompt file `prompts/NAME.j2`, filled in."""
        return self._run.agent.prompts.messages(name, inputs)

    async def structured(self, schema: type[M], messages: Sequence[Any]) -> M:
        """One model call whose answer is an instance of the Pydantic class `schema`."""
        from graphwright.models import astructured

        return await astructured(self.model, schema, messages)

    async def messages(self, limit: int = 20) -> Sequence[Message]:
        """The last messages of the thread, oldest first."""
        return await self._run.store.messages.window(self.thread, limit)


def _truth(value: Any) -> bool | None:
    try:
        return None if value is None else bool(value)
    # A table of several values is neither true nor false.
    except Exception:
        return None
