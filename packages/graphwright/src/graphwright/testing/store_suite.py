"""The requirements on every store, as tests for any implementation.

    from graphwright.testing.store_suite import StoreSuite

    class TestMyStore(StoreSuite):
        @pytest.fixture
        def open_store(self, tmp_path):
            return lambda **options: my_store(tmp_path, **options)

The fixture returns a function that opens the same store with each call; it is empty at the beginning of a test. The
function returns an async context manager, and accepts `now`, a function that returns the time, like
`graphwright.store.open_store`. A store with flow documents (`flows`) is also tested by `FlowSuite`, in the same way.
"""

from __future__ import annotations

import asyncio
import itertools
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from graphwright.store import (
    ApiKey,
    AuditEntry,
    Beginning,
    KeyReused,
    LeaseTimeout,
    OutcomeStatus,
    Store,
    StoreError,
    ThreadBusy,
    ThreadRow,
    Upload,
)
from graphwright.testing._conversation_suite import ConversationSuite
from graphwright.testing._flow_suite import FlowSuite
from graphwright.testing._store_steps import (
    ROW,
    TEXTS,
    OpenStore,
    commit_step,
    error_code,
    run_with_thread,
    synchronous,
)

__all__ = ["FlowSuite", "OpenStore", "StoreSuite", "commit_step"]


def _entered(*nodes: str) -> list[dict[str, Any]]:
    return [{"type": "entered", "node": node} for node in nodes]


async def _trace(store: Store, thread: str = "t") -> list[tuple[int, int, str]]:
    return [(row.seq, row.visit, row.event["node"]) for row in await store.events.read(thread)]


async def _row(store: Store, thread: str = "t") -> ThreadRow:
    row = await store.threads.get(thread)
    assert row is not None
    return row


async def _note(store: Store, visit: int, status: OutcomeStatus, attempt: int, error: Any = None) -> None:
    async with store.turn("t") as work:
        work.note_outcome(visit, "send", status, attempt, error)
        await work.flush()


class StoreSuite(ConversationSuite):
    """The tests. A subclass whose name begins with `Test` provides the fixture `open_store`."""

    # threads

    def test_a_thread_is_listed_by_when_it_was_last_touched(self, open_store: OpenStore) -> None:
        # Noon in Kathmandu is a quarter past six in UTC; a whole second must not lose its fraction.
        noon, minutes = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=5, minutes=45))), itertools.count()

        async def run() -> None:
            async with open_store(now=lambda: noon + timedelta(minutes=next(minutes))) as store:
                for thread, agent in (("a", "intake"), ("b", "assistant"), ("c", "intake")):
                    await commit_step(store, thread, agent=agent, title="Lights")
                first = await _row(store, "a")
                waiting = {"node": "q.venue", "prompt": "Where?"}
                changes: dict[str, Any] = {
                    "status": "waiting",
                    "waiting_for": waiting,
                    "title": "No lights",
                    "turns": 3,
                }
                await commit_step(store, "a", messages=[("user", "Über 100 % of_it")], **changes)
                changed = await _row(store, "a")
                assert (changed.status, changed.waiting_for, changed.turns) == ("waiting", waiting, 3)
                assert (changed.title, changed.created) == ("Lights", first.created)
                assert first.created.startswith("2026-03-01T06:")
                assert first.created.endswith(":00.000000Z")
                await store.access.owners.claim("thread", "b", "ann")
                about: dict[str, Any] = {"flow_id": "f", "flow_hash": "h", "title": "", "time": store.time()}
                await store.threads.create("tried", agent="draft:intake", **about)
                for asked, found in (
                    ({}, "acb"),
                    ({"agent": "draft:intake"}, "tried"),
                    ({"limit": 1, "after": (changed.updated, "a")}, "c"),
                    ({"agent": "intake", "status": "waiting"}, "a"),
                    ({"text": "üBER 100 %"}, "a"),
                    ({"text": "ofxit"}, ""),
                    ({"owner": "ann"}, "b"),
                    ({"owner": "local"}, "ac"),
                    ({"begun": ["a"], "owner": "local"}, "ac"),
                    ({"begun": [], "owner": "local"}, "c"),
                ):
                    assert "".join(row.thread for row in await store.threads.page(**asked)) == found, asked

        asyncio.run(run())

    @synchronous
    async def test_a_thread_is_made_once_and_renamed(self, store: Store) -> None:
        about: dict[str, Any] = {"agent": "intake", "flow_id": "f", "flow_hash": "h", "time": store.time()}
        made = await asyncio.gather(*(store.threads.create("new", title=f"{n}", **about) for n in range(4)))
        assert sorted(made) == [False, False, False, True]
        before = await _row(store, "new")
        assert (before.status, before.waiting_for, before.turns) == ("new", None, 0)
        await store.threads.rename("new", "Lamps")
        now = await _row(store, "new")
        assert (now.title, now.updated) == ("Lamps", before.updated)
        await store.threads.rename("none", "Lamps")
        assert await store.threads.get("none") is None

    @synchronous
    async def test_deleting_a_thread_leaves_nothing_of_it(self, store: Store) -> None:
        messages, blobs = [("user", "hello")], [{"big": 1}, {"big": 2}]
        alone, shared = await commit_step(store, "t", events=_entered("a"), messages=messages, blobs=blobs)
        assert await commit_step(store, "other", events=_entered("b"), blobs=[{"big": 2}]) == [shared]
        await _note(store, 1, "done", 1)
        await store.runs.begin("r", "t", "ann", "w", {"said": "hello"}, "key", "request")
        await store.records.put_once("offers", "o1", {"watts": 5}, agent="intake", thread="t")

        assert await store.threads.delete("t") is True
        assert await store.threads.delete("t") is False

        assert (await store.threads.get("t"), await store.outcomes.get("t", 1)) == (None, None)
        assert (await store.events.read("t"), await store.messages.read("t"), await store.state("t")) == ([], [], {})
        assert (await store.runs.get("r"), await store.runs.has_key("ann", "key")) == (None, False)
        assert await error_code(store.blobs.get(alone)) == "no_such_blob"
        assert await store.blobs.get(shared) == {"big": 2}
        assert await _trace(store, "other") == [(0, 0, "b")]
        kept = await store.records.get("offers", "o1")
        assert kept is not None
        assert kept.thread == "t"
        await store.threads.delete("other")
        assert await error_code(store.blobs.get(shared)) == "no_such_blob"

    # events and messages

    @synchronous
    async def test_events_and_messages_come_back_in_order(self, store: Store) -> None:
        events = [{"type": "entered", "node": f"n{n}", "detail": "x" * 50} for n in range(2_000)]
        messages = [("user", str(n)) for n in range(10)]
        await commit_step(store, "t", visit=1, events=events, messages=messages)
        await commit_step(store, "t", visit=2, first_event=2_000, events=[{"type": "entered_not"}, *_entered("last")])
        rows = await store.events.read("t")
        assert [row.event for row in rows] == [*events, {"type": "entered_not"}, *_entered("last")]
        assert [row.seq for row in rows] == list(range(2_002))
        assert [(row.seq, row.visit) for row in await store.events.read("t", 1_999, 2)] == [(1_999, 1), (2_000, 2)]
        assert [row.seq for row in await store.events.of_type("t", "entered")][-2:] == [1_999, 2_001]
        assert [m.text for m in await store.messages.window("t", 3)] == ["7", "8", "9"]
        assert [m.text for m in await store.messages.window("t", 3, before=8)] == ["5", "6", "7"]
        assert await store.messages.window("t", 0) == []
        assert len(await store.messages.window("t", 100)) == len(await store.messages.read("t")) == 10

    @pytest.mark.parametrize("text", TEXTS)
    def test_any_text_is_stored_unchanged(self, open_store: OpenStore, text: str) -> None:
        """A lone surrogate, as from a broken terminal, becomes U+FFFD; outside of JSON, NUL may, too."""

        async def run() -> None:
            async with open_store() as store:
                messages = [("user", text)]
                await commit_step(store, "new", events=[{"node": text, text: 1}], messages=messages, title=text)
                kept = text.replace("\ud83c", "\ufffd")
                may_be = {kept, kept.replace("\0", "\ufffd")}
                assert (await store.events.read("new"))[0].event == {"node": kept, kept: 1}
                assert (await store.messages.window("new", 1))[0].text in may_be
                assert (await _row(store, "new")).title in may_be

        asyncio.run(run())

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, b"bytes", object(), datetime(2026, 1, 1)])
    def test_a_step_that_is_not_json_is_not_written_at_all(self, open_store: OpenStore, value: Any) -> None:
        async def run(store: Store) -> None:
            events = [*_entered("b"), {"when": value}]
            step = commit_step(store, "t", visit=2, events=events, messages=[("user", "again")], status="ended")
            with pytest.raises(StoreError, match="event 1 of thread `t`") as caught:
                await step
            assert caught.value.code == "not_json"
            left = await _trace(store), await store.messages.read("t"), (await _row(store)).status
            assert left == ([], [], "running")
            assert await error_code(store.records.put_once("c", "k", value)) == "not_json"
            assert await error_code(commit_step(store, "t", blobs=[value])) == "not_json"

        run_with_thread(open_store, run)

    @synchronous
    async def test_a_thread_begins_as_another_one_did(self, store: Store) -> None:
        (large,) = await commit_step(
            store, "t", events=_entered("a", "b", "c"), messages=[("user", "1"), ("assistant", "2")], blobs=[{"big": 1}]
        )
        async with store.turn("copy") as work:
            work.note_beginning(Beginning("t", 2, 1, {large}), "The title")
            work.note_step(
                visit=0,
                first_event=2,
                events=_entered("z"),
                first_message=1,
                messages=[],
                changes=ROW,  # type: ignore[arg-type]
                state={},
            )
            await work.flush()
        await store.threads.delete("t")
        assert [node for _, _, node in await _trace(store, "copy")] == ["a", "b", "z"]
        assert [message.text for message in await store.messages.read("copy")] == ["1"]
        assert ((await _row(store, "copy")).title, await store.blobs.get(large)) == ("The title", {"big": 1})

    # turns

    @synchronous
    async def test_a_cancelled_caller_leaves_a_whole_step_and_a_working_store(self, store: Store) -> None:
        written = 0
        for step in range(20):
            messages, events = [("user", f"n{step}")], _entered(*[f"n{step}"] * 5)
            writing = commit_step(
                store,
                "t",
                visit=step,
                first_event=5 * written,
                events=events,
                first_message=written,
                messages=messages,
            )
            task = asyncio.create_task(writing)
            await asyncio.sleep(step * 0.0002)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            nodes = [node for _, _, node in await _trace(store)]
            texts = [message.text for message in await store.messages.read("t")]
            assert nodes == [text for text in texts for _ in range(5)]
            written = len(texts)

    @synchronous
    async def test_the_last_outcome_counts_and_what_a_turn_did_not_flush_is_dropped(self, store: Store) -> None:
        await _note(store, 2, "started", 1)
        await _note(store, 2, "broken", 2, {"code": "undeclared_write"})
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
        assert await store.blobs.get(kept) == {"a": [2], "b": 1}
        assert await error_code(store.blobs.get(dropped)) == "no_such_blob"
        assert (await store.outcomes.get("t", 1), await _trace(store)) == (None, [])

    def test_of_a_thread_the_latest_state_is_kept(self, open_store: OpenStore) -> None:
        async def run() -> None:
            async with open_store() as store:
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
                async with open_store() as again:
                    assert await again.state("t") == {"thread": {"said": []}, "inbox": {"text": "kept"}}

        asyncio.run(run())

    # leases

    @synchronous
    async def test_a_thread_has_one_holder_and_tasks_are_served_in_order(self, store: Store) -> None:
        order: list[int] = []

        async def served(number: int) -> None:
            async with store.turn("t"):
                order.append(number)
                await asyncio.sleep(0)
                order.append(number)

        async with store.lease("t"):
            assert await store.leased(["t", "none"]) == {"t"}
            assert await store.held_elsewhere("t") is False
            with pytest.raises(LeaseTimeout, match="t") as caught:
                async with store.lease("t", timeout_seconds=0.05):
                    pass
            assert caught.value.code == "lease_timeout"
            waiting = [asyncio.create_task(served(number)) for number in range(3)]
            async with store.lease("another", timeout_seconds=1):
                pass
            waiting.append(asyncio.create_task(served(3)))
            await asyncio.sleep(0.01)
            waiting.pop(1).cancel()
            assert [row.status for row in await store.current([await _row(store)])] == ["running"]
        await asyncio.gather(*waiting)
        assert order == [0, 0, 2, 2, 3, 3]
        with pytest.raises(ZeroDivisionError):
            async with store.lease("t", timeout_seconds=1):
                raise ZeroDivisionError
        assert await store.leased(["t"]) == set()
        row = await _row(store)
        assert [each.status for each in await store.current([row])] == ["cut_short"]
        await commit_step(store, "t", status="ended")
        assert [each.status for each in await store.current([row])] == ["ended"]

    @synchronous
    async def test_any_thread_id_can_be_held(self, store: Store) -> None:
        for thread in ("../../etc/passwd", "a/b", "", "x" * 5000, "東京", "\0worker"):
            async with store.lease(thread, timeout_seconds=1):
                assert await store.leased([thread]) == {thread}

    # blobs and records

    @synchronous
    async def test_equal_values_are_one_blob_whatever_the_order_of_their_keys(self, store: Store) -> None:
        large = [{"row": n, "text": "Ünï" * 100} for n in range(20_000)]
        values = [{"a": 1, "b": [True, None, "ü"]}, {"b": [True, None, "ü"], "a": 1}, {"a": 1}, None, large]
        one, same, small, null, many = await commit_step(store, "t", blobs=values)
        assert one == same != small
        # The hash is part of stored state, so it must never change between versions.
        assert small == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
        assert await store.blobs.get(one) == values[0]
        assert await store.blobs.get(null) is None
        assert await store.blobs.get(many) == large

    @synchronous
    async def test_a_record_is_kept_once_and_listed_by_collection(self, store: Store) -> None:
        offer = {"watts": 30}
        assert await store.records.put_once("offers", "b", offer, agent="intake", thread="t") == (offer, True)
        assert await store.records.put_once("offers", "b", {"watts": 99}) == (offer, False)
        assert await store.records.put_once("repairs", "b", 1) == (1, True)
        await store.records.put_once("offers", "a", None)
        record = await store.records.get("offers", "b")
        assert record is not None
        assert (record.value, record.agent, record.thread) == (offer, "intake", "t")
        assert await store.records.get("offers", "z") is None
        assert list((await store.records.collections()).items()) == [("offers", 2), ("repairs", 1)]
        assert [record.key for record in await store.records.list("offers")] == ["b", "a"]
        assert [record.key for record in await store.records.list("offers", limit=1, offset=1)] == ["a"]

    # service

    @synchronous
    async def test_a_thread_has_one_run_at_a_time_and_a_key_begins_one(self, store: Store) -> None:
        runs, message = store.runs, {"said": "hello"}
        begun = await asyncio.gather(
            *(runs.begin(f"r{n}", "t", "ann", "w", message) for n in range(5)), return_exceptions=True
        )
        (row,) = [each for each in begun if not isinstance(each, BaseException)]
        assert [each.run.id for each in begun if isinstance(each, ThreadBusy)] == [row.id] * 4
        accepted = await runs.accepted(row.id)
        # The last turn of the thread was interrupted.
        assert accepted is not None
        assert (accepted.message, accepted.turn, accepted.interrupted) == (message, 0, True)
        assert [each.id for each in await runs.running("ann")] == [row.id] == [each.id for each in await runs.running()]
        assert (await runs.running("ben"), await runs.to_cancel("w")) == ([], [])
        await runs.ask_to_cancel(row.id)
        await runs.ask_to_cancel(row.id)
        assert (await runs.to_cancel("w"), await runs.to_cancel("other")) == ([row.id], [])
        assert await runs.write(row.id, "other", 1, [("stolen", None)], "failed") is False
        assert await runs.write(row.id, "w", 1, [("a", {"n": 1})]) is True
        # A batch whose first write was not confirmed comes again, longer.
        await runs.write(row.id, "w", 1, [("a", {"n": 1}), ("b", None)])
        await runs.write(row.id, "w", 3, [("c", [3])], "ended")
        assert await runs.end_dead_run(row.id, "failed", ("late", {})) is False
        assert await runs.events(row.id, 1) == [(2, ("b", None)), (3, ("c", [3]))]
        ended = await runs.get(row.id)
        assert ended is not None
        assert (ended.status, ended.last, await runs.accepted(row.id)) == ("ended", ["c", [3]], None)
        again = await runs.begin("r7", "t", "ann", "w", message, "key", "request")
        assert await runs.begin("r8", "t", "ann", "w", message, "key", "request") == again
        with pytest.raises(KeyReused):
            await runs.begin("r9", "t", "ann", "w", message, "key", "another")
        assert (await runs.has_key("ann", "key"), await runs.has_key("ben", "key")) == (True, False)
        await runs.write("r7", "w", 1, [("a", 1)])
        assert await runs.end_dead_run("r7", "failed", ("gone", {"n": 2})) is True
        assert await runs.events("r7") == [(1, ("a", 1)), (2, ("gone", {"n": 2}))]
        latest = await runs.latest("t")
        assert latest is not None
        assert (latest.id, await runs.latest("none"), await runs.get("r8")) == ("r7", None, None)
        await runs.forget(store.time())
        assert (await runs.events("r7"), await runs.has_key("ann", "key")) == ([], False)
        assert (await error_code(runs.begin("r", "none", "ann", "w", message))) == "no_such_thread"
        assert await runs.write("none", "w", 1, [("a", 1)]) is False

    @synchronous
    async def test_a_run_is_adopted_once_also_by_the_worker_that_left_it(self, store: Store) -> None:
        runs = store.runs
        await commit_step(store, "t", status="ended")
        await runs.begin("r", "t", "ann", "w", {"said": "hello"})
        found = await runs.accepted("r")
        assert found is not None
        for left, worker in enumerate(("w", "other")):
            last = "w"
            both = await asyncio.gather(*(runs.adopt("r", last, left, each) for each in (worker, "third")))
            assert (both, await runs.owned("r", worker), await runs.owned("r", "third")) == ([True, False], True, False)
            found = await runs.accepted("r")
            assert found is not None
            assert found.left == left + 1
        await runs.end_dead_run("r", "failed", ("gone", {}))
        assert (await runs.adopt("r", "other", 2, "w"), await runs.owned("r", "other")) == (False, False)

    @synchronous
    async def test_uploads_are_counted_by_their_owner(self, store: Store) -> None:
        about = {"name": "a.csv", "sha256": "0", "kind": "csv"}
        mine, theirs = (
            Upload(id=owner, owner=owner, created=store.time(), bytes=3 * 2**30, **about) for owner in ("ann", "ben")
        )
        for upload in (mine, theirs):
            await store.uploads.add(upload)
        assert (await store.uploads.get("ann"), await store.uploads.size("ann")) == (mine, (1, 3 * 2**30))
        assert await store.uploads.before(theirs.created) == [mine]
        await store.uploads.delete("ann")
        assert (await store.uploads.get("ann"), await store.uploads.size("ann")) == (None, (0, 0))

    @synchronous
    async def test_a_resource_belongs_to_its_first_owner(self, store: Store) -> None:
        owners = store.access.owners
        users = ["ann", "ben", "eve"]
        won = await asyncio.gather(*(owners.claim("thread", "t", user) for user in users))
        assert won.count(True) == 1
        owner = users[won.index(True)]
        assert await owners.owner("thread", "t") == owner
        assert (await owners.owner("thread", "none"), await owners.owner("file", "none")) == ("local", "")
        assert await owners.thread(owner, "t") == await _row(store)
        assert (await owners.thread("local", "t"), await owners.threads("local", 9)) == (None, [])
        assert await owners.threads(owner, 9) == ["t"]
        await owners.release("thread", "t")
        assert await owners.threads("local", 9) == ["t"]

    @synchronous
    async def test_a_key_is_revoked_for_good(self, store: Store) -> None:
        keys = store.access.keys
        for number in range(2):
            about = {"hash": "h", "user": "ann", "role": "user", "name": "laptop"}
            await keys.add(ApiKey(id=f"k{number}", created=f"2026-01-0{number + 1}", **about))
        assert [key.id for key in await keys.list()] == ["k1", "k0"]
        await keys.used("k0")
        assert (await keys.revoke("k0"), await keys.revoke("none")) == (True, False)
        first = await keys.get("k0")
        assert first is not None
        assert first.revoked >= first.last_used > ""
        assert await keys.revoke("k0") is True
        assert (await keys.get("k0"), await keys.get("none")) == (first, None)

    @synchronous
    async def test_free_turns_lock_only_threads_without_a_lease(self, store: Store) -> None:
        for thread in ("a", "b", "c"):
            await commit_step(store, thread, state={"number": thread})
        async with store.turn("b"), store.free_turns(["a", "b", "c", "none"]) as works:
            assert {name: work.state["thread"] for name, work in works.items()} == {
                name: {"number": name} for name in ("a", "c")
            }
            assert await store.leased(["a", "b", "c"]) == {"a", "b", "c"}
            works["a"].note_state({"number": 1}, {})
            await works["a"].flush()
        assert (await store.state("a"))["thread"] == {"number": 1}
        assert await store.leased(["a", "b", "c"]) == set()
        async with store.free_turns(["b"]) as works:
            assert set(works) == {"b"}

    @synchronous
    async def test_an_entry_of_the_audit_is_written_with_the_turn_or_not_at_all(self, store: Store) -> None:
        entry = AuditEntry(user="ann", event="migrated", agent="a", thread="t", action="", content="h", door="cli")
        for noted in (False, True):
            async with store.turn("t") as work:
                work.note_audit(entry)
                if noted:
                    await work.flush()
            assert len(await store.access.audit.page(9)) == int(noted)
        (found,) = await store.access.audit.page(9)
        assert (found.user, found.event, found.content, bool(found.time)) == ("ann", "migrated", "h", True)

    @synchronous
    async def test_the_audit_keeps_its_order_and_requests_are_counted_by_all(self, store: Store) -> None:
        audit = store.access.audit
        about: dict[str, Any] = {"user": "ann", "event": "approved", "agent": "intake", "action": "send"}
        # Queued one after the other: the order is that of the calls, not of the awaits.
        writing = [
            asyncio.ensure_future(audit.add([AuditEntry(thread=f"t{n % 2}", content=f"h{n}", **about)]))
            for n in range(6)
        ]
        await asyncio.gather(*reversed(writing))
        first = await audit.page(4)
        assert [entry.content for entry in first] == ["h5", "h4", "h3", "h2"]
        assert [entry.content for entry in await audit.page(9, first[-1].number)] == ["h1", "h0"]
        assert [entry.content for entry in await audit.page(9, thread="t1")] == ["h5", "h3", "h1"]
        assert [entry.content for entry in await audit.page(1, text="INTAKE")] == ["h5"]
        assert await audit.page(9, text="in_ake") == []
        oldest = (await audit.page(9))[-1].time
        assert len(await audit.page(9, since=oldest)) == 6
        assert await audit.page(9, until=oldest) == []
        assert first[0].time >= first[-1].time > ""
        # A write that was not confirmed is repeated: what it stored is not stored twice.
        await audit.add([first[0], AuditEntry(thread="t0", content="h6", time=first[0].time, **about)], again=True)
        assert [entry.content for entry in await audit.page(3)] == ["h6", "h5", "h4"]
        counters = store.access.counters
        counted = await asyncio.gather(*(counters.add("turns", 1, 2) for _ in range(10)))
        assert sorted(counted) == list(range(2, 22, 2))
        # The clock of one worker is behind: its requests still count.
        assert [await counters.add("turns", window, 1) for window in (3, 1)] == [1, 21]
        assert [await counters.add("turns", window, 1) for window in (1000, 1)] == [1, 1]

    # readiness

    @synchronous
    async def test_a_store_is_ready_until_it_is_closed(self, store: Store) -> None:
        await store.require_ready()
        assert store.label
        assert store.home.is_absolute()

    def test_a_closed_store_says_so(self, open_store: OpenStore) -> None:
        async def run() -> None:
            async with open_store() as store:
                pass
            assert await error_code(store.threads.get("t")) == "closed"

        asyncio.run(run())
