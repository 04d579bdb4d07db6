"""Leases by file locks: one lock file per thread. The system releases the lock when a process dies."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Collection
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from graphwright.store.errors import explain
from graphwright.store.sql.database import Leases
from graphwright.store.sqlite_files import private_folder

_SIGNATURE = 80
"""Bytes. All signatures have the same length, so that one replaces another completely."""


class FileLeases(Leases[int]):
    """The leases of one SQLite file, as locks on files in `folder`; a lock is the descriptor of its open file."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    async def held(self, threads: Collection[str]) -> set[str]:
        return {thread for thread in threads if is_held(self._folder, thread)}

    async def held_elsewhere(self, thread: str) -> bool:
        # The holder signs the lock file, so the signature of a turn of this process is its own.
        return is_held(self._folder, thread) and self._signature(thread)[0] not in (None, os.getpid())

    async def attempt(self, thread: str) -> int | None:
        path = lock_file(self._folder, thread)
        try:
            descriptor = self._opened(path)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.pwrite(descriptor, _signed(os.getpid(), int(time.time())), 0)
            except BaseException as error:
                os.close(descriptor)
                if isinstance(error, BlockingIOError):
                    return None
                raise
        except OSError as error:
            raise explain(error, str(path)) or error from error
        return descriptor

    def release(self, thread: str, lock: int) -> None:
        # The file stays: creating and removing it costs more than everything else in a lease.
        os.close(lock)

    async def holder(self, thread: str) -> str:
        process, since = self._signature(thread)
        return f"process {process} has held it since {since}" if process else "another process holds it"

    def _opened(self, path: Path) -> int:
        with contextlib.suppress(FileNotFoundError):
            return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        private_folder(self._folder)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def _signature(self, thread: str) -> tuple[int | None, str]:
        """Return the process that signed a lock file last, and when."""
        try:
            holder = json.loads(lock_file(self._folder, thread).read_bytes())
            return int(holder["process"]), str(holder["since"])
        except (OSError, ValueError, KeyError, TypeError):
            return None, ""


@lru_cache(maxsize=1)
def _signed(process: int, since: int) -> bytes:
    holder = {"process": process, "since": datetime.fromtimestamp(since, UTC).isoformat()}
    return json.dumps(holder).ljust(_SIGNATURE).encode()


def lock_file(folder: Path, thread: str) -> Path:
    """Return the file whose lock is the lease of a thread, in the store's folder `locks`."""
    return folder / f"{hashlib.sha256(thread.encode('utf-8', 'surrogatepass')).hexdigest()}.lock"


def is_held(folder: Path, thread: str) -> bool:
    """Return whether the thread is held now, by this process or another one."""
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
