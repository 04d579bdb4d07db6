"""An answer made by code out of the sources' own sentences, for when the model's is of no use."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.agents.assistant.passages import sentences, weights
from graphwright.agents.assistant.words import shares, stems
from graphwright.tools.sources import Source

MOST_QUOTES = 4
LONGEST_QUOTE = 300
"""Characters."""


def quotes(sources: Sequence[Source], terms: Sequence[str]) -> list[tuple[int, str]]:
    """The sentences that have most of the terms, with the place of their source, in the order of the sources.

    Where there are no terms, the beginnings of the first sources.
    """
    listed = [(place, sentence) for place, source in enumerate(sources) for sentence in sentences(source.text)[:200]]
    if not terms:
        first: dict[int, str] = {}
        for place, sentence in listed:
            first.setdefault(place, sentence)
        return [(place, _short(sentence)) for place, sentence in list(first.items())[:MOST_QUOTES]]
    seen = [stems(sentence) for _, sentence in listed]
    worth = weights(terms, seen)
    titles = [stems(source.title) for source in sources]
    scored = []
    for number, ((place, sentence), text) in enumerate(zip(listed, seen, strict=True)):
        score = sum(value for term, value in worth.items() if shares(term, text))
        headed = sum(value for term, value in worth.items() if shares(term, titles[place]) and not shares(term, text))
        if score + headed > 0 and len(sentence) > 20:
            scored.append((score + 0.5 * headed + 0.3 / (1 + place), number))
    scored.sort(key=lambda each: (-each[0], each[1]))
    best = [number for score, number in scored[:MOST_QUOTES] if score >= 0.5 * scored[0][0]]
    return [(listed[number][0], _short(listed[number][1])) for number in sorted(best)]


def _short(sentence: str) -> str:
    plain = sentence.strip("#*|-• ").strip()
    return plain if len(plain) <= LONGEST_QUOTE else plain[:LONGEST_QUOTE].rstrip() + "…"
