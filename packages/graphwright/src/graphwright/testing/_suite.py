"""Run the scripted conversations in files and folders, and compute their coverage."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.errors import GraphwrightError, UsageError, exception_text
from graphwright.host.agent import load
from graphwright.host.discovery import find
from graphwright.host.discovery import names as agent_names
from graphwright.testing._conversation import SUFFIX, ConversationError
from graphwright.testing._coverage import Coverage
from graphwright.testing._loop import run
from graphwright.testing._running import Result, run_conversation

if TYPE_CHECKING:
    from graphwright.host.agent import Agent

_PASSED_OVER = {"__pycache__", "node_modules", "site-packages", "venv"}


@dataclass(frozen=True, slots=True)
class Unusable:
    """A conversation file that could not be run, with the error."""

    path: Path
    error: GraphwrightError

    def to_json(self) -> dict[str, Any]:
        problems = [asdict(each) for each in self.error.problems] if isinstance(self.error, ConversationError) else []
        return {"file": str(self.path), "status": "unusable", "error": self.error.to_json(), "problems": problems}


@dataclass(slots=True)
class Suite:
    """The results of several conversations."""

    results: list[Result | Unusable] = field(default_factory=list)
    coverage: dict[Path, Coverage] = field(default_factory=dict)

    @property
    def unusable(self) -> int:
        return sum(isinstance(result, Unusable) for result in self.results)

    @property
    def failed(self) -> int:
        return sum(isinstance(result, Result) and not result.passed for result in self.results)

    @property
    def passed(self) -> int:
        return len(self.results) - self.unusable - self.failed

    def below(self, percent: float) -> list[Coverage]:
        """Return the flows with less than this percentage of edges taken."""
        return [each for each in self.coverage.values() if each.edges.percent < percent]

    def to_json(self, *, trace: bool = False) -> dict[str, Any]:
        """Return all results and the coverage as JSON; with `trace` also the lines of each conversation's trace."""
        good = not (self.failed or self.unusable)
        return {
            "status": "passed" if good else "failed",
            "conversations": [result_json(result, trace=trace) for result in self.results],
            "coverage": [each.to_json() for each in self.coverage.values()],
        }


def result_json(result: Result | Unusable, *, trace: bool = False) -> dict[str, Any]:
    """Return the result of a conversation as JSON; with `trace` also the lines of its trace."""
    if isinstance(result, Unusable):
        return result.to_json()
    compared = result.compared
    return {
        "file": str(result.path),
        "status": "passed" if result.passed else "failed",
        "agent": result.agent.name,
        "turns": result.turns,
        "seconds": round(result.seconds, 3),
        "trace": result.trace,
        "mismatches": [mismatch.to_json() for mismatch in result.mismatches],
        **({"shadow": [{"turn": turn, **event.to_json()} for turn, event in compared]} if compared else {}),
        **({"trace_lines": result.trace_lines()} if trace else {}),
    }


def find_conversations(names: Sequence[str | Path]) -> list[Path]:
    """Return the named conversation files, and those in named folders; the name of an agent means its folder.

    Hidden folders and virtual environments in them are skipped. Raises UsageError: `no_such_file`,
    `not_a_conversation`, `no_conversations`.
    """
    found: dict[Path, Path] = {}
    for name in names:
        path = Path(name)
        if not path.exists() and str(name) in agent_names():
            path = find(str(name)).parent
        if path.is_dir():
            inside = list(_inside(path))
            if not inside:
                raise UsageError(
                    "no_conversations",
                    f"There is no conversation in {name}.",
                    f"A conversation is a file *{SUFFIX} that begins with 'agent: ..' and 'turns: [{{user: hello}}]'.",
                )
        elif not path.exists():
            raise UsageError("no_such_file", f"There is no file or folder {name}.", "Check the path.")
        elif not (path.name.endswith(SUFFIX) and path.is_file()):
            raise UsageError("not_a_conversation", f"{name} is not a conversation.", f"Name it *{SUFFIX}, or a folder.")
        else:
            inside = [path]
        for file in inside:
            found.setdefault(file.resolve(), file)
    return list(found.values())


def _inside(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob(f"*{SUFFIX}")):
        between = file.relative_to(folder).parts[:-1]
        if file.is_file() and not any(name.startswith(".") or name in _PASSED_OVER for name in between):
            yield file


def run_suite(
    files: Iterable[Path],
    *,
    update: bool = False,
    on_result: Callable[[Result | Unusable], None] | None = None,
    load_agent: Callable[[str | Path], Agent] = load,
    renamed_keys: Mapping[str, str] | None = None,
) -> Suite:
    """Run conversations, each in a new data folder; `on_result` is called with each result.

    `load_agent` loads the agents that the conversations name. `renamed_keys` maps earlier keys of answers to present
    ones. Coverage is not computed for one with a shadow.
    Must not be called from a running event loop.
    """
    suite = Suite()
    load_once = functools.cache(load_agent)
    for file in files:
        result = _run_one(file, update, load_once, renamed_keys)
        suite.results.append(result)
        if isinstance(result, Result) and result.agent.beside is None:
            flow = result.agent.file.resolve()
            suite.coverage.setdefault(flow, Coverage(result.agent)).add(result.events)
        if on_result is not None:
            on_result(result)
    return suite


def _run_one(
    file: Path, update: bool, load_agent: Callable[[str | Path], Agent], renamed_keys: Mapping[str, str] | None
) -> Result | Unusable:
    with tempfile.TemporaryDirectory(prefix="graphwright-test-", ignore_cleanup_errors=True) as home:
        try:
            served = run_conversation(file, Path(home), update=update, load_agent=load_agent, renamed_keys=renamed_keys)
            return run(served)
        except GraphwrightError as error:
            return Unusable(file, error)
        except Exception as error:
            text = f"{file}: something unforeseen happened ({type(error).__name__}: {exception_text(error)})."
            hint = "This is a fault in Graphwright or in an agent's code; pytest shows where."
            return Unusable(file, GraphwrightError("internal", text, hint))
