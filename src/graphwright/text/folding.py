"""Spellings made alike: case, spaces, forms of characters."""

from __future__ import annotations

import unicodedata


def normalised(text: str) -> str:
    """The text in one form of characters (NFKC), without case, with single spaces: to compare what must be the same."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
