"""Running cases with pydantic-evals, one after another or several at once, continuing an earlier run."""

from __future__ import annotations

import asyncio
import multiprocessing
import pkgutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_evals import Dataset, set_eval_attribute
from pydantic_evals.lifecycle import CaseLifecycle
from pydantic_evals.reporting import EvaluationReport, ReportCase, ReportCaseFailure

from eval.evaluation import Evaluation, Inputs, Judge, note
from eval.measured import Measured
from eval.results import Results, fingerprint
from graphwright.host.discovery import find

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_HERE = Path(__file__).parent

EVALUATIONS = {
    "graph_editor": "eval.graph_editor.evaluation:Graphs",
    "upgrade": "eval.upgrade.server:Requests",
    "data_scientist": "eval.data_scientist.evaluation:DataQuestions",
    "assistant": "eval.assistant.evaluation:Research",
    "intake": "eval.intake.evaluation:Reading",
}
"""The agents with cases: two whose cases end in a state, two that are asked questions, one that reads messages."""

LOOPS = ("graph_editor", "data_scientist", "assistant")
"""The agents with a plain loop for comparison."""


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

    def evaluation(self) -> Evaluation[Any, Any]:
        """The cases. Raises UsageError for unreadable or invalid ones."""
        kind: type[Evaluation[Any, Any]] = pkgutil.resolve_name(EVALUATIONS[self.name])
        return kind.read(self.folder)

    def kept(self, folder: Path, *, keep: bool) -> Results[Any]:
        """The cases played before; with `keep` also those played with other code."""
        evaluation = self.evaluation()
        code = fingerprint([find(self.name).parent, _HERE / self.name, *evaluation.code])
        return Results(folder / self.name / self.who, self.model, evaluation.played_as, code, keep=keep)


async def run_all(
    run: Run, ids: Sequence[str], kept: Results[Any], *, at_once: int = 1, model: BaseChatModel | None = None
) -> EvaluationReport[Any, Any, Any]:
    """Play the cases without results, and judge all. `model` replaces the named model."""
    evaluation, numbers = run.evaluation(), count(1)
    cases = [case for case in evaluation.dataset.cases if case.name in ids]
    dataset = Dataset[Any, Any, Any](name=run.name, cases=cases, evaluators=[Judge(evaluation, run.loop)])

    class Progress(CaseLifecycle[Any, Any, Any]):
        async def teardown(self, result: ReportCase | ReportCaseFailure | None) -> None:
            if result is not None:
                note(f"{next(numbers)}/{len(cases)} {result.name}: {_outcome(result)}")

    # Separate processes, because an agent finds its server by the environment.
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(at_once, spawn) if at_once > 1 else nullcontext() as pool:

        async def play(case: Inputs) -> Measured:
            played: Measured | None = kept.of(case.decides())
            set_eval_attribute("kept", played is not None)
            if played is None:
                if pool is None:
                    played = await _play(run, case.id, model)
                else:
                    played = await asyncio.get_running_loop().run_in_executor(pool, _play_apart, run, case.id)
                kept.add(case.decides(), played)
            return played

        return await dataset.evaluate(play, max_concurrency=at_once, progress=False, lifecycle=Progress)


def failures(report: EvaluationReport[Any, Any, Any]) -> list[str]:
    """The cases that could not be played or judged, with their errors."""
    told = [f"{each.name}: {each.error_message}" for each in report.failures]
    return told + [f"{case.name}: {each.error_message}" for case in report.cases for each in case.evaluator_failures]


def _outcome(result: ReportCase | ReportCaseFailure) -> str:
    if isinstance(result, ReportCaseFailure):
        return result.error_message
    if result.evaluator_failures:
        return result.evaluator_failures[0].error_message
    right, played = result.assertions["right"], result.output
    # Why an unseen case is wrong is not shown, so that it stays unseen.
    told = "right" if right.value else f"not right: {right.reason}" if result.inputs.seen else "not right"
    took = "kept" if result.attributes["kept"] else f"{played.seconds:.1f} s, {played.model_calls} model calls"
    return f"{told} ({took})"


def _play_apart(run: Run, case: str) -> Measured:
    return _runner().run(_play(run, case, None))


@cache
def _runner() -> asyncio.Runner:
    """One event loop for each process: a provider's client keeps connections that belong to its event loop."""
    return asyncio.Runner()


async def _play(run: Run, id: str, model: BaseChatModel | None) -> Measured:
    evaluation = _evaluation(run)
    case = next(case for case in evaluation.cases if case.id == id)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        played: Measured = await evaluation.play(case, Path(folder), model or _model(run.model), loop=run.loop)
        return played


@cache
def _evaluation(run: Run) -> Evaluation[Any, Any]:
    return run.evaluation()


@cache
def _model(name: str) -> BaseChatModel:
    from graphwright.models import load

    return load(name)
