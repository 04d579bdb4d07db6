"""Entries of a logbook in the full-text index: putting them in, and finding the best by words, time and values."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from graphwright.retrieval import index
from graphwright.retrieval.index import Query, TextIndex
from graphwright.retrieval.logbook import ROLES, Entry, Found, Known, Wanted

SCHEMA = (
    # Subject and text are those of `texts` with its id.
    """CREATE TABLE entries (
        id INTEGER PRIMARY KEY, moment TEXT NOT NULL, author TEXT NOT NULL, category TEXT NOT NULL,
        system TEXT NOT NULL, domain TEXT NOT NULL, reply_to INTEGER, attachments TEXT NOT NULL, url TEXT NOT NULL)""",
    "CREATE INDEX entries_moment ON entries (moment)",
    "CREATE INDEX entries_reply_to ON entries (reply_to)",
    *index.SCHEMA,
)

_MOST_RANKED = 5_000
_HALF_LIFE = timedelta(days=30)
_OLDEST_WEIGHT = 0.6


class EntryIndex:
    """The entries of one SQLite connection that has the tables of `SCHEMA`. Errors of SQLite pass through it.

    Of a part of a logbook, which is not the `whole` one, nothing is told of words that it does not have.
    """

    def __init__(self, connection: sqlite3.Connection, *, whole: bool = True) -> None:
        self._db = connection
        self._whole = whole
        self._texts = TextIndex(connection)

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> EntryIndex:
        """An index in memory over these entries, which are a part of a logbook."""
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        for statement in SCHEMA:
            connection.execute(statement)
        made = cls(connection, whole=False)
        for entry in entries:
            made.put(entry)
        made.settle()
        return made

    def put(self, entry: Entry) -> bool:
        """Add the entry, or replace the one with its id; False where exactly that is there already.

        `settle` follows before the transaction ends.
        """
        (there,) = self.entries([entry.id]) or (None,)
        # Who replies is told by the replies.
        if there == replace(entry, replies=there.replies if there else ()):
            return False
        if there:
            self._texts.remove([entry.id])
            self._db.execute("DELETE FROM entries WHERE id = ?", (entry.id,))
        heading = " · ".join(filter(None, (getattr(entry, role) for role in ROLES)))
        self._texts.add(entry.id, entry.subject, heading, entry.text)
        held = (entry.id, entry.moment.isoformat(timespec="seconds"), entry.author, entry.category, entry.system)
        more = (entry.domain, entry.reply_to, json.dumps(entry.attachments, ensure_ascii=False), entry.url)
        self._db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", held + more)
        return True

    def settle(self) -> None:
        """Write the words of what was put in."""
        self._texts.settle()

    def clear(self) -> None:
        """Take all entries out."""
        self._texts.clear()
        self._db.execute("DELETE FROM entries")

    def known(self) -> Known:
        """The values that occur."""

        def values(role: str) -> tuple[str, ...]:
            return by_frequency(dict(self._db.execute(f"SELECT {role}, count(*) FROM entries GROUP BY {role}")))

        return Known({role: values(role) for role in ROLES}, complete=True)

    def query(self, text: str) -> Query:
        """What a text looks for."""
        return self._texts.query(text)

    def search(self, wanted: Wanted, most: int) -> Found:
        """At most `most` entries that fit; see `Logbook.search`."""
        where, given = self._restrictions(wanted)
        query = self.query(wanted.query)
        if not query.words:
            notes = ["The query has no word to look for: all entries were listed."] if wanted.query.strip() else []
            (total,) = self._db.execute(f"SELECT count(*) FROM entries WHERE {where}", given).fetchone()
            rows = self._db.execute(
                f"SELECT id FROM entries WHERE {where} ORDER BY moment DESC, id DESC LIMIT ?", (*given, most)
            )
            return Found(self.entries([id for (id,) in rows]), total, tuple(notes))
        condition = f"texts.id IN (SELECT id FROM entries WHERE {where})"
        every = [] if query.nowhere else self._texts.ranked(query, _MOST_RANKED, condition, given, every=True)
        ranked = every or self._texts.ranked(query, _MOST_RANKED, condition, given)
        notes = [query.told] if query.told and self._whole else []
        some = bool(ranked) and not every and len(query.words) > 1
        if some:
            notes.append("No entry has all of the words; those that have some of them are given, the best first.")
        if query.nowhere and self._whole:
            notes.append(f"In no entry: {', '.join(query.nowhere)}.")
        if len(ranked) == _MOST_RANKED:
            notes.append(f"More than {_MOST_RANKED:,} entries fit; the rest was not looked at.")
        best = [id for id, _ in self._by_age(ranked)[:most]]
        return Found(self.entries(best), len(ranked), tuple(notes), some)

    def entries(self, ids: Sequence[int]) -> tuple[Entry, ...]:
        """Those of the entries that exist, in the order of the ids."""
        found: list[Entry] = []
        for id in ids:
            row = self._db.execute(
                "SELECT moment, author, category, system, domain, title, text, reply_to, attachments, url "
                "FROM entries JOIN texts USING (id) WHERE id = ?",
                (id,),
            ).fetchone()
            if row is None:
                continue
            replies = self._db.execute("SELECT id FROM entries WHERE reply_to = ? AND id <> ? ORDER BY id", (id, id))
            moment, author, category, system, domain, subject, text, reply_to, attachments, url = row
            written = (author, category, system, domain, subject, text, reply_to)
            answers = tuple(reply for (reply,) in replies)
            names = tuple(json.loads(attachments))
            found.append(Entry(id, datetime.fromisoformat(moment), *written, answers, names, url))
        return tuple(found)

    def close(self) -> None:
        self._db.close()

    def _by_age(self, ranked: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
        """The best first: relevance, of which the oldest keep a part; of what is as good, the newest first."""
        if not ranked:
            return []
        marks = ", ".join("?" * len(ranked))
        rows = self._db.execute(f"SELECT id, moment FROM entries WHERE id IN ({marks})", [id for id, _ in ranked])
        moments = {id: datetime.fromisoformat(moment) for id, moment in rows}
        newest = max(moments.values())

        def score(id: int, relevance: float) -> float:
            age = math.exp2(-((newest - moments[id]) / _HALF_LIFE))
            # In very few entries a word that half of them have counts for nothing: then time alone decides.
            return max(relevance, 1e-6) * (_OLDEST_WEIGHT + (1 - _OLDEST_WEIGHT) * age)

        scored = [(id, score(id, relevance)) for id, relevance in ranked]
        return sorted(scored, key=lambda each: (each[1], moments[each[0]], each[0]), reverse=True)

    def _restrictions(self, wanted: Wanted) -> tuple[str, tuple[str, ...]]:
        parts, given = ["1"], list[str]()
        if wanted.since is not None:
            parts.append("moment >= ?")
            given.append(wanted.since.isoformat())
        if wanted.until is not None:
            parts.append("moment <= ?")
            given.append(f"{wanted.until.isoformat()}T23:59:59")
        for role, value in wanted.values.items():
            # Which texts hold the value is looked up once, not for every entry.
            written = [text for (text,) in self._db.execute(f"SELECT DISTINCT {role} FROM entries")]
            parts.append(f"entries.{role} IN (SELECT value FROM json_each(?))")
            given.append(json.dumps([text for text in written if fits(role, value, text)]))
        return " AND ".join(parts), tuple(given)


def fits(role: str, value: str, text: str) -> bool:
    """Whether an attribute of a role has a value, case apart; of an author a part of the name will do."""
    parts, wanted = [part.casefold() for part in parts_of(text)], value.casefold()
    return any(wanted in part for part in parts) if role == "author" else wanted in parts


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
