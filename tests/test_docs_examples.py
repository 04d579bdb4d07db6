"""The documentation says what is true: its files are written, its code is run, its commands print what it shows.

By the word after the three backticks, a block of a page is: `console`, commands after `$ ` and what they print;
`python`, code that is run, the `text` after it what it prints; `LANGUAGE PATH`, a file that is written; `sh`, commands
that are not run; `yaml` and `json`, a piece that must be readable. All blocks of a page share one folder, in order.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from graphwright.cli import app as command_line

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "docs/agents.md", "docs/cli.md", "docs/python-api.md", "src/graphwright/agents/intake/README.md")
COMMAND_PAGES = (*PAGES, "CONTRIBUTING.md", "docs/architecture.md", "docs/models.md", "docs/flow-document.md")


@dataclass(frozen=True)
class Block:
    """A fenced block: the page's line it stands at, its language, the file it names, its text."""

    line: int
    language: str
    path: str
    text: str


def blocks(page: str) -> list[Block]:
    text = (ROOT / page).read_text("utf-8")
    found = re.finditer(r"^```(\w*) ?(\S*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(text.count("\n", 0, m.start()) + 1, m[1], m[2], m[3]) for m in found]


def steady(text: str) -> str:
    """The text without what differs from run to run: times, durations, and blanks at line ends."""
    text = re.sub(r"\b\d+\.\d+ ?s\b", "0.0 s", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:[\d.+:]+)?", "TIME", text)
    text = re.sub(r"\b\d\d:\d\d:\d\d\.\d{3}\b", "TIME", text)
    text = re.sub(r"=+ (.*?) =+", r"= \1 =", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def run_command(command: str, last: int) -> tuple[str, int]:
    """What a command line prints, and its exit code; `graphwright` runs in this process."""
    words = shlex.split(command)
    if command == "echo $?":
        return f"{last}\n", 0
    if words[0] != "graphwright" or "|" in words:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            command,
            shell=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PATH": path},
            timeout=120,
            check=False,
        )
        return done.stdout, done.returncode
    written = io.StringIO()
    with contextlib.redirect_stdout(written), contextlib.redirect_stderr(written):
        code = command_line.run(words[1:])
    return written.getvalue(), code


def check_console(block: Block, where: str) -> None:
    last = 0
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        printed, last = run_command(command, last)
        assert steady(printed) == steady(shown), f"{where}: {command}"


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_hold(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(tmp_path / "home"))
    for name in ("GRAPHWRIGHT_MODEL", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    names: dict[str, Any] = {"__name__": "example"}
    printed: str | None = None
    for block in blocks(page):
        where = f"{page}:{block.line}"
        if block.path:
            Path(block.path).parent.mkdir(parents=True, exist_ok=True)
            Path(block.path).write_text(block.text, "utf-8")
        elif block.language == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile("\n" * block.line + block.text, page, "exec"), names)  # noqa: S102
            printed = output.getvalue()
        elif block.language == "text":
            assert printed is not None, f"{where}: no code before it prints anything"
            assert steady(printed) == steady(block.text), where
        elif block.language == "console":
            check_console(block, where)
        elif block.language == "yaml":
            yaml.safe_load(block.text)
        elif block.language == "json":
            json.loads(block.text)
