"""Numbers in a text about a result: those that the result does not have are flagged."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from graphwright.agents.data_scientist.spelled import in_words

_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[-−+]?)(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?P<exponent>[eE][-+]?\d{1,3})?"
    r"(?P<power>\s*(?:×|x|\*)\s*10\s*(?:\^|\*\*)\s*[-−]?\d{1,3})?"
    r"(?P<unit>\s*%|\s*percent(?:age)?(?:\s+points?)?\b|\s*per cent\b|\s*pp\b)?"
    r"(?P<scale>\s*(?:thousand|million|billion|k|m|bn)\b)?(?![\w])",
    re.IGNORECASE,
)
_LONGEST = 200_000
"""Characters of a text that are looked through."""

_SCALES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9}
_LEVELS = (0.001, 0.01, 0.05, 0.1, 5.0, 1.0, 90.0, 95.0, 99.0)
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z?)")
_HOUR = re.compile(r"\d{4}-\d\d-\d\d[T ](?P<hour>\d\d):\d\d")
_MOST_IN_RATIO = 60
"""Known numbers up to which each may be compared with each."""

_LISTED = re.compile(r"\s*(?:,|,?\s*(?:and|or|to)\b|[-–—/])\s*", re.IGNORECASE)
"""What stands between two numbers of which only the last one has the per cent sign."""

_LESS = re.compile(
    r"\b(?:negativ\w*|invers\w*|opposite|minus|decreas\w*|declin\w*|drop\w*|falls?|fell|fallen|falling|lower(?:s|ed|ing)?"
    r"|less|fewer|smaller|shorter|cheaper|younger|worse|reduc\w*|los(?:es?|ing|t|s|ses)|down\w*|below|under|behind|deficit"
    r"|shortfall|shr[aiu]nk\w*|differ\w*|gap|apart|absolute|magnitude|deviat\w*)\b",
    re.IGNORECASE,
)
"""Words after which a number is told without its minus: a drop of 3, a difference of 3."""

_MORE = re.compile(r"\bpositiv\w*|\bincreas\w*|\bris(?:es?|ing)\b|\brose\b|\bgr(?:ow|ew)\w*", re.IGNORECASE)
_ENDS = re.compile(r"[.!?;]\s|\n")
_OF_LEVELS = re.compile(r"signific|confiden|alpha|level|p-?\s?value|\bp\s*[<>=]|threshold", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Said:
    """A number in a text, as written (`text`), and what one of its last digit is worth as `step`.

    `percent` says that it is told in per cent, `signed` that a plus or a minus stands before it, `ratio` that it is how
    many times as large something is as something else.
    """

    text: str
    value: float
    step: float
    start: int
    percent: bool = False
    signed: bool = False
    ratio: bool = False


def said_in(text: str) -> list[Said]:
    """The numbers in a text, those in digits and those in words, in their order."""
    words = [
        Said(text[each.start : each.end], each.value, each.step, each.start, each.percent, ratio=each.ratio)
        for each in in_words(text[:_LONGEST])
    ]
    return sorted([*numbers_said(text), *words], key=lambda said: said.start)


def hours_in(text: str) -> list[float]:
    """The hours of the moments in a text as half a day tells them: 3 of `2024-04-11T15:30:00`."""
    return [(int(found["hour"]) + 11) % 12 + 1.0 for found in _HOUR.finditer(text[:_LONGEST])]


def numbers_said(text: str) -> list[Said]:
    """The numbers in digits, with thousands separators, signs, exponents, per cent and scale words read.

    Of a moment these are those of its date and its time.
    """
    found: list[Said] = []
    # A letter that stands between numbers would hide them.
    text = _STAMP.sub(lambda stamp: f"{stamp[1]} {stamp[2]}{' ' * len(stamp[3])}", text[:_LONGEST])
    for match in _NUMBER.finditer(text):
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
        signed = bool(match["sign"]) and _is_sign(text, match.start())
        value = (-1.0 if signed and match["sign"] != "+" else 1.0) * float(digits) * factor
        step = 10.0**-decimals * factor
        found.append(Said(match.group().strip(), value, step, match.start(), bool(match["unit"]), signed))
    for place in range(len(found) - 1, 0, -1):
        before, last = found[place - 1], found[place]
        if last.percent and _LISTED.fullmatch(text, before.start + len(before.text), last.start):
            found[place - 1] = replace(before, percent=True)
    return found


def _is_sign(text: str, start: int) -> bool:
    """Whether a dash before a number is its sign, not that of a range or a compound: `3-5`, `class-1`."""
    return start == 0 or not text[start - 1].isalnum()


class Known:
    """The numbers that may be named: those of the result, of the question, and of the data."""

    def __init__(self, numbers: Iterable[float]) -> None:
        self._sorted = sorted({n for n in numbers if n == n and abs(n) != float("inf")})

    def has(self, said: Said) -> bool:
        """Whether a number is one of them within its own rounding: as it stands, or as a share if told in per cent."""
        if abs(said.value) == float("inf"):
            return False
        if said.ratio:
            return self._has_ratio(said.value)
        candidates = [(said.value, said.step)]
        if said.percent:
            candidates.append((said.value / 100, said.step / 100))
        return any(self._near(value, step * 0.5000001) or self._cut(value, step) for value, step in candidates)

    def _has_ratio(self, value: float) -> bool:
        """Whether two of them are in about this ratio, or one of them tells it."""
        if len(self._sorted) > _MOST_IN_RATIO:
            return True
        near = abs(value) * 0.15
        if self._near(value, near) or self._near(100 * value, 100 * near):
            return True
        return any(b and abs(abs(a / b) - value) <= near for a in self._sorted for b in self._sorted)

    def _near(self, value: float, tolerance: float) -> bool:
        return self._between(value - tolerance, value + tolerance)

    def _cut(self, value: float, step: float) -> bool:
        """Whether one of them begins with these digits: 3.14 of 3.149. Whole numbers are rounded, never cut off."""
        if step >= 1:
            return False
        end = step * 0.9999999
        return self._between(value - end, value) if value < 0 else self._between(value, value + end)

    def _between(self, low: float, high: float) -> bool:
        place = bisect_left(self._sorted, low)
        return place < len(self._sorted) and self._sorted[place] <= high


def ungrounded(text: str, known: Known, *, words: bool = False) -> list[str]:
    """The numbers of a text that are none of the known ones, as written; with `words` those in words, too.

    Levels of significance are known wherever a text speaks of significance, and the numbers of a list by their place.
    """
    flagged = []
    for said in said_in(text) if words else numbers_said(text):
        if known.has(said) or (_is_told_unsigned(text, said) and known.has(replace(said, value=-said.value))):
            continue
        if abs(said.value) in _LEVELS and _OF_LEVELS.search(text[max(0, said.start - 60) : said.start + 60]):
            continue
        if _numbers_a_list(text, said):
            continue
        flagged.append(said.text)
    return list(dict.fromkeys(flagged))


def _is_told_unsigned(text: str, said: Said) -> bool:
    """Whether its sentence says in words that a number without a sign is a negative one."""
    if said.signed:
        return False
    begun = max((end.end() for end in _ENDS.finditer(text, 0, said.start)), default=0)
    ends = _ENDS.search(text, said.start + len(said.text))
    sentence = text[begun : ends.start() if ends else len(text)]
    return bool(_LESS.search(sentence)) and not _MORE.search(sentence)


def _numbers_a_list(text: str, said: Said) -> bool:
    line, end = text.rfind("\n", 0, said.start) + 1, said.start + len(said.text)
    return not text[line : said.start].strip(" *#-(") and text[end : end + 1] in (".", ")", ":")


_STOPS = re.compile(r"(?:[.!?…]+)[\"'”’)\]*_]*\s+")
_SHORT = re.compile(r"(?:\b(?:vs|approx|ca|cf|resp|incl|excl|dr|mr|mrs|prof)|\b[a-z]\.\s?[a-z])$", re.IGNORECASE)
_SHORT_BEFORE_NUMBERS = re.compile(r"\b(?:no|nr|fig|max|min|avg|std|vol|pp?)$", re.IGNORECASE)


def without_sentences(text: str, numbers: Sequence[str]) -> str:
    """The text without the sentences that name these numbers, as `ungrounded` gives them; lines stay lines."""
    wrong, lines = set(numbers), []
    for line in text.splitlines():
        there = list(_sentences(line))
        kept = [each for each in there if wrong.isdisjoint(said.text for said in said_in(each))]
        if kept or not there:
            lines.append(" ".join(kept))
    # What announced lines that are cut announces nothing any more.
    while lines and (
        not lines[-1].strip() or (len(lines) < len(text.splitlines()) and lines[-1].rstrip().endswith(":"))
    ):
        lines.pop()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [sentence for line in text.splitlines() for sentence in _sentences(line)]


def _sentences(line: str) -> Iterator[str]:
    """The sentences of a line. A stop that belongs to a short form, or to the number of a list, ends none."""
    begun = 0
    for stop in _STOPS.finditer(line):
        before, after = line[begun : stop.start()], line[stop.end() : stop.end() + 1]
        if after.islower() or _SHORT.search(before) or (after.isdigit() and _SHORT_BEFORE_NUMBERS.search(before)):
            continue
        if re.fullmatch(r"\W*\d{1,3}", before):
            continue
        yield line[begun : stop.end()].strip()
        begun = stop.end()
    if line[begun:].strip():
        yield line[begun:].strip()
