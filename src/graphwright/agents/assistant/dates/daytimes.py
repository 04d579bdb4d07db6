"""The times of day that a text names, English and German: searches take days only, and words they are none."""

from __future__ import annotations

import re
from typing import NamedTuple


class Daytime(NamedTuple):
    """A time of day, or from one to another, where it stands in a text; `overnight` where midnight is in between."""

    start: int
    end: int
    overnight: bool


_HOUR = r"(?:[01]?\d|2[0-4])"
_HALF = r"(?:\s?[ap]m\b|\s?[ap]\.m\.)"
_OCLOCK = r"(?:\s?(?:uhr|o'clock|o’clock|hrs|hours))"
_WORD = r"(?:noon|midday|midnight|mitternacht)"
_MARK = rf"(?:{_HALF}|{_OCLOCK}|\s?h\b)"
# "1:10" is a ratio as well.
_FULL = rf"(?:(?:[01]\d|2[0-4]):[0-5]\d(?::[0-5]\d)?{_MARK}?|{_HOUR}:[0-5]\d{_MARK})"
_SURE = rf"(?:{_HOUR}(?:[:.][0-5]\d)?{_OCLOCK}(?:\s?[0-5]\d(?!\d))?|\d{{1,2}}(?:[:.][0-5]\d)?{_HALF}|{_FULL}|{_WORD})"
_LOOSE = rf"(?:{_HOUR}(?:[:.][0-5]\d)?\s?h\b|{_SURE}|{_HOUR}:[0-5]\d)"
_PART = (
    r"(?:(?:in|on|at|during)\s+(?:the\s+)?(?:early\s+|late\s+)?(?:morning|afternoon|evening|night|hours)"
    r"|(?:am\s+)?(?:frühen\s+|späten\s+)?(?:vormittag|nachmittag|mittag|abend)s?|(?:am\s+)?(?:frühen\s+|späten\s+)morgen"
    r"|nachts|morgens|in\s+der\s+(?:früh|nacht))"
)
_NEAR = (
    r"(?:(?:shortly|just|kurz|etwa|ungefähr|circa|ca\.|approximately)\s+)?"
    r"(?:at|around|about|by|before|after|past|um|gegen|vor|nach|etwa|ungefähr|circa|ca\.|approximately)\s+(?:about\s+|etwa\s+)?"
)

_BETWEEN = re.compile(
    rf"(?<![\w.:-])(?:(?:between|from|zwischen|von)\s+)?(?P<first>{_HOUR}(?:[:.][0-5]\d)?|{_LOOSE})\s*"
    rf"(?:and|und|to|until|till|bis|-|–|—)\s*(?P<last>{_LOOSE})(?![\w:])",
    re.IGNORECASE,
)
_AT = re.compile(rf"(?<![\w.:-])(?:{_NEAR}{_LOOSE}|{_SURE})(?![\w:-])", re.IGNORECASE)
_AFTER_DATE = re.compile(r"(?<=\d)T(?=\d\d:\d\d)")
_ZONE = re.compile(r"(?<=:\d\d)(?:\.\d{1,6})?Z\b")
_PARTS = re.compile(rf"(?<![\w-]){_PART}(?![\w-])", re.IGNORECASE)
_AM = re.compile(r"\d\s+am$", re.IGNORECASE)
_ENGLISH_BEFORE = re.compile(
    r"\b(?:at|around|about|after|before|since|until|till|between|from|to|by|and|past|yesterday|today|morning)\s*$",
    re.IGNORECASE,
)
_ENGLISH_AFTER = re.compile(
    r"\s*(?:$|[?!.,;:)]|(?:yesterday|today|on|this|last|to|and|until|in the|\w+day|did|was|were)\b)", re.IGNORECASE
)
_WHEN = re.compile(r"\s*(\d{1,2})(?:[:.](\d\d))?\s*(am|pm|a\.m\.|p\.m\.)?", re.IGNORECASE)


def daytimes_in(text: str) -> list[Daytime]:
    """The times by the clock, in order."""
    text = _ZONE.sub(lambda m: " " * len(m[0]), _AFTER_DATE.sub(" ", text))
    found: list[Daytime] = []
    for match in _BETWEEN.finditer(text):
        if _is_time(text, match):
            found.append(Daytime(*match.span(), _minute(match["first"], match["last"]) > _minute(match["last"], "")))
    taken = list(found)
    for match in _AT.finditer(text):
        free = all(match.end() <= each.start or each.end <= match.start() for each in taken)
        if free and _is_time(text, match):
            found.append(Daytime(*match.span(), overnight=False))
    return sorted(found)


def hour_of(time: str) -> int:
    """The hour of a time of day, 0 for midnight."""
    clock = re.search(rf"\d.*|{_WORD}", time, re.IGNORECASE)
    return _minute(clock[0] if clock else time, "") // 60 % 24


def parts_in(text: str) -> list[tuple[int, int]]:
    """Where the text speaks of a part of a day, such as "in the afternoon"."""
    return [match.span() for match in _PARTS.finditer(text)]


def _is_time(text: str, match: re.Match[str]) -> bool:
    """Whether it is a time of day and not a thing with a number in German: "Klystron 3 am Montag"."""
    if not _AM.search(match[0]):
        return True
    said = re.match(r"\D*", match[0])
    before = text[: match.start() + (said.end() if said else 0)]
    behind = text[match.end() :]
    german = re.match(r"\s*(?:\w+tag|mittwoch|sonnabend)\b", behind, re.IGNORECASE)
    return german is None and bool(_ENGLISH_BEFORE.search(before) or _ENGLISH_AFTER.match(behind))


def _minute(time: str, other: str) -> int:
    """The minute of the day; a half of the day that is not said is that of the `other` time."""
    found = _WHEN.match(time)
    if found is None:
        return 12 * 60 if re.search("noon|midday", time, re.IGNORECASE) else 0
    hour, minutes = int(found[1]), int(found[2] or 0)
    said = found[3] or (_WHEN.match(other) or [None] * 4)[3]
    if said:
        hour = hour % 12 + (12 if said[0] in "pP" else 0)
    return hour * 60 + minutes
