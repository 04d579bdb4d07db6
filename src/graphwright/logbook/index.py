"""Entries in SQLite with a full-text index: putting them in, and finding the best by words, time and values."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from graphwright.logbook.port import Entry, Found, Known, Wanted
from graphwright.logbook.spelling import corrected
from graphwright.logbook.terms import Term, either, terms_of
from graphwright.logbook.words import same_meaning
from graphwright.text.slips import told

SCHEMA = (
    # An entry has either a moment or, in the sample, days before today and a time of day.
    """CREATE TABLE entries (
        id INTEGER PRIMARY KEY, moment TEXT, days_ago INTEGER, time TEXT,
        author TEXT NOT NULL, category TEXT NOT NULL, system TEXT NOT NULL, subject TEXT NOT NULL, text TEXT NOT NULL,
        reply_to INTEGER, language TEXT NOT NULL, attachments TEXT NOT NULL, url TEXT NOT NULL,
        CHECK (moment IS NOT NULL OR (days_ago IS NOT NULL AND time IS NOT NULL)))""",
    "CREATE INDEX entries_moment ON entries (moment)",
    "CREATE INDEX entries_reply_to ON entries (reply_to)",
    *(f"CREATE INDEX entries_{column} ON entries ({column})" for column in ("category", "system", "author")),
    """CREATE VIRTUAL TABLE words USING fts5 (subject, text, author, category, system,
        content='entries', content_rowid='id', tokenize='unicode61 remove_diacritics 2')""",
    """CREATE TRIGGER entries_in AFTER INSERT ON entries BEGIN
        INSERT INTO words (rowid, subject, text, author, category, system)
        VALUES (new.id, new.subject, new.text, new.author, new.category, new.system); END""",
    """CREATE TRIGGER entries_out AFTER DELETE ON entries BEGIN
        INSERT INTO words (words, rowid, subject, text, author, category, system)
        VALUES ('delete', old.id, old.subject, old.text, old.author, old.category, old.system); END""",
)

# How much a word in the subject, the text, the author, the category and the system counts.
_WEIGHTS = "4.0, 1.0, 1.0, 1.0, 1.0"
_MOST_RANKED = 5_000
_HALF_LIFE = timedelta(days=30)
_OLDEST_WEIGHT = 0.6
_COLUMNS = ("author", "category", "system", "subject", "text", "reply_to", "language", "url")


class Index:
    """The entries of one SQLite connection that has the tables of `SCHEMA`. Errors of SQLite pass through it.

    `now` is the wall clock: days before today count from it, and entries of theirs that lie after it do not exist yet.
    In a `whole` logbook a word that no entry has may be a misspelt one; in a part of one it may stand elsewhere.
    """

    def __init__(self, connection: sqlite3.Connection, *, whole: bool = True) -> None:
        self._db = connection
        self._whole = whole

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Index:
        """An index in memory over these entries, which are a part of a logbook."""
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        for statement in SCHEMA:
            connection.execute(statement)
        index = cls(connection, whole=False)
        for entry in entries:
            index.put(entry)
        return index

    def put(self, entry: Entry, days_ago: int | None = None) -> bool:
        """Add the entry, or replace the one with its id; False where exactly that is there already.

        With `days_ago`, of its moment only the time of day is kept.
        """
        row = {
            "id": entry.id,
            "moment": entry.moment.isoformat(timespec="seconds") if days_ago is None else None,
            "days_ago": days_ago,
            "time": None if days_ago is None else entry.moment.strftime("%H:%M:%S"),
            **{name: getattr(entry, name) for name in _COLUMNS},
            "attachments": json.dumps(entry.attachments, ensure_ascii=False),
        }
        names = ", ".join(row)
        there = self._db.execute(f"SELECT {names} FROM entries WHERE id = ?", (entry.id,)).fetchone()
        if there == tuple(row.values()):
            return False
        # Not INSERT OR REPLACE: that would not tell the full-text index what goes.
        self._db.execute("DELETE FROM entries WHERE id = ?", (entry.id,))
        marks = ", ".join(f":{name}" for name in row)
        self._db.execute(f"INSERT INTO entries ({names}) VALUES ({marks})", row)
        return True

    def known(self, now: datetime) -> tuple[Known, int]:
        """The values that occur, and how many entries there are."""
        happened, given = self._happened(now)
        count = self._db.execute(f"SELECT count(*) FROM entries WHERE {happened}", given).fetchone()[0]

        def values(column: str) -> tuple[str, ...]:
            rows = self._db.execute(f"SELECT {column}, count(*) FROM entries WHERE {happened} GROUP BY {column}", given)
            return by_frequency(dict(rows.fetchall()))

        return Known(values("category"), values("system"), values("author"), complete=True), count

    def search(self, wanted: Wanted, most: int, now: datetime) -> Found:
        """At most `most` entries that fit; see `Logbook.search`."""
        where, given = self._restrictions(wanted, now)
        terms = terms_of(wanted.query)
        if not terms:
            notes = ["The query has no word to look for: all entries were listed."] if wanted.query.strip() else []
            total = self._db.execute(f"SELECT count(*) FROM entries WHERE {where}", given).fetchone()[0]
            order = f"ORDER BY {self._moment()} DESC, id DESC LIMIT :most"
            rows = self._db.execute(f"SELECT id FROM entries WHERE {where} {order}", {**given, "most": most})
            return Found(self._entries([id for (id,) in rows], now), total, tuple(notes))
        notes = []
        if self._whole:
            terms, taken = corrected(self._db, terms, *self._happened(now))
            notes += [told(taken)] if taken else []
        ids, widened = self._by_words(terms, where, given)
        notes += widened
        if len(ids) == _MOST_RANKED:
            notes.append(f"More than {_MOST_RANKED:,} entries fit; the rest was not looked at.")
        return Found(self._entries(ids[:most], now), len(ids), tuple(notes))

    def entries(self, ids: Sequence[int], now: datetime) -> tuple[Entry, ...]:
        """Those of the entries that exist, in the order of the ids."""
        return self._entries(ids, now)

    def close(self) -> None:
        self._db.close()

    def _by_words(
        self, terms: tuple[Term, ...], where: str, given: Mapping[str, Any]
    ) -> tuple[list[int], tuple[str, ...]]:
        """All that fits, the best first: with every word, else others of their meaning, else with some of them."""
        if ids := self._ranked(" AND ".join(term.match for term in terms), where, given):
            return ids, ()
        meanings = {term: same_meaning(term.shown) for term in terms}
        if any(meanings.values()):
            widened = " AND ".join(either((term,), meanings[term]) for term in terms)
            if ids := self._ranked(widened, where, given):
                others = " and ".join(repr(term.shown) for term, words in meanings.items() if words)
                return ids, (f"No entry has these words; other words for {others}, English and German, were taken.",)
        if len(terms) > 1 and (ids := self._with_most(terms, where, given)):
            missing = [term.shown for term in terms if not self._ranked(term.match, where, given)]
            nowhere = f" In none is: {', '.join(missing)}." if missing else ""
            return ids, (f"No entry has all of the words; these have the most of them.{nowhere}",)
        if ids := self._inside(terms, where, given):
            return ids, ("No entry has the words by themselves; these have them inside of longer words.",)
        return [], ()

    def _ranked(self, match: str, where: str, given: Mapping[str, Any]) -> list[int]:
        return [id for id, _ in self._scored(match, where, given)]

    def _scored(self, match: str, where: str, given: Mapping[str, Any]) -> list[tuple[int, float]]:
        """Ids and scores, the best first: relevance, of which the oldest keep a part."""
        rows = self._db.execute(
            f"""SELECT entries.id, -bm25(words, {_WEIGHTS}) AS relevance, {self._moment()}
                FROM words JOIN entries ON entries.id = words.rowid
                WHERE words MATCH :match AND {where} ORDER BY relevance DESC LIMIT :ranked""",
            {**given, "match": match, "ranked": _MOST_RANKED},
        ).fetchall()
        if not rows:
            return []
        moments = {id: datetime.fromisoformat(moment) for id, _, moment in rows}
        newest = max(moments.values())

        def score(id: int, relevance: float) -> float:
            age = math.exp2(-((newest - moments[id]) / _HALF_LIFE))
            # In very few entries a word that half of them have counts for nothing: then time alone decides.
            return max(relevance, 1e-6) * (_OLDEST_WEIGHT + (1 - _OLDEST_WEIGHT) * age)

        scored = [(id, score(id, relevance)) for id, relevance, _ in rows]
        return sorted(scored, key=lambda each: (each[1], moments[each[0]], each[0]), reverse=True)

    def _with_most(self, terms: tuple[Term, ...], where: str, given: Mapping[str, Any]) -> list[int]:
        """Those that have at least half of the words, those with more of them first; else those with one."""
        held: Counter[int] = Counter()
        scores: dict[int, float] = {}
        for term in terms:
            for id, score in self._scored(term.match, where, given):
                held[id] += 1
                scores[id] = scores.get(id, 0.0) + score
        if not held:
            return []
        least = min(max(held.values()), math.ceil(len(terms) / 2))
        return sorted((id for id in held if held[id] >= least), key=lambda id: (held[id], scores[id], id), reverse=True)

    def _inside(self, terms: tuple[Term, ...], where: str, given: Mapping[str, Any]) -> list[int]:
        stems = {f"inside{i}": f"%{_literal(term.stem)}%" for i, term in enumerate(terms) if len(term.stem) >= 4}
        if not stems:
            return []
        text = "subject || ' ' || text"
        like = " AND ".join(f"{text} LIKE :{name} ESCAPE '\\'" for name in stems)
        rows = self._db.execute(
            f"SELECT id FROM entries WHERE {like} AND {where} ORDER BY {self._moment()} DESC, id DESC LIMIT :ranked",
            {**given, **stems, "ranked": _MOST_RANKED},
        )
        return [id for (id,) in rows]

    def _restrictions(self, wanted: Wanted, now: datetime) -> tuple[str, dict[str, Any]]:
        happened, given = self._happened(now)
        parts = [happened]
        if wanted.since is not None:
            parts.append(f"{self._moment()} >= :since")
            given["since"] = wanted.since.isoformat()
        if wanted.until is not None:
            parts.append(f"{self._moment()} <= :until")
            given["until"] = f"{wanted.until.isoformat()}T23:59:59"
        for column, values in (("category", wanted.categories), ("system", wanted.systems), ("author", wanted.authors)):
            if values:
                # Which texts hold one of the values is looked up once, not for every entry.
                wanted_parts = {value.casefold() for value in values}
                written = [text for (text,) in self._db.execute(f"SELECT DISTINCT {column} FROM entries")]
                fits = [text for text in written if wanted_parts & {part.casefold() for part in parts_of(text)}]
                parts.append(f"entries.{column} IN (SELECT value FROM json_each(:{column}))")
                given[column] = json.dumps(fits)
        return " AND ".join(parts), given

    def _happened(self, now: datetime) -> tuple[str, dict[str, Any]]:
        given = {"today": now.date().isoformat(), "now": now.isoformat(timespec="seconds")}
        return f"({self._moment()} <= :now OR moment IS NOT NULL)" if self._relative() else "1", given

    def _relative(self) -> bool:
        """Whether there are entries that count from today: without them the index over moments serves."""
        return self._db.execute("SELECT 1 FROM entries WHERE moment IS NULL LIMIT 1").fetchone() is not None

    def _moment(self) -> str:
        if not self._relative():
            return "moment"
        return "coalesce(moment, date(:today, '-' || days_ago || ' days') || 'T' || entries.time)"

    def _entries(self, ids: Sequence[int], now: datetime) -> tuple[Entry, ...]:
        happened, given = self._happened(now)
        found: list[Entry] = []
        for id in ids:
            given["id"] = id
            row = self._db.execute(
                f"""SELECT {self._moment()}, attachments, {", ".join(_COLUMNS)}
                    FROM entries WHERE id = :id AND {happened}""",
                given,
            ).fetchone()
            if row is None:
                continue
            replies = self._db.execute(
                f"SELECT id FROM entries WHERE reply_to = :id AND id <> :id AND {happened} ORDER BY id", given
            )
            found.append(
                Entry(
                    id=id,
                    moment=datetime.fromisoformat(row[0]),
                    attachments=tuple(json.loads(row[1])),
                    replies=tuple(reply for (reply,) in replies),
                    **dict(zip(_COLUMNS, row[2:], strict=True)),
                )
            )
        return tuple(found)


def parts_of(value: str) -> list[str]:
    """The values in an attribute that may hold several, as ELOG writes them: `RF | Vacuum`."""
    return [part for part in (piece.strip() for piece in value.split("|")) if part]


def by_frequency(times: Mapping[str, int]) -> tuple[str, ...]:
    """The values in attributes that occur so many times: each once, the most frequent first."""
    counts: Counter[str] = Counter()
    for value, count in times.items():
        for part in parts_of(value):
            counts[part] += count
    return tuple(sorted(counts, key=lambda value: (-counts[value], value)))


def _literal(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
