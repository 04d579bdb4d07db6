"""The interface of the store, independent of the database.

`graphwright.testing.store_suite` tests every implementation. All methods raise `StoreError`; each write is one
transaction.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol, Unpack

from graphwright.store.rows import (
    AcceptedRow,
    ApiKey,
    AuditEntry,
    Beginning,
    EventRow,
    Feedback,
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
    ThreadChoice,
    ThreadRow,
    Upload,
)

__all__ = [
    "Threads",
    "Trace",
    "Messages",
    "Feedbacks",
    "Outcomes",
    "Blobs",
    "Records",
    "FlowDocuments",
    "Runs",
    "Uploads",
    "Owners",
    "Keys",
    "Audit",
    "Counters",
    "Access",
    "TurnWork",
    "Store",
]


class Threads(Protocol):
    """The threads. Turns write them."""

    async def get(self, thread: str) -> ThreadRow | None:
        """Return the row of a thread, or None."""

    async def page(self, **chosen: Unpack[ThreadChoice]) -> list[ThreadRow]:
        """Return a page of threads, as `ThreadChoice` describes."""

    async def every(self, **chosen: Unpack[ThreadChoice]) -> AsyncIterator[ThreadRow]:
        """Yield all threads that `page` would return, page after page."""
        chosen["limit"] = 1000
        while rows := await self.page(**chosen):
            for row in rows:
                yield row
            chosen["after"] = rows[-1].updated, rows[-1].thread

    async def family(self, family: str) -> list[ThreadRow]:
        """Return the threads of a family, the oldest first."""

    async def folders(self, owner: str) -> Mapping[str, int]:
        """Return the number of threads in each folder of an owner, by its name in order."""

    async def mark(
        self, thread: str, *, pinned: bool | None = None, folder: str | None = None, model: str | None = None
    ) -> None:
        """Change the choices of a thread's owner that are not None; its `updated` stays."""

    async def create(
        self, thread: str, *, agent: str, flow_id: str, flow_hash: str, title: str, time: str, source: str = ""
    ) -> bool:
        """Create the row of a thread without a turn. Return False if the id exists.

        With `source` it is a branch of that thread from its first turn on, with its family, folder and model.
        """

    async def rename(self, thread: str, title: str) -> None:
        """Change the title of a thread; its `updated` stays."""

    async def delete(self, thread: str) -> bool:
        """Delete a thread with its state, events, messages, outcomes, runs, unshared blobs, and its folder.

        Records of agents stay. Hold the thread's lease, otherwise a running turn fails. Return False if there is no
        such thread.
        """


class Trace(Protocol):
    """The events of all threads."""

    async def read(self, thread: str, since: int = 0, limit: int | None = None) -> list[EventRow]:
        """Return the events with `seq >= since`, at most `limit`, in order; empty for a thread that does not exist."""

    async def of_type(self, thread: str, *types: str) -> list[EventRow]:
        """Return the events of these types, in order."""

    async def last(self, threads: Collection[str], number: int) -> Mapping[str, list[EventRow]]:
        """Return the last events of several threads, at most `number` of each, in order."""

    async def of_threads(self, threads: Collection[str], *types: str) -> Mapping[str, list[EventRow]]:
        """Return the events of these types in several threads, in order, and the last event of each of their turns."""


class Messages(Protocol):
    """The messages of all threads."""

    async def read(self, thread: str) -> list[Message]:
        """Return the messages of a thread, in order."""

    async def window(self, thread: str, limit: int, *, before: int | None = None) -> list[Message]:
        """Return the last `limit` messages, or those before number `before`, oldest first.

        The cost does not depend on the length of the thread.
        """

    async def last_with(self, threads: Collection[str], text: str) -> Mapping[str, Message]:
        """Return the last message of each thread that contains the text, ignoring case; none for the other threads."""


class Feedbacks(Protocol):
    """The ratings of answers by users. It is deleted with its thread."""

    async def put(self, feedback: Feedback) -> None:
        """Store the feedback about a turn; it replaces an earlier one."""

    async def of(self, thread: str) -> list[Feedback]:
        """Return the feedback about a thread, by turn."""

    async def delete(self, thread: str, turn: int) -> None:
        """Delete the feedback about a turn."""


class Outcomes(Protocol):
    """The outcomes of all threads, keyed (thread, visit).

    An action that ended normally needs no outcome, since its step is written in one transaction. An outcome is stored
    when an action that must not be repeated starts, and for an action that must never be performed again.
    """

    async def get(self, thread: str, visit: int) -> Outcome | None:
        """Return the outcome of a visit, or None."""


class Blobs(Protocol):
    """Content-addressed values. A blob is kept while a thread that stored it exists."""

    async def get(self, digest: str) -> Any:
        """Return the value with this hash. Raises `StoreError("no_such_blob")`."""


class Records(Protocol):
    """The records of agents, in named collections. They outlive the thread that created them."""

    async def put_once(
        self, collection: str, key: str, value: Any, *, agent: str = "", thread: str = ""
    ) -> tuple[Any, bool]:
        """Store a JSON value unless the key exists. Return `(value in the store, whether it was created now)`.

        Raises `StoreError("not_json")`.
        """

    async def get(self, collection: str, key: str) -> Record | None:
        """Return the record under a key, or None."""

    async def list(self, collection: str, limit: int = 100, offset: int = 0) -> list[Record]:
        """Return the records of a collection, oldest first."""

    async def collections(self) -> Mapping[str, int]:
        """Return the number of records of each collection, by its name in order."""

    async def delete(self, thread: str) -> None:
        """Delete the records that a thread created."""


class FlowDocuments(Protocol):
    """Flow documents by hash, and for each flow one draft and its published versions.

    A document is canonical JSON: sorted keys, no space between tokens, no unnecessary escapes. Its hash is the SHA-256
    of that text in hex, `CompiledFlow.hash`. Documents outlive the threads that run under them.
    """

    async def put(self, document: str) -> str:
        """Store a document unless it is stored, and return its hash. Raises `StoreError("not_canonical")`."""

    async def get(self, digest: str) -> str | None:
        """Return the document with this hash, or None.

        Raises `StoreError("corrupted")` if the stored text does not have this hash.
        """

    async def hashes(self, prefix: str, limit: int = 2) -> list[str]:
        """Return at most `limit` hashes of stored documents that begin with `prefix`, sorted."""

    async def code(self, digest: str) -> dict[str, Any] | None:
        """Return what the code declared when the document was last served as the present version, or None.

        `actions` maps names to `{reads, writes, effects}`; `prompts` is a hash of the prompts.
        """

    async def draft(self, flow: str) -> FlowDraft | None:
        """Return the draft of a flow, or None."""

    async def save_draft(self, flow: str, text: str, *, revision: int, author: str) -> FlowDraft:
        """Replace the draft with revision `revision`, 0 if there is none yet; return the draft with its new revision.

        The text need not compile. Raises `StoreError("draft_changed")`, with the author and time of the newer draft;
        nothing is written then.
        """

    async def publish(
        self,
        flow: str,
        document: str,
        *,
        author: str,
        note: str = "",
        text: str = "",
        after: int | None = None,
        audit: Callable[[FlowVersion], AuditEntry] | None = None,
    ) -> FlowVersion:
        """Store a document as the next version of a flow, with the text that it was written as.

        A version never changes. With `after` it is stored only if the latest version has this number, 0 for none. The
        entry that `audit` returns is added to the audit in the same transaction.
        Raises the errors of `put`, and `StoreError("version_changed")`.
        """

    async def versions(self, flow: str) -> list[FlowVersion]:
        """Return the published versions of a flow, the latest first."""

    async def latest(self, flow: str) -> FlowVersion | None:
        """Return the latest version of a flow, or None."""


class Runs(Protocol):
    """Turns requested over HTTP, with their events, and idempotency keys."""

    async def begin(
        self, run: str, thread: str, owner: str, worker: str, message: Any, key: str = "", request: str = ""
    ) -> RunRow:
        """Store a new run with its message (JSON), or return the run that began under the same key.

        Raises `ThreadBusy` if another run of the thread is running, `KeyReused` if the key belongs to another request.
        """

    async def has_key(self, owner: str, key: str) -> bool:
        """Return whether a run began under this key."""

    async def get(self, run: str) -> RunRow | None:
        """Return a run, or None."""

    async def running(self, owner: str | None = None) -> list[RunRow]:
        """Return the runs that have not ended, of one owner or all."""

    async def latest(self, thread: str) -> RunRow | None:
        """Return the last run of a thread, or None."""

    async def write(
        self, run: str, worker: str, first: int, events: Sequence[RunEvent], status: RunStatus | None = None
    ) -> bool:
        """Store events of a run, numbered from `first`; with `status` the run has ended, and the last event is its end.

        Events that are stored again replace those from the same number on. Returns False, and stores nothing, if the
        run is another worker's, or its thread was deleted.
        """

    async def owned(self, run: str, worker: str) -> bool:
        """Return whether the run is running, and `worker` is the one that runs it."""

    async def adopt(self, run: str, left_by: str, left: int, worker: str) -> bool:
        """Assign the run of a dead worker to `worker`. `left` is the number of its dead workers before.

        Returns False if another worker was first, also if that is `left_by` itself, which was not dead.
        """

    async def end_dead_run(self, run: str, status: RunStatus, event: RunEvent) -> bool:
        """End the run of a dead worker. Return False if it had already ended."""

    async def accepted(self, run: str) -> AcceptedRow | None:
        """Return the accepted message of a run that has not ended, or None."""

    async def ask_to_cancel(self, run: str) -> None:
        """Request that the worker of a run cancels it."""

    async def to_cancel(self, worker: str) -> list[str]:
        """Return the running runs of a worker with a request to cancel."""

    async def events(self, run: str, after: int = 0) -> list[tuple[int, RunEvent]]:
        """Return the events of a run with numbers above `after`, counted from 1."""

    def watch(self, run: str) -> AbstractAsyncContextManager[Callable[[float], Awaitable[None]]]:
        """Yield a function that waits until a run may have new events, at most the given number of seconds."""

    async def forget(self, before: str) -> None:
        """Delete the events of runs that ended before a time, and older idempotency keys."""


class Uploads(Protocol):
    """The metadata of uploaded files."""

    async def add(self, upload: Upload) -> None:
        """Store the metadata of an upload."""

    async def get(self, id: str) -> Upload | None:
        """Return an upload, or None."""

    async def delete(self, id: str) -> None:
        """Delete the metadata of an upload."""

    async def size(self, owner: str) -> tuple[int, int]:
        """Return the number and the total bytes of an owner's uploads."""

    async def before(self, time: str) -> list[Upload]:
        """Return the uploads from before a time."""


class Owners(Protocol):
    """The owners of threads, files and runs."""

    async def claim(self, kind: str, id: str, owner: str) -> bool:
        """Make `owner` the owner of something new. Return False if it has another owner."""

    async def owner(self, kind: str, id: str) -> str:
        """Return the owner; without one, `LOCAL` for a thread and an empty text for anything else."""

    async def thread(self, owner: str, id: str) -> ThreadRow | None:
        """Return a thread of this owner, or None."""

    async def threads(self, owner: str, most: int) -> list[str]:
        """Return the ids of an owner's most recently updated threads, at most `most`."""

    async def release(self, kind: str, id: str) -> None:
        """Remove the owner of something that was deleted."""


class Keys(Protocol):
    """API keys, stored as hashes."""

    async def add(self, key: ApiKey) -> None:
        """Store a new key."""

    async def get(self, id: str) -> ApiKey | None:
        """Return the key with this id, or None."""

    async def list(self) -> list[ApiKey]:
        """Return all keys, the newest first."""

    async def revoke(self, id: str) -> bool:
        """Revoke a key permanently; return False if it does not exist. A second call keeps the time of the first."""

    async def used(self, id: str) -> None:
        """Set the time of the last use of a key to now."""


class Audit(Protocol):
    """The audit log. It is append-only: the database itself refuses to change or delete a row."""

    def add(self, entries: Sequence[AuditEntry], *, again: bool = False) -> Awaitable[None]:
        """Store entries, all or none, before everything that is queued after this call.

        An entry without a time gets the current one. `again`: an earlier call may have stored some of them, with the
        same time; these are not stored twice.
        """

    async def page(
        self,
        limit: int,
        before: int | None = None,
        thread: str = "",
        agent: str = "",
        events: Collection[str] = (),
        *,
        text: str = "",
        since: str = "",
        until: str = "",
    ) -> list[AuditEntry]:
        """Return at most `limit` entries, the latest first, with numbers below `before`.

        `thread`, `agent` and `events` select entries, `text` those with it in the names of their user, agent or action,
        `since` and `until` those from a time on and before one; empty ones select all.
        """


class Counters(Protocol):
    """Counts of requests by name in fixed time windows, shared by all workers."""

    async def add(self, name: str, window: int, count: int) -> int:
        """Add to the count of a window, and return it. Windows of this name that ended long ago are deleted.

        The clocks of two workers may differ by several windows.
        """


class Access(Protocol):
    """The data of access control."""

    owners: Owners
    keys: Keys
    audit: Audit
    counters: Counters


class TurnWork(Protocol):
    """The unit of work of a turn: the data read from its thread, and the pending writes. Created by `Store.turn`.

    Steps and outcomes are only noted until `flush` commits them together with the latest state: trace, messages, row
    and state of the thread are always consistent, whenever the process ends. Flush before side effects and before long
    operations; writes that are not flushed are dropped with the turn.
    """

    row: ThreadRow | None
    """The thread's row at the beginning of the turn, or None for a new thread."""

    state: Mapping[str, Any]
    """The state at the beginning of the turn: `{thread, inbox}`; empty if there is none."""

    def time(self) -> str:
        """Return the current time in the format of the rows."""

    def note_thread(self, changes: ThreadChanges) -> None:
        """Note the whole row of a thread that does not exist yet."""

    def note_state(self, thread: Mapping[str, Any], inbox: Mapping[str, Any]) -> None:
        """Note the state of the thread, and the input that no step has processed yet."""

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
        """Note a step: its events and messages from these numbers on, the thread's row and its state.

        The times are those of each event and message, by default now. `changes` is the whole row; only the title stays
        that of the first step. Raises `StoreError("not_json")`.
        """

    def note_outcome(self, visit: int, node: str, status: OutcomeStatus, attempt: int, result: Any = None) -> None:
        """Note the outcome of an action's visit. Raises `StoreError("not_json")`."""

    def note_blob(self, value: Any) -> str:
        """Note a large JSON value, and return its hash; `Blobs.get` returns the value after `flush`.

        Raises `StoreError("not_json")`.
        """

    def note_flow(self, document: str, code: str = "") -> None:
        """Note the flow document under which the thread runs; `FlowDocuments.get` returns it after `flush`.

        `code` is JSON for `FlowDocuments.code`; without it what is stored stays. Does nothing for a document and code
        that are known to be stored. Raises `StoreError("not_canonical")`.
        """

    def note_audit(self, entry: AuditEntry) -> None:
        """Note an entry of the audit log, which is written with the rest."""

    def note_beginning(self, beginning: Beginning, title: str) -> None:
        """Note that this new thread begins with a copy of another one's beginning. Later events and messages follow.

        It has the family, the folder and the model of the other one.
        """

    async def flush(self) -> None:
        """Commit all pending writes in one transaction. If it raises, nothing was written, or this is unknown."""

    def require_lease(self) -> None:
        """Raise `StoreError("lease_lost")` if another process may hold the thread now: nothing may be done for it."""

    @property
    def pending(self) -> bool:
        """Whether something noted is not written yet."""


class Store(Protocol):
    """The durable data of all threads and of the service. `open_store` opens a store.

    `home` is the data folder: each thread has a folder in it, for files received and created. `label` names the store
    for people, without secrets.
    """

    home: Path
    label: str
    threads: Threads
    events: Trace
    messages: Messages
    feedback: Feedbacks
    outcomes: Outcomes
    blobs: Blobs
    records: Records
    flows: FlowDocuments
    runs: Runs
    uploads: Uploads
    access: Access

    def time(self) -> str:
        """Return the current time as in every row: ISO 8601 in UTC with microseconds, so that texts sort by time."""

    def turn(self, thread: str, *, timeout_seconds: float = 60.0) -> AbstractAsyncContextManager[TurnWork]:
        """Hold a thread for a turn: its lease, the data read, and the unit of work.

        `timeout_seconds` is the number of seconds to wait for another turn of the thread. Raises `LeaseTimeout`, and
        `StoreError` like every read.
        """

    def free_turns(self, threads: Collection[str]) -> AbstractAsyncContextManager[dict[str, TurnWork]]:
        """Hold, like `turn`, those of several threads that exist, are undamaged, and that no process holds."""

    def lease(self, thread: str, *, timeout_seconds: float = 60.0) -> AbstractAsyncContextManager[object]:
        """Hold a thread for a turn: `async with store.lease(thread):`.

        One holder at a time among all processes that share the store; if the holder dies, the lease is released. Tasks
        of one process get it in order. It is not reentrant. Raises `LeaseTimeout` after `timeout_seconds`, which names
        the holder.
        """

    async def leased(self, threads: Collection[str]) -> set[str]:
        """Return the threads that are held now, by this process or another one."""

    async def held_elsewhere(self, thread: str) -> bool:
        """Return whether another process holds the thread."""

    async def current(self, rows: Sequence[ThreadRow]) -> list[ThreadRow]:
        """Return rows with their status as it is now: `cut_short` for one that runs and that no process holds."""

    async def state(self, thread: str) -> dict[str, Any]:
        """Return the state of a thread after its last turn, `{thread, inbox}`; empty for an unknown thread."""

    async def require_ready(self) -> None:
        """Raise `StoreError` if the store cannot be read, or is no longer at the place of its opening."""
