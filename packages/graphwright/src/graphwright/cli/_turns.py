"""`graphwright ask`, `resume` and `chat`: a single turn, or a whole conversation."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwright.cli.console import Part, note, print_line, result, result_json, results_alone
from graphwright.cli.conversation import (
    AgentName,
    ModelOption,
    Progress,
    ShadowOption,
    ThreadOption,
    agent_of,
    chosen_model,
    cost,
    event_line,
    failed_turn,
    introduce,
    loaded,
    served,
    show_comparison,
    show_error,
    show_options,
    show_turn,
    show_way_on,
    streamed,
    turn_code,
)
from graphwright.cli.failures import DONE, WAITING, Debug, Interrupted, json_option, print_error, report_as
from graphwright.errors import GraphwrightError, UsageError
from graphwright.testing._loop import run, runner

if TYPE_CHECKING:
    import asyncio

    from graphwright.engine.events import ShadowCompared
    from graphwright.host._session import Session
    from graphwright.host._turn import Turn

Json = Annotated[bool, json_option("Print the turn as one JSON object.")]
Jsonl = Annotated[
    bool,
    typer.Option(
        "--jsonl", help="Print the events of the turn as they happen, one JSON object per line. The last is turn_ended."
    ),
]

Files = Annotated[
    list[Path] | None,
    typer.Option(
        "--file", "--data", metavar="FILE", help="A file for the agent, copied into the thread; may be repeated."
    ),
]


def ask(
    agent: AgentName,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The message; '-' reads it from stdin.")],
    files: Files = None,
    thread: ThreadOption = None,
    model: ModelOption = None,
    shadow: ShadowOption = None,
    open_artifacts: Annotated[
        bool, typer.Option("--open", help="Open the figures that the agent made (pages, pictures, PDF).")
    ] = False,
    as_json: Json = False,
    as_jsonl: Jsonl = False,
    debug: Debug = False,
) -> None:
    """Send a message to an agent: one turn.

    Without --thread a new conversation begins; its id is shown on stderr. Exit code 3 if the agent waits for an answer,
    0 if the conversation has ended, 1 if the turn failed. On a terminal the answer is shown while it is written, and
    then replaced by the final reply.
    """
    if as_json or as_jsonl:
        report_as(failed_turn(thread or "", agent, as_event=not as_json))
    with results_alone():
        if as_json and as_jsonl:
            raise UsageError("two_formats", "Use either --json or --jsonl, not both.", "Leave one out.")
        message = _message(text)
        session = _session(agent, thread, model, shadow)
        progress = Progress(session.agent, drafts=not as_json)

        async def act() -> Turn:
            with progress:
                return await streamed(session.stream(message, files or ()), event_line if as_jsonl else progress)

        turn = _run(session, model, act)
        if not as_jsonl:
            _show(turn, session, agent, model, as_json=as_json)
            show_comparison(progress.compared)
        elif turn.error is not None:
            show_error(turn)
        if open_artifacts:
            _open_figures(turn)
        raise typer.Exit(turn_code(turn))


def resume(
    thread: Annotated[str, typer.Argument(metavar="THREAD", help="A thread that waits for an answer.")],
    approve: Annotated[bool, typer.Option("--approve", help="Answer yes.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Answer no.")] = False,
    value: Annotated[
        str | None,
        typer.Option("--value", metavar="JSON", help="Answer with this JSON value; a text needs quotes: '\"text\"'."),
    ] = None,
    model: ModelOption = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Answer the pending question of a thread.

    The answer is yes, no, or a JSON value. It is validated like any other, and no model is called.
    """
    if as_json:
        report_as(failed_turn(thread, ""))
    with results_alone():
        answer = _answer(approve, reject, value)
        name = agent_of(thread)
        session = _session(name, thread, model)

        async def act() -> Turn:
            with Progress(session.agent):
                return await session.resume(answer)

        turn = _run(session, model, act)
        _show(turn, session, name, model, as_json=as_json)
        raise typer.Exit(turn_code(turn))


def _message(text: str) -> str:
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8-sig", "surrogateescape")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise UsageError("not_text", "The text is not valid UTF-8.", "Check the encoding of its source.")
    if not text.strip():
        raise UsageError("empty_message", "There is no text to send.", "Write it after the agent, or '-' for stdin.")
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


def _session(agent: str, thread: str | None, model: str | None, shadow: str | None = None) -> Session:
    return loaded(agent, shadow).session(thread, model=chosen_model(model))


def _run(session: Session, model: str | None, act: Callable[[], Awaitable[Turn]]) -> Turn:
    async def served_turn() -> Turn:
        async with session:
            introduce(session, model)
            return await served(session, model, act)

    try:
        return run(served_turn())
    except KeyboardInterrupt:
        raise Interrupted(session.thread) from None


_FIGURES = frozenset((".html", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"))
"""Suffixes of files that may be opened. A script would run outside of any sandbox."""


def _open_figures(turn: Turn) -> None:
    """Open the figures of a turn; of a figure that was saved as page and as picture, open the page."""
    paths = [path for path in (Path(made.path) for made in turn.artifacts) if path.suffix.lower() in _FIGURES]
    paths.sort(key=lambda path: path.suffix.lower() == ".html")
    figures = {path.with_suffix(""): path for path in paths}
    if not figures:
        note("There is no figure to open.")
    for path in figures.values():
        if typer.launch(str(path)):
            note(f"{path} cannot be opened: nothing on this machine opens files.")


def _show(turn: Turn, session: Session, name: str, model: str | None, *, as_json: bool) -> None:
    if as_json:
        result_json(turn.to_json())
        if turn.error is not None:
            show_error(turn)
    else:
        show_turn(turn, session.agent)
        show_way_on(turn, name, model)


HELP = """/file F   gives the agent a file with the next message
/path     the nodes that the last turn went through
/answers  what the agent has taken down so far
/code     the program that the last answer was computed by
/help     this list
/quit     leave; the thread stays and can go on (so does Ctrl-D)"""


def chat(
    agent: AgentName,
    thread: ThreadOption = None,
    model: ModelOption = None,
    shadow: ShadowOption = None,
    debug: Debug = False,
) -> None:
    """Talk to an agent.

    At a terminal: a prompt, with /file, /path, /answers, /code, /help and /quit. Otherwise every line of stdin is a
    message, and the exit code is that of the last turn: 3 waiting for an answer, 0 ended, 1 failed.
    """
    session = _session(agent, thread, model, shadow)
    try:
        # Not one long asyncio.run: at the prompt Ctrl-C must reach `input`, not the event loop.
        with runner() as opened:
            opened.run(session.__aenter__())
            try:
                code = _Repl(session, agent, model, opened).run()
            finally:
                opened.run(session.__aexit__(None, None, None))
    except KeyboardInterrupt:
        raise Interrupted(session.thread) from None
    raise typer.Exit(code)


@dataclass(slots=True)
class _Repl:
    session: Session
    named: str
    spec: str | None
    runner: asyncio.Runner
    last: Turn | None = None
    compared: ShadowCompared | None = None
    code: int = DONE
    files: list[str] = field(default_factory=list)
    at_terminal: bool = field(default_factory=lambda: sys.stdin.isatty() and sys.stdout.isatty())

    def run(self) -> int:
        introduce(self.session, self.spec)
        if hasattr(sys.stdin, "reconfigure"):
            # An invalid byte must not end the conversation.
            sys.stdin.reconfigure(errors="replace")
        if self.at_terminal:
            with suppress(ImportError):
                # The import gives `input` line editing and a history.
                import readline  # noqa: F401
            note(("/help lists the commands, Ctrl-D leaves.", "dim"))
        self._begin()
        while (line := self._read()) is not None:
            text = line.strip()
            if text.startswith("/"):
                if not self._command(text):
                    break
            elif text:
                self._turn(partial(self._streamed, text))
                if self.last is not None and self.last.status == "failed" and not self.at_terminal:
                    break
        return self._leave()

    def _begin(self) -> None:
        state = self.runner.run(self.session.state())
        if state["status"] in ("new", "running"):
            # The same call finishes an interrupted turn.
            self._turn(self.session.start)
        elif state["status"] == "waiting":
            from graphwright.engine.state import WaitingFor

            waiting = WaitingFor.from_json(state["waiting_for"])
            self._say(waiting.prompt)
            show_options(waiting, self.session.agent)
            self.code = WAITING
        else:
            note(("This conversation has ended; a new message begins it afresh.", "dim"))

    def _read(self) -> str | None:
        if not self.at_terminal:
            return sys.stdin.readline() or None
        try:
            return input("you> ")
        except EOFError:
            result()
            return None

    def _turn(self, act: Callable[[], Awaitable[Turn]]) -> None:
        try:
            turn = self.runner.run(served(self.session, self.spec, act))
        except GraphwrightError as error:
            if not self.at_terminal:
                raise
            print_error(error)
            return
        except KeyboardInterrupt:
            if not self.at_terminal:
                raise
            note("Interrupted. What was said is kept: the next message finishes this turn first. Ctrl-D leaves.")
            return
        self.last, self.code = turn, turn_code(turn)
        show_turn(turn, self.session.agent, self._say)
        show_comparison(self.compared)
        if turn.status == "ended" and not turn.reply and not self.at_terminal:
            note("(the conversation has ended)")
        if self.at_terminal:
            ended = "the conversation has ended, a new message begins it afresh" if turn.status == "ended" else ""
            where = f"at {turn.waiting_for.node}" if turn.waiting_for else ended
            note((f"[{where}; {cost(turn)}]", "dim"))

    async def _streamed(self, text: str) -> Turn:
        with Progress(self.session.agent, self._head()) as progress:
            # Refused files are not sent again with the next message.
            files, self.files = self.files, []
            turn = await streamed(self.session.stream(text, files), progress)
        self.compared = progress.compared
        return turn

    def _head(self) -> Part:
        return (f"{self.session.agent.title}: ", "bold green") if self.at_terminal else ""

    def _say(self, text: str) -> None:
        if self.at_terminal:
            print_line(self._head(), text)
        else:
            result(text)

    def _command(self, text: str) -> bool:
        match text.split()[0]:
            case "/quit" | "/exit":
                return False
            case "/help":
                note(HELP)
            case "/file":
                self._file(text.partition(" ")[2].strip())
            case "/path":
                note(" > ".join(self.last.path) if self.last and self.last.path else "No node was entered yet.")
            case "/answers":
                answers = self.runner.run(self.session.state())["values"]["answers"]
                note(json.dumps(answers, ensure_ascii=False, indent=2) if answers else "There are no answers yet.")
            case "/code":
                output = (self.last.values.get("final_output") if self.last else None) or {}
                note(output.get("code") or "The last answer was not computed by a program.")
            case unknown:
                note(f"There is no command {unknown}. /help lists them.")
        return True

    def _file(self, path: str) -> None:
        if not path:
            note("Name a file: /file sales.csv")
            return
        self.files.append(path)
        note(f"It goes along with the next message: {', '.join(self.files)}")

    def _leave(self) -> int:
        if self.at_terminal:
            go_on = f"graphwright chat {shlex.quote(self.named)} --thread {shlex.quote(self.session.thread)}"
            note((f"The thread stays: {go_on}", "dim"))
            return DONE
        return self.code
