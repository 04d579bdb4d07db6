"""Near names: existing names that are most similar to a misspelt one, for `Did you mean ...?`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from graphwright.text.folding import normalised

__all__ = ["nearest", "listed"]

_WORK = 3_000_000
"""The maximum number of comparisons for one set of names; after it, nothing is suggested."""

_SIMILAR = 60.0
"""The minimum similarity, of 100, of a suggested name."""

_LONGEST = 200


class Suggestion(str):
    """A hint that names what to write instead: `name` in place of `wanted`."""

    wanted: str
    name: str

    def __new__(cls, hint: str, wanted: str, name: str) -> Suggestion:
        made = super().__new__(cls, hint)
        made.wanted, made.name = wanted, name
        return made

    def __reduce__(self) -> tuple[type[Suggestion], tuple[str, str, str]]:
        """What a copy is made of, such as that of `dataclasses.asdict`."""
        return Suggestion, (str(self), self.wanted, self.name)


class Names:
    """A set of names that returns those nearest to a misspelt one."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(dict.fromkeys(names))
        self._work = _WORK

    @cached_property
    def _compared(self) -> dict[str, str]:
        return {name: normalised(name[:_LONGEST]) for name in self._names}

    def nearest(self, wanted: str, most: int = 3) -> list[str]:
        """The most similar names, the nearest first; empty if none is similar.

        Case, forms of characters and the order of words do not matter, and words may be left out.
        """
        # Imported late: a document without misspelt names does not need it.
        from rapidfuzz import fuzz, process

        self._work -= len(self._names)
        if self._work < 0:
            return []
        text = normalised(wanted[:_LONGEST])
        found = process.extract(text, self._compared, scorer=fuzz.token_ratio, limit=most, score_cutoff=_SIMILAR)
        return [name for _, _, name in found]

    def hint(self, wanted: str, otherwise: str = "") -> str:
        """`Did you mean ...?`, or `otherwise` if no name is similar."""
        near = self.nearest(wanted, most=1)
        return Suggestion(f"Did you mean `{near[0]}`?", wanted, near[0]) if near else otherwise


def nearest(wanted: str, names: Iterable[str], *, most: int = 3) -> list[str]:
    """The most similar of some names, the nearest first; empty if none is similar."""
    return Names(names).nearest(wanted, most)


def did_you_mean(wanted: str, names: Iterable[str]) -> str:
    """A question that names the most similar name; empty if none is similar."""
    near = nearest(wanted, names, most=1)
    return f"did you mean {near[0]!r}?" if near else ""


def listed(names: Iterable[str], limit: int = 8) -> str:
    """Names in a sentence: `a`, `b` or `c`; long lists are cut."""
    shown = [f"`{name}`" for name in names]
    if len(shown) > limit:
        return ", ".join(shown[:limit]) + f" and {len(shown) - limit} more"
    return " or ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
