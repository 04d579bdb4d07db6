"""What there was to know when a question was answered: addresses, log entries and numbers, and the sources found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eval.assistant.cases import Case, Key
from eval.assistant.citations import addresses, entries, plain, source_at
from eval.assistant.numbers import numbers_in
from eval.assistant.outcome import Outcome
from graphwright.files.documents.limits import DocumentLimits
from graphwright.files.documents.reader import read_document
from graphwright.tools.sources import Source

_LONGEST_FILE = 40_000
"""Characters."""


def text_of(path: Path) -> str:
    """A given file as text; a page of it begins with its number. It blocks."""
    document = read_document(path, DocumentLimits(characters=_LONGEST_FILE))
    if all(part.page is None for part in document.parts):
        return document.text
    pages: dict[int, list[str]] = {}
    for part in document.parts:
        pages.setdefault(part.page or 0, []).append("\n".join((*part.heading[-1:], part.text)))
    return "\n\n".join("\n".join((f"[p. {page}]", *texts)) for page, texts in pages.items())


@dataclass(slots=True)
class Known:
    """What results, files and the conversation hold."""

    found: dict[Key, None] = field(default_factory=dict)
    addresses: dict[str, None] = field(default_factory=dict)
    entries: dict[int, None] = field(default_factory=dict)
    numbers: dict[str, None] = field(default_factory=dict)

    @classmethod
    def of(cls, case: Case, files: Iterable[str]) -> Known:
        """What is known before any tool is called; `files` are their texts."""
        known = cls()
        for text in (case.text, *(words for _, words in case.said), *files, *case.files):
            known.text(text)
        # A link to a given file leads to it by its name.
        known.addresses |= dict.fromkeys(map(plain, case.files))
        return known

    def text(self, text: str) -> None:
        """Take in a text."""
        self.addresses |= dict.fromkeys(addresses(text))
        self.entries |= dict.fromkeys(number for number, _ in entries(text))
        self.numbers |= dict.fromkeys(numbers_in(text))

    def source(self, source: Source) -> None:
        """Take in a source that a tool gave."""
        self.text("\n".join((source.title, source.id, *source.metadata.values(), source.text)))
        for address in filter(None, (source.url, *(image.url for image in source.images))):
            self.addresses[plain(address)] = None
        key = source_at(source.url)
        if key is not None:
            self.found[key] = None
        if isinstance(key, int):
            self.entries[key] = None

    def told(self, outcome: Outcome, calls: Sequence[Mapping[str, Any]]) -> Outcome:
        """The outcome with what was known in the end. What was asked of a tool may be said, too."""
        for call in calls:
            self.text(" ".join(map(str, call["arguments"].values())))
        return replace(
            outcome,
            calls=tuple(calls),
            found=tuple(self.found),
            addresses=tuple(self.addresses),
            entries=tuple(self.entries),
            numbers=tuple(self.numbers),
        )
