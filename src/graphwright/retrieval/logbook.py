"""What a logbook is: entries, what can be asked of them, the port that every kind implements, and threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Protocol

from graphwright.retrieval.errors import LogbookError

Clock = Callable[[], datetime]
"""Gives the wall clock at the facility, without a zone: the time in which its people write."""

VARIABLE = "GRAPHWRIGHT_TODAY"

ROLES = ("category", "system", "domain", "author")
"""The attributes of entries by which a search can be restricted."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: plain text without markup and control characters, untrusted like all of it.

    `moment` is the wall clock where it was written, without a zone. `reply_to` is the entry that this one answers,
    `replies` are those that answer it. `attachments` are names of files. `url` is empty where there is none.
    """

    id: int
    moment: datetime
    author: str = ""
    category: str = ""
    system: str = ""
    domain: str = ""
    subject: str = ""
    text: str = ""
    reply_to: int | None = None
    replies: tuple[int, ...] = ()
    attachments: tuple[str, ...] = ()
    url: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look for; what is empty restricts nothing. `since` and `until` are days and both included.

    `values` gives for a role of `ROLES` a value as the logbook writes it; of an author a part will do.
    """

    query: str = ""
    since: date | None = None
    until: date | None = None
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """The best of what was found, the best first, of `total` that fit; `notes` are sentences for people.

    `some` says that none has all the words of the query, and those that have some of them are given.
    """

    entries: tuple[Entry, ...]
    total: int
    notes: tuple[str, ...] = ()
    some: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """The values that occur, by role, the most frequent first. `complete` says that there are no others."""

    values: Mapping[str, tuple[str, ...]]
    complete: bool


class Logbook(Protocol):
    """A logbook that can be read. Nothing here writes. Every call may raise LogbookError and StoreError."""

    @property
    def name(self) -> str:
        """What it is called in messages: an address or a file."""

    @property
    def sample(self) -> bool:
        """Whether its entries are the invented ones that come with Graphwright."""

    async def known(self) -> Known:
        """The values that its entries have."""

    async def search(self, wanted: Wanted, most: int) -> Found:
        """At most `most` entries that fit: by relevance and time where there are words, else the newest first."""

    async def thread(self, id: int, most: int, *, replies: bool = True, parents: bool = True) -> Found:
        """The entry with what it answers and what answers it, at most `most`; empty where there is no such entry."""

    def close(self) -> None:
        """Let go of files and connections."""


async def gather(
    id: int, most: int, entry: Callable[[int], Awaitable[Entry | None]], *, replies: bool, parents: bool
) -> Found:
    """The thread of an entry; `entry` gives one by its id, None where there is none. Bounded, whatever the links say.

    What the entry answers comes before what answers it where there are more than `most`.
    """
    found: dict[int, Entry] = {}
    missing: list[int] = []
    ahead, below = deque([id]), deque[int]()
    while (ahead or below) and len(found) < most:
        up = bool(ahead)
        each = ahead.popleft() if up else below.popleft()
        if each in found or each in missing:
            continue
        held = await entry(each)
        if held is None:
            missing.append(each)
            continue
        found[each] = held
        if parents and up and held.reply_to is not None:
            ahead.append(held.reply_to)
        if replies:
            below.extend(held.replies)
    notes = []
    if {*ahead, *below} - {*found, *missing}:
        notes.append(f"The thread has more entries: {most} of them are given.")
    if missing and found:
        notes.append(f"Missing in the logbook: {', '.join(map(str, sorted(missing)))}.")
    entries = tuple(sorted(found.values(), key=lambda each: (each.moment, each.id)))
    return Found(entries, len(entries), tuple(notes))


def clock_of_environment() -> Clock:
    """The clock of a program of its own: `GRAPHWRIGHT_TODAY`, else the machine's.

    The variable holds a day (`2026-11-22`, taken as its last minute, so that the whole day has happened) or a time
    (`2026-11-22T14:30`). Raises LogbookError (`bad_clock`) for anything else.
    """
    if not (given := os.environ.get(VARIABLE, "").strip()):
        return datetime.now
    try:
        moment = datetime.fromisoformat(given).replace(tzinfo=None)
    except ValueError:
        told = f"{VARIABLE} is {given!r}, which is no day."
        raise LogbookError("bad_clock", told, "Write it as 2026-11-22, or unset it.") from None
    whole_day = len(given) <= len("2026-11-22")
    return lambda: datetime.combine(moment.date(), time(23, 59, 59)) if whole_day else moment
