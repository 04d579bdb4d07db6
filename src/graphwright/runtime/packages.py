"""Agents that installed packages bring along: found by their entry points, without running anything of a package."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from graphwright.errors import GraphwrightError, said
from graphwright.runtime.address import FLOW_FILE

GROUP = "graphwright.agents"
"""The entry points: the name of an agent, and the Python package whose folder holds it (`my_package.agent`)."""


@dataclass(frozen=True, slots=True)
class Packaged:
    """An agent as a distribution declares it. `distribution` is its name and version, for people."""

    name: str
    value: str
    distribution: str


def packaged() -> Mapping[str, tuple[Packaged, ...]]:
    """What is declared, by the agent's name. A name with several entries is declared by several packages."""
    return _declared(tuple(sys.path))


@lru_cache(maxsize=1)
def _declared(_path: tuple[str, ...]) -> Mapping[str, tuple[Packaged, ...]]:
    found: dict[str, dict[str, Packaged]] = {}
    for agent in _entries():
        # A distribution may be found twice, as when it is installed editable.
        found.setdefault(agent.name, {}).setdefault(agent.value, agent)
    return {name: tuple(agents.values()) for name, agents in sorted(found.items())}


def _entries() -> Iterator[Packaged]:
    # Not at the top: it takes a while to import, and only names that are no path need it.
    from importlib.metadata import distributions

    for distribution in distributions():
        try:
            entries = [entry for entry in distribution.entry_points if entry.group == GROUP]
            label = f"{distribution.name} {distribution.version}" if entries else ""
        # The metadata of somebody else's package may be broken in any way, and must not break the other agents.
        except Exception:
            continue
        for entry in entries:
            yield Packaged(entry.name, entry.value.strip(), label)


def folder_of(agent: Packaged) -> tuple[Path, str]:
    """The folder of a packaged agent, and the Python package that its modules belong to. Nothing is imported.

    Raises GraphwrightError (`agent_package`).
    """
    module, colon, _ = agent.value.partition(":")
    parts = module.strip().split(".")
    if colon or not all(part.isidentifier() for part in parts):
        raise _broken(agent, f"{agent.value!r} is no Python package", 'An entry reads: my_agent = "my_package.agent"')
    try:
        spec = find_spec(parts[0])
    except (ImportError, ValueError) as error:
        raise _broken(agent, f"the package {parts[0]!r} cannot be found: {said(error)}") from error
    if spec is None or spec.submodule_search_locations is None:
        raise _broken(agent, f"there is no package {parts[0]!r}")
    for location in spec.submodule_search_locations:
        folder = Path(location, *parts[1:])
        if folder.is_dir():
            return _with_flow(agent, folder), ".".join(parts)
        if len(parts) > 1 and folder.with_suffix(".py").is_file():
            return _with_flow(agent, folder.parent), ".".join(parts[:-1])
    raise _broken(agent, f"there is no folder for {module!r} in the package {parts[0]!r}")


def _with_flow(agent: Packaged, folder: Path) -> Path:
    if not (folder / FLOW_FILE).is_file():
        raise _broken(agent, f"the folder {folder} has no {FLOW_FILE}")
    return folder


def _broken(agent: Packaged, why: str, hint: str = "") -> GraphwrightError:
    return GraphwrightError(
        "agent_package",
        f"the agent {agent.name!r} of {agent.distribution} cannot be used: {why}",
        hint or "Install another version of the package, or tell its author.",
    )
