"""Nodes with `map`: order, bound, failed items, effects once for each item, also after kill -9 and in doubt."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphwright import load
from host_support import agent, open_session, trace

pytestmark = pytest.mark.anyio

FLOW = """
state:
  item: {type: integer}
  twofold: {type: integer}
  doubles: {type: array, items: {type: [integer, "null"]}}
  failed: {type: array}
nodes:
  - {id: q, type: question, key: numbers, prompt: "Numbers?", schema: {type: array, items: {type: integer}}}
  - id: each
    type: action
    run: work
    map: {over: answers.numbers, as: item, into: doubles, errors: failed, at_once: 3}
    %s
  - {id: done, type: terminal, say: "{{ doubles }}"}
  - {id: sorry, type: terminal, say: "{{ doubles }} without {{ failed.size() }}"}
edges:
  - {from: q, to: each}
  - {from: each, to: done}
"""
WORK = """
LOG = Path(__file__).parent / "log"
FAILS = Path(__file__).parent / "fails"

def noted(ctx, item):
    with LOG.open("a") as log:
        log.write(f"{item} {ctx.key} {ctx.item}\\n")

@action(reads=["item"], writes=["twofold"])
async def work(state, ctx):
    if FAILS.exists() and str(state["item"]) in FAILS.read_text().split():
        raise ValueError(f"{state['item']} is bad")
    noted(ctx, state["item"])
    await asyncio.sleep(0.002 * (5 - state["item"] % 5))
    return {"twofold": 2 * state["item"]}
"""


def done(folder: Path) -> Counter[int]:
    """How often each item was worked on."""
    log = folder / "log"
    return Counter(int(line.split()[0]) for line in log.read_text().splitlines()) if log.exists() else Counter()


async def test_results_are_in_the_order_of_the_items_and_each_has_its_key(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW % "", WORK)
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        ended = await session.resume([4, 1, 3, 1, 2])
        assert (ended.values["doubles"], ended.values["failed"]) == ([8, 2, 6, 2, 4], [])
        assert [e["type"] for e in await trace(session) if e.get("node") == "each"].count("action_finished") == 1
    lines = [line.split() for line in (tmp_path / "a" / "log").read_text().splitlines()]
    assert len({key for _, key, _ in lines}) == 5
    assert sorted(int(index) for _, _, index in lines) == [0, 1, 2, 3, 4]


@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=6), st.sets(st.integers(0, 9), max_size=3))
async def test_failed_items_are_tried_again_and_no_other_one(numbers: list[int], bad: set[int]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        made = agent(folder / "a", FLOW % "", WORK)
        (folder / "a" / "fails").write_text(" ".join(map(str, bad)))
        async with open_session(made, folder / "home") as session:
            await session.start()
            turn = await session.resume(numbers)
            if bad & set(numbers):
                assert turn.error is not None
                assert turn.error.code == "items_failed"
                assert done(folder / "a") == Counter(n for n in numbers if n not in bad)
                (folder / "a" / "fails").unlink()
                turn = await session.send("go on")
            assert (turn.error, turn.values["doubles"]) == (None, [2 * n for n in numbers])
        assert done(folder / "a") == Counter(numbers)


async def test_with_on_error_the_others_keep_their_results_and_the_failed_ones_are_named(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW % "on_error: sorry", WORK)
    (tmp_path / "a" / "fails").write_text("3")
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        ended = await session.resume([1, 3, 5])
        assert (ended.reply, ended.error) == ("2, , 10 without 1", None)
        assert ended.values["failed"] == [{"index": 1, "error": "ValueError: 3 is bad"}]


RUN = """
import asyncio, sys
from graphwright import load
async def main():
    async with load(sys.argv[1]).session("t", model="none", home=sys.argv[2]) as session:
        await session.resume([1, 2, 3, 4, 5, 6])
asyncio.run(main())
"""


def killed_in_the_middle(folder: Path) -> None:
    """Run the turn in a process, and kill it when two items are done and the others hang."""
    process = subprocess.Popen([sys.executable, "-c", RUN, str(folder / "a"), str(folder / "home")])
    try:
        for _ in range(600):
            if {1, 2, 3} <= set(done(folder / "a")):
                break
            time.sleep(0.05)
        time.sleep(0.3)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.slow
async def test_after_kill_9_in_the_middle_only_the_missing_items_are_done(tmp_path: Path) -> None:
    slow = WORK.replace("await asyncio.sleep(0.002 * (5 - state[\"item\"] % 5))", "if FAILS.exists(): time.sleep(0)\n"
                        "    elif state['item'] > 2: await asyncio.sleep(60)")  # fmt: skip
    made = agent(tmp_path / "a", FLOW % "", slow)
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
    await asyncio.to_thread(killed_in_the_middle, tmp_path)
    before = done(tmp_path / "a")
    (tmp_path / "a" / "fails").write_text("")
    async with load(tmp_path / "a").session("t", model="none", home=tmp_path / "home") as session:
        ended = await session.send("hello?")
        assert (ended.error, ended.values["doubles"]) == (None, [2, 4, 6, 8, 10, 12])
    after = done(tmp_path / "a")
    assert (before[1], before[2], after[1], after[2]) == (1, 1, 1, 1)
    keys = {}
    for line in (tmp_path / "a" / "log").read_text().splitlines():
        item, key, _ = line.split()
        assert keys.setdefault(item, key) == key
    assert sorted(keys) == list("123456")


LETTERS = """
@action(reads=["item"], writes=["twofold"], repeatable=False)
async def work(state, ctx):
    with (Path(__file__).parent / "log").open("a") as log:
        log.write(f"{state['item']} x x\\n")
    if state["item"] == 2:
        await asyncio.sleep(60)
    return {"twofold": 2 * state["item"]}
"""


@pytest.mark.parametrize(("answer", "results", "times"), [("done", [2, None, 6], 1), ("again", None, 2)])
async def test_an_item_in_doubt_is_asked_for_and_the_others_are_kept(
    answer: str, results: list[int] | None, times: int, tmp_path: Path
) -> None:
    made = agent(tmp_path / "a", FLOW % "timeout: 0.2", LETTERS)
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        asked = await session.resume([1, 2, 3])
        assert asked.waiting_for is not None
        assert asked.waiting_for.kind == "choice"
        turn = await session.send(answer)
        assert (turn.values["doubles"] if results else turn.status) == (results or "waiting")
    assert done(tmp_path / "a") == Counter({1: 1, 2: times, 3: 1})


NESTED = """
state:
  item: {type: integer}
  twofold: {type: integer}
  sum: {type: integer}
  sums: {type: array}
  rest: {type: integer, default: 7}
nodes:
  - {id: q, type: question, key: numbers, prompt: "Numbers?", schema: {type: array, items: {type: integer}}}
  - {id: each, type: subgraph, ref: sub, map: {over: answers.numbers, as: item, result: sum, into: sums}}
  - {id: done, type: terminal, say: "{{ sums }}, {{ rest }}"}
edges:
  - {from: q, to: each}
  - {from: each, to: done}
subgraphs:
  sub:
    nodes:
      - {id: twice, type: action, run: twice}
      - {id: odd, type: decision}
      - {id: add, type: action, run: add}
      - {id: call, type: subgraph, ref: inner}
    edges:
      - {from: twice, to: odd}
      - {from: odd, to: add, guard: item % 2 == 1}
      - {from: odd, to: call, guard: else}
      - {from: add, to: __exit__}
      - {from: call, to: __exit__}
  inner:
    nodes: [{id: add.more, type: action, run: add}]
    edges: [{from: add.more, to: __exit__}]
"""
STEPS = """
@action(reads=["item"], writes=["twofold"])
def twice(state, ctx):
    return {"twofold": state["item"] * 2}

@action(reads=["twofold", "rest"], writes=["sum", "rest"])
async def add(state, ctx):
    with (Path(__file__).parent / "log").open("a") as log:
        log.write(f"0 {ctx.key} {ctx.item}\\n")
    return {"sum": state["twofold"] + state["rest"], "rest": 0}
"""


async def test_a_subgraph_runs_for_each_item_with_separate_channels(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", NESTED, STEPS)
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        assert (await session.resume([1, 2, 3])).reply == "9, 11, 13, 7"
        entered = [event["node"] for event in await trace(session) if event["type"] == "node_entered"]
    assert entered == ["q", "each", "twice", "odd", "add", "twice", "odd", "call", "add.more", "done"]
    keys = [line.split()[1] for line in (tmp_path / "a" / "log").read_text().splitlines()]
    assert len(set(keys)) == 3


async def test_a_list_that_is_none_or_too_long_fails_before_anything_is_done(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW % "", WORK)
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        error = (await session.resume(list(range(1001)))).error
    assert error is not None
    assert (error.code, done(tmp_path / "a")) == ("bad_list", Counter())


async def test_with_on_error_the_trace_and_the_log_say_that_the_list_is_too_long(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = agent(tmp_path / "a", FLOW % "on_error: sorry", WORK)
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        assert (await session.resume(list(range(1001)))).status == "ended"
        (failed,) = [event for event in await trace(session) if event["type"] == "action_failed"]
    says = "'each' was not performed: answers.numbers has 1,001 items; 1,000 are allowed."
    assert (failed["error"], done(tmp_path / "a")) == (says, Counter())
    assert says in caplog.messages
