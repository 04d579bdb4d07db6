"""The logbook: its entries, the protocol that every kind implements, and the functions of its two tools."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Protocol
from urllib.parse import quote

from graphwright.text.markup import one_line
from graphwright.text.near_names import nearest
from graphwright.tools.sources import Findings, Source, SourceImage
from graphwright_assistant.retrieval._errors import LogbookError, SearchRefused

Clock = Callable[[], datetime]
"""Returns the local time at the facility, without a zone."""

ROLES = ("category", "system", "domain", "author")
"""The attributes of entries that can restrict a search."""

MOST_RESULTS = 50
MOST_OF_THREAD = 50

_EXPLAINING = 20.0
_MOST_TEXT_FOUND = 1_200
_MOST_TEXT_READ = 8_000
_MOST_OF_ALL = 60_000
_MOST_NAMED = 30
_MOST_NEAR = 3
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: plain text without markup and control characters, all of it untrusted.

    `moment` is the local time of writing, without a zone. `reply_to` is the entry that this one answers, `replies` are
    its answers. `attachments` are file names. `url` may be empty.
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
class SearchFilter:
    """The restrictions of a search; empty ones have no effect. `since` and `until` are days, both inclusive.

    `values` maps a role of `ROLES` to a value as in the logbook; for an author, a part of the name matches.
    """

    query: str = ""
    since: date | None = None
    until: date | None = None
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best entries of `total` matching ones, the best first; `notes` are sentences for people.

    `some`: no entry has all the words of the query, so entries with some of them are returned.
    """

    entries: tuple[Entry, ...]
    total: int
    notes: tuple[str, ...] = ()
    some: bool = False


@dataclass(frozen=True, slots=True)
class LogbookValues:
    """The existing values, by role, the most frequent first. `complete`: the list is complete."""

    values: Mapping[str, tuple[str, ...]]
    complete: bool


class Logbook(Protocol):
    """A logbook for reading only. Every call may raise LogbookError and StoreError."""

    @property
    def name(self) -> str:
        """Its name in messages: an address or a file."""

    @property
    def sample(self) -> bool:
        """Whether its entries are the fictional ones of Graphwright."""

    async def values(self) -> LogbookValues:
        """The existing values of its entries."""

    async def search(self, wanted: SearchFilter, most: int) -> SearchResult:
        """At most `most` matching entries: by relevance and time if there are words, otherwise the newest first."""

    async def thread(self, id: int, most: int, *, replies: bool = True, parents: bool = True) -> SearchResult:
        """The entry with its parents and replies, at most `most`; empty if it does not exist."""

    def close(self) -> None:
        """Close files and connections."""


async def search_elog(
    logbook: Logbook,
    now: datetime,
    *,
    query: str = "",
    since: str = "",
    until: str = "",
    max_results: int = 10,
    **attributes: str,
) -> Findings:
    """The matching entries, the best first; the note says what was widened or cut.

    `attributes` are values by the names of `ROLES`, such as `category="Problem"`. Raises SearchRefused for values that
    do not exist or are invalid, and LogbookError.
    """
    first, last = _day("since", since, now.date()), _day("until", until, now.date())
    if first and last and first > last:
        raise SearchRefused(
            "bad_date", f"The date since {first} lies after until {last}.", "Give the earlier day as since."
        )
    if first and first > now.date():
        raise SearchRefused(
            "future", f"The date since {first} is in the future: today is {now.date()}.", "Give an earlier day."
        )
    notes: list[str] = []
    values = {role: one_line(attributes[role])[:200] for role in ROLES if attributes.get(role, "").strip()}
    if values:
        known = await logbook.values()
        for role, value in values.items():
            values[role] = _value(role, value, known, notes)
    wanted = SearchFilter(query, first, last, values)
    found = await logbook.search(wanted, min(max(max_results, 1), MOST_RESULTS))
    notes += found.notes
    if not found.total:
        notes.append(await _why_nothing(logbook, wanted))
    elif found.total > len(found.entries):
        notes.append(f"{found.total:,} entries fit; {len(found.entries)} are given.")
    return _answer(found.entries, found.total, notes, _MOST_TEXT_FOUND)


async def get_elog_thread(
    logbook: Logbook, message_id: int, *, include_replies: bool = True, include_parents: bool = True
) -> Findings:
    """The entry with its conversation, the oldest first.

    Raises SearchRefused (`no_entry`) for an unknown id, and LogbookError.
    """
    thread = await logbook.thread(message_id, MOST_OF_THREAD, replies=include_replies, parents=include_parents)
    if not thread.entries:
        hint = "Search for it first: every result names its id."
        raise SearchRefused("no_entry", f"There is no entry {message_id} in {logbook.name}.", hint)
    return _answer(thread.entries, len(thread.entries), list(thread.notes), _MOST_TEXT_READ)


async def gather(
    id: int, most: int, entry: Callable[[int], Awaitable[Entry | None]], *, replies: bool, parents: bool
) -> SearchResult:
    """The thread of an entry, at most `most` entries for any links: its parents, then its replies.

    `entry` returns an entry by its id, or None.
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
    return SearchResult(entries, len(entries), tuple(notes))


def fits(role: str, value: str, text: str) -> bool:
    """Whether an attribute of a role has a value, ignoring case; for an author, a part of the name matches."""
    parts, wanted = [part.casefold() for part in parts_of(text)], value.casefold()
    return any(wanted in part for part in parts) if role == "author" else wanted in parts


def parts_of(value: str) -> list[str]:
    """The values in an attribute that may contain several, as ELOG writes them: `RF | Vacuum`."""
    return [part for part in (piece.strip() for piece in value.split("|")) if part]


def by_frequency(times: Mapping[str, int]) -> tuple[str, ...]:
    """The values in attributes with these counts: each once, the most frequent first."""
    counts: Counter[str] = Counter()
    for value, count in times.items():
        counts.update(dict.fromkeys(parts_of(value), count))
    return tuple(sorted(counts, key=lambda value: (-counts[value], value)))


def _as_source(entry: Entry, most: int) -> Source:
    """The entry as a source of kind `elog`. A text longer than `most` characters is cut, with a remark.

    The metadata has `domain`, `replies` and `attachments` only if they are not empty.
    """
    text = entry.text
    if len(text) > most:
        text = f"{text[:most].rstrip()} [... {len(text) - most:,} more characters]"
    metadata = {
        "id": str(entry.id),
        "date": f"{entry.moment:%Y-%m-%d}",
        "time": f"{entry.moment:%H:%M}",
        **{name: getattr(entry, name) for name in ("author", "category", "system")},
        "reply_to": "" if entry.reply_to is None else str(entry.reply_to),
    }
    lists = {name: ", ".join(map(str, getattr(entry, name))) for name in ("replies", "attachments")}
    more = {"domain": entry.domain, **lists}
    line = entry.text.partition("\n")[0]
    pictures = [name for name in entry.attachments if entry.url and name.lower().endswith(_PICTURES)]
    return Source(
        id=f"elog-{entry.id}",
        title=entry.subject or (line if len(line) <= 80 else f"{line[:79]}…") or f"Entry {entry.id}",
        url=entry.url,
        kind="elog",
        metadata=metadata | {name: value for name, value in more.items() if value},
        text=text,
        # A logbook serves attachments next to its entries.
        images=tuple(SourceImage(f"{entry.url.rpartition('/')[0]}/{quote(name)}", name) for name in pictures[:10]),
    )


def _day(name: str, given: str, today: date) -> date | None:
    text = one_line(given)[:60]
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        raise SearchRefused(
            "bad_date", f"{name} {text!r} is not a day.", f"Write YYYY-MM-DD: today is {today}."
        ) from None


def _value(role: str, value: str, known: LogbookValues, notes: list[str]) -> str:
    """The value as in the logbook. Raises SearchRefused if no entry has it, with the existing values."""
    there = known.values.get(role, ())
    if any(fits(role, value, each) for each in there):
        return value
    if not known.complete:
        notes.append(f"No entry of late has {value!r} as its {role}.")
        return value
    if not there:
        raise SearchRefused("unknown_value", f"No entry of the logbook has a {role}.", f"Leave {role} out.")
    named = ", ".join(dict.fromkeys([*nearest(value, there), *there[:_MOST_NAMED]]))
    raise SearchRefused("unknown_value", f"There is no {role} {value!r}.", f"There are: {named}.")


def _answer(entries: Sequence[Entry], total: int, notes: list[str], most: int) -> Findings:
    # Shorten all texts until their total length is within the limit.
    while most > 200 and sum(min(len(entry.text), most) for entry in entries) > _MOST_OF_ALL:
        most = most * 3 // 4
    cut = [entry.id for entry in entries if len(entry.text) > most]
    if cut:
        notes.append(f"Long texts were cut: {', '.join(map(str, cut))}.")
    return Findings(tuple(_as_source(entry, most) for entry in entries), total, " ".join(dict.fromkeys(notes)))


async def _why_nothing(logbook: Logbook, wanted: SearchFilter) -> str:
    """A sentence that names entries which fit some of the restrictions, for a search without results."""
    if not (wanted.since or wanted.until or wanted.values):
        return "No entry has any of the words of the query." if wanted.query.strip() else "There are no such entries."
    try:
        async with asyncio.timeout(_EXPLAINING):
            near = (
                await logbook.search(replace(wanted, values={}), _MOST_NEAR) if wanted.values else SearchResult((), 0)
            )
            if near.entries:
                values = " and ".join(f"{role} {value!r}" for role, value in wanted.values.items())
                return f"No entry with {values} fits. Without that there {_some_of(near)}"
            anywhere = (
                await logbook.search(SearchFilter(wanted.query), _MOST_NEAR)
                if wanted.query.strip()
                else SearchResult((), 0)
            )
    except (LogbookError, TimeoutError):
        # The empty result is the answer; the reason is only additional information.
        return "Nothing fits all restrictions."
    if not wanted.query.strip():
        return "There are no such entries."
    return f"Nothing fits all restrictions; with the query alone there {_some_of(anywhere)}"


def _some_of(found: SearchResult) -> str:
    """`is 1: entry 291 of 2026-11-28, 'Fan exchanged'.`"""
    if not found.entries:
        return "are 0."
    count = "is 1" if found.total == 1 else f"are {found.total:,}"
    named = "; ".join(f"entry {each.id} of {each.moment:%Y-%m-%d}, {each.subject!r}" for each in found.entries)
    return f"{count}{': ' if found.total == len(found.entries) else ', such as '}{named}."
