"""Links, numbers, ids and code of a text that no source and no result contains. They are reported, not removed."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from html import unescape
from itertools import accumulate, combinations, islice, pairwise, permutations, product, takewhile
from typing import Any

from graphwright.proposals._arithmetic import CONVERSIONS, Equation, equations
from graphwright.proposals._clock_times import Times, clocks_in
from graphwright.text._dates import (
    WrittenDate,
    dates_in,
    lengths_between,
    month_lengths,
    shifted,
    worded_dates_in,
)
from graphwright.text.folding import normalised
from graphwright.text.numerals import LONGEST, Numeral, is_number, numbers_in, plain_digits, runs

MOST_DERIVED = 6
"""The maximum number of known values for which calculations with two of them are accepted too."""

NEAREST = 3
"""The number of neighbours that a number may be calculated from."""

MOST_CALCULATED = 300
"""The maximum number of unknown numbers that are calculated from their neighbours."""

_ROUNDS, _LONGEST_RUN = 3, 60
"""Rounds in which calculated numbers may be operands of others, and the maximum number of addends."""

_MOST_DATES = 12
"""The maximum number of dates of a text whose distances in days count anywhere in it."""

_LEVELS = frozenset({90.0, 95.0, 99.0})
"""Usual confidence levels in per cent."""

_NEAR_BOUNDS, _BETWEEN_BOUNDS = 40, 8
"""The maximum number of characters between a level and its interval, and between the bounds of an interval."""

_LEAST_ROUNDED, _ROUNDED_OFF = 1_000, 0.005
"""The minimum number that may be rounded to its last zeros, and the proportion that rounding may change."""

_LEAST_SPECIFIC = 100
"""The minimum number of last digits of a number that hardly equals a conversion or a part of another one by chance."""

_UNITS = (2.0, 3.0, 4.0, 24.0, 60.0, 1_000.0, 3_600.0, 86_400.0, 1_000_000.0)
"""What a number next to another one may be multiplied or divided by: halves to quarters, units of time, prefixes."""

_ADDRESS = re.compile(
    r"(?:(?:https?|ftp|file)://|(?<![A-Za-z0-9@/.-])www\.|(?<![A-Za-z0-9])(?:mailto|javascript|data|vbscript):)"
    r"[^\s<>\"'`|\]\\]{1,2000}",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"(?<![\d/])(\d{1,3})/(\d{1,3})(?![\d/])")
_BEFORE_WORD = re.compile(r"[ \u00a0\u202f]?[^\W\d_]")
_LABEL = re.compile(r"(?<![\d.,])\d+(?:\.\d+){2,}(?![\w])")
_END_OF_PASSAGE = re.compile(r"\n+|(?<=[.!?;…])\s+(?!\d)|(?<=[。！？；])")
_LIST_OR_TABLE = re.compile(r"(?:^[ \t>]*(?:[|*•+–-]|\d{1,3}[.)][ \t]).*(?:\n|\Z))+", re.MULTILINE)
_STEP = re.compile(r"\s*(?P<sign>[-+−–])\s*(?P<number>\d{1,5})\s[^\d=+−]{1,24}=\s*")
_CODE = re.compile(r"(`{1,3})(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_TARGET = re.compile(r"\]\(\s*<?([^\s<>]{1,2000})>?|^\s{0,3}\[[^\]\n]{1,200}\]:\s*<?([^\s<>]{1,2000})>?", re.MULTILINE)

_MARKDOWN_LINK = re.compile(r"\[(?:[^\[\]\n]|\[[^\[\]\n]*\]){0,400}\]\((?:[^()\s<>]|\([^()\s<>]*\)){1,2000}\)")
"""A Markdown link, which ends at its bracket whatever follows: `[a](https://a.example)[b](https://b.example)`."""


def links_not_in(text: str, sources: Iterable[str]) -> list[str]:
    """Return the addresses in a Markdown text that are not among the `sources`, as written, each once.

    >>> links_not_in("See [here](https://a.example/x) and https://b.example.", ["https://a.example/x/"])
    ['https://b.example']
    """
    known = {_address(url) for url in sources}
    plain = unescape(unicodedata.normalize("NFKC", text)).replace("\\", "")
    plain = _MARKDOWN_LINK.sub(r"\g<0> ", plain)
    found = [match.group() for match in _ADDRESS.finditer(plain)]
    found += [a or b for a, b in _TARGET.findall(plain) if not (a or b).startswith("#")]
    stripped = (_without_end(each) for each in found)
    return list(dict.fromkeys(each for each in stripped if each and _address(each) not in known))


def ids_not_in(text: str, known: Iterable[str], pattern: str) -> list[str]:
    """Return the matches of a pattern for ids that are not among the known ids, each once. Case is ignored.

    >>> ids_not_in("T-1 and T-9 are open", ["T-1"], r"T-\\d+")
    ['T-9']
    """
    there = {each.casefold() for each in known}
    found = (match.group() for match in re.finditer(pattern, text))
    return list(dict.fromkeys(each for each in found if each.casefold() not in there))


def code_not_in(text: str, known: Iterable[str]) -> list[str]:
    """Return the words in code marks of a Markdown text that no known text contains, each once.

    >>> code_not_in("Use `run --wait 5` or `run --agent`.", ["run --wait SECONDS starts it"])
    ['5', '--agent']
    """
    there = normalised("\n".join(known))
    # The first line of a block names its language.
    found = _CODE.findall(text[:LONGEST])
    spans = [(span.partition("\n")[2] if len(marks) == 3 else "").strip() or span.strip() for marks, span in found]
    words = (word.strip(",;()") for span in spans if normalised(span) not in there for word in span.split())

    def is_known(word: str) -> bool:
        # A manual may describe a setting and its value separately: NAME, and 0 for NAME=0.
        return normalised(word) in there or all(part and normalised(part) in there for part in word.split("="))

    return list(dict.fromkeys(word for word in words if word and not is_known(word)))


def numbers_not_in(
    text: str,
    known: Any,
    *,
    also: Iterable[str] = (),
    derived: bool = True,
    units: Iterable[float] = (),
    cited: Iterable[str] = (),
    printed: Iterable[str] = (),
) -> list[str]:
    """Return the numbers of a text that do not follow from the known values, and its wrong calculations, each once.

    `known` is any JSON: rows, records, texts. Numbers are read in all usual formats (see `text.numerals`); a number
    with several readings follows if one of them does. Accepted are the known numbers, and the lengths and sums of
    lists: as the text rounds them, in per cent, without the sign, or in one of the `units` (1_000_000 for 1.2 million).
    With `derived`, the sum, difference, share or ratio of two known numbers, a percentage of one, and a fraction of one
    that is written in `also` (7/12), are accepted, too, if there are at most `MOST_DERIVED`. Dates are compared as
    dates, clock times as times, versions and addresses as text.

    Accepted is also what follows from numbers and dates next to it (in the same or a neighbouring sentence, list item
    or row): the sum, difference, product, share or ratio of two, a percentage of one, the sum of several, the total of
    a column, the time between two dates or clock times, a date or clock time later or earlier by a number, the day
    after a date, its week and its day of the year, and the right result of a calculation that is written out. That may
    use the lengths of the months from one date to another, conversions of units, one number that follows from a known
    result, and another calculation of the same value. Days between any two dates of the text count, too, and weeks of
    few known dates. Clock times, numbers and dates of the texts `cited` count as next to every number, if there are at
    most `MOST_DERIVED`. Numbers of the texts `also`, such as the question, are known. So are those of texts in which
    data are `printed`, which are percentages only with their sign.

    >>> numbers_not_in("12 of 48, that is 25 %, and 7 more", {"open": 12, "all": 48})
    ['7']
    >>> numbers_not_in("48 - 12 = 34", {"open": 12, "all": 48, "late": 34})
    ['48 - 12 = 34']
    """
    shown = plain_digits(text)
    there = _KnownValues(known, also, printed, units=units, derived=derived)
    dates = [*dates_in(shown), *there.worded(shown)]
    in_dates = _Spans((each.start, each.end) for each in dates)
    known_dates = _Spans((each.start, each.end) for each in dates if there.has_date(each))
    in_labels = [
        each for each in _LABEL.finditer(shown) if not in_dates.covers(each.start()) and not is_number(each[0])
    ]
    labels = _Spans(each.span() for each in in_labels)
    written = [
        numeral
        for run in runs(shown)
        for numeral in run.cut(there.has)
        if not labels.covers(numeral.start) and not _numbers_a_list(shown, numeral)
    ]
    wrong = [numeral for numeral in written if not there.has(numeral) and not known_dates.covers(numeral.start)]
    wrong = [numeral for numeral in wrong if not _is_level(shown, numeral, written, wrong)]
    in_clocks = _Spans((each.start, each.end) for each in clocks_in(shown))
    plain = [each for each in written if not in_dates.covers(each.start) and not in_clocks.covers(each.start)]
    calculations = [*equations(shown, plain, _rounds)]
    if wrong:
        times = Times(shown, written, cited, most=MOST_DERIVED, nearest=NEAREST)
        operands = {each.start for calculation in calculations for each in calculation.operands}
        used = operands.union(each.result.start for each in calculations)
        factors = there.factors(each for each in plain if each.start not in used)
        given = {day for each in cited for one in (*dates_in(each), *_worded(each)) for day in one.days}
        given = given if len(given) <= MOST_DERIVED else set()
        neighbours = _Neighbours(shown, written, dates, [*there.dates][:NEAREST], there.few_days, given, operands)
        wrong = _without_calculated(calculations, wrong, factors)
        wrong = times.without_calculated(wrong[:MOST_CALCULATED]) + wrong[MOST_CALCULATED:]
        for _ in range(_ROUNDS):
            # A calculated number may be the operand of another one.
            wrong = neighbours.without_source(wrong[:MOST_CALCULATED]) + wrong[MOST_CALCULATED:]
            wrong = _without_calculated(calculations, wrong, factors)
            # A number that was calculated once may be repeated anywhere.
            bad = {numeral.start for numeral in wrong}
            right = {numeral.text for numeral in written if numeral.start not in bad}
            results = _signed(v for e in calculations if e.right and e.result.start not in bad for v in e.result.values)
            wrong = [each for each in wrong if each.text not in right and not _follows(each, results)]
    false = {each.result.start: each.text for each in calculations if each.wrong} | _wrong_dates(shown, dates)
    found = {each.start(): each[0] for each in in_labels if each[0] not in there.labels}
    found |= {numeral.start: numeral.text.strip() for numeral in wrong} | false
    return list(dict.fromkeys(each for _, each in sorted(found.items())))


class _KnownValues:
    """The numbers, dates, clock times, versions and addresses of the known values."""

    def __init__(
        self, known: Any, also: Iterable[str], printed: Iterable[str], *, units: Iterable[float], derived: bool
    ) -> None:
        also = plain_digits("\n".join(also))
        values, texts = set[float](_sums(known)), list[str]()
        for each in _leaves(known):
            if isinstance(each, str):
                texts.append(each)
            else:
                values.add(each)
        worded_texts = plain_digits("\n".join(texts))
        text = plain_digits("\n".join([worded_texts, also, *printed]))
        there = [each for run in runs(text) for ways in run.starting for _, each in ways]
        values.update(value for each in there for value in each.values)
        self.dates = dict.fromkeys(day for each in [*dates_in(also), *_worded(also)] for day in sorted(each.days))
        in_digits = {day for each in dates_in(text) for day in each.days}
        worded = [*worded_dates_in(text)]
        in_words = {day for each in worded if (day := each.as_date)}
        self._days = in_digits | in_words
        self._with_word = {(each.day, each.year) for each in worded if not each.month}
        self.labels = set(_LABEL.findall(text))
        clocks = {each.second // 60 for each in clocks_in(text)}
        values |= {value / unit for unit in units for value in values if abs(value) >= unit}
        pairs = permutations(values, 2) if derived and len(values) <= MOST_DERIVED else ()
        shares = {value / 100 for each in there if each.percent for value in each.values}
        # "What is 7/12 of 1200?"
        fractions = {int(part) / int(whole) for part, whole in _FRACTION.findall(also) if 0 < int(part) < int(whole)}
        derived_values = {value for pair in pairs for value in (*_sum(*pair), *_share(*pair))}
        if derived and len(values) <= MOST_DERIVED:
            derived_values |= {share * value for share, value in product(shares | fractions, values)}
        parts = {float(part) for day in in_digits for part in (day.year, day.month, day.day)}
        # Some week would follow from many dates: of those, the text must name the one that it means.
        self.few_days = self._days if len(self._days) <= _MOST_DATES else set[date]()
        # 14.35 for 14:35, and 2:35 for it.
        parts |= {part for clock in clocks for part in (clock // 60 + clock % 60 / 100, float(clock // 60 % 12 or 12))}
        # 4.1 for 4.1e-9, if a text omits a common power of ten.
        written = (*(each.text.lower() for each in there), *map(repr, values))
        parts |= {value for each in written if "e" in each for value in numbers_in(each.partition("e")[0])}
        # The sign for per cent may be a word in any language, so a number before a word may be a percentage.
        # The seconds of a moment (12:40:35Z) are none.
        alone = (e for e in there if e.end < len(worded_texts) and text[max(e.start - 1, 0)] not in ":.-/+T")
        named = (e.values for e in alone if _BEFORE_WORD.match(text, e.end))
        self._percentages = {100 * value for value in shares}.union(numbers_in(also), *named)
        # 14.03 and 14.3 for 14 March.
        self._short_dates = sorted(day.day + day.month / tenth for day in self._days for tenth in (10, 100))
        self._values = _signed(values | derived_values | parts | shares)
        self._with_rest = _signed({1 - value for value in values if 0 < value < 1})

    def factors(self, named: Iterable[Numeral]) -> list[float]:
        """Return the factors that take, add or subtract a percentage: a known one, or a known number among these."""
        percentages = self._percentages | {value for each in named if self.has(each) for value in each.values}
        parts = {value / 100 for value in percentages if 0 < value < 100}
        return sorted({each for value in parts for each in (value, 1 + value, 1 - value)})

    def has(self, numeral: Numeral) -> bool:
        """Return whether a number of a text is a known one in any of its readings."""
        return (
            _follows(numeral, self._values)
            or (numeral.percent and _follows(numeral, self._with_rest, (0.01,)))
            or (numeral.step < 1 and _follows(numeral, self._short_dates))
        )

    def worded(self, text: str) -> Iterator[WrittenDate]:
        """Yield the dates whose month is a word; for an unknown month, with the known days that they may be."""
        yield from _worded(text)
        for each in worded_dates_in(text):
            days = frozenset(day for day in self._days if (day.day, day.year) == (each.day, each.year))
            if days and not each.month:
                yield WrittenDate(each.start, each.end, days)

    def has_date(self, written: WrittenDate) -> bool:
        """Return whether it is a known date, or has day and year of a date whose month is an unknown word."""
        return any(day in self._days or (day.day, day.year) in self._with_word for day in written.days)


def _worded(text: str) -> Iterator[WrittenDate]:
    """Yield the dates whose month is a word that is known as one."""
    for each in worded_dates_in(text):
        if day := each.as_date:
            yield WrittenDate(each.start, each.end, frozenset({day}))


class _Spans:
    """Parts of a text that do not overlap."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._spans = sorted(spans)

    def covers(self, place: int) -> bool:
        """Return whether a place is inside one of them."""
        at = bisect_right(self._spans, (place, LONGEST)) - 1
        return at >= 0 and place < self._spans[at][1]


def _is_level(text: str, numeral: Numeral, written: Sequence[Numeral], wrong: Sequence[Numeral]) -> bool:
    """Return whether a percentage is the usual level of an interval next to it, both bounds of which are known."""
    if not numeral.percent or not _LEVELS & {*numeral.values}:
        return False
    place = next(at for at, each in enumerate(written) if each.start == numeral.start)
    for pair in (written[place + 1 : place + 3], written[max(place - 2, 0) : place]):
        if len(pair) < 2 or any(each in wrong for each in pair):
            continue
        low, high = pair
        apart = low.start - numeral.end if low.start > numeral.start else numeral.start - high.end
        if apart <= _NEAR_BOUNDS and high.start - low.end <= _BETWEEN_BOUNDS and "\n" not in text[low.end : high.start]:
            return True
    return False


def _without_calculated(
    calculations: Iterable[Equation], wrong: Sequence[Numeral], factors: Sequence[float]
) -> list[Numeral]:
    """Return the wrong numbers except results of right calculations and operands that need no source."""
    bad = {numeral.start for numeral in wrong}
    for each in calculations:
        bad -= {
            operand.start
            for operand in each.operands
            if each.may_use(operand) or (each.is_factor(operand) and _follows(operand, factors, (1.0,)))
        }
        unproven = [operand.start for operand in each.operands if operand.start in bad]
        if each.steps and not unproven:
            # One unknown operand of a calculation follows from its value, and may repeat one of the operands before.
            same = {operand.text for operand in each.operands}
            bad -= {step.start for step in each.steps if step.text in same}
            left = [step.start for step in each.steps if step.start in bad]
            bad -= {*left} if len(left) == 1 else set()
        if each.right:
            # The result follows from operands that are known, and the only unknown operand from a known result.
            unknown = [*unproven, *([each.result.start] if each.result.start in bad else ())]
            bad -= {*unknown} if len(unknown) == 1 else set()
    return [numeral for numeral in wrong if numeral.start in bad]


class _Neighbours:
    """The numbers and dates of a text by passage: from those nearby, a number may be calculated."""

    def __init__(
        self,
        text: str,
        written: Sequence[Numeral],
        dates: Sequence[WrittenDate],
        also: Sequence[date],
        few_days: Collection[date],
        cited: Collection[date],
        operands: Container[int],
    ) -> None:
        in_dates = _Spans((each.start, each.end) for each in dates)
        ends = [match.end() for match in _END_OF_PASSAGE.finditer(text) if not in_dates.covers(match.start())]
        begins, ordered = sorted(each.start for each in dates), sorted(dates, key=lambda each: each.start)
        blocks = [match.span() for match in _LIST_OR_TABLE.finditer(text)]
        self.passage: dict[int, int] = {}
        self.numerals, self.also, self.cited, self.operands = list[Numeral](), also, cited, operands
        self.few_days = few_days
        self.dates, self.in_dates = list[tuple[int, WrittenDate]](), dict[int, WrittenDate]()
        self.columns: dict[int, dict[int, list[Numeral]]] = {}
        passage, last, line, in_line = 0, 0, -1, 0
        for numeral in written:
            # Passages without numbers do not count: an abbreviation may end one.
            place = bisect_right(ends, numeral.start)
            passage, last = passage + (place != last), place
            self.passage[numeral.start] = passage
            at = bisect_right(begins, numeral.start) - 1
            if at >= 0 and numeral.start < ordered[at].end:
                if not self.dates or self.dates[-1][1] is not ordered[at]:
                    self.dates.append((passage, ordered[at]))
                self.in_dates[numeral.start] = ordered[at]
                continue
            self.numerals.append(numeral)
            block = bisect_right(blocks, (numeral.start, len(text))) - 1
            if block >= 0 and numeral.start < blocks[block][1]:
                begin = text.rfind("\n", 0, numeral.start) + 1
                line, in_line = begin, in_line + 1 if begin == line else 0
                # The cell of a table; in a list the first, second ... number of an item.
                column = text.count("|", begin, numeral.start) or in_line
                self.columns.setdefault(block, {}).setdefault(column, []).append(numeral)

    def without_source(self, wrong: Sequence[Numeral]) -> list[Numeral]:
        """Return the wrong numbers that do not follow from right numbers next to them."""
        bad = {numeral.start for numeral in wrong}
        right = [numeral for numeral in self.numerals if numeral.start not in bad]
        totals = self._totals(bad)
        unproven = {self.in_dates[start].start for start in bad if start in self.in_dates}
        known = [(passage, each) for passage, each in self.dates if each.start not in unproven]
        named = {day for _, each in known[:_MOST_DATES] for day in each.days}.union(self.also, self.cited)
        apart = {float(abs((one - other).days)) for one, other in combinations(named, 2)}
        return [each for each in wrong if not self._is_derived(each, right, totals, known, apart)]

    def _is_derived(
        self,
        numeral: Numeral,
        right: Sequence[Numeral],
        totals: Mapping[int, set[float]],
        known: Sequence[tuple[int, WrittenDate]],
        apart: Collection[float],
    ) -> bool:
        own = self.passage[numeral.start]
        first, last = bisect_left(known, own - 2, key=_passage_of), bisect_right(known, own + 1, key=_passage_of)
        dated = [(passage, day) for passage, each in known[first:last] for day in sorted(each.days)]
        near = {day for _, day in dated[: 2 * NEAREST]}
        days = near.union(self.also)
        place = bisect_left(right, numeral.start, key=lambda each: each.start)
        beside = [e for e in right[max(0, place - 9) : place + 9] if -2 <= self.passage[e.start] - own <= 1]
        beside.sort(key=lambda each: abs(each.start - numeral.start))
        named = {value for each in beside[:NEAREST] for value in each.values}
        if written := self.in_dates.get(numeral.start):
            # A date is right as a whole only. The day after a date is calculated in the same sentence.
            after = (day + timedelta(days=1) for passage, day in dated if passage == own)
            # A calculation may use the same day of other years between two known dates.
            years = range(min(days).year, max(days).year + 1) if days else ()
            derived = {
                *_later(days, named),
                *after,
                *(y for day in near for year in years for y in _in_year(day, year)),
            }
            return not written.days.isdisjoint(derived)
        found = self._calculated(numeral, right, place, named | totals.get(own, set()))
        shares = {value / 100 for each in beside[:NEAREST] if each.percent for value in each.values}
        found.update(each for share, value in product(shares, named) for each in (share * value, value - share * value))
        if all(abs(value) >= _LEAST_SPECIFIC * step for value, step in numeral.values.items()):
            found.update(each for value in named for unit in _UNITS for each in (value * unit, value / unit))
        found.update(apart, _of_dates(near, self.also, named))
        if numeral.start not in self.operands:
            found.update(float(part) for day in near.union(self.few_days) for part in _in_calendar(day))
        else:
            found.update(month_lengths(min(days), max(days)) if days else ())
            # 120 for "2 hours", and 2 for "120 minutes".
            found.update(value * unit for value in named for unit in CONVERSIONS)
            found.update(value / unit for value in named for unit in CONVERSIONS if value % unit == 0)
        return _follows(numeral, _signed(found))

    def _totals(self, bad: Container[int]) -> dict[int, set[float]]:
        """Return for each passage the column totals of the list or table that it is part of or next to."""
        found: dict[int, set[float]] = {}
        for columns in self.columns.values():
            totals = set[float]()
            for column in columns.values():
                for reading in (min, max):
                    values = [reading(each.values) for each in column if each.start not in bad]
                    # The last row may be the total of the others.
                    totals.update(sum(each) for each in (values, values[:-1]) if len(each) > 1)
            passages = {self.passage[each.start] for column in columns.values() for each in column}
            for passage in range(min(passages) - 1, max(passages) + 2):
                found.setdefault(passage, set()).update(totals)
        return found

    def _calculated(
        self, numeral: Numeral, right: Sequence[Numeral], place: int, named: Collection[float]
    ) -> set[float]:
        pairs = [*permutations(named, 2)]
        found = {*named, *(value for a, b in pairs for value in (*_sum(a, b), a * b))}
        # Rounded ratios would accept nearly any small whole number.
        exact = numeral.percent or numeral.step < 1
        found.update(value for pair in pairs for value in _share(*pair) if exact or abs(value % 1 - 0.5) > 0.45)
        # The sums of three or more numbers right before it, or right after it.
        own = self.passage[numeral.start]
        for run in (right[:place][::-1], right[place:]):
            alike = list(takewhile(lambda each: abs(self.passage[each.start] - own) <= 1, run[:_LONGEST_RUN]))
            for reading in (min, max):
                found.update(islice(accumulate(reading(each.values) for each in alike), 2, None))
        return found


def _passage_of(dated: tuple[int, WrittenDate]) -> int:
    return dated[0]


def _sum(one: float, other: float) -> tuple[float, ...]:
    return one + other, one - other


def _share(one: float, other: float) -> tuple[float, ...]:
    return (one / other, (one - other) / other) if other else ()


def _signed(numbers: Iterable[float]) -> list[float]:
    return sorted({signed for value in numbers for signed in (value, -value)})


def _leaves(value: Any) -> Iterator[float | str]:
    """Yield all numbers and texts of a JSON value, including its names and the lengths of its lists."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield str(name)
            yield from _leaves(item)
    elif isinstance(value, Sequence):
        yield float(len(value))
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def _wrong_dates(text: str, dates: Iterable[WrittenDate]) -> dict[int, str]:
    """Return the calculations "date + 90 days = date" with a wrong result, by the place of the result."""
    found = {}
    for one, other in pairwise(sorted(dates, key=lambda each: each.start)):
        step = _STEP.fullmatch(text, one.end, other.start)
        if step:
            number = int(step["number"]) * (1 if step["sign"] == "+" else -1)
            if other.days.isdisjoint(day for start in one.days for day in shifted(start, number)):
                found[other.start] = " ".join(text[one.start : other.end].split())
    return found


def _later(days: Iterable[date], named: Iterable[float]) -> Iterator[date]:
    """Yield the dates that are a named number of days, weeks, months or years after or before other dates."""
    numbers = {int(number) for number in named if number == int(number)}
    for day, number in product(days, numbers):
        yield from (*shifted(day, number), *shifted(day, -number))


def _in_calendar(day: date) -> tuple[int, ...]:
    """Return the number of a day in its year, and of its week."""
    return day.timetuple().tm_yday, day.isocalendar().week


def _in_year(day: date, year: int) -> Iterator[date]:
    """Yield the same day of another year, if it exists."""
    with suppress(ValueError):
        yield day.replace(year=year)


def _of_dates(near: Collection[date], also: Collection[date], named: Iterable[float]) -> Iterator[float]:
    """Yield the times between dates, and the parts of the dates that are a named number of days later or earlier.

    The last day may be counted only between dates that the text names, which are `near`.
    """
    for one, other in permutations({*near, *also}, 2):
        if one < other:
            lengths = lengths_between(one, other, inclusive=one in near and other in near)
            yield from map(float, lengths)
    for day in _later({*near, *also}, named):
        yield from (day.year, day.month, day.day)


def _sums(value: Any) -> Iterator[float]:
    """Yield the sums of lists of numbers, and of the columns of lists of records or rows."""
    if isinstance(value, str) or not isinstance(value, Mapping | Sequence):
        return
    items = list(value.values() if isinstance(value, Mapping) else value)
    rows = [dict(enumerate(row)) if isinstance(row, list | tuple) else row for row in items]
    alike = rows and all(isinstance(row, Mapping) for row in rows)
    for column in (items, *([row.get(name) for row in rows] for name in (rows[0] if alike else ()))):
        yield float(sum(each for each in column if isinstance(each, int | float)))
    for item in items:
        yield from _sums(item)


def _follows(numeral: Numeral, values: Sequence[float], scales: Sequence[float] = ()) -> bool:
    """Return whether a reading of a number of the text is one of the sorted values as the text rounds it."""
    for value, step in numeral.values.items():
        # Without a sign for per cent, numbers of one or two digits would match by chance.
        per_cent = numeral.percent or (step < 1 and abs(value) >= 100 * step)
        for scale in scales or ((1.0, 0.01) if per_cent else (1.0,)):
            tolerance = _tolerance(value, step) * scale
            place = bisect_left(values, value * scale - tolerance)
            if place < len(values) and values[place] <= value * scale + tolerance:
                return True
    return False


def _rounds(numeral: Numeral, value: float) -> bool:
    """Return whether a number of a text is a value as the text rounds it."""
    return _follows(numeral, _signed([value]), (1.0, 0.01) if numeral.percent else (1.0,))


def _tolerance(value: float, step: float) -> float:
    """Return how far a rounded number may be from its value: 3.5 is 3.45 to 3.55, 129,800 is 129,750 to 129,850."""
    size, zeros = abs(value), 0
    if step == 1 and size >= _LEAST_ROUNDED:
        digits = f"{size:.0f}"
        zeros = len(digits) - len(digits.rstrip("0"))
    if zeros >= 2 or (zeros and size >= 10 * _LEAST_ROUNDED):
        step = min(10.0**zeros, 2 * _ROUNDED_OFF * size)
    return step * 0.5000001 + 1e-9 * size


def _numbers_a_list(text: str, numeral: Numeral) -> bool:
    line = text.rfind("\n", 0, numeral.start) + 1
    after = text[numeral.start + len(numeral.text) :][:1]
    return not text[line : numeral.start].strip(" \t>*-") and after in (".", ")")


def _without_end(url: str) -> str:
    """Return the address without the punctuation that follows it."""
    url = url.rstrip(".,;:!?*_")
    while url.endswith(")") and url.count("(") < url.count(")"):
        url = url[:-1].rstrip(".,;:!?*_")
    return url


def _address(url: str) -> str:
    return _without_end(url.strip()).rstrip("/").casefold()
