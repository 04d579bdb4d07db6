"""Equal forms of different spellings (case, spaces, accents, forms of characters), and invisible characters."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["normalised", "folded", "words_of", "without_hidden"]

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


_MISLEADING = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
    "\u202a-\u202e\u2066-\u2069"  # which way the text runs, against its letters
    "\U000e0000-\U000e01ef"  # tags and selectors that show nothing and can spell out words
    "]"
)
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])")
_SILENT = re.compile("[\xad\u200b\u200e\u200f\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb]")
_STRANGE = re.compile("[^\n -~\xa1-\xac\xae-\u02ff]")
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")


def without_hidden(text: str) -> tuple[str, int]:
    """The text, and the number of removed characters that could mislead a reader.

    Lines end in a line feed; half of a surrogate pair becomes `?`.
    """
    if not _STRANGE.search(text):
        return text, 0
    text = _BREAKS.sub("\n", text)
    text = _ESCAPES.sub("", text)
    text, left_out = _MISLEADING.subn("", text)
    text = _SILENT.sub("", text)
    # Half a pair of UTF-16 is not a character, and cannot be written.
    return text.encode("utf-8", errors="replace").decode("utf-8"), left_out


def with_turns_named(text: str) -> str:
    """The text with the characters that change the writing direction replaced by their names, `[U+202E]`."""
    return _TURNS.sub(lambda sign: f"[U+{ord(sign[0]):04X}]", text)
