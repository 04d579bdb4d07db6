"""The cost of a turn in Graphwright, through the session: by length of the thread, by size of the flow, by reading."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from bench.flows import PURE, agent, one_action, pure
from bench.kernel import WALK
from bench.measure import Case, Sample
from bench.scale import Scale
from graphwright import Agent, Session
from graphwright.models._scripted import ScriptedModel

MEMORY = Path("/dev/shm")
STORE = "GRAPHWRIGHT_BENCH_STORE"
"""The environment variable with the address of a Postgres database; without it Postgres is not measured."""

EXTRACTED = "I would rather have the red one"
_COUNT = itertools.count()


def cases(work: Path, home: Path, scale: Scale) -> Iterator[Case]:
    """The turns. `home` has the long threads that `growth` made."""
    action = agent(work / "action", one_action())
    for turns in scale.turns:
        folder = home / thread_of(turns)
        visit = _new_thread(action, home / "short") if turns == 1 else _visit(action, folder, thread_of(turns))
        yield Case(f"turn/length/{turns}", f"after {turns:,} turn{'s'[: turns > 1]}", visit, samples=scale.samples)
    yield Case("action/ours", "Graphwright, SQLite", _new_thread(action, home / "action"), samples=scale.samples)
    if server := os.environ.get(STORE, ""):
        kept = _in_postgres(action, home / "postgres", server)
        yield Case("action/postgres", "Graphwright, Postgres", kept, samples=scale.samples)
    if MEMORY.is_dir():
        yield Case("turn/memory", "the same, files in memory", _in_memory(action), samples=scale.samples)
    rule = {"says": EXTRACTED, "call": {"UpdateAnswers": {"answers": [_answer_json("colour", "red", "red")]}}}
    extracting = agent(work / "extract", one_action("extract"))
    yield Case(
        "turn/extract",
        "the same, read by the scripted model",
        _new_thread(extracting, home / "extract", EXTRACTED, ScriptedModel.from_rules([rule])),
        samples=scale.samples,
    )
    yield Case("turn/reopened", "the same, opening and closing the session too", _reopened(action, home / "short"))
    ten = agent(work / "pure", pure(PURE))
    yield Case("ten/ours", "Graphwright, SQLite", _new_thread(ten, home / "pure"), samples=scale.samples)
    for size in scale.nodes:
        sized = agent(work / f"size{size}", pure(WALK, size))
        visit = _new_thread(sized, home / f"size{size}")
        yield Case(f"turn/size/{size}", f"in a flow of {size:,} nodes", visit, samples=scale.samples)


def _answer_json(key: str, value: str, quote: str) -> dict[str, str]:
    return {"key": key, "value": value, "quote": quote}


def thread_of(turns: int) -> str:
    """The thread of this length, and the folder of its data."""
    return f"turns{turns}"


def _sends(session: Session, text: str) -> Callable[[], Awaitable[None]]:
    async def send() -> None:
        turn = await session.send(text)
        assert turn.status == "waiting", turn.error

    return send


def _visit(made: Agent, home: Path, thread: str) -> Callable[[], AbstractAsyncContextManager[Sample]]:
    """A session on an existing thread, opened for one round."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Sample]:
        async with made.session(thread, home=home) as session:
            yield _sends(session, "red")

    return opened


def _new_thread(
    made: Agent, home: Path, text: str = "red", model: ScriptedModel | None = None
) -> Callable[[], AbstractAsyncContextManager[Sample]]:
    """A session on a new thread that waits at its question, one each round."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Sample]:
        async with made.session(f"new{next(_COUNT)}", home=home, model=model) as session:
            await session.start()
            yield _sends(session, text)

    return opened


def _in_memory(made: Agent) -> Callable[[], AbstractAsyncContextManager[Sample]]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Sample]:
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
            async with _new_thread(made, Path(folder))() as sample:
                yield sample

    return opened


def _in_postgres(made: Agent, home: Path, server: str) -> Callable[[], AbstractAsyncContextManager[Sample]]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Sample]:
        before = os.environ.get("GRAPHWRIGHT_STORE")
        os.environ["GRAPHWRIGHT_STORE"] = server
        try:
            async with _new_thread(made, home)() as sample:
                yield sample
        finally:
            if before is None:
                del os.environ["GRAPHWRIGHT_STORE"]
            else:
                os.environ["GRAPHWRIGHT_STORE"] = before

    return opened


def _reopened(made: Agent, home: Path) -> Callable[[], AbstractAsyncContextManager[Sample]]:
    """Like a worker without memory: open the session, send, close it."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Sample]:
        thread = f"new{next(_COUNT)}"

        async def sample() -> None:
            async with made.session(thread, home=home) as session:
                await session.send("red")

        async with made.session(thread, home=home) as session:
            await session.start()
        yield sample

    return opened
