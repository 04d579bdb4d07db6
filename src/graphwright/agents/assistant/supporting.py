"""Which of the sources hold a text, and which pages of files it names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphwright.agents.assistant import citing
from graphwright.agents.assistant.passages import weights
from graphwright.agents.assistant.words import content_words, shares, stems
from graphwright.tools.sources import Source

_PAGE = re.compile(r"\b(?:p{1,2}\.|pages?|s\.|seiten?)\s?(\d{1,5})\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def places(text: str, sources: Sequence[Source], about: Sequence[str] = ()) -> list[int]:
    """The places of the sources that hold a text, the best first: those with most of its numbers and words.

    Where a text has few words of its own, those `about` which it was asked tell the sources apart.
    """
    plain = citing.without_marks(text)
    said = content_words(plain)
    if not said:
        return []
    numbers = list(dict.fromkeys(_NUMBER.findall(plain)))
    held = [f"{source.title} {' '.join(source.metadata.values())} {source.text}" for source in sources]
    there = [stems(each) for each in held]
    worth = weights([*said, *about], there)
    scores = []
    for place, (whole, own) in enumerate(zip(held, there, strict=True)):
        found = set(_NUMBER.findall(whole))
        score = sum(worth[word] for word in said if shares(word, own)) + 2.0 * sum(each in found for each in numbers)
        score += 0.5 * sum(worth[word] for word in about if word not in said and shares(word, own)) if score else 0.0
        scores.append((score, -place))
    best = max((score for score, _ in scores), default=0.0)
    order = sorted(((score, place) for score, place in scores if score and score >= 0.7 * best), reverse=True)
    return [-place for _, place in order][:3]


def pages(text: str, sources: Sequence[Source]) -> list[int]:
    """The places of the pages of files that a text names."""
    named = {str(int(number)) for number in _PAGE.findall(text)}
    return [place for place in _paged(text, sources) if sources[place].metadata["page"] in named]


def _paged(text: str, sources: Sequence[Source]) -> list[int]:
    """The places of the pages of files, or of those files alone that a text names."""
    paged = [place for place, source in enumerate(sources) if source.kind == "file" and source.metadata.get("page")]
    low = text.casefold()
    # The seventh page of the file that is named, not of every file.
    named = {sources[place].title for place in paged if sources[place].title.casefold() in low}
    return [place for place in paged if not named or sources[place].title in named]


def with_right_pages(text: str, sources: Sequence[Source]) -> str:
    """A text that names one page, on which what it says does not stand, with the page on which it does."""
    paged = _paged(text, sources)
    numbers = {str(int(number)) for number in _PAGE.findall(text)}
    if not paged or len(numbers) != 1 or len({sources[place].title for place in paged}) != 1:
        return text
    own = [sources[place] for place in paged]
    right = [own[place].metadata["page"] for place in places(_PAGE.sub(" ", text), own)]
    if not right or not numbers.isdisjoint(right):
        return text
    return _PAGE.sub(lambda found: found.group()[: -len(found[1])] + right[0], text)
