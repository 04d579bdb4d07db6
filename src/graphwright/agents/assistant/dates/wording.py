"""How times are worded, English and German: patterns that the rules for spans of days are put together from."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from graphwright.agents.assistant.dates.days import DAYS, MONTHS, NUMBERS, UNITS, Span, any_of

Rule = tuple[str, Callable[[date, re.Match[str]], Span | None]]
"""A pattern, and the span that a match of it means by the day of today; None where it means none."""

N = rf"(?:\d{{1,4}}|{any_of(NUMBERS)})"
LAST = r"(?:last|past|previous|letzten?r?s?|letztem|vergangenen?r?s?|vorigen?r?s?|vorherigen?r?s?)"
BEFORE_LAST = r"(?:vorletzten?r?s?|vorletztem)"
THIS = r"(?:this|the current|diesen?r?s?|diesem)"
UNIT, DAY = any_of(UNITS), any_of(DAYS)
# "May" is a month and "may" hardly ever.
MONTH = rf"(?:{any_of(name for name in MONTHS if name != 'may')}|(?-i:May|MAY))"
LOOSE_MONTH = any_of(MONTHS)
YEAR = r"(?:19|20)\d\d"
OF_YEAR = rf"(?:,?\s+(?:of\s+|des\s+Jahres\s+)?({YEAR})\b(?!\s?(?:[kMG]?(?:V|eV|Hz|A|W)|mm|mA)\b))?"
TH = r"(?:st|nd|rd|th|\.)?"
ORDINALS = {
    **{"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4},
    **{"erste": 1, "zweite": 2, "dritte": 3, "vierte": 4, "ersten": 1, "zweiten": 2, "dritten": 3, "vierten": 4},
    **{"erstes": 1, "zweites": 2, "drittes": 3, "viertes": 4, "1.": 1, "2.": 2, "3.": 3, "4.": 4},
}
ORDINAL = any_of(ORDINALS)
TO = r"\s*(?:to|until|till|through|thru|up\s+to|bis(?:\s+zum)?|auf|and|und|or|oder|&|-|–|—|/)\s*"
WITH = r"(?:on\s+|am\s+)?(?:(?:the|den|dem|der)\s+)?"
SHIFT = (
    r"(night |early |late |morning |evening |day |nacht|früh|spät|tag)?"
    r"(?:shifts?(?:\s+handovers?)?|schicht(?:en|übergaben?)?)"
)
"""A shift or several, with its kind as a group."""
