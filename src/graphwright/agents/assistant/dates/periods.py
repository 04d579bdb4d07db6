"""The period of a question: the spans that it names joined by what stands before and between them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from graphwright.agents.assistant.dates.days import Span, after, ago
from graphwright.agents.assistant.dates.daytimes import Daytime, daytimes_in, hour_of, parts_in
from graphwright.agents.assistant.dates.naming import spans_in

LONGEST = 4_000
"""Characters of a text that are read."""


@dataclass(frozen=True, slots=True)
class Period:
    """A span of days as dates of ISO 8601, both included; empty where it is open.

    `words` are those that say it, as they stand in the text; none of them is one to search for. `impossible` are those
    that name a day which no calendar has, such as "31 February": they restrict nothing, and the user is to be told.
    """

    since: str
    until: str
    words: tuple[str, ...]
    impossible: tuple[str, ...] = ()


_WITH = r"(?:\s+(?:the|dem|den|der|on|am|of))*\s*$"
_BETWEEN = re.compile(rf"\b(?:between|zwischen){_WITH}", re.IGNORECASE)
_SINCE = re.compile(rf"\b(?:since|from|starting|between|seit|seitdem|von|vom|ab|zwischen){_WITH}", re.IGNORECASE)
_AFTER = re.compile(rf"\b(?:after|nach){_WITH}", re.IGNORECASE)
_AFTER_TIME = re.compile(r"(?:(?:shortly|just|kurz)\s+)?(?:after|past|nach)\b", re.IGNORECASE)
_UNTIL = re.compile(rf"(?:\b(?:until|till|to|up to|through|bis(?:\s+zum?)?|and|und)|[-–—]){_WITH}", re.IGNORECASE)
_UNTIL_ALONE = re.compile(rf"\b(?:until|till|up to|bis(?:\s+zum?)?){_WITH}", re.IGNORECASE)
_BEFORE = re.compile(rf"\b(?:before|vor){_WITH}", re.IGNORECASE)
_OPENS = re.compile(r"^(?:since|seit|ab)\b", re.IGNORECASE)
_RANGE = re.compile(
    r"^\s*(?:(?:to|until|till|through|thru|up to|bis(?:\s+zum?)?|auf)\b|[-–—])"
    r"(?:\s+(?:the|dem|den|der|on|am))*\s*$",
    re.IGNORECASE,
)
_AND = re.compile(r"^\s*(?:and|und)(?:\s+(?:the|dem|den|der|on|am))*\s*$", re.IGNORECASE)
_SAME = re.compile(r"^[\s,(]*(?:(?:the|dem|den|der|on|am|vom|of)\s+)?$", re.IGNORECASE)


_CLAUSE = re.compile(
    r"\b(?:since|seit|seitdem)\s+(?:I|we|you|he|she|they|ich|wir|du|er|sie|my|our|meine[mrn]?|unsere[mrn]?)\b"
    r"(?:\s+[^\W\d_]+){0,5}?(?:\s+(?:on|at|in|am|im|the|den|dem))*\s*$",
    re.IGNORECASE,
)
"""What somebody did on the day from which on is asked: "since I left on Friday"."""

_CLAUSE_ENDS = re.compile(
    r"\s+(?:[^\W\d_]+\s+){0,3}?(?:bin|war|waren|sind|hab|habe|haben|hatte|hatten|ging|gingen)\b", re.IGNORECASE
)
_GERMAN_CLAUSE = re.compile(r"^seit(?:dem)?\s+(?:ich|wir|du|er|sie)\b", re.IGNORECASE)
_NIGHT = re.compile(r"\b(?:(?:during|in|through)\s+the\s+night|in\s+der\s+nacht|nachtsüber)(?!\w)", re.IGNORECASE)
"""The last one, where no day is named beside it."""


def period_in(text: str, today: date, hour: int = 23) -> Period | None:
    """The span of days that a text speaks of; None where it speaks of none.

    `hour` is that of the clock: since a later one is since yesterday.
    """
    text = text[:LONGEST]
    times = daytimes_in(text)
    masked = _masked(text, [(_without_opening(text, each), each.end) for each in times])
    named = spans_in(masked, today)
    if not named and not times:
        night = _NIGHT.search(text)
        return Period(ago(today, 1).isoformat(), "", (night[0],)) if night else None
    if not named and (begun := _since_time(text, times, today, hour)):
        return begun
    spans = _joined(masked, [(each.start, each.end, each.span) for each in named if each.span is not None])
    lost = [(each.start, each.end) for each in named if each.span is None]
    places = [_with_clause(masked, start, end) for start, end, _ in spans] + lost
    places += [(each.start, each.end) for each in times]
    words = tuple(text[start:end].strip() for start, end in _merged(places + (parts_in(masked) if named else [])))
    impossible = tuple(text[start:end].strip() for start, end in lost)
    if not spans:
        return Period("", "", words, impossible)
    since, until = _ends(masked, spans, today)
    overnight = any(each.overnight for each in times) or _NIGHT.search(masked) is not None
    if len(spans) == 1 and since == until and since is not None and overnight:
        until = after(since)
    # Nothing is logged tomorrow: a span until today is open.
    open_end = until is None or until > today or (until == today and since != today)
    return Period(
        since.isoformat() if since else "", "" if open_end or until is None else until.isoformat(), words, impossible
    )


def _since_time(text: str, times: list[Daytime], today: date, hour: int) -> Period | None:
    """The time since an hour of today, or of yesterday where it is yet to come; None where it says no "since"."""
    for time in times:
        said = text[time.start : time.end]
        if _SINCE.search(text[max(0, time.start - 60) : time.start]) or _AFTER_TIME.match(said):
            first = today if hour_of(said) <= hour else ago(today, 1)
            return Period(first.isoformat(), "", (said.strip(),))
    return None


def _with_clause(text: str, start: int, end: int) -> tuple[int, int]:
    """A span with the clause that it dates: "since I left on Friday", "seit ich am Freitag gegangen bin"."""
    clause = _CLAUSE.search(text[:start])
    if clause is None:
        return start, end
    behind = _CLAUSE_ENDS.match(text, end) if _GERMAN_CLAUSE.match(clause[0]) else None
    return clause.start(), behind.end() if behind else end


_Place = tuple[int, int, Span]


def _merged(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places in order, those that overlap as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _masked(text: str, places: list[tuple[int, int]]) -> str:
    """The text with blanks where times of day stand, so that what is around them belongs to the days."""
    for start, end in places:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _without_opening(text: str, time: Daytime) -> int:
    """Where a time begins; the `T` of a timestamp belongs to none."""
    return time.start - 1 if time.start and text[time.start - 1] == "T" else time.start


def _joined(text: str, spans: list[_Place]) -> list[_Place]:
    """The spans with those joined that are the two ends of one, or say the same day twice: "Friday, 20 November"."""
    joined: list[_Place] = []
    for start, end, span in spans:
        if joined:
            begin, before_end, before = joined[-1]
            gap = text[before_end:start]
            ranged = _RANGE.match(gap) or (_AND.match(gap) and _BETWEEN.search(text[:begin]))
            if ranged and not _BEFORE.search(text[:begin]):
                joined[-1] = (begin, end, _from_to(before, span))
                continue
            if before.repeats == "week" and before.first == before.last and _SAME.match(gap) and span.repeats != "week":
                joined[-1] = (begin, end, span)
                continue
        joined.append((start, end, span))
    return joined


def _from_to(first: Span, last: Span) -> Span:
    """From one span to another; of one that comes back every week or year that one is meant which fits."""
    begin, end = first.first, last.last
    if end is not None and begin > end:
        if first.repeats == "week":
            begin = ago(begin, 7 * -(-(begin - end).days // 7))
        elif last.repeats == "year":
            end = _years(end, begin.year - end.year + ((begin.month, begin.day) > (end.month, end.day)))
        elif first.repeats == "year":
            begin = _years(begin, end.year - begin.year - ((begin.month, begin.day) > (end.month, end.day)))
    return Span(begin, end, ranged=True)


def _years(day: date, years: int) -> date:
    year = min(max(day.year + years, date.min.year), date.max.year)
    try:
        return day.replace(year=year)
    except ValueError:
        # The 29th of February, in a year that has none.
        return day.replace(year=year, day=28)


def _ends(text: str, spans: list[_Place], today: date) -> tuple[date | None, date | None]:
    """The first and the last day of all spans; None where it is open."""
    since: date | None = None
    until: date | None = None
    plain: list[Span] = []
    for start, end, span in spans:
        before = text[max(0, start - 60) : start]
        first, last = span.first, span.last
        if span.ranged:
            plain.append(span)
        elif _OPENS.search(text[start:end]) or _SINCE.search(before) or _CLAUSE.search(before):
            since = first
        elif _AFTER.search(before):
            since = after(last or first)
        elif (since is not None or _UNTIL_ALONE.search(before)) and _UNTIL.search(before):
            until = last or today
        elif _BEFORE.search(before):
            until = ago(first, 1)
        else:
            plain.append(span)
    if since is None and until is None:
        since = min(span.first for span in plain)
        lasts = [span.last for span in plain]
        until = None if None in lasts else max(last for last in lasts if last is not None)
    if since is not None and until is not None and since > until:
        since, until = until, since
    return since, until
