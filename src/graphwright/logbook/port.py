"""What a logbook is: entries, what can be asked of them, and the port that every kind of logbook implements."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol


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
    subject: str = ""
    text: str = ""
    reply_to: int | None = None
    replies: tuple[int, ...] = ()
    language: str = ""
    attachments: tuple[str, ...] = ()
    url: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look for; what is empty restricts nothing.

    `since` and `until` are days and both included. `categories`, `systems` and `authors` are values as the logbook
    writes them; one of each has to fit.
    """

    query: str = ""
    since: date | None = None
    until: date | None = None
    categories: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """The best of what was found, the best first, of `total` that fit.

    `notes` are sentences for people: what was cut or widened, how far the search went.
    """

    entries: tuple[Entry, ...]
    total: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Thread:
    """The entries of a conversation, the oldest first, without those that `notes` say are missing."""

    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """The values that occur, the most frequent first. `complete` says that there are no others."""

    categories: tuple[str, ...]
    systems: tuple[str, ...]
    authors: tuple[str, ...]
    complete: bool


class Logbook(Protocol):
    """A logbook that can be read. Nothing here writes. Every call may raise LogbookError."""

    @property
    def name(self) -> str:
        """What it is called in messages: an address or a file."""
        ...

    @property
    def sample(self) -> bool:
        """Whether its entries are the invented ones that come with Graphwright."""
        ...

    async def known(self) -> Known:
        """The categories, systems and authors that its entries have."""
        ...

    async def search(self, wanted: Wanted, most: int) -> Found:
        """At most `most` entries that fit: by relevance and time where there are words, else the newest first."""
        ...

    async def thread(self, id: int, most: int) -> Thread:
        """The entry with what it answers and what answers it, at most `most`; empty where there is no such entry."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
