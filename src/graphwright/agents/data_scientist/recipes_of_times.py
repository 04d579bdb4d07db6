"""Recipes over time: changes from a first to a last year, parts of a year, days between dates, running figures."""

from __future__ import annotations

import re

from graphwright.agents.data_scientist.asking import AVERAGE, COUNTING, PERCENT, TEST, TOTAL, Asking, quoted
from graphwright.agents.data_scientist.conditions import conditions_in, figures_in, number_text, years_in

_CHANGE = (
    r"\b(?:go(?:ne|es)? (?:up|down)|went (?:up|down)|grow(?:n|th|s)?|grew|ris(?:e|en|es)|rose|increas\w*|decreas\w*"
    r"|fall(?:en|s)?|fell|drop\w*|declin\w*|chang\w*|shr[aiu]nk|(?:an)?gestiegen|steig\w*|stieg|gewachsen|wuchs\w*|wachstum\w*"
    r"|zugenommen|abgenommen|gesunken|sank\w*|gefallen|fiel|veränder\w*|zunahme|abnahme|anstieg\w*)\b"
)
_PARTS = (
    (r"\bquarter(?:s|ly)?\b|\bquartal\w*\b|\bvierteljahr\w*\b", "quarter", "Q"),
    (r"\bmonth(?:s|ly)?\b|\bmonat\w*\b", "month", "M"),
    (r"\bweekdays?\b|\bdays? of the week\b|\bwochentag\w*\b", "day_name()", ""),
    (r"\byear(?:s|ly)?\b|\bannual(?:ly)?\b|\bjahr(?:e|en|lich\w*)?\b", "year", ""),
)
_DISTRIBUTING = (
    r"\b(?:by|per|each|every|for each|in each|across|which|broken down|monthly|quarterly|yearly|annual(?:ly)?|pro|je"
    r"|jede[nrms]?|nach|welche[nrms]?|monatlich\w*|vierteljährlich\w*|jährlich\w*|quartalsweise|monatsweise)\b"
)


def _change(asking: Asking) -> str:
    """The change from one year to another in percent."""
    column = asking.measure
    years = years_in(asking.question)
    if not (PERCENT.search(asking.question) and asking.asks(_CHANGE)) or column is None or asking.figure:
        return ""
    if asking.group or asking.texts or asking.values or len(years) != 2 or TEST.search(asking.question):
        return ""
    if asking.asks(r"\bper (?:year|annum)\b|\bannual\w*|\beach year\b|\bpro jahr\b|\bjährlich\w*|\bpoints?\b|punkt\w*"):
        return ""
    first, last = sorted(years)
    if asking.years is not None:
        of_year = asking.of(asking.years)
    elif asking.date is not None:
        of_year = f"pd.to_datetime({asking.of(asking.date)}).dt.year"
    else:
        return ""
    how = "sum" if asking.date is not None and TOTAL.search(asking.question) else "mean"
    return (
        f"by_year = {asking.table}.groupby({of_year})[{quoted(column.name)}].{how}()\n"
        f"result = (by_year[{last}] / by_year[{first}] - 1) * 100"
    )


def _parts_of_dates(asking: Asking) -> str:
    """A measure, or the number of rows, for each quarter, month, weekday or year of a date."""
    if asking.date is None or TEST.search(asking.question) or PERCENT.search(asking.question):
        return ""
    found = [part for part in _PARTS if re.search(part[0], asking.question, re.I)]
    # "the monthly sales of the year 2024" are by month.
    found = [part for part in found if part[1] != "year"] or found
    if (
        len(found) != 1
        or asking.values
        or asking.asks(r"\bmoving\b|\brolling\b|\bcumul\w*|\bsince\b|\bgrow\w*|\bchang\w*")
    ):
        return ""
    if not asking.asks(_DISTRIBUTING) or conditions_in(asking.question) or asking.group or asking.texts:
        return ""
    ((_, part, period),) = found
    years = years_in(asking.question)
    if len(years) > 1 or (part == "year" and years):
        return ""
    which = asking.asks(r"\b(?:which|welche[nrms]?|busiest|best|worst)\b")
    if which and part != "day_name()" and not years:
        # The best month of all, or of each year: that is not for code to say.
        return ""
    column = asking.measure
    if column is None:
        if asking.numbers or not COUNTING.search(asking.question):
            return ""
        measured = ".size()"
    elif COUNTING.search(asking.question) and "quantity" not in column.parts:
        return ""
    else:
        counted = TOTAL.search(asking.question) or {"amount", "quantity", "revenue", "sales"} & set(column.parts)
        averaged = AVERAGE.search(asking.question)
        measured = f"[{quoted(column.name)}].{'mean' if averaged or not counted else 'sum'}()"
    days = f"days = pd.to_datetime({asking.of(asking.date)})\n"
    rows = asking.table
    if years:
        rows, days = "rows", f"{days}rows = {asking.table}[days.dt.year == {years[0]}]\n"
    by = f'days.dt.to_period("{period}").astype(str)' if period and not years else f"days.dt.{part}"
    named = f'{by}.rename("{part.partition("_")[0].partition("(")[0]}")'
    ending = ".reset_index()" if column else '.reset_index(name="count")'
    if asking.figure:
        return ""
    return f"{days}result = {rows}.groupby({named}){measured}{ending}"


_DAYS = (
    r"\b(?:how many days|number of days|days (?:between|from|until|after|pass|lie|does|do)|how long|wie ?viele tage"
    r"|wie lange|tage)\b"
)


def _days_between(asking: Asking) -> str:
    """The days between a date of each row of one data set and the first, or last, date of its rows in another."""
    if not asking.asks(_DAYS) or asking.figure or asking.group or asking.texts or asking.values:
        return ""
    if years_in(asking.question) or conditions_in(asking.question):
        return ""
    measure = "median" if asking.asks(r"\bmedian\b") else "mean" if AVERAGE.search(asking.question) else ""
    if not measure:
        return ""
    dates = [c for c in asking.columns if c.type in ("date", "datetime")]
    if len(dates) != 2:
        return ""
    first = asking.asks(r"\bfirst\b|\berste\w*") and not asking.asks(r"\blast\b|\blatest\b|\bletzte\w*")
    if dates[0].dataset == dates[1].dataset:
        return ""
    for join in asking.joins:
        many = next((c for c in dates if c.dataset == join["left"]), None)
        one = next((c for c in dates if c.dataset == join["right"]), None)
        if many is None or one is None or not first:
            continue
        rows, others = f"datasets[{quoted(many.dataset)}]", f"datasets[{quoted(one.dataset)}]"
        return (
            f"first = pd.to_datetime({rows}[{quoted(many.name)}])"
            f".groupby({rows}[{quoted(join['left_column'])}]).min()\n"
            f"begun = pd.to_datetime({others}.set_index({quoted(join['right_column'])})[{quoted(one.name)}])\n"
            f"result = (first - begun).dropna().dt.days.{measure}()"
        )
    return ""


def _over_time(asking: Asking) -> str:
    """The column by which rows are put in the order of time, as code; empty where it is not certain."""
    by = asking.date or asking.years
    return quoted(by.name) if by else ""


def _cumulated(asking: Asking) -> str:
    column, by = asking.measure, _over_time(asking)
    asked = r"\bcumulat\w*|\brunning (?:total|sum)|\bkumul\w*|\baufsummiert\w*|\blaufende summe"
    if not asking.asks(asked) or column is None or not by or asking.values or asking.group:
        return ""
    rows = f'rows = {asking.table}.sort_values({by})\nrows["cumulated"] = rows[{quoted(column.name)}].cumsum()\n'
    if asking.figure:
        return f'{rows}fig = px.line(rows, x={by}, y="cumulated", title="Cumulated {column.name}")'
    return f'{rows}result = rows[[{by}, {quoted(column.name)}, "cumulated"]]'


def _moving(asking: Asking) -> str:
    column, by = asking.measure, _over_time(asking)
    if not asking.asks(r"\b(?:moving|rolling|gleitend\w*) ") or column is None or not by or asking.group:
        return ""
    years = set(years_in(asking.question))
    sizes = [value for value, _ in figures_in(asking.question) if value not in years and 1 < value == int(value)]
    if len(sizes) != 1 or asking.values:
        return ""
    rows = (
        f"rows = {asking.table}.sort_values({by})\n"
        f'rows["moving average"] = rows[{quoted(column.name)}].rolling({number_text(sizes[0])}).mean()\n'
    )
    if asking.figure:
        return (
            f'{rows}fig = px.line(rows, x={by}, y=[{quoted(column.name)}, "moving average"], '
            f'title="Moving average of {column.name}")'
        )
    return f'{rows}result = rows[[{by}, "moving average"]]'


RECIPES = (_days_between, _change, _cumulated, _moving, _parts_of_dates)
