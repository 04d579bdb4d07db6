"""The numbers that a text names in digits, in any of the usual ways to write them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_WRITTEN = re.compile(
    r"(?<![\w.,])[-−+]?\d+(?:[.,\u00a0\u202f' ]\d+)*(?:[eE][-+]?\d{1,3})?(?![\w])|[-−+]?\d+(?:[.,]\d+)*"
)
LONGEST = 200_000
"""Characters of a text that are looked through."""


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
