"""The port over an ELOG server: the server narrows down by time and pattern, the index here ranks what it sends."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TypeVar

from graphwright.logbook.clock import Clock
from graphwright.logbook.elog.client import ElogClient, Export
from graphwright.logbook.errors import LogbookError
from graphwright.logbook.index import Index, by_frequency, parts_of
from graphwright.logbook.port import Entry, Found, Known, Thread, Wanted
from graphwright.logbook.records import ATTRIBUTES, Record
from graphwright.logbook.terms import pattern, terms_of
from graphwright.logbook.threads import gather
from graphwright.logbook.words import fold, same_meaning

T = TypeVar("T")

_LATEST = 200
_KEPT = 600.0
_WHOLE = 45.0
# How many days a search without a first day goes back, as long as it has not found enough.
_BACK = (31, 366, 3_660)
_BACK_FOR_ALL = (7, *_BACK)


@dataclass(frozen=True, slots=True)
class _Ways:
    """What the latest entries tell of a logbook: its values, and the attribute that plays each role."""

    known: Known
    attributes: dict[str, str]
    asked: float


class ElogServer:
    """A logbook on an ELOG server. `clock` gives the wall clock there."""

    def __init__(self, client: ElogClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._ways: _Ways | None = None

    @property
    def name(self) -> str:
        return self._client.address

    @property
    def sample(self) -> bool:
        return False

    async def known(self) -> Known:
        return (await self._in_time(self._look_around())).known

    async def search(self, wanted: Wanted, most: int) -> Found:
        return await self._in_time(self._search(wanted, most))

    async def thread(self, id: int, most: int) -> Thread:
        return await self._in_time(self._thread(id, most))

    def close(self) -> None:
        """Nothing is held: every request has a connection of its own."""

    async def _search(self, wanted: Wanted, most: int) -> Found:
        ways = await self._look_around()
        terms = terms_of(wanted.query)
        words = [pattern(name) for term in terms for name in term.names or (term.stem,)]
        found = await self._through_time(wanted, ways, words, most)
        others = [pattern(word) for term in terms for word in same_meaning(term.shown)]
        if not found.total and others:
            found = await self._through_time(wanted, ways, [*words, *others], most)
        return found

    async def _through_time(self, wanted: Wanted, ways: _Ways, words: Sequence[str], most: int) -> Found:
        """The search in its time, or in ever more of the past until there is enough."""
        if wanted.since is not None:
            return (await self._once(wanted, ways, words, most, wanted.since))[0]
        restricted = words or wanted.categories or wanted.systems or wanted.authors
        newest = wanted.until or self._clock().date()
        found = Found((), 0)
        for days in _BACK if restricted else _BACK_FOR_ALL:
            since = date.fromordinal(max(newest.toordinal() - days, 1))
            found, cut = await self._once(wanted, ways, words, most, since)
            # What a server cuts off now it cuts off of a longer time, too.
            if found.total >= most or (cut and found.total):
                break
        return found

    async def _once(
        self, wanted: Wanted, ways: _Ways, words: Sequence[str], most: int, since: date
    ) -> tuple[Found, bool]:
        """One request: what was found, and whether the answer was cut."""
        asked = {"ya": f"{since.year}", "ma": f"{since.month}", "da": f"{since.day}"}
        if wanted.until is not None and wanted.until < date.max:
            # A day more: whether the server counts the last one is looked at here.
            end = wanted.until + timedelta(days=1)
            asked |= {"yb": f"{end.year}", "mb": f"{end.month}", "db": f"{end.day}"}
        if words:
            # One letter is in every entry, and who has the longer words of the query is sent anyway.
            longer = [word for word in words if len(word) > 1] or words
            asked |= {"subtext": "|".join(dict.fromkeys(longer)), "sall": "1"}
        for role, values in (("category", wanted.categories), ("system", wanted.systems), ("author", wanted.authors)):
            if values and ways.attributes.get(role):
                asked[ways.attributes[role]] = "|".join(map(pattern, values))
        export = await self._client.export(asked)
        entries, unreadable = self._entries(export)
        narrowed = replace(
            wanted,
            since=since,
            categories=_as_written(wanted.categories, (entry.category for entry in entries)),
            systems=_as_written(wanted.systems, (entry.system for entry in entries)),
            authors=_as_written(wanted.authors, (entry.author for entry in entries)),
        )
        found = await asyncio.to_thread(_ranked, entries, narrowed, most, self._clock())
        notes = list(found.notes)
        if export.cut:
            oldest = min((entry.moment for entry in entries), default=None)
            reached = f" It reached back to {oldest:%Y-%m-%d}." if oldest else ""
            notes.append(f"The search is not complete: {export.cut}.{reached} Narrower dates help.")
        elif wanted.since is None:
            notes.append(f"Entries since {since} were searched.")
        if unreadable:
            notes.append(f"Entries that could not be read: {unreadable}.")
        return Found(found.entries, found.total, tuple(notes)), bool(export.cut)

    async def _thread(self, id: int, most: int) -> Thread:
        failed: list[LogbookError] = []
        any_read = False

        async def entry(each: int) -> Entry | None:
            nonlocal any_read
            if failed:
                return None
            try:
                record = await self._client.record(each)
                found = None if record is None else self._entry(record)
            except LogbookError as error:
                # What has been read already is worth more than an error.
                if not any_read:
                    raise
                failed.append(error)
                return None
            except ValueError as error:
                raise LogbookError("not_an_answer", f"Entry {each} of {self.name} cannot be read: {error}.") from None
            any_read = True
            return found

        thread = await gather(id, most, entry)
        notes = (f"The rest of the thread could not be read: {failed[0].message}",) if failed else ()
        return replace(thread, notes=(*notes, *thread.notes))

    async def _look_around(self) -> _Ways:
        if self._ways is not None and time.monotonic() - self._ways.asked < _KEPT:
            return self._ways
        export = await self._client.export({}, path=f"last{_LATEST}")
        attributes = {
            role: next((name for record in export.records if (name := record.attribute(role))), "")
            for role in ATTRIBUTES
        }
        entries, _ = self._entries(export)
        known = Known(
            by_frequency(Counter(entry.category for entry in entries)),
            by_frequency(Counter(entry.system for entry in entries)),
            by_frequency(Counter(entry.author for entry in entries)),
            complete=False,
        )
        self._ways = _Ways(known, attributes, time.monotonic())
        return self._ways

    def _entries(self, export: Export) -> tuple[list[Entry], int]:
        entries: list[Entry] = []
        unreadable = export.broken
        for record in export.records:
            try:
                entries.append(self._entry(record))
            except ValueError:
                unreadable += 1
        return entries, unreadable

    def _entry(self, record: Record) -> Entry:
        return record.entry(f"{self._client.address}/{record.id}")

    async def _in_time(self, work: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(_WHOLE):
                return await work
        except TimeoutError:
            raise LogbookError(
                "too_slow", f"{self.name} took longer than {_WHOLE:g} s.", "Restrict the search, or try again later."
            ) from None


def _ranked(entries: Sequence[Entry], wanted: Wanted, most: int, now: datetime) -> Found:
    index = Index.of(entries)
    try:
        found = index.search(wanted, most, now)
    finally:
        index.close()
    # The index knows replies among what was fetched only; the server has told all of them.
    by_id = {entry.id: entry for entry in entries}
    return replace(found, entries=tuple(by_id[entry.id] for entry in found.entries))


def _as_written(values: Sequence[str], occurring: Iterable[str]) -> tuple[str, ...]:
    """The values themselves, and instead of one that nothing has exactly, all those that hold it."""
    if not values:
        return ()
    parts = {part for value in occurring for part in parts_of(value)}
    folded = {fold(part) for part in parts}
    meant: list[str] = []
    for value in values:
        holding = [] if fold(value) in folded else [part for part in parts if fold(value) in fold(part)]
        meant += holding or [part for part in parts if fold(part) == fold(value)] or [value]
    return tuple(meant)
