"""Right programs of the evaluation's questions: none of them is doubted, and recipes come to the same."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from eval_support import ROOT

from eval.data_scientist.cases import Case, read_cases
from eval.data_scientist.references import expected
from eval.data_scientist.tables import written
from graphwright.agents.data_scientist import data, running
from graphwright.agents.data_scientist.columns import views
from graphwright.agents.data_scientist.doubts import by_position, grouped_in, joined_by_no_key, useless_in
from graphwright.agents.data_scientist.doubts_of_results import doubtful
from graphwright.agents.data_scientist.joining import joined_for, left_out_for, with_joined
from graphwright.agents.data_scientist.mentions import read
from graphwright.agents.data_scientist.recipes import recipe_for
from graphwright.agents.data_scientist.results import numbers_in
from graphwright.agents.data_scientist.settings import limits_of
from graphwright.runtime.given import GivenFile

CASES = [case for case in read_cases(ROOT / "eval" / "data_scientist") if case.answer and case.set == "tuning"]


@cache
def given(names: tuple[str, ...]) -> dict[str, Any]:
    """Tables of the evaluation as the agent takes them in."""
    home = Path(mkdtemp(prefix="graphwright-"))
    files = []
    for path in written(list(names), home):
        content = path.read_bytes()
        files.append(GivenFile(path.name, hashlib.sha256(content).hexdigest(), len(content), path))
    return dict(data.taken_in(files, home)[0])


def right_program(case: Case, answer: str) -> str:
    """The reference as code that the agent would run."""
    body = answer if "answer =" in answer else f"answer = {answer}"
    names = "".join(f"{name} = datasets[{name!r}]\n" for name in case.data)
    stored = "fig = px.bar(x=[1], y=[2])" if case.plot else "result = answer"
    return f"from scipy import stats\n{names}{body.rstrip()}\n{stored}\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
async def test_no_right_program_is_doubted(case: Case) -> None:
    datasets = given(case.data)
    columns, joins = views(datasets), data.joins(datasets)
    named = read(case.text, columns, {id: dataset["name"] for id, dataset in datasets.items()})
    keys = [key for join in joins for key in (join["left_column"], join["right_column"])]
    for answer in case.answer:
        code = right_program(case, answer)
        execution = await running.run(code, data.places(datasets), limits_of({}))
        assert execution.error is None
        for fault in (
            useless_in(code, joins),
            grouped_in(code, case.text, keys),
            joined_by_no_key(code, columns, joins),
            by_position(code, columns, joins),
            doubtful(code, case.text, named, columns, execution),
        ):
            assert fault is None, fault.message


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
async def test_a_recipe_for_a_question_is_right(case: Case) -> None:
    datasets = given(case.data)
    columns, joins = views(datasets), data.joins(datasets)
    named = read(case.text, columns, {id: dataset["name"] for id, dataset in datasets.items()})
    joined = left_out_for(case.text, named, columns, joins) or joined_for(named, columns, joins)
    recipe = recipe_for(case.text, named, columns, joined, joins)
    if not recipe:
        return
    execution = await running.run(with_joined(recipe, joined), data.places(datasets), limits_of({}))
    assert execution.error is None, (recipe, execution.error)
    if case.plot:
        assert execution.figures
        return
    found = numbers_in(execution)
    assert any(
        all(any(abs(number - each) <= 0.005 * abs(number) + 1e-9 for each in found) for number in right.numbers)
        for right in expected(case)
    ), recipe
