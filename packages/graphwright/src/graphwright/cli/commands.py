"""The commands: those of the core, and those of packages with entry points in the group `graphwright.commands`."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from graphwright.cli.console import results_alone
from graphwright.errors import GraphwrightError, exception_text
from graphwright.hooks import COMMANDS, Packaged, imported

__all__ = ["CommandGroup"]

CORE = (
    *(
        "ask",
        "chat",
        "resume",
        "threads",
        "records",
        "agents",
        "init",
        "author",
        "check",
        "draw",
        "merge",
        "diff",
        "publish",
        "pull",
        "test",
        "record",
    ),
    *("migrate", "convert", "shadow", "replay-against"),
    *("doctor", "demo", "model"),
)
"""The commands that graphwright.cli._app registers, in the order of the help."""


class CommandGroup(TyperGroup):
    """A command with subcommands. Its help lists the whole first sentence of each, wrapped and not cut."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, each.get_short_help_str(limit=10_000)) for name, each in commands if each and not each.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class Commands(CommandGroup):
    """The commands of the core, then those of packages by name, each imported when it is run or listed."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*CORE, *(name for name in COMMANDS.entries() if name not in CORE)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        core = super().get_command(ctx, cmd_name)
        entry = COMMANDS.entries().get(cmd_name) if core is None else None
        return core if entry is None else _command(entry)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            from graphwright.extras import packages_hint

            if hint := packages_hint():
                ctx.fail(f"No such command {name!r}. {hint}")
        return super().resolve_command(ctx, args)


def load(entry: Packaged) -> Any:
    """Load the command of an entry point. Raises GraphwrightError (`command_package`) if it cannot be used."""
    try:
        with results_alone():
            found = imported(entry)
        app = typer.Typer(rich_markup_mode=None, add_completion=False)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=entry.name)
            group: Any = get_command(app)
            return group.commands[entry.name]
        if not callable(found):
            raise TypeError(f"{entry.value} is neither a Typer app nor a function")
        app.command(entry.name)(found)
        return get_command(app)
    # The code of another package may fail in any way, and must not stop the other commands.
    except (Exception, SystemExit) as error:
        raise GraphwrightError(
            "command_package",
            f"The command {entry.name!r} of {entry.distribution} cannot be used: {exception_text(error)}.",
            "Install another version of the package, or tell its author.",
        ) from error


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
