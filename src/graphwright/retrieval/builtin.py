"""The built-in logbook: a SQLite file in the data folder, with the sample shifts until own entries are imported.

It is a file of its own beside the index of documents: its entries are nowhere else, and that one may be deleted.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from graphwright.retrieval.entries import SCHEMA, EntryIndex
from graphwright.retrieval.errors import LogbookError
from graphwright.retrieval.importing import Bad, Read, read_file
from graphwright.retrieval.logbook import Clock, Entry, Found, Known, Wanted, gather
from graphwright.store.own_files import connected, explained
from graphwright.store.sqlite_files import transaction

T = TypeVar("T")

FILE = "logbook.db"
SAMPLE = Path(__file__).parent / "sample" / "entries.jsonl"
SAMPLE_ADDRESS = "https://elog.nordlicht.example/Operation/"

_VERSION = 2
_OWN = "own"


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import came to, in entries. `replaced_sample` says that the sample entries went for it."""

    added: int
    changed: int
    unchanged: int
    refused: tuple[Bad, ...]
    replaced_sample: bool


class BuiltinLogbook:
    """The logbook in a SQLite file; made at first use. Safe to use from several threads and processes.

    Every call may raise StoreError.
    """

    def __init__(self, home: Path, clock: Clock) -> None:
        self.file = home / FILE
        self._clock = clock
        self._lock = threading.Lock()
        self._db = connected(self.file, (*SCHEMA, "CREATE TABLE holds (what TEXT NOT NULL)"), _VERSION)
        self._index = EntryIndex(self._db)
        try:
            self._fresh(clock())
        except BaseException:
            self._db.close()
            raise

    @property
    def name(self) -> str:
        return "the sample logbook" if self.sample else "the built-in logbook"

    @property
    def sample(self) -> bool:
        """Whether it still holds the sample shifts, and nothing else."""
        with self._lock, explained(self.file):
            return self._holds() != _OWN

    async def known(self) -> Known:
        return await self._run(lambda: self._index.known())

    async def search(self, wanted: Wanted, most: int) -> Found:
        return await self._run(lambda: self._index.search(wanted, most))

    async def thread(self, id: int, most: int, *, replies: bool = True, parents: bool = True) -> Found:
        async def entry(each: int) -> Entry | None:
            return next(iter(await self._run(lambda: self._index.entries([each]))), None)

        return await gather(id, most, entry, replies=replies, parents=parents)

    def take_in(self, read: Iterable[Read | Bad]) -> Imported:
        """Keep the entries: new ones are added, changed ones replaced. The first ones take the place of the sample.

        All of it is one transaction: an import that is interrupted has done nothing.
        """
        added = changed = unchanged = 0
        refused: list[Bad] = []
        places: dict[int, str] = {}
        with self._lock, explained(self.file), transaction(self._db):
            was_sample = self._holds() != _OWN
            for each in read:
                if isinstance(each, Bad):
                    refused.append(each)
                elif other := places.get(each.entry.id):
                    refused.append(Bad(each.place, f"id {each.entry.id} stands at {other} already"))
                else:
                    if was_sample and not places:
                        self._index.clear()
                        self._hold(_OWN)
                    places[each.entry.id] = each.place
                    there = bool(self._index.entries([each.entry.id]))
                    new = self._index.put(each.entry)
                    added, changed, unchanged = added + (not there), changed + (there and new), unchanged + (not new)
            self._index.settle()
        return Imported(added, changed, unchanged, tuple(refused), was_sample and bool(places))

    def close(self) -> None:
        with self._lock:
            self._db.close()

    async def _run(self, work: Callable[[], T]) -> T:
        now = self._clock()

        def locked() -> T:
            with self._lock:
                self._fresh(now)
                with explained(self.file):
                    return work()

        return await asyncio.to_thread(locked)

    def _fresh(self, now: datetime) -> None:
        """See that the sample is what happened up to now, whatever day it is."""
        with explained(self.file):
            if (held := self._holds()) == _OWN:
                return
            entries, digest = _sample(now.date())
            happened = [each for each in entries if each.moment <= now]
            stamp = f"{digest} {now.date()} {len(happened)}"
            if held == stamp:
                return
            with transaction(self._db):
                if self._holds() in (_OWN, stamp):
                    return
                self._index.clear()
                for each in happened:
                    self._index.put(each)
                self._index.settle()
                self._hold(stamp)

    def _holds(self) -> str:
        row = self._db.execute("SELECT what FROM holds").fetchone()
        return row[0] if row else ""

    def _hold(self, what: str) -> None:
        self._db.execute("DELETE FROM holds")
        self._db.execute("INSERT INTO holds VALUES (?)", (what,))


@lru_cache(maxsize=2)
def _sample(today: date) -> tuple[tuple[Entry, ...], str]:
    """The sample entries as of a day, and what tells them from those of another version. Raises LogbookError."""
    entries: list[Entry] = []
    for each in read_file(SAMPLE, today):
        if isinstance(each, Bad):
            raise LogbookError("bad_sample", f"{SAMPLE}: {each.place}: {each.reason}.", "Install Graphwright again.")
        entries.append(replace(each.entry, url=f"{SAMPLE_ADDRESS}{each.entry.id}"))
    return tuple(entries), hashlib.sha256(SAMPLE.read_bytes()).hexdigest()[:16]
