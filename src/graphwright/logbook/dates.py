"""Days that a model or a person wrote: read, mended where they can mean but one thing, else refused with the reason."""

from __future__ import annotations

import re
from calendar import month_name, monthrange
from collections.abc import Callable
from datetime import date, timedelta

from graphwright.logbook.cleaning import one_line
from graphwright.logbook.errors import Refused

_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?$")
_GERMAN = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$")
_DAYS = {
    "today": 0, "now": 0, "heute": 0, "jetzt": 0,
    "yesterday": 1, "gestern": 1,
    "vorgestern": 2, "the day before yesterday": 2,
}  # fmt: skip
_AGO = re.compile(r"(?:(\d{1,5}) days? ago|vor (\d{1,5}) tag(?:en)?|-(\d{1,5}) ?d(?:ays)?)$")


def read_days(since: str, until: str, today: date) -> tuple[date | None, date | None, list[str]]:
    """The two days, both None where nothing was given, and a sentence for everything that was mended.

    Raises Refused: `bad_date` where one is no day at all, `future` where the search could find nothing yet.
    """
    notes: list[str] = []
    first = _read("since", since, today, notes.append)
    last = _read("until", until, today, notes.append)
    if first is not None and last is not None and first > last:
        notes.append(f"since {first} lies after until {last}: the two were swapped.")
        first, last = last, first
    if first is not None and first > today:
        raise Refused(
            "future",
            f"since {first} lies in the future: today is {today}.",
            "Work the date out from today's date and search again.",
        )
    if last is not None and last > today:
        notes.append(f"until {last} lies in the future: entries up to today, {today}, were searched.")
        last = today
    return first, last, notes


def _read(name: str, given: str, today: date, note: Callable[[str], None]) -> date | None:
    text = one_line(given)[:60]
    if not text or text.lower() in ("none", "null", "any", "-"):
        return None
    ago = _DAYS.get(text.lower())
    if ago is None and (found := _AGO.match(text.lower())):
        ago = int(next(group for group in found.groups() if group))
    if ago is not None:
        day = today - timedelta(days=min(ago, today.toordinal() - 1))
        note(f"{name} {text!r} was read as {day}.")
        return day
    if found := _ISO.match(text):
        parts = found[1], found[2], found[3]
    elif found := _GERMAN.match(text):
        parts = found[3], found[2], found[1]
    else:
        raise Refused("bad_date", f"{name} {text!r} is no date.", f"Write it as YYYY-MM-DD: today is {today}.")
    day = _day(name, text, *map(int, parts), note=note)
    if str(day) != text and day.timetuple()[:3] == tuple(map(int, parts)):
        note(f"{name} {text!r} was read as {day}.")
    return day


def _day(name: str, text: str, year: int, month: int, day: int, *, note: Callable[[str], None]) -> date:
    if not (1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31):
        wrong = f"no month has the number {month}" if not 1 <= month <= 12 else "there is no such day in any month"
        raise Refused("bad_date", f"{name} {text!r} is no date: {wrong}.", "Write it as YYYY-MM-DD.")
    length = monthrange(year, month)[1]
    if day > length:
        mended = date(year, month, length)
        note(f"{name} {text!r} does not exist, {month_name[month]} {year} has {length} days: {mended} was taken.")
        return mended
    return date(year, month, day)
