"""Leases by advisory locks of the session that also writes: without the lock, nothing can be committed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sqlalchemy import Connection

from graphwright.store.sql.database import Leases, driver

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")

_HELD = """
SELECT (classid::bigint << 32) | objid::bigint, l.pid, a.application_name
FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE locktype = 'advisory' AND objsubid = 1 AND granted
AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class Session(Protocol):
    """The methods of the database that leases need. `number` counts its sessions: locks end with their session."""

    number: int
    schema: str

    def read(self, work: Callable[[Connection], T]) -> Coroutine[Any, Any, T]:
        """Run `work` on the session."""

    def later(self, work: Callable[[Connection], object]) -> None:
        """Queue `work` for the session without waiting for its result."""


class AdvisoryLeases(Leases[int]):
    """The leases of one Postgres database; a lock is the number of its session."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        # A session can take its own lock twice, so this keeps the event loops of one process apart.
        self._holding: dict[int, int] = {}

    async def held(self, threads: Collection[str]) -> set[str]:
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
    rows: list[tuple[int, int, str]] = driver(connection).execute(_HELD).fetchall()
    return rows
