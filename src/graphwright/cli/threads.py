"""`graphwright threads`: list, inspect and delete conversations."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from graphwright.cli.console import ask_yes, columns, interactive, note, result, result_json, shown
from graphwright.cli.failures import Debug, reporting, result_failed
from graphwright.cli.running import run
from graphwright.cli.trace_lines import trace_line, value_text, without_private
from graphwright.errors import UsageError
from graphwright.runtime.address import short

if TYPE_CHECKING:
    from graphwright.store import EventRow, Message, Store, ThreadRow

app = typer.Typer(rich_markup_mode=None)

Thread = Annotated[str, typer.Argument(metavar="THREAD", help="A thread id, as 'graphwright threads' lists it.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

T = TypeVar("T")

_STATUS = {"running": "running, or cut short: then its next message finishes it"}


@app.callback(invoke_without_command=True)
def threads(context: typer.Context, as_json: Json = False, debug: Debug = False) -> None:
    """List, show, trace and delete conversations.

    Without a command: the list, the thread last touched first.
    """
    if context.invoked_subcommand is None:
        list_threads(as_json)


@app.command("list")
def list_threads(as_json: Json = False, debug: Debug = False) -> None:
    """All threads, the one last touched first."""
    with reporting(result_failed if as_json else None):
        rows = _with_store(_every_thread)
        if as_json:
            result_json([asdict(row) for row in rows])
        elif not rows:
            note("There are no threads yet. Begin one with 'graphwright chat AGENT'.")
        else:
            heading = ("THREAD", "AGENT", "STATUS", "TURNS", "UPDATED", "BEGINS WITH")
            columns(
                [(r.thread, short(r.agent), r.status, str(r.turns), _minute(r.updated), r.title) for r in rows],
                heading,
            )


@app.command()
def show(thread: Thread, as_json: Json = False, debug: Debug = False) -> None:
    """A thread: its agent, where it stands, and what was said."""
    with reporting(result_failed if as_json else None):
        row, messages, _ = _read(thread)
        if as_json:
            result_json({**asdict(row), "messages": [asdict(message) for message in messages]})
            return
        waits = f" at {row.waiting_for['node']}" if row.status == "waiting" and row.waiting_for else ""
        for name, value in (
            ("thread", row.thread),
            ("agent", row.agent),
            ("flow", f"{row.flow_id} ({row.flow_hash[:12]})"),
            ("status", f"{_STATUS.get(row.status, row.status)}{waits}"),
            ("turns", str(row.turns)),
            ("begun", _minute(row.created)),
            ("updated", _minute(row.updated)),
        ):
            shown((f"{name:<9}", "dim"), value)
        for message in messages:
            result()
            speaker = "you" if message.role == "user" else short(row.agent)
            shown((f"{speaker}: ", "bold cyan" if message.role == "user" else "bold green"), message.text)


@app.command()
def trace(thread: Thread, as_json: Json = False, debug: Debug = False) -> None:
    """What happened in a thread, one line an event.

    Nodes entered, guards and what they saw, answers and the words they came from, model calls and what they took.
    """
    with reporting(result_failed if as_json else None):
        _, _, events = _read(thread)
        if as_json:
            result_json([{"seq": e.seq, "visit": e.visit, "time": e.time, **without_private(e.event)} for e in events])
            return
        for event in events:
            shown((f"{event.seq:>5} {event.time[11:23]} ", "dim"), trace_line(without_private(event.event)))


@app.command()
def delete(
    thread: Thread,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    debug: Debug = False,
) -> None:
    """Delete a thread with everything it holds.

    What its agent has kept as records stays.
    """
    row, messages, _ = _read(thread)
    if not yes:
        what = f"thread {row.thread} ({short(row.agent)}, {len(messages)} messages)"
        if not interactive():
            raise UsageError("not_confirmed", f"Deleting {what} was not confirmed.", "Add --yes to delete it.")
        if not ask_yes(f"Delete {what}? It cannot be brought back.", default=False):
            note("Nothing was deleted.")
            return

    async def remove(store: Store) -> None:
        async with store.lease(thread):
            await store.threads.delete(thread)

    _with_store(remove)
    note(f"Deleted thread {thread}.")


def _minute(time: str) -> str:
    return time[:16].replace("T", " ")


def _with_store(work: Callable[[Store], Awaitable[T]]) -> T:
    from graphwright.store import open_store

    async def opened() -> T:
        async with open_store(create=False) as store:
            return await work(store)

    return run(opened())


async def _every_thread(store: Store) -> list[ThreadRow]:
    found: list[ThreadRow] = []
    while page := await store.threads.list(limit=1000, offset=len(found)):
        found += page
    return found


def _read(thread: str) -> tuple[ThreadRow, list[Message], list[EventRow]]:
    async def read(store: Store) -> tuple[ThreadRow, list[Message], list[EventRow]] | None:
        row = await store.threads.get(thread)
        if row is None:
            return None
        return row, await store.messages.read(thread), await store.events.read(thread)

    found = _with_store(read)
    if found is None:
        raise UsageError(
            "no_such_thread", f"There is no thread {value_text(thread)}.", "'graphwright threads' lists them."
        )
    return found
