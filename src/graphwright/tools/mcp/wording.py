"""Texts of servers made harmless to show: control characters out, invisible instructions out, a bounded length."""

from __future__ import annotations

import re
import unicodedata

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])")
_SPACE = re.compile(r"\s+")

# Zero-width joiners are part of words in some scripts; what turns or hides text is part of none.
_KEPT = frozenset("\n\t\u200c\u200d")


def plain(text: str) -> str:
    """The text without terminal escapes, control characters, and characters that turn, hide or tag text.

    Line ends become newlines; half of a surrogate pair, which no file can hold, becomes `\\ufffd`.
    """
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    text = _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "".join(shown for character in text if (shown := _shown(character)))


def one_line(text: str, most: int) -> str:
    """`plain` on one line, of at most `most` characters; what was cut off is marked by ` …`."""
    # Long enough for what vanishes, short enough that nobody pays for a megabyte.
    line = _SPACE.sub(" ", plain(text[: 4 * most + 100])).strip()
    return line if len(line) <= most and len(text) <= 4 * most + 100 else f"{line[: most - 2].rstrip()} …"


def unshowable(text: str) -> int:
    """How many characters of the text only come from data that is no text."""
    return sum(
        character == "\ufffd" or (character not in "\n\t\r\x1b" and unicodedata.category(character) == "Cc")
        for character in text
    )


def _shown(character: str) -> str:
    if character in _KEPT or character.isprintable():
        return character
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    return " " if category.startswith("Z") else ""
