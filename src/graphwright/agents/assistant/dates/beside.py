"""The time right before or after another one, for a question that goes on from it: "and the week before?"."""

from __future__ import annotations

import re
from datetime import date, timedelta

from graphwright.agents.assistant.dates.days import LONGEST_AGO, after, ago, months_before, number
from graphwright.agents.assistant.dates.periods import Period
from graphwright.agents.assistant.dates.wording import N

_UNIT = (
    r"(?P<unit{0}>days?|tage?s?|nights?|nacht|shifts?|schicht(?:en)?|weekends?|wochenenden?|weeks?|wochen?|months?|"
    r"monate?s?|quarters?|quartale?s?|years?|jahre?s?)"
)
_IN = r"(?:(?:in|on|at|during|over|for|from|of|an|am|im|während)\s+)?(?:(?:the|der|die|das|dem|den|des)\s+)?"
_ENDS = r"(?=\s*(?:[?!.,;]|$))"
_THAT = r"(?:\s+(?:that|this|then|it))?"
_GOES_ON = r"(?:^\W*(?:and|und|but|aber|what about|how about|was (?:ist|war) (?:mit|in))\b\s*)"
_BESIDE = re.compile(
    r"(?:"
    # The week before that.
    rf"\b{_IN}(?:(?P<count>{N})\s+)?{_UNIT.format(1)}\s+"
    rf"(?P<way1>before|prior|earlier|after|later|davor|zuvor|vorher|danach|darauf){_THAT}{_ENDS}"
    # The preceding week, and only where nothing else is asked the previous one.
    rf"|\b{_IN}(?P<way2>preceding|vorhergehenden?|vorangegangenen?|following|(?<=the )next|(?:darauf)?folgenden?|"
    rf"(?<=am )nächsten|(?<=dem )nächsten)\s+{_UNIT.format(2)}\b"
    rf"|{_GOES_ON}{_IN}(?P<way3>previous|vorherigen?)\s+{_UNIT.format(3)}{_ENDS}"
    r"|\b(?:in\s+der\s+|im\s+|am\s+|die\s+|der\s+)?(?P<way4>vor)(?P<unit4>woche|monats?|tage?s?|jahre?s?)\b"
    # Before that.
    r"|\b(?P<way5>before|after)\s+(?:that|this|then)\b"
    rf"|(?:^|{_GOES_ON})\W*(?P<way6>before|earlier|after(?:wards)?|davor|zuvor|vorher|danach)\W*$"
    rf"|\b(?P<way7>davor|danach){_ENDS}"
    r")",
    re.IGNORECASE,
)
_LATER = ("after", "later", "danach", "darauf", "following", "next", "folgend", "nächst")
_MONTHS = {"mo": 1, "qu": 3, "ye": 12, "ja": 12}
_DAYS = {
    "da": 1,
    "ta": 1,
    "ni": 1,
    "na": 1,
    "sh": 1,
    "sc": 1,
    "we": 7,
    "wo": 7,
    "mo": 30,
    "qu": 91,
    "ye": 365,
    "ja": 365,
}
"""By the first letters of a unit, English or German."""


def beside(text: str, period: Period, today: date) -> Period | None:
    """The time right before `period`, or right after it, where a text asks for that; else None.

    Without a unit it is as long as the period before it, and open at its end behind it. None as well where the period
    is open on that side.
    """
    found = _BESIDE.search(text)
    if found is None:
        return None
    groups = found.groupdict()
    way = next(value for name, value in groups.items() if name.startswith("way") and value).casefold()
    unit = next((value.casefold() for name, value in groups.items() if name.startswith("unit") and value), "")
    count = number(groups["count"]) if groups["count"] else 1
    later = way.startswith(_LATER)
    edge = period.until if later else period.since
    if not edge or (unit and not count):
        return None
    if later:
        first = after(date.fromisoformat(edge))
        last = _last(first, unit, count)
    else:
        last = ago(date.fromisoformat(edge), 1)
        first, last = (
            _first(period, unit, count, today),
            (after(last) if unit[:2] in ("ni", "na", "sh", "sc") else last),
        )
        if "end" in unit:
            first = ago(last, 1 + (last.weekday() - 6) % 7)
            last = after(first)
    until = "" if last is None or last >= today else last.isoformat()
    return Period(first.isoformat(), until, (found.group().strip(),))


def _first(period: Period, unit: str, count: int, today: date) -> date:
    """The first day of so many units, or of as long a time as a period, that end before the period."""
    since = date.fromisoformat(period.since)
    until = date.fromisoformat(period.until) if period.until else today
    months = count * _MONTHS.get(unit[:2], 0)
    if not unit and since.day == 1 and period.until and after(until).day == 1:
        months = 12 * (until.year - since.year) + until.month - since.month + 1
    if months and since.day == 1:
        return months_before(since, months).first
    # A time until now has begun at this hour of its first day.
    length = (until - since).days + bool(period.until)
    return ago(since, min(count * _DAYS[unit[:2]], LONGEST_AGO) if unit else max(1, length))


def _last(first: date, unit: str, count: int) -> date | None:
    """The last day of so many units from a first day on; None without a unit, and where it is far ahead."""
    months = count * _MONTHS.get(unit[:2], 0)
    if not unit or count > LONGEST_AGO or first.year + count >= date.max.year:
        return None
    if months and first.day == 1:
        behind = 12 * first.year + first.month - 1 + months
        return ago(date(behind // 12, behind % 12 + 1, 1), 1)
    return first + timedelta(days=min(count * _DAYS[unit[:2]], LONGEST_AGO) - 1)
