"""Actions that must not be repeated: if a crash or a time limit hides whether one was done, the thread asks."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from pathlib import Path
from typing import Any

import pytest

from crash_support import LimitedFiles, Tell, World, apart, die, die_at, forked, look
from graphwright import Agent, Turn, UsageError
from graphwright.store import StoreError
from host_support import agent, of_type, open_session, trace

FLOW = """
state:
  printed: {type: integer, default: 0}
  log: {type: array, default: [], reduce: append}
nodes:
  - {id: q, type: question, key: name, prompt: Name?, read: verbatim, ask: always}
  - {id: first, type: action, run: first}
  - {id: print, type: action, run: print_letter, label: the letterMORE}
  - {id: file, type: action, run: file_copy}
  - {id: done, type: terminal, say: "Printed {{ printed }}."}
  - {id: sorry, type: terminal, say: Sorry.}
edges:
  - {from: q, to: first}
  - {from: first, to: print}
  - {from: print, to: file}
  - {from: file, to: done}
"""
NODES = (
    World.PYTHON
    + """
@action(writes=["log"])
def first(state, ctx):
    world("first", ctx.key, "")
    return {"log": "first"}

@action(reads=["printed"], writes=["printed"], repeatable=False)
KIND print_letter(state, ctx):
    world("print", ctx.key, "")WAIT
    ctx.say("Printed.")
    return {"printed": state["printed"] + 1}

@action(writes=["log"])
async def file_copy(state, ctx):
    world("file", ctx.key, "")
    return {"log": "file"}
"""
)


def printer(
    folder: Path, *, more: str = "", wait: bool = False, sync: bool = False, takes_a_key: bool = False
) -> tuple[Agent, World]:
    """An agent that prints letters, in a world that prints every requested letter, and that world.

    `more` are fields of the node. With `wait` the action hangs when the letter is printed, until `hang` is gone.
    """
    nodes = NODES.replace("KIND", "def" if sync else "async def")
    nodes = nodes.replace("WAIT", "\n    await asyncio.sleep(60 * (WORLD / 'hang').exists())" if wait else "")
    if takes_a_key:
        nodes = nodes.replace(", repeatable=False", "")
    made, world = agent(folder, FLOW.replace("MORE", more and f", {more}"), nodes), World(folder)
    (world.folder / "hang").touch()
    return made, world


def killed(made: Agent, world: World, home: Path, point: str) -> None:
    """A turn, in a separate process, that is killed at a point of it."""

    async def work(_: Tell) -> None:
        world.at(made, point, die)
        async with open_session(made, home) as session:
            await session.send("Ann")

    assert forked(work).end()


def assert_asks(turn: Turn) -> None:
    assert (turn.status, turn.error) == ("waiting", None)
    assert (turn.waiting_for.node, turn.waiting_for.kind) == ("print", "choice")
    assert [o["value"] for o in turn.waiting_for.options] == ["done", "again"]
    assert "the letter" in turn.waiting_for.prompt
    assert turn.reply.endswith(turn.waiting_for.prompt)


@pytest.mark.parametrize("sync", [False, True])
@pytest.mark.parametrize("message", ["Ann", "hello?"])
@pytest.mark.parametrize("point", ["before print", "after print"])
def test_after_kill_9_in_an_action_the_thread_asks(tmp_path: Path, point: str, message: str, sync: bool) -> None:
    made, world = printer(tmp_path / "agent", sync=sync)
    killed(made, world, tmp_path / "home", point)
    letters = int(point == "after print")

    async def work(_: Tell) -> None:
        async with open_session(made, tmp_path / "home") as session:
            turn = await session.send(message)
            assert_asks(turn)
            assert world.requested_actions("t").count("print") == letters
            state = await session.state()
            assert state["status"] == "waiting"
            assert state["waiting_for"] == turn.waiting_for.to_json()  # type: ignore[union-attr]
            events = await trace(session)
            unknown = of_type(events, "outcome_unknown")
            assert [(e["node"], e["visit"], e["attempt"]) for e in unknown] == [("print", 2, 1)]
        # Another process on another day: it still waits for the same.
        async with open_session(made, tmp_path / "home") as session:
            turn = await session.send("done" if letters else "again")
            assert turn.status == "ended"
            assert turn.values["log"] == ["first", "file"]
            assert world.requested_actions("t") == ["first", "print", "file"]
            # The effect happened without the knowledge of this program, so results are missing.
            assert turn.values["printed"] == (0 if letters else 1)
            assert ("Printed." in turn.reply) == (not letters)
            decided = of_type(await trace(session), "outcome_decided")
            assert [(e["node"], e["visit"], e["decision"]) for e in decided] == [
                ("print", 2, "done" if letters else "again")
            ]
            # The next run is for a new letter.
            assert (await session.send("Ben")).status == "ended"
            assert world.requested_actions("t") == ["first", "print", "file"] * 2

    apart(work)


@pytest.mark.parametrize(
    ("said", "decision"),
    [
        ("done", "done"),
        ("2", "again"),
        ("Again!", "again"),
        ("yes", ""),
        ("no", ""),
        ("not again!", ""),
        ("done or again?", ""),
    ],
)
def test_only_a_clear_reply_decides_the_unknown_outcome(tmp_path: Path, said: str, decision: str) -> None:
    made, world = printer(tmp_path / "agent")
    killed(made, world, tmp_path / "home", "after print")

    async def work(_: Tell) -> None:
        async with open_session(made, tmp_path / "home") as session:
            await session.send("Ann")
            turn = await session.send(said)
            if not decision:
                assert_asks(turn)
                turn = await session.send("done")
                assert turn.status == "ended"
            assert turn.status == "ended"
            assert world.requested_actions("t").count("print") == (2 if decision == "again" else 1)

    apart(work)


@pytest.mark.parametrize(("value", "letters"), [("done", 1), ("again", 2)])
def test_a_value_decides_too(tmp_path: Path, value: str, letters: int) -> None:
    made, world = printer(tmp_path / "agent")
    killed(made, world, tmp_path / "home", "after print")

    async def work(_: Tell) -> None:
        async with open_session(made, tmp_path / "home") as session:
            await session.send("Ann")
            for wrong in ("perhaps", 1, None, ["again"]):
                assert_asks(await session.resume(wrong))
            with pytest.raises(UsageError):
                await session.resume(True)
            assert (await session.resume(value)).status == "ended"
            assert world.requested_actions("t").count("print") == letters

    apart(work)


@pytest.mark.parametrize("more", ["timeout: 0.2", "timeout: 0.2, on_error: sorry, retry: {attempts: 3}"])
async def test_a_time_limit_leaves_it_unknown_and_asks_at_once(tmp_path: Path, more: str) -> None:
    made, world = printer(tmp_path / "agent", more=more, wait=True)
    async with open_session(made, tmp_path / "home") as session:
        assert_asks(await session.send("Ann"))
        assert world.requested_actions("t") == ["first", "print"]
        assert_asks(await session.send("again"))
        assert world.requested_actions("t") == ["first", "print", "print"]
        assert (await session.send("done")).status == "ended"
        assert world.requested_actions("t") == ["first", "print", "print", "file"]


@pytest.mark.parametrize("takes_a_key", [True, False])
async def test_an_action_in_which_the_turn_is_cancelled_is_done_once(tmp_path: Path, takes_a_key: bool) -> None:
    made, world = printer(tmp_path / "agent", wait=True, takes_a_key=takes_a_key)
    async with open_session(made, tmp_path / "home") as session:
        printed = asyncio.Event()
        world.at(made, "after print", printed.set)
        turn = asyncio.create_task(session.send("Ann"))
        await printed.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        (world.folder / "hang").unlink()
        after = await session.send("Ann")
        if not takes_a_key:
            assert_asks(after)
            after = await session.send("done")
        assert after.status == "ended"
        assert [action for _, action, _ in world.did("t")] == ["first", "print", "file"]


async def test_an_exception_of_the_action_says_that_nothing_was_done(tmp_path: Path) -> None:
    made, world = printer(tmp_path / "agent", more="retry: {attempts: 2}")
    left = [3]

    def jams() -> None:
        if left[0]:
            left[0] -= 1
            raise OSError("paper jam")

    world.at(made, "before print", jams)
    async with open_session(made, tmp_path / "home") as session:
        turn = await session.send("Ann")
        assert (turn.error.code, "paper jam" in turn.error.message) == ("action_failed", True)
        turn = await session.send("and now?")
        assert turn.status == "ended"
        assert world.requested_actions("t") == ["first", "print", "file"]
        assert not of_type(await trace(session), "outcome_unknown")


async def truthful(made: Agent, world: World, home: Path) -> dict[str, Any]:
    """A user who wants one letter, and who checks the printer and reports the truth when asked."""
    async with open_session(made, home) as session:
        while (state := await session.state())["status"] != "ended":
            if state["status"] == "waiting":
                assert_asks(await session.send("Well?"))
                await session.send("done" if "print" in world.requested_actions("t") else "again")
            else:
                await session.send("Ann")
        return await look(session)


@pytest.mark.slow
def test_killed_before_and_after_every_commit_one_letter_is_printed(tmp_path: Path) -> None:
    asked = []
    for number in itertools.count(1):
        folder = tmp_path / str(number)
        made, world = printer(folder / "agent")

        async def cut(
            _: Tell, at: int = number, home: Path = folder / "home", made: Agent = made, world: World = world
        ) -> None:
            die_at(home, at)
            await truthful(made, world, home)

        if not forked(cut).end():
            break
        seen = apart(lambda _: truthful(made, world, folder / "home"))  # noqa: B023
        assert world.requested_actions("t").count("print") == 1
        asked.append(len(of_type(seen["events"], "outcome_unknown")))
    # It asks the user only if the action had begun.
    assert set(asked) == {0, 1}


@pytest.mark.parametrize("point", ["before print", "after print"])
def test_killed_again_where_it_was_to_be_done_again_it_asks_again(tmp_path: Path, point: str) -> None:
    made, world = printer(tmp_path / "agent")
    killed(made, world, tmp_path / "home", "before print")

    async def again(_: Tell) -> None:
        async with open_session(made, tmp_path / "home") as session:
            assert_asks(await session.send("Ann"))
            world.at(made, point, die)
            await session.send("again")

    assert forked(again).end()

    async def work(_: Tell) -> None:
        async with open_session(made, tmp_path / "home") as session:
            assert_asks(await session.send("again"))
            assert world.requested_actions("t").count("print") == int(point == "after print")
            await session.send("done" if point == "after print" else "again")
            assert world.requested_actions("t") == ["first", "print", "file"]

    apart(work)


CONFIRMED = """
state: {printed: {type: integer, default: 0}, log: {type: array, default: [], reduce: append}}
nodes:
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: Sure?}
  - {id: print, type: action, run: print_letter, label: the letter, confirm: {by: q.sure, over: [printed]}}
  - {id: done, type: terminal, say: Done.}
edges:
  - {from: q.sure, to: print, guard: answers.sure == true}
  - {from: q.sure, to: done, guard: else}
  - {from: print, to: done}
"""


@pytest.mark.parametrize("decision", ["done", "again"])
def test_a_confirmed_action_needs_no_second_yes_but_the_next_one_does(tmp_path: Path, decision: str) -> None:
    folder, home = tmp_path / "agent", tmp_path / "home"
    made, world = agent(folder, CONFIRMED, NODES.replace("KIND", "def").replace("WAIT", "")), World(folder)

    async def cut(_: Tell) -> None:
        world.at(made, "before print", die)
        async with open_session(made, home) as session:
            await session.start()
            await session.send("yes")

    assert forked(cut).end()

    async def work(_: Tell) -> None:
        async with open_session(made, home) as session:
            assert_asks(await session.send("yes"))
            assert (await session.send(decision)).status == "ended"
            assert world.requested_actions("t").count("print") == int(decision == "again")
            turn = await session.send("hello")
            assert (turn.waiting_for and turn.waiting_for.node) == "q.sure"

    apart(work)


LARGE = "  copy: {type: string, default: '', large: true}\nnodes:"


@pytest.mark.parametrize("room", [0, 200_000])
@pytest.mark.parametrize("large", [False, True])
def test_an_action_whose_result_did_not_fit_on_the_disk_is_not_repeated(tmp_path: Path, large: bool, room: int) -> None:
    if not LimitedFiles.works:
        pytest.skip("this system limits no files")
    folder, home = tmp_path / "agent", tmp_path / "home"
    flow = FLOW.replace("MORE", "")
    nodes = NODES.replace("KIND", "async def").replace("WAIT", "")
    if large:
        flow = flow.replace("nodes:", LARGE)
        nodes = nodes.replace('writes=["printed"]', 'writes=["printed", "copy"]')
        nodes = nodes.replace('"] + 1}', '"] + 1, "copy": "x" * 2_000_000}')
    elif room:
        nodes = nodes.replace('"Printed."', '"Printed." * 100_000')
    made, world = agent(folder, flow, nodes), World(folder)

    async def work(_: Tell) -> None:
        full = LimitedFiles(home)
        async with open_session(made, home) as session:
            await session.start()
            world.at(made, "after print", lambda: full.fill(room))
            # With disk space for the outcome but not for the writes, the turn can already ask.
            with contextlib.suppress(StoreError):
                assert (await session.send("Ann")).status != "ended"
            full.free()
            assert_asks(await session.send("Ann"))
            assert world.requested_actions("t") == ["first", "print"]
            assert (await session.send("done")).status == "ended"
            assert world.requested_actions("t") == ["first", "print", "file"]

    apart(work)
