"""The store in Postgres: the contract of every store, and failures of the server, the network and a worker."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from crash_support import Tell, apart, forked
from graphwright.store import AuditEntry, Store, StoreError, open_store
from graphwright.store._health import examine
from graphwright.testing._store_steps import DOCUMENT, ROW
from graphwright.testing.store_suite import FlowSuite, OpenStore, StoreSuite, commit_step
from postgres_support import PASSWORD, PostgresServer, cutting

pytestmark = pytest.mark.slow

OF_VERSION_6 = ("pinned", "folder", "model", "family", "source", "source_turn")

ENTRY = AuditEntry(user="ann", event="approved", agent="intake", thread="t", action="send", content="h")


@pytest.fixture
def address(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a new database, at which the store is opened."""
    found = postgres.database()
    monkeypatch.setenv("GRAPHWRIGHT_STORE", found)
    return found


def name_of(address: str) -> str:
    return address.rsplit("/", 1)[1]


class TestPostgres(StoreSuite, FlowSuite):
    @pytest.fixture
    def open_store(self, tmp_path: Path, address: str) -> OpenStore:
        return partial(open_store, tmp_path)


async def refused(home: Path) -> StoreError:
    with pytest.raises(StoreError) as caught:
        async with open_store(home, busy_timeout=1.0):
            pass
    assert PASSWORD not in str(caught.value)
    assert caught.value.hint
    return caught.value


# opening


async def test_an_address_that_cannot_be_used_is_refused_without_its_password(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        nobody = postgres.url().replace(f":{postgres.port}/", f":{silent.getsockname()[1]}/")
        for given, code in (
            ("mysql://ann:secret@host/x", "bad_store"),
            ("postgresql://ann:se[cret@host:x/y", "bad_store"),
            (postgres.url("none"), "unreachable"),
            (postgres.url(password="wrong"), "unreachable"),
            (nobody, "unreachable"),
        ):
            monkeypatch.setenv("GRAPHWRIGHT_STORE", given)
            error = await refused(tmp_path)
            assert (error.code, "secret" in str(error)) == (code, False), given


@pytest.mark.parametrize(
    ("statements", "code"),
    [
        (["DROP TABLE gw_meta CASCADE", "CREATE TABLE theirs (id int)"], "foreign_database"),
        (["UPDATE gw_meta SET value = '99'"], "newer_schema"),
        (["UPDATE gw_meta SET value = '1'"], "older_schema"),
        (["UPDATE gw_meta SET value = '?'"], "corrupted"),
    ],
)
async def test_a_database_of_another_version_is_refused_and_left_alone(
    tmp_path: Path, postgres: PostgresServer, address: str, statements: list[str], code: str
) -> None:
    async with open_store(tmp_path) as store:
        await commit_step(store, "t")
    for statement in statements:
        postgres.execute(statement, name_of(address))
    assert (await refused(tmp_path)).code == code
    assert postgres.execute("SELECT thread FROM gw_threads", name_of(address)) == [("t",)]


async def test_a_row_changed_by_hand_is_an_error(tmp_path: Path, postgres: PostgresServer, address: str) -> None:
    async with open_store(tmp_path) as store:
        await commit_step(store, "t", state={"said": ["a"]})
        await store.access.audit.add([ENTRY])
        postgres.execute("UPDATE gw_states SET state = replace(state, 'a', 'b')", name_of(address))
        with pytest.raises(StoreError) as caught:
            await store.state("t")
        assert caught.value.code == "corrupted"
        version = await store.flows.publish("f", DOCUMENT, author="ann")
        postgres.execute("UPDATE gw_flow_documents SET document = left(document, 20)", name_of(address))
        with pytest.raises(StoreError) as caught:
            await store.flows.get(version.hash)
        assert caught.value.code == "corrupted"
        for table, column in (("gw_audit", "content"), ("gw_flow_versions", "note")):
            for statement in (f"UPDATE {table} SET {column} = ''", f"DELETE FROM {table}", f"TRUNCATE {table}"):
                with pytest.raises(Exception, match="append-only"):
                    postgres.execute(statement, name_of(address))


async def test_two_openers_migrate_version_3_once(tmp_path: Path, postgres: PostgresServer, address: str) -> None:
    async with open_store(tmp_path) as store:
        await commit_step(store, "t", messages=[("user", "hello")])
    for statement in (
        "DROP TABLE gw_flow_code, gw_flow_versions, gw_flow_documents, gw_flow_drafts",
        "DROP FUNCTION gw_flow_versions_refuse",
        "DROP TABLE gw_feedback",
        "DROP INDEX gw_threads_family",
        *(f"ALTER TABLE gw_threads DROP COLUMN {column}" for column in OF_VERSION_6),
        "UPDATE gw_meta SET value = '3'",
    ):
        postgres.execute(statement, name_of(address))

    async def published(home: str) -> list[int]:
        async with open_store(tmp_path / home) as store:
            assert [message.text for message in await store.messages.read("t")] == ["hello"]
            assert [row.thread for row in await store.threads.family("t")] == ["t"]
            return [(await store.flows.publish("f", f'{{"n":{n}}}', author=home)).number for n in range(20)]

    first, second = await asyncio.gather(published("a"), published("b"))
    assert sorted(first + second) == list(range(1, 41))
    assert first == sorted(first)


# the server fails


async def test_a_server_that_is_restarted_is_waited_for(tmp_path: Path, postgres: PostgresServer, address: str) -> None:
    async with open_store(tmp_path) as store:
        await commit_step(store, "t")
        for number in range(3):
            restarting = asyncio.create_task(asyncio.to_thread(postgres.restart))
            while not restarting.done():
                await store.records.put_once("c", f"{number}", number)
                await store.access.counters.add("turns", 1, 1)
                await asyncio.sleep(0.01)
            await restarting
        assert [row.value for row in await store.records.list("c")] == [0, 1, 2]


async def test_a_lost_server_is_an_error_for_a_while(tmp_path: Path, postgres: PostgresServer, address: str) -> None:
    async with open_store(tmp_path, busy_timeout=1.0) as store:
        await commit_step(store, "t", messages=[("user", "hello")])
        postgres.stop()
        try:
            began = time.monotonic()
            for work in (
                *(store.threads.get("t"), store.records.put_once("c", "k", 1), store.require_ready()),
                store.flows.publish("f", DOCUMENT, author="ann"),
            ):
                with pytest.raises(StoreError) as caught:
                    await work
                assert caught.value.code == "unreachable"
                assert PASSWORD not in str(caught.value)
            assert time.monotonic() - began < 15
        finally:
            postgres.start()
        assert [message.text for message in await store.messages.read("t")] == ["hello"]
        assert await store.flows.versions("f") == []
        await commit_step(store, "t", status="ended")


async def test_a_server_that_can_only_be_read_says_so(tmp_path: Path, postgres: PostgresServer, address: str) -> None:
    name = name_of(address)
    async with open_store(tmp_path) as store:
        await commit_step(store, "t", messages=[("user", "hello")])
        postgres.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        postgres.cut(name)
        with pytest.raises(StoreError) as caught:
            await store.records.put_once("c", "k", 1)
        assert caught.value.code == "read_only"
        assert [message.text for message in await store.messages.read("t")] == ["hello"]
        postgres.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = off")
        postgres.cut(name)
        assert await store.records.put_once("c", "k", 2) == (2, True)


# the connection is cut


async def test_a_turn_with_a_lost_connection_is_void(tmp_path: Path, postgres: PostgresServer, address: str) -> None:
    async with open_store(tmp_path) as store:
        await commit_step(store, "t")
        async with store.turn("t") as work:
            work.note_state({"n": 1}, {})
            await work.flush()
            assert postgres.cut(name_of(address)) == 1
            # Its lease is gone with the connection: another process may have the thread.
            async with open_store(tmp_path, busy_timeout=9.0) as other, other.turn("t", timeout_seconds=1) as theirs:
                theirs.note_state({"n": 2}, {})
                await theirs.flush()
            work.note_state({"n": 3}, {})
            for _ in range(2):
                with pytest.raises(StoreError) as caught:
                    await work.flush()
                assert caught.value.code == "lease_lost"
        assert await store.state("t") == {"thread": {"n": 2}, "inbox": {}}
        await commit_step(store, "t", state={"n": 4})
        assert (await store.state("t"))["thread"] == {"n": 4}


@pytest.mark.parametrize("forward", [True, False])
async def test_a_turn_whose_commit_was_not_answered_knows_whether_it_was_done(
    tmp_path: Path, postgres: PostgresServer, address: str, monkeypatch: pytest.MonkeyPatch, forward: bool
) -> None:
    async with open_store(tmp_path) as store:
        await commit_step(store, "t", state={"n": 0})
    with cutting(postgres) as cut:
        monkeypatch.setenv("GRAPHWRIGHT_STORE", cut.url(address))
        async with open_store(tmp_path) as store:
            lost = pytest.raises(StoreError, match="lost in the middle")
            cut.arm(1, forward=forward)
            with nullcontext() if forward else lost:
                await commit_step(store, "t", state={"n": 1})
            assert cut.done
            assert (await store.state("t"))["thread"] == {"n": int(forward)}


SLOW = """
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1.5); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON gw_audit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
WHEN (NEW.content = 'slow') EXECUTE FUNCTION slow()
"""


@pytest.mark.parametrize(("seconds", "unknown"), [(5.0, set()), (1.0, {"unreachable"})])
async def test_a_commit_that_goes_on_after_its_connection_is_never_repeated(
    tmp_path: Path,
    postgres: PostgresServer,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    unknown: set[str],
) -> None:
    """The first commit of a process, of one caller and of several; the store waits for it, or does not know."""
    async with open_store(tmp_path):
        pass
    postgres.execute(SLOW, name_of(address))
    for callers in (1, 3):
        with cutting(postgres) as cut:
            monkeypatch.setenv("GRAPHWRIGHT_STORE", cut.url(address))
            async with open_store(tmp_path, busy_timeout=seconds) as store:
                cut.arm(1, forward=True)
                what = ["slow", "a", "b"][:callers]
                adds = [store.access.audit.add([replace(ENTRY, content=each)]) for each in what]
                ended = await asyncio.gather(*adds, return_exceptions=True)
                assert cut.done
                assert {each.code for each in ended if isinstance(each, StoreError)} == unknown
                await asyncio.sleep(1 if unknown else 0)
                found = await store.access.audit.page(9)
    assert sorted(each.content for each in found) == ["a", "b", "slow", "slow"]


# a worker stalls


def test_a_stalled_worker_loses_its_lease(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphwright.store.postgres._database.STALLED", 1)

    async def stall(tell: Tell) -> str:
        async with open_store(tmp_path) as store, store.turn("t") as work:
            work.note_state({"n": 1}, {})
            await work.flush()
            tell("held")
            await asyncio.sleep(0.5)
            work.note_state({"n": 2}, {})
            with pytest.raises(StoreError) as caught:
                await work.flush()
            return caught.value.code

    async def take_over() -> None:
        async with open_store(tmp_path) as store, store.turn("t", timeout_seconds=10) as work:
            assert work.state["thread"] == {"n": 1}
            work.note_state({"n": 3}, {})
            await work.flush()

    async def begin() -> None:
        async with open_store(tmp_path) as store:
            await commit_step(store, "t")

    async def look() -> None:
        async with open_store(tmp_path) as store:
            assert (await store.state("t"))["thread"] == {"n": 3}

    asyncio.run(begin())
    worker = forked(stall)
    assert worker.hear() == "held"
    os.kill(worker.pid, signal.SIGSTOP)
    asyncio.run(take_over())
    os.kill(worker.pid, signal.SIGCONT)
    assert not worker.end()
    assert worker.returned == "lease_lost"
    asyncio.run(look())


# two workers


async def meet(store: Store, tell: Tell) -> None:
    """Delete a thread with a blob while the other worker begins one with the same, repeatedly."""
    for number in range(60):
        thread = f"{os.getpid()} {number}"
        (digest,) = await commit_step(store, thread, blobs=[{"same": 1}])
        assert await store.blobs.get(digest) == {"same": 1}
        await store.threads.delete(thread)
        await store.access.counters.add("turns", number, 1)
    tell("done")


def test_two_workers_that_share_rows_neither_lose_any_nor_fail(tmp_path: Path, address: str) -> None:
    async def work(tell: Tell) -> None:
        async with open_store(tmp_path) as store:
            await meet(store, tell)

    workers = [forked(work) for _ in range(3)]
    assert [worker.end() for worker in workers] == [False] * 3


def test_a_watcher_is_notified_of_writes_of_other_workers(tmp_path: Path, address: str) -> None:
    async def write(tell: Tell) -> None:
        async with open_store(tmp_path) as store:
            await asyncio.sleep(0.5)
            for number in range(1, 4):
                await store.runs.write("r", "w", number, [("said", {"at": time.time()})])
                await asyncio.sleep(0.3)

    async def watch(tell: Tell) -> list[float]:
        late = list[float]()
        async with open_store(tmp_path) as store:
            await commit_step(store, "t", status="ended")
            await store.runs.begin("r", "t", "ann", "w", {})
            tell("watching")
            async with store.runs.watch("r") as changed:
                while len(late) < 3:
                    await changed(5.0)
                    late += [time.time() - data["at"] for _, (_, data) in await store.runs.events("r", len(late))]
        return late

    watching = forked(watch)
    assert watching.hear() == "watching"
    apart(write)
    assert not watching.end()
    assert max(watching.returned) < 0.25


async def test_a_database_is_looked_over(tmp_path: Path, address: str) -> None:
    async with open_store(tmp_path) as store:
        await commit_step(store, "cut")
        await commit_step(store, "ended", status="ended")
        async with store.turn("at work") as work:
            work.note_thread({**ROW, "title": ""})  # type: ignore[typeddict-item]
            await work.flush()
            health = await asyncio.to_thread(examine, tmp_path)
    assert (health.threads, health.served, health.cut_short) == ({"ended": 1, "running": 2}, ("at work",), ("cut",))
    assert (PASSWORD in health.label, health.size > 0, health.damage) == (False, True, ())
