"""Sources that a model says again before it answers: they are taken out of its text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphwright.agents.assistant import citing
from graphwright.agents.assistant.words import words
from graphwright.tools.sources import Source

FEWEST_LEFT = 4
"""Words that an answer must have besides."""

_HEAD = re.compile(r"\s*\[(\d{1,3})\]\s*(\S.*)")
_FEWEST_HEADS = 2
"""Sources said again, one after the other, from which on it is no quotation."""


def without_sources(text: str, sources: Sequence[Source]) -> str:
    """A text without the blocks in which it repeats numbered sources, each with its mark, its title and its text.

    It stays as it is where it repeats but one, or says nothing besides.
    """
    kept: list[str] = []
    place: int | None = None
    heads = 0
    for line in text.split("\n"):
        head = _HEAD.fullmatch(line)
        if head and 0 < int(head[1]) <= len(sources) and _within(head[2], _told(sources[int(head[1]) - 1])):
            place, heads = int(head[1]) - 1, heads + 1
        elif place is None or not _within(line, _told(sources[place])):
            place = None
            kept.append(line)
    rest = "\n".join(kept).strip()
    return rest if heads >= _FEWEST_HEADS and len(words(citing.without_marks(rest))) >= FEWEST_LEFT else text


def _told(source: Source) -> str:
    return f"{citing.described(source)} {source.text}"


def _within(line: str, told: str) -> bool:
    """Whether a source has nearly all runs of three words of a line, whose links and marks may differ."""
    said = [word.casefold() for word in words(citing.without_marks(line))]
    there = " ".join(word.casefold() for word in words(told))
    runs = [" ".join(said[at : at + 3]) for at in range(max(1, len(said) - 2))] if said else []
    return sum(run in there for run in runs) >= 0.7 * len(runs)
