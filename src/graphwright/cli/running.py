"""Running asynchronous work from the command line, so that code which never returns cannot keep the program."""

from __future__ import annotations

from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")


class _Unattended(ThreadPoolExecutor):
    """Threads whose end nobody waits for: an action that was interrupted or timed out may never end."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=True)


def runner() -> asyncio.Runner:
    """A runner that closes at once, whatever the threads of its loop are doing."""
    import asyncio

    return asyncio.Runner(loop_factory=_loop)


def run(main: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run`, by such a runner."""
    with runner() as opened:
        return opened.run(main)


def _loop() -> asyncio.AbstractEventLoop:
    import asyncio

    loop = asyncio.new_event_loop()
    loop.set_default_executor(_Unattended())
    return loop
