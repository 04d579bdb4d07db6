"""Leases: one holder a thread, across the processes of a machine, given back when a process dies."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from weakref import WeakValueDictionary

from filelock import FileLock, Timeout

from graphwright.store.errors import LeaseTimeout, explain
from graphwright.store.sqlite_files import private_folder

_SIGNATURE = 80
"""Bytes: all signatures are of one length, so that one takes the place of another."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.1


class Leases:
    """The leases of one database: one lock file per thread, and a queue for the tasks of each event loop."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._queues: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()

    @contextlib.asynccontextmanager
    async def hold(self, thread: str, patience: float) -> AsyncIterator[None]:
        """Hold the thread. Tasks of this process are served in the order they came.

        `patience` is in seconds. Raises `LeaseTimeout`, and `StoreError` where no file can be made or locked.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience
        # The lock of a queue lives as long as a task waits in it.
        queue = self._queues.setdefault((id(loop), thread), asyncio.Lock())
        try:
            async with asyncio.timeout_at(deadline):
                await queue.acquire()
        except TimeoutError:
            raise _timed_out(thread, patience, "another turn of this process holds it") from None
        try:
            lock = await self._lock(thread, patience, deadline)
            try:
                yield
            finally:
                # The file stays: to make and remove it costs more than all else that a lease does.
                lock.release()
        finally:
            queue.release()

    async def _lock(self, thread: str, patience: float, deadline: float) -> FileLock:
        path = lock_file(self._folder, thread)
        holder = (
            json.dumps({"process": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds")})
            .ljust(_SIGNATURE)
            .encode()
        )

        def sign(descriptor: int) -> None:
            os.write(descriptor, holder)

        lock = FileLock(path, mode=0o600, thread_local=False, fallback_to_soft=False, on_acquired=sign)
        pause = _FIRST_PAUSE
        while True:
            try:
                private_folder(self._folder)
                lock.acquire(blocking=False)
                return lock
            except Timeout:
                left = deadline - asyncio.get_running_loop().time()
                if left <= 0:
                    raise _timed_out(thread, patience, _holder(path)) from None
            except OSError as error:
                raise explain(error, str(path)) or error from error
            await asyncio.sleep(min(pause, left))
            pause = min(pause * 1.5, _LONGEST_PAUSE)


def lock_file(folder: Path, thread: str) -> Path:
    """The file whose lock is the lease of a thread, in the store's folder `locks`."""
    return folder / f"{hashlib.sha256(thread.encode('utf-8', 'surrogatepass')).hexdigest()}.lock"


def is_held(folder: Path, thread: str) -> bool:
    """Whether somebody holds the thread at this moment, in this process or another one."""
    try:
        descriptor = os.open(lock_file(folder, thread), os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def last_holder(folder: Path, thread: str) -> int | None:
    """The process that holds a thread, or was the last one to do so; None where nobody knows."""
    return _signature(lock_file(folder, thread))[0]


def _signature(path: Path) -> tuple[int | None, str]:
    """The process that signed a lock file last, and since when it held it."""
    try:
        holder = json.loads(path.read_bytes())
        return int(holder["process"]), str(holder["since"])
    except (OSError, ValueError, KeyError, TypeError):
        return None, ""


def _holder(path: Path) -> str:
    process, since = _signature(path)
    return f"process {process} has held it since {since}" if process else "another process holds it"


def _timed_out(thread: str, patience: float, holder: str) -> LeaseTimeout:
    return LeaseTimeout(
        "lease_timeout",
        f"Waited {patience:g} s for the thread `{thread}`: {holder}.",
        "Send the message again when that turn is over, or end the process that holds the thread.",
    )
