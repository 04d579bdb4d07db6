"""Event loops that do not wait for threads when they close: an interrupted or timed out action may never end."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    # Imported late below: most commands run no turn, and need not wait for it.
    import asyncio

T = TypeVar("T")


class _Daemons(ThreadPoolExecutor):
    """Runs each call in its own daemon thread, which does not delay the end of the loop or the program."""

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
        threading.Thread(target=work, name="graphwright-call", daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        pass


def runner() -> asyncio.Runner:
    """Return a runner that closes immediately, without waiting for the threads of its loop."""
    import asyncio

    return asyncio.Runner(loop_factory=_loop)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Like `asyncio.run`, with such a runner."""
    with runner() as opened:
        return opened.run(main, context=contextvars.copy_context())


def _loop() -> asyncio.AbstractEventLoop:
    import asyncio

    loop = asyncio.new_event_loop()
    loop.set_default_executor(_Daemons())
    return loop
