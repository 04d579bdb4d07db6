"""Recipes of tests, correlations and regressions."""

from __future__ import annotations

import re

from graphwright.agents.data_scientist.asking import AVERAGE, PERCENT, TEST, Asking, formula_name, quoted
from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.conditions import figures_in, number_text, years_in

_RESULT = 'result = {"statistic": test.statistic, "p_value": test.pvalue'
_FROM_FIGURE = re.compile(
    r"\b(?:from|than|to|against|of|equals?|be|is|was|von|gegen|als|gleich)\s+(?:[€$£]\s*)?(?P<number>\d[\d.,]*\d|\d)",
    re.I,
)
_PAIRED = r"\b(?:paired|dependent samples?|matched pairs?|gepaart\w*|verbundene\w*)\b"
_CORRELATION = r"\bcorrelat\w*|\bkorrel\w*"
_NOT_PARAMETRIC = (
    r"\b(?:mann|wilcoxon|kruskal|rank|non-?parametric|spearman|kendall|chi\w*|fisher|regress\w*|logit|ols)\b"
)


def _paired(asking: Asking) -> str:
    numbers = asking.numbers
    if not asking.asks(_PAIRED) or len(numbers) != 2:
        return ""
    one, other = (quoted(c.name) for c in numbers)
    return (
        f"both = {asking.table}[[{one}, {other}]].dropna()\n"
        f"test = scipy.stats.ttest_rel(both[{one}], both[{other}])\n{_RESULT}}}"
    )


def _against_a_figure(asking: Asking) -> str:
    """A one-sample t test: does the mean differ from 250?"""
    column = asking.measure
    if not TEST.search(asking.question) or column is None or asking.group or asking.values or asking.texts:
        return ""
    if asking.asks(_NOT_PARAMETRIC) or asking.asks(_CORRELATION):
        return ""
    years = set(years_in(asking.question)) if asking.years or asking.dates else set()
    level = re.compile(r"\s*(?:%|percent|prozent|level)", re.I)
    figures = [
        value
        for value, place in figures_in(asking.question)
        if asking.question[place].isdigit()
        and value not in years
        and not level.match(asking.question, place + len(number_text(value)))
        and value not in (0.05, 0.01, 0.1, 0.95)
    ]
    if len(figures) != 1:
        return ""
    told = number_text(figures[0])
    return (
        f"values = {asking.of(column)}.dropna()\n"
        f"test = scipy.stats.ttest_1samp(values, {told})\n"
        f'{_RESULT}, "mean": values.mean()}}'
    )


def _before_and_after(asking: Asking) -> str:
    """A two-sample t test of the rows before a year and since."""
    column, years = asking.measure, asking.years
    said = years_in(asking.question)
    if not TEST.search(asking.question) or column is None or years is None or len(said) != 1 or asking.values:
        return ""
    # "After 1900" leaves 1900 itself to the years before.
    after = re.search(r"\b(?:after|nach)\s+(?:the year\s+)?\d{4}", asking.question, re.I)
    operator = ">" if after and not asking.asks(r"\b(?:since|from|seit|ab)\s+\d{4}|\bbefore\s+\d{4}") else ">="
    return (
        f"late = {asking.of(years)} {operator} {said[0]}\n"
        f"one, other = {asking.table}[~late][{quoted(column.name)}], {asking.table}[late][{quoted(column.name)}]\n"
        f"test = scipy.stats.ttest_ind(one.dropna(), other.dropna(), equal_var=False)\n"
        f'{_RESULT}, "before": one.mean(), "after": other.mean()}}'
    )


def _two_groups(asking: Asking) -> str:
    column, two = asking.measure, asking.of_two
    wanted = TEST.search(asking.question) and not asking.asks(_NOT_PARAMETRIC) and not asking.asks(_CORRELATION)
    if not wanted or column is None or two is None or (two[1][0] not in two[0].values):
        return ""
    by, (one, other) = two
    parts = [f"{asking.table}[{asking.of(by)} == {_value(by, each)}][{quoted(column.name)}]" for each in (one, other)]
    return (
        f"one = {parts[0]}\nother = {parts[1]}\n"
        "test = scipy.stats.ttest_ind(one.dropna(), other.dropna(), equal_var=False)\n"
        f"{_RESULT}, {quoted(one)}: one.mean(), {quoted(other)}: other.mean()}}"
    )


def _value(column: ColumnView, value: str) -> str:
    return value if column.type == "boolean" and value in ("True", "False") else quoted(value)


def _many_groups(asking: Asking) -> str:
    """An analysis of variance."""
    column = asking.measure
    asked = asking.asks(r"\banova\b|\bvarianzanalyse\b|\banalysis of variance\b")
    if not (asked or (TEST.search(asking.question) and not asking.asks(_NOT_PARAMETRIC))) or column is None:
        return ""
    groups = [c for c in asking.texts if len(c.values) > 2 or (asked and len(c.values) > 1)]
    if len(groups) != 1 or asking.values or asking.asks(_CORRELATION):
        return ""
    by = quoted(groups[0].name)
    return (
        f"groups = [part.dropna() for _, part in {asking.table}.groupby({by})[{quoted(column.name)}]]\n"
        "test = scipy.stats.f_oneway(*groups)\n"
        f'{_RESULT}, "means": {asking.table}.groupby({by})[{quoted(column.name)}].mean().to_dict()}}'
    )


def _two_texts(asking: Asking) -> str:
    """A chi-squared test."""
    related = (
        r"\bchi-?(?:squared?|2)?\b|\bchi2\b|\bindependen\w*|\bassociat\w*|\brelat\w*|\bdepends?\b|\bunabhängig\w*|"
        r"\bzusammenh\w*|\bhäng\w*"
    )
    two = [c for c in asking.texts if c.values]
    if len(two) != 2 or asking.numbers or asking.figure or asking.values:
        return ""
    if not (asking.asks(related) or TEST.search(asking.question)):
        return ""
    return f"test = scipy.stats.chi2_contingency(pd.crosstab({asking.of(two[0])}, {asking.of(two[1])}))\n{_RESULT}}}"


def _correlation(asking: Asking) -> str:
    numbers = asking.numbers
    tested = TEST.search(asking.question) and asking.asks(r"\brelat\w*|\bassociat\w*|\bzusammenh\w*")
    if asking.figure or len(numbers) != 2 or not (asking.asks(_CORRELATION) or tested) or asking.values:
        return ""
    if asking.asks(
        r"\bkendall\b|\bpartial\b|\bmatrix\b|\bauto-?correl|\bregress|\bper\b|\beach\b|\bevery\b|\bje(?:de\w*)?\b"
    ):
        return _of_sums(asking)
    one, other = (quoted(c.name) for c in numbers)
    method = "spearman" if asking.asks(r"\bspearman|\brank") else "pearson"
    if not TEST.search(asking.question):
        how = ', method="spearman"' if method == "spearman" else ""
        return f"result = {asking.table}[{one}].corr({asking.table}[{other}]{how})"
    return (
        f"both = {asking.table}[[{one}, {other}]].dropna()\n"
        f"test = scipy.stats.{method}r(both[{one}], both[{other}])\n"
        'result = {"r": test.statistic, "p_value": test.pvalue}'
    )


def _of_sums(asking: Asking) -> str:
    """The correlation of what is added up for each row of another data set, by the key that joins them."""
    numbers, joined = asking.numbers, asking.joined
    if joined is None or len(joined.others) != 1 or not asking.asks(r"\badd(?:ed)? up\b|\bsum|\btotal|\bsumm|\bgesamt"):
        return ""
    of = {c.dataset: c for c in numbers}
    keys = [j for j in asking.joins if (j["left"], j["right"]) == (joined.base, joined.others[0])]
    if set(of) != {joined.base, joined.others[0]} or len(keys) != 1:
        return ""
    many, one = of[joined.base], of[joined.others[0]]
    return (
        f"rows = df.groupby({quoted(keys[0]['left_column'])})"
        f'.agg({{{quoted(many.name)}: "sum", {quoted(one.name)}: "first"}})\n'
        f"result = rows[{quoted(many.name)}].corr(rows[{quoted(one.name)}])"
    )


_LOGIT = r"\blogit\w*|\blogistic\w*|\blogistisch\w*|\bodds\b|\bchancenverhältnis\w*"


def _odds(asking: Asking) -> str:
    """A logistic regression of whether a row has a value, and the factor of the odds."""
    column, values = asking.measure, asking.values
    if not asking.asks(_LOGIT) or column is None:
        return ""
    outcomes = {(c.name, value): c for c, value, _ in values}
    if len(outcomes) == 1:
        ((_, value), outcome) = next(iter(outcomes.items()))
        made = f"({asking.of(outcome)} == {_value(outcome, value)}).astype(int)"
    else:
        return ""
    data = f"data = {asking.table}.assign(outcome={made})\n"
    model = f'model = smf.logit("outcome ~ {formula_name(column)}", data=data).fit(disp=0)\n'
    name = f'"{formula_name(column)}"'
    if asking.asks(r"\bfactor\b|\bodds\b|\bfaktor\b|\bchancen\w*"):
        return f"{data}{model}result = np.exp(model.params[{name}])"
    return f'{data}{model}result = {{"coefficient": model.params[{name}], "p_value": model.pvalues[{name}]}}'


def _prediction(asking: Asking) -> str:
    """What a straight line expects at a figure: the measure next to the figure is what is given."""
    asked = r"\bpredict\w*|\bforecast\w*|\bexpect\w*|\bestimate\w*|\bvorhers\w*|\bprognos\w*|\berwart\w*|\bschätz\w*"
    line = r"\bline\b|\blinear\w*|\bregress\w*|\bfit\w*|\bmodell?\w*|\bgerade\w*"
    numbers = asking.numbers
    if not asking.asks(asked) or not asking.asks(line) or len(numbers) != 2 or asking.figure or asking.values:
        return ""
    if asking.asks(r"\bquadratic|\bpolynom|\blog(?:it|istic)?\b|\bper\b|\beach\b"):
        return ""
    figures = [(v, p) for v, p in figures_in(asking.question) if asking.question[p].isdigit()]
    if len(figures) != 1:
        return ""
    value, at = figures[0]
    # A name may be said twice, at the line and at the figure.
    said = {
        each.column.name: each.said for each in asking.named.columns if each.column.name in {c.name for c in numbers}
    }
    ways = sorted(
        (
            min(
                (abs(at - f.start()) for f in re.finditer(rf"\b{re.escape(said[c.name])}\b", asking.question)),
                default=999,
            ),
            i,
        )
        for i, c in enumerate(numbers)
    )
    given, wanted = numbers[ways[0][1]], numbers[ways[1][1]]
    return (
        f'model = smf.ols("{formula_name(wanted)} ~ {formula_name(given)}", data={asking.table}).fit()\n'
        f"result = model.predict(pd.DataFrame({{{quoted(given.name)}: [{number_text(value)}]}})).iloc[0]"
    )


def _weighted(asking: Asking) -> str:
    found = re.search(r"\b(?:weight(?:ed|ing)?|gewichtet\w*)\b", asking.question, re.I)
    numbers = asking.numbers
    if not found or len(numbers) != 2 or not AVERAGE.search(asking.question) or PERCENT.search(asking.question):
        return ""
    behind = asking.question[found.end() :]
    said = {each.column.name: each.said for each in asking.named.columns}
    places = {c.name: behind.find(said[c.name]) for c in numbers if said[c.name] in behind}
    by = re.search(r"^\s*(?:by|with|mit|nach|durch)\b", behind)
    if not places:
        return ""
    # "weighted by b", "weighted mean of a by b": the weight is named last but right behind "weighted by".
    weight = min(places, key=lambda n: places[n]) if by else max(places, key=lambda n: places[n])
    (of,) = (c.name for c in numbers if c.name != weight)
    return (
        f"rows = {asking.table}[[{quoted(of)}, {quoted(weight)}]].dropna()\n"
        f"result = np.average(rows[{quoted(of)}], weights=rows[{quoted(weight)}])"
    )


RECIPES = (
    _odds,
    _prediction,
    _paired,
    _before_and_after,
    _two_groups,
    _against_a_figure,
    _many_groups,
    _two_texts,
    _correlation,
    _weighted,
)
