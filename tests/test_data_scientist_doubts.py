"""Answers that run and cannot be right: what the model is told of them, and answers of the same kind that stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_data_scientist_mending import BOTH, asked

from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.doubts import DOUBT, joined_by_no_key, useless_in
from graphwright.agents.data_scientist.slips import Join

JOIN = Join(left="sales", left_column="buyer", right="people", right_column="id")


@pytest.mark.parametrize(
    "code",
    [
        "for kind, part in df.groupby('kind'):\n    result = part['size'].mean()",
        "for kind in ['elm', 'oak']:\n    part = df[df['kind'] == kind]\n    result = {kind: part['size'].mean()}",
        "for c in df.columns:\n    fig = px.histogram(df, x=c)",
    ],
)
def test_a_loop_that_keeps_its_last_turn_only_is_told(code: str) -> None:
    found = useless_in(code, [])
    assert found is not None
    assert "only the last one is left" in found.message
    assert found.line > 1 or "columns" in code or "loop" in found.message


@pytest.mark.parametrize(
    "code",
    [
        "result = {}\nfor kind, part in df.groupby('kind'):\n    result[kind] = part['size'].mean()",
        "result = 0\nfor kind, part in df.groupby('kind'):\n    result = result + part['size'].mean()",
        "result = 0\nfor n in df['size']:\n    if n > 5:\n        result = n\n        break",
        "best = None\nfor n in df['size']:\n    if best is None or n > best:\n        best = n\nresult = best",
        "fig = go.Figure()\nfor k, p in df.groupby('kind'):\n    fig.add_trace(go.Scatter(x=p['size']))",
        "fig = go.Figure()\nfor k, p in df.groupby('kind'):\n    fig = fig.add_trace(go.Scatter(x=p['size']))",
        "sizes = df.groupby('kind').size()\nresult = sizes[sizes > 0]",
        "result = df[df['discount'] == 0].groupby('kind').size()",
        "n = people['id'].map(sales.groupby('buyer').size()).fillna(0)\nresult = (n == 0).sum()",
        "n = sales.groupby('buyer').size().reindex(people['id'], fill_value=0)\nresult = (n == 0).sum()",
        "n = df.groupby('kind').size().reset_index(name='n')\nresult = n[n['kind'] == 0]",
        "result = (",
    ],
)
def test_sound_loops_and_groups_stand(code: str) -> None:
    assert useless_in(code, [JOIN]) is None


@pytest.mark.parametrize(
    "code",
    [
        "result = sales.groupby('buyer').size().loc[lambda x: x == 0].sum()",
        "n = sales.groupby('buyer').size()\nresult = len(n[n == 0])",
        "n = sales.groupby('buyer').size().reset_index(name='n')\nresult = n[n['n'] < 1]",
        "result = (sales.groupby('buyer').size() == 0).sum()",
    ],
)
def test_groups_without_rows_are_told_where_to_look_for(code: str) -> None:
    found = useless_in(code, [JOIN])
    assert found is not None
    assert "t = datasets['people']; result = t[~t['id'].isin(datasets['sales']['buyer'])]" in found.message
    assert useless_in(code, []) is not None


@pytest.mark.parametrize(
    ("code", "by"),
    [
        ('t = sales.merge(people, on="name")', "name"),
        ('t = pd.merge(people, sales, left_on="name", right_on="buyer")', "name"),
        ("t = sales.merge(people)", "name"),
        ('t = sales.merge(people, left_on="buyer", right_on="id")', ""),
        ('t = people.merge(sales, left_on="id", right_on="buyer", how="left")', ""),
        ('t = people.merge(sales, how="cross")', ""),
        ('t = sales.groupby("buyer", as_index=False)["paid"].sum().merge(people, left_on="buyer", right_on="id")', ""),
        ('t = sales.merge(sales, on="name")', ""),
        ("t = sales.set_index('buyer').join(people.set_index('id'), rsuffix='_p')", ""),
        ("t = sales.merge(", ""),
    ],
)
def test_a_join_by_no_key_is_doubted(code: str, by: str) -> None:
    columns = [ColumnView("sales", name, "integer") for name in ("sale", "buyer", "name", "paid")]
    columns += [ColumnView("people", name, "integer") for name in ("id", "name", "town")]
    given = 'sales = datasets["sales"]\npeople = datasets["people"]\n'
    found = joined_by_no_key(given + code, columns, [JOIN])
    assert (found is not None) == bool(by)
    if found:
        assert f"joined by {by}, " in found.message
        assert 'datasets["sales"].merge(datasets["people"], left_on="buyer", right_on="id")' in found.message


BEST = "result = df.groupby('product')['amount'].sum().idxmax()"
CORRELATED = "t = rain.merge(harvest, left_on='year', right_on='YEAR')\nresult = t['rain'].corr(t['tons'])"
AT_ALL = "result = df[df['pieces'] > 0]['amount'].mean()"
ONE_OF_ALL = "result = df.groupby('product')['amount'].sum().reset_index().iloc[0]['amount']"


@pytest.mark.parametrize(
    ("question", "files", "code", "why"),
    [
        (
            "t-test: does the leaf width depend on healthy?",
            ["leaves.csv"],
            "result = df.groupby('healthy')['leaf width (cm)'].mean()",
            "none is made",
        ),
        (
            "does the leaf width differ significantly between the kinds?",
            ["leaves.csv"],
            "t = scipy.stats.ttest_ind(*[p for _, p in df.groupby('kind')['leaf width (cm)']])\n"
            "result = {'statistic': 40 + abs(t.statistic)}",
            "no p-value",
        ),
        ("the leaf width per kind", ["leaves.csv"], "result = df[['kind', 'leaf width (cm)']]", "Group by 'kind'"),
        (
            "which country bought the most pieces?",
            BOTH,
            "result = df.groupby('country')['pieces'].sum().max()",
            "which",
        ),
        (
            "mean leaf width of elm vs oak",
            ["leaves.csv"],
            "a, b = (df[df['kind'] == k]['leaf width (cm)'].mean() for k in ('elm', 'oak'))\nresult = (a + b) / 2",
            "Group by 'kind'",
        ),
        ("how many people are there?", BOTH, "result = len(people) - len(sales)", "negative"),
        ("What is the total amount by product?", ["sales.csv"], ONE_OF_ALL, "a value of each 'product'"),
        ("gib mir die Summe amount je product", ["sales.csv"], ONE_OF_ALL, "a value of each 'product'"),
        ("rain since 1970 in total", ["rain.csv"], "result = df['rain'].sum()", "is about 1970"),
        ("mean rain im Jahr 1960?", ["rain.csv"], "result = df['rain'].mean()", "is about 1960"),
        ("mean leaf length of oak", ["leaves.csv"], "result = df['leaf length (cm)'].mean()", "kind == 'oak'"),
        ("mean amount of sales of more than 2 pieces", ["sales.csv"], AT_ALL, "has no 2"),
        (
            "average amount with no pieces vs two or more pieces",
            ["sales.csv"],
            "result = df[(df['pieces'] == 0) | (df['pieces'] >= 2)]['amount'].mean()",
            "'no pieces' and 'two or more'",
        ),
        (
            "How old are the people who bought a desk, on average?",
            BOTH,
            "t = sales.merge(people, on='person_id')\n"
            "result = t[t['product'] == 'desk'].groupby('name')['age'].mean().reset_index()",
            "one number over all",
        ),
        (
            "what share of the amount is of lamp, in percent?",
            ["sales.csv"],
            "result = df[df['product'] == 'lamp']['amount'].sum() * 100",
            "no share is below 0 or above 100",
        ),
        (
            "rain beside the tons of the other file: correlation?",
            ["rain.csv", "harvest.csv"],
            "rain['tons'] = harvest['tons']\nresult = rain['rain'].corr(rain['tons'])",
            "by their position",
        ),
        (
            "By what factor do the odds of healthy yes rise with leaf width?",
            ["leaves.csv"],
            "d = df.rename(columns={'leaf width (cm)': 'w'}).assign(h=(df['healthy'] == 'yes').astype(int))\n"
            "result = smf.logit('h ~ w', data=d).fit(disp=0).params['w']",
            "np.exp",
        ),
        ("sales of over 50 pieces", ["sales.csv"], "result = df[df['pieces'] > 50]", "without rows"),
    ],
)
async def test_a_doubt_is_told_once_and_the_model_may_insist(
    tmp_path: Path, question: str, files: list[str], code: str, why: str
) -> None:
    turn = await asked(tmp_path, question, files, code, code)
    (failed,) = turn.values["failed_attempts"]
    assert failed["error"].startswith(DOUBT)
    assert why in failed["error"]
    assert turn.values["attempts"] == 2
    assert turn.values["execution_success"]


@pytest.mark.parametrize(
    ("question", "files", "code"),
    [
        ("which year had the most rain?", ["rain.csv"], "result = df.loc[df['rain'].idxmax(), 'year']"),
        (
            "elm vs oak: the difference of the mean leaf width",
            ["leaves.csv"],
            "m = df.groupby('kind')['leaf width (cm)'].mean()\nresult = m['elm'] - m['oak']",
        ),
        ("sales by product", ["sales.csv"], "result = df.groupby('product')['amount'].sum()"),
        ("the two significant digits of the mean amount", ["sales.csv"], "result = df['amount'].mean()"),
        ("average pieces per product", ["sales.csv"], "result = df.groupby('product')['pieces'].mean().mean()"),
        ("which product has the largest total amount by product?", ["sales.csv"], BEST),
        ("rain from 1950 to 1979 in total", ["rain.csv"], "result = df['rain'].sum()"),
        ("mean rain after 1969", ["rain.csv"], "result = df[df['year'] >= 1970]['rain'].mean()"),
        ("total rain in 1970, by year", ["rain.csv"], "result = df.groupby('year')['rain'].sum()"),
        ("how many sales had at least 3 pieces?", ["sales.csv"], "result = int((df['pieces'] > 2).sum())"),
        ("how many people bought more than once?", BOTH, "result = int(sales['person_id'].duplicated().sum())"),
        ("how many lamps and desks were sold?", ["sales.csv"], "result = df.groupby('product')['pieces'].sum()"),
        ("how many missing values are there?", BOTH, "result = people.isna().sum()"),
        ("what part of the leaves are oak, in percent?", ["leaves.csv"], "result = (df['kind'] == 'oak').mean() * 100"),
        ("How strongly do rain and tons correlate by year?", ["rain.csv", "harvest.csv"], CORRELATED),
        (
            "is the difference in leaf width between the kinds significant?",
            ["leaves.csv"],
            "result = scipy.stats.ttest_ind(*[p for _, p in df.groupby('kind')['leaf width (cm)']])",
        ),
    ],
)
async def test_answers_of_the_same_kind_stand(tmp_path: Path, question: str, files: list[str], code: str) -> None:
    turn = await asked(tmp_path, question, files, code)
    assert turn.values["attempts"] == 1, turn.values["failed_attempts"]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("result = df['leaf width (cm)'].mean", "is an object"),
        ("result = df.groupby('kind')", "is an object"),
        (
            "a = df['leaf width (cm)'].where(df['leaf width (cm)'] > 9)\n"
            "t = scipy.stats.ttest_ind(a, df['leaf length (cm)'])\nresult = {'t': 1.5, 'p_value': t.pvalue}",
            "dropna()",
        ),
    ],
)
async def test_what_is_no_value_is_a_failure(tmp_path: Path, code: str, why: str) -> None:
    turn = await asked(tmp_path, "leaf width", ["leaves.csv"], code, "result = df['leaf width (cm)'].mean()")
    (failed,) = turn.values["failed_attempts"]
    assert why in failed["error"]
    assert turn.values["attempts"] == 2
