"""Running cases, one after another or several at once, continuing an earlier run."""

from __future__ import annotations

import asyncio
import multiprocessing
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import graphwright
import graphwright_confined
import graphwright_files
from eval.evaluation import note
from eval.measured import Measured
from eval.results import Results, fingerprint
from eval.stateful import Stateful
from graphwright.host.discovery import find
from graphwright_assistant import retrieval

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_HERE = Path(__file__).parent
_ENGINE = ("engine", "models", "host", "proposals", "tools")
_BESIDE = ("agents", "cli", "testing")
_LIBRARIES = tuple(
    Path(module.__file__).parent for module in (graphwright_confined, graphwright_files, retrieval) if module.__file__
)

NAMES = ("graph_editor", "upgrade", "data_scientist", "assistant")
"""The agents whose cases are played: two whose cases end in a state, two that are asked questions."""

LOOPS = ("graph_editor", "data_scientist", "assistant")
"""The agents with a plain loop for comparison."""


class Case(Protocol):
    """The common fields of every case."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def seen(self) -> bool: ...

    def decides(self) -> Mapping[str, Any]:
        """The fields that determine the conversation, as JSON."""


class Verdict(Protocol):
    """The verdict on a played case; `counts` are its figures, `shown` wrong differences, which were declined."""

    @property
    def right(self) -> bool: ...
    @property
    def reasons(self) -> Sequence[str]: ...
    @property
    def shown(self) -> Sequence[str]: ...
    @property
    def counts(self) -> Mapping[str, int | bool | str]: ...


class Cases(Protocol):
    """The cases of an agent: how they are played and judged."""

    played_as: type[Any]

    @property
    def cases(self) -> Sequence[Any]:
        """All cases, in the order of their file."""

    async def play(self, case: Any, folder: Path, model: BaseChatModel, *, loop: bool) -> Measured:
        """Play a case in an empty folder, with the agent or with the plain loop."""

    async def judged(self, case: Any, played: Any, *, loop: bool) -> Verdict:
        """The verdict on a played case. Raises UsageError for an invalid case."""


@dataclass(frozen=True, slots=True)
class Run:
    """The cases to run: those in `folder` of one agent, with the named model; by the agent, or a plain loop."""

    name: str
    folder: Path
    model: str
    loop: bool = False

    @property
    def who(self) -> str:
        return "loop" if self.loop else "agent"

    def cases(self) -> Cases:
        """The cases. Raises UsageError for unreadable or invalid ones."""
        if self.name == "graph_editor":
            from eval.graph_editor.world import Graphs

            return Stateful(Graphs.read(self.folder))
        if self.name == "upgrade":
            from eval.upgrade.server import Requests

            return Stateful(Requests.read(self.folder))
        if self.name == "data_scientist":
            from eval.data_scientist.evaluation import DataQuestions

            return DataQuestions.read(self.folder)
        from eval.assistant.evaluation import Research

        return Research.read(self.folder)

    def kept(self, folder: Path, *, keep: bool) -> Results[Any]:
        """The cases played before; with `keep` also those played with other code."""
        places: list[str | Path] = [find(self.name).parent, _HERE / self.name]
        if self.name in ("graph_editor", "upgrade"):
            places += [*_ENGINE, _HERE / "conversing.py"]
        else:
            # They depend on most of the package.
            core = sorted(each.parent for each in Path(graphwright.__file__).parent.glob("*/__init__.py"))
            places += [each for each in core if each.name not in _BESIDE]
            places += [*_LIBRARIES, _HERE / "asking.py"]
        played_as = self.cases().played_as
        return Results(folder / self.name / self.who, self.model, played_as, fingerprint(places), keep=keep)


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with its result."""

    case: Case
    played: Measured
    verdict: Verdict


async def run_all(
    run: Run, cases: Sequence[Case], kept: Results[Any], *, at_once: int = 1, model: BaseChatModel | None = None
) -> list[Judged]:
    """Play the cases without results, and judge all. `model` replaces the named model."""
    known, found = run.cases(), dict[str, Judged]()
    waiting = asyncio.Semaphore(at_once)

    async def one(case: Case, play: Callable[[str], Awaitable[Measured]]) -> None:
        async with waiting:
            before = kept.of(case.decides())
            played = before or await play(case.id)
            if before is None:
                kept.add(case.decides(), played)
            # The output does not show why an unseen case is wrong, so that it stays unseen.
            verdict = await known.judged(case, played, loop=run.loop)
            found[case.id] = Judged(case, played, verdict)
            took = "kept" if before else f"{played.seconds:.1f} s, {played.model_calls} model calls"
            told = "right" if verdict.right else "not right"
            note(f"{len(found)}/{len(cases)} {case.id}: {told} ({took})")

    async def here(case: str) -> Measured:
        return await _play(run, case, model)

    if at_once == 1:
        for case in cases:
            await one(case, here)
    else:
        # Separate processes, because an agent finds its server by the environment.
        with ProcessPoolExecutor(at_once, multiprocessing.get_context("spawn")) as pool:
            loop = asyncio.get_running_loop()
            await asyncio.gather(
                *(one(case, lambda id: loop.run_in_executor(pool, _play_apart, run, id)) for case in cases)
            )
    return [found[case.id] for case in cases]


def _play_apart(run: Run, case: str) -> Measured:
    return _runner().run(_play(run, case, None))


@cache
def _runner() -> asyncio.Runner:
    """One event loop for each process: a provider's client keeps connections that belong to its event loop."""
    return asyncio.Runner()


async def _play(run: Run, id: str, model: BaseChatModel | None) -> Measured:
    cases = _cases(run)
    case = next(case for case in cases.cases if case.id == id)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        return await cases.play(case, Path(folder), model or _model(run.model), loop=run.loop)


@cache
def _cases(run: Run) -> Cases:
    return run.cases()


@cache
def _model(name: str) -> BaseChatModel:
    from graphwright.models import load

    return load(name)
