"""The workspace: one open store for all the sessions of a program, and its threads to list, read and change."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from graphwright.engine.host_interface import Inbox
from graphwright.engine.replay import Moment
from graphwright.engine.state import ThreadState, blob_key
from graphwright.errors import UsageError
from graphwright.flow._json_schemas import Option
from graphwright.host._session import Session, Shared, waits_for
from graphwright.host._versions import VersionUnusable, stored_version, version_of
from graphwright.host.discovery import short
from graphwright.host.event_json import without_private
from graphwright.host.thread_files import GivenFile, given_files
from graphwright.store.rows import DRAFT, Message, utc_now

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright.flow import CompiledFlow
    from graphwright.host._definition import AgentDefinition
    from graphwright.store import Store, ThreadRow
    from graphwright.store.rows import ThreadChoice


class Workspace:
    """The threads of a data folder, for a program that serves many of them.

        async with Workspace(model="openai:gpt-5") as workspace:
            async with workspace.session(graphwright.load("intake"), "t1") as session:
                turn = await session.send("I need lights for a tennis court")

    All its sessions share one open store and one model, so that concurrent turns do not lock each other out.
    """

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        model: str | BaseChatModel | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """`home`, `model` and `clock` are as in `Agent.session`."""
        self._home = None if home is None else Path(home)
        self._model = model
        self._clock = clock
        self._stack = AsyncExitStack()
        self._shared: Shared | None = None

    async def __aenter__(self) -> Self:
        """Open the store. Raises StoreError."""
        from graphwright.store import open_store

        store = await self._stack.enter_async_context(open_store(self._home, now=self._clock))
        self._shared = Shared(store, self._model, self._home)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._shared = None
        await self._stack.aclose()

    @property
    def store(self) -> Store:
        """The open store."""
        return self._open.store

    @property
    def folder(self) -> Path:
        """The data folder."""
        return self.store.home

    def session(self, agent: AgentDefinition, thread: str | None = None, *, model: str | None = None) -> Session:
        """Return a session on a thread, to be opened with `async with`. Without `thread` it is a new one.

        `model` answers in place of the workspace's model.
        """
        chosen = model or self._model
        return Session(agent, thread, model=chosen, home=self._home, clock=self._clock, shared=self._open)

    # threads

    async def threads(self, **chosen: Unpack[ThreadChoice]) -> list[ThreadRow]:
        """Return a page of threads, as `ThreadChoice` describes."""
        return await self.store.threads.page(**chosen)

    async def thread(self, thread: str) -> ThreadRow:
        """Return the row of a thread. Raises UsageError (`no_such_thread`)."""
        row = await self.store.threads.get(thread)
        if row is None:
            raise UsageError("no_such_thread", f"There is no thread {thread!r}.", "'graphwright threads' lists them.")
        return row

    async def flow_of(self, agent: AgentDefinition, row: ThreadRow) -> CompiledFlow:
        """Return the version of an agent's flow in which a thread waits; the present one if the store lacks it."""
        if row.flow_hash in ("", agent.flow.hash) or row.status in ("new", "ended"):
            return agent.flow
        try:
            return (await stored_version(self.store, agent, row.flow_hash)).agent.flow
        except VersionUnusable:
            return agent.flow

    async def create(
        self, agent: AgentDefinition, thread: str | None = None, *, title: str = "", source: str = ""
    ) -> ThreadRow:
        """Create a thread that waits for its first message. Raises UsageError (`bad_thread`, `thread_exists`).

        With `source` it is a branch of that thread from its first turn on.
        """
        session = self.session(agent, thread)
        columns = {"agent": agent.address, "flow_id": agent.flow.id, "flow_hash": agent.flow.hash}
        made = await self.store.threads.create(
            session.thread, title=title, time=self.store.time(), source=source, **columns
        )
        if not made:
            raise UsageError(
                "thread_exists", f"There is a thread {session.thread!r} already.", "Use another id, or omit it."
            )
        return await self.thread(session.thread)

    async def rename(self, thread: str, title: str) -> ThreadRow:
        """Change the title of a thread. Raises UsageError (`no_such_thread`)."""
        await self.store.threads.rename(thread, title)
        return await self.thread(thread)

    async def delete(self, thread: str, *, timeout_seconds: float = 10.0) -> None:
        """Delete a thread with its messages, trace and files, after its current turn has ended.

        The records of the thread stay, except those of a trial of a draft.

        Raises UsageError (`no_such_thread`), and LeaseTimeout if that turn takes longer than `timeout_seconds` seconds.
        """
        row = await self.thread(thread)
        async with self.store.lease(thread, timeout_seconds=timeout_seconds):
            if row.agent.startswith(DRAFT):
                await self.store.records.delete(thread)
            await self.store.threads.delete(thread)

    # what is in one

    async def messages(self, thread: str, *, before: int | None = None, limit: int = 50) -> list[Message]:
        """Return the last `limit` messages, oldest first; with `before`, those before the message of this number."""
        return await self.store.messages.window(thread, limit, before=before)

    async def pending_message(self, thread: str) -> tuple[Message, int] | None:
        """Return the message that an interrupted turn has not read yet, and the number of that turn; or None.

        The next turn reads it.
        """
        row, held = await self.thread(thread), await self.store.state(thread)
        if not held.get("inbox"):
            return None
        state = ThreadState.from_json(held.get("thread") or {})
        options = [Option(**option) for option in state.waiting.options] if state.waiting else []
        said = Inbox.from_json(held["inbox"]).message_in(state.language, options)
        return None if said is None else (Message(state.messages, "user", said, row.updated), state.turn + 1)

    async def trace(self, thread: str, *, since: int = 0, limit: int | None = None) -> list[dict[str, Any]]:
        """Return the events from number `since` on, each `{seq, visit, time, event}`, without private values."""
        rows = await self.store.events.read(thread, since, limit)
        return [{**asdict(row), "event": without_private(row.event)} for row in rows]

    async def moment(self, thread: str, at: int | None = None, agent: AgentDefinition | None = None) -> dict[str, Any]:
        """Return the thread after event `at`: position, pending question, answers and channels that are not private.

        With its `agent` the pending question has the approval that it asked for. Raises UsageError (`no_such_thread`,
        `no_such_event`).
        """
        from graphwright.engine.replay import fold

        row = await self.thread(thread)
        moment = fold(await self.store.events.read(thread), at)
        found = await described(self.store, row, moment)
        if agent is not None and found["waiting_for"] is not None:
            with suppress(VersionUnusable):
                version = await version_of(self.store, agent, moment.state)
                found["waiting_for"] = await waits_for(self.store, version, moment.state)
        return {**found, "agent": short(row.agent)}

    async def artifacts(self, thread: str) -> list[dict[str, Any]]:
        """Return the files that actions of a thread made, in order: `{seq, kind, name, path}`."""
        rows = await self.store.events.of_type(thread, "artifact_made")
        return [{"seq": row.seq, **{name: row.event[name] for name in ("kind", "name", "path")}} for row in rows]

    async def files(self, thread: str) -> tuple[GivenFile, ...]:
        """Return the files that the user gave to a thread."""
        state = await self.store.state(thread)
        given = state.get("thread") or {}
        return given_files(self.folder, thread, given.get("files", ()))

    # inside

    @property
    def _open(self) -> Shared:
        if self._shared is None:
            raise RuntimeError("open the workspace first: async with Workspace() as workspace")
        return self._shared


async def whole(store: Store, value: Any) -> Any:
    """A value of a channel; of a large one, which the store keeps apart, its content."""
    key = blob_key(value)
    return await store.blobs.get(key) if key else value


async def described(store: Store, row: ThreadRow, moment: Moment) -> dict[str, Any]:
    """A moment as JSON: where the thread stood, answers and channels; large values whole, no private channel."""
    state = moment.state
    channels = {name: value for name, value in state.channels.items() if name not in moment.private}
    return {
        "thread": row.thread,
        "agent": row.agent,
        "flow_id": row.flow_id,
        "flow_hash": state.flow_hash,
        "at": moment.row.seq,
        "time": moment.row.time,
        "event": without_private(moment.row.event),
        "turn": state.turn,
        "status": moment.status,
        "node": moment.node,
        "waiting_for": state.waiting.to_json() if moment.status == "waiting" and state.waiting else None,
        "position": state.position.to_json() if state.position else None,
        "paths": state.paths.to_json(),
        "values": {
            "answers": dict(state.answers),
            **{name: await whole(store, value) for name, value in channels.items()},
        },
    }
