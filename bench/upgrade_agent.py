"""The cost of a turn with the UpGrade agent without its model and the calls of the server."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import graphwright
from bench.measure import Result
from bench.scale import Scale
from bench.serving import serving
from bench.timed import Timed, Watch, left_out, note
from bench.upgrade import SERVE, filled
from graphwright_upgrade.client._wire import Wire

SMALL = 15

TURNS = {
    "question": ("a question about a term", ("What is a decision point?",)),
    "list": ("a list of what there is", ("Which experiments are there?",)),
    "order": ("an order, up to the question whether it is meant", ("Start experiment 12",)),
    "no": ("a no to it", ("no",)),
    "yes": ("a yes: the action itself, its log and the reply", ("Initialise user bench-1", "yes")),
}
"""By key: a title, and the messages, of which the last one is measured."""


def _understood(says: str, *orders: dict[str, str]) -> dict[str, Any]:
    found = {"orders": list(orders), "user_request_summary": says, "intent_type": "needs_info", "confidence": 0.9}
    return {"offers": "analyze_user_request", "says": f"Message: .*{says}", "call": {"analyze_user_request": found}}


def _does(action: str, params: dict[str, Any]) -> dict[str, Any]:
    call = {"set_action_params": {"action_params": params}}
    return {"offers": "set_action_params", "says": f"Request .{action}", "call": call}


RULES = (
    _understood("decision point"),
    _understood("Which experiments"),
    _understood("Start", {"action": "update_experiment_status", "request": "Start experiment 12"}),
    _understood("Initialise", {"action": "init_experiment_user", "request": "Initialise user bench-1"}),
    _does("update_experiment_status", {"experiment_id": "experiment 12", "status": "enrolling"}),
    _does("init_experiment_user", {"user_id": "bench-1"}),
    {"offers": "Review", "call": {"Review": {"missing": [], "unasked": []}}},
    {"offers": "get_core_terms", "says": "Question: .*point", "call": {"get_core_terms": {}}},
    {"offers": "get_core_terms", "says": "Question: Which", "call": {"get_all_experiments": {}}},
    {"text": "That is what the data say."},
)
"""The replies of the model, correct each time."""


async def turns(home: Path, scale: Scale, notify: Callable[[str], None]) -> dict[str, Result]:
    """Turns over a server in a separate process, without the time of its calls; few experiments and many.

    The first conversation with each server is not counted.
    """
    agent = graphwright.load("upgrade")
    results: dict[str, Result] = {}
    for experiments in (SMALL, scale.experiments):
        notify(f"turns of the UpGrade agent, {experiments:,} experiments")
        known = f"{experiments:,} experiments"
        own = {key: Result(f"{title}, {known}") for key, (title, _) in TURNS.items()}
        every = Result(f"any of these, {known}")
        place = home / str(experiments)
        with serving(place / "service", *SERVE) as service:
            await filled(service, experiments)
            with patch.dict(os.environ, UPGRADE_API_URL=service.url), left_out((Wire, "send")) as calls:
                model = Timed.over(RULES)
                watch = Watch(model, calls)
                async with agent.session("bench", model=model, home=place) as session:
                    for number in range(scale.goals * 4 + 1):
                        for key, (_, texts) in TURNS.items():
                            for text in texts:
                                _, taken = await watch.send(session, text)
                            if number:
                                note(taken, own[key], every)
        results |= {f"upgrade_agent/{key}/{experiments}": result for key, result in {**own, "any": every}.items()}
    return results
