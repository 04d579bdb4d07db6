"""Full-text search by SQLite's FTS5: an index in a database, and a ranking of given texts.

It is independent of the language. SQLite's FTS5 splits texts into words and ranks them by BM25, with more weight for
titles and headings. A word of a query also matches compounds in the index that contain it, and its own parts, with less
weight. A word that no text has is replaced by a spelling that differs in one or two letters (rapidfuzz), with a note.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from graphwright.text.folding import folded, words_of

__all__ = ["SCHEMA", "MOST_QUERY", "Query", "ranked_texts", "TextIndex", "phrase", "any_of"]

SCHEMA = (
    # `digest` identifies a text with title and heading. Vectors are stored by it, independent of the number.
    "CREATE TABLE texts (id INTEGER PRIMARY KEY, title TEXT NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL, "
    "digest BLOB NOT NULL)",
    "CREATE INDEX texts_by_digest ON texts (digest)",
    "CREATE TABLE vectors (model TEXT, digest BLOB, vector BLOB NOT NULL, PRIMARY KEY (model, digest)) WITHOUT ROWID",
    """CREATE VIRTUAL TABLE found USING fts5 (title, heading, text,
        content='texts', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2')""",
    # A title is more significant than the words of a text.
    "INSERT INTO found(found, rank) VALUES ('rank', 'bm25(8.0, 4.0, 1.0)')",
    """CREATE TRIGGER texts_in AFTER INSERT ON texts BEGIN
        INSERT INTO found (rowid, title, heading, text) VALUES (new.id, new.title, new.heading, new.text); END""",
    """CREATE TRIGGER texts_out AFTER DELETE ON texts BEGIN
        INSERT INTO found (found, rowid, title, heading, text)
        VALUES ('delete', old.id, old.title, old.heading, old.text); END""",
    # Every word that a text ever had, and in how many texts it was; for '' the number of all texts.
    "CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, texts INTEGER NOT NULL)",
    "CREATE VIRTUAL TABLE near USING fts5 (word, content='words', content_rowid='id', tokenize='trigram')",
    """CREATE TRIGGER words_in AFTER INSERT ON words BEGIN
        INSERT INTO near (rowid, word) VALUES (new.id, new.word); END""",
)
"""The tables. They are created in an empty database, or next to other tables."""

MOST_QUERY = 1_000
"""The maximum length of a query, in characters."""

_WORD = re.compile(r"[^\W_]+")
_BEFORE = re.compile(r"([^\W\d_])[^\W\d_]*\.?[ ]$")  # the first letter of the word before
_LONGEST_WORD, _MOST_WORDS = 64, 32
_SHORTEST, _PART = 4, 0.4  # letters of a part of a word, and its minimum proportion of the whole
_LEAST_REST = 3  # letters before a part at the end: rust does not match trust
_SLIPS = (6, 8)  # letters of a word that may be written with one slip, and with two
_COMMON = 0.25  # the proportion of all texts from which on a word is not significant
_MOST_NEAR, _MOST_TAKEN = 6, 2
_NEAR_COUNTS = 0.4
_SHORTEST_COMPOUND = 6  # letters of a compound, or a part of one, that is also searched for a missing word


@dataclass(frozen=True, slots=True)
class Query:
    """A query as folded words; `written` are those that are not common, with their accents.

    No text has the `missing` words; `taken` has the nearest spellings for some of them. `near` has compounds and parts
    of a word. `common` words are in too many texts to be searched. `forms` are words as written in the query or a text.
    """

    words: tuple[str, ...]
    written: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]
    taken: Mapping[str, tuple[str, ...]]
    near: Mapping[str, tuple[str, ...]]
    common: frozenset[str]
    forms: Mapping[str, str]
    cut: bool

    @property
    def nowhere(self) -> tuple[str, ...]:
        """The words that no text has, and that have no replacement."""
        return tuple(word for word in self.missing if word not in self.taken)

    def notes(self, what: str) -> list[str]:
        """Sentences about the search for people; `what` is the kind of the texts."""
        named = [(" and ".join(map(self._form, words)), self._form(word)) for word, words in self.taken.items()]
        instead = "; ".join(f"{other} instead of {word}" for other, word in named)
        cut = f"The query is too long: only its first words were used (of {MOST_QUERY:,} characters)."
        notes = [cut] if self.cut else []
        notes += [f"Searched for {instead}."] if instead else []
        return notes + ([f"Not in any {what}: {', '.join(map(self._form, self.nowhere))}."] if self.nowhere else [])

    def _form(self, word: str) -> str:
        return self.forms.get(word, word)


def ranked_texts(texts: Sequence[str], query: str) -> list[int]:
    """The places of the texts that share words with a query, the best first (BM25)."""
    words = dict.fromkeys(words_of(query[:MOST_QUERY]))
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'unicode61 remove_diacritics 2')")
        database.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", enumerate(texts))
        match = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank"
        rows = database.execute(match, (any_of(map(phrase, words)),)) if words else ()
        return [place for (place,) in rows]


class TextIndex:
    """The texts of one SQLite connection that has the tables of `SCHEMA`. Raises the errors of SQLite."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._counted: Counter[str] = Counter()
        self._known: set[str] = set()

    def add(self, id: int, title: str, heading: str, text: str) -> None:
        """Add a text under a new number. Call `settle` before the end of the transaction."""
        digest = hashlib.sha256("\0".join((title, heading, text)).encode()).digest()[:16]
        self._db.execute("INSERT INTO texts VALUES (?, ?, ?, ?, ?)", (id, title, heading, text, digest))
        words = {"", *words_of(f"{title} {heading} {text}")}
        self._db.executemany(
            "INSERT OR IGNORE INTO words (word, texts) VALUES (?, 0)", ((word,) for word in words - self._known)
        )
        self._known |= words
        self._counted.update(words)

    def remove(self, ids: Iterable[int]) -> None:
        """Remove texts. Their words stay known."""
        gone = [(id,) for id in ids]
        self._db.executemany("DELETE FROM texts WHERE id = ?", gone)
        self._db.execute("UPDATE words SET texts = texts - ? WHERE word = ''", (len(gone),))

    def update_statistics(self) -> None:
        """Store in how many texts the words are. Without it, words of added texts are not recognised as common."""
        counts = [(count, word) for word, count in self._counted.items()]
        self._db.executemany("UPDATE words SET texts = texts + ? WHERE word = ?", counts)
        self._counted.clear()

    def query(self, text: str) -> Query:
        """The query in a text. Any text is valid: it is not read as FTS5's query language."""
        whole = text[:MOST_QUERY].replace("\0", " ").encode("utf-8", "replace").decode()
        all_words = [word[:_LONGEST_WORD] for word in words_of(whole)]
        words = tuple(dict.fromkeys(all_words))[:_MOST_WORDS]
        missing = tuple(word for word in words if not self._is_there(word))
        there = [word for word in words if word not in missing]
        common = self._common(there)
        telling = (word for word in words if word not in common)
        forms = {folded(word)[:_LONGEST_WORD]: word for word in _WORD.findall(whole)}
        taken = {
            word: others
            for word in missing
            if (others := self._taken(word, names=not there or not forms.get(word, word).islower()))
        }
        return Query(
            words=words,
            written=tuple(dict.fromkeys(word for word in _WORD.findall(whole.lower()) if folded(word) not in common)),
            pairs=tuple(dict.fromkeys(pair for pair in pairwise(all_words[:_MOST_WORDS]) if pair[0] != pair[1])),
            missing=missing,
            taken=taken,
            near={word: near for word in telling if word not in taken and (near := self._near(word, word in missing))},
            common=common,
            forms={**{other: self._written(other) for others in taken.values() for other in others}, **forms},
            cut=len(text) > MOST_QUERY or len(words) > _MOST_WORDS,
        )

    def ranked(
        self, query: Query, most: int, condition: str = "", values: Sequence[str | int] = (), *, every: bool = False
    ) -> list[tuple[int, float]]:
        """The numbers of the best matching texts, and their scores; with `every`, only those that have all the words.

        `condition` is SQL over `texts.id`, with `values` for its question marks.
        """
        words = [word for word in query.words if word not in query.common and word not in query.nowhere]
        if not words and (every or not query.near):
            return []
        meant = {word: query.taken.get(word, (word,)) for word in words}
        if every:
            groups = (f"({any_of(map(phrase, (*meant[word], *query.near.get(word, ()))))})" for word in words)
            return self._scored(" AND ".join(groups), most, condition, values)
        pairs = [pair for pair in query.pairs if set(pair) <= set(words) - set(query.missing)]
        exact = [phrase(each) for word in words for each in meant[word]] + [phrase(*pair) for pair in pairs]
        scores = dict(self._scored(any_of(exact), most, condition, values)) if exact else {}
        others = [phrase(each) for near in query.near.values() for each in near]
        if others:
            for id, score in self._scored(any_of(others), most, condition, values):
                scores[id] = scores.get(id, 0.0) + _NEAR_COUNTS * score
        return sorted(scores.items(), key=lambda each: -each[1])[:most]

    def _scored(self, match: str, most: int, condition: str, values: Sequence[str | int]) -> list[tuple[int, float]]:
        # With a plain `found.rowid` SQLite would run the full-text match again for each row of the condition.
        where = f" AND {condition.replace('texts.id', '+found.rowid')}" if condition else ""
        return self._db.execute(
            f"SELECT rowid, -rank FROM found WHERE found MATCH ?{where} ORDER BY rank LIMIT ?", (match, *values, most)
        ).fetchall()

    def _is_there(self, word: str) -> bool:
        return bool(self._db.execute("SELECT 1 FROM found WHERE found MATCH ? LIMIT 1", (phrase(word),)).fetchone())

    def _common(self, words: Sequence[str]) -> frozenset[str]:
        """The words that are not significant, or none if that would be all."""
        rows = self._db.execute(
            "SELECT word FROM words WHERE word IN (SELECT value FROM json_each(?)) "
            "AND texts > ? * (SELECT texts FROM words WHERE word = '')",
            (json.dumps(words), _COMMON),
        )
        common = frozenset(word for (word,) in rows)
        return common if len(common) < len(words) else frozenset()

    def _taken(self, word: str, *, names: bool) -> tuple[str, ...]:
        """Return the replacements of a word that no text has: words with its first letter and one or two slips.

        Without `names`, the name of a person is not a replacement for a word: Winther for winter.
        """
        slips = sum(len(word) >= letters for letters in _SLIPS)
        if not slips or not word.isalpha():
            return ()
        others = self._words("word >= ? AND word < ?", word[0], f"{word[0]}\uffff")
        alike = process.extract(word, others, scorer=OSA.distance, score_cutoff=slips, limit=_MOST_TAKEN)
        found = filter(self._is_there, (other for other, distance, _ in alike if distance == alike[0][1]))
        return tuple(other for other in found if names or not self._is_name(other))

    def _is_name(self, word: str) -> bool:
        """Whether the first text with a word writes it with a capital, each time after another such word."""
        row = self._db.execute("SELECT title, heading, text FROM found WHERE found MATCH ? LIMIT 1", (phrase(word),))
        parts = row.fetchone() or ()
        forms = [each for part in parts for each in _WORD.finditer(part) if folded(each[0]) == word]
        before = [_BEFORE.search(each.string, 0, each.start()) for each in forms]
        return all(e[0][0].isupper() and b and b[1].isupper() for e, b in zip(forms, before, strict=True)) and bool(
            forms
        )

    def _near(self, word: str, is_missing: bool) -> tuple[str, ...]:
        """Return compounds and parts of a word; only long ones if no text has it ("voltage" does not match "Tage")."""
        near = self._like(word)
        return tuple(other for other in near if not is_missing or min(len(other), len(word)) >= _SHORTEST_COMPOUND)

    def _written(self, word: str) -> str:
        """Return a folded word in the spelling of a text that has it."""
        row = self._db.execute("SELECT title, heading, text FROM found WHERE found MATCH ? LIMIT 1", (phrase(word),))
        forms = (each for part in row.fetchone() or () for each in _WORD.findall(part))
        return next((each for each in forms if folded(each) == word), word)

    def _like(self, word: str) -> tuple[str, ...]:
        """Words that a word begins or ends with, and words that begin or end with it, the nearest first."""
        if len(word) < _SHORTEST or not word.isalpha():
            return ()

        def is_part(short: str, long: str) -> bool:
            is_end = long.endswith(short) and len(long) - len(short) >= _LEAST_REST
            return short != long and (is_end or long.startswith(short)) and len(short) >= _PART * len(long)

        parts = [part for end in range(_SHORTEST, len(word)) for part in (word[:end], word[-end:])]
        others = {
            *self._words("word IN (SELECT value FROM json_each(?))", json.dumps(parts)),
            *self._words("id IN (SELECT rowid FROM near WHERE near MATCH ?)", phrase(word)),
        }
        near = [other for other in others if is_part(other, word) or is_part(word, other)]
        near.sort(key=lambda other: (-fuzz.ratio(word, other), other))
        return tuple(filter(self._is_there, near[:_MOST_NEAR]))

    def _words(self, condition: str, *values: str) -> list[str]:
        rows = self._db.execute(f"SELECT word FROM words WHERE {condition}", values)
        return [other for (other,) in rows if len(other) >= _SHORTEST and other.isalpha()]


def phrase(*words: str) -> str:
    """The condition that the words occur one after another."""
    return '"{}"'.format(" ".join(words).replace('"', '""'))


def any_of(conditions: Iterable[str]) -> str:
    """The condition that any of the conditions is true, without duplicates."""
    return " OR ".join(dict.fromkeys(conditions))
