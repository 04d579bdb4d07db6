"""The commands: those of the core, and those of packages with entry points in the group `graphwright.commands`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from graphwright.cli.console import results_alone
from graphwright.errors import GraphwrightError, exception_text
from graphwright.hooks import COMMANDS, Packaged, imported

__all__ = ["CommandGroup"]

CORE: Mapping[str, tuple[str, str]] = {
    "ask": ("_turns", "ask"),
    "chat": ("_turns", "chat"),
    "resume": ("_turns", "resume"),
    "threads": ("_threads", "app"),
    "records": ("_records", "records"),
    "agents": ("_agents", "agents"),
    "init": ("_init", "init"),
    "author": ("_author", "author"),
    "check": ("_flows", "check"),
    "draw": ("_flows", "draw"),
    "merge": ("_layers", "merge"),
    "diff": ("_diff", "diff"),
    "publish": ("_publishing", "publish"),
    "pull": ("_publishing", "pull"),
    "test": ("_testing", "run_tests"),
    "record": ("_testing", "record"),
    "migrate": ("_versions", "migrate"),
    "convert": ("_versions", "convert"),
    "shadow": ("_shadow", "app"),
    "replay-against": ("_shadow", "replay_against"),
    "doctor": ("doctor", "doctor"),
    "demo": ("_demo", "demo"),
    "model": ("_model", "app"),
}
"""The commands of the core in the order of the help: the module in this package, and the app or function in it."""


class CommandGroup(TyperGroup):
    """A command with subcommands. Its help lists the whole first sentence of each, wrapped and not cut."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, each.get_short_help_str(limit=10_000)) for name, each in commands if each and not each.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class Commands(CommandGroup):
    """The commands of the core, then those of packages by name; each is imported when it is run or listed."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*CORE, *(name for name in COMMANDS.entries() if name not in CORE)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands:
            if cmd_name in CORE:
                module, name = CORE[cmd_name]
                self.commands[cmd_name] = _made(cmd_name, getattr(import_module(f"graphwright.cli.{module}"), name))
            elif entry := COMMANDS.entries().get(cmd_name):
                self.commands[cmd_name] = _command(entry)
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            from graphwright.extras import packages_hint

            if hint := packages_hint():
                ctx.fail(f"No such command {name!r}. {hint}")
            # Typer suggests loaded commands.
            for known in self.list_commands(ctx):
                self.get_command(ctx, known)
        return super().resolve_command(ctx, args)


def load(entry: Packaged) -> Any:
    """Load the command of an entry point. Raises GraphwrightError (`command_package`) if it cannot be used."""
    try:
        with results_alone():
            found = imported(entry)
        if not callable(found):
            raise TypeError(f"{entry.value} is neither a Typer app nor a function")
        return _made(entry.name, found)
    # The code of another package may fail in any way, and must not stop the other commands.
    except (Exception, SystemExit) as error:
        raise GraphwrightError(
            "command_package",
            f"The command {entry.name!r} of {entry.distribution} cannot be used: {exception_text(error)}.",
            "Install another version of the package, or tell its author.",
        ) from error


def _made(name: str, found: Any) -> Any:
    """Return the command with this name that a Typer app or a function makes."""
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    if not isinstance(found, typer.Typer):
        app.command(name)(found)
        return get_command(app)
    app.add_typer(found, name=name)
    group: Any = get_command(app)
    return group.commands[name]


def _command(entry: Packaged) -> Any:
    """Return the command of an entry point. If it cannot be used, the command reports that in the list and when run."""
    try:
        return load(entry)
    except GraphwrightError as error:
        return _unusable(entry, error)


def _unusable(entry: Packaged, error: GraphwrightError) -> Any:
    app = typer.Typer(rich_markup_mode=None, add_completion=False)

    @app.command(
        help=f"(cannot be used: {exception_text(error.__cause__ or error)})",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
    def unusable() -> None:
        raise error

    return get_command(app)
