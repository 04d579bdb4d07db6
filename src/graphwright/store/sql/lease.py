"""Leases: one holder per thread among all processes that share a store, released when a process dies."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from graphwright.store.errors import LeaseTimeout

Lock = TypeVar("Lock")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.1


class Leases(ABC, Generic[Lock]):
    """The leases of one database: a lock per thread, and a queue for the tasks of each event loop."""

    def __init__(self) -> None:
        self._queues: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()

    @contextlib.asynccontextmanager
    async def hold(self, thread: str, patience: float) -> AsyncIterator[Lock]:
        """Hold the thread. Tasks of this process get it in order.

        `patience` is in seconds. Raises `LeaseTimeout`, and `StoreError` if locking fails.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience
        # The lock of a queue exists while a task waits in it.
        queue = self._queues.setdefault((id(loop), thread), asyncio.Lock())
        try:
            async with asyncio.timeout_at(deadline):
                await queue.acquire()
        except TimeoutError:
            raise _timed_out(thread, patience, "another turn of this process holds it") from None
        try:
            lock = await self._lock(thread, patience, deadline)
            try:
                yield lock
            finally:
                self.release(thread, lock)
        finally:
            queue.release()

    @abstractmethod
    async def held(self, threads: Collection[str]) -> set[str]:
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

    async def _lock(self, thread: str, patience: float, deadline: float) -> Lock:
        pause = _FIRST_PAUSE
        while (lock := await self.attempt(thread)) is None:
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                raise _timed_out(thread, patience, await self.holder(thread))
            await asyncio.sleep(min(pause, left))
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        return lock


def _timed_out(thread: str, patience: float, holder: str) -> LeaseTimeout:
    return LeaseTimeout(
        "lease_timeout",
        f"Waited {patience:g} s for the thread `{thread}`: {holder}.",
        "Send the message again when that turn is over, or end the process that holds the thread.",
    )
