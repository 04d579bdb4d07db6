"""Adverse conditions: full disks; locked, damaged, deleted and unwritable databases; and very long threads."""

from __future__ import annotations

import contextlib
import functools
import random
import shutil
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crash_support import FIRST_AND_SEND, LimitedFiles, SmallDisk, Tell, World, apart, die, forked, hearing, look
from graphwright import Agent, GraphwrightError, Turn
from graphwright.store import StoreError, open_store
from host_support import TWO_ACTIONS, agent, folded
from host_support import plain_session as open_session
from unprivileged_support import become_nobody

pytestmark = pytest.mark.slow


@pytest.fixture
def made(tmp_path: Path) -> Agent:
    return agent(tmp_path / "agent", TWO_ACTIONS, FIRST_AND_SEND)


@pytest.fixture
def world(made: Agent) -> World:
    return World(made.folder)


def assert_served(made: Agent, world: World, thread: dict[str, Any], names: list[str]) -> None:
    """Exactly these messages were served, each once."""
    values = thread["state"]["values"]
    assert thread["state"]["status"] == "ended"
    assert (values["n"], values["sent"]) == (len(names), names)
    assert folded(made, thread["events"]) == values
    assert [text for role, text in thread["messages"] if role == "user"] == names
    assert [(action, what) for _, action, what in world.did("t")] == [
        effect for number, name in enumerate(names) for effect in (("first", number), ("send", name))
    ]


# A full disk


POINTS = ["the turn", "before first", "after first", "before send", "after send"]


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("disk", [SmallDisk, LimitedFiles])
def test_a_turn_on_a_full_disk_says_so_and_is_finished_when_there_is_room(
    tmp_path: Path, made: Agent, world: World, disk: Callable[[Path], Any], point: str
) -> None:
    async def work(tell: Tell) -> Any:
        full = disk(tmp_path / "home")
        if not full.works:
            return "this system lets nobody make a disk"
        async with open_session(made, tmp_path / "home") as session:
            await session.send("Ann")
            if point == "the turn":
                full.fill()
            else:
                world.at(made, point, full.fill)
            for _ in range(3):
                with pytest.raises(StoreError) as caught:
                    await session.send("Ben")
                assert caught.value.code in full.codes, caught.value.code
                assert str(tmp_path / "home") in caught.value.message
                assert caught.value.hint
                assert (await session.state())["values"]["sent"] == ["Ann"]
            world.at(made, point, int)
            full.free()
            turn = await session.send("Ben")
            assert turn.reply == "First.\n\nSent 2."
            await session.send("Cem")
            return await look(session)

    seen = apart(work)
    if isinstance(seen, str):
        pytest.skip(seen)
    assert_served(made, world, seen, ["Ann", "Ben", "Cem"])


def test_a_program_that_starts_on_a_full_disk_says_so(tmp_path: Path, made: Agent, world: World) -> None:
    async def work(tell: Tell) -> Any:
        full = SmallDisk(tmp_path / "home")
        if not full.works:
            return "this system lets nobody make a disk"
        full.fill()
        with pytest.raises(StoreError) as caught:
            async with open_session(made, tmp_path / "home") as session:
                await session.send("Ann")
        full.free()
        assert caught.value.code == "disk_full", caught.value.code
        async with open_session(made, tmp_path / "home") as session:
            await session.send("Ann")
        full.fill()
        with pytest.raises(StoreError) as caught:
            async with open_session(made, tmp_path / "home") as session:
                await session.send("Ben")
        assert caught.value.code == "disk_full", caught.value.code
        full.free()
        async with open_session(made, tmp_path / "home") as session:
            await session.send("Ben")
            return await look(session)

    seen = apart(work)
    if isinstance(seen, str):
        pytest.skip(seen)
    assert_served(made, world, seen, ["Ann", "Ben"])


# A database that another process has locked


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions that do not wait long for another writer."""
    monkeypatch.setattr("graphwright.store.open_store", functools.partial(open_store, busy_timeout=0.1))


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("point", POINTS)
async def test_a_locked_database_is_an_error_then_works(tmp_path: Path, made: Agent, world: World, point: str) -> None:
    async with open_session(made, tmp_path / "home") as session:
        await session.send("Ann")
        path = tmp_path / "home" / "graphwright.db"
        with contextlib.closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as browser:
            if point == "the turn":
                browser.execute("BEGIN IMMEDIATE")
            else:
                world.at(made, point, lambda: browser.in_transaction or browser.execute("BEGIN IMMEDIATE"))
            for _ in range(2):
                with pytest.raises(StoreError) as caught:
                    await session.send("Ben")
                assert caught.value.code == "locked"
                assert (await session.state())["values"]["sent"] == ["Ann"]
            browser.execute("ROLLBACK")
        world.at(made, point, int)
        await session.send("Ben")
        assert_served(made, world, await look(session), ["Ann", "Ben"])


# A damaged database


async def three_turns(made: Agent, home: Path) -> dict[str, Any]:
    async with open_session(made, home) as session:
        for name in ("Ann", "Ben", "Cem"):
            await session.send(name)
        return await look(session)


async def look_and_send(made: Agent, home: Path, message: str) -> Turn:
    async with open_session(made, home) as session:
        await session.state()
        await session.history()
        return await session.send(message)


async def served_or_refused(made: Agent, home: Path) -> str:
    """The error code of opening, reading and another turn, or nothing: no other exception."""
    try:
        turn = await look_and_send(made, home, "Dan")
        return turn.error.code if turn.error else ""
    except GraphwrightError as error:
        return error.code


def flipped(content: bytes, chance: random.Random, *, most: int = 512) -> bytes:
    """The content with a changed byte or stretch."""
    changed = bytearray(content)
    begin = chance.randrange(100, len(content))
    for place in range(begin, min(begin + chance.choice([1, 16, most]), len(content))):
        changed[place] ^= chance.randrange(1, 256)
    return bytes(changed)


async def test_bytes_that_flip_in_the_database_are_a_clear_error_or_do_no_harm(tmp_path: Path, made: Agent) -> None:
    home = tmp_path / "home"
    await three_turns(made, home)
    path = home / "graphwright.db"
    content = path.read_bytes()
    codes = set()
    for seed in range(100):
        path.write_bytes(flipped(content, random.Random(seed)))
        try:
            codes.add(await served_or_refused(made, home))
        except Exception as error:
            raise AssertionError(f"{type(error).__name__} with seed {seed}") from error
    # A changed byte of a text or a number can still be valid, and then it cannot be detected.
    assert "corrupted" in codes
    assert "internal" not in codes


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (b'"type":"turn_started"', b'"type";"turn_started"'),
        (b'"type":"turn_started"', b'"type":"turn_st\xff\xfe\xfdd"'),
        # A name in the thread's state, which is not searched for damage.
        (b"turn_seq", b"turn_sea"),
    ],
)
async def test_invalid_content_is_reported_as_damaged(tmp_path: Path, made: Agent, was: bytes, now: bytes) -> None:
    await three_turns(made, tmp_path / "home")
    path = tmp_path / "home" / "graphwright.db"
    content = path.read_bytes()
    assert was in content
    path.write_bytes(content.replace(was, now))
    with pytest.raises(StoreError) as caught:
        await look_and_send(made, tmp_path / "home", "Dan")
    assert (caught.value.code, "Ann" in str(caught.value)) == ("corrupted", False)


def killed_in_a_turn(made: Agent, world: World, home: Path) -> None:
    """Leave a database as after a crash: its write-ahead log has the last turns."""

    async def work(_: Tell) -> None:
        async with open_session(made, home) as session:
            await session.send("Ann")
            world.at(made, "after send", die)
            await session.send("Ben")

    assert forked(work).end()
    assert (home / "graphwright.db-wal").stat().st_size > 0


@pytest.mark.parametrize("gone", [["-wal"], ["-shm"], ["-wal", "-shm"]])
def test_a_database_works_without_its_lost_wal(tmp_path: Path, made: Agent, world: World, gone: list[str]) -> None:
    killed_in_a_turn(made, world, tmp_path / "home")
    for suffix in gone:
        (tmp_path / "home" / f"graphwright.db{suffix}").unlink()

    async def work(_: Tell) -> list[str]:
        return [await served_or_refused(made, tmp_path / "home") for _ in range(2)]

    assert apart(work) == ["", ""]


def test_bytes_that_flip_in_the_write_ahead_log_do_no_harm(tmp_path: Path, made: Agent, world: World) -> None:
    killed_in_a_turn(made, world, tmp_path / "killed")
    for seed in range(15):
        home = tmp_path / str(seed)
        shutil.copytree(tmp_path / "killed", home)
        path = home / "graphwright.db-wal"
        path.write_bytes(flipped(path.read_bytes(), random.Random(seed), most=16))

        async def work(_: Tell, home: Path = home) -> list[str]:
            return [await served_or_refused(made, home) for _ in range(2)]

        assert apart(work) == ["", ""], f"with seed {seed}"


async def test_a_database_deleted_under_a_session_is_an_error(tmp_path: Path, made: Agent, world: World) -> None:
    async with open_session(made, tmp_path / "home") as session:
        await session.send("Ann")
        for file in (tmp_path / "home").glob("graphwright.db*"):
            file.unlink()
        with pytest.raises(StoreError) as caught:
            await session.send("Ben")
        assert str(tmp_path / "home") in caught.value.message
    assert [action for _, action, _ in world.did("t")] == ["first", "send"]
    async with open_session(made, tmp_path / "home") as session:
        assert (await session.send("Ben")).values["sent"] == ["Ben"]


# Read-only files


def test_a_session_whose_data_may_only_be_read_says_so(reachable: Path) -> None:
    made = agent(reachable / "agent", TWO_ACTIONS, FIRST_AND_SEND)
    world, home = World(made.folder), reachable / "home"
    world.folder.chmod(0o777)

    async def served(_: Tell) -> Any:
        async with open_session(made, home) as session:
            await session.send("Ann")
            return await look(session)

    async def unprivileged(_: Tell) -> Any:
        become_nobody()
        return await served_or_refused(made, home)

    apart(served)
    path, before = home / "graphwright.db", (home / "graphwright.db").read_bytes()
    modes = {place: stat.S_IMODE(place.stat().st_mode) for place in (home, path)}
    for folder, file in ((0o555, 0o444), (0o555, 0o666), (0o777, 0o444)):
        path.chmod(file)
        home.chmod(folder)
        assert apart(unprivileged) == "read_only", (oct(folder), oct(file))
        assert path.read_bytes() == before
    for place, mode in modes.items():
        place.chmod(mode)
    assert apart(served)["state"]["values"]["sent"] == ["Ann", "Ann"]


# A very long thread


async def test_a_thousand_turns_keep_time_and_size_constant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flow = """
    state: {n: {type: integer, default: 0}}
    nodes:
      - {id: q, type: question, key: name, prompt: Name?, read: verbatim, ask: always}
      - {id: count, type: action, run: count}
      - {id: done, type: terminal, say: "{{ n }}"}
    edges: [{from: q, to: count}, {from: count, to: done}]
    """
    nodes = """
    @action(reads=["n"], writes=["n"])
    async def count(state, ctx):
        return {"n": state["n"] + 1}
    """
    made, home, turns = agent(tmp_path / "agent", flow, nodes), tmp_path / "home", 1000
    statements: list[str] = []
    for place in (sqlite3, sqlite3.dbapi2):
        monkeypatch.setattr(place, "connect", hearing(home, statements.append))
    costs, sizes = [], [0]
    for half in range(2):
        async with open_session(made, home) as session:
            for number in range(half * turns // 2, (half + 1) * turns // 2):
                statements.clear()
                turn = await session.send(f"message {number}")
                assert turn.reply == str(number + 1)
                costs.append(len(statements))
        sizes.append((home / "graphwright.db").stat().st_size)
    # From the second turn on each has the same statements; the first of a session prepares.
    assert set(costs[1 : turns // 2]) == set(costs[turns // 2 + 1 :]) == {costs[1]}
    first, second = sizes[1] - sizes[0], sizes[2] - sizes[1]
    assert second < 1.1 * first
    assert second / (turns / 2) < 4096
    async with open_session(made, home) as session:
        seen = await look(session)
    assert folded(made, seen["events"]) == seen["state"]["values"] == {"answers": {"name": "message 999"}, "n": 1000}
    assert len(seen["messages"]) == 2 * turns
