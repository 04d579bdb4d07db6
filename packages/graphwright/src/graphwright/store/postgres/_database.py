"""A Postgres database with one session: transactions, recovery, notifications, and leases by its advisory locks."""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import secrets
import socket
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from psycopg.adapt import Dumper
from sqlalchemy import URL, Connection, create_engine
from sqlalchemy.pool import NullPool

from graphwright.store._errors import StoreError, lease_lost
from graphwright.store.postgres._address import label
from graphwright.store.postgres._errors import cause, conflicts, explain, state
from graphwright.store.sql import _schema as schema
from graphwright.store.sql._database import Database, Job, Leases, driver, shared

_PAUSE = 1.0
_LOOK = 2.0
"""Seconds after which a watcher reads without a notification, which may be lost with its session."""


class Listener:
    """Waits for events of runs, in any event loop of this process."""

    def __init__(self, dial: Callable[[], psycopg.Connection[Any]]) -> None:
        self._dial = dial
        self._lock = threading.Lock()
        self._waiting: dict[str, set[tuple[asyncio.AbstractEventLoop, asyncio.Event]]] = {}
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    @asynccontextmanager
    async def watch(self, run: str) -> AsyncIterator[Callable[[float], Awaitable[None]]]:
        """Yield a function that waits until the run may have new events since the last call."""
        entry = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._waiting.setdefault(run, set()).add(entry)
            if self._thread is None:
                self._thread = threading.Thread(target=self._listen, name="graphwright-store-listen", daemon=True)
                self._thread.start()

        async def changed(seconds: float) -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout(min(seconds, _LOOK)):
                    await entry[1].wait()
            entry[1].clear()

        try:
            yield changed
        finally:
            with self._lock:
                self._waiting[run].discard(entry)
                if not self._waiting[run]:
                    del self._waiting[run]

    def close(self) -> None:
        """Stop listening."""
        self._stop.set()

    def _listen(self) -> None:
        while not self._stop.is_set():
            with suppress(Exception), self._dial() as session:
                session.execute("LISTEN gw_runs")
                while not self._stop.is_set():
                    for notice in session.notifies(timeout=_PAUSE, stop_after=1):
                        self._notify(notice.payload)
            self._stop.wait(_PAUSE)

    def _notify(self, run: str) -> None:
        with self._lock:
            entries = list(self._waiting.get(run, ()))
        for loop, event in entries:
            # A closed event loop has no waiting tasks.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(event.set)


T = TypeVar("T")

_SELECT_LOCKS = """
SELECT (classid::bigint << 32) | objid::bigint, l.pid, a.application_name
FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE locktype = 'advisory' AND objsubid = 1 AND granted
AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class AdvisoryLeases(Leases[int]):
    """The leases of one Postgres database; a lock is the number of its session."""

    def __init__(self, session: PostgresDatabase) -> None:
        super().__init__()
        self._session = session
        # A session can take its own lock twice, so this keeps the event loops of one process apart.
        self._holding: dict[int, int] = {}

    async def leased(self, threads: Collection[str]) -> set[str]:
        if not threads:
            return set()
        found = await self._session.read(lambda c: {key for key, _, _ in _locks(c)})
        return {thread for thread in threads if self._key(thread) in found}

    async def held_elsewhere(self, thread: str) -> bool:
        def work(connection: Connection) -> bool:
            own = driver(connection).info.backend_pid
            return any(key == self._key(thread) and pid != own for key, pid, _ in _locks(connection))

        return await self._session.read(work)

    async def attempt(self, thread: str) -> int | None:
        key = self._key(thread)

        def work(connection: Connection) -> int | None:
            if self._holding.get(key) == self._session.number:
                return None
            taken = driver(connection).execute("SELECT pg_try_advisory_lock(%s::bigint)", [key]).fetchone()[0]
            if not taken:
                return None
            self._holding[key] = self._session.number
            return self._session.number

        return await self._session.read(work)

    async def attempt_all(self, threads: Sequence[str]) -> dict[str, int]:
        keys = {self._key(thread): thread for thread in threads}

        def work(connection: Connection) -> dict[str, int]:
            number = self._session.number
            free = [key for key in keys if self._holding.get(key) != number]
            rows = driver(connection).execute(_LOCK_ALL, [free]).fetchall()
            taken = [key for key, locked in rows if locked]
            self._holding.update(dict.fromkeys(taken, number))
            return {keys[key]: number for key in taken}

        return await self._session.read(work)

    def release_all(self, locks: Mapping[str, int]) -> None:
        def work(connection: Connection) -> None:
            keys = [key for thread, lock in locks.items() if self._holding.get(key := self._key(thread)) == lock]
            number = self._session.number
            held = [key for key in keys if self._holding.pop(key) == number]
            driver(connection).execute("SELECT pg_advisory_unlock(key) FROM unnest(%s::bigint[]) AS key", [held])

        self._session.later(work)

    def release(self, thread: str, lock: int) -> None:
        key = self._key(thread)

        def work(connection: Connection) -> None:
            if self._holding.get(key) == lock:
                del self._holding[key]
                if lock == self._session.number:
                    driver(connection).execute("SELECT pg_advisory_unlock(%s::bigint)", [key])

        self._session.later(work)

    async def holder(self, thread: str) -> str:
        rows = await self._session.read(_locks)
        name = next((name for key, _, name in rows if key == self._key(thread)), "")
        return f"{name} holds it" if name else "another process holds it"

    def _key(self, thread: str) -> int:
        """Return the number of a thread's lock. It differs between the schemas of one database."""
        name = f"{self._session.schema}:{thread}".encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.sha256(name).digest()[:8], signed=True)


def _locks(connection: Connection) -> list[tuple[int, int, str]]:
    """Return the advisory locks in this database: key, server process, application name."""
    rows: list[tuple[int, int, str]] = driver(connection).execute(_SELECT_LOCKS).fetchall()
    return rows


_LOCK_ALL = "SELECT key, pg_try_advisory_lock(key) FROM unnest(%s::bigint[]) AS key"

STALLED = 30
"""Seconds of silence after which the server ends a session, and with it the leases of a stalled process."""

_PAUSE = 0.1
_ATTEMPTS = 20

_MAKING = 0x67775F73746F7265
"""The number of the advisory lock for creating or migrating the tables."""

_SETTINGS = """
SELECT set_config('idle_session_timeout', %(most)s, false),
set_config('idle_in_transaction_session_timeout', %(most)s, false), current_schema()
"""


_LOCKED = "55P03"
_LOCK_WAIT = "SET lock_timeout = '200ms'"

# The last commit of each session, for a new session to check if the server did not confirm it. The status of a
# transaction by its number would not be reliable: a server that crashed may reuse the number.
_MARKS = """
CREATE TABLE IF NOT EXISTS gw_sessions (
  id text PRIMARY KEY, number bigint NOT NULL, updated timestamptz NOT NULL DEFAULT now()
)
"""
_MARK = """
INSERT INTO gw_sessions (id, number) VALUES (%s, %s)
ON CONFLICT (id) DO UPDATE SET number = excluded.number, updated = excluded.updated
"""
# A write, because it must wait for a transaction of the old session that is still being committed, also for one that
# inserts the row: a reader would not see that row, and could not lock it.
_MARKED = """
INSERT INTO gw_sessions (id, number) VALUES (%s, 0) ON CONFLICT (id) DO UPDATE SET updated = now() RETURNING number
"""
_OLD_MARKS = "DELETE FROM gw_sessions WHERE updated < now() - interval '1 day'"


class _Aborted(Exception):
    """The session was lost in a transaction, and a new one has found that nothing was committed."""


class _Unknown(StoreError):
    """The session was lost in a transaction, and it is not known whether it was committed: it must not be repeated."""


class _Text(Dumper):
    """Dumps texts without NUL, which Postgres does not accept."""

    def dump(self, obj: str) -> bytes:
        return obj.replace("\0", "\ufffd").encode() if "\0" in obj else obj.encode()


class PostgresDatabase(Database):
    """One session of a Postgres database. The locks of the leases belong to the same session as the transactions.

    A lost session is replaced within `busy_timeout` seconds. Work of a turn is not repeated in a new session, because
    its lease ended with the old one.
    """

    closed_errors = (*Database.closed_errors, psycopg.Error)

    def __init__(self, url: URL, home: Path, busy_timeout: float) -> None:
        self._url = url
        self._name = f"graphwright on {socket.gethostname()[:30]}, process {os.getpid()}"
        engine = create_engine(
            url,
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",
            execution_options={"preserve_rowcount": True},
            connect_args={
                "application_name": self._name,
                "connect_timeout": max(2, int(busy_timeout)),
                "keepalives_idle": max(1, STALLED // 3),
                "keepalives_interval": max(1, STALLED // 6),
                "keepalives_count": 3,
                "tcp_user_timeout": STALLED * 1000,
                **url.query,
            },
        )
        super().__init__(home, label(url), engine)
        self._busy_timeout = busy_timeout
        self._raw: psycopg.Connection[Any] | None = None
        self._id = secrets.token_hex(8)
        self._commits = 0
        self.number = 0
        self.schema = ""
        self.leases = AdvisoryLeases(self)
        self._listener = Listener(self._dial)
        self._stop = threading.Event()
        self._last = time.monotonic()
        threading.Thread(target=self._beat, name="graphwright-store-beat", daemon=True).start()

    def explain(self, error: BaseException) -> StoreError | None:
        return explain(error, self.label, self._url)

    async def close(self) -> None:
        self._stop.set()
        self._listener.close()
        await super().close()

    def later(self, work: Callable[[Connection], object]) -> None:
        """Queue `work` for the session without waiting for its result."""
        future = self._queued(work, reads=True)
        future.add_done_callback(lambda done: done.cancelled() or done.exception())

    def notify(self, connection: Connection, run: str) -> None:
        connection.exec_driver_sql("SELECT pg_notify('gw_runs', %s)", (run,))

    @asynccontextmanager
    async def watch(self, run: str) -> AsyncIterator[Callable[[float], Any]]:
        async with self._listener.watch(run) as changed:
            yield changed

    # Runs in the thread of the database

    def _prepare(self, connection: Connection) -> None:
        if schema.stamped(connection, self.label) == schema.VERSION:
            # A read-only database has no old marks to delete.
            with suppress(psycopg.Error):
                self._session().execute(_OLD_MARKS)
            return
        # Two processes may begin at the same time, and both find no tables. The lock ends with the transaction.
        with self._session().transaction():
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%s)", (_MAKING,))
            version = schema.stamped(connection, self.label)
            connection.exec_driver_sql(_MARKS)
            if version is None:
                schema.make_tables(connection)
            elif version != schema.VERSION:
                schema.migrate(connection, version)

    def _do(self, job: Job) -> None:
        self._transact([job])

    def _commit_together(self, jobs: Sequence[Job]) -> None:
        try:
            self._transact(jobs)
        except Exception as error:
            # Without a server, the others would wait as long, each again.
            if isinstance(error, _Unknown) or self._is_lost(error):
                raise
            # One of them failed and aborted the transaction, so each runs alone.
            for job in jobs:
                self._explained(self._transact, [job])

    def _transact(self, jobs: Sequence[Job]) -> None:
        """Run the jobs. Repeat them if another transaction came first, or if the session was lost before the commit."""
        deadline, attempts = time.monotonic() + self._busy_timeout, 0
        while True:
            try:
                return self._attempt([job for job in jobs if job.error is None], deadline)
            except Exception as error:
                attempts += 1
                if isinstance(error, _Aborted):
                    continue
                if self._is_lost(error):
                    self._drop()
                    if time.monotonic() > deadline or not self.number:
                        raise
                    time.sleep(_PAUSE)
                elif attempts == _ATTEMPTS or len(jobs) > 1 or not conflicts(error):
                    raise
                else:
                    time.sleep(random.uniform(0, 0.002 * attempts))

    def _attempt(self, jobs: Sequence[Job], deadline: float) -> None:
        connection = self._connected()
        jobs = [job for job in jobs if not self._has_lost_its_lease(job)]
        if not jobs:
            return
        if jobs[0].reads:
            jobs[0].result = jobs[0].work(connection)
            return
        raw = self._session()
        self._commits += 1
        # Jobs of turns only write, so a pipeline needs one round trip.
        together = raw.pipeline() if all(job.lease is not None for job in jobs) else nullcontext()
        try:
            with together:
                raw.execute("BEGIN")
                raw.execute(_MARK, [self._id, self._commits])
                for job in jobs:
                    job.result = job.work(connection)
            # Outside of the pipeline: after one, the server does not end a silent session.
            raw.execute("COMMIT")
        except BaseException as error:
            if _rolled_back(raw):
                raise
            if not self._was_committed(deadline):
                raise _Aborted from error

    def _was_committed(self, deadline: float) -> bool:
        """Return whether the last transaction was committed, if the session was lost before the server confirmed it.

        Raises `_Unknown` if the server does not answer before the deadline.
        """
        while True:
            self._drop()
            try:
                self._connected()
                session = self._session()
                session.execute(_LOCK_WAIT)
                row = session.execute(_MARKED, [self._id]).fetchone()
                session.execute("RESET lock_timeout")
                return row is not None and row[0] == self._commits
            except Exception as error:
                # The old session may still hold the row: the server has not noticed the lost connection yet.
                if not self._is_lost(error) and state(error) != _LOCKED:
                    raise
            if time.monotonic() > deadline:
                raise _Unknown(
                    "unreachable",
                    f"The connection to {self.label} was lost, and it is not known whether the last step was saved.",
                    "The next message continues from what was saved.",
                )
            time.sleep(_PAUSE)

    def holds(self, lease: Any) -> bool:
        return lease == self.number and self._raw is not None and not self._raw.closed

    def _has_lost_its_lease(self, job: Job) -> bool:
        if job.lease is None or job.lease == self.number:
            return False
        job.error = lease_lost(self.label)
        return True

    def _connected(self) -> Connection:
        self._last = time.monotonic()
        if self._connection is None:
            connection = self._engine.connect()
            raw: psycopg.Connection[Any] = connection.connection.driver_connection  # type: ignore[assignment]
            raw.adapters.register_dumper(str, _Text)
            row = raw.execute(_SETTINGS, {"most": f"{STALLED}s"}).fetchone()
            self._connection, self._raw = connection, raw
            self.schema = str(row[-1]) if row is not None else ""
            self.number += 1
        return self._connection

    def _session(self) -> psycopg.Connection[Any]:
        assert self._raw is not None
        return self._raw

    def _is_lost(self, error: BaseException) -> bool:
        if not isinstance(cause(error), psycopg.OperationalError | psycopg.InterfaceError):
            return False
        return self._raw is None or self._raw.closed

    def _drop(self) -> None:
        """Drop the broken session."""
        if self._connection is not None:
            with suppress(Exception):
                self._connection.invalidate()
            with suppress(Exception):
                self._connection.close()
        self._connection = self._raw = None

    # Other sessions and threads

    def _dial(self) -> psycopg.Connection[Any]:
        """Open another session, which only listens."""
        raw = self._engine.raw_connection()
        connection: psycopg.Connection[Any] = raw.driver_connection  # type: ignore[assignment]
        raw.detach()
        connection.autocommit = True
        return connection

    def _beat(self) -> None:
        """Keep an idle session alive: the server ends silent ones."""
        while not self._stop.wait(STALLED / 4):
            if time.monotonic() - self._last >= STALLED / 4:
                with suppress(RuntimeError):
                    self._worker.submit(self._beat_once)

    def _beat_once(self) -> None:
        if self._raw is not None and not self._closed:
            with suppress(psycopg.Error):
                self._raw.execute("SELECT 1")


def _rolled_back(session: psycopg.Connection[Any]) -> bool:
    """Roll back. Return False if the session is lost: driver and server may then disagree about the last commit."""
    if not session.closed:
        with suppress(psycopg.Error):
            session.execute("ROLLBACK")
    return not session.closed


@asynccontextmanager
async def open_database(url: URL, home: Path, *, busy_timeout: float) -> AsyncIterator[Database]:
    """Open a database, or share it with other users in this process."""
    key = (url.render_as_string(hide_password=False), home, busy_timeout)
    async with shared(key, lambda: PostgresDatabase(url, home, busy_timeout)) as database:
        yield database
