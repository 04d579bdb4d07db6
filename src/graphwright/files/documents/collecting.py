"""What a reader has found so far: parts within the limits, notes, and what had to be left out."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from graphwright.files.documents.cleaning import cleaned, in_one_line
from graphwright.files.documents.limits import DocumentLimits

MOST_HEADING = 200
MOST_VALUE = 500
_MOST_METADATA = 60
_MOST_LEVELS = 12
_SPARE = 0.7
"""The share of the time after which a reader that can stop stops, and keeps what it has."""


class Collected:
    """Takes parts until a limit is reached, and says what was cut."""

    def __init__(self, limits: DocumentLimits) -> None:
        self.limits = limits
        self.title = ""
        self.pages: int | None = None
        self.notes: list[str] = []
        self._cut: list[str] = []
        self._parts: list[dict[str, Any]] = []
        self._metadata: dict[str, str] = {}
        self._left = limits.characters
        self._seen = 0
        self._misleading = 0
        # Whether the last part was taken in part only.
        self.cropped = False
        self._late = time.monotonic() + _SPARE * limits.seconds

    @property
    def full(self) -> bool:
        """Nothing more is taken."""
        return self._left <= 0

    @property
    def late(self) -> bool:
        """It is time to come to an end."""
        return time.monotonic() > self._late

    def add(self, heading: Iterable[str], page: int | None, text: str) -> int:
        """Take a part, as far as there is room; the characters that it has once it is clean."""
        text, misleading = cleaned(text)
        self._misleading += misleading
        path = [line for line in (in_one_line(each, MOST_HEADING) for each in heading) if line][-_MOST_LEVELS:]
        self._seen += len(text)
        if (text or path) and not self.full:
            kept = text[: max(self._left - sum(map(len, path)), 0)]
            self._left -= len(kept) + sum(map(len, path)) + 1
            if len(kept) < len(text):
                self._left = 0
                self.cropped = True
            self._parts.append({"heading": path, "page": page, "text": kept.rstrip()})
        return len(text)

    def tell(self, name: str, value: object) -> None:
        """Take a piece of metadata; the first of a name counts."""
        name, text = in_one_line(name, 60).lower(), in_one_line(str(value), MOST_VALUE)
        if name and text and len(self._metadata) < _MOST_METADATA:
            self._metadata.setdefault(name, text)

    def tell_if_silent(self) -> None:
        """Note that there is nothing to read, where no note says why."""
        if not self._parts and not self.notes:
            self.notes.append("There is no text in it.")

    def cut(self, sentence: str) -> None:
        """Say what was left out."""
        self._cut.append(sentence)

    def to_json(self, kind: str) -> dict[str, Any]:
        """What goes to the owner of the reading process."""
        kept = sum(len(part["text"]) for part in self._parts)
        if kept < self._seen and not self._cut:
            self._cut.append(f"The first {kept:,} of {self._seen:,} characters were read.")
        if self._misleading:
            many = "1 character was" if self._misleading == 1 else f"{self._misleading:,} characters were"
            self.notes.append(f"{many} left out that cannot be seen or change the direction of the text.")
        return {
            "kind": kind,
            "title": in_one_line(self.title, MOST_HEADING),
            "pages": self.pages,
            "parts": self._parts,
            "metadata": self._metadata,
            "cut": " ".join(self._cut),
            "notes": [in_one_line(note, 400) for note in self.notes],
        }


class Outline:
    """The path of headings at a place of a text that is read from its beginning."""

    def __init__(self) -> None:
        self._levels: list[tuple[int, str]] = []

    def enter(self, level: int, heading: str) -> None:
        """A heading of this level, 1 the highest, begins here."""
        while self._levels and self._levels[-1][0] >= level:
            self._levels.pop()
        self._levels.append((level, heading))

    @property
    def path(self) -> tuple[str, ...]:
        """The headings that hold here, the outermost first."""
        return tuple(heading for _, heading in self._levels)
