"""A question as it is read: its words, and what of the data they were found to name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.words import FUNCTION_WORDS, WORD, is_english


@dataclass(frozen=True, slots=True)
class Named:
    """A column that the words `said` name; `sure` where they are its name but for case, plural or a typo.

    `wanted` says that no answer can do without it: it is measured, or groups are made by it. What "drinks" names may be
    no more than what the rows are about.
    """

    column: ColumnView
    said: str
    sure: bool
    wanted: bool = False


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value of a column that the words `said` name."""

    column: ColumnView
    value: str
    said: str


@dataclass(slots=True)
class Token:
    """A word of the question. `explained` says that what stands in brackets behind it names what it means."""

    text: str
    start: int
    end: int
    known: bool = False
    quoted: bool = False
    explained: bool = False


@dataclass(slots=True)
class Reader:
    """What is known of a question so far. `foreign` says that it is not English."""

    question: str
    columns: Sequence[ColumnView]
    foreign: bool
    tokens: list[Token] = field(default_factory=list)
    named: dict[tuple[str, str], Named] = field(default_factory=dict)
    values: list[NamedValue] = field(default_factory=list)

    def name(self, column: ColumnView, words: str, *, sure: bool = False, wanted: bool = False) -> None:
        """Take words for a column, unless others were before."""
        self.named.setdefault((column.dataset, column.name), Named(column, words, sure, wanted))


_QUOTED = re.compile(r"`([^`\n]{1,120})`|“([^”\n]{1,120})”|\"([^\"\n]{1,120})\"|(?<![\w])'([^'\n]{1,120})'(?![\w])")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s|er|e|ème)?")


def reader_of(question: str, columns: Sequence[ColumnView]) -> Reader:
    """A question of which no word is known yet."""
    reader = Reader(question, columns, not is_english(question))
    reader.tokens = [
        Token(found.group(), found.start(), found.end()) for found in WORD.finditer(question) if found.group() != "_"
    ]
    for found in _QUOTED.finditer(question):
        for token in within(reader.tokens, found.start(), found.end()):
            token.quoted = True
    return reader


def within(tokens: Iterable[Token], start: int, end: int) -> list[Token]:
    """The words between two places of the question."""
    return [token for token in tokens if token.start >= start and token.end <= end]


def is_content(word: str) -> bool:
    """Whether a word could name something: no article, no number, no single letter."""
    low = word.casefold().replace("’", "'").split("'")[0]
    return low not in FUNCTION_WORDS and not _ORDINAL.fullmatch(low) and len(low) > 1


def runs(tokens: Sequence[Token], longest: int) -> Iterator[Sequence[Token]]:
    """All words that stand side by side, the longest first."""
    for size in range(min(longest, len(tokens)), 0, -1):
        for start in range(len(tokens) - size + 1):
            yield tokens[start : start + size]


def said(reader: Reader, run: Sequence[Token]) -> str:
    """The words as they stand in the question."""
    return reader.question[run[0].start : run[-1].end]
