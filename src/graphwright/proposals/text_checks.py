"""Links, numbers, ids and code of a text that no source and no result has. A finding is told, never cut out."""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from html import unescape
from itertools import permutations, product
from typing import Any

from graphwright.text.folding import normalised

MOST_DERIVED = 60
"""Numbers of a result up to which the sum, difference, share or ratio of two of them may be named as well."""

_WRITTEN = re.compile(
    r"(?<![\w.,])[-−+]?\d+(?:[.,\u00a0\u202f' ]\d+)*(?:[eE][-+]?\d{1,3})?(?![\w])|[-−+]?\d+(?:[.,]\d+)*"
)
LONGEST = 200_000
"""Characters of a text that are looked through."""
_ADDRESS = re.compile(
    r"(?:(?:https?|ftp|file)://|(?<![A-Za-z0-9@/.-])www\.|(?<![A-Za-z0-9])(?:mailto|javascript|data|vbscript):)"
    r"[^\s<>\"'`|\]\\]{1,2000}",
    re.IGNORECASE,
)
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
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
    text: str, known: Any, *, also: Iterable[str] = (), derived: bool = True, units: Iterable[float] = ()
) -> list[str]:
    """The numbers of a text that do not follow from the known values, as written, each once.

    `known` is any JSON: rows, records, texts. A number follows when it is one of theirs, or a length or a sum of their
    lists, rounded as the text rounds it, in per cent, without its sign, or in one of the `units` (1_000_000 for 1.2
    million). So does the sum, difference, product, share or ratio of two that the text names itself, the sum of several
    that follow each other, and what is counted in days from an ISO date; unless `derived` is off, also the sum,
    difference, share or ratio of two of at most `MOST_DERIVED` known numbers. Numbers of the texts `also`, such as the
    question, may be repeated.

    >>> numbers_not_in("12 of 48, that is 25 %, and 7 more", {"open": 12, "all": 48})
    ['7']
    """
    shown = unicodedata.normalize("NFKC", text)
    written = [numeral for numeral in numerals(text) if not _numbers_a_list(shown, numeral)]
    if not written:
        return []
    also = "\n".join(also)
    plain = {*_numbers(known), *_sums(known), *numbers_in(also)}
    plain |= {value / unit for unit in units for value in plain if abs(value) >= unit}
    wrong = _not_following(written, {*plain, *(_derived(plain) if derived else ())})
    before: list[Numeral] = []
    while wrong and wrong != before:
        # What follows from numbers of the text may be what another follows from.
        before = wrong
        named = {value for numeral in written if numeral not in wrong for value in numeral.values}
        products = {one * other for one, other in permutations(named if len(named) <= MOST_DERIVED else (), 2)}
        reckoned = {*_derived(named), *products, *_of_dates(f"{text}\n{also}", named)}
        wrong = _not_following(wrong, reckoned.union(*_runs(each for each in written if each not in wrong)))
    return list(dict.fromkeys(numeral.text.strip() for numeral in wrong))


def _runs(numerals: Iterable[Numeral]) -> Iterator[set[float]]:
    """The sums of three and more numbers that stand one after the other."""
    found = list(numerals)[:MOST_DERIVED]
    for reading in ([min(each.values) for each in found], [max(each.values) for each in found]):
        yield {sum(reading[first:last]) for last in range(len(found) + 1) for first in range(last - 2)}


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


def _derived(numbers: Collection[float]) -> Iterator[float]:
    for one, other in permutations(numbers if len(numbers) <= MOST_DERIVED else (), 2):
        yield from (one + other, one - other)
        if other:
            yield from (one / other, (one - other) / other)


def _of_dates(text: str, named: Iterable[float]) -> Iterator[float]:
    """The days between the ISO dates of a text, and the numbers of the dates that lie a named number of days apart."""
    found = set[date]()
    for written in _DATE.findall(text)[:MOST_DERIVED]:
        with suppress(ValueError):
            found.add(date.fromisoformat(written))
    yield from (float(abs((one - other).days)) for one, other in permutations(found, 2))
    for day, number in product(found, named):
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


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in a text: as written, what it may mean, the worth of its last digit, and its place (NFKC)."""

    text: str
    values: frozenset[float]
    step: float
    percent: bool
    start: int


def numerals(text: str) -> Iterator[Numeral]:
    """The numbers written in digits, in their order.

    >>> [sorted(n.values) for n in numerals("1,500 or 2.5 %")]
    [[1.5, 1500.0], [2.5]]
    """
    shown = unicodedata.normalize("NFKC", text[:LONGEST])
    for match in _WRITTEN.finditer(shown):
        values, step = _readings(match.group())
        if values:
            percent = shown[match.end() : match.end() + 2].lstrip().startswith("%")
            yield Numeral(match.group(), frozenset(values), step, percent, match.start())


def numbers_in(text: str) -> set[float]:
    """All that the numbers of a text may mean."""
    return {value for numeral in numerals(text) for value in numeral.values}


def _readings(written: str) -> tuple[set[float], float]:
    """The values that a written number may have, and the worth of its last digit in the finest reading."""
    if written.isdecimal() and len(written) <= 300:
        return {float(written)}, 1.0
    body, _, exponent = written.lower().partition("e")
    sign = -1.0 if body[0] in "-−" else 1.0
    body = body.lstrip("+-−")
    power = int(exponent or 0)
    found: set[float] = set()
    step = 1.0
    for decimal, thousands in ((".", ",' \u00a0\u202f"), (",", ".' \u00a0\u202f")):
        whole, point, fraction = body.partition(decimal)
        if point and not fraction.isdigit():
            continue
        groups = re.split(f"[{re.escape(thousands)}]", whole)
        if len(groups) > 1 and (len(groups[0]) > 3 or any(len(group) != 3 for group in groups[1:])):
            continue
        digits = "".join(groups)
        if not digits.isdigit() or len(digits) > 300:
            continue
        value = sign * float(f"{digits}.{fraction or 0}e{power}")
        if math.isfinite(value):
            # What is beyond every number, as parts of ids are, is none.
            found.add(value)
        step = min(step, 10.0 ** -len(fraction)) if point else step
    return found, step * float(f"1e{power}")
