"""Load new versions of flow files while the service runs. If one does not compile, the old version stays in use."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from graphwright import load
from graphwright.errors import GraphwrightError, exception_text
from graphwright.flow.compiled import Action, Question

if TYPE_CHECKING:
    from graphwright import Agent

logger = logging.getLogger("graphwright.server")

Stamp = tuple[tuple[Path, int, int], ...]
"""The files of a flow, each with the time of its last change in nanoseconds and its size."""


@dataclass
class FlowFiles:
    """The flow files of the agents that a service has loaded, as they were when they were last read."""

    _stamps: dict[str, Stamp] = field(default_factory=dict)

    def newer(self, name: str, source: str, agent: Agent) -> Agent | None:
        """Return the agent with the flow of its changed files, or None if the flow is the same.

        A version that cannot be used is logged once. The flows of installed packages are not read again: they belong to
        the Python of the package.
        """
        if agent.package:
            return None
        stamp = self.stamp(agent)
        if self._stamps.get(name) == stamp:
            return None
        self._stamps[name] = stamp
        try:
            found = self.read(source)
            unfit = next(self.unfit(found), "")
        # The Python of an agent may fail in any way, and must not stop the service.
        except Exception as error:
            unfit = self.told(error, source)
        if unfit:
            logger.warning(
                "the new version of the flow of %s cannot be used; the previous version stays in use: %s", name, unfit
            )
            return None
        if found.layers != agent.layers:
            self._stamps[name] = self.stamp(found)
        return self.taken(name, agent, found)

    def first(self, name: str, source: str) -> Agent:
        """Load an agent for the first time. Raises as `graphwright.load`."""
        return self.read(source)

    def read(self, source: str) -> Agent:
        """Load the agent of a source. Raises as `graphwright.load`."""
        return load(source)

    def stamp(self, agent: Agent) -> Stamp:
        """Return the files of an agent that are watched."""
        return stamp_of((agent.file, *agent.layers))

    def unfit(self, agent: Agent) -> Iterator[str]:
        """Yield the reasons why the Python imported at the start of the service cannot perform a flow."""
        yield from _unfit(agent)

    def told(self, error: Exception, source: str) -> str:
        """Return the log text for an agent that cannot be loaded."""
        return error.full_text if isinstance(error, GraphwrightError) else exception_text(error)

    def taken(self, name: str, agent: Agent, found: Agent) -> Agent | None:
        """Return the agent that replaces the old one, or None if its flow is the same. Logs a new version."""
        if found.flow.document == agent.flow.document:
            return None
        if found.flow.hash != agent.flow.hash:
            version = found.flow.hash[:12]
            logger.warning("the flow file of %s has a new version, %s", name, version)
        return found


def stamp_of(paths: Iterable[Path]) -> Stamp:
    """The stamp of some files."""
    found = []
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            # An editor may replace the file at this moment.
            found.append((path, 0, 0))
        else:
            found.append((path, status.st_mtime_ns, status.st_size))
    return tuple(found)


def _unfit(agent: Agent) -> Iterator[str]:
    """Why the Python that was imported when the service started cannot perform a flow."""
    lacks = "which the running Python does not have; restart the service"
    for node in agent.flow.nodes.values():
        if isinstance(node, Action) and not (node.map is not None and node.map.graph):
            spec, signature = agent.actions.get(node.function), agent.flow.signatures.get(node.function)
            if spec is None:
                yield f"it names the action {node.run!r}, {lacks}"
            elif signature and (set(signature.reads), set(signature.writes)) != (set(spec.reads), set(spec.writes)):
                yield f"the action {node.run!r} was changed since the service started; restart it"
        elif isinstance(node, Question) and node.validator and node.validator not in agent.validators:
            yield f"it names the validator {node.validator!r}, {lacks}"
