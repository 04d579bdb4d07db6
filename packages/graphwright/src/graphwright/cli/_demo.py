"""`graphwright demo`: conversations of five agents with a real model and prepared user messages."""

from __future__ import annotations

import json
import shlex
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwright.cli._model import SIZE, pull_model
from graphwright.cli.console import Part, note, print_line, stdout
from graphwright.cli.conversation import Progress, model_text, show_error, streamed
from graphwright.cli.failures import DONE, FAILED, Debug, Interrupted
from graphwright.errors import UsageError
from graphwright.hooks import DEMOS
from graphwright.testing._loop import run
from graphwright.testing._trace_lines import value_text
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright.host._session import Session
    from graphwright.host._turn import Turn

MOST_TURNS = 25
"""Maximum turns of a conversation: a weak model could continue forever."""

MOST_SECONDS = 300.0
"""Maximum seconds for one answer."""


def demo(
    agent: Annotated[
        str | None, typer.Argument(metavar="[AGENT]", help="Only the conversation with this agent.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Watch conversations with the five agents: intake, graph editor, UpGrade, data scientist and assistant.

    They run on the embedded model, or on the model that GRAPHWRIGHT_MODEL names. The messages of the user are prepared,
    the answers are not. The embedded model is fetched first if it is missing (1.1 GB, once). The graph and the
    experiment are new ones, in `demo` of the data folder. The assistant answers from a sample logbook. The exit code is
    1 if a conversation did not end as expected.
    """
    from graphwright.models import default_model
    from graphwright.models import load as load_model
    from graphwright.store.home import data_home

    demos = dict(sorted(DEMOS.usable(), key=lambda item: (item[1].place, item[0])))
    if agent is not None and agent not in demos:
        raise UsageError("no_demo", f"There is no demo of {agent!r}.", f"Use one of {', '.join(demos)}.")
    spec = default_model()
    if spec == "embedded":
        _fetch_model()
    model = load_model(spec)
    begun = time.monotonic()
    _line(f"Model {model_text(None)}. {_DURATION if agent is None and spec == 'embedded' else ''}".rstrip())
    home = data_home() / "demo"
    # The demo can be repeated, and does not touch the user's graph and experiments.
    shutil.rmtree(home, ignore_errors=True)
    right = []
    for name in demos if agent is None else (agent,):
        why = demos[name].left_out()
        _line()
        if why:
            _line(f"The agent {name} is left out: {why}.")
        else:
            right.append(_talk(name, demos[name].script, model, home))
    if agent is None:
        _line(_NEXT)
        _line(f"{many(sum(right), 'conversation')} of {len(right)} as expected, in {time.monotonic() - begun:.0f} s.")
    raise typer.Exit(DONE if all(right) else FAILED)


_DURATION = "It takes 5 to 15 minutes on two cores; the first answer of each agent takes longest."


def _line(*parts: Part) -> None:
    """Write a line to stdout and flush it, also for readers at the end of a pipe."""
    print_line(*parts)
    stdout().flush()


def _talk(agent: str, file: Path, model: BaseChatModel, home: Path) -> bool:
    from graphwright.host.agent import load

    script = json.loads(file.read_text("utf-8"))
    # A conversation to keep is stored with the user's own.
    own = None if script.get("keep") else home
    session = load(agent).session(model=model, home=own)
    _line((f"{session.agent.title}", "bold"))
    try:
        return run(_Talk(script, file.parent, own).run_script(session))
    except KeyboardInterrupt:
        raise Interrupted(session.thread) from None


_NEXT = """
What next:
graphwright serve                 # all five in the browser
graphwright chat intake           # talk to it yourself; graph_editor, upgrade, data_scientist, assistant as well
graphwright init my-agent         # an agent of your own
graphwright draw graph_editor     # the flow of one as a chart
"""


def _fetch_model() -> None:
    from graphwright.models._pull import status
    from graphwright.models._server import require_package

    # Without its engine the model would be useless: report that before 1.1 GB are fetched.
    require_package()
    found = status()
    if not (found.present and found.size_ok):
        note(f"The embedded model is fetched first: {SIZE}, once, into {found.path.parent}.")
        pull_model()


_AGENT = ("agent:  ", "bold green")


@dataclass(slots=True)
class _Talk:
    """One conversation: the user's messages, and the turns so far. `files` are sent with the next message."""

    script: dict[str, Any]
    folder: Path
    home: Path | None
    turns: list[Turn] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    async def run_script(self, session: Session) -> bool:
        """Run the conversation and print a summary. Return True if it ended as the script expects."""
        async with session:
            if self.script["start"]:
                self._print_reply(await session.start())
            text: str | None = self._next(None)
            while text is not None and len(self.turns) < MOST_TURNS:
                turn = await self._send(session, text)
                if turn is None:
                    return False
                self.turns.append(turn)
                self._print_reply(turn)
                if turn.error is not None:
                    show_error(turn)
                    return False
                text = self._next(turn)
            last = self.turns[-1]
            wrong = self._unexpected(last)
            for each in wrong:
                _line(f"Not as expected: {each}")
            self._sum_up(session, last)
            return not wrong

    def _unexpected(self, last: Turn) -> list[str]:
        """Return the differences between the end of the conversation and the script, one line each."""
        from graphwright.testing._conversation import Expect
        from graphwright.testing._expectations import mismatches

        wrong = mismatches(Expect.model_validate(self.script["expect"]), last.to_json())
        kinds = {artifact.kind for turn in self.turns for artifact in turn.artifacts}
        missing = [kind for kind in self.script.get("artifacts", ()) if kind not in kinds]
        return [*map(str, wrong), *(f"artifact: expected a {kind}" for kind in missing)]

    async def _send(self, session: Session, text: str) -> Turn | None:
        """Send a message. Return its turn, or None if the answer takes too long."""
        import asyncio

        _line(("you:    ", "bold cyan"), text, *((f"  + {file.name}", "dim") for file in self.files))
        given, self.files = self.files, []
        try:
            async with asyncio.timeout(MOST_SECONDS):
                with Progress(session.agent, _AGENT) as progress:
                    return await streamed(session.stream(text, given), progress)
        except TimeoutError:
            _line(f"There is no answer after {MOST_SECONDS:.0f} s: the demo goes on without it.")
            return None

    def _print_reply(self, turn: Turn) -> None:
        if turn.reply:
            _line(_AGENT, turn.reply.replace("\n", "\n        ").replace("\n        \n", "\n\n"))

    def _next(self, turn: Turn | None) -> str | None:
        """Return the user's next message: the reply to the pending question, else the next one with its files."""
        if turn is None or turn.waiting_for is None:
            messages = self.script["messages"]
            if not messages:
                return None
            message = messages.pop(0)
            if isinstance(message, str):
                return message
            self.files = [self.folder / name for name in message["files"]]
            return str(message["text"])
        lines = self.script["replies"].get(turn.waiting_for.node)
        if not lines:
            return None
        return str(lines.pop(0) if len(lines) > 1 else lines[0])

    def _sum_up(self, session: Session, last: Turn) -> None:
        usages = [turn.usage for turn in self.turns]
        calls, seconds = sum(u.model_calls for u in usages), sum(u.seconds for u in usages)
        read, written = sum(u.input_tokens for u in usages), sum(u.output_tokens for u in usages)
        tokens = f"{read:,} tokens in, {written:,} out, {seconds:.1f} s in {many(len(self.turns), 'turn')}"
        _line()
        _line(("cost    ", "bold"), f"{many(calls, 'model call')}, {tokens}")
        for call in last.values.get("tool_results") or ():
            _line(("tool    ", "bold"), f"{call['tool_name']} {value_text(call['arguments'])}")
        if last.values.get("lead"):
            _line(("lead    ", "bold"), value_text(last.values["answers"], longest=1000))
        where = f"GRAPHWRIGHT_HOME={shlex.quote(str(self.home))} " if self.home else ""
        _line(("trace   ", "bold"), f"{where}graphwright threads trace {session.thread}")
