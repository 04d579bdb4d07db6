"""`search_elog` and `get_elog_thread`: arguments checked, or refused with what would fit; results with what to know."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date, datetime
from urllib.parse import quote

from graphwright.retrieval.entries import fits
from graphwright.retrieval.errors import LogbookError, Refused
from graphwright.retrieval.index import nearest
from graphwright.retrieval.logbook import Entry, Known, Logbook, Wanted
from graphwright.text.markup import one_line
from graphwright.tools.sources import Findings, Source, SourceImage

MOST_RESULTS = 50
MOST_OF_THREAD = 50
MOST_QUERY = 400

_EXPLAINING = 20.0
_MOST_TEXT_FOUND = 1_200
_MOST_TEXT_READ = 8_000
_MOST_OF_ALL = 60_000
_MOST_NAMED = 30
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg")


async def search_elog(
    logbook: Logbook,
    now: datetime,
    *,
    query: str = "",
    since: str = "",
    until: str = "",
    category: str = "",
    system: str = "",
    domain: str = "",
    author: str = "",
    max_results: int = 10,
) -> Findings:
    """The entries that fit, the best first; what was widened or cut stands in the note.

    Raises Refused for what does not exist or cannot be, and LogbookError.
    """
    first, last = _day("since", since, now.date()), _day("until", until, now.date())
    if first is not None and last is not None and first > last:
        raise Refused("bad_date", f"since {first} lies after until {last}.", "Give the earlier day as since.")
    if first is not None and first > now.date():
        raise Refused("future", f"since {first} lies in the future: today is {now.date()}.", "Give an earlier day.")
    notes: list[str] = []
    given = {"category": category, "system": system, "domain": domain, "author": author}
    values = {role: one_line(value)[:200] for role, value in given.items() if value.strip()}
    if values:
        known = await logbook.known()
        for role, value in values.items():
            values[role] = _value(role, value, known, notes)
    if len(query) > MOST_QUERY:
        notes.append(f"The query was cut to {MOST_QUERY} characters.")
    most = min(max(max_results, 1), MOST_RESULTS)
    if most != max_results:
        notes.append(f"max_results {max_results} lies outside of 1 to {MOST_RESULTS}: {most} was taken.")
    wanted = Wanted(query[:MOST_QUERY], first, last, values)
    found = await logbook.search(wanted, most)
    notes += found.notes
    if not found.total:
        notes.append(await _why_nothing(logbook, wanted))
    elif found.total > len(found.entries):
        notes.append(f"{found.total:,} entries fit; {len(found.entries)} are given.")
    return _answer(found.entries, found.total, notes, _MOST_TEXT_FOUND)


async def get_elog_thread(
    logbook: Logbook, message_id: int, *, include_replies: bool = True, include_parents: bool = True
) -> Findings:
    """The entry with the conversation it belongs to, the oldest first.

    Raises Refused (`no_entry`) where there is none with this id, and LogbookError.
    """
    thread = await logbook.thread(message_id, MOST_OF_THREAD, replies=include_replies, parents=include_parents)
    if not thread.entries:
        hint = "Search for it first: every result names its id."
        raise Refused("no_entry", f"there is no entry {message_id} in {logbook.name}.", hint)
    return _answer(thread.entries, len(thread.entries), list(thread.notes), _MOST_TEXT_READ)


def as_source(entry: Entry, most: int) -> Source:
    """The entry as a source of kind `elog`, its text cut to `most` characters, which then says so.

    The metadata always has `id, date, time, author, category, system, reply_to`, and `domain`, `replies` and
    `attachments` where there are some.
    """
    text = entry.text
    if len(text) > most:
        text = f"{text[:most].rstrip()} [... {len(text) - most:,} more characters]"
    metadata = {
        "id": str(entry.id),
        "date": f"{entry.moment:%Y-%m-%d}",
        "time": f"{entry.moment:%H:%M}",
        "author": entry.author,
        "category": entry.category,
        "system": entry.system,
        "reply_to": "" if entry.reply_to is None else str(entry.reply_to),
    }
    more = {
        "domain": entry.domain,
        "replies": ", ".join(map(str, entry.replies)),
        "attachments": ", ".join(entry.attachments),
    }
    line = entry.text.partition("\n")[0]
    pictures = [name for name in entry.attachments if entry.url and name.lower().endswith(_PICTURES)]
    return Source(
        id=f"elog-{entry.id}",
        title=entry.subject or (line if len(line) <= 80 else f"{line[:79]}…") or f"Entry {entry.id}",
        url=entry.url,
        kind="elog",
        metadata=metadata | {name: value for name, value in more.items() if value},
        text=text,
        # A logbook serves what is attached beside its entries.
        images=tuple(SourceImage(f"{entry.url.rpartition('/')[0]}/{quote(name)}", name) for name in pictures[:10]),
    )


def _day(name: str, given: str, today: date) -> date | None:
    text = one_line(given)[:60]
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        hint = f"Write it as YYYY-MM-DD: today is {today}."
        raise Refused("bad_date", f"{name} {text!r} is no day.", hint) from None


def _value(role: str, value: str, known: Known, notes: list[str]) -> str:
    """The value as the logbook writes it. Raises Refused where nothing has it, naming what there is."""
    there = known.values.get(role, ())
    if any(fits(role, value, each) for each in there):
        return value
    if not known.complete:
        notes.append(f"No entry of late has {value!r} as its {role}.")
        return value
    if not there:
        raise Refused("unknown_value", f"no entry of the logbook has a {role}.", f"Leave {role} out.")
    near = ", ".join(nearest(value, there, _MOST_NAMED))
    raise Refused("unknown_value", f"there is no {role} {value!r}.", f"There are: {near}.")


def _answer(entries: Sequence[Entry], total: int, notes: list[str], most: int) -> Findings:
    # Ever less of each, until all of them together are not too long.
    while most > 200 and sum(min(len(entry.text), most) for entry in entries) > _MOST_OF_ALL:
        most = most * 3 // 4
    cut = [entry.id for entry in entries if len(entry.text) > most]
    if cut:
        notes.append(f"Long texts were cut: {', '.join(map(str, cut))}.")
    return Findings(tuple(as_source(entry, most) for entry in entries), total, " ".join(dict.fromkeys(notes)))


async def _why_nothing(logbook: Logbook, wanted: Wanted) -> str:
    """How many entries there are without the other restrictions of a query that finds none."""
    if not wanted.query.strip():
        return "There are no such entries."
    if not (wanted.since or wanted.until or wanted.values):
        return "No entry has any of the words of the query."
    try:
        async with asyncio.timeout(_EXPLAINING):
            anywhere = (await logbook.search(Wanted(wanted.query), 1)).total
    except (LogbookError, TimeoutError):
        # That nothing was found is an answer; why is only a help.
        return "Nothing fits all restrictions."
    return (
        f"Nothing fits all restrictions; with the query alone there {'is 1' if anywhere == 1 else f'are {anywhere:,}'}."
    )
