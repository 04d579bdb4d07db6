"""The spans of days that a text names, each where it stands: dates, weekdays, weeks, months, shifts, so long ago."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

from graphwright.agents.assistant.dates.dated import DATES
from graphwright.agents.assistant.dates.days import (
    DAYS,
    MONTHS,
    SHIFTS_A_DAY,
    UNITS,
    VAGUE,
    NoSuchDay,
    Part,
    Span,
    about,
    ago,
    days_of,
    monday_of,
    month_of,
    months_before,
    number,
    one,
    part_of,
    quarter_of,
    week_of,
    weekday,
    weekend,
    year_of,
)
from graphwright.agents.assistant.dates.wording import (
    BEFORE_LAST,
    DAY,
    LAST,
    LOOSE_MONTH,
    MONTH,
    OF_YEAR,
    ORDINAL,
    ORDINALS,
    SHIFT,
    THIS,
    TO,
    UNIT,
    WITH,
    YEAR,
    N,
    Rule,
)


class Named(NamedTuple):
    """A span where it stands in a text; None for a day that there is not."""

    start: int
    end: int
    span: Span | None


_WEEK = (
    rf"(?:(?:(?:the|der|die|in der|in the|während der)\s+)?(?:{LAST}|{BEFORE_LAST}|{THIS})\s+(?:week|woche)(?:'s)?"
    rf"|(?:der\s+)?vorwoche|{N}\s+(?:weeks?|fortnights?)\s+ago|vor\s+{N}\s+wochen?|(?:the\s+)?week before last"
    r"|(?:(?:calendar\s+)?week|kw|kalenderwoche)\s*\d{1,2}(?!\d))"
)
_WHOLE = (
    rf"(?:(?:{LAST}|{BEFORE_LAST}|{THIS}|the|des|der)\s+(?:month|monats?|year|jahres|jahr|week|woche)(?:'s)?"
    rf"|vor(?:monats?|jahres|jahr|woche)|{MONTH}s?(?:\s+{YEAR})?|{YEAR})"
)
_PARTS: dict[str, Part] = {
    **{"early": "early", "beginning": "early", "start": "early", "anfang": "early", "beginn": "early"},
    **{"mid": "mid", "middle": "mid", "mitte": "mid", "late": "late", "end": "late", "ende": "late"},
}


def _monday(today: date, text: str) -> date:
    """The first day of the week that a text of `_WEEK` names."""
    low = text.casefold()
    if "vor" in low and (found := re.search(rf"vor\s+({N})", low)):
        return monday_of(ago(today, 7 * number(found[1])))
    if found := re.search(rf"({N})\s+(week|fortnight)s?\s+ago", low):
        return monday_of(ago(today, number(found[1]) * UNITS[found[2]]))
    if found := re.search(r"\d+", low):
        return week_of(today, int(found[0]), None).first
    back = 2 if re.search(rf"\b{BEFORE_LAST}\b|before last", low) else 0 if re.search(rf"\b{THIS}\b", low) else 1
    return monday_of(ago(today, 7 * back))


def _whole(today: date, text: str) -> Span:
    """The whole week, month or year that a text of `_WHOLE` names."""
    low = text.casefold()
    back = 2 if re.search(rf"\b{BEFORE_LAST}\b", low) else 1 if re.search(rf"\b{LAST}\b|\bvor", low) else 0
    year = re.search(YEAR, low)
    if re.search(r"week|woche", low):
        return days_of(monday_of(ago(today, 7 * back)), 7)
    if "month" in low or "monat" in low:
        return months_before(today, back)
    if found := re.search(rf"\b({LOOSE_MONTH})", low):
        return month_of(today, MONTHS[found[1]], int(year[0]) if year else None)
    return year_of(int(year[0]) if year else today.year - back)


def _cut(today: date, whole: str, cut: Callable[[Span], Span]) -> Span:
    """A piece of a week, a month or a year; of a month without a year the last one of which that piece has begun."""
    span = cut(_whole(today, whole))
    month = re.search(LOOSE_MONTH, whole, re.IGNORECASE)
    if span.first > today and month and not re.search(YEAR, whole):
        span = cut(month_of(today, MONTHS[month[0].casefold()], today.year - 1))
    return span


def _part(today: date, part: str, whole: str) -> Span:
    return _cut(today, whole, lambda span: part_of(span, today, _PARTS[part.casefold()]))


def _half(today: date, which: str, whole: str) -> Span:
    return _cut(
        today, whole, lambda span: part_of(span, today, "first" if ORDINALS[which.casefold()] == 1 else "second")
    )


def _week_in(today: date, which: str, whole: str) -> Span:
    """A week of a month, of seven days from its first on."""

    def week(month: Span) -> Span:
        if which.casefold() not in ORDINALS:
            last = month.last or today
            return Span(ago(last, 6), last)
        return days_of(month.first + timedelta(days=7 * (ORDINALS[which.casefold()] - 1)), 7)

    return _cut(today, whole, week)


def _weekday_in(today: date, name: str, week: str) -> Span:
    return one(_monday(today, week) + timedelta(days=DAYS[name.casefold()]))


def _weekdays_in(today: date, first: str, last: str, week: str) -> Span:
    begin = _weekday_in(today, first, week).first
    return days_of(begin, (DAYS[last.casefold()] - DAYS[first.casefold()]) % 7 + 1)._replace(ranged=True)


def _weeks(today: date, match: re.Match[str]) -> Span | None:
    """From one week to another one by their numbers."""
    end = _week(today, match, match[2], None)
    return Span(week_of(end.first, int(match[1]), None).first, end.last, ranged=True) if end else None


def _last_shifts(today: date, count: int, kind: str) -> Span:
    """Until now. Of one kind there is one shift a day; three of all kinds go back to the day before."""
    return Span(ago(today, count if kind else count / SHIFTS_A_DAY), None)


def _until_now(first: date) -> Span:
    return Span(first, None)


_SPANS: tuple[Rule, ...] = (
    # Parts of months, weeks and years.
    (
        rf"(?:(?:at|in|am|zu|zum)\s+)?(?:the\s+)?(early|mid|late|beginning|middle|start|end|anfang|beginn|mitte|ende)"
        rf"(?:\s+(?:of|des|der|von|im|in)\s+|\s*[-–]\s*|\s+)({_WHOLE})\b",
        lambda t, m: _part(t, m[1], m[2]),
    ),
    (
        rf"(?:(?:in|during|im|in der)\s+)?(?:the\s+)?({ORDINAL})\s+(?:half|hälfte)(?:\s+(?:of|des|der|vom|von|im))?\s+"
        rf"({_WHOLE})\b",
        lambda t, m: _half(t, m[1], m[2]),
    ),
    (
        rf"(?:in\s+)?(?:(?:der|die)\s+)?({ORDINAL})\s+({LOOSE_MONTH})hälfte",
        lambda t, m: _half(t, m[1], m[2]),
    ),
    (
        rf"(?:in\s+)?(?:(?:the|der|die)\s+)?({ORDINAL}|last|letzten?)\s+(?:week|woche)\s+(?:of|in|im|des)\s+"
        rf"({LOOSE_MONTH}(?:\s+{YEAR})?|last month|this month|letzten monats|diesen monats)\b",
        lambda t, m: _week_in(t, m[1], m[2]),
    ),
    (
        rf"(?:in\s+)?(?:(?:der|die)\s+)?({ORDINAL}|letzten?)\s+({LOOSE_MONTH})woche\b",
        lambda t, m: _week_in(t, m[1], m[2]),
    ),
    (
        r"(?:since|seit|ab)\s+(?:the\s+)?(monats|jahres|wochen)(?:anfang|beginn)",
        lambda t, m: _until_now(
            _whole(t, {"m": "the month", "j": "the year", "w": "the week"}[m[1][0].casefold()]).first
        ),
    ),
    # Weeks by their numbers, and quarters.
    (
        rf"(?:weeks?|kws?|kalenderwochen?)\s*(\d{{1,2}}){TO}(?:(?:week|kw|kalenderwoche)\s*)?(\d{{1,2}})(?!\d)",
        lambda t, m: _weeks(t, m),
    ),
    (
        rf"({DAY}){TO}{WITH}({DAY})\s*,?\s*(?:of\s+|in\s+|der\s+)?({_WEEK})(?!\w)",
        lambda t, m: _weekdays_in(t, m[1], m[2], m[3]),
    ),
    (
        rf"({_WEEK})\s*,?\s*(?:(?:from|between|von|zwischen|on)\s+)?({DAY}){TO}{WITH}({DAY})",
        lambda t, m: _weekdays_in(t, m[2], m[3], m[1]),
    ),
    (
        rf"({DAY})\s*,?\s*(?:of\s+|in\s+|der\s+|on\s+)?({_WEEK})(?!\w)",
        lambda t, m: _weekday_in(t, m[1], m[2]),
    ),
    (rf"({_WEEK})\s*,?\s*(?:on\s+|am\s+)?({DAY})", lambda t, m: _weekday_in(t, m[2], m[1])),
    (
        rf"({N})\s+({DAY})s\s+ago|vor\s+({N})\s+({DAY})(?:en|s)",
        lambda t, m: one(
            ago(weekday(t, m[2] or m[4], before_today=True), 7 * (number(m[1] or m[3]) - 1)),
        ),
    ),
    (
        rf"(?:(?:calendar\s+)?week|kw|kalenderwoche|woche)\s*(?:no\.?|nr\.?)?\s*(\d{{1,2}})(?!\d)"
        rf"(?:\s*/\s*({YEAR})|\s*,?\s+(?:of\s+|in\s+)?({YEAR}))?",
        lambda t, m: _week(t, m, m[1], m[2] or m[3]),
    ),
    (
        rf"(?:der\s+)?(\d{{1,2}})\.\s*(?:kw|kalenderwoche)(?:\s+({YEAR}))?",
        lambda t, m: week_of(t, int(m[1]), int(m[2]) if m[2] else None),
    ),
    (
        rf"(?:in |im )?(?:the )?({ORDINAL})\s+(?:quarter|quartals?)(?:\s+(?:of\s+)?({YEAR}))?"
        r"(?=\s*(?:$|[?!.,;])|\s+(?!of\b|der\b|des\b|von\b)\w)",
        lambda t, m: quarter_of(t, ORDINALS[m[1].casefold()], int(m[2]) if m[2] else None),
    ),
    (rf"q([1-4])[\s/]+({YEAR})", lambda t, m: quarter_of(t, int(m[1]), int(m[2]))),
    (
        rf"(?:in |im )?(?:the |das )?(?:{LAST}|{BEFORE_LAST}) (?:quarter|quartals?)",
        lambda t, m: _quarter_before(t, 2 if re.search(rf"\b{BEFORE_LAST}\b", m[0], re.I) else 1),
    ),
    (rf"{THIS}\s+(?:quarter|quartal)", lambda t, m: _until_now(quarter_of(t, (t.month + 2) // 3, t.year).first)),
    # Months and years.
    (
        rf"(?:in|im|during|since|seit|throughout|of|for|für|before|vor|after|nach|until|till|bis|from|von|vom|ab|to)\s+"
        rf"(?:the\s+)?(?P<span>({LOOSE_MONTH})\b{OF_YEAR})(?!')",
        lambda t, m: (
            None
            if m[2] == "may" and not re.match(r"(?:in|since|during)\s", m[0], re.I)
            else month_of(t, MONTHS[m[2].casefold()], int(m[3]) if m[3] else None)
        ),
    ),
    (
        rf"{LAST}\s+({MONTH})\b",
        lambda t, m: month_of(t, MONTHS[m[1].casefold()], t.year - (MONTHS[m[1].casefold()] >= t.month)),
    ),
    (rf"({MONTH})\s+({YEAR})", lambda t, m: month_of(t, MONTHS[m[1].casefold()], int(m[2]))),
    (
        rf"(?:im jahr|in the year|in|during|since|seit|from|until|till|bis|before|vor|after|nach)\s+(?P<span>({YEAR}))"
        r"(?!\s?(?:[kMG]?(?:V|eV|Hz|A|W)|mm|mA|h|s)\b|[.,:]\d)",
        lambda t, m: None if int(m[1]) > t.year + 1 else year_of(int(m[1])),
    ),
    # Days and nights near by.
    (
        r"(?:the )?day before yesterday(?: night| evening)|vorgestern nacht",
        lambda t, m: days_of(ago(t, 2), 2) if re.search("night|nacht", m[0], re.I) else one(ago(t, 2)),
    ),
    (
        r"(?:the )?day before yesterday|vorgestern(?:\s*(?:früh|morgen|mittag|abend))?|vorvorgestern",
        lambda t, m: _before(t, m[0]),
    ),
    (
        r"last night|yesterday night|over ?night|(?:the )?night just gone|(?:in der )?(?:letzten?|vergangenen?) nacht|"
        r"gestern nacht|über nacht|heute nacht|"
        r"(?:yesterday's|gestrigen?) (?:night ?shift|nachtschicht)",
        lambda t, m: Span(ago(t, 1), t),
    ),
    (
        r"(?:(?:the |der |dem )?(?:start|beginning|beginn|anfang)\s+(?:of|der|dieser|meiner|unserer)\s+)?"
        rf"(?:in |on |during )?(?:{THIS}|my|our|meiner?|unserer?|(?<=of )the|(?<=beginn )der|(?<=anfang )der)"
        rf"\s+{SHIFT}\b(?!\s+(?:leader|plan))"
        r"|(?:(?<=since )|(?<=since the ))(?:start of (?:the )?shift|shift start)|schicht(?:beginn|anfang)",
        lambda t, m: _until_now(ago(t, 1)),
    ),
    (
        rf"(?:in |during |over |within )?(?:(?:the|den|die|der|in den)\s+)?{LAST}\s+({N})\s+{SHIFT}\b",
        lambda t, m: _last_shifts(t, number(m[1]), m[2] or ""),
    ),
    (
        rf"({N})\s+{SHIFT}\s+ago|vor\s+({N})\s+{SHIFT}\b",
        lambda t, m: _last_shifts(t, number(m[1] or m[3]), m[2] or m[4] or ""),
    ),
    (
        rf"(?:{LAST}|{BEFORE_LAST})\s+{SHIFT}\b(?:\s+but\s+one\b)?|(?:the )?shift before last",
        lambda t, m: _until_now(ago(t, 1)),
    ),
    (
        r"yesterday|gestern(?:\s*(?:früh|morgen|vormittag|mittag|nachmittag|abend))?|gestrige[nrsm]?",
        lambda t, m: one(ago(t, 1)),
    ),
    (
        r"today|tonight|this (?:morning|afternoon|evening)|heute(?: (?:früh|morgen|vormittag|mittag|nachmittag|abend))?"
        r"|heutige[nrsm]?|(?<=until )now|(?<=till )now|(?<=to )now|(?<=bis )jetzt",
        lambda t, m: one(t),
    ),
    (
        rf"(?:the\s+)?weekend before last|(?:am\s+)?{BEFORE_LAST}\s+wochenende",
        lambda t, m: weekend(t, 2 if t.weekday() >= 5 else 1),
    ),
    (rf"{LAST}\s+(?:weekend|wochenende)", lambda t, m: weekend(t, 1 if t.weekday() >= 5 else 0)),
    (
        r"(?:on the|over the|during the|at the|(?<=since )the|am|this|dieses|übers|über das|(?<=seit )dem)\s+"
        r"(?:weekend|wochenende)",
        lambda t, m: weekend(t),
    ),
    # So long until now, and so long ago.
    (
        rf"(?:in |within |over |during |for |innerhalb )?(?:the |den |die |der |in den )?"
        rf"{LAST}\s+({N})\s+({UNIT})\b",
        lambda t, m: _until_now(ago(t, max(1, number(m[1]) * UNITS[m[2].casefold()]))),
    ),
    (rf"(?:the )?{LAST}\s+fortnight", lambda t, m: _until_now(ago(t, 14))),
    (
        rf"vor\s+({N})\s+({UNIT})\b|({N})\s+({UNIT})\s+ago\b",
        lambda t, m: None if (m[1] or m[3]).casefold() in VAGUE else about(t, number(m[1] or m[3]), m[2] or m[4]),
    ),
    (
        rf"(?:since|seit)\s+({N})\s+({UNIT})\b",
        lambda t, m: _until_now(ago(t, max(1, number(m[1]) * UNITS[m[2].casefold()]))),
    ),
    (rf"(?:the )?{LAST}\s+(?:day|tag|hour|stunde)\b", lambda t, m: _until_now(ago(t, 1))),
    (rf"{BEFORE_LAST}\s+woche|(?:the\s+)?week before last", lambda t, m: days_of(monday_of(ago(t, 14)), 7)),
    (rf"{BEFORE_LAST}\s+monats?|(?:the\s+)?month before last", lambda t, m: months_before(t, 2)),
    (rf"{BEFORE_LAST}\s+jahr(?:es)?|(?:the\s+)?year before last", lambda t, m: year_of(t.year - 2)),
    (rf"(?:the |der |die )?{LAST}\s+(?:week|woche)\b", lambda t, m: _until_now(ago(t, 7))),
    (rf"(?:the |der |den )?{LAST}\s+(?:month|monats?)\b", lambda t, m: _until_now(ago(t, 30))),
    (rf"(?:the |das )?{LAST}\s+(?:year|jahr)\b", lambda t, m: _until_now(ago(t, 365))),
    (rf"{THIS}\s+(?:week|woche)\b", lambda t, m: _until_now(monday_of(t))),
    (rf"{THIS}\s+(?:month|monats?)\b", lambda t, m: _until_now(t.replace(day=1))),
    (rf"{THIS}\s+(?:year|jahr)(?:es)?\b", lambda t, m: _until_now(t.replace(month=1, day=1))),
    # Weekdays.
    (
        rf"(?:the |der |in der )?(?:night|nacht)\s+(?:from|von|vom)\s+({DAY})"
        rf"(?:\s+(?:to|auf|zu|zum)\s+(?:den\s+)?({DAY}))?",
        lambda t, m: days_of(weekday(t, m[1]), 2),
    ),
    (
        rf"(?:der |in der )?nacht\s+(?:auf|zu|zum)\s+(?:den\s+)?({DAY})",
        lambda t, m: Span(ago(weekday(t, m[1]), 1), weekday(t, m[1])),
    ),
    (rf"{BEFORE_LAST}\s+({DAY})", lambda t, m: one(ago(weekday(t, m[1], before_today=True), 7))),
    (rf"{LAST}\s+({DAY})", lambda t, m: one(weekday(t, m[1], before_today=True), "week")),
    (rf"({DAY})(?:[\s-]*(?:night|nacht)(?:schicht|\s?shift)?)", lambda t, m: days_of(weekday(t, m[1]), 2)),
    (
        rf"({DAY})(?:\s?(?:morning|afternoon|evening|früh|morgen|vormittag|mittag|nachmittag|abend))?",
        lambda t, m: one(weekday(t, m[1]), "week"),
    ),
)

_FUTURE: tuple[Rule, ...] = (
    (
        rf"(?:next|coming|upcoming|nächsten?r?s?|nächstem|kommenden?r?s?|kommendem)\s+"
        rf"(?:{DAY}|{UNIT}|{LOOSE_MONTH}|weekend|wochenende)(?:\s+(?:{UNIT}))?",
        lambda t, m: None,
    ),
    # "Every Monday" is none of them.
    (rf"(?:every|each|jeden?[nrs]?)\s+(?:{DAY}|weekend|wochenende)", lambda t, m: None),
)


def _quarter_before(today: date, count: int) -> Span:
    month = months_before(today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1), 3 * count).first
    return quarter_of(month, (month.month + 2) // 3, month.year)


_COUNTED = re.compile(rf"\b(?:{LAST}|{BEFORE_LAST}|{THIS}|next|nächste|per|each|every|jede|pro|{N})\s+$", re.IGNORECASE)


def _week(today: date, match: re.Match[str], week: str, year: str | None) -> Span | None:
    """A week by its number, which is none in "last week 3 trips"."""
    if _COUNTED.search(match.string[: match.start()]):
        return None
    return week_of(today, int(week), int(year) if year else None)


def _before(today: date, text: str) -> Span:
    return one(ago(today, 3 if text.casefold().startswith("vorvor") else 2))


def _compiled(rules: tuple[Rule, ...]) -> list[tuple[re.Pattern[str], Callable[[date, re.Match[str]], Span | None]]]:
    return [(re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE), rule) for pattern, rule in rules]


_COMPILED = _compiled(DATES + _SPANS)
_NOT_MEANT = _compiled(_FUTURE)


# In these a hyphen stands between two days; elsewhere it joins a name.
_TIGHT = re.compile(
    rf"(?<=\d\.)-(?=\d)|(?<=\d)-(?=(?:{MONTH})\b)|(?<=[a-zäöü])-(?=(?:{DAY}|{MONTH})\b|\d{{1,2}}\.?\s+{MONTH})",
    re.IGNORECASE,
)


def spans_in(text: str, today: date) -> list[Named]:
    """The spans that a text names, in order; of two that overlap the one that was ruled on first."""
    text = _TIGHT.sub("–", text)
    taken = [match.span() for pattern, _ in _NOT_MEANT for match in pattern.finditer(text)]
    found: list[Named] = []
    for pattern, rule in _COMPILED:
        for match in pattern.finditer(text):
            start, end = match.span("span" if "span" in pattern.groupindex else 0)
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            try:
                span = rule(today, match)
                if span is None:
                    continue
            except (NoSuchDay, OverflowError):
                span = None
            found.append(Named(start, end, span))
            taken.append((start, end))
    return sorted(found, key=lambda each: each.start)
