"""The reference page of the command line, generated from the program's own `--help`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from graphwright.cli import _app as command_line

_EVERYWHERE = {"help", "debug"}
"""Options of every command, described once."""


def page() -> str:
    """The page of all commands: usage, description, arguments and options of each, in Markdown."""
    parts = [
        "# Every command\n",
        "Generated from `graphwright COMMAND --help`. Every command also has `--help` (`-h`) and `--debug`, which "
        "shows the traceback of an error. [The command line](../cli.md) describes exit codes and JSON output.\n",
    ]
    for words, command in commands():
        parts += _section(words, command)
    return "\n".join(parts)


def commands() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with its words, such as `("threads", "show")`, in alphabetical order; groups come first."""

    def walk(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
        if words:
            yield words, command
        if hasattr(command, "list_commands"):
            for name in sorted(command.list_commands(None)):
                yield from walk(command.get_command(None, name), (*words, name))

    yield from walk(typer.main.get_command(command_line.app), ())


def _section(words: tuple[str, ...], command: Any) -> Iterator[str]:
    context = typer.Context(command, info_name=" ".join(("graphwright", *words)))
    yield f"## graphwright {' '.join(words)}\n"
    usage = re.sub(r"\{(.*?)\}", r"\1", " ".join(command.collect_usage_pieces(context)))
    yield f"```\n{context.command_path} {usage}\n```\n"
    yield _plain(command.help or "") + "\n"
    records = (p.get_help_record(context) for p in command.get_params(context) if p.name not in _EVERYWHERE)
    rows = [f"| `{names}` | {_plain(text)} |" for names, text in filter(None, records)]
    if rows:
        yield "\n".join(["| argument or option | effect |", "|---|---|", *rows, ""])
    if hasattr(command, "list_commands"):
        names = (f"`{name}`" for name in sorted(command.list_commands(None)))
        yield f"Commands: {', '.join(names)}.\n"


def _plain(text: str) -> str:
    """The text with the characters that Markdown reads escaped, outside of code."""
    parts = re.split(r"(`[^`]*`)", text.strip())
    return "".join(part if part.startswith("`") else re.sub(r"([*_<>|\[\]])", r"\\\1", part) for part in parts)
