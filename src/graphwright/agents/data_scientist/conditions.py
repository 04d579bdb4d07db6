"""Conditions that a question states by figures: bounds such as "three or more", and years, in English and German."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison with a figure, as Python writes it (`>=`), and where it stands in the question."""

    operator: str
    figure: float
    start: int
    end: int

    @property
    def text(self) -> str:
        """The comparison as code: `>= 3`."""
        return f"{self.operator} {number_text(self.figure)}"


_WORDS = {
    word: value
    for value, words in enumerate(
        [
            *("zero null", "one eins", "two zwei", "three drei", "four vier", "five fünf", "six sechs", "seven sieben"),
            *("eight acht", "nine neun", "ten zehn", "eleven elf", "twelve zwölf"),
        ]
    )
    for word in words.split()
}
_NUMBER = rf"(?P<number>\d{{1,3}}(?:[,.'’]\d{{3}})+(?![\d.,]*\d)|\d+(?:[.,]\d+)?|{'|'.join(_WORDS)})(?![\w])"
_UNIT = r"(?:[€$£]\s*)?"
_BEFORE = {
    ">=": r"at least|no less than|not less than|a minimum of|mindestens|wenigstens",
    "<=": r"at most|no more than|not more than|up to|a maximum of|höchstens|maximal|bis zu",
    ">": (
        r"more than|over|above|greater than|larger than|higher than|bigger than|older than|longer than|heavier than|"
        r"exceed(?:s|ing)?|mehr als|über|größer als|höher als|älter als|länger als|schwerer als"
    ),
    "<": (
        r"less than|fewer than|under|below|lower than|smaller than|younger than|shorter than|lighter than|weniger als|"
        r"unter|kleiner als|niedriger als|jünger als|kürzer als|leichter als"
    ),
    "==": r"exactly|genau",
}
_BEHIND = {
    ">=": r"(?:or|and|oder|und) (?:more|over|above|older|higher|longer|mehr|älter|höher|länger)\b|\+",
    "<=": r"(?:or|and|oder|und) (?:less|fewer|under|below|younger|lower|weniger|jünger|niedriger)\b",
}
_BOUNDS = [
    *((operator, re.compile(rf"{_NUMBER}\s*(?:{words})", re.IGNORECASE)) for operator, words in _BEHIND.items()),
    *(
        (operator, re.compile(rf"\b(?:{words})\s+{_UNIT}{_NUMBER}", re.IGNORECASE))
        for operator, words in _BEFORE.items()
    ),
]
_YEAR = re.compile(r"(?<![\w.,/-])(?:1[5-9]|20)\d\d(?![\w%]|[.,]\d)")
_FIGURE = re.compile(rf"(?<![\w.,]){_NUMBER}", re.IGNORECASE)


def conditions_in(question: str) -> list[Condition]:
    """The bounds that a question states, in their order: `more than 5`, `three or more`, `mindestens 2`."""
    found: list[Condition] = []
    for operator, pattern in _BOUNDS:
        for match in pattern.finditer(question):
            if all(match.end() <= each.start or match.start() >= each.end for each in found):
                found.append(Condition(operator, _value(match["number"]), match.start(), match.end()))
    return sorted(found, key=lambda each: each.start)


def years_in(question: str) -> list[int]:
    """The years that a question names, in their order, each once."""
    return list(dict.fromkeys(int(found.group()) for found in _YEAR.finditer(question)))


def figures_in(question: str) -> Iterator[tuple[float, int]]:
    """All figures of a question, and where each of them begins."""
    for found in _FIGURE.finditer(question):
        yield _value(found["number"]), found.start()


def number_text(value: float) -> str:
    """A figure as code: whole numbers without a point."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _value(said: str) -> float:
    low = said.casefold()
    if low in _WORDS:
        return float(_WORDS[low])
    # With one point it may be a fraction: nobody writes one that ends in a nought.
    if re.fullmatch(r"(?!0)\d{1,3}(?:[,'’]\d{3})+|(?!0)\d{1,3}(?:\.\d{3}){2,}|(?!0)\d{1,3}\.\d\d0", low):
        return float(re.sub(r"\D", "", low))
    return float(low.replace(",", "."))
