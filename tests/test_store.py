"""The store: threads, traces, their states, messages, outcomes, blobs and records in one file, by its public door."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text
from store_support import ROW, commit_step

from graphwright.store import Store, StoreError, open_store
from graphwright.store.rows import OutcomeStatus, ThreadRow


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        await commit_step(opened, "t")
        yield opened


def entered(*nodes: str) -> list[dict[str, Any]]:
    return [{"type": "entered", "node": node} for node in nodes]


async def trace(store: Store, thread: str = "t") -> list[tuple[int, int, str]]:
    return [(row.seq, row.visit, row.event["node"]) for row in await store.events.read(thread)]


async def row_of(store: Store, thread: str = "t") -> ThreadRow:
    row = await store.threads.get(thread)
    assert row is not None
    return row


async def code(awaitable: Any) -> str:
    with pytest.raises(StoreError) as caught:
        await awaitable
    assert caught.value.message
    return caught.value.code


async def test_a_thread_is_listed_by_when_it_was_last_touched(tmp_path: Path) -> None:
    # Noon in Kathmandu is a quarter past six in UTC; a whole second must not lose its fraction.
    noon, minutes = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=5, minutes=45))), itertools.count()
    async with open_store(tmp_path, now=lambda: noon + timedelta(minutes=next(minutes))) as store:
        for thread, agent in (("a", "intake"), ("b", "assistant"), ("c", "intake")):
            await commit_step(store, thread, agent=agent, title="Lights")
        first = await row_of(store, "a")
        waiting = {"node": "q.venue", "prompt": "Where?"}
        await commit_step(store, "a", agent="intake", status="waiting", waiting_for=waiting, title="No lights", turns=3)
        changed = await row_of(store, "a")
        assert (changed.status, changed.waiting_for, changed.turns) == ("waiting", waiting, 3)
        assert (changed.title, changed.created) == ("Lights", first.created)
        assert first.created.startswith("2026-03-01T06:")
        assert first.created.endswith(":00.000000Z")
        assert [row.thread for row in await store.threads.page()] == ["a", "c", "b"]
        assert [row.thread for row in await store.threads.page(limit=1, after=(changed.updated, "a"))] == ["c"]
        assert [row.thread for row in await store.threads.page(agent="intake", status="waiting")] == ["a"]


async def test_deleting_a_thread_leaves_nothing_of_it(store: Store) -> None:
    alone, shared = await commit_step(
        store, "t", events=entered("a"), messages=[("user", "hello")], blobs=[{"big": 1}, {"big": 2}]
    )
    assert await commit_step(store, "other", events=entered("b"), blobs=[{"big": 2}]) == [shared]
    await note(store, 1, "done", 1)
    await store.records.put_once("offers", "o1", {"watts": 5}, agent="intake", thread="t")

    assert await store.threads.delete("t") is True
    assert await store.threads.delete("t") is False

    assert (await store.threads.get("t"), await store.outcomes.get("t", 1)) == (None, None)
    assert (await store.events.read("t"), await store.messages.read("t"), await store.state("t")) == ([], [], {})
    assert await code(store.blobs.get(alone)) == "no_such_blob"
    assert await store.blobs.get(shared) == {"big": 2}
    assert await trace(store, "other") == [(0, 0, "b")]
    kept = await store.records.get("offers", "o1")
    assert kept is not None
    assert kept.thread == "t"
    await store.threads.delete("other")
    assert await code(store.blobs.get(shared)) == "no_such_blob"


async def test_events_and_messages_come_back_in_order(store: Store) -> None:
    events = [{"type": "entered", "node": f"n{n}", "detail": "x" * 50} for n in range(2_000)]
    messages = [("user", str(n)) for n in range(10)]
    await commit_step(store, "t", visit=1, events=events, messages=messages)
    await commit_step(store, "t", visit=2, first_event=2_000, events=entered("last"))
    rows = await store.events.read("t")
    assert [row.event for row in rows] == [*events, *entered("last")]
    assert [row.seq for row in rows] == list(range(2_001))
    assert [(row.seq, row.visit) for row in await store.events.read("t", since=1_999)] == [(1_999, 1), (2_000, 2)]
    assert [m.text for m in await store.messages.window("t", 3)] == ["7", "8", "9"]
    assert await store.messages.window("t", 0) == []
    assert len(await store.messages.window("t", 100)) == len(await store.messages.read("t")) == 10


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "a\0b",
        "'; DROP TABLE gw_threads; --",
        "\n\r\t\u2028",
        "🏯 東京 ﷺ",
        "x" * 1_000_000,
        "%s ? :id {}",
        "\ud83c",
    ],
)
async def test_any_text_comes_back(store: Store, text: str) -> None:
    # Half a character, as a broken terminal gives it, is no text that a database could keep.
    kept = text.replace("\ud83c", "\ufffd")
    await commit_step(store, "new", events=[{"node": text, text: 1}], messages=[("user", text)], title=text)
    assert (await store.events.read("new"))[0].event == {"node": kept, kept: 1}
    assert (await store.messages.window("new", 1))[0].text == kept
    assert (await row_of(store, "new")).title == kept


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, b"bytes", object(), datetime(2026, 1, 1)])
async def test_a_step_that_is_not_json_is_not_written_at_all(store: Store, value: Any) -> None:
    step = commit_step(
        store, "t", visit=2, events=[*entered("b"), {"when": value}], messages=[("user", "again")], status="ended"
    )
    with pytest.raises(StoreError, match="event 1 of thread `t`") as caught:
        await step
    assert caught.value.code == "not_json"
    assert (await trace(store), await store.messages.read("t"), (await row_of(store)).status) == ([], [], "running")
    assert await code(store.records.put_once("c", "k", value)) == "not_json"
    assert await code(commit_step(store, "t", blobs=[value])) == "not_json"


async def test_a_cancelled_caller_leaves_a_whole_step_and_a_working_store(store: Store) -> None:
    written = 0
    for step in range(20):
        writing = commit_step(
            store,
            "t",
            visit=step,
            first_event=5 * written,
            events=entered(*[f"n{step}"] * 5),
            first_message=written,
            messages=[("user", f"n{step}")],
        )
        task = asyncio.create_task(writing)
        await asyncio.sleep(step * 0.0002)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        nodes = [node for _, _, node in await trace(store)]
        texts = [message.text for message in await store.messages.read("t")]
        assert nodes == [text for text in texts for _ in range(5)]
        written = len(texts)


async def note(store: Store, visit: int, status: OutcomeStatus, attempt: int, error: Any = None) -> None:
    async with store.turn("t") as work:
        work.note_outcome(visit, "send", status, attempt, error)
        await work.flush()


async def test_the_last_outcome_counts_and_what_a_turn_did_not_flush_is_dropped(store: Store) -> None:
    await note(store, 2, "started", 1)
    await note(store, 2, "broken", 2, {"code": "undeclared_write"})
    known = await store.outcomes.get("t", 2)
    assert known is not None
    assert (known.status, known.node, known.attempt) == ("broken", "send", 2)
    assert known.error == {"code": "undeclared_write"}
    async with store.turn("t") as work:
        kept = work.note_blob({"b": 1, "a": [2]})
        assert work.pending
        await work.flush()
        dropped = work.note_blob({"b": 2})
        work.note_outcome(1, "send", "started", 1)
        work.note_step(visit=0, first_event=0, events=entered("a"), first_message=0, messages=[], changes=ROW, state={})  # type: ignore[arg-type]
    assert await store.blobs.get(kept) == {"a": [2], "b": 1}
    assert await code(store.blobs.get(dropped)) == "no_such_blob"
    assert (await store.outcomes.get("t", 1), await trace(store)) == (None, [])


async def test_equal_values_are_one_blob_whatever_the_order_of_their_keys(store: Store) -> None:
    large = [{"row": n, "text": "Ünï" * 100} for n in range(20_000)]
    values = [{"a": 1, "b": [True, None, "ü"]}, {"b": [True, None, "ü"], "a": 1}, {"a": 1}, None, large]
    one, same, small, null, many = await commit_step(store, "t", blobs=values)
    assert one == same != small
    # The hash is part of stored state: it must never change from one version to the next.
    assert small == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    assert await store.blobs.get(one) == values[0]
    assert await store.blobs.get(null) is None
    assert await store.blobs.get(many) == large


async def test_a_record_is_kept_once_and_listed_by_collection(store: Store) -> None:
    offer = {"watts": 30}
    assert await store.records.put_once("offers", "b", offer, agent="intake", thread="t") == (offer, True)
    assert await store.records.put_once("offers", "b", {"watts": 99}) == (offer, False)
    assert await store.records.put_once("repairs", "b", 1) == (1, True)
    await store.records.put_once("offers", "a", None)
    record = await store.records.get("offers", "b")
    assert record is not None
    assert (record.value, record.agent, record.thread) == (offer, "intake", "t")
    assert await store.records.get("offers", "z") is None
    assert [record.key for record in await store.records.list("offers")] == ["b", "a"]
    assert [record.key for record in await store.records.list("offers", limit=1, offset=1)] == ["a"]


# States


async def test_of_a_thread_the_latest_state_is_kept(store: Store) -> None:
    for said in (["a"], ["a", "ü"]):
        await commit_step(store, "t", state={"said": said})
    async with store.turn("t") as work:
        assert work.state == {"thread": {"said": ["a", "ü"]}, "inbox": {}}
        work.note_state({"said": []}, {"text": "lost"})
        assert work.pending
    assert await store.state("t") == {"thread": {"said": ["a", "ü"]}, "inbox": {}}
    async with store.turn("t") as work:
        work.note_state({"said": []}, {"text": "kept"})
        await work.flush()
        assert not work.pending
    async with open_store(store.path.parent) as again:
        assert await again.state("t") == {"thread": {"said": []}, "inbox": {"text": "kept"}}


async def test_a_state_that_was_changed_on_the_disk_is_not_believed(store: Store) -> None:
    await commit_step(store, "t", state={"said": ["a"]})
    with contextlib.closing(sqlite3.connect(store.path)) as other:
        other.execute("UPDATE gw_states SET state = replace(state, 'a', 'b')")
        other.commit()
    assert await code(store.state("t")) == "corrupted"


# The door


async def test_what_is_committed_together_fails_alone(store: Store) -> None:
    def adding(key: str, error: Exception | None = None) -> Callable[[Connection], str]:
        def work(connection: Connection) -> str:
            connection.execute(text("INSERT INTO kept VALUES (:key)"), {"key": key})
            if error is not None:
                raise error
            return key

        return work

    def begun(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE kept (key TEXT PRIMARY KEY)"))
        waiting.wait()

    waiting = threading.Event()
    works = [adding("a"), adding("b", KeyError("b")), adding("a"), adding("c")]
    # While the first one is at work the others queue up.
    tasks = [asyncio.create_task(store.transaction(begun))]
    await asyncio.sleep(0)
    tasks += [asyncio.create_task(store.transaction(work)) for work in works]
    await asyncio.sleep(0)
    waiting.set()
    _, *outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [each if isinstance(each, str) else type(each) for each in outcomes] == ["a", KeyError, StoreError, "c"]
    rows = await store.read(lambda c: c.execute(text("SELECT key FROM kept ORDER BY key")).scalars().all())
    assert rows == ["a", "c"]


async def test_tables_that_several_need_at_once_are_made_once(store: Store) -> None:
    waiting = threading.Event()
    at_work = asyncio.create_task(store.transaction(lambda _: waiting.wait()))
    await asyncio.sleep(0)
    counts = [asyncio.create_task(store.access.counters.add("turns", 1, 1)) for _ in range(3)]
    await asyncio.sleep(0)
    waiting.set()
    assert await asyncio.gather(at_work, *counts) == [True, 1, 2, 3]


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        pass
    assert await code(store.threads.get("t")) == "closed"
