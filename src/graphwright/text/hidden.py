"""Characters that people do not see: they control a terminal, reverse the direction of writing, or hide text."""

from __future__ import annotations

import re

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
