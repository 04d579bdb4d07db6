"""Files that a user sends to a thread: copied, kept, readable by actions, shared with branches, and deleted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from graphwright import Agent
from graphwright.engine.state import MOST_FILES
from graphwright.errors import UsageError
from graphwright.host.thread_files import LARGEST
from graphwright.store import open_store
from graphwright.store.home import thread_folder
from host_support import agent, assert_folds, of_type, scripted, trace

FLOW = """
state:
  seen: {type: array, default: []}
nodes:
  - {id: look, type: action, run: look}
  - {id: done, type: terminal, say: "Seen."}
edges:
  - {from: look, to: done}
"""
NODES = """
@action(reads=[], writes=["seen"])
async def look(state, ctx):
    (ctx.folder / "made.txt").write_text("made")
    return {"seen": [[f.name, f.path.read_text(), f.bytes] for f in ctx.files]}
"""


@pytest.fixture
def looking(tmp_path: Path) -> Agent:
    return agent(tmp_path / "looking", FLOW, NODES)


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


async def test_an_action_sees_what_was_given_now_and_before(looking: Agent, tmp_path: Path) -> None:
    first = written(tmp_path, "a.csv", "x\n1\n")
    async with looking.session("t", model=scripted(), home=tmp_path / "home") as session:
        turn = await session.send("look", [first])
        assert turn.values["seen"] == [["a.csv", "x\n1\n", 4]]
        # Later changes of the file by the user do not affect the thread.
        first.write_text("other")
        turn = await session.send("and this", [written(tmp_path, "b.csv", "y")])
        assert [name for name, *_ in turn.values["seen"]] == ["a.csv", "b.csv"]
        assert turn.values["seen"][0][1] == "x\n1\n"
        turn = await session.send("a new one", [first])
        assert turn.values["seen"] == [["b.csv", "y", 1], ["a.csv", "other", 5]]
        events = await trace(session)
        await assert_folds(session)
    assert [(e["name"], e["bytes"]) for e in of_type(events, "file_given")] == [
        ("a.csv", 4),
        ("b.csv", 1),
        ("a.csv", 5),
    ]


async def test_files_of_one_name_that_are_given_together_stay_apart(looking: Agent, tmp_path: Path) -> None:
    places = [tmp_path / "a" / "2023", tmp_path / "b" / "2023", tmp_path / "b" / "2024"]
    for place in places:
        place.mkdir(parents=True)
    older, other, newer = (written(place, "sales.csv", text) for place, text in zip(places, "xyy", strict=True))
    async with looking.session("t", model=scripted(), home=tmp_path / "home") as session:
        turn = await session.send("look", [older, newer, newer])
        assert [text for _, text, _ in turn.values["seen"]] == ["x", "y"]
        # One of them that is sent again replaces itself, and no other.
        older.write_text("z")
        turn = await session.send("again", [older])
        assert [text for _, text, _ in turn.values["seen"]] == ["z", "y"]
        # The same content from another folder is another file.
        turn = await session.send("and", [older, other])
        assert [text for _, text, _ in turn.values["seen"]] == ["z", "y", "y"]
        events = await trace(session)
        await assert_folds(session)
        branch = await session.branch(-1, thread="other")
    folders = [event["folder"] for event in of_type(events, "file_given")]
    assert folders[:3] == ["2023", "2024", "2024"]
    assert folders[-2:] == ["a/2023", "b/2023"]
    async with looking.session(branch.thread, model=scripted(), home=tmp_path / "home") as session:
        assert [text for _, text, _ in (await session.send("see")).values["seen"]] == ["z", "y", "y"]


async def test_a_branch_keeps_its_files_when_the_other_thread_goes(looking: Agent, tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with looking.session("t", model=scripted(), home=home) as session:
        await session.send("look", [written(tmp_path, "a.csv", "x")])
        branch = await session.branch(-1, thread="other")
    async with open_store(home) as store:
        assert await store.threads.delete("t")
    assert not thread_folder(home, "t").exists()
    async with looking.session(branch.thread, model=scripted(), home=home) as session:
        assert (await session.send("again")).values["seen"] == [["a.csv", "x", 1]]


@pytest.mark.parametrize("thread", ["../up", "A b/c", "CON.", "ümlaut", "x" * 200])
async def test_the_folder_of_any_thread_stays_inside(looking: Agent, tmp_path: Path, thread: str) -> None:
    home = tmp_path / "home"
    async with looking.session(thread, model=scripted(), home=home) as session:
        turn = await session.send("look", [written(tmp_path, "a.csv", "x")])
    assert turn.status == "ended"
    made = list(tmp_path.rglob("made.txt"))
    assert made == [thread_folder(home, thread) / "made.txt"]
    assert made[0].parent.parent == home / "threads"


@pytest.mark.parametrize("name", [".hidden", "a\nb.csv", "x" * 200 + ".csv", "ä ö.csv", "-rf", "\udcff.csv"])
async def test_names_become_plain(looking: Agent, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    written(folder, name, "x")
    async with looking.session("t", model=scripted(), home=tmp_path / "home") as session:
        turn = await session.send("look", [folder / name])
    ((kept, text, _),) = turn.values["seen"]
    assert text == "x"
    assert kept.isprintable()
    assert len(kept) <= 120
    assert kept.strip(". ") == kept


async def test_a_path_that_is_not_a_file_is_rejected(looking: Agent, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(LARGEST + 1)
    home = tmp_path / "home"
    async with looking.session("t", model=scripted(), home=home) as session:
        for path, code in [
            (tmp_path / "none.csv", "no_such_file"),
            (tmp_path / "pipe", "not_a_file"),
            (tmp_path, "not_a_file"),
            (Path("/dev/zero"), "not_a_file"),
            (large, "large_file"),
            (Path("a\0b"), "no_such_file"),
        ]:
            with pytest.raises(UsageError) as caught:
                await session.send("look", [path])
            assert caught.value.code == code
            assert caught.value.hint
        many = [written(tmp_path, f"{number}.csv", "x") for number in range(MOST_FILES + 1)]
        with pytest.raises(UsageError, match="at most"):
            await session.send("look", many)
        assert await session.history() == []


async def test_an_agent_that_does_not_read_files_accepts_none(tmp_path: Path) -> None:
    blind = agent(tmp_path / "blind", FLOW, NODES.replace("ctx.files", "[]"))
    async with blind.session("t", model=scripted(), home=tmp_path / "home") as session:
        with pytest.raises(UsageError) as caught:
            await session.send("look", [written(tmp_path, "a.csv", "x")])
    assert caught.value.code == "takes_no_files"


async def test_a_full_disk_is_an_error(looking: Agent, tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with looking.session("t", model=scripted(), home=home) as session:
        await session.send("look")
        blocked = thread_folder(home, "t") / "given"
        blocked.write_text("in the way")
        with pytest.raises(UsageError) as caught:
            await session.send("look", [written(tmp_path, "a.csv", "x")])
        assert caught.value.code == "not_copied"
        blocked.unlink()
        assert (await session.send("look", [tmp_path / "a.csv"])).values["seen"] == [["a.csv", "x", 1]]
