"""The flows in Burr, one action for each node: ten pure nodes, and one action that writes."""

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
    for shape in ("ten", "action"):
        yield Case(f"{shape}/burr", "Burr, no persister", _application(None, shape), samples=scale.samples)
        saved = _application(work / f"{shape}.db", shape)
        yield Case(f"{shape}/burr/sqlite", "Burr, SQLitePersister, after each step", saved, samples=scale.samples)


@action(reads=[], writes=["colour"])
def ask(state: State[Any], reply: str) -> State[Any]:
    return state.update(colour=chosen(reply))


@action(reads=["colour", "budget", "city"], writes=[])
def pure_node(state: State[Any]) -> State[Any]:
    return state


@action(reads=["budget"], writes=["budget"])
def act(state: State[Any]) -> State[Any]:
    return state.update(budget=state["budget"] + 1)


def _builder(shape: str) -> Any:
    opens = Condition.lmda(lambda state: holds(state), ["colour", "budget", "city"])
    builder: Any = ApplicationBuilder()  # type: ignore[no-untyped-call]
    builder = builder.with_state(**STATE).with_entrypoint("ask").with_identifiers(app_id=f"t{next(_COUNT)}")
    if shape == "action":
        ways = (("ask", "act", opens), ("ask", "rest"), ("act", "ask"))
        return builder.with_actions(ask=ask, act=act, rest=pure_node).with_transitions(*ways)
    nodes = {f"n{number}": pure_node for number in range(1, PURE + 1)}
    transitions: list[Any] = [("ask", "n1")]
    for number in range(1, PURE + 1):
        after = f"n{number + 1}" if number < PURE else "ask"
        transitions += [(f"n{number}", after, opens), (f"n{number}", "rest")]
    return builder.with_actions(ask=ask, rest=pure_node, **nodes).with_transitions(*transitions)


def _application(file: Path | None, shape: str) -> Callable[[], AbstractAsyncContextManager[Sample]]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Sample]:
        with closing(sqlite3.connect(file or ":memory:")) as connection:
            builder = _builder(shape)
            if file is not None:
                # As in the other engines: Burr does not change the journal mode, which is slower.
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
