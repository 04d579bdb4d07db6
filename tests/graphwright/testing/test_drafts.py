"""Running conversations on a draft in a separate process: its end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from graphwright.testing.drafts import run_draft
from waiting_support import runs, until

FLOW = """
version: v1
id: flow.slow
nodes:
  - {id: wait, type: action, run: wait}
  - {id: end, type: terminal}
edges:
  - {from: wait, to: end}
"""
WAITS = """
import subprocess
from pathlib import Path

from graphwright import action


@action(effects=False)
def wait(state, ctx):
    child = subprocess.Popen(["sleep", "600"])
    written = Path(__file__).with_name("written")
    written.write_text(str(child.pid))
    written.rename(written.with_name("child"))
    child.wait()
    return {}
"""


def waiting_agent(folder: Path) -> Path:
    """An agent with a conversation whose action never ends; the file that will name the process of the action."""
    (folder / "tests").mkdir()
    conversation = "agent: ..\nturns:\n  - {user: go, model: none}\n"
    (folder / "tests" / "slow.conversation.yaml").write_text(conversation, "utf-8")
    (folder / "nodes.py").write_text(WAITS, "utf-8")
    (folder / "flow.yaml").write_text(FLOW, "utf-8")
    return folder / "child"


ASKS = """
version: v1
id: flow.asks
nodes:
  - {id: q.text, type: question, key: text, prompt: "What?", read: verbatim}
  - {id: end, type: terminal, say: "{{ answers.text }}"}
edges:
  - {from: q.text, to: end}
"""
NAMES = """
agent: ..
turns:
  - {start: true, expect: {node: q.text}}
  - {user: tea, model: none, expect: {status: ended, path: [end], answers: {text: tea}}}
"""


async def test_a_conversation_may_name_nodes_and_answers_as_they_were_named_before(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "tea.conversation.yaml").write_text(NAMES, "utf-8")
    (tmp_path / "flow.yaml").write_text(ASKS, "utf-8")
    draft = ASKS.replace("key: text", "key: drink, was: q.text").replace("answers.text", "answers.drink")
    draft = draft.replace("id: q.text", "id: q.drink").replace("from: q.text", "from: q.drink")
    lines = [line async for line in run_draft(str(tmp_path), draft, earlier=[ASKS], seconds=120)]
    assert lines[1]["result"]["status"] == "passed", lines[1]["result"]["mismatches"]


@pytest.mark.slow
async def test_a_stopped_run_ends_the_processes_of_actions(tmp_path: Path) -> None:
    child = waiting_agent(tmp_path)

    async def run() -> None:
        async for _ in run_draft(str(tmp_path), FLOW, seconds=120):
            pass

    running = asyncio.create_task(run())
    await until(lambda: child.exists() or running.done())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, 60)
    await until(lambda: not runs(int(child.read_text())))


@pytest.mark.slow
async def test_a_run_that_never_ends_is_cut_at_its_limit_with_the_processes_of_actions(tmp_path: Path) -> None:
    child = waiting_agent(tmp_path)
    lines = [line async for line in run_draft(str(tmp_path), FLOW, seconds=8)]
    assert lines[0] == {"total": 1}
    assert lines[1]["error"]["code"] == "tests_stopped"
    assert "longer than 8 s, and were stopped" in lines[1]["error"]["message"]
    await until(lambda: not runs(int(child.read_text())))
