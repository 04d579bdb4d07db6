"""Recipes of shares, comparisons of two groups, people counted once, ranks, and figures beside the average."""

from __future__ import annotations

import re

from graphwright.agents.data_scientist.asking import AVERAGE, COUNTING, MEDIAN, PERCENT, TEST, Asking, quoted
from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.conditions import Condition, conditions_in, figures_in

COMPARING = re.compile(
    r"\b(?:vs\.?|versus|compared? (?:to|with)|comparing|as against|im vergleich (?:zu|mit)|verglichen mit|gegenüber)"
    r"(?!\w)",
    re.I,
)
_DIFFERENCE = r"\bdifferen\w*|\bratio\b|\bhow much more\b|\bhow many times\b|\bunterschied\w*|\bdifferenz\w*|\bmal so\b"
_MONEY = r"\b(?:money|revenue\w*|turnover|sales|takings|income|spending|umsatz\w*|geld\w*|einnahmen)\b"
_NONE_OF = r"\b(?:no|without(?: any)?|zero|kein(?:e|en|er)?|ohne)\s+"


def _value(column: ColumnView, value: str) -> str:
    return value if column.type == "boolean" and value in ("True", "False") else quoted(value)


def _is_bounded(asking: Asking, column: ColumnView) -> bool:
    """Whether a measure stands with a bound, so that it chooses rows: "with a salary over 50"."""
    said = next(each.said for each in asking.named.columns if each.column.name == column.name)
    place = asking.place(said)
    return any(
        abs(each.start - place) < len(said) + 25 or abs(place - each.end) < 25
        for each in conditions_in(asking.question)
    )


def _share_of_sum(asking: Asking) -> str:
    """The percentage of a sum that comes from rows with a value, or of each group."""
    column = asking.measure
    if not PERCENT.search(asking.question) or column is None or TEST.search(asking.question) or asking.figure:
        return ""
    if _is_bounded(asking, column) or AVERAGE.search(asking.question) or conditions_in(asking.question):
        return ""
    said = next(each.said for each in asking.named.columns if each.column.name == column.name)
    of_sum = rf"\b(?:of|an|am|vom|von|der|des)\s+(?:[\w']+\s+){{0,3}}{re.escape(said)}"
    if not (asking.asks(of_sum) or asking.asks(_MONEY)):
        return ""
    values, group = asking.values, asking.group
    if len(values) == 1 and group is None:
        ((of, value, _),) = values
        chosen = f"{asking.table}[{asking.of(of)} == {_value(of, value)}]"
        return f"result = {chosen}[{quoted(column.name)}].sum() / {asking.of(column)}.sum() * 100"
    if not values and group is not None and group.type in ("text", "boolean"):
        by = quoted(group.name)
        return (
            f"sums = {asking.table}.groupby({by})[{quoted(column.name)}].sum()\n"
            'result = (sums / sums.sum() * 100).reset_index(name="percent")'
        )
    return ""


def _share_of_rows(asking: Asking) -> str:
    """The percentage of rows with a value, of all rows or of each group."""
    group = asking.group
    if not PERCENT.search(asking.question) or TEST.search(asking.question) or asking.asks(_MONEY):
        return ""
    if conditions_in(asking.question) or AVERAGE.search(asking.question):
        return ""
    if [c for c in asking.numbers if group is None or c.name != group.name]:
        return ""
    values = [each for each in asking.values if group is None or each[0].name != group.name]
    rows, given = asking.table, ""
    if len(values) == 2 and values[0][0].name != values[1][0].name:
        # "of the women smoke", "of smokers among women": what they are taken of comes behind such a word.
        bases = [
            each
            for each in values
            if re.search(
                r"\b(?:among|amongst|within|unter(?: den| der)?|bei(?: den| der)?|percent of|percentage of|% of|"
                r"share of|prozent der|prozent aller|anteil der)(?: the| all| all the)?\s+$",
                asking.question[: each[2]],
                re.I,
            )
        ]
        among = [
            each
            for each in bases
            if re.search(r"\b(?:among|amongst|within|unter|bei)\b[\w ]*$", asking.question[: each[2]][-20:], re.I)
        ]
        bases = among or bases
        if len(bases) != 1 or group is not None:
            return ""
        ((of, value, _),) = bases
        rows, given = "rows", f"rows = {asking.table}[{asking.of(of)} == {_value(of, value)}]\n"
        values = [each for each in values if each is not bases[0]]
    if len(values) != 1:
        return ""
    ((column, value, _),) = values
    is_so = f"({rows}[{quoted(column.name)}] == {_value(column, value)})"
    if group is None:
        if [c for c in asking.texts if c.name != column.name] or asking.figure:
            return ""
        return f"{given}result = {is_so}.mean() * 100"
    by = f"{is_so}.groupby({asking.of(group)}).mean() * 100"
    if asking.figure:
        name = quoted(group.name)
        return (
            f'shares = ({by}).reset_index(name="percent")\n'
            f'fig = px.bar(shares, x={name}, y="percent", title="Percentage of {value} by {group.name}", '
            f'labels={{"percent": "Percentage of {value}"}})'
        )
    return f'result = ({by}).reset_index(name="percent")'


def compared_conditions(asking: Asking) -> tuple[ColumnView, list[Condition]] | None:
    """A measure and the two conditions on it that are compared: "no children vs three or more"; None where none are."""
    mark = COMPARING.search(asking.question)
    if mark is None:
        return None
    found = conditions_in(asking.question)
    near: list[tuple[int, ColumnView, list[Condition]]] = []
    for column in asking.numbers:
        said = next(each.said for each in asking.named.columns if each.column.name == column.name)
        none = re.search(_NONE_OF + re.escape(said), asking.question, re.I)
        own = [*found, *([Condition("==", 0.0, none.start(), none.end())] if none else [])]
        before = [c for c in own if c.end <= mark.start()]
        after = [c for c in own if c.start >= mark.end()]
        place = asking.place(said)
        if len(before) == 1 and len(after) == 1:
            beside = min(min(abs(place - c.end), abs(c.start - place - len(said)), (none is None) * 99) for c in own)
            near.append((beside, column, [before[0], after[0]]))
    # The measure is the one that is said beside the conditions.
    _, nearest, conditions = min(near, key=lambda each: each[0], default=(0, None, []))
    return (nearest, conditions) if nearest is not None else None


def _of_conditions(asking: Asking) -> str:
    """Two groups by a measure, each with its own figure."""
    compared = compared_conditions(asking)
    if compared is None or TEST.search(asking.question) or asking.figure or asking.asks(_DIFFERENCE):
        return ""
    of, conditions = compared
    measures = [c for c in asking.numbers if c.name != of.name]
    if len(measures) > 1 or asking.values or asking.texts or PERCENT.search(asking.question):
        return ""
    parts = []
    for each in conditions:
        rows = f"{asking.table}[{asking.of(of)} {each.text}]"
        if measures:
            told = f"{rows}[{quoted(measures[0].name)}].{asking.measuring()}()"
        elif COUNTING.search(asking.question):
            told = f"len({rows})"
        else:
            return ""
        parts.append(f"{quoted(f'{of.name} {each.text}')}: {told}")
    return f"result = {{{', '.join(parts)}}}"


_ONCE = (
    r"\b(?:everybody|everyone|each (?:person|customer|one|of them)|every (?:person|customer)|them|people)"
    r" (?:only )?once\b|\bdistinct\b|\bunique\b|\b(?:how many|number of) different\b"
    r"|\bjede[nrs]? (?:\w+ )?(?:nur )?einmal\b"
    r"|\bverschiedene\w*|\bunterschiedliche\w*"
)


def _people_once(asking: Asking) -> str:
    """A measure of the ones that rows of another data set name, each of them once."""
    joined, column = asking.joined, asking.measure
    if joined is None or len(joined.others) != 1 or column is None or column.dataset != joined.others[0]:
        return ""
    values = asking.values
    if (
        asking.figure
        or asking.group
        or asking.asks(r"^\W*(?:which|who|welche\w*|wer)\b")
        or not values
        or TEST.search(asking.question)
    ):
        return ""
    if not (AVERAGE.search(asking.question) or MEDIAN.search(asking.question)) or COUNTING.search(asking.question):
        return ""
    keys = [j for j in asking.joins if (j["left"], j["right"]) == (joined.base, joined.others[0])]
    if len(keys) != 1 or any(of.dataset != joined.base for of, _, _ in values) or conditions_in(asking.question):
        return ""
    rows, others = f"datasets[{quoted(joined.base)}]", f"datasets[{quoted(joined.others[0])}]"
    mask = " & ".join(f"({rows}[{quoted(of.name)}] == {_value(of, value)})" for of, value, _ in values)
    return (
        f"chosen = {rows}[{mask}][{quoted(keys[0]['left_column'])}]\n"
        f"result = {others}[{others}[{quoted(keys[0]['right_column'])}].isin(chosen)][{quoted(column.name)}]"
        f".{asking.measuring()}()"
    )


def _how_many_different(asking: Asking) -> str:
    """How many of the rows of a lookup are named at all by those of another data set with a value."""
    joined, values = asking.joined, asking.values
    if joined is None or len(joined.others) != 1 or not COUNTING.search(asking.question) or not asking.asks(_ONCE):
        return ""
    keys = [j for j in asking.joins if (j["left"], j["right"]) == (joined.base, joined.others[0])]
    if len(keys) != 1 or not values or asking.group or asking.numbers or conditions_in(asking.question):
        return ""
    mask = " & ".join(f"(df[{quoted(of.name)}] == {_value(of, value)})" for of, value, _ in values)
    return f"result = df[{mask}][{quoted(keys[0]['left_column'])}].nunique()"


_ORDINAL = {2: r"second|zweit\w*", 3: r"third|dritt\w*", 4: r"fourth|viert\w*", 5: r"fifth|fünft\w*"}
_MOST = r"(?:highest|largest|biggest|most|best|greatest|höchste\w*|größte\w*|meiste\w*)"
_LEAST = r"(?:lowest|smallest|fewest|least|worst|kleinste\w*|niedrigste\w*|wenigste\w*)"


def _ranked(asking: Asking) -> str:
    """The group that comes second, or third, by a measure."""
    column = asking.measure
    groups = [c for c in asking.texts if column is None or c.name != column.name]
    for place, words in _ORDINAL.items():
        found = re.search(rf"\b(?:{words})[- ]?(?:(?P<most>{_MOST})|{_LEAST})\b", asking.question, re.I)
        if not found or column is None or len(groups) != 1 or asking.values or asking.figure:
            continue
        order = "ascending=False" if found["most"] else "ascending=True"
        by = quoted(groups[0].name)
        return (
            f"ranks = {asking.table}.groupby({by})[{quoted(column.name)}].{asking.measuring()}()"
            f".sort_values({order})\nresult = ranks.iloc[[{place - 1}]].reset_index()"
        )
    return ""


_BESIDE_AVERAGE = re.compile(
    r"\b(?P<more>above|over|(?:more|higher|larger|greater|older|longer) than|über|(?:mehr|höher|größer|älter) als)\s+"
    r"(?:the\s+|dem\s+|der\s+|den\s+|an?\s+)?(?:overall\s+)?(?P<of>average|mean|median|durchschnitt|mittel\w*|median)\b"
    r"|\b(?:below|under|(?:less|fewer|lower|smaller|younger|shorter) than|unter"
    r"|(?:weniger|niedriger|kleiner|jünger) als)\s+"
    r"(?:the\s+|dem\s+|der\s+|den\s+|an?\s+)?(?:overall\s+)?(?P<of2>average|mean|median|durchschnitt|mittel\w*|median)\b",
    re.I,
)


def _beside_average(asking: Asking) -> str:
    """How many rows lie above or below the average of all."""
    found, column = _BESIDE_AVERAGE.search(asking.question), asking.measure
    if not found or column is None or asking.values or asking.group or asking.texts or asking.figure:
        return ""
    if not COUNTING.search(asking.question) or PERCENT.search(asking.question) or conditions_in(asking.question):
        return ""
    measured = "median" if (found["of"] or found["of2"]).casefold() == "median" else "mean"
    operator = ">" if found["more"] else "<"
    of = asking.of(column)
    return f"result = int(({of} {operator} {of}.{measured}()).sum())"


def _outliers(asking: Asking) -> str:
    column = asking.measure
    if not asking.asks(r"\boutliers?\b|\bausreißer\w*") or column is None or asking.figure or asking.values:
        return ""
    if (
        asking.group
        or asking.asks(r"\bz-?scores?\b|\bdeviations?\b|\bwithout\b|\bohne\b")
        or list(figures_in(asking.question))
    ):
        return ""
    of = asking.of(column)
    rows = f"rows = {asking.table}[({of} < low - 1.5 * (high - low)) | ({of} > high + 1.5 * (high - low))]\n"
    result = "len(rows)" if COUNTING.search(asking.question) else "rows"
    return f"low, high = {of}.quantile([0.25, 0.75])\n{rows}result = {result}"


RECIPES = (
    _of_conditions,
    _share_of_sum,
    _share_of_rows,
    _people_once,
    _how_many_different,
    _ranked,
    _beside_average,
    _outliers,
)
