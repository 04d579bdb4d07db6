"""How a thread remembers its agent: a built-in one by its name, any other by the absolute path of its flow."""

from __future__ import annotations

from pathlib import Path

FLOW_FILE = "flow.yaml"
"""The flow document of an agent's folder."""

FLOW_SUFFIXES = (".yaml", ".yml", ".json")


def plain(file: Path) -> Path:
    """The absolute path without `..`, which is no name. Links are kept otherwise: a link has its own name."""
    return file.resolve() if ".." in file.parts else file.absolute()


def name_of(file: Path) -> str:
    """What an agent is called: its folder's name, or the name of a lone flow file without the suffix."""
    return plain(file).parent.name if file.name == FLOW_FILE else file.stem


def short(address: str) -> str:
    """The name in an address, for people."""
    path = Path(address)
    return path.stem if path.is_absolute() and path.suffix in FLOW_SUFFIXES else path.name
