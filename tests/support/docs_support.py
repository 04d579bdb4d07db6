"""The fenced blocks of a page, and its commands, run and compared with the output that the page shows."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from graphwright.cli import _app as command_line
from graphwright.host.agent import _OF_FOLDERS

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Block:
    """A fenced block: its line in the page, its language, the file it names, its text."""

    line: int
    language: str
    path: str
    text: str


def blocks(page: str) -> list[Block]:
    text = (ROOT / page).read_text("utf-8")
    found = re.finditer(r"^```(\w*) ?(\S*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(text.count("\n", 0, m.start()) + 1, m[1], m[2], m[3]) for m in found]


def steady(text: str) -> str:
    """The text without parts that differ from run to run: the folder, times, durations, hashes, widths of columns."""
    text = text.replace(str(Path.cwd()), "/home/you")
    text = re.sub(r"(?<=\S) {2,}", "  ", text)
    text = re.sub(r"\b\d+\.\d+ ?s\b", "0.0 s", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:[\d.+:]+)?", "TIME", text)
    text = re.sub(r'("seconds": |\bin )\d+\.\d+s?', r"\1 0.0", text)
    text = re.sub(r"such as \d{4}-\d\d-\d\d", "such as TODAY", text)
    text = re.sub(r"\([0-9a-f]{12}\)", "(HASH)", text)
    text = re.sub(r" +\[100%\]", " [100%]", text)
    text = re.sub(r"\b\d\d:\d\d:\d\d\.\d{3}\b", "TIME", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def run_command(command: str, last: int) -> tuple[str, int]:
    """The output of a command line, and its exit code; `graphwright` runs in this process."""
    words = shlex.split(command)
    if command == "echo $?":
        return f"{last}\n", 0
    if words[0] != "graphwright" or "|" in words:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        env = {**os.environ, "PATH": path, "PYTHONWARNINGS": "ignore"}
        done = subprocess.run(f"({command}) 2>&1", shell=True, capture_output=True, text=True, env=env, check=False)
        return done.stdout, done.returncode
    _forget_agents()
    written = io.StringIO()
    with contextlib.redirect_stdout(written), contextlib.redirect_stderr(written):
        code = command_line.run(words[1:])
    return written.getvalue(), code


def _forget_agents() -> None:
    """Forget the imported Python of folders, as each command of a reader is a new process."""
    for name in [name for name in sys.modules if name.startswith(_OF_FOLDERS)]:
        del sys.modules[name]
    importlib.invalidate_caches()


def check_console(block: Block, where: str) -> None:
    last = 0
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        printed, last = run_command(command, last)
        assert steady(printed) == steady(shown), f"{where}: {command}"
