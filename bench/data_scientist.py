"""The cost of a turn of the data scientist without its model, the sandbox and the reading of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import graphwright
from bench.measure import Result
from bench.scale import Scale
from bench.timed import Timed, Watch, left_out, note
from graphwright.models._scripted import make_script
from graphwright_data.data_scientist import figures, running

ROWS = 10_000

_DRINKS = ("tea", "coffee", "cocoa")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

Rule = dict[str, Any]


def _planned(*, code: bool = True, evaluation: bool = False) -> Rule:
    steps = {"needs_code": code, "needs_evaluation": evaluation, "needs_explanation": True, "reasoning": "as asked"}
    return {"call": {"ExecutionPlan": steps}}


_MEANS = 'result = df.groupby("drink")["price"].mean().round(2).reset_index()'
_BARS = _MEANS + '\nfig = px.bar(result, x="drink", y="price", title="Average price by drink")'
_SPREAD = 'result = df.groupby("drink")["price"].std().round(4)'

TURNS: Mapping[str, tuple[str, str, list[Rule]]] = {
    "term": (
        "a question on a term, without code",
        "What is a median?",
        [_planned(code=False), {"text": "The median is the value in the middle."}],
    ),
    "table": (
        "a table",
        "What is the average price by drink?",
        [_planned(), {"text": _MEANS}, {"text": "The average price differs little between the drinks."}],
    ),
    "repaired": (
        "a table, at the second attempt",
        "What is the average price by drink?",
        [
            *(_planned(), {"text": f"{_MEANS}["}, {"text": _MEANS}),
            {"text": "The average price differs little between the drinks."},
        ],
    ),
    "judged": (
        "a number that is judged",
        "Is the spread of the price by drink unusual?",
        [_planned(evaluation=True), {"text": _SPREAD}, {"text": "It is much alike."}, {"text": "No, it is alike."}],
    ),
    "picture": (
        "a picture, kept as a page",
        "Draw the average price by drink as a bar chart",
        [_planned(), {"text": _BARS}, {"text": "The bars show the average price of each drink."}],
    ),
}
"""By key: a title, the question, and the replies of the model in order."""


async def turns(work: Path, scale: Scale, notify: Callable[[str], None]) -> dict[str, Result]:
    """Questions over a file of 10,000 rows that the thread already has. The first ones are not counted."""
    notify("turns of the data scientist")
    file = _data(work)
    agent = graphwright.load("data_scientist")
    own = {key: Result(title) for key, (title, *_) in TURNS.items()}
    every = Result("any of these")
    model = Timed.over()
    home = patch.dict(os.environ, GRAPHWRIGHT_HOME=str(work / "home"))
    with home, left_out((running, "run"), (figures, "png")) as sandbox:
        watch = Watch(model, sandbox)
        async with agent.session("bench", model=model) as session:
            for number in range(scale.goals * 4 + 1):
                for key, (_, question, replies) in TURNS.items():
                    model.reply_by(make_script(replies, key).rules)
                    files = [] if number or key != "term" else [file]
                    turn, taken = await watch.send(session, question, files)
                    assert not model.replies_left(), (key, turn.path)
                    assert turn.values["error"] is None, turn.values["error"]
                    if number:
                        note(taken, own[key], every)
    return {f"data_scientist/{key}": result for key, result in {**own, "any": every}.items()}


def _data(work: Path) -> Path:
    work.mkdir(parents=True)
    file = work / "cups.csv"
    lines = [f"{_DAYS[n % 7]},{_DRINKS[n % 3]},{n % 11 + 1},{(n * 37 % 400) / 100 + 1:.2f}" for n in range(ROWS)]
    file.write_text("\n".join(["day,drink,cups,price", *lines, ""]), "ascii")
    return file
