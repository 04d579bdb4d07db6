"""The evaluation of answers over data: its cases, strict judging, and agent and loop at work."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from eval_support import ROOT

from eval.data_scientist.agent import work_by_agent
from eval.data_scientist.cases import Case, read_cases
from eval.data_scientist.loop import work_by_loop
from eval.data_scientist.outcome import Outcome
from eval.data_scientist.pictures import of_plotly
from eval.data_scientist.references import computed, expected, is_significant, require_answer
from eval.data_scientist.scoring import judged
from eval.data_scientist.showing import shows
from graphwright.models.scripted import ScriptedModel

CASES = read_cases(ROOT / "eval" / "data_scientist")
OWN = {case.id: case for case in CASES}


def case(**fields: Any) -> Case:
    return Case(**{"id": "c", "set": "tuning", "kind": "any", "data": ["iris"], "text": "please", **fields})


def outcome(text: str = "", result: str = "", **fields: Any) -> Outcome:
    """The outcome of code that ran, as it is read from a file of results."""
    ran = {"attempts": 1, "succeeded": True, "planned": True, **fields}
    return Outcome.from_json(Outcome("c", text=text, result=result, **ran).to_json())


def without_code(text: str) -> Outcome:
    return outcome(text, attempts=0, succeeded=False, planned=False)


def failed(error: str, more: str = "") -> Outcome:
    """The outcome of code that failed three times, told as the agent tells it, with `more` behind it."""
    told = f"Code execution failed after 3 attempts. Final error: {error}{more}"
    return outcome(told, attempts=3, succeeded=False, failure=error)


# the cases that come with it


@pytest.mark.parametrize("own", CASES, ids=lambda own: own.id)
def test_a_right_answer_to_a_case_is_right_and_any_other_is_not(own: Case) -> None:
    require_answer(own)
    assert judged(own, perfect(own)).right, judged(own, perfect(own)).reasons
    assert not judged(own, outcome("Here you are.")).right
    assert not judged(own, without_code("Here you are.")).right
    assert not judged(own, replace(perfect(own), error="timeout: no answer")).right


def perfect(own: Case) -> Outcome:
    if own.impossible:
        return without_code("The data has no such column.")
    if own.concept:
        return without_code(f"It is about {own.concept[0]}.")
    if own.plot:
        return outcome("Here it is.", drawn=(drawn(own.plot, computed(own)[0]),))
    found = expected(own)[0]
    rows = max(len(found.numbers), len(found.texts))
    cells = zip([*found.texts, *[""] * rows], [*found.numbers, *[""] * rows], strict=False)
    shown = "\n".join(f"{text} {number}".strip() for (text, number), _ in zip(cells, range(rows), strict=False))
    text = f"{'Yes, they' if is_significant(own) else 'No, they do not'} differ." if own.concludes else "Here it is."
    return outcome(text, shown, numbers=tuple(map(float, found.numbers)))


def drawn(plot: str, wanted: Any) -> dict[str, Any]:
    match plot:
        case "bars":
            x, y = list(wanted.index), list(wanted)
        case "boxes":
            x, y = [name for name, each in wanted.items() for _ in each], [v for each in wanted for v in each]
        case "points":
            x, y = (list(wanted[column]) for column in wanted.columns)
        case "cells":
            x, y = [], list(wanted.to_numpy().ravel())
        case _:
            x, y = [], list(wanted)
    return {"kind": plot, "x": x, "y": y, "name": ""}


# judging


MEAN = case(answer='iris["petal length (cm)"].mean()')
COUNT = case(answer="len(iris)")
WHICH = case(answer='iris.groupby("species")["petal length (cm)"].mean().idxmax()')
GROUPS = case(answer='iris.groupby("species")["sepal width (cm)"].mean()')
TABLE = "species  width\nsetosa  3.428\nversicolor  2.77\nvirginica  2.974"
MANY = " ".join(str(n / 7) for n in range(1, 15)) + " 3.758"


@pytest.mark.parametrize(
    ("asked", "seen", "right"),
    [
        (MEAN, outcome("The mean is 3.76.", "3.758", numbers=(3.758,)), True),
        (MEAN, outcome("The mean is 4.35.", "4.35", numbers=(4.35,)), False),
        # Words that say another number than the code came to are as wrong as a wrong result.
        (MEAN, outcome("The mean is 4.35.", "3.758", numbers=(3.758,)), False),
        (MEAN, outcome("Here are many.", MANY), False),
        (MEAN, outcome("Among them 3.758 is the mean.", MANY), True),
        (MEAN, outcome("The mean is 3.758.", attempts=0, succeeded=False), False),
        (MEAN, outcome("The mean is 3.758.", "3.758", over=False), False),
        (MEAN, outcome("Rounded.", "4"), False),
        (COUNT, outcome("There are 150.", "150"), True),
        (COUNT, outcome("There are 149.", "149"), False),
        (COUNT, outcome("There are 150.", "150.4"), False),
        (WHICH, outcome("That is virginica.", TABLE), True),
        (WHICH, outcome("That is setosa.", TABLE), False),
        (WHICH, outcome("There it is.", "virginica"), True),
        (GROUPS, outcome("Setosa has the widest.", TABLE), True),
        (GROUPS, outcome("Setosa has the widest.", TABLE.replace("2.77", "2.97")), False),
        (GROUPS, outcome("Here they are.", "3.428\n2.77\n2.974"), False),
    ],
)
def test_values_must_be_told_and_come_out_of_code(asked: Case, seen: Outcome, right: bool) -> None:
    assert judged(asked, seen).right is right, judged(asked, seen).reasons


IMPOSSIBLE = case(text="average salary of 3 species", impossible=True)


@pytest.mark.parametrize(
    ("seen", "recognised", "made_up"),
    [
        (without_code("The data has no column for salary. It has petal length (cm)."), True, ()),
        (without_code("The data does not contain salaries."), True, ()),
        (without_code("There is no salary column among the 5 columns, for none of the 3 species."), True, ()),
        (without_code("The average salary is 5.84."), False, ("5.84",)),
        (outcome("The average salary is 5.84.", "5.84", numbers=(5.84,)), False, ("5.84",)),
        # What could pass for the size of the data is an answer where nothing is denied.
        (outcome("The average salary is 150.", "150", numbers=(150,)), False, ("150",)),
        (outcome("There is no salary; instead, 5.84.", "5.84", numbers=(5.84,)), False, ()),
        (without_code("There is no salary, so it is about 4000."), False, ("4000",)),
        (outcome("Here is the picture of the salaries."), False, ()),
        (outcome("There is no salary.", drawn=({"kind": "bars", "x": [1], "y": [2], "name": ""},)), False, ()),
        (failed("There is no column 'salary'.\nline 7: x"), True, ()),
        (failed("KeyError: 'salary'\nline 7: x"), False, ()),
    ],
)
def test_what_is_impossible_must_be_said_to_be(seen: Outcome, recognised: bool, made_up: tuple[str, ...]) -> None:
    verdict = judged(IMPOSSIBLE, seen)
    assert verdict.recognised is recognised is verdict.right
    assert verdict.made_up == made_up


def test_a_number_is_made_up_where_the_code_failed() -> None:
    assert judged(MEAN, failed("ValueError: 17 is too many")).made_up == ()
    assert judged(MEAN, failed("ValueError: 17 is too many", " It is about 4.2.")).made_up == ("4.2",)
    # Right by chance or by the summary of the data: not right, and nothing made up.
    guessed = judged(MEAN, failed("ValueError", " It is 3.758."))
    assert guessed.made_up == ()
    assert not guessed.right


# pictures


NUMBERS = pd.Series([1.0, 2.0, 2.5, 4.0, None])
HEIGHTS = pd.Series({"a": 1.5, "b": 3.0})
PAIRS = pd.DataFrame({"one": [1, 2, 3], "other": [4.0, 5.0, None]})
BOXES = pd.Series({"a": [1, 2, 3], "b": [4, 5, 9]})
MATRIX = pd.DataFrame([[1.0, -0.514], [-0.514, 1.0]])


@pytest.mark.parametrize(
    ("plot", "wanted", "trace", "shown"),
    [
        ("histogram", NUMBERS, {"type": "histogram", "x": [2, 1, 4, 2.5]}, True),
        ("histogram", NUMBERS, {"type": "histogram", "y": [2, 1, 4, 2.5]}, True),
        ("histogram", NUMBERS, {"type": "histogram", "x": [2, 1, 4, 3.5]}, False),
        ("histogram", NUMBERS, {"type": "histogram", "x": {"dtype": "f8", "bdata": "AAAAAAAA8D8="}}, False),
        ("histogram", NUMBERS, {"type": "bar", "x": [1.5, 2.5, 3.5], "y": [1, 2, 1]}, True),
        ("histogram", NUMBERS, {"type": "bar", "x": [1.5, 2.5, 3.5], "y": [2, 1, 1]}, False),
        ("bars", HEIGHTS, {"type": "bar", "x": ["A", "b"], "y": [1.5, 3]}, True),
        ("bars", HEIGHTS, {"type": "bar", "orientation": "h", "y": ["a", "b"], "x": [1.5, 3]}, True),
        ("bars", HEIGHTS, {"type": "bar", "x": ["a", "b"], "y": [3, 1.5]}, False),
        ("bars", HEIGHTS, {"type": "bar", "x": ["a", "b", "c"], "y": [1.5, 3, 1]}, False),
        ("bars", HEIGHTS, {"type": "histogram", "x": ["a", "a", "b"], "y": [1, 2, 3], "histfunc": "avg"}, True),
        ("bars", HEIGHTS, {"type": "histogram", "x": ["a", "a", "b"], "y": [1, 2, 3]}, False),
        ("bars", HEIGHTS, {"type": "pie", "labels": ["a", "b"], "values": [1.5, 3]}, True),
        ("bars", pd.Series({"a": 2, "b": 1}), {"type": "histogram", "x": ["a", "b", "a"]}, True),
        ("bars", HEIGHTS, {"type": "bar", "x": [["a", "b"], ["c", "d"]], "y": [1.5, 3]}, False),
        ("bars", HEIGHTS, {"type": "sunburst", "labels": ["a", "b"], "values": [1.5, 3]}, False),
        ("points", PAIRS, {"x": [4, 5, 6], "y": [1, 2, None], "mode": "markers"}, True),
        ("points", PAIRS, {"x": [1, 2], "y": [5, 4], "mode": "markers"}, False),
        ("points", PAIRS, {"x": [1, 2], "y": [4, 5], "mode": "lines"}, False),
        ("line", NUMBERS, {"x": [9, 8, 7, 6], "y": [1, 2, 2.5, 4], "mode": "lines"}, True),
        ("line", NUMBERS, {"y": [4, 2.5, 2, 1], "mode": "lines"}, False),
        ("boxes", BOXES, {"type": "box", "x": list("aaabbb"), "y": [3, 2, 1, 4, 5, 9]}, True),
        ("boxes", BOXES, {"type": "box", "x": list("aabbbb"), "y": [3, 2, 1, 4, 5, 9]}, False),
        ("cells", MATRIX, {"type": "heatmap", "z": [[1, -0.51], [-0.51, 1]]}, True),
        ("cells", MATRIX, {"type": "heatmap", "z": [[1, 0.51], [0.51, 1]]}, False),
    ],
)
def test_a_picture_is_judged_by_its_data(plot: Any, wanted: Any, trace: dict[str, Any], shown: bool) -> None:
    assert shows(plot, wanted, of_plotly({"data": [trace]})) is shown


# at work


def plan(*, code: bool) -> dict[str, Any]:
    steps = {"reasoning": "r", "needs_code": code, "needs_evaluation": False, "needs_explanation": True}
    return {"offers": "ExecutionPlan", "call": {"ExecutionPlan": steps}}


async def answered(own: Case, *texts: str, code: bool = True) -> Outcome:
    """What the agent makes of a question in the real sandbox, where the model says these texts after its plan."""
    rules = [plan(code=code), *({"text": text, "times": 1} for text in texts)]
    return await work_by_agent(own, ScriptedModel.from_rules(rules))


async def test_the_agent_is_right_with_the_right_code() -> None:
    own = OWN["group-sepal-width"]
    code = 'result = df.groupby("species")["sepal width (cm)"].mean().reset_index()'
    seen = await answered(own, code, "Setosa has the widest, 3.428 cm on average.")
    assert judged(own, seen).right, judged(own, seen).reasons
    assert (seen.attempts, seen.succeeded, seen.planned) == (1, True, True)
    assert seen.model_calls == 3
    assert any(line.startswith("code: result = df.groupby") for line in seen.log)


async def looped(own: Case, *rules: dict[str, Any]) -> Outcome:
    return await work_by_loop(own, ScriptedModel.from_rules(rules))


def runs(code: str, **more: Any) -> dict[str, Any]:
    return {"text": f"```python\n{code}\n```", "times": 1, **more}


async def test_the_loop_runs_code_until_it_answers() -> None:
    own = OWN["describe-petal-length"]
    seen = await looped(
        own,
        runs('result = df["petals"].mean()', anywhere='150 rows[^$]*Loaded already: datasets."iris". = df'),
        runs('print(df["petal length (cm)"].mean())', anywhere="KeyError"),
        {"anywhere": r"3\.758", "text": "It is 3.76 cm."},
    )
    assert judged(own, seen).right, judged(own, seen).reasons
    assert (seen.attempts, seen.model_calls, seen.failure) == (2, 3, "")
    assert seen.input_tokens > 0
