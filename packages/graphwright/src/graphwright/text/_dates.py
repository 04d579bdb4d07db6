"""Dates in a text: in digits, in any order of day and month, and with the month as a word; and calculated days."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta

from graphwright.text.folding import folded

MONTHS = {
    code: names.split()
    for code, names in {
        "en": "January February March April May June July August September October November December",
        "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    }.items()
}
"""The names of the months by the code of the language."""

_SEPARATED = re.compile(
    r"(?<![\d.,/-])(?:(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})"
    r"|(?P<a>\d{1,2})(?P<t>[-/.])[ ]?(?P<b>\d{1,2})(?P=t)[ ]?(?P<c>\d{4}|\d{2}))(?!\d|[.,/-]\d)"
)
_MONTH = r"(?:[^\W\d_]{1,3}[ ])?[^\W\d_]{3,12}\.?"
_WITH_WORD = re.compile(
    rf"(?<!\d)(?P<day>\d{{1,2}})(?:\.|º|[^\W\d_]{{2}})?[ -](?P<month>{_MONTH}),?[ -]"
    rf"(?:[^\W\d_]{{2,3}}[ ])?(?P<year>\d{{4}})(?!\d)"
    rf"|\b(?P<month2>{_MONTH})[ ](?P<day2>\d{{1,2}})(?:[^\W\d_]{{2}})?,?[ ](?P<year2>\d{{4}})(?!\d)"
)
_PIVOT = 70
"""A year of two digits below it is in this century."""
_SHORTEST_MONTH = 3


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date: its start and end in the text, and the possible days."""

    start: int
    end: int
    days: frozenset[date]


def dates_in(text: str) -> Iterator[WrittenDate]:
    """Yield the dates that are written in digits alone.

    >>> [sorted(map(str, each.days)) for each in dates_in("14.03.2024, 2024-03-15, 3/4/24")]
    [['2024-03-14'], ['2024-03-15'], ['2024-03-04', '2024-04-03']]
    """
    for match in _SEPARATED.finditer(text):
        if match["y"]:
            orders = [(match["y"], match["m"], match["d"])]
        else:
            year = match["c"] if len(match["c"]) == 4 else ("20" if int(match["c"]) < _PIVOT else "19") + match["c"]
            orders = [(year, match["b"], match["a"])]
            orders += [(year, match["a"], match["b"])] if match["t"] == "/" else []
        days = set[date]()
        for order in orders:
            with suppress(ValueError):
                days.add(date(*map(int, order)))
        if days:
            yield WrittenDate(match.start(), match.end(), frozenset(days))


@dataclass(frozen=True, slots=True)
class WordedDate:
    """A date whose month is a word: its start and end in the text, day and year; `month` is 0 for an unknown word."""

    start: int
    end: int
    day: int
    month: int
    year: int

    @property
    def as_date(self) -> date | None:
        """The day, or None if it does not exist or its month is unknown."""
        try:
            return date(self.year, self.month, self.day)
        except ValueError:
            return None


def worded_dates_in(text: str) -> Iterator[WordedDate]:
    """Yield the dates whose month is a word. Months are known in English, German, French and Spanish.

    >>> [(each.day, each.month, each.year) for each in worded_dates_in("14. März 2024, Sept. 5th, 2023, 7 maja 2022")]
    [(14, 3, 2024), (5, 9, 2023), (7, 0, 2022)]
    """
    for each in _WITH_WORD.finditer(text):
        day, year = int(each["day"] or each["day2"]), int(each["year"] or each["year2"])
        yield WordedDate(each.start(), each.end(), day, _month(each["month"] or each["month2"]), year)


def _month(words: str) -> int:
    """Return the number of a month by its name or the first three letters or more of it; 0 for any other word."""
    word = folded(words.split()[-1].rstrip("."))
    found = {at for names in MONTHS.values() for at, name in enumerate(names, 1) if folded(name).startswith(word)}
    return found.pop() if len(found) == 1 and len(word) >= _SHORTEST_MONTH else 0


def shifted(day: date, number: int) -> Iterator[date]:
    """Yield the days that are a number of days, weeks, months and years after a day, or before it if negative.

    >>> [str(each) for each in shifted(date(2026, 11, 30), 3)]
    ['2026-12-03', '2026-12-21', '2027-02-28', '2029-11-30']
    """
    with suppress(OverflowError):
        yield day + timedelta(days=number)
        yield day + timedelta(weeks=number)
    for months in (number, 12 * number):
        years, month = divmod(day.month - 1 + months, 12)
        with suppress(ValueError, OverflowError):
            length = monthrange(day.year + years, month + 1)[1]
            yield date(day.year + years, month + 1, min(day.day, length))


def lengths_between(one: date, other: date, *, inclusive: bool) -> Iterator[int]:
    """Yield the lengths of the time from a day to a later one: days, whole weeks, whole months, and full years.

    With `inclusive`, yield also those that count the last day.

    >>> list(lengths_between(date(2026, 12, 21), date(2027, 1, 10), inclusive=True))
    [20, 21, 3]
    """
    months = 12 * (other.year - one.year) + other.month - one.month
    days = range((other - one).days, (other - one).days + 1 + inclusive)
    yield from (*days, *(count // 7 for count in days if count % 7 == 0))
    yield from ([months] if one.day - inclusive <= other.day <= one.day else [])
    years = (months - (other.day < one.day)) // 12
    yield from ([years] if years > 0 else [])


def month_lengths(one: date, other: date) -> set[int]:
    """Return the numbers of days that the months from one day to a later one have, with those of both days."""
    first, last = (12 * day.year + day.month - 1 for day in (one, other))
    return {monthrange(month // 12, month % 12 + 1)[1] for month in range(first, min(last, first + 12) + 1)}
