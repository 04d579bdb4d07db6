"""Names of days, months, numbers and units, English and German, and the arithmetic of spans of days."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Literal, NamedTuple

DAYS = {
    name: number
    for number, names in enumerate(
        (
            *("monday montag", "tuesday dienstag", "wednesday mittwoch", "thursday donnerstag", "friday freitag"),
            *("saturday samstag sonnabend", "sunday sonntag"),
        )
    )
    for name in names.split()
}
MONTHS = {
    name: number
    for number, names in enumerate(
        (
            *("january januar jan jänner", "february februar feb", "march märz mar maerz", "april apr", "may mai"),
            *("june juni jun", "july juli jul", "august aug", "september sept sep", "october oktober oct okt"),
            *("november nov", "december dezember dec dez"),
        ),
        1,
    )
    for name in names.split()
}
NUMBERS = {
    **{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8},
    **{"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fourteen": 14, "twenty": 20, "thirty": 30},
    **{"couple of": 2, "couple": 2, "few": 3, "ein paar": 3, "paar": 3},
    **{"ein": 1, "eine": 1, "einer": 1, "einem": 1, "einen": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6},
    **{"sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12, "vierzehn": 14, "zwanzig": 20},
    **{"dreißig": 30, "dreissig": 30},
}
VAGUE = frozenset(("few", "couple of", "couple", "ein paar", "paar"))
"""Numbers that name no day: "a few weeks ago" is some time."""

UNITS = {
    name: days
    for days, names in (
        (1 / 1440, "minute minutes minuten"),
        (1 / 24, "hour hours stunde stunden"),
        (1, "day days tag tage tagen"),
        (7, "week weeks woche wochen"),
        (14, "fortnight fortnights"),
        (30, "month months monat monate monaten"),
        (91, "quarter quarters quartal quartale quartalen"),
        (365, "year years jahr jahre jahren"),
    )
    for name in names.split()
}
SHIFTS_A_DAY = 3
LONGEST_AGO = 36_500
"""Days; what is longer ago is not told apart."""


Part = Literal["early", "mid", "late", "first", "second"]
"""Of a span: one of its thirds, or one of its halves."""


class NoSuchDay(ValueError):
    """A day that no calendar has, such as the 31st of February."""


class Span(NamedTuple):
    """The first day, and the last one; None for one that lasts until now.

    `repeats` says after what time there is another of the same name: a weekday every week, a day without a year every
    year. `ranged` says that both ends are named, so that no "from" before it opens it.
    """

    first: date
    last: date | None
    repeats: Literal["", "week", "year"] = ""
    ranged: bool = False


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def number(text: str) -> int:
    """The number that figures or a word say."""
    return int(text) if text.isdigit() else NUMBERS[text.casefold()]


def ago(today: date, days: float) -> date:
    """The day so many days before another, a begun one counted whole."""
    return today - timedelta(days=min(math.ceil(round(days, 6)), LONGEST_AGO, today.toordinal() - 1))


def after(day: date) -> date:
    """The day after, but for the last that there is."""
    return day if day == date.max else day + timedelta(days=1)


def one(day: date, repeats: Literal["", "week", "year"] = "") -> Span:
    return Span(day, day, repeats)


def monday_of(day: date) -> date:
    return ago(day, day.weekday())


def days_of(first: date, count: int) -> Span:
    return Span(first, first + timedelta(days=count - 1))


def weekday(today: date, name: str, *, before_today: bool = False) -> date:
    """The last day of that name: today where it is one, unless it has to be before."""
    back = (today.weekday() - DAYS[name.casefold()]) % 7
    return ago(today, back or (7 if before_today else 0))


def day_of(today: date, month: int, day: int, year: int | None) -> Span:
    """A day of a year; where none is named, the last one that there was. NoSuchDay where there is none at all."""
    if not 1 <= month <= 12 or not 1 <= day <= (29 if month == 2 else 30 if month in (4, 6, 9, 11) else 31):
        raise NoSuchDay
    if year is not None:
        try:
            return one(date(year, month, day))
        except ValueError as error:
            raise NoSuchDay from error
    for back in range(9):
        try:
            found = date(today.year - back, month, day)
        except ValueError:
            # There is a 29th of February in few years.
            continue
        if found <= today:
            return one(found, "year")
    raise NoSuchDay


def month_of(today: date, month: int, year: int | None) -> Span:
    """A whole month of a year; where none is named, the last one that has begun."""
    repeats: Literal["", "year"] = "" if year else "year"
    if not year:
        year = today.year if month <= today.month else today.year - 1
    first = date(year, month, 1)
    after = date(year + month // 12, month % 12 + 1, 1)
    return Span(first, ago(after, 1), repeats)


def months_before(today: date, count: int) -> Span:
    """The whole month so many months ago."""
    months = max(12, today.year * 12 + today.month - 1 - count)
    return month_of(today, months % 12 + 1, months // 12)._replace(repeats="")


def quarter_of(today: date, quarter: int, year: int | None) -> Span:
    """A quarter of a year; where none is named, the last one that has begun."""
    if year is None:
        year = today.year if 3 * quarter - 2 <= today.month else today.year - 1
    return Span(date(year, 3 * quarter - 2, 1), month_of(today, 3 * quarter, year).last)


def year_of(year: int) -> Span:
    return Span(date(year, 1, 1), date(year, 12, 31))


def week_of(today: date, week: int, year: int | None) -> Span:
    """A week by its number in ISO 8601; without a year the last one that has begun. NoSuchDay where there is none."""
    for back in range(1 if year else 8):
        try:
            first = date.fromisocalendar((year or today.year + 1) - back, week, 1)
        except ValueError:
            continue
        if year or first <= today:
            return days_of(first, 7)
    raise NoSuchDay


def weekend(today: date, back: int = 0) -> Span:
    """The weekend of this week or the last one that has begun; `back` weekends before it."""
    saturday = ago(today, (today.weekday() - 5) % 7 + 7 * back)
    return days_of(saturday, 2)


def about(today: date, count: int, unit: str) -> Span:
    """So long ago, as exact as the unit is."""
    days = UNITS[unit.casefold()]
    if days < 1:
        return Span(ago(today, count * days), ago(today, count * days - 1) if count * days > 1 else today)
    if days == 1:
        return one(ago(today, count))
    if days < 30:
        return Span(ago(today, count * days + 3), ago(today, count * days - 3))
    if days < 365:
        return months_before(today, count * round(days / 30))
    return year_of(max(1, today.year - count))


def part_of(whole: Span, today: date, part: Part) -> Span:
    """The beginning, the middle or the end of a span, a third each, or one of its halves."""
    last = whole.last or today
    length = (last - whole.first).days + 1
    third, half = max(1, length // 3), max(1, length // 2)
    begin, end = {
        "early": (0, third),
        "mid": (third, max(third + 1, 2 * third)),
        "late": (2 * third if length > 2 else length - 1, length),
        "first": (0, half),
        "second": (half, length),
    }[part]
    begin = min(begin, length - 1)
    return days_of(whole.first + timedelta(days=begin), max(1, min(end, length) - begin))
