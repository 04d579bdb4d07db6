"""What is held open as long as a session lasts: connections and the like, which no channel can keep."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

from graphwright.errors import said

T = TypeVar("T")

CLOSING = 10.0
"""Seconds that a thing may take to close; then it is given up."""


class Handles:
    """Things by name, each opened when it is first asked for, and closed with the session.

    Each is opened and closed in a task of its own: who asks may be a task that is long gone when the session ends, and
    many context managers must be left by the task that entered them.
    """

    def __init__(self) -> None:
        self._held: dict[str, _Held] = {}

    async def get(self, name: str, make: Callable[[], AbstractAsyncContextManager[T]]) -> T:
        """What is held under `name`; what `make` gives is entered where nothing is yet.

        Raises what entering it raises; the next call tries again.
        """
        held = self._held.get(name)
        if held is None:
            held = self._held[name] = _Held(name, make())
        try:
            value: T = await asyncio.shield(held.opened)
        except BaseException:
            if held.opened.done() and self._held.get(name) is held:
                del self._held[name]
            raise
        return value

    async def close(self) -> None:
        """Close everything, what was opened last first. A failure of one is logged and keeps no other from closing."""
        while self._held:
            _, held = self._held.popitem()
            await held.close()


class _Held:
    """One thing, and the task that opened it and will close it."""

    def __init__(self, name: str, manager: AbstractAsyncContextManager[Any]) -> None:
        self._name = name
        self._over = asyncio.Event()
        self.opened: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._hold(manager), name=f"handle {name}")

    async def _hold(self, manager: AbstractAsyncContextManager[Any]) -> None:
        try:
            async with manager as value:
                if not self.opened.done():
                    self.opened.set_result(value)
                await self._over.wait()
        except BaseException as error:
            if self.opened.done():
                raise
            if isinstance(error, asyncio.CancelledError):
                self.opened.cancel()
            else:
                self.opened.set_exception(error)

    async def close(self) -> None:
        self._over.set()
        if not self.opened.done():
            # Nobody waits any more for what has not opened yet.
            self._task.cancel()
        done, _ = await asyncio.wait({self._task}, timeout=CLOSING)
        if not done:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=1)
            logging.getLogger("graphwright").warning("%s did not close within %g s", self._name, CLOSING)
        elif not self._task.cancelled() and (error := self._task.exception()) is not None:
            logging.getLogger("graphwright").warning("%s did not close well: %s", self._name, said(error))
        if self.opened.done() and not self.opened.cancelled():
            # Marks a failure as seen that nobody was left to see.
            self.opened.exception()
