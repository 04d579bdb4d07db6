"""Near names: the known name that is most similar to a misspelt one, for hints."""

from __future__ import annotations

from collections.abc import Iterable

_WORK = 3_000_000
"""How many comparisons one set of names pays for; past that it makes no more suggestions."""

_SIMILAR = 60.0
"""The least similarity, of 100, at which a name is suggested."""

_LONGEST = 200


class Names:
    """A set of names that finds the one nearest to a misspelt one."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(dict.fromkeys(names))
        self._work = _WORK

    def nearest(self, wanted: str) -> str:
        """The most similar name, compared without case, or an empty string when none is similar."""
        # Imported late: a document without misspelt names does not need it.
        from rapidfuzz import fuzz, process

        self._work -= len(self._names)
        if self._work < 0:
            return ""
        found = process.extractOne(
            wanted, self._names, scorer=fuzz.ratio, processor=_folded, score_cutoff=_SIMILAR + 0.001
        )
        return "" if found is None else str(found[0])

    def hint(self, wanted: str, otherwise: str = "") -> str:
        """`Did you mean ...?`, or `otherwise` when nothing is similar."""
        near = self.nearest(wanted)
        return f"Did you mean `{near}`?" if near else otherwise


def _folded(name: str) -> str:
    return name[:_LONGEST].casefold()


def nearest(wanted: str, names: Iterable[str]) -> str:
    """The most similar of some names, or an empty string when none is similar."""
    return Names(names).nearest(wanted)


def listed(names: Iterable[str], limit: int = 8) -> str:
    """Names in a sentence: `a`, `b` or `c`; long lists are cut."""
    shown = [f"`{name}`" for name in names]
    if len(shown) > limit:
        return ", ".join(shown[:limit]) + f" and {len(shown) - limit} more"
    return " or ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
