"""The pytest plugin: every `*.conversation.yaml` is collected as a test."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from graphwright.errors import GraphwrightError

if TYPE_CHECKING:
    from _pytest._code.code import ExceptionInfo, TerminalRepr

SUFFIX = ".conversation.yaml"


class Mismatch(Exception):
    """A conversation that did not go as expected."""


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect conversation files."""
    if file_path.name.endswith(SUFFIX):
        return ConversationFile.from_parent(parent, path=file_path)
    return None


class ConversationFile(pytest.File):
    """One file holds one conversation."""

    def collect(self) -> Iterator[pytest.Item]:
        yield ConversationItem.from_parent(self, name=self.path.name.removesuffix(SUFFIX))


class ConversationItem(pytest.Item):
    """One conversation, run with a data folder of its own."""

    def runtest(self) -> None:
        from graphwright.testing.conversation import run_conversation

        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
            wrong = asyncio.run(run_conversation(self.path, Path(home)))
        if wrong:
            raise Mismatch("\n".join(wrong))

    def repr_failure(self, excinfo: ExceptionInfo[BaseException], style: Any = None) -> str | TerminalRepr:
        if isinstance(excinfo.value, Mismatch):
            return f"{self.path.name}\n{excinfo.value}"
        if isinstance(excinfo.value, GraphwrightError):
            return f"{self.path.name}: {excinfo.value.message}\n{excinfo.value.hint}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"conversation {self.name}"
