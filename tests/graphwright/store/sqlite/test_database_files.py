"""The store's file: the error if it is missing, damaged, foreign, locked or not writable."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from crash_support import LimitedFiles, apart
from graphwright.store import StoreError, open_store
from graphwright.testing.store_suite import commit_step
from unprivileged_support import become_nobody


async def read_everything(home: Path, *, create: bool = True) -> None:
    async with open_store(home, create=create) as store:
        for row in await store.threads.page():
            await store.events.read(row.thread)
            await store.messages.read(row.thread)


async def refused(home: Path, *, create: bool = True) -> StoreError:
    """The error of opening the store and reading what a command would read first."""
    with pytest.raises(StoreError) as caught:
        await read_everything(home, create=create)
    assert str(home) in caught.value.message
    assert caught.value.hint
    return caught.value


async def filled(home: Path) -> Path:
    async with open_store(home) as store:
        await commit_step(store, "t", events=[{"n": n, "pad": "x" * 200} for n in range(500)])
        return home / "graphwright.db"


async def test_a_reading_command_makes_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with open_store(home, create=False) as store:
        assert await store.threads.page() == []
        assert await store.threads.get("t") is None
        assert await store.events.read("t") == []
        with pytest.raises(StoreError, match="does not exist") as caught:
            await store.records.put_once("c", "k", 1)
        assert caught.value.code == "absent"
        with pytest.raises(StoreError, match="does not exist"):
            store.lease("t")
    assert not home.exists()


async def test_only_the_owner_may_read_conversations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(tmp_path / "home"))
    async with open_store() as store:
        path = store.home / "graphwright.db"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    home = tmp_path / "o'dd ?mode=memory #1 %41 dürer"
    await filled(home)
    async with open_store(home, create=False) as store:
        assert [row.thread for row in await store.threads.page()] == ["t"]
    assert os.listdir(tmp_path) == [home.name]
    assert sorted(os.listdir(home)) == ["graphwright.db", "locks"]


def write_notes(path: Path) -> None:
    path.write_text("my notes\n" * 200)


def damage(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def edit(statement: str) -> Callable[[Path], None]:
    def work(path: Path) -> None:
        with contextlib.closing(sqlite3.connect(path)) as other:
            other.execute(statement)
            other.commit()

    return work


HOSTILE: dict[str, tuple[bool, Callable[[Path], None], str]] = {
    "a text file": (False, write_notes, "not_a_database"),
    "a folder": (False, Path.mkdir, "cannot_open"),
    "the database of another program": (False, edit("CREATE TABLE recipes (name TEXT)"), "foreign_database"),
    "damaged": (True, damage, "corrupted"),
    "truncated": (True, truncate, "corrupted"),
    "of a newer version": (True, edit("UPDATE gw_meta SET value = '99' WHERE key = 'schema'"), "newer_schema"),
    "of an older version": (True, edit("UPDATE gw_meta SET value = '1' WHERE key = 'schema'"), "older_schema"),
    "of no version": (True, edit("UPDATE gw_meta SET value = '?' WHERE key = 'schema'"), "corrupted"),
}
"""Files in the place of the database: whether it was ours, how it was changed, and the code of the error."""


@pytest.mark.parametrize("what", HOSTILE)
async def test_a_foreign_or_damaged_database_is_an_error_and_unchanged(tmp_path: Path, what: str) -> None:
    ours, spoil, code = HOSTILE[what]
    path = await filled(tmp_path) if ours else tmp_path / "graphwright.db"
    spoil(path)
    before = path.read_bytes() if path.is_file() else None
    assert (await refused(tmp_path)).code == code
    assert (path.read_bytes() if path.is_file() else None) == before


async def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    (tmp_path / "graphwright.db").touch()
    path = await filled(tmp_path)
    assert path.stat().st_size > 0


async def test_a_home_that_is_a_file(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("I am a file")
    assert (await refused(home)).code == "not_a_folder"
    assert (await refused(home / "below")).code == "not_a_folder"
    assert home.read_text() == "I am a file"


async def test_a_database_that_stays_locked(tmp_path: Path) -> None:
    path = await filled(tmp_path)
    async with open_store(tmp_path, busy_timeout=0.2) as store:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as browser:
            browser.execute("BEGIN EXCLUSIVE")
            with pytest.raises(StoreError) as caught:
                await store.records.put_once("c", "k", 1)
            assert caught.value.code == "locked"
            # Readers do not wait for writers.
            assert await store.threads.get("t") is not None
            browser.execute("ROLLBACK")
        assert await store.records.put_once("c", "k", 2) == (2, True)


def test_a_folder_that_may_only_be_read(reachable: Path) -> None:
    empty, full = reachable / "empty", reachable / "full"
    empty.mkdir()
    half, shut = reachable / "half", reachable / "shut"
    for home, mode in ((full, 0o444), (half, 0o666), (shut, 0)):
        asyncio.run(filled(home)).chmod(mode)
    shut.chmod(0o755)
    for home in (empty, full, half):
        home.chmod(0o555)

    async def try_it(tell: object) -> list[str]:
        become_nobody()
        return [(await refused(home)).code for home in (empty, full, half, shut, empty / "below")]

    assert apart(try_it) == ["read_only"] * 5

    async def look(tell: object) -> list[str]:
        become_nobody()
        return [(await refused(home, create=False)).code for home in (empty / "below", empty / "below" / "deeper")]

    assert apart(look) == ["read_only"] * 2
    for home in (empty, full, half):
        home.chmod(0o755)


@pytest.mark.skipif(not LimitedFiles.works, reason="a limit on the size of files stands for a full disk")
def test_a_write_that_does_not_fit_leaves_a_working_store(tmp_path: Path) -> None:
    async def write(tell: object) -> str:
        async with open_store(tmp_path) as store:
            limited = LimitedFiles(tmp_path)
            limited.fill(room=100_000)
            with pytest.raises(StoreError) as caught:
                await store.records.put_once("c", "large", "x" * 2_000_000)
            limited.free()
            await store.records.put_once("c", "small", 7)
            return caught.value.code

    assert apart(write) in LimitedFiles.codes

    async def read() -> list[object]:
        async with open_store(tmp_path) as store:
            return [record.value for record in await store.records.list("c")]

    assert asyncio.run(read()) == [7]
