"""Running cases: one after the other or several at once, going on where an earlier run stopped."""

from __future__ import annotations

import asyncio
import multiprocessing
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from eval.cases import Case
from eval.conversing import Informed, Played, Wanted, converse
from eval.evaluation import note
from eval.judging import Verdict, judged
from eval.results import Results, fingerprint

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from langchain_core.language_models import BaseChatModel

_HERE = Path(__file__).parent
_ENGINE = ("kernel", "models", "proposals", "runtime", "tools")

NAMES = ("graph_editor", "upgrade")
"""The agents whose cases end in a state."""


class Cases(Protocol):
    """The cases of an agent, and their worlds."""

    agent: str

    @property
    def cases(self) -> Sequence[Case]:
        """All cases, in the order of their file."""

    async def wanted(self, case: Any) -> Wanted:
        """What the case may lead to. Raises UsageError for one that cannot be."""

    def informed(self, case: Any, wanted: Wanted) -> Informed:
        """A user who knows what the case wants."""

    def world(self, case: Any, folder: Path) -> AbstractAsyncContextManager[Any]:
        """The world of the case, fresh, in an empty folder."""


@dataclass(frozen=True, slots=True)
class Run:
    """What to run: the cases in `folder` of one agent, with the model of that name; by the agent, or a plain loop."""

    name: str
    folder: Path
    model: str
    loop: bool = False

    @property
    def who(self) -> str:
        return "loop" if self.loop else "agent"

    def cases(self) -> Cases:
        """The cases. Raises UsageError for what cannot be read, or does not fit."""
        if self.name == "graph_editor":
            from eval.graph_editor.world import Graphs

            return Graphs.read(self.folder)
        from eval.upgrade.server import Requests

        return Requests.read(self.folder)

    def kept(self, folder: Path, *, keep: bool) -> Results[Played]:
        """The cases played before; with `keep` also those played with other code than now."""
        places: list[str | Path] = [f"agents/{self.name}", *_ENGINE, _HERE / "conversing.py", _HERE / self.name]
        return Results(folder / self.name / self.who, self.model, Played, fingerprint(places), keep=keep)


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with what became of it."""

    case: Case
    played: Played
    verdict: Verdict


async def run_all(
    run: Run, cases: Sequence[Case], kept: Results[Played], *, at_once: int = 1, model: BaseChatModel | None = None
) -> list[Judged]:
    """Play the cases that have not been played, and judge all. `model` is used in place of the one that is named."""
    known, found = run.cases(), dict[str, Judged]()
    waiting = asyncio.Semaphore(at_once)

    async def one(case: Case, play: Callable[[str], Awaitable[Played]]) -> None:
        async with waiting:
            before = kept.of(case.decides())
            played = before or await play(case.id)
            if before is None:
                kept.add(case.decides(), played)
            # Nobody is to see by chance why a case went wrong that nobody has looked at.
            verdict = judged(case, await known.wanted(case), played, net=not run.loop)
            found[case.id] = Judged(case, played, verdict)
            took = "kept" if before else f"{played.seconds:.1f} s, {played.model_calls} model calls"
            told = "right" if verdict.right else "not right"
            note(f"{len(found)}/{len(cases)} {case.id}: {told} ({took})")

    async def here(case: str) -> Played:
        return await _play(run, case, model)

    if at_once == 1:
        for case in cases:
            await one(case, here)
    else:
        # A process each: an agent finds its server by the environment.
        with ProcessPoolExecutor(at_once, multiprocessing.get_context("spawn")) as pool:
            loop = asyncio.get_running_loop()
            await asyncio.gather(
                *(one(case, lambda id: loop.run_in_executor(pool, _play_apart, run, id)) for case in cases)
            )
    return [found[case.id] for case in cases]


def _play_apart(run: Run, case: str) -> Played:
    return _runner().run(_play(run, case, None))


@cache
def _runner() -> asyncio.Runner:
    """One event loop a process: a provider's client keeps connections that belong to the loop they were made in."""
    return asyncio.Runner()


async def _play(run: Run, id: str, model: BaseChatModel | None) -> Played:
    cases = _cases(run)
    case = next(case for case in cases.cases if case.id == id)
    model = model or _model(run.model)
    wanted = await cases.wanted(case)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with cases.world(case, Path(folder)) as world:
            if run.loop:
                from eval.graph_editor.loop import play_loop

                return await play_loop(case, world, model)
            informed = cases.informed(case, wanted)
            return await converse(case, cases.agent, world, wanted, model, informed)


@cache
def _cases(run: Run) -> Cases:
    return run.cases()


@cache
def _model(name: str) -> BaseChatModel:
    from graphwright.models import load

    return load(name)
