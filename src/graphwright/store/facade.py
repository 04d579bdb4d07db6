"""The one door to the store: open it, and reach everything it keeps."""

# What is heavy to import (SQLAlchemy, LangGraph, asyncio) is imported when a store is opened, because the
# command line imports this module before it knows whether it needs one.

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.store.errors import StoreError
from graphwright.store.rows import Role, ThreadChanges

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from sqlalchemy import Connection

    from graphwright.store.database import Database

FILE = "graphwright.db"


def utc_now() -> datetime:
    """The time of day, in UTC."""
    return datetime.now(UTC)


class Store:
    """Everything that outlives the process, in one database file.

    `threads`, `events`, `messages`, `outcomes`, `blobs` and `records` are the tables by concept. Every method
    that touches the database is one transaction and raises `StoreError`. Made by `open_store`.
    """

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        from asyncio import Lock

        from graphwright.store.blobs import Blobs
        from graphwright.store.lease import Leases
        from graphwright.store.messages import Messages
        from graphwright.store.outcomes import Outcomes
        from graphwright.store.records import Records
        from graphwright.store.threads import Threads
        from graphwright.store.trace import Trace

        self._database = database
        self._now = now
        self._leases = Leases(database.place.parent / "locks", self.time)
        self._saver: AsyncSqliteSaver | None = None
        self._opening_saver = Lock()
        self.threads = Threads(database, self.time)
        self.events = Trace(database, self.time)
        self.messages = Messages(database, self.time)
        self.outcomes = Outcomes(database, self.time)
        self.blobs = Blobs(database)
        self.records = Records(database, self.time)

    @property
    def path(self) -> Path:
        """The database file. It may not exist in a store opened with `create=False`."""
        return self._database.place

    def time(self) -> str:
        """Now, as every row has it: ISO 8601 in UTC with microseconds, so that texts sort by time."""
        return self._now().astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

    async def commit_step(
        self,
        thread: str,
        *,
        visit: int = 0,
        first_event: int = 0,
        events: Sequence[Mapping[str, Any]] | None = None,
        first_message: int = 0,
        messages: Sequence[tuple[Role, str]] | None = None,
        changes: ThreadChanges | None = None,
    ) -> None:
        """Write what a step did in one transaction: its events, its messages, and the thread's row.

        Events and messages replace the tail of the thread from `first_event` and `first_message` on, so a
        step that is run again after a crash may be written again; None leaves the tail alone. `changes` makes
        the thread's row when there is none. Raises `StoreError`: `incomplete_thread`, `no_such_thread`,
        `not_json`.
        """
        from graphwright.store.messages import encode_messages, write_messages
        from graphwright.store.threads import encode_changes, write_thread
        from graphwright.store.trace import encode_events, write_events

        time = self.time()
        columns = encode_changes(changes or {})
        event_rows = encode_events(thread, visit, first_event, events or (), time)
        message_rows = encode_messages(thread, first_message, messages or (), time)

        def work(connection: Connection) -> None:
            write_thread(connection, thread, columns, time)
            if events is not None:
                write_events(connection, thread, first_event, event_rows)
            if messages is not None:
                write_messages(connection, thread, first_message, message_rows)

        await self._database.run(work)

    def lease(self, thread: str, *, timeout: float = 60.0) -> AbstractAsyncContextManager[None]:
        """Hold a thread while its turn is served: `async with store.lease(thread):`.

        One holder at a time among all processes of this machine; the system gives the lease back when its
        holder dies. Tasks of one process are served in the order they came. It is not reentrant. `timeout` is
        in seconds. Raises `LeaseTimeout` naming who holds the thread.
        """
        self._require_file()
        return self._leases.hold(thread, timeout)

    async def checkpointer(self) -> AsyncSqliteSaver:
        """LangGraph's saver on the same file, with its own connection; the store closes it."""
        from graphwright.store.checkpoints import open_saver

        self._require_file()
        async with self._opening_saver:
            if self._saver is None:
                try:
                    self._saver = await open_saver(self._database)
                except Exception as error:
                    told = self.explain(error)
                    if told is None:
                        raise
                    raise told from error
        return self._saver

    async def prune(self, thread: str) -> None:
        """Remove all checkpoints of a thread but the latest, with the writes that belonged to them."""
        from graphwright.store import checkpoints

        await self._database.run(lambda c: checkpoints.prune(c, thread))

    def explain(self, error: BaseException) -> StoreError | None:
        """What an error that came out of the checkpointer means; None when it is not the database's."""
        return self._database.explain(error)

    async def close(self) -> None:
        """Close all connections. The store cannot be used afterwards."""
        from graphwright.store.database import uninterrupted

        # Each connection has a thread of its own, which would keep a cancelled program from ending.
        await uninterrupted(self._close())

    async def _close(self) -> None:
        try:
            if self._saver is not None:
                await self._saver.conn.close()
        finally:
            await self._database.close()

    def _require_file(self) -> None:
        if self._database.path is None:
            raise StoreError(
                "absent", f"There is no data yet: {self.path} does not exist.", "Start a conversation first."
            )


@asynccontextmanager
async def open_store(
    home: Path | None = None,
    *,
    url: str | None = None,
    create: bool = True,
    busy_timeout: float = 10.0,
    now: Callable[[], datetime] = utc_now,
) -> AsyncIterator[Store]:
    """Open the store in the folder `home` (default: the data home), or the SQLite database of a `url`.

    With `create=False` nothing is made on the disk: where there is no database the store reads as empty, and
    writing raises `StoreError("absent")`. `busy_timeout` is how many seconds to wait for another process that
    writes. `now` gives the time. Raises `StoreError`: `cannot_open`, `corrupted`, `foreign_database`,
    `locked`, `newer_schema`, `not_a_database`, `not_a_folder`, `read_only`, `unsupported_url`.
    """
    from graphwright.store.database import Database

    database = await Database.open(_place(home, url), busy_timeout=busy_timeout, create=create)
    store = Store(database, now)
    try:
        yield store
    finally:
        await store.close()


def _place(home: Path | None, url: str | None) -> Path:
    if url is not None:
        from sqlalchemy import make_url
        from sqlalchemy.exc import ArgumentError

        try:
            parsed = make_url(url)
        except ArgumentError:
            parsed = None
        in_memory = (None, "", ":memory:")
        if parsed is None or parsed.get_backend_name() != "sqlite" or parsed.database in in_memory:
            backend = "the URL" if parsed is None else parsed.render_as_string(hide_password=True)
            raise StoreError(
                "unsupported_url",
                f"The store cannot use {backend}: it keeps its data in a SQLite file.",
                "Write sqlite:////folder/graphwright.db, or leave the URL out and set GRAPHWRIGHT_HOME.",
            )
        return Path(str(parsed.database)).absolute()
    if home is None:
        from graphwright.store.home import data_home

        home = data_home()
    return home.absolute() / FILE
