"""`graphwright knowledge`: index folders of documents, search them, and serve the search over MCP."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphwright.cli.commands import CommandGroup
from graphwright.cli.console import columns, facts, minute, note, print_line, result, result_json
from graphwright.cli.failures import FAILED, Debug, Json
from graphwright.errors import UsageError
from graphwright.text.sentences import bounded, many

if TYPE_CHECKING:
    from graphwright.tools.sources import Findings
    from graphwright_assistant.retrieval import Indexed, UnreadableFile

app = typer.Typer(cls=CommandGroup, rich_markup_mode=None)

_MOST_TOLD = 10
_SNIPPET = 240
_EVERY = 2.0
"""Seconds between two lines of progress."""

_TIMEOUT_SECONDS = 20.0
"""Seconds that an MCP client waits for the first indexing, before it is asked to try again."""


@app.callback(no_args_is_help=True)
def knowledge(debug: Debug = False) -> None:
    """Index folders of documents (Markdown, HTML, PDF, text, Office, CSV) and search them.

    Searches use the folder of `knowledge` in [agents.assistant] of graphwright.toml, else all indexed folders, else a
    sample corpus about an invented light source.
    """


@app.command()
def index(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder with the documents.")],
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="A name for the folder; by default its own name.")
    ] = "",
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Update the index of a folder: only new, changed, moved and deleted files are processed.

    Files that cannot be read are listed, and the others indexed. The command may be stopped at any time and run again.
    """
    from graphwright_assistant.retrieval import chosen_embedder, configured_folder, own_index, searched_index

    configured = configured_folder()
    is_configured = configured is not None and configured.resolve() == folder.expanduser().resolve()
    place = searched_index if is_configured else own_index
    did = place(embedder=chosen_embedder()).update(folder, name, notify=progress())
    if as_json:
        result_json(asdict(did))
    else:
        _tell_indexed(did)
    if not did.pages and did.unread:
        raise typer.Exit(FAILED)


@app.command()
def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text to search for; '-' reads it from stdin.")],
    accelerator: Annotated[
        str,
        typer.Option(
            "--accelerator", metavar="A", help="Rank passages about this accelerator first, then those about all."
        ),
    ] = "all",
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=20, help="The largest number of passages.")
    ] = 5,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the passages that match best, with their pages."""
    from graphwright_assistant.retrieval import ALL, IS_SAMPLE, ChosenKnowledge

    wanted = sys.stdin.read() if text == "-" else text
    where = ChosenKnowledge(notify=progress())
    found = where.search(wanted, accelerator, limit)
    known = (ALL, *where.accelerators())
    if accelerator.strip().lower() not in known:
        hint = f"There are: {', '.join(known)}."
        raise UsageError("unknown_value", f"There is no accelerator {accelerator!r}.", hint)
    if as_json:
        result_json(found.to_json())
        return
    _show(found, wanted)
    if found.note:
        note(found.note)
    if where.sample:
        note((f"{IS_SAMPLE} Index one with graphwright knowledge index DIR.", "dim"))


@app.command()
def status(as_json: Json = False, debug: Debug = False) -> None:
    """Show what is indexed, when it was last updated, and which files could not be read."""
    from graphwright_assistant.retrieval import IS_SAMPLE, chosen_embedder, configured_folder, searched_index

    embedder = chosen_embedder()
    own = searched_index(embedder=embedder)
    folders, configured = own.folders(), configured_folder()
    if as_json:
        searched = {"configured": str(configured) if configured else None, "index": str(own.file)}
        known = {"embeddings": embedder.name if embedder else None, "sample": not folders and configured is None}
        result_json({**searched, **known, "folders": [asdict(folder) for folder in folders]})
        return
    facts((("index", str(own.file)), ("embeddings", embedder.name if embedder else "none: by words alone")), 11)
    if configured:
        note(f"Searches go to {configured}, as graphwright.toml says.")
    if folders:
        result()
        rows = [(f.name, f"{f.pages:,}", f"{f.passages:,}", minute(f.indexed) or "-", str(f.path)) for f in folders]
        columns(rows, ("NAME", "PAGES", "PASSAGES", "INDEXED", "FOLDER"))
    for folder in folders:
        _tell_files(f"not read of {folder.name}", folder.unread)
        _tell_passed(folder.passed)
    if not folders and configured is None:
        note(f"{IS_SAMPLE} Index one with graphwright knowledge index DIR.")


@app.command()
def forget(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A folder, as status lists it.")],
    debug: Debug = False,
) -> None:
    """Remove a folder from the index. Its documents are not touched."""
    from graphwright_assistant.retrieval import searched_index

    searched_index().forget(name)
    result(f"{name} is no longer in the index")


@app.command()
def serve(debug: Debug = False) -> None:
    """Serve search_accelerator_knowledge and read_page over MCP, on stdin and stdout, to the program that runs this."""
    import asyncio

    from graphwright_assistant.retrieval import ChosenKnowledge, configured_accelerators, knowledge_server

    with closing(ChosenKnowledge(notify=note, timeout=_TIMEOUT_SECONDS)) as where:
        server = knowledge_server(where, configured_accelerators())
        note("Serving search_accelerator_knowledge and read_page over MCP, until stdin ends.")
        asyncio.run(server.run_stdio_async(show_banner=False))


def progress() -> Callable[[str], None]:
    """Return a function that prints progress to stderr, counts at most every two seconds."""
    last = time.monotonic()

    def notify(what: str) -> None:
        nonlocal last
        if (now := time.monotonic()) - last >= _EVERY or not what[0].isdigit():
            last = now
            note((what, "dim"))

    return notify


def _show(found: Findings, wanted: str) -> None:
    for number, source in enumerate(found.sources):
        if number:
            result()
        known = source.metadata
        page = f"p. {known['page']}" if "page" in known else ""
        about = (known.get("heading", ""), page, known.get("accelerator", ""), known.get("updated", ""))
        print_line((source.title, "bold"), "".join(f" · {each}" for each in about if each))
        print_line(f"  {_snippet(source.text, wanted)}")
        print_line((f"  {source.url}", "dim"))


def _snippet(text: str, wanted: str) -> str:
    """Return the part of a text with the most search words, on one line."""
    from graphwright.text.folding import folded, words_of

    words, flat = set(words_of(wanted)), " ".join(text.split())
    small = folded(flat)
    places = [at for word in words for at in range(len(small)) if small.startswith(word, at)]
    start = max(places, key=lambda place: sum(place <= other < place + _SNIPPET for other in places), default=0)
    start = max(0, min(start - _SNIPPET // 6, len(flat) - _SNIPPET))
    start = flat.find(" ", start) + 1 if start else 0
    shown = flat[start : start + _SNIPPET].strip()
    return f"{'… ' if start else ''}{shown}{' …' if start + _SNIPPET < len(flat) else ''}"


def _tell_indexed(did: Indexed) -> None:
    counts = {"added": did.added, "changed": did.changed, "removed": did.removed, "unchanged": did.unchanged}
    done = [f"{count:,} {what}" for what, count in {**counts, "passages embedded": did.embedded}.items() if count]
    _tell_files("not read", did.unread)
    _tell_files("read in part", did.cut)
    _tell_passed(did.passed)
    if did.note:
        note(did.note)
    result(f"{did.name}: {many(did.pages, 'page')}, {many(did.passages, 'passage')}")
    if done:
        note((", ".join(done), "dim"))
    if not did.pages:
        note("There is nothing to search in it: Markdown, HTML, PDF, text, Office and CSV files are read.")


def _tell_files(what: str, files: Sequence[UnreadableFile]) -> None:
    for file in files[:_MOST_TOLD]:
        note((f"{what}: ", "yellow"), f"{file.path or 'the folder'}: {file.why}")
    if len(files) > _MOST_TOLD:
        note(f"{what}: and {len(files) - _MOST_TOLD:,} more")


def _tell_passed(passed: Mapping[str, int]) -> None:
    if passed:
        kinds = bounded([f"{count:,} {kind}" for kind, count in passed.items()], _MOST_TOLD)
        note((f"other files, not read: {kinds}", "dim"))
