"""The evaluation of answers over data: each question is given to the agent and to the plain loop, and judged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval.data_scientist.agent import work_by_agent
from eval.data_scientist.cases import Case, read_cases
from eval.data_scientist.loop import work_by_loop
from eval.data_scientist.outcome import Outcome
from eval.data_scientist.references import require_answer
from eval.data_scientist.report import DataFigures, JudgedCase
from eval.data_scientist.scoring import judged
from eval.evaluation import Evaluation, each, note
from eval.judged import Judged
from eval.results import Results, fingerprint

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_HERE = Path(__file__).parent

_BOTH: tuple[str | Path, ...] = (
    *("files", "models", "sandbox"),
    *(_HERE / name for name in ("tables.py", "workspace.py", "pictures.py", "probe.py")),
)

LOOP = (
    *_BOTH,
    *(f"agents/data_scientist/{name}.py" for name in ("data", "running", "results", "settings", "grounding")),
    _HERE / "loop.py",
)
"""What decides how the loop does: a result that was measured before one of these changed is measured again."""

AGENT = (
    *_BOTH,
    "agents/data_scientist",
    "context",
    "kernel",
    "runtime/receive.py",
    "runtime/perform.py",
    _HERE / "agent.py",
)
"""The same for the agent."""


class Answering(Evaluation):
    """Questions over known data. Raises UsageError where cases cannot be read, or an answer cannot be computed."""

    name = "data_scientist"

    def __init__(self, folder: Path) -> None:
        self._cases = read_cases(folder)

    @property
    def ids(self) -> list[str]:
        return [case.id for case in self._cases]

    async def run(self, ids: Sequence[str], model: BaseChatModel, name: str, results: Path) -> DataFigures:
        cases = [case for case in self._cases if not ids or case.id in ids]
        for case in cases:
            require_answer(case)

        async def worked(
            work: Callable[[Case, BaseChatModel], Awaitable[Outcome]], kept: Results[Outcome]
        ) -> list[JudgedCase]:
            found = await each(
                cases,
                lambda case: work(case, model),
                # Nobody is to see by chance why a test case went wrong: it would be no test any more.
                lambda case, outcome: _judged(case, outcome).told(always=bool(ids)),
                Case.decides,
                kept,
            )
            return [_judged(case, outcome) for case, outcome in zip(cases, found, strict=True)]

        note("the agent:")
        agent = await worked(work_by_agent, Results(results / "agent", name, Outcome, fingerprint(AGENT)))
        note("the plain loop:")
        loop = await worked(work_by_loop, Results(results / "loop", name, Outcome, fingerprint(LOOP)))
        return DataFigures(name, agent, loop)


def _judged(case: Case, outcome: Outcome) -> JudgedCase:
    return Judged(case, outcome, judged(case, outcome))
