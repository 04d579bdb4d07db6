"""Running a conversation: an event loop that leaves behind what never ends, and a time limit for each turn."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


class _Daemons(ThreadPoolExecutor):
    """Each call in a thread of its own that keeps neither the loop nor the program from ending.

    A sync action cannot be stopped; one that never returns must not hold up the conversations after it.
    """

    def submit(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()

        def work() -> None:
            try:
                result = function(*args, **kwargs)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        future.set_running_or_notify_cancel()
        threading.Thread(target=work, name="graphwright-test", daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        pass


def run(main: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run`, by a loop that does not wait for threads."""
    with asyncio.Runner(loop_factory=_loop) as runner:
        return runner.run(main, context=contextvars.copy_context())


def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    loop.set_default_executor(_Daemons())
    return loop
