"""The steps of the engine are pure: what they are told decides what they do, whoever runs them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from runtime_support import agent, open_session
from test_replay import FLOW, NODES, RULES, TEXTS

import graphwright.engine
from graphwright.engine.commands import Needs
from graphwright.engine.perform import perform
from graphwright.engine.receive import receive
from graphwright.engine.recorder import Recorder

Step = Callable[..., Any]


def twice(step: Step, told: list[str]) -> Step:
    """The step, which is run a second time with the same facts, state and results, and must come to the same."""

    def outcome(log: Recorder, state: Any, more: dict[str, Any]) -> tuple[Any, Any]:
        try:
            left, goto = step(log, state, **more)
        except Needs as needs:
            return type(needs.command).__name__, needs
        return (left.to_json(), goto), (left, goto)

    def run(log: Recorder, state: Any, **more: Any) -> Any:
        memory, before = deepcopy(log.facts.memory), deepcopy(state.to_json())
        other = Recorder(replace(log.facts, memory=memory), list(log.given))
        again, _ = outcome(other, state, more)
        first, result = outcome(log, state, more)
        assert first == again
        assert [event.to_json() for event in other.events] == [event.to_json() for event in log.events]
        assert state.to_json() == before
        told.append(step.__name__)
        if isinstance(result, Needs):
            raise result
        return result

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
        for step in (receive, perform):
            patch.setattr(f"graphwright.runtime.host.{step.__name__}", twice(step, told))
        asyncio.run(talk(tmp_path_factory.mktemp("steps")))
    assert told.count("receive") >= 2 + len(texts)


def test_the_engine_waits_for_nothing() -> None:
    folder = Path(graphwright.engine.__file__).parent
    waiting = (ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith)
    trees = {file.name: ast.parse(file.read_text("utf-8")) for file in folder.glob("*.py")}
    assert len(trees) > 20
    assert [name for name, tree in trees.items() if any(isinstance(node, waiting) for node in ast.walk(tree))] == []
