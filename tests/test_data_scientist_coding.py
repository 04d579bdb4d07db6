"""Code of a model: taken out of its answer, and what is said of it before it runs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_data_scientist_mentions import TIPS, tips

from graphwright.agents.data_scientist.coding import (
    LONGEST_CODE,
    Fault,
    code_of,
    fault_in,
    repair_hints,
    taken_instead,
    unused_in,
    with_columns,
    with_names,
)
from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.mentions import Mentions, read

DATASETS = {"tips": {}}


def lost_to(code: str, columns: Sequence[ColumnView], mentions: Mentions) -> tuple[str, ...]:
    """The words that mean nothing in the data, where the code took other columns for them."""
    return mentions.unknown if taken_instead(code, columns, mentions) else ()


def fault(code: str, question: str = "average tip", *, figure: bool = False) -> Fault | None:
    return fault_in(code, DATASETS, TIPS, figure=figure) or unused_in(code, tips(question))


@pytest.mark.parametrize(
    "answer",
    [
        "result = 1",
        "```python\nresult = 1\n```",
        "Here it is:\n```py\nresult = 1\n```\nI hope it helps!",
        "```\nresult = 1\n```",
        "```python\nresult = 1",
        "```Python\r\nresult = 1\r\n```",
    ],
)
def test_code_is_taken_out_of_an_answer(answer: str) -> None:
    assert code_of(answer).replace("\r", "") == "result = 1\n"


def test_several_blocks_are_one_program() -> None:
    assert code_of("First\n```python\na = 1\n```\nthen\n```python\nresult = a\n```") == "a = 1\n\nresult = a\n"
    assert code_of("  \n") == ""


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("result = df['tip'].mean()", "average tip"),
        ("df['share'] = df['tip'] / df['total_bill']\nresult = df['share'].mean()", "tip as a share of the bill"),
        ("result = df.groupby('day')['tip'].mean().reset_index(name='average')", "average tip by day"),
        ("result = df[df['day'] == 'Sun']['tip'].mean()", "average tip on sunday"),
        ("df.corr(numeric_only=True)", "Which columns are correlated with tip?"),
        ("t = datasets['tips']\nresult = len(t)", "how many rows"),
        ("means = df.groupby('sex').agg(m=('tip', 'mean'))\nresult = means['m'].max()", "highest mean tip by sex"),
        ("model = smf.ols('tip ~ total_bill', data=df).fit()\nresult = model.rsquared", "regress tip on total bill"),
    ],
)
def test_sound_code_may_run(code: str, question: str) -> None:
    assert fault(code, question) is None


@pytest.mark.parametrize(
    ("code", "message", "line"),
    [
        ("", "no Python code", 0),
        ("result = df['tip'", "SyntaxError", 1),
        ("x = 1\nresult = df['tips'].mean()", "There is no column 'tips'. Did you mean 'tip'?", 2),
        ("result = datasets['sales']['tip'].mean()", "There is no data set 'sales'. There is: 'tips'.", 1),
        ("df = pd.read_csv('tips.csv')\nresult = df['tip'].mean()", "Files cannot be read here", 1),
        ("result = df[df['day'] == 'Sunday']['tip'].mean()", "No row has day 'Sunday'. Did you mean 'Sun'?", 1),
        ("result = 2.99  # tip", "does not use the data", 0),
        ("x = df['tip'].mean()", "Nothing is stored", 0),
        ("result = df['total_bill'].mean()", "asks about 'tip'", 0),
        ("x = 1\nresult = frame['tip'].mean()", "'frame' is not defined. The data is in datasets['tips'].", 2),
        ("result = '\0'", "SyntaxError", 0),
        ("(" * 300 + ")" * 300, "SyntaxError", None),
        ("-" * 15_000 + "1", "Error", None),
        ("#" * (LONGEST_CODE + 1), "at most", 0),
    ],
)
def test_what_cannot_answer_is_told_before_it_runs(code: str, message: str, line: int | None) -> None:
    found = fault(code)
    assert found is not None
    assert message in found.message
    if line is not None:
        assert found.line == line
        assert bool(found.source) == bool(line)


def test_a_picture_that_is_asked_for_must_be_made() -> None:
    asked = "histogram of the tip"
    found = fault("result = df['tip'].mean()", asked, figure=True)
    assert found is not None
    assert "fig" in found.message
    assert fault("fig = px.histogram(df, x='tip')", asked, figure=True) is None
    assert fault("df['tip'].hist()\nplt.title('Tips')", asked, figure=True) is None


def test_hints_name_columns_that_come_near() -> None:
    assert "total_bill" in repair_hints("KeyError: 'totalbill'", TIPS)
    assert repair_hints("ZeroDivisionError: division by zero", TIPS) == ""
    assert "pivot_table" in repair_hints("ValueError: Index contains duplicate entries, cannot reshape", TIPS)
    two = [*TIPS, ColumnView("days", "day", "text")]
    assert "'day_x' of the left one and 'day_y'" in repair_hints("KeyError: 'day'", two)


@given(st.text(max_size=400))
def test_any_answer_can_be_looked_at(answer: str) -> None:
    fault(code_of(answer))


def test_a_data_set_may_be_used_by_its_bare_name() -> None:
    assert (
        with_names("result = tips['tip'].mean()\n", DATASETS)
        == "tips = datasets['tips']\nresult = tips['tip'].mean()\n"
    )
    assert with_names("tips = df.copy()\nresult = len(tips)", DATASETS) == "tips = df.copy()\nresult = len(tips)"
    assert with_names("result = (", DATASETS) == "result = ("


def test_an_error_without_a_near_name_lists_the_columns() -> None:
    assert "total_bill, tip" in repair_hints("KeyError: 'weather'", TIPS)


FLOWERS = [ColumnView("iris", name, "number") for name in ("sepal width (cm)", "petalLength", "species", "a b", "a_b")]


@pytest.mark.parametrize(
    ("code", "mended"),
    [
        ("df['sepal_width'].mean()", "df['sepal width (cm)'].mean()"),
        ("df.groupby('Species')['petal_length']", "df.groupby('species')['petalLength']"),
        (
            "px.box(df, x='Species', y='petal length', title='petal length')",
            "px.box(df, x='species', y='petalLength', title='petal length')",
        ),
        ("df[['species', 'Sepal Width']]", "df[['species', 'sepal width (cm)']]"),
        ("df['sepal_width'] = 1\nresult = df['sepal_width']", "df['sepal_width'] = 1\nresult = df['sepal_width']"),
        ("df['a-b']", "df['a-b']"),
        (
            "px.bar(df, y='sepal width', labels={'sepal width': 'Width'})",
            "px.bar(df, y='sepal width (cm)', labels={'sepal width': 'Width'})",
        ),
        ("df['ä'], df['PETALLENGTH']", "df['ä'], df['petalLength']"),
        ("df[", "df["),
    ],
)
def test_columns_are_spelt_as_in_the_data(code: str, mended: str) -> None:
    assert with_columns(code, FLOWERS) == mended


@pytest.mark.parametrize(
    ("code", "question", "lost"),
    [
        ("result = df.groupby('day')['size'].sum()", "How many guests came in each weather?", ("weather",)),
        ("result = df['total_bill'].max()", "what does the dearest dish cost?", ("dearest", "dish", "cost")),
        ("result = df['tip'].mean()", "what is the typical tip of a guest?", ()),
        ("result = len(df)", "how many guests were there?", ()),
        (
            "result = df[df['day'] == 'Sun']['tip'].max()",
            "what was the biggest gratuity on sunday?",
            ("gratuity",),
        ),
    ],
)
def test_another_column_in_the_place_of_what_is_asked_for_is_seen(
    code: str, question: str, lost: tuple[str, ...]
) -> None:
    assert lost_to(code, TIPS, tips(question)) == lost


def test_a_column_of_another_data_set_is_joined() -> None:
    two = [*TIPS, ColumnView("guests", "name", "text"), ColumnView("guests", "day", "text")]
    datasets = {"tips": {}, "guests": {}}
    code = "result = datasets['guests'][datasets['guests']['total_bill'] > 5]['name'].iloc[0]"
    found = fault_in(code, datasets, two, figure=False)
    assert found is not None
    assert "guests has no column 'total_bill': it is in tips." in found.message
    assert "datasets['guests'].merge(datasets['tips'], on='day')" in found.message
    assert "join the data sets" in repair_hints("KeyError: 'total_bill'", two)
    assert fault_in("result = tips['tip'].mean()", datasets, two, figure=False) is not None
    assert fault_in("tips = datasets['tips']\nresult = tips['tip'].mean()", datasets, two, figure=False) is None


def test_a_position_that_is_taken_for_a_name_is_told() -> None:
    assert ".iloc[1]" in repair_hints("KeyError: 1", TIPS)


def test_where_one_thing_is_measured_other_words_mean_that() -> None:
    nile = [ColumnView("nile", "year", "integer"), ColumnView("nile", "volume", "number")]
    question = read("In which year did the Nile carry the least water?", nile, {"nile": "nile.csv"})
    assert lost_to("result = df.loc[df['volume'].idxmin(), 'year']", nile, question) == ()


def test_a_year_is_taken_for_the_decade_that_is_asked_for() -> None:
    rates = [ColumnView("rates", name, "number") for name in ("year", "quarter", "unemp", "infl")]
    question = read("average unemployment in each decade?", rates, {"rates": "rates.csv"})
    assert "decade" in question.unknown
    code = "df['d'] = df['year'] // 10 * 10\nresult = df.groupby('d')['unemp'].mean()"
    assert lost_to(code, rates, question) == ()
    assert lost_to(code.replace("unemp", "infl"), rates, question) == ("decade",)


def test_hints_help_with_formulas_and_spellings() -> None:
    odd = [ColumnView("a", "petal width (cm)", "number"), ColumnView("a", "YEAR", "integer")]
    assert "Q('petal width (cm)')" in repair_hints("PatsyError: Error evaluating factor", odd)
    assert "left_on" in repair_hints("KeyError: 'year'", [*odd, ColumnView("b", "year", "integer")])


@pytest.mark.parametrize(
    ("answer", "in_words"),
    [
        ("The reason is that the sample variance is an unbiased estimator, divided by n-1.", True),
        ("Die Varianz wird sonst unterschätzt, weil der Mittelwert geschätzt ist.", True),
        ("result = df['tip'].mean()\nThis is the mean of the tip over all rows", False),
        ("for each in df:\nresult = 1 +", False),
    ],
)
def test_words_where_code_should_be_are_told_as_such(answer: str, in_words: bool) -> None:
    found = fault(answer)
    assert found is not None
    assert ("words, not Python" in found.message) is in_words
