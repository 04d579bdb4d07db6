"""What the graph editor costs beside its model: goals of twenty steps, the time that the model takes left out."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import graphwright
from bench.measure import Result
from bench.scale import Scale
from bench.timed import Moment, Timed, less, now
from graphwright.graphstore import open_graph

STEPS = 20
SMALL = "a small graph"


async def steps(homes: dict[str, Path], scale: Scale, tell: Callable[[str], None]) -> dict[str, Result]:
    """What a step costs in the graph of each home. The first goal in each, which starts its worker, is not counted."""
    agent = graphwright.load("graph_editor")
    results: dict[str, Result] = {}
    for name, home in homes.items():
        tell(f"goals of {STEPS} steps in {name}")
        goal = Result(f"a step, on average over a goal of {STEPS}, in {name}")
        single = Result("the same, a single step: from an answer of the model to the next request")
        results |= {f"editor/goal/{name}": goal, f"editor/step/{name}": single}
        for number in range(scale.goals + 1):
            turn, spent = await _pursued(agent, home, f"{name} {number}", number)
            if number:
                between = [less(after[0], before[1]) for before, after in pairwise([*spent, (turn[1], turn[1])])]
                model = [less(end, begin) for begin, end in spent]
                for place, whole, one in ((0, goal.wall, single.wall), (1, goal.cpu, single.cpu)):
                    whole.append((less(turn[1], turn[0])[place] - sum(m[place] for m in model)) / STEPS)
                    # The first answer is the goal as the model understood it.
                    one += [moment[place] for moment in between[1:]]
        open_graph(home).close()
    return results


async def _pursued(
    agent: graphwright.Agent, home: Path, thread: str, number: int
) -> tuple[tuple[Moment, Moment], list[tuple[Moment, Moment]]]:
    """One goal: when it began and ended, and when the model was asked and had answered."""
    text, rules = _goal(number)
    model = Timed.over(rules)
    async with agent.session(thread, model=model, home=home) as session:
        began = now()
        turn = await session.send(text)
        ended = now()
    assert (turn.status, len(turn.values["done"])) == ("ended", STEPS), turn.reply
    return (began, ended), model.noted


def _goal(number: int) -> tuple[str, list[dict[str, Any]]]:
    """A request for ten new nodes with nine edges between them and one change, and the model that does it."""
    keys = [f"G{number}-{place}" for place in range(1, 11)]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("add_node", {"label": "Part", "key": key, "properties": {"size": place}}) for place, key in enumerate(keys, 1)
    ]
    calls += [("add_edge", {"from_key": one, "type": "BEFORE", "to_key": other}) for one, other in pairwise(keys)]
    calls.append(("update_props", {"key": keys[0], "properties": {"state": "ready"}}))
    assert len(calls) == STEPS
    sizes = ", ".join(f"{key} with size {place}" for place, key in enumerate(keys, 1))
    text = f"Add parts {sizes}. Connect each with the next one by BEFORE. Set the state of {keys[0]} to ready."
    understood = {"intent": "create", "complexity": "complex", "confidence": 0.9}
    rules: list[dict[str, Any]] = [{"offers": "GoalSpec", "call": {"GoalSpec": understood}}]
    for place, (name, arguments) in enumerate(calls, 1):
        step = {"tool": {"tool_name": name, "arguments": arguments}, "is_final": place == STEPS}
        rules.append({"offers": "StepPlan", "times": 1, "call": {"StepPlan": step}})
    return text, rules
