"""`graphwright init`: create a small working agent."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from graphwright.cli.console import note, result
from graphwright.cli.failures import Debug
from graphwright.errors import UsageError


def init(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A folder that does not exist yet, or is empty.")],
    debug: Debug = False,
) -> None:
    """Create your own agent.

    It works immediately: a flow, its actions, a typed state and a README with commands to try.
    """
    place = Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        told = f"{folder} is not empty, and nothing in it is overwritten."
        raise UsageError("not_empty", told, "Name a folder that does not exist yet.")
    name = place.absolute().name
    for path, text in _template():
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as stream:
            stream.write(_filled(text, name))
    quoted = shlex.quote(folder)
    note(f"Created an agent in {folder}. Commands to try:")
    for command in ("check", "draw", "chat"):
        note(f"  graphwright {command} {quoted}")
    result(str(place))


def agent_id(name: str) -> str:
    """Return a flow id for a folder's name: `My agent (2)` becomes `flow.my_agent_2`."""
    words = "".join(c.lower() if c.isascii() and c.isalnum() else " " for c in name).split()
    return "flow." + ("_".join(words) or "agent")


def _template() -> Iterator[tuple[Path, str]]:
    folder = Path(str(files("graphwright.cli.template")))
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name != "__init__.py" and "__pycache__" not in file.parts:
            yield file.relative_to(folder), file.read_text("utf-8")


def _filled(text: str, name: str) -> str:
    words = " ".join("".join(c if c.isalnum() else " " for c in name).split())
    title = words[:1].upper() + words[1:] or "Agent"
    # A JSON string is a valid YAML string, for any name of the folder.
    return (
        text.replace("@ID@", agent_id(name))
        .replace("@TITLE@", json.dumps(title, ensure_ascii=False))
        .replace("@NAME@", title)
    )
