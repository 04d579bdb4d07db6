"""Equal forms of different spellings: case, spaces, accents, forms of characters."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")


# Phones write curly quotes and long dashes by default, and models straighten them: the text is the same.
_PLAIN_SIGNS = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-")
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", "")
)


def with_plain_signs(text: str) -> str:
    """Return the text with straight quotes, hyphens for all dashes, and no zero-width characters."""
    return text.translate(_PLAIN_SIGNS)


def normalised(text: str) -> str:
    """Return the text in the form in which two spellings of the same text are equal.

    Case, runs of spaces, forms of characters (NFKC), curly and straight quotes, kinds of dashes and zero-width
    characters make no difference.

    >>> normalised("O\u2019Brien  or Smith\u2011Jones")
    "o'brien or smith-jones"
    """
    # Signs first, because NFKC turns a lone acute accent into a space with an accent.
    return " ".join(unicodedata.normalize("NFKC", with_plain_signs(text)).casefold().split())


def folded(text: str) -> str:
    """The text in lower case without accents, to compare words as a full-text index does."""
    small = text.lower()
    if small.isascii():
        return small
    return "".join(sign for sign in unicodedata.normalize("NFD", small) if not unicodedata.combining(sign))


def words_of(text: str) -> list[str]:
    """The words of a text, folded: sequences of letters and digits."""
    return _WORD.findall(folded(text))
