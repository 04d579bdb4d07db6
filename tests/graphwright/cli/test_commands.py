"""Commands of installed packages: listed, run and reported like those of the core, and isolated from each other."""

from __future__ import annotations

import re
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from cli_support import FLOW, Runner, Site, findings
from graphwright.hooks import COMMANDS

PAGE = (Path(__file__).parents[3] / "docs/cli.md").read_text("utf-8").split("## Commands of your own")[1]
OWN = {"elog", "graph", "knowledge", "log", "sandbox", "upgrade"}


def test_the_example_of_the_page(run: Runner, site: Site) -> None:
    entry_points = (
        re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0].replace("[project.entry-points.", "[").replace('"', "")
    )
    path, code = re.findall(r"```python (\S+)\n(.*?)```", PAGE, re.DOTALL)[0]
    site.install("acme", entry_points, {path: code, "acme/__init__.py": ""})
    shown = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)[0]
    for command, printed in re.findall(r"^\$ graphwright (.*)\n((?:(?!\$ ).*\n)*)", shown, re.MULTILINE):
        done = run(*command.split())
        assert (done.out + done.err, done.code) == (printed, 2 if "Error" in printed else 0)
    assert re.search(r"stock +What is in the warehouse\.", run("--help").out)


def test_a_function_is_a_command_and_its_errors_and_exit_codes_are_the_programs(run: Runner, site: Site) -> None:
    python = """
import typer
from graphwright import GraphwrightError

def greet(name: str, code: int = 0) -> None:
    "Say hello."
    if name == "nobody":
        raise GraphwrightError("no_name", "There is nobody.", "Name somebody.")
    typer.echo(f"Hello {name}")
    raise typer.Exit(code)
"""
    site.command("greet = acme:greet", python)
    assert (run("greet", "Ann").out, run("greet", "Ann", "--code", "3").code) == ("Hello Ann\n", 3)
    failed = run("greet", "nobody")
    assert (failed.code, failed.err) == (1, "Error: There is nobody. Name somebody. [no_name]\n")
    assert run("greet").code == 2


@pytest.mark.parametrize(
    ("value", "python", "why"),
    [
        ("acme:app", "raise RuntimeError('no licence')", "no licence"),
        ("acme:app", "import sys; sys.exit(3)", "3"),
        ("acme:app", "app = 7", "acme:app is neither a Typer app nor a function"),
        ("not a reference!", "", "SyntaxError"),
    ],
)
def test_a_broken_command_is_reported_in_one_line(run: Runner, site: Site, value: str, python: str, why: str) -> None:
    site.command(f"stock = {value}", python)
    listed = run("--help")
    (line,) = [line for line in listed.out.splitlines() if line.strip().startswith("stock ")]
    assert (listed.code, listed.err) == (0, "")
    assert "(cannot be used" in line
    assert run("log", "--help").code == 0
    done = run("stock", "count", "--json")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: The command 'stock' of acme 1.0 cannot be used: ")
    assert "[command_package]" in done.err
    if why != "SyntaxError":
        assert why in done.err


def test_core_commands_import_no_package_and_keep_their_names(run: Runner, site: Site, tmp_path: Path) -> None:
    site.command("check = acme:app\nother = acme:app\nlog = acme:app", "raise SystemExit('imported')")
    (tmp_path / "flow.yaml").write_text(FLOW, "utf-8")
    assert run("check", "flow.yaml").code == 0
    assert run("log", "sessions").code == 0
    assert "acme" not in sys.modules
    assert findings(run, "commands") == [
        ("warning", "acme 1.0 brings a command 'check': Graphwright's own is used."),
        ("problem", "The command 'other' of acme 1.0 cannot be used: imported."),
        ("warning", f"acme 1.0 and graphwright {version('graphwright')} both have the command 'log'."),
    ]


def test_metadata_that_cannot_be_read_hides_only_itself(run: Runner, site: Site) -> None:
    site.install("other", "[graphwright.commands\nstock = acme:app", {})
    site.command("hello = acme:hello", "def hello() -> None:\n    print('hello')\n")
    assert (run("hello").code, set(COMMANDS.entries()) >= OWN | {"hello"}) == (0, True)
