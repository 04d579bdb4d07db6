"""Words of a question that no document has: which they are, and what they were meant to be where they are misspelt."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from graphwright.knowledge.compounds import is_compound
from graphwright.knowledge.queries import Query
from graphwright.text.slips import MOST_MENDED, Slips, is_little, may_be_slip

_MOST_WORDS = 12
"""Words of a question that are looked up."""

_AT_ONCE = 100
_MOST_TERMS = 2_000
_MOST_STEMS = 8
_MOST_PASSAGES = 4
"""Passages in which the whole words of a stem are looked for."""

_MOST_MEANT = 6
_MOST_COUNTED = 1_000


def missing(connection: sqlite3.Connection, query: Query) -> list[str]:
    """The words that no document has."""
    return [word for word, matching in query.conditions()[:_MOST_WORDS] if not _is_there(connection, matching)]


def corrected(connection: sqlite3.Connection, query: Query) -> tuple[Query, tuple[tuple[str, str], ...]]:
    """The query with the nearest word that documents have for each that none has, and what was taken for what.

    A word that is in a document stays, and so does one that no slip of the pen makes of another. What has figures in it
    is a name.
    """
    names = ([] if any(not run.isalpha() for run in word) else word for word in query.words[:_MOST_WORDS])
    lacking = [run for word in names for run in word if may_be_slip(run) and not _is_there(connection, _having(run))]
    taken: dict[str, str] = {}
    for run in list(dict.fromkeys(lacking))[:MOST_MENDED]:
        if meant := _meant(connection, run):
            taken[run] = meant
    words = (tuple(taken.get(run, run) for run in word) for word in query.words)
    return replace(query, words=tuple(dict.fromkeys(words))), tuple(taken.items())


def _meant(connection: sqlite3.Connection, written: str) -> str:
    """The word of the documents that is nearest to one that none has, of several the one that most have."""
    if is_compound(connection, written):
        return ""
    slips = Slips(written)
    seen = Counter(word for text in _texts(connection, slips) for word in slips.words_in(text))
    near: dict[str, int] = {}
    for word in sorted(seen, key=lambda word: (-seen[word], word)):
        if (distance := slips.to(word)) is not None and not is_little(word):
            near.setdefault(word, distance)
    if not near:
        return ""
    least = min(near.values())
    nearest = [word for word in near if near[word] == least][:_MOST_MEANT]
    fewest = slips.fewest(least)
    if len(nearest) == fewest == 1:
        return nearest[0]
    pages = {word: _pages(connection, word) for word in nearest}
    word = max(nearest, key=lambda each: pages[each])
    return word if pages[word] >= fewest else ""


def _texts(connection: sqlite3.Connection, slips: Slips) -> Iterator[str]:
    """Texts that may have the word that was meant."""
    ids: dict[int, None] = {}
    spellings = slips.at_the_beginning()
    for start in range(0, len(spellings), _AT_ONCE):
        rows = connection.execute(
            "SELECT rowid FROM found WHERE found MATCH ? LIMIT ?",
            (_having(*spellings[start : start + _AT_ONCE]), _MOST_PASSAGES),
        )
        ids.update((id, None) for (id,) in rows)
    for stem in _stems(connection, slips):
        rows = connection.execute("SELECT doc FROM temp.places WHERE term = ? LIMIT ?", (stem, _MOST_PASSAGES))
        ids.update((id, None) for (id,) in rows)
    marks = ", ".join("?" * len(ids))
    for row in connection.execute(
        f"SELECT title, heading, text FROM passages JOIN pages ON pages.id = page WHERE passages.id IN ({marks})",
        tuple(ids),
    ):
        yield from row


def _stems(connection: sqlite3.Connection, slips: Slips) -> Sequence[str]:
    """The stems in the index that what was meant may begin with, the nearest first."""
    for table, kind in (("terms", "row"), ("places", "instance")):
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{table} USING fts5vocab('main', 'found', '{kind}')"
        )
    found: dict[str, tuple[int, int, str]] = {}
    for beginning in slips.beginnings:
        rows = connection.execute(
            "SELECT term, doc FROM temp.terms WHERE term >= ? AND term < ? LIMIT ?",
            (beginning, f"{beginning}\uffff", _MOST_TERMS),
        )
        for stem, passages in rows:
            if (far := slips.from_beginning(stem)) is not None:
                found[stem] = (far, -passages, stem)
    return sorted(found, key=lambda stem: found[stem])[:_MOST_STEMS]


def _having(*words: str) -> str:
    """The condition that any of the words is there."""
    return Query("", tuple((word,) for word in words), False).matching()


def _pages(connection: sqlite3.Connection, word: str) -> int:
    (pages,) = connection.execute(
        "SELECT count(DISTINCT page) FROM (SELECT rowid AS id FROM found WHERE found MATCH ? LIMIT ?) "
        "JOIN passages USING (id)",
        (_having(word), _MOST_COUNTED),
    ).fetchone()
    return int(pages)


def _is_there(connection: sqlite3.Connection, matching: str) -> bool:
    return connection.execute("SELECT 1 FROM found WHERE found MATCH ? LIMIT 1", (matching,)).fetchone() is not None
