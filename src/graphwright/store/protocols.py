"""The port of the store: what callers may rely on, whatever database keeps it.

`graphwright.testing.store_suite` holds what every implementation must do. All methods raise `StoreError`; those that
write do it in one transaction.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

from graphwright.store.rows import (
    AcceptedRow,
    ApiKey,
    AuditEntry,
    Beginning,
    EventRow,
    FlowDraft,
    FlowVersion,
    Message,
    Outcome,
    OutcomeStatus,
    Record,
    Role,
    RunEvent,
    RunRow,
    RunStatus,
    ThreadChanges,
    ThreadRow,
    ThreadStatus,
    Upload,
)


class Threads(Protocol):
    """The conversations. They are written by turns."""

    async def get(self, thread: str) -> ThreadRow | None:
        """The row of a thread; None when there is none."""

    async def page(
        self,
        *,
        agent: str | None = None,
        status: ThreadStatus | None = None,
        text: str = "",
        after: tuple[str, str] | None = None,
        limit: int = 50,
        owner: str | None = None,
        begun: Collection[str] | None = None,
    ) -> list[ThreadRow]:
        """A page of threads, the one last touched first; `after` is (`updated`, `thread`) of the last one before it.

        `text` must be in the title or in a message, in any case. `begun` leaves those whose last commit was in the
        middle of a turn, and those named in it.
        """

    async def create(self, thread: str, *, agent: str, flow_id: str, flow_hash: str, title: str, time: str) -> bool:
        """Make the row of a thread that has no turn yet. False: there is one with this id."""

    async def rename(self, thread: str, title: str) -> None:
        """Give a thread another title; its `updated` stays."""

    async def delete(self, thread: str) -> bool:
        """Delete a thread with its state, events, messages, outcomes, runs, blobs of its own, and its folder.

        What agents keep as records stays. Hold the thread's lease, or a turn under way fails. False: no such thread.
        """


class Trace(Protocol):
    """The events of all threads."""

    async def read(self, thread: str, since: int = 0, limit: int | None = None) -> list[EventRow]:
        """The events with `seq >= since`, at most `limit`, in order; empty for a thread that does not exist."""

    async def of_type(self, thread: str, kind: str) -> list[EventRow]:
        """The events of one type, in order."""


class Messages(Protocol):
    """The messages of all threads."""

    async def read(self, thread: str) -> list[Message]:
        """The messages of a thread, in order."""

    async def window(self, thread: str, limit: int, *, before: int | None = None) -> list[Message]:
        """The last `limit` messages, or those before number `before`, oldest first.

        Costs the same however long the thread is.
        """


class Outcomes(Protocol):
    """The outcomes of all threads, keyed (thread, visit).

    An action that ended normally needs none: the step that it belongs to is written in one transaction. What has one
    is an action that may not be repeated, from the moment it starts, and one that may never be performed again.
    """

    async def get(self, thread: str, visit: int) -> Outcome | None:
        """What is known of a visit; None when nothing was noted."""


class Blobs(Protocol):
    """Content-addressed values. A blob lives as long as a thread that put it."""

    async def get(self, digest: str) -> Any:
        """The value with this hash. Raises `StoreError("no_such_blob")`."""


class Records(Protocol):
    """What agents keep, in named collections. Records outlive the thread that made them."""

    async def put_once(
        self, collection: str, key: str, value: Any, *, agent: str = "", thread: str = ""
    ) -> tuple[Any, bool]:
        """Keep a JSON value unless the key has one: `(value in the store, was it created now)`.

        Raises `StoreError("not_json")`.
        """

    async def get(self, collection: str, key: str) -> Record | None:
        """The record under a key; None when there is none."""

    async def list(self, collection: str, limit: int = 100, offset: int = 0) -> list[Record]:
        """The records of a collection, oldest first."""


class FlowDocuments(Protocol):
    """Flow documents by hash, and for each flow one draft and its published versions.

    A document is canonical JSON: keys sorted, no space between tokens, no character escaped that JSON allows as it is.
    Its hash is the SHA-256 of that text in hex, `CompiledFlow.hash`. Documents outlive the threads that run under them.
    """

    async def put(self, document: str) -> str:
        """Store a document unless it is stored, and return its hash. Raises `StoreError("not_canonical")`."""

    async def get(self, digest: str) -> str | None:
        """The document with this hash; None when there is none.

        Raises `StoreError("corrupted")` if the stored text does not have this hash.
        """

    async def draft(self, flow: str) -> FlowDraft | None:
        """The draft of a flow; None when there is none."""

    async def save_draft(self, flow: str, text: str, *, revision: int, author: str) -> FlowDraft:
        """Replace the draft with revision `revision`, 0 if there is none yet; returns the draft with its new revision.

        The text may be one that does not compile. Raises `StoreError("draft_changed")`, which says who saved the draft
        since and when; then nothing is written.
        """

    async def publish(self, flow: str, document: str, *, author: str, note: str = "") -> FlowVersion:
        """Store a document as the next version of a flow. A version never changes. Raises as `put` does."""

    async def versions(self, flow: str) -> list[FlowVersion]:
        """The published versions of a flow, the latest first."""

    async def latest(self, flow: str) -> FlowVersion | None:
        """The latest version of a flow; None when none was published."""


class Runs(Protocol):
    """Turns asked for over HTTP, with their events, and keys against starting one twice."""

    async def begin(
        self, run: str, thread: str, owner: str, worker: str, message: Any, key: str = "", request: str = ""
    ) -> RunRow:
        """Store a new run together with its message (JSON), or find the run that began under the same key.

        Raises `ThreadBusy` where another one of the thread is under way, `KeyReused` where the key was given with
        another request.
        """

    async def has_key(self, owner: str, key: str) -> bool:
        """Whether a run began under this key."""

    async def get(self, run: str) -> RunRow | None:
        """A run; None when there is none."""

    async def running(self, owner: str | None = None) -> list[RunRow]:
        """The runs that no worker has brought to an end, of one owner or all."""

    async def latest(self, thread: str) -> RunRow | None:
        """The last run of a thread; None when it had none."""

    async def write(self, run: str, first: int, events: Sequence[RunEvent], status: RunStatus | None = None) -> None:
        """Write events of a run, numbered from `first`; with `status` it has ended, and the last of them says how.

        Of a run whose thread was deleted nothing is written.
        """

    async def adopt(self, run: str, left_by: str, worker: str) -> int | None:
        """Make a run that a dead worker left behind the worker's; how many times it was left. None: another has it."""

    async def settle(self, run: str, status: RunStatus, event: RunEvent) -> bool:
        """End a run that its worker left behind. False: it had ended."""

    async def accepted(self, run: str) -> AcceptedRow | None:
        """What a run that has not ended was accepted for; None if there is no such run."""

    async def ask_to_cancel(self, run: str) -> None:
        """Note that a run is to be cancelled by the worker that is at it."""

    async def to_cancel(self, worker: str) -> list[str]:
        """The runs of a worker that somebody asked to cancel, and that are under way."""

    async def events(self, run: str, after: int = 0) -> list[tuple[int, RunEvent]]:
        """The events of a run with numbers above `after`, which count from 1."""

    def watch(self, run: str) -> AbstractAsyncContextManager[Callable[[float], Awaitable[None]]]:
        """Gives a function that waits until a run may have new events, at most so many seconds."""

    async def forget(self, before: str) -> None:
        """Drop the events of runs that ended before a time, and keys given before it."""


class Uploads(Protocol):
    """The files that users handed over, before a thread takes them: their names and sizes."""

    async def add(self, upload: Upload) -> None:
        """Write down an upload."""

    async def get(self, id: str) -> Upload | None:
        """An upload; None when there is none."""

    async def delete(self, id: str) -> None:
        """Forget an upload."""

    async def size(self, owner: str) -> tuple[int, int]:
        """How many uploads somebody has, and how many bytes."""

    async def before(self, time: str) -> list[Upload]:
        """The uploads from before a time."""


class Owners(Protocol):
    """To whom threads, files and runs belong."""

    async def claim(self, kind: str, id: str, owner: str) -> bool:
        """Make something that was just made the property of `owner`; False where it belongs to somebody else."""

    async def owner(self, kind: str, id: str) -> str:
        """The owner; of a thread without one `LOCAL`, of anything else without one an empty text."""

    async def thread(self, owner: str, id: str) -> ThreadRow | None:
        """A thread of this owner; None where there is none, or it is somebody else's."""

    async def threads(self, owner: str, most: int) -> list[str]:
        """The ids of the threads of a user that were touched last."""

    async def release(self, kind: str, id: str) -> None:
        """Forget to whom something belonged that is no more."""


class Keys(Protocol):
    """API keys: only their hashes are here."""

    async def add(self, key: ApiKey) -> None:
        """Keep a new key."""

    async def get(self, id: str) -> ApiKey | None:
        """The key with this id."""

    async def list(self) -> list[ApiKey]:
        """All keys, the newest first."""

    async def revoke(self, id: str) -> bool:
        """End a key for good; False where there is no such key. One that was revoked before keeps its time."""

    async def used(self, id: str) -> None:
        """Note that a key was used now."""


class Audit(Protocol):
    """The audit. It is only ever added to: the database itself refuses to change or delete a row."""

    def add(self, entries: Sequence[AuditEntry]) -> Awaitable[None]:
        """Write entries, all or none, with the time of now: before all that is asked of the store after this call."""

    async def page(self, limit: int, before: int | None = None, thread: str = "") -> list[AuditEntry]:
        """At most `limit` entries, the latest first, with numbers below `before`; of one thread or all."""


class Counters(Protocol):
    """Counts of requests by name in fixed windows of time, for all workers together."""

    async def add(self, name: str, window: int, count: int) -> int:
        """Add to the count of a window, and give it; windows of this name that are long past are forgotten.

        The clocks of two workers may differ by some windows.
        """


class Access(Protocol):
    """Who may do what, as the service keeps it."""

    owners: Owners
    keys: Keys
    audit: Audit
    counters: Counters


class TurnWork(Protocol):
    """The unit of work of a turn: what it has read of its thread, and what it will write. Made by `Store.turn`.

    Steps and outcomes are only noted until `flush` commits them together with the latest state: trace, messages, the
    thread's row and its state never disagree, whenever the process ends. Flush before anything that the outside
    world notices or that takes long; what is not flushed is dropped with the turn.
    """

    row: ThreadRow | None
    """The thread's row as it was when the turn began; None for a thread that does not exist yet."""

    state: Mapping[str, Any]
    """The state as it was when the turn began: `{thread, inbox}`; empty where there is none."""

    def time(self) -> str:
        """Now, as every row has it."""

    def note_thread(self, changes: ThreadChanges) -> None:
        """Note the row of a thread that does not exist yet, whole."""

    def note_state(self, thread: Mapping[str, Any], inbox: Mapping[str, Any]) -> None:
        """Note the state of the thread, and what came in that no step has taken in yet."""

    def note_step(
        self,
        *,
        visit: int,
        first_event: int,
        events: Sequence[Mapping[str, Any]],
        first_message: int,
        messages: Sequence[tuple[Role, str]],
        changes: ThreadChanges,
        state: Mapping[str, Any],
        event_times: Sequence[str] = (),
        message_times: Sequence[str] = (),
    ) -> None:
        """Note what a step did: its events and messages from these numbers on, the thread's row and its state.

        The times are when each event and message came about, by default now. `changes` holds the whole row; only the
        title is that of the first step. Raises `StoreError("not_json")`.
        """

    def note_outcome(self, visit: int, node: str, status: OutcomeStatus, attempt: int, result: Any = None) -> None:
        """Note what came of a visit of an action. Raises `StoreError("not_json")`."""

    def note_blob(self, value: Any) -> str:
        """Note a large JSON value, and give its hash; `Blobs.get` has it after `flush`.

        Raises `StoreError("not_json")`.
        """

    def note_flow(self, document: str) -> None:
        """Note the flow document that the thread runs under; `FlowDocuments.get` has it after `flush`.

        Costs nothing for a document that is known to be stored. Raises `StoreError("not_canonical")`.
        """

    def note_beginning(self, beginning: Beginning, title: str) -> None:
        """Note that this thread, which must be new, begins as another one did. Its own events and messages follow."""

    async def flush(self) -> None:
        """Commit all that was noted in one transaction. Nothing at all is written where it raises."""

    @property
    def pending(self) -> bool:
        """Whether something noted is not written yet."""


class Store(Protocol):
    """Everything that outlives the process. `open_store` opens one.

    `home` is the data folder: threads have a folder each in it, for files given and made. `label` names the store to
    people, without secrets.
    """

    home: Path
    label: str
    threads: Threads
    events: Trace
    messages: Messages
    outcomes: Outcomes
    blobs: Blobs
    records: Records
    flows: FlowDocuments
    runs: Runs
    uploads: Uploads
    access: Access

    def time(self) -> str:
        """Now, as every row has it: ISO 8601 in UTC with microseconds, so that texts sort by time."""

    def turn(self, thread: str, *, patience: float = 60.0) -> AbstractAsyncContextManager[TurnWork]:
        """Hold a thread for a turn: its lease, what is known of it, and what the turn is going to write.

        `patience` is how many seconds to wait for another turn of the thread.
        Raises `LeaseTimeout`, and `StoreError` as every reader does.
        """

    def lease(self, thread: str, *, timeout: float = 60.0) -> AbstractAsyncContextManager[object]:
        """Hold a thread while its turn is served: `async with store.lease(thread):`.

        One holder at a time among all processes that share the store; a holder that dies gives it back. Tasks of one
        process are served in the order they came. It is not reentrant. `timeout` is in seconds. Raises
        `LeaseTimeout` naming who holds the thread.
        """

    async def held(self, threads: Collection[str]) -> set[str]:
        """Those of the threads that are held at this moment, by this process or another one."""

    async def held_elsewhere(self, thread: str) -> bool:
        """Whether another process holds the thread."""

    async def current(self, rows: Sequence[ThreadRow]) -> list[ThreadRow]:
        """The rows as they are now, each with its live status.

        It is `running` while a turn holds the thread, and `cut_short` if the last turn was interrupted.
        """

    async def state(self, thread: str) -> dict[str, Any]:
        """The state of a thread as its last turn left it, `{thread, inbox}`; empty for one that does not exist."""

    async def require_ready(self) -> None:
        """Raise `StoreError` where the store cannot be read, or is no longer where it was opened."""
