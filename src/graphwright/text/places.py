"""Numbered places of a machine: `sector 9`, `Sektor 9`, `S9` and `S09` are the same one."""

from __future__ import annotations

import re

_KINDS = {"s": ("sector", "sektor"), "c": ("cell", "zelle"), "g": ("girder", "träger")}
"""What the letter of a short name stands for, English and German."""

_LETTERS = {name: letter for letter, names in _KINDS.items() for name in names}
_WRITTEN = re.compile(
    rf"(?<![\w-])({'|'.join(_LETTERS)})(?:s|n|en)?\s(?:no\.?\s|nr\.?\s|number\s|nummer\s)?0*([1-9]\d?)(?![\w%]|[.,:/]\d|\s?[°%])",
    re.IGNORECASE,
)
_SHORT = re.compile(rf"([{''.join(_KINDS)}])0*([1-9]\d?)", re.IGNORECASE)


def shortened(text: str) -> str:
    """The text with the short names of places that are written out: `S09` for "sector 9"."""
    return _WRITTEN.sub(lambda m: f"{_LETTERS[m[1].casefold()].upper()}{int(m[2]):02}", text)


def canonical(word: str) -> str:
    """The short name of a place with two figures, in small letters; any other word as it is."""
    found = _SHORT.fullmatch(word)
    return f"{found[1].lower()}{int(found[2]):02}" if found else word


def spellings(word: str) -> tuple[str, ...]:
    """All names of the place that a short name means, in small letters; none where it is no such name."""
    found = _SHORT.fullmatch(word)
    if found is None:
        return ()
    letter, number = found[1].lower(), int(found[2])
    short = dict.fromkeys((f"{letter}{number:02}", f"{letter}{number}"))
    return (*short, *(f"{name} {number}" for name in _KINDS[letter]))
