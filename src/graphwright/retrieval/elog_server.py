"""The port over an ELOG server: the server narrows down by time, words and values, the index here ranks the rest."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, TypeVar

from graphwright.retrieval.elog_client import ElogClient, Export
from graphwright.retrieval.entries import EntryIndex, by_frequency
from graphwright.retrieval.errors import LogbookError
from graphwright.retrieval.index import Query
from graphwright.retrieval.logbook import ROLES, Clock, Entry, Found, Known, Wanted, gather

T = TypeVar("T")

_LATEST = 200
_KEPT = 600.0
_WHOLE = 45.0
_CALM = 30.0
"""Seconds in which a server that did not answer is not asked again."""

# How many days a search without a first day goes back, as long as it has not found enough.
_BACK = (31, 366, 3_660)
_BACK_FOR_ALL = (7, *_BACK)
_PATTERN_SIGNS = frozenset("()[]{}*+?^$|\\")


@dataclass(frozen=True, slots=True)
class _Ways:
    """What the latest entries tell of a logbook: its values, the attribute of each role, and the entries themselves."""

    known: Known
    attributes: Mapping[str, str]
    latest: EntryIndex
    asked: float


class ElogServer:
    """A logbook on an ELOG server. `clock` gives the wall clock there."""

    def __init__(self, client: ElogClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._ways: _Ways | None = None
        self._silence: tuple[float, LogbookError] | None = None

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

    async def thread(self, id: int, most: int, *, replies: bool = True, parents: bool = True) -> Found:
        return await self._in_time(self._thread(id, most, replies, parents))

    def close(self) -> None:
        """Nothing is held: every request has a connection of its own."""

    async def _search(self, wanted: Wanted, most: int) -> Found:
        """The search in its time, or in ever more of the past until there is enough."""
        ways = await self._look_around()
        words = _patterns(ways.latest.query(wanted.query))
        newest = wanted.until or self._clock().date()
        back = [newest.toordinal() - days for days in (_BACK if words or wanted.values else _BACK_FOR_ALL)]
        found = Found((), 0)
        for since in [wanted.since] if wanted.since else [date.fromordinal(max(day, 1)) for day in back]:
            found, cut = await self._once(replace(wanted, since=since), ways, words, most)
            if not (cut or wanted.since):
                found = replace(found, notes=(*found.notes, f"Entries since {since} were searched."))
            # What a server cuts off now it cuts off of a longer time, too.
            if (found.total >= most and not found.some) or (cut and found.total):
                break
        return found

    async def _once(self, wanted: Wanted, ways: _Ways, words: Sequence[str], most: int) -> tuple[Found, bool]:
        """One request: what was found, and whether the answer was cut."""
        asked = dict(zip(("ya", "ma", "da"), str(wanted.since).split("-"), strict=True))
        if wanted.until is not None and wanted.until < date.max:
            # A day more: whether the server counts the last one is looked at here.
            asked |= zip(("yb", "mb", "db"), str(wanted.until + timedelta(days=1)).split("-"), strict=True)
        if words:
            asked |= {"subtext": "|".join(words), "sall": "1"}
        for role, value in wanted.values.items():
            # As it is: an attribute with several options matches what contains the value, and others match a pattern.
            # A value with signs of patterns is right for one of them only, and is looked at here alone.
            if ways.attributes[role] and not _PATTERN_SIGNS & set(value):
                asked[ways.attributes[role]] = value
        export = await self._client.export(asked)
        entries, unreadable = self._entries(export)
        found = await asyncio.to_thread(_ranked, entries, wanted, most)
        notes = list(found.notes)
        if export.cut:
            oldest = min((entry.moment for entry in entries), default=None)
            reached = f" It reached back to {oldest:%Y-%m-%d}." if oldest else ""
            notes.append(f"The search is not complete: {export.cut}.{reached} Narrower dates help.")
        if unreadable:
            notes.append(f"Entries that could not be read: {unreadable}.")
        return replace(found, notes=tuple(notes)), bool(export.cut)

    async def _thread(self, id: int, most: int, replies: bool, parents: bool) -> Found:
        failed: list[LogbookError] = []
        any_read = False

        async def entry(each: int) -> Entry | None:
            nonlocal any_read
            try:
                record = None if failed else await self._client.record(each)
                found = record.entry(f"{self.name}/{record.id}") if record else None
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

        thread = await gather(id, most, entry, replies=replies, parents=parents)
        notes = (f"The rest of the thread could not be read: {failed[0].message}",) if failed else ()
        return replace(thread, notes=(*notes, *thread.notes))

    async def _look_around(self) -> _Ways:
        if self._ways is None or time.monotonic() - self._ways.asked > _KEPT:
            export = await self._client.export({}, path=f"last{_LATEST}")
            names = {role: [record.attribute(role) for record in export.records] for role in ROLES}
            entries, _ = self._entries(export)
            values = {role: by_frequency(Counter(getattr(entry, role) for entry in entries)) for role in ROLES}
            self._ways = _Ways(
                Known(values, complete=False),
                {role: next(filter(None, each), "") for role, each in names.items()},
                await asyncio.to_thread(EntryIndex.of, entries),
                time.monotonic(),
            )
        return self._ways

    def _entries(self, export: Export) -> tuple[list[Entry], int]:
        entries: list[Entry] = []
        for record in export.records:
            try:
                entries.append(record.entry(f"{self.name}/{record.id}"))
            except ValueError:
                continue
        return entries, export.broken + len(export.records) - len(entries)

    async def _in_time(self, work: Coroutine[Any, Any, T]) -> T:
        if self._silence and (left := self._silence[0] + _CALM - time.monotonic()) > 0:
            work.close()
            before = self._silence[1]
            told = f"{before.message} It is asked again in {max(1, round(left))} s."
            raise LogbookError(before.code, told, before.hint)
        try:
            async with asyncio.timeout(_WHOLE):
                return await work
        except TimeoutError:
            told = f"{self.name} took longer than {_WHOLE:g} s."
            raise LogbookError("too_slow", told, "Restrict the search, or try again later.") from None
        except LogbookError as error:
            if error.code == "no_answer":
                self._silence = time.monotonic(), error
            raise


def _patterns(query: Query) -> list[str]:
    """Patterns for the words of a query: who has any of them is sent, and ranked here.

    They are escaped by naming no sign at all, and of longer words the end may be another one. An accent may have been
    written in any encoding: instead of a letter with one stand one or two signs.
    """
    words = [word for word in query.written if len(word) > 1] or query.written
    kept = (word[: -(len(word) // 4)] if word.isalpha() and len(word) > 4 else word for word in words)
    return list(dict.fromkeys("".join(sign if sign.isascii() else "..?" for sign in word) for word in kept))


def _ranked(entries: Sequence[Entry], wanted: Wanted, most: int) -> Found:
    index = EntryIndex.of(entries)
    try:
        found = index.search(wanted, most)
    finally:
        index.close()
    # The index knows replies among what was fetched only; the server has told all of them.
    by_id = {entry.id: entry for entry in entries}
    return replace(found, entries=tuple(by_id[entry.id] for entry in found.entries))
