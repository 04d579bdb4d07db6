"""What a question names of the data, and what it asks for that is not there."""

from __future__ import annotations

import time

import pytest

from graphwright.agents.data_scientist.columns import ColumnView, nearest
from graphwright.agents.data_scientist.mentions import Mentions, read


def columns(dataset: str, **types: str | tuple[str, ...]) -> list[ColumnView]:
    return [
        ColumnView(dataset, name, "text", kind) if isinstance(kind, tuple) else ColumnView(dataset, name, kind)
        for name, kind in types.items()
    ]


TIPS = columns(
    "tips",
    total_bill="number",
    tip="number",
    sex=("Female", "Male"),
    smoker=("Yes", "No"),
    day=("Sun", "Sat", "Thur", "Fri"),
    time=("Dinner", "Lunch"),
    size="integer",
)
SALES = columns(
    "sales",
    order_date="datetime",
    region=("North", "South"),
    unitPrice="number",
    quantity="integer",
    customer_name="text",
)


def tips(question: str) -> Mentions:
    return read(question, TIPS, {"tips": "tips.csv"})


def names(found: Mentions) -> set[str]:
    return {each.column.name for each in found.columns}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the average tip?", {"tip"}),
        ("Show a histogram of the total bill", {"total_bill"}),
        ("Show a histogram of total_bill", {"total_bill"}),
        ("TotalBill by day", {"total_bill", "day"}),
        ("average totl bill", {"total_bill"}),
        ("correlation between tip and bill", {"tip", "total_bill"}),
        ("tips by smokers", {"tip", "smoker"}),
        ("box plot of tip by gender", {"tip", "sex"}),
        ("party sizes", {"size"}),
    ],
)
def test_columns_are_named_in_many_ways(question: str, expected: set[str]) -> None:
    found = tips(question)
    assert names(found) == expected
    assert found.missing == ()


def test_a_whole_name_is_sure_and_a_part_of_one_is_not() -> None:
    found = {each.column.name: each.sure for each in tips("does the tip grow with the bill?").columns}
    assert found == {"tip": True, "total_bill": False}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("average tip on Sunday", {("day", "Sun")}),
        ("how many dinners on Saturdays?", {("time", "Dinner"), ("day", "Sat")}),
        ("do women tip more than men?", {("sex", "Female"), ("sex", "Male")}),
        ("tips on thursday", {("day", "Thur")}),
        ("is it any different?", set()),
    ],
)
def test_values_are_named_as_people_say_them(question: str, expected: set[tuple[str, str]]) -> None:
    assert {(each.column.name, each.value) for each in tips(question).values} == expected


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What's the average salary?", ("salary",)),
        ("What is the correlation between tip and temperature?", ("temperature",)),
        ("how does the average tip differ by weather", ("weather",)),
        ("Total revenue per region", ("revenue", "region")),
        ("tip vs. humidity", ("humidity",)),
        ("plot humidity against tip", ("humidity",)),
        ("Show me the age distribution", ("age",)),
        ("Which waiter got the most tips?", ("waiter",)),
        ("median of the net profit, please", ("net profit",)),
        ("predict next year's sales", ("next year's sales",)),
        ("draw the tips grouped by city", ("city",)),
        ("the monthly trend of tips by month", ("month",)),
        ("what is the maximum of the column called waiter", ("waiter",)),
    ],
)
def test_what_no_column_is_is_missed(question: str, missing: tuple[str, ...]) -> None:
    assert tips(question).missing[: len(missing)] == missing


@pytest.mark.parametrize(
    "question",
    [
        "What is a p-value?",
        "How many rows are there?",
        "What is the average of all numeric columns?",
        "What is the distribution of each variable?",
        "Are there any missing values in the data?",
        "Draw the correlation matrix",
        "average tip per person",
        "What percentage of the bill is the tip, by day and time?",
        "Compare the mean tip of smokers and non-smokers",
        "Which day has the highest total bill on average?",
        "Fit a linear regression of tip on total_bill and size",
        "Is the difference between lunch and dinner significant?",
        "Give me the top 5 tips",
        "mean and standard deviation of tip",
        "Which variables are most strongly correlated with tip?",
        "Run a t-test of tip between men and women.",
    ],
)
def test_what_can_be_answered_misses_nothing(question: str) -> None:
    assert tips(question).missing == ()


def test_times_are_there_where_a_date_is() -> None:
    assert read("total quantity by month", SALES, {}).missing == ()
    assert read("total tip by month", TIPS, {}).missing == ("month",)


def test_rows_with_a_name_may_be_asked_for_by_their_kind() -> None:
    assert read("Which customer bought the most?", SALES, {}).missing == ()
    assert read("Which shop has the highest quantity?", SALES, {}).missing == ()
    assert read("What is the average unit price per shop?", SALES, {}).missing == ("shop",)


def test_names_written_as_in_code_are_read() -> None:
    assert names(read("mean of unitPrice", SALES, {})) == {"unitPrice"}
    assert names(read("mean of unit price", SALES, {})) == {"unitPrice"}
    assert names(read("mean `unitPrice` by customer name", SALES, {})) == {"unitPrice", "customer_name"}


def test_columns_named_like_words_of_everyday_are_named_only_as_such() -> None:
    odd = columns("odd", x="number", mean="number", by="number", count="integer", **{"class": ("a", "b")})
    assert names(read("what is the mean of x by class?", odd, {})) >= {"mean", "class"}
    assert "by" not in names(read("what is the mean of count by class?", odd, {}))
    assert "x" in names(read("sum of `x`", odd, {}))


def test_nearest_names_come_first() -> None:
    assert nearest("totalbil", TIPS)[0] == "total_bill"
    assert nearest("weather", TIPS) == []


def test_a_wide_table_and_a_long_question_are_read_in_bounded_time() -> None:
    wide = [ColumnView("w", f"measure_{number}", "number") for number in range(10_000)]
    began = time.perf_counter()
    found = read("average of measure_77 and measure_9999 " + "by the way " * 500, wide, {})
    assert {"measure_77", "measure_9999"} <= names(found)
    assert time.perf_counter() - began < 60


WINE = columns("wine", alcohol="number", proline="number", cultivar=("a", "b", "c"))


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("whats the most expensive wine? need the price", ("price", "expensive")),
        ("How many bottles were sold in each shop?", ("shop",)),
        ("Which delivery company brought the most proline?", ("delivery company",)),
        ("I want the acidity of each cultivar", ("acidity",)),
        ("Which three cultivars have the most alcohol?", ()),
        ("what is the least informative column?", ()),
        ("Which cultivar is best?", ()),
    ],
)
def test_what_is_asked_for_in_passing_is_missed_too(question: str, missing: tuple[str, ...]) -> None:
    assert set(read(question, WINE, {"wine": "wine.csv"}).missing) >= set(missing)
    assert bool(missing) == bool(read(question, WINE, {"wine": "wine.csv"}).missing)


def test_a_longer_word_is_no_typo() -> None:
    found = read("is the segment of a customer related to the country?", columns("c", customer_id="integer"), {})
    assert [(each.column.name, each.sure) for each in found.columns] == [("customer_id", False)]


def test_a_name_in_one_word_is_found_by_its_beginning() -> None:
    engel = columns("engel", income="number", foodexp="number")
    found = read("Regress food expenditure on income and tell me the slope.", engel, {})
    assert (names(found), found.missing) == ({"income", "foodexp"}, ())


def test_a_name_in_brackets_says_what_is_meant() -> None:
    modes = columns("modes", ttme="number", mode=("air", "bus"))
    found = read("What is the average terminal waiting time (ttme) for each mode of travel?", modes, {})
    assert (names(found), found.missing) == ({"ttme", "mode"}, ())


FLOWERS = columns(
    "flowers",
    **{f"{part} {side} (cm)": "number" for part in ("petal", "sepal") for side in ("length", "width")},
    species=("red", "white"),
)


@pytest.mark.parametrize(
    ("question", "expected", "sure"),
    [
        ("the mean petal length", {"petal length (cm)"}, True),
        ("Petal Lengths by species", {"petal length (cm)", "species"}, True),
        ("which species has the longest petals?", {"petal length (cm)", "species"}, False),
        ("the widest sepal of all", {"sepal width (cm)"}, False),
        ("petals of all species", {"petal length (cm)", "petal width (cm)", "species"}, False),
    ],
)
def test_words_side_by_side_name_one_column(question: str, expected: set[str], sure: bool) -> None:
    found = read(question, FLOWERS, {"flowers": "flowers.csv"})
    assert names(found) == expected
    assert all(each.sure == sure for each in found.columns if each.column.type == "number")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("mean household income of the travellers", "hinc"),
        ("total employment in 1950", "TOTEMP"),
        ("how did joblessness develop?", "unemp"),
        ("spending on food", "foodexp"),
        ("the consumer price index", "cpi"),
        ("share of high school graduates", "hs_grad"),
        ("government spending", "realgovt"),
    ],
)
def test_short_names_are_found_by_the_words_they_are_made_of(question: str, name: str) -> None:
    short = columns(
        "t", hinc="number", TOTEMP="number", unemp="number", foodexp="number", cpi="number", realgovt="number"
    )
    found = read(question, [*short, *columns("t", hs_grad="number", state="text", patient_id="integer")], {})
    assert names(found) == {name}


def test_words_that_only_begin_alike_make_no_short_name() -> None:
    found = read("the temperature of each state", columns("t", state="text", urban="number"), {})
    assert (names(found), found.unknown) == ({"state"}, ("temperature",))
    assert read("how many patients died", columns("t", patient_id="integer", age="number"), {}).missing == ("died",)
