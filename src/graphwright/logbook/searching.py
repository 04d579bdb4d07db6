"""`search_elog` and `get_elog_thread`: arguments mended or refused with the reason, results with what to know."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from graphwright.logbook.dates import read_days
from graphwright.logbook.errors import LogbookError, Refused
from graphwright.logbook.port import Entry, Logbook, Wanted
from graphwright.logbook.quoting import as_source
from graphwright.logbook.words import authors_for, values_for
from graphwright.tools.sources import Findings

MOST_RESULTS = 50
MOST_OF_THREAD = 50
MOST_QUERY = 400

_EXPLAINING = 20.0
_MOST_TEXT_FOUND = 1_200
_MOST_TEXT_READ = 8_000
_MOST_OF_ALL = 60_000


async def search_elog(
    logbook: Logbook,
    now: datetime,
    *,
    query: str = "",
    since: str = "",
    until: str = "",
    category: str = "",
    system: str = "",
    author: str = "",
    max_results: int = 10,
) -> Findings:
    """The entries that fit, the best first; what was mended, widened or cut stands in the note.

    Raises Refused for what cannot be meant, and LogbookError.
    """
    first, last, notes = read_days(since, until, now.date())
    values: dict[str, tuple[str, ...]] = {"categories": (), "systems": (), "authors": ()}
    if category.strip() or system.strip() or author.strip():
        known = await logbook.known()
        values["categories"], said = values_for("category", category, known.categories, known.complete)
        notes += said
        values["systems"], said = values_for("system", system, known.systems, known.complete)
        notes += said
        values["authors"], said = authors_for(author, known.authors, known.complete)
        notes += said
    if len(query) > MOST_QUERY:
        notes.append(f"The query was cut to {MOST_QUERY} characters.")
    most = min(max(max_results, 1), MOST_RESULTS)
    if most != max_results:
        notes.append(f"max_results {max_results} lies outside of 1 to {MOST_RESULTS}: {most} was taken.")
    wanted = Wanted(query[:MOST_QUERY], first, last, **values)
    found = await logbook.search(wanted, most)
    notes += found.notes
    if not found.total:
        notes.append(await _why_nothing(logbook, wanted))
    elif found.total > len(found.entries):
        notes.append(f"{found.total:,} entries fit; {len(found.entries)} are given.")
    return _answer(found.entries, found.total, notes, _MOST_TEXT_FOUND)


async def get_elog_thread(logbook: Logbook, id: int) -> Findings:
    """The entry with the whole conversation it belongs to, the oldest first.

    Raises Refused (`no_entry`) where there is none with this id, and LogbookError.
    """
    if not 1 <= id < 2**63:
        raise Refused("bad_argument", f"there is no entry {id}: ids are whole numbers from 1 on.", _SEARCH_FIRST)
    thread = await logbook.thread(id, MOST_OF_THREAD)
    if not thread.entries:
        raise Refused("no_entry", f"there is no entry {id} in {logbook.name}.", _SEARCH_FIRST)
    return _answer(thread.entries, len(thread.entries), list(thread.notes), _MOST_TEXT_READ)


_SEARCH_FIRST = "Search for it first: every result names its id."


def _answer(entries: Sequence[Entry], total: int, notes: list[str], most: int) -> Findings:
    # Ever less of each, until all of them together are not too long.
    while most > 200 and sum(min(len(entry.text), most) for entry in entries) > _MOST_OF_ALL:
        most = most * 3 // 4
    cut = [entry.id for entry in entries if len(entry.text) > most]
    if cut:
        notes.append(f"Long texts were cut: {', '.join(map(str, cut))}.")
    return Findings(tuple(as_source(entry, most) for entry in entries), total, " ".join(dict.fromkeys(notes)))


async def _why_nothing(logbook: Logbook, wanted: Wanted) -> str:
    """Which restriction excludes most: how many entries there are without each."""
    given = _restrictions(wanted)
    if len(given) < 2:
        return _nothing_at_all(wanted)
    totals: list[tuple[str, int]] = []
    alone = 0
    try:
        async with asyncio.timeout(_EXPLAINING):
            for name, without in given.items():
                totals.append((name, (await logbook.search(without, 1)).total))
            if wanted.query.strip() and not any(total for _, total in totals):
                alone = (await logbook.search(Wanted(query=wanted.query), 1)).total
    except (LogbookError, TimeoutError):
        # That nothing was found is an answer; why is only a help.
        if not any(total for _, total in totals):
            return "Nothing fits all restrictions."
    told = [f"without {name} there {_are(total)}" for name, total in sorted(totals, key=lambda each: -each[1]) if total]
    if told:
        return f"Nothing fits all restrictions: {', '.join(told)}."
    if alone:
        return f"Nothing fits, whichever restriction is left out; with the query alone there {_are(alone)}."
    return "Nothing fits, whichever restriction is left out."


def _restrictions(wanted: Wanted) -> dict[str, Wanted]:
    """What restricts the search, by its name, with the search that leaves it out."""
    given: dict[str, Wanted] = {}
    if wanted.query.strip():
        given["the query"] = replace(wanted, query="")
    if wanted.since or wanted.until:
        given["the dates"] = replace(wanted, since=None, until=None)
    if wanted.categories:
        given["the category"] = replace(wanted, categories=())
    if wanted.systems:
        given["the system"] = replace(wanted, systems=())
    if wanted.authors:
        given["the author"] = replace(wanted, authors=())
    return given


def _nothing_at_all(wanted: Wanted) -> str:
    if wanted.query.strip():
        return "No entry has any of the words of the query. Try other words, or those of the other language."
    if wanted.since or wanted.until:
        return "There are no entries in this time."
    return "There are no such entries."


def _are(total: int) -> str:
    return "is 1" if total == 1 else f"are {total:,}"
