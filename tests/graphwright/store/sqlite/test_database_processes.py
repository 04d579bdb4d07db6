"""The store and other processes: leases, concurrent writes, and kills in the middle."""

from __future__ import annotations

import asyncio
import itertools
import os
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from crash_support import Tell, apart, die_at, forked
from graphwright.store import LeaseTimeout, Store, StoreError, open_store
from graphwright.testing.store_suite import commit_step

pytestmark = pytest.mark.slow


async def write(home: Path, thread: str, steps: int, tell: Tell) -> None:
    """Write this many steps, and report the number of each when it is written."""
    async with open_store(home) as store:
        for step in range(steps):
            await commit_step(
                store,
                thread,
                visit=step,
                first_event=12 * step,
                events=[{"n": n, "pad": "x" * 100} for n in range(12)],
                first_message=2 * step,
                messages=[("user", "hi"), ("assistant", "hello")],
                turns=step + 1,
            )
            tell(step + 1)


async def count(counter: Path) -> None:
    """Increase a number in a file by 40, one at a time, while the thread is held."""
    async with open_store(counter.parent) as store:
        for _ in range(40):
            async with store.lease("t"):
                value = int(counter.read_text()) if counter.exists() else 0
                await asyncio.sleep(0.001)
                counter.write_text(str(value + 1))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        yield opened


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("after", [1, 7, 20])
def test_a_killed_process_loses_no_acknowledged_write(tmp_path: Path, after: int) -> None:
    writer = forked(lambda tell: write(tmp_path, "t", 10**6, tell))
    while writer.hear() < after:
        pass
    writer.kill()
    assert writer.end()

    async def look() -> None:
        async with open_store(tmp_path) as store:
            row = await store.threads.get("t")
            assert row.turns >= writer.told[-1]
            assert [event.seq for event in await store.events.read("t")] == list(range(12 * row.turns))
            assert len(await store.messages.read("t")) == 2 * row.turns

    asyncio.run(look())


def test_killed_at_any_statement_of_its_first_start_a_store_is_made_by_the_next(tmp_path: Path) -> None:
    async def start(home: Path) -> int:
        async with open_store(home) as store:
            await store.records.put_once("c", "k", 1)
            return len(await store.records.list("c"))

    async def cut(home: Path, at: int) -> int:
        die_at(home, at, of=("",))
        return await start(home)

    for number in itertools.count(1):
        home = tmp_path / str(number)
        if not forked(lambda _: cut(home, number)).end():  # noqa: B023
            break
        assert apart(lambda _: start(home)) == 1  # noqa: B023
    assert number > 10


@pytest.mark.usefixtures("database")
def test_processes_write_one_thread_and_others_side_by_side(tmp_path: Path) -> None:
    writers = [forked(lambda tell, thread=thread: write(tmp_path, thread, 30, tell)) for thread in ("t1", "t2")]  # type: ignore[misc]
    counters = [forked(lambda tell: count(tmp_path / "counter")) for _ in range(3)]
    assert [child.end() for child in (*writers, *counters)] == [False] * 5
    assert [child.told[-1] for child in writers] == [30, 30]
    assert (tmp_path / "counter").read_text() == "120"


@pytest.mark.usefixtures("database")
def test_a_lease_keeps_other_processes_out_until_its_holder_is_killed(tmp_path: Path) -> None:
    async def hold(tell: Tell) -> None:
        async with open_store(tmp_path) as store, store.lease("t"):
            tell("held")
            await asyncio.sleep(60)

    async def wait() -> None:
        async with open_store(tmp_path) as store:
            with pytest.raises(
                LeaseTimeout, match=f"thread `t`: .*process {holder.pid} (has held it since 20|holds it)"
            ) as caught:
                async with store.lease("t", timeout_seconds=0.2):
                    pass
            assert caught.value.code == "lease_timeout"
            async with store.lease("another thread", timeout_seconds=0.2):
                pass
            holder.kill()
            async with store.lease("t", timeout_seconds=20):
                pass

    holder = forked(hold)
    assert holder.hear() == "held"
    asyncio.run(wait())
    assert holder.end()


async def test_a_task_that_waits_too_long_leaves_the_queue(store: Store) -> None:
    async with store.lease("t"):
        with pytest.raises(LeaseTimeout, match="another turn of this process"):
            async with store.lease("t", timeout_seconds=0.05):
                pass
        waiting = asyncio.create_task(store.lease("t").__aenter__())  # type: ignore[arg-type]
        await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    async with store.lease("t", timeout_seconds=1):
        pass


async def test_a_lease_is_given_back_when_the_turn_fails(store: Store) -> None:
    with pytest.raises(ZeroDivisionError):
        async with store.lease("t"):
            raise ZeroDivisionError
    async with open_store(store.home) as other, other.lease("t", timeout_seconds=1):
        with pytest.raises(LeaseTimeout, match="another turn of this process"):
            async with store.lease("t", timeout_seconds=0.05):
                pass


async def test_any_thread_id_can_be_leased(store: Store) -> None:
    for number, thread in enumerate(("../../etc/passwd", "a/b", "", "x" * 5000, "東京"), 1):
        async with store.lease(thread):
            assert len(os.listdir(store.home / "locks")) == number


async def test_a_place_for_lock_files_that_is_a_file(store: Store) -> None:
    (store.home / "locks").write_text("in the way")
    with pytest.raises(StoreError) as caught:
        async with store.lease("t"):
            pass
    assert caught.value.code == "not_a_folder"


@pytest.mark.usefixtures("database")
def test_a_new_home_may_be_opened_by_several_at_once(tmp_path: Path) -> None:
    async def open_and_close(home: Path) -> None:
        async with open_store(home):
            pass

    def at_once(home: Path, ready: threading.Barrier) -> None:
        ready.wait()
        asyncio.run(open_and_close(home))

    with ThreadPoolExecutor(4) as pool:
        for number in range(20):
            ready = threading.Barrier(4)
            for each in [pool.submit(at_once, tmp_path / f"home {number}", ready) for _ in range(4)]:
                each.result()
