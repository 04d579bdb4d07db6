"""Dates in a text: those in digits, in any order of day and month, and those whose month is a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date

_SEPARATED = re.compile(
    r"(?<![\d.,/-])(?:(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})"
    r"|(?P<a>\d{1,2})(?P<t>[-/.])[ ]?(?P<b>\d{1,2})(?P=t)[ ]?(?P<c>\d{4}|\d{2}))(?!\d|[.,/-]\d)"
)
_MONTH = r"(?:[^\W\d_]{1,3}[ ])?[^\W\d_]{3,12}\.?"
_WITH_WORD = re.compile(
    rf"(?<!\d)(?P<day>\d{{1,2}})(?:\.|º|[^\W\d_]{{2}})?[ -]{_MONTH},?[ -](?:[^\W\d_]{{2,3}}[ ])?(?P<year>\d{{4}})(?!\d)"
    rf"|\b{_MONTH}[ ](?P<day2>\d{{1,2}})(?:[^\W\d_]{{2}})?,?[ ](?P<year2>\d{{4}})(?!\d)"
)
_PIVOT = 70
"""A year of two digits below it is in this century."""


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date in digits: its start and end in the text, and the days that it may be."""

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
    """A date whose month is a word, which is not read: its start and end in the text, day and year."""

    start: int
    end: int
    day: int
    year: int


def worded_dates_in(text: str) -> Iterator[WordedDate]:
    """Yield the dates whose month is a word, of any language.

    >>> [(each.day, each.year) for each in worded_dates_in("14. März 2024, March 5th, 2023, 7 de abril de 2022")]
    [(14, 2024), (5, 2023), (7, 2022)]
    """
    for each in _WITH_WORD.finditer(text):
        day, year = int(each["day"] or each["day2"]), int(each["year"] or each["year2"])
        yield WordedDate(each.start(), each.end(), day, year)
