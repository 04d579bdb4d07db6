"""Log entries in the full-text index, and the built-in logbook, which is stored in such an index.

The built-in logbook is a SQLite file next to the index of documents. They are separate because the index may be
deleted, but the file has the only copy of the entries. Until the user imports entries, it shows the sample shifts.
"""

from __future__ import annotations

import asyncio
import json
import math
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from graphwright.store.sqlite_files import connected, explained, transaction
from graphwright.text import full_text
from graphwright.text.full_text import TextIndex
from graphwright_assistant.retrieval._embedding import Embedder, Vector, VectorIndex, fused
from graphwright_assistant.retrieval._entry_files import read_file
from graphwright_assistant.retrieval._errors import LogbookError
from graphwright_assistant.retrieval._logbook import (
    ROLES,
    Clock,
    Entry,
    LogbookValues,
    SearchFilter,
    SearchResult,
    by_frequency,
    fits,
    gather,
)

T = TypeVar("T")

FILE = "logbook.db"
SAMPLE = Path(__file__).parent / "sample" / "entries.jsonl"
SAMPLE_ADDRESS = "https://elog.nordlicht.example/Operation/"

_SCHEMA = (
    # Subject and text are in the row of `texts` with the same id.
    """CREATE TABLE entries (
        id INTEGER PRIMARY KEY, moment TEXT NOT NULL, author TEXT NOT NULL, category TEXT NOT NULL,
        system TEXT NOT NULL, domain TEXT NOT NULL, reply_to INTEGER, attachments TEXT NOT NULL, url TEXT NOT NULL)""",
    "CREATE INDEX entries_moment ON entries (moment)",
    "CREATE INDEX entries_reply_to ON entries (reply_to)",
    *full_text.SCHEMA,
)
_VERSION = 3
_MOST_RANKED = 5_000
_HALF_LIFE = timedelta(days=30)
_OLDEST_WEIGHT = 0.6
_EMBEDDING = 10.0
"""The time limit for embedding new entries before a search, in seconds."""


class EntryIndex(TextIndex):
    """The entries of one SQLite connection that has the tables. Raises the errors of SQLite.

    If it is not the `whole` logbook, it reports nothing about words that it does not have.
    """

    def __init__(self, connection: sqlite3.Connection, vectors: VectorIndex, *, whole: bool = True) -> None:
        super().__init__(connection)
        self._vectors = vectors
        self._whole = whole
        self._known_values: tuple[object, LogbookValues] = None, LogbookValues({}, complete=True)

    @classmethod
    def of(cls, entries: Iterable[Entry], *, whole: bool = False) -> EntryIndex:
        """Make an index in memory over these entries."""
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        for statement in _SCHEMA:
            connection.execute(statement)
        made = cls(connection, VectorIndex(None), whole=whole)
        for entry in entries:
            made.put(entry)
        made.update_statistics()
        return made

    def put(self, entry: Entry) -> bool:
        """Add the entry, or replace the one with its id. Returns False if the same entry already exists.

        Call `settle` before the end of the transaction.
        """
        (there,) = self.entries([entry.id]) or (None,)
        # Replies are stored with the replying entries.
        if there == replace(entry, replies=there.replies if there else ()):
            return False
        if there:
            self.remove([entry.id])
            self._db.execute("DELETE FROM entries WHERE id = ?", (entry.id,))
        heading = " · ".join(filter(None, (getattr(entry, role) for role in ROLES)))
        self.add(entry.id, entry.subject, heading, entry.text)
        row = [entry.id, entry.moment.isoformat(timespec="seconds"), entry.author, entry.category, entry.system]
        row += [entry.domain, entry.reply_to, json.dumps(entry.attachments), entry.url]
        self._db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        return True

    def values(self) -> LogbookValues:
        """The values that occur in the entries."""
        # SQLite reports whether anything was written since, by others and over this connection.
        stamp = *self._db.execute("PRAGMA data_version").fetchone(), self._db.total_changes
        if self._known_values[0] != stamp:
            counts = {role: self._db.execute(f"SELECT {role}, count(*) FROM entries GROUP BY 1") for role in ROLES}
            known = LogbookValues({role: by_frequency(dict(rows)) for role, rows in counts.items()}, complete=True)
            self._known_values = stamp, known
        return self._known_values[1]

    def search(
        self, wanted: SearchFilter, most: int, vector: Vector | None = None, notes: Sequence[str] = ()
    ) -> SearchResult:
        """At most `most` matching entries; see `Logbook.search`. `vector` is the vector of the query."""
        where, given = self._restrictions(wanted)
        query = self.query(wanted.query)
        if not query.words:
            (total,) = self._db.execute(f"SELECT count(*) FROM entries WHERE {where}", given).fetchone()
            rows = self._db.execute(
                f"SELECT id FROM entries WHERE {where} ORDER BY moment DESC, id DESC LIMIT ?", (*given, most)
            )
            all_of_them = "The query has no word to look for: all entries were listed."
            return SearchResult(
                self.entries([id for (id,) in rows]), total, (all_of_them,) if wanted.query.strip() else ()
            )
        condition, told = f"texts.id IN (SELECT id FROM entries WHERE {where})", list(notes)
        every = [] if query.nowhere else self.ranked(query, _MOST_RANKED, condition, given, every=True)
        ranked = every or self.ranked(query, _MOST_RANKED, condition, given)
        near = self._vectors.ranked(vector, self._db, told, most, condition, given)
        some = bool(ranked) and not every and len(query.words) > 1
        if some:
            told.append("No entry has all of the words; those that have some of them are given, the best first.")
        elif near and not ranked:
            told.append("No entry has these words; those nearest in meaning are given.")
        if len(ranked) == _MOST_RANKED:
            told.append(f"More than {_MOST_RANKED:,} entries fit; the rest was not looked at.")
        best = fused(self._by_age(ranked), self._by_age(near))
        told += query.notes("entry") if self._whole else []
        return SearchResult(self.entries(best[:most]), len(best), tuple(told), some)

    def entries(self, ids: Sequence[int]) -> tuple[Entry, ...]:
        """The existing entries among the ids, in the order of the ids."""
        # The columns are in the order of the fields of an entry.
        rows = self._db.execute(
            "SELECT each.id, moment, author, category, system, domain, title, text, reply_to, "
            "(SELECT json_group_array(id) FROM (SELECT id FROM entries WHERE reply_to = each.id AND id <> each.id "
            "ORDER BY id)), attachments, url FROM json_each(?) AS wanted "
            "JOIN entries AS each ON each.id = wanted.value JOIN texts ON texts.id = each.id "
            "ORDER BY wanted.key",
            (json.dumps(ids),),
        )
        found = []
        for values in map(list[Any], rows):
            values[1] = datetime.fromisoformat(values[1])
            values[9:11] = (tuple(json.loads(each)) for each in values[9:11])
            found.append(Entry(*values))
        return tuple(found)

    def _by_age(self, ranked: Sequence[tuple[int, float]]) -> list[int]:
        """The ids by relevance, reduced for older entries; equally good ones by age, the newest first."""
        ids = json.dumps([id for id, _ in ranked])
        rows = self._db.execute("SELECT id, moment FROM entries WHERE id IN (SELECT value FROM json_each(?))", (ids,))
        moments = {id: datetime.fromisoformat(moment) for id, moment in rows}
        newest = max(moments.values(), default=datetime.min)

        def score(id: int, relevance: float) -> float:
            age = math.exp2(-((newest - moments[id]) / _HALF_LIFE))
            # In very few entries a word that half of them have counts for nothing: then only the time decides.
            return max(relevance, 1e-6) * (_OLDEST_WEIGHT + (1 - _OLDEST_WEIGHT) * age)

        scored = [(score(id, relevance), moments[id], id) for id, relevance in ranked]
        return [id for _, _, id in sorted(scored, reverse=True)]

    def _restrictions(self, wanted: SearchFilter) -> tuple[str, tuple[str, ...]]:
        parts, given = ["1"], list[str]()
        if wanted.since is not None:
            parts.append("moment >= ?")
            given.append(wanted.since.isoformat())
        if wanted.until is not None:
            parts.append("moment <= ?")
            given.append(f"{wanted.until.isoformat()}T23:59:59")
        for role, value in wanted.values.items():
            # The texts that hold the value are looked up once, not for every entry.
            written = [text for (text,) in self._db.execute(f"SELECT DISTINCT {role} FROM entries")]
            parts.append(f"entries.{role} IN (SELECT value FROM json_each(?))")
            given.append(json.dumps([text for text in written if fits(role, value, text)]))
        return " AND ".join(parts), tuple(given)


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import, as counts of entries; `refused` has the place of each in the file, and the reason.

    `replaced_sample`: there were only sample entries before. `notes` report missing embeddings.
    """

    added: int
    changed: int
    unchanged: int
    refused: tuple[tuple[str, str], ...]
    replaced_sample: bool
    notes: tuple[str, ...] = ()


class BuiltinLogbook:
    """The logbook in a SQLite file, created at first use. Thread-safe and process-safe.

    As long as it has no entries, it shows the sample shifts up to now, on any day. With an `embedder`, imported entries
    are also found by meaning. Every call may raise StoreError.
    """

    def __init__(self, home: Path, clock: Clock, *, embedder: Embedder | None = None) -> None:
        self.file = home / FILE
        self._clock = clock
        self._vectors = VectorIndex(embedder)
        self._lock = threading.Lock()
        self._db = connected(self.file, _SCHEMA, _VERSION)
        self._own = EntryIndex(self._db, self._vectors)
        self._shown: tuple[object, EntryIndex] = None, self._own

    @property
    def name(self) -> str:
        return "the sample logbook" if self.sample else "the built-in logbook"

    @property
    def sample(self) -> bool:
        """Whether it has no imported entries yet."""
        with self._lock, explained(self.file):
            return self._is_sample()

    async def values(self) -> LogbookValues:
        return await self._run(lambda index: index.values())

    async def search(self, wanted: SearchFilter, most: int) -> SearchResult:
        notes = list[str]()
        # The sample is generated each day, and is not worth the time of a model.
        vector = None if self.sample else await asyncio.to_thread(self._vectors.vector, wanted.query, notes)
        if vector is not None:
            await asyncio.to_thread(self._embed, notes, lambda _: None, _EMBEDDING)
        return await self._run(lambda index: index.search(wanted, most, vector, notes))

    async def thread(self, id: int, most: int, *, replies: bool = True, parents: bool = True) -> SearchResult:
        async def entry(each: int) -> Entry | None:
            return next(iter(await self._run(lambda index: index.entries([each]))), None)

        return await gather(id, most, entry, replies=replies, parents=parents)

    def take_in(
        self, read: Iterable[tuple[str, Entry | str]], notify: Callable[[str], None] = lambda _: None
    ) -> Imported:
        """Store the entries that `read_file` returns.

        All of it is one transaction: an interrupted import has no effect.
        """
        counts = {"added": 0, "changed": 0, "unchanged": 0}
        refused, notes = list[tuple[str, str]](), list[str]()
        places: dict[int, str] = {}
        with self._lock, explained(self.file), transaction(self._db):
            was_sample = self._is_sample()
            for place, entry in read:
                if isinstance(entry, str):
                    refused.append((place, entry))
                elif other := places.get(entry.id):
                    refused.append((place, f"id {entry.id} is at {other} already"))
                else:
                    places[entry.id] = place
                    there = self._own.entries([entry.id])
                    new = self._own.put(entry)
                    counts["unchanged" if not new else "changed" if there else "added"] += 1
            self._own.update_statistics()
            self._db.execute("DELETE FROM vectors WHERE digest NOT IN (SELECT digest FROM texts)")
        self._embed(notes, notify)
        return Imported(
            **counts, refused=tuple(refused), replaced_sample=was_sample and bool(places), notes=tuple(notes)
        )

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _embed(self, notes: list[str], notify: Callable[[str], None], seconds: float = math.inf) -> None:
        # On a separate connection, because it may take long and must not block others.
        with explained(self.file), closing(connected(self.file, _SCHEMA, _VERSION)) as connection:
            self._vectors.embed(connection, notes, notify, seconds)

    async def _run(self, work: Callable[[EntryIndex], T]) -> T:
        now = self._clock()

        def locked() -> T:
            with self._lock, explained(self.file):
                return work(self._sample_at(now) if self._is_sample() else self._own)

        return await asyncio.to_thread(locked)

    def _is_sample(self) -> bool:
        return self._db.execute("SELECT 1 FROM entries LIMIT 1").fetchone() is None

    def _sample_at(self, now: datetime) -> EntryIndex:
        """An index in memory of the sample entries up to `now`."""
        happened = [entry for entry in _sample(now.date()) if entry.moment <= now]
        stamp = now.date(), len(happened)
        if self._shown[0] != stamp:
            self._shown = stamp, EntryIndex.of(happened, whole=True)
        return self._shown[1]


@lru_cache(maxsize=2)
def _sample(today: date) -> tuple[Entry, ...]:
    """The sample entries relative to a day. Raises LogbookError."""
    entries = list[Entry]()
    for place, entry in read_file(SAMPLE, today):
        if isinstance(entry, str):
            raise LogbookError("bad_sample", f"{SAMPLE}: {place}: {entry}.", "Install Graphwright again.")
        entries.append(replace(entry, url=f"{SAMPLE_ADDRESS}{entry.id}"))
    return tuple(entries)
