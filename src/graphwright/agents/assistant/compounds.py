"""German compounds, told by the words of some texts: `Strahllebensdauer` stands where `Strahl` and `Lebensdauer` do."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator

from graphwright.agents.assistant.words import STOP_WORDS, folded, listed, stem

SHORTEST_PART = 4
"""Letters of a part of a compound."""

_SHORTEST_BEGINNING = 5
"""Letters from which on a word counts as the beginning of a longer one: `euro` is none of `europäisch`."""

_JOINTS = ("s", "n", "en", "es", "er", "e")
_DEEPEST = 2

_ANY_THING = listed("""
    betriebs durchschnitts einzel gesamt grenz grund haupt hochst maximal mindest minimal mittel nenn norm soll spitzen
    standard ziel
    """)
"""First parts that make no other thing of what they stand before, without umlauts."""


class Standing:
    """The words of some texts, given as stems: whether others stand among them, whole or in parts."""

    def __init__(self, there: Collection[str]) -> None:
        self._words = frozenset(there)
        self._forwards = sorted(self._words)
        self._backwards = sorted(word[::-1] for word in self._words)

    def has(self, word: str, *, least: int = SHORTEST_PART) -> bool:
        """Whether a word stands there by itself, as the beginning or end of a longer one, or in all of its parts.

        Of fewer than `least` letters it must stand by itself.
        """
        own = stem(word)
        if any(c.isdigit() for c in own):
            # `R4` is meant by `R4.2` as well.
            return any(own in other for other in self._words)
        return self._part(own, least) or self._split(folded(word), 0)

    def first_part(self, word: str) -> bool:
        """Whether the first part of a compound stands there, so that it is of the same thing: `Klystronleistung`."""
        own = folded(word)
        return any(self._head(own[:place]) for place in _places(own))

    def last_part(self, word: str) -> bool:
        """Whether the last part of a compound stands there, by itself."""
        own = folded(word)
        return any(stem(own[place:]) in self._words and own[place:] not in STOP_WORDS for place in _places(own))

    def _part(self, own: str, least: int = SHORTEST_PART) -> bool:
        if own in self._words:
            return own not in STOP_WORDS
        if len(own) < least or own in STOP_WORDS:
            return False
        begins = len(own) >= _SHORTEST_BEGINNING and _begins(self._forwards, own)
        return begins or _begins(self._backwards, own[::-1])

    def _head(self, part: str) -> bool:
        return any(self._part(head) or self._part(stem(head)) or head in _ANY_THING for head in _heads(part))

    def _split(self, own: str, depth: int) -> bool:
        return any(
            self._head(own[:place])
            and (self._part(stem(own[place:])) or (depth + 1 < _DEEPEST and self._split(own[place:], depth + 1)))
            for place in _places(own)
        )


def _places(own: str) -> range:
    """Where a compound may be parted."""
    return range(SHORTEST_PART, len(own) - SHORTEST_PART + 1)


def _heads(part: str) -> Iterator[str]:
    """What the first part of a compound may be by itself, without what joins it to the next."""
    yield part
    for head in (part.removesuffix(joint) for joint in _JOINTS if part.endswith(joint)):
        if len(head) >= SHORTEST_PART:
            yield head


def _begins(ordered: list[str], own: str) -> bool:
    place = bisect_left(ordered, own)
    return place < len(ordered) and ordered[place].startswith(own)
