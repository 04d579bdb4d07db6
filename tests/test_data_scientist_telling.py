"""What the data scientist tells of its files, its numbers and its results, in conversation and in what it saves."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from runtime_support import scripted
from sandbox_support import needs_sandbox

from graphwright import Turn, load
from graphwright.agents.data_scientist import keeping

pytestmark = needs_sandbox


def plan(explanation: bool = False, evaluation: bool = False) -> dict[str, Any]:
    steps = {"needs_code": True, "needs_evaluation": evaluation, "needs_explanation": explanation, "reasoning": "r"}
    return {"offers": "ExecutionPlan", "call": {"ExecutionPlan": steps}}


def written(place: Path, text: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")
    return place


async def asked(
    home: Path, *given: tuple[str, Sequence[Path]], rules: Sequence[dict[str, Any]], settings: str = ""
) -> list[Turn]:
    """These questions with their files, one after the other."""
    async with load("data_scientist").session("t", model=scripted(*rules), home=home) as session:
        return [await session.send(question, list(files)) for question, files in given]


@pytest.fixture
def years(tmp_path: Path) -> list[Path]:
    older = written(tmp_path / "2023" / "sales.csv", "region,amount\nEast,10\nWest,20\n")
    newer = written(tmp_path / "2024" / "sales.csv", "region,amount\nEast,100\nWest,200\n")
    return [older, newer]


TOTAL = {"text": "result = int(sum(each['amount'].sum() for each in datasets.values()))"}


async def test_two_files_of_one_name_are_both_there(tmp_path: Path, years: list[Path]) -> None:
    question = "What is the total amount over both years?"
    (turn,) = await asked(tmp_path / "home", (question, years), rules=[plan(), TOTAL])
    assert "The result is 330." in turn.reply
    assert list(turn.values["datasets"]) == ["sales", "sales_2"]
    assert "There are 2 files named sales.csv: 2023/sales.csv is sales, 2024/sales.csv is sales_2." in turn.reply
    assert 'sales_2: "2024/sales.csv", 2 rows' in turn.values["data_summary"]


async def test_a_file_that_takes_the_place_of_another_is_told_once(tmp_path: Path, years: list[Path]) -> None:
    question = "What is the total amount?"
    rules = [plan(), {"text": "result = int(df['amount'].sum())"}]
    turns = await asked(
        tmp_path / "home",
        (question, years[:1]),
        (question, years[1:]),
        (question, []),
        (question, years[1:]),
        rules=rules,
    )
    replaced = "The sales.csv that was given before is replaced by the one given now."
    assert [replaced in turn.reply for turn in turns] == [False, True, False, False]
    assert ["300" in turn.reply for turn in turns] == [False, True, True, True]


async def test_one_of_two_of_a_name_that_comes_again_keeps_its_place(tmp_path: Path, years: list[Path]) -> None:
    home, question = tmp_path / "home", "What is the total amount of both?"
    (turn,) = await asked(home, (question, years), rules=[plan(), TOTAL])
    written(years[0], "region,amount\nEast,1\n")
    rules = [plan(), {"text": "result = int(datasets['sales']['amount'].sum())"}]
    (turn,) = await asked(home, (question, years[:1]), rules=rules)
    assert "The result is 1." in turn.reply
    assert "The 2023/sales.csv that was given before is replaced by the one given now." in turn.reply
    assert turn.values["datasets"]["sales_2"]["name"] == "2024/sales.csv"


async def test_a_file_that_is_left_out_is_told_once(tmp_path: Path, years: list[Path]) -> None:
    empty, other = written(tmp_path / "e.csv", ""), written(tmp_path / "f.csv", "")
    question = "What is the total amount?"
    rules = [plan(), {"text": "result = int(df['amount'].sum())"}]
    turns = await asked(
        tmp_path / "home", (question, [years[0], empty]), (question, []), (question, [other]), rules=rules
    )
    assert ["e.csv" in turn.reply for turn in turns] == [True, False, False]
    assert ["f.csv" in turn.reply for turn in turns] == [False, False, True]
    assert all("The result is 30." in turn.reply for turn in turns)


async def test_answers_are_counted_from_one(tmp_path: Path, years: list[Path]) -> None:
    question = "What is the total amount?"
    rules = [plan(), {"text": "result = nothing", "times": 1}, {"text": "result = int(df['amount'].sum())"}]
    turns = await asked(tmp_path / "home", (question, years[:1]), (question, []), rules=rules)
    assert [turn.values["execution_result"]["files"] for turn in turns] == [
        ["answer-1/analysis.py"],
        ["answer-2/analysis.py"],
    ]


def test_an_answer_done_again_finds_its_folder(tmp_path: Path) -> None:
    (tmp_path / "answer-5").mkdir()
    first = keeping.answer_folder(tmp_path, "t:a:7")
    assert first.name == "answer-6"
    assert keeping.answer_folder(tmp_path, "t:a:9").name == "answer-7"
    assert keeping.answer_folder(tmp_path, "t:a:7") == first


async def test_a_table_that_is_cut_says_so(tmp_path: Path) -> None:
    file = written(tmp_path / "many.csv", "n\n" + "\n".join(map(str, range(12_000))))
    rules = [plan(), {"text": "result = df[['n']] * 2"}]
    (turn,) = await asked(tmp_path / "home", ("Double n in each row", [file]), rules=rules)
    assert "The saved table has only the first 10,000 of 12,000 rows; analysis.py computes all of them." in turn.reply


async def test_a_script_of_a_sample_says_so(tmp_path: Path) -> None:
    file = written(tmp_path / "big.csv", "v\n" + "1\n" * 1_200_000)
    rules = [plan(), {"text": "result = int(df['v'].sum())"}]
    (turn,) = await asked(tmp_path / "home", ("What is the sum of v?", [file]), rules=rules)
    (script,) = [Path(each.path) for each in turn.artifacts if each.name.endswith("analysis.py")]
    sample = "In a sample of 1,000,000 of the 1,200,000 rows of big, evenly spaced (totals and counts are"
    assert sample in script.read_text("utf-8")
    assert "# big.csv, a sample: 1,000,000 of the 1,200,000 rows" in script.read_text("utf-8")
    command = [sys.executable, str(script)]
    ran = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert ran.stdout.splitlines()[0].startswith(sample)
    assert ran.stdout.splitlines()[1] == "1000000"


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    rows = [f"{region},{units},2024-04-{day:02}" for day, (region, units) in enumerate(ROWS, 1)]
    return written(tmp_path / "orders.csv", "\n".join(["region,units,ordered", *rows]))


ROWS = [("North", 4.5), ("South", 9.0), ("North", 5.25), ("South", 8.0), ("East", 6.25)]


async def test_the_right_date_is_not_cut(tmp_path: Path, orders: Path) -> None:
    for said in ("The last order was on 2024-04-05.", "The last order was on 5 April 2024."):
        home = tmp_path / said[-6:-1].strip()
        rules = [plan(explanation=True), {"text": "result = df['ordered'].max()", "times": 1}, {"text": said}]
        (turn,) = await asked(home, ("When was the last order?", [orders]), rules=rules)
        assert turn.reply.startswith(said)
        assert turn.values["execution_result"]["result_str"] == "2024-04-05"


async def test_a_text_contrary_to_the_p_value_is_asked_for_again_and_then_replaced(
    tmp_path: Path, orders: Path
) -> None:
    code = (
        "north, south = (df.loc[df['region'] == name, 'units'] for name in ('North', 'South'))\n"
        "result = {'p_value': round(float(scipy.stats.mannwhitneyu(north, south).pvalue), 4)}"
    )
    question = "Is the difference in units between North and South significant?"
    wrong, right = "Yes, it is statistically significant.", "No, it is not statistically significant."
    (turn,) = await asked(tmp_path / "a", (question, [orders]), rules=_in_turn(code, wrong, right))
    assert turn.reply.startswith(right)
    (turn,) = await asked(tmp_path / "b", (question, [orders]), rules=_in_turn(code, wrong, wrong))
    assert wrong not in turn.reply
    assert turn.reply.startswith("The p-value is not below 0.05: not statistically significant.")
    assert "p_value: 0.3333" in turn.reply


def _in_turn(code: str, *texts: str) -> list[dict[str, Any]]:
    """A plan, the code, and texts one after the other."""
    return [plan(explanation=True), *({"text": text, "times": 1} for text in (code, *texts))]


async def test_a_text_that_names_another_group_is_replaced(tmp_path: Path, orders: Path) -> None:
    code = "result = df.groupby('region')['units'].sum().idxmax()"
    question = "Which region has the highest units?"
    wrong = "North has the highest units."
    (turn,) = await asked(tmp_path / "a", (question, [orders]), rules=_in_turn(code, wrong, wrong))
    assert turn.reply.startswith("The result is South.")
    assert wrong not in turn.reply
    table = "result = df.groupby('region', as_index=False)['units'].sum()"
    (turn,) = await asked(tmp_path / "b", (question, [orders]), rules=_in_turn(table, wrong, wrong))
    assert turn.reply.startswith("It is South, with 17.")
    (turn,) = await asked(tmp_path / "c", (question, [orders]), rules=_in_turn(table, "It is South, with 17 units."))
    assert turn.reply.startswith("It is South, with 17 units.")


async def test_numbers_in_words_are_read(tmp_path: Path, orders: Path) -> None:
    code, question = "result = float(df['units'].mean())", "What is the mean of the units?"
    wrong = "It is six and a quarter."
    (turn,) = await asked(tmp_path / "a", (question, [orders]), rules=_in_turn(code, wrong, wrong))
    assert turn.reply.startswith("The result is 6.6.")
    (turn,) = await asked(tmp_path / "b", (question, [orders]), rules=_in_turn(code, "It is six point six."))
    assert turn.reply.startswith("It is six point six.")


async def test_large_numbers_can_be_read(tmp_path: Path) -> None:
    file = written(tmp_path / "money.csv", "amount\n600490.25\n600490.5\n")
    rules = [plan(), {"text": "result = float(df['amount'].sum())"}]
    (turn,) = await asked(tmp_path / "home", ("What is the total amount?", [file]), rules=rules)
    assert "The result is 1,200,980.75." in turn.reply


async def test_the_summary_of_a_model_is_its_table(tmp_path: Path, orders: Path) -> None:
    code = "result = smf.ols('units ~ region', df).fit().summary()"
    (turn,) = await asked(tmp_path / "home", ("Regress units on region", [orders]), rules=[plan(), {"text": code}])
    text = turn.values["execution_result"]["result_str"]
    assert "class '" not in text
    assert "OLS Regression Results" in text.splitlines()[0]
