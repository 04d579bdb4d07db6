"""A goal of twenty steps survives `kill -9`: of the program, at any moment, and of the process that holds the graph."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cli_support import environment
from crash_support import Tell, die, forked
from graph_editor_support import Twenty, assert_as_the_journal_says, contents, engine, graph_file
from graph_support import UNCONFINED, wait_until, workers
from runtime_support import scripted

from graphwright import Agent, load
from graphwright.graphstore import Goal
from graphwright.graphstore.embedded.client import EmbeddedStore
from graphwright.graphstore.wording import change_text

pytestmark = pytest.mark.skipif(bool(UNCONFINED), reason=UNCONFINED)

SEED = 11
KILLS = 30
MOST_A_GOAL = 8
DELAY = 0.02
"""Seconds that the model takes, so that some kills find it at work."""


@dataclass
class Desk:
    """The agent, where it works, and how long an undisturbed goal of twenty steps takes it, in seconds."""

    made: Agent
    home: Path
    seconds: float


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = Desk(load("graph_editor"), tmp_path_factory.mktemp("desk"), 0.0)
    took = []
    for prefix in ("X", "Y"):
        goal = Twenty(prefix, delay=DELAY)
        child = forked(lambda tell: pursue(desk, prefix, goal, tell))  # noqa: B023
        child.hear()
        began = time.perf_counter()
        assert not child.end()
        took.append(time.perf_counter() - began)
        assert_done(desk, prefix, goal, child.returned)
    desk.seconds = statistics.mean(took)
    return desk


async def pursue(desk: Desk, thread: str, goal: Twenty, tell: Tell, *, chance: random.Random | None = None) -> Any:
    """Bring the goal to its end from wherever the thread stands; how many steps it knows of, and its answer."""
    async with desk.made.session(thread, model=scripted(*goal.rules), home=desk.home) as session:
        while (state := await session.state())["status"] != "ended":
            tell({"knows": len(state["values"].get("done", ())), "status": state["status"]})
            text = "yes" if state["status"] == "waiting" else goal.text
            if state["status"] == "running" and chance is not None and chance.random() < 0.5:
                text = "are you there?"
            turn = await session.send(text)
            assert turn.error is None, turn.error
        messages = await session._store.messages.read(thread)
        return {"knows": len(state["values"]["done"]), "answer": messages[-1].text}


def journal(desk: Desk, thread: str) -> Goal | None:
    """The entry of the thread's goal, when its workers have ended; the graph must be as the journal says."""
    wait_until(lambda: not workers(graph_file(desk.home)))
    with engine(desk.home) as store:
        assert_as_the_journal_says(store)
        entries = [entry for entry in store.goals() if entry.thread == thread]
    assert len(entries) <= 1
    return entries[0] if entries else None


def assert_steps(entry: Goal, goal: Twenty) -> None:
    """The steps must be the first ones of the goal, each once."""
    lines = [change_text(step.changes[-1]) if step.changes else "nothing" for step in entry.steps]
    assert len(lines) <= len(goal.told)
    for line, told in zip(lines, goal.told, strict=False):
        assert f"{line} ".startswith(told), lines


def assert_done(desk: Desk, thread: str, goal: Twenty, returned: Any) -> None:
    """The goal must have ended with its twenty steps in the journal, and the graph hold what it asked for."""
    entry = journal(desk, thread)
    assert entry is not None
    assert_steps(entry, goal)
    assert (entry.status, len(entry.steps), returned["knows"]) == ("done", 20, 20)
    with engine(desk.home) as store:
        keys = {node.identity[2] for node in goal.graph if node.identity[0] == "node"}
        assert [each for each in contents(store) if keys & set(each.identity)] == goal.graph
    assert f"graph undo {entry.id}" in returned["answer"]


def test_killed_thirty_times_at_random_moments_every_step_is_done_once(desk: Desk) -> None:
    chance = random.Random(SEED)
    found: list[int] = []
    behind, goals = 0, 0
    while len(found) < KILLS:
        thread, kills, steps = f"R{goals}", 0, 0
        goal = Twenty(thread, deleting=goals % 2 == 1, delay=DELAY)
        while True:
            own = random.Random(f"{SEED} {thread} {kills}")
            child = forked(lambda tell: pursue(desk, thread, goal, tell, chance=own))  # noqa: B023
            if child.hear() is not None and kills < MOST_A_GOAL:
                time.sleep(chance.uniform(0, 0.6 * desk.seconds))
                child.kill()
            killed = child.end()
            # What the process that was killed before had done, and had no time to note.
            behind += bool(child.told) and child.told[0]["knows"] < steps
            if not killed:
                break
            entry = journal(desk, thread)
            if entry is not None:
                assert_steps(entry, goal)
                steps = len(entry.steps)
            found.append(steps)
            kills += 1
        assert_done(desk, thread, goal, child.returned)
        goals += 1
    print(f"\n{len(found)} kills in {goals} goals, after so many steps: {found}; {behind} between a step and its note")
    assert len(set(found)) >= 8


def test_killed_right_before_and_after_every_step_it_is_done_once(desk: Desk) -> None:
    goal = Twenty("E", deleting=True)
    lives = 0

    async def cut(tell: Tell) -> Any:
        apply, begun = EmbeddedStore.apply, itertools.count()

        def mortal(self: EmbeddedStore, *given: Any, **named: Any) -> Any:
            # The first is the one that the last life had done, or had not begun.
            step = next(begun)
            if step == 1 and lives % 2:
                die()
            applied = apply(self, *given, **named)
            tell({"repeated": applied.repeated})
            if step == 1:
                die()
            return applied

        EmbeddedStore.apply = mortal  # type: ignore[method-assign]
        return await pursue(desk, "each", goal, tell)

    while (child := forked(cut)).end():
        lives += 1
        entry = journal(desk, "each")
        assert entry is not None
        assert_steps(entry, goal)
        repeated = [told["repeated"] for told in child.told if "repeated" in told]
        assert repeated == ([True] if lives % 2 == 0 else [False, False])
    assert lives == 19
    assert_done(desk, "each", goal, child.returned)


def test_the_worker_killed_at_random_moments_costs_no_step_and_does_none_twice(desk: Desk) -> None:
    def goal(number: int) -> Twenty:
        return Twenty(f"W{number}", deleting=number % 2 == 1, delay=DELAY)

    async def under_fire(tell: Tell) -> Any:
        chance, over = random.Random(SEED), threading.Event()
        shot: set[int] = set()

        def fire() -> None:
            while not over.wait(chance.uniform(0.2, 0.7)):
                for worker in workers(graph_file(desk.home)):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(worker, signal.SIGKILL)
                        shot.add(worker)

        killer = threading.Thread(target=fire)
        killer.start()
        ended: list[Any] = []
        try:
            while len(shot) < 10:
                ended.append(await pursue(desk, f"worker {len(ended)}", goal(len(ended)), tell))
        finally:
            over.set()
            killer.join()
        print(f"\n{len(shot)} workers killed in {len(ended)} goals")
        return ended

    child = forked(under_fire)
    assert not child.end()
    for number, ended in enumerate(child.returned):
        assert_done(desk, f"worker {number}", goal(number), ended)


def test_the_program_itself_killed_goes_on_where_it_was(desk: Desk, tmp_path: Path) -> None:
    # Slow enough that the kill, which comes some time after the step it waits for, finds the goal unfinished.
    goal = Twenty("P", delay=0.15)
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps(goal.rules), "utf-8")
    command = [sys.executable, "-m", "graphwright.cli", "ask", "graph_editor", goal.text]
    command += ["--thread", "program", "--model", f"scripted:{rules}", "--json"]
    for steps in (2, 8, 14):
        quiet: Any = {"env": environment(desk.home), "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with engine(desk.home) as store, subprocess.Popen(command, **quiet) as program:
            try:
                wait_until(lambda: any(len(g.steps) >= steps for g in store.goals() if g.thread == "program"))  # noqa: B023
            finally:
                program.kill()
        entry = journal(desk, "program")
        assert entry is not None
        assert_steps(entry, goal)
        assert entry.status != "done", "the program had finished before it was killed"
    done = subprocess.run(command, env=environment(desk.home), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    turn = json.loads(done.stdout)
    assert turn["status"] == "ended"
    assert_done(desk, "program", goal, {"knows": len(turn["values"]["done"]), "answer": turn["reply"]})
