"""Names, numbers and lists for use in a sentence: on one line, quoted, limited."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

__all__ = [
    "without_questions",
    "one_line",
    "in_quotes",
    "marked",
    "beginning",
    "shortened",
    "quoted",
    "listed",
    "bounded",
    "number_text",
    "many",
    "size_text",
]

_UNSEEN = re.compile(r"^\s|\s$|  |[\u00ad\u200b\u200e\u200f\u2060\ufeff]")

_SENTENCE_END = re.compile(r"(?<=[!?？。！])\s*|(?<=[^\W\d_]{2}[.…])\s+|(?<=\d{3}\.)\s+|(?<=[)”»]\.)\s+|\n+")
"""Not after an abbreviation of single letters (e.g.) or an ordinal number (1. Mai)."""


def without_questions(text: str) -> str:
    """The sentences of a text that do not end with a question mark, on one line; empty if there are none."""
    sentences = [each.strip() for each in _SENTENCE_END.split(text)]
    return " ".join(each for each in sentences if each and not each.endswith(("?", "？")))


def one_line(text: object, longest: int = 100) -> str:
    """The text without line breaks and control characters, cut to `longest` characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def in_quotes(text: str, longest: int = 100) -> str:
    """The text as a JSON string that shows blanks at its ends and invisible characters, cut to `longest`."""
    cut = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in json.dumps(cut, ensure_ascii=False))


def marked(text: str) -> str:
    """The text, in quotes if blanks or characters in it would be invisible."""
    return in_quotes(text, len(text)) if _UNSEEN.search(text) else text


def shortened(text: object, longest: int) -> str:
    """The text on one line; a longer one is cut after a word, with a mark."""
    line = one_line(text, 1_000_000)
    if len(line) <= longest:
        return line
    begin = line[: longest + 1].rpartition(" ")[0] or line[:longest]
    return f"{begin} … (shortened)"


def beginning(text: str, longest: int) -> str:
    """The text; a longer one is cut, with an ellipsis as its last character."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def quoted(text: object, longest: int = 100) -> str:
    """The text in single quotes, cut in its middle, because names that begin alike often differ at their ends.

    Quotes inside become typographic apostrophes, so that a name does not end early.
    """
    line = one_line(text, 1_000_000)
    if len(line) > longest:
        ending = longest * 2 // 5
        line = f"{line[: longest - 1 - ending].rstrip()}…{line[-ending:].lstrip()}"
    return f"'{line.replace(chr(39), '’')}'"


def listed(texts: Sequence[object], most: int = 8) -> str:
    """At most `most` texts, quoted, and the number of the others: `'a', 'b' and 3 more`."""
    return bounded([quoted(text) for text in texts], most)


def bounded(shown: Sequence[str], most: int = 12) -> str:
    """At most `most` texts unchanged, and the number of the others."""
    more = f" and {len(shown) - most:,} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def number_text(number: float) -> str:
    """A number with at most two digits after the point: 50, 33.34."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def many(count: int, what: str) -> str:
    """A number of things: `1 user`, `1,200 users`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def size_text(count: int) -> str:
    """Return a number of bytes for people, in MB or GB."""
    return f"{count / 2**30:,.1f} GB" if count >= 2**30 else f"{count / 2**20:,.1f} MB"
