"""`graphwright elog`: search and read the logbook, import entries into the built-in one, and serve it over MCP."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwright.cli.commands import CommandGroup
from graphwright.cli.console import note, print_line, result, result_json
from graphwright.cli.failures import FAILED, Debug, Json
from graphwright.errors import UsageError
from graphwright_assistant.assistant.knowledge_commands import progress

if TYPE_CHECKING:
    from graphwright.tools.sources import Findings, Source
    from graphwright_assistant.retrieval import Clock, Logbook

app = typer.Typer(cls=CommandGroup, rich_markup_mode=None)

_MOST_TOLD = 20
_TODAY = "GRAPHWRIGHT_TODAY"


@app.callback(no_args_is_help=True)
def elog(debug: Debug = False) -> None:
    """Search and read the electronic logbook, import entries, and serve it to agents.

    It is the ELOG server of `elog` in [agents.assistant] of graphwright.toml, which is only read, else the built-in
    logbook in the data folder. The built-in logbook contains sample shifts until you import your own entries.
    """


@app.command()
def search(
    query: Annotated[str, typer.Argument(metavar="[QUERY]", help="Words to look for; none for all entries.")] = "",
    since: Annotated[
        str, typer.Option("--since", metavar="DAY", help="Only entries from this day on: YYYY-MM-DD.")
    ] = "",
    until: Annotated[str, typer.Option("--until", metavar="DAY", help="Only entries up to this day: YYYY-MM-DD.")] = "",
    category: Annotated[str, typer.Option("--category", metavar="C", help="Only entries of this category.")] = "",
    system: Annotated[str, typer.Option("--system", metavar="S", help="Only entries of this system.")] = "",
    domain: Annotated[str, typer.Option("--domain", metavar="D", help="Only entries of this domain.")] = "",
    author: Annotated[
        str, typer.Option("--author", metavar="A", help="Only entries by this author; part of the name is enough.")
    ] = "",
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=50, help="The largest number of entries.")
    ] = 10,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Search entries: the best match first with a query, the newest first without."""

    async def look(logbook: Logbook, clock: Clock) -> Findings:
        from graphwright_assistant.retrieval import search_elog

        return await search_elog(
            logbook,
            clock(),
            query=query,
            since=since,
            until=until,
            category=category,
            system=system,
            domain=domain,
            author=author,
            max_results=limit,
        )

    _answer(look, as_json)


@app.command()
def show(
    id: Annotated[int, typer.Argument(metavar="ID", help="The id of an entry.")],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the whole thread of an entry, the oldest entry first."""

    async def look(logbook: Logbook, _: Clock) -> Findings:
        from graphwright_assistant.retrieval import get_elog_thread

        return await get_elog_thread(logbook, id)

    _answer(look, as_json)


@app.command("import")
def import_file(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="JSON, JSON Lines, CSV, or an export of ELOG (Raw, XML).")
    ],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Import entries from a file into the built-in logbook.

    The first import replaces the sample shifts. Entries with known ids are updated, so an import may be repeated.
    Entries that cannot be read are listed and the others imported; the exit code is then 1.
    """
    from graphwright.store.home import data_home
    from graphwright_assistant.retrieval import BuiltinLogbook, chosen_embedder, configured_address, read_file

    clock = _clock()
    read = read_file(file, clock().date())
    with closing(BuiltinLogbook(data_home(), clock, embedder=chosen_embedder())) as logbook:
        done = logbook.take_in(read, notify=progress())
        for place, reason in done.refused[:_MOST_TOLD]:
            note(f"{file}: {place}: {reason}")
        if len(done.refused) > _MOST_TOLD:
            note(f"{file}: and {len(done.refused) - _MOST_TOLD:,} more.")
        if as_json:
            refused = [{"place": place, "reason": reason} for place, reason in done.refused]
            counts = {"added": done.added, "changed": done.changed, "unchanged": done.unchanged}
            result_json({**counts, "refused": refused})
        else:
            told_refused = f", {len(done.refused):,} refused" if done.refused else ""
            result(f"{done.added:,} added, {done.changed:,} changed, {done.unchanged:,} unchanged{told_refused}")
        for told in done.notes:
            note(told)
        if done.replaced_sample:
            note("The sample shifts were taken out.")
        if address := configured_address():
            note(f"Searches still go to {address}, as graphwright.toml says.")
    if done.refused:
        raise typer.Exit(FAILED)


@app.command()
def serve(debug: Debug = False) -> None:
    """Serve search_elog and get_elog_thread over MCP, on stdin and stdout, for an agent that starts this program."""
    import asyncio

    with _logbook() as (logbook, clock):
        from graphwright_assistant.retrieval import logbook_server

        server = logbook_server(logbook, clock)
        note(f"Serving {logbook.name} over MCP, until stdin ends.")
        asyncio.run(server.run_stdio_async(show_banner=False))


def _clock() -> Clock:
    """Return the clock: the time in `GRAPHWRIGHT_TODAY` (`2026-11-22`, or `2026-11-22T14:30`), else the real time."""
    if not (given := os.environ.get(_TODAY, "").strip()):
        return datetime.now
    try:
        moment = datetime.fromisoformat(given).replace(tzinfo=None)
    except ValueError:
        told = f"{_TODAY} is {given!r}, which is not a day."
        raise UsageError("bad_clock", told, "Write it as 2026-11-22, or unset it.") from None
    if len(given) <= len("2026-11-22"):
        # A date without time means the end of the day.
        moment = datetime.combine(moment, time(23, 59, 59))
    return lambda: moment


@contextmanager
def _logbook() -> Iterator[tuple[Logbook, Clock]]:
    """Open the logbook; yields it and the clock."""
    from graphwright.store.home import data_home
    from graphwright_assistant.retrieval import configured_address, open_logbook

    clock = _clock()
    with closing(open_logbook(configured_address(), data_home(), clock)) as logbook:
        yield logbook, clock


def _answer(look: Callable[[Logbook, Clock], Coroutine[Any, Any, Findings]], as_json: bool) -> None:
    import asyncio

    with _logbook() as (logbook, clock):
        note((logbook.name, "dim"))
        answer = asyncio.run(look(logbook, clock))
        if as_json:
            result_json(answer.to_json())
            return
        for number, source in enumerate(answer.sources):
            if number:
                result()
            _show(source)
        if answer.note:
            note(answer.note)


def _show(source: Source) -> None:
    facts = source.metadata
    print_line((f"{facts['id']}  {source.title}", "bold"))
    who = " · ".join(part for part in (facts["author"], facts["category"], facts["system"]) if part)
    links = [f"answers {facts['reply_to']}"] if facts["reply_to"] else []
    links += [f"answered by {facts['replies']}"] if "replies" in facts else []
    print_line((" · ".join([f"{facts['date']} {facts['time']}", *([who] if who else []), *links]), "dim"))
    for line in source.text.split("\n"):
        result(f"  {line}".rstrip())
    if "attachments" in facts:
        result(f"  attached: {facts['attachments']}")
    if source.url:
        print_line((f"  {source.url}", "dim"))
