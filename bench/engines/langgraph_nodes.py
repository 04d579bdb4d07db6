"""The flows in LangGraph, one node for each node: ten pure nodes, and one action."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, TypedDict

from bench.engines.shared import PROMPT, REPLY, STATE, chosen, holds
from bench.flows import PURE
from bench.measure import Case, Sample, steady
from bench.scale import Scale

_COUNT = itertools.count()


class Values(TypedDict):
    """The state: ten values."""

    colour: str
    name: str
    city: str
    venue: str
    street: str
    phone: str
    width: int
    length: int
    height: int
    budget: int


def cases(work: Path, scale: Scale) -> Iterator[Case]:
    """Without a saver, and with those for SQLite.

    Both have two ways of writing checkpoints: after every step, which is the default, and once at the end of a turn.
    """
    work.mkdir()
    yield Case("ten/langgraph", "LangGraph, no saver", steady(_unsaved()), samples=scale.samples)
    for shape in ("ten", "action"):
        for durability, when in (("async", "after each step"), ("exit", "once a turn")):
            yield Case(
                f"{shape}/langgraph/async/{durability}",
                f"LangGraph, AsyncSqliteSaver, {when}",
                _asynchronous(work / f"{shape}-{durability}.db", durability, shape),
                samples=scale.samples,
            )
            yield Case(
                f"{shape}/langgraph/sync/{durability}",
                f"LangGraph, SqliteSaver, {when}",
                _synchronous(work / f"{shape}-{durability}-sync.db", durability, shape),
                samples=scale.samples,
            )


async def talk(file: Path, turns: int) -> None:
    """Write a database of `turns` turns, with a checkpoint after each step."""
    async with _asynchronous(file, "async", "ten")() as sample:
        for _ in range(turns):
            await sample()


def _pure_node(number: int, last: str, asynchronous: bool) -> tuple[Any, Any, list[str]]:
    """A node that does nothing, its route, and the possible targets.

    Written for the way in which the graph is run: LangGraph would run a synchronous function of an asynchronous run in
    another thread, which costs more than the step.
    """
    after = f"n{number + 1}" if number < PURE else last

    def nothing(state: Values) -> dict[str, Any]:
        return {}

    def route(state: Values) -> str:
        return after if holds(state) else "rest"

    async def nothing_async(state: Values) -> dict[str, Any]:
        return {}

    async def route_async(state: Values) -> str:
        return after if holds(state) else "rest"

    return (nothing_async, route_async, [after, "rest"]) if asynchronous else (nothing, route, [after, "rest"])


def _add_pure_nodes(builder: Any, last: str, asynchronous: bool) -> None:
    for number in range(1, PURE + 1):
        nothing, route, leads = _pure_node(number, last, asynchronous)
        builder.add_node(f"n{number}", nothing)
        builder.add_conditional_edges(f"n{number}", route, leads)
    builder.add_node("rest", nothing)


def _builder(asynchronous: bool, shape: str) -> Any:
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import interrupt

    def ask(state: Values) -> dict[str, Any]:
        return {"colour": chosen(interrupt(PROMPT))}

    async def ask_async(state: Values) -> dict[str, Any]:
        return ask(state)

    builder = StateGraph(Values)
    builder.add_node("ask", ask_async if asynchronous else ask)
    builder.add_edge(START, "ask")
    if shape == "ten":
        _add_pure_nodes(builder, "ask", asynchronous)
        builder.add_edge("ask", "n1")
        return builder

    def act(state: Values) -> dict[str, Any]:
        return {"budget": state["budget"] + 1}

    def route(state: Values) -> str:
        return "act" if holds(state) else END

    async def act_async(state: Values) -> dict[str, Any]:
        return act(state)

    async def route_async(state: Values) -> str:
        return route(state)

    builder.add_node("act", act_async if asynchronous else act)
    builder.add_conditional_edges("ask", route_async if asynchronous else route, ["act", END])
    builder.add_edge("act", "ask")
    return builder


def _unsaved() -> Sample:
    from langgraph.graph import END, START, StateGraph

    async def begin(state: Values) -> dict[str, Any]:
        return {"colour": chosen(REPLY)}

    builder = StateGraph(Values)
    builder.add_node("begin", begin)
    _add_pure_nodes(builder, END, asynchronous=True)
    builder.add_edge(START, "begin")
    builder.add_edge("begin", "n1")
    graph: Any = builder.compile()

    async def sample() -> None:
        values = await graph.ainvoke(STATE)
        assert values["colour"] == REPLY

    return sample


def _asynchronous(file: Path, durability: str, shape: str) -> Callable[[], AbstractAsyncContextManager[Sample]]:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.types import Command

    @asynccontextmanager
    async def opened() -> AsyncIterator[Sample]:
        async with AsyncSqliteSaver.from_conn_string(str(file)) as saver:
            graph: Any = _builder(asynchronous=True, shape=shape).compile(checkpointer=saver)
            config = {"configurable": {"thread_id": f"t{next(_COUNT)}"}}
            await graph.ainvoke(STATE, config, durability=durability)

            async def sample() -> None:
                values = await graph.ainvoke(Command(resume=REPLY), config, durability=durability)
                assert "__interrupt__" in values

            yield sample

    return opened


def _synchronous(file: Path, durability: str, shape: str) -> Callable[[], AbstractAsyncContextManager[Sample]]:
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.types import Command

    @asynccontextmanager
    async def opened() -> AsyncIterator[Sample]:
        with SqliteSaver.from_conn_string(str(file)) as saver:
            graph: Any = _builder(asynchronous=False, shape=shape).compile(checkpointer=saver)
            config = {"configurable": {"thread_id": f"t{next(_COUNT)}"}}
            graph.invoke(STATE, config, durability=durability)

            async def sample() -> None:
                values = graph.invoke(Command(resume=REPLY), config, durability=durability)
                assert "__interrupt__" in values

            yield sample

    return opened
