"""Shared by the tests of scripted conversations: a small agent in a folder, and running a file next to it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from graphwright.testing._conversation import ConversationError
from graphwright.testing._loop import run
from graphwright.testing._running import Result, run_conversation

FLOW = """\
version: v1
id: flow.small
state:
  mood: {type: string, default: fine}
  diary: {type: string, default: "", private: true}
nodes:
  - {id: q.name, type: question, key: name, prompt: What is your name?, read: verbatim}
  - {id: q.city, type: question, key: city, prompt: "Which city, {{ answers.name }}?", schema: {type: string}}
  - {id: done, type: terminal, say: Thanks.}
edges:
  - {from: q.name, to: q.city}
  - {from: q.city, to: done}
"""
"""Asks for a name by code and for a city by a model."""

ROME = "call: {UpdateAnswers: {answers: [{key: city, value: Rome, quote: Rome}]}}"
"""The answer of a model that reads Rome."""


class Folder:
    """An agent `small.yaml` and conversations next to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runs = 0
        self.flow(FLOW)

    def flow(self, text: str, name: str = "small.yaml") -> Path:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), "utf-8")
        return file

    def conversation(self, text: str, name: str = "one", agent: str = "small.yaml") -> Path:
        """A conversation file; unless the text names its agent, for the small one."""
        file = self.path / f"{name}.conversation.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        text = textwrap.dedent(text)
        file.write_text(text if text.startswith("agent:") else f"agent: {agent}\n{text}", "utf-8")
        return file

    def run(self, file: Path, *, update: bool = False) -> Result:
        """Run it in a new data folder."""
        self.runs += 1
        return run(run_conversation(file, self.path / f"home{self.runs}", update=update))

    def wrong(self, text: str) -> list[str]:
        """The mismatches of a conversation."""
        return [str(mismatch) for mismatch in self.run(self.conversation(text)).mismatches]

    def refused(self, text: str) -> ConversationError:
        """The error of a conversation that cannot be run."""
        with pytest.raises(ConversationError) as failed:
            self.run(self.conversation(text))
        return failed.value
