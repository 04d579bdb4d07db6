"""Dates in the words of a request: "the 17th of October 2026" is 2026-10-17."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from graphwright.agents.graph_editor.places import Place

_MONTHS = (*("jan", "feb", "mar|mär", "apr", "may|mai", "jun", "jul", "aug", "sep", "oct|okt", "nov", "dec|dez"),)
_MONTH = "|".join(f"(?:{each})" for each in _MONTHS)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_FORMS = (
    re.compile(r"(?<![\w-])(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})(?![\w-])"),
    re.compile(rf"(?<!\w){_DAY}\s*(?:of\s+)?(?P<month>{_MONTH})[a-zä]*\.?,?\s+(?P<year>\d{{4}})(?!\w)", re.IGNORECASE),
    re.compile(rf"(?<!\w)(?P<month>{_MONTH})[a-zä]*\.?\s+{_DAY},?\s+(?P<year>\d{{4}})(?!\w)", re.IGNORECASE),
)


class Day(NamedTuple):
    """A date, as graphs have it, and where the request says it."""

    iso: str
    place: Place


def days_in(text: str) -> list[Day]:
    """The dates with a year that a text says, in its order."""
    found = []
    for form in _FORMS:
        for match in form.finditer(text):
            parts = match.groupdict()
            month = int(parts.get("number") or 0) or 1 + next(
                number for number, names in enumerate(_MONTHS) if re.match(names, parts["month"].casefold())
            )
            try:
                day = date(int(parts["year"]), month, int(parts["day"]))
            except ValueError:
                continue
            found.append(Day(day.isoformat(), Place(*match.span())))
    return sorted(found, key=lambda day: day.place)


def day_at(text: str, part: Place) -> Day | None:
    """The only date in a part of a text."""
    here = [day for day in days_in(text) if day.place.meets(part)]
    return here[0] if len(here) == 1 else None
