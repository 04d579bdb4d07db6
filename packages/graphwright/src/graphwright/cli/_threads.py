"""`graphwright threads`: list, inspect, branch, migrate, export, count and delete conversations."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from graphwright.cli._migrate_threads import migrate
from graphwright.cli.commands import CommandGroup
from graphwright.cli.console import columns, confirmed, facts, minute, next_table, note, print_line, result, result_json
from graphwright.cli.conversation import agent_of, loaded, thread_row, with_store
from graphwright.cli.failures import Debug, Json, Yes
from graphwright.errors import GraphwrightError, UsageError
from graphwright.hooks import EXPORTS, Export, StoredThread
from graphwright.testing._loop import run
from graphwright.testing._trace_lines import BOOKKEEPING, path_text, trace_line, trace_lines, value_text
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from graphwright.engine.events import TraceEvent
    from graphwright.engine.replay import Branch, Moment
    from graphwright.host.telemetry._counters import FlowCount
    from graphwright.store import EventRow, Message, Store, ThreadRow

app = typer.Typer(cls=CommandGroup, rich_markup_mode=None)

Thread = Annotated[str, typer.Argument(metavar="THREAD", help="A thread id, as 'graphwright threads' lists it.")]


@app.callback(invoke_without_command=True)
def threads(context: typer.Context, as_json: Json = False, debug: Debug = False) -> None:
    """List, show, trace, branch, migrate, export, count and delete conversations.

    Without a command: the list, the most recently updated thread first.
    """
    if context.invoked_subcommand is not None:
        return
    rows = with_store(_every_thread)
    if as_json:
        result_json([asdict(row) for row in rows])
    elif not rows:
        note(f"{_none_yet()} Begin one with 'graphwright chat AGENT'.")
    else:
        columns(
            [(r.thread, _short(r.agent), _status(r), str(r.turns), minute(r.updated), r.title) for r in rows],
            ("THREAD", "AGENT", "STATUS", "TURNS", "UPDATED", "BEGINS WITH"),
        )


@app.command()
def show(
    thread: Thread,
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="N", help="Show its state after event N of the trace; -1 is the last event."),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show a thread: its agent, its status, and its messages.

    With --at its state at an earlier point: node, pending question, answers and channels.
    """
    if at is not None:
        _show_at(thread, at, as_json)
        return
    from graphwright.engine.events import PathCorrected, PathLocked, PathVoted, TurnStarted, events_from_json
    from graphwright.engine.state import ThreadState, applied

    row, messages, rows = _read(thread)
    events = events_from_json(each.event for each in rows)
    # Only the events that determine the chosen path.
    of_paths = [e for e in events if isinstance(e, TurnStarted | PathVoted | PathLocked | PathCorrected)]
    paths = applied(ThreadState(), of_paths).paths
    if as_json:
        said = [asdict(message) for message in messages]
        result_json({**asdict(row), "paths": paths.to_json(), "messages": said})
        return
    waits = f" at {row.waiting_for['node']}" if row.status == "waiting" and row.waiting_for else ""
    finishes = ": its next message finishes it" if _status(row) == "cut short" else ""
    facts(
        [
            ("thread", row.thread),
            ("agent", row.agent),
            ("flow", f"{row.flow_id} ({row.flow_hash[:12]})"),
            ("status", f"{_status(row)}{waits}{finishes}"),
            *_failure(row, events),
            ("turns", str(row.turns)),
            ("begun", minute(row.created)),
            ("updated", minute(row.updated)),
            *([("path", path_text(paths))] if paths.votes else []),
        ]
    )
    for message in messages:
        result()
        speaker = "you" if message.role == "user" else _short(row.agent)
        print_line((f"{speaker}: ", "bold cyan" if message.role == "user" else "bold green"), message.text)


def _short(agent: str) -> str:
    """Return the short name of an agent."""
    # Imported here: a command that lists nothing should not load it.
    from graphwright.host.discovery import short

    return short(agent)


def _failure(row: ThreadRow, events: Sequence[TraceEvent]) -> list[tuple[str, str]]:
    """Return why the last turn of a thread failed, and where the thread waits; empty for other threads."""
    from graphwright.engine.events import TurnFailed

    if row.status != "failed":
        return []
    why = next((each for each in reversed(events) if isinstance(each, TurnFailed)), None)
    reason = [("why", f"{why.message} [{why.code}]")] if why is not None else []
    return reason + ([("waits at", row.waiting_for["node"])] if row.waiting_for else [])


def _show_at(thread: str, at: int, as_json: bool) -> None:
    async def read(store: Store) -> tuple[Moment, dict[str, Any], int]:
        from graphwright.engine.replay import fold
        from graphwright.host._workspace import described

        row, events = await thread_row(store, thread), await store.events.read(thread)
        moment = fold(events, at)
        return moment, await described(store, row, moment), len(events) - 1

    moment, data, last = with_store(read)
    if as_json:
        result_json(data)
        return
    where = f" at {data['node']}" if data["node"] and data["status"] != "ended" else ""
    status = "during a turn" if data["status"] == "running" else data["status"]
    facts(
        [
            ("thread", data["thread"]),
            ("agent", data["agent"]),
            ("flow", f"{data['flow_id']} ({data['flow_hash'][:12]})"),
            ("event", f"{data['at']} (of 0 to {last}): {trace_line(data['event']).strip()}"),
            ("time", data["time"][:19].replace("T", " ")),
            ("turn", str(data["turn"])),
            ("status", f"{status}{where}"),
            *([("path", path_text(moment.state.paths))] if moment.state.paths.votes else []),
            *([("prompt", data["waiting_for"]["prompt"])] if data["waiting_for"] else []),
        ]
    )
    channels = {name: value for name, value in data["values"].items() if name != "answers"}
    for title, values in (("answers", data["values"]["answers"]), ("channels", channels)):
        result()
        print_line((title, "bold"), "" if values else ": none")
        for name, value in values.items():
            print_line(f"  {name} = {value_text(value)}")


@app.command()
def flow(thread: Thread, debug: Debug = False) -> None:
    """Print the flow document under which a thread runs, as JSON, which is a flow document itself.

    It has neither comments nor layout (ui) nor description. It stays in the store if the agent's flow changes.
    """

    async def read(store: Store) -> tuple[ThreadRow, str | None]:
        row = await thread_row(store, thread)
        return row, await store.flows.get(row.flow_hash)

    row, document = with_store(read)
    if document is None:
        raise GraphwrightError(
            "no_flow_document",
            f"The store does not have the flow document of thread {thread!r} ({row.flow_hash[:12]}).",
            "It is stored with the next turn that an agent serves under that version of the flow.",
        )
    result_json(json.loads(document))


app.command()(migrate)


@app.command()
def trace(
    thread: Thread,
    everything: Annotated[
        bool, typer.Option("--all", help="Also show events that only complete the state, such as moved.")
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the events of a thread, one per line.

    Nodes, guards and their values, answers and their sources in the messages, model calls and their usage.
    """
    from graphwright.host.event_json import without_private

    _, _, events = _read(thread)
    if as_json:
        result_json([{"seq": e.seq, "visit": e.visit, "time": e.time, **without_private(e.event)} for e in events])
        return
    lines = trace_lines(without_private(event.event) for event in events)
    for event, line in zip(events, lines, strict=True):
        if everything or event.event["type"] not in BOOKKEEPING:
            print_line((f"{event.seq:>5} {event.time[11:23]} ", "dim"), line)


@app.command()
def branch(
    thread: Thread,
    at: Annotated[int, typer.Option("--at", metavar="N", help="An event of its trace; -1 is the last one.")],
    answer: Annotated[
        list[str] | None,
        typer.Option("--answer", metavar="KEY=VALUE", help="Change an answer (JSON, else text). May be repeated."),
    ] = None,
    new: Annotated[
        str | None, typer.Option("--thread", metavar="NEW", help="The id of the new thread; a new one by default.")
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Continue from an earlier point of a thread in a new thread.

    The new thread continues from the last point at or before event N at which the thread waited or had ended; the
    thread itself does not change. A changed answer counts as corrected there: only if it is the pending answer, the
    flow advances from there. No action is performed before the next message.
    """
    texts = _changed_answers(answer or [])
    name = agent_of(thread)
    loaded_agent = loaded(name)

    async def make() -> Branch:
        from graphwright.engine.replay import value_in

        answers = {key: value_in(loaded_agent.flow, key, text) for key, text in texts.items()}
        async with loaded_agent.session(thread) as session:
            return await session.branch(at, answers=answers, thread=new)

    made = run(make())
    if as_json:
        result_json(made.to_json())
        return
    result(made.thread)
    where = f" at {made.waiting_for.node}: {made.waiting_for.prompt}" if made.waiting_for else ""
    stands = "has ended" if made.status == "ended" else "waits"
    note(f"Thread {made.thread} goes on after event {made.at} of {made.source}, and {stands}{where}")
    note(f"Go on with: graphwright ask {shlex.quote(name)} TEXT --thread {shlex.quote(made.thread)}")


def _changed_answers(given: list[str]) -> dict[str, str]:
    """Return the answers of `--answer KEY=VALUE`, as they were written. Raises UsageError (`bad_answer`)."""
    answers: dict[str, str] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key.strip() or key.strip() in answers:
            raise UsageError(
                "bad_answer", f"{text!r} is not an answer, or its key was given twice.", "Write KEY=VALUE."
            )
        answers[key.strip()] = value
    return answers


@app.command()
def stats(
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="AGENT", help="Only threads of this agent, as 'graphwright threads' names it."),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Count how often the nodes, edges and guards of each flow were used, and the usage of its turns.

    The counts are taken from the traces of all threads in the store.
    """

    async def read(store: Store) -> dict[str, FlowCount]:
        from graphwright.host.telemetry._counters import counted

        counts: dict[str, FlowCount] = {}
        for row in await _every_thread(store):
            if agent is None or agent in (row.agent, _short(row.agent)):
                counted([e.event for e in await store.events.read(row.thread)], counts)
        return counts

    counts = with_store(read)
    if as_json:
        result_json([counts[name].to_json() for name in sorted(counts)])
        return
    if not counts:
        note(f"There are no threads of {agent!r}." if agent is not None else _none_yet())
    for number, name in enumerate(sorted(counts)):
        if number:
            result()
        _show_counts(counts[name])


def _show_counts(flow: FlowCount) -> None:
    """Print the counts of one flow: its turns, their usage, and its nodes and edges, the most used first."""
    print_line((flow.flow, "bold"))
    turns = f"{many(flow.turns, 'turn')} ({flow.failed} failed, {flow.escalated} escalated)"
    tokens = f"{flow.input_tokens:,} tokens in, {flow.output_tokens:,} out, {flow.seconds:.1f} s"
    result(f"  {many(flow.conversations, 'conversation')}, {turns}")
    result(f"  {many(flow.model_calls, 'model call')} ({flow.model_failures} failed), {tokens}")
    nodes = sorted(flow.nodes.items(), key=lambda item: (-item[1].entered, item[0]))
    next_table(
        [(str(n.entered), str(n.waited), str(n.performed), str(n.failed), f"{name} ({n.kind})") for name, n in nodes],
        ("ENTERED", "WAITED", "DONE", "FAILED", "NODE"),
    )
    edges = sorted(flow.edges.items(), key=lambda item: (-item[1].taken, item[0]))
    next_table([(str(e.taken), f"{e.source} -> {e.target}") for _, e in edges], ("TAKEN", "EDGE"))


EXPORT_OPTIONS = ("thread", "markdown", "json", "to", "debug", "help")
"""The options of `threads export` itself: no package may use them as the name of a format."""

_CHOSEN = "graphwright.exports"


class _ExportCommand(TyperCommand):
    """The command `threads export`, with one option for each format of a package. They are imported when it is run."""

    def get_params(self, ctx: Any) -> list[Any]:
        thread, *others = super().get_params(ctx)
        return [thread, *map(_format_option, _formats().items()), *others]


def _formats() -> dict[str, Export]:
    return {name: format for name, format in EXPORTS.usable() if name not in EXPORT_OPTIONS}


def _format_option(named: tuple[str, Export]) -> Any:
    """Return the option of a format, which adds it to the chosen ones."""
    name, format = named

    def choose(context: typer.Context, wanted: bool) -> None:
        if wanted:
            context.meta.setdefault(_CHOSEN, []).append(format)

    option = typer.Option(False, f"--{name}", help=format.help, callback=choose, expose_value=False)
    single = typer.Typer(add_completion=False)
    single.command()(_with_option(option))
    made: Any = get_command(single)
    # Each needs its own name, or one would overwrite the other.
    made.params[0].name = f"format_{name}"
    return made.params[0]


def _with_option(option: Any) -> Callable[..., None]:
    def command(wanted: bool = option) -> None:
        """Typer makes an option from the signature of a function."""

    return command


@app.command(cls=_ExportCommand)
def export(
    context: typer.Context,
    thread: Thread,
    markdown: Annotated[bool, typer.Option("--markdown", help="The messages as Markdown.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The messages and the trace as one JSON object.")] = False,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="The file; THREAD.ipynb, .md or .json by default.", dir_okay=False),
    ] = None,
    debug: Debug = False,
) -> None:
    """Write a thread into a file: as Markdown, as JSON, or as a notebook.

    The notebook has the questions that the data scientist answered, the code, and the answers; it runs from the top.
    """
    from graphwright.host.event_json import without_private
    from graphwright.store.home import thread_folder

    chosen: list[Export] = context.meta.get(_CHOSEN, [])
    suffixes = [*(format.suffix for format in chosen), *(["md"] if markdown else []), *(["json"] if as_json else [])]
    if len(suffixes) != 1:
        *first, last = ("--markdown", "--json", *(f"--{name}" for name in _formats()))
        hint = f"Use {', '.join(first)} or {last}."
        raise UsageError("no_format", "Choose one format for the export.", hint)
    row, messages, events = _read(thread)
    file = to or Path(f"{thread_folder(Path(), row.thread).name}.{suffixes[0]}")
    if file.exists():
        raise UsageError("file_exists", f"There is a file {file} already.", "Name another one with --to.")
    if chosen:
        note(chosen[0].write(file, _stored(row, events)))
    elif markdown:
        from graphwright.host.transcript import conversation_markdown

        file.write_text(conversation_markdown(row.title or row.thread, messages), "utf-8")
    else:
        said = [asdict(message) for message in messages]
        trace = [{**asdict(each), "event": without_private(each.event)} for each in events]
        whole = {**asdict(row), "messages": said, "trace": trace}
        file.write_text(json.dumps(whole, ensure_ascii=False, indent=1) + "\n", "utf-8")
    result(str(file))


def _stored(row: ThreadRow, events: Sequence[EventRow]) -> StoredThread:
    """Return a thread for the export of a package."""
    from graphwright.host._workspace import whole
    from graphwright.host.event_json import without_private
    from graphwright.store.home import data_home, thread_folder

    return StoredThread(
        id=row.thread,
        title=row.title,
        events=[without_private(each.event) for each in events],
        folder=thread_folder(data_home(), row.thread),
        whole=lambda value: with_store(lambda store: whole(store, value)),
    )


@app.command()
def delete(
    thread: Thread,
    yes: Yes = False,
    debug: Debug = False,
) -> None:
    """Delete a thread with all its contents.

    Records that its agent stored elsewhere stay.
    """
    row, messages, _ = _read(thread)
    what = f"thread {row.thread} ({_short(row.agent)}, {many(len(messages), 'message')})"
    question = f"Delete {what}? It cannot be brought back."
    if not confirmed(question, f"Deleting {what}", "Nothing was deleted.", yes=yes):
        return

    async def remove(store: Store) -> None:
        async with store.lease(thread):
            await store.threads.delete(thread)

    with_store(remove)
    note(f"Deleted thread {thread}.")


def _none_yet() -> str:
    from graphwright.store.home import data_home

    return f"There are no threads yet in {data_home()}."


def _status(row: ThreadRow) -> str:
    return row.status.replace("_", " ")


async def _every_thread(store: Store) -> list[ThreadRow]:
    return await store.current([row async for row in store.threads.every()])


def _read(thread: str) -> tuple[ThreadRow, list[Message], list[EventRow]]:
    async def read(store: Store) -> tuple[ThreadRow, list[Message], list[EventRow]]:
        (row,) = await store.current([await thread_row(store, thread)])
        return row, await store.messages.read(thread), await store.events.read(thread)

    return with_store(read)
