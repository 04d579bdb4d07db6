"""German compounds, told by the words that the documents have: `Vakuumpumpe` has to do with `Vakuum` and `Pumpe`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from graphwright.knowledge.words import german_stem
from graphwright.text.folding import fold

_PART = 4
"""Letters that a part has at least, as the words of the index have."""

_LONE_PART = 5
"""The same, where the rest of the word is not known."""

_JOINTS = ("", "s", "n", "en", "es", "er", "e")
_MOST_LONGER = 10
_MOST_LOOKED_AT = 200


def related(connection: sqlite3.Connection, stem: str) -> list[str]:
    """The stems of the parts of a compound, and the stems of the compounds that end in the word.

    Nothing but words of the index is ever given, and a compound is one only where all of its parts are such words; of
    a word that the index does not have, one known part will do.
    """
    if len(stem) < _PART:
        return []
    parts = _parts(connection, stem)
    if not parts and not _known(connection, (stem,)):
        parts = _ends(connection, stem)
    return list(dict.fromkeys((*parts, *_longer(connection, stem))))


def is_compound(connection: sqlite3.Connection, word: str) -> bool:
    """Whether a word is made of words of the index, all of it."""
    whole, stem = fold(word), german_stem(word)
    # A part that is short alone keeps endings that the whole word loses: `Kanne` in `Wasserkanne`.
    return any(_parts(connection, whole[:end]) for end in range(len(stem), len(whole) + 1))


def _parts(connection: sqlite3.Connection, stem: str, depth: int = 0) -> list[str]:
    splits = []
    for place in range(_PART, len(stem) - _PART + 1):
        tail = stem[place:]
        heads = _heads(stem[:place])
        known = _known(connection, (tail, *heads))
        head = next((each for each in heads if each in known), "")
        if tail in known and head:
            splits.append((min(len(head), len(tail)), [head, tail]))
        elif tail in known and depth == 0 and (inner := _parts(connection, heads[0], 1)):
            splits.append((0, [*inner, tail]))
    return max(splits)[1] if splits else []


def _ends(connection: sqlite3.Connection, stem: str) -> list[str]:
    """The longest known word that the stem begins or ends with."""
    places = range(_LONE_PART, len(stem) - _PART + 1)
    ends = {end for place in places for end in (stem[-place:], *_heads(stem[:place]))}
    return sorted(_known(connection, ends), key=lambda end: (-len(end), end))[:1]


def _longer(connection: sqlite3.Connection, stem: str) -> list[str]:
    backwards = stem[::-1]
    rows = connection.execute(
        "SELECT word FROM words WHERE reversed > ? AND reversed < ? ORDER BY length(word), word LIMIT ?",
        (backwards, f"{backwards}\uffff", _MOST_LOOKED_AT),
    ).fetchall()
    found = [word for (word,) in rows if len(word) - len(stem) >= _PART]
    heads = {word: _heads(word[: -len(stem)]) for word in found}
    known = _known(connection, {head for each in heads.values() for head in each})
    return [word for word in found if known.intersection(heads[word])][:_MOST_LONGER]


def _heads(part: str) -> list[str]:
    """What the first part of a compound may be called alone, without what joins it to the next."""
    return [
        part[: len(part) - len(joint)]
        for joint in _JOINTS
        if part.endswith(joint) and len(part) - len(joint) >= _PART
    ]  # fmt: skip


def _known(connection: sqlite3.Connection, words: Iterable[str]) -> set[str]:
    asked = list(words)
    marks = ", ".join("?" * len(asked))
    return {word for (word,) in connection.execute(f"SELECT word FROM words WHERE word IN ({marks})", asked)}
