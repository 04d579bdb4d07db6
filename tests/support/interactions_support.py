"""Shared by tests of the interaction log: interactions, an agent that notes some, and logs of every kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphwright import Agent
from graphwright.store.interactions import Interaction, InteractionSink, open_sink
from host_support import agent

FLOW = """
nodes:
  - {id: q, type: question, key: name, prompt: What?, read: verbatim, ask: always}
  - {id: first, type: action, run: first}
  - {id: second, type: action, run: second}
  - {id: done, type: terminal, say: "Done {{ answers.name }}."}
edges:
  - {from: q, to: first}
  - {from: first, to: second}
  - {from: second, to: done}
"""

NOTES_TWICE = """
@action(reads=["answers.name"], writes=[])
def first(state, ctx):
    ctx.interaction(type="analysis", code="a = 1", result={"n": 4}, rows=3, columns=["x"])

@action(reads=["answers.name"], writes=[])
def second(state, ctx):
    ctx.interaction(code="a = 2", rows=5)
    ctx.say("Looked at it.")
"""
"""Two actions of one turn that each note something."""

NOTES_NOTHING = """
@action()
def first(state, ctx):
    ctx.say("Hello.")
"""
NOTHING_SECOND = "@action()\ndef second(state, ctx):\n    pass\n"


def noting(folder: Path, nodes: str = NOTES_TWICE) -> Agent:
    """An agent with a question and two actions, `first` and `second`, which do nothing unless `nodes` defines them."""
    return agent(folder, FLOW, nodes if "def second" in nodes else f"{nodes}\n{NOTHING_SECOND}")


def interaction(number: int = 1, **changes: Any) -> Interaction:
    """An interaction of session `t` that began in the `number`-th minute of a day."""
    session = changes.get("session", "t")
    values: dict[str, Any] = {
        "id": f"{session}:born:{number}",
        "session": session,
        "agent": "desk",
        "number": number,
        "type": "question",
        "question": f"What is {number}?",
        "code": "print(1)",
        "result": "1",
        "reply": "It is one.",
        "success": True,
        "error": "",
        "metadata": {"rows": number, "nested": {"list": [1, 2.5, None, True, "x"]}},
        "started": f"2026-11-01T10:{number:02}:00.000000Z",
        "seconds": 1.25,
        "model_calls": 2,
        "tokens": 300,
    }
    return Interaction(**{**values, **changes})


Opened = Callable[[], InteractionSink]


def sink(address: str | Path, home: Path) -> InteractionSink:
    return open_sink(str(address), home, home)
