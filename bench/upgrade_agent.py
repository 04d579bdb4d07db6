"""What a turn with the UpGrade agent costs beside its model and the server: the calls of the server are left out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import graphwright
from bench.measure import Result
from bench.scale import Scale
from bench.upgrade import filled, serving
from graphwright.agents.upgrade.client.wire import Wire
from graphwright.models.scripted import ScriptedModel

SMALL = 15

TURNS = {
    "question": ("a question about a term", ("What is a decision point?",)),
    "list": ("a list of what there is", ("Which contexts are there?",)),
    "order": ("an order, up to the question whether it is meant", ("Start experiment 12",)),
    "no": ("a no to it", ("no",)),
    "yes": ("a yes: the action itself, its log and the reply", ("Initialise user bench-1", "yes")),
}
"""By key: what it is, and the messages, of which the last one is measured."""


async def turns(home: Path, scale: Scale, tell: Callable[[str], None]) -> dict[str, Result]:
    """Turns over a server that runs as a process of its own, without the time of its calls; few experiments and many.

    The first conversation with each server is not counted.
    """
    agent = graphwright.load("upgrade")
    results: dict[str, Result] = {}
    for experiments in (SMALL, scale.experiments):
        tell(f"turns of the UpGrade agent, {experiments:,} experiments")
        known = f"{experiments:,} experiments"
        own = {key: Result(f"{title}, {known}") for key, (title, _) in TURNS.items()}
        every = Result(f"any of these, {known}")
        place = home / str(experiments)
        with serving(place / "service") as service:
            await filled(service, experiments)
            with patch.dict(os.environ, UPGRADE_API_URL=service.url), _left_out() as calls:
                async with agent.session("bench", model=ScriptedModel.from_rules([]), home=place) as session:
                    for number in range(scale.goals * 4 + 1):
                        for key, (_, texts) in TURNS.items():
                            for text in texts:
                                calls[:] = [0.0, 0.0]
                                wall, cpu = time.perf_counter(), time.process_time()
                                turn = await session.send(text)
                                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
                                assert turn.error is None, turn.error
                            for result in (own[key], every) if number else ():
                                result.wall.append(wall - calls[0])
                                result.cpu.append(cpu - calls[1])
        results |= {f"upgrade_agent/{key}/{experiments}": result for key, result in {**own, "any": every}.items()}
    return results


@contextmanager
def _left_out() -> Iterator[list[float]]:
    """Inside, the wall and processor time of the calls of the client is added up."""
    spent = [0.0, 0.0]
    send = Wire.send

    async def timed(self: Wire, *given: Any) -> Any:
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            return await send(self, *given)
        finally:
            spent[0] += time.perf_counter() - wall
            spent[1] += time.process_time() - cpu

    with patch.object(Wire, "send", timed):
        yield spent
