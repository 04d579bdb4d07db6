"""Slips of generated code that are mended before it runs: in conversations with real files, and code that stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from runtime_support import scripted

from graphwright import Turn, load
from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.mending import is_same, without_slips
from graphwright.agents.data_scientist.mentions import read
from graphwright.agents.data_scientist.slips import Join

SHOP = {
    "people.csv": "person_id,name,country,segment,age\n"
    + "".join(
        f"{n},N{n},{'Spain' if n % 3 else 'Italy'},{'business' if n % 2 else 'private'},{20 + n}\n" for n in range(1, 9)
    ),
    "sales.csv": "sale_id,person_id,product,amount,pieces\n"
    + "".join(f"{n},{n % 8 + 1},{'lamp' if n % 2 else 'desk'},{n}.5,{n % 4}\n" for n in range(1, 25)),
    "rain.csv": "year,rain\n" + "".join(f"{year},{year % 7}.5\n" for year in range(1950, 1980)),
    "harvest.csv": "YEAR,tons\n" + "".join(f"{year},{year % 7 * 2}\n" for year in range(1950, 1980)),
    "leaves.csv": "kind,leaf length (cm),leaf width (cm),healthy\n"
    + "".join(
        f"{'elm' if n % 2 else 'oak'},{n}.5,{n * 2 + n % 3}.25,{'yes' if n % 3 else 'no'}\n" for n in range(1, 13)
    ),
}


async def asked(home: Path, question: str, files: list[str], *codes: str) -> Turn:
    """One question over files of the shop, to a model that writes these codes in order."""
    plan = {"needs_code": True, "needs_evaluation": False, "needs_explanation": False, "reasoning": "r"}
    rules: list[dict[str, Any]] = [{"offers": "ExecutionPlan", "call": {"ExecutionPlan": plan}}]
    rules += [{"text": code, "times": 1} for code in codes]
    for name in files:
        (home / name).write_text(SHOP[name])
    async with load("data_scientist").session("t", model=scripted(*rules), home=home) as session:
        return await session.send(question, [home / name for name in files])


BOTH = ["people.csv", "sales.csv"]
LOGIT = (
    'smf.logit("b ~ age", data=people.assign(b=(people.segment == "business").astype(int))).fit(disp=0).params["age"]'
)


@pytest.mark.parametrize(
    ("question", "files", "code", "right"),
    [
        (
            "What's the total amount per country?",
            BOTH,
            'total = datasets["sales"].merge(datasets["people"], on="person_id", how="left")["amount"]'
            '.groupby("country")["amount"].sum().reset_index()\nresult = {"total": total}',
            'sales.merge(people, on="person_id").groupby("country")["amount"].sum().reset_index()',
        ),
        (
            "total amount per country",
            BOTH,
            'total = datasets["sales"].groupby("country")["amount"].sum().reset_index()\nresult = {"total": total}',
            'sales.merge(people, on="person_id").groupby("country")["amount"].sum().reset_index()',
        ),
        (
            "average amount of sales to the business segment",
            BOTH,
            'business = datasets["sales"][datasets["sales"]["segment"] == "business"]\n'
            'result = business["amount"].mean()',
            'sales.merge(people, on="person_id").query("segment == \'business\'")["amount"].mean()',
        ),
        (
            "name of the person who spent the largest amount",
            BOTH,
            'result = people.groupby("name")["amount"].sum().idxmax()',
            'sales.merge(people, on="person_id").groupby("name")["amount"].sum().idxmax()',
        ),
        (
            "How many pieces of lamps went to spain?",
            BOTH,
            'both = sales.merge(people, on="person_id")\n'
            'result = both[(people["country"] == "spain") & (both["product"] == "Lamp")]["pieces"].sum()',
            'sales.merge(people, on="person_id").query("country == \'Spain\' and product == \'lamp\'")["pieces"].sum()',
        ),
        (
            "average amount of sales to Spain",
            BOTH,
            'result = sales[people["country"] == "Spain"]["amount"].mean()',
            'sales.merge(people, on="person_id").query("country == \'Spain\'")["amount"].mean()',
        ),
        (
            "correlation of rain and tons by year",
            ["rain.csv", "harvest.csv"],
            'both = datasets["rain"].merge(datasets["harvest"], on="year")\nresult = both["rain"].corr(both["tons"])',
            'rain.merge(harvest, left_on="year", right_on="YEAR")[["rain", "tons"]].corr().iloc[0, 1]',
        ),
        (
            "Is the segment related to the country? Use a chi-squared test.",
            ["people.csv"],
            'a = datasets["people"].groupby("segment")\nb = datasets["people"].groupby("country")\n'
            'counts = np.array([a["country"].value_counts(), b["segment"].value_counts()])\n'
            "result = scipy.stats.chi2_contingency(counts).pvalue",
            "scipy.stats.chi2_contingency(pd.crosstab(people.segment, people.country)).pvalue",
        ),
        (
            "what percentage of the amount comes from the business segment?",
            BOTH,
            't = sales.merge(people, on="person_id")\nresult = (t["amount"] * t["segment"] == "business").mean() * 100',
            '(lambda t: t[t.segment == "business"].amount.sum() / t.amount.sum() * 100)'
            '(sales.merge(people, on="person_id"))',
        ),
        (
            "total amount of lamp times: everything that is lamp",
            ["sales.csv"],
            'result = (df["amount"] * df["product"] == "lamp").sum()',
            'sales[sales["product"] == "lamp"].amount.sum()',
        ),
        (
            "how many lamp sales had an amount over 5?",
            ["sales.csv"],
            'result = len(df[df["amount"] > 5 & df["product"] == "lamp"])',
            'len(sales[(sales.amount > 5) & (sales["product"] == "lamp")])',
        ),
        (
            "logit: coefficient of the age for being of the business segment",
            ["people.csv"],
            'result = smf.logit("segment == \'business\'", data=df).fit(disp=0).params["age"]',
            LOGIT,
        ),
        (
            "logit: coefficient of the age for being of the business segment",
            ["people.csv"],
            'result = smf.logit("segment ~ age", data=df).fit(disp=0).params["age"]',
            LOGIT,
        ),
        (
            "amount of each sale minus the total amount of its product",
            ["sales.csv"],
            'sums = df.groupby("product")["amount"].sum().reset_index()\n'
            'result = sums.merge(df, on="product")\nresult = float(result["amount"].sum())',
            'float(sales.groupby("product")["amount"].transform("sum").sum())',
        ),
        (
            "mean amount",
            ["sales.csv"],
            "print(f\"The mean is {df['amount'].mean():.1f}\")",
            "sales.amount.mean()",
        ),
        (
            "mean and median of the amount",
            ["sales.csv"],
            "print(f\"mean: {df['amount'].mean()}\")\nprint('median:', df['amount'].median())",
            "{'mean': sales.amount.mean(), 'median': sales.amount.median()}",
        ),
        (
            "do the kinds differ in leaf width?",
            ["leaves.csv"],
            'result = stats.f_oneway(df.groupby("kind")["leaf width (cm)"]).pvalue',
            'scipy.stats.f_oneway(*[p for _, p in leaves.groupby("kind")["leaf width (cm)"]]).pvalue',
        ),
        (
            "t-test: does the leaf width depend on healthy?",
            ["leaves.csv"],
            'result = scipy.stats.ttest_ind(df["leaf width (cm)"], df["healthy"]).pvalue',
            'scipy.stats.ttest_ind(*[p for _, p in leaves.groupby("healthy")["leaf width (cm)"]]).pvalue',
        ),
        (
            "slope of leaf width on leaf length",
            ["leaves.csv"],
            'model = smf.ols("leaf_width ~ leaf length (cm)", data=df).fit()\n'
            'result = model.params["leaf length (cm)"]',
            'np.polyfit(leaves["leaf length (cm)"], leaves["leaf width (cm)"], 1)[0]',
        ),
        (
            "what leaf width would a line predict for a leaf length of 4?",
            ["leaves.csv"],
            "result = smf.ols('leaf width ~ leaf length', data=df).fit().predict({'leaf length': [4]})[0]",
            'np.polyval(np.polyfit(leaves["leaf length (cm)"], leaves["leaf width (cm)"], 1), 4)',
        ),
        (
            "regress leaf width on leaf length: the slope?",
            ["leaves.csv"],
            'm = sm.OLS(df["leaf width (cm)"], df["leaf length (cm)"]).fit()\nresult = m.params["leaf length (cm)"]',
            'np.polyfit(leaves["leaf length (cm)"], leaves["leaf width (cm)"], 1)[0]',
        ),
        (
            "slope of leaf width on leaf length",
            ["leaves.csv"],
            'x = df["leaf length (cm)"]\nm = LinearRegression().fit(x, df["leaf width (cm)"])\nimport sklearn\n'
            "result = m.coef_[0]",
            'np.polyfit(leaves["leaf length (cm)"], leaves["leaf width (cm)"], 1)[0]',
        ),
        (
            "which kind has the longest leaf on average?",
            ["leaves.csv"],
            'result = leaves.groupby("kind")["leaf"].mean().idxmax()',
            'leaves.groupby("kind")["leaf length (cm)"].mean().idxmax()',
        ),
        (
            "which kind has the longest leaf on average?",
            ["leaves.csv"],
            'result = leaves.groupby("kind")["longest leaf"].mean().idxmax()',
            'leaves.groupby("kind")["leaf length (cm)"].mean().idxmax()',
        ),
        (
            "how many leaves are longer than 5 cm?",
            ["leaves.csv"],
            'result = len(df.query("leaf length (cm) > 5 and healthy == yes"))',
            'len(leaves[(leaves["leaf length (cm)"] > 5) & (leaves["healthy"] == "yes")])',
        ),
        (
            "pieces of lamps in total",
            ["sales.csv"],
            "result = sales.query(\"product == 'Lamp'\")['pieces'].sum()",
            'sales[sales["product"] == "lamp"]["pieces"].sum()',
        ),
        (
            "total pieces by product and person_id",
            ["sales.csv"],
            'result = sales.pivot_table(index="person_id", columns="product", values="pieces")',
            'sales.pivot_table(index="person_id", columns="product", values="pieces", aggfunc="sum")',
        ),
        (
            "total amount of each segment",
            BOTH,
            'totals = datasets["sales"].groupby("person_id")["amount"].sum()\n'
            'both = totals.merge(datasets["people"], on="person_id")\nresult = both.groupby("segment")["amount"].sum()',
            'sales.merge(people, on="person_id").groupby("segment")["amount"].sum()',
        ),
        (
            "total amount of each segment",
            BOTH,
            'both = datasets["sales"].merge(datasets["people"], on="person_id")\n'
            'result = both.groupby("segment")["amount"].sum() + 0 * both["amount_x"].sum()',
            'sales.merge(people, on="person_id").groupby("segment")["amount"].sum()',
        ),
        (
            "correlation of rain and tons",
            ["rain.csv", "harvest.csv"],
            'both = datasets["rain"].merge(datasets["harvest"], left_on="year", right_on="YEAR", '
            'suffixes=("_r", "_h"))\nresult = both["rain_r"].corr(both["tons_h"])',
            'rain.merge(harvest, left_on="year", right_on="YEAR")[["rain", "tons"]].corr().iloc[0, 1]',
        ),
        (
            "mean leaf width",
            ["leaves.csv"],
            'width = df["leaf width (cm)"].mean()\nprint(width)',
            'leaves["leaf width (cm)"].mean()',
        ),
        (
            "mean leaf width of elms",
            ["leaves.csv"],
            'result = df[df["kind"] == "elm"]["leaf width (cm)"].mean().reset_index().head(1)',
            'leaves[leaves["kind"] == "elm"]["leaf width (cm)"].mean()',
        ),
        (
            "mean leaf width per kind",
            ["leaves.csv"],
            'means = df.groupby("kind")["leaf width (cm)"].mean().reset_index()\n'
            'fig = px.bar(means, x="kind", y="leaf width (cm)")',
            'leaves.groupby("kind")["leaf width (cm)"].mean().reset_index()',
        ),
    ],
)
async def test_a_slip_is_mended_in_the_code_that_is_shown(
    tmp_path: Path, question: str, files: list[str], code: str, right: str
) -> None:
    turn = await asked(tmp_path, question, files, code)
    got = turn.values["execution_result"]
    assert got is not None, turn.values["error"]
    assert turn.values["attempts"] == 1
    assert turn.values["code"].startswith("# Mended: ")
    assert turn.values["final_output"]["code"] == turn.values["code"]
    (script,) = [Path(a.path) for a in turn.artifacts if a.name.endswith("analysis.py")]
    assert "# Mended: " in script.read_text("utf-8")
    names = "".join(f"{name[:-4]} = datasets[{name[:-4]!r}]\n" for name in files)
    expected = await asked(_other(tmp_path), question, files, f"{names}result = {right}")
    assert expected.values["attempts"] == 1
    assert sorted(_numbers(got)) == pytest.approx(sorted(_numbers(expected.values["execution_result"])))
    if not _numbers(got):
        assert got["result_str"] == expected.values["execution_result"]["result_str"]


def _other(home: Path) -> Path:
    (home / "other").mkdir()
    return home / "other"


def _numbers(result: dict[str, Any]) -> list[float]:
    return [round(number, 9) for number in result["numbers"] if number not in (1.0, 2.0)]


async def test_groups_of_a_picture_become_a_column(tmp_path: Path) -> None:
    code = 'means = df.groupby("kind")["leaf width (cm)"].mean()\nfig = px.bar(means, x="kind", y="leaf width (cm)")'
    turn = await asked(tmp_path, "plot the mean leaf width per kind as bars", ["leaves.csv"], code)
    assert turn.values["final_output"]["output_type"] == "visualization"
    assert "px.bar(means.reset_index()," in turn.values["code"]


async def test_code_that_failed_is_not_run_again(tmp_path: Path) -> None:
    code = "print(len(leaves))\nresult = 1 / 0 + leaves['leaf width (cm)'].sum()"
    turn = await asked(tmp_path, "leaf width", ["leaves.csv"], code, f"{code}  # again", "result = len(leaves)")
    first, second = turn.values["failed_attempts"][:2]
    assert "not run" not in first["error"]
    assert "ZeroDivisionError" in second["error"]
    assert "This is the code of attempt 1 again, so it was not run." in second["error"]


async def test_one_number_is_not_grouped_unless_the_model_insists(tmp_path: Path) -> None:
    question = "average amount of sales by people in the business segment"
    joined = (
        'both = datasets["sales"].merge(datasets["people"], on="person_id")\n'
        'both = both[both["segment"] == "business"]\n'
    )
    grouped = f'{joined}result = both.groupby("person_id")["amount"].mean()'
    turn = await asked(tmp_path, question, BOTH, grouped, f'{joined}result = both["amount"].mean()')
    assert "do not group" in turn.values["failed_attempts"][0]["error"].casefold()
    assert turn.values["execution_result"]["numbers"]
    insists = await asked(_other(tmp_path), question, BOTH, grouped, grouped)
    assert insists.values["attempts"] == 2
    assert insists.values["execution_result"] is not None
    (tmp_path / "each").mkdir()
    each = await asked(tmp_path / "each", "average amount of sales by person_id", BOTH, grouped)
    assert each.values["attempts"] == 1


SALES = {"sale_id": "integer", "person_id": "integer", "product": "text", "amount": "number", "year": "integer"}
PEOPLE = {"person_id": "integer", "name": "text", "country": "text", "segment": "text", "age": "integer"}
VALUES = {"product": ("lamp", "desk"), "country": ("Spain", "Italy"), "segment": ("business", "private")}
COLUMNS = [
    ColumnView(id, name, type, VALUES.get(name, ()))
    for id, names in (("sales", SALES), ("people", PEOPLE))
    for name, type in names.items()
]
LEAVES = [
    ColumnView("leaves", "kind", "text", ("elm", "oak", "ash")),
    ColumnView("leaves", "leaf length (cm)", "number"),
    ColumnView("leaves", "leaf width (cm)", "number"),
    ColumnView("leaves", "size", "number"),
]
JOINS = [Join(left="sales", left_column="person_id", right="people", right_column="person_id")]
GIVEN = 'sales = datasets["sales"]\npeople = datasets["people"]\n'


@pytest.mark.parametrize(
    "code",
    [
        'result = sales.merge(people, on="person_id").groupby("country")["amount"].sum()',
        'result = sales["amount"].groupby(sales["product"]).sum()',
        'result = sales.set_index("product")["amount"].groupby("product").sum()',
        'result = sales[["product", "amount"]].groupby("product").sum()',
        'result = sales.groupby("product").sum(numeric_only=True)',
        'sales = sales.merge(people, on="person_id")\nresult = sales[sales["country"] == "Spain"]["amount"].mean()',
        'sales["country"] = sales["person_id"].map(people.set_index("person_id")["country"])\n'
        'result = sales.groupby("country")["amount"].sum()',
        'both = pd.merge(sales, people, left_on="person_id", right_on="person_id")\nresult = both["age"].mean()',
        'df = sales.merge(people)\nresult = df[df["segment"] == "business"]["amount"].mean()',
        'result = int((~people["person_id"].isin(sales["person_id"])).sum())',
        'for name, df in datasets.items():\n    df["country"] = 1\nresult = sales["country"].sum()',
        'totals = sales.groupby("person_id", as_index=False)["amount"].sum()\n'
        'result = totals.merge(people, on="person_id")[["name", "amount"]]',
        'sales["amount_class"] = np.where(sales["amount"] > 5, "HIGH", "low")\n'
        'result = sales[sales["amount_class"] == "HIGH"]["amount"].sum()',
        'sales["product"] = sales["product"].str.upper()\nresult = sales[sales["product"] == "LAMP"]["amount"].sum()',
        'result = scipy.stats.chi2_contingency(pd.crosstab(people["segment"], people["country"])).pvalue',
        'table = people.groupby(["segment", "country"]).size().unstack()\n'
        "result = scipy.stats.chi2_contingency(table).pvalue",
        'table = people.groupby("segment")["country"].value_counts().unstack(fill_value=0)\n'
        "result = scipy.stats.chi2_contingency(table.values)[1]",
        'a = sales[sales["product"] == "lamp"]["amount"]\nb = sales[sales["product"] == "desk"]["amount"]\n'
        "result = scipy.stats.ttest_ind(a, b).pvalue",
        'result = scipy.stats.ttest_ind(people["age"], people["person_id"]).pvalue',
        'X = sm.add_constant(people["age"])\nresult = sm.OLS(people["person_id"], X).fit().params["age"]',
        'means = sales.groupby("product")["amount"].mean()\nfig = px.bar(x=means.index, y=means.values)',
        'means = sales.groupby("product")["amount"].mean()\nt = means.reset_index()\n'
        'fig = px.bar(t, x="product", y="amount")\nresult = t',
        'fig = px.scatter(sales, x="year", y="amount")',
        'result = people.query("country == \'Spain\' and segment != @other", local_dict={"other": "private"})',
        'result = sales.query("amount > year and product in [\'lamp\']")["amount"].sum()',
        'result = sales.pivot_table(index="year", columns="product", values="amount")',
        'both = sales.merge(sales, on="person_id")\nresult = both["amount_x"].sum()',
        'for n in sales["product"].unique():\n    print(n)\nresult = sales["product"].nunique()',
        'print(sales["amount"].mean())\nsales["amount"].mean()',
        'def of(sales):\n    return sales["country"]\nresult = of(people).nunique()',
        'result = [sales for sales in [people] if sales["country"].any()]',
        'result = sales[sales["year"] == 1990]["amount"].sum()',
        "result = (",
        "result = sales" + ".copy()" * 900,
        "",
    ],
)
def test_sound_code_over_several_tables_stays_as_it_is(code: str) -> None:
    code = GIVEN + code
    named = read("amount per country", COLUMNS, {"sales": "sales.csv", "people": "people.csv"})
    assert without_slips(code, "amount per country", COLUMNS, JOINS, named) == code


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ('result = df.size + df["size"].mean()', "mean size"),
        ("result = smf.ols(\"Q('leaf width (cm)') ~ Q('leaf length (cm)')\", data=df).fit().rsquared", "fit"),
        ("result = smf.ols('size ~ C(kind) + np.log(size)', data=df).fit().rsquared", "fit"),
        ('result = sm.OLS(df["size"], df["leaf width (cm)"]).fit().params.iloc[0]', "slope through the origin"),
        ('result = df.select_dtypes("number").corr()', "correlations"),
        ('result = scipy.stats.f_oneway(*[p["size"] for _, p in df.groupby("kind")]).pvalue', "anova"),
        ('result = scipy.stats.kruskal(*df.groupby("kind")["size"].apply(list)).pvalue', "kruskal"),
        ('from scipy import stats\nresult = stats.linregress(df["size"], df["leaf width (cm)"]).slope', "slope"),
        ('df = df.rename(columns={"size": "leaf"})\nresult = df["leaf"].mean()', "mean size"),
        ('result = df[df["kind"] == "elm"]["size"].mean()', "mean size of elms"),
        ('result = df.query("`leaf width (cm)` > 2 and kind == \'elm\'")["size"].mean()', "mean size of elms"),
        ('result = df.pivot_table(index="kind", values="size")', "mean of the total size"),
        ('result = df.pivot_table(index="kind", values="size", aggfunc="max")', "total size"),
        ('totals = df.assign(n=1)\nresult = totals.pivot_table(index="kind", values="n")', "total size"),
        ("result = {k: v for k, v in df.kind.value_counts().items()}", "how many of each kind"),
    ],
)
def test_sound_code_over_one_table_stays_as_it_is(code: str, question: str) -> None:
    named = read(question, LEAVES, {"leaves": "leaves.csv"})
    assert without_slips(code, question, LEAVES, [], named) == code


@pytest.mark.parametrize(
    "code",
    [
        'result = sales.groupby("country")["amount"].sum()',
        'result = people[people["amount"] > 5]["name"].nunique()',
        'totals = sales.groupby("person_id")["amount"].sum().reset_index()\nresult = totals["name"].iloc[0]',
    ],
)
def test_no_join_is_made_where_none_is_known_or_rows_would_be_counted_twice(code: str) -> None:
    code = GIVEN + code
    named = read("amounts", COLUMNS, {})
    joins = [] if "country" in code else JOINS
    assert without_slips(code, "amounts", COLUMNS, joins, named) == code


def test_mending_ends_and_counts_in_bytes() -> None:
    code = "# ü\nresult = {'ä': df['size'].groupby('kind').mean().to_dict()}"
    once = without_slips(code, "q", LEAVES, [], read("q", LEAVES, {}))
    assert once.endswith("result = {'ä': df.groupby('kind')['size'].mean().to_dict()}")
    assert without_slips(once, "q", LEAVES, [], read("q", LEAVES, {})) == once


def test_code_is_the_same_but_for_layout() -> None:
    assert is_same("a = 1  # x\n", "a=1")
    assert not is_same("a = 1", "a = 2")
    assert is_same("a = (", " a = (\n")
