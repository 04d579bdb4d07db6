"""The words that differ between two texts."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Literal

Piece = tuple[Literal["same", "removed", "added"], str]
"""A part of a text, and whether only the earlier or only the later text has it."""

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_MOST_WORDS = 1_200
"""Longer differences are one removed and one added text: comparing takes quadratic time."""

_CONTEXT = 32


def word_difference(before: str, after: str) -> list[Piece]:
    """The two texts as pieces: joined without the added ones they are `before`, without the removed ones `after`."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    middle = _middle(old[start : len(old) - end], new[start : len(new) - end])
    pieces: list[Piece] = [("same", "".join(old[:start])), *middle, ("same", "".join(old[len(old) - end :]))]
    return [piece for piece in pieces if piece[1]]


def words_text(pieces: list[Piece]) -> str:
    """The pieces on one line: `How many [-lamps-]{+lights+}?`; long unchanged parts are cut."""
    shown = []
    for number, (kind, text) in enumerate(pieces):
        if kind == "same":
            shown.append(_cut(text, first=number == 0, last=number == len(pieces) - 1))
        else:
            shown.append(f"[-{text}-]" if kind == "removed" else f"{{+{text}+}}")
    return " ".join("".join(shown).split())


def _shared(one: list[str], other: list[str]) -> int:
    """The number of words with which both lists begin."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _middle(old: list[str], new: list[str]) -> list[Piece]:
    if len(old) + len(new) > _MOST_WORDS:
        return [("removed", "".join(old)), ("added", "".join(new))]
    pieces: list[Piece] = []
    removed = added = ""
    for kind, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        one, other = "".join(old[start:end]), "".join(new[new_start:new_end])
        # A blank between two changed words is part of the change.
        if kind != "equal" or (one.isspace() and (removed or added)):
            removed, added = removed + one, added + other
            continue
        pieces += [("removed", removed), ("added", added), ("same", one)]
        removed = added = ""
    return [*pieces, ("removed", removed), ("added", added)]


def _cut(text: str, *, first: bool, last: bool) -> str:
    """An unchanged part, shortened to the words near a change."""
    before, after = ("" if first else text[:_CONTEXT]), ("" if last else text[-_CONTEXT:])
    return text if len(text) <= len(before) + len(after) + _CONTEXT else f"{before}…{after}"
