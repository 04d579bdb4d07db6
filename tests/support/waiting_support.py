"""Waiting for something that happens in another task, thread or process, however slow the machine is."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from inspect import isawaitable
from pathlib import Path
from typing import Any

import pytest

MOST_SECONDS = 120.0
"""Seconds after which a test stops waiting. Only a test that fails takes that long."""


def wait_until(holds: Callable[[], object]) -> None:
    """Block until `holds()` is true."""
    end = time.monotonic() + MOST_SECONDS
    while not holds():
        assert time.monotonic() < end, "it did not become true"
        time.sleep(0.01)


async def until(holds: Callable[[], Any]) -> None:
    """Wait until `holds()`, which may be a coroutine, gives something true."""
    end = time.monotonic() + MOST_SECONDS
    while not (await found if isawaitable(found := holds()) else found):
        assert time.monotonic() < end, "it did not become true"
        await asyncio.sleep(0.01)


def runs(pid: int) -> bool:
    """Whether there is such a process, excluding zombies."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        threads = os.listdir(f"/proc/{pid}/task")
    except (ProcessLookupError, FileNotFoundError):
        return False
    # The first thread of a killed process may be gone while others are still ending.
    return state != "Z" or len(threads) > 1


async def interrupted(work: Coroutine[Any, Any, Any], when: Callable[[], Any]) -> None:
    """Begin the work, and cancel it when `when()` gives something true: it must not end before."""
    task = asyncio.create_task(work)
    await until(lambda: task.done() or when())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
