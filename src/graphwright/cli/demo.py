"""`graphwright demo`: real conversations with five agents, on a real model, with the user's lines prepared."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import sys
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphwright.cli.console import note, result, shown
from graphwright.cli.conversation import Progress, model_text, show_error, streamed
from graphwright.cli.extras import extra_problem
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

    spec = default_model()
    if spec == "embedded":
        _fetch_model()
    scripts = json.loads(files("graphwright.cli").joinpath("demo.json").read_text("utf-8"))
    model = load_model(spec)
    note(f"Model {model_text(None)}. The first answer of each agent takes longest: the model reads what it has to do.")
    ended = _talk("intake", scripts["intake"], model, None)
    home = _demo_home()
    if chosen_graph():
        note("The graph editor is left out: the configuration names a graph of yours, which stays as it is.")
    else:
        result()
        ended = _talk("graph_editor", scripts["graph_editor"], model, home) and ended
        _show_graph(home)
    if os.environ.get("UPGRADE_API_URL", "").strip():
        note("The UpGrade agent is left out: UPGRADE_API_URL names a server of yours, which stays as it is.")
    else:
        result()
        ended = _talk("upgrade", scripts["upgrade"], model, home) and ended
    result()
    ended = _talk("data_scientist", scripts["data_scientist"], model, home) and ended
    if why := _not_the_sample():
        note(f"The assistant is left out: {why}")
    else:
        result()
        ended = _talk("assistant", scripts["assistant"], model, home) and ended
    _what_next()
    raise typer.Exit(DONE if ended else FAILED)


def _talk(agent: str, script: dict[str, Any], model: BaseChatModel, home: Path | None) -> bool:
    from graphwright.runtime.agent import load

    session = load(agent).session(model=model, home=home)
    note(f"{session.agent.title}:")
    try:
        return run(_Talk(script, home).held(session))
    except KeyboardInterrupt:
        raise Interrupted(session.thread) from None


def _demo_home() -> Path:
    """A data folder without graph and experiments: the demo can be repeated, and what the user has stays as it is."""
    from graphwright.store.home import data_home

    home = data_home() / "demo"
    shutil.rmtree(home, ignore_errors=True)
    return home


def _not_the_sample() -> str:
    """Why the assistant's questions are not asked; empty where it has the sample logbook to answer them from."""
    from graphwright.config import current
    from graphwright.tools.mcp import configured

    config = current()
    settings = config.agents.get("assistant", {})
    if settings.get("elog") or settings.get("knowledge") or configured(config):
        return "the configuration names a logbook, documents or MCP servers of yours. Ask it about those."
    return extra_problem("assistant")


def _show_graph(home: Path) -> None:
    """Draw what the graph editor made."""
    from graphwright.graphstore import GraphError, Node, open_graph
    from graphwright.graphstore.picture import svg

    store = open_graph(home)
    try:
        first = next((each for each in store.export() if isinstance(each, Node)), None)
        if first is not None:
            picture = home / "graph.svg"
            picture.write_text(svg(store.subgraph(first.key, 2, first.label), first), "utf-8")
            shown(("picture ", "bold"), str(picture))
    except GraphError as error:
        note(error.message)
    finally:
        store.close()


def _what_next() -> None:
    following = [
        ("graphwright chat intake", "talk to it yourself"),
        ("graphwright chat graph_editor", "on a graph of your own"),
        ("graphwright chat upgrade", "experiments on the local service"),
        ('graphwright ask data_scientist "What is in it?" --data FILE', "questions over data of your own"),
        ('graphwright ask assistant "Which bypasses are set?"', "the sample logbook and pages; or your own"),
        ("graphwright init my-agent", "an agent of your own"),
        ("graphwright draw graph_editor", "its flow as a chart"),
    ]
    if shutil.which("graphwright") is None:
        following.insert(0, (f"source {_activate()}", "puts graphwright on your path"))
    for number, (command, what) in enumerate(following):
        shown(("        " if number else "next    ", "bold"), command, (f"  # {what}", "dim"))


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
            await self._sum_up(session, last)
            return last.status == "ended"

    async def _asked(self, session: Session, text: str) -> Turn | None:
        """The turn that a message leads to; None where it takes too long."""
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

    async def _sum_up(self, session: Session, last: Turn) -> None:
        usages = [turn.usage for turn in self.turns]
        result()
        calls = sum(u.model_calls for u in usages)
        model = (
            f"{calls} model calls, {sum(u.input_tokens for u in usages):,} tokens in, "
            f"{sum(u.output_tokens for u in usages):,} out"
        )
        shown(
            ("cost    ", "bold"),
            f"{model if calls else 'no model call'}, {sum(u.seconds for u in usages):.1f} s in {len(self.turns)} turns",
        )
        for call in last.values.get("tool_results") or ():
            shown(("tool    ", "bold"), f"{call['tool_name']} {value_text(call['arguments'])}")
        lead = await _lead(last.values.get("lead"))
        if lead is not None:
            shown(("lead    ", "bold"), value_text(lead, longest=1000))
        where = f"GRAPHWRIGHT_HOME={shlex.quote(str(self.home))} " if self.home else ""
        shown(("trace   ", "bold"), f"{where}graphwright threads trace {session.thread}")


def _activate() -> str:
    return os.path.relpath(Path(sys.prefix) / "bin" / "activate")


async def _lead(number: object) -> object:
    """The lead as the store keeps it; None where none was written."""
    from graphwright.agents.intake.nodes import LEADS
    from graphwright.store import open_store

    async with open_store(create=False) as store:
        offset = 0
        while page := await store.records.list(LEADS, offset=offset):
            for record in page:
                if record.value.get("number") == number:
                    found: object = record.value
                    return found
            offset += len(page)
    return None
