"""Dates of the calendar, and spans from one to another that share their month."""

from __future__ import annotations

import re
from datetime import date

from graphwright.agents.assistant.dates.days import (
    MONTHS,
    NoSuchDay,
    Span,
    day_of,
    month_of,
    months_before,
)
from graphwright.agents.assistant.dates.wording import LOOSE_MONTH, MONTH, OF_YEAR, TH, TO, WITH, YEAR, Rule


def _in_month(today: date, month: str | int, first: str, last: str, year: str | None) -> Span:
    """From one day of a month to another one."""
    which = month if isinstance(month, int) else MONTHS[month.casefold()]
    span = day_of(today, which, int(first), int(year) if year else None)
    end = day_of(today, which, int(last), span.first.year).first
    return Span(min(span.first, end), max(span.first, end), span.repeats, ranged=True)


def _months(today: date, first: str, year: str | None, last: str, last_year: str | None) -> Span:
    """From one month to another one."""
    end = month_of(today, MONTHS[last.casefold()], int(last_year) if last_year else None)
    own = int(year) if year else end.first.year - (MONTHS[first.casefold()] > MONTHS[last.casefold()])
    return Span(month_of(today, MONTHS[first.casefold()], own).first, end.last, ranged=True)


def _of_month(today: date, day: str) -> Span:
    """A day of a month that is not named: the last one that there was."""
    for back in range(3):
        month = months_before(today, back)
        try:
            found = day_of(today, month.first.month, int(day), month.first.year)
        except NoSuchDay:
            continue
        if found.first <= today:
            return found
    raise NoSuchDay


def _of_month_range(today: date, first: str, last: str) -> Span:
    end = _of_month(today, last).first
    return Span(_of_month(end, first).first, end, ranged=True)


def _numeric(today: date, first: str, second: str, year: str) -> Span:
    """A date with slashes: the day first, but where only the other order is one."""
    day, month = (int(second), int(first)) if int(second) > 12 else (int(first), int(second))
    return day_of(today, month, day, int(year))


def _iso(today: date, year: str, month: str, day: str) -> Span | None:
    # With a month that there is not it is the number of something.
    return day_of(today, int(month), int(day), int(year)) if 0 < int(month) <= 12 and int(year) else None


_DATED = re.compile(
    r"(?:\b(?:am|vom|seit|bis|ab|dem|den|der|zum|und|on|since|until|till|from|to|and|before|after|nach|vor|of)|[-–—,])\s*$",
    re.IGNORECASE,
)


def _dotted(today: date, match: re.Match[str]) -> Span | None:
    """A day of a month with dots, unless it may be a figure that ends a sentence: "a gap of 5.6."."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    dated = not before.strip() or _DATED.search(before) or re.match(r"\s*[-–—,;?!)]|\s+[a-zäöü]", after)
    return day_of(today, int(match[2]), int(match[1]), None) if dated and 0 < int(match[2]) <= 12 else None


# A number with nothing behind it that it could count.
_ALONE = r"(?=\s*(?:$|[?!,;.]|(?:mit|with|in|im|at|bei|about|was|were|did|passiert|los|war|waren)\b))"

DATES: tuple[Rule, ...] = (
    # A range whose ends share their month.
    (
        rf"(\d{{1,2}}){TH}{TO}{WITH}(\d{{1,2}}){TH}\s+(?:of\s+)?({MONTH})\b\.?{OF_YEAR}",
        lambda t, m: _in_month(t, m[3], m[1], m[2], m[4]),
    ),
    (
        rf"({MONTH})\.?\s+(?:the\s+)?(\d{{1,2}}){TH}{TO}(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\b"
        rf"(?!\.\d|\s+(?:of\s+)?{MONTH}|\s*:\d){OF_YEAR}",
        lambda t, m: _in_month(t, m[1], m[2], m[3], m[4]),
    ),
    (
        rf"(?<!\d\.)(\d{{1,2}})\.{TO}{WITH}(\d{{1,2}})\.\s?(\d{{1,2}})\.(?:\s?(\d{{4}}))?(?!\d)",
        lambda t, m: _in_month(t, int(m[3]), m[1], m[2], m[4]),
    ),
    (
        rf"({LOOSE_MONTH})(?:\s+({YEAR}))?(?:\s+(?:to|until|till|through|bis)\s+|\s*[-–—]\s*)"
        rf"({LOOSE_MONTH})\b(?!\.?\s+\d{{1,2}}\b){OF_YEAR}",
        lambda t, m: _months(t, m[1], m[2], m[3], m[4]),
    ),
    (
        rf"(?:between|zwischen)\s+({LOOSE_MONTH})(?:\s+({YEAR}))?\s+(?:and|und)\s+({LOOSE_MONTH})\b"
        rf"(?!\.?\s+\d{{1,2}}\b){OF_YEAR}",
        lambda t, m: _months(t, m[1], m[2], m[3], m[4]),
    ),
    # A day.
    (r"(\d{4})-(\d{1,2})-(\d{1,2})", lambda t, m: _iso(t, m[1], m[2], m[3])),
    (r"(\d{4})/(\d{1,2})/(\d{1,2})", lambda t, m: _iso(t, m[1], m[2], m[3])),
    (r"(\d{1,2})/(\d{1,2})/(\d{4})", lambda t, m: _numeric(t, m[1], m[2], m[3])),
    (r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})", lambda t, m: day_of(t, int(m[2]), int(m[1]), int(m[3]))),
    (
        r"(?<!\d\.)([0-3]?\d)\.([01]?\d)\.(\d\d)(?![.\d])",
        lambda t, m: day_of(t, int(m[2]), int(m[1]), 2000 + int(m[3])) if 0 < int(m[2]) <= 12 else None,
    ),
    (r"(\d{1,2})\.(\d{1,2})\.(?!\d)", lambda t, m: _dotted(t, m)),
    (
        rf"(\d{{1,2}}){TH}\s+(?:of\s+)?({MONTH})\b\.?{OF_YEAR}",
        lambda t, m: day_of(t, MONTHS[m[2].casefold()], int(m[1]), int(m[3]) if m[3] else None),
    ),
    (
        rf"({MONTH})\.?\s+(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*[.:,]\d){OF_YEAR}",
        lambda t, m: (
            # "May 5 magnets be off?" asks leave.
            None
            if m[1] == "May" and not m[3] and m.start() == 0 and re.match(r"\s+[a-z]", m.string[m.end() :])
            else day_of(t, MONTHS[m[1].casefold()], int(m[2]), int(m[3]) if m[3] else None)
        ),
    ),
    # Days of a month that is not named, where nothing follows that they could count: "am 3. Klystron".
    (
        rf"(?:from|between|vom|zwischen)\s+(?:the\s+|dem\s+)?(\d{{1,2}})(?:st|nd|rd|th|\.){TO}(?:the\s+|dem\s+)?"
        r"(\d{1,2})(?:st|nd|rd|th|\.)" + _ALONE,
        lambda t, m: _of_month_range(t, m[1], m[2]),
    ),
    (rf"(?<=the )(\d{{1,2}})(?:st|nd|rd|th){_ALONE}", lambda t, m: _of_month(t, m[1])),
    (
        r"(?:(?<=am )|(?<=dem )|(?<=zum ))(\d{1,2})\.(?=\s*(?:$|[?!,;]|passiert|los|war))",
        lambda t, m: _of_month(t, m[1]),
    ),
)
