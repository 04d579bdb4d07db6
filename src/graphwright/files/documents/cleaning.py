"""Text as people see it: without what steers a terminal, turns the direction of writing, or is not seen at all."""

from __future__ import annotations

import re
import unicodedata

from graphwright.text.hidden import without_hidden

_ENDS = re.compile("(?<![ \t\xa0])[ \t\xa0]++(?=\n)")
_EMPTY = re.compile("\n{3,}")
_BEYOND_LATIN = re.compile("[^\x00-\u02ff]")
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}


def cleaned(text: str) -> tuple[str, int]:
    """The text, and how many characters were left out of it that could mislead who reads it.

    Lines end in a line feed and not in spaces, at most one empty line stands between others, the ends are not blank,
    letters are composed (NFC), ligatures are taken apart.
    """
    text, left_out = without_hidden(text)
    if _BEYOND_LATIN.search(text):
        text = unicodedata.normalize("NFC", text.translate(_LIGATURES))
    text = _ENDS.sub("", text)
    return _EMPTY.sub("\n\n", text).strip(" \t\n\xa0"), left_out


def in_one_line(text: str, most: int) -> str:
    """The clean text on one line, cut at `most` characters."""
    plain = " ".join(cleaned(text[: 8 * most])[0].split())
    return plain if len(plain) <= most else plain[: most - 1].rstrip() + "…"
