"""The machine: a description, and the cost of three simple things on it, to compare the figures of two machines."""

from __future__ import annotations

import asyncio
import os
import platform
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.measure import Case, Sample, repeated

PACKAGES = (
    "graphwright",
    "langgraph",
    "langgraph-checkpoint-sqlite",
    "aiosqlite",
    "cel-expr-python",
    "pyarrow",
    "apache-burr",
    "pydantic-graph",
)


def cases(work: Path) -> Iterator[Case]:
    """A Python loop, a change of thread, a commit."""
    yield Case(
        "ground/loop", "a Python loop of 1,000 additions", repeated(lambda: sum(n + 1 for n in range(1_000)), 20), 20
    )
    yield Case("ground/thread", "from the event loop to a thread and back", _hop(), 20)
    yield Case("ground/commit", "one row written to SQLite and committed, in the calling thread", _commit(work), 5)


def described(folder: Path) -> str:
    """Processor, Python and the file system of `folder`, for the page."""
    system = f"{platform.system()} {platform.release().partition('-')[0]}"
    return (
        f"{processor()}, {os.cpu_count()} cores, {system}, "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, data on {_file_system(folder)}"
    )


def versions() -> str:
    """The versions of the measured packages."""
    return ", ".join(f"{name} {_version(name)}" for name in PACKAGES)


def load() -> str:
    """The number of runnable processes, on average over the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(not installed)"


def processor() -> str:
    """The model of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _file_system(folder: Path) -> str:
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text("utf-8").splitlines()]
    except OSError:
        return "an unknown file system"
    fitting = [(len(at), kind) for _, at, kind, *_ in mounts if folder.resolve().is_relative_to(at)]
    return max(fitting)[1] if fitting else "an unknown file system"


def _hop() -> Callable[[], AbstractAsyncContextManager[Sample]]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Sample]:
        with ThreadPoolExecutor(1) as threads:

            async def sample() -> None:
                loop = asyncio.get_running_loop()
                for _ in range(20):
                    await loop.run_in_executor(threads, int)

            yield sample

    return opened


def _commit(work: Path) -> Callable[[], AbstractAsyncContextManager[Sample]]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Sample]:
        with closing(sqlite3.connect(work / "ground.db")) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("CREATE TABLE IF NOT EXISTS row (id INTEGER PRIMARY KEY, text TEXT)")

            async def sample() -> None:
                for _ in range(5):
                    connection.execute("INSERT OR REPLACE INTO row VALUES (1, ?)", ("x" * 1_000,))
                    connection.commit()

            yield sample

    return opened
