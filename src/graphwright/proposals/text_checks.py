"""Links, numbers, ids and code of a text that no source and no result has. A finding is told, never cut out."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from html import unescape
from itertools import accumulate, islice, permutations, product, takewhile
from typing import Any

from graphwright.proposals.clock_times import Times
from graphwright.text.folding import normalised
from graphwright.text.numerals import LONGEST, Numeral, numbers_in, numerals

MOST_DERIVED = 6
"""Numbers of a result up to which the sum, difference, share or ratio of two of them may be named as well."""

NEAREST = 3
"""Numbers of a text that another may be calculated from: so many of those that stand beside it."""

MOST_CALCULATED = 300
"""Numbers of a text for which it is tried whether they follow from those beside them."""

_ROUNDS, _LONGEST_RUN = 3, 60
"""How often what was found to follow may be what another number follows from, and the numbers that are added up."""

_ADDRESS = re.compile(
    r"(?:(?:https?|ftp|file)://|(?<![A-Za-z0-9@/.-])www\.|(?<![A-Za-z0-9])(?:mailto|javascript|data|vbscript):)"
    r"[^\s<>\"'`|\]\\]{1,2000}",
    re.IGNORECASE,
)
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_END_OF_PASSAGE = re.compile(r"\n+|(?<=[.!?;…])\s+(?!\d)|(?<=[。！？；])")
_LIST_OR_TABLE = re.compile(r"(?:^[ \t>]*(?:[|*•+–-]|\d{1,3}[.)][ \t]).*(?:\n|\Z))+", re.MULTILINE)
_CODE = re.compile(r"(`{1,3})(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_TARGET = re.compile(r"\]\(\s*<?([^\s<>]{1,2000})>?|^\s{0,3}\[[^\]\n]{1,200}\]:\s*<?([^\s<>]{1,2000})>?", re.MULTILINE)


def links_not_in(text: str, sources: Iterable[str]) -> list[str]:
    """The addresses in a Markdown text that are not among the `sources`, as written, each once.

    >>> links_not_in("See [here](https://a.example/x) and https://b.example.", ["https://a.example/x/"])
    ['https://b.example']
    """
    known = {_address(url) for url in sources}
    plain = unescape(unicodedata.normalize("NFKC", text)).replace("\\", "")
    found = [match.group() for match in _ADDRESS.finditer(plain)]
    found += [a or b for a, b in _TARGET.findall(plain) if not (a or b).startswith("#")]
    stripped = (_without_end(each) for each in found)
    return list(dict.fromkeys(each for each in stripped if each and _address(each) not in known))


def ids_not_in(text: str, known: Iterable[str], pattern: str) -> list[str]:
    """The texts that look like an id (a regular expression) and are none of the known ones, case ignored, each once.

    >>> ids_not_in("T-1 and T-9 are open", ["T-1"], r"T-\\d+")
    ['T-9']
    """
    there = {each.casefold() for each in known}
    found = (match.group() for match in re.finditer(pattern, text))
    return list(dict.fromkeys(each for each in found if each.casefold() not in there))


def code_not_in(text: str, known: Iterable[str]) -> list[str]:
    """The words that a Markdown text has in code marks and none of the known texts holds, each once.

    >>> code_not_in("Use `run --wait 5` or `run --agent`.", ["run --wait SECONDS starts it"])
    ['5', '--agent']
    """
    there = normalised("\n".join(known))
    # The word behind the marks of a block names its language.
    found = _CODE.findall(text[:LONGEST])
    spans = [(span.partition("\n")[2] if len(marks) == 3 else "").strip() or span.strip() for marks, span in found]
    words = (word.strip(",;()") for span in spans if normalised(span) not in there for word in span.split())
    return list(dict.fromkeys(word for word in words if word and normalised(word) not in there))


def numbers_not_in(
    text: str,
    known: Any,
    *,
    also: Iterable[str] = (),
    derived: bool = True,
    units: Iterable[float] = (),
    cited: Iterable[str] = (),
) -> list[str]:
    """The numbers of a text that do not follow from the known values, as written, each once.

    `known` is any JSON: rows, records, texts. A number follows when it is one of theirs, or a length or a sum of their
    lists, rounded as the text rounds it, in per cent, without its sign, or in one of the `units` (1_000_000 for 1.2
    million). Unless `derived` is off, so does the sum, difference, share or ratio of two of at most `MOST_DERIVED`
    known numbers. So does what is calculated from numbers or ISO dates that the text names right beside it, in the same
    or a neighbouring sentence, list item or row: the sum, difference, product, share or ratio of two, the sum of
    several, the total of a column, days between dates; from clock times the time between two, and a time later or
    earlier by a number. Clock times and numbers of the texts `cited` count as named beside, where they are at most
    `MOST_DERIVED`. Numbers of the texts `also`, such as the question, are known.

    >>> numbers_not_in("12 of 48, that is 25 %, and 7 more", {"open": 12, "all": 48})
    ['7']
    """
    shown = unicodedata.normalize("NFKC", text[:LONGEST])
    written = [numeral for numeral in numerals(text) if not _numbers_a_list(shown, numeral)]
    if not written:
        return []
    also = "\n".join(also)
    plain = {*_numbers(known), *_sums(known), *numbers_in(also)}
    plain |= {value / unit for unit in units for value in plain if abs(value) >= unit}
    pairs = permutations(plain, 2) if derived and len(plain) <= MOST_DERIVED else ()
    wrong = _not_following(written, {*plain, *(value for pair in pairs for value in (*_sum(*pair), *_share(*pair)))})
    if wrong:
        times = Times(shown, written, cited, most=MOST_DERIVED, nearest=NEAREST)
        wrong = times.without_calculated(wrong[:MOST_CALCULATED]) + wrong[MOST_CALCULATED:]
        neighbours = _Neighbours(shown, written, [*_dates(also)][:NEAREST])
        for _ in range(_ROUNDS):
            # What follows from numbers of the text may be what another follows from.
            wrong = neighbours.without_source(wrong[:MOST_CALCULATED]) + wrong[MOST_CALCULATED:]
    return list(dict.fromkeys(numeral.text.strip() for numeral in wrong))


class _Neighbours:
    """The numbers and dates of a text by the passages that they stand in: what a number may be calculated from."""

    def __init__(self, text: str, written: Sequence[Numeral], dates: Sequence[date]) -> None:
        ends = [match.end() for match in _END_OF_PASSAGE.finditer(text)]
        dated = {match.start(): match.group() for match in _DATE.finditer(text)}
        blocks = [match.span() for match in _LIST_OR_TABLE.finditer(text)]
        self.passage: dict[int, int] = {}
        self.numerals, self.dates, self.also = list[Numeral](), list[tuple[int, date]](), dates
        self.columns: dict[int, dict[int, list[Numeral]]] = {}
        passage, last, date_end, line, in_line = 0, 0, 0, -1, 0
        for numeral in written:
            # Passages without numbers do not count: an abbreviation may end one.
            place = bisect_right(ends, numeral.start)
            passage, last = passage + (place != last), place
            self.passage[numeral.start] = passage
            if numeral.start in dated:
                date_end = numeral.start + 10
                self.dates += [(passage, day) for day in _dates(dated[numeral.start])]
            if numeral.start < date_end:
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
        """Those of the wrong numbers that are not calculated from right ones beside them."""
        bad = {numeral.start for numeral in wrong}
        right = [numeral for numeral in self.numerals if numeral.start not in bad]
        totals = self._totals(bad)
        return [numeral for numeral in wrong if _not_following([numeral], self._calculated(numeral, right, totals))]

    def _totals(self, bad: Container[int]) -> dict[int, set[float]]:
        """By passage, the totals of the columns of the list or table that it belongs to or stands beside."""
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

    def _calculated(self, numeral: Numeral, right: Sequence[Numeral], totals: Mapping[int, set[float]]) -> set[float]:
        own = self.passage[numeral.start]
        place = bisect_left(right, numeral.start, key=lambda each: each.start)
        beside = [e for e in right[max(0, place - 9) : place + 9] if -2 <= self.passage[e.start] - own <= 1]
        beside.sort(key=lambda each: abs(each.start - numeral.start))
        named = {value for each in beside[:NEAREST] for value in each.values}
        pairs = [*permutations(named.union(totals.get(own, ())), 2)]
        found = named.union(totals.get(own, ()), *((*_sum(a, b), a * b) for a, b in pairs))
        # Nearly any small whole number is some ratio rounded.
        exact = numeral.percent or numeral.step < 1
        found.update(value for pair in pairs for value in _share(*pair) if exact or abs(value % 1 - 0.5) > 0.45)
        # The sums of three and more that lead up to it, or that it is told before.
        for run in (right[:place][::-1], right[place:]):
            alike = list(takewhile(lambda each: abs(self.passage[each.start] - own) <= 1, run[:_LONGEST_RUN]))
            for reading in (min, max):
                found.update(islice(accumulate(reading(each.values) for each in alike), 2, None))
        days = [day for passage, day in self.dates if -2 <= passage - own <= 1]
        return found.union(_of_dates({*days[: 2 * NEAREST], *self.also}, named))


def _sum(one: float, other: float) -> tuple[float, ...]:
    return one + other, one - other


def _share(one: float, other: float) -> tuple[float, ...]:
    return (one / other, (one - other) / other) if other else ()


def _not_following(found: Iterable[Numeral], numbers: Iterable[float]) -> list[Numeral]:
    values = sorted({signed for value in numbers for signed in (value, -value)})
    return [numeral for numeral in found if not _follows(numeral, values)]


def _numbers(value: Any) -> Iterator[float]:
    """All numbers of a JSON value, those in its texts and the lengths of its lists included."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, str):
        yield from numbers_in(value)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _numbers(str(name))
            yield from _numbers(item)
    elif isinstance(value, Sequence):
        yield float(len(value))
        for item in value:
            yield from _numbers(item)


def _dates(text: str) -> Iterator[date]:
    """The ISO dates of a text."""
    for written in _DATE.findall(text):
        with suppress(ValueError):
            yield date.fromisoformat(written)


def _of_dates(days: Collection[date], named: Iterable[float]) -> Iterator[float]:
    """The days between dates, and the numbers of the dates that lie a named number of days apart."""
    yield from (float((one - other).days) for one, other in permutations(days, 2))
    for day, number in product(days, named):
        with suppress(OverflowError):
            shifted = day + timedelta(days=number)
            yield from (shifted.year, shifted.month, shifted.day)


def _sums(value: Any) -> Iterator[float]:
    """The sums of lists of numbers, and of the columns of lists of records or rows."""
    if isinstance(value, str) or not isinstance(value, Mapping | Sequence):
        return
    items = list(value.values() if isinstance(value, Mapping) else value)
    rows = [dict(enumerate(row)) if isinstance(row, list | tuple) else row for row in items]
    alike = rows and all(isinstance(row, Mapping) for row in rows)
    for column in (items, *([row.get(name) for row in rows] for name in (rows[0] if alike else ()))):
        yield float(sum(each for each in column if isinstance(each, int | float)))
    for item in items:
        yield from _sums(item)


def _follows(numeral: Numeral, values: Sequence[float]) -> bool:
    half = numeral.step * 0.5000001
    for scale in (1.0, 0.01) if numeral.percent else (1.0,):
        for value in numeral.values:
            tolerance = (half + 1e-9 * abs(value)) * scale
            place = bisect_left(values, value * scale - tolerance)
            if place < len(values) and values[place] <= value * scale + tolerance:
                return True
    return False


def _numbers_a_list(text: str, numeral: Numeral) -> bool:
    line = text.rfind("\n", 0, numeral.start) + 1
    after = text[numeral.start + len(numeral.text) :][:1]
    return not text[line : numeral.start].strip(" \t>*-") and after in (".", ")")


def _without_end(url: str) -> str:
    """The address without what ends the sentence that it stands in."""
    url = url.rstrip(".,;:!?*_")
    while url.endswith(")") and url.count("(") < url.count(")"):
        url = url[:-1].rstrip(".,;:!?*_")
    return url


def _address(url: str) -> str:
    return _without_end(url.strip()).rstrip("/").casefold()
