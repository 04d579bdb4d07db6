"""Questions over several data sets: the table that is joined for the model, and code that trusts it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_data_scientist_mending import BOTH, asked

from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.joining import Joined, joined_for, left_out_for, with_joined
from graphwright.agents.data_scientist.mentions import read
from graphwright.agents.data_scientist.slips import Join

TABLES = {
    "sales": pd.DataFrame(
        {
            "sale": [1, 2, 3, 4],
            "shop": [7, 8, 7, 9],
            "article": [1, 1, 2, 2],
            "name": list("abcd"),
            "paid": [1, 2, 4, 8],
        }
    ),
    "shops": pd.DataFrame(
        {"shop": [7, 8, 9], "name": ["x", "y", "z"], "town": ["Bern", "Rome", "Bern"], "area": [5, 6, 5]}
    ),
    "articles": pd.DataFrame({"article": [1, 2], "colour": ["red", "blue"]}),
    "areas": pd.DataFrame({"area_id": [5, 6], "climate": ["cold", "warm"]}),
}
COLUMNS = [
    ColumnView(id, name, "text" if table[name].dtype == object else "integer", ())
    for id, table in TABLES.items()
    for name in table.columns
]
SHOP = Join(left="sales", left_column="shop", right="shops", right_column="shop")
ARTICLE = Join(left="sales", left_column="article", right="articles", right_column="article")
AREA = Join(left="shops", left_column="area", right="areas", right_column="area_id")
ALL = [SHOP, ARTICLE, AREA]


def joined(question: str, joins: Sequence[Join] = ALL, columns: Sequence[ColumnView] = COLUMNS) -> Joined | None:
    return joined_for(read(question, columns, {}), columns, joins)


def made(found: Joined) -> pd.DataFrame:
    """The table that the line makes."""
    table = eval(found.line.removeprefix("df = "), {"datasets": TABLES})  # noqa: S307 - it is the code under test
    assert isinstance(table, pd.DataFrame)
    return table


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("how much was paid per town?", {"shops"}),
        ("how much was paid for each colour and town?", {"shops", "articles"}),
        ("what was paid per climate?", {"shops", "areas"}),
        ("sales paid by climate and colour", {"shops", "areas", "articles"}),
    ],
)
def test_the_line_makes_the_columns_that_are_told(question: str, others: set[str]) -> None:
    found = joined(question)
    assert found is not None
    assert found.base == "sales"
    assert set(found.others) == others
    table = made(found)
    assert tuple(table.columns) == found.columns
    # Looking up multiplies no rows and loses none.
    assert table["sale"].tolist() == TABLES["sales"]["sale"].tolist()
    assert table["name"].tolist() == TABLES["sales"]["name"].tolist()


def test_a_name_that_stands_twice_says_whose_it_is() -> None:
    found = joined("how much was paid per town?")
    assert found is not None
    assert found.columns == ("sale", "shop", "article", "name", "paid", "name_shops", "town", "area")


@pytest.mark.parametrize(
    ("question", "joins"),
    [
        ("how many shops are there per town?", ALL),
        ("what was paid at most?", ALL),
        ("how much was paid per town?", []),
        (
            "how much was paid per town?",
            [SHOP, Join(left="sales", left_column="sale", right="shops", right_column="shop")],
        ),
        ("is it so?", ALL),
    ],
)
def test_nothing_is_joined_where_one_table_is_enough_or_the_way_is_not_sure(question: str, joins: list[Join]) -> None:
    assert joined(question, joins) is None


def test_where_each_finds_one_of_the_other_the_first_is_the_base() -> None:
    columns = [ColumnView(id, name, "integer") for id in ("a", "b") for name in ("year", f"of_{id}")]
    joins = [Join(left=x, left_column="year", right=y, right_column="year") for x, y in (("a", "b"), ("b", "a"))]
    found = joined("is of_a related to of_b?", joins, columns)
    assert found is not None
    assert found.line == 'df = datasets["a"].merge(datasets["b"], on="year")'


LEFT_OUT = 'df = datasets["shops"][~datasets["shops"]["shop"].isin(datasets["sales"]["shop"])]'


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("How many shops have no sales?", LEFT_OUT),
        ("shops that never had a sale", LEFT_OUT),
        ("Which of the shops didn't have any sales?", LEFT_OUT),
        ("sales without a shop", 'df = datasets["sales"][~datasets["sales"]["shop"].isin(datasets["shops"]["shop"])]'),
        ("How many shops have sales?", ""),
        ("How many shops have no sales since May?", ""),
        ("How many shops have no sales of an article?", ""),
        ("shops with no name, and their sales", ""),
        ("what was paid in shops, not counting the area", ""),
        ("how many are there without sales", ""),
    ],
)
def test_what_nothing_belongs_to_is_made_ready(question: str, line: str) -> None:
    found = left_out_for(question, read(question, COLUMNS, {}), COLUMNS, [SHOP])
    assert (found.line if found else "") == line
    if found:
        table = made(found)
        assert table.empty
        assert tuple(table.columns) == found.columns


@pytest.mark.parametrize(
    ("code", "begun"),
    [
        ('result = df["paid"].sum()', 'df = datasets["sales"].merge'),
        ('result = joined["paid"].sum()', 'joined = datasets["sales"].merge'),
        ('df = datasets["sales"]\nresult = df["paid"].sum()', ""),
        ('result = datasets["sales"]["paid"].sum()', ""),
        ('result = df.merge(datasets["shops"], on="shop")["paid"].sum()', 'df = datasets["sales"]\n'),
        ('shops = datasets["shops"]\nresult = pd.merge(df, shops)["paid"].sum()', 'df = datasets["sales"]\n'),
        (
            't = df.groupby("town", as_index=False)["paid"].sum()\nresult = df.merge(t, on="town")',
            'df = datasets["sales"].m',
        ),
        ("result = df[", ""),
    ],
)
def test_code_begins_with_the_joined_table_where_it_trusts_it(code: str, begun: str) -> None:
    found = with_joined(code, joined("how much was paid per town?"))
    assert found.endswith(code)
    assert found.removesuffix(code).startswith(begun)
    assert bool(found.removesuffix(code)) == bool(begun)


@given(st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=5, unique=True))
def test_the_line_is_python_whatever_the_names_are(names: list[str]) -> None:
    columns = [ColumnView("a", name, "integer") for name in [*names[1:], "volume"]]
    columns += [ColumnView("b\"'", name, "integer") for name in [names[0], "weight"]]
    joins = [Join(left="a", left_column=names[1], right="b\"'", right_column=names[0])]
    found = joined("volume by weight", joins, columns)
    if found is not None:
        ast.parse(found.line)


@pytest.mark.parametrize(
    ("question", "code", "right"),
    [
        ("total amount per country", 'result = df.groupby("country")["amount"].sum()', {"Italy": 72, "Spain": 240}),
        (
            "total amount per country",
            'total = joined.groupby("country")["amount"].sum().reset_index()\n'
            'fig = px.bar(total, x="country", y="amount")',
            {"Italy": 72, "Spain": 240},
        ),
        (
            "average amount of a sale by people in the business segment",
            'result = {"business": df[df["segment"] == "business"]["amount"].mean()}',
            {"business": 13.5},
        ),
    ],
)
async def test_a_question_over_two_files_runs_on_the_joined_table(
    tmp_path: Path, question: str, code: str, right: dict[str, float]
) -> None:
    turn = await asked(tmp_path, question, BOTH, code)
    assert turn.values["attempts"] == 1, turn.values["failed_attempts"]
    shown = turn.values["final_output"]["result_str"]
    assert 'datasets["sales"].merge(datasets["people"], on="person_id")' in turn.values["code"]
    for name, number in right.items():
        assert name in shown
        assert number in turn.values["execution_result"]["numbers"]
