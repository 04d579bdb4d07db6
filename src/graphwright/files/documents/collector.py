"""What a reader collects of a document within the limits: clean parts, metadata, notes, and what was cut."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from graphwright.files.limits import DocumentLimits
from graphwright.text.hidden import without_hidden
from graphwright.text.sentences import one_line

MOST_HEADING = 200
_MOST_VALUE, _MOST_METADATA, _MOST_LEVELS = 500, 60, 12

_BLANK_ENDS = re.compile("(?<![ \t\xa0])[ \t\xa0]++(?=\n)")
_EMPTY_LINES = re.compile("\n{3,}")
_BEYOND_LATIN = re.compile("[^\x00-\u02ff]")
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}


class Collector:
    """Takes parts until a limit is reached. A reader sets `title`, and adds to `notes`."""

    def __init__(self, limits: DocumentLimits) -> None:
        self.limits = limits
        self.title, self.notes = "", list[str]()
        self._cut = ""
        self._parts: list[dict[str, Any]] = []
        self._metadata: dict[str, str] = {}
        self._left = limits.characters
        self._characters = self._hidden = 0

    def add(self, heading: Iterable[str], page: int | None, text: str) -> None:
        """Take a part, as far as there is room."""
        text, hidden = _clean(text)
        self._hidden += hidden
        self._characters += len(text)
        path = [line for line in (in_one_line(each, MOST_HEADING) for each in heading) if line][-_MOST_LEVELS:]
        if (text or path) and self._left > 0:
            above = sum(map(len, path))
            kept = text[: max(self._left - above, 0)]
            self._left = 0 if len(kept) < len(text) else self._left - len(kept) - above - 1
            self._parts.append({"heading": path, "page": page, "text": kept.rstrip()})

    def describe(self, name: str, value: object) -> None:
        """Take a piece of metadata; the first of a name counts."""
        name, text = in_one_line(name, 60).lower(), in_one_line(str(value), _MOST_VALUE)
        if value and name and text and len(self._metadata) < _MOST_METADATA:
            self._metadata.setdefault(name, text)

    def is_full(self, number: int, there: int, what: str) -> bool:
        """Whether page, slide or sheet `number` of so many is not to be read any more; `cut` says why."""
        if number > self.limits.pages:
            why = f"the limit on {what}s is {self.limits.pages:,}"
        elif self._left <= 0:
            why = f"the limit on characters is {self.limits.characters:,}"
        else:
            return False
        self._cut = f"The first {number - 1:,} of {there:,} {what}s were read, because {why}."
        return True

    def to_json(self, kind: str) -> dict[str, Any]:
        """A `Document` as JSON."""
        kept = sum(len(part["text"]) for part in self._parts)
        if kept < self._characters and not self._cut:
            self._cut = f"The first {kept:,} of {self._characters:,} characters were read."
        if not self._parts and not self.notes:
            self.notes.append("There is no text in it.")
        if self._hidden:
            why = "characters that cannot be seen or change the direction of the text were left out"
            self.notes.append(f"{self._hidden:,} {why}.")
        return {
            "kind": kind,
            "title": in_one_line(self.title, MOST_HEADING),
            "parts": self._parts,
            "metadata": self._metadata,
            "cut": self._cut,
            "notes": [in_one_line(note, 400) for note in self.notes],
        }


def in_one_line(text: str, most: int) -> str:
    """The clean text on one line, cut at `most` characters."""
    return one_line(_clean(text[: 8 * most])[0], most)


def _clean(text: str) -> tuple[str, int]:
    """The text as people see it, and how many characters were left out of it that could mislead who reads it.

    Lines end in a line feed and not in spaces, at most one empty line stands between others, the ends are not blank,
    letters are composed (NFC), ligatures are taken apart.
    """
    text, hidden = without_hidden(text)
    if _BEYOND_LATIN.search(text):
        text = unicodedata.normalize("NFC", text.translate(_LIGATURES))
    return _EMPTY_LINES.sub("\n\n", _BLANK_ENDS.sub("", text)).strip(" \t\n\xa0"), hidden
