"""Running the command line in tests: in this process, or as a program if that is necessary."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Outcome:
    """The outcome of a command line."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Runner:
    """Runs command lines in this process, with a new data folder."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch
        self.home = home
        monkeypatch.setenv("GRAPHWRIGHT_HOME", str(home))
        monkeypatch.delenv("GRAPHWRIGHT_MODEL", raising=False)

    def __call__(self, *args: str | Path, stdin: str | bytes = "") -> Outcome:
        from graphwright.cli._app import run

        content = stdin.encode() if isinstance(stdin, str) else stdin
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))
        self._capsys.readouterr()
        code = run([str(arg) for arg in args])
        captured = self._capsys.readouterr()
        return Outcome(code, captured.out, captured.err)


def findings(run: Runner, *checks: str) -> list[tuple[str, str]]:
    """Levels and messages of `graphwright doctor`, which runs only these checks: that of the sandbox takes a second."""
    from graphwright.cli import doctor

    with pytest.MonkeyPatch.context() as patch:
        chosen = {name: check for name, check in doctor.checks().items() if name in checks}
        patch.setattr(doctor, "checks", lambda: chosen)
        return [(each["level"], each["message"]) for each in run("doctor", "--json").json]


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a program with its data in `home` and without a configured model."""
    # Parallel tests would otherwise inherit the size of a foreign terminal.
    left_out = ("GRAPHWRIGHT_MODEL", "COLUMNS", "LINES", "PYTHONUNBUFFERED")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**kept, "GRAPHWRIGHT_HOME": str(home), **more}


def program(*args: str | Path, home: Path, stdin: str = "", **more: str) -> Outcome:
    """Run `graphwright` as a separate program."""
    done = subprocess.run(
        [sys.executable, "-m", "graphwright.cli", *map(str, args)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=300,
        env=environment(home, **more),
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


class Site:
    """A folder of installed distributions, as pip leaves it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, name: str, entry_points: str, files: Mapping[str, str]) -> None:
        info = self.folder / f"{name.replace('-', '_')}-1.0.dist-info"
        for path, text in {
            info / "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
            info / "entry_points.txt": entry_points,
            **{self.folder / file: text for file, text in files.items()},
        }.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def agents(self, name: str, entries: str, files: Mapping[str, str]) -> None:
        """Install a distribution with the agents of these entry points."""
        self.install(name, f"[graphwright.agents]\n{entries}\n", files)

    def command(self, entry: str, python: str = "") -> None:
        """Install `acme` 1.0 with one command; its module is `acme.py`."""
        self.install("acme", f"[graphwright.commands]\n{entry}\n", {"acme.py": python})


FLOW = """\
version: v1
id: flow.small
title: Small talk
nodes:
  - {id: q.name, type: question, key: name, prompt: "What is your name?", read: verbatim}
  - {id: q.sure, type: question, key: sure, prompt: "{{ answers.name }}, are you sure?", read: confirm}
  - {id: t.yes, type: terminal, say: "Good, {{ answers.name }}."}
  - {id: t.no, type: terminal, say: Then not.}
edges:
  - {from: q.name, to: q.sure}
  - {from: q.sure, to: t.yes, guard: answers.sure == true}
  - {from: q.sure, to: t.no, guard: else}
"""
"""A flow that needs no model."""
