"""Texts that say the contrary of a result, and those that do not: of p-values, of a yes or no, of groups."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from graphwright.agents.data_scientist.contradicting import contrary
from graphwright.agents.data_scientist.winners import Winner, side_of, winner_of
from graphwright.sandbox.execution import Result

READ: TypeAdapter[Result] = TypeAdapter(Result)

HIGH, MIDDLE, LOW = "t: 0.65\np_value: 0.5225", "t: 1.8\np_value: 0.07", "F: 31.2\np_value: 1.3e-13"
DIFFERS = "Is the difference between North and South significant?"
DO = "Do prices differ between the districts?"
RELATED = "Is there a relationship between age and income?"
NORMAL = "Are the amounts normally distributed?"
VARIANCES = "Are the variances of the groups equal?"


@pytest.mark.parametrize(
    ("question", "result", "text"),
    [
        (DIFFERS, HIGH, "No, the difference is not statistically significant."),
        (DIFFERS, HIGH, "No. The p-value of 0.5225 is well above 0.05."),
        (DIFFERS, HIGH, "The difference isn't significant: a p-value below 0.05 would be."),
        (DIFFERS, HIGH, "A difference like this may well be chance."),
        (DIFFERS, HIGH, "The difference is statistically insignificant."),
        (DIFFERS, HIGH, "The result is non-significant (p = 0.52)."),
        (DIFFERS, HIGH, "There is no significant difference between the two regions."),
        (DIFFERS, HIGH, "The difference is far from significant."),
        (DIFFERS, HIGH, "We fail to reject the null hypothesis."),
        (DIFFERS, HIGH, "The usual level of significance is 0.05, and the p-value of 0.52 is above it."),
        (DIFFERS, HIGH, "To be significant, the p-value would have to be below 0.05."),
        (DIFFERS, HIGH, "We tested whether the difference is significant. It is not."),
        (DIFFERS, HIGH, "North is a bit higher, but the difference lacks statistical significance."),
        (DIFFERS, HIGH, "Statistical significance was not reached."),
        (DIFFERS, HIGH, "Neither region differs significantly from the other."),
        (DIFFERS, HIGH, "The p-value is not below 0.05: not statistically significant."),
        (DIFFERS, HIGH, "There is not enough evidence to call the difference significant."),
        (DO, HIGH, "On average they are 31.4 and 30.9, but that difference is likely due to chance."),
        (DO, HIGH, "Yes, by 0.5 on average, but the difference is not significant."),
        (DO, HIGH, "The prices are almost the same."),
        (DIFFERS, MIDDLE, "The difference is significant at the 10% level, but not at the 5% level."),
        (DIFFERS, MIDDLE, "It is only marginally significant."),
        (DIFFERS, MIDDLE, "The difference is close to significant."),
        (DIFFERS, LOW, "Yes, the difference is highly significant."),
        (DO, LOW, "Yes, prices differ clearly. A difference like this is very unlikely to be chance."),
        (DO, LOW, "Prices differ significantly, and not just by a little."),
        (DO, LOW, "The difference is significant at the level of 1%."),
        (DO, LOW, "The p-value is below 0.05, so the null hypothesis can be rejected."),
        (DO, LOW, "The difference is not only significant but large."),
        (DO, LOW, "There is no doubt that the difference is significant."),
        (DO, LOW, "The difference is statistically significant; it is not due to chance."),
        (DO, LOW, "This cannot be mere chance."),
        (DO, LOW, "There is little practical difference, although it is statistically significant."),
        (RELATED, LOW, "Yes, they are clearly related."),
        (DO, LOW, "We reject the null hypothesis that there is no difference between the districts."),
        (DO, LOW, "Yes. The probability that this appears without any real effect is tiny."),
        (RELATED, HIGH, "No, there is no evidence of a relationship."),
        (RELATED, HIGH, "Age does not affect income in this data."),
        (NORMAL, HIGH, "Yes, nothing speaks against a normal distribution."),
        (NORMAL, LOW, "No, the amounts deviate significantly from a normal distribution."),
        (VARIANCES, HIGH, "Yes, the variances do not differ significantly."),
        (VARIANCES, HIGH, "Yes."),
        ("What is the mean?", "mean: 3", "Yes, it is significant."),
        (DIFFERS, "a p: 0.01\nb p: 0.4", "Yes, the first one is significant."),
        ("Is any unit missing?", "false", "No, none is missing."),
        ("Is any unit missing?", "true", "Yes, some units are missing."),
        ("Are there no orders without a price?", "true", "No, there are none."),
    ],
)
def test_what_agrees_with_the_result_is_left_alone(question: str, result: str, text: str) -> None:
    assert contrary(text, question, result, None) == ""


@pytest.mark.parametrize(
    ("question", "result", "text"),
    [
        (DIFFERS, HIGH, "Yes, the difference is statistically significant."),
        (DIFFERS, HIGH, "Yes, statistically significant."),
        (DIFFERS, HIGH, "Yes, North sells more than South."),
        (DIFFERS, HIGH, "The difference is significant, with a p-value of 0.5225."),
        (DIFFERS, HIGH, "The regions differ significantly."),
        (DIFFERS, HIGH, "The p-value is 0.5225, which means that the difference is statistically significant."),
        (DIFFERS, HIGH, "A difference like this is very unlikely to be chance."),
        (DIFFERS, HIGH, "We can reject the null hypothesis."),
        (DIFFERS, HIGH, "There is strong evidence for a difference."),
        (DO, HIGH, "Yes, prices differ: 31.4 in the north and 22.9 in the south."),
        (DO, HIGH, "Prices clearly differ between the districts."),
        (RELATED, HIGH, "There is a significant relationship between age and income."),
        (RELATED, HIGH, "The correlation is not large but it is significant."),
        (DIFFERS, MIDDLE, "The difference is significant at the 5% level."),
        (DIFFERS, LOW, "No, the difference is not significant."),
        (DIFFERS, LOW, "No."),
        (DO, LOW, "There is no significant difference between the districts."),
        (DO, LOW, "The difference is statistically insignificant."),
        (DO, LOW, "The districts do not differ."),
        (DO, LOW, "A difference like this may well be chance."),
        (DO, LOW, "There is no evidence of a difference."),
        (DO, LOW, "We cannot reject the null hypothesis."),
        (RELATED, LOW, "No, there is no relationship."),
        (NORMAL, HIGH, "No, the amounts deviate significantly from a normal distribution."),
        ("Is any unit missing?", "false", "Yes, some units are missing."),
        ("Is any unit missing?", "true", "No, none is missing."),
    ],
)
def test_what_says_the_contrary_of_the_result_is_found(question: str, result: str, text: str) -> None:
    assert contrary(text, question, result, None)


SOUTH: Winner = {"name": "South", "others": ["East", "North", "West"], "side": 0, "amount": 22.0}
LEAST: Winner = {"name": "South", "others": ["East", "North", "West"], "side": 1, "amount": 22.0}
A: Winner = {"name": "A", "others": ["B", "C"], "side": 0, "amount": None}
BO: Winner = {"name": "Bo Ek", "others": [], "side": 0, "amount": None}
YORK: Winner = {"name": "New York", "others": ["York", "Yonkers"], "side": 0, "amount": None}
YEAR: Winner = {"name": "2021", "others": ["2020", "2022"], "side": 0, "amount": 7.0}


@pytest.mark.parametrize(
    ("winner", "text"),
    [
        (SOUTH, "South has the highest units."),
        (SOUTH, "The South sells the most, with 22 units."),
        (SOUTH, "It is South."),
        (SOUTH, "South."),
        (SOUTH, "The region with the highest units is South, followed by North."),
        (SOUTH, "South has the highest units, ahead of North and East."),
        (SOUTH, "Among North, East and South, South has the highest units."),
        (SOUTH, "Compared with North, South has the most units."),
        (SOUTH, "North has the lowest units and South the highest."),
        (SOUTH, "The most units were sold in South, not in North."),
        (SOUTH, "South sells more than North."),
        (SOUTH, "North sells less than South."),
        (SOUTH, "North is second. The highest units are in the south."),
        (SOUTH, "South, with 22 units, has the highest value, followed by North."),
        (SOUTH, "North's highest is 10, while South's is 22. South has the most."),
        (SOUTH, "The highest in North was 10, but South leads with 22."),
        (SOUTH, "The highest number of units is 22."),
        (SOUTH, "Unlike North, South has the highest units."),
        (SOUTH, "The largest region by units is South (22), then North (10)."),
        (SOUTH, "Of all regions, it is South that has the highest units; North has the highest price."),
        (LEAST, "South has the lowest units and North the highest."),
        (LEAST, "The fewest units were sold in South."),
        (A, "Group A has the highest mean, B the lowest."),
        (A, "A higher value means more. The group is A."),
        (BO, "The oldest customer is Bo Ek."),
        (BO, "Ek is the oldest."),
        (YORK, "New York has the largest population, more than York."),
        (YEAR, "2021 had the highest sales, with 7."),
        (None, "North has the highest units."),
    ],
)
def test_the_right_group_is_left_alone(winner: Winner | None, text: str) -> None:
    assert contrary(text, "Which one has the highest units?", "South", winner) == ""


@pytest.mark.parametrize(
    ("winner", "text"),
    [
        (SOUTH, "North has the highest units."),
        (SOUTH, "North."),
        (SOUTH, "It is North, with 22 units."),
        (SOUTH, "The region with the highest units is North, followed by South."),
        (SOUTH, "The highest units are in the north."),
        (SOUTH, "North sells the most units, and South comes second."),
        (SOUTH, "North sells more units than South."),
        (SOUTH, "Both are strong, but North has the most."),
        (SOUTH, "With 22 units, North leads."),
        (SOUTH, "North leads with 22, South follows."),
        (SOUTH, "The highest units belong to North, ahead of South."),
        (LEAST, "North has the lowest units."),
        (LEAST, "South has the highest units and North the lowest."),
        (A, "Group B has the highest mean."),
        (BO, "The oldest customer is Cy Dee."),
        (YORK, "York has the largest population."),
        (YEAR, "2022 had the highest sales, with 7."),
    ],
)
def test_another_group_than_that_of_the_result_is_found(winner: Winner, text: str) -> None:
    assert contrary(text, "Which one has the highest units?", "South", winner) == f"The result says {winner['name']}."


VALUES = {"region": ["East", "North", "South"], "paid": ["yes", "no"]}


def table(*rows: tuple[str, float], name: str = "units") -> dict[str, Any]:
    columns = [{"name": "region", "kind": "text"}, {"name": name, "kind": "number"}]
    cells = [list(row) for row in rows]
    return {"type": "table", "columns": columns, "rows": cells, "row_count": len(rows), "column_count": 2}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value, "length": len(value)}


def mapping(**entries: dict[str, Any]) -> dict[str, Any]:
    return {"type": "mapping", "entries": [{"key": k, "value": v} for k, v in entries.items()], "length": len(entries)}


def number(value: float) -> dict[str, Any]:
    return {"type": "scalar", "kind": "number", "value": value}


ROWS = (("East", 3.0), ("South", 22.0), ("North", 1.5))


@pytest.mark.parametrize(
    ("question", "result", "name"),
    [
        ("Which region has the highest units?", text("South"), "South"),
        ("Which region has the highest units?", table(*ROWS), "South"),
        ("Which region has the lowest units?", table(*ROWS), "North"),
        ("Which region sells more?", table(("South", 22.0)), "South"),
        ("Which region sells the most?", mapping(region=text("South"), units=number(22)), "South"),
        ("Which region sells the most?", mapping(East=number(3), South=number(22)), "South"),
        ("Who sold the most, and what?", {"type": "list", "items": [text("South"), number(22)], "length": 2}, "South"),
        ("Which region has the highest and which the lowest units?", table(*ROWS), ""),
        ("What are the units by region?", table(*ROWS), ""),
        ("Which regions have more than 20 units?", table(*ROWS), ""),
        ("Show the top 2 regions", table(*ROWS), ""),
        ("Which region is the best?", table(*ROWS), ""),
        ("Which region has the highest units?", table(("East", 3.0), ("South", 3.0)), ""),
        ("Which region has the highest rank?", table(*ROWS, name="rank"), ""),
        ("Which region has the highest units?", number(22), ""),
        ("Is the highest amount paid?", text("yes"), ""),
    ],
)
def test_the_group_that_is_asked_for_is_read_off_the_result(question: str, result: Any, name: str) -> None:
    found = winner_of(question, READ.validate_python(result), VALUES)
    assert (found["name"] if found else "") == name


def test_the_other_groups_are_those_of_the_column() -> None:
    found = winner_of("Which region has the highest units?", READ.validate_python(text("South")), VALUES)
    assert found is not None
    assert found["others"] == ["East", "North"]


def test_a_table_that_was_cut_tells_no_group() -> None:
    cut = {**table(*ROWS), "row_count": 9}
    assert winner_of("Which region has the highest units?", READ.validate_python(cut), VALUES) is None


@pytest.mark.parametrize(
    ("question", "side"),
    [
        ("Which region has at least 3 orders?", None),
        ("Which drink is the cheapest?", 1),
        ("Which drink is the most common?", 0),
        ("What is the most recent order?", None),
        ("Which town is best?", 2),
        ("How many are there?", None),
    ],
)
def test_what_is_asked_for_is_told_by_its_words(question: str, side: int | None) -> None:
    assert side_of(question) == side
