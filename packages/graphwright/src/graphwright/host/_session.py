"""The session: the one door through which the command line, the service and the tests talk to a thread."""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from graphwright.engine._reply import UNSUPPORTED_QUOTE, is_optional
from graphwright.engine.events import (
    AnswerCommitted,
    AnswerRefused,
    ArtifactMade,
    ConfirmationGiven,
    InteractionNoted,
    NodeEntered,
    Prompted,
    Said,
    TurnStarted,
)
from graphwright.engine.host_interface import Inbox, plain_value
from graphwright.engine.state import ThreadState, blob_key
from graphwright.errors import UsageError, exception_text
from graphwright.flow.compiled import Question
from graphwright.host._definition import AgentDefinition, check_settings
from graphwright.host._run import Handles, StepRecord, TurnRun, facts_of, preload
from graphwright.host._serve_turn import approval_of, check_agent, is_outdated, serve
from graphwright.host._turn import Artifact, Event, Refused, Status, Turn, TurnEnded, TurnError
from graphwright.host._versions import VersionUnusable, version_of
from graphwright.host.telemetry import watching
from graphwright.host.thread_files import readable, share
from graphwright.store.rows import utc_now

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright.engine.replay import Branch
    from graphwright.host._accepted import Fate
    from graphwright.host.telemetry import Watch
    from graphwright.store import EventRow, Store, TurnWork
    from graphwright.store.interactions import Interaction, Writer


Listener = Callable[[Event], None]


class Session:
    """A conversation with an agent on one thread.

        async with graphwright.load("intake").session("t1") as session:
            turn = await session.send("I need lights for a tennis court")
            print(turn.reply)

    A session can be opened again on the same thread later and in another process; the conversation continues. Turns of
    one thread run one after the other, also for several callers. A failed turn is not an exception: see `Turn.error`.
    `Agent.session` and `Workspace.session` create sessions.
    """

    def __init__(
        self,
        agent: AgentDefinition,
        thread: str | None,
        *,
        model: str | BaseChatModel | None = None,
        home: str | Path | None = None,
        clock: Callable[[], datetime] = utc_now,
        shared: Shared | None = None,
    ) -> None:
        """Prepare a session; `async with` opens it. `clock` returns the time that actions see and the store writes.

        `shared` is the open store and the model of a `Workspace`. Raises UsageError (`bad_thread`) for an invalid id.
        """
        self.agent = agent
        self.thread = uuid.uuid4().hex[:12] if thread is None else thread
        if (
            len(self.thread) > 200
            or not self.thread.isprintable()
            or not self.thread.strip()
            or self.thread.startswith("-")
        ):
            # With a dash in front it could not be named on a command line.
            raise UsageError(
                "bad_thread",
                f"The thread id {self.thread[:40]!r} is invalid.",
                "An id has 1 to 200 printable characters and no dash in front. Without one, a new id is made.",
            )
        self._model = model
        self._home = None if home is None else Path(home)
        self._clock = clock
        self._stack = AsyncExitStack()
        self._handles = Handles()
        self._opened: Store | None = None
        self._shared = shared
        self._log: Writer | None = None
        self._address = agent.address

    async def __aenter__(self) -> Self:
        """Open the store. Raises UsageError for settings of the agent that do not fit its declarations."""
        from graphwright.store import open_store

        if self.agent.known_settings is not None:
            # In the middle of a turn, an invalid setting would only show as a failure of the code that reads it.
            check_settings(self.agent.name, self.agent.known_settings, self.agent.settings)
        if self._shared is not None:
            self._opened = self._shared.store
        else:
            self._opened = await self._stack.enter_async_context(open_store(self._home, now=self._clock))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._handles.close()
        await self._stack.aclose()
        if self._log is not None:
            await asyncio.to_thread(self._log.flush)

    # turns

    async def start(self, *, on_event: Listener | None = None) -> Turn:
        """Begin without a message: go to the first question without running actions. Returns the turn.

        Finishes a turn that was interrupted by a crash. `on_event` is called with each event as it happens. Raises
        UsageError if the thread belongs to another agent, and GraphwrightError if the thread cannot be served
        (`version_missing`, `action_missing`, `lease_timeout`, `locked`, `disk_full`, ...).
        """
        return await self._turn(Inbox(), on_event)

    async def send(
        self,
        text: str,
        files: Sequence[str | Path] = (),
        *,
        approves: str | None = None,
        on_event: Listener | None = None,
    ) -> Turn:
        """Run one turn: the text answers the waiting question, or begins the conversation. Returns the turn.

        After the end of a conversation, the text begins a new one on the thread. `files` are copied into the thread's
        folder; actions see them in `ctx.files`. `approves` and `on_event` are as in `resume`. Raises UsageError for an
        empty message, for a file that cannot be read, and for files if the agent does not accept them; and the errors
        of `start`.
        """
        return await self._turn(Inbox.of_text(text, approves), on_event, readable(self.agent, files))

    async def resume(self, value: Any, *, approves: str | None = None, on_event: Listener | None = None) -> Turn:
        """Run one turn that answers the waiting question with a JSON value, like a button. Calls no model to read it.

        The value is validated like any other answer; True approves a confirmation. `approves` is the hash of the
        pending approval (`waiting_for.approval.hash` of `state()`): a yes then confirms only that content. If it is
        empty, a yes to actions is refused; if it is omitted, a yes confirms whatever is pending. `on_event` is called
        with each event as it happens.

        Raises UsageError for a value that is not JSON, if the thread does not wait at a question, for a boolean or
        `approves` if the question does not take yes or no (`not_a_confirmation`), and if the pending content is not
        that of `approves` (`approval_changed`); and the errors of `start`.
        """
        return await self._turn(Inbox.of_value(value, approves), on_event)

    async def stream(self, text: str, files: Sequence[str | Path] = ()) -> AsyncIterator[Event]:
        """Run `send` and yield the events of the turn as they happen. The last one is TurnEnded, with the turn.

        Each event has a `type` and `to_json()`. Leaving the loop early cancels the turn; committed steps are kept.
        """
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        task = asyncio.create_task(self._turn(Inbox.of_text(text), queue.put_nowait, readable(self.agent, files)))
        task.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            yield TurnEnded(await task)
        finally:
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    @staticmethod
    def accepted(
        text: str | None = None,
        files: Sequence[Path] = (),
        *,
        value: Any = None,
        has_value: bool = False,
        approves: str | None = None,
    ) -> dict[str, Any]:
        """Return a message as JSON, to be stored before it is acknowledged; `deliver` takes it. `said` is its text.

        It is a `text`, a `value` if `has_value`, or neither. Raises UsageError if no turn could accept it.
        """
        if has_value:
            inbox = Inbox.of_value(value, approves)
        else:
            inbox = Inbox() if text is None else Inbox.of_text(text, approves)
        return {"said": inbox.message, "inbox": inbox.to_json(), "files": [str(file) for file in files]}

    async def deliver(
        self,
        message: Mapping[str, Any],
        *,
        claim: Callable[[], Awaitable[bool]],
        is_stopped: Callable[[], bool] = lambda: False,
        on_event: Listener | None = None,
    ) -> Turn | None:
        """Run the turn of a message that `accepted` returned, unless another process has taken it over.

        `claim` is awaited when the thread is held; if it returns False, nothing is done, and the result is None. If the
        call is cancelled and `is_stopped` returns True, the turn is stored as one that failed (`stopped`) and changed
        nothing, unless an action may have had effects: then the next message finishes it, as after a crash.
        `on_event` and the errors are as in `send` and `resume`.
        """
        inbox, files = Inbox.from_json(message["inbox"]), readable(self.agent, message["files"])
        runs: list[TurnRun] = []
        try:
            with watching(self.agent, self.thread, on_event) as watch:
                async with self._store.turn(self.thread) as work:
                    if not await claim():
                        return None
                    run, thread = await self._served(work, inbox, watch.on_event, files, runs.append)
                return await self._ended(run, thread, watch)
        except asyncio.CancelledError:
            if is_stopped() and runs:
                await self._stop(runs[0], inbox)
            raise

    async def deliver_again(
        self,
        message: Mapping[str, Any],
        *,
        turn: int,
        interrupted: bool,
        claim: Callable[[], Awaitable[bool]],
        finish: bool = True,
        on_event: Listener | None = None,
    ) -> Turn | Fate:
        """Return the turn of a message whose process died, or may have died; finish it, or run it, if it has not ended.

        `message` is what `accepted` returned; `turn` is the number of the turn that was to come, or of the unfinished
        one if the thread was `interrupted` then. However many processes deliver a message, one turn receives it.
        `claim` is awaited when the thread is held; if it returns False, nothing is done, and the result is `taken`.
        Without `finish` no turn is run either. Raises LeaseTimeout at once while another process serves the thread.
        """
        from graphwright.host._accepted import Accepted, received

        accepted = Accepted(Inbox.from_json(message["inbox"]), turn, interrupted)
        async with self._store.turn(self.thread, timeout_seconds=0.05) as work:
            if not await claim():
                return "taken"
            run = self._run(work, self.thread, None)
            found = await received(run, accepted)
            if isinstance(found, ThreadState):
                return await self._result(run, found)
            if found is None or not finish:
                return "unread" if found is None or found == accepted.inbox else "unfinished"
            files = readable(self.agent, message["files"]) if found == accepted.inbox else ()
            with watching(self.agent, self.thread, on_event) as watch:
                run, thread = await self._served(work, found, watch.on_event, files)
                return await self._ended(run, thread, watch)

    # looking

    async def state(self) -> dict[str, Any]:
        """Return the state of the thread: `{thread, agent, status, waiting_for, position, values}`.

        `values` contains the answers and the channels that are not private. If the thread waits for an approval,
        `waiting_for.approval` is its content: `{hash, node, actions, over}`. At a question with a JSON Schema,
        `waiting_for.schema` is that schema. `waiting_for.optional`: null leaves the question open.
        `waiting_for.outdated`: the flow was changed, so a reply would not be used, and the question is asked anew.
        """
        held = await self._store.state(self.thread)
        thread = ThreadState.from_json(held.get("thread") or {})
        # A message that no step has received yet: the first turn is running, or was interrupted.
        begun = "running" if held.get("inbox") else "new"
        status = {"new": begun, "waiting": "waiting", "performing": "running", "ended": "ended"}[thread.mode]
        status = "waiting" if thread.waiting else status
        try:
            agent = await version_of(self._store, self.agent, thread)
        except VersionUnusable:
            # The rest is shown without that version.
            agent, pending = self.agent, thread.waiting.to_json() if thread.waiting else None
        else:
            pending = await waits_for(self._store, agent, thread)
            if pending and await is_outdated(self._store, self.agent, self.thread, thread, self._clock()):
                pending["outdated"] = True
        return {
            "thread": self.thread,
            "agent": self.agent.name,
            "status": status,
            "waiting_for": pending,
            "position": thread.position.to_json() if thread.position else None,
            "values": await self._public_values(agent, thread, {}),
        }

    async def history(self) -> list[EventRow]:
        """Return the trace of the thread: every event since it began, in order, with `seq`, `visit` and `time`."""
        return await self._store.events.read(self.thread)

    async def branch(self, at: int, *, answers: Mapping[str, Any] | None = None, thread: str | None = None) -> Branch:
        """Create a thread that continues from an earlier point of this one, which does not change.

        The new thread (`thread`, or a new id) continues from the last point at or before event `at` at which this one
        waited or had ended. It has a copy of the trace and messages up to there, and its own idempotency keys.
        `answers` maps dotted keys to values, which count as corrected at that point. The flow advances only if the
        thread waits for one of these answers, without running actions. Confirmations are not copied.

        Raises UsageError (`no_such_thread`, `no_such_event`, `nothing_to_branch`, `thread_exists`, `unknown_answer`,
        `answer_refused`, `answers_cleared`), VersionUnusable, and FlowStuck if no edge is open with the new answers.
        """
        from graphwright.engine.host_interface import Recorder
        from graphwright.engine.replay import Branch, as_said, blobs_in, branched, stop_before
        from graphwright.store import Beginning

        changes = {key: plain_value(value) for key, value in (answers or {}).items()}
        store, new = self._store, Session(self.agent, thread).thread
        row = await store.threads.get(self.thread)
        if row is None:
            raise UsageError(
                "no_such_thread", f"There is no thread {self.thread!r}.", "'graphwright threads' lists them."
            )
        check_agent(self.agent, row)
        rows = await store.events.read(self.thread)
        moment = stop_before(rows, at)
        agent = await version_of(store, self.agent, moment.state)
        async with store.turn(new) as work:
            if work.row is not None:
                raise UsageError("thread_exists", f"There is a thread {new!r} already.", "Use another id, or omit it.")
            run = replace(self._run(work, new, None), agent=agent)
            await preload(run, moment.state)
            log = Recorder(replace(facts_of(run), without_model=True))
            state, status = branched(log, moment, self.thread, changes)
            record = StepRecord(run, moment.row.seq + 1, moment.state.messages)
            record.update(log.events)
            opening = as_said(agent.flow, moment.state, changes) if changes else ""
            share(store.home, self.thread, new, state.files)
            copied = rows[: moment.row.seq + 1]
            beginning = Beginning(
                self.thread, len(copied), moment.state.messages, blobs_in(copied), moment.state.turn + 1
            )
            work.note_beginning(beginning, row.title)
            saved = record.finish(state, status=status, opening=opening)
            await work.flush()
        return Branch(
            thread=new,
            source=self.thread,
            at=moment.row.seq,
            status=status,
            waiting_for=saved.waiting,
        )

    # inside

    @property
    def _store(self) -> Store:
        if self._opened is None:
            raise RuntimeError("open the session first: async with agent.session(...) as session")
        return self._opened

    async def _turn(self, inbox: Inbox, on_event: Listener | None = None, files: Sequence[Path] = ()) -> Turn:
        with watching(self.agent, self.thread, on_event) as watch:
            async with self._store.turn(self.thread) as work:
                run, thread = await self._served(work, inbox, watch.on_event, files)
            return await self._ended(run, thread, watch)

    async def _stop(self, cut: TurnRun, inbox: Inbox) -> None:
        from graphwright.host._stopped import store_stop

        async with self._store.turn(self.thread) as work:
            run = self._run(work, self.thread, None)
            thread = await store_stop(run, cut, inbox)
        if thread is not None:
            self._log = log_turn(run, thread, await self._result(run, thread)) or self._log

    async def _served(
        self,
        work: TurnWork,
        inbox: Inbox,
        on_event: Listener | None,
        files: Sequence[Path],
        on_run: Callable[[TurnRun], object] = lambda _: None,
    ) -> tuple[TurnRun, ThreadState]:
        run = self._run(work, self.thread, on_event)
        on_run(run)
        thread = await serve(run, inbox, files)
        if self.agent.beside is not None:
            from graphwright.host._shadow import compared

            thread = await compared(run, self.agent.beside, thread)
        await _saved(work)
        return run, thread

    async def _ended(self, run: TurnRun, thread: ThreadState, watch: Watch) -> Turn:
        turn = await self._result(run, thread)
        self._log = log_turn(run, thread, turn) or self._log
        watch.ended(turn, turn.error.code if turn.error is not None else "")
        return turn

    def _run(self, work: TurnWork, thread: str, on_event: Listener | None) -> TurnRun:
        return TurnRun(
            agent=self.agent,
            address=self._address,
            store=self._store,
            work=work,
            thread=thread,
            now=self._clock(),
            load_model=self._load_model,
            token=secrets.token_hex(3),
            without_model=self._without_model,
            on_event=on_event,
            handles=self._handles,
        )

    @cached_property
    def _without_model(self) -> bool:
        from graphwright.models import is_none

        return is_none(self._model)

    def _load_model(self) -> BaseChatModel:
        from graphwright.models import load as load_model

        if self._shared is not None:
            return self._shared.model(self._model)
        if self._model is None or isinstance(self._model, str):
            self._model = load_model(self._model, home=self._home)
        return self._model

    async def _public_values(
        self, agent: AgentDefinition, thread: ThreadState, blobs: Mapping[str, Any]
    ) -> dict[str, Any]:
        channels: dict[str, Any] = {}
        for name, channel in agent.flow.channels.items():
            if channel.private or name not in thread.channels:
                continue
            value = thread.channels[name]
            if key := blob_key(value):
                value = blobs[key] if key in blobs else await self._store.blobs.get(key)
            channels[name] = value
        return {"answers": dict(thread.answers), **channels}

    async def _result(self, run: TurnRun, thread: ThreadState) -> Turn:
        waiting = thread.waiting
        error: TurnError | None = run.error
        status: Status = "failed" if error else "waiting" if waiting else "ended"
        said = [e.text for e in run.events if isinstance(e, Said | Prompted) and e.text]
        refused = [
            Refused(e.key, e.stage, e.reason)
            for e in run.events
            if isinstance(e, AnswerRefused) and e.stage != UNSUPPORTED_QUOTE
        ]
        artifacts = [Artifact(e.kind, e.name, e.path) for e in run.events if isinstance(e, ArtifactMade)]
        return Turn(
            thread=self.thread,
            agent=self.agent.name,
            status=status,
            reply="\n\n".join(said),
            waiting_for=waiting,
            path=tuple(e.node for e in run.events if isinstance(e, NodeEntered)),
            values=await self._public_values(run.agent, thread, run.blobs),
            artifacts=tuple(artifacts),
            usage=replace(run.usage, seconds=run.seconds),
            error=error,
            unread=run.unread,
            refused=tuple(refused),
            exception=run.exception,
        )


async def waits_for(store: Store, agent: AgentDefinition, thread: ThreadState) -> dict[str, Any] | None:
    """What a thread waits for as JSON, with the `schema` of the value and the pending `approval`, if there are any.

    `agent` has the flow in which the thread waits.
    """
    if thread.waiting is None:
        return None
    found = await approval_of(store, agent, thread)
    schema, question = _schema(agent, thread), _question(agent, thread)
    return {
        **thread.waiting.to_json(),
        **({"optional": True} if question is not None and is_optional(question) else {}),
        **({"schema": dict(schema)} if schema else {}),
        **({"approval": found.to_json()} if found is not None else {}),
    }


def _question(agent: AgentDefinition, thread: ThreadState) -> Question | None:
    """The question at which a thread waits, or None. `agent` has the flow in which the thread waits."""
    if thread.mode != "waiting" or thread.waiting is None or thread.waiting.kind == "message":
        return None
    return agent.flow.question(thread.at.node)


def _schema(agent: AgentDefinition, thread: ThreadState) -> Mapping[str, Any]:
    """The JSON Schema of the value that the thread waits for; empty if it accepts any, or waits at no question.

    `agent` has the flow in which the thread waits. Options from a channel are its `enum`.
    """
    waiting, question = thread.waiting, _question(agent, thread)
    if waiting is None or question is None:
        return {}
    if not question.options:
        return question.schema
    return {**question.schema, "enum": [option["value"] for option in waiting.options]}


async def _saved(work: TurnWork) -> None:
    """Write down the end of a turn. A cancellation that comes when it is written comes too late for this turn."""
    try:
        await work.flush()
    except asyncio.CancelledError:
        if work.pending:
            raise
        task = asyncio.current_task()
        assert task is not None
        task.uncancel()


class Shared:
    """Owned by a `Workspace` and passed to its sessions."""

    def __init__(self, store: Store, model: str | BaseChatModel | None, home: Path | None) -> None:
        self.store = store
        self._model = model
        self._home = home
        self._loading = threading.Lock()
        self._loaded: dict[str | None, BaseChatModel] = {}

    def model(self, wanted: str | BaseChatModel | None = None) -> BaseChatModel:
        """A chat model, loaded at the first call: the wanted one, by default that of the workspace.

        Raises the errors of `graphwright.models.load`.
        """
        from graphwright.models import load

        model = self._model if wanted is None else wanted
        if model is not None and not isinstance(model, str):
            return model
        with self._loading:
            if model not in self._loaded:
                self._loaded[model] = load(model, home=self._home)
            return self._loaded[model]


TYPE = "question"
"""The type of an interaction whose action gave it none."""


def log_turn(run: TurnRun, thread: ThreadState, turn: Turn) -> Writer | None:
    """Pass a turn to the interaction log. Returns the log's writer, or None if the log is off.

    Does not raise, and does not wait for the log.
    """
    from graphwright.store.interactions import record

    try:
        return record(run.store.home, _interaction(run, thread, turn))
    # The turn is done and answered, so a failure of the log does not concern the user.
    except Exception as error:
        logging.getLogger("graphwright").warning("The interaction log is not kept: %s", exception_text(error))
        return None


def _decision(run: TurnRun) -> str:
    """Return what a button decided about an approval in a turn: `approved`, `rejected`, or nothing."""
    if not any(event.resumed for event in run.events if isinstance(event, TurnStarted)):
        return ""
    if any(isinstance(event, ConfirmationGiven) for event in run.events):
        return "approved"
    answers = [event for event in run.events if isinstance(event, AnswerCommitted)]
    is_no = any(each.value is False and run.agent.flow.confirmed_by(each.node) for each in answers)
    return "rejected" if is_no else ""


def _interaction(run: TurnRun, thread: ThreadState, turn: Turn) -> Interaction:
    from graphwright.store.interactions._interaction import Interaction, bounded, bounded_object

    notes = [event for event in run.events if isinstance(event, InteractionNoted)]

    def last(name: str, otherwise: Any) -> Any:
        given = (getattr(note, name) for note in reversed(notes))
        return next((value for value in given if value not in ("", None)), otherwise)

    metadata: dict[str, Any] = {}
    if decision := _decision(run):
        metadata["decision"] = decision
    for note in notes:
        metadata |= note.metadata
    question = next((event.message for event in run.events if isinstance(event, TurnStarted)), thread.message)
    failure = f"{turn.error.message} [{turn.error.code}]" if turn.error is not None else ""
    error = last("error", "")
    return Interaction(
        id=f"{turn.thread}:{thread.born}:{thread.turn}",
        session=turn.thread,
        # A trial is no turn of the agent that users talk to.
        agent=turn.agent if run.agent.trial is None else run.agent.address,
        number=thread.turn,
        type=last("kind", TYPE),
        question=bounded(question or ""),
        code=last("code", ""),
        result=last("result", ""),
        reply=bounded(turn.reply),
        success=not failure and last("success", True),
        error=bounded("\n".join(filter(None, (failure, error)))),
        metadata=bounded_object(metadata),
        started=run.began,
        seconds=round(turn.usage.seconds, 3),
        model_calls=turn.usage.model_calls,
        tokens=turn.usage.input_tokens + turn.usage.output_tokens,
    )
