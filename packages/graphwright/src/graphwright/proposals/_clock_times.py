"""Clock times of a text, and the times and durations that follow from two values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TypeVar

from graphwright.text._dates import dates_in
from graphwright.text.numerals import Numeral, numbers_in, plain_digits

_CLOCK = re.compile(r"(?<![\d:.,])([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?![\d:])")
_DAY, _UNITS = 86_400, (1, 60, 3_600)
_PARTS = (60, 24, 7, 12)
"""Minutes of an hour, hours of a day, days of a week, months of a year."""

_NEAR = 400
"""The maximum number of characters between neighbouring numbers."""


Placed = TypeVar("Placed", "Clock", Numeral)


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock time: its start and end in the text, and the second of the day."""

    start: int
    end: int
    second: int


def clocks_in(text: str) -> list[Clock]:
    """Return the clock times of a text.

    >>> [each.second // 60 for each in clocks_in("from 14:35 to 15:20:00")]
    [875, 920]
    """
    found = []
    for match in _CLOCK.finditer(text):
        hours, minutes, seconds = (int(part or 0) for part in match.groups())
        found.append(Clock(match.start(), match.end(), 3_600 * hours + 60 * minutes + seconds))
    return found


class Times:
    """The operands for clock times: those of the text and of `sources`, if these have at most `most` of a kind."""

    def __init__(
        self, text: str, written: Sequence[Numeral], sources: Iterable[str], *, most: int, nearest: int
    ) -> None:
        self._clocks, self._written, self._nearest = clocks_in(text), written, nearest
        given, numbers = set[int](), set[float]()
        for each in sources:
            plain = plain_digits(each)
            given |= {clock.second for clock in clocks_in(plain)}
            for date in dates_in(plain):
                plain = f"{plain[: date.start]}{' ' * (date.end - date.start)}{plain[date.end :]}"
            numbers |= numbers_in(_CLOCK.sub(" ", plain))
        self._given: Collection[int] = given if len(given) <= most else ()
        self._numbers: Collection[float] = numbers if len(numbers) <= most else ()

    def without_calculated(self, wrong: Sequence[Numeral]) -> list[Numeral]:
        """Return the wrong numbers that are neither a time nor a duration that follows from two right values."""
        bad = {numeral.start for numeral in wrong}
        right = [clock for clock in self._clocks if not any(clock.start <= start < clock.end for start in bad)]
        places = {clock.start: clock for clock in right}
        plain = [n for n in self._written if n.start not in bad and not _within(n.start, places.values())]
        return [numeral for numeral in wrong if not self._follows(numeral, right, plain)]

    def _follows(self, numeral: Numeral, right: Sequence[Clock], plain: Sequence[Numeral]) -> bool:
        times = {*self._given, *(clock.second for clock in _beside(numeral.start, right, self._nearest))}
        own = _within(numeral.start, self._clocks)
        if own is not None:
            named = {value for each in _beside(numeral.start, plain, self._nearest) for value in each.values}
            steps = {number * unit for number in {*self._numbers, *named} for unit in _UNITS}
            # 1:44 may also be a duration: the time between two others, 104 minutes, or added to a time.
            lengths = {(one - other) % _DAY for one, other in permutations(times, 2)} | steps
            steps |= times
            return own.second in lengths or any(
                (own.second - time) % _DAY in (step % _DAY, -step % _DAY) for time in times for step in steps
            )
        lengths = {(one - other) % _DAY for one, other in permutations(times, 2)}
        spans = [length / unit for length in lengths for unit in _UNITS]
        if any(abs(span - value) <= numeral.step / 2 for span in spans if span >= 1 for value in numeral.values):
            return True
        parts = [*self._parts(numeral)]
        if any(60 * hours + minutes == length // 60 for hours, minutes in parts for length in lengths):
            return True
        # 3 hours and 16 minutes for 196 minutes, 7 weeks and 5 days for 54 days.
        totals = {value for each in _beside(numeral.start, plain, self._nearest) for value in each.values}
        return any(unit * large + small in totals and small < unit for large, small in parts for unit in _PARTS)

    def _parts(self, numeral: Numeral) -> Iterator[tuple[float, float]]:
        """Yield the number and the one before or after it as hours and minutes of one duration."""
        place = next(at for at, each in enumerate(self._written) if each.start == numeral.start)
        for pair in (self._written[max(place - 1, 0) : place + 1], self._written[place : place + 2]):
            if len(pair) == 2 and pair[1].start - pair[0].start < 20:
                yield max(pair[0].values), max(pair[1].values)


def _within(start: int, clocks: Iterable[Clock]) -> Clock | None:
    return next((clock for clock in clocks if clock.start <= start < clock.end), None)


def _beside(start: int, found: Iterable[Placed], most: int) -> list[Placed]:
    near = (each for each in found if abs(each.start - start) <= _NEAR)
    return sorted(near, key=lambda each: abs(each.start - start))[:most]
