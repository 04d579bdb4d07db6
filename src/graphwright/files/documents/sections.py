"""Parts of a document for an index: its sections as they are, and chunks of a bounded size that stay within them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphwright.files.documents.document import Document, Part

_PARAGRAPHS = re.compile(r"\n{2,}")
_LINES = re.compile(r"\n")
_SENTENCES = re.compile(r"(?<=[.!?:;])\s+")
_WORDS = re.compile(r"\s+")
_SEPARATORS = ((_PARAGRAPHS, "\n\n"), (_LINES, "\n"), (_SENTENCES, " "), (_WORDS, " "))


def sections(document: Document) -> tuple[Part, ...]:
    """The parts that hold text, in reading order: what stands under one heading, or on one page of a PDF or slide.

    A heading with nothing beneath it but other headings is in their paths, and no section of its own; one with nothing
    beneath it at all is a section whose text is the heading.
    """
    found: list[Part] = []
    for place, part in enumerate(document.parts):
        if part.text:
            found.append(part)
        elif part.heading:
            after = document.parts[place + 1].heading if place + 1 < len(document.parts) else ()
            if after[: len(part.heading)] != part.heading or after == part.heading:
                found.append(Part(part.heading, part.page, part.heading[-1]))
    return tuple(found)


def chunks(document: Document, size: int = 1_200) -> tuple[Part, ...]:
    """The sections, those of more than `size` characters cut at paragraphs, else lines, sentences, words, or anywhere.

    None goes over a heading or a page. Raises ValueError for a size below 1.
    """
    if size < 1:
        raise ValueError(f"a chunk of {size} characters: it must have 1 or more")
    return tuple(
        Part(section.heading, section.page, text)
        for section in sections(document)
        for text in _pieces(section.text, size, 0)
    )


def _pieces(text: str, size: int, level: int) -> Iterator[str]:
    if len(text) <= size:
        if text.strip():
            yield text
        return
    if level == len(_SEPARATORS):
        yield from (text[start : start + size] for start in range(0, len(text), size))
        return
    separator, joint = _SEPARATORS[level]
    held = ""
    for part in separator.split(text):
        if held and len(held) + len(joint) + len(part) > size:
            yield from _pieces(held, size, level + 1)
            held = ""
        held = f"{held}{joint}{part}" if held else part
    yield from _pieces(held, size, level + 1)
