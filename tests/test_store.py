"""The store: threads, events, messages, outcomes, blobs and records in one file, through the public door."""

from __future__ import annotations

import asyncio
import itertools
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Engine
from sqlalchemy.schema import CreateTable
from sqlalchemy.sql import ClauseElement
from store_support import ROW, commit_step

from graphwright.store import Store, StoreError, checkpoints, messages, open_store, threads
from graphwright.store import trace as trace_module
from graphwright.store.prepared import Prepared
from graphwright.store.rows import OutcomeStatus


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        await opened.threads.upsert("t", agent="intake", flow_id="flow.intake", flow_hash="h1")
        yield opened


def entered(*nodes: str) -> list[dict[str, Any]]:
    return [{"type": "entered", "node": node} for node in nodes]


async def trace(store: Store, thread: str = "t") -> list[tuple[int, int, str]]:
    return [(row.seq, row.visit, row.event["node"]) for row in await store.events.read(thread)]


async def code(awaitable: Any) -> str:
    with pytest.raises(StoreError) as caught:
        await awaitable
    assert caught.value.message
    return caught.value.code


# Threads


async def test_a_thread_begins_with_defaults_and_keeps_what_is_not_changed(store: Store) -> None:
    row = await store.threads.get("t")
    assert row is not None
    assert (row.agent, row.flow_id, row.flow_hash) == ("intake", "flow.intake", "h1")
    assert (row.status, row.waiting_for, row.position, row.title, row.turns) == ("running", None, None, "", 0)

    waiting = {"node": "q.venue", "prompt": "Where?"}
    position = [["", "q.venue"]]
    await store.threads.upsert("t", status="waiting", waiting_for=waiting, position=position, turns=3)
    changed = await store.threads.get("t")
    assert changed is not None
    assert (changed.status, changed.waiting_for, changed.turns) == ("waiting", waiting, 3)
    assert changed.position == position
    assert (changed.agent, changed.created) == ("intake", row.created)

    await store.threads.upsert("t", waiting_for=None)
    cleared = await store.threads.get("t")
    assert cleared is not None
    assert cleared.waiting_for is None
    assert cleared.status == "waiting"


async def test_a_new_thread_needs_agent_and_flow(store: Store) -> None:
    with pytest.raises(StoreError, match="flow_id, flow_hash") as caught:
        await store.threads.upsert("new", agent="intake")
    assert caught.value.code == "incomplete_thread"
    assert await store.threads.get("new") is None


async def test_listing_begins_with_the_thread_last_touched(tmp_path: Path) -> None:
    minutes = itertools.count()
    start = datetime(2026, 1, 1, tzinfo=UTC)
    async with open_store(tmp_path, now=lambda: start + timedelta(minutes=next(minutes))) as store:
        for thread, agent in (("a", "intake"), ("b", "assistant"), ("c", "intake")):
            await store.threads.upsert(thread, agent=agent, flow_id="f", flow_hash="h")
        await store.threads.upsert("a", status="ended")
        assert [row.thread for row in await store.threads.list()] == ["a", "c", "b"]
        assert [row.thread for row in await store.threads.list(limit=1, offset=1)] == ["c"]
        assert [row.thread for row in await store.threads.list(agent="intake")] == ["a", "c"]
        assert [row.thread for row in await store.threads.list(agent="intake", status="ended")] == ["a"]


async def test_times_are_utc_and_sort_as_text(tmp_path: Path) -> None:
    # Noon in Kathmandu is a quarter past six in UTC; a whole second must not lose its fraction.
    noon = datetime(2026, 3, 1, 12, 0, 0, tzinfo=timezone(timedelta(hours=5, minutes=45)))
    async with open_store(tmp_path, now=lambda: noon) as store:
        await store.threads.upsert("t", agent="a", flow_id="f", flow_hash="h")
        row = await store.threads.get("t")
        assert row is not None
        assert row.created == row.updated == "2026-03-01T06:15:00.000000Z"


async def test_deleting_a_thread_leaves_nothing_of_it(store: Store) -> None:
    await store.threads.upsert("other", agent="intake", flow_id="f", flow_hash="h")
    await commit_step(store, "t", events=entered("a"), messages=[("user", "hello")])
    await commit_step(store, "other", events=entered("b"), messages=[("user", "hi")])
    await note(store, 1, "done", 1)
    alone = await store.blobs.put({"big": 1}, thread="t")
    shared = await store.blobs.put({"big": 2}, thread="t")
    assert await store.blobs.put({"big": 2}, thread="other") == shared
    await store.records.put_once("offers", "o1", {"watts": 5}, agent="intake", thread="t")

    assert await store.threads.delete("t") is True
    assert await store.threads.delete("t") is False

    assert await store.threads.get("t") is None
    assert await store.events.read("t") == []
    assert await store.messages.read("t") == []
    assert await store.outcomes.get("t", 1) is None
    assert await code(store.blobs.get(alone)) == "no_such_blob"
    assert await store.blobs.get(shared) == {"big": 2}
    assert await trace(store, "other") == [(0, 0, "b")]
    kept = await store.records.get("offers", "o1")
    assert kept is not None
    assert kept.thread == "t"

    await store.threads.delete("other")
    assert await code(store.blobs.get(shared)) == "no_such_blob"


# Events and messages


async def test_a_repeated_step_replaces_what_it_had_begun_to_write(store: Store) -> None:
    await store.events.append("t", 1, 0, entered("a", "b"))
    await store.events.append("t", 2, 2, entered("c", "lost", "lost"))
    await store.events.append("t", 2, 2, entered("c", "d"))
    await store.events.append("t", 2, 2, entered("c", "d"))
    assert await trace(store) == [(0, 1, "a"), (1, 1, "b"), (2, 2, "c"), (3, 2, "d")]
    assert await store.events.count("t") == 4
    assert [row.seq for row in await store.events.read("t", since=3)] == [3]


async def test_replacing_the_tail_of_one_thread_leaves_the_others(store: Store) -> None:
    await store.threads.upsert("t2", agent="a", flow_id="f", flow_hash="h")
    await store.events.append("t2", 1, 0, entered("x", "y"))
    await store.messages.append("t2", 0, [("user", "x")])
    await store.events.append("t", 1, 0, [])
    await store.messages.append("t", 0, [])
    assert await store.events.count("t2") == 2
    assert await store.messages.count("t2") == 1


async def test_events_of_an_unknown_thread_are_refused(store: Store) -> None:
    assert await code(store.events.append("nobody", 1, 0, entered("a"))) == "no_such_thread"
    assert await code(store.blobs.put([1], thread="nobody")) == "no_such_thread"


async def test_the_window_is_the_last_messages_in_order(store: Store) -> None:
    await store.messages.append("t", 0, [("user", str(n)) for n in range(10)])
    await store.messages.append("t", 8, [("assistant", "eight")])
    assert [(m.seq, m.role, m.text) for m in await store.messages.window("t", 3)] == [
        (6, "user", "6"),
        (7, "user", "7"),
        (8, "assistant", "eight"),
    ]
    assert await store.messages.window("t", 0) == []
    assert len(await store.messages.window("t", 100)) == 9
    assert [m.seq for m in await store.messages.read("t", since=7)] == [7, 8]
    assert await store.messages.count("t") == 9


async def test_ten_thousand_events(store: Store) -> None:
    events = [{"type": "entered", "node": f"n{n}", "detail": "x" * 50} for n in range(10_000)]
    await store.events.append("t", 1, 0, events)
    rows = await store.events.read("t")
    assert [row.event for row in rows] == events
    assert [row.seq for row in rows] == list(range(10_000))
    assert len(await store.events.read("t", since=9_990)) == 10


@pytest.mark.parametrize(
    "text",
    [
        "Grüße, 東京 🏯",
        "a\x00b",
        "\u202eright to left",
        "line\r\nline",
        "e\u0301",
        "",
        "'; DROP TABLE gw_threads; --",
    ],
)
async def test_any_text_comes_back_as_it_was(store: Store, text: str) -> None:
    event = {"node": text, text: 1}
    await commit_step(store, "t", events=[event], messages=[("user", text)])
    await store.threads.upsert("t", title=text)
    assert (await store.events.read("t"))[0].event == event
    assert (await store.messages.window("t", 1))[0].text == text
    row = await store.threads.get("t")
    assert row is not None
    assert row.title == text


async def test_half_a_character_from_a_broken_terminal_does_not_stop_the_turn(store: Store) -> None:
    await commit_step(store, "t", events=[{"node": "ü\udcff"}], messages=[("user", "ü\udcff🏯")])
    assert (await store.events.read("t"))[0].event == {"node": "ü\ufffd"}
    assert (await store.messages.window("t", 1))[0].text == "ü\ufffd🏯"


# One transaction


async def test_a_step_is_written_whole_or_not_at_all(store: Store) -> None:
    await commit_step(store, "t", visit=1, events=entered("a"), messages=[("user", "hi")])
    await store.threads.upsert("t", status="waiting")
    unwritable = [*entered("b"), {"when": datetime(2026, 1, 1)}]
    assert (
        await code(
            commit_step(
                store,
                "t",
                visit=2,
                first_event=1,
                events=unwritable,
                first_message=1,
                messages=[("user", "again")],
                status="ended",
            )
        )
        == "not_json"
    )
    assert await trace(store) == [(0, 1, "a")]
    assert await store.messages.count("t") == 1
    row = await store.threads.get("t")
    assert row is not None
    assert row.status == "waiting"


async def test_a_step_may_begin_its_thread(store: Store) -> None:
    await commit_step(store, "new", events=entered("a"), turns=1)
    assert await trace(store, "new") == [(0, 0, "a")]
    row = await store.threads.get("new")
    assert row is not None
    assert row.turns == 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, b"bytes", object()])
async def test_what_is_not_json_is_named_and_refused(store: Store, value: Any) -> None:
    with pytest.raises(StoreError, match="event 7 of thread `t`") as caught:
        await store.events.append("t", 1, 7, [{"value": value}])
    assert caught.value.code == "not_json"
    assert await code(store.records.put_once("c", "k", value)) == "not_json"


async def test_a_cancelled_caller_leaves_a_whole_step_and_a_working_store(store: Store) -> None:
    for step in range(20):
        task = asyncio.create_task(
            commit_step(
                store,
                "t",
                visit=step,
                first_event=5 * step,
                events=entered(*[f"n{step}"] * 5),
                first_message=step,
                messages=[("user", f"n{step}")],
            )
        )
        await asyncio.sleep(step * 0.0002)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        nodes = [node for _, _, node in await trace(store)]
        texts = [message.text for message in await store.messages.read("t")]
        assert nodes == [text for text in texts for _ in range(5)]


async def test_many_tasks_write_at_once(store: Store) -> None:
    async def work(number: int) -> None:
        thread = f"t{number}"
        await store.threads.upsert(thread, agent="a", flow_id="f", flow_hash="h")
        for step in range(5):
            await commit_step(store, thread, visit=step, first_event=step, events=entered(f"n{step}"))

    await asyncio.gather(*(work(number) for number in range(20)))
    for number in range(20):
        assert await store.events.count(f"t{number}") == 5


# Outcomes


async def note(store: Store, visit: int, status: OutcomeStatus, attempt: int, error: Any = None) -> None:
    async with store.turn("t") as work:
        work.note_outcome(visit, "send", status, attempt, error)
        await work.flush()


async def test_the_last_thing_noted_of_a_visit_counts(store: Store) -> None:
    assert await store.outcomes.get("t", 1) is None
    await note(store, 1, "started", 1)
    begun = await store.outcomes.get("t", 1)
    assert begun is not None
    assert (begun.status, begun.node, begun.attempt, begun.error) == ("started", "send", 1, None)
    await note(store, 1, "broken", 2, {"code": "undeclared_write"})
    broken = await store.outcomes.get("t", 1)
    assert broken is not None
    assert (broken.status, broken.attempt, broken.error) == ("broken", 2, {"code": "undeclared_write"})
    assert await store.outcomes.get("t", 2) is None


async def test_what_a_turn_did_not_flush_is_dropped(store: Store) -> None:
    async with store.turn("t") as work:
        work.note_outcome(1, "send", "started", 1)
        work.note_step(visit=0, first_event=0, events=entered("a"), first_message=0, messages=[], changes=ROW)
    assert await store.outcomes.get("t", 1) is None
    assert await trace(store) == []


async def test_a_large_value_is_written_with_the_turn_that_noted_it(store: Store) -> None:
    async with store.turn("t") as work:
        kept = work.note_blob({"b": 1, "a": [2]})
        assert work.pending
        await work.flush()
        dropped = work.note_blob({"b": 2})
    assert await store.blobs.get(kept) == {"a": [2], "b": 1}
    assert kept == await store.blobs.put({"a": [2], "b": 1}, thread="t")
    assert await code(store.blobs.get(dropped)) == "no_such_blob"
    async with store.turn("t") as work:
        with pytest.raises(StoreError, match="not JSON"):
            work.note_blob({1.5, 2})


async def test_the_title_is_that_of_the_first_step(store: Store) -> None:
    await commit_step(store, "new", events=entered("a"), title="Lights")
    await commit_step(store, "new", first_event=1, events=entered("b"), title="No lights")
    row = await store.threads.get("new")
    assert row is not None
    assert row.title == "Lights"


# Blobs and records


async def test_equal_values_are_one_blob_whatever_the_order_of_their_keys(store: Store) -> None:
    one = await store.blobs.put({"a": 1, "b": [True, None, "ü"]}, thread="t")
    assert await store.blobs.put({"b": [True, None, "ü"], "a": 1}, thread="t") == one
    assert await store.blobs.put({"a": 1, "b": [True, None, "u"]}, thread="t") != one
    assert await store.blobs.get(one) == {"a": 1, "b": [True, None, "ü"]}
    # The hash is part of stored state: it must never change from one version to the next.
    assert await store.blobs.put({"a": 1}, thread="t") == (
        "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    )
    null = await store.blobs.put(None, thread="t")
    assert await store.blobs.get(null) is None


async def test_a_blob_of_many_megabytes(store: Store) -> None:
    value = [{"row": n, "text": "Ünï" * 100} for n in range(20_000)]
    digest = await store.blobs.put(value, thread="t")
    assert await store.blobs.get(digest) == value


async def test_a_record_is_kept_once(store: Store) -> None:
    offer = {"watts": 30}
    assert await store.records.put_once("offers", "o1", offer, agent="intake", thread="t") == (offer, True)
    assert await store.records.put_once("offers", "o1", {"watts": 99}) == (offer, False)
    assert await store.records.put_once("repairs", "o1", 1) == (1, True)
    record = await store.records.get("offers", "o1")
    assert record is not None
    assert (record.value, record.agent, record.thread) == (offer, "intake", "t")
    assert await store.records.get("offers", "o2") is None


async def test_records_are_listed_by_collection_oldest_first(store: Store) -> None:
    for key in ("b", "c", "a"):
        await store.records.put_once("offers", key, key)
    await store.records.put_once("repairs", "z", "z")
    assert [record.key for record in await store.records.list("offers")] == ["b", "c", "a"]
    assert [record.key for record in await store.records.list("offers", limit=1, offset=1)] == ["c"]
    assert await store.records.list("nothing") == []


# The door


async def test_everything_is_there_after_opening_again(tmp_path: Path) -> None:
    async with open_store(tmp_path / "new" / "home") as store:
        await store.threads.upsert("t", agent="a", flow_id="f", flow_hash="h")
        await commit_step(store, "t", events=entered("a"), messages=[("user", "hi")])
    async with open_store(tmp_path / "new" / "home") as store:
        assert await trace(store) == [(0, 0, "a")]
        assert [message.text for message in await store.messages.read("t")] == ["hi"]


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        pass
    assert await code(store.threads.get("t")) == "closed"


def test_importing_the_store_loads_no_database_library() -> None:
    heavy = "{'sqlalchemy', 'langgraph', 'langchain_core', 'aiosqlite', 'sqlite3', 'asyncio', 'filelock'}"
    script = f"import sys, graphwright.store; print(sorted({heavy} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def statements() -> Iterator[list[ClauseElement]]:
    seen: list[ClauseElement] = []

    def note(_connection: Any, statement: Any, *_rest: Any) -> None:
        if isinstance(statement, ClauseElement):
            seen.append(statement)

    event.listen(Engine, "before_execute", note)
    yield seen
    event.remove(Engine, "before_execute", note)


async def test_every_statement_suits_postgres(tmp_path: Path, statements: list[ClauseElement]) -> None:
    async with open_store(tmp_path) as store:
        await commit_step(
            store,
            "t",
            events=entered("a"),
            messages=[("user", "hi")],
        )
        await store.threads.list(agent="a", status="ended")
        await store.threads.get("t")
        await store.events.read("t")
        await store.events.count("t")
        await store.messages.window("t", 1)
        await store.messages.read("t")
        await store.messages.count("t")
        await note(store, 1, "done", 1)
        await store.outcomes.get("t", 1)
        await store.blobs.get(await store.blobs.put(1, thread="t"))
        await store.records.put_once("c", "k", 1)
        await store.records.get("c", "k")
        await store.records.list("c")
        await store.threads.delete("t")
    assert len([s for s in statements if not isinstance(s, CreateTable)]) > 15
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    modules = (checkpoints, messages, threads, trace_module)
    prepared = [p.statement for module in modules for p in vars(module).values() if isinstance(p, Prepared)]
    assert len(prepared) >= 9
    texts = {str(statement.compile(dialect=dialect)) for statement in (*statements, *prepared)}
    assert any(text.lstrip().startswith("CREATE TABLE gw_events") for text in texts)
    assert any("ON CONFLICT" in text for text in texts)
