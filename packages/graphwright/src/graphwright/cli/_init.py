"""`graphwright init`: create a small working agent, with Python or from a template of ready-made actions."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from graphwright.cli.console import columns, note, result
from graphwright.cli.failures import DONE, Debug
from graphwright.errors import UsageError


def init(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="A folder that does not exist yet, or is empty.", show_default=False)
    ] = "",
    template: Annotated[
        str, typer.Option("--template", metavar="NAME", help="Begin with a template of ready-made actions.")
    ] = "",
    list_them: Annotated[bool, typer.Option("--list", help="List the templates.")] = False,
    debug: Debug = False,
) -> None:
    """Create your own agent.

    It works immediately: a flow, its actions, a typed state and a README with commands to try. With --template it has
    no Python: a flow of ready-made actions with its conversations.
    """
    from graphwright.authoring.templates import TEMPLATES, template_files

    if list_them:
        columns([(name, about) for name, about in TEMPLATES.items()], ("template", "what it does"))
        raise typer.Exit(DONE)
    if not folder:
        raise UsageError("no_folder", "The folder of the new agent is not named.", "graphwright init DIR")
    place = Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        told = f"{folder} is not empty, and nothing in it is overwritten."
        raise UsageError("not_empty", told, "Name a folder that does not exist yet.")
    name = place.absolute().name
    made = template_files(template, name) if template else dict(_with_python(name))
    for path, text in made.items():
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as stream:
            stream.write(text)
    quoted = shlex.quote(folder)
    note(f"Created an agent in {folder}. Commands to try:")
    for command in ("check", "draw", "test" if template else "", "chat"):
        if command:
            note(f"  graphwright {command} {quoted}")
    result(str(place))


def _with_python(name: str) -> Iterator[tuple[str, str]]:
    from graphwright.authoring.templates import filled

    folder = Path(str(files("graphwright.cli.template")))
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name != "__init__.py" and "__pycache__" not in file.parts:
            yield file.relative_to(folder).as_posix(), filled(file.read_text("utf-8"), name)
