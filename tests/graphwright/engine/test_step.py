"""The steps of the engine are pure: their arguments determine the result, for any host."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import graphwright.engine
from graphwright.engine.host_interface import Extract, Facts, Inbox, Perform, Result
from graphwright.engine.state import ThreadState, applied
from graphwright.engine.step import StepResult, step
from host_support import agent, open_session
from replay_support import FLOW, NODES, RULES, TEXTS


def twice(told: list[str]) -> Any:
    """The step, which is run twice with the same arguments and must have the same result."""

    def run(facts: Facts, state: ThreadState, inbox: Inbox | None, results: Sequence[Result] = ()) -> StepResult:
        before = deepcopy((facts.memory, state.to_json()))
        again = step(facts, state, inbox, results)
        first = step(facts, state, inbox, results)
        assert type(first.command) is type(again.command)
        assert first.state.to_json() == again.state.to_json()
        assert [event.to_json() for event in first.events] == [event.to_json() for event in again.events]
        assert first.memory == again.memory
        assert (facts.memory, state.to_json()) == before
        if not isinstance(first.command, Extract | Perform):
            assert applied(state, first.events).to_json() == first.state.to_json()
        told.append("perform" if inbox is None else "receive")
        return first

    return run


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS, st.sampled_from(["Ann", "Xaver"]))
def test_a_step_gives_the_same_events_again(tmp_path_factory: Any, texts: list[str], name: str) -> None:
    import asyncio

    told: list[str] = []

    async def talk(folder: Path) -> None:
        async with open_session(agent(folder / "a", FLOW, NODES), folder / "home", *RULES) as session:
            for text in (name, "small", *texts):
                await session.send(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("graphwright.host._serve_turn.step", twice(told))
        asyncio.run(talk(tmp_path_factory.mktemp("steps")))
    assert told.count("receive") >= 2 + len(texts)


def test_the_engine_waits_for_nothing() -> None:
    folder = Path(graphwright.engine.__file__).parent
    waiting = (ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith)
    trees = {file.name: ast.parse(file.read_text("utf-8")) for file in folder.glob("*.py")}
    assert len(trees) > 15
    assert [name for name, tree in trees.items() if any(isinstance(node, waiting) for node in ast.walk(tree))] == []
