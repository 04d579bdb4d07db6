"""The nearest known name, for hints: quick even with thousands of names and thousands of errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher

_WORK = 1_000_000
"""How many comparisons one set of names pays for; past that it makes no more suggestions."""


class Names:
    """A set of names that finds the one nearest to a misspelt one.

    Candidates share pairs of letters with the wanted name; only the best few are compared in earnest.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(dict.fromkeys(names))
        self._index: dict[str, list[int]] | None = None
        self._work = _WORK
        self._known: dict[str, str] = {}

    def nearest(self, wanted: str) -> str:
        """The most similar name, or an empty string when none is similar."""
        if wanted not in self._known:
            self._known[wanted] = self._search(wanted[:200])
        return self._known[wanted]

    def hint(self, wanted: str, otherwise: str = "") -> str:
        """`Did you mean ...?`, or `otherwise` when nothing is similar."""
        near = self.nearest(wanted)
        return f"Did you mean `{near}`?" if near else otherwise

    def _search(self, wanted: str) -> str:
        if self._index is None:
            self._index = {}
            for place, name in enumerate(self._names):
                for pair in _pairs(name[:200]):
                    self._index.setdefault(pair, []).append(place)
        shared: Counter[int] = Counter()
        for pair in _pairs(wanted):
            places = self._index.get(pair, ())
            self._work -= len(places)
            if self._work < 0:
                return ""
            shared.update(places)
        best, score = "", 0.6
        matcher = SequenceMatcher(b=wanted.lower(), autojunk=False)
        for place, _ in shared.most_common(12):
            matcher.set_seq1(self._names[place][:200].lower())
            if matcher.quick_ratio() >= score and (ratio := matcher.ratio()) > score:
                best, score = self._names[place], ratio
        return best


def _pairs(name: str) -> set[str]:
    padded = f" {name.lower()} "
    return {padded[i : i + 2] for i in range(len(padded) - 1)}


def listed(names: Iterable[str], limit: int = 8) -> str:
    """Names in a sentence: `a`, `b` or `c`; long lists are cut."""
    shown = [f"`{name}`" for name in names]
    if len(shown) > limit:
        return ", ".join(shown[:limit]) + f" and {len(shown) - limit} more"
    return " or ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
