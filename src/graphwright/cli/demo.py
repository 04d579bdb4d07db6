"""`graphwright demo`: a real conversation with the intake agent, on a real model, with the user's lines prepared."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphwright.cli.console import note, result, shown
from graphwright.cli.conversation import Progress, model_text, show_error, streamed
from graphwright.cli.download import SIZE, pull_model
from graphwright.cli.failures import DONE, FAILED, Debug, Interrupted
from graphwright.cli.running import run
from graphwright.cli.trace_lines import value_text

if TYPE_CHECKING:
    from graphwright.runtime.session import Session
    from graphwright.runtime.turn import Turn

MOST_TURNS = 25
"""A model that understands nothing must not keep the demo going."""


def demo(debug: Debug = False) -> None:
    """Watch a conversation with the intake agent.

    It is held on the embedded model, or on what GRAPHWRIGHT_MODEL names. The user's lines are prepared; the model's
    work is not: it reads every answer, code checks it against the user's words, and the flow commits it. The embedded
    model is fetched first where it is missing (1.1 GB, once).
    """
    from graphwright.models import default_model
    from graphwright.models import load as load_model
    from graphwright.runtime.agent import load

    spec = default_model()
    if spec == "embedded":
        _fetch_model()
    script = json.loads(files("graphwright.cli").joinpath("demo.json").read_text("utf-8"))
    session = load(script["agent"]).session(model=load_model(spec))
    note(f"{session.agent.title}, model {model_text(None)}. The first answer takes longest: the model is being loaded.")
    talk = _Talk(script)
    try:
        ended = run(talk.held(session))
    except KeyboardInterrupt:
        raise Interrupted(session.thread) from None
    raise typer.Exit(DONE if ended else FAILED)


def _fetch_model() -> None:
    from graphwright.models.pull import status
    from graphwright.models.server import require_package

    # Without its engine the model would be of no use: say so before 1.1 GB have come.
    require_package()
    found = status()
    if not (found.present and found.size_ok):
        note(f"The embedded model is fetched first: {SIZE}, once, into {found.path.parent}.")
        pull_model()


@dataclass(slots=True)
class _Talk:
    """The conversation: what the user says, and what came of it."""

    script: dict[str, Any]
    turns: list[Turn] = field(default_factory=list)

    async def held(self, session: Session) -> bool:
        """Hold the conversation and sum it up; True when it came to its end."""
        async with session:
            first = await session.start()
            self._says(first)
            text: str | None = self.script["opening"]
            while text is not None and len(self.turns) < MOST_TURNS:
                shown(("you:    ", "bold cyan"), text)
                with Progress() as progress:
                    turn = await streamed(session.stream(text), progress)
                self.turns.append(turn)
                self._says(turn)
                if turn.error is not None:
                    show_error(turn)
                    return False
                text = self._reply(turn)
            last = self.turns[-1]
            if last.status != "ended":
                note("The conversation did not come to its end with this model: it waits for what was not prepared.")
            await self._sum_up(session, [*first.path, *(node for turn in self.turns for node in turn.path)], last)
            return last.status == "ended"

    def _says(self, turn: Turn) -> None:
        if turn.reply:
            shown(("agent:  ", "bold green"), turn.reply.replace("\n", "\n        "))

    def _reply(self, turn: Turn) -> str | None:
        if turn.waiting_for is None:
            return None
        lines = self.script["replies"].get(turn.waiting_for.node)
        if not lines:
            return None
        return str(lines.pop(0) if len(lines) > 1 else lines[0])

    async def _sum_up(self, session: Session, path: list[str], last: Turn) -> None:
        usages = [turn.usage for turn in self.turns]
        result()
        shown(("path    ", "bold"), " > ".join(path))
        shown(
            ("cost    ", "bold"),
            f"{sum(u.model_calls for u in usages)} model calls, {sum(u.input_tokens for u in usages):,} tokens in, "
            f"{sum(u.output_tokens for u in usages):,} out, {sum(u.seconds for u in usages):.1f} s "
            f"in {len(self.turns)} turns",
        )
        lead = await _lead(last.values.get("lead"))
        if lead is not None:
            shown(("lead    ", "bold"), value_text(lead, longest=1000))
        agent = session.agent
        following = [
            (f"graphwright threads trace {session.thread}", "what happened, event by event"),
            (f"graphwright chat {agent.name}", "talk to it yourself"),
            ("graphwright init my-agent", "an agent of your own"),
            (f"graphwright draw {agent.name}", "its flow as a chart"),
        ]
        if shutil.which("graphwright") is None:
            following.insert(0, (f"source {_activate()}", "puts graphwright on your path"))
        for number, (command, what) in enumerate(following):
            shown(("        " if number else "next    ", "bold"), command, (f"  # {what}", "dim"))


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
