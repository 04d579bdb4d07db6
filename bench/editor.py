"""The cost of the graph editor: goals of ten staged writes, without the time of the model."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import graphwright
from bench.measure import Result
from bench.scale import Scale
from bench.timed import Timed, Watch, note
from graphwright_graph import open_graph

WRITES = 10
SMALL = "a small graph"


async def steps(homes: dict[str, Path], scale: Scale, notify: Callable[[str], None]) -> dict[str, Result]:
    """The cost of a goal in the graph of each home. The first goal in each, which starts its worker, is not counted."""
    agent = graphwright.load("graph_editor")
    results: dict[str, Result] = {}
    for name, home in homes.items():
        notify(f"goals of {WRITES} writes in {name}")
        goal = Result(f"a goal of {WRITES} staged writes, from the request to what was done, in {name}")
        results[f"editor/goal/{name}"] = goal
        for number in range(scale.goals + 1):
            text, rules = _goal(number)
            model, took = Timed.over(rules), []
            watch = Watch(model)
            async with agent.session(f"{name} {number}", model=model, home=home) as session:
                for said, status in ((text, "waiting"), ("yes", "ended")):
                    turn, taken = await watch.send(session, said)
                    took.append(taken)
                    assert turn.status == status, turn.reply
            if number:
                note((sum(wall for wall, _ in took), sum(cpu for _, cpu in took)), goal)
        open_graph(home).close()
    return results


def _goal(number: int) -> tuple[str, list[dict[str, Any]]]:
    """A request for five new nodes with four edges between them and one change, and the model that makes the calls."""
    keys = [f"G{number}-{place}" for place in range(1, 6)]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("add_node", {"label": "Part", "key": key, "properties": {"size": place}}) for place, key in enumerate(keys, 1)
    ]
    calls += [("add_edge", {"from_key": one, "type": "BEFORE", "to_key": other}) for one, other in pairwise(keys)]
    calls.append(("update_props", {"key": keys[0], "properties": {"state": "ready"}}))
    assert len(calls) == WRITES
    sizes = ", ".join(f"{key} with size {place}" for place, key in enumerate(keys, 1))
    text = f"Add parts {sizes}. Connect each with the next one by BEFORE. Set the state of {keys[0]} to ready."
    tools = [{"because": "", "tool_name": name, "arguments": arguments} for name, arguments in calls]
    understood = {"intent": "create", "complexity": "simple", "confidence": 0.9, "tools": tools}
    return text, [
        {"offers": "GoalSpec", "call": {"GoalSpec": understood}},
        {"offers": "Review", "call": {"Review": {"unasked": [], "missing": []}}},
    ]
