"""The pytest plugin: every `*.conversation.yaml` is collected as a test."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from graphwright.errors import GraphwrightError

__all__ = ["pytest_collect_file"]

if TYPE_CHECKING:
    from _pytest._code.code import ExceptionInfo, TerminalRepr

pytest.register_assert_rewrite(
    *(f"graphwright.testing.{name}" for name in ("store_suite", "_conversation_suite", "_flow_suite", "_store_steps"))
)

SUFFIX = ".conversation.yaml"


class Mismatched(Exception):
    """A conversation did not go as expected."""


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect conversation files."""
    if file_path.name.endswith(SUFFIX):
        return ConversationCollector.from_parent(parent, path=file_path)
    return None


class ConversationCollector(pytest.File):
    """The collector of a file, which has one conversation."""

    def collect(self) -> Iterator[pytest.Item]:
        yield ConversationItem.from_parent(self, name=self.path.name.removesuffix(SUFFIX))


class ConversationItem(pytest.Item):
    """One conversation, run in a new data folder."""

    def runtest(self) -> None:
        from graphwright.testing._loop import run
        from graphwright.testing._running import run_conversation

        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
            result = run(run_conversation(self.path, Path(home)))
        if not result.passed:
            raise Mismatched("\n".join("\n".join([str(each), *each.diff]) for each in result.mismatches))

    def repr_failure(self, excinfo: ExceptionInfo[BaseException], style: Any = None) -> str | TerminalRepr:
        if isinstance(excinfo.value, Mismatched):
            return f"{self.path.name}\n{excinfo.value}"
        if isinstance(excinfo.value, GraphwrightError):
            return excinfo.value.full_text
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"conversation {self.name}"
