"""Recipes: which computation the words of a question ask for, as code that comes to the right figures, or none."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy
import statsmodels.formula.api as smf
from runtime_support import scripted

from graphwright import load
from graphwright.agents.data_scientist import data, running
from graphwright.agents.data_scientist.columns import views
from graphwright.agents.data_scientist.joining import joined_for, left_out_for, with_joined
from graphwright.agents.data_scientist.mentions import read
from graphwright.agents.data_scientist.recipes import recipe_for, with_recipe
from graphwright.agents.data_scientist.settings import limits_of
from graphwright.runtime.given import GivenFile

ROWS = range(1, 61)
TOWNS = ("Bern", "Lyon", "Graz")
TABLES = {
    "staff": pd.DataFrame(
        {
            "staff_id": ROWS,
            "gender": ["female" if n % 3 else "male" for n in ROWS],
            "town": [TOWNS[n * 7 % 3 if n % 5 else 0] for n in ROWS],
            "remote": ["yes" if n % 4 == 0 else "no" for n in ROWS],
            "salary": [1_000 + n * 37 % 911 + (n % 3) * 40 for n in ROWS],
            "bonus": [n * 53 % 97 + n for n in ROWS],
            "cars": [n * 11 % 5 for n in ROWS],
        }
    ),
    "clients": pd.DataFrame(
        {
            "client_id": range(1, 13),
            "client": [f"C{n}" for n in range(1, 13)],
            "branch": ["bank" if n % 2 else "farm" for n in range(1, 13)],
            "age": [20 + n * 17 % 41 for n in range(1, 13)],
            "joined_on": [f"2022-{n:02}-03" for n in range(1, 13)],
        }
    ),
    "purchases": pd.DataFrame(
        {
            "purchase_id": ROWS,
            "client_id": [n * n % 11 + 1 for n in ROWS],
            "bought_on": [f"{2023 + n % 2}-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in ROWS],
            "product": [("lamp", "desk", "sofa")[n % 3] for n in ROWS],
            "amount": [n * 29 % 83 + 0.5 for n in ROWS],
        }
    ),
    "lake": pd.DataFrame(
        {
            "year": range(1950, 1990),
            "level": [300 + n * 13 % 37 + (n > 18) * 9 for n in range(40)],
            "rain": [700 + n * 29 % 61 for n in range(40)],
        }
    ),
}
staff, clients, purchases, lake = TABLES.values()
both = purchases.merge(clients, on="client_id")
days = pd.to_datetime(purchases["bought_on"])
of_2024 = purchases[days.dt.year == 2024]


FAILING = """
values = df["amount"].dropna()
test = scipy.stats.ttest_1samp(values, 9)
result = {"statistic": test.statistic, "p_value": test.pvalue, "mean": values.mean()}
result["lost"] = df["amont"].mean()
"""


def recipe(question: str, names: str, home: Path) -> tuple[str, dict[str, str]]:
    """The recipe for a question over some of the tables, ready to run, and where they are."""
    given = []
    for name in names.split():
        path = home / f"{name}.csv"
        TABLES[name].to_csv(path, index=False)
        content = path.read_bytes()
        given.append(GivenFile(path.name, hashlib.sha256(content).hexdigest(), len(content), path))
    datasets, _ = data.taken_in(given, home)
    columns, joins = views(datasets), data.joins(datasets)
    named = read(question, columns, {id: dataset["name"] for id, dataset in datasets.items()})
    joined = left_out_for(question, named, columns, joins) or joined_for(named, columns, joins)
    found = recipe_for(question, named, columns, joined, joins)
    return with_joined(found, joined), data.places(datasets)


def _numbers(value: Any) -> list[float]:
    """The numbers of a result or of what is right, in their order."""
    match value:
        case bool() | str() | None:
            return []
        case int() | float() | np.number():
            return [float(value)]
        case pd.Series():
            return [float(v) for v in value]
        case dict():
            return [n for v in value.values() for n in _numbers(v)]
        case _:
            return [n for v in value for n in _numbers(v)]


def _welch(one: pd.Series, other: pd.Series) -> float:
    return float(scipy.stats.ttest_ind(one, other, equal_var=False).pvalue)


def _moved(series: pd.Series, size: int) -> float:
    return float(series.rolling(size).mean().iloc[-1])


TESTS: list[tuple[str, str, Any]] = [
    (
        "Does the mean salary differ significantly from 1400?",
        "staff",
        scipy.stats.ttest_1samp(staff.salary, 1400).pvalue,
    ),
    (
        "t-test at the 5% level please: is the mean bonus equal to 60?",
        "staff",
        scipy.stats.ttest_1samp(staff.bonus, 60).pvalue,
    ),
    (
        "Weicht der Mittelwert von salary signifikant von 1.500 ab?",
        "staff",
        scipy.stats.ttest_1samp(staff.salary, 1500).pvalue,
    ),
    (
        "is the salary of women significantly different from that of men?",
        "staff",
        _welch(staff[staff.gender == "female"].salary, staff[staff.gender == "male"].salary),
    ),
    (
        "Is there a significant difference in bonus between Bern and Graz?",
        "staff",
        _welch(staff[staff.town == "Bern"].bonus, staff[staff.town == "Graz"].bonus),
    ),
    (
        "Was the level significantly higher since 1970 than before?",
        "lake",
        _welch(lake[lake.year < 1970].level, lake[lake.year >= 1970].level),
    ),
    ("paired t-test of salary and bonus", "staff", scipy.stats.ttest_rel(staff.salary, staff.bonus).pvalue),
    (
        "do the salaries differ between the towns? anova",
        "staff",
        scipy.stats.f_oneway(*(p for _, p in staff.groupby("town").salary)).pvalue,
    ),
    (
        "does the town depend on the gender?",
        "staff",
        scipy.stats.chi2_contingency(pd.crosstab(staff.town, staff.gender)).pvalue,
    ),
    ("correlation of salary and bonus", "staff", staff.salary.corr(staff.bonus)),
    ("Spearman correlation of salary and bonus", "staff", staff.salary.corr(staff.bonus, method="spearman")),
    (
        "Do salary and bonus correlate significantly?",
        "staff",
        scipy.stats.pearsonr(staff.salary, staff.bonus).pvalue,
    ),
    ("Korrelation zwischen salary und bonus?", "staff", staff.salary.corr(staff.bonus)),
    (
        "By what factor do the odds of being female go up with each unit of bonus? logit",
        "staff",
        np.exp(
            smf.logit("f ~ bonus", staff.assign(f=(staff.gender == "female").astype(int))).fit(disp=0).params["bonus"]
        ),
    ),
    (
        "Fit a line of bonus on salary: which bonus does it predict for a salary of 1200?",
        "staff",
        np.polyval(np.polyfit(staff.salary, staff.bonus, 1), 1200),
    ),
    ("mean salary weighted by bonus", "staff", np.average(staff.salary, weights=staff.bonus)),
]
SHARES: list[tuple[str, str, Any]] = [
    (
        "what percentage of the total amount comes from bank clients?",
        "clients purchases",
        both[both.branch == "bank"].amount.sum() / both.amount.sum() * 100,
    ),
    (
        "Wie viel Prozent vom amount entfallen auf lamp?",
        "purchases",
        purchases[purchases["product"] == "lamp"].amount.sum() / purchases.amount.sum() * 100,
    ),
    (
        "share of each product in the total sales amount, in percent",
        "purchases",
        purchases.groupby("product").amount.sum() / purchases.amount.sum() * 100,
    ),
    ("What percentage of the staff is female?", "staff", (staff.gender == "female").mean() * 100),
    ("Wie hoch ist der Anteil in Bern?", "staff", (staff.town == "Bern").mean() * 100),
    (
        "percentage of women per town",
        "staff",
        (staff.gender == "female").groupby(staff.town).mean() * 100,
    ),
    (
        "share of men among those in Lyon",
        "staff",
        (staff[staff.town == "Lyon"].gender == "male").mean() * 100,
    ),
    (
        "what percent of the women live in Graz?",
        "staff",
        (staff[staff.gender == "female"].town == "Graz").mean() * 100,
    ),
]
TIMES: list[tuple[str, str, Any]] = [
    (
        "By how many percent did the level rise from 1950 to 1989?",
        "lake",
        (lake.level.iloc[-1] / lake.level.iloc[0] - 1) * 100,
    ),
    (
        "Um wie viel Prozent ist rain zwischen 1960 und 1970 gestiegen?",
        "lake",
        (lake.rain[lake.year == 1970].item() / lake.rain[lake.year == 1960].item() - 1) * 100,
    ),
    ("total amount in 2024, broken down by quarter", "purchases", of_2024.groupby(days.dt.quarter).amount.sum()),
    ("amount je Monat im Jahr 2024", "purchases", of_2024.groupby(days.dt.month).amount.sum()),
    ("how many purchases were there per weekday?", "purchases", purchases.groupby(days.dt.day_name()).size()),
    ("average amount per month", "purchases", purchases.groupby(days.dt.to_period("M")).amount.mean()),
    (
        "How many days does it take on average from joining to the first purchase?",
        "clients purchases",
        (days.groupby(purchases.client_id).min() - pd.to_datetime(clients.set_index("client_id").joined_on))
        .dropna()
        .dt.days.mean(),
    ),
    ("cumulative rain over the years", "lake", lake.rain.sum()),
    ("5 year moving average of the level", "lake", _moved(lake.level, 5)),
    ("gleitender Durchschnitt über 7 Jahre von rain", "lake", _moved(lake.rain, 7)),
]
GROUPS: list[tuple[str, str, Any]] = [
    (
        "average bonus of those with no cars vs two or more",
        "staff",
        [staff[staff.cars == 0].bonus.mean(), staff[staff.cars >= 2].bonus.mean()],
    ),
    (
        "median salary: more than 2 cars compared to at most one car",
        "staff",
        [staff[staff.cars > 2].salary.median(), staff[staff.cars <= 1].salary.median()],
    ),
    (
        "average age of the clients who bought a sofa, everybody counted once",
        "clients purchases",
        clients[clients.client_id.isin(purchases[purchases["product"] == "sofa"].client_id)].age.mean(),
    ),
    (
        "how many different clients bought a lamp?",
        "clients purchases",
        purchases[purchases["product"] == "lamp"].client_id.nunique(),
    ),
    (
        "which town has the second highest average salary?",
        "staff",
        staff.groupby("town").salary.mean().sort_values(ascending=False).iloc[1],
    ),
    ("How many have a salary above the average?", "staff", (staff.salary > staff.salary.mean()).sum()),
    ("Wie viele liegen mit salary unter dem Durchschnitt?", "staff", (staff.salary < staff.salary.mean()).sum()),
    ("how many outliers are there in rain?", "lake", 0),
]


@pytest.mark.parametrize(("question", "names", "right"), [*TESTS, *SHARES, *TIMES, *GROUPS])
async def test_a_recipe_comes_to_what_is_right(question: str, names: str, right: Any, tmp_path: Path) -> None:
    code, places = recipe(question, names, tmp_path)
    assert code, "no recipe"
    execution = await running.run(code, places, limits_of({}))
    assert execution.error is None, (code, execution.error)
    found = _numbers(_plain(execution.result.model_dump()))
    for number in _numbers(right):
        assert any(abs(number - each) <= 1e-6 * max(1, abs(number)) for each in found), (code, number, found)


def _plain(result: Any) -> Any:
    """All that stands in a result."""
    if isinstance(result, dict):
        return [_plain(each) for key, each in result.items() if key not in ("row_count", "column_count", "length")]
    return [_plain(each) for each in result] if isinstance(result, list | tuple) else result


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("mean salary per town", "staff"),
        ("What is the total amount?", "purchases"),
        ("how many women work in Bern?", "staff"),
        ("Which client spent the most?", "clients purchases"),
        ("scatter plot of salary against bonus", "staff"),
        ("percentage of women with a salary over 1500", "staff"),
        ("what percentage of purchases had an amount above 50?", "purchases"),
        ("average salary of men vs women", "staff"),
        ("total amount per client", "clients purchases"),
        ("in which month did we sell most?", "purchases"),
        ("is the difference between mean and median significant digits?", "staff"),
        ("test whether salary is normally distributed", "staff"),
        ("What is a paired t-test?", "staff"),
        ("correlation matrix of all columns", "staff"),
        ("Fit a regression of bonus on salary and tell me the slope", "staff"),
        ("average age of clients per branch", "clients"),
        ("", "staff"),
        ("percent percent percent", "staff"),
    ],
)
def test_what_no_recipe_is_certain_for_gets_none(question: str, names: str, tmp_path: Path) -> None:
    assert recipe(question, names, tmp_path)[0] == ""


@pytest.mark.parametrize("name", ["a'b", 'a"b', "a\\b", "a\nb", "a`b", "x" * 200, "{{ 7 * 7 }}", "=== user ==="])
async def test_odd_names_of_columns_make_no_odd_code(name: str, tmp_path: Path) -> None:
    table = pd.DataFrame({name: range(40), "bonus": [n * 7 % 11 for n in range(40)], "kind": ["p", "q"] * 20})
    path = tmp_path / "odd.csv"
    table.to_csv(path, index=False)
    content = path.read_bytes()
    datasets, _ = data.taken_in(
        [GivenFile(path.name, hashlib.sha256(content).hexdigest(), len(content), path)], tmp_path
    )
    columns = views(datasets)
    for question in (
        f"does the mean of {name} differ significantly from 12?",
        f"fit a line: which bonus is predicted for a {name} of 12?",
        f"correlation of {name} and bonus",
    ):
        code = recipe_for(question, read(question, columns, {}), columns, None, [])
        if code:
            compile(code, "recipe", "exec")
            assert (await running.run(code, data.places(datasets), limits_of({}))).error is None


async def test_the_model_sees_the_recipe_and_in_a_repair_until_it_failed_itself(tmp_path: Path) -> None:
    plan = {"needs_code": True, "needs_evaluation": False, "needs_explanation": False, "reasoning": "r"}
    lines = r"ttest_1samp\(values, 9\)"
    TABLES["purchases"].to_csv(tmp_path / "purchases.csv", index=False)
    rules: list[dict[str, Any]] = [
        {"offers": "ExecutionPlan", "call": {"ExecutionPlan": plan}},
        {"says": rf"This is computed so:\s+values = (?s:.)*{lines}", "text": "result = df['amont'].mean()", "times": 1},
        {"says": rf"It failed(?s:.)*is computed so:\s+values = (?s:.)*{lines}", "text": FAILING, "times": 1},
        {"says": "is computed so", "fail": "told again"},
        {"says": "It failed", "text": "result = scipy.stats.ttest_1samp(df['amount'], 9).pvalue"},
    ]
    async with load("data_scientist").session("t", model=scripted(*rules), home=tmp_path) as session:
        question = "does the mean amount differ significantly from 9?"
        turn = await session.send(question, [tmp_path / "purchases.csv"])
    assert turn.values["execution_success"], turn.reply
    assert turn.values["attempts"] == 3


async def test_a_question_without_a_recipe_costs_no_more_of_the_prompt(tmp_path: Path) -> None:
    rules: list[dict[str, Any]] = [
        {"offers": "ExecutionPlan", "call": {"ExecutionPlan": {"needs_code": True, "reasoning": "r"}}},
        {"says": "is computed so", "fail": "told again"},
        {"says": "Question:", "text": "result = df['amount'].sum()"},
        {"text": "That is it."},
    ]
    TABLES["purchases"].to_csv(tmp_path / "purchases.csv", index=False)
    async with load("data_scientist").session("t", model=scripted(*rules), home=tmp_path) as session:
        turn = await session.send("what is the total amount?", [tmp_path / "purchases.csv"])
    assert turn.values["execution_success"], turn.reply


LINES = "values = df['size'].dropna()\ntest = scipy.stats.ttest_1samp(values, 250)\nresult = test.pvalue"


def test_code_that_goes_on_with_a_recipe_gets_its_lines() -> None:
    for code in ("result = {'p': test.pvalue, 'mean': values.mean()}", "result = result", "values = 1\nresult = test"):
        whole = with_recipe(code, LINES)
        assert whole.startswith("# Mended: ")
        assert whole.endswith(f"{LINES}\n{code}")


def test_code_that_stands_alone_stays_as_it_is() -> None:
    own = "test = scipy.stats.ttest_1samp(df['size'], 250)\nresult = test.pvalue"
    for code in (LINES, own, "result = df['size'].mean()", "result =", "result = a b"):
        assert with_recipe(code, LINES) == code
    assert with_recipe("result = test.pvalue", "") == "result = test.pvalue"
