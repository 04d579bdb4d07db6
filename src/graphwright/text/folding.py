"""Spellings made alike: case, spaces, accents, forms of characters; and texts that resemble another."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+")
_RESEMBLES = 60.0
"""Per cent by which a text must resemble what exists to be offered in its place."""


def normalised(text: str) -> str:
    """The text in one form of characters (NFKC), without case, with single spaces: to compare what must be the same."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def folded(text: str) -> str:
    """The text in small letters without accents: to compare words as a full-text index does."""
    small = text.lower()
    if small.isascii():
        return small
    return "".join(sign for sign in unicodedata.normalize("NFD", small) if not unicodedata.combining(sign))


def words_of(text: str) -> list[str]:
    """The words of a text, folded: runs of letters and digits."""
    return _WORD.findall(folded(text))


def nearest(value: str, known: Iterable[str], *, most: int = 3) -> list[str]:
    """The known texts that resemble a text the most, the nearest first; empty where none does."""
    from rapidfuzz import fuzz, process

    found = process.extract(
        value, list(dict.fromkeys(known)), scorer=fuzz.WRatio, processor=normalised, limit=most, score_cutoff=_RESEMBLES
    )
    return [each for each, _, _ in found]
