"""What fails inside a question of the data scientist ends that question; the next message is a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from interactions_support import sink
from runtime_support import assert_folds, scripted

from graphwright import Turn, load
from graphwright.agents.data_scientist import keeping, running
from graphwright.sandbox import SandboxUnavailable
from graphwright.store.interactions import Interaction, Query

KEYS = [
    *["explanation", "evaluation", "code", "plan", "output_type", "figures", "result_str", "failed_attempts", "error"],
]


@pytest.fixture(autouse=True)
def log_in_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GRAPHWRIGHT_INTERACTIONS", "GRAPHWRIGHT_CONFIG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def cups(tmp_path: Path) -> Path:
    file = tmp_path / "cups.csv"
    file.write_text("drink,cups\ntea,3\ncoffee,7\n")
    return file


def plan(code: bool = True, explanation: bool = False, evaluation: bool = False, **more: Any) -> dict[str, Any]:
    steps = {"needs_code": code, "needs_evaluation": evaluation, "needs_explanation": explanation}
    return {"offers": "ExecutionPlan", "call": {"ExecutionPlan": {**steps, "reasoning": "r"}}, **more}


async def asked(home: Path, *questions: str, rules: Sequence[Mapping[str, Any]], files: list[Path]) -> list[Turn]:
    """These questions one after the other in a thread `t`; the first comes with the files."""
    async with load("data_scientist").session("t", model=scripted(*rules), home=home) as session:
        turns = [await session.send(questions[0], files)]
        turns += [await session.send(question) for question in questions[1:]]
        await assert_folds(session.agent, session)
    return turns


def logged(home: Path) -> list[Interaction]:
    """The interaction log, the earliest first."""
    with closing(sink(f"sqlite:///{home}/interactions.db", home)) as log:
        return log.find(Query(limit=100))[::-1]


def assert_ended(turn: Turn, said: str) -> None:
    """The question was brought to its end by the agent's own words, and its package is whole."""
    assert turn.status == "ended", turn.error
    output = turn.values["final_output"]
    assert list(output) == KEYS
    assert output["output_type"] == "error"
    assert said in output["error"]
    assert output["explanation"] == turn.reply
    assert said in turn.reply


def assert_next_is_new(home: Path, failed: str, turn: Turn) -> None:
    assert turn.values["question"] == "How many rows are there?"
    assert turn.values["execution_result"]["result_str"] == "2"
    first, second = logged(home)[-2:]
    assert (first.question, first.success) == (failed, False)
    assert first.error
    assert (second.question, second.success) == ("How many rows are there?", True)


NEXT = {"says": "how many rows", "text": "result = len(df)"}


@pytest.mark.parametrize("fail", ["empty", "cut", "declined", "connection", "auth", "what is this"])
async def test_a_model_that_fails_at_the_code_ends_the_question(tmp_path: Path, cups: Path, fail: str) -> None:
    rules = [plan(), NEXT, {"says": "total", "fail": fail}]
    turn, after = await asked(tmp_path, "total cups", "How many rows are there?", rules=rules, files=[cups])
    assert_ended(turn, "")
    assert_next_is_new(tmp_path, "total cups", after)


async def test_an_answer_without_code_is_an_attempt_like_any_other(tmp_path: Path, cups: Path) -> None:
    rules = [plan(), {"fail": "empty", "times": 2}, {"text": "result = int(df['cups'].sum())"}]
    (turn,) = await asked(tmp_path, "total cups", rules=rules, files=[cups])
    assert turn.values["execution_result"]["result_str"] == "10"
    assert turn.values["attempts"] == 2
    assert [each["attempt"] for each in turn.values["failed_attempts"]] == [1]


async def test_a_model_that_fails_at_the_words_leaves_the_result(tmp_path: Path, cups: Path) -> None:
    rules = [plan(explanation=True, evaluation=True), {"text": "result = len(df)", "times": 1}, {"fail": "connection"}]
    (turn,) = await asked(tmp_path, "How many rows are there?", rules=rules, files=[cups])
    assert turn.status == "ended"
    assert turn.values["final_output"]["output_type"] == "analysis"
    assert "The result is 2." in turn.reply


async def test_a_model_that_fails_at_a_concept_ends_the_question(tmp_path: Path, cups: Path) -> None:
    rules = [plan(), NEXT, {"says": "median", "fail": "empty"}]
    turn, after = await asked(tmp_path, "What is a median?", "How many rows are there?", rules=rules, files=[cups])
    assert_ended(turn, "")
    assert_next_is_new(tmp_path, "What is a median?", after)


async def test_without_a_plan_of_the_model_code_plans(tmp_path: Path, cups: Path) -> None:
    rules: list[dict[str, Any]] = [
        {"offers": "ExecutionPlan", "raw": "no plan"},
        {**NEXT, "times": 1},
        {"text": "There are 2 rows."},
    ]
    (turn,) = await asked(tmp_path, "How many rows are there?", rules=rules, files=[cups])
    assert turn.reply.startswith("There are 2 rows.")
    assert turn.values["plan"]["needs_code"]


async def test_where_no_model_can_be_reached_the_next_question_is_not_taken_for_another_try(
    tmp_path: Path, cups: Path
) -> None:
    rules = [{"says": "total", "offers": "ExecutionPlan", "fail": "auth"}, plan(), NEXT]
    turn, after = await asked(tmp_path, "total cups", "How many rows are there?", rules=rules, files=[cups])
    assert turn.status == "failed"
    assert turn.error is not None
    assert turn.error.code == "model_not_authorised"
    assert_next_is_new(tmp_path, "total cups", after)


async def test_without_a_sandbox_the_question_ends_and_says_what_is_missing(
    tmp_path: Path, cups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(*_: object) -> None:
        raise SandboxUnavailable("start", "it does not start", "Install bubblewrap.")

    with monkeypatch.context() as patch:
        patch.setattr(running, "run", gone)
        rules = [plan(), {"text": "result = len(df)"}]
        (turn,) = await asked(tmp_path, "total cups", rules=rules, files=[cups])
        assert_ended(turn, "Install bubblewrap.")
    (after,) = await asked(tmp_path, "How many rows are there?", rules=rules, files=[])
    assert_next_is_new(tmp_path, "total cups", after)


async def test_a_disk_that_is_full_ends_the_question(
    tmp_path: Path, cups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    rules = [plan(), {"text": "result = len(df)"}]
    with monkeypatch.context() as patch:
        patch.setattr(keeping, "keep_script", full)
        (turn,) = await asked(tmp_path, "total rows", rules=rules, files=[cups])
        assert_ended(turn, "No space left on device")
    (after,) = await asked(tmp_path, "How many rows are there?", rules=rules, files=[])
    assert_next_is_new(tmp_path, "total rows", after)


async def test_a_picture_that_cannot_be_drawn_costs_only_the_png(
    tmp_path: Path, cups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> None:
        raise SandboxUnavailable("start", "it does not start", "Install bubblewrap.")

    monkeypatch.setattr(running, "picture", fails)
    rules = [plan(), {"text": "fig = px.bar(df, x='drink', y='cups')"}]
    (turn,) = await asked(tmp_path, "plot cups by drink", rules=rules, files=[cups])
    output = turn.values["final_output"]
    assert output["output_type"] == "visualization"
    assert [(each["png"], bool(each["html"])) for each in output["figures"]] == [("", True)]


async def test_a_file_that_is_no_data_is_a_failure_and_others_work_beside_it(tmp_path: Path, cups: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_bytes(b"")
    rules = [plan(), {"text": "result = len(df)"}]
    (turn,) = await asked(tmp_path, "total cups", rules=rules, files=[empty])
    assert_ended(turn, "empty")
    (after,) = await asked(tmp_path, "How many rows are there?", rules=rules, files=[cups])
    assert "empty.csv" in after.reply
    assert_next_is_new(tmp_path, "total cups", after)


async def test_what_is_told_of_a_failure_stands_in_sentences(tmp_path: Path, cups: Path) -> None:
    rules = [plan(), {"text": "result = df['cups'"}]
    (turn,) = await asked(tmp_path, "total cups", rules=rules, files=[cups])
    assert "was never closed. This is the code of attempt 1 again, so it was not run." in turn.reply
