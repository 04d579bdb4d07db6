"""When a question speaks of: days and spans, relative or named, English or German, computed from the clock."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

_DAYS = {
    **{"monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5, "sunday": 6},
    **{
        "montag": 0,
        "dienstag": 1,
        "mittwoch": 2,
        "donnerstag": 3,
        "freitag": 4,
        "samstag": 5,
        "sonnabend": 5,
        "sonntag": 6,
    },
}
_MONTHS = {
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
_NUMBERS = {
    **{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8},
    **{"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fourteen": 14, "couple of": 2, "few": 3, "ein paar": 3},
    **{"ein": 1, "eine": 1, "einer": 1, "einem": 1, "einen": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6},
    **{"sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12, "vierzehn": 14},
}
_VAGUE = frozenset(("few", "couple of", "ein paar"))
"""Numbers that name no day: "a few weeks ago" is some time."""

_UNITS = {
    **{"hour": 0, "hours": 0, "stunde": 0, "stunden": 0, "day": 1, "days": 1, "tag": 1, "tage": 1, "tagen": 1},
    **{
        "week": 7,
        "weeks": 7,
        "woche": 7,
        "wochen": 7,
        "month": 30,
        "months": 30,
        "monat": 30,
        "monate": 30,
        "monaten": 30,
    },
    **{"year": 365, "years": 365, "jahr": 365, "jahre": 365, "jahren": 365},
}


def _any(words: dict[str, int]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_N = rf"(?:\d{{1,4}}|{_any(_NUMBERS)})"
_LAST = r"(?:last|past|previous|letzten?r?s?|letztem|vergangenen?r?s?|vorigen?r?s?|vorherigen?r?s?)"
_THIS = r"(?:this|the current|diesen?r?s?|diesem)"

Span = tuple[date, date | None]
"""The first day, and the last one; None for one that lasts until now."""


@dataclass(frozen=True, slots=True)
class Period:
    """A span of days as dates of ISO 8601, both included; empty where it is open. `words` are those that say it."""

    since: str
    until: str
    words: tuple[str, ...]


def _count(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text.casefold()]


def _ago(today: date, days: int) -> date:
    return today - timedelta(days=min(days, 36_500))


def _weekday(today: date, name: str, *, before_today: bool) -> date:
    back = (today.weekday() - _DAYS[name.casefold()]) % 7
    return _ago(today, back or (7 if before_today else 0))


def _of(year: int, month: int, day: int) -> Span | None:
    try:
        found = date(year, month, day)
    except ValueError:
        return None
    return found, found


def _without_year(today: date, month: int, day: int) -> Span | None:
    """A day of a year that is not named: the last one that there was."""
    found = _of(today.year, month, day)
    if found and found[0] > today:
        found = _of(today.year - 1, month, day)
    return found


def _month(today: date, month: int, year: int | None) -> Span:
    if year is None:
        year = today.year if month <= today.month else today.year - 1
    first = date(year, month, 1)
    after = date(year + month // 12, month % 12 + 1, 1)
    return first, _ago(after, 1)


def _weekend(today: date, *, last: bool) -> Span:
    saturday = _ago(today, (today.weekday() - 5) % 7)
    if last and today.weekday() >= 5:
        saturday = _ago(saturday, 7)
    return saturday, saturday + timedelta(days=1)


def _day(today: date, back: int) -> Span:
    return _ago(today, back), _ago(today, back)


_Rule = tuple[str, Callable[[date, re.Match[str]], Span | None]]

_RULES: tuple[_Rule, ...] = (
    (r"(\d{4})-(\d{1,2})-(\d{1,2})", lambda t, m: _of(int(m[1]), int(m[2]), int(m[3]))),
    (r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})", lambda t, m: _of(int(m[3]), int(m[2]), int(m[1]))),
    (r"(\d{1,2})\.(\d{1,2})\.(?!\d)", lambda t, m: _without_year(t, int(m[2]), int(m[1]))),
    (
        rf"(\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?({_any(_MONTHS)})\b\.?(?:,?\s+(\d{{4}}))?",
        lambda t, m: (
            _of(int(m[3]), _MONTHS[m[2].casefold()], int(m[1]))
            if m[3]
            else _without_year(t, _MONTHS[m[2].casefold()], int(m[1]))
        ),
    ),
    (
        rf"({_any(_MONTHS)})\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}}))?",
        lambda t, m: (
            _of(int(m[3]), _MONTHS[m[1].casefold()], int(m[2]))
            if m[3]
            else _without_year(t, _MONTHS[m[1].casefold()], int(m[2]))
        ),
    ),
    (
        rf"(?:in|im|during|since|seit|throughout|{_LAST})\s+({_any(_MONTHS)})\b(?:\s+(\d{{4}}))?",
        lambda t, m: _month(t, _MONTHS[m[1].casefold()], int(m[2]) if m[2] else None),
    ),
    (r"(?:the )?day before yesterday|vorgestern", lambda t, m: _day(t, 2)),
    (
        r"last night|yesterday (?:night|evening)|overnight|letzte nacht|gestern nacht|über nacht|"
        r"vergangene nacht|heute nacht",
        lambda t, m: (_ago(t, 1), t),
    ),
    (rf"{_LAST}\s+(?:shift|schicht|nachtschicht|frühschicht|spätschicht|night shift)", lambda t, m: (_ago(t, 1), None)),
    (r"yesterday|gestern", lambda t, m: _day(t, 1)),
    (
        r"today|tonight|this (?:morning|afternoon|evening)|heute(?: (?:früh|morgen|mittag|abend))?",
        lambda t, m: _day(t, 0),
    ),
    (rf"{_LAST}\s+(?:weekend|wochenende)", lambda t, m: _weekend(t, last=True)),
    (r"(?:on the|over the|am|this|dieses)\s+(?:weekend|wochenende)", lambda t, m: _weekend(t, last=False)),
    (
        rf"(?:in |within |over |during |for )?(?:the |den |die |der |in den )?{_LAST}\s+({_N})\s+({_any(_UNITS)})\b",
        lambda t, m: (_ago(t, max(1, _count(m[1]) * _UNITS[m[2].casefold()])), None),
    ),
    (
        rf"(?:vor)\s+({_N})\s+({_any(_UNITS)})\b|({_N})\s+({_any(_UNITS)})\s+ago\b",
        lambda t, m: (
            None
            if (m[1] or m[3]).casefold() in _VAGUE
            else _day(t, _count(m[1] or m[3]) * _UNITS[(m[2] or m[4]).casefold()])
        ),
    ),
    (
        rf"(?:since|seit)\s+({_N})\s+({_any(_UNITS)})\b",
        lambda t, m: (_ago(t, max(1, _count(m[1]) * _UNITS[m[2].casefold()])), None),
    ),
    (rf"(?:the )?{_LAST}\s+(?:24 hours|day|tag)\b", lambda t, m: (_ago(t, 1), None)),
    (rf"(?:the |der |die )?{_LAST}\s+(?:week|woche)\b", lambda t, m: (_ago(t, 7), None)),
    (rf"(?:the |der |den )?{_LAST}\s+(?:month|monats?)\b", lambda t, m: (_ago(t, 30), None)),
    (rf"(?:the |das )?{_LAST}\s+(?:year|jahr)\b", lambda t, m: (_ago(t, 365), None)),
    (rf"{_THIS}\s+(?:week|woche)\b", lambda t, m: (_ago(t, t.weekday()), None)),
    (rf"{_THIS}\s+(?:month|monat)\b", lambda t, m: (t.replace(day=1), None)),
    (rf"{_THIS}\s+(?:year|jahr)\b", lambda t, m: (t.replace(month=1, day=1), None)),
    (rf"{_LAST}\s+({_any(_DAYS)})\b", lambda t, m: (day := _weekday(t, m[1], before_today=True), day)),
    (rf"({_any(_DAYS)})s?\b", lambda t, m: (day := _weekday(t, m[1], before_today=False), day)),
)
_COMPILED = tuple((re.compile(rf"(?<![\w-]){pattern}(?![\w-])", re.IGNORECASE), rule) for pattern, rule in _RULES)

_SINCE = re.compile(
    r"(?:\b(?:since|from|starting|between|seit|seitdem|von|vom|ab|zwischen)(?:\s+(?:the|dem|der))?\s*)$", re.I
)
_AFTER = re.compile(r"(?:\b(?:after|nach)(?:\s+(?:the|dem|der))?\s*)$", re.I)
_UNTIL = re.compile(
    r"(?:\b(?:until|till|to|up to|through|bis(?:\s+zum?)?|and|und|-|–)(?:\s+(?:the|dem|der))?\s*)$", re.I
)
_BEFORE = re.compile(r"(?:\b(?:before|vor)(?:\s+(?:the|dem|der))?\s*)$", re.I)
_OPENS = re.compile(r"^(?:since|seit)\b", re.I)


def period_in(text: str, today: date) -> Period | None:
    """The span of days that a text speaks of; None where it speaks of none."""
    spans = _spans(text, today)
    if not spans:
        return None
    since: date | None = None
    until: date | None = None
    plain: list[Span] = []
    for start, end, (first, last) in spans:
        before = text[max(0, start - 24) : start]
        if _OPENS.search(text[start:end]) or _SINCE.search(before):
            since = first
        elif _AFTER.search(before):
            since = first + timedelta(days=1)
        elif (since is not None or _UNTIL_ALONE.search(before)) and _UNTIL.search(before):
            until = last or today
        elif _BEFORE.search(before):
            until = _ago(first, 1)
        else:
            plain.append((first, last))
    if since is None and until is None:
        since = min(first for first, _ in plain)
        lasts = [last for _, last in plain]
        until = None if None in lasts else max(last for last in lasts if last is not None)
    if since is not None and until is not None and since > until:
        since, until = until, since
    said = tuple(text[start:end] for start, end, _ in spans)
    # Nothing is logged tomorrow: a span until today is open.
    open_end = until is None or (until >= today and since != today)
    return Period(since.isoformat() if since else "", "" if open_end or until is None else until.isoformat(), said)


_UNTIL_ALONE = re.compile(r"\b(?:until|till|up to|bis(?:\s+zum?)?)\s*(?:the|dem|der)?\s*$", re.I)


def _spans(text: str, today: date) -> list[tuple[int, int, Span]]:
    """The spans that a text names, in order, where they stand; of two that overlap the one that was ruled on first."""
    found: list[tuple[int, int, Span]] = []
    for pattern, rule in _COMPILED:
        for match in pattern.finditer(text[:4_000]):
            start, end = match.span()
            if any(start < other_end and other_start < end for other_start, other_end, _ in found):
                continue
            span = rule(today, match)
            if span is not None:
                found.append((start, end, span))
    return sorted(found)
