"""`graphwright ask` and `resume`: one turn of a conversation."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwright.cli.console import note, result_json, results_alone
from graphwright.cli.conversation import (
    AgentName,
    ModelOption,
    Progress,
    ThreadOption,
    agent_of,
    chosen_model,
    event_line,
    failed_turn,
    introduce,
    loaded,
    served,
    show_error,
    show_turn,
    show_way_on,
    streamed,
    turn_code,
)
from graphwright.cli.failures import Debug, Interrupted, json_option, report_as
from graphwright.errors import UsageError
from graphwright.testing.loop import run

if TYPE_CHECKING:
    from graphwright.runtime.session import Session
    from graphwright.runtime.turn import Turn

Json = Annotated[bool, json_option("Print the turn as one JSON object.")]
Jsonl = Annotated[bool, typer.Option("--jsonl", help="Print the events of the turn, one JSON object a line.")]

Files = Annotated[
    list[Path] | None,
    typer.Option("--file", "--data", metavar="FILE", help="A file that the agent should look at; may be repeated."),
]


def ask(
    agent: AgentName,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to say; '-' reads it from stdin.")],
    files: Files = None,
    thread: ThreadOption = None,
    model: ModelOption = None,
    open_artifacts: Annotated[bool, typer.Option("--open", help="Open the figures that the agent made.")] = False,
    as_json: Json = False,
    as_jsonl: Jsonl = False,
    debug: Debug = False,
) -> None:
    """Say something to an agent: one turn.

    Without --thread a new conversation begins; its id is shown on stderr. Exit code 3 when the agent waits for an
    answer, 0 when the conversation has ended, 1 when the turn failed. On a terminal the answer is shown while it is
    being written; the reply that counts then takes its place.
    """
    if as_json or as_jsonl:
        report_as(failed_turn(thread or "", agent, as_event=not as_json))
    with results_alone():
        if as_json and as_jsonl:
            raise UsageError("two_formats", "Only one of --json and --jsonl can be had.", "Leave one out.")
        message = _message(text)
        session = _session(agent, thread, model)

        async def act() -> Turn:
            with Progress(session.agent, drafts=not as_json) as progress:
                return await streamed(session.stream(message, files or ()), event_line if as_jsonl else progress)

        turn = _run(session, model, act)
        if not as_jsonl:
            _show(turn, session, agent, as_json=as_json)
        elif turn.error is not None:
            show_error(turn)
        if open_artifacts:
            _open_figures(turn)
        raise typer.Exit(turn_code(turn))


def resume(
    thread: Annotated[str, typer.Argument(metavar="THREAD", help="A thread that waits for an answer.")],
    approve: Annotated[bool, typer.Option("--approve", help="Answer yes.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Answer no.")] = False,
    value: Annotated[str | None, typer.Option("--value", metavar="JSON", help="Answer with this JSON value.")] = None,
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="AGENT", help="Where the thread's agent is, if it cannot be found by itself."),
    ] = None,
    model: ModelOption = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Answer the question at which a thread waits.

    The answer is yes, no, or a JSON value. It is validated like any other, and no model is asked.
    """
    if as_json:
        report_as(failed_turn(thread, agent or ""))
    with results_alone():
        answer = _answer(approve, reject, value)
        name = agent or agent_of(thread)
        session = _session(name, thread, model)

        async def act() -> Turn:
            with Progress(session.agent):
                return await session.resume(answer)

        turn = _run(session, model, act)
        _show(turn, session, name, as_json=as_json)
        raise typer.Exit(turn_code(turn))


def _message(text: str) -> str:
    if text == "-":
        try:
            text = sys.stdin.buffer.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError(
                "not_text", f"What stdin gave is not UTF-8 text (byte {error.start:,}).", "Convert it to UTF-8 first."
            ) from None
    if not text.strip():
        raise UsageError("empty_message", "There is no text to send.", "Write it after the agent, or '-' for stdin.")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise UsageError("not_text", "The text is not valid UTF-8.", "Check the encoding of your terminal or script.")
    return text


def _answer(approve: bool, reject: bool, value: str | None) -> Any:
    if approve + reject + (value is not None) != 1:
        raise UsageError("no_answer", "Give one answer.", "Use --approve, --reject, or --value JSON.")
    if value is None:
        return approve
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            "not_json", f"The value {value[:80]!r} is not JSON: {error}.", "A text needs quotes: --value '\"text\"'."
        ) from None


def _session(agent: str, thread: str | None, model: str | None) -> Session:
    return loaded(agent).session(thread, model=chosen_model(model))


def _run(session: Session, model: str | None, act: Callable[[], Awaitable[Turn]]) -> Turn:
    async def served_turn() -> Turn:
        async with session:
            introduce(session, model)
            return await served(session, model, act)

    try:
        return run(served_turn())
    except KeyboardInterrupt:
        raise Interrupted(session.thread) from None


_SHOWN = frozenset((".html", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"))
"""How the names of files end that are looked at when they are opened. A script would run, outside of any sandbox."""


def _open_figures(turn: Turn) -> None:
    """Open what was drawn; of a figure that is there as a page and as a picture the page."""
    paths = [Path(artifact.path) for artifact in turn.artifacts]
    pages = {path.with_suffix("") for path in paths if path.suffix.lower() == ".html"}
    figures = [path for path in paths if path.suffix.lower() in _SHOWN]
    figures = [path for path in figures if path.suffix.lower() == ".html" or path.with_suffix("") not in pages]
    if not figures:
        note("There is no figure to open.")
    for path in figures:
        if typer.launch(str(path)):
            note(f"{path} cannot be opened: nothing on this machine opens files.")


def _show(turn: Turn, session: Session, name: str, *, as_json: bool) -> None:
    if as_json:
        result_json(turn.to_json())
        if turn.error is not None:
            show_error(turn)
    else:
        show_turn(turn, session.agent)
        show_way_on(turn, name)
