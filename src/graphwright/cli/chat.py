"""`graphwright chat`: a conversation at a terminal, or over lines that come in by a pipe."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import typer

from graphwright.cli.console import Part, note, result, shown
from graphwright.cli.conversation import (
    AgentName,
    ModelOption,
    Progress,
    ThreadOption,
    chosen_model,
    cost,
    introduce,
    loaded,
    served,
    show_options,
    show_turn,
    streamed,
    turn_code,
)
from graphwright.cli.failures import DONE, WAITING, Debug, Interrupted, print_error
from graphwright.errors import GraphwrightError
from graphwright.testing.loop import runner

if TYPE_CHECKING:
    import asyncio

    from graphwright.runtime.session import Session
    from graphwright.runtime.turn import Turn

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
    debug: Debug = False,
) -> None:
    """Talk to an agent.

    At a terminal: a prompt, with /file, /path, /answers, /code, /help and /quit. Otherwise every line of stdin is a
    message, and the exit code tells how the last turn ended: 3 waiting for an answer, 0 ended, 1 failed.
    """
    session = loaded(agent).session(thread, model=chosen_model(model))
    try:
        # The runner, and not one long asyncio.run: at the prompt Ctrl-C must reach `input`, not the event loop.
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
    code: int = DONE
    files: list[str] = field(default_factory=list)
    at_terminal: bool = field(default_factory=lambda: sys.stdin.isatty() and sys.stdout.isatty())

    def run(self) -> int:
        introduce(self.session, self.spec)
        if hasattr(sys.stdin, "reconfigure"):
            # A byte that is no text must not end the conversation.
            sys.stdin.reconfigure(errors="replace")
        if self.at_terminal:
            _edit_lines()
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
            # A turn that was cut short is finished by the same call.
            self._turn(self.session.start)
        elif state["status"] == "waiting":
            from graphwright.runtime.turn import WaitingFor

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
        if turn.status == "ended" and not turn.reply and not self.at_terminal:
            note("(the conversation has ended)")
        if self.at_terminal:
            ended = "the conversation has ended, a new message begins it afresh" if turn.status == "ended" else ""
            where = f"at {turn.waiting_for.node}" if turn.waiting_for else ended
            note((f"[{where}; {cost(turn)}]", "dim"))

    async def _streamed(self, text: str) -> Turn:
        with Progress(self.session.agent, self._head()) as progress:
            # Files that were refused are not given again with the next message.
            files, self.files = self.files, []
            return await streamed(self.session.stream(text, files), progress)

    def _head(self) -> Part:
        return (f"{self.session.agent.title}: ", "bold green") if self.at_terminal else ""

    def _say(self, text: str) -> None:
        if self.at_terminal:
            shown(self._head(), text)
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


def _edit_lines() -> None:
    try:
        # Importing it gives `input` line editing and a history.
        import readline  # noqa: F401
    except ImportError:
        note(("This Python has no readline: no line editing.", "dim"))
