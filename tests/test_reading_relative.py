"""Amounts relative to an answer that is there are computed by code; anything less clear is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from reading_support import FLOW, reply_to, unknown, update

NAMED = FLOW.replace("x-unit: W,", "x-unit: W, x-words: [power, Leistung],").replace(
    "x-unit: EUR}", "x-unit: EUR, x-words: [budget, spend]}"
)
# At the confirmation the power is 90 W and the budget 100 EUR.


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("50 W more", "power", 140),
        ("no, make it 20 watts less please", "power", 70),
        ("add 0.1 kW to each", "power", 190),
        ("30 W more per lamp", "power", 120),
        ("twice the power", "power", 180),
        ("doppelt so viel Leistung bitte", "power", 180),
        ("three times the power", "power", 270),
        ("we can add 500 euros to the budget", "budget", 600),
        ("increase the budget by 500", "budget", 600),
        ("das Budget um 20 € senken", "budget", 80),
        ("let's double the power", "power", 180),
        ("20 % more budget", "budget", 120),
    ],
)
async def test_a_change_of_a_known_amount_is_computed(tmp_path: Path, text: str, key: str, value: float) -> None:
    turn = await reply_to(tmp_path, "q.sure", text, unknown("kind"), flow=NAMED)
    assert turn.values["answers"][key] == value
    assert "W?" in turn.reply


async def test_what_a_model_makes_of_it_does_not_count(tmp_path: Path) -> None:
    turn = await reply_to(tmp_path, "q.sure", "50 W more", update(("power", 50, "50 W")), flow=NAMED)
    assert turn.values["answers"]["power"] == 140


async def test_two_clauses_change_two_answers(tmp_path: Path) -> None:
    text = "double the power and cut the budget by 10 %"
    turn = await reply_to(tmp_path, "q.sure", text, unknown("kind"), flow=NAMED)
    assert (turn.values["answers"]["power"], turn.values["answers"]["budget"]) == (180, 90)


@pytest.mark.parametrize(
    "text",
    [
        "twice as much",
        "50 more",
        "20 more lights",
        "I'd take 200 W",
        "add 200 W lamps",
        "half of the budget is gone",
        "50 W more than the old ones",
        "could we double the power?",
        "50 W more or 100 W more",
        "not twice the power",
        "add 500 euros to the power",
        "half the power and twice the power",
        "5 % of the budget",
    ],
)
async def test_what_is_less_clear_changes_nothing(tmp_path: Path, text: str) -> None:
    turn = await reply_to(tmp_path, "q.sure", text, unknown("kind"), flow=NAMED)
    assert (turn.values["answers"]["power"], turn.values["answers"]["budget"]) == (90, 100.0)


async def test_without_an_earlier_amount_the_amount_is_asked_for(tmp_path: Path) -> None:
    turn = await reply_to(tmp_path, "q.power", "50 W more", update(("power", 50, "50 W")), flow=NAMED)
    assert "power" not in turn.values["answers"]
    assert "please give the amount itself" in turn.reply


async def test_an_amount_that_the_question_does_not_take_is_refused_as_ever(tmp_path: Path) -> None:
    turn = await reply_to(tmp_path, "q.sure", "2000 W more", unknown("kind"), flow=NAMED)
    assert turn.values["answers"]["power"] == 90
    assert "at most 2000" in turn.reply
