"""Checkpoints: LangGraph's saver on the store's tables, alone and in the hands of a turn."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from graphwright.store import Store, open_store


class State(TypedDict):
    said: list[str]


def ask(state: State) -> State:
    return {"said": [*state["said"], interrupt("next?")]}


def again(state: State) -> str:
    return END if state["said"][-1] == "stop" else "ask"


def conversation(saver: Any) -> Any:
    graph = StateGraph(State)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", again)
    return graph.compile(checkpointer=saver)


def config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


def rows(path: Path, table: str, thread: str) -> int:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return len(connection.execute(f"SELECT 1 FROM {table} WHERE thread = ?", (thread,)).fetchall())


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        await opened.threads.upsert("t", agent="a", flow_id="f", flow_hash="h")
        yield opened


async def talk(store: Store, thread: str, *replies: str) -> Any:
    graph = conversation(store.checkpointer())
    state = await graph.ainvoke({"said": []}, config(thread))
    for reply in replies:
        state = await graph.ainvoke(Command(resume=reply), config(thread))
    return state


async def turn(store: Store, thread: str, given: Any) -> Any:
    async with store.turn(thread) as work:
        state = await conversation(store.checkpointer()).ainvoke(given, config(thread), durability="sync")
        await work.flush()
    return state


async def test_it_conforms_to_what_langgraph_asks_of_a_saver() -> None:
    @checkpointer_test(name="graphwright")
    async def saver() -> AsyncIterator[Any]:
        with tempfile.TemporaryDirectory() as home:
            async with open_store(Path(home)) as opened:
                yield opened.checkpointer()

    report = await validate(saver)
    assert report.passed_all_base(), report.to_dict()
    required = {name: result for name, result in report.results.items() if result.detected}
    assert set(required) >= {"put", "put_writes", "get_tuple", "list", "delete_thread"}
    assert {name: result.failures for name, result in required.items() if result.failures} == {}
    assert sum(result.tests_passed for result in required.values()) >= 50


async def test_there_is_one_saver_a_store(store: Store) -> None:
    saver = store.checkpointer()
    assert store.checkpointer() is saver
    await talk(store, "t", "a")
    assert rows(store.path, "gw_checkpoints", "t") > 1


async def test_turns_keep_one_row_and_the_conversation_goes_on(store: Store) -> None:
    for given in ({"said": []}, Command(resume="a"), Command(resume="b")):
        state = await turn(store, "t", given)
        assert state["__interrupt__"][0].value == "next?"
        assert rows(store.path, "gw_checkpoints", "t") == 1
        assert rows(store.path, "gw_checkpoint_writes", "t") == 1
    async with open_store(store.path.parent) as again:
        assert (await turn(again, "t", Command(resume="stop")))["said"] == ["a", "b", "stop"]
    assert rows(store.path, "gw_checkpoint_writes", "t") == 0


async def test_what_a_turn_did_not_flush_never_was(store: Store) -> None:
    await turn(store, "t", {"said": []})
    graph = conversation(store.checkpointer())
    async with store.turn("t") as work:
        await graph.ainvoke(Command(resume="a"), config("t"), durability="sync")
        assert work.state["said"] == ["a"]
    assert (await graph.aget_state(config("t"))).values == {"said": []}
    assert (await turn(store, "t", Command(resume="stop")))["said"] == ["stop"]


async def test_a_turn_sees_its_own_checkpoints_and_others_see_them_flushed(store: Store) -> None:
    graph = conversation(store.checkpointer())
    async with store.turn("t") as work, open_store(store.path.parent) as other:
        assert (work.state, work.interrupted) == ({}, False)
        await graph.ainvoke({"said": ["x"]}, config("t"), durability="sync")
        assert work.interrupted
        assert (await graph.aget_state(config("t"))).next == ("ask",)
        elsewhere = conversation(other.checkpointer())
        assert (await elsewhere.aget_state(config("t"))).values == {}
        await work.flush()
        assert (await elsewhere.aget_state(config("t"))).values == {"said": ["x"]}
        await work.flush()
    assert rows(store.path, "gw_checkpoints", "t") == 1


async def test_a_thread_that_is_not_in_a_turn_is_saved_at_once(store: Store) -> None:
    async with store.turn("t"):
        await talk(store, "other", "a")
    assert rows(store.path, "gw_checkpoints", "other") > 1
    assert (await turn(store, "other", Command(resume="stop")))["said"] == ["a", "stop"]


async def test_deleting_a_thread_deletes_its_checkpoints(store: Store) -> None:
    await talk(store, "t", "a")
    await talk(store, "other", "a")
    await store.threads.delete("t")
    assert rows(store.path, "gw_checkpoints", "t") == rows(store.path, "gw_checkpoint_writes", "t") == 0
    assert rows(store.path, "gw_checkpoints", "other") > 0
    assert (await conversation(store.checkpointer()).aget_state(config("t"))).values == {}
