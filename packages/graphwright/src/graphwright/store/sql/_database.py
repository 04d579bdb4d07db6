"""The database behind a store: its thread and connection, the leases of its threads, and its compiled statements."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from sqlalchemy import ClauseElement, Connection, Engine, Executable, RowMapping
from sqlalchemy.dialects.postgresql import Insert
from sqlalchemy.exc import SQLAlchemyError

from graphwright.store._errors import LeaseTimeout, StoreError

Lock = TypeVar("Lock")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.1


class Leases(ABC, Generic[Lock]):
    """The leases of one database: a lock per thread, and a queue for the tasks of each event loop."""

    def __init__(self) -> None:
        self._queues: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()

    @contextlib.asynccontextmanager
    async def hold(self, thread: str, timeout_seconds: float) -> AsyncIterator[Lock]:
        """Hold the thread. Tasks of this process get it in order.

        `timeout_seconds` is in seconds. Raises `LeaseTimeout`, and `StoreError` if locking fails.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_seconds
        # The lock of a queue exists while a task waits in it.
        queue = self._queues.setdefault((id(loop), thread), asyncio.Lock())
        try:
            async with asyncio.timeout_at(deadline):
                await queue.acquire()
        except TimeoutError:
            raise _timed_out(thread, timeout_seconds, "another turn of this process holds it") from None
        try:
            lock = await self._lock(thread, timeout_seconds, deadline)
            try:
                yield lock
            finally:
                self.release(thread, lock)
        finally:
            queue.release()

    @contextlib.asynccontextmanager
    async def hold_free(self, threads: Collection[str]) -> AsyncIterator[dict[str, Lock]]:
        """Lock those of the threads that are not locked, and yield the locks. Raises `StoreError` if locking fails."""
        loop = asyncio.get_running_loop()
        queues: dict[str, asyncio.Lock] = {}
        try:
            for thread in threads:
                queue = self._queues.setdefault((id(loop), thread), asyncio.Lock())
                if not queue.locked():
                    await queue.acquire()
                    queues[thread] = queue
            locks = await self.attempt_all(list(queues))
            try:
                yield locks
            finally:
                self.release_all(locks)
        finally:
            for queue in queues.values():
                queue.release()

    async def attempt_all(self, threads: Sequence[str]) -> dict[str, Lock]:
        """Lock those of the threads that are not locked already."""
        locks: dict[str, Lock] = {}
        try:
            for thread in threads:
                if (lock := await self.attempt(thread)) is not None:
                    locks[thread] = lock
        except BaseException:
            self.release_all(locks)
            raise
        return locks

    def release_all(self, locks: Mapping[str, Lock]) -> None:
        """Release several locks."""
        for thread, lock in locks.items():
            self.release(thread, lock)

    @abstractmethod
    async def leased(self, threads: Collection[str]) -> set[str]:
        """Return the threads that are held now, by this process or another one."""

    @abstractmethod
    async def held_elsewhere(self, thread: str) -> bool:
        """Return whether another process holds the thread."""

    @abstractmethod
    async def attempt(self, thread: str) -> Lock | None:
        """Lock the thread, or return None if it is already locked."""

    @abstractmethod
    def release(self, thread: str, lock: Lock) -> None:
        """Release the lock."""

    @abstractmethod
    async def holder(self, thread: str) -> str:
        """Return a text that names the holder of the thread."""

    async def _lock(self, thread: str, timeout_seconds: float, deadline: float) -> Lock:
        pause = _FIRST_PAUSE
        while (lock := await self.attempt(thread)) is None:
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                raise _timed_out(thread, timeout_seconds, await self.holder(thread))
            await asyncio.sleep(min(pause, left))
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        return lock


def _timed_out(thread: str, timeout_seconds: float, holder: str) -> LeaseTimeout:
    return LeaseTimeout(
        "lease_timeout",
        f"Waited {timeout_seconds:g} s for the thread `{thread}`: {holder}.",
        "Send the message again when that turn is over, or end the process that holds the thread.",
    )


Write = Callable[[Connection], None]
"""A write of a turn, which runs inside its transaction."""


_STYLES = {"sqlite": "qmark", "postgresql": "format"}
_TOGETHER = 100


class Prepared:
    """A statement with named parameters only: the columns of an insert, and bindparams."""

    def __init__(self, statement: ClauseElement) -> None:
        self.statement = statement
        self._compiled: dict[str, tuple[str, tuple[str, ...]]] = {}

    def all(self, connection: Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run the statement and return its rows."""
        sql, names = self._compiled.get(connection.dialect.name) or self._compile(connection)
        rows: list[tuple[Any, ...]] = driver(connection).execute(sql, [values[n] for n in names]).fetchall()
        return rows

    def run(self, connection: Connection, values: Mapping[str, Any]) -> None:
        """Run the statement once."""
        sql, names = self._compiled.get(connection.dialect.name) or self._compile(connection)
        driver(connection).execute(sql, [values[n] for n in names])

    def run_many(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run the statement, a plain insert, once per row."""
        sql, names = self._compiled.get(connection.dialect.name) or self._compile(connection)
        cursor = driver(connection).cursor()
        if connection.dialect.name == "sqlite":
            cursor.executemany(sql, [[row[n] for n in names] for row in rows])
            return
        # A statement costs the server more than its rows do, so several rows share one.
        begins, _, one = sql.partition(" VALUES ")
        for start in range(0, len(rows), _TOGETHER):
            some = rows[start : start + _TOGETHER]
            cursor.execute(f"{begins} VALUES {', '.join([one] * len(some))}", [row[n] for row in some for n in names])

    def _compile(self, connection: Connection) -> tuple[str, tuple[str, ...]]:
        dialect: Any = type(connection.dialect)
        compiled: Any = self.statement.compile(dialect=dialect(paramstyle=_STYLES[connection.dialect.name]))
        found = self._compiled[connection.dialect.name] = str(compiled), tuple(compiled.positiontup or ())
        return found


def driver(connection: Connection) -> Any:
    """Return the driver's own connection."""
    return connection.connection.driver_connection


def replacing(put: Insert) -> Insert:
    """Return the insert with a clause that replaces a row of the same key."""
    others = {c.name: put.excluded[c.name] for c in put.table.c if not c.primary_key}
    return put.on_conflict_do_update(index_elements=[c for c in put.table.c if c.primary_key], set_=others)


T = TypeVar("T")

LOOK = 0.5
"""Seconds between two reads of a run without notifications."""

TOGETHER = 64
"""Maximum number of jobs in one commit."""


@dataclass(slots=True)
class Job:
    """Queued database work and its future, which belongs to the event loop of the caller."""

    work: Callable[[Connection], Any]
    future: asyncio.Future[Any]
    reads: bool
    lease: Any = None
    result: Any = None
    error: BaseException | None = None

    def resolve(self) -> None:
        """Set the result or the error of the future."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Database(ABC):
    """One connection in a dedicated thread; transactions run one after the other.

    A whole transaction is one job of that thread: an async driver would hand over every statement. Waiting jobs are
    committed together, so that many sessions share the cost of one commit. Callers may run in different event loops.
    `label` names the database for people, `home` is the data folder. Call `prepare` first.
    """

    leases: Leases[Any]
    is_local = False
    closed_errors: tuple[type[BaseException], ...] = (SQLAlchemyError, OSError, UnicodeDecodeError)

    def __init__(self, home: Path, label: str, engine: Engine) -> None:
        self.home = home
        self.label = label
        self._engine = engine
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="graphwright-store")
        self._connection: Connection | None = None
        self._closed = False
        self._prepared = False
        self._waiting: deque[Job] = deque()
        self._serving = False
        self._lock = threading.Lock()
        self.known_documents: set[tuple[str, str]] = set()
        """The flow documents that turns of this process have stored, each with what the code declared."""

    async def prepare(self) -> None:
        """Create or migrate the tables. Does nothing after the first success."""
        if not self._prepared:
            await self.read(self._prepare_once)
            self._prepared = True

    def run(self, work: Callable[[Connection], T], *, lease: Any = None) -> Coroutine[Any, Any, T]:
        """Run `work` in one transaction and commit it. If it raises, only its own changes are rolled back.

        The call queues it, before everything that is queued later; the returned coroutine waits for its end. With the
        lock of a `lease`, nothing is committed after the lease is lost.

        `work` must write before it reads, so that the data cannot change in between. Cancelling does not interrupt a
        transaction: it is finished first, so a lease is never released during a write.
        """
        return uninterrupted(self._queued(work, reads=False, lease=lease))

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work`, which only reads: it does not wait for other programs that write."""
        return await uninterrupted(self._queued(work, reads=True))

    async def read_short(self, work: Callable[[Connection], T]) -> T:
        """Run `work`, which reads a few rows by their keys.

        An idle database on a local file runs it in the calling thread, which is faster than switching threads.
        """
        with self._lock:
            here = self.is_local and not self._serving and not self._closed
            self._serving = self._serving or here
        if not here:
            return await self.read(work)
        job = Job(work, asyncio.get_running_loop().create_future(), reads=True)
        try:
            self._explained(lambda jobs: self._do(jobs[0]), [job])
        finally:
            # Jobs that were queued meanwhile would wait for ever without a worker.
            with self._lock:
                self._serving = waits = bool(self._waiting)
            if waits:
                self._worker.submit(self._serve)
        job.resolve()
        result: T = job.future.result()
        return result

    async def close(self) -> None:
        """Close the connection."""
        if self._closed:
            return
        self._closed = True
        try:
            await uninterrupted(asyncio.get_running_loop().run_in_executor(self._worker, self._disconnect))
        finally:
            self._worker.shutdown(wait=False)

    def require_in_place(self) -> None:
        """Raise `StoreError` if the database was moved or replaced since it was opened."""
        return

    def require_writable(self) -> None:
        """Raise `StoreError` if nothing can be stored. Called before a thread is held."""
        self.require_in_place()

    def holds(self, lease: Any) -> bool:
        """Return whether this process still has the lock of a lease, as far as it knows."""
        return True

    def notify(self, connection: Connection, run: str) -> None:
        """Wake up the watchers of a run, in all processes, when the transaction is committed."""
        return

    @asynccontextmanager
    async def watch(self, run: str) -> AsyncIterator[Callable[[float], Awaitable[None]]]:
        """Yield a function that waits until a run may have new events, at most the given number of seconds."""
        yield lambda seconds: asyncio.sleep(min(seconds, LOOK))

    @abstractmethod
    def explain(self, error: BaseException) -> StoreError | None:
        """Translate an error of this database; return None for other errors."""

    def _queued(self, work: Callable[[Connection], T], *, reads: bool, lease: Any = None) -> asyncio.Future[T]:
        if self._closed:
            raise StoreError("closed", f"The store {self.label} is closed.")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        with self._lock:
            self._waiting.append(Job(work, future, reads, lease))
            idle, self._serving = not self._serving, True
        if idle:
            self._worker.submit(self._serve)
        return future

    # Runs in the thread of the database

    @abstractmethod
    def _prepare(self, connection: Connection) -> None:
        """Create or migrate the tables."""

    @abstractmethod
    def _do(self, job: Job) -> None:
        """Run one job, in its own transaction if it writes."""

    @abstractmethod
    def _commit_together(self, jobs: Sequence[Job]) -> None:
        """Run several jobs in one transaction. Each fails alone."""

    def _serve(self) -> None:
        """Run the queued jobs until the queue is empty."""
        while True:
            with self._lock:
                jobs = [self._waiting.popleft() for _ in range(min(len(self._waiting), TOGETHER))]
                if not jobs:
                    self._serving = False
                    return
            writes = [job for job in jobs if not job.reads]
            for job in jobs if len(writes) < 2 else [job for job in jobs if job.reads]:
                self._explained(lambda jobs: self._do(jobs[0]), [job])
            if len(writes) > 1:
                self._explained(self._commit_together, writes)
            for loop in {job.future.get_loop() for job in jobs}:
                # A closed event loop has no waiting tasks.
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(_resolve, [job for job in jobs if job.future.get_loop() is loop])

    def _explained(self, do: Callable[[list[Job]], None], jobs: list[Job]) -> None:
        """Run the jobs. An exception becomes the error of each job without an error."""
        try:
            do(jobs)
        except BaseException as error:
            for job in jobs:
                job.error = job.error or error
        for job in jobs:
            if isinstance(job.error, self.closed_errors) and (told := self.explain(job.error)) is not None:
                told.__cause__ = job.error
                job.error = told

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._engine.dispose()

    def _prepare_once(self, connection: Connection) -> None:
        if not self._prepared:
            self._prepare(connection)


@dataclass(slots=True)
class _Shared:
    database: Database
    users: int = 0


_open: dict[tuple[object, ...], _Shared] = {}
_sharing = threading.Lock()


@asynccontextmanager
async def shared(key: tuple[object, ...], make: Callable[[], Database]) -> AsyncIterator[Database]:
    """Return the open database with this key in this process, or open it. The last user closes it."""
    # A forked child cannot use the connection of its parent.
    key = (os.getpid(), *key)
    with _sharing:
        if (found := _open.get(key)) is None:
            found = _open[key] = _Shared(make())
        found.users += 1
    try:
        await found.database.prepare()
        yield found.database
    finally:
        with _sharing:
            found.users -= 1
            if last := not found.users:
                del _open[key]
        if last:
            await found.database.close()


def _resolve(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job.resolve()


async def uninterrupted(work: asyncio.Future[T]) -> T:
    """Wait for `work` to end even if the caller is cancelled. Its exception takes precedence over the cancellation."""
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError as error:
            cancelled = error
        except BaseException:
            # Raised below, before a cancellation.
            break
    result = work.result()
    if cancelled is not None:
        raise cancelled
    return result


class SqlPart:
    """One of the interfaces of the store, over its database. `time` is that of `Store`."""

    def __init__(self, database: Database, time: Callable[[], str]) -> None:
        self._database = database
        self._time = time

    async def _rows(self, query: Executable, values: Mapping[str, Any] | None = None) -> Sequence[RowMapping]:
        """Return the rows of a query, by the names of their columns."""
        return await self._database.read(lambda c: c.execute(query, values).mappings().all())

    async def _first(self, query: Executable, values: Mapping[str, Any] | None = None) -> RowMapping | None:
        """Return the first row of a query, or None."""
        return await self._database.read(lambda c: c.execute(query, values).mappings().first())
