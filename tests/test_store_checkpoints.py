"""Checkpoints: LangGraph's saver on the store's file, pruned and deleted with the thread."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langchain_core.runnables import RunnableConfig
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
        return len(connection.execute(f"SELECT 1 FROM {table} WHERE thread_id = ?", (thread,)).fetchall())


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        await opened.threads.upsert("t", agent="a", flow_id="f", flow_hash="h")
        yield opened


async def talk(store: Store, thread: str, *replies: str) -> Any:
    graph = conversation(await store.checkpointer())
    state = await graph.ainvoke({"said": []}, config(thread))
    for reply in replies:
        state = await graph.ainvoke(Command(resume=reply), config(thread))
    return state


async def test_there_is_one_saver_on_the_stores_own_file(store: Store) -> None:
    saver = await store.checkpointer()
    assert await store.checkpointer() is saver
    await talk(store, "t", "a")
    assert rows(store.path, "checkpoints", "t") > 1


async def test_pruning_keeps_the_latest_checkpoint_and_the_conversation_goes_on(store: Store) -> None:
    await talk(store, "t", "a", "b")
    await talk(store, "other", "a", "b")
    others = rows(store.path, "checkpoints", "other"), rows(store.path, "writes", "other")
    assert rows(store.path, "checkpoints", "t") > 2

    await store.prune("t")
    await store.prune("t")

    assert rows(store.path, "checkpoints", "t") == 1
    latest = await (await store.checkpointer()).aget_tuple(config("t"))
    assert latest is not None
    with contextlib.closing(sqlite3.connect(store.path)) as connection:
        kept = set(connection.execute("SELECT checkpoint_id FROM writes WHERE thread_id = 't'"))
    assert kept == {(latest.config["configurable"]["checkpoint_id"],)}
    assert (rows(store.path, "checkpoints", "other"), rows(store.path, "writes", "other")) == others

    graph = conversation(await store.checkpointer())
    assert (await graph.aget_state(config("t"))).next == ("ask",)
    state = await graph.ainvoke(Command(resume="stop"), config("t"))
    assert state["said"] == ["a", "b", "stop"]


async def test_a_pruned_conversation_goes_on_in_another_process_life(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        await store.threads.upsert("t", agent="a", flow_id="f", flow_hash="h")
        await talk(store, "t", "a")
        await store.prune("t")
    async with open_store(tmp_path) as store:
        state = await conversation(await store.checkpointer()).ainvoke(Command(resume="stop"), config("t"))
        assert state["said"] == ["a", "stop"]


async def test_deleting_a_thread_deletes_its_checkpoints(store: Store) -> None:
    await talk(store, "t", "a")
    await talk(store, "other", "a")
    await store.threads.delete("t")
    assert rows(store.path, "checkpoints", "t") == rows(store.path, "writes", "t") == 0
    assert rows(store.path, "checkpoints", "other") > 0
    assert (await conversation(await store.checkpointer()).aget_state(config("t"))).values == {}


async def test_a_store_that_never_had_a_saver_prunes_and_deletes(store: Store) -> None:
    await store.prune("t")
    assert await store.threads.delete("t") is True
