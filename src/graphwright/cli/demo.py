"""`graphwright demo`: real conversations with five agents, on a real model, with the user's lines prepared."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphwright.cli.console import note, result, shown
from graphwright.cli.conversation import Progress, model_text, show_error, streamed
from graphwright.cli.failures import DONE, FAILED, Debug, Interrupted
from graphwright.cli.model import SIZE, pull_model
from graphwright.testing.loop import run
from graphwright.testing.trace_lines import value_text

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright.runtime.session import Session
    from graphwright.runtime.turn import Turn

MOST_TURNS = 25
"""A model that understands nothing must not keep the demo going."""

MOST_SECONDS = 300.0
"""For one answer: nor must one that is too slow."""


def demo(debug: Debug = False) -> None:
    """Watch conversations with the five agents: intake, graph editor, UpGrade, data scientist and assistant.

    They are held on the embedded model, or on what GRAPHWRIGHT_MODEL names. The user's lines are prepared, the work is
    not: the model understands the messages, code checks what it proposes, and the flow decides what comes next. The
    embedded model is fetched first where it is missing (1.1 GB, once). The graph and the experiment are new ones, in
    `demo` of the data folder. The assistant answers from a sample logbook.
    """
    from graphwright.config import chosen_graph
    from graphwright.models import default_model
    from graphwright.models import load as load_model
    from graphwright.store.home import data_home

    spec = default_model()
    if spec == "embedded":
        _fetch_model()
    scripts = json.loads(files("graphwright.cli").joinpath("demo.json").read_text("utf-8"))
    model = load_model(spec)
    note(f"Model {model_text(None)}. The first answer of each agent takes longest: the model reads what it has to do.")
    ended = _talk("intake", scripts["intake"], model, None)
    # Without graph and experiments: the demo can be repeated, and what the user has stays as it is.
    home = data_home() / "demo"
    shutil.rmtree(home, ignore_errors=True)
    for agent, why in (
        ("graph_editor", "the configuration names a graph of yours" if chosen_graph() else ""),
        ("upgrade", "UPGRADE_API_URL names a server of yours" if os.environ.get("UPGRADE_API_URL", "").strip() else ""),
        ("data_scientist", ""),
        ("assistant", _not_the_sample()),
    ):
        result()
        if why:
            note(f"The agent {agent} is left out: {why}.")
            continue
        ended = _talk(agent, scripts[agent], model, home) and ended
    result(_NEXT)
    raise typer.Exit(DONE if ended else FAILED)


def _talk(agent: str, script: dict[str, Any], model: BaseChatModel, home: Path | None) -> bool:
    from graphwright.runtime.agent import load

    session = load(agent).session(model=model, home=home)
    note(f"{session.agent.title}:")
    try:
        return run(_Talk(script, home).held(session))
    except KeyboardInterrupt:
        raise Interrupted(session.thread) from None


def _not_the_sample() -> str:
    """Why the assistant's questions are not asked; empty where it has the sample logbook to answer them from."""
    from graphwright.config import current
    from graphwright.tools.mcp import configured

    config = current()
    settings = config.agents.get("assistant", {})
    if settings.get("elog") or settings.get("knowledge") or configured(config):
        return "the configuration names a logbook, documents or MCP servers of yours"
    from graphwright.runtime.cards import extra_problem

    missing = extra_problem("assistant")
    return missing.message if missing else ""


_NEXT = """
What next:
graphwright serve                 # all five in the browser
graphwright chat intake           # talk to it yourself; graph_editor, upgrade, data_scientist, assistant as well
graphwright init my-agent         # an agent of your own
graphwright draw graph_editor     # the flow of one as a chart"""


def _fetch_model() -> None:
    from graphwright.models.pull import status
    from graphwright.models.server import require_package

    # Without its engine the model would be of no use: say so before 1.1 GB have come.
    require_package()
    found = status()
    if not (found.present and found.size_ok):
        note(f"The embedded model is fetched first: {SIZE}, once, into {found.path.parent}.")
        pull_model()


_AGENT = ("agent:  ", "bold green")


@dataclass(slots=True)
class _Talk:
    """The conversation: what the user says, and what came of it. `files` go along with the next message."""

    script: dict[str, Any]
    home: Path | None
    turns: list[Turn] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    async def held(self, session: Session) -> bool:
        """Hold the conversation and sum it up; True when it came to its end."""
        async with session:
            if self.script["start"]:
                self._says(await session.start())
            text: str | None = self._next(None)
            while text is not None and len(self.turns) < MOST_TURNS:
                turn = await self._asked(session, text)
                if turn is None:
                    return False
                self.turns.append(turn)
                self._says(turn)
                if turn.error is not None:
                    show_error(turn)
                    return False
                text = self._next(turn)
            last = self.turns[-1]
            if last.status != "ended":
                note("The conversation did not come to its end with this model: it waits for what was not prepared.")
            self._sum_up(session, last)
            return last.status == "ended"

    async def _asked(self, session: Session, text: str) -> Turn | None:
        """The turn that a message leads to; None where it takes too long."""
        import asyncio

        shown(("you:    ", "bold cyan"), text, *((f"  + {file.name}", "dim") for file in self.files))
        given, self.files = self.files, []
        try:
            async with asyncio.timeout(MOST_SECONDS):
                with Progress(session.agent, _AGENT) as progress:
                    return await streamed(session.stream(text, given), progress)
        except TimeoutError:
            note(f"There is no answer after {MOST_SECONDS:.0f} s: the demo goes on without it.")
            return None

    def _says(self, turn: Turn) -> None:
        if turn.reply:
            shown(_AGENT, turn.reply.replace("\n", "\n        "))

    def _next(self, turn: Turn | None) -> str | None:
        """What the user says: the reply to what is waited for, else the next message, with its files."""
        if turn is None or turn.waiting_for is None:
            messages = self.script["messages"]
            if not messages:
                return None
            message = messages.pop(0)
            if isinstance(message, str):
                return message
            self.files = [Path(str(files("graphwright").joinpath(name))) for name in message["files"]]
            return str(message["text"])
        lines = self.script["replies"].get(turn.waiting_for.node)
        if not lines:
            return None
        return str(lines.pop(0) if len(lines) > 1 else lines[0])

    def _sum_up(self, session: Session, last: Turn) -> None:
        usages = [turn.usage for turn in self.turns]
        calls, seconds = sum(u.model_calls for u in usages), sum(u.seconds for u in usages)
        read, written = sum(u.input_tokens for u in usages), sum(u.output_tokens for u in usages)
        result()
        costs = f"{calls} model calls, {read:,} tokens in, {written:,} out, {seconds:.1f} s in {len(self.turns)} turns"
        shown(("cost    ", "bold"), costs)
        for call in last.values.get("tool_results") or ():
            shown(("tool    ", "bold"), f"{call['tool_name']} {value_text(call['arguments'])}")
        if last.values.get("lead"):
            shown(("lead    ", "bold"), value_text(last.values["answers"], longest=1000))
        where = f"GRAPHWRIGHT_HOME={shlex.quote(str(self.home))} " if self.home else ""
        shown(("trace   ", "bold"), f"{where}graphwright threads trace {session.thread}")
