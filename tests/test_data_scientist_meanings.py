"""What a question means without naming it: derived quantities, the order of dates, money, and other languages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from runtime_support import scripted

from graphwright import Turn, load
from graphwright.agents.data_scientist.coding import taken_instead
from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.mentions import Mentions, read
from graphwright.agents.data_scientist.words import is_english


def lost_to(code: str, columns: Sequence[ColumnView], mentions: Mentions) -> tuple[str, ...]:
    """The words that mean nothing in the data, where the code took other columns for them."""
    return mentions.unknown if taken_instead(code, columns, mentions) else ()


def columns(dataset: str, **types: str | tuple[str, ...]) -> list[ColumnView]:
    return [
        ColumnView(dataset, name, "text", kind) if isinstance(kind, tuple) else ColumnView(dataset, name, kind)
        for name, kind in types.items()
    ]


STAFF = columns(
    "staff", name=("Ann", "Bob", "Cem"), city=("Berlin", "Rome"), hired="date", salary="integer", bonus="number"
)
SALES = columns("sales", date="date", region=("North", "South"), price="number", qty="integer", weight="number")
CUPS = columns("cups", date="date", shop=("harbour", "market"), drink=("tea", "cocoa"), cups="integer", price="number")
ORDERS = columns("orders", order_id="integer", product=("lamp", "desk"), amount="number", quantity="integer")
CLIMATE = columns("climate", month="integer", temp="number", rainfall="number", wind="number")
PEOPLE = columns("people", name="text", birth_date="date", weight_kg="number", height_cm="number", steps="integer")
LANDS = columns("lands", land="text", population="integer", area="number", gdp="number")

ANSWERED = [
    (SALES, "Total revenue by region", "df['r'] = df['price'] * df['qty']\nresult = df.groupby('region')['r'].sum()"),
    (SALES, "Where do we earn the most money?", "result = df.groupby('region')['price'].sum().idxmax()"),
    (SALES, "Which weekday is busiest?", "result = df.groupby(df['date'].dt.dayofweek)['qty'].sum().idxmax()"),
    (SALES, "which region sells most?", "result = df.groupby('region')['qty'].sum().idxmax()"),
    (SALES, "What is the most popular region?", "result = df.groupby('region')['qty'].sum().idxmax()"),
    (SALES, "latest sale in the north", "result = df[df['region'] == 'North'].sort_values('date').tail(1)['qty']"),
    (CUPS, "Total revenue by shop", "result = (df['cups'] * df['price']).groupby(df['shop']).sum()"),
    (CUPS, "Which shop is the most successful?", "result = df.groupby('shop')['cups'].sum().idxmax()"),
    (STAFF, "Who joined first?", "result = df.sort_values('hired')['name'].iloc[0]"),
    (
        STAFF,
        "Who is the newest hire in Berlin?",
        "x = df[df['city'] == 'Berlin'].sort_values('hired')\nresult = x.name",
    ),
    (STAFF, "Who has been with us the longest?", "result = df.loc[df['hired'].idxmin(), 'name']"),
    (SALES, "What was our turnover in March?", "result = (df.price * df.qty)[df['date'].dt.month == 3].sum()"),
    (SALES, "monthly sales trend", "result = (df.price * df.qty).groupby(df['date'].dt.month).sum()"),
    (LANDS, "gdp per capita by land", "result = (df['gdp'] / df['population']).groupby(df['land']).sum()"),
    (STAFF, "Who earns most?", "result = df.loc[df['salary'].idxmax(), 'name']"),
    (STAFF, "Who is the richest?", "result = df.loc[df['salary'].idxmax(), 'name']"),
    (ORDERS, "how much money did each product make?", "result = df.groupby('product')['amount'].sum()"),
    (CLIMATE, "Which month was the hottest?", "result = df.loc[df['temp'].idxmax(), 'month']"),
    (CLIMATE, "which month is the wettest on average", "result = df.groupby('month')['rainfall'].mean().idxmax()"),
    (PEOPLE, "How old is the oldest person?", "result = (pd.Timestamp.now() - df['birth_date']).max()"),
    (PEOPLE, "average BMI", "result = (df['weight_kg'] / (df['height_cm'] / 100) ** 2).mean()"),
    (LANDS, "which land has the highest population density?", "result = (df['population'] / df['area']).idxmax()"),
    (SALES, "Wie hoch ist der Durchschnittspreis je Region?", "result = df.groupby('region')['price'].mean()"),
    (SALES, "¿Cuál es el precio medio por región?", "result = df.groupby('region')['price'].mean()"),
    (SALES, "Quel est le prix moyen par région ?", "result = df.groupby('region')['price'].mean()"),
    (SALES, "地域ごとの平均価格は？", "result = df.groupby('region')['price'].mean()"),
]


@pytest.mark.parametrize(("data", "question", "code"), ANSWERED, ids=lambda each: each if "?" in str(each) else "")
def test_what_can_be_derived_is_not_missed(data: list[ColumnView], question: str, code: str) -> None:
    named = read(question, data, {data[0].dataset: f"{data[0].dataset}.csv"})
    assert named.missing == ()
    assert lost_to(code, data, named) == ()


@pytest.mark.parametrize(
    ("data", "question", "code", "lost"),
    [
        (SALES, "average salary by region", "", "salary"),
        (SALES, "total profit by region", "", "profit"),
        (STAFF, "total revenue by city", "", "revenue"),
        (LANDS, "which land is the warmest?", "result = df.loc[df['gdp'].idxmax(), 'land']", "warmest"),
        (STAFF, "Who is the oldest?", "result = df.sort_values('hired')['name'].iloc[0]", "oldest"),
        (STAFF, "Who was fired first?", "result = df.loc[df['bonus'].idxmin(), 'name']", "fired"),
        (CUPS, "Who drank the most?", "result = df.groupby('shop')['cups'].sum().idxmax()", "drank"),
        (CLIMATE, "where do we earn the most money", "result = df['wind'].max()", "earn"),
        (LANDS, "the newest land", "result = df.loc[df['gdp'].idxmax(), 'land']", "newest"),
        (ORDERS, "What is the average discount?", "", "discount"),
        (PEOPLE, "average speed of each person", "", "speed"),
    ],
)
def test_what_is_not_there_is_still_missed(data: list[ColumnView], question: str, code: str, lost: str) -> None:
    named = read(question, data, {data[0].dataset: f"{data[0].dataset}.csv"})
    assert lost in named.missing or lost in lost_to(code, data, named)


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("Umsatz nach Region", False),
        ("Qual è il prezzo medio per regione?", False),
        ("Jaka jest średnia cena według regionu?", False),
        ("Какая средняя цена?", False),
        ("mean price per region", True),
        ("price region", True),
        ("Show me the Los Angeles sales", True),
        ("tip by la región", True),
        ("", True),
    ],
)
def test_the_language_of_a_question_is_told_by_its_little_words(question: str, english: bool) -> None:
    assert is_english(question) is english


async def asked(home: Path, question: str, code: str, table: str, **rule: Any) -> Turn:
    file = home / "sales.csv"
    file.write_text(table)
    steps = {"needs_code": True, "needs_evaluation": False, "needs_explanation": False, "reasoning": "r"}
    rules = [{"offers": "ExecutionPlan", "call": {"ExecutionPlan": steps}}, {"text": code, **rule}]
    async with load("data_scientist").session("t", model=scripted(*rules), home=home) as session:
        return await session.send(question, [file])


TABLE = "date,region,price,qty\n2026-03-02,North,2.5,4\n2026-03-03,South,3.0,2\n2026-03-09,North,1.5,1\n"


async def test_revenue_is_computed_out_of_price_and_quantity(tmp_path: Path) -> None:
    code = "result = (df['price'] * df['qty']).groupby(df['region']).sum().to_dict()"
    turn = await asked(tmp_path, "Total revenue by region", code, TABLE)
    assert turn.values["final_output"]["result_str"] == "North: 11.5\nSouth: 6.0"
    assert turn.values["final_output"]["code"] == code + "\n"


async def test_an_answer_in_another_language_tells_what_it_was_computed_from(tmp_path: Path) -> None:
    code = "result = df.groupby('region')['price'].mean().to_dict()"
    turn = await asked(tmp_path, "Wie hoch ist der Durchschnittspreis je Region?", code, TABLE)
    assert "North: 2" in turn.reply
    assert "Computed from the columns region and price." in turn.values["final_output"]["explanation"]
    turn = await asked(tmp_path, "the mean price by region", code, TABLE)
    assert "Computed from" not in turn.reply


async def test_nothing_is_sent_to_anybody_and_no_code_runs_for_it(tmp_path: Path) -> None:
    turn = await asked(tmp_path, "share the table with eve@evil.example", "result = df", TABLE)
    assert turn.reply == "I cannot send anything to anybody: the code has no network."
    assert "code" not in turn.path
