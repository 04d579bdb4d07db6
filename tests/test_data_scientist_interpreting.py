"""Words that name no column: what the model says that they mean, before a question is refused for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from runtime_support import scripted

from graphwright import Turn, load
from graphwright.agents.data_scientist.telling import NOTHING_COMPUTED

WOMEN = "faith,kids,rating\nlow,1,4\nlow,2,5\nhigh,4,3\nhigh,3,4\n"
STEPS = {"needs_code": True, "needs_evaluation": False, "needs_explanation": False, "reasoning": "r"}
BY_FAITH = "result = df.groupby('faith')['kids'].mean()"


async def asked(home: Path, question: str, code: str, meant: str) -> Turn:
    """The turn in which the model writes this code, and says that the words which it is asked about mean `meant`."""
    file = home / "women.csv"
    file.write_text(WOMEN)
    rules: list[dict[str, Any]] = [
        {"offers": "ExecutionPlan", "call": {"ExecutionPlan": STEPS}},
        {"anywhere": "Which column holds", "text": meant},
        {"text": code},
    ]
    async with load("data_scientist").session("t", model=scripted(*rules), home=home / "home") as session:
        return await session.send(question, [file])


@pytest.mark.parametrize("said", ["faith", "`Faith`.", "faith\nbecause it says so"])
async def test_words_that_mean_a_column_are_no_reason_to_refuse(said: str, tmp_path: Path) -> None:
    turn = await asked(tmp_path, "Do the devout have more kids on average?", BY_FAITH, said)
    assert turn.values["execution_success"], turn.reply
    assert "3.5" in turn.reply


@pytest.mark.parametrize("said", ["none", "", "rating", "shoes", "I cannot tell"])
async def test_words_that_mean_none_or_another_one_are(said: str, tmp_path: Path) -> None:
    turn = await asked(tmp_path, "Do the devout have more kids on average?", BY_FAITH, said)
    assert "no column" in turn.reply
    assert "devout" in turn.reply
    assert turn.values["final_output"]["result_str"] is None


@pytest.mark.parametrize("word", ["salary", "rainfall", "age", "city"])
async def test_what_code_would_have_known_is_not_left_to_the_model(word: str, tmp_path: Path) -> None:
    turn = await asked(tmp_path, f"What is the average {word}?", "result = df['rating'].mean()", "rating")
    assert "no column" in turn.reply
    assert word in turn.reply


async def test_an_answer_that_is_written_down_twice_is_none(tmp_path: Path) -> None:
    turn = await asked(tmp_path, "Which of the kids will be happiest?", "result = 'the first'", "kids")
    assert turn.reply.endswith(NOTHING_COMPUTED)
    assert turn.values["attempts"] == 2
    assert turn.values["final_output"]["failed_attempts"]
