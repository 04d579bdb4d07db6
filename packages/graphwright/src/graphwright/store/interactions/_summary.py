"""Totals of interactions, and their numbers over time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_MOST_BARS = 60
_WIDTHS = (1, 5, 15, 60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 86_400, 7 * 86_400)
"""Seconds that a bar can have; longer ones are a number of weeks."""

_UNIX = datetime(1970, 1, 1, tzinfo=UTC)
_REST = {19: "", 16: ":00", 13: ":00:00", 10: "T00:00:00"}
"""What completes the first characters of a time."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The interactions that began in a part of the time, which begins at `begin`."""

    begin: str
    count: int
    failed: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The totals of interactions; `median` and `p95` of their durations are in seconds, as is the width of the bars."""

    count: int
    failed: int
    tokens: int
    median: float
    p95: float
    types: tuple[str, ...]
    bar_seconds: int
    bars: tuple[Bar, ...]


EMPTY = Summary(0, 0, 0, 0.0, 0.0, (), 0, ())


@dataclass(frozen=True, slots=True)
class Scale:
    """A range of time in bars of the same width."""

    first: int
    count: int
    seconds: int

    @classmethod
    def over(cls, since: str, until: str) -> Scale:
        """Return the scale from one ISO 8601 time to another with at most 61 bars, which begin at even times."""
        begin, end = _unix(since), _unix(until)
        span = max(0, end - begin)
        week = _WIDTHS[-1]
        width = next((each for each in _WIDTHS if span <= each * _MOST_BARS), week * -(-span // (week * _MOST_BARS)))
        first = begin - begin % width
        return cls(first, (max(begin, end) - first) // width + 1, width)

    @property
    def digits(self) -> int:
        """The number of first characters of a time that say in which bar it is: to the second, minute, hour or day."""
        longest = ((60, 19), (3600, 16), (86_400, 13))
        return next((digits for seconds, digits in longest if self.seconds < seconds), 10)

    def bars(self, rows: Iterable[tuple[str, int, int]]) -> tuple[Bar, ...]:
        """Return the bars for numbers by the first characters of the time: all interactions, and failed ones."""
        counts, failures = [0] * self.count, [0] * self.count
        for text, count, failed in rows:
            place = (_unix(text + _REST[self.digits]) - self.first) // self.seconds
            if 0 <= place < self.count:
                counts[place] += count
                failures[place] += failed
        begins = (_UNIX + timedelta(seconds=self.first + place * self.seconds) for place in range(self.count))
        return tuple(
            Bar(begin.isoformat().replace("+00:00", "Z"), *both)
            for begin, *both in zip(begins, counts, failures, strict=True)
        )


def _unix(time: str) -> int:
    """Return a time in seconds since 1970; a time without a zone is in UTC."""
    moment = datetime.fromisoformat(time)
    return int((moment.replace(tzinfo=moment.tzinfo or UTC) - _UNIX).total_seconds())
