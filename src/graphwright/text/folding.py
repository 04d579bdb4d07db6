"""Spellings made alike: case, spaces, forms of characters, accents, and the two ways to write German umlauts."""

from __future__ import annotations

import re
import unicodedata

# The "ue" of "frequency" is no umlaut.
_WRITTEN_OUT = re.compile("([ao]|(?<!q)u)e")


def normalised(text: str) -> str:
    """The text in one form of characters (NFKC), without case, with single spaces: to compare what must be the same."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def without_accents(text: str) -> str:
    """The text in small letters without accents, ß as ss."""
    small = text.casefold()
    if small.isascii():
        return small
    return "".join(sign for sign in unicodedata.normalize("NFKD", small) if not unicodedata.combining(sign))


def fold(text: str) -> str:
    """`without_accents`, and ä and ae, ö and oe, ü and ue are the same."""
    small = without_accents(text)
    return _WRITTEN_OUT.sub(r"\1", small) if "e" in small else small
