"""Numbers in a text about a result: those that the result does not have are flagged."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[-−+]?)(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?P<exponent>[eE][-+]?\d{1,3})?"
    r"(?P<power>\s*(?:×|x|\*)\s*10\s*(?:\^|\*\*)\s*[-−]?\d{1,3})?(?P<unit>\s*%|\s*percent\b|\s*per cent\b)?"
    r"(?P<scale>\s*(?:thousand|million|billion|k|m|bn)\b)?(?![\w])",
    re.IGNORECASE,
)
_SCALES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9}
_LEVELS = (0.001, 0.01, 0.05, 0.1, 5.0, 1.0, 90.0, 95.0, 99.0)
_OF_LEVELS = re.compile(r"signific|confiden|alpha|level|p-?\s?value|\bp\s*[<>=]|threshold", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Said:
    """A number in a text, as written (`text`), and half of its last digit as `step`."""

    text: str
    value: float
    step: float
    start: int
    percent: bool = False


def numbers_said(text: str) -> list[Said]:
    """The numbers in a text, with thousands separators, signs, exponents, per cent and scale words read."""
    found = []
    for match in _NUMBER.finditer(text[:200_000]):
        digits = match["digits"].replace(",", "")
        if len(digits) > 300:
            continue
        if match.start() and text[match.start() - 1] == "." and digits:
            continue
        decimals = len(digits.partition(".")[2])
        factor = float(f"1{match['exponent']}") if match["exponent"] else 1.0
        if match["power"]:
            exponent = int(re.sub(r"[^\d−-]|10(?=\s*[\^*])", "", match["power"]).replace("−", "-") or 0)
            factor *= 10.0 ** max(-300, min(300, exponent))
        if match["scale"]:
            factor *= _SCALES[match["scale"].strip().casefold()]
        sign = -1.0 if match["sign"] in ("-", "−") and _is_minus(text, match.start()) else 1.0
        value = sign * float(digits) * factor
        found.append(Said(match.group().strip(), value, 10.0**-decimals * factor, match.start(), bool(match["unit"])))
    return found


def _is_minus(text: str, start: int) -> bool:
    """Whether a dash before a number is a minus, not that of a range or a compound: `3-5`, `class-1`."""
    return start == 0 or not text[start - 1].isalnum()


class Known:
    """The numbers that may be named: those of the result, of the question, and of the data."""

    def __init__(self, numbers: Iterable[float]) -> None:
        self._sorted = sorted({abs(n) for n in numbers if n == n and abs(n) != float("inf")})

    def has(self, said: Said) -> bool:
        """Whether a number is one of them within its own rounding: as it stands, or as a share in per cent."""
        value = abs(said.value)
        if value == float("inf"):
            return False
        # A whole number may be rounded from any decimals; one with decimals may also have been cut off.
        candidates = [(value, said.step)]
        if said.percent or 0.1 <= value <= 100:
            candidates.append((value / 100, said.step / 100))
        if 0.001 <= value <= 1:
            candidates.append((value * 100, said.step * 100))
        return any(
            self._near(number, step * 0.5000001 if step < 1 else 0.5000001 * step) or self._cut(number, step)
            for number, step in candidates
        )

    def _near(self, value: float, tolerance: float) -> bool:
        place = bisect_left(self._sorted, value - tolerance)
        return place < len(self._sorted) and self._sorted[place] <= value + tolerance

    def _cut(self, value: float, step: float) -> bool:
        """Whether one of them begins with these digits: 3.14 of 3.149."""
        if step >= 1:
            return False
        place = bisect_left(self._sorted, value)
        return place < len(self._sorted) and self._sorted[place] < value + step


def ungrounded(text: str, known: Known) -> list[str]:
    """The numbers of a text that are none of the known ones, as written.

    Levels of significance are known wherever a text speaks of significance, and the numbers of a list by their place.
    """
    flagged = []
    for said in numbers_said(text):
        if known.has(said):
            continue
        if abs(said.value) in _LEVELS and _OF_LEVELS.search(text[max(0, said.start - 60) : said.start + 60]):
            continue
        if _numbers_a_list(text, said):
            continue
        flagged.append(said.text)
    return list(dict.fromkeys(flagged))


def _numbers_a_list(text: str, said: Said) -> bool:
    line, end = text.rfind("\n", 0, said.start) + 1, said.start + len(said.text)
    return not text[line : said.start].strip(" *#-(") and text[end : end + 1] in (".", ")", ":")


def without_sentences(text: str, numbers: Sequence[str]) -> str:
    """The text without the sentences that name these numbers."""
    kept = [
        sentence
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", text)
        if sentence.strip() and not any(number in sentence for number in numbers)
    ]
    return " ".join(kept)
