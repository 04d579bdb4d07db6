"""The flow in Burr, one action for each node."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import Any

from burr.core import ApplicationBuilder, Condition, State, action
from burr.core.persistence import SQLitePersister

from bench.engines.shared import REPLY, STATE, chosen, holds
from bench.flows import PURE
from bench.measure import Case, Sample
from bench.scale import Scale

_COUNT = itertools.count()


def cases(work: Path, scale: Scale) -> Iterator[Case]:
    """Without a persister, and with the one for SQLite, which writes after each action."""
    work.mkdir()
    yield Case("ten/burr", "Burr, no persister", _application(None), samples=scale.samples)
    saved = _application(work / "burr.db")
    yield Case("ten/burr/sqlite", "Burr, SQLitePersister, after each step", saved, samples=scale.samples)


@action(reads=[], writes=["colour"])
def ask(state: State[Any], reply: str) -> State[Any]:
    return state.update(colour=chosen(reply))


@action(reads=["colour", "budget", "city"], writes=[])
def pure_node(state: State[Any]) -> State[Any]:
    return state


def _builder() -> Any:
    opens = Condition.lmda(lambda state: holds(state), ["colour", "budget", "city"])
    nodes = {f"n{number}": pure_node for number in range(1, PURE + 1)}
    transitions: list[Any] = [("ask", "n1")]
    for number in range(1, PURE + 1):
        after = f"n{number + 1}" if number < PURE else "ask"
        transitions += [(f"n{number}", after, opens), (f"n{number}", "rest")]
    builder: Any = ApplicationBuilder()  # type: ignore[no-untyped-call]
    builder = builder.with_actions(ask=ask, rest=pure_node, **nodes).with_transitions(*transitions)
    return builder.with_state(**STATE).with_entrypoint("ask").with_identifiers(app_id=f"t{next(_COUNT)}")


def _application(file: Path | None) -> Callable[[], AbstractAsyncContextManager[Sample]]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Sample]:
        with closing(sqlite3.connect(file or ":memory:")) as connection:
            builder = _builder()
            if file is not None:
                # As the other engines have it: Burr itself leaves the journal as it is, which is slower.
                connection.execute("PRAGMA journal_mode=WAL")
                persister = SQLitePersister(str(file), connection=connection)
                persister.initialize()  # type: ignore[no-untyped-call]
                builder = builder.with_state_persister(persister)
            application = builder.build()

            async def sample() -> None:
                stopped, _, state = application.run(halt_before=["ask"], inputs={"reply": REPLY})
                assert stopped.name == "ask"
                assert state["colour"] == REPLY

            yield sample

    return opened
