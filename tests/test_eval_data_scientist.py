"""The evaluation of answers over data: cases, references, strict judging, agent and loop at work, and the figures."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from eval_support import ROOT, Evaluate, assert_refused, evaluation

from eval.data_scientist.agent import work_by_agent
from eval.data_scientist.cases import Case, read_cases
from eval.data_scientist.loop import work_by_loop
from eval.data_scientist.outcome import Outcome
from eval.data_scientist.pictures import of_plotly
from eval.data_scientist.references import computed, expected, is_significant, require_answer
from eval.data_scientist.scoring import denies, judged
from eval.data_scientist.showing import shows
from eval.data_scientist.tables import TABLES, table, written
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


def test_every_kind_is_there_and_some_are_kept_for_the_test() -> None:
    kinds = Counter(each.kind for each in CASES)
    assert kinds == {
        **{"descriptive": 18, "group-by": 18, "filters": 8, "joins": 13, "tests": 13, "regression": 10, "plots": 14},
        **{"conceptual": 9, "missing column": 13, "impossible": 8},
    }
    assert sum(each.set == "test" for each in CASES) >= 16


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


# the data


def test_the_data_is_whole_and_readable(tmp_path: Path) -> None:
    paths = written(TABLES, tmp_path)
    assert [path.stem for path in paths] == list(TABLES)
    assert all(len(table(name)) >= 15 for name in TABLES)
    assert set(table("anes96").vote) == {"Clinton", "Dole"}
    assert set(table("modechoice")["mode"]) == {"air", "train", "bus", "car"}
    assert (tmp_path / "orders.csv").read_text("utf-8").splitlines()[2] == "5002;129;2023-01-06;lamp;3;0,1;67,23"
    assert table("customers").age.isna().any()
    assert table("orders").discount.isna().any()
    assert set(table("orders").customer_id) < set(table("customers").customer_id)


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


def test_one_of_several_answers_will_do() -> None:
    share = case(answer=["0.015", "1.5"])
    assert judged(share, outcome("1.5 percent.", "1.5")).right
    assert judged(share, outcome("1.5 percent.", "0.015")).right
    assert judged(share, outcome("2 percent.", "2.0")).reasons == ("the result does not hold 0.015",)


P_SMALL, P_LARGE = case(answer="1.3e-30", concludes=True), case(answer="0.54", concludes=True)


@pytest.mark.parametrize(
    ("asked", "result", "text", "right"),
    [
        (P_SMALL, "1.3e-30", "Yes, the difference is significant.", True),
        (P_SMALL, "0.0", "The groups differ significantly.", True),
        (P_SMALL, "0.02", "The groups differ significantly.", False),
        (P_SMALL, "1.3e-30", "There is no significant difference.", False),
        (P_SMALL, "1.3e-30", "A difference like this is very unlikely to be chance.", True),
        (P_SMALL, "1.3e-30", "The p-value is 1.3e-30.", False),
        (P_LARGE, "0.54", "No, they do not differ.", True),
        (P_LARGE, "0.54", "The groups aren't significantly different.", True),
        (P_LARGE, "0.54", "We found insufficient evidence of a relation.", True),
        (P_LARGE, "0.54", "Yes, they are related.", False),
    ],
)
def test_the_words_about_a_test_must_say_what_the_test_says(asked: Case, result: str, text: str, right: bool) -> None:
    assert judged(asked, outcome(text, result)).right is right, judged(asked, outcome(text, result)).reasons


CONCEPT = case(concept=["middle", "half"])


def test_a_question_of_concepts_needs_words_and_no_code() -> None:
    assert judged(CONCEPT, without_code("Half of them are below it, at a level of 5 %.")).right
    assert not judged(CONCEPT, without_code("It is a number.")).right
    assert not judged(CONCEPT, outcome("It is the middle one.", "3.5")).right


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


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I cannot send anything.", True),
        ("The table doesn't include a price.", True),
        ("There is no such file.", True),
        ("It isn't available here.", True),
        ("Sorry, this is not possible.", True),
        ("No price column exists.", True),
        ("Setosa does not differ from virginica.", False),
        ("There is no significant difference.", False),
        ("Virginica is not the largest.", False),
        ("I have sent the mail.", False),
        ("Here is the answer.", False),
    ],
)
def test_words_that_deny(text: str, found: bool) -> None:
    assert denies(text) is found


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


def test_bars_upon_each_other_are_as_high_as_they_look() -> None:
    traces = [{"type": "bar", "x": ["a", "b"], "y": [1, 2]}, {"type": "bar", "x": ["a", "b"], "y": [0.5, 1]}]
    assert shows("bars", HEIGHTS, of_plotly({"data": traces, "layout": {"barmode": "relative"}}))
    assert not shows("bars", HEIGHTS, of_plotly({"data": traces, "layout": {"barmode": "group"}}))


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


async def test_the_agent_makes_nothing_up_when_its_code_fails() -> None:
    own = OWN["describe-murder-median"]
    seen = await answered(own, *['result = df["murder"].middle()'] * 3)
    verdict = judged(own, seen)
    assert not seen.succeeded
    assert seen.attempts == 3
    assert verdict.made_up == ()
    assert verdict.reasons[0].startswith("the code failed: AttributeError")


async def test_the_agent_joins_files_of_different_dialects() -> None:
    own = OWN["join-country-revenue"]
    code = 'both = datasets["orders"].merge(datasets["customers"], on="customer_id")\n'
    code += 'result = both.groupby("country")["amount"].sum().reset_index()'
    seen = await answered(own, code, "Austria has the most.")
    assert judged(own, seen).right, judged(own, seen).reasons


@pytest.mark.parametrize(
    ("id", "code", "right"),
    [
        ("plot-alcohol", 'fig = px.histogram(df, x="alcohol")', True),
        ("plot-alcohol", 'fig = px.histogram(df["alcohol"] * 2)', False),
        ("plot-alcohol", 'fig, ax = plt.subplots()\nax.hist(df["alcohol"], bins=12)', True),
        (
            "plot-species-bars",
            'df.groupby("species")["sepal length (cm)"].mean().plot(kind="barh")\nplt.tight_layout()',
            True,
        ),
        ("plot-hue-boxes", 'ax = sns.boxplot(data=df, x="cultivar", y="hue")\nfig = ax.figure', True),
    ],
)
async def test_the_pictures_of_the_agent_are_judged_by_their_data(id: str, code: str, right: bool) -> None:
    seen = await answered(OWN[id], code, "Here it is.")
    assert seen.succeeded, seen.failure
    assert judged(OWN[id], seen).right is right, judged(OWN[id], seen).reasons


async def test_the_agent_needs_no_code_for_concepts_and_none_for_what_is_not_there() -> None:
    concept, missing = OWN["concept-p-value"], OWN["missing-salary"]
    assert judged(concept, await answered(concept, "The probability of such data by chance.", code=False)).right
    seen = await answered(missing)
    assert judged(missing, seen).recognised
    assert seen.attempts == 0


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


async def test_the_loop_is_held_to_what_code_came_to() -> None:
    own, missing = OWN["describe-petal-length"], OWN["missing-salary"]
    guessed = await looped(own, {"text": "It is 4.2 cm."})
    assert judged(own, guessed).made_up == ("4.2",)
    assert not judged(missing, await looped(missing, {"text": "The average salary is 4.2."})).recognised


async def test_the_right_words_without_any_code_are_told_apart() -> None:
    own = OWN["describe-rows"]
    seen = judged(own, await looped(own, {"text": "There are 569 rows."}))
    assert (seen.reasons, seen.uncomputed) == (("no code was run",), True)
    assert not judged(own, await looped(own, {"text": "There are 568 rows."})).uncomputed
    assert not judged(OWN["plot-nile"], await looped(OWN["plot-nile"], {"text": "There is the line."})).uncomputed


async def test_the_loop_draws() -> None:
    own = OWN["plot-nile"]
    for code in ('fig = px.line(df, x="year", y="volume")', 'plt.plot(df["year"], df["volume"])'):
        seen = await looped(own, runs(code), {"anywhere": "picture", "text": "There is the line."})
        assert judged(own, seen).right, judged(own, seen).reasons


async def test_code_that_leaves_nothing_has_failed() -> None:
    own = OWN["describe-petal-length"]
    seen = await looped(own, runs("x = df.shape"), {"anywhere": "left nothing in", "text": "It is 4.2 cm."})
    verdict = judged(own, seen)
    assert not seen.succeeded
    assert verdict.reasons[0].startswith("the code failed: The code ran, but left nothing")
    assert verdict.made_up == ("4.2",)


async def test_a_loop_that_never_answers_is_stopped() -> None:
    seen = await looped(OWN["describe-rows"], *(runs(f"result = {n}") for n in range(5)))
    assert seen.model_calls == 4
    assert not seen.over
    assert "it did not come to an end" in judged(OWN["describe-rows"], seen).reasons


async def test_a_model_that_fails_is_no_answer() -> None:
    seen = await looped(OWN["missing-salary"], {"fail": "auth"})
    assert seen.error
    assert judged(OWN["missing-salary"], seen).recognised is False


# from the command line


CASES_FILE = """
- id: widest
  set: tuning
  kind: descriptive
  data: [nile]
  text: mean volume
  answer: nile.volume.mean()
- id: median
  set: test
  kind: conceptual
  text: What is a median?
  concept: [middle]
- id: salary
  set: test
  kind: missing column
  data: [nile]
  text: What is the average salary?
  impossible: true
"""

MODEL = """
- {offers: ExecutionPlan, call: {ExecutionPlan: {reasoning: r, needs_code: true, needs_evaluation: false}}}
- {offers: run_python, says: volume, call: {run_python: {code: 'result = df["volume"].max()'}}, times: 1}
- {offers: run_python, anywhere: volume, says: '1370', text: The mean is 1370.}
- {offers: run_python, says: salary, text: It is 4000.}
- {says: What is a median, text: The value in the middle.}
- {says: 'Result', text: The mean is 919.35.}
- {says: mean volume, text: 'result = df["volume"].mean()'}
- {text: The mean is 1370.}
"""


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Evaluate:
    folder = tmp_path / "data_scientist"
    folder.mkdir()
    (folder / "cases.yaml").write_text(CASES_FILE, "utf-8")
    return evaluation("data_scientist", tmp_path, MODEL, monkeypatch, capsys)


def test_agent_and_loop_are_reported_side_by_side(evaluate: Evaluate, tmp_path: Path) -> None:
    code, _, err = evaluate()
    assert code == 0, err
    report = (tmp_path / "report.md").read_text("utf-8")
    assert "| questions right | 3 of 3 (100%) | 1 of 3 (33%) |" in report
    assert "| of those with an answer | 2 of 2 | 1 of 2 |" in report
    assert "| impossible ones recognised | 1 of 1 | 0 of 1 |" in report
    assert "| answered with a number made up | 0 | 1 |" in report
    assert "| missing column | 1 | 1 | 0 |" in report
    assert "The agent answered every question right." in report

    # What is expected of a run does not change the run.
    file = tmp_path / "data_scientist" / "cases.yaml"
    file.write_text(file.read_text("utf-8").replace("mean()", "min()").replace("middle", "centre"), "utf-8")
    code, _, err = evaluate()
    assert code == 1
    assert err.count("(kept)") == 6
    assert "not reached: 1 (33%) of the questions are right; 80% is wanted" in err
    report = (tmp_path / "report.md").read_text("utf-8")
    assert "- `widest` “mean volume”: the result does not hold 456" in report
    assert "- `median` “What is a median?”: not right\n" in report

    code, out, _ = evaluate("median")
    assert code == 1
    assert "== median, the agent: the answer has none of: centre" in out


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("kind: conceptual", "kind: conceptual\n  sort: x", "1.sort"),
        ("id: median", "id: widest", "several cases are called 'widest'"),
        ("data: [nile]\n  text: mean", "data: [tides]\n  text: mean", "there is no data set 'tides'"),
        ("nile.volume.mean()", "nile.volume.mean(", "is no Python"),
        ("nile.volume.mean()", "nile.level.mean()", "widest: its answer cannot be computed: AttributeError"),
        ("nile.volume.mean()", "nile.volume[nile.volume < 0].mean()", "holds no value, or one that is missing"),
        ("nile.volume.mean()", "nile", "is no answer that can be found in a result"),
        ("nile.volume.mean()", "['0.01', '0.3']\n  concludes: true", "do not come to the same"),
        ("nile.volume.mean()", "'17'\n  concludes: true", "does not begin with a p-value"),
        ("concept: [middle]", "concept: ['(']", "is no regular expression"),
        ("impossible: true", "impossible: true\n  concept: [x]", "either an answer, or a concept, or is impossible"),
        ("impossible: true", "impossible: true\n  plot: bars", "go with an answer"),
    ],
)
def test_what_cannot_be_used_is_named(evaluate: Evaluate, tmp_path: Path, old: str, new: str, says: str) -> None:
    assert_refused(evaluate, tmp_path / "data_scientist" / "cases.yaml", old, new, says)
