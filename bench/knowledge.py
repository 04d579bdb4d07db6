"""The cost of the knowledge index: generated pages indexed, checked again, and searched."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from statistics import mean

from bench.measure import Result
from bench.scale import Scale
from graphwright_assistant.retrieval import KnowledgeIndex

_WORDS = 20_000
_QUESTIONS = 200
_FILL = (["the", "and", "of", "is", "not", "with"], ["der", "die", "und", "ist", "nicht", "mit"])


def searched(work: Path, scale: Scale, notify: Callable[[str], None]) -> dict[str, Result]:
    """`scale.pages` pages of about 650 words, three of four Markdown and one HTML, every third German."""
    notify(f"an index of {scale.pages:,} pages")
    folder = work / "pages"
    folder.mkdir(parents=True)
    words = _Words()
    size = 0
    for number in range(scale.pages):
        name, text = _page(words, number)
        size += (folder / name).write_bytes(text.encode())
    index = KnowledgeIndex(work / "index.sqlite3")
    results = {
        "knowledge/index": Result(f"{scale.pages:,} pages ({size / 1e6:,.0f} MB) indexed"),
        "knowledge/again": Result("the same, when nothing has changed"),
    }
    for result in results.values():
        # Its processor time does not include the reading process.
        with result.timed():
            did = index.update(folder)
    questions = [" ".join(words.some(1 + number % 4)) for number in range(_QUESTIONS)]
    searches: dict[str, tuple[str, Callable[[str], int]]] = {
        "search": (
            f"a search of one to four words among {did.passages:,} passages",
            lambda text: index.search(text).total,
        ),
        "plain": ("the same words by plain FTS5, the best 60 passages", _plain(index.file)),
    }
    for key, (title, search) in searches.items():
        result = results[f"knowledge/{key}"] = Result(title)
        search(questions[0])
        hits = []
        for question in questions:
            with result.timed():
                hits.append(search(question))
        assert mean(hits) > 1
    index.close()
    return results


def _plain(file: Path) -> Callable[[str], int]:
    """A search with FTS5 alone, over the same passages."""
    connection = sqlite3.connect(file)
    sql = "SELECT title, heading, text FROM found WHERE found MATCH ? ORDER BY rank LIMIT 60"
    return lambda text: len(connection.execute(sql, (" OR ".join(text.split()),)).fetchall())


class _Words:
    """Made-up words, some common and most rare, as in a language."""

    def __init__(self) -> None:
        self._chance = random.Random(7)
        syllables = [
            first + vowel + last for first in "bdfgklmnprstvz" for vowel in "aeiou" for last in ("", "n", "r", "s")
        ]
        self._known = ["".join(self._chance.choices(syllables, k=self._chance.randint(2, 3))) for _ in range(_WORDS)]
        self._weights = list(accumulate(1 / (number + 10) for number in range(_WORDS)))

    def some(self, count: int) -> list[str]:
        """So many random words."""
        return self._chance.choices(self._known, cum_weights=self._weights, k=count)

    def sentence(self, count: int, fill: list[str]) -> str:
        """So many words, every fourth a short one."""
        words = self.some(count)
        words[::4] = self._chance.choices(fill, k=len(words[::4]))
        return " ".join(words)


def _page(words: _Words, number: int) -> tuple[str, str]:
    german = number % 3 == 0
    fill, language = _FILL[german], "de" if german else "en"
    title = words.sentence(4, fill)
    parts = [(words.sentence(4, fill), [words.sentence(count, fill) for count in (90, 60)]) for _ in range(4)]
    if number % 4 == 1:
        body = "".join(f"<h2>{heading}</h2>{''.join(f'<p>{text}</p>' for text in texts)}" for heading, texts in parts)
        head = f"<title>{title}</title><meta name='accelerator' content='aurora'>"
        return f"{number}.html", f"<!doctype html><html lang='{language}'><head>{head}</head><body>{body}</body></html>"
    body = "\n\n".join(_markdown(parts))
    front = f"---\ntitle: {title}\naccelerator: booster\nlanguage: {language}\n---\n"
    return f"{number}.md", f"{front}# {title}\n\n{body}\n"


def _markdown(parts: list[tuple[str, list[str]]]) -> Iterator[str]:
    for heading, texts in parts:
        yield f"## {heading}"
        yield from texts
