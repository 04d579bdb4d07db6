"""The built-in logbook: a SQLite file in the data folder, with the sample shifts until own entries are imported."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TypeVar

from graphwright.logbook.clock import Clock
from graphwright.logbook.errors import LogbookError
from graphwright.logbook.importing import Bad, Read, read_file
from graphwright.logbook.index import SCHEMA, Index
from graphwright.logbook.port import Entry, Found, Known, Thread, Wanted
from graphwright.logbook.threads import gather
from graphwright.logbook.words import SAMPLE
from graphwright.store.errors import StoreError, explain
from graphwright.store.sqlite_files import private_file, private_folder, transaction, use_write_ahead_log

T = TypeVar("T")

FILE = "logbook.db"
SAMPLE_ADDRESS = "https://elog.nordlicht.example/Operation/"

_VERSION = "1"
_OWN = "own"
_BUSY = 10.0


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

    Opening raises LogbookError or StoreError.
    """

    def __init__(self, home: Path, clock: Clock) -> None:
        self.file = home / FILE
        self._clock = clock
        self._lock = threading.Lock()
        with self._explained():
            self._db = _opened(self.file)
            try:
                self._prepare()
                self._index = Index(self._db)
            except BaseException:
                self._db.close()
                raise

    @property
    def name(self) -> str:
        return "the sample logbook" if self.sample else "the built-in logbook"

    @property
    def sample(self) -> bool:
        """Whether it still holds the sample shifts, and nothing else."""
        with self._lock, self._explained():
            return self._stamp("holds") != _OWN

    async def known(self) -> Known:
        return (await self._run(lambda now: self._index.known(now)))[0]

    async def search(self, wanted: Wanted, most: int) -> Found:
        return await self._run(lambda now: self._index.search(wanted, most, now))

    async def thread(self, id: int, most: int) -> Thread:
        async def entry(each: int) -> Entry | None:
            return next(iter(await self._run(lambda now: self._index.entries([each], now))), None)

        return await gather(id, most, entry)

    def take_in(self, read: Iterable[Read | Bad]) -> Imported:
        """Keep the entries: new ones are added, changed ones replaced. The first ones take the place of the sample.

        All of it is one transaction: an import that is interrupted has done nothing.
        """
        counts = {True: 0, False: 0}
        unchanged = 0
        refused: list[Bad] = []
        places: dict[int, str] = {}
        with self._lock, self._explained(), transaction(self._db):
            was_sample = self._stamp("holds") != _OWN
            for each in read:
                if isinstance(each, Bad):
                    refused.append(each)
                    continue
                if other := places.get(each.entry.id):
                    refused.append(Bad(each.place, f"id {each.entry.id} stands at {other} already"))
                    continue
                if was_sample and not places:
                    self._db.execute("DELETE FROM entries")
                    self._set("holds", _OWN)
                places[each.entry.id] = each.place
                there = self._db.execute("SELECT 1 FROM entries WHERE id = ?", (each.entry.id,)).fetchone() is not None
                if self._index.put(each.entry, each.days_ago):
                    counts[there] += 1
                else:
                    unchanged += 1
        return Imported(counts[False], counts[True], unchanged, tuple(refused), was_sample and bool(places))

    def close(self) -> None:
        with self._lock:
            self._db.close()

    async def _run(self, work: Callable[[datetime], T]) -> T:
        now = self._clock()

        def locked() -> T:
            with self._lock, self._explained():
                return work(now)

        return await asyncio.to_thread(locked)

    def _prepare(self) -> None:
        # Two first starts can meet here: who comes second finds the tables made.
        use_write_ahead_log(self._db, _BUSY)
        if self._up_to_date():
            return
        with transaction(self._db):
            tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not tables:
                self._db.execute("CREATE TABLE logbook_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
                for statement in SCHEMA:
                    self._db.execute(statement)
                self._set("schema", _VERSION)
                self._set("holds", "")
            elif "logbook_meta" not in tables:
                raise LogbookError(
                    "bad_file",
                    f"{self.file} is the database of another program: it holds the table `{min(tables)}`.",
                    "Nothing was changed. Move it aside, or point GRAPHWRIGHT_HOME to another folder.",
                )
            elif self._stamp("schema") != _VERSION:
                raise LogbookError(
                    "bad_file",
                    f"{self.file} was written by another version of Graphwright.",
                    "Nothing was changed. Upgrade Graphwright, or move the file aside and import the entries again.",
                )
            entries, stamp = _sample()
            if self._stamp("holds") not in (_OWN, stamp):
                self._db.execute("DELETE FROM entries")
                index = Index(self._db)
                for each in entries:
                    index.put(replace(each.entry, url=f"{SAMPLE_ADDRESS}{each.entry.id}"), each.days_ago)
                self._set("holds", stamp)

    def _up_to_date(self) -> bool:
        try:
            return self._stamp("schema") == _VERSION and self._stamp("holds") in (_OWN, _sample()[1])
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return False
            raise

    def _stamp(self, key: str) -> str:
        row = self._db.execute("SELECT value FROM logbook_meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else ""

    def _set(self, key: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO logbook_meta VALUES (?, ?)", (key, value))

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            told = explain(error, str(self.file))
            if told is None:
                raise
            raise told from error


@cache
def _sample() -> tuple[tuple[Read, ...], str]:
    """The sample entries, and a stamp that changes when they do. Raises LogbookError."""
    entries: list[Read] = []
    stamp = hashlib.sha256()
    for file in sorted(SAMPLE.glob("*.jsonl")):
        stamp.update(file.read_bytes())
        for each in read_file(file):
            if isinstance(each, Bad):
                raise LogbookError("bad_sample", f"{file}: {each.place}: {each.reason}.", "Install Graphwright again.")
            entries.append(each)
    return tuple(entries), f"sample {stamp.hexdigest()[:16]}"


def _opened(file: Path) -> sqlite3.Connection:
    if file.exists() and not file.is_file():
        raise LogbookError("bad_file", f"{file} is no file.", "Move it aside.")
    if not file.exists():
        private_folder(file.parent)
        private_file(file)
    elif not os.access(file, os.R_OK):
        raise StoreError("read_only", f"This user may not read {file}.", "Allow it for the file and its folder.")
    return sqlite3.connect(file, timeout=_BUSY, isolation_level=None, check_same_thread=False)
