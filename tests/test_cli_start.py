"""Starting up: what help, version and check import, exit codes of the program, pipes and signals."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cli_support import FLOW, Runner, environment, program

HEAVY = ("langchain", "langchain_core", "langgraph", "sqlalchemy", "xllamacpp", "aiosqlite")


@pytest.mark.parametrize(
    "args",
    [("--help",), ("--version",), ("check", "flow.yaml"), ("draw", "flow.yaml"), ("ask", "-h"), ("agents", "--json")],
)
def test_nothing_heavy_is_imported(tmp_path: Path, args: tuple[str, ...]) -> None:
    (tmp_path / "flow.yaml").write_text(FLOW, "utf-8")
    script = (
        "import sys\nfrom graphwright.cli.app import run\n"
        f"code = run({list(args)!r})\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], code, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == "[] 0\n"


def test_help_names_every_command(run: Runner) -> None:
    done = run("--help")
    assert done.code == 0
    for command in ("ask", "chat", "resume", "threads", "agents", "init", "check", "draw", "model", "demo"):
        assert f"\n  {command} " in done.out
    for command in ("ask", "chat", "resume", "threads", "agents", "init", "check", "draw", "model", "demo"):
        assert run(command, "--help").code == 0


def test_version(run: Runner) -> None:
    assert run("--version").out.startswith("graphwright 0.")


def test_wrong_usage_exits_with_2(run: Runner) -> None:
    assert run("chekc").code == 2
    assert "check" in run("chekc").err
    assert run("check", "--nope").code == 2
    assert run("ask", "intake").code == 2


def test_debug_shows_the_traceback_and_nothing_else_does(run: Runner) -> None:
    plain = run("draw", "nope.yaml")
    assert "Traceback" not in plain.err
    assert len(plain.err.strip().splitlines()) == 1
    assert "Traceback" in run("draw", "nope.yaml", "--debug").err
    assert "Traceback" in run("--debug", "draw", "nope.yaml").err


def test_the_program_passes_its_exit_code_on(tmp_path: Path) -> None:
    assert program("--version", home=tmp_path).code == 0
    assert program("check", tmp_path / "nope.yaml", home=tmp_path).code == 2
    assert program("check", "-", home=tmp_path, stdin="x").code == 1


@pytest.mark.parametrize("python", ["", "-u"])
def test_a_reader_that_leaves_ends_the_program_quietly(tmp_path: Path, python: str) -> None:
    (tmp_path / "many.yaml").write_text("version: v1\nid: x\nnodes:\n" + "  - {id: a, x: 1}\n" * 20_000, "utf-8")
    command = f"{sys.executable} {python} -m graphwright.cli check --json many.yaml | head -1"
    done = subprocess.run(
        command, shell=True, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert done.stdout == "[\n"
    assert done.stderr == ""


def test_an_interruption_is_one_line(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("graphwright.cli.flows.read_source", interrupted)
    done = run("check", "-")
    assert done.code == 130
    assert done.err == "Interrupted.\n"


def test_an_ascii_terminal_does_not_end_the_program(tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(FLOW.replace("Good,", "Größe 灯"), "utf-8")
    done = program("draw", tmp_path, home=tmp_path, PYTHONIOENCODING="ascii")
    assert done.code == 0
    assert "Gr??e ?" in done.out
    as_json = program("draw", tmp_path, "--format", "json", home=tmp_path, PYTHONIOENCODING="ascii")
    assert "Größe 灯" in str(as_json.json)


def test_no_colour_codes_outside_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("version: v1\nid: x\n", "utf-8")
    assert "\x1b" not in program("check", tmp_path / "bad.yaml", home=tmp_path).out
