"""The parts of sources that bear on a question, within a budget; what is left out is told."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from graphwright.agents.assistant.words import shares, stems
from graphwright.tools.sources import Source

LONGEST_PASSAGE = 320
"""Characters."""

SKIPPED = "[…]"
"""Stands where a text goes on between two passages."""

_SENTENCE = re.compile(
    # A letter with a point abbreviates a name, but "6.4 V." and "68 °C." end a sentence.
    # The mark of an item, "1.", is none of its own.
    r"(?<=[.!?])(?<!^\d\.)(?<!^\d\d\.)(?:(?<![\s(.][A-Za-z]\.)(?<!^[A-Za-z]\.)|(?<=\d\s[A-Za-z]\.))(?<!\bca\.)(?<!\bNr\.)(?<!\bNo\.)(?<!\bvs\.)(?<!\bbzw\.)(?<!\betc\.)"
    r"\s+(?=[\"'(\[A-ZÄÖÜ0-9])"
)


_LINE = re.compile(
    # Paragraphs, list items, and rows of tables: those of a PDF have bars only between their cells.
    r"\n\s*\n|\n(?=\s*(?:[-*•#|]|\d+[.)])\s?)|\n(?=[^\n]*\s\|\s)|(?<=\|)[ \t]*\n"
)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What of a source is shown: `place` is that of the source, from 0; `cut` says whether it has more."""

    place: int
    text: str
    cut: bool


@dataclass(frozen=True, slots=True)
class Picked:
    """The excerpts in the order of the sources, and how many sources are left out altogether."""

    excerpts: tuple[Excerpt, ...]
    left_out: int

    @property
    def cut(self) -> bool:
        return self.left_out > 0 or any(excerpt.cut for excerpt in self.excerpts)


def sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line; lines and list items end one, too."""
    found = []
    for line in _LINE.split(text):
        joined = " ".join(line.split())
        found += [part.strip() for part in _SENTENCE.split(joined) if part.strip()]
    return found


def passages(text: str) -> list[str]:
    """A text in passages of at most 320 characters, cut at sentences where there are any."""
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        begun = ""
        for sentence in sentences(paragraph):
            for piece in _pieces(sentence):
                if begun and len(begun) + len(piece) >= LONGEST_PASSAGE:
                    found.append(begun)
                    begun = piece
                else:
                    begun = f"{begun} {piece}".strip()
        if begun:
            found.append(begun)
    return found


def _pieces(sentence: str) -> list[str]:
    if len(sentence) <= LONGEST_PASSAGE:
        return [sentence]
    return [sentence[at : at + LONGEST_PASSAGE] for at in range(0, len(sentence), LONGEST_PASSAGE)]


def weights(terms: Sequence[str], texts: Sequence[Collection[str]]) -> dict[str, float]:
    """How much each term tells: the fewer of the texts, given as stems, have it, the more."""
    count = len(texts) or 1
    return {
        term: math.log(1 + count / (0.5 + sum(shares(term, text) for text in texts))) + (any(c.isdigit() for c in term))
        for term in terms
    }


def picked(sources: Sequence[Source], terms: Sequence[str], budget: int) -> Picked:
    """The passages of the sources with most of the terms, of at most `budget` characters together.

    Of each source the best passage comes before the second best of any.
    """
    parts = [passages(source.text) for source in sources]
    seen = [[stems(part) for part in each] for each in parts]
    worth = weights(terms, [text for each in seen for text in each])
    scored: list[tuple[float, int, int]] = []
    for place, (source, texts) in enumerate(zip(sources, seen, strict=True)):
        title = stems(source.title)
        headed = 0.3 * sum(value for term, value in worth.items() if shares(term, title))
        for number, text in enumerate(texts):
            score = sum(value for term, value in worth.items() if shares(term, text)) + headed
            # What comes first, of a source and of its text, was put first for a reason.
            scored.append((score + 0.2 / (1 + number) + 0.4 / (1 + place), place, number))
    scored.sort(key=lambda each: (-each[0], each[1], each[2]))
    chosen: dict[int, set[int]] = {}
    room = budget
    best: dict[int, tuple[float, int, int]] = {}
    for score, place, number in scored:
        best.setdefault(place, (score, place, number))
    rest = [each for each in scored if each not in best.values() and each[0] >= 0.5 * scored[0][0]]
    for _, place, number in [*best.values(), *rest]:
        length = len(parts[place][number])
        if length <= room or not chosen:
            chosen.setdefault(place, set()).add(number)
            room -= length
    excerpts = []
    for place in sorted(chosen):
        shown, before = "", -1
        for number in sorted(chosen[place]):
            gap = f" {SKIPPED} " if number > before + 1 else " "
            shown = f"{shown}{gap}{parts[place][number]}"
            before = number
        cut = len(chosen[place]) < len(parts[place])
        if before < len(parts[place]) - 1:
            shown = f"{shown} {SKIPPED}"
        excerpts.append(Excerpt(place, shown.strip(), cut))
    empty = sum(not each for each in parts)
    return Picked(tuple(excerpts), len(sources) - len(excerpts) - empty)
