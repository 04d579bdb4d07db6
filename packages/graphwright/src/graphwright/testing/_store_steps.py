"""What the suites for stores share: a step to write, and tests that run over an open store."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

import pytest

from graphwright.store import Store, StoreError

OpenStore = Callable[..., AbstractAsyncContextManager[Store]]

ROW: dict[str, Any] = {
    "agent": "intake",
    "flow_id": "flow.intake",
    "flow_hash": "h1",
    "status": "running",
    "waiting_for": None,
    "position": None,
    "turns": 0,
}

DOCUMENT = '{"id":"flow.intake","nodes":[{"id":"q.name","prompt":"Wie heißt du?\\n"}],"version":"v1"}'
HASH = "7b1dc62233984aace7636a842f7f988ff594ab1b67f11c6b22cae2f6a0689a54"

TEXTS = (
    *("", "\0", "a\0b", "'; DROP TABLE gw_threads; --", "\n\r\t\u2028", "🏯 東京 ﷺ", "x" * 1_000_000),
    *("%s ? :id {} $1", "\ud83c"),
)


async def commit_step(
    store: Store,
    thread: str,
    *,
    visit: int = 0,
    first_event: int = 0,
    events: list[Any] | None = None,
    first_message: int = 0,
    messages: list[Any] | None = None,
    blobs: list[Any] | None = None,
    state: dict[str, Any] | None = None,
    **changes: Any,
) -> list[str]:
    """Write a turn with one step; return the hashes of the large values."""
    async with store.turn(thread) as work:
        work.note_step(
            visit=visit,
            first_event=first_event,
            events=events or [],
            first_message=first_message,
            messages=messages or [],
            changes={**ROW, **changes},  # type: ignore[typeddict-item]
            state=state or {},
        )
        hashes = [work.note_blob(value) for value in blobs or []]
        await work.flush()
    return hashes


Suite = TypeVar("Suite")


def run_with_thread(open_store: OpenStore, test: Callable[[Store], Coroutine[Any, Any, None]]) -> None:
    """Run a test over an open store with one thread `t`, in a new event loop."""

    async def run() -> None:
        async with open_store() as store:
            await commit_step(store, "t")
            await test(store)

    asyncio.run(run())


def synchronous(test: Callable[[Suite, Store], Coroutine[Any, Any, None]]) -> Callable[[Suite, OpenStore], None]:
    """Return a synchronous test that calls `run_with_thread`."""

    def opens(self: Suite, open_store: OpenStore) -> None:
        run_with_thread(open_store, functools.partial(test, self))

    opens.__name__, opens.__doc__ = test.__name__, test.__doc__
    return opens


async def error_code(awaitable: Awaitable[Any]) -> str:
    with pytest.raises(StoreError) as caught:
        await awaitable
    assert caught.value.message
    return caught.value.code
