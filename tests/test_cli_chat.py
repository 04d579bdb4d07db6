"""`graphwright chat`: over a pipe, and at a real terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest
from cli_support import FLOW, Runner, environment

CHOICE = """\
version: v1
id: flow.choice
nodes:
  - {id: q.size, type: question, key: size, prompt: Which size?, read: choice,
     schema: {oneOf: [{const: s, title: Small one}, {const: l, title: Large one}]}}
  - {id: end, type: terminal, say: "{{ answers.size }}!"}
edges:
  - {from: q.size, to: end}
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "small.yaml"
    file.write_text(FLOW, "utf-8")
    return file


def test_lines_of_a_pipe_are_messages(run: Runner, small: Path) -> None:
    done = run("chat", small, stdin="Anna\n\nyes\n")
    assert done.code == 0
    assert done.out == "What is your name?\nAnna, are you sure?\nGood, Anna.\n"


def test_a_pipe_that_ends_early_leaves_a_waiting_thread(run: Runner, small: Path) -> None:
    done = run("chat", small, "--thread", "t1", stdin="Anna\n/answers\n/nope\n")
    assert done.code == 3
    assert '"name": "Anna"' in done.err
    assert "There is no command /nope" in done.err
    again = run("chat", small, "--thread", "t1", stdin="yes\n")
    assert again.code == 0
    assert again.out == "Anna, are you sure?\nGood, Anna.\n"


def test_choices_are_numbered(run: Runner, tmp_path: Path) -> None:
    file = tmp_path / "choice.yaml"
    file.write_text(CHOICE, "utf-8")
    done = run("chat", file, stdin="2\n")
    assert done.out == "Which size?\n  1. Small one\n  2. Large one\nl!\n"


def test_bytes_that_are_no_text_do_not_end_a_pipe_and_a_failed_turn_does(run: Runner, small: Path) -> None:
    done = run("chat", small, stdin=b"Ann\xff\nyes\n")
    assert (done.code, "Good, Ann\ufffd." in done.out) == (0, True)
    small.write_text(FLOW.replace(", read: verbatim", ""), "utf-8")
    done = run("chat", small, stdin="Anna\nBob\n")
    assert (done.code, done.err.count("graphwright model pull")) == (1, 1)


def at_terminal(agent: Path, home: Path) -> pexpect.spawn:
    return pexpect.spawn(
        sys.executable,
        ["-m", "graphwright.cli", "chat", str(agent), "--thread", "t1"],
        env=environment(home, TERM="xterm", NO_COLOR="1"),
        encoding="utf-8",
        timeout=60,
        dimensions=(40, 160),
    )


@pytest.fixture
def terminal(tmp_path: Path, small: Path) -> Iterator[pexpect.spawn]:
    child = at_terminal(small, tmp_path / "home")
    yield child
    child.close(force=True)


def code_of(child: pexpect.spawn) -> int:
    child.expect(pexpect.EOF)
    child.wait()
    assert isinstance(child.exitstatus, int)
    return child.exitstatus


@pytest.mark.slow
def test_a_conversation_at_a_terminal(terminal: pexpect.spawn) -> None:
    terminal.expect("Small talk: .*What is your name")
    terminal.expect("you> ")
    terminal.sendline("Anna")
    terminal.expect("Anna, are you sure")
    terminal.expect(re.escape("[at q.sure; no model call"))
    terminal.expect("you> ")
    terminal.sendline("/path")
    terminal.expect("q.name > q.sure|q.sure")
    terminal.expect("you> ")
    terminal.sendline("yes")
    terminal.expect("Good, Anna")
    terminal.expect("has ended")
    terminal.expect("you> ")
    terminal.sendeof()
    terminal.expect("The thread stays.*--thread t1")
    assert code_of(terminal) == 0


@pytest.mark.slow
def test_ctrl_c_at_the_prompt_leaves_the_thread(terminal: pexpect.spawn, run: Runner, small: Path) -> None:
    terminal.expect("you> ")
    terminal.sendline("Anna")
    terminal.expect("you> ")
    terminal.sendintr()
    terminal.expect("Thread t1 keeps what was said")
    assert "Traceback" not in terminal.before
    assert code_of(terminal) == 130
    done = run("chat", small, "--thread", "t1", stdin="yes\n")
    assert done.out == "Anna, are you sure?\nGood, Anna.\n"


SLOW = """\
version: v1
id: flow.slow
nodes:
  - {id: q.name, type: question, key: name, prompt: Your name?, read: verbatim}
  - {id: work, type: action, run: work}
  - {id: end, type: terminal, say: "Done, {{ answers.name }}."}
edges:
  - {from: q.name, to: work}
  - {from: work, to: end}
"""
WORK = """\
import asyncio
from pathlib import Path
from graphwright import action

@action()
async def work(state, ctx):
    mark = Path(__file__).with_name("mark")
    if not mark.exists():
        mark.touch()
        print("at work")
        await asyncio.sleep(300)
"""


@pytest.mark.slow
def test_ctrl_c_in_a_turn_ends_the_turn_alone(tmp_path: Path) -> None:
    folder = tmp_path / "slow"
    folder.mkdir()
    (folder / "flow.yaml").write_text(SLOW, "utf-8")
    (folder / "nodes.py").write_text(WORK, "utf-8")
    child = at_terminal(folder, tmp_path / "home")
    child.expect("you> ")
    child.sendline("Anna")
    child.expect("at work")
    child.sendintr()
    child.expect("Interrupted. What was said is kept")
    child.expect("you> ")
    child.sendline("Well?")
    child.expect("Done, Anna.")
    child.expect("you> ")
    child.sendline("/quit")
    assert code_of(child) == 0
