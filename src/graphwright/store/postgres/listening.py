"""Notifications of new run events: LISTEN in a separate session, from the first watcher on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg

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
                        self._tell(notice.payload)
            self._stop.wait(_PAUSE)

    def _tell(self, run: str) -> None:
        with self._lock:
            entries = list(self._waiting.get(run, ()))
        for loop, event in entries:
            # A closed event loop has no waiting tasks.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(event.set)
