"""Numbers in an answer, and entries it names: those of no source are found, and their sentences taken out."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from graphwright.agents.assistant.entries import mentioned
from graphwright.agents.assistant.passages import sentences

_NUMBER = re.compile(
    r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w])|(?<=[A-Za-z])\d+(?:[.,]\d+)*|\d+(?:[.,]\d+)*(?=\s?[A-Za-zµ°%])"
)
_LISTED = re.compile(r"^\s*(?:[-*]\s*)?\d{1,2}[.)]\s", re.MULTILINE)
_TAKEN_OUT = "X\ue010"
"""Stands for an entry that is taken out; with a capital, because it may begin a sentence."""

_SCALES = (1.0, 1e3, 1e-3, 1e6, 1e-6)
_WORDS = {
    **{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10},
    **{"eleven": 11, "twelve": 12, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8},
    **{"neun": 9, "zehn": 10, "elf": 11, "zwölf": 12},
}


def _readings(text: str) -> set[float]:
    """What a written number may mean, with either of comma and point as the decimal sign."""
    found = set()
    for thousands, decimal in ((",", "."), (".", ",")):
        groups = text.split(decimal)
        if len(groups) > 2:
            continue
        whole = groups[0].split(thousands)
        if len(whole) > 1 and (not 1 <= len(whole[0]) <= 3 or any(len(part) != 3 for part in whole[1:])):
            continue
        if len(groups) == 2 and thousands in groups[1]:
            continue
        digits = "".join(whole)
        if len(digits) <= 30:
            found.add(float(f"{digits}.{groups[1]}" if len(groups) == 2 else digits))
    return found


class Numbers:
    """The numbers that an answer may name: those of its sources, of the question, of the date.

    `entries` are the log entries that it may name: that 240 kV stand in a source makes no entry 240. None: any.
    """

    free = False
    """Whether any number will do, because an answer rests on no source."""

    def __init__(self, texts: Iterable[str], *, entries: AbstractSet[int] | None = None) -> None:
        self.entries = entries
        self._texts: set[str] = set()
        values: set[float] = set()
        for text in texts:
            for match in re.finditer(r"\d+(?:[.,]\d+)*", text[:400_000]):
                written = match.group()
                if written in self._texts:
                    continue
                self._texts.add(written)
                values |= _readings(written)
                # Dates and versions are also known by their parts.
                values |= {float(part) for part in re.split(r"[.,]", written) if len(part) <= 15}
            values |= {float(_WORDS[word]) for word in re.findall(r"\w+", text.casefold()) if word in _WORDS}
        self._values = sorted(values)

    @classmethod
    def any(cls, *, entries: AbstractSet[int] | None = None) -> Numbers:
        """All numbers, but only these entries: for answers that rest on no source."""
        return _All((), entries=entries)

    def has(self, written: str) -> bool:
        """Whether a number is one of them as it stands, in a thousandfold unit, or rounded from one."""
        if written in self._texts:
            return True
        return any(self._near(value, written) for value in _readings(written))

    def _near(self, value: float, written: str) -> bool:
        # Floating point: 0.4 of 400 by a thousand is 0.4 only nearly.
        if any(self._within(value * scale, 1e-9 * max(1.0, value * scale)) for scale in _SCALES):
            return True
        decimals = len(re.split(r"[.,]", written)[-1]) if re.search(r"[.,]", written) else 0
        if not decimals:
            return False
        # Few digits come near to something by chance: those are not looked for in other units.
        scales = _SCALES if sum(c.isdigit() for c in written.lstrip("0.,")) >= 3 else (1.0,)
        return any(self._within(value * scale, 0.999 * scale * 10.0**-decimals) for scale in scales)

    def _within(self, value: float, distance: float) -> bool:
        place = bisect_left(self._values, value - distance)
        return place < len(self._values) and self._values[place] <= value + distance


class _All(Numbers):
    free = True

    def has(self, written: str) -> bool:
        return True


def unfounded(text: str, known: Numbers, *, most: int = 0) -> list[str]:
    """The numbers of a text that are none of the known ones, as written; counts up to `most` are not looked at.

    Entries stand there with the words that name them: `ELOG 999`.
    """
    bare = _LISTED.sub("", text)
    found = []
    if known.entries is not None:
        rest, at = [], 0
        for mention in mentioned(bare):
            rest.append(bare[at : mention.start])
            at = mention.start + len(mention.text)
            # Without sources "ID 5" may be anything; "entry 1" may be the first of what the answer lists.
            counts = max(mention.numbers) <= most and not mention.sure
            if not (counts or (known.free and not mention.sure) or known.entries >= set(mention.numbers)):
                found.append(mention.text)
        bare = " ".join([*rest, bare[at:]])
    for match in _NUMBER.finditer(bare):
        written = match.group().rstrip(".,")
        if written.isdigit() and int(written) <= most:
            continue
        if not known.has(written):
            found.append(written)
    return list(dict.fromkeys(found))


def without(text: str, numbers: Sequence[str]) -> str:
    """The text without the sentences that name these numbers or entries; lines and list items stay apart.

    Of an entry in brackets, `(see ELOG 999)`, only the brackets go.
    """
    patterns = []
    for number in numbers:
        if number[:1].isdigit():
            patterns.append(re.compile(rf"(?<![\d.,]){re.escape(number)}(?!\d|[.,]\d)"))
            continue
        named = r"\s+".join(map(re.escape, number.split()))
        link = r"\[?\s?[*_`]{0,2}" + named + r"[*_`]{0,2}(?:[,:;][^()\[\]\n]{0,80})?\]?(?:\([^()\s]{0,500}\))?"
        text = re.sub(rf"[ \t]?\((?:(?:see|siehe|vgl\.|cf\.|laut|in|from|aus)\s)?{link}\)", "", text, flags=re.I)
        # The point of "no. 999" would end a sentence.
        text = re.sub(rf"[*_`\[(\"'„“]{{0,4}}(?<!\w){named}(?!\d)", _TAKEN_OUT, text)
    if _TAKEN_OUT in text:
        patterns.append(re.compile(_TAKEN_OUT))
    lines = []
    for line in text.split("\n"):
        mark = re.match(r"\s*(?:[-*•]|\d{1,2}[.)])\s+", line)
        head, body = (mark.group(), line[mark.end() :]) if mark else ("", line)
        # Half a row of a table is none.
        parts = [body] if body.lstrip().startswith("|") else sentences(body)
        kept = [each for each in parts if not any(pattern.search(each) for pattern in patterns)]
        if kept or not body.strip():
            lines.append(head + " ".join(kept))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
