"""Text as people see it: without what steers a terminal, turns the direction of writing, or is not seen at all."""

from __future__ import annotations

import re
import unicodedata

_TELLING = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
    "\u202a-\u202e\u2066-\u2069"  # which way the text runs, against its letters
    "\U000e0000-\U000e01ef"  # tags and selectors that show nothing and can spell out words
    "]"
)
_COLOURS = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")
_SILENT = re.compile("[\xad\u200b\u200e\u200f\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb]")
_STRANGE = re.compile("[^\n -~\xa1-\xac\xae-\u02ff]")
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_ENDS = re.compile("(?<![ \t\xa0])[ \t\xa0]++(?=\n)")
_EMPTY = re.compile("\n{3,}")
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}


def cleaned(text: str) -> tuple[str, int]:
    """The text, and how many characters were left out of it that could mislead who reads it.

    Lines end in a line feed and not in spaces, at most one empty line stands between others, the ends are not blank,
    letters are composed (NFC), ligatures are taken apart.
    """
    left_out = 0
    if _STRANGE.search(text):
        text = _BREAKS.sub("\n", text)
        text = _COLOURS.sub("", text)
        text, left_out = _TELLING.subn("", text)
        text = _SILENT.sub("", text)
        # Half a pair of UTF-16 is no character, and cannot be written anywhere.
        text = text.encode("utf-8", errors="replace").decode("utf-8")
        text = unicodedata.normalize("NFC", text.translate(_LIGATURES))
    text = _ENDS.sub("", text)
    return _EMPTY.sub("\n\n", text).strip(" \t\n\xa0"), left_out


def in_one_line(text: str, most: int) -> str:
    """The clean text on one line, cut at `most` characters."""
    plain = " ".join(cleaned(text[: 8 * most])[0].split())
    return plain if len(plain) <= most else plain[: most - 1].rstrip() + "…"
