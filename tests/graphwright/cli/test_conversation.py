"""The command line at a real terminal: a conversation, Ctrl-C, and drafts that the final reply replaces."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from cli_support import FLOW, Runner, environment

WRITER = """\
version: v1
id: flow.writer
title: Writer
nodes: [{id: act, type: action, run: act, label: Look it up}, {id: t, type: terminal}]
edges: [{from: act, to: t}]
"""
NODES = """\
import asyncio
from pathlib import Path

from graphwright import action

GATE = Path(__file__).parent / "gate"


@action(reads=["message"])
async def act(state, ctx):
    print("printed by the agent")
    if "long" in state["message"]:
        for number in range(200):
            ctx.stream(f"line {number}\\n")
    ctx.stream("The beam was lost at ")
    ctx.stream("noon, see \\x1b[2Jhttps://evil.example")
    while not GATE.exists():
        await asyncio.sleep(0.01)
    if "again" in state["message"]:
        ctx.stream("Once more.", afresh=True)
        while GATE.exists():
            await asyncio.sleep(0.01)
    ctx.say("The beam was lost at noon.\\n\\nSources:\\n- ELOG 212")
    return {}
"""
REPLY = ["The beam was lost at noon.", "", "Sources:", "- ELOG 212"]

Spawn = Callable[..., pexpect.spawn]

pytestmark = pytest.mark.slow


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "small.yaml"
    file.write_text(FLOW, "utf-8")
    return file


@pytest.fixture
def writer(tmp_path: Path) -> Path:
    folder = tmp_path / "writer"
    folder.mkdir()
    (folder / "flow.yaml").write_text(WRITER, "utf-8")
    (folder / "nodes.py").write_text(NODES, "utf-8")
    return folder


class _Kept:
    """Everything that a program wrote to its terminal."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


@pytest.fixture
def at_terminal(tmp_path: Path) -> Iterator[Spawn]:
    made: list[pexpect.spawn] = []

    def spawn(*args: str | Path, rows: int = 24) -> pexpect.spawn:
        child = pexpect.spawn(
            sys.executable,
            ["-m", "graphwright.cli", *map(str, args), "--thread", "t1"],
            env=environment(tmp_path / "home", TERM="xterm", NO_COLOR="1"),
            encoding="utf-8",
            timeout=60,
            dimensions=(rows, 80),
        )
        child.logfile_read = _Kept()
        made.append(child)
        return child

    yield spawn
    for child in made:
        child.close(force=True)


def say(child: pexpect.spawn, *lines: str) -> None:
    """Type each line at a prompt, and wait for the next one."""
    for line in lines:
        child.sendline(line)
        child.expect_exact("you> ")


def finished(child: pexpect.spawn) -> int:
    child.expect(pexpect.EOF)
    child.wait()
    return int(child.exitstatus or 0)


def screen(child: pexpect.spawn, rows: int = 24) -> list[str]:
    """The remaining lines, including those scrolled out: a terminal emulation sufficient for these tests."""
    lines, row, column = [""], 0, 0
    text = child.logfile_read.text
    for control, count, which, plain in re.findall(r"(\x1b\[\??([0-9;]*)([A-Za-z]))|([^\x1b])", text):
        if not control:
            if plain == "\r":
                column = 0
            elif plain == "\n":
                row += 1
                lines += [""] * (row + 1 - len(lines))
            else:
                lines[row] = lines[row][:column].ljust(column) + plain + lines[row][column + 1 :]
                column += 1
        elif which == "A":
            # Lines outside of the screen cannot be changed any more.
            row = max(row - int(count or 1), len(lines) - rows, 0)
        elif which == "K":
            assert count == "2", control
            lines[row] = ""
        else:
            assert which in "mhl", control
    return [line.rstrip() for line in lines]


def times(lines: list[str], wanted: list[str]) -> int:
    return sum(lines[at : at + len(wanted)] == wanted for at in range(len(lines)))


def test_a_conversation(at_terminal: Spawn, small: Path) -> None:
    child = at_terminal("chat", small)
    child.expect_exact("you> ")
    say(child, "Anna", "/path", "yes")
    child.sendeof()
    child.expect("The thread stays")
    assert finished(child) == 0
    shown = "\n".join(screen(child))
    for said in ("Small talk: What is your name", "[at q.sure; no model call", "q.sure", "Good, Anna", "has ended"):
        assert said in shown


def test_ctrl_c_at_the_prompt_leaves_the_thread(at_terminal: Spawn, run: Runner, small: Path) -> None:
    child = at_terminal("chat", small)
    child.expect_exact("you> ")
    say(child, "Anna")
    child.sendintr()
    child.expect("Thread t1 keeps what was said")
    assert (finished(child), "Traceback" in child.logfile_read.text) == (130, False)
    assert run("chat", small, "--thread", "t1", stdin="yes\n").out == "Anna, are you sure?\nGood, Anna.\n"


def test_ctrl_c_in_a_turn_ends_the_turn_alone_and_takes_its_draft_away(at_terminal: Spawn, writer: Path) -> None:
    child = at_terminal("chat", writer)
    child.expect_exact("you> ")
    child.sendline("why?")
    child.expect_exact("evil")
    child.sendintr()
    child.expect("Interrupted. What was said is kept")
    child.expect_exact("you> ")
    assert not any("evil" in line for line in screen(child))
    (writer / "gate").touch()
    say(child, "Well?")
    child.sendline("/quit")
    assert finished(child) == 0
    assert times(screen(child), ["Writer: The beam was lost at noon.", *REPLY[1:]]) >= 1


def test_the_end_of_a_draft_is_shown_until_the_reply_takes_its_place(at_terminal: Spawn, writer: Path) -> None:
    child = at_terminal("ask", writer, "long", rows=10)
    child.expect_exact("Look it up")
    child.expect_exact("The beam was lost at noon, see \ufffd[2Jhttps://evil.example")
    assert "line 199" in screen(child, 10)
    assert "line 150" not in screen(child, 10)
    assert "Sources" not in child.logfile_read.text
    (writer / "gate").touch()
    assert finished(child) == 0
    left = screen(child, 10)
    assert (times(left, REPLY), left.count("printed by the agent")) == (1, 1)
    assert not any(re.match("line |evil", line) for line in left)


def test_a_restarted_draft_is_void(at_terminal: Spawn, writer: Path) -> None:
    child = at_terminal("ask", writer, "again")
    child.expect_exact("evil")
    (writer / "gate").touch()
    child.expect_exact("Once more.")
    assert not any("evil" in line for line in screen(child))
    (writer / "gate").unlink()
    assert finished(child) == 0
    left = screen(child)
    assert (times(left, REPLY), "Once more." in left) == (1, False)


def test_programs_get_no_draft(run: Runner, writer: Path) -> None:
    (writer / "gate").touch()
    assert run("ask", writer, "why?").out.splitlines() == REPLY
    assert run("ask", writer, "why?", "--jsonl").out.count("evil") == 1
