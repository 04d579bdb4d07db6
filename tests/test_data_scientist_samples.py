"""Large files are read as samples: every answer says so, and tells no total of the sample as that of the whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from runtime_support import scripted

from graphwright import Turn, load
from graphwright.agents.data_scientist.data import sampled
from graphwright.agents.data_scientist.telling import of_sample

ROWS = 1_200_000


def sample(rows: int, there: int) -> dict[str, Any]:
    return {"rows": rows, "rows_there": there}


def test_only_samples_that_the_code_uses_are_told() -> None:
    datasets: Any = {"big": sample(5, 10), "small": sample(3, 3), "huge": sample(1, 100)}
    assert set(sampled(datasets)) == {"big", "huge"}
    assert set(sampled(datasets, "result = datasets['big'].merge(datasets['small'])")) == {"big"}
    assert sampled(datasets, "result = len(datasets['small'])") == {}
    assert set(sampled({"big": datasets["big"]}, "result = len(df)")) == {"big"}


@pytest.mark.parametrize(
    ("rows", "there", "times"), [(1_000_000, 1_200_000, "1.2"), (10, 1_000, "100"), (1_000_000, 1_000_001, "1")]
)
def test_how_much_larger_the_whole_is_stands_beside_the_totals(rows: int, there: int, times: str) -> None:
    text = of_sample("The sum is 7.", {"v": sample(rows, there)}, computed=True)  # type: ignore[dict-item]
    assert text.startswith(f"In a sample of {rows:,} of the {there:,} rows of v, evenly spaced (totals and counts are")
    assert text.endswith(f"those of all rows are about {times} times as large): The sum is 7.")
    assert of_sample("The sum is 7.", {}, computed=True) == "The sum is 7."


async def test_every_answer_over_a_sample_says_so(tmp_path: Path) -> None:
    file = tmp_path / "big.csv"
    file.write_text("v\n" + "1\n" * ROWS)
    steps = {"needs_code": True, "needs_evaluation": False, "needs_explanation": True, "reasoning": "r"}
    rules: list[dict[str, Any]] = [
        {"offers": "ExecutionPlan", "call": {"ExecutionPlan": steps}},
        {"says": "sum of v", "text": "result = int(df['v'].sum())", "times": 1},
        {"says": "how many rows", "text": "result = len(df)", "times": 1},
        {"text": "It is 1,000,000."},
    ]
    turns: list[Turn] = []
    async with load("data_scientist").session("t", model=scripted(*rules), home=tmp_path) as session:
        turns.append(await session.send("how many rows are there?", [file]))
        turns.append(await session.send("the sum of v"))
        turns.append(await session.send("the mean humidity"))
    for turn in turns[:2]:
        explanation = turn.values["final_output"]["explanation"]
        assert explanation.startswith("In a sample of 1,000,000 of the 1,200,000 rows of big, evenly spaced (totals")
        assert explanation.endswith("about 1.2 times as large): It is 1,000,000.")
        assert explanation in turn.reply
        assert turn.reply.count("1,200,000") == 1
    assert "1,000,000 of the 1,200,000 rows of big" in turns[2].values["final_output"]["explanation"]
