"""Where a turn is, as a terminal shows it while it lasts."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cli_support import Runner

from graphwright.cli import conversation

FLOW = """
version: v1
id: flow.desk
entry: q.what
nodes:
  - {id: q.what, type: question, key: what, prompt: "What is it?", read: verbatim, label: What is broken}
  - {id: write, type: action, run: write, label: Write the ticket}
  - {id: send, type: action, run: send}
  - {id: t.done, type: terminal}
edges:
  - {from: q.what, to: write}
  - {from: write, to: send}
  - {from: send, to: t.done}
"""
ACTIONS = """
from graphwright import action

@action(reads=[], writes=[])
def write(state, ctx):
    return {}

@action(reads=[], writes=[])
def send(state, ctx):
    return {}
"""


class Terminal(io.StringIO):
    """A stderr that says of itself that somebody looks at it."""

    def isatty(self) -> bool:
        return True


def test_the_line_names_nodes_by_their_labels(run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "flow.yaml").write_text(FLOW, "utf-8")
    (folder / "nodes.py").write_text(ACTIONS, "utf-8")
    told: list[str] = []

    class Status:
        def update(self, text: Any) -> None:
            told.append(str(text))

    class Console:
        @contextmanager
        def status(self, _: str) -> Iterator[Status]:
            yield Status()

    monkeypatch.setattr(conversation, "terminal", lambda stream: Console())
    monkeypatch.setattr(sys, "stderr", Terminal())
    done = run("ask", folder, "The lamp")
    assert done.code == 0, done
    assert list(dict.fromkeys(told)) == ["What is broken", "Write the ticket", "send", "t.done"]
