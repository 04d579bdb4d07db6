"""What somebody asks for, as terms that the index understands: whatever is written, it is never its query language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graphwright.knowledge.passages import normal
from graphwright.knowledge.words import RUN, german_stem
from graphwright.store.fulltext import any_of, phrase
from graphwright.text.little_words import is_plain
from graphwright.text.places import shortened, spellings

MOST_TEXT = 1_000
"""Characters of a question that are looked at."""

MOST_TERMS = 32
_LONGEST_RUN = 64
_PLAIN_COLUMNS = "{title heading text}"
_STEM_COLUMNS = "{title_stems heading_stems text_stems}"


@dataclass(frozen=True, slots=True)
class Query:
    """The words that count, as they were written, each as its runs of letters and digits (`BPM-07`: `BPM`, `07`)."""

    text: str
    words: tuple[tuple[str, ...], ...]
    cut: bool

    @property
    def stems(self) -> tuple[str, ...]:
        """The German stems of all runs."""
        return tuple(dict.fromkeys(german_stem(run) for word in self.words for run in word))

    def matching(self) -> str:
        """The condition that any of the words is there."""
        plain, stems = list[str](), list[str]()
        for word in self.words:
            for runs in _readings(word):
                plain.append(phrase(*runs))
                stems.append(phrase(*map(german_stem, runs)))
        return f"{_PLAIN_COLUMNS} : ({any_of(plain)}) OR {_STEM_COLUMNS} : ({any_of(stems)})"

    def conditions(self) -> list[tuple[str, str]]:
        """Each word as it was written, and the condition that it is there."""
        return [("-".join(word), Query("", (word,), False).matching()) for word in self.words]


def query_of(text: str) -> Query:
    """The words of a question that say what it is about; all of them where none does."""
    whole = normal(text)
    runs = [tuple(run[:_LONGEST_RUN] for run in RUN.findall(word)) for word in shortened(whole[:MOST_TEXT]).split()]
    words = list(dict.fromkeys(word for word in runs if word))
    telling = [word for word in words if not all(is_plain(run) for run in word)] or words
    return Query(
        " ".join(whole[:MOST_TEXT].split()),
        tuple(telling[:MOST_TERMS]),
        len(whole) > MOST_TEXT or len(telling) > MOST_TERMS,
    )


def stems_matching(stems: Iterable[str]) -> str:
    """The condition that any of the German stems is there."""
    return f"{_STEM_COLUMNS} : ({any_of(map(phrase, stems))})"


def _readings(word: tuple[str, ...]) -> list[tuple[str, ...]]:
    """A word with a hyphen or a slash in it is a name, and its parts may stand alone as well; a place has others."""
    if len(word) == 1 and (names := spellings(word[0])):
        return [tuple(name.split()) for name in names]
    alone = [(run,) for run in word if len(run) > 2 and run.isalpha()]
    return [word] if len(word) == 1 else [word, *alone]
