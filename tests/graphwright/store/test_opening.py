"""One open database per data folder and process, for any number of sessions, loops and stores."""

from __future__ import annotations

import asyncio
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from crash_support import apart
from graphwright.store import StoreError, open_store
from graphwright.testing.store_suite import commit_step
from host_support import TWO_ACTIONS, agent

NODES = """
@action(reads=["n"], writes=["n"])
def first(state, ctx):
    return {"n": state["n"] + 1}

@action(reads=["answers"], writes=["sent"])
async def send(state, ctx):
    return {"sent": state["answers"]["name"]}
"""


def open_files(home: Path) -> int:
    """How often this process has the database of a data folder open."""
    count = 0
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # closed by another thread since it was listed
            count += os.readlink(f"/proc/self/fd/{number}") == str(home / "graphwright.db")
    return count


@pytest.mark.slow
async def test_200_conversations_at_once_share_one_database(tmp_path: Path) -> None:
    made = agent(tmp_path / "agent", TWO_ACTIONS, NODES)
    home, most = tmp_path / "home", 0

    async def talk(number: int) -> list[str]:
        nonlocal most
        async with made.session(f"t{number}", model="none", home=home) as session:
            turns = [await session.send(f"{number} {text}") for text in "abcd"]
            most = max(most, open_files(home))
            return [turn.status for turn in turns] + turns[-1].values["sent"]

    came = await asyncio.gather(*(talk(number) for number in range(200)))
    assert came == [["ended"] * 4 + [f"{number} {text}" for text in "abcd"] for number in range(200)]
    assert (most, open_files(home)) == (1, 0)


def test_event_loops_in_several_threads_share_it_too(tmp_path: Path) -> None:
    async def write(loop: int) -> None:
        async with open_store(tmp_path) as store:
            for number in range(20):
                async with store.lease("same"):
                    await commit_step(store, f"t {loop} {number}")

    async def count() -> int:
        async with open_store(tmp_path) as store, open_store(tmp_path, create=False) as other:
            assert open_files(tmp_path) == 1
            assert len(await store.threads.page(limit=500)) == len(await other.threads.page(limit=500))
            return len(await store.threads.page(limit=500))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda loop: asyncio.run(write(loop)), range(8)))
    assert asyncio.run(count()) == 160
    assert open_files(tmp_path) == 0


async def test_a_replaced_folder_is_opened_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with open_store(home) as old:
        await commit_step(old, "old")
        shutil.move(home, tmp_path / "away")
        async with open_store(home) as new:
            assert await new.threads.get("old") is None
            await commit_step(new, "new")
        assert await old.threads.get("new") is None


async def test_a_store_that_fails_to_open_leaves_nothing_open(tmp_path: Path) -> None:
    (tmp_path / "graphwright.db").write_bytes(b"something else" * 100)
    for _ in range(2):
        with pytest.raises(StoreError, match="is not a SQLite database"):
            async with open_store(tmp_path):
                pass
    assert open_files(tmp_path) == 0


def test_a_forked_process_opens_its_own(tmp_path: Path) -> None:
    async def threads() -> list[str]:
        async with open_store(tmp_path) as store:
            await commit_step(store, f"by {os.getpid()}")
            return [row.thread for row in await store.threads.page()]

    own = asyncio.run(threads())
    assert len(apart(lambda _: threads())) == len(own) + 1
