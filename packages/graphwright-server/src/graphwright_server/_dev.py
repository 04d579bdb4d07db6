"""Serve a folder during development: load every change of its files, and show failures with their traceback."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from graphwright.errors import GraphwrightError, exception_text
from graphwright.flow import Severity
from graphwright.host.agent import FlowInvalid, load_anew, traceback_in
from graphwright.host.discovery import find
from graphwright_server._flow_files import FlowFiles, Stamp, stamp_of

if TYPE_CHECKING:
    from graphwright import Agent, Turn

logger = logging.getLogger("graphwright.server")

WATCHED = ("*.py", "*.yaml", "*.yml", "*.json", "prompts/*.j2")


class DevFiles(FlowFiles):
    """All files of the served folders: flows with their layers, prompts and Python."""

    def first(self, name: str, source: str) -> Agent:
        agent = self.read(source)
        self._stamps[name] = self.stamp(agent)
        return agent

    def read(self, source: str) -> Agent:
        return load_anew(source)

    def stamp(self, agent: Agent) -> Stamp:
        folders = {agent.file.parent, *(layer.parent for layer in agent.layers)}
        files = {path for folder in folders for pattern in WATCHED for path in folder.glob(pattern)}
        return stamp_of(sorted({agent.file, *agent.layers, *files}))

    def unfit(self, agent: Agent) -> Iterator[str]:
        yield from ()

    def told(self, error: Exception, source: str) -> str:
        return why_broken(error, find(source).parent)

    def taken(self, name: str, agent: Agent, found: Agent) -> Agent | None:
        version = found.flow.hash[:12]
        if found.flow.hash == agent.flow.hash:
            logger.warning("%s was reloaded", name)
        else:
            logger.warning(
                "%s was reloaded, version %s: waiting threads carry over if they fit "
                "(graphwright threads migrate %s --dry-run)",
                name,
                version,
                found.flow.id,
            )
        return found


def why_broken(error: Exception, folder: Path) -> str:
    """Return the faults in a folder's files: each error of the flow with its place, or the traceback of its Python."""
    if isinstance(error, FlowInvalid):
        errors = (found for found in error.diagnostics if found.severity is Severity.ERROR)
        lines = (f"{error.file}:{e.span.line}:{e.span.column}: {e.code} {e.message} {e.hint}".rstrip() for e in errors)
        return "\n".join(lines)
    said = error.message if isinstance(error, GraphwrightError) else exception_text(error)
    return f"{said}\n{traceback_in(error, folder)}".rstrip()


def with_traceback(turn: Turn, folder: Path) -> Turn:
    """Add the traceback of its failure to a failed turn, and log it. Any other turn is returned unchanged."""
    if turn.error is None:
        return turn
    text = traceback_in(turn.exception, folder) if turn.exception is not None else ""
    if not text:
        logger.error("a turn of thread %s failed: %s %s", turn.thread, turn.error.message, turn.error.hint)
        return turn
    logger.error("a turn of thread %s failed: %s\n%s", turn.thread, turn.error.message, text)
    return replace(turn, error=replace(turn.error, hint=f"{turn.error.hint}\n\n```\n{text}\n```"))
